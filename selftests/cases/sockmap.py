#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A BPF program wants each TCP socket for a sockmap: it has none of a run's.

usage: sockmap.py NETNS PORT COUNTS

Runs in a namespace whose veth0 leads to that of NETNS, 10.9.0.1 here and
10.9.0.2 there. COUNTS is the pinned map of sockmap.bpf.c, which wants the
sockets of PORT. See test_sockmap.sh, which calls this.

exit: 0 all went well, 1 something did not
"""

import json
import socket
import sys

from ktput import Client, Tests, equal, inside, shell, until

if len(sys.argv) != 4:
    sys.exit(__doc__)
PEER, PORT, COUNTS = sys.argv[1], int(sys.argv[2]), sys.argv[3]
THERE = "10.9.0.2"
TCP = {"transport": "tcp", "cookie": None}
# BPF_SOCK_OPS_..._CB of linux/bpf.h.
OPS = {"connects": 4, "accepts": 5, "listens": 11}
REQUESTS = 200
# Of a sink: no connection is refused since those before have not ended.
STREAMS = 64

here = Client()
there = Client(PEER)
tests = Tests()
tests.after = [here.clear, there.clear]


def counts():
    """How often each happened: that the program tried, and that it took."""
    entries = {entry["formatted"]["key"]: entry["formatted"]["value"]
               for entry in json.loads(
                   shell(f"bpftool -j map dump pinned {COUNTS}"))}
    return {name: tuple(entries[number]) for name, number in OPS.items()}


def happened(before):
    """The same since then."""
    now = counts()
    return {name: tuple(new - old for new, old in zip(now[name], before[name]))
            for name in OPS}


def all_gone():
    """No socket is left, in any state with timers."""
    for netns in None, PEER:
        with inside(netns):
            until(lambda: all(line.startswith("TIME-WAIT") for line in shell(
                f"ss -Htan 'sport = :{PORT} or dport = :{PORT}'"
            ).splitlines()), "no socket is left")


def received(snapshot):
    """Bytes on all CPUs: a stream tells those of its last connection alone."""
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


def exact(connections, both, **source):
    """A run is as it would be without the program, which is refused."""
    before = counts()
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
    all_gone()


tests.add("the program takes sockets of others", takes_others)
for method in "copy", "pages":
    tests.add(f"streams of TCP, {method}", exact, 4, {}, streams=4,
              method=method, message_size=65536, end_messages=400)
for way in "worker", "callback":
    tests.add(f"ping-pong, {way}", exact, 4,
              {"pattern": "ping-pong", "reply": way}, streams=4,
              end_messages=REQUESTS)
tests.add("ping-pong, a connection for each request", exact, REQUESTS,
          {"pattern": "ping-pong"}, streams=4, connect_per_request=True,
          end_messages=REQUESTS)
sys.exit(tests.run())
