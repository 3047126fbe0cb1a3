#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Cycles of each CPU by context: that they add up, and which they are.

exit: 0 all went well, 1 something did not
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import COOKIE, Client, Skip, Tests, equal, index, mac
from testbed import (MODULE, enter, module, need, setting, shell, skip_all, until,
                     veth_pair)

need("ip", "ktput-ctl")
if "PREEMPT_RT" in os.uname().version:
    skip_all("a PREEMPT_RT kernel does not tell contexts apart")
enter(module())
_, PEER = enter(veth_pair())
CONTEXTS = {"source", "sink", "worker", "softirq-receive",
            "softirq-transmit", "softirq-other", "hardirq", "kernel", "user", "idle"}
LAST = max(os.sched_getaffinity(0))
HOTPLUG = f"/sys/devices/system/cpu/cpu{LAST}/online"
# A task that keeps CPU argv[1] busy for argv[2] seconds of its own time.
SPIN = ("import os, sys, time; os.sched_setaffinity(0, {int(sys.argv[1])}); "
        "end = time.process_time() + float(sys.argv[2])\n"
        "while time.process_time() < end: pass")
# The same, but for a rest until each 2 ms, of which it works 1 ms at most: no tick
# stops for that, and each comes at the same place of it.
HALF = ("import os, sys, time; os.sched_setaffinity(0, {int(sys.argv[1])}); "
        "end = time.process_time() + float(sys.argv[2])\n"
        "while time.process_time() < end:\n"
        "    until = (time.monotonic_ns() // 2000000 + 1) * 2000000\n"
        "    while time.monotonic_ns() < until - 1000000: pass\n"
        "    time.sleep(max(until - time.monotonic_ns(), 0) / 1e9)")
# Datagrams to an unbound port over lo, until it is killed.
CHATTER = ("import socket, time; s = socket.socket(type=socket.SOCK_DGRAM)\n"
           "while True: s.sendto(b'x', ('127.0.0.1', 9)); time.sleep(0.001)")

here = Client()
there = Client(PEER)
tests = Tests()
tests.after = [here.clear, there.clear]
hz = here.family.do("module-get", {})["module"]["clock-hz"]


