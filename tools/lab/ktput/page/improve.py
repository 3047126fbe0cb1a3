# SPDX-License-Identifier: GPL-2.0
"""What a page says of a search for what helps: each remedy, and where it led."""

import math
from collections.abc import Callable

from .. import wording
from ..improve.text import (
    cost_name,
    costs_of,
    interval,
    reached,
    reason,
    share,
)
from ..pictures import remedies
from ..pictures.style import Picture
from ..record import Json, array, number, text
from .tables import ABSENT, Cell, Drawing, Part, Row, Table, digits


def _row(found: Json, title: str, of: Json, outcome: str) -> Row:
    gain = number(of, "gain.mean")
    return Row(title, text(of, "failed_because") or "", [
        Cell(share(gain), gain if math.isfinite(gain) else -math.inf,
             interval(of.get("gain"))), Cell(outcome, outcome),
        *(Cell(digits(cost, 4) if math.isfinite(cost) else ABSENT, cost)
          for cost in costs_of(found, of))])


def _remedies(found: Json) -> Table:
    table = Table("Remedies", [("remedy", False), ("gain", True), ("outcome", False),
                               (f"{cost_name(found)} without", True), ("with", True)])
    table.rows += [
        _row(found, one["apply"], one, "kept" if one["kept"] else one["outcome"])
        for one in array(found, "remedies")]
    if found.get("total"):
        table.rows.append(
            _row(found, "all that is kept, measured again", found["total"], ""))
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


def _settings(found: Json) -> Table:
    """Return what was changed on hosts for the best run, and how it is made so."""
    table = Table("Settings of hosts that were kept, and undone in the end", [
        ("setting", False), ("end", False), ("from", False), ("to", False),
        ("makes it so", False)])
    for one in array(found, "settings"):
        values = [one[key] for key in ("end", "from", "to", "apply")]
        table.rows.append(Row(one["name"], "", [Cell(value, value)
                                                for value in values]))
    return table


def of(document: Json, drawn: Callable[[Callable[[], Picture]], Drawing]) -> Part:
    """Return what a page shows of a search; *drawn* guards its picture."""
    found = document["improve"]
    left = array(found, "not_tried")
    name, value = reached(found)
    sentences = [f"{name} with the best words: {value}, by "
                 f"{' '.join([found['command'], *found['words']])}.",
                 f"The search ended: {reason(found)}."]
    if left:
        sentences.append(f"Not tried: {', '.join(left)}.")
    sentences += [f"Not undone: {said}." for said in array(found, "not_undone")]
    tables = [_path(found), *(one for one in (_remedies(found), _settings(found))
                              if one.rows)]
    kept = any(one["kept"] for one in array(found, "remedies"))
    return Part("What helps", sentences, tables,
        drawn(lambda: remedies.draw(found)) if kept else None,
        note=f"A remedy is kept if it gains {found['matters_share']:.0%} or more, by "
        "runs with it and without it in turn.")
