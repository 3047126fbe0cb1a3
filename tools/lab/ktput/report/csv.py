# SPDX-License-Identifier: GPL-2.0
"""ktput-report csv: intervals or runs as comma-separated values (RFC 4180)."""

import csv
import math
import sys
from collections.abc import Iterator

from .. import keys
from ..command import Command, Option, UsageError, Values
from ..output import Output, write
from ..record import Interval, Json, Record, array, at, number
from .common import FILES, read_runs

#: The first columns of every row, after file and run.
COMMON = {
    "transport": "source.config.transport", "engine": keys.ENGINE,
    "source_layer": keys.SOURCE_LAYER,
    "source_method": keys.SOURCE_METHOD, "sink_layer": keys.SINK_LAYER,
    "sink_method": keys.SINK_METHOD, "streams": keys.CONFIG_STREAMS,
    "size_bytes": keys.MESSAGE_BYTES, "mtu_bytes": keys.MTU,
    "congestion": "source.config.congestion",
    "sndbuf_bytes": "source.config.sndbuf_bytes",
    "rcvbuf_bytes": "sink.config.rcvbuf_bytes",
    "valid": "result.valid", "interrupted": "result.interrupted",
}
OF_RUNS = {
    "ended": keys.REASON, "invalid_because": "result.invalid_because",
    "goodput_bps": keys.GOODPUT,
    "goodput_ci_low_bps": "result.statistics.goodput_bps.ci_low",
    "goodput_ci_high_bps": "result.statistics.goodput_bps.ci_high",
    "goodput_sigma_bps": "result.statistics.goodput_bps.sigma",
    "goodput_stability": "result.statistics.goodput_bps.stability",
    "bytes": "result.bytes", "span_s": "result.span_ns",
    "messages_per_s": "result.messages_per_s", "packets_per_s": keys.PACKETS,
    "wire_rate_bps": "result.wire.rate_bps",
    "wire_ceiling_bps": "result.wire.ceiling_bps",
    "retransmissions": "result.retransmissions", "rtt_us": "result.rtt_us",
    "sent_datagrams": "result.datagrams.sent",
    "received_datagrams": "result.datagrams.received",
    "lost_datagrams": "result.datagrams.lost",
    "busy_cycles_per_byte": keys.PER_BYTE, "busy_cycles_per_packet": keys.PER_PACKET,
    "source_call_cycles_per_byte": "result.source_call_cycles_per_byte",
    "sink_call_cycles_per_byte": "result.sink_call_cycles_per_byte",
    "core_cycles_per_byte": "result.core_cycles_per_byte",
    "instructions_per_byte": "result.instructions_per_byte",
    "round_trips": "result.round_trips", "round_trips_per_s": keys.ROUND_TRIPS,
    "latency_min_ns": "result.latency_ns.min",
    "latency_mean_ns": keys.LATENCY_MEAN, "latency_max_ns": "result.latency_ns.max",
    **{f"latency_{key}_ns": f"{keys.LATENCY}.{key}" for key, _ in keys.PERCENTILES},
    "timeouts": "result.timeouts", "late_responses": "result.late_responses",
    "busy_cycles_per_round_trip": keys.PER_TRIP,
}
#: Columns with another unit than the record, and the factor to it.
FACTORS = {"span_s": 1e-9}
#: Window that the sink advertised, added over the streams; of runs.
WINDOW = "send_window_bytes"
OF_INTERVALS = (
    "from_s", "to_s", "warm_up", "bytes", "goodput_bps", "busy_share", "busy_cycles",
    "packets_per_s", "retransmissions", "lost_datagrams", "round_trips_per_s",
    "latency_mean_ns", "latency_p50_ns", "latency_p99_ns", "timeouts",
)


def field(value: Json) -> str:
    """Return the text of a field: 15 digits of a number, nothing for None."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:.15g}" if math.isfinite(value) else ""
    return value if isinstance(value, str) else ""


def _members(record: Record, columns: dict[str, str]) -> list[str]:
    found = []
    for title, path in columns.items():
        value = at(record.root, path)
        if title in FACTORS:
            value = record.number(path) * FACTORS[title]
        found.append(field(value))
    return found


def _window(record: Record) -> str:
    """Return the advertised windows of all streams in bytes, or nothing."""
    found = [number(one, WINDOW) for one in array(record.root, keys.RESULT_TCP)]
    return field(sum(found) if found else None)


def _rows(record: Record, of_runs: bool) -> Iterator[list[str]]:
    common = [record.file, str(record.number_in_file), *_members(record, COMMON)]
    if of_runs:
        yield [*common, _window(record), *_members(record, OF_RUNS)]
        return
    indices = [Interval._fields.index(title) for title in OF_INTERVALS]
    for interval in record.intervals:
        yield common + [field(interval[index]) for index in indices]


def check(output: Output, _: Values) -> None:
    """Refuse invalid combinations."""
    if output.as_json:
        raise UsageError("csv is no JSON: leave -j out, or say show")


def run(output: Output, values: Values) -> None:
    """Print a line of titles and a row for each interval or run."""
    records = read_runs(output, values["files"], everything=True)
    of_runs = bool(values["rows"])
    write("")
    rows = csv.writer(sys.stdout, lineterminator="\n")
    titles = (WINDOW, *OF_RUNS) if of_runs else OF_INTERVALS
    rows.writerow(["file", "run", *COMMON, *titles])
    for record in records.runs:
        rows.writerows(_rows(record, of_runs))
    sys.stdout.flush()


COMMAND = Command(
    "csv", "intervals or runs as comma-separated values",
    (Option("rows", "a row for each run (default: for each interval)", "runs"), FILES),
    "The titles carry the units; what a record does not have is empty.", run, check)
