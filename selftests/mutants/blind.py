# SPDX-License-Identifier: GPL-2.0
"""blind.py: faults that nobody has thought of.

A line that computes is drawn from the code, each with the same probability, and then one
of the changes that it allows: another operator, the other end, the other bound, a
statement that is left out. What has no meaning is what compilers refuse; what makes no
difference has to be found by reading.
"""

import io
import pathlib
import random
import re
import sys
import tokenize
from collections.abc import Iterator

from faults import TOP, Fault, Test

sys.path.insert(0, str(TOP / "selftests" / "ci"))
import tests as every  # noqa: E402

ROOMS = "kmod/*.c", "tools/**/*.c", "tools/lab/ktput/**/*.py"
# Each for the other, in the text of a line without strings and comments.
SWAPPED = ((" + ", " - "), (" * ", " / "), (" < ", " <= "), (" > ", " >= "),
           (" == ", " != "), (" && ", " || "), (" and ", " or "), (" += ", " -= "),
           ("min(", "max("), ("++", "--"))
# The same with words, or parts of a name.
OTHER = (("source", "sink"), ("begin", "end"), ("first", "last"), ("sent", "received"),
         ("read", "written"), ("true", "false"), ("True", "False"))
# A pattern, and what is there then.
REPLACED = ((" [+*-]= ", " = "), (r"(?<=[ (])!(?=\w)", ""), (r"\bnot (?!in)", ""),
            (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "2"),
            (r"\[(?:i|cpu|at)\]", "[0]"), (r"\[-1\]", "[0]"),
            # A call, or an assignment to what is there already.
            (r"(?<=\t)[a-z]\w*\([^;]*\);$", ";"), (r"(?<=\t)[a-z][\w.>\[\]-]* = [^;]*;$", ";"))


def of_c(text: str) -> str:
    """TEXT with blanks for what is no code, as long as it is."""
    return re.sub(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
                  r"|^\#(?:\\\n|[^\n])*",
                  lambda found: re.sub(r"\S", " ", found[0]), text,
                  flags=re.S | re.M)


def of_python(text: str) -> str:
    """TEXT with blanks for strings and comments, as long as it is."""
    lines = [list(line) for line in text.splitlines(keepends=True)]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.STRING, tokenize.COMMENT):
            continue
        (row, column), (last, end) = token.start, token.end
        for number in range(row - 1, last):
            line = lines[number]
            for at in range(column if number == row - 1 else 0,
                            end if number == last - 1 else len(line)):
                if not line[at].isspace():
                    line[at] = " "
    return "".join("".join(line) for line in lines)


def changes(line: str, code: str) -> Iterator[str]:
    """What LINE may become, of which CODE is without strings."""
    for pair in SWAPPED:
        for old, new in (pair, pair[::-1]):
            for found in re.finditer(re.escape(old), code):
                yield line[:found.start()] + new + line[found.end():]
    for pair in OTHER:
        for old, new in (pair, pair[::-1]):
            for found in re.finditer(f"(?<![a-zA-Z]){old}(?![a-zA-Z])", code):
                yield line[:found.start()] + new + line[found.end():]
    for pattern, new in REPLACED:
        for found in re.finditer(pattern, code):
            yield line[:found.start()] + new + line[found.end():]


def candidates(path: pathlib.Path) -> Iterator[tuple[int, str, list[str]]]:
    """Lines of a file that can be changed: number, text, what it may become."""
    text = path.read_text("utf-8")
    code = of_python(text) if path.suffix == ".py" else of_c(text)
    pairs = zip(text.splitlines(), code.splitlines(), strict=True)
    for number, (line, plain) in enumerate(pairs):
        # What is outside of functions declares.
        if not line[:1].isspace() or re.match(r"\s+(?:static )?(?:const|struct) .*[;,]$", plain):
            continue
        found = list(changes(line, plain))
        if found:
            yield number, line, found


class Blind(Fault):
    """A changed line; the number is that of the line, from 0."""

    def mutate(self, text: str) -> str:
        """TEXT of its file with the fault; ValueError where it does not fit."""
        lines = text.splitlines(keepends=True)
        if lines[self.number].rstrip("\n") != self.old:
            raise ValueError("the line is another")
        lines[self.number] = self.new + "\n"
        return "".join(lines)

    @property
    def ident(self) -> str:
        """A name for files."""
        return f"{re.sub('[^a-z0-9]', '-', self.file)}-{self.number}"


def tests_of(path: str, places: set[str]) -> tuple[Test, ...]:
    """The tests that notice a change of a file, in PLACES."""
    found = [test for test in every.notice(path)[0]
             if test.place in places and not
             (test.path.endswith(".sh") and test.place in ("unit", "lab"))]
    return tuple(Test(test.place, test.name) for test in found)


def draw(seed: str, count: int, places: set[str], only: str) -> list[Fault]:
    """COUNT faults in files whose path ONLY matches, by the order of SEED."""
    lines = []
    for pattern in ROOMS:
        for path in sorted(TOP.glob(pattern)):
            name = str(path.relative_to(TOP))
            if re.search(only, name):
                lines += [(name, *found) for found in candidates(path)]
    order = random.Random(seed)
    faults: list[Fault] = []
    for name, number, line, found in order.sample(lines, len(lines)):
        tests = tests_of(name, places)
        if tests:
            new = order.choice(found)
            faults.append(Blind(number, name, f"{number + 1}: '{line.strip()}' is "
                                f"'{new.strip()}'", line, new, tests))
        if len(faults) == count:
            break
    return faults
