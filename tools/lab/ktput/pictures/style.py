# SPDX-License-Identifier: GPL-2.0
"""Common parts of pictures: colours, direct labels, captions, files.

A line is labelled at its end, a bar beside or inside it. There are no legends.
"""

import io
import math
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from .. import keys, units
from ..record import Document, Record, text
from ..statistics import Values

#: The palette of Okabe and Ito, which is safe for colour-blind readers. Their yellow is
#: too pale for a line on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5e4fa2",
           "#8c510a")
# Colours of everything but the data; a page replaces them with its own.
INK, MUTED, GRID, PAPER, SHADE = "#1c1c20", "#62626b", "#dcdce2", "#fffffe", "#ededf1"
#: Colours of other work, and of the idle rest.
OTHERS, IDLE = "#8d8d96", "#dfdfe5"
PAGE_COLOURS = {INK: "var(--ink)", MUTED: "var(--muted)", GRID: "var(--grid)",
                PAPER: "var(--paper)", SHADE: "var(--shade)", IDLE: "var(--idle)",
                **{colour: f"var(--c{i})" for i, colour in enumerate(COLOURS)}}

#: Width in inches; an SVG has 72 dots to the inch, a PNG this many.
WIDTH = 9.0
PNG_PER_INCH = 150
# Height of a line of text in inches.
LINE_IN = 0.19
# Height of the title and the notes below it in inches.
HEAD_IN = 0.62
#: Maximum number of lines that a reader can distinguish.
LINES_MAX = 8
NO_BREAK = "\u00a0"
#: A ceiling above this multiple of the largest rate is off scale.
OFF_SCALE = 4

# The font used to measure text, and fallback fonts of the same width for browsers.
FONT = "DejaVu Sans"
FONTS = f"'{FONT}', Verdana, sans-serif"

mpl.rcParams.update({
    "font.family": FONT, "font.size": 9,
    "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "ktput",
    "text.color": INK, "axes.edgecolor": MUTED, "axes.labelcolor": INK,
    "axes.titlesize": 10, "axes.titlelocation": "left", "axes.titleweight": "bold",
    "axes.titlecolor": INK, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID,
    "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK,
    "ytick.labelcolor": INK, "figure.facecolor": PAPER, "axes.facecolor": "none",
    "lines.linewidth": 1.8, "axes.formatter.useoffset": False,
})


@dataclass
class Picture:
    """A picture and its text alternative."""

    figure: Figure = field(repr=False)
    title: str
    alt: str

    def svg(self, page: bool = False) -> str:
        """Return it as SVG; for a *page*, with the page's colours and no prolog."""
        to = io.StringIO()
        FigureCanvasSVG(self.figure).print_svg(
            to, metadata={"Date": None, "Creator": None, "Title": self.title,
                          "Description": self.alt})
        whole = to.getvalue().replace(f"'{FONT}'", FONTS)
        attributes = f'role="img" aria-label="{escape(self.alt)}"'
        whole = whole.replace("<svg ", f"<svg {attributes} ", 1)
        if not page:
            return whole
        whole = whole[whole.index("<svg "):]
        whole = re.sub(r"<metadata>.*?</metadata>\s*", "", whole, flags=re.DOTALL)
        whole = re.sub(r'<g id="[^"]*">', "<g>", whole)
        whole = re.sub(r'(<svg [^>]*?) width="[^"]*pt"', r"\1", whole)
        whole = re.sub(r'(<svg [^>]*?) height="[^"]*pt"', r"\1", whole)
        for colour, name in PAGE_COLOURS.items():
            whole = whole.replace(colour, name)
        return whole

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.svg()

    def png(self) -> bytes:
        """Return it as PNG."""
        to = io.BytesIO()
        self.figure.set_dpi(PNG_PER_INCH)
        FigureCanvasAgg(self.figure).print_png(
            to, metadata={"Title": self.title, "Description": self.alt,
                          "Software": None})
        self.figure.set_dpi(72)
        return to.getvalue()

    def save(self, where: str) -> None:
        """Write it to a file, as PNG or SVG by the ending; raises OSError."""
        Path(where).write_bytes(self.png() if where.endswith(".png")
                                else self.svg().encode())


