#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""UDP sockets: every way to send with every way to receive, to the datagram.

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import itertools
import re
import socket
import struct
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import (COOKIE, SO_RCVBUFFORCE, Client, Tests, counter, equal, index,
                   mac)
from testbed import BOUND, enter, inside, module, need, shell, until, veth_pair

need("ethtool", "ip")
enter(module())
_, PEER = enter(veth_pair(
    ipv6=True, sysctls=["net.ipv6.conf.default.router_solicitations=0"]))
# The sender computes checksums, and the receiver verifies them.
shell("ethtool -K veth0 tx off")
shell(f"ip netns exec {PEER} ethtool -K veth0 rx off tx off")
HEADER = struct.Struct(">IIQ")
# As much as any case has under way.
ROOM = 64 << 20

here = Client()
there = Client(PEER)
tests = Tests()
tests.after = [here.clear, there.clear]

PLACES = {
    ("lo", "IPv4"): (here, "127.0.0.1"),
    ("lo", "IPv6"): (here, "::1"),
    ("veth", "IPv4"): (there, "10.9.0.2"),
    ("veth", "IPv6"): (there, "fd09::2"),
}


@contextlib.contextmanager
def offload():
    """Let veth0 sum: else the kernel splits from 6.11 on only (EIO)."""
    shell("ethtool -K veth0 tx on")
    try:
        yield
    finally:
        shell("ethtool -K veth0 tx off")


def transfer(place, count, source, sink, streams=1):
    """Send COUNT datagrams, and return the counters of both ends."""
    client, address = PLACES[place]
    taker = client.start("sink", streams=streams, **sink)
    giver = here.start("source", streams=streams, remote=address,
                       remote_port=taker["local-port"], messages=count,
                       **source)
    sent = here.wait(giver, "messages")
    equal(sent.messages, count, what="sent")

    def arrived():
        now = client.snapshot(taker)
        return now.datagrams + now.drops >= count
    until(arrived, f"{count} datagrams arrive")
    return sent, client.stop(taker)


def exact(sent, got):
    """Nothing is lost, and nothing came twice."""
    equal(sent.messages, got.messages, got.datagrams, what="datagrams")
    equal(sent.bytes, got.bytes, what="bytes")
    bad = {name: getattr(got, name) for name in (
        "lost", "reordered", "duplicates", "late", "foreign", "drops")}
    assert not any(bad.values()), bad


def datagrams(place, counted):
    """What a namespace counts itself of UDP: there what came, here what went."""
    with inside(PEER if (place[0], counted) == ("veth", "In") else None):
        if place[1] == "IPv6":
            with open("/proc/net/snmp6", encoding="ascii") as file:
                return int(dict(map(str.split, file))
                           [f"Udp6{counted}Datagrams"])
        with open("/proc/net/snmp", encoding="ascii") as file:
            names, values = (line.split() for line in file
                             if line.startswith("Udp:"))
        return int(dict(zip(names, values))[f"{counted}Datagrams"])


def methods(place, give, take):
    """Sizes odd and even; over veth the largest that fits a frame, too."""
    sizes = [1001]
    if place[0] == "veth":
        sizes.append(1452 if place[1] == "IPv6" else 1472)
    for size in sizes:
        before = [datagrams(place, counted) for counted in ("Out", "In")]
        sent, got = transfer(place, 500,
                             {"method": give, "size": size},
                             {"method": take, "rcvbuf": ROOM})
        exact(sent, got)
        equal(got.bytes, 500 * size, what="bytes")
        for counted, was in zip(("Out", "In"), before):
            equal(500, datagrams(place, counted) - was,
                  what=f"{counted}Datagrams")
        if take == "zerocopy":
            equal(got.calls, 500, what="datagrams handed over")
        for stream in got.streams:
            assert 0 < stream["first-cycles"] < stream["last-cycles"], stream


def smallest(give):
    """Datagrams that are a header and nothing else."""
    sent, got = transfer(("veth", "IPv4"), 500,
                         {"method": give, "size": 16}, {})
    exact(sent, got)
    equal(got.bytes, 500 * 16, what="bytes")


def segments(place, give, take, number):
    """Datagrams of which several go in a call; the last call has one."""
    count = 100 * number + 1
    with offload():
        sent, got = transfer(place, count,
                             {"method": give, "size": 1000,
                              "segments": number},
                             {"method": take, "segments": 2,
                              "rcvbuf": ROOM})
    exact(sent, got)
    equal(sent.calls - sent.would_blocks, 101, what="calls")


