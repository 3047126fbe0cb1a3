#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""mutants.py: put faults into copies of the tree, and see that tests notice

usage: mutants.py [--only REGEX] [--places WORD,...] [--sample SECONDS | --blind N]
                  [--seed WORD] [--jobs N] [--kernel VERSION] [--list]

A fault of selftests/mutants/faults is killed where a test that it names fails
with it, and has survived where all of them pass. Copies of the tree, in
build/mutants, take one fault each at a time; the tree itself never does. All
tests that are named have to pass without a fault first; one of which all is
skipped does not. Those that need a VM are run with one fault after the other in
one boot, and in another when a fault has brought the VM down.

  --only REGEX      faults whose list, file or description it finds
  --places WORD,... tests that run there: unit, lab, host, vm, exact; all by
                    default
  --sample SECONDS  unit and lab alone, twelve faults in random order, none begun
                    SECONDS after the first
  --blind N         not those of the list, but N lines drawn from the code, each with a
                    change that nobody has thought about, see blind.py. Its tests are
                    those that make test CHANGED=1 would run. One that does not build is
                    none; one that survives wants a test, or makes no difference
  --seed WORD       of what is random; the hour by default
  --jobs N          copies that are built at a time; one for each CPU
  --kernel VERSION  of the VM; 6.1
  --list            say what faults there are, and whether they fit

The last line is the sum. Ctrl-C prints that of what was tried.

environment:
  KTPUT_CACHE  where make setup put virtme-ng; build/cache of the tree

exit: 0 each fault was killed, or is accepted with its reason
      1 one survived, does not fit or does not build, or the tests fail without