class Canvas:
    """A picture under construction: margins in inches, title above, caption below."""

    def __init__(self, title: str, height: float, caption: str, *, left: float = 0.75,
                 right: float = 1.7, bottom: float = 0.5) -> None:
        """Reserve *height* inches for axes, and *bottom* for their labels."""
        self.title = title
        self.noted: Any = None
        self.left, self.right = left, right
        self.below = bottom + LINE_IN + 0.12
        self.height = height + self.below + HEAD_IN
        self.figure = Figure(figsize=(WIDTH, self.height), dpi=72)
        self.figure.text(0.12 / WIDTH, 1 - 0.3 / self.height, title, weight="bold",
                         size=11)
        self.figure.text(0.12 / WIDTH, 0.1 / self.height, caption, size=7.5,
                         color=MUTED)

    def axes(self, top: float, height: float, left: float | None = None,
             width: float | None = None) -> Any:  # noqa: ANN401
        """Add axes *top* inches below the title, in inches."""
        left = self.left if left is None else left
        width = WIDTH - left - self.right if width is None else width
        bottom = self.height - HEAD_IN - top - height
        return self.figure.add_axes(
            (left / WIDTH, bottom / self.height, width / WIDTH, height / self.height))

    def note(self, words: str) -> None:
        """Append a note to the line below the title."""
        if self.noted is None:
            self.noted = self.figure.text(0.12 / WIDTH, 1 - 0.52 / self.height, "",
                                          size=8, color=MUTED)
        before = self.noted.get_text()
        self.noted.set_text(shorten(f"{before}; {words}".removeprefix("; "), 140))

    def done(self, alt: str) -> Picture:
        """Return the picture."""
        return Picture(self.figure, self.title, alt)


def line(axes: Any, xs: Values, ys: Values, **how: Any) -> None:  # noqa: ANN401
    """Draw a line; a point of it that has no neighbours, which is no line, as a dot."""
    known = np.isfinite(np.asarray(ys, dtype=float))
    before = np.concatenate([[False], known[:-1]])
    after = np.concatenate([known[1:], [False]])
    alone = known & ~before & ~after
    drawn = axes.plot(xs, ys, **how)
    if alone.any() and how.get("marker") is None:
        axes.plot(np.asarray(xs)[alone], np.asarray(ys)[alone], ls="", marker="o",
                  ms=4.5, color=drawn[0].get_color(), alpha=how.get("alpha"))


def shorten(words: str, most: int) -> str:
    """Return *words*, cut to at most *most* characters."""
    return words if len(words) <= most else words[:most - 1].rstrip(" ,") + "…"


def text_width(words: str, size: float = 9) -> float:
    """Return the approximate width of text in inches."""
    return len(words) * size * 0.56 / 72


def caption_of(documents: Iterable[Document]) -> str:
    """Return kernel, NIC and date of the documents."""
    documents = list(documents)
    kernels, devices, dates = set(), set(), set()
    for one in documents:
        kernel = text(one.root, keys.KERNEL)
        if kernel is not None:
            kernels.add(kernel)
        devices.add(_device(one))
        if one.written_s == one.written_s:
            dates.add(time.strftime("%Y-%m-%d", time.localtime(one.written_s)))
    words = [_listed("kernel", kernels), _listed("device", devices - {""})]
    disturbed = sum(isinstance(one, Record) and one.disturbed for one in documents)
    if disturbed:
        words.append(f"{disturbed} run{'' if disturbed == 1 else 's'} disturbed by "
                     "other work")
    if dates:
        first, last = min(dates), max(dates)
        words.append(f"written {first}" + (f" to {last}" if last != first else ""))
    return ", ".join(word for word in words if word)


def _device(one: Document) -> str:
    name = text(one.root, (f"{keys.DEVICE}.name", keys.ROUTE_DEVICE)) or ""
    driver = text(one.root, f"{keys.DEVICE}.driver")
    return f"{name} ({driver})" if driver else name


def _listed(kind: str, names: set[str]) -> str:
    if not names:
        return ""
    if len(names) > 3:
        return f"{len(names)} {kind}s"
    return f"{kind} {' and '.join(sorted(names))}"


