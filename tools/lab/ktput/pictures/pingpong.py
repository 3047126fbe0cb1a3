# SPDX-License-Identifier: GPL-2.0
"""Round trips: latency by percentile, and latency and throughput over sizes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import keys, units
from ..output import CommandError
from ..record import Record, Sweep, array, at, number, text
from ..settings import Compared
from . import style
from .series import shown_groups
from .style import COLOURS, LINES_MAX, Canvas, Label, Picture

HEIGHT = 3.6
DASHES = ("-", (0, (4, 2)))


def _points(record: Record) -> tuple[list[float], list[float]]:
    """Return shares of round trips, below 1, and latencies they do not exceed, us."""
    buckets = record.list(keys.HISTOGRAM)
    every = math.fsum(number(one, "count") for one in buckets)
    if buckets and every > 0:
        below, shares, latencies = 0.0, [], []
        for one in buckets:
            below += number(one, "count")
            if below < every:
                shares.append(below / every)
                latencies.append(number(one, "to_ns") / 1e3)
        return shares, latencies
    latency = record.latency_ns
    known = [(share, latency[key] / 1e3) for key, share in keys.PERCENTILES
             if not math.isnan(latency.get(key, math.nan))]
    return [share for share, _ in known], [value for _, value in known]


def draw_percentiles(records: Sequence[Record], compared: Compared) -> Picture:
    """Draw the latency that a share of the round trips does not exceed."""
    title = "Latency by percentile of the round trips"
    groups, more = shown_groups(compared)
    canvas = Canvas(title, HEIGHT, style.caption_of(records), right=2.2)
    axes = canvas.axes(0.15, HEIGHT)
    labels, reach, told = [], 2.0, []
    for group, colour in zip(groups, COLOURS, strict=False):
        for n, index in enumerate(group.runs):
            shares, latencies = _points(records[index])
            if not shares:
                continue
            places = 1 / (1 - np.array(shares))
            reach = max(reach, float(places[-1]))
            style.line(axes, places, latencies, color=colour,
                       alpha=1 if len(group.runs) == 1 else 0.7)
            if not n:
                median = records[index].latency_ns.get("p50", math.nan) / 1e3
                name = group.label or "round trips"
                labels.append(Label(latencies[-1], f"{name}, median {median:.4g} us",
                                    colour))
                longest = f"longest drawn {latencies[-1]:.4g} us"
                told.append(f"{name}: median {median:.4g} us, {longest}")
    if not labels:
        raise CommandError("no run has round trips: measure with ktput-ctl pingpong")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(1, reach * 1.1)
    shares = [share for share in (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
              if 1 / (1 - share) <= reach * 1.1]
    axes.set_xticks([1 / (1 - share) for share in shares],
                    [f"{share * 100:.6g}%" for share in shares])
    axes.minorticks_off()
    style.log_ticks(axes.yaxis, *axes.get_ylim())
    axes.set_xlabel("share of the round trips that take no longer")
    axes.set_ylabel("latency (us)")
    if more:
        canvas.note(f"{more} more sets of runs are not drawn")
    style.label_ends(axes, labels, canvas.right)
    return canvas.done(f"{title}. {'; '.join(told)}.")


def _name(sweep: Sweep, places: bool) -> str:
    if sweep.text("sweep.engine") == "nptcp":
        name = "NPtcp, mean"
    else:
        how = sweep.text("sweep.source.wait") or ""
        reply = sweep.text("sweep.source.reply")
        how = f", {how}" if how else f", from the {reply}" if reply else ""
        transport, layer = (sweep.text(f"sweep.source.{key}") or ""
                            for key in ("transport", "layer"))
        name = f"{transport}, layer {layer}{how}"
        if at(sweep.root, "sweep.source.connect_per_request") is True:
            name += ", a connection each"
    if places:
        name += f", to {sweep.text('sweep.to') or ''}"
    return name + (", interrupted" if at(sweep.root, "interrupted") is True else "")


def _latency_us(one: Any) -> float:  # noqa: ANN401
    """Return the median round trip of a size, or the mean: NPtcp reports no median."""
    median = number(one, "latency_p50_ns")
    return (number(one, "latency_mean_ns") if math.isnan(median) else median) / 1e3


def draw_sizes(sweeps: Sequence[Sweep]) -> Picture:
    """Draw latency and throughput against size, a line for each sweep."""
    if not sweeps:
        raise CommandError("there is no sweep of sizes in it: give what ktput-ctl -j "
                           "pingpong sizes prints")
    if len(sweeps) > 2 * LINES_MAX:
        raise CommandError(f"{len(sweeps)} sweeps: give {2 * LINES_MAX} or fewer, so "
                           "that their lines can be told apart")
    rates = [number(one, "throughput_bps") for sweep in sweeps
             for one in sweep.list(keys.SWEEP_SIZES)]
    largest = max((rate for rate in rates if not math.isnan(rate)), default=0)
    if not largest > 0:
        raise CommandError("no size of the sweep has a result")
    places = len({text(one.root, "sweep.to") for one in sweeps}) > 1
    title = "Ping-pong: latency and throughput against the size of messages"
    canvas = Canvas(title, 2 * 2.4 + 0.85, style.caption_of(sweeps), right=2.2)
    factor, unit = units.scale(largest, "b/s")
    dropped = any(sweep.list("dropouts") for sweep in sweeps)
    for row, (name, of, scale) in enumerate((
            ("round trip, median (us)", _latency_us, 1.0),
            (f"throughput ({unit})", lambda one: number(one, "throughput_bps"),
             factor))):
        axes = canvas.axes(0.15 + row * 2.95, 2.4)
        labels = []
        for i, sweep in enumerate(sweeps):
            sizes = sweep.list(keys.SWEEP_SIZES)
            out = {number(one, "bytes") for one in array(sweep.root, "dropouts")}
            xs = np.array([number(one, "bytes") for one in sizes])
            ys = np.array([of(one) for one in sizes]) * scale
            colour = COLOURS[i % LINES_MAX]
            axes.plot(xs, ys, color=colour, marker="o", ms=2,
                      ls=DASHES[i // LINES_MAX])
            ring = np.isin(xs, list(out))
            axes.plot(xs[ring], ys[ring], ls="", marker="o", ms=9, mfc="none",
                      mec=colour)
            known = ys[~np.isnan(ys)]
            if len(known):
                labels.append(Label(float(known[-1]), _name(sweep, places), colour))
        axes.set_xscale("log", base=2)
        low, high = axes.get_xlim()
        exponents = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
        step = math.ceil(len(exponents) / 10)
        ticks = [2.0 ** one for one in exponents[::step]]
        axes.set_xticks(ticks, [units.size(one) if one >= 1 else "" for one in ticks])
        axes.minorticks_off()
        axes.set_ylabel(name)
        if row:
            axes.set_ylim(0, None)
            axes.set_xlabel("message")
        else:
            axes.set_yscale("log")
            axes.minorticks_off()
            style.log_ticks(axes.yaxis, *axes.get_ylim())
        style.label_ends(axes, labels, canvas.right)
    if dropped:
        canvas.figure.text(1 - 0.12 / style.WIDTH, 0.1 / canvas.height,
                           "○ drops out", size=8, ha="right", color=style.MUTED)
    return canvas.done(f"{title}, of {len(sweeps)} sweeps; the greatest throughput is "
                       f"{units.bitrate(largest)}.")
