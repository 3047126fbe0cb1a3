# SPDX-License-Identifier: GPL-2.0
"""Keywords of ``ktput-ctl ab``."""

from .. import command, units
from ..command import SEPARATOR, Option, UsageError, Values, check_record, convert
from ..output import Output
from ..statistics import PILOT, RUNS_MIN

ROUNDS_MAX = 1000
#: Rounds at most: without and with "until ci".
ROUNDS, ROUNDS_UNTIL = 10, 50
COMMANDS = ("start", "pingpong")
#: Words whose part "ab" plays, or that leave no result to compare.
OF_AB = ("repeat", "until", "record", "replace", "detach", "json-stream", "until-eof",
         "sizes")

OPTIONS = (
    Option("rounds", f"rounds, each of a run of A and one of B, {RUNS_MIN} to "
           f"{ROUNDS_MAX}; with 'until ci' at most", "rounds", "N",
           default=f"{ROUNDS}, with until ci {ROUNDS_UNTIL}"),
    Option("ci", f"end, after {PILOT} rounds or more, when the difference of goodput, "
           "or of median round trips, is known to +-PERCENT of A", "until ci",
           "PERCENT"),
    Option("before", "shell command that is run before each run of B, for what is no "
           "keyword", "before", "COMMAND"),
    Option("after", "shell command that undoes it, after each run of B and however ab "
           "ends", "after", "COMMAND"),
    Option("seed", "what the order in each round follows from", "seed", "N",
           default="another each time"),
    Option("record", "add the record of each run to FILE, and the comparison behind "
           "them", "record", "FILE"),
    Option("replace", "with record: instead of what is in FILE", "replace"),
    Option("words", "what A and B are: each 'start' or 'pingpong' with its keywords; "
           "'start' can be left out. With 'before' one is enough, for both",
           SEPARATOR, "WORDS_A -- WORDS_B", required=True, rest=True),
)


def sides_of(words: list[str], changed: bool) -> tuple[list[str], list[str]]:
    """Return the command lines of A and B; raises UsageError."""
    sides = command.sides_of("ab", words, OF_AB)
    if changed and len(sides) == 1:
        sides *= 2
    if len(sides) != 2:
        raise UsageError("give two sides, '-- WORDS_A -- WORDS_B'" + (
            "" if changed else ", or 'before' and 'after'"))
    a, b = ([*([] if side[:1] and side[0] in COMMANDS else ["start"]), *side]
            for side in sides)
    if a[0] != b[0]:
        raise UsageError(f"'{a[0]}' and '{b[0]}' have no figure in common")
    return a, b


def check(_: Output, values: Values) -> None:
    """Refuse invalid combinations, and convert words to numbers."""
    check_record(values)
    for one, other in (("before", "after"), ("after", "before")):
        if values[one] and not values[other]:
            raise UsageError(f"'{one}' needs '{other}'")
        if "\n" in (values[one] or ""):
            raise UsageError(f"{one}: the command has more than one line")
    values["sides"] = sides_of(values["words"], bool(values["before"]))
    words = dict(values)
    convert(values, ci=lambda word: units.parse_percent(word) / 100,
            rounds=units.parse_count, seed=units.parse_count)
    if words["rounds"] is None:
        values["rounds"] = ROUNDS if words["ci"] is None else ROUNDS_UNTIL
    least = RUNS_MIN if words["ci"] is None else PILOT
    if not least <= values["rounds"] <= ROUNDS_MAX:
        raise UsageError(f"rounds: '{values['rounds']}' is not in the range {least} to "
                         f"{ROUNDS_MAX}")
    if words["ci"] is not None and not 0 < values["ci"] <= 1:
        raise UsageError(f"ci: '{words['ci']}' is not above 0 and up to 100%")