def spread(places: Sequence[float], least: float, low: float,
           high: float) -> list[float]:
    """Return *places*, moved as little as possible to be *least* apart, in order.

    They stay between *low* and *high* if there is room.
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    # Touching groups: sum of the wanted places of their first members, and the count.
    groups: list[list[float]] = []
    for position in order:
        groups.append([places[position], 1.0])
        while len(groups) > 1 and \
                _start(groups[-2]) + groups[-2][1] * least > _start(groups[-1]):
            wish, count = groups.pop()
            before = groups[-1]
            before[0] += wish - before[1] * least * count
            before[1] += count
    found = [0.0] * len(places)
    index = 0
    for group in groups:
        room = (group[1] - 1) * least
        start = max(low, min(_start(group), high - room))
        for _ in range(int(group[1])):
            found[order[index]] = start
            start += least
            index += 1
    # A label pushed away from an edge pushes its neighbours.
    for one, other in pairwise(order):
        found[other] = max(found[other], found[one] + least)
    for other, one in zip(reversed(order[:-1]), reversed(order[1:]), strict=False):
        found[other] = min(found[other], found[one] - least) \
            if found[order[-1]] > high else found[other]
    return found


def _start(group: Sequence[float]) -> float:
    return group[0] / group[1]


@dataclass(frozen=True)
class Label:
    """The label at the end of a line."""

    y: float
    words: str
    colour: str = MUTED
    #: where the line ends, if that is not the right edge
    x: float | None = None


def label_ends(axes: Any, labels: Sequence[Label], width: float,  # noqa: ANN401
               size: float = 8.5) -> None:
    """Name lines at the right edge of *axes*, in a margin of *width* inches.

    Labels that would touch are moved apart and connected to their lines.
    """
    if not labels:
        return
    height = axes.get_position().height * axes.figure.get_figheight()
    most = max(8, int((width - 0.2) / text_width("x", size)))
    to_axes = axes.transData - axes.transAxes
    ends = [tuple(float(value) for value in to_axes.transform(
        (axes.get_xlim()[1] if one.x is None else one.x, one.y))) for one in labels]
    at = [y for _, y in ends]
    lines = [wrap(one.words, most, 2) for one in labels]
    tall = max(line.count("\n") + 1 for line in lines)
    places = spread(at, size * 1.25 * tall / 72 / height, 0.0, 1.0)
    for one, words, (x, wish), place in zip(labels, lines, ends, places, strict=True):
        text_at = (1 + 0.12 / _inches(axes), place)
        axes.annotate(words, (x, min(max(wish, 0), 1)), text_at,
                      xycoords="axes fraction", textcoords="axes fraction",
                      va="center", size=size, color=one.colour, annotation_clip=False,
                      linespacing=1.05,
                      arrowprops={"arrowstyle": "-", "color": one.colour, "lw": 0.6,
                                  "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0})


def _inches(axes: Any) -> float:  # noqa: ANN401
    return float(axes.get_position().width * axes.figure.get_figwidth())


def wrap(words: str, most: int, lines: int) -> str:
    """Return *words* folded at blanks into at most *lines* lines.

    A number stays with its unit.
    """
    import textwrap

    words = re.sub(r"(?<=\d) (?=[A-Za-z/]{1,5}(,|$))", NO_BREAK, words)
    folded = textwrap.wrap(words, most) or [""]
    if len(folded) > lines:
        folded = [*folded[:lines - 1], shorten(" ".join(folded[lines - 1:]), most)]
    return "\n".join(folded).replace(NO_BREAK, " ")


def axis_units(axis: Any, largest: float, name: str,  # noqa: ANN401
               unit: str) -> float:
    """Label an axis with the prefix of its *largest* value; return the factor."""
    factor, prefixed = units.scale(largest, unit)
    axis.set_label_text(f"{name} ({prefixed})")
    return factor


def log_ticks(axis: Any, low: float, high: float) -> None:  # noqa: ANN401
    """Put ticks at 1, 2 and 5 of each decade, or only at 1 if there are many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= 5 else (1,)
    places = [step * 10.0 ** one for one in decades for step in steps
              if low <= step * 10.0 ** one <= high]
    axis.set_ticks(places, [units.tick(one) for one in places])


def ceilings_of(records: Iterable[Record]) -> dict[str, float]:
    """Return the names and rates of the ceilings of runs, each once, bit/s."""
    found: dict[str, float] = {}
    for record in records:
        for one in record.ceilings:
            if one.bps > 0 and one.name != "cpu":
                found.setdefault(one.name, one.bps)
    return found
