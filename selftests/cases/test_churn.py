#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Whatever happens to runs under traffic, at every layer, many times.

After each time no message of the kernel, no run, thread, socket or reference is
left, and the next time begins with the same runs.

environment:
  KTPUT_CHURN        how often each event happens; 1. From 20 on memory is
                     compared, too
  KTPUT_CHURN_CASES  events to try, by their names, separated by commas; all

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import os
import subprocess
import sys
import time
import traceback

sys.path.insert(0, sys.path[0] + "/../lib")
import remains
from ktput import NlError, Skip, Tests, equal
from testbed import MODULE, enter, module, need, until

need("ip", "ktput-ctl")
enter(module())
# These have clients of the module.
from arena import LAYERS, each, ends, go_on, of, snapshot, where  # noqa: E402
from churn_devices import Down, Moved, Mtu, Namespace, Removed, Xdp  # noqa: E402
from churn_event import Event, arena, nothing_left  # noqa: E402
from churn_peers import Forgotten, Reset, Window  # noqa: E402

TIMES = int(os.environ.get("KTPUT_CHURN", "1"))
# What the first times leave may be kept for the next ones.
WARM_UP = 5
# Below that, a leak of one object each time drowns in what others do.
LEAST_FOR_MEMORY = 20
CPU = 1
HOTPLUG = f"/sys/devices/system/cpu/cpu{CPU}/online"
CONGESTION = "vegas"


class Killed(Event):
    """The process that has the runs is killed (-9)."""

    child = True

    def happen(self, runs):
        arena.kill()
        until(lambda: not arena.near.client.list(), "all runs are forgotten")

    def recover(self):
        arena.kill()


class Stopped(Event):
    """The sources stop; they and the sinks have counted the same."""

    def happen(self, runs):
        sources = [run for run in runs if run.role == "source"]
        each("run-stop", sources)
        ends(sources, "stopped")
        for run in sources:
            self.compare(run, next(
                other for other in runs if other.layer == run.layer and
                other.end is run.end.other and other.role == "sink"))

    @staticmethod
    def compare(source, sink):
        """Neither has counted what the other has not."""
        sent = snapshot(source, ())
        sent.consistent()
        name = "bytes" if source.layer == "tcp" else "messages"
        # A request that was under way has no answer that counts.
        more = (0, 1) if "trips" in source.layer or \
            source.layer == "bypass" else (0,)
        until(lambda: getattr(snapshot(sink), name) - getattr(sent, name)
              in more, f"{where(source)}: {name} of the sink agree")


class Module(Event):
    """The module is removed, and loaded again."""

    def happen(self, runs):
        subprocess.run(["rmmod", "ktput"], check=True)
        equal(remains.threads(), [], what="threads")
        for end in arena.near, arena.far:
            equal(remains.sockets(end.netns), {}, what="sockets")

    def recover(self):
        if not os.path.exists(remains.MODULE):
            subprocess.run(["insmod", MODULE], check=True)
        arena.renew()


class Cpu(Event):
    """The CPU of the near runs is taken offline, and back."""

    near = {"cpus": str(CPU)}
    far = {"cpus": "0"}

    def prepare(self):
        if not os.path.exists(HOTPLUG):
            raise Skip("no CPU can be taken offline")

    def happen(self, runs):
        self.switch("0")
        for run in of(runs, arena.near):
            if run.role == "sink" and "layer" in LAYERS[run.layer].sink:
                go_on([run])
            else:
                ends([run], "cpu")
                snapshot(run, ()).consistent()

    def recover(self):
        self.switch("1")

    @staticmethod
    def switch(online):
        """Have the CPU, or not."""
        with open(HOTPLUG, "w", encoding="ascii") as file:
            file.write(online)


class Congestion(Event):
    """The congestion control's module is in use as long as a run is."""

    layers = ["tcp", "tcp round trips"]
    near = far = {"congestion": CONGESTION}
    module = "tcp_" + CONGESTION

    def prepare(self):
        if subprocess.run(["modprobe", "-n", self.module], check=False,
                          capture_output=True).returncode:
            raise Skip(f"there is no module {self.module}")

    def once(self):
        subprocess.run(["modprobe", self.module], check=True)
        super().once()
        until(self.unload, f"{self.module} is free after the runs")

    def unload(self):
        """Whether it can be removed."""
        return not subprocess.run(["rmmod", self.module], check=False,
                                  capture_output=True).returncode

    def happen(self, runs):
        assert not self.unload(), f"{self.module} goes under its user"


class Raced(Event):
    """Two processes start and stop the same runs at a time."""

    # Errors of the second of two requests.
    USUAL = {errno.EADDRINUSE, errno.ENOENT, errno.ECONNREFUSED, errno.EBUSY,
             errno.ECONNRESET, errno.EHOSTUNREACH, errno.EAGAIN,
             errno.ECANCELED}

    def once(self):
        children = []
        for _ in range(2):
            child = os.fork()
            if not child:
                status = 1
                try:
                    self.race()
                    status = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(status)
            children.append(child)
        for child in children:
            equal(os.waitpid(child, 0)[1], 0, what="status of a racer")
        arena.clear()
        nothing_left()

    def race(self):
        """What each of them does."""
        clients = {end: end.client.another(end.netns)
                   for end in (arena.near, arena.far)}
        for layer in self.layers:
            for end, role in ((arena.far, "sink"), (arena.near, "source")):
                with self.usual():
                    arena.start(end, role, [layer], clients[end],
                                detach=role == "sink")
            for client in clients.values():
                for run in client.list():
                    for command in "run-stop", "run-delete":
                        with self.usual():
                            client.family.do(command, {"run-id": run["id"]})

    @contextlib.contextmanager
    def usual(self):
        """Some refusals are what a race is for."""
        try:
            yield
        except NlError as refusal:
            if refusal.error not in self.USUAL:
                raise


EVENTS = {
    "stopped": Stopped(),
    "owner killed": Killed(),
    "peer forgotten": Forgotten(),
    "peer resets": Reset(),
    "window closed": Window(),
    "device down and peer silent": Down(),
    "device removed": Removed(),
    "device moved": Moved(),
    "MTU changed": Mtu(),
    "CPU offline": Cpu(),
    "namespace destroyed": Namespace(),
    "module removed": Module(),
    "congestion control unloaded": Congestion(),
    "start and stop raced": Raced(),
    "XDP sink killed": Xdp(),
    "XDP device down": Xdp(Down(), "device-down"),
    "XDP device removed": Xdp(Removed(), "device-removed"),
    "XDP device moved": Xdp(Moved(), "device-removed"),
    "XDP namespace destroyed": Xdp(Namespace()),
}


def repeat(event):
    """An event, TIMES times; all that it leaves would be there as often."""
    before, began = None, time.monotonic()
    event.prepare()
    for number in range(1, TIMES + 1):
        try:
            event.once()
        except Exception:
            print(f"# repetition {number}")
            raise
        if number == WARM_UP and TIMES >= LEAST_FOR_MEMORY:
            before = remains.Memory()
        if number % 50 == 0:
            print(f"# {number} of {TIMES}", flush=True)
    print(f"# {1000 * (time.monotonic() - began) / TIMES:.0f} ms each")
    if before:
        before.flat(TIMES - WARM_UP)


def main():
    """Every event, one after the other."""
    asked = os.environ.get("KTPUT_CHURN_CASES")
    names = asked.split(",") if asked else EVENTS
    tests = Tests()
    tests.after = [arena.renew]
    for name in names:
        event = EVENTS[name]
        tests.add(f"{name}, {TIMES} times: {', '.join(event.layers)}",
                  repeat, event)
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
