# SPDX-License-Identifier: GPL-2.0
"""pace.py: how far paced packets are from where their rate has them

Packets go over a veth pair. A packet socket on its other end notes when each has
come; it is read after the run, so that it takes no time meanwhile. The clock
advances a nanosecond with each instruction of a machine that has one CPU, and
nothing to do but to send, and to run ktput-ctl.
"""
import json
import socket
import statistics
import struct

import common

SO_TIMESTAMPNS = 35
SO_RCVBUFFORCE = 33
ETH_P_ALL = 3
PACKETS = 1000  # which all fit into a source's buffers, for the tap keeps them
CASES = (
    ("UDP socket, 1000 packets/s", 1e3, ("rate", "1kpps")),
    ("UDP socket, 20000 packets/s", 2e4, ("rate", "20kpps")),
    ("UDP socket, 100 Mb/s of payload", 1e8 / 8 / 1000,
     ("rate", "100mbit")),
    ("driver, 1000 packets/s", 1e3,
     ("layer", "driver", "rate", "1kpps")),
    ("driver, 100000 packets/s", 1e5,
     ("layer", "driver", "rate", "100kpps")),
)


def times(*words):
    """When each packet passed, in seconds."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as tap:
        tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
        tap.bind(("pace1", ETH_P_ALL))
        tap.setblocking(False)
        document = json.loads(common.output(
            "ktput-ctl", "-j", "start", "udp", "alone", "to", "198.18.3.2",
            "port", "9", "size", "1000", "messages", str(PACKETS), *words))
        assert document["result"]["packets"] == PACKETS
        passed = []
        while True:
            try:
                data, messages, _, _ = tap.recvmsg(64, 64)
            except BlockingIOError:
                break
            if data[12:14] != b"\x08\x00":
                continue
            for _, kind, stamp in messages:
                if kind == SO_TIMESTAMPNS:
                    seconds, ns = struct.unpack("@qq", stamp)
                    passed.append(seconds * 10**9 + ns)
    assert len(passed) == PACKETS, len(passed)
    return passed


def case(name, packets_per_s, words):
    """A line of the table, and its record."""
    passed = times(*words)
    gap = 1e9 / packets_per_s
    mean = (passed[-1] - passed[0]) / (PACKETS - 1)
    off = sorted(abs(b - a - gap) for a, b in zip(passed, passed[1:]))
    figures = {
        "name": name, "packets": PACKETS, "gap_ns": gap,
        "mean_error_share": mean / gap - 1,
        "median_deviation_ns": statistics.median(off),
        "p99_deviation_ns": off[len(off) * 99 // 100],
        "max_deviation_ns": off[-1],
    }
    print(f"{name:36}{gap / 1e3:10.2f}{mean / gap - 1:12.4%}"
          f"{figures['median_deviation_ns'] / 1e3:10.2f}"
          f"{figures['p99_deviation_ns'] / 1e3:10.2f}{off[-1] / 1e3:10.2f}")
    return figures


def bench(modules):
    """Measure, print and return the record."""
    common.output("ip", "link", "add", "pace0", "type", "veth", "peer", "name",
                  "pace1")
    common.output("ip", "addr", "add", "198.18.3.1/24", "dev", "pace0")
    for device in ("pace0", "pace1"):
        common.output("ip", "link", "set", device, "up")
    common.output("ip", "neigh", "replace", "198.18.3.2", "lladdr",
                  "02:00:00:00:00:99", "dev", "pace0")
    print("\nPacing: microseconds between packets")
    print(f"{'':36}{'asked':>10}{'mean error':>12}{'median':>10}"
          f"{'99 %':>10}{'most off':>10}")
    with common.Module(f"{modules}/ktput.ko"):
        return {"pace": [case(name, rate, words)
                         for name, rate, words in CASES]}
