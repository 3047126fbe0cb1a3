#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""A TCP source connects asynchronously, and may end before it is connected.

10.9.0.2 is the address of veth0 of another namespace; 10.9.0.3 is a neighbour there
that does not exist.

exit: 0 all went well, 1 something did not
"""

import errno
import os
import signal
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import MINUTE, Client, NlError, Skip, Tests, equal, index
from testbed import MODULE, enter, module, need, shell, until, veth_pair

need("ip", "ss", "genl", "modprobe", "ktput-ctl")
enter(module())
_, PEER = enter(veth_pair())
shell("ip neigh add 10.9.0.3 lladdr 02:00:00:00:00:03 dev veth0")
TCP = {"transport": "tcp", "cookie": None}
THERE, NOBODY = "10.9.0.2", "10.9.0.3"
CPU1 = "/sys/devices/system/cpu/cpu1/online"
# A module that registers a family of generic netlink.
FAMILY = "team"

here = Client()
there = Client(PEER)
tests = Tests()
tests.after = [here.clear, there.clear]


def waiting(client=here, **config):
    """A source that is connecting, for a minute if nothing happens to it."""
    run = client.begin("source", **{**TCP, "remote": NOBODY, "remote_port": 9,
                                    "connect_timeout": MINUTE, **config})
    equal(run["state"], "connecting", what="state")
    equal(run["begun"], 0, what="begun")
    return run


def still(run, client=here):
    """It is connecting still."""
    equal(client.find(run)["state"], "connecting", what="state")


def ended(run, reason, client=here):
    """A run that ends, for this reason, and has not begun."""
    now = client.wait(run, reason).run
    equal(now["begun"], 0, what="begun")
    return now


def others():
    """Families come and go, and others have their answers meanwhile."""
    if subprocess.run(["modinfo", FAMILY], capture_output=True,
                      check=False).returncode:
        raise Skip(f"the kernel has no module {FAMILY}")
    runs = [waiting(streams=100) for _ in range(8)]
    for command in f"modprobe {FAMILY}", "genl ctrl list", f"rmmod {FAMILY}":
        shell(command)
    for run in runs:
        still(run)


def begins(**pattern):
    """The owner is notified of the begin, and then of the end."""
    listener = here.another()
    listener.family.ntf_subscribe("runs")
    sink = there.start("sink", streams=200, **TCP, **pattern)
    source = here.begin("source", remote=THERE, streams=200,
                        remote_port=sink["local-port"], messages=2000,
                        connect_timeout=MINUTE, **TCP, **pattern)
    here.wait(source, "messages")
    told = []

    def both():
        listener.family.check_ntf()
        told.extend(listener.family.async_msg_queue)
        listener.family.async_msg_queue.clear()
        return [event["name"] for event in told
                if event["msg"]["run"]["id"] == source["id"]] == \
            ["run-begun", "run-ended"]
    until(both, f"events of run {source['id']}")
    assert told[0]["msg"]["run"]["begun"] > 0, told[0]
    equal(there.snapshot(sink).run["accepted"], 200, what="accepted")
    listener.close()


def refused(error, sentence, **config):
    """The owner is notified of the reason, and can still query it."""
    run = here.begin("source", **{**TCP, "remote": THERE, "remote_port": 9,
                                  **config})
    now = ended(run, "unconnected")
    equal(errno.errorcode[now["error"]], errno.errorcode[error], what="error")
    equal(now["refusal"], sentence, what="refusal")
    # As a client that waits has it: with nothing left of it.
    here.clear()
    here.refused(error, f"^{sentence}$", **{
        **TCP, "remote": THERE, "remote_port": 9, **config})
    equal(here.list(), [], what="runs")


def stopped():
    """Without the time to drain, since nothing was sent."""
    run = waiting(drain_timeout=MINUTE, streams=3)
    here.family.do("run-stop", {"run-id": run["id"]})
    ended(run, "stopped")


def deleted():
    """It is gone soon, and its number then."""
    run = waiting(streams=300)
    here.family.do("run-delete", {"run-id": run["id"]})
    until(lambda: not here.list(), "it is gone")
    try:
        here.family.do("run-delete", {"run-id": run["id"]})
    except NlError as refusal:
        equal(refusal.error, errno.ENOENT, what="errno")
    else:
        raise AssertionError("it was there twice")


def owner():
    """It ends with its owner's socket."""
    client = here.another()
    waiting(client, streams=3)
    client.close()
    until(lambda: not here.list(), "it is gone")


