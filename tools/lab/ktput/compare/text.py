# SPDX-License-Identifier: GPL-2.0
"""A comparison as text, from its document."""

import math
from collections.abc import Iterator

from ..ladder.rungs import GROUPS, TCP, Group
from ..output import Column, paragraph, table
from ..record import Json, array, at, number, text
from .figures import key_of

NAME, FIGURE = 30, 8
#: Classes of samples that are named of a rung.
CLASSES = 4


def count(value: float) -> str:
    """Return a number of instructions."""
    return f"{value:,.0f}" if math.isfinite(value) else "-"


def _half(of: Json) -> float:
    return number(of, "ci_high") - number(of, "mean")


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of a comparison."""
    compared = document["compare"]
    yield ""
    setups = [one for one in compared["setups"] if "not_run_because" not in one]
    for setup in setups[1:] or setups:
        for group in GROUPS:
            yield from _group(compared, group, setups[0], setup)
    for one in compared["setups"]:
        if "not_run_because" in one:
            yield from paragraph(f"{one['name']}: skipped", one["not_run_because"])
    yield from _end(compared)


def _group(compared: Json, group: Group, first: Json, setup: Json) -> Iterator[str]:
    key = key_of(group)
    one, other = first["name"], setup["name"]
    rows = []
    for row in array(compared, "rungs"):
        if row["group"] != group.key:
            continue
        costs = {cost["setup"]: cost[key] for cost in row["costs"]}
        cells = [row["name"], count(number(costs.get(one), "mean")),
                 count(_half(costs.get(one)))]
        found = next((at(difference, key) for difference in row["differences"]
                      if difference["setup"] == other), None)
        if setup is not first:
            value = number(found, "difference")
            half = number(found, "ci_high") - value
            share = number(found, "share")
            cells += [count(number(costs.get(other), "mean")),
                      f"{value:+,.0f}" if math.isfinite(value) else "-", count(half),
                      f"{share:+.2%}" if math.isfinite(share) else "-",
                      "" if at(found, "distinct") else "none"]
        rows.append(cells)
    if not rows:
        return
    yield f"{group.title}: instructions per {'KiB' if group is TCP else 'packet'}"
    columns = [Column("", NAME, left=True), Column(one, FIGURE), Column("+-", 5)]
    if setup is not first:
        columns += [Column(other, FIGURE), Column("difference", FIGURE),
                    Column("+-", 5), Column("", 7), Column("", left=True)]
    yield from table(columns, rows)
    for row in array(compared, "rungs"):
        for difference in row["differences"] if row["group"] == group.key else []:
            half = number(difference, "sampled_half_width")
            named = ", ".join(
                f"{one['class']} {one['difference']:+,.0f} +-{one['half_width']:,.0f}"
                for one in difference["classes"][:CLASSES])
            if not named and half > 0 and difference[key]["distinct"]:
                named = ("no class differs by more than its interval; that of all "
                         f"samples is +-{half:,.0f}")
            if difference["setup"] == other and named:
                yield from paragraph("", f"{row['name']}: {named}", 2)
    yield ""


def _end(compared: Json) -> Iterator[str]:
    if any(row["differences"] for row in compared["rungs"]):
        yield from paragraph("none", (
            "not told from zero: the interval has it, or it is less than "
            f"{number(compared, 'resolution_share'):.1%} of the cost"))
    if "fails" in compared:
        worst = at(compared, "worst")
        said = "no rung is distinctly different" if worst is None else (
            f"{text(worst, 'setup')} differs most at '{text(worst, 'name')}', by "
            f"{number(worst, 'share'):+.2%}")
        yield from paragraph("bad" if compared["fails"] else "good", (
            f"{said}; the limit is {compared['fail_above_share']:+.2%}"))
