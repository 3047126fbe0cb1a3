# SPDX-License-Identifier: GPL-2.0
"""Run A and B in turn, in random order, until the difference is known."""

import math
import random
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .. import keys
from ..command import USAGE, UsageError, Values
from ..ladder.runs import RunError, Runner
from ..output import CommandError, Output
from ..record import Json, Record
from ..report.diff import Row
from ..scenario.host import Change, Host
from ..settings import differing, settings_of
from ..statistics import (
    CONFIDENCE,
    FIGURES,
    LATENCY,
    MEDIAN,
    PILOT,
    Figure,
    over_runs,
    own_if_known,
    paired,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Rounds that may be repeated because of other work on the CPUs.
REPEATS = 3
#: Rounds without a result, one after the other, after which it ends.
PATIENCE = 2
NAMES = ("a", "b")


class Pair(NamedTuple):
    """The two runs of a round."""

    a: Record
    b: Record

    @property
    def disturbed(self) -> bool:
        """Whether other work disturbed one of them."""
        return self.a.disturbed or self.b.disturbed


class Rounds:
    """Rounds of a run of A and a run of B."""

    def __init__(self, values: Values, output: Output, runner: Runner) -> None:
        """Compare the sides of the user's *values*."""
        self.values, self.output, self.runner = values, output, runner
        self.sides: Sequence[Sequence[str]] = values["sides"]
        seed = values["seed"]
        self.seed = random.randrange(2 ** 32) if seed is None else seed
        self.chance = random.Random(self.seed)
        self.pairs: list[Pair] = []
        self.repeated = self.failed = 0
        self.met = False
        #: why the last round without a result has none
        self.why = ""
        #: what "after" said when it failed
        self.not_undone: list[str] = []
        self.begun_s = time.monotonic()

    @property
    def interrupted(self) -> bool:
        """Whether the user has ended it."""
        return self.runner.interrupts.count > 0

    def run(self) -> None:
        """Make rounds; raises UsageError for invalid words, CommandError."""
        values, in_a_row = self.values, 0
        self.output.progress(f"ab: {values['rounds']} rounds" + (
            " at most" if values["ci"] else "") + f", seed {self.seed}")
        while len(self.pairs) < values["rounds"] and not self.not_undone:
            pair = self.round()
            if self.interrupted:
                break
            if pair is None:
                self.failed += 1
                in_a_row += 1
                self.tell(f"has no result: {self.why}")
                if in_a_row == PATIENCE:
                    break
                continue
            in_a_row = 0
            if pair.disturbed and self.repeated < REPEATS:
                self.repeated += 1
                self.tell("is repeated, since other work took part of the CPUs' time")
                continue
            self.pairs.append(pair)
            self.tell_done()
            self.met = self.enough()
            if self.met:
                break
        self.output.status()

    def round(self) -> Pair | None:
        """Run both sides once, in random order; None if one has no result."""
        order = [0, 1]
        self.chance.shuffle(order)
        found: dict[int, Record] = {}
        for side in order:
            self.output.status(f"{self.spent_s:.0f} s: round {len(self.pairs) + 1}: "
                               f"{NAMES[side].upper()}")
            try:
                found[side] = self.one(side)
            except RunError as error:
                if error.status == USAGE:
                    raise UsageError(f"{NAMES[side].upper()}: {error}") from None
                self.why = f"{NAMES[side].upper()}: {error}"
                return None
            # A run that the user ended is shorter than the others.
            if self.interrupted or self.not_undone:
                return None
        return Pair(found[0], found[1])

    def one(self, side: int) -> Record:
        """Run a side once; raises RunError."""
        mark = {keys.AB_RUN: {"side": NAMES[side], "round": len(self.pairs) + 1}}
        if not side or not self.values["before"]:
            return self.measured(side, mark)
        # Its guard undoes also if this process is killed.
        host = Host()
        try:
            host.do([Change(self.values["before"], self.values["after"])])
            return self.measured(side, mark)
        except CommandError as error:
            raise CommandError(f"before: {error}") from None
        finally:
            self.not_undone = host.undo()
            for said in self.not_undone:
                self.output.error(f"after: {said}")

    def measured(self, side: int, mark: Json) -> Record:
        """Return the record of a run; raises RunError."""
        document = self.runner.document(self.sides[side], mark=mark)
        return Record(document, NAMES[side].upper(), 1, math.nan)

    @property
    def spent_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begun_s

    def tell(self, what: str) -> None:
        """Report the end of a round."""
        self.output.status()
        self.output.progress(f"ab: {self.spent_s:.0f} s: round {len(self.pairs) + 1} "
                             f"{what}")

    def tell_done(self) -> None:
        """Report what is known of the first figure."""
        row, count = self.row(self.first), len(self.pairs)
        half = (row.by.ci_high - row.by.ci_low) / 2 / abs(row.a.mean or math.nan)
        self.output.status()
        self.output.progress(
            f"ab: {self.spent_s:.0f} s: round {count} of {self.values['rounds']}, B is "
            f"{row.by.relative:+.2%}" + (
                f" +-{half:.2%}" if math.isfinite(half) else ""))

    @property
    def first(self) -> Figure:
        """The figure that decides when it ends."""
        return self.figures()[0]

    def figures(self) -> list[Figure]:
        """Return the figures that all runs have."""
        runs = [run for pair in self.pairs for run in pair]
        found = (own_if_known(MEDIAN if one is LATENCY else one, runs)
                 for one in FIGURES)
        return [one for one in found
                if all(math.isfinite(one.of(run)) for run in runs)]

    def enough(self) -> bool:
        """Whether the first difference is as narrow as wanted."""
        wanted = self.values["ci"]
        if wanted is None or len(self.pairs) < PILOT:
            return False
        row = self.row(self.first)
        half = (row.by.ci_high - row.by.ci_low) / 2
        return bool(half <= wanted * abs(row.a.mean))

    def row(self, figure: Figure, confidence: float = CONFIDENCE) -> Row:
        """Compare a figure by the differences in each round."""
        a, b = ([figure.of(pair[side]) for pair in self.pairs] for side in (0, 1))
        pilot = PILOT if self.values["ci"] else 0
        return Row(figure, over_runs(a, confidence, pilot),
                   over_runs(b, confidence, pilot),
                   paired(a, b, confidence, pilot), True)

    def rows(self) -> list[Row]:
        """Compare all figures.

        Each interval is wider than one alone would be, so that all of them together
        are right in 95 of 100 comparisons: a difference is then no chance find of one
        figure among several.
        """
        figures = self.figures()
        confidence = 1 - (1 - CONFIDENCE) / max(1, len(figures))
        return [self.row(one, confidence) for one in figures]

    def bottlenecks(self, side: int) -> list[Json]:
        """Return what held the runs of a side back, the most frequent first."""
        found = [run.binding for pair in self.pairs for run in (pair[side],)
                 if run.binding]
        because = dict(found)
        return [{"binding": name, "because": because[name], "runs": count}
                for name, count in Counter(name for name, _ in found).most_common()]

    def document(self) -> Json:
        """Return the comparison as a document."""
        settings = [settings_of(run) for run in self.pairs[0]]
        return {keys.AB: {
            **{name: {"words": list(self.sides[side]),
                      "bottlenecks": self.bottlenecks(side)}
               for side, name in enumerate(NAMES)},
            **{key: self.values[key] for key in ("before", "after")
               if self.values[key]},
            "rounds": len(self.pairs), "seed": self.seed,
            "wanted_ci_share": self.values["ci"], "met": self.met,
            "interrupted": self.interrupted, "failed_rounds": self.failed,
            "repeated_rounds": self.repeated,
            "disturbed_rounds": sum(pair.disturbed for pair in self.pairs),
            "not_undone": self.not_undone, "confidence": CONFIDENCE,
            "figures": [row.document() for row in self.rows()],
            "settings": [{"key": key, "a": one, "b": other}
                         for key, one, other in differing(*settings)]}}
