#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""TCP sockets: counts, reports and ends of a run, to the byte.

10.9.0.1 is the address of veth0 here, 10.9.0.2 that of its peer in another
namespace.

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import itertools
import os
import socket
import struct
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, Skip, Tests, equal, index
from testbed import BOUND, enter, inside, module, need, shell, until, veth_pair

need("ethtool", "ip", "ss")
enter(module())
_, PEER = enter(veth_pair())
TCP = {"transport": "tcp", "cookie": None}
THERE = "10.9.0.2"
SECOND = 10 ** 9
# No run of these has so much under way.
ROOM = 1 << 20
CPU1 = "/sys/devices/system/cpu/cpu1/online"
# Of struct tcp_info, linux/tcp.h.
SEND_MSS, BYTES_ACKED = ("=I", 16), ("=Q", 120)

here = Client()
there = Client(PEER)
tests = Tests()
tests.after = [here.clear, there.clear]


def sink(**config):
    """A sink there."""
    return there.start("sink", **{**TCP, "rcvbuf": ROOM, **config})


def source(port, **config):
    """A source here, of what listens at a port there."""
    return here.start("source", **{**TCP, "remote": THERE, "remote_port": port,
                                   **config})


def told(stream, what):
    """What TCP says of a stream."""
    return struct.unpack_from(what[0], stream["tcp-info"], what[1])[0]


def config_of(client, run):
    """A configuration as it is in effect."""
    return next(message["config"] for message in client.family.dump(
        "run-get", {}) if message["run"]["id"] == run["id"])


def on_cpus(snapshot):
    """Bytes of all CPUs: a stream has only those of its last connection."""
    return sum(cpu["counters"]["bytes"] for cpu in snapshot.cpus)


def all_ended(client, run, streams):
    """A snapshot when so many streams have ended, and with them their counts."""
    def ended():
        now = client.snapshot(run)
        return now if [stream["state"] for stream in now.streams] == \
            ["ended"] * streams else None
    return until(ended, f"{streams} streams end")


@contextlib.contextmanager
def listener(**options):
    """A program there that listens, with its port; its sockets have a bound."""
    with inside(PEER):
        listening = socket.create_server((THERE, 0))
    with listening:
        listening.settimeout(BOUND)
        for name, value in options.items():
            listening.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        yield listening, listening.getsockname()[1]


def connect(run):
    """A program that is connected to a sink there."""
    return socket.create_connection((THERE, run["local-port"]), BOUND)


