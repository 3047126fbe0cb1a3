# SPDX-License-Identifier: GPL-2.0
"""What a scenario changes on this host, and that it is undone however it ends."""

import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..output import CommandError
from .description import FAR, NEAR, Network, Runs, Step, fill
from .links import PREFIX, Link, devices_of, moves

#: A shell that does a command, and that undoes all in reverse order once its input
#: ends. It has a session of its own: no signal to the scenario reaches it. It does the
#: commands itself, so that none is under way when it begins to undo.
GUARD = """
trap '' HUP INT QUIT TERM PIPE
undo=
while IFS= read -r line && IFS= read -r do; do
	undo="$line
$undo"
	if said=$(eval "$do" 2>&1 </dev/null); then
		echo ok
	else
		printf '%s\\n' "failed: $said" | tr '\\n' ' '
		echo
	fi 2>/dev/null
done
printf '%s' "$undo" | while IFS= read -r line; do
	said=$(eval "$line" 2>&1 </dev/null) ||
		printf '%s\\n' "'$line' failed: $said" 2>/dev/null
done
"""


@dataclass(frozen=True)
class Change:
    """A command line that changes something, and the one that undoes it."""

    do: str
    undo: str = ""


def remove_namespace(name: str) -> str:
    """Return the command line that ends all in a namespace, and removes it."""
    return (f"ip netns pids {name} | xargs -r kill -9; ip netns del {name}")


def network_changes(network: Network, veth: Link,
                    old: Callable[[str], str]) -> Iterator[Change]:
    """Yield what sets a network up; *old* returns the value of a sysctl."""
    for setting in network.host_sysctl:
        name = setting.partition("=")[0]
        yield Change(f"sysctl -qw {shlex.quote(setting)}",
                     f"sysctl -qw {shlex.quote(f'{name}={old(name)}')}")
    for end in veth.values():
        yield Change(f"ip netns add {end.namespace}", remove_namespace(end.namespace))
    near, far = veth[NEAR], veth[FAR]
    yield Change(f"ip link add {near.device} netns {near.namespace} type veth "
                 f"peer name {far.device} netns {far.namespace}")
    for end in veth.values():
        if network.sysctl:
            settings = " ".join(map(shlex.quote, network.sysctl))
            yield Change(f"ip netns exec {end.namespace} sysctl -qw {settings}")
        yield Change(f"ip -n {end.namespace} link set lo up")
    yield from _addresses(veth)


def nic_changes(link: Link, was: Mapping[str, Sequence[str]]) -> Iterator[Change]:
    """Yield what gives two NICs to the namespaces; *was* is of links.moves()."""
    yield from (Change(*one) for one in moves(link, was))
    yield from _addresses(link)


def _addresses(link: Link) -> Iterator[Change]:
    for end in link.values():
        yield Change(f"ip -n {end.namespace} addr add {end.address}/{PREFIX} "
                     f"dev {end.device}")


def step_changes(steps: Sequence[Step], names: Mapping[str, str]) -> Iterator[Change]:
    """Yield what a scenario needs beside its network."""
    for one in steps:
        yield Change(*(_named(line, names) for line in (one.do, one.undo)))


def _named(line: str, names: Mapping[str, str]) -> str:
    """Return a command line with the namespaces for {near} and {far} alone."""
    for end, name in names.items():
        line = line.replace(f"{{{end}}}", name)
    return line


def path_changes(runs: Runs, link: Link, values: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what makes the path of one run, from that of any other."""
    words = fill(runs.link, values)
    for end in link.values():
        yield Change(f"ip -n {end.namespace} link set {end.device} up"
                     + (f" {words}" if words else ""))
        if runs.qdisc:
            yield Change(f"tc -n {end.namespace} qdisc replace dev {end.device} root "
                         f"{fill(runs.qdisc, values)}")
    if runs.path:
        yield Change(fill(runs.path, {**values, **devices_of(link)}))
    if runs.nic:
        # A NIC negotiates anew after much of the above.
        yield from (Change(CARRIER.format(end=end)) for end in link.values())


#: What waits for the carrier of a NIC. Counted: virtual time may leap over any bound.
CARRIER = ("sh -c 'for i in $(seq 300); do ip -n {end.namespace} link show dev "
           "{end.device} | grep -q LOWER_UP && exit; sleep 0.1; done; "
           "echo {end.device} has no carrier; exit 1'")


class Host:
    """The host that the scenario runs on, under a guard."""

    def __init__(self) -> None:
        """Start the guard."""
        # It must not be a child that ends with the scenario, nor hold its output.
        self.guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True, text=True)

    def do(self, changes: Iterator[Change] | Sequence[Change]) -> None:
        """Make changes; raises CommandError at the first that fails."""
        for change in changes:
            said = self.attempt(change)
            if said:
                raise CommandError(f"'{change.do}' {said}")

    def attempt(self, change: Change) -> str:
        """Make a change; return why it failed, or nothing."""
        assert self.guard.stdin is not None  # noqa: S101
        assert self.guard.stdout is not None  # noqa: S101
        self.guard.stdin.write(f"{change.undo or ':'}\n{change.do}\n")
        self.guard.stdin.flush()
        said = self.guard.stdout.readline().strip()
        return "" if said == "ok" else said or "failed"

    def undo(self) -> list[str]:
        """Undo all changes; return what could not be undone."""
        said, _ = self.guard.communicate()
        return said.splitlines()


def read_sysctl(name: str) -> str:
    """Return the value of a sysctl of this host; raises CommandError."""
    done = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True,  # noqa: S607
                          check=False)
    if done.returncode:
        raise CommandError(f"there is no sysctl '{name}' here")
    return " ".join(done.stdout.split())
