# SPDX-License-Identifier: GPL-2.0
"""ktput-ladder: the program."""

import signal
from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..control import own_program, rows_of
from ..output import CommandError, Output
from ..record import text

NO_MODULE = "the module is not loaded"
SUMMARY = "send the same traffic at each layer; report what each layer costs"
NOTES = ("Rungs run one after the other, in rounds, until all intervals are narrow.\n"
         "Ctrl-C ends it and prints what there is.")
#: Where there is no ktput-ctl, which has their rows.
LEFT_OUT = "Keywords that are those of 'ktput-ctl start' are left out: it is not found."


def _climb(program: Sequence[str], output: Output, values: Values) -> None:
    """Measure the ladders that *values* ask for, and print each."""
    from ..recording import record_of
    from .climb import Climber
    from .options import variants
    from .rungs import Plan
    from .runs import Child, RunError, Runner
    from .text import lines_of

    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    runner = Runner(program)
    netns = ["netns", values["netns"]] if values["netns"] else []
    try:
        if not values["layer"]:
            Child(runner, ["-j", "info", *netns]).text()
        if values["remote"]:
            # Whatever is wrong with the other host, this says; and its address.
            first = runner.document(Plan(values).first_words(), keep=False)
            end = "from" if values["reverse"] else "to"
            values[end] = values[end] or text(first, "source.config.remote")
    except RunError as error:
        why = str(error)
        if NO_MODULE in why:
            why = why.partition(", or say")[0] + \
                "; or say 'layer user', which takes no module"
        raise CommandError(why) from None
    runner.record = record_of(values)
    for one in variants(values):
        document = Climber(one, output, runner).climb()
        if runner.record is not None:
            runner.record.add(output.line(document).encode())
        output.result(document, lines_of(document))
        if runner.interrupts.count:
            break


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-ladder, as ktput-ctl does for its word "ladder"; return its status."""
    program = own_program()

    def command() -> Command:
        # Import here: a dependency may be missing, and main() reports that.
        from .options import check, options_of

        start = rows_of("start", program, arguments)
        return Command("ladder", SUMMARY, options_of(start),
                       NOTES if start else f"{NOTES}\n{LEFT_OUT}",
                       partial(_climb, program), check)

    return main(Program("ktput-ctl", version, "more detail", {"ladder": command}),
                arguments, "ladder")
