# SPDX-License-Identifier: GPL-2.0
"""Figures of a mesh: of each pair, and which hosts and links stand out."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from .. import keys
from ..record import NAN, Json, array, at, number, text
from .plan import Pair


class Figure(NamedTuple):
    """A number of a pair: its key, the title of a column, and its meaning."""

    key: str
    title: str
    help: str
    #: from the unit of the key to that of the title
    factor: float = 1.0


FIGURES = (
    Figure("goodput_bps", "goodput, Mb/s", "Payload received, bits per second.", 1e-6),
    Figure("source_cycles_per_byte", "source, cycles/byte",
           "Cycles of the run on the host of the source, for a byte."),
    Figure("sink_cycles_per_byte", "sink, cycles/byte",
           "Cycles of the run on the host of the sink, for a byte."),
    Figure("source_own_share", "source, of a CPU",
           "Greatest share of a CPU that the run had on the host of the source."),
    Figure("sink_own_share", "sink, of a CPU",
           "Greatest share of a CPU that the run had on the host of the sink."),
    Figure("loss_share", "lost", "Share of the datagrams that were lost."),
    Figure("retransmissions", "sent again", "Segments that TCP sent again."),
    Figure("rtt_us", "TCP's RTT, us", "Round-trip time of TCP under this load."),
    *(Figure(f"round_trip_{name}_ns", f"round trip {title}, us",
             f"Round trip of a ping-pong, {title}.", 1e-3)
      for name, title in (("min", "least"), ("p50", "50%"), ("p99", "99%"),
                          ("p99_9", "99.9%"), ("max", "greatest"))),
)
#: What stands out is so many deviations from the median, the deviation being that of
#: the median (MAD) as the standard deviation of a normal distribution ...
DEVIATIONS = 3.5
MAD_TO_SIGMA = 1.4826
#: ... and this share below it at least: with few pairs a deviation may be tiny.
BELOW = 0.1
#: Hosts that it takes for a median of a host's pairs to be that of the others ...
HOSTS_MIN = 4
#: ... and others that a host was measured with, to tell a slow host from a slow link.
PEERS_MIN = 3
#: A host whose cycles per byte are this many times those of the others is slow itself,
#: if the run had this share of a CPU there: a slow path raises the cost of a byte, too.
COSTLY, FULL = 1.3, 0.5
#: What limits a run that a CPU limits.
OF_CPU = ("cpu", "other_work")


def _cpu(record: Json, end: str) -> Json:
    """Return what the run used of the CPUs on the host of an end."""
    rows = [row for row in array(record, "result.cpus") if row.get("end") == end]
    own = [sum(number(row, part) for part in keys.OWN_PARTS)
           for row in rows]
    count = number(record, "result.cpu_bytes")
    shares = [one / number(row, "cycles") for one, row in zip(own, rows, strict=True)
              if number(row, "cycles") > 0]
    return {f"{end}_cycles_per_byte": sum(own) / count if own and count > 0 else NAN,
            f"{end}_own_share": max(shares, default=NAN)}


def figures_of(record: Json) -> Json:
    """Return what the record of a run, or of a ping-pong, tells of its pair."""
    result = at(record, "result")
    if at(result, "latency_ns") is not None:
        return {f"round_trip_{key}_ns": number(result, f"latency_ns.{key}")
                for key in ("min", "p50", "p99", "p99_9", "max")}
    return {
        "goodput_bps": number(result, "goodput_bps"),
        **_cpu(record, "source"), **_cpu(record, "sink"),
        "loss_share": number(result, "datagrams.loss_share"),
        "retransmissions": number(result, "retransmissions"),
        "rtt_us": number(result, "rtt_us"),
        "binding": text(result, "binding"),
        "disturbed": at(result, "disturbed") is True,
    }


def pair_of(pair: Pair, figures: Json) -> Json:
    """Return the document of a pair."""
    return {"from": pair.source, "to": pair.sink, **figures}


def name_of(outlier: Json) -> str:
    """Return the name of a host, or of a link."""
    return text(outlier, "host") or " - ".join(map(str, array(outlier, "hosts")))


def _low(values: Mapping[Json, float]) -> dict[Json, float]:
    """Return what is far below the median of *values*, logarithms, by how many."""
    if not values:
        return {}
    middle = median(values.values())
    sigma = MAD_TO_SIGMA * median(abs(one - middle) for one in values.values())
    least = max(DEVIATIONS * sigma, -math.log(1 - BELOW))
    return {key: (middle - one) / sigma if sigma else math.inf
            for key, one in values.items() if middle - one > least}


def _middle(pairs: Sequence[Json], host: str, key: str) -> tuple[float, float]:
    """Return the median of a figure of a host's ends, and of the other hosts'."""
    own: list[float] = []
    others: list[float] = []
    for pair in pairs:
        for end, role in (("from", "source"), ("to", "sink")):
            value = number(pair, f"{role}_{key}")
            if not math.isnan(value):
                (own if pair[end] == host else others).append(value)
    return (median(own), median(others)) if own and others else (NAN, NAN)


def _why(pairs: Sequence[Json], host: str) -> tuple[str, str]:
    """Return what makes a host slow, and why that is known."""
    own, others = _middle(pairs, host, "cycles_per_byte")
    share, _ = _middle(pairs, host, "own_share")
    if own > COSTLY * others and share > FULL:
        return "cpu", (f"a byte costs it {own:.3g} cycles, the other hosts "
                       f"{others:.3g}, and the run has {share:.0%} of a CPU there")
    verdicts = [pair["binding"] for pair in pairs if host in (pair["from"], pair["to"])]
    of_cpu = sum(one in OF_CPU for one in verdicts)
    if of_cpu > len(verdicts) / 2:
        return "cpu", f"{of_cpu} of its {len(verdicts)} runs are limited by a CPU"
    if math.isnan(share):
        return "unknown", "nothing is known of its CPUs"
    return "network", f"the run has {share:.0%} of a CPU there"


def _by_host(rates: Mapping[Pair, float]) -> dict[str, float]:
    """Return the median of each host's rates, of hosts with peers enough."""
    own: dict[str, list[float]] = {}
    for pair, rate in rates.items():
        for host in pair:
            own.setdefault(host, []).append(rate)
    peers = _peers(rates)
    return {host: median(own[host]) for host in sorted(own)
            if len(peers[host]) >= PEERS_MIN}


