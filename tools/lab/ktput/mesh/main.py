# SPDX-License-Identifier: GPL-2.0
"""ktput-mesh: the program."""

from collections.abc import Sequence
from functools import partial

from ..command import Command, Program, Values, main
from ..output import CommandError, Output

SUMMARY = "every host to every other, pair by pair"
NOTES = ("Rounds of pairs, no host in two pairs at a time, in both directions.\n"
         "Ctrl-C ends it and prints what there is; with 'record' it can go on.")


def _measure(version: str, output: Output, values: Values) -> None:
    try:
        from .fan import Fan, hosts_of
    except ImportError as error:
        raise CommandError(f"{error}: install Debian's python3-clustershell") from None
    from .measure import Mesh
    from .text import lines_of

    mesh = Mesh(hosts_of(values["hosts"]), values, output, Fan(values["fanout"]))
    mesh.resume()
    mesh.survey(version)
    mesh.measure()
    document = mesh.document()
    if not mesh.pairs:
        reasons = (f"{pair.source} to {pair.sink}: {why}"
                   for pair, why in mesh.failed.items())
        raise CommandError(f"no pair has a result: {next(reasons, 'interrupted')}")
    if values["plot"]:
        from ..pictures.mesh import draw

        draw(document).save(values["plot"])
    output.result(document, lines_of(document))


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-mesh, as ktput-ctl does for its word "mesh"; return its status."""
    def command() -> Command:
        from .options import OPTIONS, check

        return Command("mesh", SUMMARY, OPTIONS, NOTES, partial(_measure, version),
                       check)

    return main(Program("ktput-ctl", version, "more detail", {"mesh": command}),
                arguments, "mesh")
