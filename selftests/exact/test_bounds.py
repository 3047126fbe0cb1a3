#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Bounds in instructions: what a run, or who reads it, may take from others.

The function-graph tracer says how long a function of the module takes, and the
clock must count instructions: vm/run --icount. A bound has room for the tracer.

exit: 0 all went well, 1 something did not
"""

import os
import struct
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
import genl
import graph
from ktput import Client, Tests, equal, index
from testbed import TOP, enter, module, need, own_namespace, shell, skip_all, until

NUMBER = genl.constants(TOP + "/kmod/uapi/linux/ktput.h")
MANY = 2000
# Instructions with interrupts off, for one CPU of a snapshot.
MOST_OFF = 20000
# In the thread that serves all, for a portion of streams.
MOST_VISIT = 100000
# A turn: of UDP softirqs are off meanwhile. The second is of a sink.
MOST_UDP_TURN, MOST_TCP_TURN = 500000, 1000000
# A request to start a run, or to go on with it, while others wait for their turn. Each
# is of a step of so many streams; the last one also gives all of them to the workers.
MOST_STEP, MOST_STREAM = 4000000, 1500
# Packets of a turn; a run that has few bytes in each.
TURN_PACKETS, MSS, BYTES = 256, 88, 1 << 18
TCP = {"transport": "tcp", "cookie": None}

if os.environ.get("KTPUT_ICOUNT") != "1":
    skip_all("the clock does not count instructions: vm/run --icount")
need("ip", "ethtool")
if not graph.available():
    skip_all("the kernel has no function-graph tracer")
enter(module())
enter(own_namespace())
here = Client()
raw = genl.Netlink()
FAMILY = raw.family("ktput")
tests = Tests()
tests.after = [here.clear]


def longest(functions, do):
    """Most instructions of a call of each of these functions while it DOes that."""
    found = {}
    for name, calls in graph.durations(functions, do).items():
        found[name] = max(calls)
        print(f"# {name}: {len(calls)} calls, {found[name]} at most")
    return found


def within(found, most):
    """None takes more."""
    for name, took in found.items():
        assert took <= most, f"{name}: {took} instructions, more than {most}"


def poll(run, parts=None):
    """Read a snapshot to its end."""
    payload = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                             struct.pack("=I", run["id"]))
    if parts is not None:
        payload += genl.attribute(NUMBER["A_MESSAGE_PARTS"],
                                  struct.pack("=I", parts))
    error, said, replies = raw.call(FAMILY, NUMBER["CMD_COUNTERS_GET"], payload,
                                    genl.NLM_F_DUMP | genl.NLM_F_ACK)
    equal(error, 0, what=said)
    return len(replies)


def cost(run, parts):
    """Least instructions of some polls; others find something else to do."""
    took = []
    for _ in range(20):
        begin = time.monotonic_ns()
        poll(run, parts)
        took.append(time.monotonic_ns() - begin)
    return min(took)


def polls():
    """Without streams it takes as much for 1 of them as for many."""
    few = here.start("sink", streams=1, local_port=1000)
    many = here.start("sink", streams=MANY, local_port=2000)
    for name, parts in (("nothing", 0), ("contexts", NUMBER["PART_CONTEXTS"])):
        one, all_ = cost(few, parts), cost(many, parts)
        print(f"# {name}: {one} for one stream, {all_} for {MANY}")
        assert all_ < 1.03 * one, f"{all_} is not {one}"


def snapshot():
    """Of all streams: no CPU is interrupted for long, nor its thread kept."""
    run = here.start("sink", streams=MANY, local_port=2000, method="copy")
    found = longest(["read_cpu"], lambda: poll(run))
    within(found, MOST_OFF)
    within(longest(["read_own"], lambda: poll(run)), MOST_VISIT)


def latency():
    """Nor where a CPU has a histogram."""
    sink = here.start("sink", pattern="ping-pong", reply="callback")
    run = here.start("source", pattern="ping-pong", reply="callback", streams=1,
                     remote="127.0.0.1", remote_port=sink["local-port"])
    within(longest(["read_cpu"], lambda: poll(run)), MOST_OFF)


def peers():
    """A message is not long in coming where there are no peers."""
    run = here.start("sink", streams=MANY, local_port=2000,
                     peer_silence=10 ** 9)
    within(longest(["ktput_nl_counters_get_dumpit"], lambda: poll(
        run, NUMBER["PART_PEERS"])), 1024 * 1000)


def requests():
    """To start many streams takes others' time a step at a time."""
    shell("ip link add dummy0 mtu 9100 numtxqueues 64 type dummy; ip link set dummy0 up")
    device = {"dev": index("dummy0"), "local": "192.0.2.1", "local_port": 9}
    sink = here.start("sink", streams=MANY, local_port=2000)
    to = {"remote": "127.0.0.1", "remote_port": sink["local-port"]}
    start, both = ["ktput_nl_run_start_doit"], [
        "ktput_nl_run_start_doit", "ktput_nl_run_prepare_doit"]
    runs = {
        "sink, UDP": (both, "sink", {}),
        "sink, UDP, peers": (both, "sink", {"peer_silence": 10 ** 9}),
        "source, UDP": (both, "source", {"messages": MANY, **to}),
        "sink, ingress": (start, "sink", {"layer": "ingress", **device}),
        "source, driver": (both, "source", {
            "layer": "driver", "streams": 64, "messages": 64, "size_min": 9000,
            "mac": b"\2\0\0\0\0\2", "remote": "192.0.2.2", "remote_port": 9,
            **device}),
    }
    try:
        for name, (functions, role, config) in runs.items():
            print("#", name)
            config = {"streams": MANY, **config}

            def ask(role=role, config=config):
                here.start(role, **config)
            found = longest(functions, ask)
            within({"first": found[start[0]]}, MOST_STEP)
            within(found, MOST_STEP + config["streams"] * MOST_STREAM)
    finally:
        here.clear()
        shell("ip link del dummy0")


