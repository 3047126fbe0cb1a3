# SPDX-License-Identifier: GPL-2.0
"""Runs between two network namespaces of this host, with the network of the file."""

import json
import os
import random
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from .. import keys
from ..ladder.runs import RunError, Runner
from ..output import CommandError
from ..record import Json, array
from .description import FAR, NEAR, Point, Runs, Scenario, driver_of, fill, points_of
from .host import (
    Change,
    Host,
    network_changes,
    nic_changes,
    path_changes,
    read_sysctl,
    step_changes,
)
from .links import Link, Nics, link_of, links_of, restoring

#: Names of the namespaces in what is shown, and in records.
GENERIC = {NEAR: NEAR, FAR: FAR}
#: What times a command, $2, after another, $1, in a namespace whose device is near.
#: Mounts are of this shell alone: they end with it.
TIMED = """
of=/sys/class/net/near/statistics
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


def words_of(scenario: Scenario, point: Point, link: Link) -> Words:
    """Return the words of a run: of ``ktput-ctl``, or of a command and its shell."""
    values = {**scenario.variables, **point.values}
    runs = point.runs
    if runs.command:
        return ["ip", "netns", "exec", link[NEAR].namespace, "bash", "-c", TIMED,
                "timed", fill(runs.before, values),
                fill(runs.command, values)]
    command, *rest = shlex.split(fill(runs.words, values))
    if runs.computed:
        return [command, *rest]
    source, sink = (FAR, NEAR) if runs.reverse else (NEAR, FAR)
    return [command, "netns", link[source].namespace, "to", link[sink].address,
            "sink-netns", link[sink].namespace, *rest]


def path_of(scenario: Scenario, point: Point, link: Link) -> list[Change]:
    """Return the changes that a run needs; a computation needs none."""
    if point.runs.computed:
        return []
    values = {**scenario.variables, **point.values}
    return list(path_changes(point.runs, link, values))


def document_of(runner: Runner, runs: Runs, words: Words) -> Json:
    """Return the record of a run, or the document of a sweep or a computation."""
    sweep = "sizes" in words
    if not sweep and not runs.computed:
        return runner.document(words, keep=False)
    document: Json = json.loads(runner.text(words))
    if sweep and not array(document, keys.SWEEP_SIZES):
        raise RunError("no size has a result")
    return document


def _said(scenario: Scenario, point: Point, link: Link) -> Words:
    """Return the words that tell a run from others, and that a reader can run."""
    words = words_of(scenario, point, link)
    return [*words[:4], "sh", "-c", "; ".join(filter(None, words[-2:]))] \
        if point.runs.command else words


def hand(scenario: Scenario, nics: Nics) -> Iterator[str]:
    """Yield every command of a scenario, to be done by hand."""
    links = links_of(scenario, GENERIC, nics)
    changes = [*network_changes(scenario.network, links[""],
                                lambda name: f"OLD {name}"),
               *(change for driver, link in links.items() if driver
                 for change in nic_changes(link, {})),
               *step_changes(scenario.setup, GENERIC)]
    yield "# Set up."
    yield from (one.do for one in changes)
    for module in dict.fromkeys(one for runs in scenario.runs for one in runs.modules):
        yield f"modprobe {module}"
    path: list[str] = []
    for point in points_of(scenario):
        link = link_of(scenario, point, links)
        wanted = [one.do for one in path_of(scenario, point, link)]
        yield f"# {point.title}"
        if wanted != path:
            yield from wanted
            path = wanted
        words = _said(scenario, point, link)
        yield shlex.join(words if point.runs.command else ["ktput-ctl", *words])
    yield "# Undo."
    yield from (one.undo for one in reversed(changes) if one.undo)


class Namespaces:
    """Where runs are made: two namespaces that go away whatever happens."""

    hosts: Mapping[str, str] = {}

    def __init__(self, scenario: Scenario, runner: Runner, nics: Nics) -> None:
        """Change nothing yet; *nics* are those of this host that runs may take."""
        self.scenario, self.runner, self.nics = scenario, runner, nics
        suffix = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6))
        self.names = {end: f"ktput-{end}-{suffix}" for end in GENERIC}
        self.links = links_of(scenario, self.names, nics)
        self.generic = links_of(scenario, GENERIC, {})
        #: of the last run
        self.path: list[Change] = []

    def identity(self, point: Point) -> Json:
        """Return what makes a run another one."""
        network = self.scenario.network
        link = link_of(self.scenario, point, self.generic)
        return {"words": _said(self.scenario, point, link),
                "path": [one.do for one in path_of(self.scenario, point, link)],
                "sysctl": [*network.sysctl, *network.host_sysctl],
                "setup": [one.do for one in self.scenario.setup
                          if not one.groups or point.runs.name in one.groups]}

    def begin(self, points: Sequence[Point]) -> dict[Key, str]:
        """Set the network up; return why some of *points* are left out."""
        self.host = Host()
        why = dict(self._lacks({one.runs.name: one.runs for one in points}))
        self.host.do(network_changes(self.scenario.network, self.links[""],
                                     read_sysctl))
        for driver, devices in self.nics.items():
            if driver in self.links:
                was = {device: restoring(device) for device in devices}
                self.host.do(nic_changes(self.links[driver], was))
        for step in self.scenario.setup:
            if step.groups and all(one in why for one in step.groups):
                continue
            try:
                self.host.do(step_changes([step], self.names))
            except CommandError as error:
                if not step.groups:
                    raise
                why.update(dict.fromkeys(step.groups, str(error)))
        return {one.key: reason for one in points
                if (reason := why.get(one.runs.name) or self._lacks_nics(one))}

    def _lacks_nics(self, point: Point) -> str:
        driver = driver_of(self.scenario, point)
        return (f"no two NICs of {driver} that are wired to each other are named: "
                "'nics DEVICE,DEVICE'") if driver not in {"", *self.nics} else ""

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
        link = link_of(self.scenario, point, self.links)
        path = path_of(self.scenario, point, link)
        if path != self.path:
            self.host.do(path)
            self.path = path
        words = words_of(self.scenario, point, link)
        with self._busy() if point.runs.command or point.runs.nic else nullcontext():
            return self._timed(point, words) if point.runs.command else \
                document_of(self.runner, point.runs, words)

    @contextmanager
    def _busy(self) -> Iterator[None]:
        """Keep an idle CPU from leaping, in virtual time, over a wait for disk or NIC.

        The process is in a namespace, whose end is its own.
        """
        if not os.environ.get("KTPUT_ICOUNT"):
            yield
            return
        with subprocess.Popen(["ip", "netns", "exec", self.names[NEAR], "chrt", "-i",  # noqa: S607
                               "0", "sh", "-c", "while :; do :; done"]) as process:
            try:
                yield
            finally:
                process.kill()

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