"""

import argparse
import collections
import concurrent.futures
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import blind
from copies import BUILD, HERE, LIMIT_S, Copy, DoesNotBuild, Verdict
from faults import TOP, Fault, Malformed, Test, load

# Seconds of a VM for a test without a known time, and to boot.
VM_LIMIT_S, BOOT_S = 900, 300
# What a fault may make a test take longer.
SLACK = 3
# Faults of a sample: each wants its tests built.
SAMPLED = 12
HELP = "no fault can be judged by a test that fails without it"


class Report:
    """Verdicts as they come."""

    def __init__(self, total: int, blind: bool):
        self.total, self.blind = total, blind
        self.begin = time.monotonic()
        self.verdicts: dict[Fault, Verdict] = {}
        self.lock = threading.Lock()

    def add(self, fault: Fault, verdict: Verdict) -> None:
        """Print a verdict, and keep it."""
        if verdict.result == "survived" and fault.accepted:
            verdict = Verdict("accepted", why=fault.accepted.strip())
        elif verdict.result == "killed" and fault.accepted:
            verdict.result = "surprise"
        with self.lock:
            self.verdicts[fault] = verdict
            why = ": ".join(filter(None, (verdict.by, verdict.why)))
            print(f"{len(self.verdicts):4}/{self.total} {verdict.result:9}"
                  f"{fault}" + f"  [{why}]" * bool(why), flush=True)

    def sum(self) -> int:
        """Print the sum; return the exit status."""
        count = collections.Counter(verdict.result
                                    for verdict in self.verdicts.values())
        bad = {"survived": "survived, and no reason is given",
               "surprise": "were killed, though a reason is given why not",
               "unfit": "do not fit the file",
               "unbuilt": "do not build",
               "broken": "cannot be judged"}
        if self.blind:
            bad["survived"] = "survived"
            del bad["unbuilt"]
        for result, title in bad.items():
            for fault, verdict in self.verdicts.items():
                if verdict.result == result:
                    print(f"{title}: {fault} ({verdict.why})")
        tried = count["killed"] + count["survived"] + count["accepted"]
        share = f" ({100 * count['killed'] / tried:.1f}%)" if tried else ""
        print(f"{len(self.verdicts)} of {self.total} faults in "
              f"{time.monotonic() - self.begin:.0f} s: {count['killed']} killed"
              f"{share}, {count['survived']} survived, {count['accepted']} "
              f"accepted, {count['surprise']} surprises, {count['unfit']} "
              f"unfit, {count['unbuilt']} do not build, {count['broken']} broken",
              flush=True)
        return int(any(count[result] for result in bad) or
                   len(self.verdicts) < self.total)


class Control(Exception):
    """A test fails without any fault."""


def say(*words: object) -> None:
    """Progress."""
    print("mutants:", *words, file=sys.stderr, flush=True)


def tests_in(faults: list[Fault], *places: str) -> list[Test]:
    """The tests of FAULTS that run at these places."""
    return sorted({test for fault in faults for test in fault.tests
                   if test.place in places}, key=str)


def prepare(number: int, faults: list[Fault], kernel: str) -> Copy:
    """A copy with all that FAULTS want built, without any of them."""
    copy = Copy(number)
    unit = tests_in(faults, "unit")
    if unit:
        copy.make_unit(unit)
    in_vm = [fault for fault in faults if fault.places() & {"vm", "exact"}]
    if tests_in(faults, "host") or (in_vm and not number) or \
       not all(fault.in_module() for fault in in_vm):
        copy.make_tools()
    if in_vm:
        copy.make_module(kernel)
        if not number:
            copy.keep("control", True, True)
    return copy


def control(copy: Copy, faults: list[Fault]) -> dict[Test, float]:
    """The tests that need no VM pass without a fault; how long each takes."""
    took = {}
    for test in tests_in(faults, *HERE):
        begin = time.monotonic()
        verdict = copy.test(test, 5 * LIMIT_S)
        if verdict.result != "survived":
            raise Control(f"{verdict.by}: {verdict.why}; {HELP}")
        took[test] = time.monotonic() - begin
    return took


class Machine:
    """A VM that tries faults, and is booted again where one brings it down."""

    def __init__(self, copy: Copy, kernel: str, place: str):
        self.copy, self.place = copy, place
        self.results = BUILD / "vm" / f"results-{place}"
        self.results.mkdir(parents=True, exist_ok=True)
        model = ["--cache"] if place == "exact" else ["--nic", "e1000e"]
        self.command = [
            f"{copy.top}/selftests/vm/run", *model, "--results",
            str(self.results), "--shared", str(BUILD / "vm"),
            "--timeout", "86400", kernel, "--",
            f"{copy.top}/selftests/mutants/guest.py",
            str(self.results / "jobs"), str(BUILD / "vm")]
        self.took: dict[str, int] = {}
        self.stop = threading.Event()

    def job(self, ident: str, tests: list[Test]) -> dict[str, object]:
        """The guest's job for a fault."""
        return {"ident": ident, "tests": [
            [str(test.source.relative_to(TOP)), test.cases, self.limit_s(test)]
            for test in tests if test.place == self.place]}

    def limit_s(self, test: Test) -> int:
        """Seconds for a test, by what it took without a fault."""
        took = self.took.get(test.name)
        return VM_LIMIT_S if took is None else SLACK * took + 30

    def last_of(self, fault: Fault) -> bool:
        """No test of FAULT is yet to be run elsewhere."""
        return self.place == "exact" or "exact" not in fault.places()

    def boot(self, jobs: list[dict[str, object]], limit_s: float) -> list[str]:
        """One boot; the lines of progress, whatever has become of it.

        It is given up where a job makes no progress in time.
        """
        (self.results / "jobs").write_text(json.dumps(jobs), "ascii")
        progress = self.results / "progress"
        progress.write_text("", "ascii")
        with (BUILD / f"vm-{self.place}.log").open("wb") as log:
            process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
            seen, since = 0, time.monotonic()
            while process.poll() is None and not self.stop.is_set():
                time.sleep(0.5)
                size = progress.stat().st_size
                if size != seen:
                    seen, since = size, time.monotonic()
                elif time.monotonic() - since > limit_s + BOOT_S:
                    break
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        return progress.read_text("utf-8").splitlines()

    def control(self, tests: list[Test]) -> dict[Test, str]:
        """Run TESTS without a fault; which fail twice, and why."""
        failed: dict[Test, str] = {}
        for again in False, True:
            tried = list(failed) if again else tests
            if not tried or self.stop.is_set():
                break
            say(f"VM ({self.place}): {len(tried)} tests without a fault" +
                ", again" * again)
            idents = {f"control-{number}": test
                      for number, test in enumerate(tried)}
            failed = dict.fromkeys(tried, "the VM did not reach it")
            for line in self.boot([self.job(ident, [test])
                                   for ident, test in idents.items()], VM_LIMIT_S):
                word, ident, *rest = line.split(" ", 2)
                if word == "time":
                    name, seconds = rest[0].split()
                    self.took[name] = max(int(seconds), self.took.get(name, 0))
                elif word == "survived":
                    del failed[idents[ident]]
                elif word == "killed":
                    failed[idents[ident]] = "".join(rest)
        if failed == dict.fromkeys(tests, "the VM did not reach it"):
            raise Control("the VM did not boot")
        return failed

    def attempt(self, faults: list[Fault], report: Report) -> None:
        """Try FAULTS, in as many boots as it takes."""
        left = {fault.ident: fault for fault in faults}
        while left and not self.stop.is_set():
            say(f"VM ({self.place}): {len(left)} faults to try")
            jobs = [self.job(ident, list(fault.tests))
                    for ident, fault in left.items()]
            longest = max(self.limit_s(test) for fault in left.values()
                          for test in fault.tests)
            begun = ""
            for line in self.boot(jobs, longest):
                word, ident, *rest = line.split(" ", 2)
                if word == "begin":
                    begun = ident
                elif word in ("killed", "survived"):
                    fault = left.pop(ident)
                    if word == "killed" or self.last_of(fault):
                        report.add(fault, Verdict(word, "".join(rest)))
            if self.stop.is_set():
                return
            if not begun:
                raise Control("the VM did not boot")
            if begun in left:
                report.add(left.pop(begun),
                           Verdict("killed", "the VM did not survive it"))


