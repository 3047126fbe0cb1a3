# SPDX-License-Identifier: GPL-2.0
"""Statistics of several runs, with confidence intervals.

A single run has a mean, but no interval: its own intervals are correlated.
Documentation/measure/statistics.rst describes the assumptions of the intervals and
their coverage.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from . import keys
from .record import Interval, Record, at, number

Array: TypeAlias = "np.ndarray[Any, Any]"
Values: TypeAlias = "Sequence[float] | Array"

CONFIDENCE = 0.95
#: Minimum number of independent values.
RUNS_MIN = 3
#: With fewer values a bootstrap's interval is too narrow.
BOOTSTRAP_MIN = 10
#: Number of the first runs that decide how narrow the interval of runs that stop by
#: it may be.
PILOT = 5
#: An interval whose length differs from the others by more is left out.
LAST_TOLERANCE = 0.1

NAN = float("nan")


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval, in the unit of the values."""

    mean: float = NAN
    ci_low: float = NAN
    ci_high: float = NAN
    #: number of values
    count: int = 0
    #: number of independent values; one of a single run
    batches: int = 0
    #: too few values for the interval, which is then unknown
    too_short: bool = True
    confidence: float = CONFIDENCE
    #: standard error of the mean; NaN if unknown
    standard_error: float = NAN

    @property
    def half_width(self) -> float:
        """Distance from the mean to the end of the interval on its wider side."""
        return self.ci_high - self.mean


@dataclass(frozen=True)
class Difference:
    """Difference of two means, B - A, in the unit of the values."""

    value: float
    #: difference over the magnitude of A; NaN if that is 0
    relative: float
    ci_low: float = NAN
    ci_high: float = NAN
    freedom: float = NAN

    @property
    def distinguishable(self) -> bool | None:
        """Whether the interval excludes zero; None without an interval."""
        if math.isnan(self.ci_low):
            return None
        return self.ci_low > 0 or self.ci_high < 0


def student(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def _finite(values: Values) -> Array:
    every = np.asarray(values, dtype=float)
    finite: Array = every[np.isfinite(every)]
    return finite


def _estimate(values: Array, confidence: float, signed: bool = False,
              pilot: int = 0) -> Estimate:
    """Estimate the mean of independent values, if there are RUNS_MIN or more.

    With a *pilot* the interval is at least as wide as the deviation of that many first
    values requires.

    Rates, costs and times are not negative, so their interval is computed on a
    logarithmic scale. *signed* values are differences, which may be negative.
    """
    mean = float(values.mean()) if len(values) else NAN
    count = len(values)
    known = Estimate(mean, count=count, batches=count, confidence=confidence)
    if count < RUNS_MIN:
        return known
    error = float(values.std(ddof=1)) / math.sqrt(count)
    half = student(count - 1, confidence) * error
    if 0 < pilot < len(values):
        half = max(half, student(pilot - 1, confidence) *
                   float(values[:pilot].std(ddof=1)) / math.sqrt(len(values)))
    if signed:
        low, high = mean - half, mean + half
    else:
        # If all values are 0, the mean has no logarithm and no error.
        factor = math.exp(half / mean) if half > 0 else 1.0
        low, high = mean / factor, mean * factor
    return replace(known, ci_low=low, ci_high=high, too_short=False,
                   standard_error=error)


def over_runs(values: Values, confidence: float = CONFIDENCE,
              pilot: int = 0) -> Estimate:
    """Estimate the mean of values of independent runs.

    The values are rates, costs or times, none of which is negative. *pilot* is
    :data:`PILOT` if the runs stop by their interval, after so many or more: the first
    stage of Stein's two-sample test, as of ``repeat`` with ``until ci``.
    """
    found = _finite(values)
    return _estimate(found, confidence, pilot=pilot)


def over_differences(values: Values, confidence: float = CONFIDENCE,
                     pilot: int = 0) -> Estimate:
    """Estimate the mean of differences of pairs of runs; *pilot* as in over_runs()."""
    found = _finite(values)
    return _estimate(found, confidence, signed=True, pilot=pilot)


def welch(a: Estimate, b: Estimate) -> Difference:
    """Compare the means of two independent series by Welch's method."""
    value = b.mean - a.mean
    relative = value / abs(a.mean) if a.mean else NAN
    u, v = a.standard_error ** 2, b.standard_error ** 2
    if math.isnan(u) or math.isnan(v) or math.isnan(value):
        return Difference(value, relative)
    if not u + v:
        return Difference(value, relative, value, value)
    freedom = (u + v) ** 2 / (u * u / (a.batches - 1) + v * v / (b.batches - 1))
    half = math.sqrt(u + v) * student(freedom, a.confidence)
    return Difference(value, relative, value - half, value + half, freedom)


def paired(a: Values, b: Values, confidence: float = CONFIDENCE,
           pilot: int = 0) -> Difference:
    """Compare two series by the differences of paired values.

    *pilot* is as in over_runs(). The pairs are, for example, rounds of an interleaved
    experiment. Pairs with an unknown value are left out. Raises ValueError if the
    lengths differ.
    """
    one, other = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} values have {len(other)} to be paired with")
    known = np.isfinite(one) & np.isfinite(other)
    if not known.any():
        return Difference(NAN, NAN)
    by = over_differences(other[known] - one[known], confidence, pilot)
    mean = float(one[known].mean())
    return Difference(by.mean, by.mean / abs(mean) if mean else NAN, by.ci_low,
                      by.ci_high, NAN if by.too_short else by.batches - 1)


