# SPDX-License-Identifier: GPL-2.0
"""The price list as text, and as lines of values, from its document."""

import math
from collections.abc import Iterator, Sequence

from ..output import Column, paragraph, table
from ..record import Json, array, at, number, text
from .rows import BETWEEN, BOTH, FIGURES, RECEIVE, SEND, Figure

#: Where the commands of a row run, in a table.
WHERE = {SEND: "send", RECEIVE: "receive", BOTH: "both", BETWEEN: "between"}
NAME, FIGURE = 24, 6
#: What differs most between kernels: rows that are named, and the least share.
MOVEMENTS, MOVED_SHARE = 12, 0.01


def kernels_of(prices: Json) -> list[str]:
    """Return the names of the kernels with a price or the cost of a path."""
    known = {one["kernel"] for row in (*prices["paths"], *prices["rows"])
             for one in row["prices"] if "not_run_because" not in one}
    return [one["name"] for one in prices["kernels"] if one["name"] in known]


def _shown(value: float, signed: bool) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:+,.0f}" if signed else f"{value:,.0f}"


def priced(price: Json) -> str:
    """Return a difference with its interval; none if it is not distinguishable."""
    more, half = number(price, "difference"), number(price, "ci_high") - number(
        price, "difference")
    if at(price, "distinguishable") is False:
        return "none"
    return _shown(more, True) + (f"±{half:,.0f}" if math.isfinite(half) else "")


def _cells(prices: Sequence[Json], kernels: Sequence[str], costs: bool) -> list[str]:
    """Return a cell for each figure and kernel, of *costs* or of differences."""
    by_kernel = {one["kernel"]: one for one in prices}
    return [_shown(number(found, figure.cost), False) if costs else priced(found)
            for figure in FIGURES for kernel in kernels
            for found in [at(by_kernel.get(kernel), figure.key)]]


def _columns(kernels: Sequence[str]) -> list[Column]:
    return [Column(kernel, FIGURE) for _ in FIGURES for kernel in kernels]


def _head(figures: Sequence[Figure], lead: int, width: int, kernels: int) -> str:
    """Return the line of what the columns of all kernels are."""
    return (" " * lead + "".join("  " + one.title.rjust(kernels * (width + 2) - 2)
                                 for one in figures)).rstrip()


