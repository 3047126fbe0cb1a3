# SPDX-License-Identifier: GPL-2.0
"""What a search found as text, from its document."""

import math
from collections.abc import Iterator

from .. import units
from ..output import Column, paragraph, table
from ..record import Json, array, number, text
from .search import FIXED, INTERRUPTED, NOTHING, OVER

COLUMNS = (Column("Remedy", 28, left=True), Column("gain", 8),
           Column("95% interval", 18), Column("", 12, left=True),
           Column("cycles/byte", 16))
#: Of remedies that were not tried, how many are named.
NAMED = 4


def share(value: float) -> str:
    """Return a gain, 0.1 as "+10.0%"."""
    return f"{value:+.1%}" if math.isfinite(value) else "-"


def interval(gain: Json) -> str:
    """Return the interval of a gain."""
    low, high = number(gain, "ci_low"), number(gain, "ci_high")
    return f"{share(low)} to {share(high)}" if math.isfinite(low) else "-"


def _row(title: str, of: Json, outcome: str) -> list[str]:
    costs = [f"{cost:.3f}" if math.isfinite(cost) else "-" for cost in (
        number(of, f"cycles_per_byte_{which}") for which in ("without", "with"))]
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
    rows = [_row(one["apply"], one, "kept" if one["kept"] else one["outcome"])
            for one in array(improve, "remedies")]
    total = improve.get("total")
    if total:
        rows.append(_row("all that is kept", total, "again"))
    yield ""
    if rows:
        yield from table(COLUMNS, rows)
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
    yield from paragraph("Goodput", units.bitrate(number(improve, "goodput_bps")))
    yield from paragraph("Best words", " ".join(["start", *improve["words"]]))
