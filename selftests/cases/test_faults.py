#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Calls that fail: each of them once, while a run starts and while it lasts.

usage: test_faults.py [WORD]...

The kernel makes the n-th allocation of a task fail
(fault-injection.rst), for each n there is, until none is left to fail: of who
starts a run, of kthreadd, which makes its threads, of such a thread. What
softirq allocates is no task's, and fails at random. All cases are run, or those
that have one of the WORDs in their names.

exit: 0 all went well, 1 something did not
"""

import contextlib
import copy
import errno
import itertools
import os
import socket
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, NlError, Tests, equal, index, mac
from lib import ynl  # from where ktput has its own
from testbed import (TOP, enter, inside, module, need, setting, shell, skip_all,
                     until, veth_pair)

WORDS = sys.argv[1:]
MESSAGES = 20
# Of which each makes calls of a thread.
FEW_MESSAGES = 4
# More calls than fail at random.
MANY = 1000000
DEBUG = "/sys/kernel/debug/"
ATTRIBUTES = "failslab", "fail_page_alloc"
MYSELF = "thread-self"
KTHREADD = "2"
# What the kernel calls it; the last three of a socket's inode, of a port's
# bucket, of what makes a task a kernel thread.
NO_MEMORY = errno.ENOMEM, errno.ENOBUFS, errno.ENFILE, errno.EADDRINUSE, \
    errno.EAGAIN
# A sink that has no memory for a connection resets it.
WITHOUT_MEMORY = *NO_MEMORY, errno.ECONNRESET

need("ethtool", "ip")
if not os.path.exists("/proc/thread-self/fail-nth") or \
        not os.path.isdir(DEBUG + "failslab"):
    skip_all("the kernel injects no faults: see selftests/ci/check-debug.sh")
# Each end of a run waits for grace periods, and there are thousands.
enter(setting("/sys/kernel/rcu_expedited", 1))
enter(module())
_, PEER = enter(veth_pair())
# veth takes frames of XDP where its peer has GRO.
shell(f"ip netns exec {PEER} ethtool -K veth0 gro on")
clients = {None: Client(), PEER: Client(PEER)}
tests = Tests()


def kinds():
    """Each kind of run: its name, sink and source."""
    udp = ({"local": "10.9.0.2", "local_port": 5000},
           {"remote": "10.9.0.2", "remote_port": 5000})
    tcp = [{"transport": "tcp", "cookie": None, **side} for side in udp]
    # The default of 128 KiB takes an emulated machine seconds.
    small = {"size": 1448}
    pong = {"pattern": "ping-pong"}
    taker = {"layer": "ingress", "dev": index("veth0", PEER),
             "local_port": 5000}
    frames = {"dev": index("veth0"), "local": "10.9.0.1",
              "remote": "10.9.0.2", "local_port": 6000, "remote_port": 5000,
              "mac": mac("veth0", PEER)}
    yield "tcp", *({**side, **small, "streams": 2} for side in tcp)
    yield "tcp, copied", *({**side, **small, "method": "copy"} for side in tcp)
    yield "udp", *({**side, "streams": 2} for side in udp)
    yield "udp, copied", *({**side, "method": "copy"} for side in udp)
    yield "udp, direct", *({**side, "method": method} for side, method in
                           zip(udp, ("zerocopy", "direct")))
    yield "queue", taker, {**frames, "layer": "queue"}
    yield "driver", taker, {**frames, "layer": "driver", "burst": 4}
    yield "xdp", taker, {**frames, "layer": "xdp", "burst": 4}
    yield "driver, mixed", taker, {
        **frames, "layer": "driver", "mix": "80:2,200:1", "from_ports": 3}
    for reply in "worker", "callback":
        yield f"tcp ping-pong, {reply}", *(
            {**side, **pong, "reply": reply} for side in tcp)
    yield "tcp ping-pong, connecting", {**tcp[0], **pong}, \
        {**tcp[1], **pong, "connect_per_request": True}
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


class Nth:
    """Meanwhile the nth call of a task fails; left: how many came too few."""

    def __init__(self, task, nth):
        self.path = f"/proc/{task}/fail-nth"
        self.nth = nth
        self.left = 0

    def __enter__(self):
        self.counter = os.open(self.path, os.O_RDWR)
        os.write(self.counter, b"%d" % self.nth)
        return self

    def __exit__(self, *_):
        self.left = int(os.pread(self.counter, 16, 0))
        os.pwrite(self.counter, b"0", 0)
        os.close(self.counter)


class Failing:
    """A netlink socket; of what its next message makes, a call fails."""

    def __init__(self, inner):
        self.inner = inner
        self.failure = contextlib.nullcontext()

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def send(self, data, flags=0):
        """When it returns, the kernel has executed or refused the request."""
        failure, self.failure = self.failure, contextlib.nullcontext()
        with failure:
            return self.inner.send(data, flags)


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


def open_sockstat(netns):
    """The file that counts the sockets of a namespace, wherever it is read."""
    with inside(netns):
        return os.open("/proc/thread-self/net/sockstat", os.O_RDONLY)


SOCKSTATS = [open_sockstat(netns) for netns in clients]


def sockets():
    """Sockets of both namespaces that are in use."""
    return [line.split()[2] for file in SOCKSTATS
            for line in os.pread(file, 4096, 0).decode().splitlines()
            if line.startswith(("TCP:", "UDP:"))]


def tasks():
    """Numbers of all processes."""
    return set(filter(str.isdigit, os.listdir("/proc")))


BEFORE = sockets()
STRANGERS = tasks()


def threads():
    """Threads of the module, their numbers by their names."""
    found = {}
    for task in tasks() - STRANGERS:
        with contextlib.suppress(OSError), \
                open(f"/proc/{task}/comm", encoding="ascii") as file:
            found[file.read().strip()] = task
    return {name: task for name, task in found.items()
            if name.startswith("ktput/")}


@contextlib.contextmanager
def kept():
    """A run without socket and thread, for which CPUs are accounted.

    They would be for a second after each run, and whether a start makes the
    calls that it takes to begin so would depend on how soon it comes.
    """
    with fresh(PEER) as keeper:
        keeper.start("sink", layer="ingress", dev=index("veth0", PEER),
                     local_port=5999)
        yield
    until(nothing_left, "nothing is left")


def nothing_left(runs=0):
    """No more runs, no socket, no thread."""
    return sum(len(client.family.dump("run-get", {}))
               for client in clients.values()) == runs and \
        sockets() == BEFORE and not threads()


def finished(client, run):
    """Wait for a run that ends by itself."""
    until(lambda: any(one["id"] == run["id"] and one["state"] == "ended"
                      for one in client.list()), f"{run['role']} ends")


def attempt(sink, source, role, task, nth):
    """Start both; return how many calls there were too few, and the errno."""
    failure = Nth(task, nth)
    with fresh(PEER) as taking, fresh(None) as giving:
        client = taking if role == "sink" else giving
        client.family.sock.failure = failure
        taker, error = started(taking, "sink", **sink)
        giver = None
        if taker:
            giver, error = started(giving, "source", messages=MESSAGES,
                                   **source)
        if giver:
            finished(giving, giver)
            sent = giving.snapshot(giver, ["cpu", "latency"])
            equal(sent.run["reason"], "messages", what="reason")
            equal(sent.messages, MESSAGES, what="messages")
        else:
            assert error in NO_MEMORY, errno.errorcode.get(error, error)
    until(lambda: nothing_left(1), "nothing is left")
    return failure.left, error


def each(once, *arguments):
    """Each call fails in turn: return how often there was an errno, and not."""
    failed = whole = 0
    for nth in itertools.count(1):
        try:
            left, error = once(*arguments, nth)
        except AssertionError as fault:
            raise AssertionError(f"call {nth}: {fault}") from fault
        if left:
            assert not error, f"untouched, but {errno.errorcode[error]}"
            break
        failed += bool(error)
        whole += not error
    print(f"# {failed} failed, {whole} whole")
    return failed


def each_start(*arguments):
    """Each call of a start fails in turn: a refusal, or the run is whole."""
    with kept():
        assert each(attempt, *arguments), "no start was refused"


@contextlib.contextmanager
def sinking(sink):
    """A client in whose namespace a source finds a sink."""
    with fresh(PEER) as taking, fresh(None) as giving:
        taker = taking.start("sink", **sink)
        yield giving
        taking.stop(taker)


def in_order(giving, giver):
    """Ends of a source: in order, all sent or without memory."""
    finished(giving, giver)
    sent = giving.snapshot(giver, ["latency"])
    sent.consistent()
    error = sent.run["error"]
    assert not error or error in WITHOUT_MEMORY, \
        errno.errorcode.get(error, error)
    return sent


def attempt_turn(sink, source, thread, nth):
    """Run both; return how many calls there were too few, and the errno."""
    with sinking(sink) as giving, Nth(thread, nth) as failure:
        giver, error = started(giving, "source", messages=FEW_MESSAGES,
                               **source)
        if giver:
            sent = in_order(giving, giver)
            error = sent.run["error"]
            assert error or sent.messages == FEW_MESSAGES, sent.messages
        else:
            assert error in WITHOUT_MEMORY, errno.errorcode.get(error, error)
    return failure.left, error


def each_turn(sink, source, role):
    """Each call of a thread fails in turn: the run ends in order."""
    source = {**source, "cpus": "0"}
    if sink.get("layer") != "ingress":
        sink = {**sink, "cpus": "1"}
    with fresh(PEER) as keeper:
        # A run with a worker on each CPU keeps the threads.
        keeper.start("sink", local_port=5999, cpus="0-1")
        thread = threads()["ktput/0" if role == "source" else "ktput/1"]
        each(attempt_turn, sink, source, thread)
    until(nothing_left, "nothing is left")


@contextlib.contextmanager
def at_random():
    """One in ten atomic allocations fails."""
    for name in ATTRIBUTES:
        attribute(name, times=MANY, ignore_gfp_wait="Y", probability=10)
    try:
        yield
    finally:
        failed = 0
        for name in ATTRIBUTES:
            attribute(name, probability=0, ignore_gfp_wait="N")
            with open(f"{DEBUG}{name}/times", encoding="ascii") as file:
                failed += MANY - int(file.read())
        print(f"# {failed} calls failed")
        assert failed, "no call failed"


def softirq(sink, source):
    """Calls of softirq fail while payload moves: the run ends in order."""
    with sinking(sink) as giving:
        giver = giving.start("source", time=10**9, drain_timeout=10**9,
                             **source)
        with at_random():
            sent = in_order(giving, giver)
        print(f"# {sent.run['reason']}, {sent.messages} messages")
        assert sent.messages, "nothing was sent"
    until(nothing_left, "nothing is left")


@contextlib.contextmanager
def vmalloc_warns():
    """It does so with a stack: not on the console, where none may be.

    What else is said there is no less a defect.
    """
    path = "/proc/sys/kernel/printk"
    with open(path, encoding="ascii") as file:
        level = file.read().split()[0]
    shell(f"dmesg --clear; echo 4 >{path}")
    try:
        yield
    finally:
        shell(f"echo {level} >{path}")
    said = shell("dmesg")
    assert "WARNING:" not in said, said


def each_thread(*arguments):
    """Each call fails in turn that makes the threads of a start."""
    with vmalloc_warns():
        each_start(*arguments, KTHREADD)


def main():
    """Starts, then runs, then what is left of all."""
    for name in ATTRIBUTES:
        attribute(name, verbose=0, probability=0, ignore_gfp_wait="N",
                  ignore_gfp_highmem="N", min_order=0, interval=1, space=0)
    table = list(kinds())
    for (name, *sides), role in itertools.product(table, ("sink", "source")):
        tests.add(f"{name}: each call of the {role}'s start fails", each_start,
                  *sides, role, MYSELF)
    _, *tcp = table[0]
    tests.add("tcp: each call that makes the sink's threads fails",
              each_thread, *tcp, "sink")
    for (name, *sides), role in itertools.product(table, ("sink", "source")):
        # A hook has no thread.
        if role == "source" or sides[0].get("layer") != "ingress":
            tests.add(f"{name}: each call of the {role}'s thread fails",
                      each_turn, *sides, role)
    for name, *sides in table:
        tests.add(f"{name}: calls of softirq fail", softirq, *sides)
    tests.cases = [case for case in tests.cases
                   if not WORDS or any(word in case[0] for word in WORDS)]
    tests.add("no memory is left", shell, TOP +
              "/selftests/lib/leaks.sh >&2")
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
