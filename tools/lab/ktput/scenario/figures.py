# SPDX-License-Identifier: GPL-2.0
"""Figures of a run by name: what rows of tables, rules and drawings may use."""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import keys
from ..record import NAN, Record, at, number, text, total
from .rules import Missing

#: Members of the result's statistics over intervals.
STATISTICS = keys.STATISTICS + ".goodput_bps."
MEGA = 1e-6
#: Contexts of a run's source and sink on a CPU that both share.
TRANSMIT = ("source", "softirq transmit")
RECEIVE = ("sink", "softirq receive")
#: Parts of a run where the kernel does not tell contexts apart.
ATTRIBUTION = (("source_cycles", "source"), ("sink_cycles", "sink"),
               ("own_softirq_cycles", "softirqs"),
               ("other_softirq_cycles", "other softirqs"),
               ("other_tasks_cycles", "other tasks"), ("steal_cycles", "stolen"),
               ("idle_cycles", "idle"))
#: Ceilings that no configuration sets: they are measured.
MEASURED = ("cpu",)


def _share_of(names: Sequence[str]) -> Callable[[Record], float]:
    """Return what computes the share of the CPUs that contexts took, in percent."""
    def share(record: Record) -> float:
        cpus = record.cpus
        every = sum(cpu.total for cpu in cpus)
        if not every or not any("source" in cpu.cycles for cpu in cpus):
            return NAN
        return 100 * sum(cpu.cycles.get(name, 0) for cpu in cpus
                         for name in names) / every

    return share


def _ceiling(record: Record) -> float:
    known = [one.bps for one in record.ceilings
             if one.name not in MEASURED and one.bps > 0]
    return min(known, default=NAN) * MEGA


def _cpu_ceiling(record: Record) -> float:
    return next((one.bps for one in record.ceilings if one.name == "cpu"), NAN) * MEGA


def _window(record: Record) -> float:
    """Return the window that the sinks advertised in the end, of all streams."""
    return total(record.list(keys.RESULT_TCP), "send_window_bytes") / 1024


def _framing(record: Record) -> float:
    """Return what the link adds to a packet, bytes: from its ceiling."""
    wire = at(record.root, keys.WIRE)
    frame = number(wire, "payload_bytes") * number(wire, "link_rate_bps") / \
        number(wire, "ceiling_bps")
    return frame - number(wire, "mtu_bytes")


def _one_way(record: Record) -> dict[float, float]:
    """Return half of the median round trip by the size of the message, us.

    NPtcp has no median, but a mean.
    """
    sizes = record.list(keys.SWEEP_SIZES)
    if not sizes:
        trip_ns = record.number(keys.LATENCY + ".p50")
        return {record.number("source.config.request_bytes"): trip_ns / 2e3}
    return {one["bytes"]: number(one, "latency_mean_ns" if one.get("latency_p50_ns")
                                 is None else "latency_p50_ns") / 2e3
            for one in sizes}


def _latency(record: Record) -> float:
    """Return half of the median round trip of the smallest message, us."""
    return next(iter(_one_way(record).values()))


def _rates(record: Record) -> dict[float, float]:
    """Return a message in half of the median round trip by its size, Mb/s."""
    return {size: size * 8 / us for size, us in _one_way(record).items()}


def _throughput(record: Record) -> float:
    """Return the largest throughput of the sizes, Mb/s."""
    return max(_rates(record).values())


def _half_power(record: Record) -> float:
    """Return the size from which on the throughput is at least half of the largest."""
    rates = _rates(record)
    below = [size for size, rate in rates.items() if rate < max(rates.values()) / 2]
    return min((size for size in rates if size > max(below, default=0)), default=NAN)


def _dropouts(by: str) -> Callable[[Record], float]:
    """Return what counts the sizes that drop out, by median or mean."""
    def count(record: Record) -> float:
        found = [one for one in record.list("dropouts") if text(one, "by") == by]
        return len(found) if record.list(keys.SWEEP_SIZES) else NAN

    return count


def _bus(record: Record) -> float:
    """Return what a bus carries, of the first that is computed, Mb/s."""
    return next((number(one, "data_bps") for one in record.list("rates")), NAN) * MEGA


def _path(path: str, factor: float = 1.0) -> Callable[[Record], float]:
    return lambda record: record.number(path) * factor


@dataclass(frozen=True)
class Figure:
    """A figure of a run."""

    unit: str
    of: Callable[[Record], float]
    #: digits behind the point
    digits: int = 3
    #: it has a ceiling to be set beside
    rate: bool = False
    title: str = ""


