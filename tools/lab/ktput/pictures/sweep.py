# SPDX-License-Identifier: GPL-2.0
"""Goodput, or latency of ping-pongs, against one or two settings."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import units, wording
from ..output import CommandError
from ..record import Record
from ..settings import Compared
from ..statistics import GOODPUT, LATENCY, Estimate, Figure, of_runs
from . import style
from .series import draw_ceilings, shown, shown_groups
from .style import COLOURS, MUTED, OFF_SCALE, OTHERS, Canvas, Label, Picture

HEIGHT = 3.6
#: Values with a larger ratio are spaced logarithmically.
RATIO_MAX = 12
#: Width of a value's label in inches.
TICK_IN = 0.7


def figure_of(records: Sequence[Record]) -> Figure:
    """Return the figure to draw: goodput, if a run has it."""
    return GOODPUT if any(not math.isnan(one.goodput_bps) for one in records) \
        else LATENCY


def _refuse(variable: str, values: Sequence[float], compared: Compared) -> None:
    if len({one for one in values if not math.isnan(one)}) > 1:
        return
    numbers = ", ".join(compared.numbers_that_vary())
    raise CommandError(
        f"{variable} " + ("is no number that these runs have"
                          if all(math.isnan(one) for one in values)
                          else "is the same in all runs") +
        (f"; numbers that vary: {numbers}" if numbers
         else "; no number varies in them"))


def _name(variable: str) -> str:
    """Return the name of a setting in words."""
    return wording.title(variable.rpartition(".")[2])


def _shown(value: float, variable: str) -> str:
    """Return a value of a setting, with its unit if the name has one."""
    end = wording.split(variable)[1]
    return wording.UNITS[end](value) if end else units.tick(value)


def _apart(axes: Any, one: float, other: float) -> float:  # noqa: ANN401
    """Return the distance in inches of two values on the axis of the variable."""
    left, right = (float(axes.transData.transform((value, 0))[0])
                   for value in (one, other))
    return (right - left) / float(axes.figure.dpi)


def _axis(axes: Any, variable: str, values: Sequence[float]) -> None:  # noqa: ANN401
    places = sorted(set(values))
    axes.set_xlabel(_name(variable))
    if places[0] > 0 and places[-1] / places[0] > RATIO_MAX:
        axes.set_xscale("log", base=2)
        room = (places[-1] / places[0]) ** 0.03
        axes.set_xlim(places[0] / room, places[-1] * room)
    else:
        room = (places[-1] - places[0]) * 0.03
        axes.set_xlim(places[0] - room, places[-1] + room)
    kept: list[float] = []
    for place in places:
        if not kept or _apart(axes, kept[-1], place) > TICK_IN:
            kept.append(place)
    axes.set_xticks(kept, [_shown(one, variable) for one in kept])
    axes.minorticks_off()


def _factor(axis: Any, figure: Figure, largest: float) -> float:  # noqa: ANN401
    if figure is GOODPUT:
        return style.axis_units(axis, largest, "goodput, mean", "b/s")
    axis.set_label_text("latency, mean (us)")
    return 1e-3


def draw(records: Sequence[Record], compared: Compared, variable: str,
         series: str | None = None) -> Picture:
    """Draw the mean of equal runs, its interval, and the ceilings.

    With *series* runs are equal if that setting and *variable* are.
    """
    values = [compared.number(i, variable) for i in range(len(records))]
    _refuse(variable, values, compared)
    figure = figure_of(records)
    groups, more = shown_groups(compared, variable) if series is None else \
        shown(compared.groups_by(series))
    lines: list[tuple[str, list[float], list[Estimate]]] = []
    for group in groups:
        places = sorted({values[i] for i in group.runs if not math.isnan(values[i])})
        estimates = [of_runs([records[i] for i in group.runs if values[i] == place],
                             figure) for place in places]
        if places:
            lines.append((group.label, places, estimates))
    tops = [max(one.mean, one.ci_high if one.ci_high == one.ci_high else one.mean)
            for _, _, estimates in lines for one in estimates
            if not math.isnan(one.mean)]
    if not tops or not max(tops) > 0:
        raise CommandError("these runs have neither goodput nor latency")
    name = _name(variable)
    what = "Goodput" if figure is GOODPUT else "Round trips, mean latency"
    title = f"{what} against {name}: mean and 95% confidence interval"
    canvas = Canvas(title, HEIGHT, style.caption_of(records), right=2.2)
    axes = canvas.axes(0.15, HEIGHT)
    largest = max(one.mean for _, _, estimates in lines for one in estimates
                  if one.mean == one.mean)
    factor = _factor(axes.yaxis, figure, largest)
    labels = []
    for (label, places, estimates), colour in zip(lines, COLOURS, strict=False):
        means = np.array([one.mean for one in estimates]) * factor
        low = np.array([one.ci_low for one in estimates]) * factor
        high = np.array([one.ci_high for one in estimates]) * factor
        axes.fill_between(places, low, high, color=colour, alpha=0.2, lw=0)
        if len(places) == 1:
            axes.vlines(places, low, high, color=colour)
        axes.plot(places, means, color=colour, marker="o", ms=4.5)
        labels.append(Label(float(means[-1]), label or "mean", colour))
    _axis(axes, variable, [one for one in values if not math.isnan(one)])
    axes.set_ylim(0, min(max(tops), largest * 2) * factor * 1.05)
    if figure is GOODPUT:
        labels += _ceilings(canvas, axes, records, values, largest, factor)
    if more:
        canvas.note(f"{more} more sets of runs are not drawn")
    if len(lines) > 1 and all(len(places) == 1 for _, places, _ in lines):
        canvas.note("no two of these sets differ in that alone, so that no line joins "
                    "them: 'plot sweep' with 'by' draws one for each value of a "
                    "setting")
    style.label_ends(axes, labels, canvas.right)
    told = "; ".join(
        f"{label or name}: " + ", ".join(
            f"{_shown(place, variable)} {_told(figure, one)}"
            for place, one in zip(places, estimates, strict=True))
        for label, places, estimates in lines)
    return canvas.done(f"{title}. {told}.")


def _told(figure: Figure, one: Estimate) -> str:
    return units.bitrate(one.mean) if figure is GOODPUT else f"{one.mean / 1e3:.4g} us"


def _ceilings(canvas: Canvas, axes: Any, records: Sequence[Record],  # noqa: ANN401
              values: Sequence[float], largest: float, factor: float) -> list[Label]:
    """Draw each ceiling against the variable; the first run at each value counts."""
    curves: dict[str, dict[float, float]] = {}
    for record, place in zip(records, values, strict=True):
        if not math.isnan(place):
            for name, bps in style.ceilings_of([record]).items():
                curves.setdefault(name, {}).setdefault(place, bps)
    labels, level = [], {}
    for name, curve in curves.items():
        if len(set(curve.values())) == 1:
            level[name] = next(iter(curve.values()))
            continue
        places = sorted(curve)
        rates = np.array([curve[place] for place in places])
        rates[rates > largest * OFF_SCALE] = np.nan
        known = rates[~np.isnan(rates)]
        if not len(known):
            level[name] = max(curve.values())
            continue
        # A point that has no neighbours has no line.
        axes.plot(places, rates * factor, color=OTHERS, lw=1.2, ls=(0, (4, 3)),
                  marker="_", ms=12)
        last = float(np.array(places)[~np.isnan(rates)][-1])
        labels.append(Label(float(known[-1]) * factor, f"ceiling: {name}", MUTED, last))
    labels += draw_ceilings(canvas, axes, level, largest, factor)
    if labels:
        axes.set_ylim(0, max(axes.get_ylim()[1], *(one.y * 1.05 for one in labels)))
    return labels


def draw_heat(records: Sequence[Record], compared: Compared, x: str,
              y: str) -> Picture:
    """Draw the mean over the runs at each pair of two settings, as a heat map."""
    pairs = [(compared.number(i, x), compared.number(i, y))
             for i in range(len(records))]
    _refuse(x, [one for one, _ in pairs], compared)
    _refuse(y, [one for _, one in pairs], compared)
    known = [pair for pair in pairs if not any(map(math.isnan, pair))]
    across, up = (sorted({pair[i] for pair in known}) for i in (0, 1))
    figure = figure_of(records)
    cells = np.full((len(up), len(across)), np.nan)
    for row, b in enumerate(up):
        for column, a in enumerate(across):
            runs = [record for record, pair in zip(records, pairs, strict=True)
                    if pair == (a, b)]
            if runs:
                cells[row, column] = of_runs(runs, figure).mean
    if np.isnan(cells).all():
        raise CommandError("these runs have neither goodput nor latency")
    what = "Goodput" if figure is GOODPUT else "Mean latency"
    title = f"{what}, by {_name(x)} and {_name(y)}"
    height = min(6.0, max(1.6, 0.42 * len(up)))
    canvas = Canvas(title, height, style.caption_of(records), left=1.3, right=0.3)
    axes = canvas.axes(0.05, height)
    factor, unit = units.scale(float(np.nanmax(cells)), "b/s") \
        if figure is GOODPUT else (1e-3, "us")
    canvas.note(f"mean in {unit}" + (
        "; other settings vary, too, and are averaged"
        if any(one.label for one in compared.groups(x, y)) else ""))
    # Draw squares instead of an image: a page has no references, even internal ones.
    axes.pcolormesh(np.arange(len(across) + 1) - 0.5, np.arange(len(up) + 1) - 0.5,
                    cells * factor, cmap="cividis", vmin=0)
    axes.grid(visible=False)
    top = float(np.nanmax(cells))
    for row, column in np.ndindex(cells.shape):
        value = cells[row, column]
        if not math.isnan(value):
            axes.text(column, row, f"{value * factor:.3g}", ha="center", va="center",
                      fontsize=min(9.0, 90 / max(len(across), 8)),
                      color="#111114" if value > top * 0.55 else "#fffffd")
    for ticks, places, variable, label in (
            (axes.set_xticks, across, x, axes.set_xlabel),
            (axes.set_yticks, up, y, axes.set_ylabel)):
        step = math.ceil(len(places) / 16)
        ticks(range(0, len(places), step), [_shown(one, variable)
                                            for one in places[::step]])
        label(_name(variable))
    return canvas.done(f"{title}: from {_value(figure, float(np.nanmin(cells)))} to "
                       f"{_value(figure, top)} over {len(known)} runs.")


def _value(figure: Figure, value: float) -> str:
    return units.bitrate(value) if figure is GOODPUT else f"{value / 1e3:.4g} us"
