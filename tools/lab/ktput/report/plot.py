# SPDX-License-Identifier: GPL-2.0
"""ktput-report plot: a picture, SVG or PNG."""

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from ..command import Command, Option, UsageError, Values, check_picture, guess
from ..output import CommandError, Output, write
from ..records import Records, read
from ..statistics import BY_KEY
from .common import ALL, FILES, out, read_runs
from .diff import Side, rows_of, side_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..pictures.style import Picture
    from ..settings import Compared

KINDS = (
    Option("kind", "goodput over time, and the ceilings", "rate", required=True),
    Option("kind", "goodput against a number that runs were made with, such as "
           "size_bytes or mtu_bytes: mean and 95% interval, and the ceilings",
           "sweep", "VARIABLE", required=True),
    Option("kind", "goodput by two such numbers, as a heat map", "heat", "X,Y",
           required=True),
    Option("kind", "spread of a figure over repeats: a box and the values for each set "
           "of runs that were made alike, or side of ktput-ctl ab", "box",
           required=True),
    Option("kind", "which share of the repeats has a figure at or below a value, with "
           "the bad end on a logarithmic scale", "shares", required=True),
    Option("kind", "cycles of each CPU, stacked by context", "cpu", required=True),
    Option("kind", "congestion window and round-trip time over time, of records made "
           "with -s", "tcp", required=True),
    Option("kind", "places that the payload of a run passed: how long its queue stood, "
           "and its server was busy", "chain", required=True),
    Option("kind", "latency of ping-pongs by percentile", "percentiles", required=True),
    Option("kind", "round trips before, during and after a load over time, and its "
           "goodput, of what ktput-ctl load keeps with 'record'", "load",
           required=True),
    Option("kind", "how far two files of runs are apart, each figure with its "
           "interval", "diff", required=True),
    Option("kind", "classes of work on each CPU, stacked, of what ktput-ctl -j profile "
           "prints", "profile", required=True),
    Option("kind", "cost of the same traffic at each layer, of what ktput-ctl -j "
           "ladder prints", "ladder", required=True),
    Option("kind", "latency and throughput against size, of what ktput-ctl -j pingpong "
           "sizes prints, a line for each", "pingpong", required=True),
)
BY = Option("by", "with sweep, box and shares: a line or box for each value of this "
            "setting (default: for each set of runs that were made alike)", "by",
            "SERIES")
FIGURE = Option("figure", "with box and shares: the figure, such as latency_p99_ns or "
                "own_cycles_per_byte", "figure", "FIGURE",
                default="goodput_bps, of ping-pongs latency_mean_ns")
INTERVALS = Option("intervals", "with box and shares: a value for each interval after "
                   "the warm-up (default: for each run)", "intervals")
HELD = Option("held", "only runs with this value of a setting; may be repeated",
              "held", "NAME=VALUE", many=True)
Found = TypeVar("Found")
#: Pictures of documents other than runs.
DOCUMENTS = ("profile", "ladder", "pingpong")
#: Keywords that some pictures have, and which.
SPREADS = ("box", "shares")
ONLY_OF = {"by": ("sweep", *SPREADS), "figure": SPREADS, "intervals": SPREADS}


def _only(found: Sequence[Found], kind: str) -> Found:
    """Return the one document of a kind."""
    if not found:
        raise CommandError(f"there is no {kind} in it: give what ktput-ctl -j {kind} "
                           "prints")
    if len(found) > 1:
        raise CommandError(f"there are {len(found)} {kind}s in it: give one; html "
                           "draws all")
    return found[0]


def _of_documents(kind: str, records: Records) -> "Picture":
    from ..pictures import cpu, ladder, pingpong

    if kind == "pingpong":
        return pingpong.draw_sizes(records.sweeps)
    if kind == "profile":
        return cpu.draw_profile(_only(records.profiles, kind))
    return ladder.draw(_only(records.ladders, kind), records.runs)


def _hold(compared: "Compared", held: str) -> list[int]:
    """Return the indices of the runs that have a setting of the form NAME=VALUE."""
    name, _, value = held.partition("=")
    try:
        wanted = float(value)
    except ValueError:
        wanted = math.nan
    found = [index for index in range(len(compared.of))
             if compared.text(index, name) == value or
             compared.number(index, name) == wanted]
    if not found:
        raise CommandError(f"no run has {held[:80]}")
    return found


