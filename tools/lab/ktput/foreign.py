# SPDX-License-Identifier: GPL-2.0
"""What ``iperf3 -J`` printed, as the record of a run.

It has no cycles, ceilings nor verdict, and its intervals are those of the end that
printed it: what a client sends, or with -R what it receives.
"""

from .record import NAN, Json, RecordError, array, at, number, text

#: Keys at the top, which no record of ktput's has together.
KEYS = frozenset(("start", "intervals", "end"))
NS = 1e9
#: The other direction of --bidir.
BIDIR = "sum_sent_bidir_reverse"


def is_iperf3(root: Json) -> bool:
    """Whether a document is one of iperf3."""
    return isinstance(root, dict) and root.keys() >= KEYS and \
        isinstance(root["start"], dict) and isinstance(root["end"], dict)


def _known(**values: float) -> Json:
    """Return the values that there are, whole ones as such."""
    return {key: int(value) if value.is_integer() else value
            for key, value in values.items() if value == value}


def _whole(value: float) -> int:
    return int(value) if value == value else 0


def _sends(start: Json) -> bool:
    """Whether the end that printed it sends: a client does, unless it was told -R."""
    reverse = number(start, "test_start.reverse") == 1
    return reverse == ("accepted_connection" in start)


def _ends(start: Json) -> Json:
    """Return the configurations of both ends."""
    test = at(start, "test_start")
    connected = (array(start, "connected") or [None])[0]
    rate = number(start, "target_bitrate")
    both: Json = {"engine": "iperf3", "layer": "user",
            "transport": (text(test, "protocol") or "").lower(),
            "streams": _whole(number(test, "num_streams"))}
    peer = text(connected, "remote_host")
    port = number(connected, "remote_port")
    source: Json = {**both, "role": "source", **_known(
        size_bytes=number(test, "blksize"), time_ns=number(test, "duration") * NS,
        tos=number(test, "tos"), sndbuf_bytes=number(start, "sndbuf_actual"),
        pace_bytes_per_s=rate / 8 if rate > 0 else NAN)}
    if _sends(start) and peer:
        source.update(remote=peer, remote_port=_whole(port))
    return {"source": {"config": source},
            "sink": {"config": {**both, "role": "sink", **_known(
                rcvbuf_bytes=number(start, "rcvbuf_actual"))}}}


def _address(connected: Json, end: str) -> str:
    host, port = text(connected, f"{end}_host"), number(connected, f"{end}_port")
    return f"{host or ''}:{_whole(port)}"


class _Streams:
    """Counters of the streams, from one interval to the next."""

    def __init__(self, start: Json) -> None:
        self.mss = number(start, "tcp_mss_default")
        self.connected = {number(one, "socket"): one
                          for one in array(start, "connected")}
        self.sums: dict[float, dict[str, float]] = {}

    def after(self, interval: Json) -> list[Json]:
        """Return the streams as they are at the end of an interval."""
        rows = []
        for i, one in enumerate(array(interval, "streams")):
            socket = number(one, "socket")
            sums = self.sums.setdefault(socket, {})
            for key in ("bytes", "packets", "retransmits"):
                if number(one, key) >= 0:
                    sums[key] = sums.get(key, 0.0) + number(one, key)
            found = self.connected.get(socket)
            window = number(one, "snd_cwnd") / self.mss if self.mss > 0 else NAN
            rows.append({
                "stream": i, "local": _address(found, "local"),
                "remote": _address(found, "remote"), **_known(
                    bytes=sums.get("bytes", 0.0),
                    messages=sums.get("packets", NAN)),
                "tcp": _known(
                    retransmissions=sums.get("retransmits", NAN),
                    rtt_us=number(one, "rtt"), rtt_deviation_us=number(one, "rttvar"),
                    congestion_window_segments=float(int(window))
                    if window == window else window,
                    send_mss_bytes=self.mss if self.mss > 0 else NAN,
                    send_window_bytes=number(one, "snd_wnd"),
                    path_mtu_bytes=number(one, "pmtu"))})
        return rows


def _intervals(root: Json) -> list[Json]:
    streams = _Streams(root["start"])
    end = "source" if _sends(root["start"]) else "sink"
    rows = []
    for one in array(root, "intervals"):
        of = at(one, "sum")
        count, seconds = number(of, "bytes"), number(of, "seconds")
        row: Json = _known(
            from_ns=float(round(number(of, "start") * NS)),
            to_ns=float(round(number(of, "end") * NS)),
            bytes=count, goodput_bps=number(of, "bits_per_second"),
            packets_per_s=number(of, "packets") / seconds if seconds > 0 else
            NAN, retransmissions=number(of, "retransmits"))
        if at(of, "omitted") is True:
            row["warm_up"] = True
        rows.append({**row, end: {"streams": streams.after(one)}})
    return rows


def _datagrams(of: Json) -> Json:
    packets = number(of, "packets")
    return _known(sent=packets, lost=number(of, "lost_packets"),
                  loss_share=number(of, "lost_percent") / 100,
                  jitter_ns=number(of, "jitter_ms") * 1e6)


def _result(root: Json) -> Json:
    end, failed = root["end"], text(root, "error")
    udp = text(root["start"], "test_start.protocol") == "UDP"
    # The end that sends may not know what arrived.
    of = next((found for found in (at(end, "sum_received"), at(end, "sum_sent"),
                                   at(end, "sum")) if number(found, "bytes") > 0), None)
    if of is None and failed is None:
        raise RecordError("is of iperf3, and has no result")
    return {
        "valid": failed is None, "interrupted": False, "reason": "time",
        **({"invalid_because": f"iperf3 said: {failed}"} if failed else {}),
        **_known(bytes=number(of, "bytes"), goodput_bps=number(of, "bits_per_second"),
                 span_ns=float(round(number(of, "seconds") * NS))
                 if number(of, "seconds") > 0 else NAN,
                 retransmissions=number(end, "sum_sent.retransmits")),
        **({"datagrams": _datagrams(at(end, "sum") or of)} if udp else {})}


def record_of(root: Json) -> Json:
    """Return the record of a document of iperf3; raises RecordError."""
    if BIDIR in root["end"]:
        raise RecordError("is of iperf3 --bidir: two runs in one, which no record is")
    result = _result(root)
    ends = _ends(root["start"])
    algorithm = text(root["end"], "sender_tcp_congestion")
    if algorithm:
        ends["source"]["config"]["congestion"] = algorithm
    kernel = (text(root["start"], "system_info") or "").split()[2:3]
    return {
        "command": "iperf3", "environment": {"kernel": kernel[0]} if kernel else {},
        **ends, "intervals": _intervals(root), "result": result}
