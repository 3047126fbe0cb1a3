# SPDX-License-Identifier: GPL-2.0
"""What happens to runs by their devices and namespaces."""

import errno
import fcntl
import json
import os
import socket
import struct
import subprocess

from arena import DEVICE, each, ends, go_on, messages, of, snapshot
from churn_event import Event, arena, nothing_left
from ktput import equal
from testbed import BOUND, inside, until

SIOCSIFMTU = 0x8922


def has_device(end):
    """Whether an end has its device."""
    with inside(end.netns):
        return "veth0" in [name for _, name in socket.if_nameindex()]


class Namespace(Event):
    """The network namespace is destroyed; its devices go with it."""

    near = {"detach": True, "dev": DEVICE}
    far = {"dev": DEVICE}

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

    near = far = {"dev": DEVICE}

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

    near = {"dev": DEVICE}
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

    near = {"dev": DEVICE}
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

    def prepare(self):
        # What the far device drops TCP tries again each half second, and gives
        # up after so many times (tcp_send_probe0()): 15, were it not for this.
        with inside(arena.far.netns), open(
                "/proc/sys/net/ipv4/tcp_retries2", "w",
                encoding="ascii") as file:
            file.write("255")

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
