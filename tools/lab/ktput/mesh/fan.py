# SPDX-License-Identifier: GPL-2.0
"""Run ktput-ctl on many hosts at a time, by ClusterShell."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from ClusterShell.NodeSet import NodeSet, NodeSetException
from ClusterShell.NodeUtils import GroupResolverError, GroupSourceError
from ClusterShell.Propagation import RouteResolvingError
from ClusterShell.Task import task_self
from ClusterShell.Topology import TopologyError
from ClusterShell.Worker.Exec import ExecClient, ExecWorker

from ..command import UsageError
from ..control import sentences
from ..output import CommandError

PROGRAM = "ktput-ctl"
#: A shell command to use instead of ssh; its arguments are the host and a command line.
SSH_VARIABLE = "KTPUT_SSH"
#: Nodes of an allocation of Slurm.
SLURM_VARIABLE = "SLURM_JOB_NODELIST"
#: Exit status of ssh that does not connect.
NO_CONNECTION = 255
#: A host and the words of ktput-ctl that run there.
Job = tuple[str, Sequence[str]]


@dataclass(frozen=True)
class Answer:
    """What a host answers: exit status, None after a timeout, and output."""

    status: int | None
    out: str = ""
    said: str = ""

    @property
    def lost(self) -> bool:
        """Whether the host could not be reached, or did not end."""
        return self.status in (None, NO_CONNECTION)

    @property
    def why(self) -> str:
        """The last sentence of an error."""
        if self.status is None:
            return "it did not end in time"
        found = sentences(BytesIO(self.said.encode()))
        return found[-1] if found else f"it ended with {self.status}"


def hosts_of(words: Sequence[str]) -> list[str]:
    """Return the hosts of node sets, or of the allocation of Slurm without any."""
    given = list(words) or [os.environ.get(SLURM_VARIABLE, "")]
    hosts = NodeSet()
    for word in given:
        if word.startswith("-"):
            raise UsageError(f"'{word}' is no host")
        try:
            hosts.update(NodeSet(word))
        except NodeSetException as error:
            raise UsageError(f"'{word}': {error}") from None
        except (GroupResolverError, GroupSourceError):
            raise UsageError(f"'{word}': ClusterShell knows no such group") from None
    if len(hosts) < 2:
        raise UsageError("give two hosts or more, such as node[1-16] or @rack1"
                         if words else "give HOSTS, such as node[1-16] or @rack1: "
                         "this is no allocation of Slurm")
    return [str(host) for host in hosts]


class _Client(ExecClient):  # type: ignore[misc]
    def _build_cmd(self) -> tuple[str, None]:
        return (f"{os.environ[SSH_VARIABLE]} {shlex.quote(str(self.key))} "
                f"{shlex.quote(self.command)}", None)


class _Worker(ExecWorker):  # type: ignore[misc]
    """Reaches hosts by the command in KTPUT_SSH."""

    SHELL_CLASS = _Client


class Fan:
    """Runs a command on each of several hosts at a time."""

    def __init__(self, fanout: int | None = None, topology: str | None = None) -> None:
        """*fanout* is the most ssh at a time, that of ClusterShell if None.

        *topology* is a file of gateways, as ClusterShell's topology.conf.
        """
        self.task: Any = task_self()
        self.task.set_default("stderr", True)
        if os.environ.get(SSH_VARIABLE):
            self.task.set_default("distant_worker", _Worker)
        if fanout:
            self.task.set_info("fanout", fanout)
        # The task is the thread's.
        self.task.topology = None
        if topology:
            try:
                self.task.load_topology(topology)
            except TopologyError as error:
                raise UsageError(f"topology: {error}") from None

    def run(self, jobs: Sequence[Job], timeout_s: float) -> list[Answer]:
        """Run each job; return their answers. Hosts with one line share a worker."""
        lines = [shlex.join(["exec", PROGRAM, *words]) for _, words in jobs]
        hosts: dict[str, NodeSet] = {}
        for (host, _), line in zip(jobs, lines, strict=True):
            hosts.setdefault(line, NodeSet()).add(host)
        workers = {line: self.task.shell(line, nodes=nodes, timeout=timeout_s,
                                         stdin=False) for line, nodes in hosts.items()}
        # Gateways were closed by the last run, and count as unreachable since.
        self.task.router = None
        try:
            self.task.resume()
        except RouteResolvingError as error:
            self.task.abort()
            raise CommandError(f"topology: {error}: python3-clustershell has to be on "
                               "the gateways") from None
        except BaseException:
            self.task.abort()
            raise
        return [self._answer(workers[line], host)
                for (host, _), line in zip(jobs, lines, strict=True)]

    @staticmethod
    def _answer(worker: Any, host: str) -> Answer:  # noqa: ANN401
        try:
            status = worker.node_retcode(host)
        except KeyError:
            return Answer(None)
        return Answer(status, bytes(worker.node_buffer(host) or b"").decode(),
                      bytes(worker.node_error_buffer(host) or b"").decode())
