# SPDX-License-Identifier: GPL-2.0
"""queues.py: packets of two CPUs on a queue each, beside those of one

The guest's second CPU is online while this bench lasts. Both CPUs take turns at
being emulated, and the clock advances with the instructions of both: where a
packet costs what it does with one CPU, the same number takes the same time, and
two CPUs at once would take half of it.

A wait for a cache line is no instruction. So QEMU counts as well, where
selftests/vm/run was told to (--lines): the instructions of the second CPU, which
has its queue and hardly anything else to do, and how often lines that both CPUs
use, and one of them writes, would go from one to the other. What a process of
user space does in the meantime is in it.
"""
import bisect
import ctypes
import functools
import mmap
import os
import sys

import common
import frames
import udp

CPU = "/sys/devices/system/cpu/cpu1/online"
LINES = os.environ.get("KTPUT_LINES")
LINES_PAGE, BEGIN, END = 0x4b5450550000, 8, 16  # see selftests/vm/lines.c
MAP_FIXED = 0x10
IMAGE = 0xffffffff80000000      # and modules: what has a symbol, without KASLR
MOST_COST, MOST_USES = 1.05, 0.05
FRAMES = (
    ("dummy, one skb, burst 1", "dummy1", "driver", "reuse", "burst", "1"),
    ("dummy, one skb, burst 64", "dummy1", "driver", "reuse", "burst", "64"),
    ("dummy, driver, fresh", "dummy1", "driver"),
    ("dummy, queue, fresh", "dummy1", "queue"),
    ("veth, driver, fresh", "veth2", "driver"),
    ("veth, queue, fresh", "veth2", "queue"),
)


class Lines:
    """What QEMU counted in one measurement."""

    reports = 0
    symbols = []

    @staticmethod
    def tell(what):
        """Tell QEMU, by writing where it watches."""
        ctypes.c_uint64.from_address(LINES_PAGE + what).value = 1

    @classmethod
    def map(cls):
        """Have a page where QEMU watches."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                              ctypes.c_int, ctypes.c_int, ctypes.c_long]
        if libc.mmap(LINES_PAGE, mmap.PAGESIZE,
                     mmap.PROT_READ | mmap.PROT_WRITE,
                     mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, -1,
                     0) != LINES_PAGE:
            sys.exit("there is no room for the page that QEMU watches")
        with open("/proc/kallsyms", encoding="ascii") as file:
            cls.symbols = sorted((int(line.split()[0], 16), line.split()[2])
                                 for line in file)

    @classmethod
    def name(cls, address):
        """The function or object that an address is in."""
        if address < IMAGE:
            return "allocated" if address else "-"
        index = bisect.bisect(cls.symbols, (address, "~")) - 1
        return cls.symbols[index][1]

    def __init__(self, measure):
        self.tell(BEGIN)
        self.sample = measure()
        self.tell(END)
        path = f"{LINES}.{Lines.reports}"
        Lines.reports += 1
        with open(path, encoding="ascii") as file:
            counts, *rows = (line.split() for line in file)
        if len(counts) != 2:
            sys.exit(f"{path}: {' '.join(counts)}")
        self.instructions = [int(count) for count in counts]
        self.shared = [(int(uses), *(self.name(int(at, 16)) for at in rest))
                       for uses, *rest in rows]


def cells():
    """What is measured."""
    measured = []

    def pair(name, one, two):
        """One CPU, and two beside it."""
        measured.append(common.Cell(f"{name}, 1 CPU", one))
        measured.append(common.Cell(f"{name}, 2 CPUs", two, f"{name}, 1 CPU",
                                    MOST_COST))

    for name, device, *words in FRAMES:
        pair(name, *(functools.partial(
            frames.ktput, device, 60, "queues", cpus, "cpus", cpus, "layer",
            *words) for cpus in ("0", "0-1")))
    for out in ("copy", "direct"):
        pair(f"lo, socket, {out}", *(functools.partial(
            udp.ktput, 64, "method", out, "streams", streams, "cpus", cpus,
            "sink-cpus", cpus) for streams, cpus in (("1", "0"), ("2", "0-1"))))
    return measured


def lines_of(measured):
    """Measure what two CPUs do once more, print what QEMU counts and return it."""
    records = []
    print("\nThe second of two CPUs: instructions per packet of its own, with all "
          "else that it\nexecutes; uses a packet of the line that both use most")
    for cell in measured:
        if not cell.peer:
            continue
        lines = Lines(cell.measure)
        packets = (udp.DATAGRAMS if "socket" in cell.name else frames.FRAMES) / 2
        own = lines.instructions[1] / packets
        shared = [(uses / packets, *by) for uses, *by in lines.shared]
        most = shared[0][0] if shared else 0
        target = MOST_USES if "dummy" in cell.name else None
        print(f"{cell.name:36}{own:10.1f}{most:9.4f} "
              f"{common.verdict(most, target)}".rstrip())
        for uses, where, *by in shared:
            if uses > MOST_USES:
                print(f"  {uses:.3f} {where}: {', '.join(sorted(set(by)))}")
        records.append({
            "name": cell.name, "packets_per_cpu": packets,
            "instructions": lines.instructions,
            "target_uses_per_packet": target,
            "shared": [dict(zip(("uses_per_packet", "object", "by", "and_by"), line))
                       for line in shared]})
    return records


def switch(online):
    """Bring the second CPU online, or take it off."""
    with open(CPU, "w", encoding="ascii") as control:
        control.write(str(online))


def bench(modules):
    """Measure, print and return the record."""
    if os.environ.get("KTPUT_ICOUNT") != "1" or not os.path.exists(CPU):
        sys.exit("queues: no second CPU whose instructions are counted")
    common.output("modprobe", "-a", "dummy", "veth")
    for words in ("dummy1 numtxqueues 2 type dummy",
                  "veth2 numtxqueues 2 numrxqueues 2 type veth peer name veth3 "
                  "numtxqueues 2 numrxqueues 2"):
        common.output("ip", "link", "add", *words.split())
    for device in ("dummy1", "veth2", "veth3"):
        common.output("ip", "link", "set", device, "up")
    measured = cells()
    # What the second CPU executes is its queue's; this is not.
    os.sched_setaffinity(0, {0})
    switch(1)
    with udp.room(), common.Module(f"{modules}/ktput.ko"):
        common.measure(measured)
        record = {"queues": common.report(
            "Two CPUs, a queue each: instructions of both", ("a packet",),
            measured)}
        if LINES:
            Lines.map()
            record["queues_lines"] = lines_of(measured)
    switch(0)
    return record
