# SPDX-License-Identifier: GPL-2.0
"""Make the runs of a scenario, in random order, and read those made before."""

import json
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from .. import keys
from ..ladder.runs import RunError, Runner
from ..output import Output
from ..record import Json, Record, at
from ..recording import kept
from .description import Point, Scenario, Values, points_of
from .rules import Elsewhere

#: A run that fails is made once more.
ATTEMPTS = 2
#: Seconds between two lines of progress where there is no terminal.
SILENCE_S = 30

Key: TypeAlias = tuple[Any, ...]


class Place(Protocol):
    """Where runs are made."""

    runner: Runner
    #: near and far if they are other hosts
    hosts: Mapping[str, str]

    def identity(self, point: Point) -> Json:
        """Return what makes a run another one, beside its group and its values."""

    def begin(self, points: Sequence[Point]) -> dict[Key, str]:
        """Prepare; return why some of *points* cannot be measured, by their keys."""

    def document(self, point: Point) -> Json:
        """Make a run; return its document or raise RunError."""

    def end(self) -> list[str]:
        """Undo what begin() and document() did; return what could not be undone."""


class Experiment:
    """The runs of a scenario: made, left out, or still to be made."""

    def __init__(self, scenario: Scenario, output: Output, place: Place,
                 seed: int) -> None:
        """Plan the runs in the order that follows from *seed*."""
        self.scenario, self.output = scenario, output
        self.place, self.runner, self.seed = place, place.runner, seed
        self.points = points_of(scenario)
        self.order = list(self.points)
        random.Random(seed).shuffle(self.order)
        #: records by the key of the point
        self.made: dict[Key, Record] = {}
        #: why a point has no record
        self.reasons: dict[Key, str] = {}
        #: runs that a file of records had
        self.resumed = 0
        self.spent_s: list[float] = []
        self.told_s = time.monotonic()

    def identity(self, point: Point) -> Json:
        """Return what a record says of its run: equal only if the run is the same."""
        return {"scenario": self.scenario.name, "runs": point.runs.name,
                "values": dict(point.values), "repetition": point.repetition,
                **self.place.identity(point)}

    def resume(self, path: str) -> None:
        """Take runs that are in a file of records; it need not exist."""
        wanted = {json.dumps(self.identity(point), sort_keys=True): point
                  for point in self.points}
        for document in kept(path):
            known = json.dumps(at(document, keys.SCENARIO_RUN), sort_keys=True)
            record = _record(document)
            if known in wanted and (record.list(keys.SWEEP_SIZES) or
                                    record.why_not is None):
                self.made[wanted[known].key] = record
        self.resumed = len(self.made)

    @property
    def left(self) -> list[Point]:
        """Runs that are still to be made, in order."""
        return [point for point in self.order
                if point.key not in self.made and point.key not in self.reasons]

    @property
    def interrupted(self) -> bool:
        """Whether a signal has ended it."""
        return self.runner.interrupts.count > 0

    def make(self) -> None:
        """Make the runs that are left."""
        if not self.left:
            return
        try:
            self._leave_out(self.place.begin(self.left))
            for point in self.left:
                if self.interrupted:
                    break
                self._tell(point)
                begun_s = time.monotonic()
                self._make(point)
                self.spent_s.append(time.monotonic() - begun_s)
        finally:
            self.output.status()
            for said in self.place.end():
                self.output.warning(said)
        if self.interrupted:
            for point in self.left:
                self.reasons[point.key] = "interrupted before it"

    def _leave_out(self, why: Mapping[Key, str]) -> None:
        """Leave out runs, and say so once for each group and reason."""
        self.reasons.update(why)
        for title, reason in dict.fromkeys(
                (point.runs.title, why[point.key]) for point in self.points
                if point.key in why):
            self.output.warning(f"{title}: left out, since {reason}")

    def _make(self, point: Point) -> None:
        for _ in range(ATTEMPTS):
            try:
                document = self.place.document(point)
            except RunError as error:
                if self.interrupted:
                    return
                self.reasons[point.key] = str(error)
                continue
            # An interrupted run is shorter than the others.
            if self.interrupted:
                return
            document = {keys.SCENARIO_RUN: self.identity(point), **document}
            if self.runner.record is not None and not point.runs.computed:
                self.runner.record.add(self.output.line(document).encode())
            self.reasons.pop(point.key, None)
            self.made[point.key] = _record(document)
            return

    def _tell(self, point: Point) -> None:
        """Show the run under way, and the time that is left."""
        count = len(self.points)
        done = count - len(self.left)
        words = f"run {done + 1} of {count}"
        if self.spent_s:
            left_s = sum(self.spent_s) / len(self.spent_s) * len(self.left)
            words += f", {left_s:.0f} s left"
        now_s = time.monotonic()
        if self.output.live:
            self.output.status(f"{words}: {point.title}")
        elif now_s - self.told_s >= SILENCE_S or not self.spent_s:
            self.told_s = now_s
            self.output.progress(f"scenario: {words}: {point.title}")

    def values(self, point: Point) -> Values:
        """Return the variables of a point, those of the file included."""
        return {**self.scenario.variables, **point.values}

    def select(self, name: str, values: Mapping[str, Any]) -> list[Sequence[Point]]:
        """Return the points of a group by some of their variables, or lists of values.

        Each is the list of its repetitions. Raises ValueError if there is no such
        group, Elsewhere if the form leaves out all of these points.
        """
        if name not in self.scenario.names:
            raise ValueError(f"there are no runs '{name}'")
        found: dict[tuple[Any, ...], list[Point]] = {}
        for point in self.points:
            known = self.values(point)
            if point.runs.name == name and all(
                    key in known and known[key] in (
                        value if isinstance(value, list) else [value])
                    for key, value in values.items()):
                found.setdefault(point.key[:-1], []).append(point)
        if not found:
            raise Elsewhere(f"not in the {self.scenario.form} form")
        return list(found.values())

    def records(self, points: Sequence[Point]) -> list[Record]:
        """Return the records of the repetitions of a point that were made."""
        return [self.made[one.key] for one in points if one.key in self.made]

    def why(self, points: Sequence[Point]) -> str:
        """Return why a point has no record."""
        return next((self.reasons[one.key] for one in points
                     if one.key in self.reasons), "not run")


def _record(document: Json) -> Record:
    """Return the record of a document; a command's is like that of a run."""
    timed = at(document, keys.COMMAND_RUN)
    return Record({**document, keys.RESULT: timed} if timed else document,
                  "", 1, float("nan"))
