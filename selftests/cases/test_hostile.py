#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Hostile peers: what they send is counted or refused, and takes no more
memory than its bound, while genuine streams stay exact.

10.9.0.1 is the address of veth0 here, 10.9.0.2 that of its peer in another
namespace. That one routes 198.18.0.0/15 and 10.9.0.77 to here, where no device has
these addresses.

environment:
  HOSTILE_SEED  seed of random packets; a random one by default

exit: 0 all went well, 1 something did not
"""

import contextlib
import hashlib
import os
import random
import re
import secrets
import signal
import socket
import struct
import subprocess
import sys
import threading

sys.path.insert(0, sys.path[0] + "/../lib")
import segments
from ktput import COOKIE, Client, Tests, equal, index, mac
from segments import ACK, PSH, RST, SYN
from testbed import enter, inside, module, need, shell, until, veth_pair

SEED = int(os.environ.get("HOSTILE_SEED") or secrets.randbits(32))
HERE, THERE, NOBODY = "10.9.0.1", "10.9.0.2", "10.9.0.77"
PORT = 5001
TCP = {"transport": "tcp", "cookie": None}
HEADER = struct.Struct(">IIQ")
BACKLOG = 256
# Round trips beside a flood.
TRIPS = 20
# Pages that a CPU keeps of each protocol's, not to count all the time
# (SK_MEMORY_PCPU_RESERVE), and some on their way.
SLACK = ((1 << 20) // os.sysconf("SC_PAGESIZE")) * os.cpu_count() + 64

need("ip", "ktput-ctl")
enter(module())
_, PEER = enter(veth_pair(sysctls=("net.ipv6.conf.all.disable_ipv6=1",
                                   "net.ipv6.conf.default.disable_ipv6=1")))
# A test can fill this backlog, which is soon empty again.
shell(f"ip netns exec {PEER} sysctl -qw net.core.somaxconn={BACKLOG} "
      "net.ipv4.tcp_synack_retries=1")
# Answers to addresses that do not exist are dropped here.
for address in HERE, NOBODY:
    shell(f"ip -n {PEER} neigh replace {address} "
          f"lladdr {mac('veth0').hex(':')} dev veth0")
shell(f"ip -n {PEER} route add 198.18.0.0/15 via {HERE}")
here = Client()
there = Client(PEER)
wire = segments.Wire("veth0", mac("veth0"), mac("veth0", PEER))
pick = random.Random(SEED)
tests = Tests()
tests.after = [here.clear, there.clear]


def anybody():
    """A random address that no host has."""
    return f"198.18.{pick.randrange(256)}.{pick.randrange(1, 255)}"


def sockets(state=None):
    """How many TCP sockets there are there, besides time-waits."""
    with inside(PEER):
        lines = []
        for name in "tcp", "tcp6":
            with open("/proc/thread-self/net/" + name,
                      encoding="ascii") as file:
                lines += file.readlines()[1:]
    states = [line.split()[3] for line in lines]
    if state:
        return states.count(state)
    return sum(value != "06" for value in states)


def kernel_memory():
    """Pages of TCP's buffers, and those of UDP's."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        return [int(pages) for pages in re.findall(r"mem (\d+)", file.read())]


def streams_to(client, run, port):
    """The stream of a run whose peer has this port."""
    return next(stream for stream in client.snapshot(run).streams
                if stream.get("remote-port") == port)


@contextlib.contextmanager
def genuine(**sink):
    """A TCP stream that what is done meanwhile does nothing to."""
    sockets_before = sockets()
    memory = kernel_memory()
    taker = there.start("sink", local_port=PORT, **TCP, **sink)
    giver = here.start("source", remote=THERE, remote_port=PORT,
                       pace=1000000, size=16384, **TCP)
    port = here.snapshot(giver).streams[0]["local-port"]
    yield taker, port
    sent = here.stop(giver)

    def ended():
        stream = streams_to(there, taker, port)
        return stream if stream["state"] == "ended" else None
    got = until(ended, "the sink's stream ends")
    assert sent.bytes, "the genuine stream sent nothing"
    equal(sent.bytes, got["counters"]["bytes"], what="bytes")
    # The listener, and no socket of closed peers.
    until(lambda: sockets() <= sockets_before + 1, "sockets are gone")
    equal(there.snapshot(taker).run["state"], "running", what="state")
    until(lambda: kernel_memory()[0] <= memory[0] + SLACK, "buffers are free")


