# SPDX-License-Identifier: GPL-2.0
"""Make the runs of a scenario, in random order, and read those made before."""

import json
import os
import random
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import keys
from ..ladder.runs import RunError, Runner
from ..output import CommandError, Output
from ..record import Json, Record, RecordError, array
from ..records import read
from .description import FAR, NEAR, Point, Scenario, Values, fill, points_of
from .host import (
    ADDRESSES,
    Change,
    Host,
    network_changes,
    path_changes,
    read_sysctl,
    step_changes,
)
from .rules import Elsewhere

#: The command of what is computed: it takes no network, and is not recorded.
COMPUTED = "wire"
#: A run that fails is made once more.
ATTEMPTS = 2
#: Seconds between two lines of progress where there is no terminal.
SILENCE_S = 30
#: Names of the namespaces in what is shown, and in records.
GENERIC = {NEAR: NEAR, FAR: FAR}


def words_of(scenario: Scenario, point: Point, names: Mapping[str, str]) -> list[str]:
    """Return the words of ``ktput-ctl`` for a run, between namespaces by *names*."""
    values = {**scenario.variables, **point.values}
    command, *rest = shlex.split(fill(point.runs.words, values))
    if command == COMPUTED:
        return [command, *rest]
    source, sink = (FAR, NEAR) if point.runs.reverse else (NEAR, FAR)
    return [command, "netns", names[source], "to", ADDRESSES[sink], "sink-netns",
            names[sink], *rest]


def path_of(scenario: Scenario, point: Point,
            names: Mapping[str, str]) -> list[Change]:
    """Return the changes that a run needs; a computation needs none."""
    if point.runs.words.startswith(COMPUTED):
        return []
    values = {**scenario.variables, **point.values}
    return list(path_changes(point.runs, names, values))


def identity(scenario: Scenario, point: Point) -> Json:
    """Return what a record says of its run: equal only if the run is the same."""
    return {"scenario": scenario.name, "runs": point.runs.name,
            "values": dict(point.values), "repetition": point.repetition,
            "words": words_of(scenario, point, GENERIC),
            "path": [one.do for one in path_of(scenario, point, GENERIC)],
            "sysctl": [*scenario.network.sysctl, *scenario.network.host_sysctl],
            "setup": [one.do for one in scenario.setup]}


def hand(scenario: Scenario) -> Iterator[str]:
    """Yield every command of a scenario, to be done by hand."""
    network = scenario.network
    changes = [*network_changes(network, GENERIC, lambda name: f"OLD {name}"),
               *step_changes(scenario.setup, GENERIC)]
    yield "# Set up."
    yield from (one.do for one in changes)
    for runs in scenario.runs:
        for module in runs.modules:
            yield f"modprobe {module}"
    path: list[str] = []
    for point in points_of(scenario):
        wanted = [one.do for one in path_of(scenario, point, GENERIC)]
        yield f"# {point.title}"
        if wanted != path:
            yield from wanted
            path = wanted
        yield shlex.join(["ktput-ctl", *words_of(scenario, point, GENERIC)])
    yield "# Undo."
    yield from (one.undo for one in reversed(changes) if one.undo)


