#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""ktput-ctl is stopped from outside while its run goes on: seized as by a debugger or
CRIU (ptrace), or frozen by the freezer of cgroups.

A run is the kernel's. So it lasts as long as it was asked to, whenever ktput-ctl goes
on, and the result is that of the run; it ends with ktput-ctl, if that is killed.

exit: 0 all went well, 1 something did not
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, sys.path[0] + "/../lib")
from ktput import Client, Tests, equal
from testbed import (LIBC, enter, module, need, own_namespace, shell, skip_all,
                     succeeds, until)

# Of sys/ptrace.h and bits/waitflags.h.
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000
SECONDS = 4

need("ip", "ktput-ctl")
enter(module())
enter(own_namespace())
here = Client()
tests = Tests()
tests.after = [here.clear]


@contextlib.contextmanager
def freezer():
    """A new cgroup."""
    directory = tempfile.mkdtemp(prefix="ktput-")
    try:
        if not succeeds(f"mount -t cgroup2 none {directory}"):
            skip_all("no cgroup2 can be mounted")
        group = f"{directory}/{os.path.basename(directory)}"
        os.mkdir(group)
        try:
            yield group
        finally:
            os.rmdir(group)
            shell(f"umount {directory}")
    finally:
        os.rmdir(directory)


GROUP = enter(freezer())


def ptrace(request, number):
    """A request of ptrace() without data."""
    null = ctypes.c_void_p()
    if LIBC.ptrace(ctypes.c_long(request), ctypes.c_long(number), null, null):
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")


@contextlib.contextmanager
def seized(number):
    """A process is stopped by a debugger."""
    ptrace(PTRACE_SEIZE, number)
    ptrace(PTRACE_INTERRUPT, number)
    os.waitpid(number, WALL)
    yield
    with contextlib.suppress(ProcessLookupError):
        ptrace(PTRACE_DETACH, number)


def put(name, value):
    """Write a file of the cgroup."""
    with open(f"{GROUP}/{name}", "w", encoding="ascii") as file:
        file.write(str(value))


def is_frozen():
    """Whether all processes of the cgroup are frozen."""
    with open(f"{GROUP}/cgroup.events", encoding="ascii") as file:
        return "frozen 1" in file.read()


@contextlib.contextmanager
def frozen(number):
    """A process is frozen."""
    put("cgroup.procs", number)
    put("cgroup.freeze", 1)
    until(is_frozen, "it is frozen")
    try:
        yield
    finally:
        put("cgroup.freeze", 0)


@contextlib.contextmanager
def started(words):
    """A process of ktput-ctl whose run has begun; the run of its source."""
    process = subprocess.Popen(
        ["ktput-ctl", "-j", *words.split(), "time", str(SECONDS)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        try:
            yield process, until(
                lambda: next((run for run in here.list() if run["begun"] and
                              run["role"] == "source"), None), "it runs")
        finally:
            process.kill()


def state(run):
    """State of a run, or None if it is gone."""
    now = here.find(run)
    return now and now["state"]


def goes_on(stopped, words, past):
    """The result is right, though ktput-ctl was stopped meanwhile, or PAST the end."""
    with started(words) as (process, run):
        with stopped(process.pid):
            if past:
                until(lambda: state(run) == "ended", "the run ends")
            else:
                time.sleep(SECONDS / 4)
                equal(state(run), "running", what="state")
        output, complaints = process.communicate()
        equal(process.returncode, 0, what=complaints)
        document = json.loads(output)
        result = document["result"]
        assert result["valid"], output
        ended = document["intervals"][-1]["source"]["run"]
        equal(ended["reason"], "time", what="reason")
        elapsed = (ended["ended_ns"] - ended["begun_ns"]) / 1e9
        assert SECONDS <= elapsed < SECONDS + 5, f"elapsed: {elapsed} s"
        until(lambda: not here.list(), "its runs are gone")


def is_killed(stopped, words):
    """Its runs end with ktput-ctl."""
    with started(words) as (process, _):
        with stopped(process.pid):
            process.kill()
            until(lambda: not here.list(), "its runs are gone")
        equal(process.wait(), -signal.SIGKILL, what="exit")


for words in "start tcp", "start udp rate 10mbit", "pingpong udp":
    for stopped in seized, frozen:
        tests.add(f"{words}: {stopped.__name__}", goes_on, stopped, words, False)
        tests.add(f"{words}: {stopped.__name__}, past the end", goes_on, stopped,
                  words, True)
for stopped in seized, frozen:
    tests.add(f"{stopped.__name__} and killed", is_killed, stopped, "start tcp")
sys.exit(tests.run())
