#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""situations.py [OPTION]...: is the bottleneck right that ktput-ctl names?

Draws situations from a seed, makes each of them between two network namespaces, and
compares the bottleneck that ktput-ctl names with the one that was made. Prints a line for
each, and at the end what was made against what was found. Where the module is loaded, one
end is in the kernel, or both are, of two runs in three; else all are in user space. What is
between them is a veth pair, or selftests/verdict/path.py. A far end behind ssh is a process
in the other namespace, which what stands for ssh starts: test_far has ssh itself.

A situation knows its truth by construction: words of binding, or binding:place. Of a run
that the surroundings disturbed the truth may be other work too. One that this kernel
cannot make does not count.

exit: 0 as often right as --right says, and as seldom wrong with confidence high as --wrong
says; 1 not so; 2 usage
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from draws import DRAWS, FIFO, Situation, cpu_truth, words

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.realpath(f"{HERE}/../..")
os.environ["PATH"] = f"{TOP}/build/tools:{os.environ['PATH']}:/usr/sbin:/sbin"
# From so much other work on a CPU of the run, that is a truth of its own.
DISTURBED = 0.25
SEED = 37
MODULE = "/sys/module/ktput"


def run(*command: str, netns: str = "") -> None:
    """Run it there; it has to succeed."""
    before = ["ip", "netns", "exec", netns] if netns else []
    subprocess.run([*before, *command], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def background(*command: str, ready: bool = False) -> Iterator[subprocess.Popen[str]]:
    """Have it run meanwhile."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if ready and process.stdout:
                process.stdout.readline()
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def quota_of(percent: int) -> Iterator[list[str]]:
    """A group that may use so much of a CPU; gives what runs a command in it."""
    legacy = os.path.exists("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") or \
        os.path.exists("/sys/fs/cgroup/cpu/tasks")
    group = f"/sys/fs/cgroup/{'cpu/' if legacy else ''}ktput-{os.getpid()}"
    if not legacy:
        with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as file:
            file.write("+cpu")
    os.mkdir(group)
    try:
        for name, value in ([("cpu.cfs_period_us", "100000"),
                             ("cpu.cfs_quota_us", f"{percent}000")] if legacy else
                            [("cpu.max", f"{percent}000 100000")]):
            with open(f"{group}/{name}", "w", encoding="ascii") as file:
                file.write(value)
        yield ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"]
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                os.rmdir(group)
                break
            time.sleep(0.1)


# A shell starts at once, however full the CPUs are.
STOPPER = "echo; while kill -STOP $0; do sleep 0.4; kill -CONT $0; sleep 0.02; done"


class Bed:
    """Two namespaces, and what is in them."""

    def __init__(self, scratch: str) -> None:
        """Make them."""
        self.near, self.far = (f"kv{os.getpid()}{end}" for end in "ab")
        self.record, self.scratch = f"{scratch}/run", scratch
        # It hands on what is written, and starts the command there.
        with open(f"{scratch}/ssh", "w", encoding="ascii") as script:
            script.write(f"""#!/bin/sh
export SSH_CONNECTION="10.9.0.1 1 10.9.0.2 22"
exec setsid ip netns exec {self.far} sh -c "$2"
""")
        os.chmod(script.name, 0o755)
        os.environ["KTPUT_SSH"] = script.name

    def make(self) -> None:
        """Anew for each situation."""
        self.remove()
        for netns in self.near, self.far:
            run("ip", "netns", "add", netns)
            run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1", netns=netns)
            run("ip", "-n", netns, "link", "set", "lo", "up")
        self.pair()
        for number, netns in enumerate([self.near, self.far], 1):
            run("ip", "-n", netns, "addr", "add", f"10.9.0.{number}/24", "dev", "veth0")
            run("ip", "-n", netns, "link", "set", "veth0", "up")

    def pair(self) -> None:
        """Two devices, veth0 in each."""
        run("ip", "link", "add", "veth0", "netns", self.near, "type", "veth",
            "peer", "name", "veth0", "netns", self.far)

    def remove(self) -> None:
        """Leave nothing."""
        for netns in self.near, self.far:
            subprocess.run(["ip", "netns", "del", netns], check=False,
                           stderr=subprocess.DEVNULL)

    def command(self, of: Situation) -> list[str]:
        """What is run."""
        time_word = [] if "time" in of.words else ["time", "1s"]
        cpus = [] if "sink-cpus" in of.words or of.module else ["sink-cpus", "1"]
        there = [] if of.to == "127.0.0.1" else \
            ["remote", "far"] if of.remote else ["sink-netns", self.far]
        if of.alone or of.stopped:
            ends = ["layer", "user", "alone", "port", "5010"]
            there = cpus = []
        else:
            ends = of.ends.split()
        near = "sink-netns" if of.remote and "reverse" in of.words else "netns"
        return ["timeout", "60", "ktput-ctl", of.command, near, self.near, *ends, "to", of.to,
                *there, *cpus, "cpus", "0", *time_word, *of.words, "record", self.record,
                "replace"]

    def first(self, of: Situation) -> None:
        """A run that is not judged."""
        subprocess.run(self.command(dataclasses.replace(of, words=["time", "200ms"])), check=True,
                       stdout=subprocess.DEVNULL)

    def measure(self, of: Situation) -> dict[str, object]:
        """Make the situation, and give the result of a run in it."""
        self.make()
        with contextlib.ExitStack() as stack:
            if of.path:
                stack.enter_context(background(f"{HERE}/path.py", self.near, self.far, *of.path,
                                               ready=True))
            for netns, commands in (self.near, of.near), (self.far, of.far):
                for command in commands:
                    if command == "first":
                        self.first(of)
                    else:
                        run("sh", "-c", command, netns=netns)
            for cpu, nice in of.hogs:
                how = ["chrt", "-f", "1"] if nice == FIFO else ["nice", "-n", str(nice)]
                stack.enter_context(background(*how, "taskset", "-c", str(cpu),
                                               "bash", "-c", "while :; do :; done"))
            if of.competitor:
                stack.enter_context(background(
                    "ktput-ctl", "start", "netns", self.near, *words(of.ends), "to", of.to,
                    "sink-netns", self.far, "time", "20s", "port", "5055"))
                time.sleep(0.5)
            before: list[str] = []
            if of.quota:
                before = stack.enter_context(quota_of(of.quota))
            result = self.judged(of, before, stack)
        return result

    def judged(self, of: Situation, before: list[str],
               stack: contextlib.ExitStack) -> dict[str, object]:
        """Run it, and read its record."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.record)
        command = self.command(of)
        if of.alone or of.stopped:
            at = of.words.index("rcvbuf") if "rcvbuf" in of.words else len(of.words)
            buffer = of.words[at:at + 2]
            command = [word for word in command if word not in buffer]
            sink = stack.enter_context(background(
                "ktput-ctl", "sink", "tcp", "netns", self.far, "layer", "user", "on", of.to,
                "port", "5010", "cpus", "1", "time", "60s", *buffer))
            time.sleep(0.5)
            if of.stopped == "sink":
                self.stop(sink.pid, stack)
        with open(f"{self.scratch}/text", "w", encoding="utf-8") as text, \
                subprocess.Popen([*before, *command], stdout=text, stderr=text) as process:
            if of.stopped == "start":
                time.sleep(0.5)
                self.stop(child_of(process.pid), stack)
            process.wait()
        result: dict[str, object] = {}
        with contextlib.suppress(OSError, ValueError, KeyError), \
                open(self.record, encoding="utf-8") as file:
            result = json.load(file)["result"]
        if not result:
            with open(f"{self.scratch}/text", encoding="utf-8") as text:
                result = {"binding": "failed", "binding_because": text.read()[-300:]}
        return result

    def stop(self, number: int, stack: contextlib.ExitStack) -> None:
        """Have the process stand still most of the time."""
        stack.enter_context(background("bash", "-c", STOPPER, str(number), ready=True))


def child_of(number: int) -> int:
    """Give the program that timeout runs."""
    with open(f"/proc/{number}/task/{number}/children", encoding="ascii") as children:
        return int(children.read().split()[0])


def disturbed(result: dict[str, object]) -> bool:
    """Whether the surroundings took a good part of a CPU of the run."""
    share = result.get("disturbed_share")
    return isinstance(share, float) and share > DISTURBED


def outcome(of: Situation, result: dict[str, object]) -> str:
    """Right, wrong or not known."""
    found, where = result.get("binding", "nothing"), result.get("binding_where")
    truth = set(of.truth)
    if disturbed(result) and of.cpus:
        truth.add("other_work")
    if {found, f"{found}:{where}"} & truth:
        return "right"
    return "unknown" if found in ("none", "nothing") else "wrong"


def with_ends(of: Situation, dice: random.Random) -> Situation:
    """The same with ends in the kernel, or one of them, where it has the module."""
    kernel = dice.choice([None, None, "", "", "layer user", "sink-layer user"])
    if kernel is None or not os.path.exists(MODULE) or \
            of.alone or of.stopped or of.module or "engine" in of.ends:
        return of
    if of.command == "pingpong":
        kernel = ""
    # A quota of ktput-ctl's is none of threads in the kernel.
    truth = cpu_truth() if of.quota and not kernel else of.truth
    return dataclasses.replace(of, ends=kernel, truth=truth)


def main() -> int:
    """Draw, make, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--right", type=float, default=90, metavar="PERCENT")
    parser.add_argument("--wrong", type=float, default=3, metavar="PERCENT")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--keep", metavar="DIR", help="of records that are not right")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    # Each kind before one comes again.
    deck = [kind for _ in range(0, options.count, len(DRAWS))
            for kind in dice.sample(DRAWS, len(DRAWS))]
    situations = [with_ends(kind(dice), dice) for kind in deck[:options.count]]
    outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
    matrix: collections.Counter[tuple[str, str]] = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        bed = Bed(scratch)
        try:
            for number, of in enumerate(situations):
                if not re.search(options.only, of.name):
                    continue
                if of.module and not os.path.exists(MODULE):
                    print(f"{number} not made: {of.name}: the module is not loaded")
                    continue
                try:
                    result = bed.measure(of)
                except subprocess.CalledProcessError as error:
                    print(f"{number} not made: {of.name}: {error.cmd[-1]}", flush=True)
                    continue
                how, sure = outcome(of, result), str(result.get("sure", "-"))
                where = f":{result['binding_where']}" if result.get("binding_where") else ""
                found = f"{result.get('binding', 'nothing')}{where}"
                outcomes[how, sure] += 1
                matrix[of.name, found] += 1
                print(f"{number} {how:7} {sure:6} {of.name}: "
                      f"{' '.join([of.ends or 'kernel', *of.words, *of.path])} | {found}, not {'/'.join(of.truth)} | "
                      f"{result.get('binding_because', '')}" if how != "right" else
                      f"{number} {how:7} {sure:6} {of.name}: {found}", flush=True)
                if how != "right" and options.keep and os.path.exists(bed.record):
                    os.makedirs(options.keep, exist_ok=True)
                    shutil.move(bed.record, f"{options.keep}/{number}-{of.name}.json")
        finally:
            bed.remove()
    print("\nmade -> found")
    for (name, found), count in sorted(matrix.items()):
        print(f"  {name:16} {found:24} {count}")
    total = sum(outcomes.values())
    print("\noutcome, confidence, of all")
    for (how, sure), count in sorted(outcomes.items()):
        print(f"  {how:8} {sure:8} {count:4} {100 * count / total:5.1f} %")
    right = sum(count for (how, _), count in outcomes.items() if how == "right")
    print(f"\n{right} of {total} are right")
    return not (total and right >= options.right / 100 * total and
                outcomes["wrong", "high"] <= options.wrong / 100 * total)


if __name__ == "__main__":
    sys.exit(main())
