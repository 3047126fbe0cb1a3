#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Events of each CPU that perf counts: that they are right, and let go.

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, Skip, Tests, equal
from testbed import MODULE, enter, module, need, setting, shell, until

HARDWARE = {"core-cycles", "instructions"}
SOFTWARE = {"context-switches", "cpu-migrations"}
LAST = max(os.sched_getaffinity(0))
HOTPLUG = f"/sys/devices/system/cpu/cpu{LAST}/online"
# Where perf has a PMU of the CPUs, their names differ.
PMU = any(os.path.exists(f"/sys/bus/event_source/devices/{name}")
          for name in ("cpu", "cpu_core", "armv8_pmuv3", "armv8_pmuv3_0"))
NO_PMU = "no PMU counts it"
# Of the flags of struct perf_event_attr.
EXCLUDE_GUEST = 1 << 20
# Goes from CPU 0 to CPU argv[1] and back, argv[2] times.
WANDER = ("import os, sys\n"
          "for _ in range(int(sys.argv[2])):\n"
          "    os.sched_setaffinity(0, {int(sys.argv[1])})\n"
          "    os.sched_setaffinity(0, {0})")
# Two tasks on CPU argv[1] that wake each other argv[2] times.
TWO = ("import os, sys\n"
       "os.sched_setaffinity(0, {int(sys.argv[1])})\n"
       "(r1, w1), (r2, w2) = os.pipe(), os.pipe()\n"
       "child = os.fork()\n"
       "for _ in range(int(sys.argv[2])):\n"
       "    if child: os.write(w1, b'x'); os.read(r2, 1)\n"
       "    else: os.read(r1, 1); os.write(w2, b'x')\n"
       "if child: os.wait()")

need("ktput-ctl", "ktput-report")
enter(module())
here = Client()
tests = Tests()
tests.after = [here.clear]


def events(snapshot):
    """Of each CPU of a snapshot, by its number."""
    return {cpu["id"]: cpu["events"] for cpu in snapshot.cpus}


def between(earlier, later):
    """What happened on CPUs that are in two snapshots."""
    earlier, later = events(earlier), events(later)
    result = {}
    for cpu in earlier.keys() & later.keys():
        result[cpu] = {name: later[cpu][name] - earlier[cpu][name]
                       for name in earlier[cpu].keys() & later[cpu].keys()}
        assert min(result[cpu].values(), default=0) >= 0, result
    return result


def total(happened, name):
    """Of all CPUs."""
    return sum(cpu[name] for cpu in happened.values())


