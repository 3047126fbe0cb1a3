# SPDX-License-Identifier: GPL-2.0
"""A ladder: a waterfall from the most expensive rung down, and bars of each rung."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from matplotlib.ticker import MaxNLocator

from .. import keys, units
from ..ladder.rungs import GROUPS, traffic_words
from ..output import CommandError
from ..record import Json, Ladder, Record, array, at, number, text
from . import style
from .style import COLOURS, INK, MUTED, OTHERS, Canvas, Picture

# Inches of a row, and above and below the rows of a panel.
ROW, HEAD, FOOT = 0.31, 0.42, 0.62
# Where the two columns of panels have their axes: left edge and width.
WATERFALL, BARS = (1.95, 3.05), (6.95, 1.95)
NAME_MAX = 29
# Room beside the longest bar for its value, over its length.
ROOM = 1.8


@dataclass(frozen=True)
class Cost:
    """Cost of a rung, or the difference of two: cycles of a byte or packet."""

    name: str
    mean: float = math.nan
    #: half width of the 95 % interval, NaN with too few rounds
    half: float = math.nan

    def shown(self, digits: int) -> str:
        """Return it as text."""
        if math.isnan(self.mean):
            return "not run"
        interval = "" if math.isnan(self.half) else f" ± {self.half:.{digits}f}"
        return f"{self.mean:.{digits}f}{interval}".replace("-", "−")


@dataclass
class Group:
    """The rungs of one kind of traffic, most expensive first."""

    title: str
    #: unit that a cost is for
    unit: str
    #: unit of the cost: cycles, or instructions if the clock counts them
    clock_unit: str
    rungs: list[Cost]
    #: the steps from the first rung down, in order
    chain: list[Cost] = field(default_factory=list)
    #: the rung at the end of the chain, None if nothing remains below it
    rest: str | None = None
    #: costs by both methods: the ladder and samples
    agreement: list[tuple[Cost, Cost]] = field(default_factory=list)

    @property
    def digits(self) -> int:
        """Decimals that suit all of its values."""
        largest = max((one.mean for one in self.rungs if one.mean == one.mean),
                      default=1)
        return max(0, 4 - max(0, math.floor(math.log10(largest)) + 1)) \
            if largest > 0 else 0


def _cost(name: str, of: Json) -> Cost:
    mean, low, high = (number(of, key) for key in ("mean", "ci_low", "ci_high"))
    # With too few rounds the interval is meaningless and as wide as the picture.
    known = at(of, "too_short") is not True and low <= mean <= high
    return Cost(name, mean, high - mean if known else math.nan)


def _chain(steps: list[Json], first: str) -> list[Json]:
    """Return the longest chain of steps from a rung down."""
    best: list[Json] = []
    for i, step in enumerate(steps):
        if text(step, "above") == first:
            below = text(step, "below")
            way = [step, *(_chain(steps[:i] + steps[i + 1:], below) if below else [])]
            if len(way) > len(best):
                best = way
    return best


def groups_of(ladder: Ladder) -> Iterator[Group]:
    """Yield the groups with at least one result."""
    of_instructions = ladder.text(f"{keys.LADDER}.{keys.CLOCK_UNIT}") == "instructions"
    clock_unit = "instructions" if of_instructions else "cycles"
    for of in GROUPS:
        key, cost = of.key, of.cost
        rungs = []
        for one in ladder.list(f"{keys.LADDER}.{key}"):
            name = text(one, "name")
            if name is not None:
                rungs.append(_cost(name, at(one, cost)))
        if all(math.isnan(one.mean) for one in rungs):
            continue
        traffic = traffic_words(at(ladder.root, keys.LADDER), of)
        title = f"{of.title}, {traffic}" if traffic else of.title
        group = Group(title, of.unit, clock_unit, rungs)
        steps = [one for one in ladder.list(f"{keys.LADDER}.steps")
                 if text(one, "group") == key and text(one, "cost") is not None and
                 not math.isnan(number(one, f"{cost}.mean"))]
        # Steps go down from the first rung, whose cost the waterfall begins with.
        way = [] if math.isnan(rungs[0].mean) else _chain(steps, rungs[0].name)
        group.chain = [_cost(text(one, "cost") or "", at(one, cost)) for one in way]
        group.rest = text(way[-1], "below") if way else None
        for one in array(ladder.root, f"{keys.LADDER}.agreement.{key}"):
            name = text(one, "cost")
            if name is not None:
                group.agreement.append((_cost(name, at(one, cost)), Cost(
                    name, number(one, "sampled.mean"),
                    number(one, "sampled.half_width"))))
        yield group


def _rows(axes: Any, names: list[str], reach: float,  # noqa: ANN401
          group: Group, title: str) -> None:
    """Name the rows of a panel, from the top down."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), [style.shorten(one, NAME_MAX) for one in names])
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    ticks = MaxNLocator(3).tick_values(0, reach)
    axes.set_xticks([one for one in ticks if 0 <= one <= reach * 1.001])
    axes.xaxis.set_major_formatter(
        lambda value, _: units.tick(value).replace("-", "−"))
    axes.set_xlim(0, reach * ROOM)
    axes.spines["bottom"].set_bounds(0, reach)
    axes.set_xlabel(f"{group.clock_unit} per {group.unit}", fontsize=8, loc="left")
    axes.set_title(title, fontsize=9)