def signed(number):
    """A difference of unsigned numbers of 64 bits."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def spent(earlier, later):
    """What CPUs spent between two snapshots, by number and context.

    Not a cycle is missing, or charged twice.
    """
    cpus = {cpu["id"]: cpu for cpu in earlier.cpus}
    result = {}
    for cpu in later.cpus:
        begin = cpus.get(cpu["id"])
        if not begin:
            continue
        equal(set(cpu["contexts"]), set(begin["contexts"]), CONTEXTS)
        contexts = {name: signed(cpu["contexts"][name] -
                                 begin["contexts"][name])
                    for name in CONTEXTS}
        equal(sum(contexts.values()), cpu["cycles"] - begin["cycles"],
              what=f"CPU {cpu['id']}: {contexts}: their sum and all cycles")
        assert min(contexts.values()) >= 0, contexts
        result[cpu["id"]] = contexts
    assert result, "no CPU is in both snapshots"
    return result


def total(cycles, context):
    """Of all CPUs."""
    return sum(contexts[context] for contexts in cycles.values())


def some(cycles, *contexts):
    """Each of the contexts has cycles, on some CPU."""
    for context in contexts:
        assert total(cycles, context) > 0, f"{context}: none in {cycles}"


def only_on(cycles, context, cpu):
    """A context has cycles on one CPU alone."""
    for number, contexts in cycles.items():
        assert (contexts[context] > 0) == (number == cpu), \
            f"{context} on CPU {number}: {contexts[context]} cycles"


def transfer_tcp(megabytes=20, **source):
    """TCP over lo from CPU 0 to LAST: what was spent, by both ends."""
    sink = here.start("sink", transport="tcp", cookie=None, cpus=str(LAST))
    before = here.snapshot(sink)
    giver = here.start("source", transport="tcp", cookie=None, cpus="0",
                       remote="127.0.0.1", remote_port=sink["local-port"],
                       bytes=megabytes << 20, **source)
    here.wait(giver, "bytes")
    until(lambda: here.snapshot(sink).bytes == megabytes << 20, "all arrive")
    return spent(before, here.snapshot(sink)), giver


def tcp():
    """Turns of each end on its own CPU, and softirqs that they cause."""
    cycles, _ = transfer_tcp()
    some(cycles, "source", "sink", "softirq-receive", "hardirq", "user")
    if LAST > 0:
        only_on(cycles, "source", 0)
        only_on(cycles, "sink", LAST)


def udp(method, cpu):
    """Datagrams over lo, which a sink takes in its turns or in softirq."""
    sink = here.start("sink", method=method, cpus=str(LAST))
    before = here.snapshot(sink)
    source = here.start("source", cpus="0", remote="127.0.0.1",
                        remote_port=sink["local-port"], messages=2000)
    here.wait(source, "messages")
    until(lambda: here.snapshot(sink).datagrams +
          here.snapshot(sink).drops == 2000, "all arrive")
    cycles = spent(before, here.snapshot(sink))
    some(cycles, "source", "sink", "softirq-receive")
    if LAST > 0:
        only_on(cycles, "source", 0)
    assert cycles[cpu]["sink"] > 0, cycles


def frames():
    """Frames to the driver, which a sink takes at the ingress hook."""
    sink = there.start("sink", layer="ingress", local="10.9.0.2",
                       local_port=2000, dev=index("veth0", PEER))
    before = there.snapshot(sink)
    source = here.start("source", layer="driver", local="10.9.0.1",
                        remote="10.9.0.2", local_port=2000, remote_port=2000,
                        dev=index("veth0"), cpus="0", cookie=COOKIE,
                        mac=mac("veth0", PEER),
                        packet_rate=500, messages=200)
    here.wait(source, "messages")
    until(lambda: there.snapshot(sink).datagrams == 200, "all arrive")
    cycles = spent(before, there.snapshot(sink))
    some(cycles, "source", "sink", "softirq-receive")
    only_on(cycles, "source", 0)
    # A thread of ktput goes to sleep after most frames, and is woken: it has 2 ms for
    # each, several times what a kernel that checks each access needs.
    assert cycles[0]["worker"] > 200 * 1000, cycles


def idle():
    """As much as the kernel's idle loop says, or more: the loop's own."""
    run = here.start("sink")
    before = here.snapshot(run)
    was = {cpu["id"]: cpu["idle"] for cpu in before.cpus}

    def rested():
        now = here.snapshot(run)
        enough = all(cpu["idle"] - was[cpu["id"]] > 100e6 for cpu in now.cpus)
        return now if enough else None
    after = until(rested, "all CPUs are idle for a while")
    cycles = spent(before, after)
    for cpu in after.cpus:
        least = (cpu["idle"] - was[cpu["id"]]) * hz / 1e9 / 2
        assert cycles[cpu["id"]]["idle"] > least, \
            f"{cycles[cpu['id']]} for {least} cycles and more"
        # An interrupt ends where it began.
        assert cycles[cpu["id"]]["hardirq"] < cycles[cpu["id"]]["idle"] / 2, \
            cycles[cpu["id"]]


def between_ticks():
    """Idle time is that of the idle loop, not of what a tick meets."""
    run = here.start("sink")
    agree, said = 0, []
    # A tick may come at a place of the task that says the truth by chance, and a busy
    # machine may stop an emulated CPU meanwhile.
    for _ in range(6):
        before = here.snapshot(run)
        done = subprocess.run([sys.executable, "-c", HALF, str(LAST), "0.3"],
                              check=False)
        equal(done.returncode, 0, what="exit status")
        after = here.snapshot(run)
        cycles = spent(before, after)[LAST]
        was, now = (next(cpu["idle"] for cpu in each.cpus if cpu["id"] == LAST)
                    for each in (before, after))
        share = (now - was) * hz / 1e9 / sum(cycles.values())
        loop = cycles["idle"] / sum(cycles.values())
        agree += abs(share - loop) < 0.08
        said.append(f"idle for {share:.3f}, its task for {loop:.3f}")
    assert agree >= 4, "; ".join(said)


def user():
    """A task has the time that it thinks it had."""
    run = here.start("sink")
    before = here.snapshot(run)
    done = subprocess.run([sys.executable, "-c", SPIN, str(LAST), "0.3"],
                          check=False)
    equal(done.returncode, 0, what="exit status")
    cycles = spent(before, here.snapshot(run))[LAST]
    # Of the task's time, but not the task's doing.
    had = sum(cycles[name] for name in (
        "user", "hardirq", "softirq-receive", "softirq-other"))
    assert had > 0.3 * hz * 0.9, f"{cycles} for {0.3 * hz:.0f}"
    # Interrupts of a kernel that checks each access take most of it.
    assert cycles["user"] > had / 2 or "-ktput-" in os.uname().release, cycles
    assert cycles["user"] > max(cycles[name] for name in (
        "kernel", "source", "sink", "worker")), cycles


def preempted():
    """A turn that a task takes its CPU from goes on afterwards, and the task has
    what it took."""
    config = {"cpus": str(LAST), "method": "zerocopy"}
    source = here.start("source", remote="127.0.0.1", remote_port=9, **config)
    before = here.snapshot(source)
    done = subprocess.run([sys.executable, "-c", SPIN, str(LAST), "0.3"],
                          check=False)
    equal(done.returncode, 0, what="exit status")
    cycles = spent(before, here.snapshot(source))[LAST]
    assert cycles["user"] > 0.3 * hz / 2, f"{cycles} for {0.3 * hz:.0f} of a task"
    # It never sleeps, so what is no task's is its own.
    assert cycles["source"] > 10 * (cycles["kernel"] + cycles["worker"]), cycles


def two_runs():
    """A run that ends takes nothing from another."""
    run = here.start("sink")
    before = here.snapshot(run)
    alone, first = transfer_tcp()
    both, _ = transfer_tcp()
    here.forget([first["id"]])
    cycles = spent(before, here.snapshot(run))
    for context in "source", "sink":
        assert total(cycles, context) >= \
            total(alone, context) + total(both, context), context


def detached():
    """A run without an owner releases its contexts at its end."""
    run = here.start("sink", detach=True)
    before = here.snapshot(run)
    spent(before, here.snapshot(run))
    after = here.stop(run)
    assert not any("contexts" in cpu for cpu in after.cpus), after.cpus


def hotplug():
    """A CPU is idle while it is offline, and has lost nothing after."""
    if not os.path.exists(HOTPLUG) or not LAST:
        raise Skip("no CPU can be taken offline")
    run = here.start("sink", cpus="0")
    before = here.snapshot(run)
    with setting(HOTPLUG, 0):
        gone = here.snapshot(run)
        assert LAST not in spent(before, gone), "it is still there"
    after = here.snapshot(run)
    assert LAST in spent(before, after), "it did not come back"
    # One that is offline when accounts begin.
    here.clear()
    with setting(HOTPLUG, 0):
        run = here.start("sink", cpus="0")
    before = here.snapshot(run)
    cycles = spent(before, here.snapshot(run))
    assert LAST in cycles, "it did not come back"
    assert max(cycles[LAST].values()) < 1 << 62, cycles


def records():
    """The output of ktput-ctl for a run, as JSON and as text."""
    document = json.loads(shell("ktput-ctl -j -s start bytes 10M"))
    for cpu in document["result"]["cpus"]:
        equal({name.replace("-", "_") + "_cycles" for name in CONTEXTS},
              set(cpu["contexts"]), what="contexts")
        # The sum of differences each of which is not below 0.
        excess = sum(cpu["contexts"].values()) / cpu["cycles"] - 1
        assert abs(excess) < 0.02, cpu
    for end in "source", "sink":
        for cpu in document["intervals"][-1][end]["cpus"]:
            equal(len(cpu["contexts"]), len(CONTEXTS), what="contexts")
    lines = shell("ktput-ctl -s start bytes 10M").splitlines()
    table = lines[lines.index("Share of cycles, by context (%)") + 1:]
    equal(table[0].split(), ["CPU", "source", "sink", "worker", "rx", "tx",
                             "softirq", "hardirq", "kernel", "user", "idle"])
    row = table[1].split()
    equal(len(row), 11, what=table[1])
    shares = sum(map(float, row[1:]))
    assert abs(shares - 100) < 2, table[1]
    assert max(len(table[0]), len(table[1])) <= 80, table


def unload():
    """The module goes right after runs, while softirqs come all the time."""
    if not os.path.exists(MODULE):
        raise Skip("the module that is loaded is not of this tree")
    # A run that goes with it, and the last thing that this client does.
    here.start("sink")
    tests.after.clear()
    with subprocess.Popen([sys.executable, "-c", CHATTER]) as chatter:
        try:
            for _ in range(3):
                shell("ktput-ctl start bytes 1M")
                shell("rmmod ktput")
                shell(f"insmod {MODULE}")
        finally:
            chatter.kill()


tests.add("TCP: source, sink and softirq, each on its CPU", tcp)
tests.add("UDP: a sink that takes turns", udp, "copy", LAST)
tests.add("UDP: a sink that is called in softirq", udp, "zerocopy", 0)
tests.add("frames: source at the driver, sink at the ingress hook", frames)
tests.add("idle time is idle", idle)
tests.add("idle time between two ticks", between_ticks)
tests.add("a busy task is a user's", user)
tests.add("a turn that is preempted", preempted)
tests.add("two runs at once", two_runs)
tests.add("a detached run that has ended has none", detached)
tests.add("a CPU goes offline and comes back", hotplug)
tests.add("records and tables", records)
tests.add("the module is removed right after runs", unload)
sys.exit(tests.run())
