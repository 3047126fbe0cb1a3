# SPDX-License-Identifier: GPL-2.0
"""What a search found as text, from its document."""

import math
from collections.abc import Iterator

from .. import units
from ..output import Column, paragraph, table
from ..record import Json, array, number, text
from .search import FIXED, INTERRUPTED, NOTHING, OVER
from .trial import COST, PINGPONG

COLUMNS = (Column("Remedy", 28, left=True), Column("gain", 8),
           Column("95% interval", 18), Column("", 12, left=True))
#: Of remedies that were not tried, how many are named.
NAMED = 4


def share(value: float) -> str:
    """Return a gain, 0.1 as "+10.0%"."""
    return f"{value:+.1%}" if math.isfinite(value) else "-"


def interval(gain: Json) -> str:
    """Return the interval of a gain."""
    low, high = number(gain, "ci_low"), number(gain, "ci_high")
    return f"{share(low)} to {share(high)}" if math.isfinite(low) else "-"


def costs_of(improve: Json, of: Json) -> tuple[float, float]:
    """Return what a byte or a round trip costs without a remedy and with it, cycles."""
    cost = COST[improve["command"]]
    return number(of, f"{cost}_without"), number(of, f"{cost}_with")


def cost_name(improve: Json) -> str:
    """Return what is counted."""
    return "cycles/trip" if improve["command"] == PINGPONG else "cycles/byte"


def reached(improve: Json) -> tuple[str, str]:
    """Return the name and value of what the best runs have."""
    if improve["command"] == PINGPONG:
        return "Median", units.duration(number(improve, "latency_p50_ns"))
    return "Goodput", units.bitrate(number(improve, "goodput_bps"))


def _row(improve: Json, title: str, of: Json, outcome: str) -> list[str]:
    digits = 0 if improve["command"] == PINGPONG else 3
    costs = [f"{cost:.{digits}f}" if math.isfinite(cost) else "-"
             for cost in costs_of(improve, of)]
    return [title, share(number(of, "gain.mean")), interval(of.get("gain")), outcome,
            " -> ".join(costs)]


def reason(improve: Json) -> str:
    """Return why the search ended."""
    tried = len(improve["remedies"])
    return {
        FIXED: "what limits the run now cannot be changed from here",
        NOTHING: f"no other remedy is known to help; {tried} tried" if tried else
        "there is no remedy to try",
        OVER: "time limit reached", INTERRUPTED: "interrupted",
    }[improve["ended_because"]]


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of a search's document."""
    improve = document["improve"]
    rows = [_row(improve, one["apply"], one, "kept" if one["kept"] else one["outcome"])
            for one in array(improve, "remedies")]
    total = improve.get("total")
    if total:
        rows.append(_row(improve, "all that is kept", total, "again"))
    yield ""
    if rows:
        yield from table((*COLUMNS, Column(cost_name(improve), 16)), rows)
        yield ""
    for one in array(improve, "remedies"):
        if "failed_because" in one:
            yield from paragraph(one["apply"], one["failed_because"])
    for one in array(improve, "verdicts"):
        because = text(one, "binding_because") or "unknown"
        yield from paragraph(
            "Then" if "remedy" in one else "Bottleneck",
            f"with {one['remedy']}: {because}" if "remedy" in one else because)
    left = array(improve, "not_tried")
    if left:
        yield from paragraph("Not tried", ", ".join(left[:NAMED]) + (
            f" and {len(left) - NAMED} more" if len(left) > NAMED else ""))
    yield from paragraph("End", f"{reason(improve)} (seed {improve['seed']})")
    yield from paragraph(*reached(improve))
    yield from paragraph("Best words",
                         " ".join([improve["command"], *improve["words"]]))
    for one in array(improve, "settings"):
        yield from paragraph("With", one["apply"])
    for said in array(improve, "not_undone"):
        yield from paragraph("Not undone", said)