def streams(place, number):
    """What each stream has sent is what its port has received."""
    sent, got = transfer(place, 20 * number + 3, {}, {}, streams=number)
    exact(sent, got)
    equal(number, len(sent.streams), len(got.streams), what="streams")
    by_port = {s["local-port"]: s["counters"]["messages"] for s in got.streams}
    for stream in sent.streams:
        equal(stream["counters"]["messages"], by_port[stream["remote-port"]],
              what=f"stream {stream['id']}")


def end_bytes():
    """The last datagram is whole."""
    taker = here.start("sink")
    giver = here.start("source", remote="::1", size=1000, segments=4,
                       remote_port=taker["local-port"], bytes=100001)
    sent = here.wait(giver, "bytes")
    equal(sent.bytes, 101000, what="bytes")
    until(lambda: here.snapshot(taker).bytes >= 101000, "all arrive")
    exact(sent, here.stop(taker))


def large(give):
    """A datagram in many fragments of a page."""
    exact(*transfer(("lo", "IPv4"), 100,
                    {"method": give, "size": 65507}, {}))


def pace(rate, **source):
    """Never faster than asked.

    How much slower says more of this machine than of the module: one that has
    other work takes CPUs away for longer than the 5 ms that a stream makes up
    for.
    """
    count = rate // 5
    least = (count - source.get("segments", 1)) / rate
    for _ in range(5):
        sent, got = transfer(("lo", "IPv4"), count, source, {})
        exact(sent, got)
        took = (sent.run["ended"] - sent.run["begun"]) / 1e9
        assert took > least * 0.999, f"{took} s, {least} s at least"


def small_buffer(take):
    """What the receive buffer had no room for is counted as dropped."""
    sent, got = transfer(("lo", "IPv4"), 20000, {"cpus": "0"},
                         {"method": take, "rcvbuf": 4608, "cpus": "1"})
    equal(sent.messages, got.messages + got.drops, what="taken and dropped")
    assert got.drops, "nothing was dropped"
    # The sink cannot know of those that were dropped last.
    assert got.lost <= got.drops, f"{got.lost} lost, {got.drops} dropped"


def datagram(sequence, cookie=COOKIE):
    """A datagram of a run."""
    return HEADER.pack(cookie, sequence, time.time_ns())


def foreign(take):
    """Datagrams of others are counted, and are not of the run."""
    taker = here.start("sink", method=take)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
        program.connect(("127.0.0.1", taker["local-port"]))
        for data in (datagram(0, COOKIE ^ 1), b"", b"abc", bytes(1400),
                     datagram(0)[:15], datagram(0)):
            program.send(data)
    until(lambda: here.snapshot(taker).datagrams == 1, "one is of the run")
    got = here.stop(taker)
    equal((got.messages, got.bytes, got.foreign), (1, 16, 5),
          what="datagrams, bytes, foreign")


def sequences():
    """The fate of datagrams, by their numbers."""
    taker = here.start("sink", streams=2)
    numbers = ((0, 1, 2, 5, 4, 4, 6, 7, 3000, 2999, 2, 3001, 0xFFFFFFF0),
               (*range(64), 200, 199, 130, 64, 63))
    want = ({"datagrams": 13, "lost": 2992, "reordered": 2, "duplicates": 1,
             "late": 2},
            {"datagrams": 69, "lost": 133, "reordered": 3, "duplicates": 1,
             "late": 0})
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
        for stream in range(2):
            for number in numbers[stream]:
                program.sendto(datagram(number), (
                    "127.0.0.1", taker["local-port"] + stream))
    until(lambda: here.snapshot(taker).datagrams == 13 + 69, "all arrive")
    for stream, wanted in zip(here.stop(taker).streams, want):
        equal({name: stream["datagram"][name] for name in wanted}, wanted)


def seen(place, **source):
    """What a program receives has header, number, time and length."""
    size = source["size"]
    family = socket.AF_INET6 if place[1] == "IPv6" else socket.AF_INET
    with inside(PEER if place[0] == "veth" else None):
        program = socket.socket(family, socket.SOCK_DGRAM)
    with program:
        program.settimeout(30)
        program.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
        program.bind(("", 0))
        before = time.time_ns()
        giver = here.start("source", remote=PLACES[place][1], messages=200,
                           remote_port=program.getsockname()[1], **source)
        for number in range(200):
            data = program.recv(65536)
            cookie, sequence, sent = HEADER.unpack_from(data)
            equal((cookie, sequence, len(data)), (COOKIE, number, size),
                  what="cookie, sequence, size")
            assert before <= sent <= time.time_ns(), "time is out of bounds"
        here.wait(giver, "messages")


