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

from .. import keys, units, wording
from ..output import CommandError
from ..pictures import (
    chain,
    cpu,
    guarded,
    ladder,
    pingpong,
    series,
    spread,
    style,
    sweep,
)
from ..pictures.style import Picture
from ..record import Record
from ..records import Records
from ..report.common import described, short_name
from ..settings import Compared, Setting
from ..statistics import FIGURES, GOODPUT, LATENCY, OWN, Estimate, Figure, of_runs
from . import ab, improve, mesh
from .tables import ABSENT, Cell, Drawing, Row, Table, digits

FOLDER = Path(__file__).parent
#: Maximum number of runs with details: a larger page is too long to open.
DETAILS_MAX = 2000
#: Maximum length of a configuration's label.
LABEL_MAX = 200
NOTE = ("Each value is the mean of the runs that count, with its 95% confidence "
        "interval below if there are several; a run that other work disturbed counts "
        "only if none is undisturbed. {} Click a heading to sort.")
#: What runs may be a part of, in words.
OF = {keys.LADDER: "the ladder", keys.MESH: "the mesh",
      keys.AB: "a comparison of A and B", keys.IMPROVE: "a search for what helps"}
#: What the costs of a table are, by the clock's unit and whether all runs know their
#: own cycles.
COSTS = {
    "instructions": "Instructions are those of all CPUs.",
    "own": "Own cycles are those that the run itself used, on all CPUs.",
    "busy": "Busy cycles are all but the idle ones of all CPUs, other work included.",
}


def verdict_of(record: Record) -> tuple[str, str]:
    """Return what limited a run, in a word, and the reason."""
    if record.why_not is not None:
        return record.state.lower(), record.why_not
    if record.binding is not None:
        name, because = record.binding
        return ("nothing alone", because.removeprefix("no single bottleneck; ")) \
            if name == "none" else (wording.title(name), because)
    for ceiling in record.ceilings:
        if ceiling.binds:
            return wording.title(ceiling.name), ceiling.because or ""
    for _, because in record.verdicts:
        return "tcp", because
    if record.is_pingpong:
        return "round trips", "a ping-pong waits for each response"
    known = [one for one in record.ceilings if not math.isnan(one.share)]
    nearest = max(known, key=lambda one: one.share, default=None)
    if nearest is None:
        return "unknown", "the record names no ceiling"
    return "nothing", (f"nearest is {wording.title(nearest.name)}, {nearest.share:.1%} "
                       "of it is reached")


def _counting(runs: Sequence[Record]) -> list[Record]:
    """Return the runs whose mean is shown: the best that there are.

    Those that are valid and undisturbed, else those that are valid, else all.
    """
    valid = [one for one in runs if one.why_not is None]
    return [one for one in valid if not one.disturbed] or valid or list(runs)


def _left_out(runs: Sequence[Record]) -> str:
    """Return what is to be known of the runs of a configuration, if anything."""
    invalid = sum(one.why_not is not None for one in runs)
    disturbed = sum(one.disturbed for one in runs if one.why_not is None)
    counts = any(not one.disturbed for one in runs if one.why_not is None)
    words = [f"{invalid} not counted"] if invalid else []
    if disturbed:
        words.append(f"{disturbed} disturbed" + (", not counted" if counts else ""))
    return "; ".join(words)


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


Columns = dict[str, Callable[[list[Record]], Cell]]
STREAMS: Columns = {
    "goodput": lambda runs: _mean(_estimate(runs, GOODPUT), units.bitrate),
    "packets/s": lambda runs: _mean(_estimate(runs, FIGURES[1]), units.decimal),
}
PINGPONGS: Columns = {
    "round trips/s": lambda runs: _mean(_estimate(runs, Figure(
        "round_trips_per_s", "", "", "", keys.ROUND_TRIPS)), units.decimal),
    "mean, us": _number(LATENCY, 1e-3), "50%, us": _latency("p50"),
    "99%, us": _latency("p99"), "longest, us": _latency("max"),
    "timeouts": _timeouts,
}


def _costs(runs: Sequence[Record], clock_unit: str) -> Columns:
    """Return the columns of costs: the record's own figure, as ``diff`` has it.

    Beside it is that of busy cycles, if a run does not know its own. A VM that counts
    instructions runs nothing else, and knows the user's own by ticks alone.
    """
    columns: Columns = {}
    for figure in FIGURES:
        if figure.key not in OWN:
            continue
        own, per = OWN[figure.key], figure.title.partition("/")[2]
        per = {"pkt": "packet"}.get(per, per)
        having = [one for one in runs if not math.isnan(figure.of(one))]
        lacking = any(math.isnan(own.of(one)) for one in having)
        if clock_unit == "instructions":
            columns[f"instructions/{per}"] = _number(figure)
            continue
        columns[f"own cycles/{per}"] = _number(own)
        if lacking:
            columns[f"busy cycles/{per}"] = _number(figure)
    return columns


