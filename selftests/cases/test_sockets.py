#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""What others do to sockets of a run: share its port, take its connections, destroy
them; and what becomes of a dump that nobody reads.

The programs in reuseport.bpf.c set SO_REUSEPORT of all sockets that are bound to
PORT, and of those that listen on LATER once they do. So a listener of the test
shares the port of a sink, and inherits what the sink has not accepted when the sink
is destroyed (tcp_migrate_req). CPU 1 accepts nothing while BUSY runs there.

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import functools
import os
import select
import signal
import socket
import struct
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
import diag
import genl
from bpf import programs
from ktput import Client, Skip, Tests, equal
from testbed import (TOP, enter, module, need, own_namespace, setting, shell,
                     succeeds, until)

PORT, LATER, OTHER = 5007, 5008, 5009
HERE = "127.0.0.1"
CLIENTS = 40
# Of linux/socket.h, and net/tcp_states.h.
MSG_FASTOPEN = 0x20000000
TCP_TIME_WAIT, TCP_CLOSE = 6, 7
TCP, UDP = socket.IPPROTO_TCP, socket.IPPROTO_UDP
FAIR = "/sys/kernel/debug/sched/fair_server/cpu1/runtime"
DATA = b"ktput" * 20

need("ip", "clang", "gcc", "bpftool")
enter(own_namespace())
enter(programs("reuseport.bpf.c", {"share": "cgroup_inet4_bind",
                                   "share_later": "cgroup_sock_ops"},
               PORT=PORT, LATER=LATER))
shell("sysctl -qw net.ipv4.tcp_migrate_req=1")
# All clients and servers, without a cookie, without an option of the listener.
shell("sysctl -qw net.ipv4.tcp_fastopen=0x607")
tests = Tests()


@contextlib.contextmanager
def loaded():
    """The module is loaded, and removed afterwards; a client of it."""
    with module():
        yield another()


def another():
    """A client of the module that is loaded; the first one reads the ABI."""
    if not another.first:
        another.first = Client()
    return another.first.another()


another.first = None


@functools.cache
def remains():
    """A client of the module, which is loaded from now on."""
    enter(module())
    here = another()
    tests.after = [here.clear]
    return here


@contextlib.contextmanager
def busy():
    """CPU 1 has time for nothing else, and this process runs on CPU 0."""
    with contextlib.ExitStack() as undo:
        cpus = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {0})
        undo.callback(os.sched_setaffinity, 0, cpus)
        undo.enter_context(setting("/proc/sys/kernel/sched_rt_runtime_us", -1))
        if os.path.exists(FAIR):
            undo.enter_context(setting(FAIR, 0))
        ready, written = os.pipe()
        child = os.fork()
        if not child:
            os.sched_setaffinity(0, {1})
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
            os.write(written, b"!")
            while True:
                pass
        undo.callback(os.waitpid, child, 0)
        undo.callback(os.kill, child, signal.SIGKILL)
        os.read(ready, 1)
        os.close(ready)
        os.close(written)
        yield


def neighbour(port):
    """A listener of the test that shares a port with a sink."""
    listener = socket.socket()
    for option in socket.SO_REUSEPORT, socket.SO_REUSEADDR:
        listener.setsockopt(socket.SOL_SOCKET, option, 1)
    listener.bind((HERE, port))
    listener.listen(2 * CLIENTS)
    listener.setblocking(False)
    return listener


def queued(port, listener):
    """The sink's listener, as sock_diag has it."""
    own = os.fstat(listener.fileno()).st_ino
    return next(one for one in diag.sockets(TCP, port)
                if one.state == diag.TCP_LISTEN and one.inode != own)


def accepted(listener):
    """All connections that can be accepted."""
    found = []
    with contextlib.suppress(BlockingIOError):
        while True:
            found.append(listener.accept()[0])
    return found


def connected(port, fast):
    """Clients, connected to whoever listens; FAST with TCP fast open."""
    clients = []
    for _ in range(CLIENTS):
        client = socket.socket()
        client.settimeout(30)
        if fast:
            client.sendto(DATA, MSG_FASTOPEN, (HERE, port))
        else:
            client.connect((HERE, port))
        clients.append(client)
    return clients


