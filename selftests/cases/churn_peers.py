# SPDX-License-Identifier: GPL-2.0
"""What happens to runs by their peers."""

import contextlib
import socket
import struct
import time

from arena import LAYERS, each, ends, go_on, of, snapshot, where
from churn_event import Event, arena, nothing_left
from testbed import BOUND, inside, until

RESET = struct.pack("ii", 1, 0)


class Forgotten(Event):
    """The peers are forgotten in the midst of it."""

    def happen(self, runs):
        each("run-delete", of(runs, arena.far))
        near = of(runs, arena.near)
        connected = [run for run in near if run.layer.startswith("tcp") and
                     run.role == "source"]
        ends(connected, "reset", "peers")
        go_on([run for run in near if run not in connected])


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
            sink, = arena.start(arena.near, "sink", [layer], sndbuf=8192)
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
        return {"pace": None} if layer == "tcp" else {
            "packet_rate": None, "request": 1 << 20,
            "sndbuf": 8192}

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
