# SPDX-License-Identifier: GPL-2.0
"""A search for what helps: how fast each remedy made it, and what limits it then."""

import math

from .. import wording
from ..output import CommandError
from ..record import Json, array, number, text
from . import style
from .style import COLOURS, INK, MUTED, OTHERS, Canvas, Picture

#: Height of a step in inches.
ROW = 0.42


def _limit(binding: str) -> str:
    return "no single bottleneck" if binding in ("", "none") else \
        f"limited by {wording.title(binding)}"


def draw(found: Json) -> Picture:
    """Draw the way of a search from bottleneck to bottleneck, its start at the top."""
    kept = [one for one in array(found, "remedies") if one["kept"]]
    if not kept:
        raise CommandError("no remedy was kept, so that there is no way to draw")
    #: the first run's is 1
    speeds = [1.0]
    for one in kept:
        speeds.append(speeds[-1] * (1 + number(one, "gain.mean")))
    limits = [_limit(text(one, "binding") or "") for one in array(found, "verdicts")]
    names = ["as given", *(one["apply"] for one in kept)]
    height = ROW * len(speeds)
    canvas = Canvas("From bottleneck to bottleneck", height + 0.1,
                    "gains of the remedies that were kept, one upon the other",
                    left=2.3, right=2.2)
    axes = canvas.axes(0.05, height)
    told = []
    for row, (name, speed, limit) in enumerate(zip(names, speeds, limits, strict=True)):
        axes.barh(row, speed, height=0.6, color=COLOURS[0] if row else OTHERS)
        axes.annotate(f"{speed:.3g}  {limit}", (1.02, row),
                      xycoords=("axes fraction", "data"), va="center", fontsize=8,
                      color=INK if row == len(speeds) - 1 else MUTED,
                      annotation_clip=False)
        told.append(f"{name}: {speed:.3g}, {limit}")
    total = 1 + number(found, "total.gain.mean")
    if math.isfinite(total):
        canvas.note(f"measured again with all that is kept: {total:.3g} times as fast")
    axes.set_ylim(len(speeds) - 0.5, -0.5)
    axes.set_xlim(0, max(speeds) * 1.02)
    axes.set_yticks(range(len(speeds)), [style.shorten(name, 28) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("times as fast as the words as given")
    return canvas.done(f"From bottleneck to bottleneck. {'; '.join(told)}.")
