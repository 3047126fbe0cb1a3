# SPDX-License-Identifier: GPL-2.0
"""Cache lines and copies of an epoch, as selftests/vm/cache.c counts them.

An epoch is a call of a function of the kernel, as a rule a packet. Each case has a
short and a long run, and what an epoch takes is what the long one has more, over the
epochs that it has more: neither start nor end is in it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..record import Json
from .functions import Symbols

#: What a line of a report has behind its name or address.
COUNTS = ("instructions", "copy_instructions", "copied_bytes", "lines", "lines_read",
          "lines_written", "code_lines", "l1d_misses", "l1i_misses", "l2_misses",
          "copy_lines")
KERNEL, USER = "kernel", "user"
#: Functions that are named.
TOP = 10


@dataclass
class Report:
    """What was between two marks: counts of KERNEL, USER, and functions, by name."""

    epochs: int = 0
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter))


def read_report(path: Path, symbols: Symbols) -> Report:
    """Read a report of the plugin; raises OSError, and ValueError if it lacks lines."""
    found = Report()
    for text in path.read_text().splitlines():
        first, *rest = text.split()
        if first == "epochs":
            found.epochs = int(rest[0])
        elif first == "unknown" and int(rest[0]):
            raise ValueError(f"{path}: {rest[0]} accesses whose line is not known")
        if first in ("epochs", "device", "unknown"):
            continue
        name = first if first in (KERNEL, USER) else symbols.of(int(first, 16))
        found.counts[name].update(dict(zip(COUNTS, map(int, rest), strict=True)))
    return found


def per_epoch(short: Report, long: Report) -> Json:
    """Return what an epoch takes: of the kernel, of user space, and by function.

    Raises ValueError if the long run has no more epochs than the short one.
    """
    epochs = long.epochs - short.epochs
    if epochs < 1:
        raise ValueError(f"{long.epochs} epochs in the long run, {short.epochs} in "
                         "the short one")
    found = {}
    for name in {**short.counts, **long.counts}:
        more = Counter(long.counts[name])
        more.subtract(short.counts[name])
        # Without the sign of a zero.
        found[name] = {f"{key}_per_epoch": round(more[key] / epochs, 2) + 0.0
                       for key in COUNTS}
    kernel, user = found.pop(KERNEL), found.pop(USER)
    most = sorted(found, key=lambda name: -found[name]["lines_per_epoch"])[:TOP]
    return {"epochs": epochs, KERNEL: kernel, USER: user,
            "functions": [{"name": name, **found[name]} for name in most]}


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
        found[name].append(per_epoch(short, long))
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
    yield f"{'':14}{'':8}" + "".join(f"{title:>10}" for title, *_ in COLUMNS)
    for path in paths:
        for kernel, cases in kernels.items():
            for whose in (KERNEL, USER):
                found = cases[path][whose]
                if found["instructions_per_epoch"] < 1:
                    continue
                title = path if whose == KERNEL else "  user space"
                yield f"{title:14}{kernel:8}" + "".join(
                    f"{_cell(found, *keys):10,}" for _, *keys in COLUMNS)


def _cell(found: Json, key: str, less: str = "") -> int:
    """Return a figure, without another one if that is given."""
    value: float = found[f"{key}_per_epoch"]
    without: float = found[f"{less}_per_epoch"] if less else 0
    return round(value - without)


def first_touched(kernels: Mapping[str, Json]) -> Iterator[str]:
    """Yield for each path and kernel the functions that touch most lines first."""
    for path in next(iter(kernels.values())):
        for kernel, cases in kernels.items():
            named = (f"{one['name']} {one['lines_per_epoch']:.0f}"
                     for one in cases[path]["functions"])
            yield f"{path}, {kernel}: {', '.join(named)}"