def random_segment(port):
    """Hardly one of it is well-formed, and none is what a peer would send."""
    number = pick.getrandbits
    ports = pick.randrange(1, 65536), PORT
    numbers = number(32), number(32)
    payload = pick.randbytes(pick.randrange(200))
    kind = pick.randrange(6)
    if kind == 0:
        # Like those of the genuine stream, except the sequence.
        return segments.tcp(HERE, THERE, (port, PORT), numbers,
                            pick.choice((RST, RST | ACK, SYN, SYN | ACK, ACK)))
    if kind == 1:
        return segments.tcp(HERE, THERE, (port, PORT), numbers, PSH | ACK,
                            payload=payload, wrong=pick.randrange(1, 65535))
    if kind == 2:
        return segments.tcp(anybody(), THERE, ports, numbers, number(8),
                            payload=payload, words=number(4))
    if kind == 3:
        return segments.tcp(anybody(), THERE, ports, numbers, number(8),
                            options=pick.randbytes(4 * pick.randrange(11)),
                            payload=payload)
    if kind == 4:
        return segments.tcp(anybody(), THERE, ports, numbers, number(8),
                            payload=payload, length=number(16),
                            version_ihl=pick.choice((0x45, 0x44, 0x4F)))
    return segments.tcp(anybody(), THERE, ports, numbers, number(8),
                        payload=payload, fragment=number(16))


def random_segments():
    """A sink's port gets 2,000 of them."""
    with genuine() as (_, port):
        for _ in range(2000):
            wire.send(random_segment(port))


def garbage_streams():
    """Connections that send random data, and end in random ways."""
    count = 120
    with genuine(streams=8) as (taker, _):
        peers = []
        for _ in range(count):
            peer = socket.socket()
            with contextlib.suppress(OSError):
                # If there is no stream for it, it may be reset by now.
                peer.connect((THERE, PORT))
                peer.setblocking(False)
                peer.send(pick.randbytes(pick.randrange(5000)))
                if pick.random() < 0.2:
                    peer.send(b"!", socket.MSG_OOB)
            if pick.random() < 0.3:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                struct.pack("ii", 1, 0))
            peers.append(peer)
            if len(peers) > 20:
                peers.pop(pick.randrange(20)).close()

        def counted():
            run = there.snapshot(taker).run
            return run["accepted"] + run["refused"] == count + 1 and run
        run = until(counted, f"{count} connections are counted")
        assert run["refused"], "none was refused, with all streams in use"
        for peer in peers:
            peer.close()


def half_open():
    """Thousands of them, no more of which are kept than the backlog."""
    with genuine() as (_, _):
        most = 0
        for nr in range(3000):
            wire.send(segments.tcp(anybody(), THERE,
                                   (pick.randrange(1, 65536), PORT),
                                   (pick.getrandbits(32), 0), SYN))
            if nr % 500 == 499:
                most = max(most, sockets("03"))
        # Each CPU may find room before another has taken the last of it.
        assert BACKLOG // 2 < most <= BACKLOG + os.cpu_count(), \
            f"{most} half-open"
        # Genuine connections are served by SYN cookies.
        with socket.create_connection((THERE, PORT), 30) as peer:
            peer.send(b"1")


def datagrams(layer, **config):
    """Random ones, from others, without the cookie, cut off, or broken."""
    device = {"dev": index("veth0", PEER), "layer": layer} \
        if layer == "ingress" else {}
    if layer == "socket":
        # All that comes fits, however late the thread is.
        device["rcvbuf"] = 1 << 24
    taker = there.start("sink", local=THERE, local_port=PORT, **config,
                        **device)
    giver = here.start("source", remote=THERE, remote_port=PORT,
                       packet_rate=500, size=100)
    memory = kernel_memory()
    kinds = [pick.randrange(10) for _ in range(1000)]
    wrong = 0
    for kind in kinds:
        payload = bytes([pick.randrange(64)]) + \
            pick.randbytes(pick.randrange(1, 160))
        # Others are too short to be dropped by the socket (CHECKSUM_BREAK).
        wrong += kind == 0 and len(payload) + 8 > 76
        wire.send(segments.udp(
            anybody(), THERE, (pick.randrange(1, 65536), PORT), payload,
            wrong=7 * (kind == 0),
            length=pick.randrange(8) if kind == 1 else None))
    ended = here.stop(giver)
    until(lambda: there.snapshot(taker).datagrams >= ended.messages,
          "all datagrams have arrived")
    got = there.stop(taker)
    equal(got.datagrams, ended.messages, what="datagrams")
    equal((got.lost, got.duplicates, got.late), (0, 0, 0),
          what="lost, duplicates, late")
    if layer == "socket":
        # Those of kind 1, whose length is wrong, do not reach a socket.
        equal(got.drops, wrong, what="wrong checksums")
        equal(got.foreign, sum(kind > 1 for kind in kinds), what="foreign")
    until(lambda: kernel_memory()[1] <= memory[1] + SLACK, "buffers are free")


