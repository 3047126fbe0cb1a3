# SPDX-License-Identifier: GPL-2.0
"""Keywords of ``ktput-ctl load``."""

from .. import command, units
from ..command import SEPARATOR, Option, UsageError, Values, check_record, convert
from ..output import Output

#: Bounds and default of the length of a phase, in seconds.
TIME_MIN_S, TIME_MAX_S, TIME_S = 0.1, 3600.0, 5.0
#: Words whose part "load" plays, or that leave no single result.
OF_LOAD = ("time", "repeat", "until", "record", "replace", "detach", "json-stream",
           "until-eof", "bidir", "sizes")

OPTIONS = (
    Option("time", "length of each phase, before, during and after the load, 100ms to "
           "1h", "time", "TIME", default=f"{TIME_S:g}s"),
    Option("record", "add the record of each run to FILE, and the result behind them",
           "record", "FILE"),
    Option("replace", "with record: instead of what is in FILE", "replace"),
    Option("words", "keywords of 'start' for the load, and of 'pingpong' for the round "
           "trips", SEPARATOR, "WORDS_START -- WORDS_PINGPONG", required=True,
           rest=True),
)


def lines_of_words(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the command lines of the load and the round trips; raises UsageError."""
    sides = command.sides_of("load", words, OF_LOAD)
    if len(sides) != 2:
        raise UsageError("give two sides, '-- WORDS_START -- WORDS_PINGPONG'")
    start, pingpong = ([name, *(side[1:] if side[:1] == [name] else side)]
                       for name, side in zip(("start", "pingpong"), sides, strict=True))
    return start, pingpong


def check(_: Output, values: Values) -> None:
    """Refuse invalid combinations, and convert words to numbers."""
    check_record(values)
    word = values["time"]
    convert(values, time=units.parse_time)
    if word is None:
        values["time"] = TIME_S
    if not TIME_MIN_S <= values["time"] <= TIME_MAX_S:
        raise UsageError(f"time: '{word}' is not in the range 100ms to 1h")
    values["lines"] = lines_of_words(values["words"])
