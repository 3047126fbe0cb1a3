# SPDX-License-Identifier: GPL-2.0
"""Keywords of the comparison."""

from .. import units
from ..command import (
    Option,
    UsageError,
    Values,
    check_picture,
    check_record,
    convert,
)
from ..output import Output
from ..statistics import RUNS_MIN
from .rows import chosen, read
from .setups import SUFFIX, setups_of

ROUNDS_MAX = 100
PERCENT_MAX = 1000

LIMIT = Option("limit", "time for a boot", "limit", "TIME", default="3600s")
REPLACE = Option("replace", "begin FILE anew", "replace")
TREE = Option("tree", "source tree of ktput, whose VM runner boots the setups", "tree",
              "DIR", default="the one that this program is in")
OPTIONS = (
    Option("setups", "a kernel (6.1, 6.12, a full release), a build tree (a path), or "
           "a file whose name ends in .toml: the first is what others are compared "
           "with", argument="SETUP", required=True, many=True,
           words=lambda: [":files"]),
    Option("transport", "rungs of TCP alone", "tcp", default="TCP and UDP"),
    Option("transport", "rungs of UDP alone", "udp"),
    Option("time", "length of each run; a nanosecond is an instruction", "time", "TIME",
           default="80ms"),
    Option("rounds", f"rounds of each ladder, {RUNS_MIN} to {ROUNDS_MAX}", "rounds",
           "N", default="3"),
    Option("profile", "sample each run once more, and say which classes of functions "
           "took a difference", "profile"),
    Option("fail_above", "end with 1 if a rung of a setup costs more than PERCENT "
           "above that of the first, with 125 if a setup was skipped, else with 0: for "
           "git-bisect(1)", "fail-above", "PERCENT"),
    LIMIT,
    Option("plot", "draw the costs of all setups side by side, as SVG or PNG", "plot",
           "FILE"),
    Option("record", "add the records of the runs and the ladder of each setup to "
           "FILE, and the comparison behind them; a setup that it has is not measured "
           "again", "record", "FILE"),
    REPLACE,
    TREE,
)
PRICE_OPTIONS = (
    Option("setups", "kernels: 6.1, 6.12, newest, a full release, or a build tree (a "
           "path)", argument="KERNEL", many=True, default="6.1",
           words=lambda: [":files"]),
    Option("only", "a row or a group of rows by its name; may be repeated", "only",
           "NAME", many=True, default="all"),
    Option("jobs", "kernels that are measured at the same time, a VM for each", "jobs",
           "N", default="1"),
    Option("functions", "have QEMU count, too, and say which functions of the kernel "
           "took what rows differ by", "functions"),
    LIMIT,
    Option("record", "add each price to FILE, and the list behind them; a price that "
           "it has is not measured again", "record", "FILE"),
    REPLACE,
    Option("csv", "write the list as comma-separated values, too", "csv", "FILE"),
    Option("html", "write the list as a page, too", "html", "FILE"),
    TREE,
)


def _numbers(values: Values) -> None:
    """Convert words to numbers; raises UsageError."""
    convert(values, time=units.parse_time, limit=units.parse_time,
            rounds=units.parse_count,
            fail_above=lambda word: units.parse_percent(word) / 100)
    if not RUNS_MIN <= values["rounds"] <= ROUNDS_MAX:
        raise UsageError(f"rounds: '{values['rounds']}' is not {RUNS_MIN} to "
                         f"{ROUNDS_MAX}")
    for keyword in ("time", "limit"):
        if not values[keyword] > 0:
            raise UsageError(f"'{keyword}' is not above 0")


def check(_: Output, values: Values) -> None:
    """Refuse invalid words, and convert the others."""
    for option in OPTIONS:
        if values[option.field] is None and option.default[:1].isdigit():
            values[option.field] = option.default
    if values["transport"]:
        values["transport"] = values["transport"][0]
    check_record(values)
    if values["plot"]:
        check_picture("plot", values["plot"])
    _numbers(values)
    values["setups"] = setups_of(values["setups"])
    if values["fail_above"] is not None and len(values["setups"]) < 2:
        raise UsageError("'fail-above' needs two setups")


def check_prices(_: Output, values: Values) -> None:
    """Refuse invalid words of the price list, and convert the others."""
    check_record(values)
    values["limit"] = values["limit"] or LIMIT.default
    values["jobs"] = values["jobs"] or "1"
    convert(values, limit=units.parse_time, jobs=units.parse_count)
    for word in values["setups"]:
        if word.endswith(SUFFIX):
            raise UsageError(f"'{word}': rows are added to kernels, not to setups")
    values["setups"] = setups_of(values["setups"] or ["6.1"])
    if not values["jobs"]:
        raise UsageError("'jobs' is not above 0")
    # vm/tree.sh has one place for the kernel of a tree.
    if values["jobs"] > 1 and sum("/" in one.kernel for one in values["setups"]) > 1:
        raise UsageError("'jobs' is for one build tree at most")
    chosen(read()[1], values["only"])
