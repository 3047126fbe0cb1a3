# SPDX-License-Identifier: GPL-2.0
"""Run ktput-ctl and collect its records."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from io import BytesIO
from typing import IO

from .record import Json, array
from .records import Records, read

#: The program, as a list of words; ("ssh", "far", "ktput-ctl") also works.
PROGRAM: Sequence[str] = ("ktput-ctl",)


class ControlError(Exception):
    """An error of ktput-ctl, with its messages."""

    def __init__(self, status: int, sentences: Sequence[str]) -> None:
        super().__init__("; ".join(sentences) or f"ktput-ctl ended with {status}")
        #: 1 refused or failed, 2 invalid words; negative: ended by a signal
        self.status = status
        self.sentences = list(sentences)


def sentences(stream: IO[bytes]) -> list[str]:
    """Return the errors from JSON diagnostics; other lines are returned unchanged."""
    stream.seek(0)
    found = []
    for line in stream.read().decode(errors="replace").splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            found.append(line)
            continue
        if isinstance(said, dict) and "error" in said:
            found.append(str(said["error"]))
    return found


def run(*words: str | int | float, program: Sequence[str] = PROGRAM,
        statistics: bool = False, timeout_s: float | None = None) -> Records:
    """Run ``ktput-ctl -j`` with *words* and return the records that it prints.

    >>> runs = ktput.run("start", "size", "64K", "time", "2s", "repeat", 5)

    *statistics* adds -s: the streams of each interval. Raises :class:`ControlError`
    if the status is not 0, :class:`ktput.RecordError` if it prints no record, OSError,
    and subprocess.TimeoutExpired after *timeout_s* seconds.
    """
    command = [*program, "-j", *(["-s"] if statistics else []), *map(str, words)]
    with tempfile.TemporaryFile() as results, tempfile.TemporaryFile() as said:
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=results,
                                stderr=said, timeout=timeout_s, check=False).returncode
        if status:
            raise ControlError(status, sentences(said))
        results.seek(0)
        return read(results)


def keywords(command: str, program: Sequence[str] = PROGRAM) -> list[Json]:
    """Return the rows of a command's keywords from ``ktput-ctl -j help``.

    Raises OSError if there is no ktput-ctl, :class:`ControlError` if it has no such
    command.
    """
    done = subprocess.run([*program, "-j", "help", command], capture_output=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise ControlError(done.returncode, sentences(BytesIO(done.stderr)))
    (found,) = array(json.loads(done.stdout), "commands")
    return array(found, "keywords")