def resets(clients):
    """Those of the connected clients that have been reset."""
    return [client for client in clients
            if client.getsockopt(TCP, socket.TCP_INFO, 1)[0] == TCP_CLOSE]


def serve(servers, clients, sent):
    """Each of the connections has events for what its client sends."""
    for client in clients:
        client.sendall(DATA)
    with select.epoll() as poll:
        files = {server.fileno(): server for server in servers}
        for number in files:
            poll.register(number, select.EPOLLIN | select.EPOLLET)
        received = dict.fromkeys(files, 0)

        def all_came():
            for number, _ in poll.poll(0.1):
                with contextlib.suppress(BlockingIOError):
                    while True:
                        received[number] += len(files[number].recv(1 << 16))
            return all(count == sent + len(DATA)
                       for count in received.values())
        for server in servers:
            server.setblocking(False)
        until(all_came, "data comes on connections")


def inherits(port, end, fast):
    """Connections that a sink has not accepted, after its END."""
    if os.cpu_count() < 2:
        raise Skip("there is one CPU")
    with contextlib.ExitStack() as stack:
        with loaded() as here:
            run = here.start("sink", transport="tcp", cookie=None, local=HERE,
                             local_port=port, cpus="1")
            listener = stack.enter_context(neighbour(port))
            with busy():
                clients = connected(port, fast)
                for client in clients:
                    stack.enter_context(client)
                servers = accepted(listener)
                sink = queued(port, listener)
                waiting = CLIENTS - len(servers)
                assert 0 < waiting < CLIENTS, f"{waiting} wait for the sink"
                equal(sink.queued, waiting, what="queue of the sink")
                equal(here.find(run)["accepted"], 0, what="accepted")
                if end == "destroyed":
                    diag.destroy(sink)
                else:
                    here.tell("run-delete", [run["id"]])
            if end == "destroyed":
                now = here.wait(run, "error").run
                equal(now["error"], errno.ECONNABORTED, what="error")
                here.forget([run["id"]])
                servers += until(lambda: accepted(listener), "it inherits")
                equal(len(servers), CLIENTS, what="connections")
            else:
                until(lambda: not here.list(), "the run is forgotten")
                equal(accepted(listener), [], what="inherited connections")
                until(lambda: len(resets(clients)) == waiting,
                      "the others are reset")
        # The module is gone.
        for server in servers:
            stack.enter_context(server)
        serve(servers, set(clients) - set(resets(clients)),
              len(DATA) if fast else 0)


def fast_open():
    """A sink counts what came before the connection was there."""
    here = remains()
    with contextlib.ExitStack() as stack:
        run = here.start("sink", transport="tcp", cookie=None, local=HERE,
                         local_port=OTHER)
        for client in connected(OTHER, True):
            stack.enter_context(client)
            client.sendall(DATA)
        took = until(lambda: (lambda now: now if now.bytes >=
                              2 * CLIENTS * len(DATA) else None)(
                                  here.snapshot(run)), "all came")
        equal(took.bytes, 2 * CLIENTS * len(DATA), what="bytes")
        equal((took.run["accepted"], took.run["refused"]), (CLIENTS, 0),
              what="accepted and refused")
        here.stop(run)


def ends(here, run, found):
    """A run ends when its socket is destroyed."""
    equal(len(found), 1, what="sockets of the run")
    diag.destroy(found[0])
    now = here.wait(run, "error").run
    equal(now["error"], errno.ECONNABORTED, what="error")


def sink_ends(protocol, **config):
    """A sink, also one that nothing has come to."""
    here = remains()
    run = here.start("sink", local=HERE, **config)
    ends(here, run, [one for one in diag.sockets(protocol)
                     if protocol == UDP or one.state == diag.TCP_LISTEN])


