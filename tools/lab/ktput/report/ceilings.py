# SPDX-License-Identifier: GPL-2.0
"""ktput-report ceilings: measured goodput and its limits."""

import math

from .. import keys, units
from ..command import Command, Values
from ..output import Column, Output, mapped, paragraph, table
from ..record import Json, Record
from .common import FILES, head, head_lines, read_runs

COLUMNS = (Column("ceiling", 30, left=True), Column("goodput", 12),
           Column("reached", 8), Column("binds"))


def document_of(record: Record) -> Json:
    """Return a run's goodput and its ceilings."""
    binding = (dict(zip(("binding", "binding_because"), record.binding, strict=True))
               if record.binding else {})
    remedy = record.text(keys.TRY)
    return head(record) | {
        "goodput_bps": record.goodput_bps,
        "ceilings": [{"name": one.name, "ceiling_bps": one.bps, "share": one.share,
                      "binds": one.binds} |
                     ({"because": one.because} if one.because else {})
                     for one in record.ceilings]} | binding | (
                         {"try": remedy} if remedy else {})


def lines_of(record: Record, document: Json) -> list[str]:
    """Return the text of a run's document."""
    goodput, ceilings = document["goodput_bps"], document["ceilings"]
    measured = units.bitrate(goodput) + " measured" if math.isfinite(goodput) else \
        "none: of round trips there is none" if record.latency_ns else "none"
    lines = [*head_lines(record), f"{'Goodput':17}{measured}"]
    known = [one for one in ceilings if math.isfinite(one["ceiling_bps"])]
    if known:
        lines += table(COLUMNS, (
            (one["name"][:44], units.bitrate(one["ceiling_bps"]),
             mapped(one["share"], f"{one['share'] * 100:.2f}%"),
             "yes" if one["binds"] else "no") for one in known))
    for one in ceilings:
        if one not in known:
            lines += paragraph(one["name"], "none: " + one.get(
                "because", "the record does not say why"))
        elif "because" in one:
            lines += paragraph(one["name"], one["because"])
    if "binding_because" in document:
        lines += paragraph("Bottleneck", document["binding_because"])
        if "try" in document:
            lines += paragraph("Try", document["try"])
    elif not ceilings:
        lines.append("The record names no ceiling.")
    elif known and not any(one["binds"] for one in known):
        lines.append("None of them binds.")
    return lines


def run(output: Output, values: Values) -> None:
    """Print each run of the files, including those that do not count."""
    records = read_runs(output, values["files"], everything=True)
    documents = [document_of(record) for record in records.runs]
    lines: list[str] = []
    for record, document in zip(records.runs, documents, strict=True):
        lines += ([""] if lines else []) + lines_of(record, document)
    output.result({"runs": documents}, lines)


COMMAND = Command("ceilings", "measured goodput beside each ceiling, and which binds",
                  (FILES,), run=run)
