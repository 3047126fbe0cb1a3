# SPDX-License-Identifier: GPL-2.0
"""ktput-report diff: what two runs, or two sets of runs, are apart."""

import math
from dataclasses import dataclass

from .. import units
from ..command import Command, Option, UsageError, Values
from ..output import WIDTH, Column, Output, paragraph, table
from ..record import Json, Record
from ..settings import Compared, Settings, differing, settings_of
from ..statistics import (
    BATCHES_MIN,
    CONFIDENCE,
    FIGURES,
    RUNS_MIN,
    Difference,
    Estimate,
    Figure,
    of_runs,
    welch,
)
from .common import ALL, read_runs

SETTING_COLUMN = 36
COLUMNS = (Column("figure", left=True), Column("A", 11), Column("B", 11),
           Column("B - A", 12), Column("95% from", 12), Column("to", 12))


@dataclass(frozen=True)
class Side:
    """The runs of one file."""

    name: str
    runs: list[Record]
    settings: Settings


@dataclass(frozen=True)
class Row:
    """A figure of both sides, and how far they are apart."""

    figure: Figure
    a: Estimate
    b: Estimate
    by: Difference

    @property
    def too_short(self) -> bool:
        """Whether a side has fewer values than its interval needs."""
        return self.a.too_short or self.b.too_short


def shown(figure: Figure, value: float) -> str:
    """Return a figure as text."""
    if not math.isfinite(value):
        return "-"
    if figure.key == "goodput_bps":
        return units.bitrate(value)
    if figure.key == "packets_per_s":
        return units.decimal(value)
    size = abs(value)
    return f"{value:.4f}" if size < 100 else f"{value:.1f}" if size < 1e7 \
        else f"{value:.5g}"


def side_of(output: Output, name: str, everything: bool) -> Side:
    """Read one side; a mean of runs that were not made alike is one of nothing."""
    runs = read_runs(output, [name], everything).runs
    compared = Compared(runs)
    unlike = next((key for key, one in compared.of[0].items()
                   if key in compared.varying and not one.of_environment), None)
    if unlike is not None:
        output.warning(f"{name}: its runs were not made alike: {unlike} differs")
    return Side(name, runs, settings_of(runs[0]))


def rows_of(a: Side, b: Side) -> list[Row]:
    """Compare all figures that both sides have."""
    rows = []
    for figure in FIGURES:
        one, other = of_runs(a.runs, figure), of_runs(b.runs, figure)
        if not math.isnan(one.mean) and not math.isnan(other.mean):
            rows.append(Row(figure, one, other, welch(one, other)))
    return rows


def document_of(a: Side, b: Side, rows: list[Row]) -> Json:
    """Return the difference as a document."""
    document: Json = {key: {"file": side.name, "runs": len(side.runs),
                            "over": "runs" if len(side.runs) > 1 else "intervals"}
                      for key, side in (("a", a), ("b", b))}
    document["figures"] = [{
        "figure": row.figure.key, "a": row.a.mean, "b": row.b.mean,
        "difference": row.by.value, "ci_low": row.by.ci_low,
        "ci_high": row.by.ci_high, "relative": row.by.relative,
        "confidence": CONFIDENCE, "batches_a": row.a.batches,
        "batches_b": row.b.batches, "too_short": row.too_short,
        "distinguishable": row.by.distinguishable} for row in rows]
    document["settings"] = [{"key": key, "a": one, "b": other} for key, one, other
                            in differing(a.settings, b.settings)]
    return document


def sentence(row: Row) -> str:
    """Return what a difference means."""
    title, by = row.figure.title, row.by
    if by.distinguishable is None:
        return (f"{title}: TOO FEW values for an interval ({RUNS_MIN} runs, or "
                f"{BATCHES_MIN} batches).")
    if not by.distinguishable:
        return f"{title}: not distinguishable from zero."
    more = "more" if by.value > 0 else "less"
    if not math.isfinite(by.relative):
        what = f"B is {more}"
    elif by.relative > 1:
        what = f"B is {by.relative + 1:.3g} times A"
    else:
        what = f"B is {abs(by.relative) * 100:.3g}% {more}"
    return f"{title}: {what}; distinguishable from zero."


def _value(value: str | None) -> str:
    return "(absent)" if value is None else value or '""'


def lines_of(document: Json, rows: list[Row]) -> list[str]:
    """Return the text of the document."""
    lines = []
    for letter, side in (("A", document["a"]), ("B", document["b"])):
        mean = f": mean of {side['runs']} runs" if side["runs"] > 1 \
            else ": one run, mean of its intervals"
        lines.append(f"{letter}  {side['file'][-(WIDTH - 40):]}{mean}")
    lines += ["", *table(COLUMNS, (
        (row.figure.title, *(shown(row.figure, value) for value in (
            row.a.mean, row.b.mean, row.by.value, row.by.ci_low, row.by.ci_high)))
        for row in rows)), ""]
    lines += [sentence(row) for row in rows]
    lines += ["", "Settings that differ, A -> B"]
    for one in document["settings"]:
        lines += paragraph(one["key"], f"{_value(one['a'])} -> {_value(one['b'])}",
                           SETTING_COLUMN)
    return lines if document["settings"] else [*lines, "none"]


def check(_: Output, values: Values) -> None:
    """Refuse another number of files than two."""
    if len(values["files"]) != 2:
        raise UsageError("diff takes two files, A and B; "
                         f"{len(values['files'])} are given")


def run(output: Output, values: Values) -> None:
    """Print the difference."""
    a, b = (side_of(output, name, bool(values["all"])) for name in values["files"])
    rows = rows_of(a, b)
    document = document_of(a, b, rows)
    output.result(document, lines_of(document, rows))


COMMAND = Command(
    "diff", "what two runs or two sets of runs are apart, and how surely",
    (Option("files", "two files of records, each of one run or of several that were "
            "made alike; - is the standard input", argument="A B", required=True,
            many=True), ALL),
    "The interval is Welch's; of a file with one run over batches of its\n"
    "intervals, of a file with several over the runs.", run, check)
