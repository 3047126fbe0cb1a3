# SPDX-License-Identifier: GPL-2.0
"""tcp.py: instructions of TCP over loopback, ktput beside iperf3, both ends"""
import functools
import json
import subprocess
import time

import common

WARM_UP = 0.5           # s, until buffers and windows have grown
SPAN = 1.0              # s measured
COUNT_BYTES = 256 << 20  # of a run that is measured from begin to end


def ktput(size, *words):
    """Instructions a message and a KiB of a run in steady state."""
    result = json.loads(common.output(
        "ktput-ctl", "-j", "start", "size", str(size), "time",
        f"{WARM_UP + SPAN}s", "warmup", f"{WARM_UP}s", *words))["result"]
    return (result["span_ns"] / result["messages"],
            result["span_ns"] / (result["bytes"] / 1024))


def iperf3(size, *words):
    """The same of iperf3, whose ends are two processes."""
    with subprocess.Popen(["iperf3", "-s", "-1"],
                          stdout=subprocess.DEVNULL) as server:
        while not common.output("ss", "-Htln", "sport = :5201"):
            time.sleep(0.05)
        document = json.loads(common.output(
            "iperf3", "-J", "-c", "127.0.0.1", "-l", str(size), "-t", str(SPAN),
            "-O", str(WARM_UP), *words))
        server.wait()
    received = document["end"]["sum_received"]
    span_ns = received["seconds"] * 1e9
    return (span_ns / (received["bytes"] / size),
            span_ns / (received["bytes"] / 1024))


def cells():
    """What is measured."""
    def cell(name, function, *words, peer=None, target=None):
        return common.Cell(name, functools.partial(function, *words), peer,
                           target)

    large, small = "iperf3 128 KiB", "iperf3 64 B"
    return (
        cell(large, iperf3, 131072),
        cell("iperf3 -Z 128 KiB", iperf3, 131072, "-Z"),
        cell(small, iperf3, 64),
        cell("copy out, copy in, 128 KiB", ktput, 131072,
             "method", "copy", "sink-method", "copy", peer=large),
        cell("copy out, read_sock in, 128 KiB", ktput, 131072,
             "method", "copy", "sink-method", "zerocopy", peer=large),
        cell("pages out, MSG_TRUNC in, 128 KiB", ktput, 131072,
             "method", "zerocopy", "sink-method", "trunc", peer=large),
        cell("pages out, read_sock in, 128 KiB", ktput, 131072,
             "method", "zerocopy", "sink-method", "zerocopy", peer=large, target=1 / 3),
        cell("copy out, copy in, 64 B", ktput, 64,
             "method", "copy", "sink-method", "copy", peer=small),
        cell("pages out, read_sock in, 64 B", ktput, 64,
             "method", "zerocopy", "sink-method", "zerocopy", peer=small, target=1 / 5),
    )


def from_begin_to_end():
    """Nanoseconds a KiB that the kernel took for a run of COUNT_BYTES."""
    document = json.loads(common.output(
        "ktput-ctl", "-j", "start", "bytes", str(COUNT_BYTES), "method",
        "zerocopy", "sink-method", "zerocopy", status=(0, 1)))
    run = document["intervals"][-1]["source"]["run"]
    return (run["ended_ns"] - run["begun_ns"]) / (COUNT_BYTES / 1024)


def bench(modules):
    """Measure, print and return the record."""
    measured = cells()
    with common.Module(f"{modules}/ktput.ko"):
        common.measure(measured)
    records = common.report("TCP over loopback: instructions of both ends",
                            ("a message", "a KiB"), measured)
    print()
    return {"tcp": records, "tcp_counting": [common.counting(
        modules, "pages out, read_sock in, 128 KiB", "KiB", from_begin_to_end,
        0.01)]}
