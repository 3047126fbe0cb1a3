# SPDX-License-Identifier: GPL-2.0
"""Where a step's instructions are executed, as QEMU counts them, not ktput.

selftests/vm/functions.c counts blocks of instructions between marks. Names are those of
the guest's /proc/kallsyms.
"""

from bisect import bisect_right
from collections import Counter
from functools import cache
from pathlib import Path

from ..record import Json
from .rows import FIGURES

#: Addresses of the kernel begin here.
KERNEL = 0xffff800000000000
USER = "user space"
#: Instructions a unit below which a function is not kept.
LEAST = 0.5


class Symbols:
    """Names of addresses."""

    def __init__(self, kallsyms: Path) -> None:
        """Read what the guest has left; raises OSError."""
        found = []
        for line in kallsyms.read_text().splitlines():
            address, kind, name = line.split()[:3]
            if kind in "tTwW":
                found.append((int(address, 16), name))
        found.sort()
        self.addresses = [address for address, _ in found]
        self.names = [name for _, name in found]
        self.of = cache(self._of)

    def _of(self, address: int) -> str:
        if address < KERNEL:
            return USER
        index = bisect_right(self.addresses, address) - 1
        return self.names[index] if index >= 0 else hex(address)


def _counted(path: Path, symbols: Symbols) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in path.read_text().splitlines():
        address, count = line.split()
        found[symbols.of(int(address, 16))] += int(count)
    return found


def of_step(reports: str, first: int, symbols: Symbols, runs: int,
            has_short: bool) -> Json:
    """Return what QEMU counted a unit of each figure of a step: in all, by function.

    The mark *first* is before the first line of runs, and one is behind each. *long* is
    of a long line, with the start and end of ktput-ctl, *counted* of a long line beyond
    the short one.
    """
    found: Json = {}
    for index, figure in enumerate(FIGURES):
        mark = first + (index + 1) * (1 + has_short)
        long = _counted(Path(f"{reports}.{mark}"), symbols)
        short_units, units = figure.units
        found[figure.key] = {
            "counted_long": long.total() / (units * runs),
            "functions": {name: count / (units * runs)
                          for name, count in long.most_common()
                          if count / (units * runs) >= LEAST}}
        if has_short:
            less = _counted(Path(f"{reports}.{mark - 1}"), symbols).total()
            found[figure.key]["counted"] = (long.total() - less) / (
                (units - short_units) * runs)
    return found
