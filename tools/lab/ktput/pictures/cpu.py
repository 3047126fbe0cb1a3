# SPDX-License-Identifier: GPL-2.0
"""Cycles of each CPU: the run's own, other work, idle."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..output import CommandError
from ..record import Profile, Record, array, number, text
from ..settings import Compared
from . import style
from .style import COLOURS, IDLE, INK, MUTED, OTHERS, PAPER, Canvas, Picture

ROW = 0.5
BARS_MAX = 24
#: Work of the run itself; other parts of a record are not, or not known to be.
OWN = ("source", "sink", "worker", "softirq receive", "softirq transmit", "busy")
COLOUR_OF = dict(zip(OWN, COLOURS, strict=False)) | {"idle": IDLE}
# A smaller share has no room for its name inside the bar.
NAMED_SHARE = 0.1


@dataclass(frozen=True)
class Bar:
    """Parts of a CPU's cycles or samples: name, share of all, colour."""

    name: str
    parts: list[tuple[str, float, str]]


def bars_of(records: Sequence[Record], compared: Compared) -> list[tuple[str, Bar]]:
    """Return a bar for each CPU of each group of equal runs: their mean."""
    found = []
    for group in compared.groups():
        sums: dict[int, dict[str, float]] = {}
        kinds = set()
        for index in group.runs:
            for cpu in records[index].cpus:
                kinds.add("busy" in cpu.cycles)
                to = sums.setdefault(cpu.cpu, {})
                for name, cycles in cpu.cycles.items():
                    to[name] = to.get(name, 0.0) + cycles
        if len(kinds) > 1:
            raise CommandError("some of these runs tell the contexts of their cycles "
                               "and others do not: plot them apart")
        for number_of, shares in sorted(sums.items()):
            every = math.fsum(shares.values())
            parts = [(name, value / every, COLOUR_OF.get(name, OTHERS))
                     for name, value in shares.items() if value > 0]
            found.append((group.label, Bar(f"CPU {number_of}", parts)))
    return found


def _stack(axes: Any, row: float, bar: Bar) -> None:  # noqa: ANN401
    left = 0.0
    for name, share, colour in bar.parts:
        axes.barh(row, share * 100, left=left * 100, height=0.26,
                  color=colour, edgecolor=PAPER, linewidth=0.8)
        words = f"{name} {share:.0%}"
        if share >= NAMED_SHARE and style.text_width(words, 7.5) < share * 6.2:
            axes.text((left + share / 2) * 100, row, words, ha="center",
                      va="center", fontsize=7.5,
                      color=INK if colour == IDLE else "#111114" if colour in PALE
                      else "#fffffd")
        left += share


#: Colours that need dark letters.
PALE = set(COLOURS[3:6])


def _told(bar: Bar) -> str:
    """Return the text below a bar: the run's share, others', and idle."""
    own = [(name, share) for name, share, _ in bar.parts if name in OWN]
    others = [(name, share) for name, share, colour in bar.parts if colour == OTHERS]
    idle = sum(share for name, share, _ in bar.parts if name == "idle")
    if own and own[0][0] == "busy":
        return f"busy {own[0][1]:.0%}, idle {idle:.0%}; the record does not say whose"
    said = []
    for who, parts in (("this run", own), ("others", others)):
        said.append(f"{who} {sum(share for _, share in parts):.0%}")
        listed = ", ".join(f"{name} {share:.1%}" for name, share in parts
                           if share >= 0.001)
        if listed and len(parts) > 1:
            said[-1] += f" ({listed})"
    return f"{', '.join(said)}, idle {idle:.0%}"


def _draw(title: str, bars: Sequence[tuple[str, Bar]], axis: str, caption: str,
          told: Sequence[str]) -> Picture:
    left_out = max(0, len(bars) - BARS_MAX)
    bars = bars[:BARS_MAX]
    heads = sum(bool(label) and (not i or bars[i - 1][0] != label)
                for i, (label, _) in enumerate(bars))
    folded = [style.wrap(one, 132, 2) for one in told[:len(bars)]]
    heights = [ROW + 0.13 * one.count("\n") for one in folded]
    rows = math.fsum(heights) + heads * 0.3
    canvas = Canvas(title, rows + 0.1, caption + (
        f"; {left_out} more CPUs are not drawn" if left_out else ""), left=0.75,
        right=0.3, bottom=0.5)
    axes = canvas.axes(0.05, rows)
    place = ROW * 0.36
    places = []
    for i, (label, bar) in enumerate(bars):
        if label and (not i or bars[i - 1][0] != label):
            axes.text(0, place - 0.02, style.shorten(label, 110), fontsize=8.5,
                      color=INK, va="center", weight="bold")
            place += 0.3
        places.append(place)
        _stack(axes, place, bar)
        axes.text(0, place + 0.16, folded[i], fontsize=7, color=MUTED, va="top",
                  linespacing=1.15)
        place += heights[i]
    axes.set_ylim(rows, 0)
    axes.set_yticks(places, [bar.name for _, bar in bars])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 100)
    # The shares are written in and below the bars; lines would cross that text.
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(axis)
    words = (f"{label + ', ' if label else ''}{bar.name}: {one}"
             for (label, bar), one in zip(bars, told, strict=False))
    return canvas.done(f"{title}. {'; '.join(words)}.")


def draw(records: Sequence[Record], compared: Compared) -> Picture:
    """Draw the CPUs of runs."""
    bars = bars_of(records, compared)
    if not bars:
        raise CommandError("these runs have no cycles")
    return _draw("Where the cycles of each CPU went", bars, "share of its cycles (%)",
                 style.caption_of(records), [_told(bar) for _, bar in bars])


def draw_profile(profile: Profile) -> Picture:
    """Draw the classes of work of a sampled breakdown."""
    classes = [one for one in profile.list("profile.classes")
               if text(one, "class") is not None and number(one, "samples") > 0 and
               text(one, "class") != "idle"]
    classes.sort(key=lambda one: -number(one, "samples"))
    colours = {text(one, "class"): colour for one, colour in zip(
        classes, COLOURS, strict=False)}
    titles = {text(one, "class"): text(one, ("title", "class")) or ""
              for one in classes}
    bars, told = [], []
    for cpu in profile.list("profile.cpus"):
        shares = {text(one, "class"): number(one, "share") for one in
                  array(cpu, "classes") if number(one, "share") > 0}
        parts = [(titles[key], shares[key], colours[key])
                 for key in colours if key in shares]
        others = math.fsum(share for key, share in shares.items()
                           if key not in colours and key != "idle")
        which = number(cpu, "cpu")
        if others > 0:
            parts.append(("Others", others, OTHERS))
        if "idle" in shares:
            parts.append(("Idle", shares["idle"], IDLE))
        if parts:
            bars.append(("", Bar("CPU" if math.isnan(which) else f"CPU {which:.0f}",
                                 parts)))
            told.append(", ".join(f"{name} {share:.0%}" for name, share, _ in parts
                                  if share >= 0.005))
    if not classes or not bars:
        raise CommandError("the profile has no samples")
    return _draw("Samples of each CPU by class of work", bars, "samples (%)",
                 style.caption_of([profile]), told)