def _table(title: str, columns: Columns, records: Sequence[Record],
           compared: Compared, clock_unit: str) -> Table:
    pingpong = columns is PINGPONGS
    of = [one for one in records if one.is_pingpong is pingpong]
    columns = columns | _costs(of, clock_unit)
    table = Table(title, [("configuration", False), ("runs", True),
                          *((name, True) for name in columns), ("limited by", False)])
    for group in compared.groups():
        runs = [records[i] for i in group.runs if records[i].is_pingpong is pingpong]
        if not runs:
            continue
        counting = _counting(runs)
        cells = [Cell(str(len(runs)), len(runs), _left_out(runs))]
        cells += [cell(counting) for cell in columns.values()]
        (word, why), _ = Counter(verdict_of(one) for one in counting).most_common(1)[0]
        if all(one.disturbed for one in counting):
            why = "; ".join(filter(None, (why, counting[0].disturbed_by)))
        cells.append(Cell(word, word, why))
        bad = counting[0].why_not is not None
        table.rows.append(Row(described(runs[0]), style.shorten(group.label, LABEL_MAX),
                              cells, bad))
    # Leave out a column without any value.
    kept = [i for i in range(len(table.columns) - 1)
            if any(row.cells[i].text != ABSENT for row in table.rows)]
    table.columns = [table.columns[0], *(table.columns[i + 1] for i in kept)]
    for row in table.rows:
        row.cells = [row.cells[i] for i in kept]
    return table


def _pictures(records: list[Record], beside: Records,
              warn: Callable[[str], None]) -> list[Drawing]:
    """Draw all pictures of the runs that count and of other documents."""
    compared = Compared(records)
    vary = compared.numbers_that_vary() if len(records) > 1 else []
    makers: list[Callable[[], Picture]] = []
    if len(records) == 1 and records[0].chain:
        makers.append(lambda: chain.draw(records))
    if len(vary) == 1:
        makers.append(lambda: sweep.draw(records, compared, vary[0]))
    elif len(vary) == 2:
        makers.append(lambda: sweep.draw_heat(records, compared, *vary))
    if any(len(one.runs) >= spread.BOX_MIN for one in compared.groups()):
        makers.append(lambda: spread.draw_box(records, compared))
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
    return [draw(make, warn) for make in makers]


def draw(make: Callable[[], Picture], warn: Callable[[str], None]) -> Drawing:
    """Return a picture as markup, or in its place a sentence, which *warn* gets, too.

    No picture takes the page with it, whatever is wrong in drawing it.
    """
    try:
        return Drawing(guarded(lambda: make().svg(page=True)))
    except CommandError as error:
        why = f"the page lacks a picture: {error}"
        warn(why)
        return Drawing("", f"{why[:1].upper()}{why[1:]}.")


@dataclass(frozen=True)
class Detail:
    """Details of a run, shown on demand."""

    name: str
    label: str
    state: str
    why_not: str | None
    #: other work on its CPUs, if that was too much
    disturbed: str | None
    goodput: str
    ceilings: list[tuple[str, str, str, str, str]]
    #: places of the chain: title, queue stood, server busy, drops, bottleneck
    places: list[tuple[str, str, str, str, bool]]
    verdicts: list[str]
    cpus: list[tuple[int, list[str]]]
    contexts: list[str]
    settings: list[Setting]


def _share(value: float) -> str:
    return ABSENT if math.isnan(value) else units.share(value)


def _detail(record: Record, index: int, compared: Compared) -> Detail:
    contexts = list(record.cpus[0].cycles) if record.cpus else []
    mean = LATENCY.of(record)
    return Detail(
        short_name(record),
        style.shorten(record.rung or compared.label(index) or described(record),
                      LABEL_MAX),
        record.state,
        record.why_not,
        record.disturbed_by,
        f"{mean / 1e3:.2f} us" if record.is_pingpong else
        units.bitrate(record.goodput_bps),
        [(wording.title(one.name),
          units.bitrate(one.bps) if not math.isnan(one.bps) else ABSENT,
          f"{one.share:.2%}" if not math.isnan(one.share) else ABSENT,
          "yes" if one.binds else "no", one.because or "") for one in record.ceilings],
        [(one.title, _share(one.queue_share), _share(one.busy_share),
          f"{one.drops:.0f}", one.bottleneck) for one in record.chain],
        [f"TCP{'' if math.isnan(which) else f', stream {which:.0f}'}: {because}"
         for which, because in record.verdicts],
        [(one.cpu, [f"{one.cycles.get(name, 0) / one.total:.1%}" for name in contexts])
         for one in record.cpus], contexts,
        [one for key, one in compared.of[index].items() if key in compared.varying])


