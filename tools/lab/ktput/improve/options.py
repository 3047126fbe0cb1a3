# SPDX-License-Identifier: GPL-2.0
"""Keywords of improve: its own, and most of ``ktput-ctl start``."""

from collections.abc import Mapping, Sequence

from .. import units
from ..command import Option, UsageError, Values, check_record, guess
from ..output import Output
from ..record import Json, text
from .trial import LOOK

#: Keywords of "start" that make several runs of one, end without a result, or change
#: what a run costs.
NOT_OF_START = frozenset(("repeat", "detach", "until-eof", "json-stream", "profile",
                          "drops"))
PAIRS_MAX = 100
TIME_MIN_S = 0.01
OWN = (
    Option("time", "length of each run, 10 ms or more", "time", "TIME", default="1s"),
    Option("matters", "gain below which a remedy is not kept", "matters", "PERCENT",
           default="2%"),
    Option("ci", "go on with a remedy that helps until its rate, as a share of that "
           "without it, is known within +-PERCENT", "until ci", "PERCENT",
           default="10%"),
    Option("pairs", f"pairs of runs of a remedy at most, {LOOK} to {PAIRS_MAX}",
           "pairs", "N", default="12"),
    Option("try", "change these keywords alone, such as streams,size", "try", "LIST",
           default="all that have changes in -j help"),
    Option("limit", "begin no pair that would not end by then", "limit", "TIME",
           default="300s"),
    Option("seed", "what the order of the runs follows from", "seed", "N",
           default="another each time"),
    Option("record", "add the record of each run to FILE, and the result", "record",
           "FILE"),
    Option("replace", "with record: instead of what is in FILE", "replace"),
)

#: Words of a run by keyword; empty for one without a value.
Words = Mapping[str, str]


def line_of(words: Words) -> list[str]:
    """Return the words as they are typed."""
    return [one for keyword, value in words.items() for one in (keyword, value) if one]


def options_of(rows: Sequence[Json]) -> tuple[Option, ...]:
    """Return the rows of improve; *rows* are those of "start"."""
    return (Option("words", "words of the run: see 'ktput-ctl help start'",
                   argument="WORDS", many=True, words=lambda: list(_known(rows))), *OWN)


def _known(rows: Sequence[Json]) -> dict[str, Json]:
    """Return the rows of a run by keyword."""
    own = {option.keyword for option in OWN}
    return {row["keyword"]: row for row in rows
            if row["keyword"] not in NOT_OF_START | own}


def _words_of(rows: Sequence[Json], given: Sequence[str]) -> Words:
    """Return the words of a run by keyword; ktput-ctl refuses wrong values itself."""
    known, found, rest = _known(rows), {}, iter(given)
    for word in rest:
        if word not in known:
            raise UsageError(f"unknown word '{word}'" + guess(word, known))
        takes = "argument" in known[word] or "choices" in known[word]
        found[word] = next(rest, "") if takes else ""
        if takes and not found[word]:
            raise UsageError(f"'{word}' lacks its value")
    return found


def check(rows: Sequence[Json], _: Output, values: Values) -> None:
    """Refuse what is invalid, and convert words to numbers; raises UsageError.

    *try* becomes the rows of keywords that may be changed, *words* a dictionary.
    """
    check_record(values)
    values["words"] = _words_of(rows, values["words"])
    able = {row["keyword"]: row for row in rows if text(row, "changes")}
    names = values["try"].split(",") if values["try"] else list(able)
    for name in names:
        if name not in able:
            raise UsageError(f"try: '{name}' is none of {', '.join(able)}")
    values["try"] = [able[name] for name in names]
    parsers = {"time": units.parse_time, "limit": units.parse_time,
               "matters": units.parse_percent, "ci": units.parse_percent,
               "pairs": units.parse_count, "seed": units.parse_count}
    least = {"time": TIME_MIN_S, "limit": 1e-9, "matters": 0, "ci": 1e-9,
             "pairs": LOOK, "seed": 0}
    most = {"matters": 1000, "ci": 1000, "pairs": PAIRS_MAX}
    for option in OWN:
        field = option.field
        word = values[field]
        if word is None and option.default[:1].isdigit():
            word = option.default
        if word is None or field not in parsers:
            continue
        try:
            values[field] = parsers[field](word)
        except ValueError as error:
            raise UsageError(f"{field}: {error}") from None
        if not least[field] <= values[field] <= most.get(field, 2 ** 63):
            raise UsageError(f"{field}: '{word}' is not within {least[field]:g} and "
                             f"{most.get(field, 2 ** 63):g}")
