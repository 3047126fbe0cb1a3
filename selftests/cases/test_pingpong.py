#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Ping-pong at the socket layer, to the round trip.

veth0 has 10.9.0.1 and fd09::1 here, and 10.9.0.2 and fd09::2 in its peer's namespace.
"""

import collections
import errno
import socket
import struct
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
import ktput
from testbed import BOUND, enter, inside, module, need, shell, until, veth_pair

ADDRESSES = {"IPv4": "10.9.0.2", "IPv6": "fd09::2"}
MS = 1000000
TRIPS = 130

Latency = collections.namedtuple(
    "Latency", "buckets count sum least greatest timeouts late unanswered")

need("ethtool", "ip", "tc")
enter(module())
_, THERE = enter(veth_pair(
    ipv6=True, sysctls=["net.ipv6.conf.default.router_solicitations=0"]))
# The sender computes checksums, and the receiver verifies them.
shell("ethtool -K veth0 tx off")
shell(f"ip netns exec {THERE} ethtool -K veth0 rx off tx off")

source = ktput.Client()
sink = ktput.Client(THERE)


def bounds(bucket):
    """Least and greatest time of a bucket, as the specification has it."""
    shift = max(bucket // 64 - 1, 0)
    first = (bucket - shift * 64) << shift
    return first, first + (1 << shift) - 1


def latency(snapshot):
    """The histograms of all CPUs together."""
    buckets = collections.Counter()
    sums = collections.Counter()
    least, greatest = [], []
    for part in snapshot.latency:
        counts = part.get("counts", b"")
        for i, count in enumerate(struct.unpack(f"{len(counts) // 8}Q",
                                                counts)):
            buckets[part["first"] + i] += count
        for name in "sum", "timeouts", "late", "unanswered":
            sums[name] += part.get(name, 0)
        if "least" in part:
            least.append(part["least"])
            greatest.append(part["greatest"])
    return Latency(+buckets, sum(buckets.values()), sums["sum"],
                   min(least, default=0), max(greatest, default=0),
                   sums["timeouts"], sums["late"], sums["unanswered"])


def check(times):
    """The histogram agrees with the exact figures beside it."""
    if not times.count:
        return
    floor = sum(bounds(i)[0] * n for i, n in times.buckets.items())
    roof = sum(bounds(i)[1] * n for i, n in times.buckets.items())
    assert floor <= times.sum <= roof, f"{times.sum}: {floor} to {roof}"
    for value, bucket in ((times.least, min(times.buckets)),
                          (times.greatest, max(times.buckets))):
        low, high = bounds(bucket)
        assert low <= value <= high, f"{value}: {low} to {high}"


def start(transport, version="IPv4", both=None, port=7000, **config):
    """A sink and its source."""
    both = {"transport": transport, "pattern": "ping-pong",
            "cookie": ktput.COOKIE if transport == "udp" else None,
            **(both or {})}
    address = ADDRESSES[version]
    if transport == "udp":
        config.setdefault("timeout", 60000 * MS)
    taker = sink.start("sink", local=address, local_port=port,
                       streams=config.get("streams"), **both)
    return taker, source.start("source", remote=address, remote_port=port,
                               **{**both, **config})


def finish(runs, reason="messages"):
    """The counters at the end: of the sink, the source, and the histogram."""
    taker, giver = runs
    gave = source.wait(giver, reason)
    took = sink.stop(taker)
    times = latency(gave)
    check(times)
    ktput.equal(times.count, gave.messages, what="histogram and round trips")
    return took, gave, times


def every(transport, version, reply, method, request, response, outstanding):
    """All requests are answered, once."""
    runs = start(transport, version,
                 {"reply": reply, "request": request, "response": response,
                  **({"method": method} if transport == "tcp" else {})},
                 outstanding=outstanding, messages=TRIPS)
    took, gave, times = finish(runs)
    ktput.equal(took.messages, gave.messages, TRIPS, what="round trips")
    ktput.equal(took.bytes, gave.bytes, TRIPS * (request + response),
                what="bytes")
    ktput.equal(times.timeouts, times.late, 0, what="timeouts, late")


def streams(transport, reply):
    """Several streams at a time."""
    took, gave, times = finish(start(
        transport, both={"reply": reply}, streams=5, messages=5 * TRIPS))
    ktput.equal(took.messages, gave.messages, times.count, 5 * TRIPS,
                what="round trips")
    for stream in gave.streams:
        ktput.equal(stream["counters"]["messages"], TRIPS, what="of a stream")


def thinks(transport, reply):
    """The source waits between a response and the next request."""
    think, trips = 2 * MS, 25
    runs = start(transport, both={"reply": reply}, think=think,
                 messages=trips)
    _, gave, times = finish(runs)
    took = gave.run["ended"] - gave.run["begun"]
    assert took >= (trips - 1) * think + times.sum, f"{took} ns"


def rate(transport, reply):
    """Requests leave no sooner than they are due."""
    trips, gap = 25, 2 * MS
    runs = start(transport, both={"reply": reply}, outstanding=8,
                 packet_rate=10 ** 9 // gap, messages=trips)
    _, gave, times = finish(runs)
    ktput.equal(times.count, trips, what="round trips")
    took = gave.run["ended"] - gave.run["begun"]
    assert took >= (trips - 1) * gap, f"{took} ns"


def omission(transport):
    """The histogram includes the wait of requests behind a late response."""
    trips, gap, delay = 10, MS, 20 * MS
    shell("tc qdisc add dev veth0 root netem delay 20ms")
    try:
        runs = start(transport, packet_rate=10 ** 9 // gap, messages=trips)
        _, _, times = finish(runs)
    finally:
        shell("tc qdisc del dev veth0 root")
    # The n-th is due n gaps after the first, and answered n delays after it.
    least = sum((n + 1) * delay - n * gap for n in range(trips))
    assert times.sum >= least, f"{times.sum} ns, at least {least}"


def delayed(transport):
    """A round trip takes what the way takes."""
    delay = 20 * MS
    shell("tc qdisc add dev veth0 root netem delay 20ms")
    try:
        _, _, times = finish(start(transport, messages=5))
    finally:
        shell("tc qdisc del dev veth0 root")
    assert delay <= times.least <= times.greatest < 100 * delay, \
        f"{times.least} to {times.greatest} ns"


def silent():
    """A program there that answers nothing, with its port."""
    with inside(THERE):
        program = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    program.bind((ADDRESSES["IPv4"], 7000))
    return program


def bounded(reply):
    """No more requests are under way than may be."""
    with silent() as program:
        program.settimeout(BOUND)
        run = source.start("source", pattern="ping-pong", reply=reply,
                           remote=ADDRESSES["IPv4"], remote_port=7000,
                           outstanding=3, timeout=60000 * MS)
        for _ in range(3):
            program.recv(100)
        program.settimeout(0.3)
        try:
            program.recv(100)
        except TimeoutError:
            pass
        else:
            raise AssertionError("there was a fourth")
        source.stop(run)


def given_up(reply):
    """Each request has its own time, from when it was sent."""
    timeout, gap = 300 * MS, 90 * MS
    with silent():
        run = source.start("source", pattern="ping-pong", reply=reply,
                           remote=ADDRESSES["IPv4"], remote_port=7000,
                           outstanding=2, timeout=timeout, messages=2,
                           packet_rate=10 ** 9 // gap)
        gave = source.wait(run, "messages")
    ktput.equal(latency(gave).timeouts, 2, what="timeouts")
    took = gave.run["ended"] - gave.run["begun"]
    assert took >= gap + timeout, f"{took} ns"


def in_callbacks(transport):
    """What callbacks answer wakes no thread."""
    took, gave, _ = finish(start(transport, both={"reply": "callback"},
                                 messages=TRIPS))
    for end in took, gave:
        assert end.wake_ups < TRIPS // 4, f"{end.wake_ups} wake-ups"


def two_sources(reply):
    """Each request is answered to where it came from."""
    taker = sink.start("sink", local=ADDRESSES["IPv4"], local_port=7000,
                       pattern="ping-pong", reply=reply)
    runs = [source.start("source", pattern="ping-pong", reply=reply,
                         remote=ADDRESSES["IPv4"], remote_port=7000,
                         messages=TRIPS, timeout=60000 * MS)
            for _ in range(2)]
    for run in runs:
        ktput.equal(source.wait(run, "messages").messages, TRIPS,
                    what="round trips")
    ktput.equal(sink.stop(taker).messages, 2 * TRIPS, what="answers")


def in_effect():
    """Sizes of frames, and what follows from the pattern."""
    taker = sink.start("sink", transport="tcp", cookie=None,
                       pattern="ping-pong", local_port=7000)
    tcp = source.start("source", transport="tcp", cookie=None,
                       pattern="ping-pong", remote=ADDRESSES["IPv4"],
                       remote_port=7000, request=9, packet_rate=10)
    frame = frame_source("veth0", request=16)
    config = {message["run"]["id"]: message["config"] for message in
              source.family.dump("run-get", {})}
    assert config[tcp["id"]]["nodelay"], "messages wait for each other"
    for run, size in (tcp, 9), (frame, 18):
        ktput.equal(config[run["id"]]["request"],
                    config[run["id"]]["response"], size, what="sizes")
    sink.stop(taker)


def stops(transport, reply, how):
    """A run that is ended in the midst has counted all the same."""
    runs = start(transport, both={"reply": reply}, outstanding=4,
                 time=50 * MS if how == "time" else None)
    if how == "stopped":
        until(lambda: source.snapshot(runs[1]).messages >= 100,
              "round trips")
        source.family.do("run-stop", {"run-id": runs[1]["id"]})
    took, gave, _ = finish(runs, how)
    ktput.equal(took.messages, gave.messages, what="round trips")


def sink_goes(transport):
    """A sink that ends takes a TCP source with it, and none of UDP."""
    more = {"timeout": 20 * MS} if transport == "udp" else {}
    taker, giver = start(transport, both={"reply": "callback"}, **more)
    until(lambda: source.snapshot(giver).messages >= 100, "round trips")
    sink.stop(taker)
    if transport == "tcp":
        gave = source.wait(giver, "reset")
    else:
        until(lambda: latency(source.snapshot(giver)).timeouts,
              "timeouts")
        gave = source.stop(giver)
    ktput.equal(latency(gave).count - latency(gave).unanswered, gave.messages,
                what="round trips")


def peer(config, sentence):
    """A peer with another protocol is distinguished from one that answers."""
    taker = sink.start("sink", transport="tcp", cookie=None, local_port=7000,
                       pattern="ping-pong", **config)
    giver = source.start("source", transport="tcp", cookie=None,
                         pattern="ping-pong", remote=ADDRESSES["IPv4"],
                         remote_port=7000, request=16, response=16)
    gave = source.wait(giver, "error")
    ktput.equal(gave.run["error"], sentence, what="error")
    sink.stop(taker)


def refusals():
    """Configurations without a meaning."""
    tcp = {"transport": "tcp", "cookie": None, "remote": ADDRESSES["IPv4"],
           "remote_port": 7000, "pattern": "ping-pong"}
    udp = {**tcp, "transport": "udp", "cookie": 1}
    for error, sentence, config in (
            (errno.ERANGE, "request.*1 to", {"request": 0}),
            (errno.ERANGE, "1 to", {"response": (1 << 24) + 1}),
            (errno.ERANGE, "outstanding must be", {"outstanding": 0}),
            (errno.ERANGE, "outstanding must be", {"outstanding": 65}),
            (errno.EINVAL, "TCP loses no request", {"timeout": MS}),
            (errno.EINVAL, "contradict", {"think": 1, "packet_rate": 1}),
            (errno.ERANGE, "think must", {"think": 10 ** 18}),
            (errno.EINVAL, "not for pattern", {"size": 1}),
            (errno.EINVAL, "not for pattern", {"bytes": 1}),
            (errno.EINVAL, "not for pattern", {"pace": 1}),
            (errno.EINVAL, "has one request", {"connect_per_request": True,
                                               "outstanding": 2}),
            (errno.EINVAL, "cannot connect", {"connect_per_request": True,
                                              "reply": "callback"}),
            (errno.EINVAL, "do not go", {"connect_per_request": True,
                                         "local_port": 7001}),
            (errno.EINVAL, "do not go", {"connect_per_request": True,
                                         "connect_timeout": MS}),
            (errno.EINVAL, "are for pattern", {"pattern": None,
                                               "outstanding": 1}),
            (errno.EINVAL, "method must be", {"method": "direct"})):
        source.refused(error, sentence, **{**tcp, **config})
    for error, sentence, config in (
            (errno.ERANGE, "with UDP", {"request": 15}),
            (errno.ERANGE, "with UDP", {"response": 65508}),
            (errno.ERANGE, "timeout must be", {"timeout": 999}),
            (errno.EMSGSIZE, "MTU", {"request": 1473}),
            (errno.EINVAL, "no connections", {"connect_per_request": True}),
            (errno.EINVAL, "method must be", {"method": "copy"})):
        source.refused(error, sentence, **{**udp, **config})
    source.refused(errno.EINVAL, "not for pattern", role="sink",
                   pattern="ping-pong", segments=2)
    source.refused(errno.EINVAL, "for a source", role="sink", transport="tcp",
                   cookie=None, pattern="ping-pong", outstanding=2)


def lost(reply):
    """Requests without a response time out, and the stream goes on."""
    shell("tc qdisc add dev veth0 root netem loss 30%")
    try:
        runs = start("udp", both={"reply": reply}, timeout=100 * MS,
                     outstanding=4, messages=TRIPS)
        took, gave, times = finish(runs)
    finally:
        shell("tc qdisc del dev veth0 root")
    ktput.equal(gave.messages + times.timeouts, TRIPS,
                what="round trips and timeouts")
    assert times.timeouts, "nothing was lost"
    # What came late was answered, too, and what comes later is not counted.
    assert took.messages >= gave.messages + times.late, \
        f"{took.messages} requests arrived"


def nobody(reply):
    """ICMP messages of an unbound port are counted, and do not end a run."""
    trips = 5
    run = source.start("source", pattern="ping-pong", reply=reply,
                       remote=ADDRESSES["IPv4"], remote_port=7000,
                       timeout=100 * MS, messages=trips)
    gave = source.wait(run, "messages")
    ktput.equal(latency(gave).timeouts, trips, what="timeouts")
    # The peer limits the rate of these messages.
    assert 0 < gave.refusals <= trips, f"{gave.refusals} refusals"


def many_in_a_segment():
    """What softirq answers of one segment is bounded; the worker does the rest.

    With "callback" the stream is made ready for that alone.
    """
    taker = sink.start("sink", transport="tcp", cookie=None,
                       pattern="ping-pong", reply="callback",
                       local=ADDRESSES["IPv4"], local_port=7000,
                       sndbuf=8 << 20, request=1, response=1)
    with socket.create_connection((ADDRESSES["IPv4"], 7000), 30) as peer:
        peer.settimeout(BOUND)
        wake_ups = []
        for asked in 1, 100, 1400:
            peer.send(bytes(asked))
            left = asked
            while left:
                left -= len(peer.recv(left))
            wake_ups.append(sink.snapshot(taker).wake_ups)
    ktput.equal(wake_ups[1], wake_ups[0], what="wake-ups by 100 requests")
    assert wake_ups[2] > wake_ups[1], "1,400 requests were answered in one go"
    took = sink.stop(taker)
    ktput.equal(took.messages, 1501, what="answers")
    ktput.equal(took.would_blocks, 0, what="times that there was no room")


def late():
    """A response that comes too late is counted as such."""
    shell("tc qdisc add dev veth0 root netem delay 300ms")
    try:
        runs = start("udp", timeout=10 * MS, messages=3, outstanding=3)
        until(lambda: latency(source.snapshot(runs[1])).timeouts == 3,
              "timeouts")
        # It has sent all and given up all; a second one waits for longer.
        gave = source.wait(runs[1], "messages")
        ktput.equal(gave.messages, 0, what="round trips")
        sink.stop(runs[0])
        runs = start("udp", timeout=200 * MS, messages=6, outstanding=3)
        until(lambda: latency(source.snapshot(runs[1])).late >= 3,
              "late responses")
        _, _, times = finish(runs)
        ktput.equal(times.timeouts, 6, what="timeouts")
    finally:
        shell("tc qdisc del dev veth0 root")


def foreign():
    """Datagrams of others are neither requests nor responses."""
    taker = sink.start("sink", local_port=7000, pattern="ping-pong")
    giver = source.start("source", remote=ADDRESSES["IPv4"], remote_port=7000,
                         cookie=1, pattern="ping-pong", timeout=MS,
                         messages=10)
    gave = source.wait(giver, "messages")
    ktput.equal(gave.messages, 0, what="round trips")
    ktput.equal(latency(gave).timeouts, 10, what="timeouts")
    ktput.equal(sink.stop(taker).messages, 0, what="requests")


def frame_source(device, version="IPv4", **config):
    """A source that sends frames."""
    config.setdefault("timeout", 60000 * MS)
    return source.start(
        "source", layer="driver", pattern="ping-pong",
        remote=ADDRESSES[version], remote_port=7000,
        local={"IPv4": "10.9.0.1", "IPv6": "fd09::1"}[version],
        local_port=49152, dev=ktput.index(device),
        mac=ktput.mac("veth0", THERE), **config)


def frames(version, layer, **config):
    """A source that sends frames, and a sink at the hook or at a socket."""
    both = {"pattern": "ping-pong"}
    if layer == "ingress":
        taker = sink.start("sink", layer=layer, local=ADDRESSES[version],
                           local_port=7000, dev=ktput.index("veth0", THERE),
                           streams=config.get("streams"), **both)
    else:
        taker = sink.start("sink", local=ADDRESSES[version], local_port=7000,
                           reply="callback", **both,
                           response=config.get("request"))
    return taker, frame_source("veth0", version, **config)


def turned(version, layer, request, outstanding):
    """Each frame is answered; sockets verify the checksum of all requests."""
    before = ktput.counter("veth0", "tx")
    took, gave, times = finish(frames(
        version, layer, request=request, outstanding=outstanding,
        messages=TRIPS))
    ktput.equal(took.messages, gave.messages, TRIPS, what="round trips")
    ktput.equal(took.bytes, gave.bytes, 2 * TRIPS * request, what="bytes")
    ktput.equal(times.timeouts, times.late, 0, what="timeouts, late")
    sent = ktput.counter("veth0", "tx") - before
    assert sent >= TRIPS, f"{sent} frames"


def frames_lost():
    """Frames that a device drops time out."""
    runs = frames("IPv4", "ingress", timeout=20 * MS, outstanding=4)
    try:
        until(lambda: source.snapshot(runs[1]).messages >= 100,
              "round trips")
        shell(f"ip -n {THERE} link set veth0 down")
        until(lambda: latency(source.snapshot(runs[1])).timeouts >= 8 or
              source.snapshot(runs[1]).would_blocks, "timeouts")
        ktput.equal(source.snapshot(runs[1]).run["state"], "running",
                    what="state")
    finally:
        shell(f"ip -n {THERE} link set veth0 up")
    source.stop(runs[1])
    sink.wait(runs[0], "device-down")


def frames_refused():
    """Requests that the driver drops count as drops, and not as bytes."""
    # The driver of a VLAN device returns the drops of its lower device.
    shell("tc qdisc add dev veth0 root tbf rate 8kbit burst 2000 limit 1; "
          "ip link add link veth0 name veth0.7 type vlan id 7; "
          "ip link set veth0.7 up")
    try:
        run = frame_source("veth0.7", timeout=20 * MS, outstanding=4)
        until(lambda: source.snapshot(run).drops >= 8, "drops")
        gave = source.stop(run)
    finally:
        shell("ip link del veth0.7; tc qdisc del dev veth0 root")
    ktput.equal(gave.bytes, gave.messages, 0, what="bytes, messages")
    ktput.equal(gave.drops, gave.calls, what="dropped, and sent")


def frame_refusals():
    """What frames that are turned round cannot be."""
    config = {"layer": "driver", "remote": ADDRESSES["IPv4"],
              "remote_port": 7000, "local": "10.9.0.1", "local_port": 49152,
              "dev": ktput.index("veth0"), "pattern": "ping-pong",
              "mac": ktput.mac("veth0", THERE)}
    for error, sentence, more in (
            (errno.EINVAL, "turned round", {"response": 64}),
            (errno.EINVAL, "from the callback", {"reply": "worker"}),
            (errno.EINVAL, "not for pattern", {"burst": 2}),
            (errno.EINVAL, "not for pattern", {"vlan": 1}),
            (errno.EINVAL, "not for pattern", {"size_min": 60}),
            (errno.EMSGSIZE, "MTU", {"request": 1473}),
            (errno.EOPNOTSUPP, "not supported", {"layer": "queue"})):
        source.refused(error, sentence, **{**config, **more})


def foreign_frames():
    """Frames with the cookie of another run pass by."""
    taker, giver = frames("IPv4", "ingress", cookie=1, timeout=MS,
                          messages=10)
    gave = source.wait(giver, "messages")
    ktput.equal(gave.messages, sink.stop(taker).messages, 0,
                what="round trips, requests")


def frames_stop(how):
    """Frames that go round and round are taken from the hook."""
    runs = frames("IPv4", "ingress", outstanding=64,
                  time=50 * MS if how == "time" else None)
    if how == "stopped":
        until(lambda: source.snapshot(runs[1]).messages >= 100,
              "round trips")
        source.family.do("run-stop", {"run-id": runs[1]["id"]})
    _, gave, _ = finish(runs, how)
    ktput.equal(gave.unreturned, 0, what="unreturned")


def cases(tests):
    """All of them."""
    tests.add("refusals", refusals)
    tcp = [("tcp", method, sizes) for method, sizes in (
        ("zerocopy", (1, 1)), ("copy", (1, 1)), ("zerocopy", (64, 5000)),
        ("copy", (5000, 64)), ("zerocopy", (200000, 200000)))]
    udp = [("udp", "direct", sizes) for sizes in (
        (16, 16), (64, 1000), (1452, 1452))]
    for version in ADDRESSES:
        for reply in "worker", "callback":
            for transport, method, sizes in tcp + udp:
                for outstanding in (1, 64) if version == "IPv4" else (8,):
                    tests.add(f"{transport} {method}, {version}, from the "
                              f"{reply}, {sizes[0]} and {sizes[1]} bytes, "
                              f"{outstanding} outstanding", every, transport,
                              version, reply, method, *sizes, outstanding)
    for transport in "tcp", "udp":
        for reply in "worker", "callback":
            name = f"{transport}, from the {reply}: "
            tests.add(name + "five streams", streams, transport, reply)
            tests.add(name + "think time", thinks, transport, reply)
            tests.add(name + "a rate", rate, transport, reply)
            for how in "time", "stopped":
                tests.add(name + f"ends: {how}", stops, transport, reply, how)
        tests.add(f"{transport}: coordinated omission", omission, transport)
        tests.add(f"{transport}: a delay on the way", delayed, transport)
        tests.add(f"{transport}: callbacks wake nobody", in_callbacks, transport)
        tests.add(f"{transport}: the sink goes", sink_goes, transport)
    tests.add("tcp: a response nobody asked for", peer,
              {"request": 8, "response": 16}, errno.EPROTO)
    for version in ADDRESSES:
        for layer in "ingress", "socket":
            for request, outstanding in ((40, 1), (64, 64), (1400, 8)):
                tests.add(f"frames to the {layer} layer, {version}, {request} "
                          f"bytes, {outstanding} outstanding", turned, version,
                          layer, request, outstanding)
    for how in "time", "stopped":
        tests.add(f"frames: ends: {how}", frames_stop, how)
    tests.add("frames: the device of the sink goes down", frames_lost)
    tests.add("frames: the driver of the source drops", frames_refused)
    tests.add("frames: refusals", frame_refusals)
    tests.add("frames of others", foreign_frames)
    tests.add("a configuration is told as it is in effect", in_effect)
    for reply in "worker", "callback":
        tests.add(f"udp, from the {reply}: lost datagrams", lost, reply)
        tests.add(f"udp, from the {reply}: nobody receives", nobody, reply)
        tests.add(f"udp, from the {reply}: no more are under way", bounded, reply)
        tests.add(f"udp, from the {reply}: given up, not before their time",
                  given_up, reply)
        tests.add(f"udp, from the {reply}: two sources of one sink", two_sources,
                  reply)
    tests.add("tcp, from the callback: many requests in a segment",
              many_in_a_segment)
    tests.add("udp: late responses", late)
    tests.add("udp: datagrams of others", foreign)


def main():
    """Run them."""
    tests = ktput.Tests()
    tests.after.extend((source.clear, sink.clear))
    cases(tests)
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
