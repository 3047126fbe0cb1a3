# SPDX-License-Identifier: GPL-2.0
"""What runs were made with, and what sets them apart.

Configuration of both ends, route and environment. What is drawn anew for each run,
such as a port that was free, is none of it.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import keys
from .record import Json, Record, at, number


class Setting(NamedTuple):
    """One member."""

    #: path in the record
    key: str
    #: as it is printed
    text: str
    #: the value, NaN where it is no number
    number: float

    @property
    def name(self) -> str:
        """The last word of the path."""
        return self.key.rpartition(".")[2]

    @property
    def of_environment(self) -> bool:
        """Whether the machine had it, and not the run."""
        return self.key.startswith(keys.ENVIRONMENT)

    @property
    def end(self) -> str:
        """The end that it is of, or an empty string."""
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
    shown = value if isinstance(value, str) else json.dumps(
        value, ensure_ascii=False, separators=(",", ":"))
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
    """Runs that were made alike."""

    #: what sets them apart from others; empty where nothing does
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
        #: keys that not all runs have with one value
        self.varying: set[str] = set()
        for one in self.of:
            for key, setting in one.items():
                count[key] = count.get(key, 0) + 1
                if seen.setdefault(key, setting.text) != setting.text:
                    self.varying.add(key)
        self.varying.update(key for key, times in count.items()
                            if times < len(self.of))

    def label(self, index: int, *without: str) -> str:
        """Return what sets a run apart, but for the settings named *without*.

        The environment does not count; of what both ends have alike, one is said.
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
            words.append(f"{end}{setting.name} {setting.text}")
        return ", ".join(words)

    def groups(self, *without: str) -> list[Group]:
        """Return runs that are alike but for *without*, in the order of the first."""
        found: dict[str, list[int]] = {}
        for index in range(len(self.of)):
            found.setdefault(self.label(index, *without), []).append(index)
        return [Group(label, runs) for label, runs in found.items()]

    def number(self, index: int, name: str) -> float:
        """Return the number that a setting of a run is, by its path or last word.

        The first that there is counts, and the source comes before the sink; NaN
        where there is none.
        """
        for setting in self.of[index].values():
            if setting.is_named(name) and not math.isnan(setting.number):
                return setting.number
        return math.nan

    def numbers_that_vary(self) -> list[str]:
        """Return the names of numbers, not of the environment, of several values."""
        found: dict[str, set[float]] = {}
        for one in self.of:
            for key, setting in one.items():
                if key in self.varying and not setting.of_environment and \
                        not math.isnan(setting.number):
                    found.setdefault(setting.name, set()).add(setting.number)
        return [name for name, values in found.items() if len(values) > 1]


def differing(a: Settings, b: Settings) -> list[tuple[str, str | None, str | None]]:
    """Return keys in which two runs differ, and both values, None for an absent one."""
    keys_of_both: Sequence[str] = [*a, *(key for key in b if key not in a)]
    pairs = ((key, a[key].text if key in a else None, b[key].text if key in b else None)
             for key in keys_of_both)
    return [(key, one, other) for key, one, other in pairs if one != other]