def reset(peer):
    """Close a socket with a RST."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def to_the_message(give, take):
    """Messages, calls and bytes of each stream, and of the CPUs."""
    each, size, number = 40, 1000, 2
    taker = sink(method=take)
    giver = source(taker["local-port"], method=give, size=size,
                   messages=number * each, streams=number, sndbuf=ROOM)
    sent = here.wait(giver, "messages")
    equal(sent.messages, sent.calls, number * each, what="messages and calls")
    equal(sent.bytes, number * each * size, what="bytes")
    equal(sent.would_blocks, 0, what="calls that found no room")
    for stream in sent.streams:
        equal(stream["counters"]["messages"], each, what="messages of a stream")
        # SYN and FIN have a number each.
        equal(told(stream, BYTES_ACKED), each * size + 2, what="acknowledged")
    got = all_ended(there, taker, number)
    got.consistent()
    equal(got.bytes, on_cpus(got), sent.bytes, what="bytes")
    equal((got.run["accepted"], got.run["refused"]), (number, 0),
          what="accepted, refused")


def to_the_byte():
    """Bytes are shared out, and the rest of the division with them."""
    taker = sink()
    giver = source(taker["local-port"], size=1000, bytes=10001,
                   streams=3)
    sent = here.wait(giver, "bytes")
    equal(sorted(stream["counters"]["bytes"] for stream in sent.streams),
          [3333, 3334, 3334], what="bytes of streams")
    equal(sent.messages, 12, what="messages")


def full():
    """What a call did not take is sent by another, and counted there."""
    size, number = 65536, 16
    with listener(SO_RCVBUF=8192) as (listening, port):
        giver = source(port, size=size, messages=number,
                       sndbuf=8192)
        peer = listening.accept()[0]
        with peer:
            until(lambda: here.snapshot(giver).would_blocks, "it waits")
            left = size * number
            while left:
                part = peer.recv(65536)
                assert part, f"it ended {left} bytes early"
                left -= len(part)
            equal(peer.recv(1), b"", what="more than there is")
        sent = here.wait(giver, "messages")
    equal(sent.bytes, size * number, what="bytes")
    equal(sent.messages, number, what="messages")
    assert sent.calls >= number + sent.would_blocks, \
        f"{sent.calls} calls, {sent.would_blocks} found no room"


def used_again():
    """A stream counts only its last connection, the CPUs count all."""
    taker = sink(streams=1)
    total = last = 0
    for number in range(4):
        with connect(taker) as peer:
            stream = until(lambda number=number: [
                stream for stream in there.snapshot(taker).streams
                if (stream["id"], stream["state"]) == (number, "running")],
                f"stream {number}")[0]
            equal(stream["first-cycles"], stream["last-cycles"], 0,
                  what="the first and the last turn, before any")
            peer.sendall(bytes(1000 + number))
            peer.shutdown(socket.SHUT_WR)
            equal(peer.recv(1), b"", what="answer")
        total += 1000 + number
        got = all_ended(there, taker, 1)
        stream = got.streams[0]
        equal(stream["counters"]["bytes"], 1000 + number, what="bytes")
        equal(on_cpus(got), total, what="bytes of all connections")
        assert last < stream["first-cycles"] <= stream["last-cycles"], \
            f"{last} before {stream['first-cycles']}, {stream['last-cycles']}"
        last = stream["last-cycles"]
        equal(got.run["accepted"], number + 1, what="accepted")


def after_a_reset():
    """The error of a connection is not that of the next."""
    taker = sink(streams=1)
    peer = connect(taker)
    peer.sendall(b"x")
    until(lambda: there.snapshot(taker).bytes == 1, "it arrives")
    reset(peer)
    equal(all_ended(there, taker, 1).streams[0]["error"], errno.ECONNRESET,
          what="error")
    with connect(taker) as peer:
        peer.sendall(b"xy")
        peer.shutdown(socket.SHUT_WR)
        equal(peer.recv(1), b"", what="answer")
    stream = all_ended(there, taker, 1).streams[0]
    equal((stream["error"], stream["counters"]["bytes"]), (0, 2),
          what="error, bytes")


def crowd():
    """Connections without a free stream are reset and counted."""
    taker = sink(streams=2)
    with connect(taker), connect(taker):
        until(lambda: there.snapshot(taker).run["accepted"] == 2, "accepted")
        try:
            with connect(taker) as other:
                other.recv(1)
        except ConnectionResetError:
            pass
        else:
            raise AssertionError("the third was not reset")
        run = there.snapshot(taker).run
        equal((run["accepted"], run["refused"]), (2, 1), what="accepted, refused")


def copied():
    """Pages that a device cannot gather are copied, which is reported."""
    taker = sink()
    try:
        for gathers, method, copies in (("on", "zerocopy", False),
                                        ("off", "zerocopy", True),
                                        ("off", "copy", False)):
            shell(f"ethtool -K veth0 sg {gathers}")
            giver = source(taker["local-port"], method=method, bytes=100000,
                           streams=2)
            sent = here.wait(giver, "bytes")
            equal([bool(stream.get("copied")) for stream in sent.streams],
                  [copies] * 2, what=f"copied, {method}, sg {gathers}")
    finally:
        shell("ethtool -K veth0 sg on tso on")


def in_effect():
    """Defaults, as Documentation/netlink/specs/ktput.yaml has them."""
    taker = sink()
    config = config_of(there, taker)
    equal(config["streams"], 1024, what="streams")
    equal(config["drain-timeout"], 10 * SECOND, what="drain-timeout")
    equal(config["connect-timeout"], 5 * SECOND, what="connect-timeout")
    equal(config["method"], "zerocopy", what="method")
    giver = source(taker["local-port"], pace=1000, connect_timeout=7 * SECOND,
                   drain_timeout=3 * SECOND, tos=16, priority=5, sndbuf=10000,
                   size=333)
    config = config_of(here, giver)
    for name, value in (("streams", 1), ("pace", 1000), ("tos", 16),
                        ("connect-timeout", 7 * SECOND), ("priority", 5),
                        ("drain-timeout", 3 * SECOND), ("sndbuf", 10000),
                        ("size", 333), ("method", "zerocopy"),
                        ("remote-port", taker["local-port"]), ("cpus", "0")):
        equal(config[name], value, what=name)


def listed():
    """Each run once, and a number is not used again."""
    runs = [sink()["id"] for _ in range(3)]
    equal([run["id"] for run in there.list()], runs, what="runs")
    there.forget(runs[-1:])
    assert sink()["id"] > runs[-1], "a number came again"


def down():
    """A device has to be up."""
    shell("ip link add down0 type dummy")
    try:
        here.refused(errno.ENETDOWN, "^dev is down", "sink",
                     dev=index("down0"), **TCP)
    finally:
        shell("ip link del down0")


def first_reason():
    """The first reason to end stays, and so does the time of the end."""
    taker = sink()
    giver = source(taker["local-port"], pace=10 ** 6,
                   time=SECOND // 5)
    ended = here.wait(giver, "time").run
    here.family.do("run-stop", {"run-id": giver["id"]})
    now = here.find(giver)
    for name in "reason", "ended", "error":
        equal(ended[name], now[name], what=name)


def in_time(least):
    """An end after a time is not before it."""
    taker = sink()
    run = here.wait(source(taker["local-port"], pace=10 ** 6,
                           time=least), "time").run
    took = run["ended"] - run["begun"]
    assert least <= took < least + BOUND * SECOND, f"{took} ns"


def resets():
    """A peer that resets ends a source at once, with what it did."""
    with listener() as (listening, port):
        giver = source(port, drain_timeout=600 * SECOND, pace=10 ** 6)
        peer = listening.accept()[0]
        peer.recv(1)
        reset(peer)
        got = here.wait(giver, "reset")
    equal(got.run["error"], got.streams[0]["error"], what="error")
    assert got.run["error"] in (errno.ECONNRESET, errno.EPIPE), got.run["error"]


def drains():
    """What was sent arrives, however late the peer reads it."""
    size = 200000
    with listener(SO_RCVBUF=8192) as (listening, port):
        giver = source(port, bytes=size, size=1000, sndbuf=ROOM)
        with listening.accept()[0] as peer:
            until(lambda: here.snapshot(giver).bytes == size, "all is sent")
            time.sleep(0.2)
            equal(here.find(giver)["state"], "draining", what="state")
            got = 0
            while part := peer.recv(65536):
                got += len(part)
            equal(got, size, what="bytes")
        here.wait(giver, "bytes")


def ends_soon():
    """It has time to drain, and does not wait for that to be over."""
    taker = sink()
    giver = source(taker["local-port"], messages=2, streams=2,
                   drain_timeout=600 * SECOND)
    equal(here.wait(giver, "messages").messages, 2, what="messages")


def once():
    """A sink for its streams' first connections ends after the last of them."""
    taker = sink(streams=2, once=True)
    with connect(taker) as first:
        connect(taker).close()
        until(lambda: "ended" in [stream["state"] for stream in
                                  there.snapshot(taker).streams], "one ends")
        equal(there.find(taker)["state"], "running", what="state")
        first.sendall(b"x")
    equal(there.wait(taker, "peers").bytes, 1, what="bytes")


