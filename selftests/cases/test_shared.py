#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Effects of runs on the rest of the host: what waits for them, and how long.

exit: 0 all went well, 1 something did not
"""

import contextlib
import fcntl
import os
import re
import socket
import struct
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
import genl
from ktput import Client, Tests, equal
from testbed import (CLONE_NEWNET, LIBC, TOP, enter, module, need, own_namespace,
                     shell, skip_all, unshare)

TRACING = "/sys/kernel/tracing"
INSTANCE = f"{TRACING}/instances/ktput-{os.getpid()}"
# Of linux/sockios.h and linux/if.h.
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
NAMESPACES = 32
NUMBER = genl.constants(TOP + "/kmod/uapi/linux/ktput.h")

need("ip")
if not os.path.exists(f"{TRACING}/trace"):
    shell(f"mount -t tracefs tracefs {TRACING}")
with open(f"{TRACING}/available_tracers", encoding="ascii") as file:
    if "function" not in file.read().split():
        skip_all("the kernel has no function tracer")
enter(module())
enter(own_namespace())
here = Client()
tests = Tests()
tests.after = [here.clear]


def trace_file(name, text):
    """Write a file of the instance of tracing."""
    with open(f"{INSTANCE}/{name}", "w", encoding="ascii") as file:
        file.write(text)


def traced(functions, do):
    """Functions of these that this task calls while it DOes something."""
    os.mkdir(INSTANCE)
    try:
        trace_file("set_ftrace_filter", functions)
        trace_file("set_ftrace_pid", str(os.getpid()))
        trace_file("current_tracer", "function")
        do()
        trace_file("tracing_on", "0")
        with open(INSTANCE + "/trace", encoding="ascii") as trace:
            return re.findall(r"^ *\S+-\d+ .*: (\w+) <-", trace.read(), re.M)
    finally:
        trace_file("current_tracer", "nop")
        os.rmdir(INSTANCE)


@contextlib.contextmanager
def namespaces(count):
    """So many network namespaces more."""
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(open("/proc/thread-self/ns/net", "rb"))
        for _ in range(count):
            unshare(CLONE_NEWNET)
            stack.enter_context(open("/proc/thread-self/ns/net", "rb"))
        assert not LIBC.setns(home.fileno(), 0), "setns"
        yield


def close_socket():
    """A socket of generic netlink goes."""
    genl.Netlink().socket.close()


def set_device():
    """A device goes down, and up again."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = bytearray(struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(handle, SIOCGIFFLAGS, request)
        flags = struct.unpack_from("h", request, 16)[0]
        for value in flags & ~IFF_UP, flags | IFF_UP:
            struct.pack_into("h", request, 16, value)
            fcntl.ioctl(handle, SIOCSIFFLAGS, request)


def others(event):
    """As many locks are taken, however many namespaces there are."""
    few = len(traced("mutex_lock*", event))
    with namespaces(NAMESPACES):
        many = len(traced("mutex_lock*", event))
    print(f"# {few} locks, {many} with {NAMESPACES} namespaces more")
    assert few, "nothing was traced"
    assert many < few + NAMESPACES / 2, f"{many} locks instead of {few}"


def requested(functions, command, run, flags=genl.NLM_F_ACK):
    """Functions of these that a request about RUN calls."""
    netlink = genl.Netlink()
    family = netlink.family("ktput")
    message = genl.attribute(NUMBER["A_MESSAGE_RUN_ID"],
                             struct.pack("=I", run["id"]))
    return traced(functions, lambda: netlink.send(
        family, NUMBER[command], message, flags))


def memory():
    """A snapshot has its memory before it takes what turns wait for."""
    run = here.start("sink", streams=100)
    calls = requested("mutex_lock*\nmutex_unlock\n*kvmalloc_node*",
                      "CMD_COUNTERS_GET", run, genl.NLM_F_DUMP)
    locks, allocations = [], 0
    for call in calls:
        if call.startswith("mutex_lock"):
            locks.append(call)
        elif call == "mutex_unlock":
            # The first one belongs to the write that switched tracing on.
            del locks[-1:]
        else:
            allocations += 1
            # That of the dump, which is this socket's own.
            equal(len(locks), 1, what=f"locks held, of {' '.join(calls)}")
    assert allocations > 1, f"{allocations} allocations: {calls}"


def deleted():
    """A deletion holds the lock of generic netlink: it does not wait for the run."""
    run = here.start("sink", streams=100)
    calls = requested("*wait_for_completion*\nktput_netns_delete",
                      "CMD_RUN_DELETE", run)
    equal(calls, ["ktput_netns_delete"], what="functions")


tests.add("a socket is closed: no other namespace is looked at", others,
          close_socket)
tests.add("a device goes down: no other namespace is looked at", others,
          set_device)
tests.add("a run is deleted: the request does not wait for its end", deleted)
tests.add("a snapshot allocates without a lock that turns take", memory)
sys.exit(tests.run())
