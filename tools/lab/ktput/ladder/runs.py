# SPDX-License-Identifier: GPL-2.0
"""One run of a rung: one ktput-ctl process, or two on two hosts."""

import ctypes
import json
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from .. import control
from ..record import Json, Record, array, at, number, text
from ..recording import RecordFile
from .rungs import ALONE

PROGRAM = "ktput-ctl"
#: A shell command to use instead of ssh; its arguments are the host and a command line.
SSH_VARIABLE = "KTPUT_SSH"
#: A dead connection is detected within 15 seconds.
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o",
       "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--")
#: Exit status of a shell that does not find the command.
NOT_FOUND = 127
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


class RunError(Exception):
    """A run without a valid result; the text says why."""


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
    """Runs ktput-ctl, here or on the other host, and keeps the records."""

    def __init__(self, program: Sequence[str], record: RecordFile | None = None,
                 host: str | None = None) -> None:
        """Run *program* here; *host* is the other host in ssh's form."""
        self.program = program
        self.record = record
        self.host = host
        self.interrupts = Interrupts()

    def line(self, words: Sequence[str], host: str | None) -> list[str]:
        """Return the command line that runs ktput-ctl with *words*."""
        if host is None:
            return [*self.program, *words]
        instead = os.environ.get(SSH_VARIABLE)
        ssh = ["/bin/sh", "-c", f'{instead} "$@"', SSH_VARIABLE] if instead else SSH
        return [*ssh, host, shlex.join(["exec", PROGRAM, *words])]

    def document(self, words: Sequence[str], keep: bool = True) -> Json:
        """Run a command on this host; return its valid record or raise RunError."""
        return Child(self, ["-j", "-s", *words]).result(self.record if keep else None)

    def text(self, words: Sequence[str]) -> str:
        """Run a command on this host; return what it prints or raise RunError."""
        return Child(self, ["-j", "-s", *words]).text()

    def check_module(self, host: str | None, words: Sequence[str] = ()) -> None:
        """Refuse a host without the module: most rungs need it."""
        Child(self, ["-j", "info", *words], host).text()

    def check_version(self, version: str) -> None:
        """Refuse another host with a different version of ktput-ctl."""
        own = f"{PROGRAM} {version}"
        said = Child(self, ["--version"], self.host).text().strip()
        if said != own:
            raise RunError(f"{self.host}: '{said}' is there, this is '{own}'")


class Child:
    """A running ktput-ctl in its own process group."""

    def __init__(self, runner: Runner, words: Sequence[str],
                 host: str | None = None) -> None:
        """Start the process; raises RunError."""
        interrupts = runner.interrupts
        if interrupts.count:
            raise RunError("interrupted")
        self.host = host
        self.running = interrupts.running
        self.said = tempfile.TemporaryFile()  # noqa: SIM115
        line = runner.line(words, host)
        try:
            self.process = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                process_group=0, preexec_fn=_end_with_parent)  # noqa: PLW1509
        except OSError as error:
            raise RunError(f"'{line[0]}' cannot be run: {error.strerror}") from None
        self.running.add(self.process.pid)
        # Signals that arrived in the meantime were not forwarded.
        if interrupts.count:
            os.killpg(self.process.pid, signal.SIGINT)
        assert self.process.stdin is not None  # noqa: S101
        assert self.process.stdout is not None  # noqa: S101
        self.input, self.output = self.process.stdin, self.process.stdout

    def port(self) -> int | None:
        """Return the port that a sink reports, None if it has ended."""
        try:
            found = number(json.loads(self.output.readline()), "listening.port")
            return int(found)
        except ValueError:
            return None

    def release(self) -> None:
        """Close its input, which ends a process that runs until then."""
        self.input.close()

    def text(self) -> str:
        """Wait for its end; return its output, or raise RunError if it failed."""
        printed, status = self._end()
        if status:
            self._refuse(status)
        return printed

    def result(self, record: RecordFile | None) -> Json:
        """Wait for its end; keep and return its record, or raise RunError."""
        printed, status = self._end()
        try:
            document = json.loads(printed)
        except ValueError:
            document = None
        result = at(document, "result")
        if record is not None and result is not None:
            record.add(printed.encode().strip())
        if at(result, "valid") is not True:
            because = text(result, "invalid_because")
            if because:
                raise RunError(because)
            self._refuse(status)
        return document

    def _end(self) -> tuple[str, int]:
        with self.process, self.said:
            printed = self.output.read().decode(errors="replace")
            status = self.process.wait()
            self.running.discard(self.process.pid)
            self.sentences = control.sentences(self.said)
        return printed, status

    def _refuse(self, status: int) -> None:
        if self.host and status == NOT_FOUND:
            why = f"{PROGRAM} is not in the search path there"
        else:
            why = self.sentences[-1] if self.sentences else "it printed no result"
        raise RunError(f"{self.host}: {why}" if self.host else why)


