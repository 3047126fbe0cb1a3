# SPDX-License-Identifier: GPL-2.0
"""derive.py: the figures of a record, derived once more from its raw counters.

Nothing of the tools is used, so that a fault of theirs is none here. start() and
pingpong() yield (path, derived value, tolerance) of a record that has each stream
in its snapshots (-s); the path is that of the figure in the record, with dots.
A tolerance is relative where it is below 1, else absolute.
"""

import math

from derive_chain import chain
from derive_cpus import (NS, OWN, attribution, busy, cpus, disturbance, own, share,
                         total)
from derive_statistics import EXACT, ROUNDING, is_carried, mean, ranks, statistics



def at(document, path, default=None):
    """What a PATH with dots leads to."""
    for key in path.split("."):
        if isinstance(document, list):
            document = document[int(key)] if int(key) < len(document) else None
        else:
            document = document.get(key)
        if document is None:
            return default
    return document


def by_id(items, key):
    """Items by their number."""
    return {item[key]: item for item in items}


class Run:
    """A record of start, and where its parts are."""

    def __init__(self, document):
        self.document = document
        self.result = document["result"]
        self.readings = document["readings"]
        self.ends = [name for name in ("source", "sink") if name in document]
        self.counted = "sink" if "sink" in document else "source"
        self.udp = document[self.ends[0]]["config"]["transport"] == "udp"
        self.intervals = document["intervals"]
        self.last = {name: self.intervals[-1][name] for name in self.ends}
        self.begin = {name: document[name]["begin"] for name in self.ends}
        warm = [i for i in self.intervals if i.get("warm_up")]
        self.warm_up = bool(warm)
        if warm:
            self.begin = {name: warm[-1][name] for name in self.ends}

    def counted_since(self, end, name):
        """What was counted in the span: all of it where nothing warmed up."""
        before = total(self.begin[end], name) if self.warm_up else 0
        return total(self.last[end], name) - before

    @property
    def read(self):
        """The end whose readings of the CPUs are shown."""
        sink = at(self.document, "sink.config.layer")
        if "source" in self.ends and sink in ("user", "driver"):
            return "source"
        return self.counted

    def cpus(self, end):
        """Each CPU before and after."""
        before = by_id(self.begin[end]["cpus"], "cpu")
        return [(before[cpu["cpu"]], cpu) for cpu in self.last[end]["cpus"]
                if cpu["cpu"] in before]

    def payload_ns(self, end):
        """When the payload of an end began and was over, and the end of its warm-up."""
        clocks = {after["cpu"]: (before, after)
                  for before, after in self.cpus(end)}

        def time(stream, name):
            before, after = clocks[stream["cpu"]]
            slope = (after["time_ns"] - before["time_ns"]) / \
                (after["cycles"] - before["cycles"])
            return before["time_ns"] + \
                (stream[name] - before["cycles"]) * slope

        streams = [stream for stream in self.last[end]["streams"]
                   if stream["last_cycles"]]
        last = max(streams, key=lambda stream: time(stream, "last_cycles"))
        return (min(time(stream, "first_cycles") for stream in streams),
                time(last, "last_cycles"), clocks[last["cpu"]][0]["time_ns"])

    def span_ns(self):
        """The longer of the sink's time, and that for which the source was to send."""
        spans = []
        for end in self.ends:
            first, last, warm = self.payload_ns(end)
            begin = warm if self.warm_up else first
            state = self.last[end]["run"]
            limited = state["reason"] in ("bytes", "messages")
            if end == "source" and not self.udp:
                drained = "sink" not in self.ends
                last = max(last, state["ended_ns"]) if drained else \
                    state["ended_ns"]
            elif not limited and (end == "source" or len(self.ends) == 1):
                last = max(last, state["ended_ns"] - self.gap_ns(end))
            spans.append(last - begin)
        return max(spans)

    def gap_ns(self, end):
        """Between two datagrams of a source with a rate, of all its streams."""
        config = self.document[end]["config"]
        per_s = config.get("packet_rate_per_s") or \
            config.get("pace_bytes_per_s", 0) / config.get("size_bytes", 1)
        per_s *= len(self.last[end]["streams"]) / config.get("segments", 1)
        return int(NS / per_s) if end == "source" and per_s else 0


