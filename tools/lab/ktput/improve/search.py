# SPDX-License-Identifier: GPL-2.0
"""The search: try remedies one after the other, and keep those that help."""

import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from .. import keys
from ..command import Values
from ..ladder.runs import RunError, Runner
from ..output import CommandError, Output
from ..record import Json
from .candidates import Candidate, candidates, fixed, verdict_of
from .options import Words, line_of
from .trial import LOOK, Trial, error_of, sample_of

#: Runs of a remedy that may fail before it is given up.
PATIENCE = 2
#: Why the search ends.
FIXED, NOTHING, OVER, INTERRUPTED = "cannot be changed", "nothing helps", \
    "limit", "interrupted"


@dataclass
class Tried:
    """A remedy that was tried."""

    candidate: Candidate
    trial: Trial
    because: str = ""


@dataclass
class Search:
    """Tries remedies of a run."""

    values: Values
    offered: Callable[[str], Sequence[str]]
    runner: Runner
    output: Output
    tried: list[Tried] = field(default_factory=list)
    #: verdicts, from the first run on: one for each remedy that was kept
    path: list[Json] = field(default_factory=list)
    #: the latest run with the best words, whose verdict counts
    latest: Json = None
    #: goodput of the runs with the best words, bit/s
    rates: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the words as given."""
        seed = self.values["seed"]
        self.seed = random.randrange(2 ** 32) if seed is None else seed
        self.chance = random.Random(self.seed)
        #: words of the run as given, and of the best that is known
        self.given: Words = self.values["words"]
        self.best = dict(self.given)
        self.begun_s = time.monotonic()
        self.pair_s = 0.0
        self.total: Trial | None = None

    @property
    def spent_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begun_s

    def _ended(self) -> str:
        """Return why nothing more may be run, or nothing."""
        if self.runner.interrupts.count:
            return INTERRUPTED
        return OVER if self.spent_s + self.pair_s > self.values["limit"] else ""

    def _reason(self, pending: bool) -> str:
        """Return why the search ends, or nothing; *pending*: something can be tried."""
        if fixed(self.latest) and not self._ended():
            # The verdict of one run may be wrong.
            with suppress(RunError):
                self.latest = self.run(self.best, "")
        if self.runner.interrupts.count:
            return INTERRUPTED
        if fixed(self.latest):
            return FIXED
        return self._ended() if pending else NOTHING

    def run(self, words: Words, remedy: str) -> Json:
        """Run *words*; return the record. Raises RunError."""
        return self.runner.document(
            ["start", *line_of(words), "time", f"{self.values['time'] * 1e9:.0f}ns"],
            mark={keys.IMPROVE_RUN: {"remedy": remedy}})

    def search(self) -> Json:
        """Try what may help until there is a reason to end; return the document."""
        self.output.progress(
            f"improve: pairs of runs of {self.values['time']:g} s each, for "
            f"{self.values['limit']:g} s at most (seed {self.seed})")
        try:
            self.latest = self.run(self.given, "")
        except RunError as error:
            raise CommandError(str(error)) from None
        # As far as is known.
        self.pair_s = 2 * self.spent_s
        self.rates = [sample_of(self.latest).goodput_bps]
        self.path.append(verdict_of(self.latest))
        done: set[str] = set()
        reason = ""
        while not reason:
            pending = [one for one in self.pending() if one.title not in done]
            reason = self._reason(bool(pending))
            if reason:
                break
            done.add(pending[0].title)
            # What was of no use before may be of use now.
            if self.try_out(pending[0]):
                done.clear()
        if self.best != self.given and not self._ended():
            self.total = self.measure_all()
        self.output.status()
        return self.document(reason, [one.title for one in self.pending()
                                      if one.title not in done])

    def pending(self) -> list[Candidate]:
        """Return remedies of the best words but those that take one back."""
        tried = {one.candidate.title for one in self.tried}
        back = {one.candidate.back for one in self.tried
                if one.trial.outcome == "gain"}
        return [one for one in candidates(self.values["try"], self.best, self.latest,
                                          self.offered, tried)
                if not one.applies & back]

    def try_out(self, candidate: Candidate) -> bool:
        """Try a remedy; return whether it is kept."""
        words = candidate.to(self.best)
        trial = Trial(error_of(len(self.tried) + 1), self.values["matters"] / 100,
                      self.values["ci"] / 100, self.values["pairs"])
        tried = Tried(candidate, trial)
        self.tried.append(tried)
        try:
            self._pairs(trial, self.best, words, candidate.title)
        except RunError as error:
            trial.outcome, tried.because = "failed", str(error)
        trial.outcome = trial.outcome or "not finished"
        if trial.outcome == "gain":
            self.rates.clear()
        self.rates += [pair[trial.outcome == "gain"].goodput_bps
                       for pair in trial.pairs]
        self.output.status()
        if not self.runner.interrupts.count:
            self.output.progress(f"improve: {self.spent_s:.0f} s: {candidate.title}: "
                                 f"{trial.outcome}")
        if trial.pairs:
            self.latest = self.documents[trial.outcome == "gain"]
        if trial.outcome != "gain":
            return False
        self.best = words
        self.path.append({"remedy": candidate.title, **verdict_of(self.latest)})
        return True

    def _pairs(self, trial: Trial, without: Words, with_it: Words, title: str) -> None:
        """Run pairs until the trial has an outcome, or it may not go on.

        Two pairs are A B B A or B A A B, by chance, so that what changes slowly on the
        machine affects both alike.
        """
        failures, first = 0, False
        while not trial.outcome and not self._ended():
            begun_s = self.spent_s
            second = len(trial.pairs) % 2 == 1
            if not second:
                first = self.chance.random() < 0.5
            documents = {}
            try:
                for is_with in ((True, False) if first != second else (False, True)):
                    self.output.status(
                        f"{self.spent_s:.0f} s of {self.values['limit']:.0f} at most: "
                        f"{title}, pair {len(trial.pairs) + 1} of at most "
                        f"{trial.most}")
                    documents[is_with] = self.run(with_it if is_with else without,
                                                  title if is_with else "")
            except RunError:
                failures += 1
                if failures >= PATIENCE and not self.runner.interrupts.count:
                    raise
                continue
            # Interrupted runs are shorter than others.
            if self.runner.interrupts.count:
                return
            self.documents = documents
            trial.pairs.append((sample_of(documents[False]),
                                sample_of(documents[True])))
            self.pair_s = self.spent_s - begun_s
            trial.judge()

    def measure_all(self) -> Trial:
        """Measure anew what is kept: that it was chosen favours a high result."""
        trial = Trial(0, 0, math.inf, LOOK)
        with suppress(RunError):
            self._pairs(trial, self.given, self.best, "all that is kept")
        return trial

    def document(self, reason: str, left: Sequence[str]) -> Json:
        """Return the document of the search."""
        return {keys.IMPROVE: {
            "given": line_of(self.given), "words": line_of(self.best),
            "ended_because": reason, "seed": self.seed,
            "matters_share": self.values["matters"] / 100,
            "wanted_ci_share": self.values["ci"] / 100,
            "goodput_bps": math.fsum(self.rates) / len(self.rates),
            "remedies": [{
                "apply": one.candidate.title, "outcome": one.trial.outcome,
                "kept": one.trial.outcome == "gain", "error": one.trial.error,
                **({"failed_because": one.because} if one.because else {}),
                **one.trial.document()} for one in self.tried],
            "not_tried": list(left),
            "verdicts": self.path,
            **({"total": self.total.document()}
               if self.total and self.total.pairs else {})}}
