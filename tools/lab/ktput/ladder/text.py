# SPDX-License-Identifier: GPL-2.0
"""A ladder as text, from its document."""

import math
from collections.abc import Iterator

from .. import units, wording
from ..output import Column, paragraph, table
from ..record import Json, array, at, number, text
from .rungs import GROUPS, LATENCY_BYTES, STEPS, TCP, Group, traffic_words

NAME = 30
#: Maximum number of other differing classes that a sentence names.
OTHERS = 3
AGREEMENT = (Column("ladder", 7), Column("+-", 5), Column("samples", 7),
             Column("+-", 5), Column("of all", 7),
             Column("+-", 5), Column("", left=True))


def half_width(of: Json) -> float:
    """Return the distance from the mean to the upper end of the interval."""
    return number(of, "ci_high") - number(of, "mean")


def shown(group: Group, value: float) -> str:
    """Return a cost: four digits for a byte, whole cycles for a packet."""
    return f"{value:.{4 if group is TCP else 0}f}" if math.isfinite(value) else "-"


def brief(group: Group, value: float) -> str:
    """Return a cost in seven columns at most."""
    size = abs(value)
    if not math.isfinite(value):
        return "-"
    digits = 0 if group is not TCP or size >= 1000 else 1 if size >= 100 else \
        2 if size >= 10 else 3
    return f"{value:.{digits}f}"


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of a ladder's document."""
    ladder = document["ladder"]
    yield ""
    for group in GROUPS:
        rungs = array(ladder, group.key)
        if rungs:
            yield from _group(ladder, group, rungs)
    yield from _reasons(ladder)
    yield from _latency(ladder)
    yield from _agreement(ladder)
    yield from _ceilings(ladder)
    for group in GROUPS:
        yield from _answer(ladder, group)
    yield from _end(ladder)


def _cost(group: Group, of: Json, difference: bool) -> list[str]:
    """Return cells of a cost and its interval.

    The half width of a cost is printed only if it is below the mean: a cost is not
    negative.
    """
    mean, half = number(of, "mean"), half_width(of)
    known = math.isfinite(half) if difference else half < mean
    return [shown(group, mean), shown(group, half) if known else "-"]


def _group(ladder: Json, group: Group, rungs: list[Json]) -> Iterator[str]:
    """Yield each rung, followed by its differences from cheaper ones."""
    unit = text(ladder, "clock_unit") or "cycles"
    busy = [rung["name"] for rung in rungs if text(rung, "cycles_of") == "busy"]
    own = unit == "cycles" and any(text(rung, "cycles_of") == "own" for rung in rungs)
    where = {"transmit": ("to the sink", "transmit_to"),
             "receive": ("from the source", "receive_from")}.get(group.key)
    yield f"{group.title}: {'own ' * own}{unit} of all CPUs per {group.unit}"
    if own and busy:
        yield from paragraph(", ".join(busy), "busy cycles, since its runs do not say "
                             "whose they are")
    traffic = [traffic_words(ladder, group)]
    if where:
        packets = units.decimal(number(ladder, "packets_per_s"))
        traffic.insert(0, f"{packets} packets/s {where[0]} at {text(ladder, where[1])}")
    yield ", ".join(filter(None, traffic))
    rates = [Column("goodput", 11)] if group is TCP else \
        [Column("packets/s", 9), Column("lost", 6)]
    columns = [Column("", NAME, left=True), *rates, Column("cost", 9), Column("+-", 7),
               Column("", left=True)]
    steps = [one for one in array(ladder, "steps") if one["group"] == group.key]
    rows = []
    for rung in rungs:
        goodput, packets_per_s = (number(rung, f"{key}.mean")
                                  for key in ("goodput_bps", "packets_per_s"))
        lost = number(rung, "loss_share")
        rate = [units.bitrate(goodput)] if group is TCP else \
            [units.decimal(packets_per_s), "-" if lost != lost else f"{lost:.1%}"]
        cost = _cost(group, at(rung, group.cost), False)
        rows.append([rung["name"], *rate, *cost, ""])
        for step in steps:
            if step["above"] == rung["name"]:
                sign = "-" if "below" in step else "="
                rows.append([f"  {sign} {step['cost']}", *("" for _ in rates),
                             *_cost(group, step[group.cost], "below" in step),
                             "" if step["distinct"] else "not sure"])
    yield from table(columns, rows)
    yield ""


def _reasons(ladder: Json) -> Iterator[str]:
    """Yield why runs of rungs have no result."""
    for group in GROUPS:
        for rung in array(ladder, group.key):
            for what, key in (("failed", "not_run_because"),
                              ("not sampled", "not_sampled_because")):
                if key in rung:
                    count = f"{rung['failed_runs']} " if what == "failed" else ""
                    yield f"{group.title}: {rung['name']}"
                    yield from paragraph(f"  {count}{what}", rung[key])


