#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Privileges and limits of users.

A user without capabilities may list what exists, and no more. Root in a user
namespace may do in its own network namespaces what
Documentation/internals/limits.rst says, and nothing in others. Each bound itself is
accepted, and a value beyond it is refused.

exit: 0 all went well, 1 something did not
"""

import ctypes
import errno
import multiprocessing
import os
import resource
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
import genl
from ktput import Client, NlError, Skip, Tests, equal
from testbed import (CLONE_NEWNET, CLONE_NEWUSER, LIBC, TOP, enter, module, need,
                     own_namespace, shell, skip_all, succeeds, unshare, until)

NOBODY = 65534
# Of linux/capability.h.
CAPABILITY_VERSION, CAP_NET_RAW = 0x20080522, 13
NUMBER = genl.constants(TOP + "/kmod/uapi/linux/ktput.h")
RUNS, STREAMS = NUMBER["MAX_RUNS"], NUMBER["MAX_STREAMS"]
SHARES = NUMBER["MAX_SHARES"]
FULL_SINKS = NUMBER["MAX_NETNS_STREAMS"] // STREAMS
TCP = {"transport": "tcp", "cookie": None}
CPUS = [str(cpu) for cpu in os.sched_getaffinity(0)]
# What the kernel may not know: what is left is the same with and without.
CONTEXTS = "cycles" if "PREEMPT_RT" in os.uname().version else "contexts"

need("ip", "tc", "unshare")
if not succeeds("unshare -Ur true"):
    skip_all("there are no user namespaces")
enter(module())
# Of the initial namespace, which alone has them.
WMEM_MAX, RMEM_MAX = (int(shell(f"sysctl -n net.core.{name}_max"))
                      for name in ("wmem", "rmem"))
enter(own_namespace())
tests = Tests()


def become_root(flags):
    """Be root in a new user namespace, with new namespaces of the other FLAGS."""
    uid, gid = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER | flags)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"),
                       ("gid_map", f"0 {gid} 1")):
        with open("/proc/self/" + name, "w", encoding="ascii") as file:
            file.write(text)


class Actor(Client):
    """A client, and what else it is asked to do where it is."""

    def another(self, netns=None):
        actor = super().another(netns)
        actor.dumps = []
        return actor

    def become(self, who):
        """Become WHO, and keep the socket."""
        ROLES[who]()

    def runs(self):
        """Runs and their configurations, as listed."""
        return self.family.dump("run-get", {})

    def clear(self):
        """Forget all runs; those of an actor that has just exited may be gone."""
        self.forget([message["run"]["id"] for message in self.runs()])

    def denied(self):
        """Every command but the two that only tell is denied."""
        for command, values, ask in (
                ("run-start", {"config": {"role": "sink"}}, self.family.do),
                ("run-stop", {"run-id": 1}, self.family.do),
                ("run-delete", {"run-id": 1}, self.family.do),
                ("counters-get", {"run-id": 1}, self.family.dump)):
            try:
                ask(command, values)
            except NlError as refusal:
                equal(errno.errorcode[refusal.error], "EPERM", what=command)
            else:
                raise AssertionError(command + " was not denied")
        assert self.family.do("module-get", {})["module"]["max-runs"] == RUNS

    def sinks(self, count, **config):
        """So many sinks."""
        for _ in range(count):
            self.start("sink", **TCP, **config)

    def forget_one(self):
        """Forget the first run."""
        self.forget([self.runs()[0]["run"]["id"]])

    def pin(self, cpus):
        """Run on these CPUs only."""
        os.sched_setaffinity(0, cpus)

    def abandon(self, run, most):
        """Begin dumps and do not read them, until one is refused."""
        before = len(self.dumps)
        payload = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                                struct.pack("=I", run["id"]))
        while len(self.dumps) < before + most:
            netlink = genl.Netlink()
            family = netlink.family("ktput")
            netlink.send(family, NUMBER["CMD_COUNTERS_GET"], payload,
                         genl.NLM_F_DUMP | genl.NLM_F_ACK)
            answer = netlink.socket.recv(1 << 16)
            length, kind = struct.unpack_from("=IH", answer)
            assert length, "an empty answer"
            if kind != genl.NLMSG_ERROR:
                self.dumps.append(netlink.socket)
                continue
            error = -struct.unpack_from("=i", answer, 16)[0]
            if error != errno.EAGAIN:
                equal(errno.errorcode[error], "EBUSY", what="a dump too many")
                break
        return len(self.dumps) - before

    def poll(self, run, count):
        """How many of so many snapshots are taken, and within which time in ns.

        They are asked for one right after the other, and none of their parts;
        others are refused.
        """
        payload = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                                struct.pack("=I", run["id"]))
        payload += genl.attribute(NUMBER["A_MESSAGE_PARTS"], struct.pack("=I", 0))
        sockets = [genl.Netlink() for _ in range(count)]
        family = sockets[0].family("ktput")
        begun = time.monotonic_ns()
        for netlink in sockets:
            netlink.send(family, NUMBER["CMD_COUNTERS_GET"], payload,
                         genl.NLM_F_DUMP | genl.NLM_F_ACK)
        spent = time.monotonic_ns() - begun
        taken = 0
        for netlink in sockets:
            answer = netlink.socket.recv(1 << 16)
            kind = struct.unpack_from("=H", answer, 4)[0]
            if kind == genl.NLMSG_ERROR:
                error = -struct.unpack_from("=i", answer, 16)[0]
                equal(errno.errorcode[error], "EAGAIN", what="a poll too soon")
            taken += kind != genl.NLMSG_ERROR
            netlink.socket.close()
        return taken, spent

    def cpus(self, run):
        """CPUs of a snapshot, by their numbers."""
        return {cpu["id"]: cpu for cpu in self.snapshot(run).cpus}

    def let_go(self, count):
        """Close the sockets of so many dumps."""
        for dump in self.dumps[:count]:
            dump.close()
        del self.dumps[:count]


def powerless():
    """Without any capability."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def root_elsewhere():
    """Root in a user namespace that has no network namespace."""
    become_root(0)


