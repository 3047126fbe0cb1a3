# SPDX-License-Identifier: GPL-2.0
"""ktput-report iperf3: a run in the JSON of iperf3, for what reads that.

The keys are those of ``iperf3 -J``, version 3.12. What a record does not have is left
out, as iperf3 leaves out what a kernel does not tell.
"""

import json
import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .. import keys
from ..command import Command, Option, UsageError, Values, any_file
from ..output import CommandError, Output, write
from ..record import Json, Record, array, at, number, text
from .common import ALL, read_runs

#: Number of the first stream's socket, as iperf3 numbers them.
FIRST_SOCKET = 5


class Span(NamedTuple):
    """A time in the run, seconds."""

    start: float
    end: float

    def of(self, count: float, **more: Json) -> Json:
        """Return what iperf3 says of so many bytes in that time."""
        seconds = self.end - self.start
        return {"start": self.start, "end": self.end, "seconds": seconds,
                "bytes": int(count),
                "bits_per_second": count * 8 / seconds if seconds > 0 else 0.0, **more}


def _known(**values: float) -> Json:
    """Return the values that are known, whole numbers as such."""
    return {key: int(value) if value == int(value) else value
            for key, value in values.items() if math.isfinite(value)}


def _streams(snapshot: Json) -> dict[int, Json]:
    return {int(number(one, "stream")): one for one in array(snapshot, "streams")}


def _count(stream: Json, path: str) -> float:
    value = number(stream, path)
    return value if math.isfinite(value) else 0.0


