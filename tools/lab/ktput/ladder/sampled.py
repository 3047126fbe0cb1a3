# SPDX-License-Identifier: GPL-2.0
"""The cost of a byte or a packet from samples: the second method.

Documentation/measure/ladder.rst has the formulas.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .. import keys
from ..record import Json, Record, array, number, text
from ..statistics import over_differences

IDLE = "idle"
#: Quantile of the normal distribution, two-sided, for 95 %.
QUANTILE = 1.959964
NAN = math.nan


@dataclass(frozen=True)
class SampledCpu:
    """Samples of a CPU by their class."""

    classes: dict[str, float]
    #: cycles of the CPU during the sampling
    cycles: float
    #: effective number of independent samples
    effective: float


@dataclass(frozen=True)
class Sampled:
    """Samples of a run."""

    cpus: list[SampledCpu]
    #: bytes of payload, or packets
    units: float
    #: factor from cycles to clock cycles
    factor: float = 1.0

    def cost(self, classes: Collection[str]) -> tuple[float, float]:
        """Return the cycles a unit of *classes*, and their variance."""
        cost = variance = 0.0
        for cpu in self.cpus:
            samples = sum(cpu.classes.values())
            if not samples:
                continue
            cycles = cpu.cycles * self.factor / self.units
            share = sum(cpu.classes.get(one, 0) for one in classes) / samples
            cost += cycles * share
            variance += cycles ** 2 * share * (1 - share) / cpu.effective
        return cost, variance

    def names(self) -> list[str]:
        """Return the classes that are not idle."""
        return [*dict.fromkeys(name for cpu in self.cpus for name in cpu.classes
                               if name != IDLE)]


def _cpu(of: Json) -> SampledCpu:
    known = [one for one in array(of, "classes") if number(one, "samples") > 0]
    classes = {text(one, "class") or "": number(one, "samples") for one in known}
    effective = number(of, "effective_samples")
    return SampledCpu(classes, sum(max(number(one, "cycles"), 0) for one in known),
                      effective if effective > 0 else sum(classes.values()))


def read(record: Record, packets: bool) -> Sampled | None:
    """Return the samples of a run with a profile; None if there are none."""
    cpus = [_cpu(one) for one in record.list("profile.cpus")]
    of_bytes = record.number(keys.CPU_BYTES)
    units = record.number(keys.CPU_PACKETS) if packets else of_bytes
    if not cpus or not units > 0:
        return None
    sampled = Sampled(cpus, units)
    # A PMU counts core cycles. Their frequency differs from that of the counter for
    # busy cycles, so scale their sum to the busy cycles.
    if record.text("profile.cycles_of") == "core":
        every, _ = sampled.cost(sampled.names())
        busy = of_bytes * record.busy_cycles_per_byte / units
        sampled = Sampled(cpus, units, busy / every if every > 0 else 0.0)
    return sampled


@dataclass(frozen=True)
class SampledEstimate:
    """A cost by samples, over rounds, in cycles a unit."""

    runs: int
    mean: float = NAN
    half_width: float = NAN
    #: half width of the interval for independent samples and identical runs
    binomial: float = NAN
    #: effective number of independent samples in total
    effective: float = NAN

    def disagrees(self, mean: float, half_width: float) -> bool:
        """Whether its interval is disjoint from that of another method."""
        return abs(self.mean - mean) > self.half_width + half_width

    def document(self) -> Json:
        """Return it for a record."""
        return {"runs": self.runs, "mean": self.mean, "half_width": self.half_width,
                "binomial_half_width": self.binomial, "effective_share": self.effective}


def estimate(above: Sequence[Sampled | None], below: Sequence[Sampled | None] | None,
             classes: Collection[str]) -> SampledEstimate:
    """Estimate what *classes* cost, above less below, round by round.

    Rounds with a missing run are left out. *below* is None if the cost is the whole of
    *above*.
    """
    costs, variance = [], 0.0
    for one, other in zip(above, below or above, strict=True):
        if one is None or other is None:
            continue
        cost, of_cost = one.cost(classes)
        variance += of_cost
        if below is not None:
            less, of_less = other.cost(classes)
            cost, variance = cost - less, variance + of_less
        costs.append(cost)
    if not costs:
        return SampledEstimate(0)
    found = over_differences(costs)
    binomial = QUANTILE * math.sqrt(variance) / len(costs)
    if found.too_short:
        return SampledEstimate(len(costs), found.mean, binomial, binomial)
    empirical = found.half_width
    share = min(1.0, (binomial / empirical) ** 2) if empirical > 0 else 1.0
    return SampledEstimate(len(costs), found.mean, max(binomial, empirical), binomial,
                           share)
