# SPDX-License-Identifier: GPL-2.0
"""A mesh as text, from its document."""

import math
from collections.abc import Iterator
from statistics import median

from .. import units
from ..output import Column, paragraph, table
from ..record import Json, array, number
from .figures import name_of

#: Most hosts whose matrix fits a screen.
MATRIX_MAX = 8


def _matrix(hosts: list[str], rates: dict[tuple[str, str], float]) -> Iterator[str]:
    yield "Goodput in Gb/s, from the host of the row to that of the column"
    cells = [[host, *(f"{rates[host, to] / 1e9:.2f}" if (host, to) in rates else "-"
                      for to in hosts)] for host in hosts]
    yield from table([Column("", left=True), *map(Column, hosts)], cells)
    yield ""


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of a mesh's document."""
    mesh = document["mesh"]
    pairs = array(mesh, "pairs")
    rates = {(pair["from"], pair["to"]): pair["goodput_bps"] for pair in pairs
             if number(pair, "goodput_bps") > 0}
    hosts = [str(host) for host in array(mesh, "hosts")]
    yield ""
    if len(hosts) <= MATRIX_MAX:
        yield from _matrix(hosts, rates)
    if rates:
        values = sorted(rates.values())
        yield from paragraph("Goodput", f"{units.bitrate(median(values))} is the "
                             f"median of {len(values)} pairs, "
                             f"{units.bitrate(values[0])} the least, "
                             f"{units.bitrate(values[-1])} the greatest")
    for rate in array(mesh, "together_bps"):
        yield from paragraph("Together", f"{units.bitrate(rate)}, pairs that ran at "
                             "one time")
    trips = [(number(pair, "round_trip_p50_ns"), number(pair, "round_trip_p99_ns"))
             for pair in pairs if number(pair, "round_trip_p50_ns") > 0]
    if trips:
        half, most = (median(each) / 1e3 for each in zip(*trips, strict=True))
        yield from paragraph("Round trips", f"{half:.1f} us is the median of the "
                             f"pairs' medians, {most:.1f} us that of their 99%")
    disturbed = sum(pair.get("disturbed", False) for pair in pairs)
    if disturbed:
        yield from paragraph("Disturbed", f"{disturbed} of {len(pairs)} pairs, by "
                             "other work on the CPUs of their runs")
    for one in array(mesh, "outliers"):
        far = f", {one['deviations']:.1f} deviations below" \
            if math.isfinite(one["deviations"]) else ""
        yield from paragraph(f"Slow {one['kind']}", f"{name_of(one)}: "
                             f"{one['share_of_median']:.0%} of the median{far}; "
                             f"{one['cause']}: {one['because']}")
    for one in array(mesh, "failed"):
        yield from paragraph("Failed", f"{one['from']} to {one['to']}: {one['why']}")
    for one in array(mesh, "left_out"):
        yield from paragraph("Left out", f"{one['host']}: {one['why']}")
    if mesh["interrupted"]:
        yield from paragraph("Interrupted", f"{mesh['missing_pairs']} pairs are not "
                             "measured; the same words, with the same file, go on")
