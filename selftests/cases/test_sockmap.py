#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""A BPF program puts each TCP socket into a sockmap, except those of a run.

The program is sockmap.bpf.c. It puts sockets of PORT into a sockmap as soon as they
listen or are connected, and COUNTS is its pinned map. 10.9.0.1 is the address of
veth0 here, 10.9.0.2 that of its peer in another namespace.

exit: 0 all went well, 1 something did not
"""

import contextlib
import json
import os
import socket
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, Tests, equal
from testbed import (TOP, enter, inside, module, need, shell, skip_all,
                     succeeds, until, veth_pair)

PORT = 5007
THERE = "10.9.0.2"
TCP = {"transport": "tcp", "cookie": None}
# BPF_SOCK_OPS_..._CB of linux/bpf.h.
OPS = {"connects": 4, "accepts": 5, "listens": 11}
REQUESTS = 200
# Of a sink: no connection is refused since those before have not ended.
STREAMS = 64


@contextlib.contextmanager
def program():
    """The program is attached to the root cgroup; the path of its counts."""
    with contextlib.ExitStack() as undo:
        # libbpf makes a "_" of each "." in where it pins.
        directory = tempfile.mkdtemp(prefix="ktput-")
        undo.callback(shell, f"rm -rf --one-file-system {directory}")
        for kind in "cgroup2", "bpf":
            place = f"{directory}/{kind}"
            os.mkdir(place)
            if not succeeds(f"mount -t {kind} none {place}"):
                skip_all(f"no {kind} can be mounted")
            undo.callback(shell, f"umount {place}")
        # Workers connect in the root of cgroups.
        cgroup, pins = f"{directory}/cgroup2", f"{directory}/bpf"
        # The target has no headers of its own: those of the host.
        shell(f"clang -target bpf -O2 -g -Wall -Wextra -Werror -DPORT={PORT} "
              "-idirafter /usr/include/$(gcc -print-multiarch) "
              f"-c {TOP}/selftests/cases/sockmap.bpf.c "
              f"-o {directory}/sockmap.bpf.o")
        if not succeeds(f"bpftool prog load {directory}/sockmap.bpf.o "
                        f"{pins}/take pinmaps {pins}"):
            skip_all("the program does not load")
        attached = f"{cgroup} cgroup_sock_ops pinned {pins}/take"
        if not succeeds(f"bpftool cgroup attach {attached} multi"):
            skip_all("the cgroup takes no such program")
        undo.callback(shell, f"bpftool cgroup detach {attached}")
        yield f"{pins}/counts"


need("ip", "clang", "gcc", "bpftool")
enter(module())
_, PEER = enter(veth_pair())
COUNTS = enter(program())
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
sys.exit(tests.run())