def _latency(ladder: Json) -> Iterator[str]:
    rows: list[list[str]] = []
    reasons: dict[str, str] = {}
    for one in array(ladder, "latency"):
        title = next(group.title for group in GROUPS if group.key == one["group"])
        rows.append([f"{title}: {one['name']}", *(
            units.duration(number(one, key)) for key in ("median_ns", "p99_ns"))])
        because = text(one, "not_measured_because")
        if because:
            reasons.setdefault(because, one["name"])
    if rows:
        title = f"Round trips of {LATENCY_BYTES} bytes"
        yield from table((Column(title, 44, left=True), Column("median", 10),
                          Column("99%", 10)), rows)
        for because, name in reasons.items():
            yield from paragraph(f"{name}: none", because)
        yield "Both ends are at the layer of the rung."
        yield ""


def _agreement(ladder: Json) -> Iterator[str]:
    agreement = at(ladder, "agreement")
    if not agreement:
        return
    yield (f"By both methods: {text(ladder, 'clock_unit')} of a byte with TCP, of a "
           "packet with UDP")
    for group in GROUPS:
        rows = array(agreement, group.key)
        if not rows:
            continue
        yield from table((Column(group.title, 26, left=True), *AGREEMENT), [[
            row["cost"], *(brief(group, value) for value in (
                number(row, f"{group.cost}.mean"), half_width(row[group.cost]),
                *(number(row, f"{which}.{key}") for which in ("sampled", "sampled_all")
                  for key in ("mean", "half_width")))),
            "!" if at(row, "sampled.agrees") is False else ""] for row in rows])
        for row in rows:
            if at(row, "sampled.agrees") is False:
                yield from paragraph("! disagree", _disagreement(group, row))
        yield ""


def _disagreement(group: Group, row: Json) -> str:
    """Return the other differences in the samples, largest first."""
    step = next(one for one in STEPS if one.group is group and one.cost == row["cost"])
    others = sorted(((abs(number(one, "mean")) - number(one, "half_width"), one)
                     for one in row["by_class"] if not one["counted"]),
                    key=lambda pair: -pair[0])
    named = ", ".join(f"{one['class']} {one['mean']:+.3g} +-{one['half_width']:.2g}"
                      for certain, one in others[:OTHERS] if certain > 0)
    return (f"{row['cost']}: counted are {', '.join(step.classes.split())}" +
            (f"; beside these differ {named}" if named else "") +
            ("; all samples together disagree too"
             if at(row, "sampled_all.agrees") is False else ""))


def _ceilings(ladder: Json) -> Iterator[str]:
    rows = [[wording.title(one["name"]), units.bitrate(number(one, "ceiling_bps")),
             f"{number(one, 'share'):.1%}", "binds" if one["binds"] else ""]
            for one in array(ladder, "ceilings")]
    if rows:
        yield f"{TCP.title}: {ladder['ceilings_of']}, its fastest run"
        yield from table((Column("Ceiling", 16, left=True), Column("goodput", 12),
                          Column("reached", 8), Column("", left=True)), rows)
        yield ""


def _answer(ladder: Json, group: Group) -> Iterator[str]:
    """Yield the largest cost of a group's most expensive rung, if it is significant."""
    rungs = [one for one in array(ladder, group.key) if one["runs"]]
    steps = [one for one in array(ladder, "steps") if one["group"] == group.key and
             one["distinct"] and "below" in one and one["cost"] != "all of these"]
    if not rungs or not steps:
        return
    first = next((one for one in rungs if one["name"].startswith("user")), rungs[0])
    whole = number(first, f"{group.cost}.mean")
    most = max(steps, key=lambda one: number(one, f"{group.cost}.mean"))
    cost = number(most, f"{group.cost}.mean")
    if cost > 0:
        yield from paragraph(group.title, (
            f"largest identified cost: {most['cost']}, {shown(group, cost)} of "
            f"{shown(group, whole)} {text(ladder, 'clock_unit')}/{group.unit} "
            f"({cost / whole:.0%} of '{first['name']}')"))


def _end(ladder: Json) -> Iterator[str]:
    met = "reached" if ladder["met"] else "not reached"
    words = [f"{ladder['rounds']} (seed {ladder['seed']}); target "
             f"+-{ladder['wanted_ci_share'] * 100:g}% {met}"]
    if ladder["interrupted"]:
        words.append("interrupted")
    if ladder["out_of_time"]:
        words.append("time limit reached")
    for key, what in (("repeated_rounds", "repeated because of"),
                      ("disturbed_rounds", "kept despite")):
        if ladder[key]:
            words.append(f"{ladder[key]} {what} other work on the CPUs")
    yield from paragraph("Rounds", "; ".join(words))
    if not ladder["met"] and not ladder["interrupted"]:
        yield from paragraph("Try", "stop the other work, or dedicate CPUs to the runs "
                             "(cpus, sink-cpus)" if ladder["disturbed_rounds"] else
                             "more rounds, a longer time, or a wider 'until ci'")