def detached():
    """A run without an owner goes on."""
    client = here.another()
    run = client.begin("sink", detach=True, **TCP)
    client.close()
    time.sleep(0.2)
    equal(here.find(run)["state"], "running", what="state")


def owners():
    """A run ends with its own owner."""
    clients = here.another(), here.another()
    runs = [client.begin("sink", **TCP) for client in clients]
    clients[0].close()
    until(lambda: not here.find(runs[0]), "its end")
    equal(here.find(runs[1])["state"], "running", what="state")
    clients[1].close()
    until(lambda: not here.find(runs[1]), "its end")


def devices():
    """A run ends with its own device."""
    shell("ip link add own0 type dummy; ip link set own0 up; "
          "ip link add other0 type dummy; ip link set other0 up")
    try:
        bound = here.start("sink", dev=index("own0"), **TCP)
        free = here.start("sink", **TCP)
        shell("ip link del other0")
        time.sleep(0.2)
        equal(here.find(bound)["state"], here.find(free)["state"], "running",
              what="state")
        shell("ip link set own0 down")
        here.wait(bound, "device-down")
        equal(here.find(free)["state"], "running", what="state")
    finally:
        shell("ip link del own0")


def cpus():
    """A run ends with its own CPU."""
    if not os.access(CPU1, os.W_OK):
        raise Skip("CPU 1 cannot be taken offline")
    runs = [here.start("sink", cpus=cpu, **TCP) for cpu in "01"]
    try:
        shell(f"echo 0 >{CPU1}")
        here.wait(runs[1], "cpu")
        equal(here.find(runs[0])["state"], "running", what="state")
    finally:
        shell(f"echo 1 >{CPU1}")


