# SPDX-License-Identifier: GPL-2.0
"""Costs of the same things in several kernels or setups: bars side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..output import CommandError
from . import style
from .style import COLOURS, MUTED, Canvas, Picture

#: Inches of a bar, between two rows, and around the rows of a panel.
BAR, GAP, HEAD, FOOT = 0.13, 0.12, 0.3, 0.45


@dataclass(frozen=True)
class Panel:
    """Rows with one unit: a name, and a value for each kernel, NaN if there is none."""

    title: str
    rows: Sequence[tuple[str, Sequence[float]]]


def draw(title: str, kernels: Sequence[str], panels: Sequence[Panel],
         caption: str) -> Picture:
    """Draw a panel below the other."""
    panels = [one for one in panels if any(
        math.isfinite(value) for _, values in one.rows for value in values)]
    if not panels:
        raise CommandError("there is no cost to draw")
    row = BAR * len(kernels) + GAP
    heights = [row * len(one.rows) for one in panels]
    left = 0.3 + max(style.text_width(name, 8.5) for one in panels
                     for name, _ in one.rows)
    canvas = Canvas(title, sum(heights) + len(panels) * (HEAD + FOOT), caption,
                    left=left, right=0.9, bottom=0)
    top = 0.0
    told = []
    for panel, height in zip(panels, heights, strict=True):
        axes = canvas.axes(top + HEAD, height)
        top += HEAD + height + FOOT
        for index, kernel in enumerate(kernels):
            places = [i * row + (index - (len(kernels) - 1) / 2) * BAR
                      for i in range(len(panel.rows))]
            values = [of[index] for _, of in panel.rows]
            axes.barh(places, [value if math.isfinite(value) else 0
                               for value in values], BAR * 0.92,
                      color=COLOURS[index % len(COLOURS)], label=kernel)
            for place, value in zip(places, values, strict=True):
                axes.annotate(f"{value:,.0f}".replace("-", "−")
                              if math.isfinite(value) else "not measured",
                              (max(value, 0) if math.isfinite(value) else 0, place),
                              (3, 0), textcoords="offset points", va="center", size=6.5,
                              color=MUTED)
        axes.set_ylim((len(panel.rows) - 0.5) * row, -0.5 * row)
        axes.set_yticks([i * row for i in range(len(panel.rows))],
                        [name for name, _ in panel.rows], size=8.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.set_title(panel.title, loc="left", size=9)
        if panel is panels[0] and len(kernels) > 1:
            axes.legend(loc="lower right", fontsize=8, frameon=False)
        told += [f"{name}: " + ", ".join(
            f"{kernel} {value:,.0f}" for kernel, value in zip(kernels, of, strict=True)
            if math.isfinite(value)) for name, of in panel.rows]
    return canvas.done(f"{title}. {'; '.join(told)}.")
