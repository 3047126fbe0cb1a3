#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""test.py: run some tests, and build what they need and nothing else

usage: make test T=NAME... [K=VERSION...] [EXACT=1]
       make test CHANGED=1|BASE [K=VERSION...] [EXACT=1]

T is one or more names of tests: "test_units", "units", "units.c" or the path of its
file; with "unit/", "lab/", "case/" or "exact/" before it only those there; a pattern
as in '*pingpong*'; or any other file of the tree, for the tests that notice a change
of it. CHANGED chooses by the files that differ from HEAD, or from where HEAD left
BASE: the tests that the list of faults names for them, and those that use them.

A test of cases/ that wants no module runs on this machine, and if it skips itself here
for something else that it lacks, in a VM like the others, of kernel 6.1. K names
other kernels ("6.12", "6.1 6.12", "debug"), and then all of cases/ run there;
"host/NAME" and "vm/NAME" say so for one test. EXACT counts
instructions in the VM. A VM that "make vm" left is used, otherwise one is booted.
LIST=1 says what would run.

exit: 0 nothing failed, 1 something did, 2 there is no such test
"""

import argparse
import collections
import dataclasses
import os
import re
import subprocess
import sys

from tests import (PLACES, TOP, Test, UsageError, by_changes, by_word,
                   every_test)

BUILD = TOP / "build"
UNIT = BUILD / "selftests" / "unit"
# Words for a VM of its own, which these tests want.
OF_ITS_OWN = {"test_isolated": ("--append", "isolcpus=1"),
              "test_signed": ("--append", "module.sig_enforce=1")}
JOBS = f"-j{os.cpu_count() or 1}"


def say(text: str) -> None:
    """Progress."""
    print(f"test: {text}", file=sys.stderr, flush=True)


def environment() -> dict[str, str]:
    """What tests on this machine find the program by, as unit/Makefile has it."""
    return os.environ | {
        "KTPUT_CTL": str(UNIT / "tools" / "ktput-ctl"),
        "KTPUT_MANUAL": str(TOP / "Documentation" / "man"),
        "KTPUT_STAND_IN": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def build_unit(tests: list[Test]) -> list[list[str]]:
    """What has to be built for unit tests; commands."""
    programs = [str(UNIT / test.name) for test in tests if test.path.endswith(".c")]
    commands = []
    if any("KTPUT_" in test.text or test.path.endswith(".sh") for test in tests):
        commands.append(["make", "-s", JOBS, "-C", f"{TOP}/tools", "SAN=1",
                         f"O={UNIT}/tools", "all"])
    if programs:
        commands.append(["make", "-s", JOBS, "-C", f"{TOP}/selftests/unit",
                         *programs])
    return commands


def wants_tools(test: Test) -> bool:
    """It runs ktput-ctl as users build it."""
    return test.place != "unit" and \
        (test.place != "lab" or test.path.endswith(".sh") or
         "build/tools" in test.text or "ktput-ctl" in test.text)


def command_of(test: Test) -> list[str]:
    """Runs a test that needs no VM, built before; it prints KTAP."""
    if test.place == "unit":
        program = str(UNIT / test.name) if test.path.endswith(".c") else \
            str(test.file)
        return [f"{TOP}/selftests/unit/run.sh", program]
    if test.place == "lab" and test.path.endswith(".py"):
        return ["env", "-C", f"{TOP}/tools/lab", "/usr/bin/python3", "-B", "-m",
                "pytest", "-p", "no:cacheprovider", "-p", "tests.ktap",
                f"tests/{test.name}.py"]
    return [str(test.file)]


def run(command: list[str]) -> bool:
    """Run it; True if it succeeds."""
    return subprocess.run(command, env=environment(), stdin=subprocess.DEVNULL,
                          check=False).returncode == 0


def build(tests: list[Test], kernels: list[str]) -> bool:
    """Build what TESTS want, or show why not."""
    commands = build_unit([test for test in tests if test.place == "unit"])
    if any(map(wants_tools, tests)):
        commands.append(["make", "-s", JOBS, "-C", f"{TOP}/tools"])
    if any(test.place in ("vm", "exact") for test in tests):
        commands += [[f"{TOP}/selftests/ci/module.sh", kernel]
                     for kernel in kernels]
    for command in commands:
        if not run(command):
            say(f"{' '.join(command)}: failed")
            return False
    return True


def in_vm(tests: list[Test], kernel: str, exact: bool) -> bool:
    """Run tests in as many VMs as they want."""
    boots: dict[tuple[str, ...], list[Test]] = collections.defaultdict(list)
    for test in tests:
        counting = (("--cache",) if test.place == "exact" else
                    ("--icount",) if exact else ())
        room = ("exact",) if test.place == "exact" else ()
        boots[(*counting, *OF_ITS_OWN.get(test.name, ()), *room)].append(test)
    good = True
    for words, here in boots.items():
        room = [word for word in words if word == "exact"]
        options = [word for word in words if word != "exact"]
        command = [f"{TOP}/selftests/ci/run.sh", *room,
                   *(test.name for test in here)]
        kept = [f"{TOP}/selftests/vm/in", kernel]
        if not options and subprocess.run([*kept, "up"], check=False,
                                          stderr=subprocess.DEVNULL).returncode == 0:
            good &= run([*kept, "--", *command])
        else:
            good &= run([f"{TOP}/selftests/vm/run", "--nic", "e1000e", *options,
                         "--timeout", "36000", kernel, "--", *command])
    return good


def on_this_machine(tests: list[Test]) -> tuple[bool, set[str]]:
    """Run tests of cases/ here; whether none failed, and which skipped themselves."""
    skipped = set()
    with subprocess.Popen([f"{TOP}/selftests/ci/run.sh",
                           *(test.name for test in tests)], text=True,
                          env=environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            found = re.match(r"ok \d+ (test_\w+) # SKIP", line)
            if found:
                skipped.add(found[1])
    return process.returncode == 0, skipped


def run_all(tests: list[Test], kernels: list[str], exact: bool,
            here: set[Test]) -> int:
    """Build and run, those in HERE on no other machine; the exit status."""
    if not build(tests, kernels):
        return 1
    failed = []
    for test in tests:
        if test.place in ("unit", "lab"):
            print(f"# {test.place}/{test.name}", flush=True)
            if not run(command_of(test)):
                failed.append(f"{test.place}/{test.name}")
    host = [test for test in tests if test.place == "host"]
    vm = [test for test in tests if test.place in ("vm", "exact")]
    if host:
        good, skipped = on_this_machine(host)
        if not good:
            failed.append("those of cases/ on this machine")
        again = [test for test in host if test.name in skipped and test not in here]
        if again:
            say(f"in a VM: {' '.join(test.name for test in again)}")
            again = [dataclasses.replace(test, place="vm") for test in again]
            if not build(again, kernels):
                return 1
            vm += again
    failed += [f"those in the VM of {kernel}" for kernel in kernels
               if vm and not in_vm(vm, kernel, exact)]
    if failed:
        say(f"failed: {', '.join(failed)}")
    return int(bool(failed))


def overview() -> str:
    """The usage, and what tests there are."""
    parts = [__doc__.strip()]
    for place in PLACES:
        names = [test.name.removeprefix("test_") for test in every_test()
                 if test.place == place]
        lines, line = [], ""
        for name in names:
            if len(line) + len(name) > 70:
                lines.append(line)
                line = ""
            line += f" {name}"
        parts.append(f"{place}/ ({len(names)} tests):\n   " +
                     "\n   ".join([*lines, line]))
    return "\n\n".join(parts)


def main() -> int:
    """What the words ask for."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, add_help=False)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--changed", default="")
    parser.add_argument("--kernels", default="")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    chosen = parser.parse_args()
    words = [one for word in chosen.words for one in word.split()]
    if chosen.help:
        print(overview())
        return 0
    if not words and not chosen.changed:
        print(overview(), file=sys.stderr)
        say("T= or CHANGED= is missing")
        return 2
    try:
        tests = [test for word in words for test in by_word(word)]
        if chosen.changed:
            tests += by_changes("HEAD" if chosen.changed == "1" else chosen.changed)
    except UsageError as error:
        say(f"{error}; make test says what there is")
        return 2
    asked = {test for word in words if word.startswith("host/")
             for test in by_word(word)}
    tests = list(dict.fromkeys(tests))
    if chosen.kernels or chosen.exact:
        tests = [Test("vm", test.name, test.path)
                 if test.place == "host" and test not in asked else test
                 for test in tests]
    kernels = chosen.kernels.split() or ["6.1"]
    if chosen.list or not tests:
        for test in tests:
            print(f"{test.place}/{test.name}")
        if not tests:
            say("no test to run")
        return 0
    return run_all(tests, kernels, chosen.exact, asked)


if __name__ == "__main__":
    sys.exit(main())
