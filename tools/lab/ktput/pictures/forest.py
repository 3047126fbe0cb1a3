# SPDX-License-Identifier: GPL-2.0
"""Difference of two runs, or sets of runs: a forest plot."""

import math
from collections.abc import Sequence

from ..output import CommandError
from ..record import Record
from ..report.diff import Row, shown
from . import style
from .style import COLOURS, INK, MUTED, OTHERS, Canvas, Picture

ROW = 0.5


def draw(title: str, rows: Sequence[Row], records: Sequence[Record]) -> Picture:
    """Draw the differences of *rows* with their intervals, over A."""
    kept = [row for row in rows if math.isfinite(row.by.relative)]
    if not kept:
        raise CommandError("no figure is in both, so that there is no difference")
    height = ROW * len(kept)
    canvas = Canvas(style.shorten(title, 100), height + 0.1, "; ".join(
        one for one in ("difference and 95% confidence interval",
                        style.caption_of(records)) if one), left=1.35, right=3.4)
    axes = canvas.axes(0.05, height)
    told = []
    for i, row in enumerate(kept):
        by, unit = row.by, abs(row.a.mean) / 100
        sure = row.distinguishable is True
        colour = COLOURS[0] if sure else OTHERS
        low, high = by.ci_low / unit, by.ci_high / unit
        if math.isfinite(by.ci_low):
            axes.plot([low, high], [i, i], color=colour, lw=2.5,
                      solid_capstyle="butt")
        axes.plot(by.relative * 100, i, "D", color=colour, ms=7)
        verdict = "differs" if sure else "no difference shown" \
            if row.distinguishable is False else "these runs cannot tell"
        change = f"{by.relative * 100:+.3g}%".replace("-", "−")
        values = f"{shown(row.figure, row.a.mean)} → {shown(row.figure, row.b.mean)}"
        axes.annotate(f"{change}  {verdict}", (1.03, i - 0.14),
                      xycoords=("axes fraction", "data"), va="center", fontsize=8.5,
                      color=INK, annotation_clip=False)
        axes.annotate(values, (1.03, i + 0.2), xycoords=("axes fraction", "data"),
                      va="center", fontsize=7.5, color=MUTED, annotation_clip=False)
        told.append(f"{row.figure.title} {values}, {change}, {verdict}")
    axes.axvline(0, color=INK, lw=1)
    axes.set_ylim(len(kept) - 0.5, -0.5)
    axes.set_yticks(range(len(kept)), [row.figure.title for row in kept])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)
    axes.set_xlabel("difference (% of A)")
    return canvas.done(f"{title}. {'; '.join(told)}.")