def window_ns(before, now, at_begin):
    """The time in which the payload of an interval was counted; 0 without any."""
    weighted = moved = 0
    earlier = by_id(before["cpus"], "cpu")
    for cpu in now["cpus"]:
        if cpu["cpu"] not in earlier:
            continue
        first = earlier[cpu["cpu"]]
        part = cpu["bytes"] - first["bytes"]
        begin = before["run"]["begun_ns"] if at_begin else first["time_ns"]
        if cpu["time_ns"] > begin:
            weighted += part * (cpu["time_ns"] - begin)
            moved += part
    return weighted / moved if moved else 0


def intervals(run):
    """Of each interval, from the snapshots around it; and their statistics."""
    before = None
    series = []
    nominal = at(run.result, "statistics.interval_ns")
    origin = run.begin["source"]["run"]["begun_ns"] if "source" in run.begin \
        else None
    for number, interval in enumerate(run.intervals):
        path = f"intervals.{number}"
        now = interval[run.counted]
        length = interval["to_ns"] - interval["from_ns"]
        amounts = {name: total(now, name) -
                   (total(before[run.counted], name) if before else 0)
                   for name in ("bytes", "messages")}
        yield f"{path}.bytes", amounts["bytes"], EXACT
        yield f"{path}.to_ns", now["run"]["now_ns"] - origin, EXACT
        yield f"{path}.from_ns", (before[run.counted]["run"]["now_ns"] - origin
                                  if before else 0), EXACT
        yield f"{path}.goodput_bps", amounts["bytes"] * 8 * NS / length, \
            ROUNDING
        if run.udp:
            yield f"{path}.packets_per_s", amounts["messages"] * NS / length, \
                ROUNDING
        elif number:
            yield f"{path}.retransmissions", sum(
                after["tcp"]["retransmissions"] -
                by_id(before["source"]["streams"], "stream")
                .get(after["stream"], after)["tcp"]["retransmissions"]
                for after in interval["source"]["streams"]), EXACT
        start = before or {name: run.document[name]["begin"]
                           for name in run.ends}
        shares = [busy(by_id(start[run.counted]["cpus"], "cpu")[cpu["cpu"]],
                       cpu) for cpu in now["cpus"]]
        yield f"{path}.busy_share", mean(shares), ROUNDING
        window = window_ns(start[run.counted], now, not before) or length
        cycles = sum(
            (cpu["cycles"] - earlier["cycles"]) * busy(earlier, cpu) *
            window / (cpu["time_ns"] - earlier["time_ns"])
            for cpu in interval[run.read]["cpus"]
            for earlier in [by_id(start[run.read]["cpus"], "cpu")[cpu["cpu"]]])
        mine = own(run, start, interval, window)
        # Whole cycles of each part and CPU.
        yield f"{path}.own_cycles", mine, max(mine * 1e-6, 7.0 * len(shares))
        whole = nominal and (number + 1 < len(run.intervals) or
                             abs(length - nominal) <= .02 * nominal)
        if whole and not interval.get("warm_up"):
            series.append((interval, amounts, cycles, interval["own_cycles"]))
        before = interval
    if not series:
        return
    left_out = len(run.intervals) - len(series) - sum(
        1 for i in run.intervals if i.get("warm_up"))
    yield "result.statistics.left_out.last_intervals", left_out, EXACT
    yield "result.statistics.left_out.warm_up_intervals", sum(
        1 for i in run.intervals if i.get("warm_up")), EXACT
    times = [(i["from_ns"] + i["to_ns"]) / 2 / NS for i, *_ in series]
    lengths = [(i["to_ns"] - i["from_ns"]) / NS for i, *_ in series]
    yield from statistics([amounts["bytes"] * 8 / length for (_, amounts, *_), length
                           in zip(series, lengths)], times,
                          "result.statistics.goodput_bps")
    if run.udp:
        yield from statistics(
            [amounts["messages"] / length for (_, amounts, *_), length
             in zip(series, lengths)], times,
            "result.statistics.packets_per_s")
    if all(amounts["bytes"] for _, amounts, *_ in series):
        yield from statistics(
            [cycles / amounts["bytes"] for _, amounts, cycles, _ in series],
            times, "result.statistics.busy_cycles_per_byte")
        yield from statistics(
            [mine / amounts["bytes"] for _, amounts, _, mine in series],
            times, "result.statistics.own_cycles_per_byte")