def device(command, reason, undo):
    """It ends with the device."""
    shell("ip link add held0 type veth peer name held1; "
          "ip addr add 10.8.0.1/24 dev held0; ip link set held1 up; "
          "ip link set held0 up; ip neigh add 10.8.0.2 lladdr "
          "02:00:00:00:00:01 dev held0")
    run = waiting(remote="10.8.0.2", dev=index("held0"), streams=3)
    shell(command)
    try:
        ended(run, reason)
    finally:
        shell(undo)


def cpu():
    """It ends with a CPU of its own."""
    if not os.access(CPU1, os.W_OK):
        raise Skip("CPU 1 cannot be taken offline")
    run = waiting(cpus="0-1", streams=4)
    try:
        shell(f"echo 0 >{CPU1}")
        ended(run, "cpu")
    finally:
        shell(f"echo 1 >{CPU1}")


def pingpong():
    """Requests wait until all are connected."""
    run = waiting(pattern="ping-pong", reply="callback", streams=3)
    equal(here.stop(run).messages, 0, what="messages")


def snapshots():
    """What it counts before it begins is nothing."""
    run = waiting(streams=130)
    snapshot = here.snapshot(run)
    snapshot.consistent()
    equal(snapshot.calls, snapshot.bytes, 0, what="calls and bytes")
    equal({stream["state"] for stream in snapshot.streams}, {"connecting"},
          what="states")
    # No more than so many are under way at a time.
    under_way = shell("ss -tnH state syn-sent").count("\n")
    equal(under_way, 64, what="handshakes")


def program(how, status, said):
    """ktput-ctl waits until it gets a signal."""
    with subprocess.Popen(
            ["ktput-ctl", "start", "to", NOBODY, "alone", "connect-timeout",
             "60", "time", "600"], stderr=subprocess.PIPE, text=True) as waits:
        until(lambda: [run["state"] for run in here.list()] == ["connecting"],
              "it is connecting")
        waits.send_signal(how)
        errors = waits.communicate(timeout=60)[1]
    equal(waits.returncode, status, what="exit status")
    assert said in errors, errors
    until(lambda: not here.list(), "its run is gone")


def netns():
    """It ends with its namespace, though it has no owner."""
    name = f"gone-{os.getpid()}"
    shell(f"ip netns add {name}; ip -n {name} link set lo up; "
          f"ip -n {name} link add d0 type dummy; ip -n {name} link set d0 up;"
          f"ip -n {name} addr add 10.7.0.1/24 dev d0")
    client = here.another(name)
    waiting(client, remote="10.7.0.2", detach=True, streams=3)
    client.close()
    shell(f"ip netns del {name}")
    until(lambda: not shell("pgrep '^ktput/' || true"), "its end")


def unload():
    """The module goes while runs are connecting."""
    if not os.path.exists(MODULE):
        raise Skip("the module that is loaded is not of this tree")
    for _ in range(3):
        waiting(streams=100)
    tests.after.clear()
    subprocess.run(["rmmod", "ktput"], check=True, timeout=60)
    equal(shell("ss -tanH state syn-sent"), "", what="sockets")


tests.add("families of netlink come and go meanwhile", others)
tests.add("TCP: it begins, and says so", begins)
tests.add("ping-pong: it begins, and says so", begins, pattern="ping-pong")
tests.add("refused: nobody listens", refused, errno.ECONNREFUSED,
          "remote-port: nothing listens there")
tests.add("refused: nobody answers", refused, errno.ETIMEDOUT,
          "remote address did not answer within connect-timeout",
          remote=NOBODY, connect_timeout=10 ** 8, streams=70)
tests.add("refused: no route", refused, errno.ENETUNREACH,
          "remote address: no route to it, or no neighbour answers",
          remote="192.0.2.1")
tests.add("stopped", stopped)
tests.add("deleted", deleted)
tests.add("owner gone", owner)
tests.add("device down", device, "ip link set held0 down", "device-down",
          "ip link del held0")
tests.add("device removed", device, "ip link del held0", "device-removed",
          "true")
tests.add("CPU offline", cpu)
tests.add("ping-pong does not begin alone", pingpong)
tests.add("counters while it is connecting", snapshots)
tests.add("ktput-ctl is interrupted", program, signal.SIGINT, 1,
          "interrupted while connecting")
tests.add("ktput-ctl is killed", program, signal.SIGKILL, -9, "")
tests.add("network namespace gone", netns)
tests.add("the module is removed", unload)
sys.exit(tests.run())