def stranger():
    """Root in a user namespace, and in a network namespace of its own."""
    become_root(CLONE_NEWNET)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def no_forger():
    """As that, but without CAP_NET_RAW."""
    stranger()
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    data = ctypes.create_string_buffer(24)
    if LIBC.capget(header, data):
        raise OSError(ctypes.get_errno(), "capget")
    words = list(struct.unpack("=6I", data.raw))
    words[0] &= ~(1 << CAP_NET_RAW)
    if LIBC.capset(header, struct.pack("=6I", *words)):
        raise OSError(ctypes.get_errno(), "capset")


ROLES = {"powerless": powerless, "root elsewhere": root_elsewhere,
         "stranger": stranger, "no forger": no_forger}


def serve(role, channel, netns):
    """Do what is asked for, in a process of its own."""
    if netns:
        with open(f"/proc/{netns}/ns/net", encoding="ascii") as there:
            if LIBC.setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
    if role:
        ROLES[role]()
    # The spec is read by now: it may stand where only root may look.
    actor = root.another()
    channel.send(None)
    while True:
        try:
            name, arguments, keywords = channel.recv()
        except EOFError:
            return
        try:
            channel.send((True, getattr(actor, name)(*arguments, **keywords)))
        except NlError as refusal:
            extack = refusal.nl_msg.extack or {}
            channel.send((False, f"{name}: {os.strerror(refusal.error)}: "
                                 f"{extack.get('msg', '')}"))
        except Exception as fault:
            channel.send((False, f"{name}: {fault!r}"))


