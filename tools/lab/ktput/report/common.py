# SPDX-License-Identifier: GPL-2.0
"""Common code of the ktput-report commands."""

from collections.abc import Sequence

from .. import keys
from ..command import Option, any_file
from ..output import COLUMN, WIDTH, CommandError, Output, paragraph
from ..record import Json, Record
from ..records import Records, read

ALL = Option("all", "interrupted, invalid and disturbed runs too (default: they are "
             "left out, with a warning)", "all")
FILES = Option("files", "files of records: what ktput-ctl prints with -j, or keeps "
               "with 'record FILE', one run a line, and what iperf3 prints with -J; - "
               "is the standard input",
               argument="FILE...", required=True, many=True, words=any_file)
#: Longest name of a run in a line of a paragraph.
NAME_WIDTH = WIDTH - COLUMN - 3


def out(what: str) -> Option:
    """Return the option row for the output file of a picture or page."""
    return Option("out", what, "out", "FILE")


def read_runs(output: Output, files: Sequence[str], everything: bool) -> Records:
    """Read the runs of files; *everything* includes those that do not count."""
    records = read(*files)
    if not records.runs:
        what, kind = ("profile", "profile") if records.profiles else \
            ("ladder", "ladder") if records.ladders else ("sweep", "pingpong")
        raise CommandError(f"there is no run in it, but a {what}: 'plot {kind}' draws "
                           "that")
    if not everything:
        warn(output, records.runs)
        records.runs = records.counting()
    if not records.runs:
        raise CommandError("no run is left that counts: say 'all' to take what is "
                           "interrupted, invalid or disturbed too")
    return records


def warn(output: Output, runs: Sequence[Record]) -> None:
    """Warn of the runs that are left out, once for each reason.

    Disturbed runs have one, whatever disturbed them.
    """
    reasons: dict[str, list[Record]] = {}
    for run in runs:
        why = run.why_not or (run.disturbed and "disturbed")
        if why:
            reasons.setdefault(why, []).append(run)
    for found in reasons.values():
        first, more = found[0], found[1:]
        because = first.why_not or first.disturbed_by
        output.warning(f"{short_name(first)} is left out: {because}" if not more else
                       f"{len(found)} of {len(runs)} runs are left out, "
                       f"{short_name(first)} first: {because}")


def short_name(record: Record) -> str:
    """Return the name of a run, or the end of a long name."""
    name = record.file
    if len(name) > NAME_WIDTH:
        name = "..." + name[-NAME_WIDTH:]
    return name + (f" run {record.number_in_file}" if record.of > 1 else "")


def head(record: Record) -> Json:
    """Return the members that identify the run of a document."""
    document = {"file": record.file, "run": record.number_in_file,
                "valid": record.valid, "interrupted": record.interrupted}
    if not record.valid:
        document["invalid_because"] = record.why_not
    return document


def described(record: Record) -> str:
    """Return transport, layers and size of a run in a line."""
    words = [record.transport or "run"]
    engine = record.text(keys.ENGINE)
    if engine and engine != "ktput":
        words.append(engine)
    for end, layer, method in (
            ("source", keys.SOURCE_LAYER, keys.SOURCE_METHOD),
            ("sink", keys.SINK_LAYER, keys.SINK_METHOD)):
        place, how = record.text(layer), record.text(method)
        if place:
            words.append(f"{end} {place}" + (f" ({how})" if how else ""))
    size = record.number(keys.MESSAGE_BYTES)
    streams = record.number(keys.CONFIG_STREAMS)
    if size >= 0:
        words.append(f"{size:.0f} bytes")
    if streams > 1:
        words.append(f"{streams:.0f} streams")
    return ", ".join(words)


def head_lines(record: Record) -> list[str]:
    """Return the lines that identify the next run and say whether it counts."""
    lines = [f"# {short_name(record)}", described(record)]
    if record.interrupted:
        lines.append("INTERRUPTED")
    if not record.valid:
        lines += paragraph("INVALID", record.why_not or "")
    return lines
