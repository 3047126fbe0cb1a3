# SPDX-License-Identifier: GPL-2.0
"""Runs between two network namespaces of this host, with the network of the file."""

import json
import os
import random
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import keys
from ..ladder.runs import RunError, Runner
from ..output import CommandError
from ..record import Json, array
from .description import FAR, NEAR, Point, Runs, Scenario, fill, points_of
from .host import (
    ADDRESSES,
    Change,
    Host,
    network_changes,
    path_changes,
    read_sysctl,
    step_changes,
)

#: Names of the namespaces in what is shown, and in records.
GENERIC = {NEAR: NEAR, FAR: FAR}
#: What times a command, $2, after another, $1, in a namespace whose device is near.
#: Mounts are of this shell alone: they end with it. In virtual time an idle CPU leaps
#: over a wait, that for the host's disk too: a process of idle priority keeps it busy.
TIMED = """
of=/sys/class/net/near/statistics
if [ "${KTPUT_ICOUNT-}" ]; then
	(while :; do :; done) >/dev/null 2>&1 &
	trap "kill $!" EXIT
	chrt -i -p 0 $!
fi
eval "$1" >&2 || exit
read -r in <$of/rx_bytes && read -r out <$of/tx_bytes || exit
begun=$EPOCHREALTIME
(eval "$2") >&2 || exit
ended=$EPOCHREALTIME
read -r received <$of/rx_bytes && read -r sent <$of/tx_bytes || exit
echo "$((${ended/./} - ${begun/./})) $((received - in + sent - out))"
"""
#: What binds a command whose payload did not pass the device.
FASTER = {"binding": "not from the network",
          "binding_because": "the device carried less than the payload"}

Words = list[str]
Key = tuple[Any, ...]


def words_of(scenario: Scenario, point: Point, names: Mapping[str, str]) -> Words:
    """Return the words of a run: of ``ktput-ctl``, or of a command and its shell."""
    values = {**scenario.variables, **point.values}
    runs = point.runs
    if runs.command:
        return ["ip", "netns", "exec", names[NEAR], "bash", "-c", TIMED, "timed",
                fill(runs.before, values), fill(runs.command, values)]
    command, *rest = shlex.split(fill(runs.words, values))
    if runs.computed:
        return [command, *rest]
    source, sink = (FAR, NEAR) if runs.reverse else (NEAR, FAR)
    return [command, "netns", names[source], "to", ADDRESSES[sink], "sink-netns",
            names[sink], *rest]


def path_of(scenario: Scenario, point: Point,
            names: Mapping[str, str]) -> list[Change]:
    """Return the changes that a run needs; a computation needs none."""
    if point.runs.computed:
        return []
    values = {**scenario.variables, **point.values}
    return list(path_changes(point.runs, names, values))


def document_of(runner: Runner, runs: Runs, words: Words) -> Json:
    """Return the record of a run, or the document of a sweep or a computation."""
    sweep = "sizes" in words
    if not sweep and not runs.computed:
        return runner.document(words, keep=False)
    document: Json = json.loads(runner.text(words))
    if sweep and not array(document, keys.SWEEP_SIZES):
        raise RunError("no size has a result")
    return document


def _said(scenario: Scenario, point: Point) -> Words:
    """Return the words that tell a run from others, and that a reader can run."""
    words = words_of(scenario, point, GENERIC)
    return [*words[:4], "sh", "-c", "; ".join(filter(None, words[-2:]))] \
        if point.runs.command else words


def hand(scenario: Scenario) -> Iterator[str]:
    """Yield every command of a scenario, to be done by hand."""
    changes = [*network_changes(scenario.network, GENERIC, lambda name: f"OLD {name}"),
               *step_changes(scenario.setup, GENERIC)]
    yield "# Set up."
    yield from (one.do for one in changes)
    for module in dict.fromkeys(one for runs in scenario.runs for one in runs.modules):
        yield f"modprobe {module}"
    path: list[str] = []
    for point in points_of(scenario):
        wanted = [one.do for one in path_of(scenario, point, GENERIC)]
        yield f"# {point.title}"
        if wanted != path:
            yield from wanted
            path = wanted
        words = _said(scenario, point)
        yield shlex.join(words if point.runs.command else ["ktput-ctl", *words])
    yield "# Undo."
    yield from (one.undo for one in reversed(changes) if one.undo)


class Namespaces:
    """Where runs are made: two namespaces that go away whatever happens."""

    hosts: Mapping[str, str] = {}

    def __init__(self, scenario: Scenario, runner: Runner) -> None:
        """Change nothing yet."""
        self.scenario, self.runner = scenario, runner
        suffix = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6))
        self.names = {end: f"ktput-{end}-{suffix}" for end in GENERIC}
        #: of the last run
        self.path: list[Change] = []

    def identity(self, point: Point) -> Json:
        """Return what makes a run another one."""
        network = self.scenario.network
        return {"words": _said(self.scenario, point),
                "path": [one.do for one in path_of(self.scenario, point, GENERIC)],
                "sysctl": [*network.sysctl, *network.host_sysctl],
                "setup": [one.do for one in self.scenario.setup
                          if not one.groups or point.runs.name in one.groups]}

    def begin(self, points: Sequence[Point]) -> dict[Key, str]:
        """Set the network up; return why some of *points* are left out."""
        self.host = Host()
        why = dict(self._lacks({one.runs.name: one.runs for one in points}))
        self.host.do(network_changes(self.scenario.network, self.names, read_sysctl))
        for step in self.scenario.setup:
            if step.groups and all(one in why for one in step.groups):
                continue
            try:
                self.host.do(step_changes([step], self.names))
            except CommandError as error:
                if not step.groups:
                    raise
                why.update(dict.fromkeys(step.groups, str(error)))
        return {one.key: why[one.runs.name] for one in points if one.runs.name in why}

    def _lacks(self, groups: Mapping[str, Runs]) -> Iterator[tuple[str, str]]:
        """Yield the groups of runs that need what is missing here, and what it is."""
        for name, runs in groups.items():
            for program in filter(lambda one: not shutil.which(one), runs.programs):
                yield name, f"{program} is not installed"
            for module in runs.modules:
                try:
                    self.host.do([Change(f"modprobe {shlex.quote(module)}",
                                         _unload(module))])
                except CommandError:
                    yield name, f"this kernel has no module {module}"

    def document(self, point: Point) -> Json:
        """Make a run; return its document or raise RunError."""
        path = path_of(self.scenario, point, self.names)
        if path != self.path:
            self.host.do(path)
            self.path = path
        words = words_of(self.scenario, point, self.names)
        if point.runs.command:
            return self._timed(point, words)
        return document_of(self.runner, point.runs, words)

    def _timed(self, point: Point, words: Words) -> Json:
        """Run a command; return its payload, its time, and what the device carried."""
        payload = float(fill(point.runs.bytes,
                             {**self.scenario.variables, **point.values}))
        passed_us, carried = map(int, self.runner.other(words).split())
        return {keys.COMMAND_RUN: {
            "valid": True, "payload_bytes": payload, "device_bytes": carried,
            "duration_ns": passed_us * 1000, "goodput_bps": payload * 8e6 / passed_us,
            **(FASTER if carried < payload else {})}}

    def end(self) -> list[str]:
        """Undo all; return what could not be undone."""
        return self.host.undo()


def _unload(module: str) -> str:
    """Return the command that unloads a module, nothing if it is loaded now."""
    loaded = os.path.exists("/sys/module/" + module.replace("-", "_"))
    return "" if loaded else f"modprobe -qr {shlex.quote(module)} || :"
