# SPDX-License-Identifier: GPL-2.0
"""What a page says of A against B: what they are, and by what they differ."""

import shlex
from collections.abc import Callable

from .. import wording
from ..pictures import forest
from ..pictures.style import Picture
from ..record import Json, array
from ..report.diff import COLUMNS, cells, rows_in, sentence
from .tables import ABSENT, Cell, Drawing, Part, Row, Table


def _settings(found: Json) -> Table:
    table = Table("Settings that differ", [("setting", False), ("A", False),
                                           ("B", False)])
    for one in array(found, "settings"):
        values = [ABSENT if one[side] is None else
                  wording.shown(one["key"].rpartition(".")[2], one[side])
                  for side in ("a", "b")]
        table.rows.append(Row(wording.title(one["key"]), "",
                              [Cell(value, value) for value in values]))
    return table


def of(document: Json, drawn: Callable[[Callable[[], Picture]], Drawing]) -> Part:
    """Return what a page shows of a comparison; *drawn* guards its picture."""
    found = document["ab"]
    rows = rows_in(found)
    sentences = []
    for name in ("a", "b"):
        side, before = found[name], found.get("before") if name == "b" else None
        sentences.append(f"{name.upper()}: {shlex.join(side['words'])}" + (
            f", after {before}" if before else "") + ".")
    sentences += map(sentence, rows)
    sentences += [f"Bottleneck of {name.upper()}: {one['because']}."
                  for name in ("a", "b") for one in found[name]["bottlenecks"][:1]]
    if found["interrupted"]:
        sentences.append("The comparison was interrupted.")
    table = Table("B against A", [(one.title, i > 0) for i, one in enumerate(COLUMNS)])
    for row in rows:
        title, *values = cells(row)
        table.rows.append(Row(title, "", [
            Cell(text, value) for text, value in zip(values, (
                row.a.mean, row.b.mean, row.by.value, row.by.ci_low, row.by.ci_high),
                strict=True)]))
    settings = _settings(found)
    return Part("A against B", sentences, [
        table, *([settings] if settings.rows else [])],
        drawn(lambda: forest.draw("B over A", rows, [])),
        f"{found['rounds']} rounds, each of a run of A and one of B in random order. "
        f"All intervals hold together in {found['confidence']:.0%} of comparisons.")
