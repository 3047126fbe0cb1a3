# SPDX-License-Identifier: GPL-2.0
"""faults.py: the list of faults, and how one is put into a file.

The list is selftests/mutants/faults/*.yaml. Each document is a list of files:

  - file: tools/analysis/series.c
    tests: unit/test_series
    faults:
      - fault: warm-up is left in the estimate
        old: if (warm_up)
        new: if (0)
        tests: unit/test_series host/test_figures
        accepted: why no test can notice it

"old" is found once in the file, where any white space stands for any other.
"tests" are separated by blanks, those of a fault replace those of its file:

  unit/test_X    a program of selftests/unit
  lab/test_X     tools/lab/tests/test_X.py, by pytest
  host/test_X    test_X.sh or .py of selftests/cases on this machine, which needs
                 no module
  test_X         that in a VM
  exact/test_X   selftests/exact/test_X.sh in a VM that counts instructions
  test_X?CASES   of a test in Python those cases alone that match CASES, a
                 regular expression with "." for each blank
"""

import dataclasses
import pathlib
import re

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
LISTS = pathlib.Path(__file__).resolve().parent / "faults"

KEYS = {"fault", "old", "new", "tests", "accepted"}


class Malformed(Exception):
    """The list is not what it has to be."""


@dataclasses.dataclass(frozen=True)
class Test:
    """A test that is to notice a fault."""

    place: str
    name: str
    cases: str = ""

    @classmethod
    def of(cls, word: str) -> "Test":
        """A test by its WORD in the list."""
        path, _, cases = word.partition("?")
        place, _, name = path.rpartition("/")
        if place not in ("unit", "lab", "host", "exact", ""):
            raise Malformed(f"{word}: there are no tests in {place}/")
        test = cls(place or "vm", name, cases)
        if not test.source.exists():
            raise Malformed(f"{word}: there is no {test.source}")
        return test

    @property
    def source(self) -> pathlib.Path:
        """The file of the test."""
        selftests = TOP / "selftests"
        if self.place == "unit":
            return selftests / "unit" / f"{self.name}.c"
        if self.place == "lab":
            return TOP / "tools" / "lab" / "tests" / f"{self.name}.py"
        room = "exact" if self.place == "exact" else "cases"
        shell = selftests / room / f"{self.name}.sh"
        return shell if shell.exists() else shell.with_suffix(".py")

    def __str__(self) -> str:
        place = "" if self.place == "vm" else self.place + "/"
        return place + self.name + ("?" + self.cases if self.cases else "")


@dataclasses.dataclass(frozen=True)
class Fault:
    """One fault, and the tests that must notice it."""

    number: int
    file: str
    what: str
    old: str
    new: str
    tests: tuple[Test, ...]
    accepted: str = ""

    @property
    def ident(self) -> str:
        """A name for files."""
        return f"{self.number:03}"

    def in_module(self) -> bool:
        """It is one of the kernel module."""
        return self.file.startswith("kmod/")

    def places(self) -> set[str]:
        """Where its tests run."""
        return {test.place for test in self.tests}

    def mutate(self, text: str) -> str:
        """TEXT of its file with the fault; ValueError where it does not fit.

        A name in it is a whole one: what is within another one would not build.
        """
        pattern = r"\s+".join(map(re.escape, self.old.split()))
        if re.match(r"\w", self.old):
            pattern = r"(?<!\w)" + pattern
        if re.search(r"\w$", self.old):
            pattern += r"(?!\w)"
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            raise ValueError(f"'{self.old}' is there {len(found)} times")
        begin, end = found[0].span()
        return text[:begin] + self.new + text[end:]

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


def tests_of(words: str) -> tuple[Test, ...]:
    """The tests that are named."""
    return tuple(Test.of(word) for word in words.split())


def load(only: str = "") -> list[Fault]:
    """All faults, or those whose list, file or description matches ONLY."""
    faults: list[Fault] = []
    number = 0
    for path in sorted(LISTS.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text("ascii")):
            for row in entry["faults"]:
                number += 1
                if set(row) - KEYS or not {"fault", "old", "new"} <= set(row):
                    raise Malformed(f"{path.name}: {row}")
                fault = Fault(
                    number, entry["file"], row["fault"], row["old"],
                    row["new"], tests_of(row.get("tests") or
                                         entry.get("tests", "")),
                    row.get("accepted", ""))
                if not fault.tests and not fault.accepted:
                    raise Malformed(f"{fault}: no test is named")
                if re.search(only, f"{path.name}: {fault}"):
                    faults.append(fault)
    return faults
