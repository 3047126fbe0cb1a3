# SPDX-License-Identifier: GPL-2.0
"""ktput-improve: the program."""

import os
import signal
from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..control import ControlError, keywords
from ..output import CommandError, Output

SUMMARY = "try what may help a run, keep what does, and say what it gained"
NOTES = ("Nothing is changed on a host. Ctrl-C ends it and prints what there is.")


def _improve(program: Sequence[str], output: Output, values: Values) -> None:
    """Search, and print what was found."""
    from ..ladder.runs import Child, RunError, Runner
    from ..recording import record_of
    from .search import Search
    from .text import lines_of

    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    runner = Runner(program, record_of(values))

    def offered(keyword: str) -> list[str]:
        try:
            return Child(runner, ["complete", "start", keyword, ""]).text().split()
        except RunError:
            return []

    document = Search(values, offered, runner, output).search()
    if runner.record is not None:
        runner.record.add(output.line(document).encode())
    output.result(document, lines_of(document))


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-improve, as ktput-ctl does for "improve"; return its status."""
    program = (os.environ.get("KTPUT_CTL") or "ktput-ctl",)

    def command() -> Command:
        # Import here: a dependency may be missing, and main() reports that.
        from .options import check, options_of

        try:
            rows = keywords("start", program)
        except (ControlError, OSError) as error:
            raise CommandError(f"{program[0]}: {error}") from None
        return Command("improve", SUMMARY, options_of(rows), NOTES,
                       partial(_improve, program), partial(check, rows))

    return main(Program("ktput-ctl", version, "more detail", {"improve": command}),
                arguments, "improve")
