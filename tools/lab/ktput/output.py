# SPDX-License-Identifier: GPL-2.0
"""Results on one stream, diagnostics on the other, as text or as JSON.

A command makes one document of dictionaries and lists. Its text is made from the
document, so that both agree.
"""

import io
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from .record import Json

WIDTH = 79
#: Column where the text after a title begins, as in ktput-ctl.
COLUMN = 17


class CommandError(Exception):
    """A command that fails; the text says why."""


def jsonable(value: Json) -> Json:
    """Return *value* with null for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: jsonable(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(member) for member in value]
    return value.item() if hasattr(value, "item") else value


@dataclass
class Output:
    """Prints results and diagnostics."""

    program: str
    as_json: bool = False
    pretty: bool = False

    def dumps(self, document: Json) -> str:
        """Return a document on one line, or indented."""
        if self.pretty:
            return json.dumps(document, ensure_ascii=False, indent=2)
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))

    def line(self, document: Json) -> str:
        """Return a document as a line of a file of records."""
        return json.dumps(jsonable(document), ensure_ascii=False, separators=(",", ":"))

    def result(self, document: Json, text: Iterable[str]) -> None:
        """Print a document, or its lines."""
        if self.as_json:
            write(self.dumps(jsonable(document)) + "\n")
        else:
            write("".join(line + "\n" for line in text))

    def _say(self, kind: str, prefix: str, sentence: str) -> None:
        said = self.dumps({kind: sentence}) if self.as_json \
            else f"{self.program}: {prefix}{sentence}"
        # Print after the results, if these could be written.
        if sys.stdout is not None:
            with suppress(OSError):
                sys.stdout.flush()
        print(said, file=sys.stderr)

    def error(self, sentence: str) -> None:
        """Print why there is no result."""
        self._say("error", "", sentence)

    def warning(self, sentence: str) -> None:
        """Print a warning about the result."""
        self._say("warning", "warning: ", sentence)

    @property
    def live(self) -> bool:
        """Whether a line of status is shown: on a terminal, beside text."""
        return not self.as_json and sys.stderr.isatty()

    def status(self, words: str = "") -> None:
        """Show a line in the place of the last one; without words, clear it."""
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            print("\r\033[K" + words[:width], end="", file=sys.stderr, flush=True)

    def progress(self, sentence: str) -> None:
        """Print the progress."""
        if self.as_json:
            self._say("progress", "", sentence)
        else:
            print(sentence, file=sys.stderr, flush=True)


def write(text: str) -> None:
    """Write to the standard output; raises OSError if it is closed or full."""
    if sys.stdout is None:
        raise OSError("the standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # The interpreter would try what is left again, and complain, at its end.
        sys.stdout = io.StringIO()
        raise OSError(f"cannot write the results: {error.strerror}") from None


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    width: int = 0
    #: for words
    left: bool = False


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, each column as wide as its widest cell."""
    cells = [[column.title for column in columns], *(list(row) for row in rows)]
    widths = [max(column.width, *(len(row[i]) for row in cells))
              for i, column in enumerate(columns)]
    return ["  ".join(cell.ljust(width) if column.left else cell.rjust(width)
                      for cell, width, column in zip(row, widths, columns,
                                                     strict=True)).rstrip()
            for row in cells]


def paragraph(title: str, text: str, column: int = COLUMN) -> list[str]:
    """Return the lines of a title and its text, folded beside it."""
    lines = textwrap.wrap(text, WIDTH - column, break_on_hyphens=False) or [""]
    head = [title.ljust(column) + lines[0]] if len(title) < column \
        else [title, " " * column + lines[0]]
    return [*head, *(" " * column + line for line in lines[1:])]


def mapped(value: float, shown: str, absent: str = "-") -> str:
    """Return *shown*, or *absent* if there is no value."""
    return shown if math.isfinite(value) else absent