def ceilings(run, goodput, span):
    """Shares of limits, which of them binds, and limits of our own arithmetic."""
    rows = run.result["ceilings"]
    known = {row["name"]: row["ceiling_bps"] for row in rows
             if "ceiling_bps" in row}
    if not known:
        return
    config = run.document["source"]["config"]
    streams = run.last["source"]["streams"]
    derived = {}
    parts = {after["cpu"]: attribution(run, before, after)
             for before, after in run.cpus(run.read)}
    busiest = max((share(parts[pair[1]["cpu"]], OWN), -i, pair) for i, pair in
                  enumerate(run.cpus(run.read)))
    before, after = busiest[2]
    busy_ns = busiest[0] * (after["time_ns"] - before["time_ns"])
    # Else most of it was before the first byte or after the last.
    if 0 < busy_ns <= 2 * span:
        derived["cpu"] = run.result["bytes"] * 8 * NS / min(busy_ns, span)
    yield from disturbance(run, parts)
    if "packet_rate_per_s" in config:
        derived["rate"] = config["packet_rate_per_s"] * len(streams) * 8 * \
            run.result["bytes"] / run.result["packets"]
    elif "pace_bytes_per_s" in config:
        derived["rate"] = config["pace_bytes_per_s"] * 8 * len(streams)
    if not run.udp:
        if all(s["tcp"]["rtt_min_us"] and s["tcp"]["send_window_bytes"]
               for s in streams):
            derived["window"] = sum(s["tcp"]["send_window_bytes"] * 8e6 /
                                    s["tcp"]["rtt_min_us"] for s in streams)
        most = at(run.document, "readings.source.tcp_memory.begin.send_max_bytes")
        room = 2 * config["sndbuf_bytes"] if "sndbuf_bytes" in config else most
        if room and all(s["tcp"]["rtt_min_us"] for s in streams):
            derived["send_buffer"] = sum(
                (room + 65536) * 8e6 / s["tcp"]["rtt_min_us"] for s in streams)
    rate = at(run.document, "route.rate_bps")
    if rate:
        derived["link"] = rate
        payload, wire = frame(run)
        if "ATM" in at(run.result, "wire.no_ceiling", ""):
            derived["atm"] = rate * payload / cells(run)
        else:
            derived["ethernet"] = rate * payload / wire
    assert set(derived) == set(known), f"ceilings: {set(derived)}, {set(known)}"
    yield from chain(run, {name: goodput / limit for name, limit in derived.items()})
    which = run.result["binding"]
    for number, row in enumerate(rows):
        if row["name"] not in known:
            continue
        path = f"result.ceilings.{number}"
        # What is the run's is in whole cycles.
        near = 1e-6 if row["name"] == "cpu" else ROUNDING
        yield f"{path}.ceiling_bps", derived[row["name"]], near
        yield f"{path}.share", goodput / derived[row["name"]], near
        # A CPU limits without its ceiling where another waits for it.
        if not row["name"] == which == "cpu":
            yield f"{path}.binds", row["name"] == ("rate" if which == "pace" else
                                                   which), EXACT


