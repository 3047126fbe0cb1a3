#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Snapshots: the parts that a reader asks for, and runs of many streams.

exit: 0 all went well, 1 something did not
"""

import errno
import os
import socket
import struct
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
import genl
from ktput import COOKIE, MINUTE, Client, Tests, equal
from testbed import TOP, enter, module, need, own_namespace

NUMBER = genl.constants(TOP + "/kmod/uapi/linux/ktput.h")
PORTION = NUMBER["SNAPSHOT_PORTION"]
# Beyond some portions, and no multiple of one.
MANY = 5 * PORTION + 3
ENDINGS = 100
TCP = {"transport": "tcp", "cookie": None}
CONTEXTS = "PREEMPT_RT" not in os.uname().version

need("ip")
enter(module())
enter(own_namespace())
here = Client()
tests = Tests()
tests.after = [here.clear]


def messages(run, *parts):
    """The messages of a snapshot, by what they are of."""
    found = {}
    for message in here.family.dump("counters-get", {
            "run-id": run["id"], "parts": set(parts)}):
        for name, value in message.items():
            found.setdefault(name, []).append(value)
    return found


def parts():
    """There is what is asked for."""
    run = here.start("sink", streams=MANY, local_port=1000, peer_silence=10 ** 9)
    sums = messages(run)
    equal(sorted(sums), ["cpu", "run"], what="without parts")
    assert not any("contexts" in cpu for cpu in sums["cpu"]), "contexts"
    equal(sorted(messages(run, "streams")), ["cpu", "run", "stream"],
          what="streams")
    if CONTEXTS:
        assert all("contexts" in cpu
                   for cpu in messages(run, "contexts")["cpu"]), "no contexts"
    everything = here.snapshot(run)
    equal(len(everything.streams), MANY, what="streams unless said otherwise")
    equal(sorted(sums["cpu"][0]["counters"]),
          sorted(everything.cpus[0]["counters"]), what="counters")


def unknown():
    """A part that does not exist is refused."""
    run = here.start("sink")
    raw = genl.Netlink()
    payload = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                             struct.pack("=I", run["id"]))
    payload += genl.attribute(NUMBER["A_MESSAGE_PARTS"], struct.pack("=I", 16))
    error = raw.call(raw.family("ktput"), NUMBER["CMD_COUNTERS_GET"], payload,
                     genl.NLM_F_DUMP | genl.NLM_F_ACK)[0]
    equal(errno.errorcode.get(error), "EINVAL", what="errno")


def order():
    """Each stream is told once, in order, with what it is."""
    run = here.start("sink", streams=MANY, local_port=1000)
    for streams in (here.snapshot(run).streams,
                    messages(run, "streams")["stream"]):
        equal([stream["id"] for stream in streams], list(range(MANY)),
              what="numbers")
        equal([stream["local-port"] for stream in streams],
              list(range(1000, 1000 + MANY)), what="ports")
        equal({stream["state"] for stream in streams}, {"running"},
              what="states")


def counted():
    """Streams beyond the first portion have counted, and add up in the end."""
    sink = here.start("sink", **TCP, streams=MANY)
    run = here.start("source", **TCP, streams=MANY, remote="127.0.0.1",
                     remote_port=sink["local-port"], bytes=MANY << 16,
                     size=1 << 14, connect_timeout=MINUTE)
    sent = here.wait(run, "bytes")
    equal({stream["counters"]["bytes"] for stream in sent.streams}, {1 << 16},
          what="bytes of a stream")
    received = here.stop(sink)
    equal(sent.bytes, received.bytes, MANY << 16, what="bytes")
    assert all(stream["tcp-info"] for stream in sent.streams), "no TCP_INFO"


def going_on():
    """While they go on, what a later portion tells is no less than what it did."""
    sink = here.start("sink", **TCP, streams=MANY)
    run = here.start("source", **TCP, streams=MANY, remote="127.0.0.1",
                     remote_port=sink["local-port"], pace=1 << 14, size=1 << 12,
                     drain_timeout=0, connect_timeout=MINUTE)
    before = {}
    for _ in range(3):
        snapshot = here.snapshot(run)
        for stream in snapshot.streams:
            now = stream["counters"]
            assert now["bytes"] >= now["messages"] << 12, str(now)
            assert now["bytes"] >= before.get(stream["id"], 0), str(now)
            before[stream["id"]] = now["bytes"]
    equal(len(before), MANY, what="streams")
    here.forget([run["id"], sink["id"]])


def peers():
    """One peer among thousands of places, found by searches that have a bound."""
    streams = 2048
    run = here.start("sink", streams=streams, local_port=1000,
                     peer_silence=10 ** 12, method="zerocopy")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(struct.pack(">IIQ", COOKIE, 0, 0),
                      ("127.0.0.1", 1000 + streams - 1))
    raw = genl.Netlink()
    payload = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                             struct.pack("=I", run["id"]))
    payload += genl.attribute(NUMBER["A_MESSAGE_PARTS"],
                              struct.pack("=I", NUMBER["PART_PEERS"]))
    error, said, replies = raw.call(raw.family("ktput"),
                                    NUMBER["CMD_COUNTERS_GET"], payload,
                                    genl.NLM_F_DUMP | genl.NLM_F_ACK)
    equal(error, 0, what=said)
    kinds = [kind for reply in replies for kind in genl.attributes(reply)]
    equal(kinds.count(NUMBER["A_MESSAGE_PEER"]), 1, what="peers")
    empty = sum(not reply for reply in replies)
    assert empty, f"{streams} streams were searched for one message"
    # The reader need not know of these.
    found = messages(run, "peers")["peer"]
    equal([peer["stream"] for peer in found], [streams - 1], what="streams")


def ending():
    """The first snapshot that says that a run has ended has its last counts.

    A request without a response is counted in the end. Without a pause between the
    snapshots some are taken just then.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        for _ in range(ENDINGS):
            run = here.start("source", **TCP, pattern="ping-pong", remote="127.0.0.1",
                             remote_port=listener.getsockname()[1])
            peer = listener.accept()[0]
            peer.recv(64, socket.MSG_WAITALL)
            peer.close()
            snapshot = here.snapshot(run)
            while snapshot.run["state"] != "ended":
                snapshot = here.snapshot(run)
            equal(sum(part.get("unanswered", 0) for part in snapshot.latency), 1,
                  what="requests without a response")
            here.forget([run["id"]])


tests.add("parts", parts)
tests.add("an unknown part", unknown)
tests.add("many streams in their order", order)
tests.add("many streams that have ended", counted)
tests.add("many streams that go on", going_on)
tests.add("a peer among many places", peers)
tests.add("a run that ends while it is looked at", ending)
sys.exit(tests.run())
