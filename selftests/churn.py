#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Whatever happens to runs under traffic, at every layer, many times.

usage: churn.py MODULE

MODULE is the file of the module, which is loaded. See test_churn.sh, which
calls this. After each time there is no message of the kernel, no run, thread,
socket or reference left, and the next time begins with the same runs.

environment:
  KTPUT_CHURN        how often each event happens; 1. From 20 on memory is
                     compared, too
  KTPUT_CHURN_CASES  events to try, by their names, separated by commas; all

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import time
import traceback

import remains
from arena import DEVICE, LAYERS, Arena, messages, where
from ktput import BOUND, NlError, Skip, Tests, equal, inside, until

if len(sys.argv) != 2:
    sys.exit(__doc__)
MODULE = sys.argv[1]
TIMES = int(os.environ.get("KTPUT_CHURN", "1"))
# What the first times leave may be kept for the next ones.
WARM_UP = 5
# Below that, a leak of one object each time drowns in what others do.
LEAST_FOR_MEMORY = 20
CPU = 1
HOTPLUG = f"/sys/devices/system/cpu/cpu{CPU}/online"
CONGESTION = "vegas"
SIOCSIFMTU = 0x8922
RESET = struct.pack("ii", 1, 0)

kernel = remains.Kmsg()
arena = Arena()


def of(runs, end, *roles):
    """Those of an end, and perhaps of some roles."""
    return [run for run in runs
            if run.end is end and (not roles or run.role in roles)]


def states(runs):
    """How far each of them has come, and why it has ended."""
    now = {(end, run["id"]): (run["state"], run["reason"])
           for end in {run.end for run in runs} for run in end.client.list()}
    return {run: now[run.end, run.id] for run in runs}


def ends(runs, *reasons):
    """They end, for one of these reasons."""
    def ended():
        now = states(runs)
        return now if {state for state, _ in now.values()} <= {"ended"} \
            else None
    for run, (_, reason) in until(ended, "all end").items():
        assert reason in reasons, f"{where(run)}: {reason}"


def go_on(runs):
    """They have not ended."""
    for run, now in states(runs).items():
        equal(now[0], "running", what=f"{where(run)}: {now[1]}")


def each(command, runs):
    """A command about each of them."""
    for end in {run.end for run in runs}:
        end.client.each(command, [run.id for run in of(runs, end)])


def snapshot(run, without=("cpu", "latency")):
    """A run and its counters."""
    return run.end.client.snapshot({"id": run.id}, without)


def nothing_left():
    """No message of the kernel, no run, no thread, no socket, no reference."""
    for netns in arena.near, arena.far:
        until(lambda: not netns.client.list(), "runs are forgotten")
        until(lambda: not remains.sockets(netns.netns),
              f"{remains.sockets(netns.netns)} go")
    until(lambda: not remains.threads(), "threads go")
    until(lambda: not remains.references(), "references to the module go")
    said = kernel.complaints()
    assert not said, f"the kernel says: {said}"


class Event:
    """Something that happens to the near end."""

    layers = list(LAYERS)
    # More of the configurations of either end.
    near = {}
    far = {}
    child = False
    # Milliseconds that a source has to drain.
    drain = 1000 * BOUND

    def change(self):
        """What is done."""
        raise NotImplementedError

    def happen(self, runs):
        """The event, and what has to come of it."""
        raise NotImplementedError

    def prepare(self):
        """What all times need; raises Skip without."""

    def recover(self):
        """Make the arena what it was."""

    def once(self):
        """It happens, and nothing is left of it."""
        arena.drain = self.drain
        try:
            self.happen(arena.fill(self.layers, self.near, self.far,
                                   self.child))
        finally:
            self.recover()
            arena.clear()
        nothing_left()


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


class Forgotten(Event):
    """The peers are forgotten in the midst of it."""

    def happen(self, runs):
        each("run-delete", of(runs, arena.far))
        near = of(runs, arena.near)
        connected = [run for run in near if run.layer.startswith("tcp") and
                     run.role == "source"]
        ends(connected, "reset", "peers")
        go_on([run for run in near if run not in connected])


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


