# SPDX-License-Identifier: GPL-2.0
"""ktput-ladder: the program."""

import os
import signal
from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..control import ControlError
from ..output import CommandError, Output

NO_MODULE = "the module is not loaded"
SUMMARY = "the same traffic in every place, and what lies between"
NOTES = ("Rungs run one after the other, in rounds, until all intervals are narrow.\n"
         "Ctrl-C ends it and prints what there is.")


def _climb(program: Sequence[str], version: str, output: Output,
           values: Values) -> None:
    """Measure the ladders that *values* ask for, and print each."""
    from ..recording import record_of
    from .climb import Climber
    from .options import variants
    from .runs import RunError, Runner
    from .text import lines_of

    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    runner = Runner(program, host=values["remote"])
    netns = ["netns", values["netns"]] if values["netns"] else []
    try:
        if values["remote"]:
            runner.check_version(version)
        if values["remote"] and not values["layer"]:
            runner.check_module(values["remote"])
        if not values["layer"]:
            runner.check_module(None, netns)
    except RunError as error:
        more = "; or say 'layer user', which takes no module" \
            if NO_MODULE in str(error) else ""
        raise CommandError(f"{error}{more}") from None
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
    program = (os.environ.get("KTPUT_CTL") or "ktput-ctl",)

    def command() -> Command:
        # Import here: a dependency may be missing, and main() reports that.
        from .options import check, options_of

        try:
            options = options_of(program)
        except (ControlError, OSError) as error:
            raise CommandError(f"{program[0]}: {error}") from None
        return Command("ladder", SUMMARY, options, NOTES,
                       partial(_climb, program, version), check)

    return main(Program("ktput-ctl", version, "more detail", {"ladder": command}),
                arguments, "ladder")
