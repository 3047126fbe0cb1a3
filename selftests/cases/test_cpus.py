#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Counters of each CPU add up, with however many there are, and one may go.

When a CPU goes offline, each of several namespaces has as many runs as it may.

exit: 0 all went well, 1 something did not
"""

import os
import re
import struct
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, Skip, Tests, equal
from testbed import (enter, module, namespace, need, own_namespace, setting,
                     until)

CPUS = sorted(os.sched_getaffinity(0))
LAST = CPUS[-1]
SWITCH = f"/sys/devices/system/cpu/cpu{LAST}/online"
# KTPUT_MAX_RUNS of linux/ktput.h.
MAX_RUNS = 64
# Of each CPU, in messages.
SHARE = 20
SIZE = 1000
# Namespaces with all runs that they may have.
FULL = 5

need("ip")
enter(module())
enter(own_namespace())
enter(setting(SWITCH, 1))

here = Client()
tests = Tests()
tests.after = [here.clear]


def whole(snapshot):
    """Every CPU is there once, and all that streams have is some CPU's."""
    equal([cpu["id"] for cpu in snapshot.cpus], CPUS, what="CPUs")
    for name in "bytes", "messages", "calls", "would-blocks":
        of_streams = sum(stream["counters"][name]
                         for stream in snapshot.streams)
        of_cpus = sum(cpu["counters"][name] for cpu in snapshot.cpus)
        if name in ("bytes", "messages") or snapshot.run["role"] == "source":
            equal(of_streams, of_cpus, what=f"{name} of streams and of CPUs")


def moved(snapshot, cpus):
    """Those CPUs, and no other, have moved payload."""
    equal([cpu["id"] for cpu in snapshot.cpus if cpu["counters"]["bytes"]],
          sorted(cpus), what="CPUs that moved payload")


def equally(snapshot):
    """Each CPU has moved as much as another."""
    for cpu in snapshot.cpus:
        equal(cpu["counters"]["bytes"], SHARE * SIZE,
              what=f"bytes of CPU {cpu['id']}")


def everywhere(**config):
    """A stream on each CPU, all of which send the same."""
    count = len(CPUS)
    tcp = config.get("transport") == "tcp"
    if tcp:
        config["cookie"] = None
    taker = here.start("sink", streams=count, rcvbuf=None if tcp else
                       1 << 20, **config)
    giver = here.start("source", streams=count, remote="127.0.0.1",
                       remote_port=taker["local-port"], size=SIZE,
                       connect_timeout=60 * 10 ** 9,
                       messages=SHARE * count, **config)
    sent = here.wait(giver, "messages")
    whole(sent)
    moved(sent, CPUS)
    equally(sent)
    total = SHARE * SIZE * count
    equal(sent.bytes, total, what="bytes of the source")
    until(lambda: here.snapshot(taker).bytes == total, "all arrive")
    whole(here.stop(taker))


def pinned(cpu):
    """A stream on one CPU moves nothing on another."""
    taker = here.start("sink", transport="tcp", cookie=None, cpus=str(cpu))
    giver = here.start("source", transport="tcp", cookie=None, cpus=str(cpu),
                       remote="127.0.0.1", remote_port=taker["local-port"],
                       size=SIZE, messages=SHARE)
    sent = here.wait(giver, "messages")
    until(lambda: here.snapshot(taker).bytes == SHARE * SIZE, "all arrive")
    got = here.stop(taker)
    for snapshot in sent, got:
        whole(snapshot)
        moved(snapshot, [cpu])


def histograms():
    """Round trips of all CPUs, in histograms of their own."""
    count = len(CPUS)
    both = {"pattern": "ping-pong", "transport": "tcp", "cookie": None,
            "streams": count}
    taker = here.start("sink", **both)
    giver = here.start("source", remote="127.0.0.1",
                       remote_port=taker["local-port"],
                       connect_timeout=60 * 10 ** 9,
                       messages=SHARE * count, **both)
    gave = here.wait(giver, "messages")
    whole(gave)
    trips = {cpu: 0 for cpu in CPUS}
    for part in gave.latency:
        counts = part.get("counts", b"")
        trips[part["cpu"]] += sum(struct.unpack(f"{len(counts) // 8}Q",
                                                counts))
    equal(trips, {cpu: SHARE for cpu in CPUS}, what="round trips of CPUs")