class Run:
    """A record, and its streams at each interval."""

    def __init__(self, record: Record) -> None:
        """Look at a record; raises CommandError if iperf3 has no form for it."""
        if record.is_pingpong:
            raise CommandError("iperf3 has no round trips: the record is of pingpong")
        if at(record.root, "source") is None:
            raise CommandError("iperf3 -J is of the end that sends, and the record has "
                               "a sink alone")
        self.record = record
        self.udp = record.transport == "udp"
        self.intervals = [(one, Span(number(one, "from_ns") / 1e9,
                                     number(one, "to_ns") / 1e9))
                          for one in record.list(keys.INTERVALS)]
        warm = [step for step in self.intervals if at(step[0], keys.WARM_UP) is True]
        #: time of the warm-up, which the totals leave out, seconds
        self.omit = warm[-1][1].end if warm else 0.0
        self.base = {end: _streams(warm[-1][0].get(end) if warm else
                                   at(record.root, f"{end}.{keys.BEGIN}"))
                     for end in keys.ENDS}

    def total(self, end: str, stream: Json, path: str) -> float:
        """Return a counter of a stream of one end since the warm-up."""
        before = self.base[end].get(int(number(stream, "stream")), {})
        return _count(stream, path) - _count(before, path)

    def start(self) -> Json:
        """Return how the run was made."""
        record, config = self.record, "source.config"
        last = _streams(self.intervals[-1][0].get("source")) if self.intervals else {}
        connected = [{"socket": FIRST_SOCKET + i, **_ends(one)}
                     for i, one in last.items()]
        rate = record.number(f"{config}.pace_bytes_per_s") * 8
        return {
            "connected": connected,
            "version": " ".join(filter(None, ("ktput", record.text("module_version")))),
            "system_info": " ".join(filter(None, ("Linux", record.text(keys.KERNEL)))),
            "cookie": str(int(_count(record.root, f"{config}.cookie"))),
            "connecting_to": {
                "host": record.text(f"{config}.remote") or "",
                "port": int(_count(record.root, f"{config}.remote_port"))},
            **_known(sndbuf_actual=record.number(f"{config}.sndbuf_bytes"),
                     rcvbuf_actual=record.number("sink.config.rcvbuf_bytes")),
            "target_bitrate": int(rate) if math.isfinite(rate) else 0,
            "test_start": {
                "protocol": "UDP" if self.udp else "TCP",
                "num_streams": int(record.number(keys.CONFIG_STREAMS)),
                **_known(blksize=record.number(keys.MESSAGE_BYTES),
                         duration=record.number(f"{config}.time_ns") / 1e9,
                         bytes=_count(record.root, f"{config}.bytes")),
                **_known(omit=self.omit), "blocks": 0, "reverse": 0, "tos": 0}}

    def steps(self) -> list[Json]:
        """Return the intervals: each stream that was sent, and their sum."""
        found = []
        before = _streams(at(self.record.root, f"source.{keys.BEGIN}"))
        for one, span in self.intervals:
            omitted = at(one, keys.WARM_UP) is True
            after = _streams(one.get("source"))
            rows = [self._step(i, span, before.get(i, {}), now, omitted)
                    for i, now in after.items()]
            found.append({"streams": rows, "sum": self._sum(one, span, rows, omitted)})
            before = after
        return found

    def _sum(self, interval: Json, span: Span, rows: list[Json],
             omitted: bool) -> Json:
        """Return the sum of the streams, or what the interval says without them."""
        key, named = ("packets", "packets") if self.udp else \
            ("retransmits", "retransmissions")
        count, more = (sum(row[name] for row in rows) for name in ("bytes", key)) \
            if rows else (_count(interval, name) for name in ("bytes", named))
        return span.of(count, omitted=omitted, sender=True, **{key: int(more)})

    def _step(self, i: int, span: Span, before: Json, now: Json, omitted: bool) -> Json:
        row: Json = span.of(_count(now, "bytes") - _count(before, "bytes"),
                            socket=FIRST_SOCKET + i, omitted=omitted, sender=True)
        if self.udp:
            row["packets"] = int(_count(now, "messages") - _count(before, "messages"))
            return row
        return {**row, "retransmits": int(_count(now, "tcp.retransmissions") -
                                          _count(before, "tcp.retransmissions")),
                **_known(**_window(now), rtt=number(now, "tcp.rtt_us"),
                         rttvar=number(now, "tcp.rtt_deviation_us"),
                         pmtu=number(now, "tcp.path_mtu_bytes"))}

    def sending(self, last: Json, span: Span) -> Span:
        """Return the time in which the source sent; *span* if it is not known."""
        begun, ended = (number(last, f"source.run.{key}") / 1e9
                        for key in ("begun_ns", "ended_ns"))
        seconds = ended - begun - self.omit
        return Span(0.0, seconds) if seconds > 0 else span

    def end(self, steps: Iterable[Json]) -> Json:
        """Return the totals."""
        record = self.record
        span = Span(0.0, _count(record.root, "result.span_ns") / 1e9)
        last = self.intervals[-1][0] if self.intervals else {}
        sent = _streams(last.get("source"))
        taken = _streams(last.get("sink"))
        of_sent = self.sending(last, span)
        received = _count(record.root, "result.bytes")
        of_streams = self._datagrams(of_sent, sent, taken) if self.udp else \
            self._connections(of_sent, span, sent, taken, list(steps))
        more = self._lost() if self.udp else {}
        total = sum(self.total("source", one, "bytes") for one in sent.values()) \
            if sent else received
        again = {} if self.udp else {
            "retransmits": int(_count(record.root, "result.retransmissions"))}
        algorithm = record.text("source.config.congestion")
        return {
            "streams": of_streams,
            **({"sum": span.of(received, sender=True, **more)} if self.udp else {}),
            "sum_sent": of_sent.of(total, sender=True, **again),
            "sum_received": span.of(received, sender=not self.udp, **more),
            "cpu_utilization_percent": self._cpus(),
            **({"sender_tcp_congestion": algorithm} if algorithm else {})}

    def _connections(self, of_sent: Span, span: Span, sent: Mapping[int, Json],
                     taken: Mapping[int, Json], steps: list[Json]) -> list[Json]:
        rows = []
        by_peer = {text(one, "remote"): one for one in taken.values()}
        for i, one in sent.items():
            seen = [row for step in steps for row in step["streams"]
                    if row["socket"] == FIRST_SOCKET + i]
            most = {key: [row[key] for row in seen if key in row]
                    for key in ("snd_cwnd", "snd_wnd")}
            rtts = [row["rtt"] for row in seen if "rtt" in row]
            sender = of_sent.of(
                self.total("source", one, "bytes"), socket=FIRST_SOCKET + i,
                sender=True,
                retransmits=int(self.total("source", one, "tcp.retransmissions")),
                **{f"max_{key}": max(row) for key, row in most.items() if row},
                **({"max_rtt": max(rtts), "min_rtt": min(rtts),
                    "mean_rtt": sum(rtts) // len(rtts)} if rtts else {}))
            other = by_peer.get(text(one, "local"))
            rows.append({"sender": sender, **({"receiver": span.of(
                self.total("sink", other, "bytes"), socket=FIRST_SOCKET + i,
                sender=True)}
                if other else {})})
        return rows

    def _datagrams(self, span: Span, sent: Mapping[int, Json],
                   taken: Mapping[int, Json]) -> list[Json]:
        rows = []
        for i, one in sent.items():
            packets = self.total("source", one, "messages")
            sink = taken.get(i) if len(taken) == len(sent) else None
            lost = max(packets - self.total("sink", sink, "datagrams.received"), 0) \
                if sink else math.nan
            rows.append({"udp": span.of(
                self.total("source", one, "bytes"), socket=FIRST_SOCKET + i,
                sender=True, packets=int(packets), **_known(
                    jitter_ms=number(sink, "datagrams.jitter_ns") / 1e6,
                    lost_packets=lost,
                    lost_percent=100 * lost / packets if packets else math.nan,
                    out_of_order=number(sink, "datagrams.reordered")))})
        return rows

    def _lost(self) -> Json:
        record = self.record
        sent = record.number("result.datagrams.sent")
        return _known(packets=sent,
                      lost_packets=record.number("result.datagrams.lost"),
                      lost_percent=100 * record.number("result.datagrams.loss_share"),
                      jitter_ms=record.number("result.datagrams.jitter_ns") / 1e6)

    def _cpus(self) -> Json:
        """Return the share of a CPU that each end's calls took, in percent."""
        found = {}
        count = self.record.number("result.bytes")
        cycles = max((number(one, "cycles") for one in
                      self.record.list(keys.RESULT_CPUS)), default=math.nan)
        for key, name in (("source", "host"), ("sink", "remote")):
            cost = self.record.number(f"result.{key}_call_cycles_per_byte")
            found[f"{name}_total"] = 100 * cost * count / cycles if cycles > 0 \
                else math.nan
        return _known(**found)


def _ends(stream: Json) -> Json:
    found: Json = {}
    for key in ("local", "remote"):
        host, _, port = (text(stream, key) or "").rpartition(":")
        found[f"{key}_host"] = host.strip("[]")
        found[f"{key}_port"] = int(port) if port.isdigit() else 0
    return found


def _window(stream: Json) -> dict[str, float]:
    return {"snd_cwnd": number(stream, "tcp.congestion_window_segments") *
            number(stream, "tcp.send_mss_bytes"),
            "snd_wnd": number(stream, "tcp.send_window_bytes")}


def document_of(record: Record) -> Json:
    """Return a run in the form of ``iperf3 -J``; raises CommandError."""
    made = Run(record)
    steps = made.steps()
    return {"start": made.start(), "intervals": steps, "end": made.end(steps)}


def check(_: Output, values: Values) -> None:
    """Refuse several files: iperf3 has a document for each run."""
    if len(values["files"]) != 1:
        raise UsageError(f"iperf3 takes one file, not {len(values['files'])}")


def run(output: Output, values: Values) -> None:
    """Print the run of a file."""
    runs = read_runs(output, values["files"], bool(values["all"])).runs
    if len(runs) != 1:
        raise CommandError(f"there are {len(runs)} runs in it: give a file of one")
    write(json.dumps(document_of(runs[0]), indent=2, allow_nan=False) + "\n")


COMMAND = Command(
    "iperf3", "a run in the JSON of iperf3, for programs that read it",
    (Option("files", "a file with the record of one run; - is the standard input",
            argument="FILE", required=True, many=True, words=any_file), ALL),
    "Keys and units are those of 'iperf3 -J', 3.12.", run, check)
