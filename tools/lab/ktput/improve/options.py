# SPDX-License-Identifier: GPL-2.0
"""Keywords of improve: its own, and most of ``ktput-ctl start``."""

from collections.abc import Mapping, Sequence

from .. import units
from ..command import Option, UsageError, Values, check_record, convert, guess
from ..output import Output
from ..record import Json, text
from .table import rows_of
from .trial import LOOK, PINGPONG, START

#: Keywords of a run that make several runs of one, end without a result, or change
#: what a run costs.
NOT_OF_RUN = frozenset(("repeat", "detach", "until-eof", "json-stream", "profile",
                        "drops", "sizes"))
#: Commands of a run, and what is not tried with each: fewer streams wait for less, but
#: do less.
NOT_TRIED: Mapping[str, frozenset[str]] = {
    START: frozenset(), PINGPONG: frozenset(("streams",))}
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
    Option("try", "change these keywords and settings alone, such as "
           "streams,net.ipv4.tcp_rmem", "try", "LIST",
           default="all that have changes in -j help"),
    Option("host", "change settings of the hosts of both ends too; all is undone in "
           "the end", "host"),
    Option("undo", "only restore settings that a search left changed when it was "
           "killed", "undo"),
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
#: Rows of keywords by command.
Rows = Mapping[str, Sequence[Json]]


def line_of(words: Words) -> list[str]:
    """Return the words as they are typed."""
    return [one for keyword, value in words.items() for one in (keyword, value) if one]


def options_of(rows: Rows) -> tuple[Option, ...]:
    """Return the rows of improve; *rows* are those of the commands that it runs."""
    return (Option("words", "words of the run, of start or, behind the word pingpong, "
                   "of pingpong: see 'ktput-ctl help start'",
                   argument="WORDS", many=True,
                   words=lambda: [PINGPONG, *_known(rows[START])]), *OWN)


def _known(rows: Sequence[Json]) -> dict[str, Json]:
    """Return the rows of a run by keyword."""
    own = {option.keyword for option in OWN}
    return {row["keyword"]: row for row in rows
            if row["keyword"] not in NOT_OF_RUN | own}


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


def _choose(rows: Sequence[Json], values: Values) -> None:
    """Make of *try* the rows of keywords, and of *settings* those of settings."""
    able = {row["keyword"]: row for row in rows if text(row, "changes") and
            row["keyword"] not in NOT_TRIED[values["command"]]}
    settings = {row["name"].split()[-1]: row for row in rows_of()}
    if values["try"]:
        names = values["try"].split(",")
    else:
        names = [*able, *(settings if values["host"] else ())]
    for name in names:
        if name in settings and not values["host"]:
            raise UsageError(f"try: '{name}' is a setting of a host: add 'host'")
        if name not in able and name not in settings:
            raise UsageError(f"try: '{name}' is none of " + ", ".join(
                [*able, *(settings if values["host"] else ())]))
    values["try"] = [able[name] for name in names if name in able]
    values["settings"] = [settings[name] for name in names if name in settings]


def check(of: Rows, _: Output, values: Values) -> None:
    """Refuse what is invalid, and convert words to numbers; raises UsageError.

    *try* and *settings* become the rows of what may be changed, *words* a dictionary.
    """
    check_record(values)
    command, *words = values["words"] or [START]
    if command not in of:
        command, words = START, values["words"]
    values["command"], rows = command, of[command]
    values["words"] = _words_of(rows, words)
    _choose(rows, values)
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
        values[field] = word
        convert(values, **{field: parsers[field]})
        if not least[field] <= values[field] <= most.get(field, 2 ** 63):
            raise UsageError(f"{field}: '{word}' is not within {least[field]:g} and "
                             f"{most.get(field, 2 ** 63):g}")
