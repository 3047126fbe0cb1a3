# SPDX-License-Identifier: GPL-2.0
"""scale.py: instructions of TCP over loopback, by the number of streams"""
import functools
import os
import struct
import sys
import time

import common

sys.path.insert(0, os.environ["TOP"] + "/selftests/lib")
import genl  # noqa: E402, from the path above
import graph  # noqa: E402
from ktput import Client  # noqa: E402

STREAMS = 1, 10, 100, 1000, 10000
SIZE = 16384
BYTES = 1 << 30         # measured, at the least
# Before: a stream's window and congestion window open, the first round trips
# tell TCP how long a round of so many streams takes.
WARM_UP = 1 << 26
WARM_UP_STREAM = 1 << 19
# In pages: no bound. What the kernel sets for the machine is exceeded by ten
# thousand streams, which then wait for timers.
TCP_MEM = "/proc/sys/net/ipv4/tcp_mem"
PLENTY = "100000000 100000000 100000000"
DELIVERED = "/sys/class/net/lo/statistics/rx_bytes"
MOST_COST, MOST_TIME = 1.3, 1.5
# A poll that wants no streams, of many and of one; the instructions that a snapshot
# of all has interrupts off for.
MOST_POLL, MOST_OFF = 1.03, 20000
NUMBER = genl.constants(os.environ["TOP"] + "/kmod/uapi/linux/ktput.h")


class Memory:
    """Memory that TCP may have, while the context lasts."""

    def __enter__(self):
        with open(TCP_MEM, encoding="ascii") as file:
            self.before = file.read()
        self.write(PLENTY)

    def __exit__(self, *unused):
        self.write(self.before)

    @staticmethod
    def write(pages):
        """Set what it may have."""
        with open(TCP_MEM, "w", encoding="ascii") as file:
            file.write(pages)


def delivered():
    """Bytes that loopback has delivered."""
    with open(DELIVERED, encoding="ascii") as file:
        return int(file.read())


def start(client, streams, **config):
    """Start both ends, and return them, source first."""
    both = {"transport": "tcp", "cookie": None, "drain_timeout": 0,
            "streams": streams, "size": SIZE}
    sink = client.start("sink", method="zerocopy", **both)
    return client.start("source", remote="127.0.0.1",
                        remote_port=sink["local-port"], method="zerocopy",
                        connect_timeout=60 * 10 ** 9, **config, **both), sink


def stop(client, runs):
    """Stop both ends and forget them, which returns when all is done."""
    client.forget([run["id"] for run in runs])


def came_to(client, sink, more):
    """What a sink has received and all has cost, MORE bytes later."""
    least = delivered() + more
    # Not by snapshots: to read one of ten thousand streams takes the CPU as
    # long as they take for a gigabyte.
    while delivered() < least:
        time.sleep(0.1)
    cpus = client.snapshot(sink, without=["stream"]).cpus
    # All but the reader in user space, and idle time.
    return (sum(cpu["counters"]["bytes"] for cpu in cpus),
            sum(count for cpu in cpus
                for name, count in cpu["contexts"].items()
                if name not in ("user", "idle")))


def transfer(client, streams):
    """Instructions a message and a KiB, of streams that go on."""
    runs = start(client, streams)
    begin, spent = came_to(client, runs[1],
                           WARM_UP + WARM_UP_STREAM * streams)
    end, spent_then = came_to(client, runs[1], BYTES)
    stop(client, runs)
    return tuple((spent_then - spent) * unit / (end - begin)
                 for unit in (SIZE, 1024))


def memory_kib():
    """Memory in use, without the page cache."""
    with open("/proc/meminfo", encoding="ascii") as file:
        lines = dict(line.split(":") for line in file)
    return -sum(int(lines[name].split()[0])
                for name in ("MemFree", "Cached", "Buffers"))


def life(client, streams):
    """Nanoseconds to start and to stop, and KiB of both ends between.

    In this process: to load a program is idle time, through which the clock
    leaps. In between each stream has moved a message, as an average.
    """
    quiet = delivered()
    before = memory_kib()
    begin = time.monotonic_ns()
    runs = start(client, streams, mss=1400, sndbuf=16384,
                 pace=1000)
    started = time.monotonic_ns()
    while delivered() - quiet < streams * SIZE:
        time.sleep(0.1)
    held = memory_kib()
    begin_stop = time.monotonic_ns()
    stop(client, runs)
    stopped = time.monotonic_ns()
    return {"streams": streams, "start_ns": started - begin,
            "stop_ns": stopped - begin_stop, "memory_kib": held - before}


def lives(client):
    """Measure, print and return what streams take to start and to stop."""
    life(client, 1)
    records = [life(client, streams) for streams in STREAMS]
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
    fewer, more = records[-2:]
    for what in "start", "stop":
        ratio = (more[f"{what}_ns"] / more["streams"] /
                 (fewer[f"{what}_ns"] / fewer["streams"]))
        print(f"To {what} one of {more['streams']}, to one of "
              f"{fewer['streams']}: {ratio:.3f} "
              f"{common.verdict(ratio, MOST_TIME)}")
    return records


def poll(run, parts):
    """Instructions to read a snapshot to its end."""
    netlink = genl.Netlink()
    family = netlink.family("ktput")
    payload = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                             struct.pack("=I", run["id"])) + \
        genl.attribute(NUMBER["A_MESSAGE_PARTS"], struct.pack("=I", parts))
    begin = time.monotonic_ns()
    error = netlink.call(family, NUMBER["CMD_COUNTERS_GET"], payload,
                         genl.NLM_F_DUMP | genl.NLM_F_ACK)[0]
    took = time.monotonic_ns() - begin
    assert not error, os.strerror(error)
    netlink.socket.close()
    return took


def polls(client):
    """What it costs to read a run, and those on its CPU."""
    runs = {streams: client.start("sink", streams=streams, local_port=1000 + streams)
            for streams in (STREAMS[0], STREAMS[-1])}
    sums, streams = NUMBER["PART_CONTEXTS"], NUMBER["PART_STREAMS"]
    few, many = (min(poll(run, sums) for _ in range(20))
                 for run in runs.values())
    print(f"\nA poll without streams: {few} instructions of one stream,\n  {many} "
          f"of {STREAMS[-1]}: {many / few:.3f} "
          f"{common.verdict(many / few, MOST_POLL)}")
    run = runs[STREAMS[-1]]
    whole = poll(run, sums | streams)
    off = max(graph.durations(["read_cpu"], lambda: poll(run, sums | streams))
              ["read_cpu"])
    print(f"A snapshot of {STREAMS[-1]} streams: {whole} instructions,\n  {off} of "
          "them with interrupts off at a time "
          f"{common.verdict(off, MOST_OFF)}")
    client.forget([run["id"] for run in runs.values()])
    return {"poll_instructions": {"1": few, str(STREAMS[-1]): many},
            "snapshot_instructions": whole, "interrupts_off_instructions": off}


def bench(modules):
    """Measure, print and return the record."""
    with common.Module(f"{modules}/ktput.ko"), Memory():
        client = Client()
        cells = [common.Cell(f"{streams} streams" if streams > 1 else
                             "1 stream",
                             functools.partial(transfer, client, streams),
                             "1 stream" if streams > 1 else None,
                             MOST_COST if streams == STREAMS[-1] else None)
                 for streams in STREAMS]
        common.measure(cells)
        records = common.report(
            "TCP over loopback, 16 KiB: instructions of both ends",
            ("a message", "a KiB"), cells)
        record = {"scale": records, "scale_lives": lives(client),
                  "scale_polls": polls(client)}
        client.close()
        return record
