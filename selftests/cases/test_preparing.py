#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""A run of many streams is created in steps, and may end before it is prepared.

exit: 0 all went well, 1 something did not
"""

import errno
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../lib")
import genl
from ktput import MINUTE, Client, NlError, Skip, Tests, equal, index, refused
from testbed import (CLONE_NEWNET, CLONE_NEWUSER, MODULE, TOP, enter, module, need,
                     own_namespace, shell, unshare, until)

NUMBER = genl.constants(TOP + "/kmod/uapi/linux/ktput.h")
STEP, MOST = NUMBER["MAX_PREPARE_STEP"], NUMBER["MAX_STREAMS"]
SECONDS = NUMBER["MAX_PREPARE_TIME"] / 1e9
# No row of MOST ports is free beside this one, of those that are chosen from.
MIDDLE = 49151
# A module that registers a family of generic netlink.
FAMILY = "team"
CPU1 = "/sys/devices/system/cpu/cpu1/online"
TCP = {"transport": "tcp", "cookie": None}
USER = 1000


def hog():
    """A user asks for what cannot be had; told by a line when that begins."""
    # The spec is read by now: it may stand where only root may look.
    root = Client()
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    unshare(CLONE_NEWUSER | CLONE_NEWNET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("", MIDDLE))
        print("begins", flush=True)
        try:
            root.another().start("sink", streams=MOST)
        except NlError as refusal:
            print(refusal.nl_msg.extack["msg"], flush=True)


if sys.argv[1:] == ["hog"]:
    hog()
    sys.exit()

need("ip", "modprobe", "ss")
enter(module())
enter(own_namespace())
here = Client()
tests = Tests()
tests.after = [here.clear]


def preparing(client=here, role="sink", **config):
    """A run of which a step is created."""
    run = client.family.do("run-start", {"config": client.config(
        role, **{"streams": 2 * STEP + 1, **config})})["run"]
    equal(run["state"], "preparing", what="state")
    equal(run["begun"], 0, what="begun")
    return run


def sockets():
    """Of UDP, of this namespace."""
    return shell("ss -uanH").count("\n")


def ended(run, reason):
    """It ends, for this reason, without a socket, and has not begun."""
    until(lambda: here.find(run)["state"] == "ended", reason)
    now = here.find(run)
    equal(now["reason"], reason, what="reason")
    equal(now["begun"], 0, what="begun")
    equal(sockets(), 0, what="sockets")
    equal(here.snapshot(run).bytes, 0, what="bytes")
    equal(here.prepare(run)["state"], "ended", what="state after a request")


def steps():
    """As many streams in each, and what there is of it is told to nobody."""
    run = preparing()
    equal(sockets(), STEP, what="sockets")
    # Linux 6.1 tells no reason of a dump.
    refused(errno.EBUSY, "", here.snapshot, run)
    equal(here.prepare(run)["state"], "preparing", what="state")
    equal(sockets(), 2 * STEP, what="sockets")
    now = here.prepare(run)
    equal(now["state"], "running", what="state")
    equal(now["streams"], 2 * STEP + 1, what="streams")
    assert now["begun"] and now["local-port"], now
    equal(here.prepare(run)["state"], "running", what="state after a request")
    here.stop(run)


def few():
    """What a step creates is begun by the first request."""
    run = here.family.do("run-start", {"config": here.config(
        "sink", streams=STEP)})["run"]
    equal(run["state"], "running", what="state")


def traffic(**config):
    """All of its streams send."""
    sink = here.start("sink", streams=3 * STEP, **config)
    # A slow kernel neither connects nor drains all of them within the defaults.
    patient = {"connect_timeout": MINUTE, "drain_timeout": MINUTE} if config else {}
    source = here.start("source", streams=3 * STEP, remote="127.0.0.1",
                        remote_port=sink["local-port"], messages=3 * STEP,
                        **patient, **config)
    equal(here.wait(source, "messages").messages, 3 * STEP, what="messages")
    until(lambda: here.snapshot(sink).bytes ==
          here.snapshot(source).bytes, "all arrive")


def frames():
    """Sources with buffers, of which fewer are created at a time."""
    shell("ip link add many numtxqueues 40 type dummy; ip link set many up")
    config = {"layer": "driver", "dev": index("many"), "streams": 40,
              "remote": "192.0.2.2", "local": "192.0.2.1", "remote_port": 9,
              "local_port": 9, "mac": b"\2\0\0\0\0\2"}
    try:
        run = here.start("source", messages=400, **config)
        equal(here.wait(run, "messages").messages, 400, what="messages")
        run = preparing(role="source", **config)
        shell("ip link del many")
        ended(run, "device-removed")
    finally:
        subprocess.run("ip link del many", shell=True, capture_output=True,
                       check=False)


def given_port():
    """A refusal of a later step leaves nothing."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
        taken.bind(("", 2000 + STEP + 5))
        here.refused(errno.EADDRINUSE, "^local-port is in use$", role="sink",
                     streams=2 * STEP, local_port=2000)
        until(lambda: not here.list(), "nothing is left")
        equal(sockets(), 1, what="sockets")


