# SPDX-License-Identifier: GPL-2.0
"""Cache lines and copies of an epoch, as selftests/vm/cache.c counts them.

An epoch is a call of a function of the kernel, as a rule a packet. Each case has a
short and a long run, and what an epoch takes is what the long one has more, over the
epochs that it has more: neither start nor end is in it.

usage: python3 -m ktput.compare.lines REPORTS KALLSYMS <CASES

Prints what an epoch of each case takes as JSON: see figures().
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..record import Json
from .functions import Symbols
from .kinds import UNKNOWN

Key = TypeVar("Key")

#: What a line of a report has behind its name or address.
COUNTS = ("instructions", "copy_instructions", "copied_bytes", "lines", "lines_read",
          "lines_written", "code_lines", "l1d_misses", "l1i_misses", "l2_misses",
          "copy_lines")
#: What a line of the report has of a line of the cache, behind its addresses.
LINE_COUNTS = ("lines", "lines_read", "lines_written", "code_lines")
KERNEL, USER = "kernel", "user"
#: Functions and kinds that are named.
TOP = 10


@dataclass
class Report:
    """What was between two marks.

    Counts of KERNEL, USER, and functions, by name; and of lines of the cache that the
    kernel used, by physical address.
    """

    epochs: int = 0
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter))
    lines: dict[int, Counter[str]] = field(default_factory=dict)


def read_report(path: Path, symbols: Symbols) -> Report:
    """Read a report of the plugin; raises OSError, and ValueError if it lacks lines."""
    found = Report()
    for text in path.read_text().splitlines():
        first, *rest = text.split()
        if first == "epochs":
            found.epochs = int(rest[0])
        elif first == "unknown" and int(rest[0]):
            raise ValueError(f"{path}: {rest[0]} accesses whose line is not known")
        elif first == "line":
            found.lines[int(rest[0], 16)] = Counter(
                dict(zip(LINE_COUNTS, map(int, rest[2:6]), strict=True)))
        if first in ("epochs", "device", "unknown", "line"):
            continue
        name = first if first in (KERNEL, USER) else symbols.of(int(first, 16))
        found.counts[name].update(dict(zip(COUNTS, map(int, rest), strict=True)))
    return found


def read_kinds(path: Path) -> dict[int, tuple[str, str]]:
    """Read the kinds of lines by physical address, each with its number; OSError."""
    found = {}
    for text in path.read_text().splitlines():
        physical, number, kind = text.split(maxsplit=2)
        found[int(physical, 16)] = kind, number
    return found


def per_epoch(short: Report, long: Report,
              kinds: Mapping[int, tuple[str, str]]) -> Json:
    """Return what an epoch takes: of the kernel, user space, by function and by kind.

    *places* are lines of data by kind and number, and lines of code by address. Raises
    ValueError if the long run has no more epochs than the short one.
    """
    epochs = long.epochs - short.epochs
    if epochs < 1:
        raise ValueError(f"{long.epochs} epochs in the long run, {short.epochs} in "
                         "the short one")

    def of(more: Counter[str], keys: Sequence[str]) -> Json:
        # Without the sign of a zero.
        return {f"{key}_per_epoch": round(more[key] / epochs, 2) + 0.0 for key in keys}

    def most_first(all_: Mapping[str, Json]) -> list[Json]:
        lines = {name: float(one["lines_per_epoch"]) for name, one in all_.items()}
        return [{"name": name, **all_[name]}
                for name in sorted(all_, key=lambda name: -lines[name])
                if any(all_[name].values())]

    found = {name: of(_more(short.counts, long.counts, name), COUNTS)
             for name in {**short.counts, **long.counts}}
    kernel, user = found.pop(KERNEL), found.pop(USER)
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    places: Counter[str] = Counter()
    for physical in {**short.lines, **long.lines}:
        more = _more(short.lines, long.lines, physical)
        kind, number = kinds.get(physical, (UNKNOWN, f"{physical:x}"))
        places[f"code {physical:x}"] += more.pop("code_lines", 0)
        places[f"{kind} {number}"] += more["lines"]
        by_kind[kind].update(more)
    return {"epochs": epochs, KERNEL: kernel, USER: user,
            "functions": most_first(found),
            "kinds": most_first({kind: of(more, LINE_COUNTS[:3])
                                 for kind, more in by_kind.items()}),
            "places": {place: round(count / epochs, 2)
                       for place, count in sorted(places.items())
                       if round(count / epochs, 2)}}


def _more(short: Mapping[Key, Counter[str]], long: Mapping[Key, Counter[str]],
          key: Key) -> Counter[str]:
    """Return what the long run has more."""
    more = Counter(long.get(key, Counter()))
    more.subtract(short.get(key, Counter()))
    return more


def figures(reports: str, cases: Sequence[str], kallsyms: Path) -> Json:
    """Return what an epoch of each case takes.

    *reports* is the path of the plugin's without number, and a case is "NAME REPORT
    REPORT", with the numbers of those of its short and its long run. Of those of one
    name the median by instructions counts: what else the kernel does at times adds to a
    long run, and in a short one it takes away. Raises OSError and ValueError.
    """
    symbols = Symbols(kallsyms)
    found: dict[str, list[Json]] = defaultdict(list)

    def instructions(one: Json) -> float:
        return sum(float(one[whose]["instructions_per_epoch"])
                   for whose in (KERNEL, USER))

    for case in cases:
        name, *numbers = case.split()
        short, long = (read_report(Path(f"{reports}.{number}"), symbols)
                       for number in numbers)
        kinds = read_kinds(Path(f"{reports}.{numbers[-1]}.kinds"))
        found[name].append(per_epoch(short, long, kinds))
    return {name: sorted(all_, key=instructions)[len(all_) // 2]
            for name, all_ in found.items()}


#: Columns of the table: title, and the keys of a sum and of what it is without.
COLUMNS = (("instr.", "instructions"),
           ("no copies", "instructions", "copy_instructions"),
           ("copied B", "copied_bytes"), ("lines", "lines"),
           ("no copies", "lines", "copy_lines"), ("written", "lines_written"),
           ("code", "code_lines"), ("L1d", "l1d_misses"), ("L1i", "l1i_misses"),
           ("L2", "l2_misses"))


def table(kernels: Mapping[str, Json]) -> Iterator[str]:
    """Yield a line for each path and kernel, in the order of the first kernel's paths.

    Where user space does something it has a line of its own.
    """
    paths = list(next(iter(kernels.values())))
    width = max(14, *(len(path) + 2 for path in paths))
    yield f"{'':{width}}{'':8}" + "".join(f"{title:>10}" for title, *_ in COLUMNS)
    for path in paths:
        for kernel, cases in kernels.items():
            for whose in (KERNEL, USER):
                found = cases[path][whose]
                if found["instructions_per_epoch"] < 1:
                    continue
                title = path if whose == KERNEL else "  user space"
                yield f"{title:{width}}{kernel:8}" + "".join(
                    f"{_cell(found, *keys):10,}" for _, *keys in COLUMNS)


def _cell(found: Json, key: str, less: str = "") -> int:
    """Return a figure, without another one if that is given."""
    value: float = found[f"{key}_per_epoch"]
    without: float = found[f"{less}_per_epoch"] if less else 0
    return round(value - without)


def first_touched(kernels: Mapping[str, Json], what: str) -> Iterator[str]:
    """Yield for each path and kernel the *functions* or *kinds* with most lines."""
    for path in next(iter(kernels.values())):
        for kernel, cases in kernels.items():
            yield f"{path}, {kernel}: {_named(_lines_of(cases[path], what))}"


def differences(kernels: Mapping[str, Json],
                pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield for pairs of paths what the first one has more, and what both have."""
    for path, other in pairs:
        for kernel, cases in kernels.items():
            one, two = cases[path], cases[other]
            yield (f"{path} and {other}, {kernel}: both touch "
                   f"{shared(one, two, code=False):,.0f} lines of data and "
                   f"{shared(one, two, code=True):,.0f} of code")
            for what in ("kinds", "functions"):
                more = Counter(_lines_of(one, what))
                more.subtract(_lines_of(two, what))
                yield f"{path} less {other}, {kernel}, {what}: {_named(more)}"


