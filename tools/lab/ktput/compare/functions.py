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
from .rows import FIGURES, Step

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


def of_step(reports: str, first: int, symbols: Symbols, step: Step) -> Json:
    """Return what QEMU counted a unit of each figure of a step: in all, by function.

    The mark *first* is before the first run, and one is behind each. As of ktput's
    count, the first run of a line does not count, and of the others the least does.
    *counted_long* is of a long run, with the start and end of ktput-ctl, *counted* of
    a long run beyond a short one. What user space executes is that of ktput-ctl,
    unless programs send.
    """
    def least(line: int) -> Counter[str]:
        behind = first + 1 + line * step.repeat
        found = [_counted(Path(f"{reports}.{behind + run}"), symbols)
                 for run in range(1, step.repeat)]
        for one in found:
            if not step.path.programs:
                del one[USER]
        return min(found, key=Counter.total)

    found: Json = {}
    for index, figure in enumerate(FIGURES):
        line = index * (1 + step.has_short)
        long = least(line + step.has_short)
        short_units, units = figure.units
        found[figure.key] = {
            "counted_long": long.total() / units,
            "functions": {name: count / units for name, count in long.most_common()
                          if count / units >= LEAST}}
        if step.has_short:
            found[figure.key]["counted"] = (long.total() - least(line).total()) / (
                units - short_units)
    return found
