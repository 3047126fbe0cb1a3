# SPDX-License-Identifier: GPL-2.0
"""ktput-report diff: difference of two runs, or two sets of runs."""

import math
import shlex
from dataclasses import dataclass

from .. import keys, units
from ..command import Command, Option, UsageError, Values, any_file
from ..output import WIDTH, Column, Output, mapped, paragraph, table
from ..record import Json, Record, array, number
from ..settings import Compared, Settings, differing, settings_of
from ..statistics import (
    BY_KEY,
    FIGURES,
    RUNS_MIN,
    Difference,
    Estimate,
    Figure,
    in_turn,
    over_runs,
    own_if_known,
    paired,
    welch,
)
from .common import ALL, read_runs

SETTING_COLUMN = 36
#: Rounds to suggest if there are too few.
ROUNDS = 5
#: Keywords of a command that one more run of it does not have, and the number of
#: their values.
LEFT_OUT = {"record": 1, "replace": 0, "repeat": 1}
COLUMNS = (Column("figure", left=True), *(Column(title, 10) for title in (
    "A", "B", "B - A", "95% from", "to")))
#: What comes before the unit of a rate in its row, and the unit.
RATES = {"goodput_bps": ("Goodput, ", "b/s"), "packets_per_s": ("", " packets/s")}


@dataclass(frozen=True)
class Side:
    """The runs of one file."""

    name: str
    runs: list[Record]
    settings: Settings


@dataclass(frozen=True)
class Row:
    """A figure of both sides, and its difference."""

    figure: Figure
    a: Estimate
    b: Estimate
    by: Difference
    #: each run of A has a neighbour of B
    in_turn: bool

    @property
    def distinguishable(self) -> bool | None:
        """Whether there is a difference; None if these runs cannot show it."""
        return self.by.distinguishable if self.in_turn else None

    def document(self) -> Json:
        """Return the row for JSON."""
        return {"figure": self.figure.key, "a": self.a.mean, "b": self.b.mean,
                "difference": self.by.value, "ci_low": self.by.ci_low,
                "ci_high": self.by.ci_high, "relative": self.by.relative,
                "confidence": self.a.confidence, "runs_a": self.a.count,
                "runs_b": self.b.count, "too_short": math.isnan(self.by.ci_low),
                "distinguishable": self.distinguishable}


def rows_in(document: Json) -> list[Row]:
    """Return the rows that the document of a difference, or of A and B, has."""
    rows = []
    for one in array(document, "figures"):
        figure = BY_KEY.get(one["figure"])
        # Of a later version, perhaps.
        if figure is None:
            continue
        a, b = (Estimate(number(one, side), count=int(one[f"runs_{side}"]),
                         confidence=one["confidence"]) for side in ("a", "b"))
        by = Difference(number(one, "difference"), number(one, "relative"),
                        number(one, "ci_low"), number(one, "ci_high"))
        rows.append(Row(figure, a, b, by, one["distinguishable"] is not None))
    return rows


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
    """Read one side; its runs must have equal settings for a mean to make sense."""
    runs = read_runs(output, [name], everything).runs
    compared = Compared(runs)
    unlike = next((key for key, one in compared.of[0].items()
                   if key in compared.varying and not one.of_environment), None)
    if unlike is not None:
        output.warning(f"{name}: its runs were not made alike: {unlike} differs")
    return Side(name, runs, settings_of(runs[0]))


def rows_of(a: Side, b: Side) -> list[Row]:
    """Compare all figures that both sides have.

    If runs were made in turn, compare neighbours. If not, each side may have run at
    another time of day, and no difference is claimed.
    """
    pairs = in_turn(a.runs, b.runs)
    turns = len(pairs) >= RUNS_MIN
    rows = []
    for busy in FIGURES:
        figure = own_if_known(busy, a.runs + b.runs)
        if turns:
            one, other = ([figure.of(pair[side]) for pair in pairs] for side in (0, 1))
        else:
            one, other = ([figure.of(run) for run in side.runs] for side in (a, b))
        row = Row(figure, over_runs(one), over_runs(other), paired(one, other), turns) \
            if turns else Row(figure, over_runs(one), over_runs(other),
                              welch(over_runs(one), over_runs(other)), turns)
        if not math.isnan(row.a.mean) and not math.isnan(row.b.mean):
            rows.append(row)
    return rows


def command_of(side: Side) -> str | None:
    """Return the command that makes one more run of a side, None if unknown."""
    words = [word for word in array(side.runs[0].root, keys.COMMAND)
             if isinstance(word, str)]
    kept = []
    while words:
        word = words.pop(0)
        if word in LEFT_OUT:
            del words[:LEFT_OUT[word]]
        else:
            kept.append(word)
    return shlex.join(["ktput-ctl", *kept, "record", side.name]) \
        if kept and side.name != "-" else None


