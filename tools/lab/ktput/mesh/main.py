# SPDX-License-Identifier: GPL-2.0
"""ktput-mesh: the program."""

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from .. import keys
from ..command import Command, Program, Values, main
from ..output import CommandError, Output

SUMMARY = "every host to every other, pair by pair"
NOTES = ("Steps of pairs, no host in two pairs at a time unless a pattern has it so.\n"
         "Ctrl-C ends it and prints what there is; with 'record' it can go on.")


def _save(where: str, lines: Iterable[str]) -> None:
    """Write a file in place of a former one: a collector reads either whole."""
    partial_file = f"{where}.part"
    Path(partial_file).write_text("".join(f"{line}\n" for line in lines))
    os.replace(partial_file, where)


def _measure(version: str, output: Output, values: Values) -> None:
    try:
        from .fan import Fan, hosts_of
    except ImportError as error:
        raise CommandError(f"{error}: install Debian's python3-clustershell") from None
    from .measure import Mesh
    from .metrics import lines_of as metrics_of
    from .text import lines_of

    mesh = Mesh(hosts_of(values["hosts"]), values, output,
                Fan(values["fanout"], values["topology"]))
    mesh.resume()
    mesh.survey(version)
    mesh.measure()
    document = mesh.document()
    if not mesh.figures:
        reasons = (f"{pair.source} to {pair.sink}: {why}"
                   for pair, why in mesh.failed.items())
        raise CommandError(f"no pair has a result: {next(reasons, 'interrupted')}")
    mesh.write(document)
    if values["lines"]:
        _save(values["lines"], map(output.line, document[keys.MESH]["pairs"]))
    if values["metrics"]:
        _save(values["metrics"], metrics_of(document))
    output.result(document, lines_of(document))
    if values["plot"]:
        from ..pictures import guarded
        from ..pictures.mesh import draw

        guarded(lambda: draw(document)).save(values["plot"])


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-mesh, as ktput-ctl does for its word "mesh"; return its status."""
    def command() -> Command:
        from .options import OPTIONS, check

        return Command("mesh", SUMMARY, OPTIONS, NOTES, partial(_measure, version),
                       check)

    return main(Program("ktput-ctl", version, "more detail", {"mesh": command}),
                arguments, "mesh")
