#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""A BPF program puts each TCP socket into a sockmap, except those of a run.

The program is in sockmap.bpf.c. It puts sockets of PORT into a sockmap as soon as
they listen or are connected, and tries to set an upper layer protocol. Other
programs there see what sockets of the sockmap send and receive. COUNTS is the pinned
map of what they did. 10.9.0.1 is the address of veth0 here, 10.9.0.2 that of its
peer in another namespace.

exit: 0 all went well, 1 something did not
"""

import json
import socket
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from bpf import programs
from ktput import Client, Tests, equal
from testbed import enter, inside, module, need, shell, until, veth_pair

PORT = 5007
THERE = "10.9.0.2"
TCP = {"transport": "tcp", "cookie": None}
# BPF_SOCK_OPS_..._CB of linux/bpf.h.
OPS = {"connects": 4, "accepts": 5, "listens": 11}
# Entries of sockmap.bpf.c.
SENT, RECEIVED, ULP = 20, 21, 22
DATA = bytes(50000)
REQUESTS = 200
# Of a sink: no connection is refused since those before have not ended.
STREAMS = 64


need("ip", "clang", "gcc", "bpftool")
enter(module())
_, PEER = enter(veth_pair())
PINS = enter(programs("sockmap.bpf.c", {"take": "cgroup_sock_ops"}, PORT=PORT))
COUNTS = PINS + "/counts"
for name, kind in ("sends", "sk_msg_verdict"), ("receives",
                                                "sk_skb_stream_verdict"):
    shell(f"bpftool prog attach pinned {PINS}/programs/{name} {kind} "
          f"pinned {PINS}/sockets")
here = Client()
there = Client(PEER)
tests = Tests()
tests.after = [here.clear, there.clear]


def entries():
    """Pairs of counts by their entries."""
    return {entry["formatted"]["key"]: entry["formatted"]["value"]
            for entry in json.loads(
                shell(f"bpftool -j map dump pinned {COUNTS}"))}


def counts():
    """How often each happened: that the program tried, and that it took."""
    found = entries()
    return {name: tuple(found[number]) for name, number in OPS.items()}


def happened(before):
    """The same since then."""
    now = counts()
    return {name: tuple(new - old for new, old in zip(now[name], before[name]))
            for name in OPS}


def judged():
    """Bytes sent and received by sockets of the sockmap."""
    found = entries()
    return found[SENT][1], found[RECEIVED][1]


def all_gone():
    """No socket is left, in any state with timers."""
    for netns in None, PEER:
        with inside(netns):
            until(lambda: all(line.startswith("TIME-WAIT") for line in shell(
                f"ss -Htan 'sport = :{PORT} or dport = :{PORT}'"
            ).splitlines()), "no socket is left")


def received(snapshot):
    """Bytes on all CPUs: a stream has only those of its last connection."""
    return sum(cpu["counters"]["bytes"] for cpu in snapshot.cpus)


def takes_others():
    """The program does what it is there for with sockets of no run."""
    before = counts()
    with inside(PEER):
        listener = socket.create_server((THERE, PORT))
    with listener, socket.create_connection((THERE, PORT), 30) as peer:
        listener.accept()[0].close()
        equal(peer.recv(1), b"", what="received")
    equal(happened(before), {name: (1, 1) for name in OPS}, what="taken")


def from_others():
    """A sink has all that comes from a socket of the sockmap."""
    before, sent = counts(), judged()[0]
    taker = there.start("sink", local_port=PORT, **TCP)
    with socket.create_connection((THERE, PORT), 30) as giver:
        giver.sendall(DATA)
        until(lambda: received(there.snapshot(taker)) >= len(DATA),
              "the sink has all")
    equal(received(there.stop(taker)), len(DATA), what="bytes")
    equal(judged()[0] - sent, len(DATA), what="bytes of verdicts")
    equal(happened(before), {"connects": (1, 1), "listens": (1, 0),
                             "accepts": (1, 0)}, what="taken")


def to_others():
    """A source sends all to a socket of the sockmap."""
    before, came = counts(), judged()[1]
    with inside(PEER):
        listener = socket.create_server((THERE, PORT))
    with listener:
        giver = here.start("source", remote=THERE, remote_port=PORT, **TCP,
                           size=1000, bytes=len(DATA))
        with listener.accept()[0] as taker:
            taker.settimeout(30)
            left = len(DATA)
            while left:
                left -= len(taker.recv(left))
            equal(taker.recv(1), b"", what="received")
        equal(here.wait(giver, "bytes").bytes, len(DATA), what="bytes")
    equal(judged()[1] - came, len(DATA), what="bytes of verdicts")
    equal(happened(before), {"connects": (1, 0), "listens": (1, 1),
                             "accepts": (1, 1)}, what="taken")


def no_upper_layer():
    """The kernel lets no program set an upper layer protocol."""
    tried, done = entries()[ULP]
    assert tried, "no program tried"
    equal(done, 0, what="sockets with TLS")


def exact(connections, both, **source):
    """A run is as it would be without the program, which is refused."""
    before, verdicts = counts(), judged()
    taker = there.start("sink", local_port=PORT, streams=STREAMS, **TCP,
                        **both)
    giver = here.start("source", remote=THERE, remote_port=PORT, **TCP, **both,
                       **source)
    gave = here.wait(giver, "messages")

    until(lambda: received(there.snapshot(taker)) >= gave.bytes,
          "the sink has all")
    took = there.stop(taker)
    equal(gave.bytes, received(took), what="bytes")
    equal((took.run["accepted"], took.run["refused"]), (connections, 0),
          what="accepted and refused")
    equal(happened(before), {"connects": (connections, 0), "listens": (1, 0),
                             "accepts": (connections, 0)}, what="taken")
    equal(judged(), verdicts, what="bytes of verdicts")
    all_gone()


tests.add("the program takes sockets of others", takes_others)
for method in "copy", "zerocopy":
    tests.add(f"streams of TCP, {method}", exact, 4, {}, streams=4,
              method=method, size=65536, messages=400)
for way in "worker", "callback":
    tests.add(f"ping-pong, {way}", exact, 4,
              {"pattern": "ping-pong", "reply": way}, streams=4,
              messages=REQUESTS)
tests.add("ping-pong, a connection for each request", exact, REQUESTS,
          {"pattern": "ping-pong"}, streams=4, connect_per_request=True,
          messages=REQUESTS)
tests.add("from others to a sink", from_others)
tests.add("from a source to others", to_others)
tests.add("no upper layer protocol", no_upper_layer)
sys.exit(tests.run())
