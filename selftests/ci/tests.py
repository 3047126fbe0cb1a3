# SPDX-License-Identifier: GPL-2.0
"""tests.py: which tests there are, and which of them notice a change of a file.

A test has a place, which says what runs it and where:

  unit   selftests/unit/test_X.c and .sh, on this machine
  lab    tools/lab/tests/test_X.py and selftests/lab/test_X.sh, on this machine
  host   selftests/cases/test_X.sh and .py with a line "# kernel: host"
  vm     the others of selftests/cases, in a VM with the module
  exact  selftests/exact/test_X.*, in a VM that counts instructions

A change of a file is noticed by the tests that the list of faults,
selftests/mutants/faults, names for it, and by those that include, import, source or
name the file; where there are none, by those that do so by way of another file.
"""

import collections
import dataclasses
import difflib
import fnmatch
import functools
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PLACES = "unit", "lab", "host", "vm", "exact"
# What more tests than these use is the business of make check.
MANY = 16
# The test of a room, for files that none names.
ROOMS = {"Documentation/": "selftests/cases/test_documents.sh",
         "README.md": "selftests/cases/test_documents.sh",
         "tools/cmd/": "selftests/unit/test_ctl.c"}


class UsageError(Exception):
    """The words name no test."""


@dataclasses.dataclass(frozen=True, order=True)
class Test:
    """A file that is a test."""

    place: str
    name: str
    path: str

    @property
    def file(self) -> pathlib.Path:
        """Where it is."""
        return TOP / self.path

    @functools.cached_property
    def text(self) -> str:
        """What it says."""
        return self.file.read_text("utf-8")

    def names(self) -> set[str]:
        """The words that stand for it; a pattern may match any of them."""
        short = self.name.removeprefix("test_")
        base = pathlib.PurePath(self.path).name
        places = {self.place} | ({"case"} if self.place in ("host", "vm") else set())
        return {self.path} | {prefix + name for name in (self.name, short, base)
                              for prefix in ("", *(f"{one}/" for one in places))}


def place_of_case(path: pathlib.Path) -> str:
    """Whether a test of cases/ wants the module."""
    return "host" if re.search("^# kernel: host$", path.read_text("utf-8"), re.M) \
        else "vm"


@functools.cache
def every_test() -> tuple[Test, ...]:
    """All tests, in the order of places."""
    found = []
    for place, pattern in (("unit", "selftests/unit/test_*.c"),
                           ("unit", "selftests/unit/test_*.sh"),
                           ("lab", "tools/lab/tests/test_*.py"),
                           ("lab", "selftests/lab/test_*.sh"),
                           ("case", "selftests/cases/test_*.sh"),
                           ("case", "selftests/cases/test_*.py"),
                           ("exact", "selftests/exact/test_*.[ps][yh]")):
        for path in TOP.glob(pattern):
            here = place_of_case(path) if place == "case" else place
            found.append(Test(here, path.stem, str(path.relative_to(TOP))))
    return tuple(sorted(found, key=lambda test: (PLACES.index(test.place), test)))


def git(*words: str) -> list[str]:
    """The lines that git prints about the tree."""
    command = ["git", "-c", "safe.directory=*", "-C", str(TOP), *words]
    done = subprocess.run(command, text=True, check=False, capture_output=True)
    if done.returncode:
        raise UsageError(done.stderr.strip())
    return done.stdout.splitlines()


def changed_files(base: str = "HEAD") -> list[str]:
    """Files that differ from BASE, or are new; where HEAD left BASE, not later."""
    if base != "HEAD":
        base = git("merge-base", base, "HEAD")[0]
    return sorted({*git("diff", "--name-only", base, "--"),
                   *git("ls-files", "--others", "--exclude-standard")})


@functools.cache
def every_file() -> tuple[str, ...]:
    """Files of the tree."""
    return tuple(git("ls-files", "--cached", "--others", "--exclude-standard"))


@functools.cache
def by_last_parts() -> dict[str, str]:
    """A file by its directory and name, where only one has them, or by its path."""
    found = collections.defaultdict(set)
    for path in every_file():
        found["/".join(path.split("/")[-2:])].add(path)
    return {name: paths.pop() for name, paths in found.items() if len(paths) == 1}


def python_modules(path: str, text: str) -> set[str]:
    """Files of the modules that a file imports."""
    found = set()
    package = pathlib.PurePath(path).parent
    for line in re.finditer(r"^ *from (\.*)([\w.]*) import ([^#\n]*(?:\([^)]*\))?)"
                            r"|^ *import ([\w., ]+)", text, re.M):
        dots, module, names, plain = line.groups()
        if plain:
            wanted = [(None, one.split()[0]) for one in plain.split(",") if one.split()]
        else:
            above = package
            for _ in (dots or "")[1:]:
                above = above.parent
            parts = re.findall(r"\w+", names)
            start = above if dots else None
            wanted = [(start, module)] * bool(module) + [
                (start, f"{module}.{part}" if module else part) for part in parts]
        for start, dotted in wanted:
            inside = dotted.replace(".", "/")
            for root in ([start] if start else
                         [pathlib.PurePath("tools/lab"), package,
                          pathlib.PurePath("selftests/lib")]):
                found |= {str(root / inside) + ".py"}
    return found


