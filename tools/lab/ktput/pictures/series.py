# SPDX-License-Identifier: GPL-2.0
"""Figures over time: goodput with its ceilings, and TCP state."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import keys, units, wording
from ..output import CommandError
from ..record import Json, Record, array, at, number
from ..settings import Compared, Group
from ..statistics import Array
from . import style
from .style import (
    COLOURS,
    LINES_MAX,
    MUTED,
    OFF_SCALE,
    OTHERS,
    SHADE,
    Canvas,
    Label,
    Picture,
)

HEIGHT = 3.4
#: Maximum number of equal runs drawn as lines; more are a mean and a band.
RUNS_MAX = 4
#: An unset threshold is above 2^30 in the kernel.
THRESHOLD_MAX = 1e9


def shown_groups(compared: Compared, *without: str) -> tuple[list[Group], int]:
    """Return the groups of runs that have lines, and the number of the others."""
    return shown(compared.groups(*without))


def shown(groups: list[Group]) -> tuple[list[Group], int]:
    """Return the groups that have lines, and the number of the others."""
    return groups[:LINES_MAX], max(0, len(groups) - LINES_MAX)


def _steps(record: Record) -> tuple[list[float], list[float]]:
    """Return times and rates: constant in each interval, since the rate is a mean."""
    times, rates = [], []
    for one in record.intervals:
        times += [one.from_s, one.to_s]
        rates += [one.goodput_bps, one.goodput_bps]
    return times, rates


def _band(runs: Sequence[Record]) -> tuple[Any, Any, Any, Any]:
    """Return times, mean, minimum and maximum of runs, at the ends of intervals."""
    end = max(one.intervals[-1].to_s for one in runs)
    count = max(len(one.intervals) for one in runs)
    times = np.linspace(0, end, count + 1)[1:]
    values = np.array([np.interp(times, [i.to_s for i in one.intervals],
                                 [i.goodput_bps for i in one.intervals], left=np.nan,
                                 right=np.nan) for one in runs])
    known = ~np.isnan(values).all(axis=0)
    values = values[:, known]
    return (times[known], np.nanmean(values, axis=0), np.nanmin(values, axis=0),
            np.nanmax(values, axis=0))


def draw_rate(records: Sequence[Record], compared: Compared) -> Picture:
    """Draw the goodput of each interval over time, and the ceilings."""
    known = {index for index, one in enumerate(records)
             if any(math.isfinite(i.goodput_bps) for i in one.intervals)}
    if not known:
        raise CommandError("there are no intervals in these runs: set 'interval' "
                           "shorter than 'time'")
    groups, more = shown_groups(compared)
    groups = [Group(one.label, [i for i in one.runs if i in known]) for one in groups]
    groups = [one for one in groups if one.runs]
    largest = max(max(i.goodput_bps for i in records[index].intervals
                      if i.goodput_bps == i.goodput_bps)
                  for one in groups for index in one.runs)
    canvas = Canvas("Goodput over time", HEIGHT, style.caption_of(records), right=2.2)
    axes = canvas.axes(0.15, HEIGHT)
    factor = style.axis_units(axes.yaxis, largest, "goodput", "b/s")
    labels = []
    for group, colour in zip(groups, COLOURS, strict=False):
        runs = [records[index] for index in group.runs]
        if len(runs) > RUNS_MAX:
            times, mean, low, high = _band(runs)
            axes.fill_between(times, low * factor, high * factor, color=colour,
                              alpha=0.2, lw=0)
            style.line(axes, times, mean * factor, color=colour)
            end = (times[-1], mean[-1])
        else:
            for run in runs:
                times, rates = _steps(run)
                axes.plot(times, np.array(rates) * factor, color=colour,
                          alpha=1 if len(runs) == 1 else 0.7)
            # Of runs that are alike, the label is at the one that ends in the middle.
            end = sorted(((run.intervals[-1].to_s, run.intervals[-1].goodput_bps)
                          for run in runs), key=lambda one: one[1])[len(runs) // 2]
        name = group.label or ("goodput" if len(runs) == 1 else "")
        count = f"{len(runs)} runs" if len(runs) > 1 else ""
        labels.append(Label(end[1] * factor, ", ".join(
            word for word in (name, count) if word), colour, end[0]))
    warm_up = max((i.to_s for one in records for i in one.intervals if i.warm_up),
                  default=0)
    axes.set_xlim(0, max(one.intervals[-1].to_s for i, one in enumerate(records)
                         if i in known))
    axes.set_xlabel("time (s)")
    labels += draw_ceilings(canvas, axes, style.ceilings_of(records), largest, factor)
    if warm_up > 0:
        axes.axvspan(0, warm_up, color=SHADE, zorder=0)
        axes.text(0, 0.015, " warm-up", transform=axes.get_xaxis_transform(), size=8,
                  va="bottom", color=MUTED)
    if more:
        canvas.note(f"{more} more sets of runs are not drawn")
    axes.set_ylim(0, None)
    style.label_ends(axes, labels, canvas.right)
    means = [float(np.mean([records[i].goodput_bps for i in group.runs]))
             for group in groups]
    told = "; ".join(f"{group.label or 'goodput'}: {units.bitrate(mean)}"
                     for group, mean in zip(groups, means, strict=True))
    return canvas.done(f"Goodput over time. {told}.")


def draw_ceilings(canvas: Canvas, axes: Any, ceilings: dict[str, float],  # noqa: ANN401
                  largest: float, factor: float) -> list[Label]:
    """Draw levels that are on scale, name the others; return their labels."""
    labels, off = [], []
    for name, bps in ceilings.items():
        if bps > largest * OFF_SCALE:
            off.append(f"{wording.title(name)} {units.bitrate(bps)}")
            continue
        axes.axhline(bps * factor, color=OTHERS, lw=1.2, ls=(0, (4, 3)))
        labels.append(Label(bps * factor, f"ceiling: {wording.title(name)} "
                            f"{units.bitrate(bps)}", MUTED))
    if off:
        canvas.note(f"Ceilings off scale: {', '.join(off)}")
    return labels


def _tcp_of(interval: Json, which: float) -> Json:
    """Return the TCP state of a stream at the end of an interval, None if unknown."""
    for one in array(interval, TCP_STREAMS):
        if number(one, "stream") == which and at(one, "tcp") is not None:
            return at(one, "tcp")
    return None


TCP_STREAMS = "source.streams"


@dataclass(frozen=True)
class Stream:
    """A TCP stream that has a line."""

    label: str
    times_s: Array
    #: one for each interval
    states: list[Json]

    def values(self, key: str, factor: float) -> Array:
        """Return a member over the intervals."""
        return np.array([number(one, key) for one in self.states]) * factor


def has_streams(record: Record) -> bool:
    """Whether a record has TCP streams in its intervals."""
    return any(at(one, "tcp") is not None for interval in
               record.list(keys.INTERVALS)[-1:] for one in array(interval, TCP_STREAMS))


def _streams(records: Sequence[Record], compared: Compared) -> list[Stream]:
    """Return all TCP streams of runs."""
    found = []
    alike = len(compared.groups()) < len(records)
    for index, record in enumerate(records):
        intervals = record.list(keys.INTERVALS)
        names = [compared.label(index), f"run {index + 1}" if alike else ""]
        for one in array(intervals[-1], TCP_STREAMS) if intervals else []:
            which = number(one, "stream")
            if not math.isnan(which) and at(one, "tcp") is not None:
                found.append(Stream(
                    ", ".join([*filter(None, names), f"stream {which:.0f}"]),
                    np.array([number(i, "to_ns") / 1e9 for i in intervals]),
                    [_tcp_of(i, which) for i in intervals]))
    return found


#: Name, unit, key and factor of a panel, and those of its dotted lines.
PANELS = (
    ("congestion window; slow start threshold dotted", "segments", 1.0,
     "congestion_window_segments", "slow_start_threshold_segments"),
    ("round-trip time, smoothed; least dotted", "ms", 1e-3, "rtt_us", "rtt_min_us"),
)


def draw_tcp(records: Sequence[Record], compared: Compared) -> Picture:
    """Draw congestion window and round-trip time of streams over time."""
    every = _streams(records, compared)
    streams = every[:LINES_MAX]
    if not streams:
        raise CommandError("these runs have no TCP streams in their intervals: measure "
                           "with ktput-ctl -j -s start")
    title = "What TCP did: congestion window and round-trip time"
    canvas = Canvas(title, 2 * 2.2 + 0.85, style.caption_of(records), right=2.2)
    if len(every) > len(streams):
        canvas.note(f"the first {len(streams)} of {len(every)} streams")
    seconds = max(float(np.nanmax(one.times_s)) for one in streams)
    for row, (name, unit, factor, key, dotted) in enumerate(PANELS):
        axes = canvas.axes(0.3 + row * 2.7, 2.2)
        labels = []
        for one, colour in zip(streams, COLOURS, strict=False):
            values, pale = one.values(key, factor), one.values(dotted, factor)
            pale[~(pale < THRESHOLD_MAX)] = np.nan
            style.line(axes, one.times_s, values, color=colour)
            style.line(axes, one.times_s, pale, color=colour, lw=1.2, ls=":")
            known = values[~np.isnan(values)]
            if len(known):
                labels.append(Label(float(known[-1]), one.label, colour))
        axes.set_title(name, fontsize=9)
        axes.set_ylabel(unit)
        axes.set_ylim(0, None)
        axes.set_xlim(0, seconds)
        axes.tick_params(labelbottom=bool(row))
        if row:
            axes.set_xlabel("time (s)")
        style.label_ends(axes, labels, canvas.right)
    return canvas.done(f"{title}, of {len(streams)} streams over {seconds:.3g} s.")
