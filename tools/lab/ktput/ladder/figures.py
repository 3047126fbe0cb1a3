# SPDX-License-Identifier: GPL-2.0
"""The document of a ladder: statistics of rungs and of their differences."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .. import keys
from ..record import Json, Record
from ..statistics import PILOT, Array, Estimate, over_differences, over_runs
from .rungs import GROUPS, LATENCY_BYTES, STEPS, TCP, Rung, Step
from .sampled import Sampled, SampledEstimate, estimate

NAN = math.nan
#: The cycles of a cost: those of the runs themselves, or all but idle ones.
OWN, BUSY = "own", "busy"


@dataclass(frozen=True)
class Sample:
    """Figures of one run of a rung."""

    goodput_bps: float
    #: datagrams that arrived; NaN for TCP
    packets_per_s: float
    #: cycles of all CPUs for a byte of payload, or a datagram
    cost: float
    #: share of lost datagrams; NaN for TCP
    loss_share: float
    #: whose cycles the cost has: OWN or BUSY
    cycles_of: str = BUSY
    disturbed: bool = False
    sampled: Sampled | None = None


def _whose(record: Record, of_instructions: bool = False) -> str:
    """Return whose cycles are compared: those of the run itself if it says so.

    Of a run in user space that is known by ticks of 10 ms, too coarse for short runs
    in a VM that counts instructions. Such a VM runs nothing else.
    """
    known = math.isfinite(record.number(keys.OWN_PER_BYTE))
    return OWN if known and not of_instructions else BUSY


def _spent(record: Record, whose: str) -> float:
    """Return cycles of all CPUs of a run."""
    key = keys.OWN_PER_BYTE if whose == OWN else keys.PER_BYTE
    return record.number(key) * record.number(keys.CPU_BYTES)


def _units(record: Record, rung: Rung) -> float:
    """Return the bytes or packets that the cycles were spent on."""
    units = record.number(keys.CPU_BYTES if rung.group is TCP else keys.CPU_PACKETS)
    return units if units > 0 else NAN


def _disturbed(record: Record) -> bool:
    return record.root["result"].get(keys.DISTURBED) is True


def sample_of(record: Record, rung: Rung, of_instructions: bool = False) -> Sample:
    """Return the figures of a run."""
    whose = _whose(record, of_instructions)
    return Sample(record.goodput_bps, record.packets_per_s,
                  _spent(record, whose) / _units(record, rung),
                  record.number(keys.LOSS_SHARE), whose, _disturbed(record))


def sample_beyond(record: Record, short: Record, rung: Rung) -> Sample:
    """Return the figures of a run, with the cost of what it has beyond a shorter one.

    The cycles that both spend at their start and end are not in it. Of the shorter one
    these are a large share, so that it cannot tell whether it was disturbed.
    """
    units = _units(record, rung) - _units(short, rung)
    cycles = _spent(record, BUSY) - _spent(short, BUSY)
    return replace(sample_of(record, rung, of_instructions=True),
                   cost=cycles / units if units > 0 else NAN)


@dataclass
class Cell:
    """Results of a rung."""

    #: the rung is no longer run
    left_out: bool = False
    failures: int = 0
    #: reason of the latest failure
    why: str = ""
    why_not_sampled: str = ""
    #: one of each round that counts; None without a valid result
    samples: list[Sample | None] = field(default_factory=list)

    def values(self, figure: Callable[[Sample], float]) -> Array:
        """Return a figure of each round, NaN if there is none."""
        return np.array([NAN if one is None else figure(one) for one in self.samples])

    def sampled(self) -> list[Sampled | None]:
        """Return the samples of each round."""
        return [None if one is None else one.sampled for one in self.samples]


@dataclass
class Latency:
    """Round trips of a kind of ping-pong."""

    median_ns: float = NAN
    p99_ns: float = NAN
    why: str = ""


@dataclass
class Climb:
    """A ladder, complete or not."""

    rungs: list[Rung]
    wanted: float
    seed: int
    profiled: bool = False
    #: unit of the clock: "instructions" in a VM whose clock counts them
    clock_unit: str = "cycles"
    #: members of its document that describe the traffic
    traffic: Json = field(default_factory=dict)
    cells: dict[Rung, Cell] = field(default_factory=dict)
    latencies: dict[str, Latency] | None = None
    ceilings: list[Json] = field(default_factory=list)
    ceilings_of: str = ""
    ceilings_bps: float = 0.0
    #: rounds that count, and rounds repeated because of other work
    rounds: int = 0
    repeated: int = 0
    #: disturbed rounds among those that count
    disturbed: int = 0
    met: bool = False
    interrupted: bool = False
    out_of_time: bool = False
    packets_per_s: float = 0.0
    transmit_to: str = ""
    receive_from: str = ""

    def __post_init__(self) -> None:
        self.cells = {rung: Cell() for rung in self.rungs}

    def has_part(self, rung: Rung) -> bool:
        """Whether a rung was tried or will be."""
        return not self.cells[rung].left_out or self.cells[rung].failures > 0

    def cost(self, rung: Rung) -> Estimate:
        """Return the cost of a rung."""
        return over_runs(self.cells[rung].values(lambda one: one.cost), pilot=PILOT)

    def widest(self) -> float:
        """Return the half width of the widest interval of a cost, NaN if unknown."""
        found = [self.cost(rung) for rung, cell in self.cells.items()
                 if not cell.left_out]
        if any(one.too_short for one in found):
            return NAN
        return max((one.half_width / one.mean for one in found), default=NAN)

    def document(self) -> Json:
        """Return the document of Documentation/measure/ladder.schema.json."""
        of: Json = {}
        for group in GROUPS:
            rows = [self._rung(rung) for rung in self.rungs if rung.group is group and
                    self.has_part(rung)]
            if rows:
                of[group.key] = rows
        if self.latencies is not None:
            of["latency_size_bytes"] = LATENCY_BYTES
            of["latency"] = [self._latency(rung, self.latencies) for rung in self.rungs
                             if self.has_part(rung)]
        of["steps"] = [row for row in map(self._step, STEPS) if row]
        if self.profiled:
            rows = [(step, self._agreement(step)) for step in STEPS]
            of["agreement"] = {
                group.key: found for group in GROUPS
                if (found := [row for step, row in rows
                              if row and step.group is group])}
        if self.ceilings:
            of["ceilings_of"], of["ceilings"] = self.ceilings_of, self.ceilings
        return {"ladder": {
            **of, "rounds": self.rounds, "met": self.met,
            "wanted_ci_share": self.wanted, "interrupted": self.interrupted,
            "out_of_time": self.out_of_time, "packets_per_s": self.packets_per_s,
            **({"transmit_to": self.transmit_to, "receive_from": self.receive_from}
               if self.packets_per_s else {}),
            **self.traffic, "seed": self.seed, "repeated_rounds": self.repeated,
            "disturbed_rounds": self.disturbed, "clock_unit": self.clock_unit}}

    def _rung(self, rung: Rung) -> Json:
        cell = self.cells[rung]
        goodput = cell.values(lambda one: one.goodput_bps)
        row: Json = {"name": rung.name, "group": rung.group.key,
                     "runs": int(np.isfinite(goodput).sum()),
                     "failed_runs": cell.failures}
        if cell.why:
            row["not_run_because"] = cell.why
        if cell.why_not_sampled:
            row["not_sampled_because"] = cell.why_not_sampled
        row["goodput_bps"] = statistics_of(goodput, over_runs(goodput))
        if rung.group is not TCP:
            packets = cell.values(lambda one: one.packets_per_s)
            lost = cell.values(lambda one: one.loss_share)
            row["packets_per_s"] = statistics_of(packets, over_runs(packets))
            row["loss_share"] = over_runs(lost).mean
        whose = {one.cycles_of for one in cell.samples if one is not None}
        if whose:
            row["cycles_of"] = BUSY if BUSY in whose else OWN
        cost = cell.values(lambda one: one.cost)
        row[rung.group.cost] = statistics_of(cost, self.cost(rung))
        if self.profiled:
            row["sampled_all"] = estimate(cell.sampled(), None,
                                          self._classes()).document()
            row["by_class"] = [
                {"class": name, "mean": of.mean, "half_width": of.half_width}
                for name in self._classes()
                for of in [estimate(cell.sampled(), None, [name])]]
        return row

    def _differences(self, step: Step) -> tuple[Json, Estimate] | None:
        """Return the difference of two rungs, round by round.

        Changes of the machine from round to round therefore cancel out.
        """
        above, below = step.ends(self.rungs)
        if above is None or (step.below is not None and below is None):
            return None
        values = self.cells[above].values(lambda one: one.cost)
        if below is None:
            found = self.cost(above)
        else:
            values = values - self.cells[below].values(lambda one: one.cost)
            found = over_differences(values, pilot=PILOT)
        return (statistics_of(values, found), found) if found.count else None

    def _step(self, step: Step) -> Json:
        found = self._differences(step)
        if found is None:
            return None
        statistics, cost = found
        return {**_named(step), "group": step.group.key, step.group.cost: statistics,
                "distinct": cost.ci_low > 0 or cost.ci_high < 0}

    def _agreement(self, step: Step) -> Json:
        found = self._differences(step)
        if found is None:
            return None
        statistics, cost = found
        above, below = step.ends(self.rungs)
        assert above is not None  # noqa: S101
        rounds = (self.cells[above].sampled(),
                  None if below is None else self.cells[below].sampled())
        busy, counted = self._classes(), step.classes.split()

        def by(classes: Sequence[str]) -> tuple[SampledEstimate, Json]:
            of = estimate(*rounds, classes)
            row = of.document()
            if of.runs and not cost.too_short:
                row["agrees"] = not of.disagrees(cost.mean, cost.half_width)
            return of, row

        classes = []
        for name in busy:
            of, _ = by([name])
            classes.append({"class": name, "counted": name in counted, "mean": of.mean,
                            "half_width": of.half_width})
        return {**_named(step), step.group.cost: statistics, "sampled": by(counted)[1],
                "sampled_all": by(busy)[1], "by_class": classes}

    def _classes(self) -> list[str]:
        """Return the classes of all samples but idle."""
        return [*dict.fromkeys(
            name for cell in self.cells.values() for one in cell.sampled()
            if one is not None for name in one.names())]

    def _latency(self, rung: Rung, latencies: dict[str, Latency]) -> Json:
        row: Json = {"name": rung.name, "group": rung.group.key}
        found = latencies.get(rung.latency, Latency(why="no ping-pong of its kind"))
        if found.why:
            return {**row, "not_measured_because": found.why}
        return {**row, "median_ns": found.median_ns, "p99_ns": found.p99_ns,
                "kind": rung.latency}


def _named(step: Step) -> Json:
    below = {} if step.below is None else {"below": step.below}
    return {"cost": step.cost, "above": step.above, **below}


def statistics_of(values: Array, found: Estimate) -> Json:
    """Return the statistics of values over the rounds for a record."""
    known = values[np.isfinite(values)]
    least, median, most = np.quantile(known, (0, 0.5, 1)) if len(known) else \
        (NAN, NAN, NAN)
    return {"count": found.count, "mean": found.mean,
            "sigma": float(known.std(ddof=1)) if len(known) > 1 else NAN,
            "min": least, "max": most, "median": median,
            "confidence": found.confidence, "ci_low": found.ci_low,
            "ci_high": found.ci_high, "too_short": found.too_short}
