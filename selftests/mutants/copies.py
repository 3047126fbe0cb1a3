# SPDX-License-Identifier: GPL-2.0
"""copies.py: copies of the tree, which faults are put into and tested in.

Nothing here writes to the tree but for build/mutants.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess

from faults import TOP, Fault, Test

BUILD = TOP / "build" / "mutants"
# A fault may leave something unused; a warning of that is no failure.
FLAGS = "CFLAGS=-O2 -g -w"
UNIT_FLAGS = "CFLAGS=-O1 -g -w"
# Where tests on this machine run, in this order; seconds that each may take.
HERE = "unit", "lab", "host"
LIMIT_S = 120


@dataclasses.dataclass
class Verdict:
    """What became of a fault: killed, survived, unbuilt, broken (cannot be judged)."""

    result: str
    by: str = ""
    why: str = ""


class DoesNotBuild(Exception):
    """Why, as the compiler says."""


def run(command: list[str], limit_s: float, log: pathlib.Path,
        **environment: str) -> int:
    """Exit status of COMMAND, 124 if it takes too long; its output in LOG.

    Nothing of it goes on when it has ended.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env=os.environ | environment,
            start_new_session=True)
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return 124
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def first_failure(log: pathlib.Path) -> str:
    """The first result of KTAP in LOG that is bad."""
    for line in log.read_text("utf-8", "replace").splitlines():
        if line.lstrip().startswith("not ok "):
            return line.split(maxsplit=3)[-1]
    return ""


def all_skipped(log: pathlib.Path) -> str:
    """Why all that is in LOG was skipped, or nothing where something was not."""
    text = log.read_text("utf-8", "replace")
    whole = re.search(r"^1\.\.0 # SKIP (.*)", text, re.M)
    if whole:
        return whole[1]
    results = re.findall(r"^\s*(?:not )?ok \d+(?:.*# SKIP (.*)|.*)$", text, re.M)
    return results[0] if results and all(results) else ""


