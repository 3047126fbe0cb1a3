# SPDX-License-Identifier: GPL-2.0
"""udp.py: instructions of UDP over loopback, ktput beside iperf3, both ends"""
import contextlib
import functools
import json
import subprocess
import sys
import time

import common

DATAGRAMS = 100000
SPAN = 1.0      # s of iperf3


BACKLOG = "/proc/sys/net/core/netdev_max_backlog"
REFUSED = "/sys/class/net/lo/statistics/rx_dropped"


@contextlib.contextmanager
def room():
    """Have a CPU's backlog take what loopback gives it.

    A thread may send for as long as ksoftirqd waits for its turn, and what is
    dropped has not cost what one datagram does.
    """
    def read(name):
        with open(name, encoding="ascii") as file:
            return int(file.read())

    def write(value):
        with open(BACKLOG, "w", encoding="ascii") as file:
            file.write(str(value))

    before, refused = read(BACKLOG), read(REFUSED)
    write(DATAGRAMS)
    try:
        yield
    finally:
        write(before)
    refused = read(REFUSED) - refused
    if refused:
        sys.exit(f"loopback dropped {refused} packets, which cost less than others")


def ktput(size, *words):
    """Instructions a datagram, from the begin of the run to its end."""
    document = json.loads(common.output(
        "ktput-ctl", "-j", "start", "udp", "size", str(size), "messages",
        str(DATAGRAMS), *words))
    run = document["intervals"][-1]["source"]["run"]
    return ((run["ended_ns"] - run["begun_ns"]) / DATAGRAMS,)


def iperf3(size):
    """The same of iperf3, which sends as fast as it can."""
    with subprocess.Popen(["iperf3", "-s", "-1"],
                          stdout=subprocess.DEVNULL) as server:
        while not common.output("ss", "-Htln", "sport = :5201"):
            time.sleep(0.05)
        document = json.loads(common.output(
            "iperf3", "-J", "-u", "-b", "0", "-c", "127.0.0.1", "-l", str(size),
            "-t", str(SPAN)))
        server.wait()
    total = document["end"]["sum"]
    return (total["seconds"] * 1e9 / total["packets"],)


def cells():
    """What is measured."""
    measured = []
    for size in (64, 1448):
        peer = f"iperf3 -u {size} B"
        measured.append(common.Cell(peer, functools.partial(iperf3, size)))
        for out in ("copy", "direct"):
            measured.append(common.Cell(
                f"{out} out, in softirq, {size} B",
                functools.partial(ktput, size, "method", out), peer, 1 / 4))
    measured.append(common.Cell(
        "copy out, 44 segments, 1448 B",
        functools.partial(ktput, 1448, "method", "copy", "segments", "44"),
        "iperf3 -u 1448 B", 1 / 10))
    return measured


def bench(modules):
    """Measure, print and return the record."""
    measured = cells()
    with room(), common.Module(f"{modules}/ktput.ko"):
        common.measure(measured)
    return {"udp": common.report("UDP over loopback: instructions of both ends",
                                 ("a datagram",), measured)}