def source_ends(protocol, **config):
    """A source, also one that waits for its next datagram to be due."""
    here = remains()
    here.start("sink", local=HERE, local_port=OTHER, **{
        name: config[name] for name in ("transport", "cookie", "pattern", "reply")
        if name in config})
    run = here.start("source", remote=HERE, remote_port=OTHER, **config)
    ends(here, run, [one for one in diag.sockets(protocol)
                     if one.dport == OTHER and one.state != TCP_TIME_WAIT])


def connection_of_sink():
    """A sink goes on when one of its connections is destroyed."""
    here = remains()
    with contextlib.ExitStack() as stack:
        run = here.start("sink", transport="tcp", cookie=None, local=HERE,
                         local_port=OTHER)
        first, second = [stack.enter_context(socket.create_connection(
            (HERE, OTHER), 30)) for _ in range(2)]
        until(lambda: here.find(run)["accepted"] == 2, "both are accepted")
        port = first.getsockname()[1]
        diag.destroy(next(one for one in diag.sockets(TCP, OTHER)
                          if one.dport == port and one.sport == OTHER))
        until(lambda: resets([first]), "the first is reset")
        second.sendall(DATA)
        until(lambda: here.snapshot(run).bytes == len(DATA), "data comes")
        here.stop(run)


def is_unread(command, streams, finished):
    """The module can be removed once nobody has a dump that is not FINISHED."""
    with module():
        here = another()
        run = here.start("sink", local=HERE, local_port=OTHER, streams=streams)
        names = genl.constants(f"{TOP}/kmod/uapi/linux/ktput.h")
        about = genl.attribute(names["A_MESSAGE_RUN_ID"],
                               struct.pack("=I", run["id"]))
        reader = genl.Netlink()
        with reader.socket:
            reader.send(here.family.nlproto.family_id, names[f"CMD_{command}"],
                        about if command == "COUNTERS_GET" else b"",
                        genl.NLM_F_DUMP)
            here.forget([run["id"]])
            here.close()
            if not finished:
                for _ in range(3):
                    assert not succeeds("rmmod ktput"), "it is removed"
            else:
                until(lambda: succeeds("rmmod ktput"), "it is removed")


for port, fast, name in ((PORT, False, "shared when bound"),
                         (LATER, True, "shared later, fast open")):
    for end in "deleted", "destroyed":
        tests.add(f"connections of a sink, {name}, {end}", inherits, port, end,
                  fast)
tests.add("a list of runs that nobody reads", is_unread, "RUN_GET", 1, True)
tests.add("a snapshot that nobody reads", is_unread, "COUNTERS_GET", 1000,
          False)
tests.add("a sink and fast open", fast_open)
NO_COOKIE = {"transport": "tcp", "cookie": None}
PING = {"pattern": "ping-pong"}
tests.add("destroyed: listener", sink_ends, TCP, **NO_COOKIE)
tests.add("destroyed: connection of a sink", connection_of_sink)
tests.add("destroyed: connection of a source", source_ends, TCP, **NO_COOKIE)
for port, kind in ({}, "automatic port"), ({"local_port": OTHER}, "port"):
    for method in "copy", "zerocopy":
        tests.add(f"destroyed: sink of UDP, {method}, {kind}", sink_ends, UDP,
                  method=method, **port)
    tests.add(f"destroyed: sink of UDP, segments, {kind}", sink_ends, UDP,
              method="zerocopy", segments=8, **port)
for way in "worker", "callback":
    tests.add(f"destroyed: sink of UDP ping-pong, {way}", sink_ends, UDP,
              reply=way, **PING)
    tests.add(f"destroyed: source of UDP ping-pong, {way}", source_ends, UDP,
              reply=way, **PING)
    tests.add(f"destroyed: source of UDP ping-pong, {way}, waiting", source_ends,
              UDP, reply=way, packet_rate=1, **PING)
for method in "copy", "zerocopy", "direct":
    tests.add(f"destroyed: source of UDP, {method}", source_ends, UDP,
              method=method)
    tests.add(f"destroyed: source of UDP, {method}, waiting", source_ends, UDP,
              method=method, packet_rate=1)
sys.exit(tests.run())
