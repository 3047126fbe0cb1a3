# SPDX-License-Identifier: GPL-2.0
"""ktput-report: the program."""

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from ..command import FAILED, Command, Program, main

#: Commands whose modules are imported on use, since some are slow to import.
MODULES = ("ceilings", "diff", "model", "csv", "iperf3", "plot", "html")


def _load(name: str) -> Command:
    command: Command = import_module(f"ktput.report.{name}").COMMAND
    return command


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-report; return the exit status."""
    # Like any filter, end silently when the reader closes the pipe.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = Program("ktput-report", version, "more detail",
                      {name: lambda name=name: _load(name)  # type: ignore[misc]
                       for name in MODULES},
                      {"show": "'ktput-ctl show FILE' prints the results of runs"})
    status = main(program, arguments)
    # Python would retry the failed write at exit.
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return status
