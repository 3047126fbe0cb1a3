# SPDX-License-Identifier: GPL-2.0
"""The search: try remedies one after the other, and keep those that help."""

import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from .. import keys
from ..command import USAGE, UsageError, Values
from ..ladder.runs import RunError, Runner
from ..output import CommandError, Output
from ..record import Json
from .candidates import (
    HostCandidate,
    Remedy,
    Setup,
    Together,
    candidates,
    fixed,
    host_candidates,
    pairs,
    ranked,
    verdict_of,
)
from .journal import Changes
from .options import line_of
from .setting import Choice, SettingError, choices, findings, may_cut
from .table import named_only
from .trial import (
    COST,
    LOOK,
    PINGPONG,
    START,
    Sample,
    Trial,
    error_of,
    sample_of,
)

#: Runs of a remedy that may fail before it is given up.
PATIENCE = 2
#: Why the search ends.
FIXED, NOTHING, OVER, INTERRUPTED = "cannot be changed", "nothing helps", \
    "limit", "interrupted"


@dataclass
class Tried:
    """A remedy that was tried."""

    candidate: Remedy
    trial: Trial
    because: str = ""


@dataclass
class Search:
    """Tries remedies of a run."""

    values: Values
    offered: Callable[[str], Sequence[str]]
    runner: Runner
    output: Output
    #: what changes settings of hosts; None if none may be changed
    changes: Changes | None = None
    tried: list[Tried] = field(default_factory=list)
    #: verdicts, from the first run on: one for each remedy that was kept
    path: list[Json] = field(default_factory=list)
    #: the latest run with the best words, whose verdict counts
    latest: Json = None
    #: runs with the best words
    best_runs: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the words as given."""
        seed = self.values["seed"]
        self.seed = random.randrange(2 ** 32) if seed is None else seed
        self.chance = random.Random(self.seed)
        #: "start" or "pingpong"
        self.command: str = self.values.get("command", START)
        #: the run as given, and the best that is known
        self.given = Setup(self.values["words"])
        self.best = self.given
        #: settings of hosts that may be changed, those of a row at an end together
        self.settings: list[list[Choice]] = []
        #: those that would cut a connection, and what the doctor names beside them
        self.only_named: list[str] = []
        #: findings of the doctor
        self.ill: list[str] = []
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

    def run(self, setup: Setup, remedy: str) -> Json:
        """Make a run with a setup; return the record. Raises RunError."""
        if self.changes is not None:
            try:
                self.changes.become(setup.settings)
            except SettingError as error:
                raise RunError(str(error)) from None
        return self.runner.document(
            [self.command, *line_of(setup.words), "time",
             f"{self.values['time'] * 1e9:.0f}ns"],
            mark={keys.IMPROVE_RUN: {"remedy": remedy}})

    def sample(self, document: Json) -> Sample:
        """Return the figures of a run."""
        return sample_of(document, self.command)

    def search(self) -> Json:
        """Try what may help until there is a reason to end; return the document."""
        self.output.progress(
            f"improve: pairs of runs of {self.values['time']:g} s each, for "
            f"{self.values['limit']:g} s at most (seed {self.seed})")
        try:
            self.latest = self.run(self.given, "")
        except RunError as error:
            raise (UsageError if error.status == USAGE else CommandError)(
                str(error)) from None
        # As far as is known.
        self.pair_s = 2 * self.spent_s
        self.best_runs = [self.sample(self.latest)]
        self.path.append(verdict_of(self.latest))
        self.look_around()
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
                done = {one.candidate.title for one in self.tried
                        if one.trial.outcome == "failed"}
        if self.best != self.given and not self._ended():
            self.total = self.measure_all()
        self.output.status()
        return self.document(reason, [one.title for one in self.pending()
                                      if one.title not in done])

    def look_around(self) -> None:
        """Find the settings of the hosts that may be changed; raises CommandError."""
        if self.changes is None:
            return
        try:
            found = choices(self.values["settings"], self.given.words, self.latest)
        except SettingError as error:
            raise CommandError(str(error)) from None
        for group in found:
            first = group[0]
            if first.row.get("resets") and may_cut(self.given.words):
                self.only_named.append(f"{first.row['short']} at {first.end} (the "
                                       "connection to it might be cut)")
            else:
                self.settings.append(group)
        for name, remedy in findings(self.given.words, self.latest,
                                     self.runner.program[0]):
            self.ill.append(name)
            if name in named_only():
                self.only_named.append(f"{remedy} (doctor: {name})")

    def pending(self) -> list[Remedy]:
        """Return remedies of the best setup but those that take one back."""
        tried = {one.candidate.title for one in self.tried}
        back = {one.candidate.back for one in self.tried
                if one.trial.outcome == "gain"}
        found: list[Remedy] = [
            *candidates(self.values["try"], self.best.words, self.latest, self.offered),
            *host_candidates(self.settings, self.best)]
        found = [one for one in found if not one.applies & back]
        return ranked([*found, *pairs(found)], self.latest, tried, self.ill)

    def try_out(self, candidate: Remedy) -> bool:
        """Try a remedy; return whether it is kept."""
        setup = candidate.to(self.best)
        trial = Trial(error_of(len(self.tried) + 1), self.values["matters"] / 100,
                      self.values["ci"] / 100, self.values["pairs"],
                      cost=COST[self.command])
        tried = Tried(candidate, trial)
        self.tried.append(tried)
        try:
            self._pairs(trial, self.best, setup, candidate.title)
        except RunError as error:
            trial.outcome, tried.because = "failed", str(error)
        trial.outcome = trial.outcome or "not finished"
        if trial.outcome == "gain":
            self.best_runs.clear()
        self.best_runs += [pair[trial.outcome == "gain"] for pair in trial.pairs]
        self.output.status()
        if not self.runner.interrupts.count:
            self.output.progress(f"improve: {self.spent_s:.0f} s: {candidate.title}: "
                                 f"{trial.outcome}")
        if trial.pairs:
            self.latest = self.documents[trial.outcome == "gain"]
        if trial.outcome != "gain":
            return False
        self.best = setup
        self.path.append({"remedy": candidate.title, **verdict_of(self.latest)})
        return True

    def _pairs(self, trial: Trial, without: Setup, with_it: Setup, title: str) -> None:
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
            trial.pairs.append((self.sample(documents[False]),
                                self.sample(documents[True])))
            self.pair_s = self.spent_s - begun_s
            trial.judge()

    def measure_all(self) -> Trial:
        """Measure anew what is kept: that it was chosen favours a high result."""
        trial = Trial(0, 0, math.inf, LOOK, cost=COST[self.command])
        with suppress(RunError):
            self._pairs(trial, self.given, self.best, "all that is kept")
        return trial

    def document(self, reason: str, left: Sequence[str]) -> Json:
        """Return the document of the search."""
        return {keys.IMPROVE: {
            "command": self.command, "given": line_of(self.given.words),
            "words": line_of(self.best.words),
            "ended_because": reason, "seed": self.seed,
            "matters_share": self.values["matters"] / 100,
            "wanted_ci_share": self.values["ci"] / 100,
            **self._reached(),
            "remedies": [{
                "apply": one.candidate.title, "outcome": one.trial.outcome,
                "kept": one.trial.outcome == "gain", "error": one.trial.error,
                **({"failed_because": one.because} if one.because else {}),
                **self._changed(one.candidate),
                **one.trial.document()} for one in self.tried],
            "settings": self._settings(self.best),
            "not_tried": [*left, *self.only_named],
            "verdicts": self.path,
            **({"total": self.total.document()}
               if self.total and self.total.pairs else {})}}

    def _reached(self) -> Json:
        """Return what the best runs have."""
        rates = [one.rate for one in self.best_runs]
        if self.command == PINGPONG:
            return {"latency_p50_ns": 1e9 * len(rates) / math.fsum(rates)}
        return {"goodput_bps": math.fsum(rates) / len(rates)}

    def _changed(self, remedy: Remedy) -> Json:
        """Return the settings that a remedy changes, if it does."""
        if isinstance(remedy, HostCandidate | Together):
            return {"settings": self._settings(remedy.to(Setup({})))}
        return {}

    def _settings(self, setup: Setup) -> list[Json]:
        """Return the settings of a setup, and what makes and unmakes them."""
        was = {one.setting: one for group in self.settings for one in group}
        return [{"name": setting.name, "end": was[setting].end,
                 "where": setting.place.title, "from": was[setting].was, "to": value,
                 "apply": setting.place.shown(setting.line(value)),
                 "undo": setting.place.shown(setting.back(was[setting].was))}
                for setting, value in setup.settings.items()]
