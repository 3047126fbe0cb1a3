# SPDX-License-Identifier: GPL-2.0
"""ktput-ab: the program."""

import signal
from collections.abc import Sequence
from functools import partial

from ..command import FAILED, Command, Program, Values, main
from ..control import own_program
from ..output import CommandError, Output

SUMMARY = "run two command lines in turn; report the difference"
NOTES = ("A and B are words of 'start' or 'pingpong'; what is no keyword is for "
         "'before'\nand 'after'. Ctrl-C ends it and prints what there is.")


def _compare(program: Sequence[str], output: Output, values: Values) -> int | None:
    from ..ladder.runs import Runner
    from ..recording import record_of
    from .rounds import Rounds
    from .text import lines_of

    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    runner = Runner(program, record_of(values))
    rounds = Rounds(values, output, runner)
    rounds.run()
    if not rounds.pairs:
        raise CommandError("no round has a result: " + (rounds.why or "interrupted"))
    document = rounds.document()
    if runner.record is not None:
        runner.record.add(output.line(document).encode())
    output.result(document, lines_of(document, rounds.rows()))
    return FAILED if rounds.not_undone else None


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-ab, as ktput-ctl does for its word "ab"; return its status."""
    program = own_program()

    def command() -> Command:
        from .options import OPTIONS, check

        return Command("ab", SUMMARY, OPTIONS, NOTES, partial(_compare, program), check)

    return main(Program("ktput-ctl", version, "more detail", {"ab": command}),
                arguments, "ab")
