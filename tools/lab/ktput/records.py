# SPDX-License-Identifier: GPL-2.0
"""Records of runs, read from files.

>>> for record in ktput.read("run.jsonl"):
...     print(record.goodput_bps, record.array("goodput_bps"))
"""

import gc
import json
import math
import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from . import foreign, keys
from .record import (
    NAN,
    Ab,
    Document,
    Improve,
    Json,
    Ladder,
    Mesh,
    Profile,
    Record,
    RecordError,
    RecordWarning,
    Sweep,
    number,
)

if TYPE_CHECKING:
    import pandas as pd

Source: TypeAlias = "str | PathLike[str] | IO[bytes]"

# White space of JSON; Python accepts more.
BLANKS = " \t\r\n"
# Deeper than any record.
DEPTH_MAX = 32
# What to do about a file of something else.
WANTED = "give what ktput-ctl prints with -j, or keeps with 'record FILE'"
# A byte that is not UTF-8, as it is decoded.
SURROGATE = re.compile("[\udc80-\udcff]")
# A control character that is no white space, as compressed files begin with.
NO_TEXT = re.compile("[\0-\x08\x0e-\x1f]")
LITERALS = ("true", "false", "null", "-")
# Bytes that a control character or a surrogate is made of in JSON: an escape, DEL, C1.
CONTROLS = re.compile(rb"\\|\x7f|\xc2[\x80-\x9f]")
NO_BRACKETS = bytes(one for one in range(256) if one not in b"[]{}")
# Text that may follow the digits of a truncated number.
NUMBER_END = re.compile(r"\.|\.?[eE][+-]?")


def _clean(value: Json, depth: int) -> Json:
    """Return *value* without control characters for a terminal.

    ktput's keys have none, so a key with one is rejected. Values come from elsewhere
    and get blanks instead.
    """
    if depth > DEPTH_MAX:
        raise RecordError("no JSON: it nests deeper than any record")
    if isinstance(value, str):
        return value if value.isprintable() else _printable(value)
    if isinstance(value, dict):
        for key, member in value.items():
            if not key.isprintable() and key != _printable(key):
                raise RecordError("is no record: a key has control characters")
            # Most members are numbers.
            if type(member) not in (int, float, bool):
                value[key] = _clean(member, depth + 1)
    elif isinstance(value, list):
        for i, member in enumerate(value):
            if type(member) not in (int, float, bool):
                value[i] = _clean(member, depth + 1)
    return value


def _printable(value: str) -> str:
    """Return *value* with a blank for each control character and surrogate."""
    return "".join(" " if unicodedata.category(one) in ("Cc", "Cs") else one
                   for one in value)


def _is_clean(line: bytes) -> bool:
    """Whether :func:`_clean`, which is slow, has nothing to do for a document."""
    if CONTROLS.search(line):
        return False
    left = line.translate(None, NO_BRACKETS)
    for _ in range(DEPTH_MAX - 1):
        if not left:
            return True
        left = left.replace(b"{}", b"").replace(b"[]", b"")
    return False


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no number")


_decoder = json.JSONDecoder(parse_constant=_no_constant)


def _is_cut(line: str, error: json.JSONDecodeError) -> bool:
    """Whether a text ends before its document does."""
    rest = line[error.pos:].rstrip(BLANKS)
    return (not rest or error.msg.startswith("Unterminated string") or
            any(literal.startswith(rest) for literal in LITERALS) or
            NUMBER_END.fullmatch(rest) is not None or
            ("escape" in error.msg and len(rest) < len("\\u1234")))


def _broken(content: str, error: Exception) -> str:
    """Return why a part of *content* is no document."""
    if isinstance(error, json.JSONDecodeError):
        if NO_TEXT.match(content, error.pos):
            return "no JSON: it is no text; if it is compressed, unpack it first"
        if SURROGATE.match(content, error.pos):
            return "no JSON: it is not UTF-8"
        if _is_cut(content, error):
            return ("the JSON ends in the middle: the file is truncated, or still "
                    "being written")
        return f"no JSON: {error.msg}; {WANTED}"
    return f"no JSON: {error}"