class Remote:
    """An Actor in a process of another user or in other namespaces."""

    def __init__(self, role=None, netns=None):
        self.channel, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, daemon=True,
                                               args=(role, theirs, netns))
        self.process.start()
        theirs.close()
        self.channel.recv()

    def __getattr__(self, name):
        def call(*arguments, **keywords):
            self.channel.send((name, arguments, keywords))
            good, result = self.channel.recv()
            assert good, result
            return result
        return call

    def end(self):
        """End the process, and with it its runs."""
        self.process.kill()
        self.process.join()
        self.channel.close()


remotes = []


def remote(*arguments, **keywords):
    """A Remote that ends with the case."""
    remotes.append(Remote(*arguments, **keywords))
    return remotes[-1]


def clean():
    """What follows each case."""
    while remotes:
        remotes.pop().end()
    root.clear()
    # Their runs end with their sockets, a moment later.
    until(lambda: not shell("pgrep '^ktput/' || true"), "the end of all runs")


def telling():
    """Every user can list runs, without their cookies."""
    root.start("sink")
    user = remote("powerless")
    listed = user.runs()
    equal(len(listed), 1, what="runs listed")
    assert "cookie" not in listed[0]["config"], "the cookie is told to all"
    assert "cookie" in root.runs()[0]["config"], "the cookie is told to nobody"


def denied(role, netns=None):
    """Nothing is done for ROLE, and the run goes on."""
    run = root.start("sink", **TCP)
    remote(role, netns=netns).denied()
    equal(root.snapshot(run).run["state"], "running", what="state")


def denied_sockets():
    """A socket that a privileged task has opened gives no privilege."""
    for who in "powerless", "root elsewhere":
        user = remote()
        user.become(who)
        user.denied()


def denied_siblings():
    """Nor is one in the namespace of another user namespace."""
    other = remote("stranger")
    other.sinks(1)
    user = remote(netns=other.process.pid)
    equal(len(user.runs()), 1, what="runs")
    user.become("root elsewhere")
    user.denied()
    equal(len(other.runs()), 1, what="runs")


def allowed():
    """Root of a namespace of its own sends and takes."""
    user = remote("stranger")
    sink = user.start("sink", **TCP)
    user.start("source", remote="127.0.0.1", remote_port=sink["local-port"],
               bytes=1 << 20, **TCP)
    until(lambda: all(message["run"]["state"] == "ended" for message in
                      user.runs() if message["run"]["role"] == "source"),
          "the source's end")
    equal([message["run"]["reason"] for message in user.runs()
           if message["run"]["role"] == "source"], ["bytes"], what="reason")


def buffers(which, most):
    """As large as any socket's may be, but by force."""
    user = remote("stranger")
    user.start("sink", **TCP, **{which: most})
    user.refused(errno.EPERM, f"^{which.replace('_', '-')} beyond",
                 "sink", **TCP, **{which: most + 1})
    root.start("sink", **TCP, **{which: most + 1})


def cpus():
    """Those that the task may run on."""
    user = remote("stranger")
    user.pin({0})
    user.start("sink", cpus="0", **TCP)
    for beyond in "1", "0-1":
        user.refused(errno.EPERM, "^cpus: one that this task may not run",
                     "sink", cpus=beyond, **TCP)
    user.clear()
    user.start("sink", **TCP)
    equal(user.runs()[0]["config"]["cpus"], "0", what="CPUs by default")
    privileged = remote()
    privileged.pin({0})
    privileged.start("sink", cpus="1", **TCP)
    privileged.clear()
    privileged.start("sink", **TCP)
    equal(privileged.runs()[0]["config"]["cpus"], "0", what="CPUs by default")


def other_cpus():
    """Counters of other CPUs need the privileges of perf."""
    user = remote("stranger")
    for actor, own in (user, ["0"]), (root, sorted(CPUS)):
        for config in TCP, {"method": "zerocopy"}:
            run = actor.start("sink", cpus="0", **config)
            told = actor.cpus(run)
            equal([str(cpu) for cpu in told if "cycles" in told[cpu]], own,
                  what="CPUs")
            equal([str(cpu) for cpu in told if CONTEXTS in told[cpu]], own,
                  what="CPUs with contexts")


