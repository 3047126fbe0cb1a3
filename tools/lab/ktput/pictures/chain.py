# SPDX-License-Identifier: GPL-2.0
"""The places that payload passed: how long queues stood, and servers were busy."""

import math
from collections.abc import Sequence

from .. import units
from ..output import CommandError
from ..record import Place, Record
from . import style
from .style import COLOURS, INK, MUTED, SHADE, Canvas, Picture

#: Height of a place in inches.
ROW = 0.36
BAR = 0.3
# Colours of queues, and of servers.
QUEUE, SERVER = COLOURS[0], COLOURS[1]


def _told(place: Place) -> str:
    """Return what is known of a place, in words."""
    said = [f"{what} {units.share(value)}" for what, value in (
        ("queue stood", place.queue_share), ("server busy", place.busy_share))
        if not math.isnan(value)]
    if place.drops:
        said.append(f"{place.drops:.0f} dropped")
    return ", ".join(said) or "not known"


def draw(runs: Sequence[Record]) -> Picture:
    """Draw the chain of one run, the source at the top."""
    known = [one for one in runs if one.chain]
    if not known:
        raise CommandError("no run has a chain of places: ping-pongs have none, nor "
                           "have runs whose bottleneck is not sought")
    if len(known) > 1:
        raise CommandError(f"there are {len(known)} runs in it: give one")
    run, places = known[0], known[0].chain
    height = ROW * len(places)
    canvas = Canvas("Where payload waited", height + 0.1, style.caption_of([run]),
                    left=1.45, right=2.3)
    name, because = run.binding or ("none", "")
    canvas.note("no single bottleneck" if name == "none" else f"bottleneck: {because}")
    axes = canvas.axes(0.05, height)
    for row, place in enumerate(places):
        if place.bottleneck:
            axes.axhspan(row - 0.5, row + 0.5, color=SHADE, lw=0)
        for value, at, colour in ((place.queue_share, -BAR / 2, QUEUE),
                                  (place.busy_share, BAR / 2, SERVER)):
            if not math.isnan(value):
                axes.barh(row + at, min(value, 1) * 100, height=BAR, color=colour)
        axes.annotate(_told(place), (1.02, row), xycoords=("axes fraction", "data"),
                      va="center", fontsize=8, color=INK if place.bottleneck else MUTED,
                      annotation_clip=False)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_yticks(range(len(places)), [one.title for one in places])
    for label, place in zip(axes.get_yticklabels(), places, strict=True):
        label.set_weight("bold" if place.bottleneck else "normal")
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("share of the time (%): a queue stood (above), a server was busy "
                    "(below)")
    return canvas.done("Where payload waited. " + "; ".join(
        f"{one.title}{' (bottleneck)' if one.bottleneck else ''}: {_told(one)}"
        for one in places) + ".")
