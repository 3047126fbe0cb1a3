# SPDX-License-Identifier: GPL-2.0
"""ktput-report: the program."""

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from ..command import FAILED, Command, Program, main
from ..output import CommandError

#: Commands whose modules are read when they are wanted: some take their time.
MODULES = ("ceilings", "diff", "model", "csv", "plot", "html")
SHOW = "ktput-report-show"


def _load(name: str) -> Command:
    command: Command = import_module(f"ktput.report.{name}").COMMAND
    return command


def run(arguments: Sequence[str], libexec: str, version: str) -> int:
    """Run ktput-report; *libexec* is where the program of ``show`` is.

    Returns the exit status.
    """
    # As any filter: whoever reads the results may have read enough.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def show(words: Sequence[str]) -> int:
        program = os.path.join(libexec, SHOW)
        try:
            os.execv(program, [program, *words])  # noqa: S606
        except OSError as error:
            raise CommandError(f"{program}: {error.strerror}") from None

    command = Command("show", "the results of runs, with -s what they were made with",
                      instead=show)
    program = Program("ktput-report", version, "more detail, and the environment",
                      {"show": lambda: command,
                       **{name: lambda name=name: _load(name)  # type: ignore[misc]
                          for name in MODULES}})
    status = main(program, arguments)
    # Python would try once more to write what could not be written.
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return status