def foreign():
    """What others do on the CPUs of a run is one sum to who may not see it."""
    user = remote("stranger")
    told = [actor.cpus(actor.start("sink", cpus="0", **TCP))[0].get("contexts")
            for actor in (user, root)]
    if CONTEXTS != "contexts":
        raise Skip("this kernel has no contexts")
    hidden = {"softirq-other", "hardirq", "user"}
    equal(hidden & told[0].keys(), set(), what="contexts of others")
    equal(told[1].keys() - told[0].keys(), hidden, what="contexts of root's")
    # They are in the sum: the cycles of all are those of the CPU, but for a constant.
    run = user.start("sink", cpus="0", **TCP)
    before, after = user.cpus(run)[0], user.cpus(run)[0]
    equal(sum(after["contexts"].values()) - sum(before["contexts"].values()),
          after["cycles"] - before["cycles"], what="cycles")


def polls():
    """How often all CPUs of a run may be interrupted."""
    user = remote("stranger")
    run, taken = user.start("sink", streams=1, **TCP), 100
    # Where the machine is busy, none may come too soon.
    for _ in range(10):
        taken, spent = user.poll(run, 100)
        print(f"# {taken} of 100 within {spent} ns")
        assert 0 < taken <= 1 + spent // NUMBER["MIN_POLL"], str(taken)
        if taken < 100:
            break
    if taken == 100 and spent >= 100 * NUMBER["MIN_POLL"]:
        raise Skip("a poll takes longer than one has to wait for the next")
    assert taken < 100, "no poll came too soon"
    equal(root.poll(root.start("sink", **TCP), 100)[0], 100, what="of root's")


def raw():
    """Frames, made up or taken, as packet sockets do."""
    for layer, config in (
            ("driver", {"role": "source", "remote": "192.0.2.2",
                        "remote_port": 9, "local": "192.0.2.1",
                        "mac": b"\2\0\0\0\0\2"}),
            ("ingress", {"role": "sink"})):
        config |= {"layer": layer, "dev": 1, "local_port": 1}
        remote("no forger").refused(errno.EPERM, "CAP_NET_RAW", **config)
        # It comes further: loopback is refused for what it is.
        remote("stranger").refused(errno.EOPNOTSUPP, "^dev: loopback",
                                   **config)
    remote("no forger").start("sink", **TCP)


def initial_only():
    """What would harm others is for the initial user namespace."""
    user = remote("stranger")
    there = {"remote": "127.0.0.1", "remote_port": 9}
    for words, config in (
            ("reuse", {"layer": "driver", "dev": 1, "local": "127.0.0.1",
                       "local_port": 1, "reuse": True, **there,
                       "mac": b"\2\0\0\0\0\2"}),
            ("connect-per-request", {"pattern": "ping-pong", **TCP, **there,
                                     "connect_per_request": True})):
        user.refused(errno.EPERM, f"^{words} takes CAP_NET_ADMIN", "source",
                     **config)


def runs_of_one():
    """Of a namespace."""
    root.sinks(RUNS, streams=1)
    root.refused(errno.EBUSY, f"^this network namespace has {RUNS} runs",
                 "sink", streams=1, **TCP)
    root.forget_one()
    root.sinks(1, streams=1)


def runs_of_all():
    """Of all user namespaces but the initial one."""
    users = [remote("stranger") for _ in range(SHARES + 1)]
    for user in users[:-1]:
        user.sinks(RUNS, streams=1)
    users[-1].refused(errno.EBUSY, "have used up what they share", "sink",
                      streams=1, **TCP)
    root.sinks(1, streams=1)
    users[0].forget_one()
    users[-1].sinks(1, streams=1)


