#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""path.py NETNS1 NETNS2 [WORD=VALUE]...: a path between two network namespaces.

Each namespace has a device path0 (10.7.0.1 and 10.7.0.2), and what one sends the other
receives. What is between them is a bridge with netem, in a namespace of this process; or,
where the kernel has no netem and for mark=, this program, which is late where CPUs are
full. In words of tc-netem(8), for what NETNS1 sends, but delay, which is of either way:

    delay=MS rate=MBIT limit=PACKETS mark=PACKETS loss=PERCENT corrupt=PERCENT
    reorder=PERCENT

From so many packets on mark= sets CE on those that are ECN-capable. reorder= sends that
share of the packets at once, before those that are delayed.
"""

import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from testbed import CLONE_NEWNET, inside, unshare

TUNSETIFF = 0x400454ca
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
IP_HEADER = 20
CE = 3


def ip(*words: str) -> None:
    """Run ip(8)."""
    subprocess.run(["ip", *words], check=True)


def device(netns: str, address: str) -> int:
    """Make path0 there, and give what reads what it sends."""
    with inside(netns):
        tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"path0",
                                                IFF_TUN | IFF_NO_PI))
        ip("addr", "add", f"{address}/24", "dev", "path0")
        ip("link", "set", "path0", "up", "txqueuelen", "10000")
    return tun


def marked(packet: bytes) -> bytes:
    """The IPv4 packet with CE, if its sender can be told so."""
    if packet[0] >> 4 != 4 or not packet[1] & CE:
        return packet
    head = bytearray(packet[:IP_HEADER])
    head[1] |= CE
    head[10:12] = b"\0\0"
    total = sum(struct.unpack("!10H", head))
    total = (total & 0xffff) + (total >> 16)
    head[10:12] = struct.pack("!H", ~(total + (total >> 16)) & 0xffff)
    return bytes(head) + packet[IP_HEADER:]


class Way:
    """One direction: packets wait for the rate, and then for the delay."""

    def __init__(self, source: int, to: int, words: dict[str, float]) -> None:
        """Take what leaves source to the other device."""
        self.source, self.to = source, to
        self.delay = words.get("delay", 0) / 1e3
        self.per_byte = 8 / (words["rate"] * 1e6) if "rate" in words else 0.0
        self.limit = int(words.get("limit", 1000))
        self.mark = int(words.get("mark", 1 << 30))
        self.loss, self.corrupt, self.reorder = (
            words.get(word, 0) / 100 for word in ("loss", "corrupt", "reorder"))
        self.random = random.Random(1)
        self.heap: list[tuple[float, int, bytes]] = []
        self.departures: list[float] = []
        self.free_at = 0.0
        self.number = 0

    def take(self, now: float) -> None:
        """Queue what has come, or drop it."""
        for _ in range(64):
            try:
                packet = os.read(self.source, 65536)
            except BlockingIOError:
                return
            while self.departures and self.departures[0] <= now:
                self.departures.pop(0)
            if len(self.departures) >= self.limit or self.random.random() < self.loss:
                continue
            if len(self.departures) >= self.mark:
                packet = marked(packet)
            if self.random.random() < self.corrupt and len(packet) > 100:
                packet = packet[:-9] + bytes([packet[-9] ^ 255]) + packet[-8:]
            self.free_at = max(self.free_at, now) + self.per_byte * len(packet)
            if self.per_byte:
                self.departures.append(self.free_at)
            at = now if self.random.random() < self.reorder else self.free_at + self.delay
            self.number += 1
            heapq.heappush(self.heap, (at, self.number, packet))

    def give(self, now: float) -> None:
        """Send what is due."""
        while self.heap and self.heap[0][0] <= now:
            packet = heapq.heappop(self.heap)[2]
            try:
                os.write(self.to, packet)
            except OSError:
                return


def has_netem() -> bool:
    """Whether the kernel has it, in the namespace of this process."""
    return not subprocess.run(["tc", "qdisc", "add", "dev", "lo", "root", "netem"],
                              check=False, stderr=subprocess.DEVNULL).returncode


def bridge(names: list[str], words: dict[str, float]) -> None:
    """Have the kernel forward, until this process ends."""
    units = {"delay": "ms", "rate": "mbit", "limit": "", "loss": "%", "corrupt": "%",
             "reorder": "%"}
    ip("link", "add", "between", "up", "type", "bridge")
    for number, name in enumerate(names):
        ip("link", "add", f"end{number}", "type", "veth", "peer", "name", "path0", "netns", name)
        ip("link", "set", f"end{number}", "master", "between", "up", "mtu", "9000")
        ip("-n", name, "addr", "add", f"10.7.0.{number + 1}/24", "dev", "path0")
        # Packets as a wire has them: it is these that are lost, delayed and counted.
        subprocess.run(["ip", "netns", "exec", name, "ethtool", "-K", "path0", "tso", "off",
                        "gso", "off"], check=True, stdout=subprocess.DEVNULL)
        ip("-n", name, "link", "set", "path0", "up")
        netem = [part for key, unit in units.items() if key in words and
                 (number or key == "delay") for part in (key, f"{words[key]:g}{unit}")]
        if netem:
            subprocess.run(["tc", "qdisc", "add", "dev", f"end{number}", "root", "netem",
                            *netem], check=True)


def main() -> None:
    """Forward until killed."""
    names, words = sys.argv[1:3], {
        key: float(value) for key, value in (word.split("=") for word in sys.argv[3:])}
    unshare(CLONE_NEWNET)
    if "mark" not in words and has_netem():
        bridge(names, words)
        print("ready", flush=True)
        signal.pause()
    ends = [device(name, f"10.7.0.{i + 1}") for i, name in enumerate(names)]
    ways = [Way(ends[0], ends[1], words),
            Way(ends[1], ends[0], {"delay": words.get("delay", 0)})]
    print("ready", flush=True)
    poll = select.epoll()
    for end in ends:
        poll.register(end, select.EPOLLIN)
    while True:
        due = min((way.heap[0][0] for way in ways if way.heap), default=None)
        wait = -1.0 if due is None else max(due - time.monotonic(), 0)
        # A timeout of epoll has whole milliseconds: what is left is waited for awake.
        poll.poll(wait if wait > 0.001 or due is None else 0)
        now = time.monotonic()
        for way in ways:
            way.take(now)
            way.give(now)


if __name__ == "__main__":
    main()
