# SPDX-License-Identifier: GPL-2.0
"""Events that end runs under traffic: the common part."""

import remains
from arena import LAYERS, Arena
from testbed import BOUND, until

kernel = remains.Kmsg()
arena = Arena()


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
        """Trigger the event, and check its effect."""
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
