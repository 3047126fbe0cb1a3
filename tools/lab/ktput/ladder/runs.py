# SPDX-License-Identifier: GPL-2.0
"""One run of a rung: a ktput-ctl process."""

import copy
import ctypes
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import FrameType

from .. import control
from ..command import FAILED
from ..record import Json, array, at, number, text
from ..recording import RecordFile

PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


class RunError(Exception):
    """A run without a valid result; the text says why."""

    def __init__(self, why: str, status: int = FAILED) -> None:
        super().__init__(why)
        #: exit status of ktput-ctl
        self.status = status


class Interrupts:
    """Counts signals that end the ladder, and forwards them to the runs."""

    def __init__(self) -> None:
        """Catch SIGINT, SIGTERM and the first SIGHUP from now on."""
        self.count = 0
        self.running: set[int] = set()
        for number_of in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup(1)
            if number_of == signal.SIGINT or \
                    signal.getsignal(number_of) is not signal.SIG_IGN:
                signal.signal(number_of, self._caught)

    def _caught(self, number_of: int, _: FrameType | None) -> None:
        # The shell and the kernel both send SIGHUP when a terminal closes: count one.
        if number_of == signal.SIGHUP and self.count:
            return
        self.count += 1
        for group in self.running:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGINT)


class Runner:
    """Runs ktput-ctl, and keeps the records."""

    def __init__(self, program: Sequence[str], record: RecordFile | None = None
                 ) -> None:
        """Run *program*."""
        self.program = program
        self.record = record
        self.interrupts = Interrupts()

    def document(self, words: Sequence[str], keep: bool = True,
                 mark: Mapping[str, Json] | None = None) -> Json:
        """Run a command; return its valid record or raise RunError.

        What is kept begins with the members of *mark*.
        """
        return Child(self, ["-j", "-s", *words]).result(
            self.record if keep else None, mark or {})

    def text(self, words: Sequence[str]) -> str:
        """Run a command; return what it prints or raise RunError."""
        return Child(self, ["-j", "-s", *words]).text()

    def other(self, line: Sequence[str]) -> str:
        """Run another program; return what it prints or raise RunError."""
        runner = copy.copy(self)
        runner.program = ()
        return Child(runner, line).text()


class Child:
    """A running ktput-ctl in its own process group."""

    def __init__(self, runner: Runner, words: Sequence[str]) -> None:
        """Start the process; raises RunError."""
        interrupts = runner.interrupts
        if interrupts.count:
            raise RunError("interrupted")
        self.running = interrupts.running
        self.said = tempfile.TemporaryFile()  # noqa: SIM115
        line = [*runner.program, *words]
        try:
            self.process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=self.said,
                process_group=0, preexec_fn=_end_with_parent)  # noqa: PLW1509
        except OSError as error:
            raise RunError(control.not_run(line[0], error)) from None
        self.running.add(self.process.pid)
        # Signals that arrived in the meantime were not forwarded.
        if interrupts.count:
            os.killpg(self.process.pid, signal.SIGINT)
        assert self.process.stdout is not None  # noqa: S101
        self.output = self.process.stdout

    def text(self) -> str:
        """Wait for its end; return its output, or raise RunError if it failed."""
        printed, status = self._end()
        if status:
            self._refuse()
        return printed

    def result(self, record: RecordFile | None,
               mark: Mapping[str, Json]) -> Json:
        """Wait for its end; keep and return its record, or raise RunError."""
        printed, _ = self._end()
        try:
            document = json.loads(printed)
        except ValueError:
            document = None
        result = at(document, "result")
        if record is not None and result is not None:
            record.add(_marked(printed.strip(), mark).encode())
        if at(result, "valid") is not True:
            because = text(result, "invalid_because")
            if because:
                raise RunError(because)
            self._refuse()
        return document

    def _end(self) -> tuple[str, int]:
        with self.process, self.said:
            printed = self.output.read().decode(errors="replace")
            status = self.process.wait()
            self.running.discard(self.process.pid)
            self.sentences = control.sentences(self.said)
        return printed, status

    def _refuse(self) -> None:
        raise RunError(self.sentences[-1] if self.sentences else
                       "it printed no result", self.process.returncode)


def _marked(line: str, mark: Mapping[str, Json]) -> str:
    """Return a record with more members, each of its own to the letter."""
    if not mark:
        return line
    members = json.dumps(mark, ensure_ascii=False, separators=(",", ":"))
    return members[:-1] + "," + line.removeprefix("{").lstrip()


def _end_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def ceilings_of(document: Json) -> list[Json]:
    """Return the known ceilings of a result."""
    return [{"name": text(one, "name"), "ceiling_bps": number(one, "ceiling_bps"),
             "share": number(one, "share"), "binds": at(one, "binds") is True}
            for one in array(document, "result.ceilings")
            if number(one, "ceiling_bps") == number(one, "ceiling_bps")]
