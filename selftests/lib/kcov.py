#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Which code of the module a task reaches, as the kernel's KCOV records it.

usage: kcov.py KTPUT_KO REACHED...

Lists the functions of KTPUT_KO in the order of its text, each with how many of
its points the files REACHED name, and how many it has. A point is a basic block
with a call of KCOV. A file names one a line, for "addr2line -j .text" too. What
runs in other tasks and in softirq is not recorded, and counts as not reached.

exit: 0
"""

import bisect
import collections
import ctypes
import fcntl
import mmap
import os
import re
import subprocess
import sys

DEVICE = "/sys/kernel/debug/kcov"
TEXT = "/sys/module/ktput/sections/.text"
# Of the kernel's <uapi/linux/kcov.h>, on 64 bits.
KCOV_INIT_TRACE, KCOV_ENABLE, KCOV_TRACE_PC = 0x80086301, 0x6364, 0
# Words of the record; what comes once it is full is lost.
WORDS = 1 << 18
# From the relocation of a call to where it returns, which is what is recorded.
RETURN = 4


def mapped(device):
    """The record. Python's own mmap() refuses files of size 0, as this one."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                          ctypes.c_int, ctypes.c_int, ctypes.c_long)
    address = libc.mmap(None, WORDS * 8, mmap.PROT_READ | mmap.PROT_WRITE,
                        mmap.MAP_SHARED, device, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap of " + DEVICE)
    return (ctypes.c_uint64 * WORDS).from_address(address)


class Coverage:
    """What the task that makes it reaches; nothing where there is no KCOV."""

    def __init__(self):
        self.reached = set()
        self.record = None
        if not self.possible():
            return
        device = os.open(DEVICE, os.O_RDWR)
        fcntl.ioctl(device, KCOV_INIT_TRACE, WORDS)
        self.record = memoryview(mapped(device)).cast("B").cast("Q")
        fcntl.ioctl(device, KCOV_ENABLE, KCOV_TRACE_PC)

    @staticmethod
    def possible():
        """Whether the kernel has it."""
        return os.path.exists(DEVICE)

    def take(self):
        """How many addresses were reached since the last time, never before."""
        if self.record is None:
            return 0
        before = len(self.reached)
        self.reached.update(self.record[1:self.record[0] + 1])
        self.record[0] = 0
        return len(self.reached) - before


def offsets(addresses):
    """Addresses of the loaded module, counted from where its text begins."""
    with open(TEXT, encoding="ascii") as file:
        base = int(file.read(), 16)
    return {address - base for address in addresses}


def objdump(option, module, pattern):
    """What the lines about the text have that match."""
    text = subprocess.run(["objdump", option, "-j", ".text", module],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(pattern, text, re.M)


def points(module):
    """All that there are in a module, as offsets."""
    return {int(offset, 16) + RETURN for offset in
            objdump("-r", module, r"^(\w+) .* __sanitizer_cov_trace_pc\b")}


def main():
    """List the functions."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    module, *files = sys.argv[1:]
    reached = set()
    for name in files:
        with open(name, encoding="ascii") as file:
            reached |= {int(line, 16) for line in file}
    functions = sorted((int(start, 16), name) for start, name in objdump(
        "-t", module, r"^(\w+) .* F \.text\s+\w+ (?:\.hidden )?(\S+)$"))
    starts = [start for start, _ in functions]
    counts = collections.defaultdict(lambda: [0, 0])
    for point in points(module):
        count = counts[functions[bisect.bisect(starts, point) - 1]]
        count[0] += point in reached
        count[1] += 1
    for (_, name), count in sorted(counts.items()):
        print(f"{count[0]:4} of {count[1]:4}  {name}")


if __name__ == "__main__":
    main()
