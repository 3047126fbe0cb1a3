# SPDX-License-Identifier: GPL-2.0
"""queues.py: packets of two CPUs on a queue each, beside those of one

The guest's second CPU is online while this bench lasts. Both CPUs take turns at
being emulated, and the clock advances with the instructions of both: where a
packet costs what it does with one CPU, the same number takes the same time, and
two CPUs at once would take half of it.
"""
import functools
import os
import sys

import common
import frames
import udp

CPU = "/sys/devices/system/cpu/cpu1/online"
MOST_COST = 1.05
FRAMES = (
    ("dummy, one skb, burst 1", "dummy1", "driver", "reuse", "burst", "1"),
    ("dummy, one skb, burst 64", "dummy1", "driver", "reuse", "burst", "64"),
    ("dummy, driver, fresh", "dummy1", "driver"),
    ("dummy, queue, fresh", "dummy1", "queue"),
    ("veth, driver, fresh", "veth2", "driver"),
    ("veth, queue, fresh", "veth2", "queue"),
)


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
            udp.ktput, 64, "out", out, "streams", streams, "cpus", cpus,
            "sink-cpus", cpus) for streams, cpus in (("1", "0"), ("2", "0-1"))))
    return measured


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
    switch(1)
    with common.Module(f"{modules}/ktput.ko"):
        common.measure(measured)
        record = {"queues": common.report(
            "Two CPUs, a queue each: instructions of both", ("a packet",),
            measured)}
    switch(0)
    return record