def document_of(a: Side, b: Side, rows: list[Row]) -> Json:
    """Return the difference as a document."""
    pairs = len(in_turn(a.runs, b.runs))
    document: Json = {key: {"file": side.name, "runs": len(side.runs)}
                      for key, side in (("a", a), ("b", b))}
    document["pairs"] = pairs
    document["in_turn"] = pairs >= RUNS_MIN
    if pairs < RUNS_MIN:
        document["commands"] = [command_of(a), command_of(b)]
    document["figures"] = [row.document() for row in rows]
    document["settings"] = [{"key": key, "a": one, "b": other} for key, one, other
                            in differing(a.settings, b.settings)]
    return document


def sentence(row: Row) -> str:
    """Return a sentence for a difference."""
    title, by = row.figure.title, row.by
    if math.isnan(by.ci_low):
        return f"{title}: TOO FEW runs for an interval ({RUNS_MIN} of each)."
    if row.distinguishable is None:
        return f"{title}: nothing is claimed, NOT made in turn."
    if not row.distinguishable:
        return f"{title}: not distinguishable from zero."
    more = "more" if by.value > 0 else "less"
    if not math.isfinite(by.relative):
        what = f"B is {more}"
    elif by.relative > 1:
        what = f"B is {by.relative + 1:.3g} times A"
    else:
        what = f"B is {abs(by.relative) * 100:.3g}% {more}"
    return f"{title}: {what}; distinguishable from zero."


def cells(row: Row) -> list[str]:
    """Return a row of the table: rates in the unit of the larger side."""
    values = (row.a.mean, row.b.mean, row.by.value, row.by.ci_low, row.by.ci_high)
    if row.figure.key not in RATES:
        return [row.figure.title, *(shown(row.figure, value) for value in values)]
    before, unit = RATES[row.figure.key]
    factor, unit = units.scale(max(row.a.mean, row.b.mean), unit)
    return [(before + unit).strip(),
            *(mapped(value, f"{value * factor:.4f}") for value in values)]


def _value(value: str | None) -> str:
    return "(absent)" if value is None else value or '""'


def _folded(command: str) -> list[str]:
    """Return the lines of a command in a shell loop."""
    lines = [""]
    for word in map(shlex.quote, shlex.split(command)):
        if lines[-1] and len(lines[-1]) + len(word) + 5 > WIDTH:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else f"  {word}"
    return lines


def asked_for(document: Json) -> list[str]:
    """Return advice if the runs cannot show a difference."""
    lines = ["", "Runs differ from each other by more than one of them shows, and by "
             "when they", f"are made: make {RUNS_MIN} or more of each, in turn."]
    if None in document["commands"]:
        return lines
    numbers = " ".join(map(str, range(1, ROUNDS + 1)))
    return [*lines, "", f"for i in {numbers}; do",
            *(line for one in document["commands"] for line in _folded(one)), "done"]


def settings_lines(settings: list[Json]) -> list[str]:
    """Return what differs between the sides, beside their figures."""
    lines = ["", "Settings that differ, A -> B"]
    for one in settings:
        lines += paragraph(one["key"], f"{_value(one['a'])} -> {_value(one['b'])}",
                           SETTING_COLUMN)
    return lines if settings else [*lines, "none"]


def lines_of(document: Json, rows: list[Row]) -> list[str]:
    """Return the text of the document."""
    lines = []
    for letter, side in (("A", document["a"]), ("B", document["b"])):
        mean = f"mean of {side['runs']} runs" if side["runs"] > 1 else "one run"
        lines.append(f"{letter}  {side['file'][-(WIDTH - 40):]}: {mean}")
    if document["in_turn"]:
        lines.append(f"{document['pairs']} pairs of runs, made in turn")
    lines.append("")
    if rows:
        lines += [*table(COLUMNS, map(cells, rows)), ""]
    lines += [sentence(row) for row in rows]
    if not rows:
        lines.append("They have no figure in common.")
    elif not document["in_turn"]:
        lines += asked_for(document)
    return lines + settings_lines(document["settings"])


def check(_: Output, values: Values) -> None:
    """Refuse any number of files except two."""
    if len(values["files"]) != 2:
        raise UsageError(f"diff takes two files, A and B, not {len(values['files'])}")


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
            many=True, words=any_file), ALL),
    "Runs of A and B that were made in turn are compared by pairs. Of a single\n"
    "run, or of runs that were not made in turn, no difference is claimed.", run,
    check)