def has_device(end):
    """Whether an end has its device."""
    with inside(end.netns):
        return "veth0" in [name for _, name in socket.if_nameindex()]


class Namespace(Event):
    """The network namespace is destroyed; its devices go with it."""

    near = {"detached": True, "device": DEVICE}
    far = {"device": DEVICE}

    def change(self):
        arena.near.close()

    def happen(self, runs):
        self.change()
        # Connections are reset before the device goes.
        far = of(runs, arena.far)
        ends([run for run in far if not run.layer.startswith("tcp")],
             "device-removed")
        ends(far, "device-removed", "reset")

    def recover(self):
        if arena.near.netns.closed:
            until(lambda: not has_device(arena.far), "the device goes")
            arena.make_near()
            arena.join()


class Removed(Event):
    """The device is removed, at both ends since it is a veth."""

    near = far = {"device": DEVICE}

    def change(self):
        arena.near.ip("link del veth0")

    def happen(self, runs):
        self.change()
        ends(runs, "device-removed")

    def recover(self):
        until(lambda: not has_device(arena.far), "the device goes")
        if not has_device(arena.near):
            arena.join()


class Down(Event):
    """The device is taken down; the peers hear nothing any more."""

    near = {"device": DEVICE}
    drain = 300

    def change(self):
        arena.near.ip("link set veth0 down")

    def happen(self, runs):
        self.change()
        ends(of(runs, arena.near), "device-down")
        # A stop has its drain time, and no more.
        each("run-stop", of(runs, arena.far))
        ends(of(runs, arena.far, "sink"), "stopped")
        ends(of(runs, arena.far, "source"), "stopped", "reset", "error")

    def recover(self):
        arena.near.ip("link set veth0 up")


class Moved(Event):
    """The device is moved to another namespace."""

    near = {"device": DEVICE}
    drain = 300

    def change(self):
        target = f"/proc/{os.getpid()}/fd/{arena.home.fileno()}"
        arena.near.ip(f"link set veth0 netns {target} name moved0")

    def happen(self, runs):
        self.change()
        ends(of(runs, arena.near), "device-removed")

    def recover(self):
        if not has_device(arena.near):
            subprocess.run(["ip", "link", "del", "moved0"], check=True)
            until(lambda: not has_device(arena.far), "the device goes")
            arena.join()


class Mtu(Event):
    """The MTU becomes less than a packet, and what it was."""

    def happen(self, runs):
        # It does not fragment, and says so.
        direct, = (run for run in of(runs, arena.near, "source")
                   if run.layer == "direct")
        try:
            self.resize(600)
            ends([direct], "error")
            equal(snapshot(direct).run["error"], errno.EMSGSIZE, what="error")
        finally:
            self.resize(1500)
        others = [run for run in runs if run != direct]
        go_on(others)
        each("run-stop", of(others, arena.near))
        ends(of(others, arena.near), "stopped")

    @staticmethod
    def resize(size):
        """The MTU of the near veth."""
        with inside(arena.near.netns), socket.socket(
                type=socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, SIOCSIFMTU,
                        struct.pack("16si12x", b"veth0", size))


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


def program():
    """A socket of a program at the far end, whose buffer is soon full."""
    with inside(arena.far.netns):
        sock = socket.socket()
    sock.settimeout(BOUND)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


class Program(Event):
    """A program is the peer of both roles."""

    layers = ["tcp", "tcp round trips"]

    def once(self):
        for layer in self.layers:
            try:
                with program() as server, program() as giver:
                    self.meet(layer, server, giver)
            finally:
                arena.clear()
        nothing_left()

    def meet(self, layer, server, giver):
        """A source that SERVER accepts, and a sink that GIVER feeds."""
        port = LAYERS[layer].port
        server.bind((arena.far.address, port))
        server.listen()
        source, = arena.start(arena.near, "source", [layer],
                              **self.source(layer))
        taker = server.accept()[0]
        with taker:
            taker.settimeout(BOUND)
            taker.recv(10)
            sink, = arena.start(arena.near, "sink", [layer], send_buffer=8192)
            giver.connect((arena.near.address, port))
            giver.send(bytes(1400))
            until(lambda: snapshot(sink).bytes, "the sink receives")
            self.act(source, sink, taker, giver)

    @staticmethod
    def source(layer):
        """More of the source's configuration."""
        return {}

    def act(self, source, sink, taker, giver):
        """What the program does to them."""
        raise NotImplementedError