def streams_of_one():
    """Of a namespace."""
    root.sinks(FULL_SINKS, streams=STREAMS)
    root.refused(errno.EBUSY, "^streams: all runs of this network",
                 "sink", streams=1, **TCP)
    root.forget_one()
    until(lambda: room_for_streams(root), "room for streams")


def room_for_streams(actor):
    """True where there is; it is given back a moment after the run."""
    try:
        actor.sinks(1, streams=STREAMS)
        return True
    except (AssertionError, NlError):
        return False


def streams_of_all():
    """Of all user namespaces but the initial one."""
    users = [remote("stranger") for _ in range(SHARES + 1)]
    for user in users[:-1]:
        user.sinks(FULL_SINKS, streams=STREAMS)
    users[-1].refused(errno.EBUSY, "have used up what they share", "sink",
                      streams=1, **TCP)
    root.sinks(1, streams=STREAMS)
    users[0].forget_one()
    until(lambda: room_for_streams(users[-1]), "room for streams")


def snapshots():
    """As many for any number of streams, since each has memory for a portion."""
    user = remote("stranger")
    fits = []
    for streams in 4096, 2048:
        run = user.start("sink", streams=streams)
        fits.append(user.abandon(run, 500))
        assert 4 < fits[-1] < 500, f"{fits[-1]} dumps were begun"
        user.let_go(1)
        equal(user.abandon(run, 2), 1, what="dumps instead of one")
        user.let_go(fits[-1])
        user.clear()
    print(f"# dumps of 4096 and of 2048 streams: {fits}")
    equal(*fits, what="dumps")


def frames():
    """Buffers of sources whose frames lie in a queue."""
    sources = 40
    buffer = 16384
    most = NUMBER["MAX_FRAME_MEMORY"] // buffer
    shell(f"ip link add held0 mtu 9000 numtxqueues {sources} type veth "
          f"peer name held1; ip link set held0 up; ip link set held1 up; "
          "tc qdisc add dev held0 root netem limit 1000000 delay 200s")
    run = root.start("source", layer="queue", dev=socket.if_nametoindex(
        "held0"), local="192.0.2.1", local_port=1, remote="192.0.2.2",
        remote_port=9, mac=b"\2\0\0\0\0\2", drain_timeout=0,
        size_min=9014, queues=f"0-{sources - 1}")
    last = []

    def full():
        last.append(root.snapshot(run).messages)
        return last[-1] >= most and last[-2:] == [last[-1]] * 2
    until(full, "all buffers in use", 120)
    snapshot = root.stop(run)
    equal(snapshot.messages, snapshot.unreturned, most, what="buffers")
    shell("ip link del held0")


resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
root = Actor()
tests.after.append(clean)
tests.add("a user without capabilities may list runs", telling)
tests.add("a user without capabilities is denied the rest", denied,
          "powerless")
tests.add("so is root in another user namespace", denied, "root elsewhere")
tests.add("so are both with a socket of root's", denied_sockets)
tests.add("so is root of one user namespace in a namespace of another",
          denied_siblings)
tests.add("root in a namespace of its own may send and take", allowed)
tests.add("send buffers", buffers, "sndbuf", WMEM_MAX)
tests.add("receive buffers", buffers, "rcvbuf", RMEM_MAX)
tests.add("CPUs", cpus)
tests.add("CPUs of others", other_cpus)
tests.add("what others do on CPUs", foreign)
tests.add("polls", polls)
tests.add("frames take CAP_NET_RAW", raw)
tests.add("what would harm others", initial_only)
tests.add("runs of a namespace", runs_of_one)
tests.add("runs of all other user namespaces", runs_of_all)
tests.add("streams of a namespace", streams_of_one)
tests.add("streams of all other user namespaces", streams_of_all)
tests.add("memory of snapshots", snapshots)
tests.add("memory of frames", frames)
sys.exit(tests.run())