class Copy:
    """A copy of the tree with what is built of it."""

    def __init__(self, number: int):
        self.top = BUILD / f"copy-{number}"
        self.log = BUILD / f"copy-{number}.log"
        self.release = ""
        self.top.mkdir(parents=True, exist_ok=True)
        # No times: to make, what differs from an earlier copy is new.
        subprocess.run(["rsync", "-rlpc", "--delete", "--exclude=/build",
                        "--exclude=/.git", "--exclude=__pycache__",
                        f"{TOP}/", f"{self.top}/"], check=True)

    @property
    def unit(self) -> pathlib.Path:
        """What unit tests are built in."""
        return self.top / "build" / "selftests" / "unit"

    def make(self, *words: str) -> None:
        """Run make, or raise DoesNotBuild."""
        if run(["make", "-s", *words], 900, self.log):
            raise DoesNotBuild(self.log.read_text("utf-8", "replace"))

    def make_tools(self, *words: str) -> None:
        """Build what users run, as users do."""
        self.make("-C", f"{self.top}/tools", FLAGS, *words)

    def make_unit(self, tests: list[Test]) -> None:
        """Build unit tests; of the tools the program too if one of them runs it."""
        runs = any("KTPUT_" in test.source.read_text("ascii") for test in tests)
        if runs:
            self.make("-C", f"{self.top}/tools", "SAN=1", UNIT_FLAGS,
                      f"O={self.unit}/tools", "all")
        self.make("-C", f"{self.top}/selftests/unit", f"O={self.unit}",
                  UNIT_FLAGS,
                  *(str(self.unit / test.name) for test in tests))

    def make_module(self, kernel: str) -> None:
        """Build the module without a fault, beside a copy of its sources.

        As module.sh does, but with no warnings: a fault may leave some.
        """
        self.release = self.ask(f"kernel_release {kernel}")
        self.sources.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rsync", "-rlpc", "--include=/Kbuild",
                        "--include=/kmod/***", "--exclude=*",
                        f"{self.top}/", f"{self.sources}/"], check=True)
        self.build_module()

    @property
    def sources(self) -> pathlib.Path:
        """Where the module is built."""
        return self.top / "build" / self.release / "src"

    def build_module(self) -> None:
        """Build what is in sources; it is left where tests look for it."""
        self.make("-C", self.ask(f"kernel_build {self.release}"),
                  f"M={self.sources}", "KCFLAGS=-w", "modules")
        shutil.copy(self.sources / "kmod" / "ktput.ko", self.sources.parent)

    def ask(self, question: str) -> str:
        """What a function of env.sh says."""
        return subprocess.run(
            ["bash", "-c", f". {self.top}/selftests/lib/env.sh; {question}"],
            check=True, text=True, stdout=subprocess.PIPE).stdout.strip()

    def build(self, fault: Fault) -> None:
        """Build what a VM wants of FAULT."""
        if fault.in_module():
            self.build_module()
        else:
            self.make_tools()

    def texts(self, fault: Fault) -> dict[pathlib.Path, str]:
        """The files that FAULT goes into, as they are without it."""
        files = [self.top / fault.file]
        if fault.in_module() and fault.places() & {"vm", "exact"}:
            files.append(self.sources / fault.file)
        return {file: file.read_text("utf-8") for file in files}

    def test(self, test: Test, limit_s: float = LIMIT_S) -> Verdict:
        """Run TEST, of those that need no VM."""
        if test.place == "unit":
            command = [f"{self.top}/selftests/unit/run.sh",
                       str(self.unit / test.name)]
        elif test.place == "lab":
            # As lab.sh does.
            command = ["env", "-C", f"{self.top}/tools/lab", "/usr/bin/python3",
                       "-B", "-m", "pytest", "-p", "no:cacheprovider", "-p",
                       "tests.ktap", f"tests/{test.name}.py"]
        else:
            command = [str(self.top / test.source.relative_to(TOP))]
        status = run(command, limit_s, self.log,
                     KTPUT_CTL=f"{self.unit}/tools/ktput-ctl",
                     KTPUT_MANUAL=f"{self.top}/Documentation/man",
                     KTPUT_CASES=test.cases)
        skipped = all_skipped(self.log)
        if not status and not skipped:
            return Verdict("survived")
        why = "it did not end" if status == 124 else \
            skipped or first_failure(self.log)
        return Verdict("killed", str(test), why)

    def try_out(self, fault: Fault) -> Verdict:
        """Put FAULT in, build, run its tests here, and take it out again.

        For a VM, what it wants is left in a directory of the fault.
        """
        texts = self.texts(fault)
        verdict = Verdict("survived")
        try:
            for file, text in texts.items():
                file.write_text(fault.mutate(text), "utf-8")
            for place in HERE:
                tests = [test for test in fault.tests if test.place == place]
                if tests and place == "unit":
                    self.make_unit(tests)
                elif tests and place == "host":
                    self.make_tools()
                for test in tests:
                    verdict = self.test(test)
                    if verdict.result == "killed":
                        return verdict
            if fault.places() & {"vm", "exact"}:
                self.build(fault)
                self.keep(fault.ident, fault.in_module(),
                          not fault.in_module())
                verdict = Verdict("waits")
        except DoesNotBuild as error:
            lines = [line for line in str(error).splitlines()
                     if "error" in line] or [str(error)]
            verdict = Verdict("unbuilt", why=lines[0])
        finally:
            for file, text in texts.items():
                file.write_text(text, "utf-8")
        return verdict

    def keep(self, ident: str, module: bool, tools: bool) -> None:
        """Keep what was built for a VM."""
        kept = BUILD / "vm" / ident
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        if module:
            shutil.copy(self.sources.parent / "ktput.ko", kept)
        if tools:
            (kept / "tools").mkdir()
            built = self.top / "build" / "tools"
            for name in ("ktput-ctl", "ktput-ladder", "ktput-report",
                         "ktput-scenario", "classes.txt"):
                shutil.copy(built / name, kept / "tools")
            shutil.copytree(built / "lab", kept / "tools" / "lab")
