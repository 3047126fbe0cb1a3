# SPDX-License-Identifier: GPL-2.0
"""Runs between two hosts that are reached by ssh, over the network that they have."""

import copy
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import keys
from ..ladder.runs import RunError, Runner
from ..output import CommandError
from ..record import Json, number
from .description import FAR, NEAR, Point, Runs, Scenario, fill, points_of
from .namespaces import document_of

#: What reaches a host, $1, up to the command line, which ends in a quote. KTPUT_SSH is
#: a shell command in the place of ssh; its arguments are the host and a command line.
SSH = ('host=$1; shift; eval "${KTPUT_SSH:-ssh -T -o BatchMode=yes '
       "-o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3 --}\" "
       "'\"$host\" ")
#: What runs ktput-ctl there.
ON_HOST = SSH + """"exec ktput-ctl ${*@Q}"'"""

#: Queueing disciplines that make a network another one.
SHAPERS = ("netem", "tbf", "htb")
#: Words of a run that describe the network of the file, each with a value.
NETWORK_WORDS = ("link", "link-rate")
#: A run that says what is between the hosts; it needs no module.
PROBE = ("layer", "user", "sink-layer", "user", "time", "100ms")


def _shaped(runs: Runs, scenario: Scenario) -> bool:
    """Whether the network of a group is made by shaping: it differs, or varies.

    A shaper of all runs is the network itself, in whose place the hosts' own is.
    """
    return runs.qdisc.startswith(SHAPERS) and (
        runs.qdisc != scenario.network.qdisc or "{" in runs.qdisc)


def _mtu(scenario: Scenario, point: Point) -> float:
    """Return the MTU that a run needs, NaN if it does not say."""
    words = shlex.split(fill(point.runs.link, {**scenario.variables, **point.values}))
    named = dict(zip(words[::2], words[1::2], strict=False))
    return float(named.get("mtu", "nan"))


class Hosts:
    """Where runs are made: two hosts, of which nothing is changed."""

    def __init__(self, scenario: Scenario, runner: Runner,
                 hosts: Sequence[str]) -> None:
        """*hosts* are near and far in ssh's form."""
        self.scenario, self.runner = scenario, runner
        self.hosts: Mapping[str, str] = dict(zip((NEAR, FAR), hosts, strict=True))
        self.near = copy.copy(runner)
        self.near.program = ("bash", "-c", ON_HOST, "ssh", self.hosts[NEAR])

    def words_of(self, point: Point) -> list[str]:
        """Return the words of ``ktput-ctl`` on the near host."""
        values = {**self.scenario.variables, **point.values}
        command, *rest = shlex.split(fill(point.runs.words, values))
        kept = iter(rest)
        # The value of such a word goes with it.
        own = [one for one in kept
               if one not in NETWORK_WORDS or next(kept, None) is None]
        if point.runs.computed:
            return [command, *own]
        return [command, "remote", self.hosts[FAR],
                *(["reverse"] if point.runs.reverse else []), *own]

    def why_not(self, runs: Runs) -> str:
        """Return why a group cannot be measured on hosts, nothing if it can."""
        if runs.nic:
            return "it needs two NICs of one host"
        if runs.command:
            return "it is a command between namespaces"
        if _shaped(runs, self.scenario):
            return "it needs shaping, and two hosts have the network that they have"
        return ""

    def hand(self) -> Iterator[str]:
        """Yield every command of the scenario, to be done by hand."""
        for point in points_of(self.scenario):
            why = self.why_not(point.runs)
            yield f"# {point.title}" + (f": left out, since {why}" if why else "")
            if not why:
                yield shlex.join(["ssh", self.hosts[NEAR], shlex.join(
                    ["ktput-ctl", *self.words_of(point)])])

    def identity(self, point: Point) -> Json:
        """Return what makes a run another one."""
        return {"words": self.words_of(point), "path": list(self.hosts.values()),
                "sysctl": [], "setup": []}

    def begin(self, points: Sequence[Point]) -> dict[tuple[Any, ...], str]:
        """Look at the network; return why some of *points* are left out."""
        why = {one.key: self.why_not(one.runs) for one in points}
        left = [one for one in points if not why[one.key]]
        if left:
            try:
                mtu = number(self.near.document([
                    "start", "remote", self.hosts[FAR], *PROBE], keep=False), keys.MTU)
            except RunError as error:
                raise CommandError(f"{self.hosts[NEAR]}: {error}") from None
            for point in left:
                needs = _mtu(self.scenario, point)
                if abs(needs - mtu) > 0:
                    why[point.key] = (f"it needs an MTU of {needs:.0f}, and the hosts' "
                                      f"is {mtu:.0f}")
        return {key: reason for key, reason in why.items() if reason}

    def document(self, point: Point) -> Json:
        """Make a run; return its document or raise RunError."""
        try:
            return document_of(self.near, point.runs, self.words_of(point))
        except RunError as error:
            raise RunError(f"{self.hosts[NEAR]}: {error}") from None

    def end(self) -> list[str]:
        """Undo nothing: nothing was changed."""
        return []
