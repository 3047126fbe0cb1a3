#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Calls that fail while a run starts: each of them once.

usage: faults.py NETNS [KIND]...

Runs in a namespace whose veth0 leads to veth0 of NETNS; see test_faults.sh,
which calls this. The kernel makes the n-th allocation of a task fail
(fault-injection.rst), for each n there is, until a start is not touched. Of all
kinds of runs, or of those that are named: "udp, direct".

exit: 0 all went well, 1 something did not
"""

import contextlib
import copy
import errno
import itertools
import os
import socket
import sys

from ktput import Client, NlError, Tests, equal, index, inside, mac, shell, \
    until
from lib import ynl  # from where ktput has its own

if len(sys.argv) < 2:
    sys.exit(__doc__)
PEER, *KINDS = sys.argv[1:]
MESSAGES = 20
DEBUG = "/sys/kernel/debug/"
ATTRIBUTES = "failslab", "fail_page_alloc"
MYSELF = "/proc/thread-self/fail-nth"
# What the kernel calls it; the last two of a socket's inode, a port's bucket.
NO_MEMORY = errno.ENOMEM, errno.ENOBUFS, errno.ENFILE, errno.EADDRINUSE

clients = {None: Client(), PEER: Client(PEER)}
tests = Tests()


def kinds():
    """Each kind of run: its name, sink and source."""
    udp = ({"local": "10.9.0.2", "local_port": 5000},
           {"remote": "10.9.0.2", "remote_port": 5000})
    tcp = [{"transport": "tcp", "cookie": None, **side} for side in udp]
    pong = {"pattern": "ping-pong"}
    taker = {"layer": "ingress", "device": index("veth0", PEER),
             "local_port": 5000}
    frames = {"device": index("veth0"), "local": "10.9.0.1",
              "remote": "10.9.0.2", "local_port": 6000, "remote_port": 5000,
              "destination_mac": mac("veth0", PEER)}
    yield "tcp", *({**side, "streams": 2} for side in tcp)
    yield "tcp, copied", *({**side, "method": "copy"} for side in tcp)
    yield "udp", *({**side, "streams": 2} for side in udp)
    yield "udp, copied", *({**side, "method": "copy"} for side in udp)
    yield "udp, direct", *({**side, "method": "direct"} for side in udp)
    yield "queue", taker, {**frames, "layer": "queue"}
    yield "driver", taker, {**frames, "layer": "driver", "burst": 4}
    for reply in "worker", "callback":
        yield f"tcp ping-pong, {reply}", *(
            {**side, **pong, "reply": reply} for side in tcp)
    yield "udp ping-pong", *({**side, **pong} for side in udp)
    yield "bypass ping-pong", {**taker, **pong}, \
        {**frames, **pong, "layer": "driver"}


def attribute(name, **values):
    """Set what is there of an attribute of fault injection."""
    assert os.path.isdir(DEBUG + name), DEBUG + name
    for key, value in values.items():
        path = f"{DEBUG}{name}/{key.replace('_', '-')}"
        if os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(str(value))


class Failing:
    """A netlink socket; of what its next message makes, the nth call fails."""

    def __init__(self, inner):
        self.inner = inner
        self.nth = None
        self.left = 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def send(self, data, flags=0):
        """Once it returns the kernel has done, or refused, what it is told."""
        if not self.nth:
            return self.inner.send(data, flags)
        with nth_fails(self.nth, self):
            self.nth = None
            return self.inner.send(data, flags)


@contextlib.contextmanager
def nth_fails(nth, result):
    """The nth call fails; result.left becomes what it was short of that."""
    counter = os.open(MYSELF, os.O_RDWR)
    try:
        os.write(counter, b"%d" % nth)
        yield
    finally:
        result.left = int(os.pread(counter, 16, 0))
        os.pwrite(counter, b"0", 0)
        os.close(counter)


@contextlib.contextmanager
def fresh(netns):
    """A client with a socket of its own, whose runs end with it."""
    client = copy.copy(clients[netns])
    client.family = copy.copy(client.family)
    with inside(netns):
        inner = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                              ynl.Netlink.NETLINK_GENERIC)
    for option in (ynl.Netlink.NETLINK_CAP_ACK, ynl.Netlink.NETLINK_EXT_ACK,
                   ynl.Netlink.NETLINK_GET_STRICT_CHK):
        inner.setsockopt(ynl.Netlink.SOL_NETLINK, option, 1)
    client.family.sock = Failing(inner)
    with inner:
        yield client


def started(client, *arguments, **config):
    """A run, or None and the errno with which it is refused."""
    try:
        return client.start(*arguments, **config), 0
    except NlError as refusal:
        return None, refusal.error
    except OSError as refusal:
        # Of the message itself, or of what is said to it.
        return None, refusal.errno


def sockets():
    """Sockets of both namespaces that are in use."""
    found = []
    for netns in None, PEER:
        with inside(netns), open("/proc/thread-self/net/sockstat",
                                 encoding="ascii") as file:
            found += [line.split()[2] for line in file
                      if line.startswith(("TCP:", "UDP:"))]
    return found


def threads():
    """Threads of the module, their numbers."""
    found = []
    for task in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), \
                open(f"/proc/{task}/comm", encoding="ascii") as file:
            if file.read().startswith("ktput/"):
                found.append(task)
    return found


BEFORE = sockets()


def nothing_left():
    """No run, no socket, no thread."""
    return not any(client.family.dump("run-get", {})
                   for client in clients.values()) and \
        sockets() == BEFORE and not threads()


def attempt(sink, source, role, nth):
    """Start both; return how many calls there were too few, and the errno."""
    with fresh(PEER) as taking, fresh(None) as giving:
        client = taking if role == "sink" else giving
        client.family.sock.nth = nth
        taker, error = started(taking, "sink", **sink)
        giver = None
        if taker:
            giver, error = started(giving, "source", end_messages=MESSAGES,
                                   **source)
        if giver:
            sent = giving.wait(giver, "messages")
            equal(sent.messages, MESSAGES, what="messages")
            taking.stop(taker)
        else:
            assert error in NO_MEMORY, errno.errorcode.get(error, error)
    until(nothing_left, "nothing is left")
    return client.family.sock.left, error


def each(sink, source, role):
    """Each call of a start fails in turn: a refusal, or the run is whole."""
    refused = whole = 0
    for nth in itertools.count(1):
        try:
            left, error = attempt(sink, source, role, nth)
        except AssertionError as fault:
            raise AssertionError(f"call {nth}: {fault}") from fault
        if left:
            assert not error, f"untouched, but {errno.errorcode[error]}"
            break
        refused += bool(error)
        whole += not error
    print(f"# {refused} refused, {whole} whole")
    assert refused, "no start was refused"


def main():
    """Starts of each kind, then what is left of all."""
    for name in ATTRIBUTES:
        attribute(name, verbose=0, probability=0, ignore_gfp_wait="N",
                  ignore_gfp_highmem="N", min_order=0, interval=1, space=0)
    table = [kind for kind in kinds() if not KINDS or kind[0] in KINDS]
    for (name, *sides), role in itertools.product(table, ("sink", "source")):
        tests.add(f"{name}: each call of the {role}'s start fails", each,
                  *sides, role)
    tests.add("no memory is left", shell, os.environ["TOP"] +
              "/selftests/leaks.sh >&2")
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
