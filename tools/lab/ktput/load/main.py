# SPDX-License-Identifier: GPL-2.0
"""ktput-load: the program."""

import signal
from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..control import own_program
from ..output import Output

SUMMARY = "round trips before, during and after a load, and what queued"
NOTES = "Ctrl-C stops the load and the round trips, and prints complete phases."


def _load(program: Sequence[str], output: Output, values: Values) -> None:
    from ..ladder.runs import Runner
    from ..recording import record_of
    from .phases import Phases
    from .text import lines_of

    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    runner = Runner(program, record_of(values))
    document = Phases(values, output, runner).run()
    if runner.record is not None:
        runner.record.add(output.line(document).encode())
    output.result(document, lines_of(document))


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-load, as ktput-ctl does for its word "load"; return its status."""
    program = own_program()

    def command() -> Command:
        from .options import OPTIONS, check

        return Command("load", SUMMARY, OPTIONS, NOTES, partial(_load, program), check)

    return main(Program("ktput-ctl", version, "more detail", {"load": command}),
                arguments, "load")
