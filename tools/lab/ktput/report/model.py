# SPDX-License-Identifier: GPL-2.0
"""ktput-report model: cost of a byte, a packet and a call, over many runs."""

import math

from .. import model
from ..command import Command, Values
from ..output import Column, CommandError, Output, paragraph, table
from ..record import Json, Record
from ..statistics import CONFIDENCE
from .common import ALL, FILES, read_runs, short_name

#: A larger share of lost datagrams causes a warning.
LOSS_MAX = 0.01
COLUMNS = (Column("cycles of a", 12, left=True), Column("estimate", 14),
           Column("95% from", 14), Column("to", 14), Column("inflation", 10))
VARY = ("", "MTU, mss or size of datagrams", "size of messages, segments or batch")
Points = list[tuple[Record, model.Work]]


def _plural(count: int) -> str:
    return f"{count} run" + ("" if count == 1 else "s")


def warnings_of(points: Points, fitted: model.Model) -> list[tuple[str, str]]:
    """Return the warnings about a model: a title and a sentence each."""
    found = []
    for name, cost, vary in zip(model.TERMS, fitted.costs, VARY, strict=True):
        if not cost.kept:
            # Packets are checked against bytes, calls against both.
            others = "bytes" if name == "packet" else "the others"
            found.append(("LEFT OUT", f"the cost of a {name} is borne by {others}: "
                          f"these runs cannot tell them apart; vary {vary}"))
        elif cost.inflation > model.INFLATION_HIGH:
            found.append(("HARD TO TELL", f"the cost of a {name} from that of the "
                          "others: its interval is "
                          f"{math.sqrt(cost.inflation):.1f} times as wide as if those "
                          "were known"))
    computed = sum(not work.counted for _, work in points)
    lossy = sum(work.loss_share > LOSS_MAX for _, work in points)
    if computed and fitted.costs[1].kept:
        found.append(("PACKETS", f"those of {_plural(computed)} are computed from "
                      "bytes and MTU: ktput-ctl -s start counts segments"))
    if lossy:
        found.append(("LOSS", f"{_plural(lossy)} lost more than {LOSS_MAX:.0%} of the "
                      "datagrams, whose cost those bear that arrived"))
    return found


def document_of(points: Points, fitted: model.Model) -> Json:
    """Return the model of a group of runs as a document."""
    document: Json = dict(model.group_of(points[0][0]))
    document |= {"records": len(points), "too_few": fitted.too_few,
                 "cycles_of": model.cycles_of([work for _, work in points])}
    if fitted.too_few:
        return document
    largest = int(abs(fitted.residuals).argmax())
    return document | {
        "confidence": CONFIDENCE, "degrees_of_freedom": fitted.freedom,
        "terms": [{"term": name, "kept": cost.kept, "cycles": cost.value,
                   "ci_low_cycles": cost.ci_low, "ci_high_cycles": cost.ci_high,
                   "variance_inflation": cost.inflation}
                  for name, cost in zip(model.TERMS, fitted.costs, strict=True)],
        "residual_rms": fitted.rms,
        "residual_largest": float(fitted.residuals[largest]),
        "residual_largest_index": largest,
        "warnings": [text for _, text in warnings_of(points, fitted)],
        "runs": [{"file": record.file, "run": record.number_in_file,
                  "bytes": work.bytes, "packets": work.packets,
                  "packets_counted": work.counted, "calls": work.calls,
                  "busy_cycles": work.busy_cycles,
                  "own_cycles": None if math.isnan(work.own_cycles)
                  else work.own_cycles, "model_cycles": float(cycles),
                  "residual": float(residual)}
                 for (record, work), cycles, residual in zip(
                     points, fitted.fitted, fitted.residuals, strict=True)]}


def _number(value: float, digits: int = 6) -> str:
    return f"{value:.{digits}g}" if math.isfinite(value) else "-"


def lines_of(points: Points, fitted: model.Model, document: Json) -> list[str]:
    """Return the text of a group's document."""
    title = document.get("transport", "runs")
    for end in ("source", "sink"):
        if f"{end}_layer" in document:
            title += f", {end} {document[f'{end}_layer']}"
            if f"{end}_method" in document:
                title += f" ({document[f'{end}_method']})"
    lines = [f"# {title}: {_plural(len(points))}"]
    if fitted.too_few:
        return [*lines, f"{'TOO FEW':17}{fitted.kept + 1} or more are needed, that "
                "differ in size and MTU"]
    lines += table(COLUMNS, (
        (one["term"], _number(one["cycles"]) if one["kept"] else "left out",
         _number(one["ci_low_cycles"]), _number(one["ci_high_cycles"]),
         _number(one["variance_inflation"], 3)) for one in document["terms"]))
    lines.append(f"{'Residuals':17}{fitted.rms * 100:.2f} % root mean square")
    name = short_name(points[document["residual_largest_index"]][0])
    lines += paragraph("Largest",
                       f"{document['residual_largest'] * 100:+.2f} %: {name}")
    for heading, text in warnings_of(points, fitted):
        lines += paragraph(heading, text)
    return lines


def run(output: Output, values: Values) -> None:
    """Print a model for each pair of layers and methods."""
    records = read_runs(output, values["files"], bool(values["all"]))
    groups: dict[tuple[tuple[str, str], ...], Points] = {}
    for record in records.runs:
        work = model.work_of(record)
        if work.missing is not None:
            output.warning(f"{short_name(record)} is left out: {work.missing}")
            continue
        key = tuple(model.group_of(record).items())
        groups.setdefault(key, []).append((record, work))
    if not groups:
        raise CommandError("no record has bytes, packets, calls and busy cycles")
    documents: list[Json] = []
    lines: list[str] = []
    fits = 0
    for points in groups.values():
        fitted = model.fit([work for _, work in points])
        document = document_of(points, fitted)
        documents.append(document)
        lines += ([""] if lines else []) + lines_of(points, fitted, document)
        fits += not fitted.too_few
    output.result({"models": documents}, lines)
    if not fits:
        raise CommandError("too few records for a model: make some of several sizes "
                           "and MTUs")


COMMAND = Command(
    "model", "what a byte, a packet and a call cost, fitted over runs", (ALL, FILES),
    "Runs are to differ in size and in MTU: the rest cannot be told apart.", run)
