# SPDX-License-Identifier: GPL-2.0
"""Rounds of a mesh: pairs of hosts, each host in one pair at a time."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """A source and a sink."""

    source: str
    sink: str


def rounds_of(hosts: Sequence[str], concurrent: int | None = None) \
        -> Iterator[list[Pair]]:
    """Yield the rounds that measure each pair of *hosts* in both directions.

    The hosts stand in a circle, of which one stays and the others move on (the method
    of tournaments). *concurrent* is the most pairs that run at a time.
    """
    ring: list[str | None] = [*hosts, *([None] if len(hosts) % 2 else [])]
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        there = [Pair(a, b) for a, b in zip(ring[:half], reversed(ring[half:]),
                                            strict=True)
                 if a is not None and b is not None]
        back = [Pair(pair.sink, pair.source) for pair in there]
        most = concurrent or max(len(there), 1)
        for pairs in (there, back):
            for i in range(0, len(pairs), most):
                yield pairs[i:i + most]
        ring = [ring[0], ring[-1], *ring[1:-1]]