@functools.cache
def uses(path: str) -> frozenset[str]:
    """Files of the tree that a file includes, imports, sources or names."""
    try:
        text = (TOP / path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    here = pathlib.PurePath(path)
    known = set(every_file())
    found = set()
    if here.suffix in (".c", ".h"):
        for name in re.findall(r'^#include ["<]([^">]+)[">]', text, re.M):
            for root in (here.parent, pathlib.PurePath("kmod/uapi")):
                found.add(relative(root / name))
    else:
        if here.suffix == ".py":
            found |= python_modules(path, text)
        for name in re.findall(r"(?<![\w.-])(?=([\w.-]+/[\w.-]+))", text):
            found.add(by_last_parts().get(name, ""))
    return frozenset(found & known - {path})


def relative(path: pathlib.PurePath) -> str:
    """A path without "..", from the top."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return "/".join(parts)


def twins(path: str) -> set[str]:
    """The file, and with a header or its source the other."""
    other = {".c": ".h", ".h": ".c"}.get(pathlib.PurePath(path).suffix)
    both = {path}
    if other:
        both.add(str(pathlib.PurePath(path).with_suffix(other)))
    return both


@functools.cache
def faults_by_file() -> dict[str, set[str]]:
    """What the list of faults says: names of tests, with their place, by file."""
    sys.path.insert(0, str(TOP / "selftests" / "mutants"))
    try:
        import faults
    except ImportError:
        print("test: python3-yaml is not installed: what the list of faults says "
              "is not known", file=sys.stderr)
        return {}
    found: dict[str, set[str]] = collections.defaultdict(set)
    for fault in faults.load():
        for test in fault.tests:
            found[fault.file].add(str(test.source.relative_to(TOP)))
    return found


def by_name(path: str) -> tuple[set[str], list[str]]:
    """Tests that have the name of a file, or of what it is a part of; and why."""
    file = pathlib.PurePath(path)
    noun = file.stem.split(".")[0]
    while noun:
        found = {test.path for test in every_test() if test.name == f"test_{noun}"} | \
            faults_by_file().get(str(file.with_stem(noun)), set())
        if found:
            return found, [f"by the name of {noun}"]
        noun = noun.rpartition("_")[0]
    return next(({test} for room, test in ROOMS.items() if path.startswith(room)),
                set()), ["the test of the room"]


def notice(path: str) -> tuple[list[Test], str]:
    """Tests that notice a change of a file; and why it is these, or none."""
    tests = {test.path: test for test in every_test()}
    if path in tests:
        return [tests[path]], "it is a test"
    files = twins(path)
    found = set().union(*(faults_by_file().get(one, ()) for one in files))
    why = ["faults"] * bool(found)
    using = {one for one in tests if uses(one) & files}
    if using and len(found | using) <= MANY:
        why.append("uses")
        found |= using
    elif using and not found:
        return [], f"{len(using)} tests use it: make check"
    if not found:
        found, why = by_name(path)
    # Level by level, those that use what uses it.
    seen = set(files)
    while not found:
        more = {one for one in every_file()
                if one not in seen and uses(one) & seen}
        for one in set(more):
            more |= twins(one) & set(every_file())
        more -= seen
        if not more:
            return [], "no test is known that notices it"
        found = more & tests.keys()
        if len(found) > MANY:
            return [], f"{len(found)} tests use it by others: make check"
        why = ["uses, by others"]
        seen |= more
    return [tests[one] for one in sorted(found) if one in tests], " and ".join(why)


def by_word(word: str) -> list[Test]:
    """Tests that a word stands for: a name, a pattern, or any file of the tree."""
    place = word.partition("/")[0]
    found = [test for test in every_test()
             if any(fnmatch.fnmatchcase(name, word) for name in test.names())]
    if not found and place in ("host", "vm") and "/" in word:
        # In the other place than it chooses by itself.
        found = [dataclasses.replace(test, place=place)
                 for test in by_word(word.replace(f"{place}/", "case/", 1))]
    if found:
        return found
    path = pathlib.Path(word)
    for one in (path, TOP / path):
        if one.is_file() and TOP in one.resolve().parents:
            file = str(one.resolve().relative_to(TOP))
            found, why = notice(file)
            if found:
                print(f"# {file}: {why}", flush=True)
                return found
            raise UsageError(f"{file}: {why}")
    names = {name for test in every_test() for name in test.names()}
    near = difflib.get_close_matches(word, names, 3)
    raise UsageError(f"there is no test '{word}'" +
                     (f"; {' or '.join(near)}?" if near else ""))


def by_changes(base: str) -> list[Test]:
    """Tests that notice what differs from BASE; says which, and what none does."""
    found: set[Test] = set()
    for path in changed_files(base):
        tests, why = notice(path)
        print(f"# {path}: {why}" + "".join(
            f"\n#   {test.place}/{test.name}" for test in tests), flush=True)
        found.update(tests)
    return [test for test in every_test() if test in found]
