# SPDX-License-Identifier: GPL-2.0
"""How far repeats of a run are apart: a box for each set of them, or shares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import keys, units
from ..output import CommandError
from ..record import Record, text
from ..settings import Compared
from ..statistics import BY_KEY, GOODPUT, Array, Figure
from . import style
from .style import COLOURS, INK, LINES_MAX, MUTED, PAPER, Canvas, Label, Picture
from .sweep import figure_of

HEIGHT = 2.2
ROW = 0.55
#: With fewer values quartiles say more than is known: the values alone are drawn.
BOX_MIN = 5
#: A whisker reaches the last value within so many widths of the box.
WHISKER = 1.5
#: Of more values than this only the disturbed have dots on their curve.
DOTS_MAX = 50
#: Figures whose bad values are the low ones.
RATES = (GOODPUT.key, "packets_per_s")


class Box(NamedTuple):
    """Quartiles of values, and the last values that the whiskers reach."""

    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float


@dataclass(frozen=True)
class Sample:
    """The values of runs that were made alike."""

    label: str
    #: in order
    values: Array
    #: for each, whether its run was disturbed
    disturbed: Array

    @property
    def name(self) -> str:
        """The label, or what stands for it if there is one set alone."""
        return self.label or "all runs"

    @property
    def box(self) -> Box:
        """The box: percentiles interpolated linearly, and Tukey's whiskers."""
        quarter, median, three = (float(one) for one in
                                  np.percentile(self.values, (25, 50, 75)))
        reach = WHISKER * (three - quarter)
        inside = self.values[(self.values >= quarter - reach) &
                             (self.values <= three + reach)]
        return Box(float(inside[0]), quarter, median, three, float(inside[-1]))

    def shares(self, above: bool) -> Array:
        """Return for each value which share is at or below it, or at or *above*."""
        count = len(self.values)
        if above:
            return 1 - np.searchsorted(self.values, self.values) / count
        return np.searchsorted(self.values, self.values, "right") / count


def _values(record: Record, figure: Figure, intervals: bool) -> list[float]:
    """Return the figure of a run, or that of each interval after its warm-up."""
    of = figure.of_interval or (lambda one: getattr(one, figure.key, math.nan))
    found = [of(one) for one in record.intervals if not one.warm_up] if intervals \
        else [figure.of(record)]
    return [one for one in found if math.isfinite(one)]


def _label(record: Record, setting: str) -> str:
    """Return the side of a comparison or the rung of a run, or what sets it apart."""
    side = text(record.root, f"{keys.AB_RUN}.side")
    return record.rung or ": ".join(filter(None, (side and side.upper(), setting)))