def _peers(pairs: Iterable[Pair]) -> dict[str, set[str]]:
    """Return the others that each host was measured with."""
    peers: dict[str, set[str]] = {}
    for a, b in pairs:
        peers.setdefault(a, set()).add(b)
        peers.setdefault(b, set()).add(a)
    return peers


def _slow_hosts(rates: dict[Pair, float]) -> Iterator[tuple[str, float, float]]:
    """Yield slow hosts, their rates and deviations; take their links out of *rates*.

    The slowest is found first, and the next one without its links, which are slow for
    their other hosts as well.
    """
    while len(of_hosts := _by_host(rates)) >= HOSTS_MIN and (low := _low(of_hosts)):
        host = min(low, key=lambda host: of_hosts[host])
        yield host, of_hosts[host], low[host]
        for pair in [pair for pair in rates if host in pair]:
            del rates[pair]


def _slow_links(rates: Mapping[Pair, float], peers: Mapping[str, set[str]]) \
        -> Iterator[tuple[Pair, float, float, bool]]:
    """Yield slow links, rates, deviations, and whether their hosts are known."""
    links: dict[Pair, float] = {}
    for (a, b), rate in rates.items():
        link = Pair(min(a, b), max(a, b))
        links[link] = min(rate, links.get(link, math.inf))
    low = _low(links)
    for link in sorted(low, key=lambda link: links[link]):
        yield (link, links[link], low[link],
               all(len(peers[host]) >= PEERS_MIN for host in link))


def outliers(pairs: Sequence[Json]) -> list[Json]:
    """Return the hosts and links whose goodput is far below that of the others.

    A link is a pair of hosts in both directions. A slow host makes all its links slow:
    links of hosts that stand out are not told apart.
    """
    rates = {Pair(pair["from"], pair["to"]): math.log(pair["goodput_bps"])
             for pair in pairs if number(pair, "goodput_bps") > 0}
    peers = _peers(rates)
    if len(peers) < HOSTS_MIN:
        return []
    middle = median(rates.values())
    found = []
    for host, rate, deviations in _slow_hosts(rates):
        what, why = _why(pairs, host)
        found.append({"kind": "host", "host": host, "cause": what, "because": why,
                      "share_of_median": math.exp(rate - middle),
                      "deviations": deviations})
    for link, rate, deviations, known in _slow_links(rates, peers):
        found.append({"kind": "link", "hosts": list(link),
                      "cause": "network" if known else "unknown",
                      "because": "both hosts are as fast as others on their other links"
                      if known else "too few other links of its hosts are measured to "
                      "tell a slow link from a slow host",
                      "share_of_median": math.exp(rate - middle),
                      "deviations": deviations})
    return found
