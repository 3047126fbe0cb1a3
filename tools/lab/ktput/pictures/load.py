# SPDX-License-Identifier: GPL-2.0
"""Latency under load: round trips before, during and after it, and its goodput."""

from collections.abc import Sequence

import numpy as np

from .. import keys, units
from ..output import CommandError
from ..record import Record, number, text
from . import style
from .style import COLOURS, SHADE, Canvas, Label, Picture

TRIPS, GOODPUT = 2.3, 1.5
#: The phases of ktput-ctl load, and the load itself; a colour each.
PHASES = ("before", "during", "after")
LOAD = "load"
COLOUR = dict(zip((*PHASES, LOAD), (COLOURS[2], COLOURS[1], COLOURS[4], COLOURS[0]),
                  strict=True))


def _parts(runs: Sequence[Record]) -> dict[str, Record]:
    """Return the runs of one load by phase; raises CommandError."""
    found: dict[str, Record] = {}
    for run in runs:
        phase = text(run.root, f"{keys.LOAD_RUN}.phase")
        if phase is None:
            continue
        if phase in found:
            raise CommandError("there is more than one load in it: give one")
        found[phase] = run
    if LOAD not in found or not {*PHASES} & {*found}:
        raise CommandError("there are no round trips and load in it: give what "
                           "ktput-ctl load keeps with 'record FILE'")
    return found


def _begin_s(run: Record) -> float:
    """Return when a run began, in seconds of its host's clock."""
    return number(run.list(keys.INTERVALS)[0], "source.run.begun_ns") / 1e9


def _steps(run: Record, zero_s: float, key: str) -> tuple[list[float], list[float]]:
    """Return times and values of a member: constant in each interval."""
    times: list[float] = []
    values: list[float] = []
    begin_s = _begin_s(run) - zero_s
    for one in run.list(keys.INTERVALS):
        times += [begin_s + number(one, f"{end}_ns") / 1e9 for end in ("from", "to")]
        values += [number(one, key)] * 2
    return times, values


def draw(runs: Sequence[Record]) -> Picture:
    """Draw the latency of each phase over time, and the load's goodput below."""
    parts = _parts([one for one in runs if one.intervals])
    zero_s = min(_begin_s(one) for one in parts.values())
    title = "Latency under load"
    canvas = Canvas(title, TRIPS + GOODPUT + 0.75, style.caption_of(parts.values()),
                    right=2.2)
    load = parts[LOAD]
    if load.binding:
        canvas.note(f"bottleneck of the load: {load.binding[1]}")
    above, below = canvas.axes(0.15, TRIPS), canvas.axes(0.55 + TRIPS, GOODPUT)
    labels, told = [], []
    for phase in (one for one in PHASES if one in parts):
        run, colour = parts[phase], COLOUR[phase]
        for key, how in (("latency_p50_ns", "-"), ("latency_p99_ns", ":")):
            times, values = _steps(run, zero_s, key)
            above.plot(times, np.array(values) / 1e3, color=colour, ls=how)
        median = run.latency_ns.get("p50", float("nan"))
        words = f"{phase}: median {units.duration(median, '.3g')}"
        labels.append(Label(median / 1e3, words, colour))
        told.append(words)
    times, rates = _steps(load, zero_s, "goodput_bps")
    factor = style.axis_units(below.yaxis, float(np.nanmax(rates)), "load", "b/s")
    below.plot(times, np.array(rates) * factor, color=COLOUR[LOAD])
    above.set_yscale("log")
    above.minorticks_off()
    style.log_ticks(above.yaxis, *above.get_ylim())
    above.set_ylabel("round trip (us)")
    above.set_title("median of each interval; 99 % dotted", fontsize=9)
    above.tick_params(labelbottom=False)
    below.set_ylim(0, None)
    below.set_xlabel("time (s)")
    end_s = max(_steps(one, zero_s, "to_ns")[0][-1] for one in parts.values())
    for axes in (above, below):
        axes.set_xlim(0, end_s)
        axes.axvspan(times[0], times[-1], color=SHADE, zorder=0, lw=0)
    style.label_ends(above, labels, canvas.right)
    goodput = f"load: {units.bitrate(load.goodput_bps)}"
    style.label_ends(below, [Label(load.goodput_bps * factor, goodput, COLOUR[LOAD])],
                     canvas.right)
    return canvas.done(f"{title}. {'; '.join([*told, goodput])}.")