def _begun_ns(record: Record) -> float:
    """Return the start of a run since boot; NaN if its record does not have it."""
    return next((begun for begun in map(record.number, keys.BEGUN) if begun > 0), NAN)


def in_turn(a: Sequence[Record],
            b: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Return pairs of runs of A and of B that were made one after the other.

    Slow changes of the machine affect both runs of a pair alike. Runs without a
    neighbour of the other side are in no pair.
    """
    made = sorted(((_begun_ns(run), side, run) for side, runs in ((0, a), (1, b))
                   for run in runs if _begun_ns(run) > 0), key=lambda one: one[:2])
    pairs, i = [], 0
    while i + 1 < len(made):
        (_, side, one), (_, other, two) = made[i:i + 2]
        if side != other:
            pairs.append((two, one) if side else (one, two))
        i += 1 + (side != other)
    return pairs


def bootstrap(values: Values,
              statistic: Callable[..., Any] = np.mean, *,
              resamples: int = 9999, confidence: float = CONFIDENCE,
              seed: int | None = 0) -> Estimate:
    """Estimate a statistic of independent values whose interval has no formula.

    The method is the bias-corrected and accelerated bootstrap. Its interval is too
    narrow for fewer than 10 values (``too_short``), and unknown for fewer than 3.
    *statistic* takes an array and an axis, like :func:`numpy.median`. The same *seed*
    gives the same interval.
    """
    from scipy import stats

    found = _finite(values)
    value = float(statistic(found, axis=0)) if len(found) else NAN
    if len(found) < RUNS_MIN:
        return Estimate(value, count=len(found), batches=len(found),
                        confidence=confidence)
    if np.ptp(found) == 0:
        low = high = value
    else:
        interval = stats.bootstrap(
            (found,), statistic, n_resamples=resamples, vectorized=True,
            confidence_level=confidence, method="BCa",
            random_state=np.random.default_rng(seed)).confidence_interval
        low, high = float(interval.low), float(interval.high)
    return Estimate(value, low, high, len(found), len(found),
                    len(found) < BOOTSTRAP_MIN, confidence)


@dataclass(frozen=True)
class Figure:
    """A quantity for comparing runs."""

    #: its key in JSON, which includes the unit
    key: str
    #: title of a column
    title: str
    #: title of an axis, and its unit without a prefix
    axis: str
    unit: str
    #: its path in a result
    path: str
    #: the figure of an interval
    of_interval: Callable[[Interval], float] | None = None

    def of(self, record: Record) -> float:
        """Return the figure of a run; NaN if it has none."""
        return record.number(self.path)


def _over(a: float, b: float) -> float:
    return a / b if b > 0 else NAN


GOODPUT = Figure("goodput_bps", "Goodput", "goodput", "b/s", keys.GOODPUT,
                 lambda one: _over(one.bytes * 8, one.seconds))
PER_BYTE = Figure("busy_cycles_per_byte", "Cycles/byte", "busy cycles per byte", "",
                  keys.PER_BYTE, lambda one: _over(one.busy_cycles, one.bytes))
MEDIAN = Figure("latency_p50_ns", "Median RTT, ns", "median round trip", "ns",
                keys.LATENCY_MEDIAN)
LATENCY = Figure("latency_mean_ns", "Latency, ns", "mean latency", "ns",
                 keys.LATENCY_MEAN)
P99 = Figure("latency_p99_ns", "99% RTT, ns", "99% of round trips", "ns",
             keys.LATENCY_P99)
FIGURES = (
    GOODPUT,
    Figure("packets_per_s", "Packets/s", "packets/s", "", keys.PACKETS,
           lambda one: one.packets_per_s),
    PER_BYTE,
    Figure("busy_cycles_per_packet", "Cycles/pkt", "busy cycles per packet", "",
           keys.PER_PACKET, lambda one: _over(one.busy_cycles, one.packets)),
    LATENCY,
    Figure("busy_cycles_per_round_trip", "Cycles/trip", "busy cycles per round trip",
           "", keys.PER_TRIP),
)
#: By the key of a figure of busy cycles: that of the run's own cycles.
OWN = {
    PER_BYTE.key: Figure(
        "own_cycles_per_byte", "Own cycles/byte", "own cycles per byte", "",
        keys.OWN_PER_BYTE, lambda one: _over(one.own_cycles, one.bytes)),
    "busy_cycles_per_packet": Figure(
        "own_cycles_per_packet", "Own cycles/pkt", "own cycles per packet", "",
        keys.OWN_PER_PACKET, lambda one: _over(one.own_cycles, one.packets)),
    "busy_cycles_per_round_trip": Figure(
        "own_cycles_per_round_trip", "Own cycles/trip", "own cycles per round trip",
        "", keys.OWN_PER_TRIP),
}
BY_KEY = {one.key: one for one in (*FIGURES, *OWN.values(), MEDIAN, P99)}


def own_if_known(figure: Figure, records: Iterable[Record]) -> Figure:
    """Return the figure of own cycles for busy ones if all *records* have it."""
    own = OWN.get(figure.key)
    known = own is not None and not any(math.isnan(own.of(one)) for one in records)
    return own if own is not None and known else figure


def _whole(intervals: list[Interval]) -> list[Interval]:
    """Leave out the last interval if it ends with the run, after its last payload."""
    if len(intervals) < 2:
        return intervals
    mean = (intervals[-2].to_s - intervals[0].from_s) / (len(intervals) - 1)
    whole = abs(intervals[-1].seconds / mean - 1) <= LAST_TOLERANCE
    return intervals if whole else intervals[:-1]


def of_run(record: Record, figure: Figure) -> Estimate:
    """Return the mean of a figure of one run over its intervals after the warm-up.

    It is the one that the record states, if it does. It has no interval: the run's own
    intervals are correlated, and do not tell how much runs differ.
    """
    stated = at(record.root, f"{keys.STATISTICS}.{figure.key}")
    mean, count = number(stated, "mean"), number(stated, "count")
    if math.isnan(mean) and figure.of_interval is not None:
        kept = _whole([one for one in record.intervals if not one.warm_up])
        values = _finite([figure.of_interval(one) for one in kept])
        mean, count = (float(values.mean()), len(values)) if len(values) else (NAN, 0)
    if math.isnan(mean):
        return Estimate(figure.of(record))
    return Estimate(mean, count=int(count) if count > 0 else 0, batches=1)


def of_runs(records: Sequence[Record], figure: Figure) -> Estimate:
    """Estimate a figure of equal runs: over the runs, or of a single run."""
    if len(records) == 1:
        return of_run(records[0], figure)
    return over_runs([figure.of(record) for record in records])