def _table(lead: Sequence[Column], kernels: Sequence[str],
           rows: Sequence[list[str]]) -> Iterator[str]:
    columns = [*lead, *_columns(kernels)]
    width = max([FIGURE, *(len(cell) for row in rows for cell in row[len(lead):]),
                 *map(len, kernels),
                 *(-(-len(one.title) // len(kernels)) for one in FIGURES)])
    columns = [*lead, *(Column(one.title, width) for one in columns[len(lead):])]
    lines = table(columns, rows)
    beside = sum(max(column.width, len(column.title),
                     *(len(row[i]) for row in rows)) + 2
                 for i, column in enumerate(lead)) - 2
    yield _head(FIGURES, beside, width, len(kernels))
    yield from lines


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of a price list."""
    prices = document["price_list"]
    kernels = kernels_of(prices)
    yield ""
    yield "Instructions per packet, and per KiB of TCP, both ends"
    rows = [[one["title"], *_cells(one["prices"], kernels, costs=True)]
            for one in prices["paths"]]
    if rows:
        yield from _table([Column("", NAME, left=True)], kernels, rows)
    lead = [Column("", NAME, left=True), Column("at", left=True)]
    unable = []
    for group in dict.fromkeys(row["group"] for row in prices["rows"] if kernels):
        rows = []
        for row in prices["rows"]:
            if row["group"] != group:
                continue
            reasons = {one["not_run_because"]: one["kernel"] for one in row["prices"]
                       if "not_run_because" in one}
            if "not_run_because" in row:
                reasons = {row["not_run_because"]: ""}
            unable += [(row, kernel, why) for why, kernel in reasons.items()]
            rows.append([row["name"], WHERE[row["at"]],
                         *_cells(row["prices"], kernels, costs=False)])
        yield ""
        yield f"{group}: more than without it"
        yield from _table(lead, kernels, rows)
    yield ""
    for row, kernel, why in unable:
        where = f" ({row['at']}{', ' if kernel else ''}{kernel})"
        yield from paragraph("not measured", f"{row['name']}{where}: {why}")
    for one in prices["kernels"]:
        if "not_run_because" in one:
            yield from paragraph(f"{one['name']}: ended", one["not_run_because"])
    yield from _intervals(prices)
    yield from _drift(prices)
    yield from _movements(prices)
    yield from _functions(prices)


def _intervals(prices: Json) -> Iterator[str]:
    """Yield what the intervals of prices are, and how many are not distinguishable."""
    known = [at(one, figure.key) for row in prices["rows"] for one in row["prices"]
             for figure in FIGURES if figure.key in one]
    none = sum(at(one, "distinguishable") is False for one in known)
    unknown = sum(at(one, "distinguishable") is None for one in known)
    if not known:
        return
    words = ("95 %, by how far measurements of the same path alone are apart"
             f"; {none} of {len(known)} prices are not distinguishable from none")
    if unknown:
        words += (f"; {unknown} have no interval, since their paths were measured "
                  "only once")
    yield from paragraph("intervals", words)


def _drift(prices: Json) -> Iterator[str]:
    """Yield how far measurements of the same path are apart."""
    worst = max(((number(one[figure.key], "range_share"), path["path"], figure.title,
                  one["kernel"], number(one[figure.key], "count"))
                 for path in prices["paths"] for one in path["prices"]
                 for figure in FIGURES
                 if number(one[figure.key], "count") > 1), default=None)
    if worst is not None:
        share, path, title, kernel, count = worst
        yield from paragraph("repeats", (
            "paths alone, measured again between the rows: farthest apart is "
            f"'{path}', {title}, {kernel}: {share:.2%} in {count:.0f} times"))


def _movements(prices: Json) -> Iterator[str]:
    """Yield which prices differ from those of the first kernel, the farthest first.

    Of a row it is the figure that moves the farthest, as a share of the whole cost.
    """
    moved = []
    for row in (*prices["paths"], *prices["rows"]):
        for one in row["prices"]:
            shares = [(abs(number(found, "moved")) / number(found, figure.cost), index)
                      for index, figure in enumerate(FIGURES)
                      if abs(number(found := at(one, figure.key), "moved")) > 0]
            if shares and max(shares)[0] >= MOVED_SHARE:
                moved.append((*max(shares), row, one))
    if not moved:
        return
    yield ""
    yield "What differs most from the first kernel, as a share of the whole cost"
    for share, index, row, one in sorted(moved, key=lambda of: -of[0])[:MOVEMENTS]:
        figure = FIGURES[index]
        found = one[figure.key]
        value = found.get("difference", found[figure.cost])
        named = _named(array(found, "moved_functions"))
        yield from paragraph("", (
            f"{text(row, ('name', 'title'))}, {text(row, 'at') or 'alone'}, "
            f"{one['kernel']}, {figure.title}: "
            f"{_shown(value, 'difference' in found)} in place of "
            f"{_shown(value - found['moved'], 'difference' in found)}, {share:.1%}" +
            (f": {named}" if named else "")), 2)


def _named(functions: Sequence[Json]) -> str:
    return ", ".join(f"{one['function']} {one['difference']:+,.0f}"
                     for one in functions if abs(one["difference"]) >= 1)


def _functions(prices: Json) -> Iterator[str]:
    """Yield what QEMU counted beside ktput, and where."""
    rows = []
    for row in (*prices["paths"], *prices["rows"]):
        for one in row["prices"]:
            for figure in FIGURES:
                found = at(one, figure.key)
                if number(found, "counted") > 0:
                    rows.append((row, one["kernel"], figure, found))
    if not rows:
        return
    yield ""
    yield "The same by QEMU's count, which is no counter of ktput's"
    yield from table(
        [Column("", NAME, left=True), Column("at", left=True),
         Column("kernel", left=True), Column("", left=True), Column("ktput", 8),
         Column("QEMU", 8), Column("apart", 7), Column("more", 8), Column("QEMU", 8)],
        [[text(row, ("name", "title")) or "", text(row, "at") or "", kernel,
          figure.title, _shown(number(found, figure.cost), False),
          _shown(number(found, "counted"), False),
          f"{number(found, figure.cost) / number(found, 'counted') - 1:+.2%}",
          _shown(number(found, "difference"), True),
          _shown(number(found, "counted_difference"), True)]
         for row, kernel, figure, found in rows])
    yield ""
    yield "Functions that a difference is in, the most first"
    for row, kernel, figure, found in rows:
        named = _named(array(found, "functions"))
        if named:
            yield from paragraph(
                "", f"{text(row, ('name', 'title'))}, {text(row, 'at') or 'alone'}, "
                f"{kernel}, {figure.title}: {named}", 2)


def values_of(document: Json) -> Iterator[list[str]]:
    """Yield a line of titles, and one for each price."""
    yield ["group", "name", "at", "against", "kernel", "figure", "unit",
           "instructions", "more", "more_ci_low", "more_ci_high", "distinguishable",
           "not_run_because", "commands"]
    prices = document["price_list"]
    for row in prices["rows"]:
        for one in row["prices"] or [{"kernel": ""}]:
            why = text(one, "not_run_because") or text(row, "not_run_because") or ""
            for figure in FIGURES:
                found = at(one, figure.key)
                yield [row["group"], row["name"], row["at"], row["against"],
                       one["kernel"], figure.key, figure.unit,
                       *(f"{value:.3f}" if math.isfinite(value) else ""
                         for value in (number(found, figure.cost),
                                       number(found, "difference"),
                                       number(found, "ci_low"),
                                       number(found, "ci_high"))),
                       {True: "true", False: "false"}.get(
                           at(found, "distinguishable"), ""), why,
                       " ".join(row["commands"].split("\n")).strip()]
    for path in array(prices, "paths"):
        for one in path["prices"]:
            for figure in FIGURES:
                yield ["", path["title"], "", path["path"], one["kernel"], figure.key,
                       figure.unit, f"{number(one[figure.key], figure.cost):.3f}", "",
                       "", "", "", "", ""]
