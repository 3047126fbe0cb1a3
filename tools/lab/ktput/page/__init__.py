# SPDX-License-Identifier: GPL-2.0
"""A self-contained page of records of any kind.

Verdict and ladder come first, then the configurations, one on each row, then pictures,
then the details of each run on demand.
"""

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from .. import keys, units
from ..output import CommandError
from ..pictures import cpu, ladder, pingpong, series, style, sweep
from ..pictures.style import Picture
from ..record import Record
from ..records import Records
from ..report.common import described, short_name
from ..settings import Compared, Setting
from ..statistics import FIGURES, GOODPUT, LATENCY, Estimate, Figure, of_runs
from . import mesh
from .tables import ABSENT, Cell, Row, Table, digits

FOLDER = Path(__file__).parent
#: Maximum number of runs with details: a larger page is too long to open.
DETAILS_MAX = 2000
#: Maximum length of a configuration's label.
LABEL_MAX = 200
NOTE = ("Means over the runs that count, or the result of the only one; below each "
        "its 95% interval, over the runs or over the intervals of the one. {} are {} "
        "of all CPUs. Press a heading to sort.")
PER_BYTE, PER_PACKET = FIGURES[2], FIGURES[3]


def verdict_of(record: Record) -> tuple[str, str]:
    """Return what limited a run, in a word, and the reason."""
    if record.why_not is not None:
        return record.state.lower(), record.why_not
    if record.binding is not None:
        name, because = record.binding
        return ("nothing alone", because.removeprefix("none alone; ")) \
            if name == "none" else (name, because)
    for ceiling in record.ceilings:
        if ceiling.binds:
            return ceiling.name, ceiling.because or ""
    for _, because in record.verdicts:
        return "tcp", because
    if record.is_pingpong:
        return "round trips", "a ping-pong waits for each response"
    known = [one for one in record.ceilings if not math.isnan(one.share)]
    nearest = max(known, key=lambda one: one.share, default=None)
    if nearest is None:
        return "unknown", "the record names no ceiling"
    return "nothing", f"nearest is {nearest.name}, {nearest.share:.1%} of it is reached"


def _estimate(runs: list[Record], figure: Figure) -> Estimate:
    """Return the mean over runs, or the result of a single run, and its interval."""
    estimate = of_runs(runs, figure)
    return estimate if len(runs) > 1 else replace(estimate, mean=figure.of(runs[0]))


def _mean(estimate: Estimate, shown: Callable[[float], str]) -> Cell:
    if math.isnan(estimate.mean):
        return Cell(ABSENT, -math.inf)
    note = ""
    if not math.isnan(estimate.ci_low):
        note = f"{shown(estimate.ci_low)} to {shown(estimate.ci_high)}"
    return Cell(shown(estimate.mean), estimate.mean, note)


def _number(figure: Figure, factor: float = 1.0, count: int = 4) -> Callable[
        [list[Record]], Cell]:
    def cell(runs: list[Record]) -> Cell:
        return _mean(_estimate(runs, figure), lambda value: digits(
            value * factor, count))

    return cell


def _latency(key: str) -> Callable[[list[Record]], Cell]:
    return _number(Figure(key, "", "", "ns", f"{keys.LATENCY}.{key}"), 1e-3)


def _timeouts(runs: list[Record]) -> Cell:
    counts = [one.number("result.timeouts") for one in runs]
    known = [one for one in counts if not math.isnan(one)]
    return Cell(f"{sum(known):.0f}", sum(known)) if known else Cell(ABSENT, -math.inf)


STREAMS: dict[str, Callable[[list[Record]], Cell]] = {
    "goodput": lambda runs: _mean(_estimate(runs, GOODPUT), units.bitrate),
    "packets/s": lambda runs: _mean(_estimate(runs, FIGURES[1]), units.decimal),
    "cycles/byte": _number(PER_BYTE), "cycles/packet": _number(PER_PACKET),
}
PINGPONGS: dict[str, Callable[[list[Record]], Cell]] = {
    "round trips/s": lambda runs: _mean(_estimate(runs, Figure(
        "round_trips_per_s", "", "", "", keys.ROUND_TRIPS)), units.decimal),
    "mean, us": _number(LATENCY, 1e-3), "50%, us": _latency("p50"),
    "99%, us": _latency("p99"), "longest, us": _latency("max"),
    "timeouts": _timeouts, "cycles/trip": _number(FIGURES[5]),
}