def sets_of(records: Sequence[Record], compared: Compared, figure: Figure,
            by: str | None = None, intervals: bool = False) -> list[Sample]:
    """Return the values of each set of runs, those of one setting with *by*."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for group in compared.groups() if by is None else compared.groups_by(by):
        for record in (records[index] for index in group.runs):
            label = group.label if by else _label(record, group.label)
            found.setdefault(label, []).extend(
                (value, record.disturbed)
                for value in _values(record, figure, intervals))
    ordered = {label: np.array(sorted(pairs)) for label, pairs in found.items()
               if pairs}
    return [Sample(label, pairs[:, 0], pairs[:, 1] > 0)
            for label, pairs in ordered.items()]


def _told(figure: Figure, value: float) -> str:
    if figure.unit == "ns":
        return units.duration(value, ".4g")
    return units.bitrate(value) if figure is GOODPUT else f"{value:.5g}"


def _start(what: str, records: Sequence[Record], compared: Compared, key: str | None,
           by: str | None, intervals: bool) -> tuple[Figure, list[Sample], str, str]:
    """Return figure, sets, title and note of a picture; raises CommandError."""
    figure = BY_KEY[key] if key else figure_of(records)
    every = sets_of(records, compared, figure, by, intervals)
    if not every:
        raise CommandError(f"no run has {figure.key}" + (
            " in its intervals" if intervals else ""))
    sets = every[:LINES_MAX]
    of = "intervals" if intervals else "runs"
    notes = []
    if intervals:
        notes.append("intervals of one run are not independent of each other")
    if any(one.disturbed.any() for one in sets):
        notes.append("hollow: of runs that other work disturbed")
    if len(every) > len(sets):
        notes.append(f"{len(every) - len(sets)} more sets of runs are not drawn")
    return figure, sets, f"{what} of the {of}: {figure.axis}", "; ".join(notes)


def _axis(axes: Any, figure: Figure, sets: Sequence[Sample]) -> float:  # noqa: ANN401
    """Label the axis of the figure; return the factor of its unit."""
    if figure.unit == "ns":
        axes.set_xlabel(f"{figure.axis} (us)")
        return 1e-3
    if figure.key not in RATES:
        axes.set_xlabel(figure.axis)
        return 1.0
    largest = max(float(one.values[-1]) for one in sets)
    return style.axis_units(axes.xaxis, largest, figure.axis.partition("/")[0],
                            figure.unit or "/s")


def _dots(axes: Any, xs: Array, ys: Array, hollow: Array,  # noqa: ANN401
          colour: str) -> None:
    for which, face in ((~hollow, colour), (hollow, PAPER)):
        axes.plot(xs[which], ys[which], ls="", marker="o", ms=4, mfc=face, mec=colour)


def draw_box(records: Sequence[Record], compared: Compared, key: str | None = None,
             by: str | None = None, intervals: bool = False) -> Picture:
    """Draw a box for each set of runs, and each value beside it."""
    figure, sets, title, note = _start("Spread", records, compared, key, by, intervals)
    height = ROW * len(sets)
    canvas = Canvas(title, height + 0.1, "; ".join(filter(None, (
        "box: quartiles and median; whiskers: the last value within 1.5 widths of the "
        "box", style.caption_of(records)))), left=2.2, right=2.2)
    canvas.note(note)
    axes = canvas.axes(0.05, height)
    factor = _axis(axes, figure, sets)
    of, told = "intervals" if intervals else "runs", []
    for i, (one, colour) in enumerate(zip(sets, COLOURS, strict=False)):
        box, count = one.box, len(one.values)
        low, quarter, median, three, high = (value * factor for value in box)
        drawn = count >= BOX_MIN
        if drawn:
            axes.hlines(i - 0.12, low, high, color=colour, lw=1.2, zorder=1)
            axes.barh(i - 0.12, three - quarter, 0.36, left=quarter, color=PAPER,
                      edgecolor=colour, lw=1.2, zorder=2)
        axes.vlines(median, i - 0.3, i + 0.06, color=INK, lw=2, zorder=3)
        _dots(axes, one.values * factor, np.full(count, i + 0.28), one.disturbed,
              colour)
        quartiles = " to ".join(_told(figure, value)
                                for value in (box.quarter, box.three_quarters))
        words = (f"median {_told(figure, box.median)}, {count} {of}",
                 quartiles if drawn else f"no box of fewer than {BOX_MIN}")
        for line, (size, ink) in enumerate(((8.5, INK), (7.5, MUTED))):
            axes.annotate(words[line], (1.03, i - 0.14 + 0.34 * line),
                          xycoords=("axes fraction", "data"), va="center",
                          fontsize=size, color=ink, annotation_clip=False)
        beyond = int(np.sum((one.values < box.low) | (one.values > box.high)))
        told.append(f"{one.name}: {words[0]}" + (
            f", quartiles {quartiles}, whiskers {_told(figure, box.low)} to "
            f"{_told(figure, box.high)}, {beyond} beyond" if drawn else
            f", {_told(figure, one.values[0])} to {_told(figure, one.values[-1])}"))
    axes.set_ylim(len(sets) - 0.5, -0.5)
    axes.set_yticks(range(len(sets)), [style.wrap(one.name, 30, 2) for one in sets])
    axes.tick_params(axis="y", length=0, labelsize=8.5)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.05)
    return canvas.done(f"{title}. {'; '.join(told)}.")


def draw_shares(records: Sequence[Record], compared: Compared, key: str | None = None,
                by: str | None = None, intervals: bool = False) -> Picture:
    """Draw which share of the values is at or below each, and the bad end enlarged."""
    figure, sets, title, note = _start("Shares", records, compared, key, by, intervals)
    canvas = Canvas(title, 2 * HEIGHT + 0.5, style.caption_of(records), right=2.2)
    canvas.note(note)
    above = figure.key not in RATES
    least = min(float(min(one.shares(above))) for one in sets)
    for row, name in enumerate(("below", "above" if above else "below")):
        axes = canvas.axes(0.1 + row * (HEIGHT + 0.35), HEIGHT)
        factor = _axis(axes, figure, sets)
        labels = []
        for one, colour in zip(sets, COLOURS, strict=False):
            shares = one.shares(above and row == 1)
            xs = one.values * factor
            axes.step(xs, shares, where="pre" if above and row else "post",
                      color=colour)
            shown = one.disturbed | (len(xs) <= DOTS_MAX)
            _dots(axes, xs[shown], shares[shown], one.disturbed[shown], colour)
            median = f"median {_told(figure, one.box.median)}"
            labels.append(Label(0.5, f"{one.name}, {median}", colour,
                                float(np.median(xs))))
        axes.set_ylabel(f"share at or {name}")
        if row:
            axes.set_yscale("log")
            ticks = [step * 10.0 ** one for one in range(-9, 0) for step in (1, 2, 5)
                     if step * 10.0 ** one >= least] + [1]
            ticks = ticks[::math.ceil(len(ticks) / 8)]
            axes.set_yticks(ticks, [f"{one * 100:.6g}%" for one in ticks])
            axes.minorticks_off()
            axes.set_ylim(least / 1.3, 1.3)
        else:
            axes.set_ylim(0, 1.04)
            axes.set_yticks((0, 0.25, 0.5, 0.75, 1), ("0", "25%", "50%", "75%", "100%"))
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
            style.label_ends(axes, labels, canvas.right)
    told = "; ".join(
        f"{one.name}: {len(one.values)} values, " + ", ".join(
            f"{percent}% at or below "
            f"{_told(figure, float(np.percentile(one.values, percent)))}"
            for percent in (10, 50, 90)) for one in sets)
    return canvas.done(f"{title}. {told}.")