def _end_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


NEAR, FAR, SOURCE, SINK, BOTH = "near", "far", "source", "sink", "both"
#: For each keyword of a run with both ends: the end it is for, and its name there.
KEYWORDS = {
    "netns": (NEAR, "netns"), "sink-netns": (FAR, "netns"),
    "dev": (NEAR, "dev"), "sink-dev": (FAR, "dev"),
    "cpus": (NEAR, "cpus"), "sink-cpus": (FAR, "cpus"),
    "time": (SOURCE, "time"), "rate": (SOURCE, "rate"), "layer": (SOURCE, "layer"),
    "method": (SOURCE, "method"), "size": (SOURCE, "size"),
    "sink-layer": (SINK, "layer"), "sink-method": (SINK, "method"),
    "disturbed-above": (BOTH, "disturbed-above"),
    "streams": (BOTH, "streams"), "segments": (BOTH, "segments"),
}
#: Time after which a sink ends even if it does not see a broken connection. Seconds.
PATIENCE_S = 60


def ends_of(words: Sequence[str], values: Mapping[str, Any],
            cookie: int) -> tuple[list[str], list[str]]:
    """Return the command lines of source and sink of a run between two hosts.

    *words* are those of a run with both ends, or of a source alone. The port is not
    known yet.
    """
    flags = [word for word in words if word in ALONE]
    words = [word for word in words if word not in ALONE]
    tcp = words[1] == "tcp"
    reverse = bool(values["reverse"])
    given = dict(zip(words[2::2], words[3::2], strict=True))
    near, far = (SINK, SOURCE) if reverse else (SOURCE, SINK)
    own: dict[str, list[str]] = {SOURCE: [], SINK: []}
    # The ingress hook and XDP use the CPUs that receive the frames.
    fixed = given.get("sink-layer") in ("ingress", "driver")
    for keyword, value in given.items():
        if keyword not in KEYWORDS:
            continue
        whose, there = KEYWORDS[keyword]
        ends = {NEAR: (near,), FAR: (far,), BOTH: (SOURCE, SINK)}.get(whose, (whose,))
        for end in ends:
            if not (there == "cpus" and end == SINK and fixed):
                own[end] += [there, value]
        if tcp and keyword == "size":
            own[SINK] += ["size", value]
    address = values["from"] if reverse else values["to"]
    source = ["start", words[1], "to", address or values["remote"].rpartition("@")[2],
              *(flags or ["alone"]), "until-eof", *own[SOURCE]]
    sink = ["sink", words[1], "until-eof", "time",
            f"{(values['time'] + PATIENCE_S) * 1e9:.0f}ns",
            *(["on", address] if address else []), *own[SINK],
            *([] if "streams" in given else ["streams", "1"])]
    if tcp:
        return source, [*sink, "once", "port", "0"]
    sink += ["cookie", str(cookie)]
    return [*source, "cookie", str(cookie)], sink if fixed else [*sink, "port", "0"]


def run_remote(runner: Runner, words: Sequence[str], values: Mapping[str, Any],
               cookie: int) -> tuple[Record, Record]:
    """Run a rung between two hosts; return the records of source and sink.

    The sink starts first and reports its port. Raises RunError.
    """
    source_words, sink_words = ends_of(words, values, cookie)
    hosts = (runner.host, None) if values["reverse"] else (None, runner.host)
    sink = Child(runner, ["-j", "-s", *sink_words], hosts[1])
    port = sink.port()
    source, failure = None, None
    if port is not None:
        try:
            source = Child(runner, ["-j", "-s", *source_words, "port", str(port)],
                           hosts[0]).result(runner.record)
        except RunError as error:
            failure = error
    sink.release()
    try:
        received = sink.result(runner.record)
    except RunError as error:
        raise failure or error from None
    if source is None:
        raise failure or RunError("the sink did not say where it listens")
    return _record(source), _record(received)


def run_remote_source(runner: Runner, words: Sequence[str],
                      values: Mapping[str, Any], cookie: int) -> Record:
    """Run the source of a rung that has no sink, on its host; return its record."""
    source_words, _ = ends_of(words, values, cookie)
    host = runner.host if values["reverse"] else None
    return _record(Child(runner, ["-j", "-s", *source_words], host).result(
        runner.record))


def _record(document: Json) -> Record:
    return Record(document, "", 1, float("nan"))


def ceilings_of(document: Json) -> list[Json]:
    """Return the known ceilings of a result."""
    return [{"name": text(one, "name"), "ceiling_bps": number(one, "ceiling_bps"),
             "share": number(one, "share"), "binds": at(one, "binds") is True}
            for one in array(document, "result.ceilings")
            if number(one, "ceiling_bps") == number(one, "ceiling_bps")]