def _sentences(records: list[Record], tables: Sequence[Table]) -> list[str]:
    """Return the result in a few lines, if no ladder states it."""
    disturbed = sum(one.disturbed for one in records)
    if len(records) == 1:
        word, why = verdict_of(records[0])
        detail = f": {why}" if why else ""
        said = [f"A round trip takes {LATENCY.of(records[0]) / 1e3:.2f} us in the "
                "mean." if records[0].is_pingpong else
                f"{units.bitrate(records[0].goodput_bps)} of goodput, limited by "
                f"{word}{detail}."]
        return said + [f"The run is {records[0].disturbed_by}."] * disturbed
    held = Counter(row.cells[-1].text for table in tables for row in table.rows
                   for _ in range(int(row.cells[0].sort)))
    said = [f"{count} of {len(records)} runs were limited by {word}."
            for word, count in held.most_common(4)]
    if disturbed:
        said.append(f"{disturbed} of {len(records)} runs were disturbed by other work.")
    return said


def make(records: Records, warn: Callable[[str], None]) -> str:
    """Return the page; call *warn* for each picture that is missing."""
    runs, compared = records.runs, Compared(records.runs)
    # What a ladder, say, made of its runs is in its own part of the page.
    made = {name for name, of in ((keys.LADDER, records.ladders),
                                  (keys.MESH, records.meshes),
                                  (keys.AB, records.comparisons),
                                  (keys.IMPROVE, records.searches)) if of}
    alone = [one for one in runs if one.part_of not in made]
    settings = Compared(alone)
    counting = [one for group in settings.groups()
                for one in _counting([alone[i] for i in group.runs])
                if one.why_not is None]
    parts = Counter(one.part_of for one in runs if one.part_of in made)
    # Only a ladder says what its clock counts, in that of its runs too.
    clock_unit = next(filter(None, (one.text(f"{keys.LADDER}.{keys.CLOCK_UNIT}")
                                    for one in records.ladders)), "cycles")
    tables = [table for table in (
        _table("Streams", STREAMS, alone, settings, clock_unit),
        _table("Ping-pongs", PINGPONGS, alone, settings, clock_unit)) if table.rows]
    ladders = [draw(lambda one=one: ladder.draw(one, runs), warn)  # type: ignore[misc]
               for one in records.ladders]
    of_runs = [
        *(mesh.of(one.root, lambda make: draw(make, warn))
          for one in mesh.latest(records.meshes)),
        *(ab.of(one.root, lambda make: draw(make, warn))
          for one in records.comparisons),
        *(improve.of(one.root, lambda make: draw(make, warn))
          for one in records.searches)]
    common = [] if not runs else [one for key, one in compared.of[0].items()
                                  if key not in compared.varying]
    caption = style.caption_of([*runs, *records.ladders, *records.profiles,
                                *records.sweeps])
    return render({
        "caption": f"{len(runs)} run{'' if len(runs) == 1 else 's'}" +
        (f", {caption}" if caption else ""),
        "note": NOTE.format(_what_costs_are(tables)) if tables else "",
        "sentences": _sentences(alone, tables)
        if alone and not ladders and not of_runs else [
            f"{count} of the runs are those of {OF[name]}: what they show is in its "
            "part of the page, and below each of them alone."
            for name, count in parts.items()],
        "runs": len(runs), "tables": tables, "ladders": ladders,
        "parts": of_runs,
        "pictures": _pictures(counting, records, warn),
        "details": [_detail(one, i, compared)
                    for i, one in enumerate(runs[:DETAILS_MAX])],
        "left_out": max(0, len(runs) - DETAILS_MAX), "common": common,
    })


def _what_costs_are(tables: Sequence[Table]) -> str:
    """Return what the costs in the tables are."""
    names = {name.partition(" ")[0].partition("/")[0] for table in tables
             for name, _ in table.columns}
    return " ".join(words for name, words in COSTS.items() if name in names)


def render(context: dict[str, Any]) -> str:
    """Return a page of what page.html.j2 names; what is missing is empty."""
    script = (FOLDER / "page.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    empty: dict[str, Any] = {"title": "ktput: report", "runs": 0, "left_out": 0,
                             **dict.fromkeys((
                                 "sentences", "ladders", "parts", "tables", "pictures",
                                 "details", "common"), ())}
    return environment.get_template("page.html.j2").render(
        **empty | context, style=(FOLDER / "page.css").read_text(), script=script,
        script_hash=digest) + "\n"