def _parse(content: bytes, line: int, broken: list[str]) -> Iterator[tuple[int, Json]]:
    """Yield the documents of *content*, which begins at *line*, each with its line.

    What is no document is told in *broken*, and left out up to the next line that
    begins one: those within a record are indented.
    """
    decoded = content.decode(errors="surrogateescape")
    start = 0
    while True:
        end = start
        while end < len(decoded) and decoded[end] in BLANKS:
            end += 1
        line += decoded.count("\n", start, end)
        if end == len(decoded):
            return
        why = ""
        try:
            root, start = _decoder.raw_decode(decoded, end)
            if SURROGATE.search(decoded, end, start):
                why = "no JSON: it is not UTF-8"
        except (ValueError, RecursionError) as error:
            why = _broken(decoded, error)
        if why:
            broken.append(f"{line}: {why}")
            start = decoded.find("\n{", end)
            start = len(decoded) if start < 0 else start
        else:
            yield line, root
        line += decoded.count("\n", end, start)


def _documents(stream: IO[bytes],
               broken: list[str]) -> Iterator[tuple[int, Json, bool]]:
    """Yield the documents of a file, a line in memory at a time.

    With each are its line, and whether it is known to be clean. What is no document is
    told in *broken*.
    From the first line that is not exactly one document, the rest is read as a whole.
    """
    for number_of, line in enumerate(stream, 1):
        try:
            root = _decoder.decode(line.decode()) if line.strip(b" \t\r\n") else None
        except (ValueError, RecursionError):
            for at_line, found in _parse(line + stream.read(), number_of, broken):
                yield at_line, found, False
            return
        if root is not None or line.strip(b" \t\r\n"):
            yield number_of, root, _is_clean(line)


def _kind(root: Json) -> type[Document] | None:
    """Return the kind of a document, None for one that is to be passed over.

    A summary, a scenario and the peer of a sink repeat the records; a command that a
    scenario timed is no run of ktput.

    Raises RecordError for any other document.
    """
    if not isinstance(root, dict):
        raise RecordError("is no record: it is JSON, but no object")
    result = root.get(keys.RESULT)
    if result is None:
        for key, kind in ((keys.PROFILE, Profile), (keys.LADDER, Ladder),
                          (keys.MESH, Mesh), (keys.SUMMARY, None), (keys.PEER, None),
                          (keys.SCENARIO, None), (keys.COMMAND_RUN, None),
                          (keys.AB, Ab), (keys.IMPROVE, Improve), (keys.LOAD, None),
                          (keys.SWEEP, Sweep),
                          *((one, None) for one in keys.COMPARISON)):
            if isinstance(root.get(key), dict) and (
                    kind is not Sweep or isinstance(root.get(keys.SWEEP_SIZES), list)):
                return kind
        if isinstance(root.get(keys.LIST), list):
            raise RecordError("has no result: its run was detached, or it is a list of "
                              "runs")
    if not isinstance(result, dict) or not any(
            root.get(end) is not None for end in keys.ENDS):
        raise RecordError(f"is no record: {WANTED}")
    return Record


def _check_version(root: dict[str, Json]) -> None:
    version = root.get(keys.RECORD_VERSION, keys.VERSION)
    if number(version) != keys.VERSION:
        raise RecordError(
            f"its record_version is {json.dumps(version, ensure_ascii=False)[:20]}, "
            f"and this program reads {keys.VERSION}: use the ktput-report that came "
            "with the ktput-ctl of the run")


