#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Pages that frames refer to: they are charged until the last frame is gone.

A packet socket that nobody reads keeps what comes to v1. A buffer of these frames
is 64 KiB, and a stream has 256 of them at most.

exit: 0 all went well, 1 something did not
"""

import contextlib
import errno
import os
import secrets
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from capture import SOL_PACKET, Capture
from frames_refused import STATION
from ktput import (SO_RCVBUFFORCE, Client, NlError, Skip, Tests, equal, index, link)
from testbed import (enter, inside, module, need, namespace, shell, succeeds,
                     until)

BUFFER, BUFFERS = 64 << 10, 256
POOL = BUFFER * BUFFERS
QUOTA = 512 << 20
LIMIT = 64 << 20
IFF_LOWER_UP = 1 << 16
# Of linux/if_packet.h.
PACKET_STATISTICS = 6
FULL = "^buffers of frames may take"

need("ip")
enter(module())
HERE, OTHER = enter(namespace()), enter(namespace())
for name in HERE, OTHER:
    shell(f"ip netns exec {name} sysctl -qw net.ipv6.conf.all.disable_ipv6=1 "
          "net.ipv6.conf.default.disable_ipv6=1")
enter(inside(HERE))
shell("ip link add v0 mtu 65535 type veth peer name v1 mtu 65535; "
      "ip link set v0 up; ip link set v1 up; ip addr add 10.9.0.1/24 dev v0; "
      f"ip neigh add 10.9.0.2 dev v0 lladdr {STATION.hex(':')}")
here = Client()
tests = Tests()


def clear():
    """Forget all runs, unless the module is gone."""
    if os.path.exists("/sys/module/ktput"):
        here.clear()


tests.after = [clear]


@contextlib.contextmanager
def hoard():
    """A packet socket that keeps what it gets."""
    with Capture("v1") as capture:
        capture.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 30)
        yield capture.socket


def hoarded(taker):
    """Frames that it has got since this was asked."""
    got, lost = struct.unpack("II", taker.getsockopt(
        SOL_PACKET, PACKET_STATISTICS, 8))
    equal(lost, 0, what="frames without room")
    return got


def source(**config):
    """Start a source of large frames."""
    return here.start("source", **{
        "layer": "driver", "dev": index("v0"), "local": "10.9.0.1",
        "remote": "10.9.0.2", "local_port": 1000, "remote_port": 2000,
        "mac": STATION, "size_min": 60000, "messages": BUFFERS,
        "drain_timeout": 0, **config})


def carrier():
    """Wait for it."""
    until(lambda: link("v0").flags & IFF_LOWER_UP, "carrier of v0")


def starts(**config):
    """True if a source starts, false if its quota is used up."""
    try:
        here.forget([source(**config)["id"]])
    except NlError as refusal:
        equal(refusal.error, errno.EBUSY, what="errno")
        return False
    return True


def quota():
    """What is kept counts beyond the end of its run, and no longer than that."""
    with hoard():
        for _ in range(QUOTA // POOL):
            run = source()
            equal(here.wait(run, "messages").unreturned, BUFFERS, what="kept")
            here.forget([run["id"]])
        here.refused(errno.EBUSY, FULL, layer="driver", dev=index("v0"),
                     local="10.9.0.1", remote="10.9.0.2", local_port=1000,
                     remote_port=2000, mac=STATION)
        # Nor is there room for pages that datagrams refer to; copies need none.
        datagrams = {"remote": "10.9.0.2", "remote_port": 2000, "messages": 1}
        here.refused(errno.EBUSY, FULL, method="zerocopy", **datagrams)
        here.wait(here.start("source", method="copy", **datagrams), "messages")
        with inside(OTHER):
            shell("ip link add v0 type dummy; ip link set v0 up")
        # Another namespace has its own.
        other = Client(OTHER)
        run = other.start("source", layer="driver", dev=index("v0", OTHER),
                          local="10.9.0.1", remote="10.9.0.2", local_port=1000,
                          remote_port=2000, mac=STATION, messages=10)
        other.wait(run, "messages")
        other.clear()
    until(starts, "the quota has room when the frames are gone")


@contextlib.contextmanager
def group(limit):
    """A memory cgroup with a limit of bytes."""
    top = "/sys/fs/cgroup"
    with contextlib.ExitStack() as stack:
        if not os.path.exists(f"{top}/cgroup.controllers"):
            top = f"/run/ktput-{secrets.token_hex(4)}"
            os.mkdir(top)
            stack.callback(os.rmdir, top)
            shell(f"mount -t cgroup2 none {top}")
            stack.callback(shell, f"umount {top}")
        with open(f"{top}/cgroup.controllers", encoding="ascii") as file:
            if "memory" not in file.read().split():
                raise Skip("no memory controller of cgroup v2")
        shell(f"echo +memory > {top}/cgroup.subtree_control")
        path = f"{top}/ktput-{secrets.token_hex(4)}"
        os.mkdir(path)
        stack.callback(lambda: until(lambda: succeeds(f"rmdir {path}"),
                                     "the group is empty"))
        shell(f"echo {limit} > {path}/memory.max")
        with open("/proc/self/cgroup", encoding="ascii") as file:
            home = top + file.read().split("0::")[1].split("\n")[0]
        stack.callback(shell, f"echo {os.getpid()} > {home}/cgroup.procs")
        shell(f"echo {os.getpid()} > {path}/cgroup.procs")

        def leave():
            shell(f"echo {os.getpid()} > {home}/cgroup.procs")
        yield path, leave


def used(path):
    """Bytes that a group is charged."""
    with open(path + "/memory.current", encoding="ascii") as file:
        return int(file.read())


def memory():
    """Who asked for a run is charged, and the thread does not exceed the limit."""
    count = 2 * LIMIT // POOL
    with hoard() as taker:
        # What is asked for in the group begins when this task has left it.
        shell("ip link set v1 down")
        with group(LIMIT) as (path, leave):
            runs = [source() for _ in range(count)]
            leave()
            shell("ip link set v1 up")
            carrier()

            def stands():
                waits = [here.snapshot(run).would_blocks for run in runs]
                time.sleep(0.1)
                return all(here.snapshot(run).run["state"] != "running" or
                           here.snapshot(run).would_blocks > before
                           for run, before in zip(runs, waits))
            until(stands, "sources wait, or have sent all")
            until(lambda: used(path) > LIMIT - 8 * BUFFER or
                  sum(here.snapshot(run).messages for run in runs) ==
                  count * BUFFERS, "the limit is reached")
            here.clear()
            kept = hoarded(taker) * BUFFER
            assert LIMIT // 2 < kept <= LIMIT, f"{kept} bytes are kept"
            assert kept <= used(path) <= LIMIT, f"{used(path)} bytes are charged"
            # Read, and gone; the group was charged for them until then.
            taker.close()
            until(lambda: used(path) < LIMIT // 8, "nothing is charged any more")


def unloaded():
    """The module goes while frames are kept, which are freed later."""
    with hoard():
        equal(here.wait(source(), "messages").unreturned, BUFFERS, what="kept")
        # Its first run must be gone, which has the pages.
        here.clear()
        equal(here.wait(source(), "messages").unreturned, BUFFERS, what="kept")
        done = subprocess.run(["rmmod", "ktput"], timeout=60, check=False,
                              capture_output=True, text=True)
        equal(done.returncode, 0, what=done.stderr)


def main():
    """All of them."""
    carrier()
    tests.add("frames that are kept count against the quota", quota)
    tests.add("frames are charged to who asked for them", memory)
    tests.add("module removed while frames are kept", unloaded)
    return tests.run()


if __name__ == "__main__":
    sys.exit(main())
