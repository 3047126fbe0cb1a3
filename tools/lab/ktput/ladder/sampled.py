# SPDX-License-Identifier: GPL-2.0
"""What a byte or a packet costs by the samples of runs: the second method.

Documentation/measure/ladder.rst has the formulas.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .. import keys
from ..record import Json, Record, array, number, text
from ..statistics import over_differences

IDLE = "idle"
#: Of the normal distribution, two-sided, for 95 %.
QUANTILE = 1.959964
NAN = math.nan


@dataclass(frozen=True)
class SampledCpu:
    """Samples of a CPU by their class."""

    classes: dict[str, float]
    #: cycles of the CPU meanwhile
    cycles: float
    #: samples that are worth an independent one
    effective: float


@dataclass(frozen=True)
class Sampled:
    """Samples of a run."""

    cpus: list[SampledCpu]
    #: bytes of payload, or packets
    units: float
    #: what cycles are multiplied with to be those of the clock
    factor: float = 1.0

    def cost(self, classes: Collection[str]) -> tuple[float, float]:
        """Return the cycles a unit that *classes* take, and their variance."""
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
    """Return the samples of a run with a profile; None where there are none."""
    cpus = [_cpu(one) for one in record.list("profile.cpus")]
    of_bytes = record.number(keys.CPU_BYTES)
    units = record.number(keys.CPU_PACKETS) if packets else of_bytes
    if not cpus or not units > 0:
        return None
    sampled = Sampled(cpus, units)
    # A PMU counts cycles of the cores, whose frequency is not that of the counter
    # that busy cycles are told by: all of them together are as many as these.
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
    #: half of the interval, were samples independent and runs alike
    binomial: float = NAN
    #: samples that are worth an independent one, of all
    effective: float = NAN

    def disagrees(self, mean: float, half_width: float) -> bool:
        """Whether it has nothing in common with the interval of another method."""
        return abs(self.mean - mean) > self.half_width + half_width

    def document(self) -> Json:
        """Return it for a record."""
        return {"runs": self.runs, "mean": self.mean, "half_width": self.half_width,
                "binomial_half_width": self.binomial, "effective_share": self.effective}


def estimate(above: Sequence[Sampled | None], below: Sequence[Sampled | None] | None,
             classes: Collection[str]) -> SampledEstimate:
    """Estimate what *classes* cost, above less below, round by round.

    Rounds of which one is missing are left out; *below* is None where the cost is all
    of *above*.
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