def jitter():
    """Delay and jitter, of headers whose times swing by a second.

    What the machine adds, a few milliseconds, is lost in that.
    """
    swing, number = 10 ** 9, 100
    taker = here.start("sink", streams=1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
        for sequence in range(number):
            sent = time.time_ns() - swing * (sequence % 2)
            program.sendto(HEADER.pack(COOKIE, sequence, sent),
                           ("127.0.0.1", taker["local-port"]))
    until(lambda: here.snapshot(taker).datagrams == number, "all arrive")
    said = here.stop(taker).streams[0]["datagram"]
    settled = swing * (1 - (15 / 16) ** (number - 1))
    for name, value in (("jitter", settled), ("delay-min", 0),
                        ("delay-max", swing), ("delay-sum", swing * number // 2)):
        near = swing / 10 * (number if name == "delay-sum" else 1)
        assert abs(said[name] - value) < near, \
            f"{name} is {said[name]}, not {value:.0f}"


def full(method):
    """A send buffer bounds what is under way; calls that find it full count.

    Not netem: what it delays is no longer charged to the socket.
    """
    shell("tc qdisc add dev veth0 root tbf rate 4mbit burst 2000 limit 1000000")
    try:
        taker = there.start("sink", rcvbuf=ROOM)
        giver = here.start("source", remote="10.9.0.2", method=method,
                           remote_port=taker["local-port"], sndbuf=20000,
                           size=1000, messages=200)
        until(lambda: here.snapshot(giver).would_blocks, "it waits")
        sent = here.wait(giver, "messages")
    finally:
        shell("tc qdisc del dev veth0 root")
    equal(sent.messages, 200, what="sent")
    equal(sent.calls, 200 + sent.would_blocks, what="calls")
    # They take 417 ms, of which the doubled buffer, with room for 40, hides 83.
    took = sent.run["ended"] - sent.run["begun"]
    assert took > 3 * 10 ** 8, f"200 within {took} ns"
    until(lambda: there.snapshot(taker).datagrams == 200, "all arrive")


def priority(method):
    """Datagrams take the band of their priority, of those that prio(8) has."""
    shell("tc qdisc add dev veth0 root handle 1: prio bands 8 "
          "priomap 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0")
    try:
        transfer(("veth", "IPv4"), 200, {"method": method, "priority": 5}, {})
        classes = shell("tc -s class show dev veth0")
    finally:
        shell("tc qdisc del dev veth0 root")
    sent = dict(re.findall(r"^class prio 1:(\d) .*\n.* (\d+) pkt", classes, re.M))
    equal(int(sent["6"]), 200, what="packets in band 6")


def wakes():
    """A source that nothing keeps waiting is woken to begin, if it slept."""
    giver = here.start("source", remote="127.0.0.1", remote_port=9,
                       method="direct", cpus="0", messages=20000)
    sent = here.wait(giver, "messages")
    wakes = sum(cpu["counters"]["wake-ups"] for cpu in sent.cpus)
    assert wakes < 200, f"{wakes} wake-ups, more than 600 turns"


def nobody():
    """ICMP messages are counted, and do not end the run."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
        program.bind(("127.0.0.1", 0))
        port = program.getsockname()[1]
    giver = here.start("source", remote="127.0.0.1", remote_port=port,
                       messages=100, packet_rate=1000)
    sent = here.wait(giver, "messages")
    equal(sent.messages, 100)
    assert sent.refusals, "no refusal was counted"


def built(address):
    """Datagrams of direct have no number in the IP header, as only they do."""
    count, protocol = 200, 0x0800
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as wire:
        wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
        wire.settimeout(BOUND)
        taker = here.start("sink")
        wire.bind(("lo", protocol))
        giver = here.start("source", remote=address, method="direct", tos=16,
                           remote_port=taker["local-port"], messages=count)
        equal(here.wait(giver, "messages").messages, count, what="sent")
        ports = struct.pack(">H", taker["local-port"])
        numbers = []
        while len(numbers) < count:
            packet, (_, _, kind, *_) = wire.recvfrom(2048)
            if kind == socket.PACKET_HOST and packet[22:24] == ports:
                numbers.append(packet[1:2] + packet[4:8])
    # Type of service 16, number 0, not to be fragmented.
    equal(set(numbers), {b"\x10\0\0\x40\0"}, what="headers")
    until(lambda: here.snapshot(taker).datagrams == count, "all arrive")
    here.stop(taker)


def group(version, give):
    """What goes to a group stays on the link."""
    address, at = {"IPv4": ("239.1.2.3", 8), "IPv6": ("ff12::123", 7)}[version]
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as wire:
        wire.settimeout(BOUND)
        # All protocols, since what leaves is shown to such sockets alone.
        wire.bind(("veth0", 0x0003))
        giver = here.start("source", remote=address, method=give, messages=1,
                           dev=index("veth0"), remote_port=9)
        here.wait(giver, "messages")
        header = 40 if version == "IPv6" else 20
        # Reports of groups and the like come, too.
        while (packet := wire.recv(2048))[header + 2:header + 4] != b"\0\x09":
            pass
    equal(packet[at], 1, what="hops")


def interface(give):
    """The interface has carried as many packets as the source has sent.

    The kernel speaks for itself now and then (neighbours, multicast): one of
    three attempts has to be free of that.
    """
    shell(f"ip neigh replace 10.9.0.2 dev veth0 nud permanent "
          f"lladdr {mac('veth0', PEER).hex(':')}")
    counts = []
    for _ in range(3):
        before = counter("veth0", "tx"), counter("veth0", "rx", netns=PEER)
        sent, _ = transfer(("veth", "IPv4"), 3000, {"method": give}, {})
        after = counter("veth0", "tx"), counter("veth0", "rx", netns=PEER)
        counts = [sent.messages, after[0] - before[0], after[1] - before[1]]
        if len(set(counts)) == 1:
            return
    equal(*counts)


def no_route(give):
    """A route that goes away, and comes back, is ridden out."""
    shell("ip route add 192.0.2.0/24 via 10.9.0.2")
    giver = here.start("source", remote="192.0.2.1", remote_port=9, method=give,
                       packet_rate=1000, dev=None)
    until(lambda: here.snapshot(giver).messages > 10, "it sends")
    shell("ip route del 192.0.2.0/24")
    until(lambda: here.snapshot(giver).send_failures > 10, "its calls fail")
    now = here.snapshot(giver)
    equal(now.streams[0]["datagram"]["send-failure"], errno.ENETUNREACH, what="why")
    shell("ip route add 192.0.2.0/24 via 10.9.0.2")
    until(lambda: here.snapshot(giver).messages > now.messages, "it sends again")
    here.stop(giver)
    shell("ip route del 192.0.2.0/24")


TO = {"remote": "127.0.0.1", "remote_port": 9}
REFUSALS = (
    ("sink without cookie", errno.EINVAL, "^cookie is required with UDP",
     {"role": "sink", "cookie": None}),
    ("once", errno.EINVAL, "^once: UDP has no end of a stream",
     {"role": "sink", "once": True}),
    ("datagram without room for a header", errno.ERANGE,
     "^size must be 16 to 65507", {**TO, "size": 15}),
    ("datagram larger than IPv4 carries", errno.ERANGE,
     "^size must be 16 to 65507", {**TO, "size": 65508}),
    ("no segments", errno.ERANGE, "^segments must be 1 to 128",
     {**TO, "segments": 0}),
    ("129 segments", errno.ERANGE, "^segments must be 1 to 128",
     {**TO, "segments": 129}),
    ("segments beyond 65507 bytes", errno.ERANGE,
     "^segments of size must not pass 65507",
     {**TO, "segments": 64, "size": 1448}),
    ("more pages than a frame takes", errno.ERANGE, "^segments: more pages",
     {**TO, "segments": 9, "method": "zerocopy"}),
    ("ports beyond the last", errno.ERANGE, "^remote-port plus streams",
     {**TO, "remote_port": 65535, "streams": 2}),
    ("packet-rate 0", errno.ERANGE, "^packet-rate must be 1 to",
     {**TO, "packet_rate": 0}),
    ("pace 0", errno.ERANGE, "^pace must not be 0",
     {**TO, "pace": 0}),
    ("two rates", errno.EINVAL, "contradict each other$",
     {**TO, "packet_rate": 5, "pace": 5}),
    ("no route", errno.ENETUNREACH, "^remote address: no route to it",
     {**TO, "remote": "203.0.113.9"}),
    ("nodelay", errno.EINVAL, "^UDP has no congestion and no nodelay",
     {"role": "sink", "nodelay": True}),
    ("cookie with TCP", errno.EINVAL, "^TCP has no cookie",
     {"role": "sink", "transport": "tcp"}),
    ("a sink with a method of a source", errno.EINVAL, "^method .*sink",
     {"role": "sink", "method": "direct"}),
    ("burst of a socket", errno.EINVAL,
     "^burst is for a source at the queue, driver or XDP layer",
     {**TO, "burst": 4}),
    ("direct beyond the MTU", errno.EMSGSIZE, "MTU",
     {"remote": "10.9.0.2", "remote_port": 9, "method": "direct",
      "size": 1473}),
    ("direct with segments", errno.EINVAL, "direct",
     {**TO, "method": "direct", "segments": 2}),
)


def in_use():
    """A port that has a sink."""
    taker = here.start("sink")
    here.refused(errno.EADDRINUSE, "^local-port is in use", role="sink",
                 local_port=taker["local-port"])


for where, send, receive in itertools.product(
        PLACES, ("copy", "zerocopy", "direct"), ("copy", "trunc", "zerocopy")):
    tests.add(f"{' '.join(where)}: {send} to {receive}", methods, where, send,
              receive)
for where, (send, receive, factor) in itertools.product(
        PLACES, (("copy", "zerocopy", 40), ("copy", "trunc", 40),
                 ("copy", "copy", 3), ("zerocopy", "zerocopy", 8))):
    tests.add(f"{' '.join(where)}: {factor} segments per call, {send} to "
              f"{receive}", segments, where, send, receive, factor)
for where, factor in itertools.product(PLACES, (8, 100)):
    tests.add(f"{' '.join(where)}: {factor} streams", streams, where, factor)
for send in "copy", "zerocopy", "direct":
    tests.add(f"datagrams of 16 bytes by {send}", smallest, send)
for send in "copy", "zerocopy":
    tests.add(f"datagrams of 65507 bytes by {send}", large, send)
tests.add("an end in bytes is that of a whole datagram", end_bytes)
tests.add("1000 packets per second", pace, 1000, packet_rate=1000)
tests.add("20000 packets per second", pace, 20000, packet_rate=20000,
          size=200)
tests.add("10 MB a second", pace, 10000, pace=10000000,
          size=1000)
tests.add("20000 packets per second in tens", pace, 20000,
          packet_rate=20000, segments=10, size=200)
tests.add("20000 packets per second, direct", pace, 20000,
          packet_rate=20000, method="direct", size=200)
for receive in "copy", "trunc":
    tests.add(f"small receive buffer, {receive}", small_buffer, receive)
for receive in "copy", "trunc", "zerocopy":
    tests.add(f"foreign datagrams, {receive}", foreign, receive)
tests.add("lost, reordered, duplicate and late", sequences)
for where, send in itertools.product(PLACES, ("copy", "zerocopy", "direct")):
    tests.add(f"{' '.join(where)}: {send}, as a program receives it", seen,
              where, method=send, size=1001)
tests.add("segments as a program receives them", seen, ("lo", "IPv4"),
          segments=7, size=900)
for send in "copy", "zerocopy", "direct":
    tests.add(f"interfaces agree, {send}", interface, send)
for to in "127.0.0.1", "::ffff:127.0.0.1":
    tests.add(f"to {to}: direct builds each datagram", built, to)
for protocol, send in itertools.product(("IPv4", "IPv6"),
                                        ("copy", "zerocopy", "direct")):
    tests.add(f"{protocol}: what {send} sends to a group stays on the link", group,
              protocol, send)
tests.add("jitter and delay", jitter)
for send in "copy", "direct":
    tests.add(f"a send buffer that is full, {send}", full, send)
    tests.add(f"priority, {send}", priority, send)
tests.add("a source that never waits", wakes)
tests.add("nobody listens", nobody)
for send in "copy", "zerocopy", "direct":
    tests.add(f"{send}: a route that goes away", no_route, send)
for title, number_, text, given in REFUSALS:
    tests.add(f"refused: {title}", here.refused, number_, text, **given)
tests.add("refused: port in use", in_use)

if __name__ == "__main__":
    sys.exit(tests.run())