def frame(run):
    """Payload and bytes on the wire of what the run sends, mean of datagrams."""
    ipv6 = ":" in run.document["source"]["config"]["remote"]
    ip = 40 if ipv6 else 20
    mtu = min(run.document["route"]["mtu_bytes"], 65535)
    # Preamble, header of Ethernet, FCS and the gap.
    around = 8 + 14 + 4 + 12 + 4 * run.document["route"]["vlan_tags"]
    if not run.udp:
        tcp = run.last["source"]["streams"][0]["tcp"]
        headers = ip + 20 + (12 if tcp["timestamps"] else 0)
        payload = min(mtu - headers, tcp["send_mss_bytes"])
        return payload, payload + headers + around
    count = run.result["packets"]
    payload = run.result["bytes"] / count
    pieces, headers = 1, ip
    if ip + 8 + payload > mtu:
        headers = ip + (8 if ipv6 else 0)
        pieces = math.ceil((payload + 8) / ((mtu - headers) // 8 * 8))
    return payload, payload + 8 + pieces * (headers + around)


def cells(run):
    """Bytes of ATM cells that full segments take as classical IP (RFC 2684)."""
    payload, wire = frame(run)
    packet = payload + wire - payload - 38
    return math.ceil((8 + packet + 8) / 48) * 53


def tcp(run, span):
    """What is said of TCP."""
    streams = run.last["source"]["streams"]
    before = by_id(run.begin["source"].get("streams", []), "stream")

    def earlier(stream, name):
        return before[stream["stream"]]["tcp"][name] \
            if stream["stream"] in before else 0

    yield "result.retransmissions", sum(
        s["tcp"]["retransmissions"] -
        (earlier(s, "retransmissions") if run.warm_up else 0)
        for s in streams), EXACT
    yield "result.rtt_us", mean([s["tcp"]["rtt_us"] for s in streams]), ROUNDING
    yield "result.rtt_min_us", min(s["tcp"]["rtt_min_us"] for s in streams), \
        EXACT
    if run.document["source"]["config"].get("method") == "zerocopy":
        yield "result.copied_streams", sum(s["copied"] for s in streams), EXACT
    for number, stream in enumerate(streams):
        path, now = f"result.tcp.{number}", stream["tcp"]
        def since(name):
            return now[name] - (earlier(stream, name) if run.warm_up else 0)
        yield f"{path}.goodput_bps", since("bytes_acked") * 8 * NS / span, \
            ROUNDING
        yield f"{path}.busy_share", min(since("busy_us") /
                                        (int(span) // 1000), 1), ROUNDING
        if since("busy_us"):
            for name in "receive_window_limited", "send_buffer_limited":
                yield f"{path}.{name}_share", \
                    min(since(f"{name}_us") / since("busy_us"), 1), ROUNDING
        if now["rtt_us"]:
            yield f"{path}.send_window_bps", \
                now["send_window_bytes"] * 8e6 / now["rtt_us"], ROUNDING
            yield f"{path}.congestion_window_bps", \
                now["congestion_window_segments"] * now["send_mss_bytes"] * \
                8e6 / now["rtt_us"], ROUNDING
    payload, wire = frame(run)
    yield "result.wire.efficiency", payload / wire, ROUNDING
    yield "result.wire.payload_bytes", payload, EXACT
    yield "result.wire.rate_bps", run.result["bytes"] * 8 * NS / span * \
        wire / payload, ROUNDING


def datagrams(run, span):
    """What became of datagrams."""
    packets = run.result["packets"]
    yield "result.packets_per_s", packets * NS / span, ROUNDING
    payload, wire = frame(run)
    sizes_agree = payload == int(payload)
    if sizes_agree:
        yield "result.wire.rate_bps", wire * packets * 8 * NS / span, ROUNDING
    source = run.last["source"]["streams"]
    sent = sum(s["messages"] for s in source)
    yield "result.datagrams.sent", sent, EXACT
    yield "result.datagrams.source_drops", sum(s["drops"] for s in source), EXACT
    if "sink" not in run.last:
        return
    sink = [s["datagrams"] for s in run.last["sink"]["streams"]]
    sums = {name: sum(s[name] for s in sink) for name in
            ("received", "duplicates", "reordered", "late", "socket_drops")}
    lost = max(sent - sums["received"] + sums["duplicates"], 0)
    for name, value in sums.items():
        yield f"result.datagrams.{name}", value, EXACT
    yield "result.datagrams.lost", lost, EXACT
    if not run.warm_up:
        yield "result.packets", sums["received"], EXACT
    yield "result.datagrams.loss_share", lost / sent, ROUNDING
    active = [s for s in sink if s["received"]]
    if active:
        yield "result.datagrams.jitter_ns", \
            sum(s["jitter_ns"] for s in active) // len(active), 1.0
    timed = [s for s in active if "delay_min_ns" in s]
    if timed:
        yield "result.datagrams.delay_min_ns", \
            min(s["delay_min_ns"] for s in timed), EXACT
        yield "result.datagrams.delay_max_ns", \
            max(s["delay_max_ns"] for s in timed), EXACT
        yield "result.datagrams.delay_mean_ns", \
            sum(s["delay_sum_ns"] for s in timed) / sums["received"], ROUNDING


def reconciliation(run):
    """Who counted what."""
    source = run.last["source"]
    counted = {
        ("bytes of streams and CPUs", "source"):
            (sum(s["bytes"] for s in source["streams"]),
             total(source, "bytes")),
        ("datagrams of streams and CPUs", "source"):
            (sum(s["messages"] for s in source["streams"]),
             total(source, "messages")),
    }
    if "sink" in run.last:
        sink = run.last["sink"]
        counted |= {
            ("bytes of streams and CPUs", "sink"):
                (sum(s["bytes"] for s in sink["streams"]),
                 total(sink, "bytes")),
            ("datagrams of streams and CPUs", "sink"):
                (sum(s["messages"] for s in sink["streams"]),
                 total(sink, "messages")),
            ("bytes of source and sink", "source to sink"):
                (sum(s["bytes"] for s in source["streams"]),
                 sum(s["bytes"] for s in sink["streams"])),
        }
    for number, row in enumerate(run.result["reconciliation"]):
        key = row["what"], row["where"]
        if key in counted:
            expected, value = counted[key]
            yield f"result.reconciliation.{number}.expected", expected, EXACT
            yield f"result.reconciliation.{number}.counted", value, EXACT


def start(document):
    """All figures of a record of start whose source is on this machine."""
    run = Run(document)
    span = run.span_ns()
    amount = run.counted_since(run.counted, "bytes")
    yield "result.bytes", amount, EXACT
    yield "result.span_ns", span, 2.0
    # From here on what is derived has the nanoseconds that were rounded to.
    span = run.result["span_ns"]
    goodput = amount * 8 * NS / span
    yield "result.goodput_bps", goodput, ROUNDING
    if run.udp:
        yield "result.packets", run.counted_since(run.counted, "messages"), EXACT
        yield from datagrams(run, span)
    else:
        messages = run.counted_since("source", "messages")
        yield "result.messages", messages, EXACT
        yield "result.messages_per_s", messages * NS / span, ROUNDING
        yield from tcp(run, span)
    yield from intervals(run)
    yield from ceilings(run, goodput, span)
    yield from cpus(run)
    yield from reconciliation(run)


def bucket_of(buckets, rank):
    """The bucket of the round trip of a rank."""
    seen = 0
    for bucket in buckets:
        seen += bucket["count"]
        if seen >= rank:
            break
    return bucket


def pingpong(document):
    """All figures of a record of pingpong."""
    result = document["result"]
    last = {name: document["intervals"][-1][name]
            for name in ("source", "sink") if name in document}
    source = last["source"]
    trips = total(source, "messages")
    span = source["run"]["ended_ns"] - source["run"]["begun_ns"]
    yield "result.round_trips", trips, EXACT
    yield "result.span_ns", span, EXACT
    yield "result.round_trips_per_s", trips * NS / span, ROUNDING
    latency = result["latency_ns"]
    buckets = result["histogram"]
    yield "result.latency_ns.count", sum(b["count"] for b in buckets), EXACT
    timed = trips + result["unanswered"]
    yield "result.latency_ns.count", timed, EXACT
    yield "result.latency_ns.mean", latency["sum"] / timed, ROUNDING
    low = sum(b["count"] * b["from_ns"] for b in buckets)
    high = sum(b["count"] * b["to_ns"] for b in buckets)
    yield "result.latency_ns.sum", (low + high) / 2, (high - low) / 2 + 1
    yield "result.latency_ns.min", \
        (buckets[0]["from_ns"] + buckets[0]["to_ns"] - 1) / 2, \
        (buckets[0]["to_ns"] - buckets[0]["from_ns"]) / 2
    yield "result.latency_ns.max", \
        (buckets[-1]["from_ns"] + buckets[-1]["to_ns"] - 1) / 2, \
        (buckets[-1]["to_ns"] - buckets[-1]["from_ns"]) / 2
    for key, part in (("p50", .5), ("p90", .9), ("p99", .99),
                      ("p99_9", .999), ("p99_99", .9999), ("p99_999", .99999)):
        if not is_carried(timed, part):
            continue
        low, high = ranks(timed, part)
        yield f"result.latency_ns.{key}_ci_low", \
            max(bucket_of(buckets, low)["from_ns"], latency["min"]), EXACT
        yield f"result.latency_ns.{key}_ci_high", \
            min(bucket_of(buckets, high)["to_ns"] - 1, latency["max"]), EXACT
        bucket = bucket_of(buckets, math.ceil(timed * part - 1e-9))
        yield f"result.latency_ns.{key}", \
            (bucket["from_ns"] + bucket["to_ns"] - 1) / 2, \
            (bucket["to_ns"] - bucket["from_ns"]) / 2
    config = document["source"]["config"]
    under_way = config.get("streams", 1) * config.get("outstanding", 1)
    before = 0
    for number, interval in enumerate(document["intervals"]):
        now = total(interval["source"], "messages")
        length = interval["to_ns"] - interval["from_ns"]
        # A request that is under way when a snapshot is taken is sent, and not
        # timed yet.
        yield f"intervals.{number}.round_trips", now - before, under_way
        yield f"intervals.{number}.round_trips_per_s", \
            interval["round_trips"] * NS / length, ROUNDING
        before = now
    run = Run(document)
    sum_of_cycles = 0.0
    for row, (earlier, after) in enumerate(run.cpus(run.read)):
        path = f"result.cpus.{row}"
        cycles = after["cycles"] - earlier["cycles"]
        share = busy(earlier, after)
        yield f"{path}.busy_share", share, ROUNDING
        yield f"{path}.cycles", cycles, EXACT
        yield f"{path}.busy_cycles_per_round_trip", cycles * share / trips, \
            ROUNDING
        sum_of_cycles += cycles * share / trips
        for end, snapshot in last.items():
            calls = by_id(snapshot["cpus"], "cpu")[after["cpu"]]["call_cycles"]
            yield f"{path}.{end}_cycles_per_round_trip", calls / trips, ROUNDING
    yield "result.busy_cycles_per_round_trip", sum_of_cycles, ROUNDING
    yield "result.own_cycles_per_round_trip", own(run, run.begin, run.last) / trips, \
        1e-6


def differences(document, derived):
    """How many figures were DERIVED, and those that the record has otherwise."""
    count, wrong = 0, []
    for path, value, tolerance in derived:
        count += 1
        have = at(document, path)
        if have is None:
            wrong.append(f"{path}: not there, derived {value}")
            continue
        if isinstance(value, str):
            if have != value:
                wrong.append(f"{path}: {have}, derived {value}")
            continue
        allowed = tolerance if tolerance >= 1 else tolerance * abs(value)
        if abs(have - value) > allowed:
            wrong.append(f"{path}: {have}, derived {value}")
    return count, wrong
