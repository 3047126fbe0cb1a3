# SPDX-License-Identifier: GPL-2.0
"""Records of runs and other documents: one object for each.

A member that a record does not have is NaN, None or an empty list.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from . import keys

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Json: TypeAlias = Any
NAN = float("nan")


class RecordError(Exception):
    """A file that is no record; the text has the line and the reason."""


class RecordWarning(UserWarning):
    """A file of records has something that is none, and is left out."""


def at(value: Json, path: str) -> Json:
    """Return the member of *value* at *path*, or None."""
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def number(value: Json, path: str = "") -> float:
    """Return the number at *path*, NaN if there is none."""
    if path:
        value = at(value, path)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return NAN
    return float(value)


def text(value: Json, path: str | Iterable[str]) -> str | None:
    """Return the string at *path*, or at the first of several that has one."""
    for one in (path,) if isinstance(path, str) else path:
        found = at(value, one)
        if isinstance(found, str):
            return found
    return None


def array(value: Json, path: str) -> list[Json]:
    """Return the array at *path*, empty if there is none."""
    found = at(value, path)
    return found if isinstance(found, list) else []


def total(values: Iterable[Json], path: str) -> float:
    """Return the sum of a member over *values*; NaN if one lacks it, or if empty."""
    numbers = [number(value, path) for value in values]
    return sum(numbers) if numbers else NAN


class Interval(NamedTuple):
    """One interval of a run."""

    #: seconds since the first payload
    from_s: float
    to_s: float
    #: payload
    bytes: float
    #: payload, bit/s
    goodput_bps: float
    #: datagrams or frames per second; NaN with TCP
    packets_per_s: float
    #: share of the time that the CPUs were not idle; 0 to 1
    busy_share: float
    #: cycles of all CPUs that the run itself used; NaN if unknown
    own_cycles: float
    #: TCP segments
    retransmissions: float
    lost_datagrams: float
    #: round trips of a ping-pong, which has no payload
    round_trips_per_s: float
    latency_mean_ns: float
    latency_p50_ns: float
    latency_p99_ns: float
    timeouts: float
    #: not part of the result
    warm_up: bool
    #: busy cycles of all CPUs on the record's clock; from the raw counters, since a
    #: record does not state them
    busy_cycles: float

    @property
    def seconds(self) -> float:
        """Length of the interval."""
        return self.to_s - self.from_s

    @property
    def packets(self) -> float:
        """Datagrams or frames."""
        return self.packets_per_s * self.seconds


class Ceiling(NamedTuple):
    """A computed limit of the goodput."""

    name: str
    #: goodput that it permits, bit/s; NaN if unknown
    bps: float
    #: goodput over it; 0 to 1
    share: float
    #: it limits the run
    binds: bool
    #: why it binds, or why it is unknown
    because: str | None


class Place(NamedTuple):
    """A place that payload passed."""

    title: str
    #: share of the time that its queue stood; NaN if unknown
    queue_share: float
    #: share of the time that its server was busy; NaN if unknown
    busy_share: float
    #: packets that were lost there
    drops: float
    #: it holds the run back
    bottleneck: bool


class Cpu(NamedTuple):
    """Cycles of a CPU."""

    cpu: int
    #: by the name of the context; busy and idle if the record has no contexts
    cycles: dict[str, float]

    @property
    def total(self) -> float:
        """All cycles of the record's clock."""
        return sum(self.cycles.values())


# A link counts as full from this share on; ACKs and bursts use the rest.
FULL_SHARE = 0.9


@dataclass
class Document:
    """A JSON document and its place in its file."""

    root: dict[str, Json]
    file: str
    #: line where it begins in the file, from 1
    line: int
    #: modification time of the file, seconds since 1970; NaN for a pipe
    written_s: float

    def number(self, path: str) -> float:
        """Return the number at *path*, NaN if there is none."""
        return number(self.root, path)

    def text(self, path: str | Iterable[str]) -> str | None:
        """Return the string at *path*, or at the first of several that has one."""
        return text(self.root, path)

    def list(self, path: str) -> list[Json]:
        """Return the array at *path*, empty if there is none."""
        return array(self.root, path)


@dataclass
class Profile(Document):
    """Output of ``ktput-ctl -j profile``."""


@dataclass
class Ladder(Document):
    """Output of ``ktput-ctl -j ladder``."""


@dataclass
class Mesh(Document):
    """Output of ``ktput-ctl -j mesh``."""


@dataclass
class Ab(Document):
    """Output of ``ktput-ctl -j ab``."""


@dataclass
class Improve(Document):
    """Output of ``ktput-ctl -j improve``."""


