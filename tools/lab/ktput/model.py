# SPDX-License-Identifier: GPL-2.0
"""The cost of a byte, a packet and a call: least squares of relative errors over runs.

Documentation/measure/statistics.rst, "What a byte, a packet and a call cost", describes
the method.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import keys
from .record import Json, Record, array, at, total
from .statistics import CONFIDENCE, student

TERMS = ("byte", "packet", "call")
#: The interval is ten times as wide as if the other costs were known.
INFLATION_MAX = 100.0
#: Costs are hard to separate: Marquardt, Technometrics 12 (1970) 591.
INFLATION_HIGH = 10.0
# Each pass gains digits; after this many passes, a weight does not converge.
PASSES = 100
SETTLED = 1024 * np.finfo(float).eps


@dataclass(frozen=True)
class Work:
    """Work of a run while its CPUs were measured, without the warm-up."""

    bytes: float
    packets: float
    calls: float
    #: busy cycles of all CPUs, on the record's clock
    busy_cycles: float
    #: share of datagrams that did not arrive; 0 to 1
    loss_share: float
    #: packets were counted, not computed from bytes and the payload of a segment
    counted: bool
    #: cycles of all CPUs that the run itself used; NaN if unknown
    own_cycles: float = math.nan

    @property
    def missing(self) -> str | None:
        """What it lacks to be a point of the model, None if it is complete."""
        if not self.busy_cycles > 0:
            return "it does not tell busy cycles"
        if not self.bytes > 0:
            return ("it does not tell the bytes of the time in which CPUs were "
                    "measured")
        if not self.packets > 0 or math.isinf(self.packets):
            return "it does not tell packets, nor the payload of a segment"
        if not self.calls > 0:
            return "it does not tell calls"
        return None


def _grown(record: Record, end: str, of: str, path: str) -> float:
    """Return the increase of a counter over all streams or CPUs of an end."""
    intervals = record.list(keys.INTERVALS)
    before: Json = at(record.root, f"{end}.{keys.BEGIN}")
    for one in intervals:
        if at(one, keys.WARM_UP) is not True:
            break
        before = at(one, end)
    after = at(intervals[-1], end) if intervals else None
    first = at(before, of)
    # Streams may begin after the first snapshot of the run.
    begun = 0.0 if first == [] else total(array(before, of), path)
    return total(array(after, of), path) - begun


def work_of(record: Record) -> Work:
    """Return the work of a run."""
    result = at(record.root, keys.RESULT)
    calls = [grown for grown in (_grown(record, end, keys.CPUS, "calls")
                                 for end in keys.ENDS) if not math.isnan(grown)]
    packets = record.number(keys.CPU_PACKETS)
    if math.isnan(packets):
        packets = _grown(record, keys.ENDS[0], keys.STREAMS, "tcp.segments_out")
    counted = not math.isnan(packets)
    loss, size = (record.number(path) for path in (keys.LOSS_SHARE, keys.WIRE_PAYLOAD))
    amount = record.number(keys.CPU_BYTES)
    if not counted:
        packets = amount / size if size else math.inf
    return Work(amount, packets, sum(calls) if calls else math.nan,
                total(array(result, keys.CPUS), "busy_cycles"),
                0.0 if math.isnan(loss) else loss, counted,
                sum(total(array(result, keys.CPUS), part) for part in keys.OWN_PARTS))


def cycles_of(works: Sequence[Work]) -> str:
    """Return whose cycles are modelled: "own" if all runs tell them, else "busy"."""
    return "own" if all(one.own_cycles > 0 for one in works) else "busy"


@dataclass
class Cost:
    """The cost of one quantity, in cycles of the record's clock."""

    #: the quantity is in the model
    kept: bool
    #: factor of the variance compared with known other costs
    inflation: float
    value: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan


@dataclass
class Model:
    """Costs, and their fit to the runs."""

    #: costs of a byte, a packet and a call
    costs: list[Cost]
    #: fewer runs than separable costs plus one
    too_few: bool
    freedom: int = 0
    #: root of the mean square of the residuals
    rms: float = math.nan
    #: by run: cycles of the model, and (measured - modelled) / modelled
    fitted: Any = None
    residuals: Any = None

    @property
    def kept(self) -> int:
        """Costs in the model."""
        return sum(cost.kept for cost in self.costs)


def _choose(x: "np.ndarray[Any, Any]") -> list[Cost]:
    """Choose the separable columns: check each against the kept ones before it."""
    costs: list[Cost] = []
    kept: list[int] = []
    for term in range(x.shape[1]):
        column = x[:, term]
        own = column
        if kept:
            basis = np.linalg.qr(x[:, kept])[0]
            # Two passes make the remainder orthogonal up to rounding.
            for _ in range(2):
                own = own - basis @ (basis.T @ own)
        norm, rest = float(np.linalg.norm(column)), float(np.linalg.norm(own))
        inflation = (norm / rest) ** 2 if rest > SETTLED * norm else math.inf
        costs.append(Cost(inflation <= INFLATION_MAX, inflation))
        if costs[-1].kept:
            kept.append(term)
    return costs


def fit(works: Sequence[Work]) -> Model:
    """Fit the model to runs; :attr:`Work.missing` must be None for all of them."""
    x = np.array([[one.bytes, one.packets, one.calls] for one in works], dtype=float)
    own = cycles_of(works) == "own"
    y = np.array([one.own_cycles if own else one.busy_cycles for one in works],
                 dtype=float)
    weighted = y
    model = Model(_choose(x / y[:, None]), True)
    kept = [term for term in range(len(TERMS)) if model.costs[term].kept]
    model.freedom = len(works) - len(kept)
    if not kept or model.freedom < 1:
        return model
    for _ in range(PASSES):
        rows = x[:, kept] / weighted[:, None]
        basis, triangle = np.linalg.qr(rows)
        values = np.linalg.solve(triangle, basis.T @ (y / weighted))
        fitted = x[:, kept] @ values
        if not (fitted > 0).all() or \
                (abs(fitted - weighted) <= SETTLED * weighted).all():
            break
        weighted = fitted
    model.too_few = False
    model.fitted, model.residuals = fitted, (y - fitted) / weighted
    model.rms = float(np.sqrt(np.mean(model.residuals ** 2)))
    sigma = model.rms * math.sqrt(len(works) / model.freedom)
    variance = (np.linalg.inv(triangle) ** 2).sum(axis=1)
    for cost, value, own, column in zip((model.costs[term] for term in kept), values,
                                        variance, rows.T, strict=True):
        half = student(model.freedom, CONFIDENCE) * sigma * math.sqrt(own)
        cost.value = float(value)
        # A cost is not negative.
        if value + half >= 0:
            cost.ci_low, cost.ci_high = max(float(value - half), 0), float(value + half)
        cost.inflation = float(own * (column @ column))
    return model


#: Keys that runs are grouped by; the first is the transport.
GROUP_KEYS = (
    ("transport", keys.TRANSPORT), ("engine", keys.ENGINE),
    ("source_layer", keys.SOURCE_LAYER),
    ("source_method", keys.SOURCE_METHOD), ("sink_layer", keys.SINK_LAYER),
    ("sink_method", keys.SINK_METHOD),
)


def group_of(record: Record) -> dict[str, str]:
    """Return transport, layers and methods of a run, if it has them."""
    pairs = ((key, record.text(path)) for key, path in GROUP_KEYS)
    return {key: value for key, value in pairs if value is not None}