def _of_runs(records: Records, values: Values) -> "Picture":
    from ..pictures import chain, cpu, load, pingpong, series, spread, sweep
    from ..settings import Compared

    kind, variable = values["kind"]
    runs, compared = records.runs, Compared(records.runs)
    for one in values["held"]:
        runs = [runs[index] for index in _hold(compared, one)]
        compared = Compared(runs)
    if kind == "sweep":
        return sweep.draw(runs, compared, variable, values["by"])
    if kind in SPREADS:
        draw = spread.draw_box if kind == "box" else spread.draw_shares
        return draw(runs, compared, values["figure"], values["by"],
                    bool(values["intervals"]))
    if kind == "chain":
        return chain.draw(runs)
    if kind == "load":
        return load.draw(runs)
    if kind == "heat":
        x, _, y = variable.partition(",")
        return sweep.draw_heat(runs, compared, x, y)
    how: dict[str, Callable[..., Picture]] = {
        "rate": series.draw_rate, "tcp": series.draw_tcp, "cpu": cpu.draw,
        "percentiles": pingpong.draw_percentiles}
    return how[kind](runs, compared)


def _of_difference(a: Side, b: Side) -> "Picture":
    from ..pictures import forest

    names = " against ".join(os.path.basename(side.name) for side in (b, a))
    return forest.draw(f"B over A: {names}", rows_of(a, b), [*a.runs, *b.runs])


def _check_keywords(kind: str, values: Values) -> None:
    """Refuse keywords of other pictures, and their values."""
    for keyword, kinds in ONLY_OF.items():
        if values[keyword] and kind not in kinds:
            raise UsageError(f"'{keyword}' is for {', '.join(kinds[:-1])} and "
                             f"{kinds[-1]}")
    figure = values["figure"]
    if figure and figure not in BY_KEY:
        raise UsageError(f"figure: '{figure[:80]}' is unknown: give "
                         f"{', '.join(BY_KEY)}" + guess(figure, BY_KEY))
    for one in values["held"]:
        if kind in (*DOCUMENTS, "diff"):
            raise UsageError("'held' is for pictures of runs")
        if not all(one.partition("=")):
            raise UsageError(f"held: '{one[:80]}' is no NAME=VALUE")


def check(output: Output, values: Values) -> None:
    """Refuse an unknown picture, or a missing output file."""
    kind, variable = values["kind"]
    where = values["out"]
    if where is None:
        if output.as_json:
            raise UsageError("a picture is no JSON: say where it goes with 'out'")
    else:
        check_picture("out", where)
    if kind == "heat" and not all(variable.partition(",")):
        raise UsageError(f"heat: '{variable[:80]}' is no X,Y, such as "
                         "size_bytes,sndbuf_bytes")
    _check_keywords(kind, values)
    if kind == "diff" and len(values["files"]) != 2:
        raise UsageError(f"diff takes two files, A and B, not {len(values['files'])}")


def run(output: Output, values: Values) -> None:
    """Draw the picture."""
    from ..pictures import guarded

    kind, _ = values["kind"]
    if kind == "diff":
        a, b = (side_of(output, name, bool(values["all"])) for name in values["files"])
        count = len(a.runs) + len(b.runs)
    else:
        records = read(*values["files"]) if kind in DOCUMENTS else \
            read_runs(output, values["files"], bool(values["all"]))
        count = len(records.runs)

    def draw() -> "Picture":
        if kind == "diff":
            return _of_difference(a, b)
        if kind in DOCUMENTS:
            return _of_documents(kind, records)
        return _of_runs(records, values)

    where = values["out"]
    if where is None:
        write(guarded(lambda: draw().svg()))
        return
    guarded(draw).save(where)
    output.result({"file": where, "runs": count}, [where])


OUT = out("where the picture goes, by its ending .svg or .png (default: SVG to the "
          "standard output)")
COMMAND = Command(
    "plot", "a picture, SVG or PNG",
    (*KINDS, BY, FIGURE, INTERVALS, HELD, FILES, OUT, ALL),
    "Runs that were made alike have one colour.", run, check)
