# SPDX-License-Identifier: GPL-2.0
"""Latency under load as text, from its document."""

from collections.abc import Iterator

from .. import units
from ..output import Column, paragraph, table
from ..record import Json

COLUMNS = (Column("Phase", left=True), Column("Round trips"), Column("p50"),
           Column("p99"), Column("max"))


def duration(value_ns: float | None) -> str:
    """Return a time in ns with its unit."""
    return "not known" if value_ns is None else units.duration(value_ns, ".3g")


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of the document of a load."""
    found = document["load"]
    yield from table(COLUMNS, (
        (one["phase"], str(one["round_trips"]), duration(one["latency_p50_ns"]),
         duration(one["latency_p99_ns"]), duration(one["latency_max_ns"]))
        for one in found["phases"]))
    yield ""
    if found["load_goodput_bps"] is not None:
        yield from paragraph("Load", units.bitrate(found["load_goodput_bps"]) + (
            "" if found["trips_inside_load"] else
            "; it did not last as long as the round trips beside it"))
    yield from paragraph("Latency", sentence(found))
    if found["interrupted"]:
        yield from paragraph("Phases", "interrupted; those that are complete are shown")


def sentence(found: Json) -> str:
    """Return how much the median rose, and which queue stood."""
    rise, queue = found["median_rise_ns"], found["queue"]
    if rise is None:
        return "how much the load raises it is not known"
    said = f"the median rose by {duration(rise)} during the load" if rise > 0 else \
        "the median did not rise during the load"
    if queue is None:
        where = "no queue that both pass is known to have stood"
    else:
        dropped = f", {queue['drops']} dropped" if queue["drops"] else ""
        share = f"{queue['queue_share']:.0%} of the time{dropped}"
        where = f"packets were queued in: {queue['title']} ({share})"
    return f"{said}; {where}"