def versions():
    """An address of IPv6 is no address of IPv4, and none is of both."""
    for local, good in ("::", False), (None, True):
        taker = sink(local=local)
        try:
            connect(taker).close()
        except ConnectionRefusedError:
            assert not good, "it was refused"
        else:
            assert good, "it was accepted"


def segments():
    """Segments are no larger than asked for, less the time stamps."""
    taker = sink()
    giver = source(taker["local-port"], mss=500, bytes=5000)
    equal(told(here.wait(giver, "bytes").streams[0], SEND_MSS), 488,
          what="bytes of a segment")


def keepalive():
    """A peer that vanishes does not stay for ever."""
    taker = sink()
    with connect(taker):
        until(lambda: there.snapshot(taker).run["accepted"], "accepted")
        said = shell(f"ip netns exec {PEER} ss -Htno state established "
                     f"'sport = :{taker['local-port']}'")
    assert "timer:(keepalive" in said, said


def ports():
    """Consecutive ports of an address."""
    taker = sink()
    giver = source(taker["local-port"], local="10.9.0.1", local_port=7000,
                   streams=3, pace=1000)
    equal([stream["local-port"] for stream in here.snapshot(giver).streams],
          [7000, 7001, 7002], what="ports")


for out, into in itertools.product(("copy", "zerocopy"), ("copy", "trunc", "zerocopy")):
    tests.add(f"{out} to {into}: to the message", to_the_message, out, into)
tests.add("an end in bytes: to the byte", to_the_byte)
tests.add("a send buffer that is full", full)
tests.add("a stream that is used again", used_again)
tests.add("a stream that is used again after a reset", after_a_reset)
tests.add("more than it has streams", crowd)
tests.add("pages that are copied", copied)
tests.add("a configuration is told as it is in effect", in_effect)
tests.add("runs are listed", listed)
tests.add("a device that is down", down)
tests.add("stopped twice", first_reason)
tests.add("an end after a time: not before its time", in_time, SECOND // 5)
tests.add("a peer that resets", resets)
tests.add("a source has its drain time", drains)
tests.add("a source that has drained ends soon", ends_soon)
tests.add("a sink that is once", once)
tests.add("detach", detached)
tests.add("the end of another owner", owners)
tests.add("the end of a device that is not its own", devices)
tests.add("the end of a CPU that is not its own", cpus)
tests.add("an address that is only of IPv6", versions)
tests.add("segments", segments)
tests.add("keepalive", keepalive)
tests.add("consecutive ports", ports)
sys.exit(tests.run())