def shared(one: Json, two: Json, *, code: bool) -> float:
    """Return how many lines of data or code a packet of both paths touches.

    A line of data is the same if it has the same number in an object of its kind.
    """
    places: dict[str, float] = one["places"]
    others: dict[str, float] = two["places"]
    return sum(min(count, others.get(place, 0))
               for place, count in places.items()
               if place.startswith("code ") == code)


def _lines_of(case: Json, what: str) -> dict[str, float]:
    return {one["name"]: one["lines_per_epoch"] for one in case[what]}


def _named(lines: Mapping[str, float]) -> str:
    """Name what has most lines, and sum the rest; what is unknown comes last."""
    known = {name: count for name, count in lines.items()
             if not name.startswith(UNKNOWN)}
    most = sorted(known, key=lambda name: -abs(known[name]))[:TOP]
    rest = sum(count for name, count in known.items() if name not in most)
    parts = [f"{name} {round(known[name])}" for name in most if round(known[name])]
    parts += [f"others {round(rest)}"] if round(rest) else []
    unknown = round(sum(lines.values()) - sum(known.values()))
    parts += [f"{UNKNOWN} {unknown}"] if unknown else []
    return ", ".join(parts)


def main(words: Sequence[str]) -> int:
    """Print figures."""
    try:
        print(json.dumps(figures(words[0], sys.stdin.read().splitlines(),
                                 Path(words[1]))))
    except (OSError, ValueError) as error:
        print(f"lines: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