def _error(axes: Any, row: float, cost: Cost, at_x: float) -> None:  # noqa: ANN401
    if not math.isnan(cost.half):
        axes.errorbar(at_x, row, xerr=cost.half, color=INK, capsize=2.5, lw=1)


def _waterfall(axes: Any, group: Group) -> None:  # noqa: ANN401
    first = group.rungs[0]
    rows: list[tuple[str, float, float, str, Cost]] = [
        (first.name, 0, first.mean, OTHERS, first)]
    level = first.mean
    for step in group.chain:
        rows.append((f"− {step.name}", level - step.mean, step.mean,
                     COLOURS[0] if step.mean >= 0 else COLOURS[1], step))
        level -= step.mean
    rest = next((one for one in group.rungs if one.name == group.rest), None)
    if rest is not None:
        rows.append((f"left: {rest.name}", 0, rest.mean, OTHERS, rest))
    reach = max(left + max(width, 0) for _, left, width, _, _ in rows)
    for row, (_, left, width, colour, cost) in enumerate(rows):
        axes.barh(row, width, left=left, height=0.66, color=colour)
        # The left end moves: it is the remainder of the cost above.
        end = left if row and colour != OTHERS else left + width
        _error(axes, row, cost, end)
        share = "" if colour == OTHERS or not first.mean else \
            f"  {-width / first.mean:+.0%}".replace("-", "−")
        half = 0 if math.isnan(cost.half) else cost.half
        axes.text(max(left, left + width, end + half) + reach * 0.04, row,
                  cost.shown(group.digits) + share, va="center", fontsize=8)
    _rows(axes, [name for name, *_ in rows], reach, group,
          f"{group.title}: step by step")


def _bars(axes: Any, group: Group) -> None:  # noqa: ANN401
    reach = max(one.mean + (one.half if one.half == one.half else 0)
                for one in group.rungs if one.mean == one.mean)
    for row, one in enumerate(group.rungs):
        known = one.mean == one.mean
        if known:
            axes.barh(row, one.mean, height=0.66, color=COLOURS[4])
            _error(axes, row, one, one.mean)
        edge = one.mean + (one.half if one.half == one.half else 0) if known else 0
        axes.text(edge + reach * 0.04, row, one.shown(group.digits), va="center",
                  fontsize=8, color=INK if known else MUTED)
    _rows(axes, [one.name for one in group.rungs], reach, group,
          "each rung")


