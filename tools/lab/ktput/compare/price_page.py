# SPDX-License-Identifier: GPL-2.0
"""The page of a price list: a picture of each group, and a table of all rows."""

import math
from collections.abc import Callable
from functools import partial

from ..page import draw, render
from ..page.tables import ABSENT, Cell, Row, Table
from ..pictures import kernels as bars
from ..record import Json, at, number
from .price_text import kernels_of, priced
from .rows import FIGURES


def _cell(found: Json, cost: str) -> Cell:
    more, whole = number(found, "difference"), number(found, cost)
    if not math.isfinite(more):
        return Cell(ABSENT, -math.inf)
    return Cell(priced(found), more, f"of {whole:,.0f}")


def _table(rows: list[Json], group: str, kernels: list[str]) -> Table:
    table = Table(group, [("row", False), *(
        (f"{figure.title}: {kernel}", True) for figure in FIGURES
        for kernel in kernels)])
    for row in rows:
        prices = {one["kernel"]: one for one in row["prices"]}
        made_by = " ".join(part for part in (
            row.get("append", ""), row["commands"].strip().replace("\n", "; "),
            row.get("wrap", "")) if part)
        note = ". ".join(part for part in (made_by, row.get("note", ""),
                                           row.get("not_run_because", "")) if part)
        table.rows.append(Row(f"{row['name']}: {row['at']}", note, [
            _cell(at(prices.get(kernel), figure.key), figure.cost)
            for figure in FIGURES for kernel in kernels]))
    return table


def make(document: Json, warn: Callable[[str], None]) -> str:
    """Return the page; call *warn* for each picture that is missing."""
    prices = document["price_list"]
    kernels = kernels_of(prices)
    groups = [*dict.fromkeys(row["group"] for row in prices["rows"])]
    pictures = []
    for group in groups:
        rows = [row for row in prices["rows"] if row["group"] == group and
                any("not_run_because" not in one for one in row["prices"])]
        if rows:
            panels = [
                bars.Panel(f"{figure.title}: instructions more", [
                    (f"{row['name']}, {row['at']}", [
                        next((number(one[figure.key], "difference")
                              for one in row["prices"] if one["kernel"] == kernel and
                              figure.key in one), math.nan) for kernel in kernels])
                    for row in rows]) for figure in FIGURES]
            pictures.append(draw(partial(bars.draw, group, kernels, panels,
                                         "instructions of both ends"), warn))
    return render({
        "title": "ktput: the price list",
        "caption": ", ".join(f"{one['name']} is {one['release']}"
                             for one in prices["kernels"] if "release" in one),
        "note": "Instructions per packet, with TCP per KiB, that a row costs more than "
                "its path without it, with its 95% interval; none if it is not "
                "distinguishable from that. Click a heading to sort.",
        "tables": [_table([row for row in prices["rows"] if row["group"] == group],
                          group, kernels) for group in groups],
        "pictures": pictures})
