# SPDX-License-Identifier: GPL-2.0
"""Steps of a mesh: pairs of hosts that run at the same time."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ..command import UsageError


class Pair(NamedTuple):
    """A source and a sink."""

    source: str
    sink: str


def back(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs in the other direction."""
    return [Pair(pair.sink, pair.source) for pair in pairs]


def disjoint(pairs: Sequence[Pair], most: int | None = None) -> list[list[Pair]]:
    """Return steps of *pairs*, no host in two pairs of a step, *most* in each."""
    steps: list[list[Pair]] = []
    for pair in pairs:
        for step in steps:
            if len(step) != most and not any(set(pair) & set(one) for one in step):
                step.append(pair)
                break
        else:
            steps.append([pair])
    return steps


def _rounds(hosts: Sequence[str]) -> Iterator[list[Pair]]:
    """Yield rounds of disjoint pairs, which have each pair of *hosts* once.

    The hosts stand in a circle, of which one stays and the others move on (the method
    of tournaments).
    """
    ring: list[str | None] = [*hosts, *([None] if len(hosts) % 2 else [])]
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        yield [Pair(a, b) for a, b in zip(ring[:half], reversed(ring[half:]),
                                          strict=True)
               if a is not None and b is not None]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _directions(hosts: Sequence[str], pattern: tuple[str, str] | None,
                peers: int | None) -> Iterator[list[Pair]]:
    if pattern is None:
        for pairs in islice(_rounds(hosts), peers):
            yield pairs
            yield back(pairs)
        return
    kind, one = pattern
    if kind == "bisection":
        half = len(hosts) // 2
        across = [Pair(a, b) for a, b in zip(hosts[:half], hosts[-half:], strict=True)]
        yield across
        yield back(across)
        return
    if one not in hosts:
        raise UsageError(f"{kind}: '{one}' is none of the hosts that can be measured")
    into = [Pair(host, one) for host in hosts if host != one]
    yield into if kind == "to-one" else back(into)


def steps_of(hosts: Sequence[str], pattern: tuple[str, str] | None = None,
             concurrent: int | None = None, peers: int | None = None) \
        -> Iterator[list[Pair]]:
    """Yield the pairs that run at the same time, step by step.

    Without a *pattern*, each pair of hosts in both directions, or each host with so
    many *peers*; no host is in two pairs of a step. *pattern* is a keyword, "to-one",
    "from-one" or "bisection", and its host. *concurrent* is the most pairs of a step.
    """
    for pairs in _directions(hosts, pattern, peers):
        most = concurrent or max(len(pairs), 1)
        for i in range(0, len(pairs), most):
            yield pairs[i:i + most]