@contextmanager
def _without_gc() -> Iterator[None]:
    """Disable the cycle collector: it takes half the time, and JSON has no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def documents(source: Source) -> Iterator[Document]:
    """Yield the documents of a file in order: records, ladders, profiles, sweeps.

    *source* is a name, "-" for the standard input, or a binary stream. The file is
    read on demand, so :attr:`Record.of` is the number of runs read so far.
    What is no JSON, as a line that was cut when the power failed, is left out with a
    :class:`RecordWarning`. Raises :class:`RecordError`, which names the line, and
    OSError.
    """
    if not isinstance(source, (str, PathLike)):
        yield from _read_stream(source, getattr(source, "name", "stream"), NAN)
    elif fspath(source) == "-":
        yield from _read_stream(sys.stdin.buffer, "stdin", NAN)
    else:
        with open(source, "rb") as stream:
            yield from _read_stream(stream, fspath(source),
                                    os.fstat(stream.fileno()).st_mtime)


def _read_document(root: Json, clean: bool) -> tuple[type[Document] | None, Json]:
    """Return the kind of a document, and the document; raises RecordError.

    *clean* says that it has no control characters.
    """
    of_iperf3 = foreign.is_iperf3(root)
    kind = Record if of_iperf3 else _kind(root)
    if kind is not None and not clean:
        _clean(root, 1)
    if of_iperf3:
        root = foreign.record_of(root)
    if kind is not None:
        _check_version(root)
    return kind, root


def _read_stream(stream: IO[bytes], file: str, written_s: float) -> Iterator[Document]:
    count = runs = 0
    broken: list[str] = []
    try:
        for line, root, clean in _documents(stream, broken):
            try:
                kind, document = _read_document(root, clean)
                if kind is None:
                    continue
            except RecordError as error:
                raise RecordError(f"{line}: {error}") from None
            count += 1
            if kind is Record:
                runs += 1
                yield Record(document, file, line, written_s, runs, runs)
            else:
                yield kind(document, file, line, written_s)
    except RecordError as error:
        raise RecordError(f"{file}:{error}") from None
    if not count and broken:
        raise RecordError(f"{file}:{broken[0]}")
    for one in broken:
        warnings.warn(f"{file}:{one}; left out", RecordWarning, stacklevel=2)
    if not count:
        raise RecordError(f"{file}: the file is empty: there is no record in it")


class Records(Sequence[Record]):
    """Runs in the order of their files, and the other documents."""

    def __init__(self, found: Iterable[Document] = ()) -> None:
        """Sort *found* by kind."""
        self.runs: list[Record] = []
        self.profiles: list[Profile] = []
        self.ladders: list[Ladder] = []
        self.meshes: list[Mesh] = []
        self.comparisons: list[Ab] = []
        self.searches: list[Improve] = []
        self.sweeps: list[Sweep] = []
        for one in found:
            self.add(one)

    def add(self, one: Document) -> None:
        """Add a document."""
        for kind, to in ((Record, self.runs), (Profile, self.profiles),
                         (Ladder, self.ladders), (Mesh, self.meshes),
                         (Ab, self.comparisons), (Improve, self.searches),
                         (Sweep, self.sweeps)):
            if isinstance(one, kind):
                to.append(one)  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401
        return self.runs[index]

    def counting(self, disturbed: bool = False) -> list[Record]:
        """Return the runs that count: valid, not interrupted, and not disturbed.

        Disturbed runs are included if *disturbed* is true.
        """
        return [run for run in self.runs if run.why_not is None and
                (disturbed or run.disturbed_by is None)]

    def frame(self) -> "pd.DataFrame":
        """Return the runs as a pandas data frame: settings, then figures.

        Settings are named by their full paths; numbers stay numbers.
        """
        import pandas as pd

        from .settings import settings_of

        rows = []
        for run in self.runs:
            row: dict[str, Json] = {"file": run.file, "run": run.number_in_file,
                                    "valid": run.valid,
                                    "interrupted": run.interrupted}
            row.update({one.key: one.text if math.isnan(one.number) else one.number
                        for one in settings_of(run).values()})
            row.update({key: value for key, value in run.root[keys.RESULT].items()
                        if isinstance(value, (int, float, str))})
            rows.append(row)
        return pd.DataFrame(rows)


def read(*sources: Source) -> Records:
    """Read whole files; see :func:`documents` for sources and exceptions."""
    records = Records()
    with _without_gc():
        for source in sources:
            first = len(records.runs)
            for one in documents(source):
                records.add(one)
            for run in records.runs[first:]:
                run.of = len(records.runs) - first
    return records