def no_port():
    """The refusal does not speak of a port, where none was given."""
    shell("sysctl -qw net.ipv4.ip_local_port_range='50000 51000'")
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
        taken.bind(("", 51010))
        here.refused(errno.EADDRINUSE, "^no local port is free for so many streams$",
                     role="sink", streams=1024)
    shell("sysctl -qw net.ipv4.ip_local_port_range='32768 60999'")


def foreign():
    """Another socket cannot go on with it."""
    run = preparing()
    other = here.another()
    refused(errno.EPERM, "^run-id: another socket started it$", other.prepare, run)
    other.close()


def silent():
    """It ends if its owner does not go on."""
    begin = time.monotonic()
    run = preparing(detach=True)
    until(lambda: here.find(run)["state"] == "ended", "its end")
    took = time.monotonic() - begin
    assert SECONDS <= took < SECONDS + 5, took
    ended(run, "owner")


def stopped():
    """It ends at once."""
    run = preparing()
    here.family.do("run-stop", {"run-id": run["id"]})
    ended(run, "stopped")


def owner():
    """It ends with its owner's socket."""
    client = here.another()
    preparing(client)
    client.close()
    until(lambda: not here.list() and not sockets(), "it is gone")


def cpu():
    """It has no worker yet, so a CPU that goes does not wait for it."""
    if not os.access(CPU1, os.W_OK):
        raise Skip("CPU 1 cannot be taken offline")
    run = preparing(cpus="0-1")
    try:
        shell(f"echo 0 >{CPU1}")
        equal(here.prepare(run)["state"], "preparing", what="state")
        refused(errno.ENODEV, "^cpus has a CPU that is not online$", here.prepare, run)
    finally:
        shell(f"echo 1 >{CPU1}")
    until(lambda: not here.list() and not sockets(), "it is gone")


def netns():
    """It ends with its namespace, though it has no owner."""
    name = f"gone-{os.getpid()}"
    shell(f"ip netns add {name}; ip -n {name} link set lo up")
    client = here.another(name)
    preparing(client, detach=True)
    client.close()
    shell(f"ip netns del {name}")
    until(lambda: name not in shell("ip netns list"), "its end")


def others():
    """Others have their answers while a user asks for what cannot be had."""
    if subprocess.run(["modinfo", FAMILY], capture_output=True,
                      check=False).returncode:
        raise Skip(f"the kernel has no module {FAMILY}")
    with subprocess.Popen(
            [sys.executable, "-B", os.path.abspath(__file__), "hog"],
            stdout=subprocess.PIPE, text=True) as asks:
        try:
            equal(asks.stdout.readline(), "begins\n", what="the user")
            for command in (f"modprobe {FAMILY}", f"rmmod {FAMILY}") * 2:
                begin = time.monotonic()
                shell(command)
                took = time.monotonic() - begin
                print(f"# {command}: {took:.2f} s")
                assert took < 5, f"{command} took {took} s"
            equal(asks.poll(), None, what="the end of the user's request")
        finally:
            begin = time.monotonic()
            asks.kill()
            asks.wait()
    assert time.monotonic() - begin < 2, "it was not killed at once"


def unload():
    """The module goes while a run is preparing."""
    if not os.path.exists(MODULE):
        raise Skip("the module that is loaded is not of this tree")
    preparing()
    tests.after.clear()
    subprocess.run(["rmmod", "ktput"], check=True, timeout=60)
    equal(sockets(), 0, what="sockets")


tests.add("a step at a time", steps)
tests.add("few streams take one request", few)
tests.add("UDP sends", traffic)
tests.add("TCP sends", traffic, **TCP)
tests.add("sources of frames", frames)
tests.add("refused: a port that is given", given_port)
tests.add("refused: no port is free", no_port)
tests.add("the owner alone goes on", foreign)
tests.add("the owner does not go on", silent)
tests.add("stopped", stopped)
tests.add("owner gone", owner)
tests.add("CPU offline", cpu)
tests.add("network namespace gone", netns)
tests.add("families of netlink come and go meanwhile", others)
tests.add("the module is removed", unload)
sys.exit(tests.run())