class Experiment:
    """The runs of a scenario: made, left out, or still to be made."""

    def __init__(self, scenario: Scenario, output: Output, runner: Runner,
                 seed: int) -> None:
        """Plan the runs in the order that follows from *seed*."""
        self.scenario, self.output, self.runner = scenario, output, runner
        self.seed = seed
        self.points = points_of(scenario)
        self.order = list(self.points)
        random.Random(seed).shuffle(self.order)
        #: records by the key of the point
        self.made: dict[tuple[Any, ...], Record] = {}
        #: why a point has no record
        self.reasons: dict[tuple[Any, ...], str] = {}
        #: runs that a file of records had
        self.resumed = 0
        self.begun_s = time.monotonic()
        self.spent_s: list[float] = []
        self.told_s = self.begun_s
        suffix = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6))
        self.names = {end: f"ktput-{end}-{suffix}" for end in GENERIC}

    def resume(self, path: str) -> None:
        """Take runs that are in a file of records; it need not exist."""
        wanted = {json.dumps(identity(self.scenario, point), sort_keys=True): point
                  for point in self.points}
        try:
            records = read(path)
        except (FileNotFoundError, RecordError):
            return
        sweeps = (Record(one.root, one.file, one.line, one.written_s)
                  for one in records.sweeps)
        for record in (*records.runs, *sweeps):
            known = json.dumps(record.root.get(keys.SCENARIO_RUN), sort_keys=True)
            point = wanted.get(known)
            if point is not None and (record.list(keys.SWEEP_SIZES) or
                                      record.why_not is None):
                self.made[point.key] = record
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
        host = Host()
        try:
            self._leave_out(host)
            host.do(network_changes(self.scenario.network, self.names, read_sysctl))
            host.do(step_changes(self.scenario.setup, self.names))
            for point in self.left:
                if self.interrupted:
                    break
                self._tell(point)
                begun_s = time.monotonic()
                self._make(host, point)
                self.spent_s.append(time.monotonic() - begun_s)
        finally:
            self.output.status()
            for said in host.undo():
                self.output.warning(said)
        if self.interrupted:
            for point in self.left:
                self.reasons[point.key] = "interrupted before it"

    def _leave_out(self, host: Host) -> None:
        """Leave out runs that need what is missing here."""
        why: dict[str, str] = {}
        for runs in self.scenario.runs:
            for program in runs.programs:
                if shutil.which(program) is None:
                    why[runs.name] = f"{program} is not installed"
            for module in runs.modules:
                try:
                    host.do([Change(f"modprobe {shlex.quote(module)}",
                                    _unload(module))])
                except CommandError:
                    why[runs.name] = f"this kernel has no module {module}"
        for point in self.left:
            if point.runs.name in why:
                self.reasons[point.key] = why[point.runs.name]
        for name, reason in why.items():
            title = next(one.title for one in self.scenario.runs if one.name == name)
            self.output.warning(f"{title}: left out, since {reason}")

    def _make(self, host: Host, point: Point) -> None:
        host.do(path_of(self.scenario, point, self.names))
        words = words_of(self.scenario, point, self.names)
        for _ in range(ATTEMPTS):
            try:
                document = self._document(words)
            except RunError as error:
                if self.interrupted:
                    return
                self.reasons[point.key] = str(error)
                continue
            # An interrupted run is shorter than the others.
            if self.interrupted:
                return
            document = {keys.SCENARIO_RUN: identity(self.scenario, point), **document}
            if self.runner.record is not None and words[0] != COMPUTED:
                self.runner.record.add(self.output.line(document).encode())
            self.reasons.pop(point.key, None)
            self.made[point.key] = Record(document, "", 1, float("nan"))
            return

    def _document(self, words: Sequence[str]) -> Json:
        """Return the record of a run, or the document of a sweep or a computation."""
        sweep = "sizes" in words
        if not sweep and words[0] != COMPUTED:
            return self.runner.document(words, keep=False)
        document = json.loads(self.runner.text(words))
        if sweep and not array(document, keys.SWEEP_SIZES):
            raise RunError("no size has a result")
        return document

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
        """Return the points of a group by some of their variables.

        Each is the list of its repetitions. Raises ValueError if there is no such
        group, Elsewhere if the form leaves out all of these points.
        """
        if name not in self.scenario.names:
            raise ValueError(f"there are no runs '{name}'")
        found: dict[tuple[Any, ...], list[Point]] = {}
        for point in self.points:
            known = self.values(point)
            if point.runs.name == name and all(
                    key in known and known[key] == value
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


def _unload(module: str) -> str:
    """Return the command that unloads a module, nothing if it is loaded now."""
    loaded = os.path.exists("/sys/module/" + module.replace("-", "_"))
    return "" if loaded else f"modprobe -qr {shlex.quote(module)} || :"
