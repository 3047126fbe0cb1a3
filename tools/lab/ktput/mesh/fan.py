# SPDX-License-Identifier: GPL-2.0
"""Run ktput-ctl on many hosts at a time, by ClusterShell."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from ClusterShell.NodeSet import NodeSet, NodeSetException
from ClusterShell.Task import task_self

from ..command import UsageError
from ..control import sentences

PROGRAM = "ktput-ctl"
#: A shell command to use instead of ssh; its arguments are the host and a command line.
SSH_VARIABLE = "KTPUT_SSH"
#: Nodes of an allocation of Slurm.
SLURM_VARIABLE = "SLURM_JOB_NODELIST"
#: Exit status of ssh that does not connect.
NO_CONNECTION = 255


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
    if len(hosts) < 2:
        raise UsageError("give two hosts or more, such as node[1-16] or @rack1"
                         if words else "give HOSTS, such as node[1-16] or @rack1: "
                         "this is no allocation of Slurm")
    return [str(host) for host in hosts]


class Fan:
    """Runs a command on each of several hosts at a time."""

    def __init__(self, fanout: int | None = None) -> None:
        """*fanout* is the most ssh at a time, that of ClusterShell if None."""
        self.task: Any = task_self()
        self.task.set_default("stderr", True)
        if fanout:
            self.task.set_info("fanout", fanout)

    def run(self, commands: Mapping[str, Sequence[str]],
            timeout_s: float) -> dict[str, Answer]:
        """Run for each host its words of ktput-ctl; return the answers by host."""
        instead = os.environ.get(SSH_VARIABLE)
        workers = {}
        for host, words in commands.items():
            line = shlex.join(["exec", PROGRAM, *words])
            if instead:
                local = f"{instead} {shlex.quote(host)} {shlex.quote(line)}"
                workers[host] = self.task.shell(local, key=host, timeout=timeout_s,
                                                stdin=False)
            else:
                workers[host] = self.task.shell(line, nodes=host, timeout=timeout_s,
                                                stdin=False)
        try:
            self.task.resume()
        except BaseException:
            self.task.abort()
            raise
        return {host: self._answer(worker, host) for host, worker in workers.items()}

    @staticmethod
    def _answer(worker: Any, host: str) -> Answer:  # noqa: ANN401
        if worker.did_timeout():
            return Answer(None)
        if hasattr(worker, "node_retcode"):
            return Answer(worker.node_retcode(host),
                          bytes(worker.node_buffer(host) or b"").decode(),
                          bytes(worker.node_error_buffer(host) or b"").decode())
        return Answer(worker.retcode(), bytes(worker.read() or b"").decode(),
                      bytes(worker.error() or b"").decode())