def _table(title: str, columns: dict[str, Callable[[list[Record]], Cell]],
           records: Sequence[Record], compared: Compared, clock_unit: str) -> Table:
    pingpong = columns is PINGPONGS
    table = Table(title, [("configuration", False), ("runs", True),
                          *((name.replace("cycles", clock_unit), True)
                            for name in columns), ("held by", False)])
    for group in compared.groups():
        runs = [records[i] for i in group.runs if records[i].is_pingpong is pingpong]
        if not runs:
            continue
        counting = [one for one in runs if one.why_not is None]
        cells = [Cell(str(len(runs)), len(runs), "" if len(counting) == len(runs) else
                      f"{len(runs) - len(counting)} not counted")]
        cells += [cell(counting or runs) for cell in columns.values()]
        (word, why), _ = Counter(verdict_of(one) for one in counting or runs
                                 ).most_common(1)[0]
        cells.append(Cell(word, word, why))
        table.rows.append(Row(described(runs[0]), style.shorten(group.label, LABEL_MAX),
                              cells, not counting))
    # Leave out a column without any value.
    kept = [i for i in range(len(table.columns) - 1)
            if any(row.cells[i].text != ABSENT for row in table.rows)]
    table.columns = [table.columns[0], *(table.columns[i + 1] for i in kept)]
    for row in table.rows:
        row.cells = [row.cells[i] for i in kept]
    return table


def _pictures(records: list[Record], beside: Records,
              warn: Callable[[str], None]) -> list[Picture]:
    """Draw all pictures of the runs that count and of other documents."""
    compared = Compared(records)
    vary = compared.numbers_that_vary() if len(records) > 1 else []
    makers: list[Callable[[], Picture]] = []
    if len(vary) == 1:
        makers.append(lambda: sweep.draw(records, compared, vary[0]))
    elif len(vary) == 2:
        makers.append(lambda: sweep.draw_heat(records, compared, *vary))
    if any(not one.is_pingpong for one in records):
        makers.append(lambda: series.draw_rate(records, compared))
    if records:
        makers.append(lambda: cpu.draw(records, compared))
    if any(one.latency_ns for one in records):
        trips = [one for one in records if one.is_pingpong]
        makers.append(lambda: pingpong.draw_percentiles(trips, Compared(trips)))
    if any(series.has_streams(one) for one in records):
        makers.append(lambda: series.draw_tcp(records, compared))
    if beside.sweeps:
        makers.append(lambda: pingpong.draw_sizes(beside.sweeps))
    makers += [lambda one=one: cpu.draw_profile(one)  # type: ignore[misc]
               for one in beside.profiles]
    return [picture for make in makers for picture in _try(make, warn)]


def _try(make: Callable[[], Picture], warn: Callable[[str], None]) -> list[Picture]:
    try:
        return [make()]
    except CommandError as error:
        warn(f"the page lacks a picture: {error}")
        return []


@dataclass(frozen=True)
class Detail:
    """Details of a run, shown on demand."""

    name: str
    label: str
    state: str
    why_not: str | None
    goodput: str
    ceilings: list[tuple[str, str, str, str, str]]
    verdicts: list[str]
    cpus: list[tuple[int, list[str]]]
    contexts: list[str]
    settings: list[Setting]