def arguments() -> argparse.Namespace:
    """What the words ask for."""
    parser = argparse.ArgumentParser(
        usage=argparse.SUPPRESS, add_help=False)
    parser.add_argument("--only", default="")
    parser.add_argument("--places", default="unit,lab,host,vm,exact")
    parser.add_argument("--sample", type=float)
    parser.add_argument("--blind", type=int)
    parser.add_argument("--seed", default=time.strftime("%Y%m%d%H"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kernel", default="6.1")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    chosen = parser.parse_args()
    if chosen.help:
        print(__doc__.strip())
        sys.exit(0)
    return chosen


def fitting(faults: list[Fault], report: Report) -> list[Fault]:
    """Those that fit their file; the others are reported."""
    fit = []
    for fault in faults:
        try:
            fault.mutate((TOP / fault.file).read_text("utf-8"))
            fit.append(fault)
        except (OSError, ValueError) as error:
            report.add(fault, Verdict("unfit", why=str(error)))
    return fit


def chosen_faults(words: argparse.Namespace) -> list[Fault]:
    """Faults that the words ask for, in their order."""
    places = {"unit", "lab"} if words.sample else set(words.places.split(","))
    if words.blind:
        say(f"seed {words.seed}")
        return blind.draw(words.seed, words.blind, places, words.only)
    faults = [fault for fault in load(words.only)
              if not fault.tests or fault.places() <= places]
    if words.sample:
        say(f"seed {words.seed}")
        random.Random(words.seed).shuffle(faults)
        faults = [fault for fault in faults if fault.tests][:SAMPLED]
    return faults


def try_here(copies: list[Copy], faults: list[Fault], report: Report,
             until: float, stop: threading.Event) -> list[Fault]:
    """Try FAULTS on this machine; return those that wait for a VM."""
    queue = collections.deque(faults)
    waiting: list[Fault] = []

    def work(copy: Copy) -> None:
        while not stop.is_set() and time.monotonic() < until:
            try:
                fault = queue.popleft()
            except IndexError:
                return
            verdict = copy.try_out(fault)
            if stop.is_set():
                return
            if verdict.result == "waits":
                waiting.append(fault)
            else:
                report.add(fault, verdict)

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        for done in [pool.submit(work, copy) for copy in copies]:
            done.result()
    return waiting


def judge(words: argparse.Namespace, faults: list[Fault], report: Report,
          stop: threading.Event) -> None:
    """Try all FAULTS."""
    untested = [fault for fault in faults if not fault.tests]
    faults = [fault for fault in fitting(faults, report) if fault.tests]
    for fault in untested:
        if fault not in report.verdicts:
            report.add(fault, Verdict("survived"))
    if not faults:
        return
    jobs = max(1, min(words.jobs, len(faults)))
    say(f"{len(faults)} faults; building {jobs} copies without any")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        copies = list(pool.map(lambda number: prepare(
            number, faults, words.kernel), range(jobs)))
    took = control(copies[0], faults)
    if took:
        slowest = max(took, key=lambda test: took[test])
        say(f"{len(took)} tests pass without a fault, the slowest, {slowest}, "
            f"in {took[slowest]:.1f} s")
    until = time.monotonic() + (words.sample or float("inf"))
    waiting = try_here(copies, faults, report, until, stop)
    if words.sample:
        report.total = max(len(report.verdicts), 1)
    for place in "vm", "exact":
        here = [fault for fault in waiting if place in fault.places() and
                fault not in report.verdicts]
        if not here or stop.is_set():
            continue
        here.sort(key=lambda fault: fault.number)
        machine = Machine(copies[0], words.kernel, place)
        machine.stop = stop
        failed = machine.control(tests_in(here, place))
        for fault in list(here):
            for test in set(fault.tests) & failed.keys():
                here.remove(fault)
                report.add(fault, Verdict("broken", why="without it too "
                                          f"{failed[test]}"))
                break
        machine.attempt(here, report)


def main() -> int:
    """Try faults, and sum up."""
    words = arguments()
    try:
        faults = chosen_faults(words)
    except Malformed as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 1
    report = Report(len(faults), words.blind is not None)
    if words.list:
        for fault in fitting(faults, report):
            print(f"{fault.ident} {fault} [{' '.join(map(str, fault.tests))}]")
        return report.sum() if report.verdicts else 0
    os.environ.setdefault("KTPUT_CACHE", str(TOP / "build" / "cache"))
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("mutants: another is at work here", file=sys.stderr)
            return 1
        return try_all(words, faults, report)


def try_all(words: argparse.Namespace, faults: list[Fault],
            report: Report) -> int:
    """Try FAULTS until all are tried, or Ctrl-C; the exit status."""
    stop = threading.Event()

    def interrupt(*_: object) -> None:
        say("interrupted: what is under way is let go")
        stop.set()
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        judge(words, faults, report, stop)
    except (Control, DoesNotBuild) as error:
        print(f"mutants: {error}", file=sys.stderr)
        report.sum()
        return 1
    return report.sum()


if __name__ == "__main__":
    sys.exit(main())
