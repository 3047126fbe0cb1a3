# SPDX-License-Identifier: GPL-2.0
"""Run ktput-ctl and collect its records."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Container, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO

from .command import HELP
from .output import CommandError
from .record import Json, array
from .records import Records, read

#: The program, as a list of words; ("ssh", "far", "ktput-ctl") also works.
PROGRAM: Sequence[str] = ("ktput-ctl",)
#: Environment variable that names it to commands of the laboratory.
VARIABLE = "KTPUT_CTL"
#: Where it is from a command's own folder: in a build tree, and after make install.
PLACES = ("ktput-ctl", "../../sbin/ktput-ctl")


class ControlError(Exception):
    """An error of ktput-ctl, with its messages."""

    def __init__(self, status: int, sentences: Sequence[str]) -> None:
        super().__init__("; ".join(sentences) or f"ktput-ctl ended with {status}")
        #: 1 refused or failed, 2 invalid words; negative: ended by a signal
        self.status = status
        self.sentences = list(sentences)


def own_program() -> Sequence[str]:
    """Return the ktput-ctl that is meant: named, installed with this, or in PATH."""
    here = Path(sys.argv[0]).resolve().parent
    beside = (str((here / place).resolve()) for place in PLACES)
    found = os.environ.get(VARIABLE) or next(
        (path for path in beside if os.access(path, os.X_OK)), "")
    return (found,) if found else PROGRAM


def not_run(program: str, error: OSError) -> str:
    """Return why a program cannot be run, and what to do."""
    if isinstance(error, FileNotFoundError) and program == PROGRAM[0]:
        return (f"ktput-ctl is not found: put its folder in PATH, or its path in "
                f"{VARIABLE}")
    return f"'{program}' cannot be run: {error.strerror}"


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


def rows_of(command: str, program: Sequence[str], words: Container[str]) -> list[Json]:
    """Return the rows of a command's keywords; raises CommandError.

    There are none for *words* that ask for help where there is no ktput-ctl.
    """
    try:
        return keywords(command, program)
    except FileNotFoundError as error:
        if any(word in words for word in HELP):
            return []
        raise CommandError(not_run(program[0], error)) from None
    except OSError as error:
        raise CommandError(not_run(program[0], error)) from None
    except ControlError as error:
        raise CommandError(f"{program[0]}: {error}") from None
