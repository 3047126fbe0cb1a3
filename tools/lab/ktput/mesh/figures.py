# SPDX-License-Identifier: GPL-2.0
"""Figures of a mesh: of each pair, and which hosts and links stand out."""

import math
from collections.abc import Mapping, Sequence
from statistics import median

from .. import keys
from ..record import NAN, Json, array, at, number, text
from .plan import Pair

#: What stands out is so many deviations from the median, the deviation being that of
#: the median (MAD) as the standard deviation of a normal distribution ...
DEVIATIONS = 3.5
MAD_TO_SIGMA = 1.4826
#: ... and this share below it at least: with few pairs a deviation may be tiny.
BELOW = 0.1
#: Hosts that it takes for a median of a host's pairs to be that of the others.
HOSTS_MIN = 4
#: A host whose cycles a byte are this many times those of the others is slow itself, if
#: the run had this share of a CPU there: a slow path makes a byte dear, too.
COSTLY, FULL = 1.3, 0.5


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


def pair_of(pair: Pair, record: Json) -> Json:
    """Return the figures of a pair from the record of its run."""
    result = at(record, "result")
    return {
        "from": pair.source, "to": pair.sink,
        "goodput_bps": number(result, "goodput_bps"),
        **_cpu(record, "source"), **_cpu(record, "sink"),
        "loss_share": number(result, "datagrams.loss_share"),
        "retransmissions": number(result, "retransmissions"),
        "rtt_us": number(result, "rtt_us"), "rtt_min_us": number(result, "rtt_min_us"),
        "binding": text(result, "binding"),
        "disturbed": at(result, "disturbed") is True,
    }


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
            value = pair[f"{role}_{key}"]
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
    of_cpu = sum(one == "cpu" for one in verdicts)
    if of_cpu > len(verdicts) / 2:
        return "cpu", f"{of_cpu} of its {len(verdicts)} runs are limited by a CPU"
    if math.isnan(share):
        return "unknown", "nothing is known of its CPUs"
    return "network", f"the run has {share:.0%} of a CPU there"


def outliers(pairs: Sequence[Json]) -> list[Json]:
    """Return the hosts and links whose goodput is far below that of the others.

    A link is a pair of hosts in both directions. A slow host makes all its links slow:
    links of hosts that stand out are not told apart.
    """
    rates = {(pair["from"], pair["to"]): math.log(pair["goodput_bps"])
             for pair in pairs if pair["goodput_bps"] > 0}
    hosts = sorted({host for link in rates for host in link})
    if len(hosts) < HOSTS_MIN:
        return []
    middle = median(rates.values())
    of_hosts = {host: median(rate for link, rate in rates.items() if host in link)
                for host in hosts}
    found = []
    slow = _low(of_hosts)
    for host in sorted(slow, key=lambda host: of_hosts[host]):
        what, why = _why(pairs, host)
        found.append({"kind": "host", "host": host, "cause": what, "because": why,
                      "share_of_median": math.exp(of_hosts[host] - middle),
                      "deviations": slow[host]})
    links: dict[tuple[str, str], list[float]] = {}
    for (a, b), rate in rates.items():
        if a not in slow and b not in slow:
            links.setdefault((min(a, b), max(a, b)), []).append(rate)
    of_links = {link: min(each) for link, each in links.items()}
    low = _low(of_links)
    found += [{"kind": "link", "hosts": list(link), "cause": "network",
               "because": "both hosts are as fast as others on their other links",
               "share_of_median": math.exp(of_links[link] - middle),
               "deviations": low[link]}
              for link in sorted(low, key=lambda link: of_links[link])]
    return found