def _agreement(axes: Any, group: Group) -> None:  # noqa: ANN401
    values = [one for pair in group.agreement for one in pair if one.mean == one.mean]
    reach = max((one.mean + (one.half if one.half == one.half else 0)
                 for one in values), default=1)
    least = min((one.mean - (one.half if one.half == one.half else 0)
                 for one in values), default=0)
    for row, pair in enumerate(group.agreement):
        for method, one, colour, offset in zip(
                ("ladder", "samples"), pair, (COLOURS[0], COLOURS[2]), (-0.2, 0.2),
                strict=True):
            if one.mean != one.mean:
                continue
            half = one.half if one.half == one.half else 0
            axes.errorbar(one.mean, row + offset, xerr=half or None, fmt="o", ms=4,
                          color=colour, capsize=2.5, lw=1.2)
            axes.annotate(f"{method} {one.shown(group.digits)}", (1.02, row + offset),
                          xycoords=("axes fraction", "data"), va="center", fontsize=7.5,
                          color=colour, annotation_clip=False)
    _rows(axes, [pair[0].name for pair in group.agreement], reach, group,
          f"{group.title}: by the ladder, and by samples")
    room = (max(reach, 0) - min(least, 0)) * 0.04
    axes.set_xlim(min(least, 0) - room, max(reach, 0) + room)
    axes.set_xticks(MaxNLocator(6).tick_values(min(least, 0), max(reach, 0))[1:-1])
    axes.spines["bottom"].set_bounds(*axes.get_xlim())
    axes.axvline(0, color=MUTED, lw=0.8)


def _height(group: Group) -> int:
    """Return the rows of a waterfall."""
    if not group.chain:
        return 0
    return len(group.chain) + (1 if group.rest is None else 2)


def _ceilings(ladder: Ladder) -> str:
    """Return the ceilings of the fastest TCP rung, on one line."""
    told = []
    for one in ladder.list(f"{keys.LADDER}.ceilings"):
        share, rate = number(one, "share"), units.bitrate(number(one, "ceiling_bps"))
        binds = ", binds" if at(one, "binds") is True else ""
        told.append(f"{text(one, 'name')} {rate}" + (
            "" if math.isnan(share) else f" ({share:.1%} reached{binds})"))
    of = ladder.text(f"{keys.LADDER}.ceilings_of")
    return f"Ceilings of {of}: {', '.join(told)}" if told and of else ""


def draw(ladder: Ladder, runs: Iterable[Record] = ()) -> Picture:
    """Draw the groups of a ladder, one below the other, from *runs*."""
    groups = list(groups_of(ladder))
    if not groups:
        raise CommandError("no rung of the ladder has a result")
    rounds = ladder.number(f"{keys.LADDER}.rounds")
    interrupted = at(ladder.root, f"{keys.LADDER}.interrupted") is True
    panels: list[tuple[Any, Group, int]] = []
    for group in groups:
        panels.append((_waterfall, group, max(_height(group), len(group.rungs))))
    for group in groups:
        if any(one.mean == one.mean for pair in group.agreement for one in pair):
            panels.append((_agreement, group, 2 * len(group.agreement)))
    height = sum(HEAD + FOOT + rows * ROW for _, _, rows in panels)
    counted = groups[0].clock_unit.rpartition(" ")[2]
    title = (f"Where the {counted} go: the same traffic at each layer, over "
             f"{units.decimal(rounds)} round{'' if rounds == 1 else 's'}"
             f"{' (interrupted)' if interrupted else ''}")
    caption = "; ".join(one for one in (
        f"mean and 95% confidence interval of {groups[0].clock_unit} of all CPUs",
        style.caption_of([ladder, *runs])) if one)
    ceilings = _ceilings(ladder)
    canvas = Canvas(title, height + (0.15 if ceilings else 0), caption, bottom=0)
    top = 0.15 if ceilings else 0.0
    if ceilings:
        canvas.note(ceilings)
    for how, group, rows in panels:
        top += HEAD
        if how is _agreement:
            _agreement(canvas.axes(top, rows * ROW, WATERFALL[0], 4.6), group)
        else:
            bars_left, bars_width = BARS
            if group.chain:
                _waterfall(canvas.axes(top, _height(group) * ROW, *WATERFALL), group)
            else:
                bars_left, bars_width = WATERFALL[0], 5.0
            _bars(canvas.axes(top, len(group.rungs) * ROW, bars_left, bars_width),
                  group)
        top += rows * ROW + FOOT
    return canvas.done(f"{title}. " + " ".join(_told(group) for group in groups))


def _told(group: Group) -> str:
    digits = group.digits
    told = ", ".join(f"{one.name} {one.shown(digits)}" for one in group.rungs)
    steps = ", ".join(f"{one.name} {one.shown(digits)}" for one in group.chain)
    return f"{group.title}, {group.clock_unit} per {group.unit}: {told}." + (
        f" Between them: {steps}." if steps else "")
