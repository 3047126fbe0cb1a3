# SPDX-License-Identifier: GPL-2.0
"""derive_chain.py: what derive.py says of the chain of places and of the bottleneck.

The shares of the chain are the record's; those that follow from other figures are
derived, and so is the place that a walk over all of them ends at.
"""

from typing import NamedTuple

from derive_statistics import EXACT, ROUNDING, mean

# Shares of the time from which a queue stood, and from which it did if no other does.
STANDS, NEARLY = 0.5, 0.4
# Share of a rate that is known from which nothing else limits.
REACHED = 0.98
# Strength of a full server behind a queue that was empty.
HALF_PROOF = 0.45
# Share of the time that one of two servers is busy that wait for each other.
IN_TURN = 0.95
NEVER = float("inf")
CPU = "cpu", "quota", "other_work"


class Place(NamedTuple):
    """A place: its title, from when on it is full, and what may be named there."""

    title: str
    full: float
    named: tuple[str, ...]
    #: the share is of a rate that is known
    exact: bool = False


PLACES = {
    "application": Place("application", NEVER, ("application", *CPU)),
    "source": Place("source's CPU", 0.9, CPU),
    "send_buffer": Place("send buffer", NEVER, ("send_buffer",)),
    "window": Place("receive window", NEVER, ("window",)),
    "congestion_window": Place("congestion window", NEVER, ("congestion_window",)),
    "queue": Place("source's qdisc", NEVER, ("queue",)),
    "link": Place("link", 0.9, ("bus", "ethernet", "atm", "link"), exact=True),
    "path": Place("path", NEVER, ("way",)),
    "sink_device": Place("sink's device", NEVER, ()),
    "softirq": Place("receiving CPU", 0.95, CPU),
    "sink_host": Place("sink's host", NEVER, ()),
    "sink": Place("sink", 0.9, ("receiver", *CPU)),
    "demand": Place("rate asked for", 0.95, ("rate", "pace"), exact=True),
}
ORDER = list(PLACES)


def strength(row):
    """Share of the time that a place limited, whatever the source waited for."""
    place, queue, busy = PLACES[row["place"]], row["queue_share"], row["busy_share"]
    full = busy is not None and busy >= place.full
    if place.exact and full:
        return 1
    if queue is None:
        return busy if full else 0
    return max(queue, HALF_PROOF if full else 0)


def last_above(rows, least):
    """The last place that limited for such a share; None for none."""
    return next((row["place"] for row in reversed(rows) if strength(row) >= least), None)


def in_turn(rows):
    """The busier end, if one of the two is busy at any time; else None."""
    source, sink = (row["busy_share"] or 0 for row in rows
                    if row["place"] in ("source", "sink"))
    return None if source + sink < IN_TURN else "source" if source > sink else "sink"


def walk(rows):
    """The place that the walk ends at."""
    # What stands behind a rate that is reached is as fast by chance.
    place = next((row["place"] for row in reversed(rows) if PLACES[row["place"]].exact
                  and (row["busy_share"] or 0) >= REACHED), None) or \
        last_above(rows, STANDS) or last_above(rows, NEARLY)
    return place if place not in (None, "congestion_window") else in_turn(rows) or place


def nearest(rows):
    """What is said where none limits."""
    def share(row):
        busy = row["busy_share"] if PLACES[row["place"]].full != NEVER else None
        return min(max(row["queue_share"] or 0, busy or 0), 1)

    most = max(rows, key=share)
    place = PLACES[most["place"]]
    return (f"no single bottleneck; closest: {place.title} ({share(most) * 100:.0f}% of "
            f"{'it is reached' if place.exact else 'the time'})")


def shares(run, reached):
    """(place, key, value) that follow from other figures."""
    for place, name in (("demand", "rate"), ("window", "window"),
                        ("send_buffer", "send_buffer")):
        yield place, "busy_share", min(reached[name], 1) if name in reached else None
    if run.udp:
        return
    known = [row for row in run.result["tcp"] if row["verdict"] != "unknown"]
    if known:
        # A stream does not lack payload while the thread serves others.
        thread = run.result["chain"][ORDER.index("source")]["busy_share"] or 0
        yield "application", "queue_share", min(
            1 - mean([row["busy_share"] for row in known]), 1 - thread)


def chain(run, reached):
    """The chain of a run, and what is named; REACHED is the share of each limit."""
    rows = run.result["chain"]
    assert [row["place"] for row in rows] == ORDER, "places of the chain"
    for place, key, value in shares(run, reached):
        number = ORDER.index(place)
        if value is None:
            assert rows[number][key] is None, f"{key} of {place} is known"
        else:
            yield f"result.chain.{number}.{key}", value, ROUNDING
    which = run.result["binding"]
    marked = [row["place"] for row in rows if row["bottleneck"]]
    place = walk(rows)
    # No queue of TCP stood longer than its source waited, which the record lacks.
    later = not run.udp and place and ORDER.index(place) > 1 and \
        not PLACES[place].exact
    if later and marked != [place]:
        place = None if which == "none" else marked[0]
        assert not marked or marked == [in_turn(rows)] or \
            ORDER.index(marked[0]) < ORDER.index(walk(rows)), \
            f"the walk ends at {walk(rows)}, not at {marked}"
    if which != "none":
        assert marked == [place], f"the walk ends at {place}, not at {marked}"
        assert which in (*PLACES[place].named, "loss"), f"{which} at {place}"
    else:
        assert not marked, f"{marked} where nothing is named"
        # Where a queue stands and nobody knows why, nothing is named.
        assert place is None or later or PLACES[place].named in ((), CPU), place
        yield "result.binding_because", nearest(rows), EXACT
