# SPDX-License-Identifier: GPL-2.0
"""The figure of a memo: what a scenario measured, and the memo's figures."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from .. import keys, units
from ..output import CommandError
from ..record import Record
from ..scenario.description import Drawing, Point
from ..scenario.experiment import Experiment
from ..scenario.figures import FIGURES, Figure, figure_of
from ..scenario.rules import Evaluator, Missing
from . import style
from .style import COLOURS, MUTED, OTHERS, Canvas, Label, Picture

HEIGHT = 3.2
#: Room of a drawing beside its axes, in inches.
BETWEEN = 0.8
#: From this ratio of the values on, they are spaced logarithmically.
RATIO_MAX = 12
#: The x variable of a signature curve: the sizes of a sweep.
BYTES = "bytes"


def draw(experiment: Experiment) -> Picture:
    """Draw the figures of a scenario, one below the other."""
    drawings = experiment.scenario.drawings
    if not drawings:
        raise CommandError(f"{experiment.scenario.name} has no figure")
    height = len(drawings) * (HEIGHT + BETWEEN) - BETWEEN
    canvas = Canvas(experiment.scenario.title, height,
                    style.caption_of(experiment.made.values()), right=2.1)
    told = []
    for number, one in enumerate(drawings):
        axes = canvas.axes(number * (HEIGHT + BETWEEN) + 0.25, HEIGHT - 0.25)
        told.append(_draw(canvas, axes, experiment, one))
    canvas.note("circles are the memo's figures, dashes the ceiling")
    return canvas.done("; ".join(told))


def _curves(experiment: Experiment,
            drawing: Drawing) -> Mapping[str, dict[float, list[Record]]]:
    """Return the records of each curve by the value of x."""
    found: dict[str, dict[float, list[Record]]] = {}
    for point in experiment.points:
        values = experiment.values(point)
        if point.runs.name not in drawing.runs or point.key not in experiment.made:
            continue
        if any(values.get(key) != value for key, value in drawing.held.items()):
            continue
        places = _places(experiment.made[point.key], values.get(drawing.x), drawing.x)
        if not places:
            continue
        label = [point.runs.title] if len(drawing.runs) > 1 else []
        if drawing.series:
            label.append(f"{drawing.series} {values.get(drawing.series, '-')}")
        curve = found.setdefault(", ".join(label) or point.runs.title, {})
        for x, record in places.items():
            curve.setdefault(x, []).append(record)
    return found


def _places(record: Record, x: Any, name: str) -> dict[float, Record]:  # noqa: ANN401
    """Return a record by the value of x; by the bytes of its sizes each of them."""
    if name == BYTES:
        return {float(one[BYTES]): Record({keys.SWEEP_SIZES: [one]}, record.file,
                                           record.line, record.written_s)
                for one in record.list(keys.SWEEP_SIZES)}
    return {float(x): record} if isinstance(x, (int, float)) else {}


def _memo(experiment: Experiment, drawing: Drawing) -> Iterable[tuple[float, float]]:
    """Yield the memo's points of a drawing: x and y."""
    def figure(points: Sequence[Point], _: str) -> Any:  # noqa: ANN401
        return points

    evaluator = Evaluator(experiment.select, figure)
    for row in chain.from_iterable(one.rows for one in experiment.scenario.tables):
        y = row.memo.get(drawing.y, row.memo.get("mean" if drawing.y == "rate"
                                                 else "rate"))
        if y is None or not row.of:
            continue
        try:
            points = evaluator.of(row.of)[0]
        except Missing:
            continue
        values = experiment.values(points[0])
        x = values.get(drawing.x)
        if points[0].runs.name in drawing.runs and isinstance(x, (int, float)) and \
                all(values.get(key) == value for key, value in drawing.held.items()):
            yield float(x), y


def _ceiling(axes: Any, curves: Mapping[str, dict[float, list[Record]]],  # noqa: ANN401
             figure: Figure) -> list[str]:
    """Draw the lowest ceiling of the runs at each value of x, if y has one."""
    found: dict[float, float] = {}
    for curve in curves.values():
        for place, records in curve.items():
            bps = FIGURES["ceiling"].of(records[0])
            found[place] = min(found.get(place, math.inf), bps)
    known = {x: y for x, y in sorted(found.items()) if math.isfinite(y)}
    if not figure.rate or not known:
        return []
    axes.plot(list(known), list(known.values()), color=OTHERS, lw=1.2, ls=(0, (4, 3)))
    return ["ceiling: " + ", ".join(f"{units.tick(x)} {y:.4g}"
                                    for x, y in known.items())]


def _draw(canvas: Canvas, axes: Any, experiment: Experiment,  # noqa: ANN401
          drawing: Drawing) -> str:
    """Draw one figure; return its text alternative."""
    figure = FIGURES[drawing.y]
    curves = _curves(experiment, drawing)
    if not curves:
        raise CommandError(f"no run of '{drawing.title}' has a result")
    labels, told = [], []
    for number, (label, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = sorted(curve)
        values = [figure_of(curve[place], drawing.y, "") for place in places]
        axes.plot(places, values, color=colour, marker="o", ms=4)
        labels.append(Label(values[-1], label, colour, places[-1]))
        told.append(f"{label}: " + ", ".join(
            f"{units.tick(x)} {y:.4g}" for x, y in zip(places, values, strict=True)))
    told += _ceiling(axes, curves, figure)
    memo = list(_memo(experiment, drawing))
    if memo:
        axes.plot(*zip(*memo, strict=True), ls="", marker="o", ms=9, mfc="none",
                  mec=MUTED)
    ticks = sorted({x for curve in curves.values() for x in curve})
    if ticks[0] > 0 and ticks[-1] / ticks[0] > RATIO_MAX:
        axes.set_xscale("log", base=2)
        if drawing.x == BYTES:
            ticks = [x for x in ticks if math.log2(x) % 2 == 0]
    shown = units.size if drawing.x == BYTES else units.tick
    axes.set_xticks(ticks, [shown(one) for one in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_title(drawing.title)
    axes.set_xlabel(drawing.x)
    axes.set_ylabel(f"{figure.title or drawing.y} ({figure.unit})")
    style.label_ends(axes, labels, canvas.right)
    return f"{drawing.title}: " + "; ".join(told)
