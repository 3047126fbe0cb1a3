# SPDX-License-Identifier: GPL-2.0
"""ktput-report html: records as a self-contained page."""

from ..command import Command, UsageError, Values
from ..output import Output, write
from ..records import read
from .common import FILES, out


def check(output: Output, values: Values) -> None:
    """Refuse to mix a page with JSON."""
    if output.as_json and values["out"] is None:
        raise UsageError("a page is no JSON: say where it goes with 'out'")


def run(output: Output, values: Values) -> None:
    """Write the page."""
    from ..page import make

    records = read(*values["files"])
    page = make(records, output.warning)
    where = values["out"]
    if where is None:
        write(page)
        return
    with open(where, "w", encoding="utf-8") as file:
        file.write(page)
    output.result({"file": where, "runs": len(records)}, [where])


COMMAND = Command(
    "html", "one page of runs, profiles, and what other commands made of runs",
    (FILES, out("where the page goes (default: the standard output)")),
    "The page refers to nothing outside of it.", run, check)
