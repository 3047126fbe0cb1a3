# SPDX-License-Identifier: GPL-2.0
"""What a test in Python runs in: programs, the module, network namespaces.

Each context manager here is undone when the test ends, where enter() enters it:

    need("ip", "ss")
    enter(module())
    NEAR, FAR = enter(veth_pair())

Importing this sets TOP, BUILD, CACHE and PATH as lib.sh does.
"""

import atexit
import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import weakref

TOP = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
BUILD = TOP + "/build"
CACHE = os.environ.get("KTPUT_CACHE") or BUILD + "/cache"
MODULE = f"{BUILD}/{os.uname().release}/ktput.ko"
LOADED = "/sys/module/ktput"
os.environ |= {"TOP": TOP, "BUILD": BUILD, "CACHE": CACHE, "PATH":
               f"{BUILD}/tools:{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
LIBC = ctypes.CDLL(None, use_errno=True)
# Of linux/sched.h.
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
# Seconds. An emulated machine beside others does everything in time, but not soon,
# least of all on a kernel of vm/kernel.sh.
BOUND = 120 if "-ktput-" in os.uname().release else 30
# Netlink sockets own runs, which keep the module loaded.
OWNERS = weakref.WeakSet()

_test = contextlib.ExitStack()
_process = os.getpid()


@atexit.register
def _leave():
    """Undo what enter() entered, unless this is a child of the test."""
    if os.getpid() == _process:
        _test.close()


def _terminated(number, _):
    """Exit as a shell does, through the handlers of atexit."""
    sys.exit(128 + number)


for _number in signal.SIGTERM, signal.SIGHUP:
    signal.signal(_number, _terminated)


def enter(manager):
    """Enter a context MANAGER until the test ends; return its value."""
    return _test.enter_context(manager)


def skip_all(reason):
    """Skip the whole test for REASON."""
    print("TAP version 13", f"1..0 # SKIP {reason}", sep="\n")
    sys.exit(0)


def need(*commands):
    """Skip the test unless it is root's, and all COMMANDS are installed."""
    if os.getuid():
        skip_all("wants root")
    for command in commands:
        if not shutil.which(command):
            skip_all(f"{command} is not installed")


def shell(command):
    """Run a command line that has to succeed, and return its output."""
    done = subprocess.run(command, shell=True, text=True, check=False,
                          capture_output=True)
    assert done.returncode == 0, f"{command}: {done.stderr.strip()}"
    return done.stdout


def succeeds(command):
    """Run a command line; true if it succeeds."""
    return not subprocess.run(command, shell=True, check=False,
                              capture_output=True).returncode


def until(condition, what, bound=BOUND):
    """Wait until CONDITION returns something, and return that."""
    end = time.monotonic() + bound
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what}: not within {bound} s"
        time.sleep(0.01)


def _unload():
    """Remove the module, when it is no longer in use."""
    until(lambda: not os.path.exists(LOADED) or succeeds("rmmod ktput"),
          "the module is removed")


@contextlib.contextmanager
def module():
    """The module of build/RELEASE, loaded.

    Without a build it is the one that is installed, which stays loaded.
    """
    if not os.path.exists(MODULE):
        if not os.path.exists(LOADED) and not succeeds("modprobe ktput"):
            skip_all("ktput.ko does not load")
        yield
        return
    _unload()
    if not succeeds(f"insmod {MODULE}"):
        skip_all("ktput.ko does not load")
    try:
        yield
    finally:
        for owner in list(OWNERS):
            owner.close()
        _unload()


def unshare(flags):
    """Leave the namespaces of these kinds for new ones."""
    if LIBC.unshare(flags):
        raise OSError(ctypes.get_errno(), "unshare")


@contextlib.contextmanager
def inside(netns):
    """Be in a network namespace, or stay where we are for None.

    It is given by its name, or by an open file that stands for it.
    """
    if netns is None:
        yield
        return
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(open("/proc/thread-self/ns/net", "rb"))
        there = netns if hasattr(netns, "fileno") else stack.enter_context(
            open("/run/netns/" + netns, "rb"))
        if LIBC.setns(there.fileno(), 0):
            raise OSError(ctypes.get_errno(), f"setns {netns}")
        try:
            yield
        finally:
            LIBC.setns(home.fileno(), 0)


@contextlib.contextmanager
def namespace():
    """The random name of a new network namespace, with lo up."""
    name = "ktput-" + secrets.token_hex(4)
    shell(f"ip netns add {name}")
    try:
        shell(f"ip -n {name} link set lo up")
        yield name
    finally:
        shell(f"ip netns del {name}")


@contextlib.contextmanager
def own_namespace():
    """Be in a new network namespace; its name."""
    with namespace() as name, inside(name):
        yield name


@contextlib.contextmanager
def veth_pair(network="10.9.0", ipv6=False, sysctls=()):
    """Be in a namespace whose veth0 leads to veth0 of another; both names.

    Ours is NETWORK.1 and the other one NETWORK.2; with IPV6 also fd09::1 and
    fd09::2. SYSCTLS are set in both before they have a device.
    """
    with namespace() as near, namespace() as far:
        for name in (near, far) if sysctls else ():
            shell(f"ip netns exec {name} sysctl -qw {' '.join(sysctls)}")
        # Each end is created in its namespace: the name cannot be taken there.
        shell(f"ip link add veth0 netns {near} type veth "
              f"peer name veth0 netns {far}")
        for number, name in enumerate((near, far), 1):
            shell(f"ip -n {name} addr add {network}.{number}/24 dev veth0")
            if ipv6:
                shell(f"ip -n {name} addr add fd09::{number}/64 dev veth0 nodad")
            shell(f"ip -n {name} link set veth0 up")
        for name in near, far:
            until(lambda name=name: "LOWER_UP" in shell(
                f"ip -n {name} link show dev veth0"), "carrier of veth0")
        with inside(near):
            yield near, far


@contextlib.contextmanager
def setting(path, value):
    """A file of /proc/sys or /sys has VALUE, and its former value afterwards."""
    with open(path, "r+", encoding="ascii") as file:
        former = file.read()
        file.seek(0)
        file.write(str(value))
    try:
        yield
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(former)


def nic_pair(driver):
    """The two devices of DRIVER that the VM runner wired to each other, or none."""
    found = [name for name in sorted(os.listdir("/sys/class/net"))
             if os.path.basename(os.path.realpath(
                 f"/sys/class/net/{name}/device/driver")) == driver]
    wired = os.environ.get("KTPUT_VM") == "1" and len(found) == 2
    return found if wired else []
