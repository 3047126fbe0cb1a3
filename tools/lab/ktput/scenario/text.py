# SPDX-License-Identifier: GPL-2.0
"""A scenario as text, from its document."""

import textwrap
from collections.abc import Iterator

from ..output import WIDTH, Column, paragraph, table
from ..record import Json, array, number, text
from .figures import FIGURES, shown, stated

#: What is printed of a rule.
HOLDS = {True: "yes", False: "NO", None: "-"}
TITLE = 16


def lines_of(document: Json) -> Iterator[str]:
    """Yield the text of a scenario's document."""
    scenario = document["scenario"]
    yield from _folded(f"{scenario['name']}: {scenario['title']}")
    yield from paragraph("Memo", scenario["memo"])
    if "hosts" in scenario:
        yield from paragraph("Hosts", "{near} and {far}, over the network that they "
                             "have: nothing of the file's is set".format(
                                 **scenario["hosts"]))
    for one in array(scenario, "tables"):
        yield from _table(one)
    for one in array(scenario, "matrices"):
        yield from _matrix(one)
    yield from _same(scenario)
    concluded = [one["concludes"] for one in array(scenario, "same")
                 if "concludes" in one]
    for one in [*concluded, *scenario["text"].split("\n\n")]:
        if one.strip():
            yield ""
            yield from _folded(one)
    yield ""
    yield from _end(scenario)


def _folded(words: str) -> list[str]:
    return textwrap.wrap(" ".join(words.split()), WIDTH, break_on_hyphens=False)


def _table(of: Json) -> Iterator[str]:
    """Yield a table: a row's title at its first figure alone."""
    columns = (Column("", TITLE, left=True), Column("", left=True),
               Column("memo", 7), Column("ceiling", 8), Column("here", 8),
               Column("verdict", left=True))
    rows, before = [], ""
    reasons: dict[str, str] = {}
    for one in array(of, "rows"):
        name = one["figure"]
        because = text(one, "not_measured_because")
        verdict = text(one, "verdict") or ""
        if because:
            verdict = reasons.setdefault(because, f"[{len(reasons) + 1}]")
        memo = one["memo"]
        rows.append([
            one["row"] if one["row"] != before else "",
            f"{FIGURES[name].title or name} {one['unit']}",
            "-" if memo is None else stated(name, memo),
            shown(name, number(one, "ceiling")) if "ceiling" in one else "",
            shown(name, number(one, "here")), verdict])
        before = one["row"]
    yield ""
    yield of["title"]
    yield from table(columns, rows)
    for reason, mark in reasons.items():
        yield from paragraph(mark, reason, 4)
    if of["notes"]:
        yield from _folded(of["notes"])


def _matrix(of: Json) -> Iterator[str]:
    """Yield a table over two variables."""
    yield ""
    yield f"{of['title']}: {of['figure']} in {of['unit']}"
    digits = max(FIGURES[of["figure"]].digits - 2, 0)
    yield from table(
        [Column(f"{of['down']}\\{of['across']}"),
         *(Column(f"{one}", 6) for one in of["columns"])],
        [[f"{row}", *("-" if one is None else f"{one:.{digits}f}" for one in cells)]
         for row, cells in zip(of["rows"], of["cells"], strict=True)])


def _same(scenario: Json) -> Iterator[str]:
    rows = array(scenario, "same")
    if not rows:
        return
    yield ""
    yield "The same as the memo?"
    for one in rows:
        because = text(one, "because")
        says = one["says"] + (f" (not judged: {because})" if because else "")
        yield from paragraph(HOLDS[one["holds"]], says, 4)


def _end(scenario: Json) -> Iterator[str]:
    words = [f"{scenario['made']} of {scenario['runs']}, {scenario['form']} form, "
             f"order by seed {scenario['seed']}"]
    if scenario["resumed"]:
        words.append(f"{scenario['resumed']} of the file")
    if scenario["interrupted"]:
        words.append("interrupted")
    yield from paragraph("Runs", "; ".join(words))
    for one in array(scenario, "left_out"):
        yield from paragraph("Left out", f"{len(one['runs'])}: {one['because']}: " +
                             "; ".join(one["runs"]))


