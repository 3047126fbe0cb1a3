# SPDX-License-Identifier: GPL-2.0
"""Tables of a page."""

from dataclasses import dataclass, field
from typing import NamedTuple

from .. import units

ABSENT = "–"


@dataclass(frozen=True)
class Drawing:
    """A picture as markup, or why there is none."""

    svg: str
    why_not: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text and its sort key."""

    text: str
    sort: float | str
    note: str = ""


@dataclass
class Row:
    """A configuration."""

    label: str
    #: its difference from other configurations
    note: str
    cells: list[Cell]
    bad: bool = False


@dataclass
class Table:
    """Configurations of runs of one kind."""

    title: str
    columns: list[tuple[str, bool]]
    rows: list[Row] = field(default_factory=list)


class Part(NamedTuple):
    """What a page has of a document that was made of runs."""

    title: str
    sentences: list[str]
    tables: list[Table]
    picture: Drawing | None = None
    note: str = ""


def digits(value: float, count: int) -> str:
    """Return a number with so many digits, never with an exponent below 10^5."""
    size = abs(value)
    return units.brief(value) if size >= 1e5 else f"{value:.0f}" if size >= 1000 \
        else f"{value:.{count}g}"
