# SPDX-License-Identifier: GPL-2.0
"""scale.py: instructions of TCP over loopback, by the number of streams"""
import functools
import json
import time

import common

STREAMS = 1, 10, 100, 1000, 10000
SIZE = 16384
BYTES = 1 << 30         # of a run, some 100 KiB for each of the most streams


def transfer(streams):
    """Instructions a message and a KiB, from begin to end.

    Idle time is in them: of many streams some wait for timers, where TCP has
    no more memory (net.ipv4.tcp_mem).
    """
    run = json.loads(common.output(
        "ktput-ctl", "-j", "start", "size", str(SIZE), "streams", str(streams),
        "bytes", str(BYTES), "connect-timeout", "60s"
    ))["intervals"][-1]["source"]["run"]
    span_ns = run["ended_ns"] - run["begun_ns"]
    return span_ns / (BYTES / SIZE), span_ns / (BYTES / 1024)


def memory_kib():
    """What is in use, but for the page cache."""
    with open("/proc/meminfo", encoding="ascii") as file:
        lines = dict(line.split(":") for line in file)
    return -sum(int(lines[name].split()[0])
                for name in ("MemFree", "Cached", "Buffers"))


def life(streams):
    """Nanoseconds to start and to stop, and KiB of both ends between."""
    before = memory_kib()
    begin = time.monotonic_ns()
    common.output("ktput-ctl", "start", "streams", str(streams), "detach",
                  "mss", "1400", "sndbuf", "16K", "pace", "8kbit", "time",
                  "600s", "drain-timeout", "0", "connect-timeout", "60s")
    started = time.monotonic_ns()
    held = memory_kib()
    stop = time.monotonic_ns()
    common.output("ktput-ctl", "stop", "all", "forget")
    stopped = time.monotonic_ns()
    return {"streams": streams, "start_ns": started - begin,
            "stop_ns": stopped - stop, "memory_kib": held - before}


def lives():
    """Measure, print and return what streams take to start and to stop."""
    life(1)
    records = [life(streams) for streams in STREAMS]
    print("\nStreams over loopback, both ends: to start, to stop (idle "
          "included), to have\n"
          f"{'streams':>8}{'start, ms':>12}{'us each':>9}{'stop, ms':>12}"
          f"{'us each':>9}{'KiB each':>10}")
    for record in records:
        streams = record["streams"]
        print(f"{streams:8}{record['start_ns'] / 1e6:12.1f}"
              f"{record['start_ns'] / 1e3 / streams:9.1f}"
              f"{record['stop_ns'] / 1e6:12.1f}"
              f"{record['stop_ns'] / 1e3 / streams:9.1f}"
              f"{record['memory_kib'] / streams:10.1f}")
    return records


def bench(modules):
    """Measure, print and return the record."""
    cells = [common.Cell(f"{streams} streams" if streams > 1 else "1 stream",
                         functools.partial(transfer, streams),
                         "1 stream" if streams > 1 else None,
                         1.3 if streams == STREAMS[-1] else None)
             for streams in STREAMS]
    with common.Module(f"{modules}/ktput.ko"):
        common.measure(cells)
        records = common.report(
            "TCP over loopback, 16 KiB: instructions of both ends, and idle",
            ("a message", "a KiB"), cells)
        return {"scale": records, "scale_lives": lives()}
