# SPDX-License-Identifier: GPL-2.0
"""What a page says of a search for what helps: each remedy, and where it led."""

import math

from .. import units, wording
from ..improve.text import interval, reason, share
from ..record import Json, array, number, text
from .tables import ABSENT, Cell, Part, Row, Table, digits


def _cost(of: Json, which: str) -> Cell:
    cost = number(of, f"cycles_per_byte_{which}")
    return Cell(digits(cost, 4) if math.isfinite(cost) else ABSENT, cost)


def _row(title: str, of: Json, outcome: str) -> Row:
    gain = number(of, "gain.mean")
    return Row(title, text(of, "failed_because") or "", [
        Cell(share(gain), gain if math.isfinite(gain) else -math.inf,
             interval(of.get("gain"))), Cell(outcome, outcome),
        _cost(of, "without"), _cost(of, "with")])


def _remedies(found: Json) -> Table:
    table = Table("Remedies", [("remedy", False), ("gain", True), ("outcome", False),
                               ("cycles/byte without", True), ("with", True)])
    table.rows += [_row(one["apply"], one, "kept" if one["kept"] else one["outcome"])
                   for one in array(found, "remedies")]
    if found.get("total"):
        table.rows.append(_row("all that is kept, measured again", found["total"], ""))
    return table


def _path(found: Json) -> Table:
    """Return what limited the run as it was given, and with each remedy kept."""
    table = Table("From bottleneck to bottleneck", [
        ("with", False), ("bottleneck", False), ("evidence", False)])
    for i, one in enumerate(array(found, "verdicts")):
        names = [wording.title(text(one, "binding") or ABSENT),
                 text(one, "binding_because") or ABSENT]
        table.rows.append(Row(f"{i}. {one.get('remedy', 'the words as given')}", "",
                              [Cell(name, name) for name in names]))
    return table


def of(document: Json) -> Part:
    """Return what a page shows of the document of a search."""
    found = document["improve"]
    left = array(found, "not_tried")
    rate = units.bitrate(number(found, "goodput_bps"))
    sentences = [f"{rate} of goodput with the best words: "
                 f"{' '.join(['start', *found['words']])}.",
                 f"The search ended: {reason(found)}."]
    if left:
        sentences.append(f"Not tried: {', '.join(left)}.")
    remedies = _remedies(found)
    return Part("What helps", sentences, [
        _path(found), *([remedies] if remedies.rows else [])],
        note=f"A remedy is kept if it gains {found['matters_share']:.0%} or more, by "
        "runs with it and without it in turn.")
