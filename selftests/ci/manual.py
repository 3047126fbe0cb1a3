#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""manual.py KEYWORDS MANUAL: the manual with what KEYWORDS says of each keyword.

KEYWORDS is what "ktput-ctl -j help" prints, and on further lines what "ktput-ctl -j
help COMMAND" prints of commands of the laboratory. Between two marks the manual
explains the keywords of a command:

    .. keywords of "start": the first paragraph of each is generated
    .. end of keywords

Of each keyword the term and the first paragraph are written anew. Paragraphs
that follow are prose, and stay. The result goes to standard output.
"""

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

WIDTH = 80
INDENT = "  "
BEGIN = re.compile(r'\.\. keywords of "(.*)":')
END = ".. end of keywords"


def words(text: str) -> str:
    """Return plain text for the manual: no character of it is markup."""
    return re.sub(r"([*|`\\])", r"\\\1", text)


def term(row: dict[str, Any]) -> str:
    """Return what is typed: the keyword, bold, and what stands for its value."""
    parts = [f"**{word}**" for word in row.get("keyword", "").split()]
    if "argument" in row:
        parts.append(f"*{row['argument']}*")
    if "choices" in row:
        parts.append(" | ".join(f"**{choice['word']}**" for choice in row["choices"]))
    return " ".join(parts)


def where(row: dict[str, Any], before: str, behind: str) -> str:
    """Return where something has a meaning, between two texts; nothing for everywhere."""
    places = row["where"].split(", ") if "where" in row else []
    return before + ", ".join(f"**{place}**" for place in places) + behind \
        if places else ""


def summary(row: dict[str, Any]) -> str:
    """Return the first paragraph: help, bounds, where it has a meaning, default, choices."""
    text: str = row["help"][0].upper() + row["help"][1:]
    if "max" in row:
        text += f", {row['min']} to {row['max']}"
    text = words(text) + "."
    text += where(row, " For ", ".")
    if "default" in row:
        text += " Default: " + words(row["default"]) + "."
    for choice in row.get("choices", []):
        if "help" in choice:
            text += f" **{choice['word']}**{where(choice, ' (', ')')}: " + \
                words(choice["help"]) + "."
    return text


def paragraph(text: str) -> str:
    """Fold and indent a paragraph of an entry."""
    return textwrap.fill(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT,
                         break_long_words=False, break_on_hyphens=False)


def name_of(line: str) -> str:
    """Return the keyword that a term begins with."""
    found = re.match(r"((?:\*\*[^*]+\*\* ?)+)", line)
    return found[1].split("** **")[0].strip("* ") if found else line


def prose_of(lines: Iterable[str]) -> dict[str, str]:
    """Find the paragraphs behind the first one of each entry, by its keyword."""
    entries: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in lines:
        if line and not line[0].isspace():
            entry = entries.setdefault(name_of(line), [])
        else:
            entry.append(line)
    return {name: rest.strip("\n") for name, body in entries.items()
            if (rest := "\n".join(body).strip("\n").partition("\n\n")[2])}


def entries_of(rows: list[dict[str, Any]], prose: dict[str, str]) -> Iterator[str]:
    """Give the lines of a command's keywords, and refuse prose of others."""
    for row in rows:
        yield term(row)
        yield paragraph(summary(row))
        yield ""
        if rest := prose.pop(row.get("keyword", row.get("argument", "")).split()[0],
                             None):
            yield rest
            yield ""
    if prose:
        sys.exit(f"manual: no such keyword: {', '.join(prose)}")


def rewrite(manual: Iterable[str], commands: dict[str, list[dict[str, Any]]]
            ) -> Iterator[str]:
    """Give the lines of the manual, those between marks anew."""
    lines = iter(manual)
    for line in lines:
        yield line
        if not (mark := BEGIN.match(line)):
            continue
        held: list[str] = []
        for inner in lines:
            if inner == END:
                break
            held.append(inner)
        yield ""
        yield from entries_of(commands[mark[1]], prose_of(held))
        yield END


def main() -> None:
    """Rewrite a manual."""
    with open(sys.argv[1]) as file:
        commands = {one["command"]: one["keywords"] for line in file
                    for one in json.loads(line)["commands"]}
    with open(sys.argv[2]) as file:
        print("\n".join(rewrite(file.read().splitlines(), commands)))


if __name__ == "__main__":
    main()