@dataclass
class Sweep(Document):
    """Output of ``ktput-ctl -j pingpong sizes``."""


@dataclass
class Record(Document):
    """One run.

    Figures are properties with the names of the record. :meth:`number`, :meth:`text`
    and :meth:`list` read any other member.
    """

    #: number of the run in the file, from 1
    number_in_file: int = 1
    #: runs in the file
    of: int = 1

    @property
    def name(self) -> str:
        """Name of the run: its file, and its number if there are several."""
        return self.file + (f" run {self.number_in_file}" if self.of > 1 else "")

    @property
    def valid(self) -> bool:
        """Whether the result is valid: counters agree and the run ended in order."""
        return at(self.root, keys.RESULT + "." + keys.VALID) is True

    @property
    def interrupted(self) -> bool:
        """Whether a user ended the run."""
        return at(self.root, keys.RESULT + "." + keys.INTERRUPTED) is True

    @property
    def disturbed_by(self) -> str | None:
        """Other work on the CPUs of the run, None if it was within the limit."""
        if at(self.root, keys.RESULT + "." + keys.DISTURBED) is not True:
            return None
        by = self.text(keys.RESULT + "." + keys.DISTURBED_BY)
        return "disturbed" + (f": {by}" if by else "")

    @property
    def why_not(self) -> str | None:
        """Why the run does not count, None if it does."""
        if not self.valid:
            because = self.text(keys.RESULT + "." + keys.INVALID_BECAUSE)
            return because or "its result is not valid"
        return "it was interrupted" if self.interrupted else None

    @property
    def state(self) -> str:
        """State of the run: valid, INVALID or INTERRUPTED."""
        if not self.valid:
            return "INVALID"
        return "INTERRUPTED" if self.interrupted else "valid"

    @property
    def disturbed(self) -> bool:
        """Whether other work took too large a share of the CPUs' time."""
        return self.disturbed_by is not None

    @property
    def part_of(self) -> str | None:
        """What the run is a part of, as a ladder; None if it stands alone."""
        return next((name for name, key in keys.PART_OF.items()
                     if isinstance(self.root.get(key), dict)), None)

    @property
    def rung(self) -> str | None:
        """The group and the rung of a run of a ladder, None of another."""
        words = [text(self.root, f"{keys.LADDER_RUN}.{key}")
                 for key in ("group", "rung")]
        return ", ".join(filter(None, words)) or None

    @property
    def is_pingpong(self) -> bool:
        """Whether the run is a ping-pong, which has no goodput."""
        result = self.root
        return (at(result, keys.LATENCY) is not None or
                at(result, keys.ROUND_TRIPS) is not None)

    @property
    def goodput_bps(self) -> float:
        """Payload that the sink received, bit/s."""
        return self.number(keys.GOODPUT)

    @property
    def packets_per_s(self) -> float:
        """Datagrams or frames per second; NaN with TCP."""
        return self.number(keys.PACKETS)

    @property
    def busy_cycles_per_byte(self) -> float:
        """Busy cycles of all CPUs over bytes of payload."""
        return self.number(keys.PER_BYTE)

    @property
    def busy_cycles_per_packet(self) -> float:
        """Busy cycles of all CPUs over datagrams or frames."""
        return self.number(keys.PER_PACKET)

    @property
    def latency_ns(self) -> dict[str, float]:
        """Round trips of a ping-pong, ns: min, mean, max, p50, p99_9 and so on."""
        found = at(self.root, keys.LATENCY)
        return {key: number(value) for key, value in found.items()} \
            if isinstance(found, dict) else {}

    @property
    def transport(self) -> str | None:
        """Transport in the record: tcp, udp or a kind of frames."""
        return self.text(keys.TRANSPORT)

    @property
    def verdicts(self) -> list[tuple[float, str]]:
        """What limited each TCP stream: its number, NaN for all, and the reason."""
        found = []
        for one in self.list(keys.RESULT_TCP):
            because = text(one, ("because", "verdict"))
            if because:
                found.append((number(one, "id"), because))
        return found

    @property
    def binding(self) -> tuple[str, str] | None:
        """The binding limit, or "none", and the reason, if the record has them."""
        name, because = self.text(keys.BINDING), self.text(keys.BINDING_BECAUSE)
        return (name, because) if name and because else None

    @property
    def chain(self) -> list[Place]:
        """The places that payload passed, from the source to the sink."""
        return [Place(text(one, ("title", "place")) or "", number(one, "queue_share"),
                      number(one, "busy_share"), number(one, "drops"),
                      at(one, "bottleneck") is True) for one in self.list(keys.CHAIN)]

    @cached_property
    def ceilings(self) -> list[Ceiling]:
        """Limits of the goodput, in the order of the record."""
        found = []
        for one in self.list(keys.CEILINGS):
            name = text(one, "name")
            bps, share = number(one, "ceiling_bps"), number(one, "share")
            if math.isnan(share) and bps > 0:
                share = self.goodput_bps / bps
            if name is not None:
                found.append(Ceiling(name, bps, share, at(one, "binds") is True,
                                     text(one, ("because", "unknown_because"))))
        wire = at(self.root, keys.WIRE)
        bps, because = number(wire, "ceiling_bps"), text(wire, "no_ceiling")
        # A run without ceilings may still describe its wire.
        if not found and (because or not math.isnan(bps)):
            share = number(wire, "share")
            found.append(Ceiling("link framing", bps, share, share >= FULL_SHARE,
                                 because))
        return found

    @cached_property
    def cpus(self) -> list[Cpu]:
        """Cycles of each CPU in the result."""
        found = []
        for one in self.list(keys.RESULT_CPUS):
            contexts = at(one, "contexts")
            if isinstance(contexts, dict):
                known = ((name, number(contexts, key)) for key, name in keys.CONTEXTS)
                cycles = {name: value if value > 0 else 0.0 for name, value in known}
            else:
                every, busy = number(one, "cycles"), number(one, "busy_cycles")
                if math.isnan(busy):
                    busy = number(one, "busy_share") * every
                cycles = {"busy": busy, "idle": max(every - busy, 0.0)}
            which = number(one, "cpu")
            cpu = Cpu(int(which) if which >= 0 else 0, cycles)
            if cpu.total > 0:
                found.append(cpu)
        return found

    @cached_property
    def intervals(self) -> list[Interval]:
        """Intervals in order, without empty ones."""
        end = self._read_end()
        before = self.list(f"{end}.{keys.BEGIN}.{keys.CPUS}")
        found = []
        for one in self.list(keys.INTERVALS):
            after = array(one, f"{end}.{keys.CPUS}")
            values = {name: number(one, key) * factor
                      for name, (key, factor) in keys.INTERVAL.items()}
            interval = Interval(**values, warm_up=at(one, keys.WARM_UP) is True,
                                busy_cycles=_busy_between(before, after))
            before = after
            if interval.seconds > 0 and not (
                    math.isnan(interval.bytes) and
                    math.isnan(interval.round_trips_per_s)):
                found.append(interval)
        return found

    def _read_end(self) -> str:
        """Return the end whose CPU readings count.

        It is the sink, whose bytes count, except XDP, whose clock counts nanoseconds.
        """
        source, sink = (at(self.root, end) is not None for end in keys.ENDS)
        if not sink or (source and at(self.root, keys.XDP_MODE) is not None):
            return keys.ENDS[0]
        return keys.ENDS[1]

    def array(self, name: str, warm_up: bool = False) -> "np.ndarray[Any, Any]":
        """Return a field of :class:`Interval` over the intervals, in its unit.

        The warm-up is left out unless *warm_up* is true.
        """
        import numpy as np

        index = Interval._fields.index(name)
        return np.array([one[index] for one in self.intervals
                         if warm_up or not one.warm_up], dtype=float)

    def frame(self) -> "pd.DataFrame":
        """Return the intervals as a pandas data frame, a row for each."""
        import pandas as pd

        return pd.DataFrame(self.intervals, columns=Interval._fields)

    def counters(self, path: str) -> "np.ndarray[Any, Any]":
        """Return a raw counter, such as "sink.cpus.bytes", over the snapshots.

        The first value is from the beginning. Elements of arrays on the path are
        summed. Counters start at 0 when the run begins.
        """
        import numpy as np

        end, _, rest = path.partition(".")
        holder, _, member = rest.partition(".")
        snapshots = [at(self.root, f"{end}.{keys.BEGIN}")]
        snapshots += [at(one, end) for one in self.list(keys.INTERVALS)]
        return np.array([total(array(one, holder), member) for one in snapshots])


def _busy_between(before: list[Json], after: list[Json]) -> float:
    """Return the busy cycles between two readings of CPUs; NaN if unknown."""
    first = {number(cpu, "cpu"): cpu for cpu in before}
    busy = 0.0 if after else NAN
    for cpu in after:
        was = first.get(number(cpu, "cpu"))
        time, idle, cycles = (number(cpu, key) - number(was, key)
                              for key in ("time_ns", "idle_ns", "cycles"))
        if not time > 0 or math.isnan(idle):
            return NAN
        busy += cycles * min(max(1 - idle / time, 0.0), 1.0)
    return busy