def _detail(record: Record, index: int, compared: Compared) -> Detail:
    contexts = list(record.cpus[0].cycles) if record.cpus else []
    mean = LATENCY.of(record)
    return Detail(
        short_name(record),
        style.shorten(compared.label(index) or described(record), LABEL_MAX),
        record.state,
        record.why_not,
        f"{mean / 1e3:.2f} us" if record.is_pingpong else
        units.bitrate(record.goodput_bps),
        [(one.name, units.bitrate(one.bps) if not math.isnan(one.bps) else ABSENT,
          f"{one.share:.2%}" if not math.isnan(one.share) else ABSENT,
          "yes" if one.binds else "no", one.because or "") for one in record.ceilings],
        [f"TCP{'' if math.isnan(which) else f', stream {which:.0f}'}: {because}"
         for which, because in record.verdicts],
        [(one.cpu, [f"{one.cycles.get(name, 0) / one.total:.1%}" for name in contexts])
         for one in record.cpus], contexts,
        [one for key, one in compared.of[index].items() if key in compared.varying])


def _sentences(records: list[Record], tables: Sequence[Table]) -> list[str]:
    """Return the result in a few lines, if no ladder states it."""
    if len(records) == 1:
        word, why = verdict_of(records[0])
        detail = f": {why}" if why else ""
        if records[0].is_pingpong:
            return [f"A round trip takes {LATENCY.of(records[0]) / 1e3:.2f} us in the "
                    "mean."]
        return [f"{units.bitrate(records[0].goodput_bps)} of goodput, held by "
                f"{word}{detail}."]
    held = Counter(row.cells[-1].text for table in tables for row in table.rows
                   for _ in range(int(row.cells[0].sort)))
    return [f"{count} of {len(records)} runs: held by {word}."
            for word, count in held.most_common(4)]


def make(records: Records, warn: Callable[[str], None]) -> str:
    """Return the page; call *warn* for each picture that is missing."""
    runs, compared = records.runs, Compared(records.runs)
    counting = records.counting(disturbed=True)
    # Only a ladder says what its clock counts, in that of its runs too.
    clock_unit = next(filter(None, (one.text(f"{keys.LADDER}.{keys.CLOCK_UNIT}")
                                    for one in records.ladders)), "cycles")
    tables = [table for table in (
        _table("Streams", STREAMS, runs, compared, clock_unit),
        _table("Ping-pongs", PINGPONGS, runs, compared, clock_unit)) if table.rows]
    meshes = mesh.latest(records.meshes)
    ladders = [picture for one in records.ladders
               for picture in _try(lambda one=one: ladder.draw(  # type: ignore[misc]
                   one, runs), warn)]
    common = [] if not runs else [one for key, one in compared.of[0].items()
                                  if key not in compared.varying]
    caption = style.caption_of([*runs, *records.ladders, *records.profiles,
                                *records.sweeps])
    return render({
        "caption": f"{len(runs)} run{'' if len(runs) == 1 else 's'}" +
        (f", {caption}" if caption else ""),
        "note": NOTE.format(clock_unit.capitalize(), "those" if clock_unit ==
                            "instructions" else "busy cycles") if tables else "",
        "sentences": _sentences(runs, tables)
        if runs and not ladders and not meshes else [],
        "runs": len(runs), "tables": tables,
        "ladders": [one.svg(page=True) for one in ladders],
        "meshes": [mesh.of(one.root) for one in meshes],
        "pictures": [one.svg(page=True) for one in _pictures(counting, records, warn)],
        "details": [_detail(one, i, compared)
                    for i, one in enumerate(runs[:DETAILS_MAX])],
        "left_out": max(0, len(runs) - DETAILS_MAX), "common": common,
    })


def render(context: dict[str, Any]) -> str:
    """Return a page of what page.html.j2 names; what is missing is empty."""
    script = (FOLDER / "page.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    empty: dict[str, Any] = {"title": "ktput: report", "runs": 0, "left_out": 0,
                             **dict.fromkeys((
                                 "sentences", "ladders", "meshes", "tables", "pictures",
                                 "details", "common"), ())}
    return environment.get_template("page.html.j2").render(
        **empty | context, style=(FOLDER / "page.css").read_text(), script=script,
        script_hash=digest) + "\n"
