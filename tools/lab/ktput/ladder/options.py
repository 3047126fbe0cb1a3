# SPDX-License-Identifier: GPL-2.0
"""Keywords of the ladder: its own, and some of ``ktput-ctl start``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .. import units
from ..command import Option, UsageError, Values, check_record, convert
from ..output import Output
from ..record import Json, text
from ..statistics import PILOT, RUNS_MIN

ROUNDS_MAX = 100
#: Payload of a datagram: at least ktput's header, at most what IPv4 carries. Bytes.
DATAGRAM_MIN, DATAGRAM_MAX = 18, 65507
TIME_MIN_S = 0.01

#: Keywords of "start", with help or default if the ladder differs.
OF_START: Mapping[str, Mapping[str, str]] = {
    "tcp": {"field": "transport", "help": "TCP alone", "default": "TCP and UDP"},
    "udp": {"field": "transport", "help": "UDP alone"},
    "to": {"help": "address of the sink"},
    "from": {}, "netns": {}, "sink-netns": {}, "dev": {},
    "sink-dev": {"default": "any"},
    "cpus": {"default": "the lower half"}, "sink-cpus": {},
    "streams": {"default": "1"},
    "segments": {"help": "datagrams that one call hands over (GSO), at sockets of UDP"},
    "rate": {"help": "what all UDP rungs send, as packets (1mpps) or payload (10mbit)",
             "default": "half of what user space can"},
    "record": {"help": "add the record of each run to FILE, and the ladder behind "
               "them"},
    "replace": {},
    "disturbed-above": {
        "help": "repeat a round in which others had more of a CPU of a run, three "
                "times at most in all"},
}
OWN = (
    Option("warmup", "time at the begin of each run that costs leave out; where the "
           "clock counts instructions the end of a run, too", "warmup", "TIME",
           default="none"),
    Option("layer", "only rungs whose both ends are sockets of user space, for which "
           "no module is needed", "layer user", default="every layer"),
    Option("remote", "have the sinks on another host, by ssh", "remote", "HOST",
           default="on this one"),
    Option("reverse", "swap the places of sources and sinks", "reverse"),
    Option("both", "a ladder in each direction, one after the other", "both"),
    Option("sizes", "a ladder of 64 bytes, one of 128K with TCP and 1448 bytes with "
           "UDP, and one of UDP segments (GSO)", "sizes"),
    Option("message", "bytes of a call with TCP", "message", "SIZE", default="128K"),
    Option("datagram", f"payload of a datagram, {DATAGRAM_MIN} to {DATAGRAM_MAX} bytes",
           "datagram", "SIZE", default="1448"),
    Option("time", "length of each run, 10 ms or more", "time", "TIME", default="1s"),
    Option("rounds", f"rounds at most, {RUNS_MIN} to {ROUNDS_MAX}", "rounds", "N",
           default="10"),
    Option("ci", f"end, after {PILOT} rounds or more, when the 95% confidence interval "
           "of each rung's cost is within +-PERCENT", "until ci", "PERCENT",
           default="5%"),
    Option("limit", "begin no round that would not end by then", "limit", "TIME",
           default="240s"),
    Option("seed", "what the order of the rungs in each round follows from", "seed",
           "N", default="another each time"),
    Option("iperf3", "have a rung of iperf3 too, with TCP; 'time' is whole seconds "
           "then",
           "iperf3"),
    Option("io_uring", "have a rung of io_uring too, with TCP from user space to user "
           "space", "io_uring"),
    Option("latency", "measure round trips too, of the rungs that have a ping-pong of "
           "their kind", "latency"),
    Option("profile", "make each run a second time, sampled, and set costs by both "
           "methods side by side", "profile"),
)


def _of_start(row: Json) -> Option | None:
    keyword = text(row, "keyword") or ""
    if keyword not in OF_START:
        return None
    option = Option(keyword, text(row, "help") or "", keyword,
                    text(row, "argument") or "", default=text(row, "default") or "")
    return replace(option, **OF_START[keyword])


def options_of(start: Sequence[Json]) -> tuple[Option, ...]:
    """Return the rows of the ladder; *start* are those of that command."""
    rows = [_of_start(row) for row in start]
    return (*(row for row in rows if row is not None), *OWN)


#: Sizes of a ladder each: bytes of a call with TCP, none without TCP; payload of a
#: datagram; datagrams that a call hands over.
SIZES = (("64", 64, 1), ("128K", 1448, 1), (None, 1448, DATAGRAM_MAX // 1448))


def variants(values: Values) -> Iterator[Values]:
    """Yield the values of each ladder that is wanted."""
    sizes: list[Values] = [{}]
    if values["sizes"]:
        sizes = [{"message": message or values["message"], "datagram": datagram,
                  "segments": str(segments) if segments > 1 else None,
                  "transport": values["transport"] if message else "udp"}
                 for message, datagram, segments in SIZES
                 if message or values["transport"] != "tcp"]
    for direction in ([None, "reverse"] if values["both"] else [values["reverse"]]):
        for size in sizes:
            yield {**values, **size, "reverse": direction}


def _bounded(name: str, value: float, least: float, most: float, word: str) -> None:
    if not least <= value <= most:
        raise UsageError(f"{name}: '{word}' is not {least:g} to {most:g}")


def finish(values: Values) -> None:
    """Convert words to numbers; raises UsageError."""
    for option in OWN:
        if values[option.field] is None and option.default[:1].isdigit():
            values[option.field] = option.default
    if values["transport"]:
        values["transport"] = values["transport"][0]
    words = dict(values)
    values["warmup"] = words["warmup"] or "0"
    convert(dict(values), message=units.parse_size)
    convert(values, datagram=lambda word: int(units.parse_size(word)),
            time=units.parse_time, limit=units.parse_time, warmup=units.parse_time,
            rounds=units.parse_count, ci=units.parse_percent, seed=units.parse_count,
            rate=units.parse_rate)
    if words["rate"] is not None:
        rate, of_packets = values["rate"]
        if values["sizes"] and not of_packets:
            raise UsageError("'sizes' needs a rate of packets")
        values["rate"] = rate if of_packets else rate / 8 / values["datagram"]
    for name, least, most in (("datagram", DATAGRAM_MIN, DATAGRAM_MAX),
                              ("time", TIME_MIN_S, 1e9), ("limit", 1e-9, 1e9),
                              ("rounds", RUNS_MIN, ROUNDS_MAX), ("ci", 0, 100)):
        _bounded(name, values[name], least, most, words[name])


def check(_: Output, values: Values) -> None:
    """Refuse invalid combinations, and convert words to numbers."""
    check_record(values)
    _check_variants(values)
    if values["remote"]:
        if values["remote"].startswith("-"):
            raise UsageError(f"remote: '{values['remote']}' is no host")
        for keyword in ("profile", "iperf3"):
            if values[keyword]:
                raise UsageError(f"'{keyword}' is for ends on one host, not for "
                                 "'remote'")
    finish(values)


def _check_variants(values: Values) -> None:
    """Refuse contradictions of what makes several ladders, or swaps the ends."""
    if values["reverse"] and values["both"]:
        raise UsageError("'reverse' is one of 'both'")
    for keyword in ("reverse", "both"):
        if values[keyword] and not values["from"] and not values["remote"]:
            raise UsageError(f"'{keyword}' needs 'from', the address of this end")
    for keyword in ("message", "datagram", "segments"):
        if values["sizes"] and values[keyword]:
            raise UsageError(f"'sizes' has its own '{keyword}'")