class Reset(Program):
    """The peer resets the connection."""

    def act(self, source, sink, taker, giver):
        for peer in taker, giver:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            peer.close()
        ends([source], "reset")
        until(lambda: all(stream["state"] == "ended"
                          for stream in snapshot(sink).streams),
              "the sink's stream ends")
        # It serves the next one.
        go_on([sink])


class Window(Program):
    """The peer does not read any more."""

    @staticmethod
    def source(layer):
        return {"pacing_rate": None} if layer == "tcp" else {
            "packet_rate": None, "request_size": 1 << 20,
            "send_buffer": 8192}

    def act(self, source, sink, taker, giver):
        still(source)
        if "trips" in source.layer:
            # Requests whose responses nobody takes. Of those it takes any
            # number, and owes as many.
            still(sink, "messages", giver)
        began = time.monotonic()
        each("run-delete", [source, sink])
        assert time.monotonic() - began < BOUND, "it waits for the peer"


def still(run, what="bytes", giver=None):
    """Wait until a run moves nothing for a while, whatever GIVER sends."""
    last, quiet = -1, 0
    if giver:
        giver.setblocking(False)

    def rests():
        nonlocal last, quiet
        if giver:
            with contextlib.suppress(BlockingIOError):
                giver.send(bytes(4096))
        now = getattr(snapshot(run), what)
        quiet = quiet + 1 if now == last else 0
        last = now
        return quiet == 10
    until(rests, f"{where(run)} rests")


class Raced(Event):
    """Two processes start and stop the same runs at a time."""

    # What it may be told who comes second.
    USUAL = {errno.EADDRINUSE, errno.ENOENT, errno.ECONNREFUSED, errno.EBUSY,
             errno.ECONNRESET, errno.EHOSTUNREACH, errno.EAGAIN}

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
                                detached=role == "sink")
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


class Xdp(Event):
    """Something happens to an XDP sink, which is a ktput-ctl."""

    layers = ["xdp"]
    port = 7100

    def __init__(self, event=None, reason=None):
        # An event of others, which the sink has a reason to end for.
        self.event = event
        self.reason = reason

    def once(self):
        source, = arena.start(arena.far, "source", ["driver"],
                              remote_port=self.port)
        with inside(arena.near.netns):
            sink = subprocess.Popen(
                ["ktput-ctl", "-j", "sink", "udp", "layer", "xdp", "dev",
                 "veth0", "port", str(self.port), "cookie",
                 str(arena.far.number)], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            until(self.attached, "the program is attached")
            before = messages(source)
            until(lambda: messages(source) > before + 3, "traffic")
            if self.reason:
                self.event.change()
                said, why = sink.communicate(timeout=BOUND)
                assert said, f"it says {why}"
                result = json.loads(said)["result"]
                equal(result["reason"], self.reason, what="reason")
                assert result["bytes"], "it has taken nothing"
            else:
                sink.kill()
                sink.communicate()
                # A namespace lasts as long as its processes.
                if self.event:
                    self.event.change()
                else:
                    until(lambda: not self.attached(), "the program goes")
        finally:
            sink.kill()
            sink.wait()
            if self.event:
                self.event.recover()
            arena.clear()
        nothing_left()
        assert not self.attached(), "the program is still there"

    @staticmethod
    def attached():
        """Whether the near device has a program."""
        with inside(arena.near.netns):
            shown = subprocess.run(["ip", "-j", "link", "show", "veth0"],
                                   check=True, capture_output=True).stdout
        return "xdp" in json.loads(shown)[0]


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
