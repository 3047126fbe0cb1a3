# SPDX-License-Identifier: GPL-2.0
"""Settings of runs, and their differences.

Settings are the configuration of both ends, the route and the environment. Values that
are new for each run, such as a free port, are not settings.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import keys, wording
from .record import Json, Record, at, number


class Setting(NamedTuple):
    """A setting."""

    #: path in the record
    key: str
    #: the value as text
    text: str
    #: the value, NaN if it is not a number
    number: float

    @property
    def name(self) -> str:
        """The last word of the path."""
        return self.key.rpartition(".")[2]

    @property
    def title(self) -> str:
        """The path in words, without a unit."""
        return wording.title(self.key)

    @property
    def words(self) -> str:
        """The last word of the path, and the value with its unit."""
        return f"{wording.title(self.name)} {self.shown}"

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return wording.shown(self.name, self.text)

    @property
    def of_environment(self) -> bool:
        """Whether it belongs to the machine and not to the run."""
        return self.key.startswith(keys.ENVIRONMENT) or self.key in keys.OF_MACHINE

    @property
    def end(self) -> str:
        """The end that it belongs to, or an empty string."""
        first = self.key.partition(".")[0]
        return first if first in keys.ENDS else ""

    def is_named(self, name: str) -> bool:
        """Whether *name* is its path, or the last word of it."""
        return name in (self.key, self.name)


Settings = dict[str, Setting]


def _flatten(key: str, value: Json, to: Settings) -> None:
    if key in keys.PASSING:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            _flatten(f"{key}.{name}", member, to)
        return
    # Most are strings and whole numbers.
    shown = value if isinstance(value, str) else str(value) if type(value) is int \
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    to[key] = Setting(key, shown, number(value))


def settings_of(record: Record) -> Settings:
    """Return the settings of a run by their paths, in the order of the record."""
    found: Settings = {}
    for member in keys.SETTINGS:
        value = at(record.root, member)
        if value is not None:
            _flatten(member, value, found)
    return found


@dataclass(frozen=True)
class Group:
    """Runs with equal settings."""

    #: their difference from other groups; empty if there is none
    label: str
    #: indices of the runs
    runs: list[int]


class Compared:
    """The settings of runs, and which of them vary."""

    def __init__(self, records: Iterable[Record]) -> None:
        """Compare the settings of *records*."""
        self.of = [settings_of(record) for record in records]
        seen: dict[str, str] = {}
        count: dict[str, int] = {}
        #: keys whose value differs between runs
        self.varying: set[str] = set()
        for one in self.of:
            for key, setting in one.items():
                count[key] = count.get(key, 0) + 1
                if seen.setdefault(key, setting.text) != setting.text:
                    self.varying.add(key)
        self.varying.update(key for key, times in count.items()
                            if times < len(self.of))

    def label(self, index: int, *without: str) -> str:
        """Return the distinguishing settings of a run, except those named *without*.

        The environment does not count. A setting equal at both ends is named once.
        """
        settings = self.of[index]
        values: dict[str, set[str]] = {}
        for setting in settings.values():
            values.setdefault(setting.name, set()).add(setting.text)
        words, said = [], set()
        for key, setting in settings.items():
            if (key not in self.varying or setting.of_environment or
                    (setting.name, setting.text) in said or
                    any(setting.is_named(name) for name in without)):
                continue
            said.add((setting.name, setting.text))
            end = setting.end + " " if setting.end and len(values[setting.name]) > 1 \
                else ""
            words.append(f"{end}{setting.words}")
        return ", ".join(words)

    def groups(self, *without: str) -> list[Group]:
        """Return groups of runs equal except for *without*, in order of the first."""
        found: dict[str, list[int]] = {}
        for index in range(len(self.of)):
            found.setdefault(self.label(index, *without), []).append(index)
        return [Group(label, runs) for label, runs in found.items()]

    def groups_by(self, name: str) -> list[Group]:
        """Return groups of runs by the value of one setting, in order of the first.

        The first match counts, as with :meth:`number`.
        """
        found: dict[str, list[int]] = {}
        for index in range(len(self.of)):
            found.setdefault(self.text(index, name), []).append(index)
        short = name.rpartition(".")[2]
        return [Group(f"{wording.title(short)} {wording.shown(short, value) or '-'}",
                      runs) for value, runs in found.items()]

    def text(self, index: int, name: str) -> str:
        """Return a setting of a run as text, by its path or last word, or nothing."""
        return next((setting.text for setting in self.of[index].values()
                     if setting.is_named(name)), "")

    def number(self, index: int, name: str) -> float:
        """Return the number of a setting of a run, by its path or last word.

        The first match counts; the source comes before the sink. NaN if there is
        none.
        """
        for setting in self.of[index].values():
            if setting.is_named(name) and not math.isnan(setting.number):
                return setting.number
        return math.nan

    def numbers_that_vary(self) -> list[str]:
        """Return the names of numbers outside the environment that vary."""
        found: dict[str, set[float]] = {}
        for one in self.of:
            for key, setting in one.items():
                if key in self.varying and not setting.of_environment and \
                        not math.isnan(setting.number):
                    found.setdefault(setting.name, set()).add(setting.number)
        return [name for name, values in found.items() if len(values) > 1]


def differing(a: Settings, b: Settings) -> list[tuple[str, str | None, str | None]]:
    """Return keys whose values differ in two runs, and both values, None if absent."""
    keys_of_both: Sequence[str] = [*a, *(key for key in b if key not in a)]
    pairs = ((key, a[key].text if key in a else None, b[key].text if key in b else None)
             for key in keys_of_both)
    return [(key, one, other) for key, one, other in pairs if one != other]
