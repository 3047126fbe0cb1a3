# SPDX-License-Identifier: GPL-2.0
"""ktput-compare: the program."""

import os
import signal
import sys
from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..output import CommandError, Output

SUMMARY = "what each rung costs in other setups, in instructions"
NOTES = ("Each setup is booted in a VM that counts instructions: a result does not "
         "depend\non this machine's speed or load. Ctrl-C ends it and prints what "
         "there is.\nDocumentation/measure/compare.rst describes the file of a setup.")
#: Of git-bisect(1): this one cannot be judged.
SKIP = 125
INTERRUPTED = 130


def _compare(program: Sequence[str], output: Output, values: Values) -> int:
    """Measure the setups, and print how they differ."""
    from .setting import Comparison
    from .text import lines_of

    signal.signal(signal.SIGPIPE, lambda *_: None)
    compared = Comparison(values, output, [program[0], sys.argv[0], "."])
    document = compared.run()
    output.result(document, lines_of(document))
    if compared.interrupts.count:
        return INTERRUPTED
    if not compared.ladders:
        return SKIP if values["fail_above"] is not None else 1
    if values["fail_above"] is None:
        return 0
    if len(compared.ladders) < len(values["setups"]):
        return SKIP
    return int(document["compare"]["fails"])


def _compare_or_skip(program: Sequence[str], output: Output, values: Values) -> int:
    """Compare; what fails otherwise does not make a commit bad."""
    try:
        return _compare(program, output, values)
    except CommandError as error:
        if values["fail_above"] is None:
            raise
        output.error(str(error))
        return SKIP


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-compare, which ktput-ctl does for "compare"; return its status."""
    program = (os.environ.get("KTPUT_CTL") or "ktput-ctl",)

    def command() -> Command:
        # Import here: a dependency may be missing, and main() reports that.
        from .options import OPTIONS, check

        return Command("compare", SUMMARY, OPTIONS, NOTES,
                       partial(_compare_or_skip, program), check)

    return main(Program("ktput-ctl", version, "more detail", {"compare": command}),
                arguments, "compare")
