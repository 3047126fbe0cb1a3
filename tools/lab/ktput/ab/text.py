# SPDX-License-Identifier: GPL-2.0
"""A comparison as text, from its document."""

import shlex
from collections.abc import Iterator, Sequence

from ..output import paragraph, table
from ..record import Json
from ..report.diff import COLUMNS, Row, cells, sentence, settings_lines


def lines_of(document: Json, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the text of the document of a comparison."""
    found = document["ab"]
    yield ""
    for name in ("a", "b"):
        yield from paragraph(name.upper(), shlex.join(found[name]["words"]) + (
            f", after: {found['before']}" if name == "b" and "before" in found else ""),
            3)
    yield ""
    yield from table(COLUMNS, map(cells, rows))
    yield ""
    yield from map(sentence, rows)
    for name in ("a", "b"):
        for one in found[name]["bottlenecks"][:1]:
            runs = "" if one["runs"] == found["rounds"] else \
                f" ({one['runs']} of {found['rounds']} runs)"
            yield from paragraph(f"Bottleneck {name.upper()}", one["because"] + runs)
    yield from settings_lines(found["settings"])
    yield from _end(found)


def _end(found: Json) -> Iterator[str]:
    words = [f"{found['rounds']} (seed {found['seed']})"]
    if found["wanted_ci_share"] is not None:
        words[0] += f"; target +-{found['wanted_ci_share'] * 100:g}% " + (
            "reached" if found["met"] else "not reached")
    if found["interrupted"]:
        words.append("interrupted")
    for key, what in (("failed_rounds", "without a result"),
                      ("repeated_rounds", "repeated because of other work on the CPUs"),
                      ("disturbed_rounds", "kept despite other work on the CPUs")):
        if found[key]:
            words.append(f"{found[key]} {what}")
    yield from paragraph("Rounds", "; ".join(words))