def switches():
    """Context switches of all CPUs since boot, by the scheduler's count."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(re.search(r"^ctxt (\d+)", file.read(), re.M)[1])


def python(program, *arguments):
    """Run a PROGRAM that has to succeed."""
    done = subprocess.run([sys.executable, "-c", program,
                           *map(str, arguments)], check=False)
    equal(done.returncode, 0, what="exit status")


def counted():
    """What is counted, and what is not, with the reason."""
    run = here.start("sink")
    first = here.snapshot(run)
    second = here.snapshot(run)
    for cpu in second.cpus:
        equal(set(cpu["events"]) | set(cpu["event-errors"]),
              HARDWARE | SOFTWARE, what="events")
        assert SOFTWARE <= set(cpu["events"]), cpu
        if PMU:
            continue
        equal(cpu["event-errors"], dict.fromkeys(HARDWARE, errno.ENOENT),
              what=f"CPU {cpu['id']}: not counted")
    if PMU:
        happened = between(first, second)
        for name in HARDWARE:
            some = [cpu[name] for cpu in happened.values() if name in cpu]
            assert some and min(some) > 0, happened


def as_the_scheduler():
    """Switches are as many as the scheduler has counted meanwhile."""
    run = here.start("sink")
    outer = switches()
    before = here.snapshot(run)
    inner = switches()
    python(TWO, LAST, 500)
    inner = switches() - inner
    after = here.snapshot(run)
    outer = switches() - outer
    happened = between(before, after)
    count = total(happened, "context-switches")
    assert inner <= count <= outer, f"{inner} <= {count} <= {outer}"
    assert inner >= 1000, f"{inner} switches of two tasks"
    assert happened[LAST]["context-switches"] >= 1000, happened


def migrations():
    """A task that moves between two CPUs arrives on each that often."""
    if not LAST:
        raise Skip("there is one CPU only")
    run = here.start("sink")
    first = here.snapshot(run)
    python(WANDER, LAST, 0)
    before = here.snapshot(run)
    # Migrations by the start of the program.
    count = total(between(first, before), "cpu-migrations")
    assert count < 99, f"{count} of a program that stays"
    python(WANDER, LAST, 100)
    happened = between(before, here.snapshot(run))
    for cpu in 0, LAST:
        count = happened[cpu]["cpu-migrations"]
        assert 99 <= count < 1000, f"CPU {cpu}: {count}"


def two_runs():
    """A run that begins or ends takes nothing from another."""
    run = here.start("sink")
    first = here.snapshot(run)
    other = here.start("sink")
    second = here.snapshot(run)
    between(first, second)
    equal(set(events(here.snapshot(other))), set(events(second)), what="CPUs")
    here.forget([other["id"]])
    between(second, here.snapshot(run))


def detached():
    """A run without an owner releases its events at its end."""
    run = here.start("sink", detach=True)
    assert all("events" in cpu for cpu in here.snapshot(run).cpus)
    # What the stop returns may have been read just before the run ended.
    here.stop(run)
    after = here.snapshot(run)
    assert not any("events" in cpu for cpu in after.cpus), after.cpus


def hotplug():
    """A CPU that was away counts again from the next run on, and goes on."""
    if not os.path.exists(HOTPLUG) or not LAST:
        raise Skip("no CPU can be taken offline")
    run = here.start("sink", cpus="0")
    before = here.snapshot(run)
    with setting(HOTPLUG, 0):
        gone = here.snapshot(run)
        assert LAST not in events(gone), "it is still there"
        assert total(between(before, gone), "context-switches") > 0
    back = here.snapshot(run)
    cpu = next(cpu for cpu in back.cpus if cpu["id"] == LAST)
    equal(cpu["event-errors"], {
        **dict.fromkeys(HARDWARE, errno.ENODEV if PMU else errno.ENOENT),
        **dict.fromkeys(SOFTWARE, errno.ENODEV)}, what="not counted")
    other = here.start("sink", cpus="0")
    again = here.snapshot(run)
    python(TWO, LAST, 50)
    now = here.snapshot(run)
    assert between(again, now)[LAST]["context-switches"] >= 100
    assert SOFTWARE <= set(between(before, again)[LAST]), "not from before"
    here.forget([other["id"]])
    # One that is offline when all begins.
    here.clear()
    with setting(HOTPLUG, 0):
        run = here.start("sink", cpus="0")
    cpu = next(cpu for cpu in here.snapshot(run).cpus if cpu["id"] == LAST)
    equal(len(cpu["event-errors"]) + len(cpu["events"]), 4, what="events")


def not_ours():
    """Root of a user namespace only gets no counts."""
    if not os.path.exists("/proc/self/ns/user"):
        raise Skip("the kernel has no user namespaces")
    document = json.loads(shell(
        "unshare --user --map-root-user --net sh -c '"
        "ip link set lo up && ktput-ctl -j start bytes 100k'"))
    for cpu in document["result"]["cpus"]:
        equal(cpu["events"], {
            name.replace("-", "_") + "_not_counted":
            "it takes CAP_PERFMON or CAP_SYS_ADMIN"
            for name in HARDWARE | SOFTWARE}, what="events")


def intervals():
    """Those of all intervals make the result, in records and tables."""
    document = json.loads(shell(
        "ktput-ctl -j -s start time 3s interval 200ms"))
    steps = [document["sink"]["begin"]["cpus"]]
    steps += [step["sink"]["cpus"] for step in document["intervals"]]
    assert len(steps) > 3, f"{len(steps) - 1} intervals"
    for number, cpu in enumerate(document["result"]["cpus"]):
        for name in "context_switches", "cpu_migrations":
            counts = [step[number]["events"][name] for step in steps]
            parts = [b - a for a, b in zip(counts, counts[1:])]
            assert min(parts) >= 0, f"{name}: {counts}"
            equal(sum(parts), cpu["events"][name], what=name)
        for name in "core_cycles", "instructions":
            if PMU:
                assert cpu["events"][name] > 0, cpu
            else:
                equal(cpu["events"][name + "_not_counted"], NO_PMU, what=name)
    if not PMU:
        assert "instructions_per_byte" not in document["result"]


def tables():
    """What people see, of a run and of its record."""
    with tempfile.TemporaryDirectory() as scratch:
        file = f"{scratch}/run.jsonl"
        shown = shell(f"ktput-ctl -s start bytes 10M record {file}"), \
            shell(f"ktput-ctl -s show {file}")
    found = []
    for lines in map(str.splitlines, shown):
        begin = lines.index("Events that perf counts") + 1
        equal(lines[begin].split(), ["CPU", "core", "cycles", "instructions",
                                     "IPC", "switches", "migrations"])
        row = lines[begin + 1].split()
        equal(len(row), 6, what=lines[begin + 1])
        assert int(row[4]) > 0, row
        if not PMU:
            equal(row[1:4], ["-"] * 3)
            for name in "Core cycles", "Instructions":
                assert f"{name:<16} not counted: {NO_PMU}" in lines, lines
        assert max(map(len, lines[begin:])) <= 80, lines
        found.append([line for line in lines[begin:]
                      if "not counted" in line or
                      re.match(r" *(CPU +core|\d+( +[-\d.]+){5}$)", line)])
        assert len(found[-1]) > 1, lines
    equal(*found, what="table")


class Trace:
    """Events that the kernel was asked for, and those that were let go."""

    def __init__(self):
        if not os.path.exists("/sys/kernel/tracing/trace"):
            shell("mount -t tracefs tracefs /sys/kernel/tracing")
        self.write("kprobe_events",
                   # The flags of struct perf_event_attr.
                   "p:ktput/asked perf_event_create_kernel_counter "
                   "flags=+40($arg1):x64\n"
                   "r:ktput/made perf_event_create_kernel_counter "
                   "event=$retval\n"
                   "p:ktput/freed perf_event_release_kernel event=$arg1\n")
        self.write("trace", "")
        self.write("events/ktput/enable", "1")

    @staticmethod
    def write(name, text):
        """Write to a file of tracefs."""
        with open(f"/sys/kernel/tracing/{name}", "w",
                  encoding="ascii") as file:
            file.write(text)

    def close(self):
        """Leave no probe."""
        self.write("events/ktput/enable", "0")
        self.write("kprobe_events", "")

    @staticmethod
    def flags():
        """What each event was asked for with."""
        with open("/sys/kernel/tracing/trace", encoding="ascii") as file:
            return [int(word, 16) for word in re.findall(
                r" asked: .*flags=0x(\w+)", file.read())]

    @staticmethod
    def balance():
        """How many were made, how many of those are there, how many freed."""
        made, freed, there = 0, 0, set()
        with open("/sys/kernel/tracing/trace", encoding="ascii") as file:
            for line in file:
                match = re.search(r" (made|freed): .*event=0x(\w+)", line)
                if not match:
                    continue
                event = int(match[2], 16)
                # A pointer, or an errno as one.
                if match[1] == "made" and event < (1 << 64) - 4096:
                    made += 1
                    there.add(event)
                elif match[1] == "freed":
                    freed += 1
                    there.discard(event)
        return made, len(there), freed


def let_go():
    """As many as are counted are made, and none stays when runs are gone."""
    if not os.path.exists(MODULE):
        raise Skip("the module that is loaded is not of this tree")
    with contextlib.closing(Trace()) as trace:
        # Those that earlier runs have left, or not.
        run = here.start("sink")
        want = sum(len(cpu["events"]) for cpu in here.snapshot(run).cpus)
        assert want >= 2, want
        here.clear()
        # Those may have been let go before this run, or with it.
        until(lambda: not trace.balance()[1] and trace.balance()[2] >= want,
              "earlier ones are let go")
        trace.write("trace", "")
        here.start("sink")
        equal(trace.balance(), (want, want, 0), what="made, there, freed")
        flags = trace.flags()
        assert len(flags) >= want, flags
        assert all(word & EXCLUDE_GUEST for word in flags), flags
        here.start("sink")
        equal(trace.balance(), (want, want, 0), what="with a second run")
        here.clear()
        until(lambda: trace.balance() == (want, 0, want), "all are let go")
        if os.path.exists("/proc/self/ns/user"):
            shell("unshare --user --map-root-user --net sh -c '"
                  "ip link set lo up && ktput-ctl start bytes 100k'")
        equal(trace.balance(), (want, 0, want),
              what="with a run of who may not read them")
        # At once, with the module, while a run lasts.
        here.start("sink")
        equal(trace.balance(), (2 * want, want, want), what="made again")
        tests.after.clear()
        shell("rmmod ktput")
        equal(trace.balance(), (2 * want, 0, 2 * want),
              what="without the module")
    shell(f"insmod {MODULE}")


tests.add("what is counted, and why the rest is not", counted)
tests.add("switches are as many as the scheduler counts", as_the_scheduler)
tests.add("a task that goes from CPU to CPU", migrations)
tests.add("two runs at once", two_runs)
tests.add("a detached run that has ended has none", detached)
tests.add("a CPU goes offline and comes back", hotplug)
tests.add("none for root of another user namespace", not_ours)
tests.add("intervals make the result", intervals)
tests.add("tables of a run and of its record", tables)
tests.add("all are let go, with runs and with the module", let_go)
sys.exit(tests.run())