def forged():
    """With the cookie: they are the run's, and add up as its own would."""
    taker = there.start("sink", local_port=PORT)
    count, following = 1000, 0
    for _ in range(count):
        sequence = pick.choice((0, 1, following, 0x7FFFFFFF, 0x80000000,
                                0xFFFFFFFF, pick.getrandbits(32)))
        time = pick.choice((0, 1 << 63, (1 << 64) - 1, pick.getrandbits(64)))
        wire.send(segments.udp(anybody(), THERE, (9, PORT),
                               HEADER.pack(COOKIE, sequence, time)))
        if (sequence - following) & 0x80000000 == 0:
            following = (sequence + 1) & 0xFFFFFFFF
    until(lambda: there.snapshot(taker).datagrams >= count, "all arrive")
    got = there.stop(taker)
    equal(got.datagrams, count, what="datagrams")
    equal((got.datagrams - got.duplicates - got.late + got.lost) & 0xFFFFFFFF,
          following, what="highest number and one")


def closed_window():
    """A peer that reads nothing, then byte by byte."""
    buffer = 65536
    with socket.create_server((HERE, PORT)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        run = there.start("source", remote=HERE, remote_port=PORT,
                          sndbuf=buffer, drain_timeout=100000000, **TCP)
        with listener.accept()[0] as peer:
            last = []

            def stuck():
                last.append(there.snapshot(run).bytes)
                return last[-1] and last[-5:] == [last[-1]] * 5
            until(stuck, "the source waits")
            assert last[-1] <= 4 * buffer, f"{last[-1]} bytes were taken"
            for _ in range(2000):
                equal(len(peer.recv(1)), 1, what="bytes read")
            ended = there.stop(run)
            assert ended.bytes <= last[-1] + 4 * buffer, "more than it may"
    until(lambda: sockets() == 0, "no socket is left")


def one_byte_windows():
    """A peer that takes a byte at a time, and then none, for ever."""
    buffer = 65536
    started = []

    def start():
        started.append(there.start(
            "source", remote=NOBODY, remote_port=PORT, sndbuf=buffer,
            drain_timeout=100000000, connect_timeout=30 * 10 ** 9, **TCP))
    thread = threading.Thread(target=start)
    thread.start()

    def to_peer(packet):
        return packet[9] == 6 and packet[16:20] == socket.inet_aton(NOBODY)

    def numbers(packet):
        """Port, sequence, and bytes of payload."""
        port, _, sequence, _, words = struct.unpack("!HHIIB", packet[20:33])
        size = struct.unpack("!H", packet[2:4])[0]
        return port, sequence, size - 20 - (words >> 4) * 4

    def answer(port, mine, theirs, flags, window):
        wire.send(segments.tcp(NOBODY, THERE, (PORT, port), (mine, theirs),
                               flags, window))
    port, first, _ = numbers(wire.receive(
        lambda packet: to_peer(packet) and packet[33] == SYN))
    answer(port, 1000, first + 1, SYN | ACK, 1)
    taken = 0
    while taken < 8:
        port, sequence, size = numbers(wire.receive(to_peer))
        if size and sequence == (first + 1 + taken) & 0xFFFFFFFF:
            equal(size, 1, what="bytes in a window of one")
            taken += 1
        answer(port, 1001, (first + 1 + taken) & 0xFFFFFFFF, ACK, 1)
    answer(port, 1001, (first + 1 + taken) & 0xFFFFFFFF, ACK, 0)
    thread.join()
    run = started[0]
    snapshot = there.snapshot(run)
    equal(snapshot.run["state"], "running", what="state")
    assert taken <= snapshot.bytes <= 4 * buffer, f"{snapshot.bytes} bytes"
    there.stop(run)
    until(lambda: sockets() == 0, "no socket is left")


def latency(snapshot, name):
    """A sum over all CPUs."""
    return sum(part.get(name, 0) for part in snapshot.latency)


def round_trips(snapshot):
    """How many there were, without requests that were under way at the end."""
    return sum(sum(struct.unpack(f"{len(part['counts']) // 8}Q",
                                 part["counts"]))
               for part in snapshot.latency if "counts" in part) - \
        latency(snapshot, "unanswered")


def wrong_responses(reply):
    """Garbage, and what is too short, too long, repeated, stale or absent."""
    count = 13
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind((HERE, PORT))
        peer.settimeout(30)
        run = there.start("source", pattern="ping-pong", remote=HERE,
                          remote_port=PORT, messages=count, reply=reply,
                          timeout=2 * 10 ** 9, method="direct")
        silent = late = 0
        for nr in range(count):
            request, address = peer.recvfrom(65536)
            cookie, sequence, time = HEADER.unpack_from(request)
            equal(cookie, COOKIE, what="cookie")
            kind = nr % 6
            stale = HEADER.pack(cookie, sequence ^ 0x5A5A5A, time)
            if kind in (1, 2):
                peer.sendto(HEADER.pack(cookie ^ 1, sequence, time), address)
                peer.sendto(request[:7], address)
                peer.sendto(b"", address)
                peer.sendto(pick.randbytes(60000), address)
            if kind == 2:
                silent += 1
                continue
            if kind == 3:
                peer.sendto(stale, address)
                late += 1
            peer.sendto(request + b"x" * (50000 * (kind == 4)), address)
            if kind == 5:
                peer.sendto(request, address)
                late += 1
        got = there.wait(run, "messages")
    equal(round_trips(got), count - silent, what="round trips")
    equal(latency(got, "timeouts"), silent, what="requests given up")
    equal(latency(got, "late"), late, what="late or again")


def wrong_stream(reply, end, reason, error):
    """A TCP peer that answers well, and then does not."""
    with socket.create_server((HERE, PORT)) as listener:
        run = there.start("source", pattern="ping-pong", remote=HERE,
                          remote_port=PORT, reply=reply, packet_rate=20,
                          drain_timeout=100000000, **TCP)
        with listener.accept()[0] as peer:
            for _ in range(5):
                peer.sendall(peer.recv(64, socket.MSG_WAITALL))
            peer.recv(64, socket.MSG_WAITALL)
            end(peer)
            got = there.wait(run, reason)
    equal(got.run["error"], error, what="errno")
    equal(round_trips(got), 5 + (error == 71), what="round trips")
    equal(latency(got, "unanswered"), error != 71, what="under way at the end")


def flood_of_requests(reply):
    """Requests of a byte whose responses are not read, beside others.

    Each of the others waits for a turn or more of the flood: seconds, on a kernel that
    checks each access.
    """
    taker = there.start("sink", pattern="ping-pong", local_port=PORT,
                        request=1, response=1, reply=reply, **TCP)
    with socket.create_connection((THERE, PORT), 30) as peer:
        peer.settimeout(30)
        giver = here.start("source", pattern="ping-pong", remote=THERE,
                           remote_port=PORT, request=1, response=1,
                           messages=TRIPS, **TCP)
        asked = 200000
        writer = threading.Thread(target=peer.sendall, args=(bytes(asked),))
        writer.start()
        got = here.wait(giver, "messages")
        equal(round_trips(got), TRIPS, what="round trips")
        left = asked
        while left:
            left -= len(peer.recv(min(left, 65536)))
        writer.join()
    equal(there.snapshot(taker).run["state"], "running", what="state")


def transfer(listener, data):
    """Send DATA there and back by ordinary sockets; return both digests."""
    digests = []

    def echo():
        with listener.accept()[0] as peer:
            digest, left = hashlib.sha256(), len(data)
            while left:
                part = peer.recv(min(left, 65536))
                assert part, "it ended early"
                digest.update(part)
                left -= len(part)
            digests.append(digest.hexdigest())
            peer.sendall(data)
    thread = threading.Thread(target=echo)
    thread.start()
    with socket.create_connection((THERE, 6000), 30) as peer:
        peer.sendall(data)
        digest = hashlib.sha256()
        while part := peer.recv(65536):
            digest.update(part)
        digests.append(digest.hexdigest())
    thread.join()
    return digests


def others_intact(beside):
    """A connection of others through a device of ours is exact to the byte."""
    data = pick.randbytes(2 << 20)
    # TCP's port is the one that datagrams are taken at.
    with inside(PEER):
        listener = socket.create_server((THERE, 6000))
    with listener, beside():
        digests = transfer(listener, data)
    equal(hashlib.sha256(data).hexdigest(), *digests, what="digest")


def source_to(port, **config):
    """Frames to there from the driver layer."""
    return here.start("source", layer="driver", dev=index("veth0"),
                      local=HERE, local_port=7000, remote=THERE,
                      remote_port=port, mac=mac("veth0", PEER),
                      packet_rate=2000, **config)


@contextlib.contextmanager
def ingress():
    """Frames to a sink at the hook."""
    taker = there.start("sink", layer="ingress", local=THERE, local_port=6000,
                        dev=index("veth0", PEER))
    giver = source_to(6000)
    yield
    sent = here.stop(giver)
    got = there.stop(taker)
    assert sent.messages, "nothing was sent"
    equal(got.datagrams, sent.messages, what="datagrams")


@contextlib.contextmanager
def bypass():
    """Requests and responses below the stack."""
    there.start("sink", layer="ingress", local=THERE, local_port=6000,
                dev=index("veth0", PEER), pattern="ping-pong")
    giver = source_to(6000, pattern="ping-pong")
    yield
    sent = here.stop(giver)
    assert sent.messages, "there was no round trip"
    equal(round_trips(sent), sent.messages, what="round trips")


@contextlib.contextmanager
def xdp():
    """Frames to the program of ktput-ctl."""
    with subprocess.Popen(
            ["ktput-ctl", "-j", "-s", "sink", "udp", "layer", "xdp", "netns",
             PEER, "dev", "veth0", "port", "6000", "cookie", str(COOKIE)],
            stdout=subprocess.PIPE, text=True) as taker:
        try:
            until(lambda: "prog" in shell(
                f"ip -n {PEER} link show dev veth0"), "the program is there")
            giver = source_to(6000)
            yield
            sent = here.stop(giver)
        finally:
            taker.send_signal(signal.SIGINT)
        record = taker.communicate()[0]
    assert sent.messages, "nothing was sent"
    received = re.findall(r'"received": ?(\d+)', record)
    assert str(sent.messages) in received, \
        f"{sent.messages} sent, not among {received}: {record}"


def close(peer):
    """In the middle of a response."""
    peer.sendall(b"short")
    peer.close()


def reset(peer):
    """Without a word."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    peer.close()


print(f"# seed {SEED}")
tests.add("a TCP sink: random segments", random_segments)
tests.add("a TCP sink: garbage, resets, more than it has streams",
          garbage_streams)
tests.add("a TCP sink: half-open connections by the thousand", half_open)
for title, keywords in (
        ("copy", {"method": "copy"}), ("trunc", {"method": "trunc"}),
        ("in softirq", {"method": "zerocopy"}),
        ("in softirq, segments", {"method": "zerocopy", "segments": 64})):
    tests.add(f"a UDP sink, {title}: datagrams of others", datagrams, "socket",
              **keywords)
tests.add("an ingress sink: datagrams of others", datagrams, "ingress")
tests.add("a UDP sink: forged numbers and times", forged)
tests.add("a TCP source: a window that stays closed", closed_window)
tests.add("a TCP source: windows of one byte", one_byte_windows)
for way in "worker", "callback":
    tests.add(f"UDP ping-pong, {way}: wrong responses", wrong_responses, way)
    tests.add(f"TCP ping-pong, {way}: more than was asked for", wrong_stream,
              way, lambda peer: peer.sendall(bytes(64 * 3)), "error", 71)
    tests.add(f"TCP ping-pong, {way}: closed amid a response", wrong_stream,
              way, close, "reset", 104)
    tests.add(f"TCP ping-pong, {way}: reset", wrong_stream, way, reset,
              "reset", 104)
    tests.add(f"TCP ping-pong, {way}: requests by the thousand",
              flood_of_requests, way)
for what in ingress, bypass, xdp:
    tests.add(f"TCP of others beside {what.__name__}", others_intact, what)
sys.exit(tests.run())