def clocks():
    """Times are those of this machine's clocks, and each is in its place."""
    length = 2 * 10 ** 8
    begun = time.monotonic_ns()
    taker = here.start("sink", method="copy")
    giver = here.start("source", remote="127.0.0.1",
                       remote_port=taker["local-port"], packet_rate=1000,
                       time=length)
    here.wait(giver, "time")
    was, idle = time.monotonic_ns(), kernel_idle()
    first = here.snapshot(giver)
    most, later = kernel_idle(), time.monotonic_ns()
    assert begun < first.run["begun"] < was, "the beginning is out of bounds"
    assert first.run["begun"] + length <= first.run["ended"] < was, \
        "the end is out of bounds"
    assert was <= first.run["now"] <= later, "now is out of bounds"
    time.sleep(0.3)
    second = here.snapshot(giver)
    hz = here.family.do("module-get", {})["module"]["clock-hz"]
    for old, new in zip(first.cpus, second.cpus):
        assert was <= old["time"] <= later, f"time of {old['id']}"
        # A tick is 10 ms there, and two counts of them are added.
        assert idle[old["id"]] <= old["idle"] + 10 ** 7 <= \
            most[old["id"]] + 3 * 10 ** 7, \
            f"idle {old['idle']} ns, {idle[old['id']]} to {most[old['id']]}"
        rate = (new["cycles"] - old["cycles"]) / (new["time"] - old["time"])
        assert 0.9 < rate * 1e9 / hz < 1.1, f"{rate * 1e9:.0f} Hz are not {hz}"
        spent = old["counters"]["call-cycles"] / hz
        assert spent < (first.run["ended"] - first.run["begun"]) / 1e9, \
            f"{spent} s in turns"
    span = first.streams[0]["last-cycles"] - first.streams[0]["first-cycles"]
    assert length / 2e9 < span / hz < (was - begun) / 1e9, \
        f"{span / hz} s from the first turn to the last"


def kernel_idle():
    """Nanoseconds that each CPU was idle, also while it waited for a disk."""
    with open("/proc/stat", encoding="ascii") as file:
        return {int(words[0][3:]): (int(words[4]) + int(words[5])) * 10 ** 7
                for words in map(str.split, file)
                if re.fullmatch(r"cpu\d+", words[0])}


def contexts():
    """No cycle of any CPU is missing, or charged twice."""
    if "PREEMPT_RT" in os.uname().version:
        raise Skip("a PREEMPT_RT kernel does not tell contexts apart")
    run = here.start("sink")
    before = {cpu["id"]: cpu for cpu in here.snapshot(run).cpus}
    after = here.stop(run)
    equal([cpu["id"] for cpu in after.cpus], CPUS, what="CPUs")
    for cpu in after.cpus:
        begin = before[cpu["id"]]
        spent = sum(cpu["contexts"][name] - begin["contexts"][name]
                    for name in cpu["contexts"])
        equal(spent % (1 << 64), cpu["cycles"] - begin["cycles"],
              what=f"cycles of CPU {cpu['id']}")


def switch(online):
    """Have the last CPU be online or not, within bounds."""
    # A hang in the kernel affects only a process that the test does not wait for.
    process = subprocess.Popen(["sh", "-c", f"echo {online} >{SWITCH}"])
    until(lambda: process.poll() is not None, f"echo {online} >{SWITCH}")
    equal(process.returncode, 0, what=f"echo {online}")


def offline():
    """A CPU goes offline, and comes back, with hundreds of runs on it.

    To close the socket of a run waits for the CPU to be gone, and that waits
    for the runs to have left it. A workqueue of the kernel executes 256 works
    at a time; there are more runs than that.
    """
    if LAST == 0 or not os.access(SWITCH, os.W_OK):
        raise Skip(f"CPU {LAST} cannot be taken offline")
    sink = {"config": here.config("sink", cpus=str(LAST))}
    clients = [here.another(enter(namespace())) for _ in range(FULL)]
    for client in clients:
        client.family.do_multi([("run-start", sink, [])] * MAX_RUNS)
    count = sum(len(client.list()) for client in clients)
    assert count > 256, f"only {count} runs"
    switch(0)
    for client in clients:
        until(lambda client=client: {
            (run["state"], run["reason"]) for run in client.list()
        } == {("ended", "cpu")}, "runs end: cpu")
        client.close()
    switch(1)
    here.stop(here.start("sink", cpus=str(LAST)))


tests.add(f"{len(CPUS)} CPUs: TCP", everywhere, transport="tcp")
tests.add(f"{len(CPUS)} CPUs: UDP by sockets", everywhere, method="copy")
tests.add(f"{len(CPUS)} CPUs: UDP in softirq", everywhere)
for number in sorted({CPUS[0], LAST}):
    tests.add(f"{len(CPUS)} CPUs: all on CPU {number}", pinned, number)
tests.add(f"{len(CPUS)} CPUs: round trips", histograms)
tests.add(f"{len(CPUS)} CPUs: contexts", contexts)
tests.add(f"{len(CPUS)} CPUs: clocks", clocks)
tests.add(f"CPU {LAST} goes offline under hundreds of runs", offline)

if __name__ == "__main__":
    sys.exit(tests.run())