def udp_turn():
    """Many datagrams in a call, and software that segments them."""
    shell("ip link add dummy0 type dummy; ip addr add 192.0.2.1/24 dev dummy0; "
          "ip link set dummy0 up; "
          "ethtool -K dummy0 tx-udp-segmentation off gso off")

    def send():
        run = here.start("source", remote="192.0.2.2", remote_port=9,
                         segments=128, size=16, method="copy", messages=5000)
        here.wait(run, "messages")
    try:
        within(longest(["ktput_udp_source"], send), MOST_UDP_TURN)
    finally:
        shell("ip link del dummy0")


def tcp_turn():
    """The smallest segments, each sent by itself.

    A turn of a source also sends what acknowledgments allow that came meanwhile,
    of what it queued before: so it is judged by what it queues.
    """
    shell("ethtool -K lo tso off gso off gro off")
    sink = here.start("sink", method="copy", **TCP)
    found = {}

    def send():
        run = here.start("source", remote="127.0.0.1", mss=MSS, method="copy",
                         remote_port=sink["local-port"], bytes=BYTES,
                         size=1 << 18, sndbuf=1 << 22, **TCP)
        until(lambda: (here.find(run) or {}).get("state") == "ended", "the end")
    try:
        found = graph.durations(["ktput_tcp_source", "ktput_tcp_sink"], send)
    finally:
        shell("ethtool -K lo tso on gso on gro on")
    print("#", {name: (len(calls), max(calls)) for name, calls in found.items()})
    turns = len(found["ktput_tcp_source"])
    assert turns >= BYTES / (TURN_PACKETS * MSS), f"{turns} turns for {BYTES} bytes"
    within({"ktput_tcp_sink": max(found["ktput_tcp_sink"])}, MOST_TCP_TURN)


tests.add("a poll without streams costs the same for any number", polls)
tests.add("a snapshot of many streams", snapshot)
tests.add("a snapshot of round trips", latency)
tests.add("a snapshot without peers", peers)
tests.add("requests that start many streams", requests)
tests.add("a turn of UDP", udp_turn)
tests.add("a turn of TCP", tcp_turn)
sys.exit(tests.run())
