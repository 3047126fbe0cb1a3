# SPDX-License-Identifier: GPL-2.0
"""ktput-improve: the program."""

import contextlib
import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from .. import keys
from ..command import DONE, FAILED, Command, Program, Values, main
from ..control import own_program, rows_of
from ..output import CommandError, Output

SUMMARY = "try what may help a run, keep what does, and say what it gained"
NOTES = ("Nothing is changed on a host without 'host'; with it, all is undone in the "
         "end.\nCtrl-C ends it and prints what there is.")


def _undo(output: Output, folder: Path) -> int:
    """Restore what a search left behind; return the exit status."""
    from .journal import Journal

    journal = Journal(folder)
    count = len(journal.entries)
    said = journal.undo()
    left = len(journal.entries)
    journal.close()
    output.result({"undo": {"settings": count, "not_restored": left, "said": said}}, [
        *said, f"{count - left} of {count} settings are as they were" if count else
        "No search left anything changed"])
    return FAILED if left else DONE


def _improve(program: Sequence[str], output: Output, values: Values) -> int:
    """Search, and print what was found; return the exit status."""
    from ..ladder.runs import Child, RunError, Runner
    from ..recording import record_of
    from .journal import FOLDER, Changes, left_behind
    from .search import Search
    from .text import lines_of

    if values["undo"]:
        return _undo(output, FOLDER)
    left = left_behind()
    if left:
        raise CommandError(f"a search was killed and left {left} settings changed: "
                           "'ktput-ctl improve undo' restores them")
    if values["host"] and os.geteuid():
        raise CommandError("host: settings are changed by root alone: "
                           "sudo ktput-ctl improve host")
    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    runner = Runner(program, record_of(values))

    def offered(keyword: str) -> list[str]:
        line = ["complete", values["command"], keyword, ""]
        try:
            return Child(runner, line).text().split()
        except RunError:
            return []

    not_undone: list[str] = []
    with contextlib.ExitStack() as stack:
        changes = None
        if values["host"]:
            changes = stack.enter_context(Changes(program[0]))
            not_undone = changes.not_undone
        document = Search(values, offered, runner, output, changes).search()
    document[keys.IMPROVE]["not_undone"] = not_undone
    if runner.record is not None:
        runner.record.add(output.line(document).encode())
    output.result(document, lines_of(document))
    return FAILED if left_behind() else DONE


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-improve, as ktput-ctl does for "improve"; return its status."""
    program = own_program()

    def command() -> Command:
        # Import here: a dependency may be missing, and main() reports that.
        from .options import NOT_TRIED, check, options_of

        rows = {one: rows_of(one, program, arguments) for one in NOT_TRIED}
        return Command("improve", SUMMARY, options_of(rows), NOTES,
                       partial(_improve, program), partial(check, rows))

    return main(Program("ktput-ctl", version, "more detail", {"improve": command}),
                arguments, "improve")