FIGURES: Mapping[str, Figure] = {
    "rate": Figure("Mb/s", _path(keys.GOODPUT, MEGA), rate=True, title="rate"),
    "mean": Figure("Mb/s", _path(STATISTICS + "mean", MEGA), rate=True),
    "sigma": Figure("Mb/s", _path(STATISTICS + "sigma", MEGA)),
    "max": Figure("Mb/s", _path(STATISTICS + "max", MEGA), rate=True),
    "min": Figure("Mb/s", _path(STATISTICS + "min", MEGA), rate=True),
    "stability": Figure("%", _path(STATISTICS + "stability", 100), 2),
    "ceiling": Figure("Mb/s", _ceiling, 6),
    "cpu_ceiling": Figure("Mb/s", _cpu_ceiling),
    "framing": Figure("bytes", _framing, 0),
    "tx": Figure("%", _share_of(TRANSMIT), 1, title="CPU tx"),
    "rx": Figure("%", _share_of(RECEIVE), 1, title="CPU rx"),
    "cycles": Figure("/byte", _path(keys.OWN_PER_BYTE), 4, title="cycles"),
    "window": Figure("KiB", _window, 1),
    "latency": Figure("us", _latency),
    "throughput": Figure("Mb/s", _throughput),
    "half_power": Figure("bytes", _half_power, 0, title="half-power"),
    "dropouts": Figure("by median", _dropouts("median"), 0),
    "mean_dropouts": Figure("by mean", _dropouts("mean"), 0, title="dropouts"),
    "bus": Figure("Mb/s", _bus),
    "rtt": Figure("ms", _path("result.rtt_us", 1e-3)),
    "rtt_min": Figure("ms", _path("result.rtt_min_us", 1e-3), title="least rtt"),
    "retransmissions": Figure("segments", _path("result.retransmissions"), 0),
}


def binding(record: Record) -> str:
    """Return what binds a run, in the words of its record."""
    found = record.binding
    return found[0].replace("_", " ") if found else ""


def _contexts(record: Record) -> Iterator[tuple[str, float]]:
    """Yield what takes cycles of the CPUs: contexts, or else parts of the run."""
    for one in record.list(keys.RESULT_CPUS):
        contexts = at(one, "contexts")
        known = keys.CONTEXTS if contexts else ATTRIBUTION
        for key, name in known:
            cycles = number(contexts or at(one, "attribution"), key)
            if cycles > 0:
                yield name, cycles


def context(record: Record) -> tuple[str, float]:
    """Return the context that took most of the CPUs, and its share."""
    cycles: dict[str, float] = {}
    for name, value in _contexts(record):
        cycles[name] = cycles.get(name, 0) + value
    busy = {name: value for name, value in cycles.items() if name != "idle"}
    if not busy:
        return "", NAN
    name = max(busy, key=lambda one: busy[one])
    return name, cycles[name] / sum(cycles.values())


def verdict(records: Sequence[Record]) -> str:
    """Return what binds the runs of a point; for a CPU with the context."""
    if not records:
        return ""
    found = binding(records[0])
    if found == "cpu":
        name, share = context(records[0])
        found += f": {name} {share:.0%}" if name else ""
    return found


def figure_of(records: Sequence[Record], name: str, why: str) -> Any:  # noqa: ANN401
    """Return a figure: the mean over the repetitions of a point.

    Raises Missing, with the reason *why* if there is no run, and ValueError if there
    is no such figure.
    """
    if name not in FIGURES and name not in ("binding", "context"):
        raise ValueError(f"there is no figure '{name}', but "
                         f"{', '.join(FIGURES)}, binding, context")
    if not records:
        raise Missing(why)
    if name == "binding":
        return binding(records[0])
    if name == "context":
        return context(records[0])[0]
    values = [FIGURES[name].of(record) for record in records]
    known = [value for value in values if math.isfinite(value)]
    if not known:
        raise Missing(f"the record of the run has no {name}")
    return statistics.fmean(known)


def shown(name: str, value: float) -> str:
    """Return a figure as text, a dash if it is unknown."""
    digits = FIGURES[name].digits if name in FIGURES else 3
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"


def stated(name: str, memo: float) -> str:
    """Return a figure of the memo, rounded as those that are measured."""
    return f"{round(memo, FIGURES[name].digits):.10g}"
