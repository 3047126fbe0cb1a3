# SPDX-License-Identifier: GPL-2.0
"""A trial: pairs of runs, one of each pair with a remedy, and what they tell."""

import math
from dataclasses import dataclass, field

from .. import keys
from ..record import Json, number
from ..statistics import Estimate, over_differences

#: Pairs after which a trial is judged; and again after as many more.
LOOK = 4
#: Share of searches that keep one or more remedies of no use, at most.
ERROR = 0.05


START, PINGPONG = "start", "pingpong"
#: What a run costs, by its command.
COST = {START: "cycles_per_byte", PINGPONG: "cycles_per_round_trip"}


@dataclass(frozen=True)
class Sample:
    """Figures of one run."""

    #: what shall be more: goodput, bit/s, or one over the median round trip, 1/s
    rate: float
    #: cycles per byte, or per round trip
    cost: float


def sample_of(document: Json, command: str = START) -> Sample:
    """Return the figures of a run: its own cycles if it tells them, else busy ones.

    Those of both directions together are not in a record.
    """
    if command == PINGPONG:
        return Sample(1e9 / number(document, keys.LATENCY_MEDIAN),
                      _own(document, keys.OWN_PER_TRIP, keys.PER_TRIP))
    both = number(document, keys.BOTH_GOODPUT)
    if math.isfinite(both):
        return Sample(both, math.nan)
    return Sample(number(document, keys.GOODPUT),
                  _own(document, keys.OWN_PER_BYTE, keys.PER_BYTE))


def _own(document: Json, own: str, busy: str) -> float:
    found = number(document, own)
    return found if math.isfinite(found) else number(document, busy)


def error_of(which: int) -> float:
    """Return the share of ERROR that remedy number *which*, from 1, has.

    The shares of all that are tried, however many, add up to less than ERROR
    (Bonferroni). Those that are tried first have most.
    """
    return ERROR / (which * (which + 1))


@dataclass
class Trial:
    """Pairs of runs without and with a remedy."""

    #: share of searches in which this trial may call a remedy of no use a gain
    error: float
    #: gain that matters, and width to which the ratio shall be known; shares
    matters: float
    ci: float
    #: pairs at most
    most: int
    pairs: list[tuple[Sample, Sample]] = field(default_factory=list)
    #: "gain", "no gain", "not known"; empty while it goes on
    outcome: str = ""
    #: key of what a run costs
    cost: str = COST[START]

    def estimate(self, error: float = ERROR) -> Estimate:
        """Estimate the mean logarithm of the ratio of rates, with over without."""
        return over_differences([
            math.log(b.rate / a.rate) for a, b in self.pairs
            if a.rate > 0 and b.rate > 0], 1 - error)

    def judge(self) -> None:
        """Set the outcome after so many pairs, if they tell.

        Each look has the same part of the error, so that a look more does not add to
        it. To give up early keeps nothing, and needs no correction; nor does it to go
        on for the sake of a narrow interval.
        """
        last = len(self.pairs) >= self.most
        if not last and (not self.pairs or len(self.pairs) % LOOK):
            return
        plain = self.estimate()
        sure = self.estimate(self.error / math.ceil(self.most / LOOK))
        if sure.ci_low > 0 and plain.mean >= math.log1p(self.matters):
            if last or plain.half_width <= math.log1p(self.ci):
                self.outcome = "gain"
        elif plain.ci_high < math.log1p(self.matters):
            self.outcome = "no gain"
        elif last:
            self.outcome = "not known"

    def document(self) -> Json:
        """Return the gain, its interval, and what it costs without and with it."""
        plain = self.estimate()
        document: Json = {"pairs": len(self.pairs)}
        if self.pairs:
            document["gain"] = {
                "mean": math.expm1(plain.mean), "ci_low": math.expm1(plain.ci_low),
                "ci_high": math.expm1(plain.ci_high)}
            document |= {f"{self.cost}_{which}": math.fsum(
                pair[i].cost for pair in self.pairs) / len(self.pairs)
                for i, which in enumerate(("without", "with"))}
        return document
