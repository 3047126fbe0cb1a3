# SPDX-License-Identifier: GPL-2.0
"""Which remedies there are for a run: from the rows of keywords, and of settings.

The rows say how a keyword or a setting may be changed, within which bounds, and where
it has a meaning; the verdict's remedies and the doctor's say which to try first.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .. import keys, units
from ..record import Json, array, at, text
from .options import Words
from .setting import Choice, Setting

#: From one value to the next, up or down.
FACTOR = 4
#: A change, and the one that would undo it.
OPPOSITE = {"more": "less", "less": "more", "apart": "together", "together": "apart"}
#: The sysctl of an end that a socket follows without the keyword; TCP tunes buffers.
UNSET = {"rcvbuf": ("sink", "net.core.rmem_default"),
         "sndbuf": ("source", "net.core.wmem_default"),
         "congestion": ("source", "net.ipv4.tcp_congestion_control")}


@dataclass(frozen=True)
class Setup:
    """Words of a run, and the settings of hosts that it is made with."""

    words: Words
    #: settings that differ from what they were
    settings: Mapping[Setting, str] = field(default_factory=dict)


class Remedy(Protocol):
    """A change that may help a run."""

    @property
    def title(self) -> str:
        """What it is called."""

    @property
    def applies(self) -> frozenset[str]:
        """How the verdict, or a remedy that it takes back, names it."""

    @property
    def back(self) -> str:
        """What would take it back, as *applies* has it."""

    @property
    def name(self) -> str:
        """The keyword, or the name of the setting."""

    @property
    def goal(self) -> str:
        """What it makes of it: "more", "less", or another change."""

    def to(self, setup: Setup) -> Setup:
        """Return a setup with it."""


@dataclass(frozen=True)
class Candidate:
    """A remedy that can be applied by words of a run."""

    name: str
    goal: str
    #: keywords and their new values, None for one that is left out
    values: tuple[tuple[str, str | None], ...]
    #: what would take it back, as the verdict would name it
    back: str = ""

    @property
    def title(self) -> str:
        """The words."""
        return " ".join(f"without {keyword}" if value is None else
                        f"{keyword} {value}".strip() for keyword, value in self.values)

    @property
    def applies(self) -> frozenset[str]:
        """How the verdict names it."""
        return frozenset((f"{self.name} {self.goal}", self.title))

    def to(self, setup: Setup) -> Setup:
        """Return a setup with it."""
        changed = dict(setup.words)
        for keyword, value in self.values:
            changed.pop(keyword, None)
            if value is not None:
                changed[keyword] = value
        return Setup(changed, setup.settings)


@dataclass(frozen=True)
class HostCandidate:
    """A remedy that changes settings of a host, all of one row at one end."""

    choices: tuple[Choice, ...]
    now: str
    value: str
    goal: str = "more"

    @property
    def name(self) -> str:
        """The name of the setting."""
        return str(self.choices[0].row["name"])

    def _title(self, value: str) -> str:
        first = self.choices[0]
        # Of several numbers the last one is the limit.
        return f"{first.row['short']} {value.split()[-1]} at {first.end}"

    @property
    def title(self) -> str:
        """What it becomes, and where."""
        return self._title(self.value)

    @property
    def applies(self) -> frozenset[str]:
        """How the verdict names it."""
        return frozenset((f"{self.name} {self.goal}", self.title))

    @property
    def back(self) -> str:
        """What would take it back."""
        return self._title(self.now)

    def to(self, setup: Setup) -> Setup:
        """Return a setup with it."""
        becomes = dict(setup.settings)
        for one in self.choices:
            if self.value == one.was:
                becomes.pop(one.setting, None)
            else:
                becomes[one.setting] = self.value
        return Setup(setup.words, becomes)


@dataclass(frozen=True)
class Together:
    """Two remedies, neither of which may help without the other."""

    one: Remedy
    other: Remedy
    back: str = ""
    name: str = ""
    goal: str = ""

    @property
    def title(self) -> str:
        """Both."""
        return f"{self.one.title}, {self.other.title}"

    @property
    def applies(self) -> frozenset[str]:
        """A verdict names none of two."""
        return frozenset((self.title,))

    def to(self, setup: Setup) -> Setup:
        """Return a setup with both."""
        return self.other.to(self.one.to(setup))


def fixed(document: Json) -> bool:
    """Whether what limits a run is the path, or a rate that somebody asked for."""
    ends = [text(one, "end") for one in array(document, keys.REMEDIES)]
    return bool(ends) and set(ends) <= {"path", "demand"} and \
        text(document, keys.SURE) in ("medium", "high")


def fits(row: Json, document: Json) -> bool:
    """Whether a keyword or a choice has a meaning in a run.

    Of its transports the run has one, and of its layers and engines one.
    """
    places = set(row.get("for", ()))
    engine = text(document, "source.config.engine") or "ktput"
    transports = places & {"tcp", "udp"}
    here = {f"engine {engine}"} if engine != "ktput" else {
        f"layer {text(document, keys.SOURCE_LAYER)}",
        f"sink-layer {text(document, keys.SINK_LAYER)}"}
    return (not transports or text(document, keys.TRANSPORT[0]) in transports) and \
        (places == transports or bool(places & here))


def _config(document: Json, keyword: str) -> Json:
    """Return a setting of a run, as its record has it."""
    end, _, name = keyword.rpartition("-")
    return next((found for one in ([end] if end else keys.ENDS)
                 for key in (name, f"{name}_bytes")
                 if (found := at(document, f"{one}.config.{key}")) is not None), None)


def _bound(row: Json, key: str, otherwise: float) -> float:
    """Return a bound of a row: a count, or a size such as 1 GiB."""
    word = (text(row, key) or "").replace(" ", "").removesuffix("B")
    return units.parse_size(word.removesuffix("i")) if word else otherwise


def _scaled(row: Json, document: Json, factor: float) -> str | None:
    """Return a number that is greater or smaller, within the bounds of its row."""
    keyword = row["keyword"]
    now = _config(document, keyword) if text(document, keys.TRANSPORT[0]) == "tcp" \
        else _now(document, keyword)
    if now is None:
        return None
    now = float(now)
    value = min(max(math.floor(now * factor), _bound(row, "min", 1)),
                _bound(row, "max", math.inf))
    return None if value == now else f"{value:.0f}"


def _cpus(document: Json, apart: bool) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield CPUs of both ends, if these are on one host with two CPUs or more."""
    online = text(document, "environment.cpu.online") or ""
    known = [int(one) for part in online.split(",") if part
             for first, _, last in [part.partition("-")]
             for one in range(int(first), int(last or first) + 1)]
    half = len(known) // 2
    if not half or at(document, "source.config") is None or \
            at(document, "sink.config") is None:
        return
    lists = [",".join(map(str, some)) for some in (
        (known[:half], known[half:]) if apart else (known[:1], known[:1]))]
    if lists != [str(_config(document, one)) for one in ("source-cpus", "sink-cpus")]:
        yield ("cpus", lists[0]), ("sink-cpus", lists[1])


def _now(document: Json, keyword: str) -> Json:
    """Return the value of a keyword in use, None if it is not known."""
    now = _config(document, keyword)
    if now is None and keyword in UNSET:
        end, name = UNSET[keyword]
        now = (at(document, f"environment.{end}.sysctls") or {}).get(name)
    return now


def _values(row: Json, change: str, words: Words, document: Json,
            offered: Callable[[str], Sequence[str]]
            ) -> Iterator[tuple[tuple[str, str | None], ...]]:
    """Yield what a change of a keyword may make of it."""
    keyword = row["keyword"]
    if change in ("more", "less"):
        value = _scaled(row, document, FACTOR if change == "more" else 1 / FACTOR)
        if value is not None:
            yield ((keyword, value),)
    elif change == "none" and keyword in words:
        yield ((keyword, None),)
    elif change == "on" and keyword not in words:
        yield ((keyword, ""),)
    elif change == "other":
        choices = [text(one, "word") or "" for one in row.get("choices", ())
                   if fits(one, document)]
        for one in choices or offered(keyword):
            if one != _now(document, keyword):
                yield ((keyword, one),)
    elif change in ("apart", "together") and not {"remote", "alone"} & words.keys():
        yield from _cpus(document, change == "apart")


def _back(row: Json, change: str, document: Json) -> str:
    return f"{row['keyword']} {OPPOSITE.get(change) or _now(document, row['keyword'])}"


def candidates(rows: Sequence[Json], words: Words, document: Json,
               offered: Callable[[str], Sequence[str]]) -> Iterator[Candidate]:
    """Yield what keywords may change in a run.

    *offered* returns what a shell would offer as the value of a keyword.
    """
    for row in rows:
        if not fits(row, document):
            continue
        for change in (text(row, "changes") or "").split():
            for values in _values(row, change, words, document, offered):
                yield Candidate(row["keyword"], change, values,
                                _back(row, change, document))


def host_candidates(groups: Sequence[Sequence[Choice]], setup: Setup
                    ) -> Iterator[HostCandidate]:
    """Yield what settings of hosts may become; of *groups*, each changes together."""
    for group in groups:
        first = group[0]
        now = setup.settings.get(first.setting, first.was)
        for value in first.offers(now):
            yield HostCandidate(tuple(group), now, value)


def pairs(found: Sequence[Remedy]) -> Iterator[Together]:
    """Yield two remedies each, of a setting and of what its row needs beside it.

    That may be the same setting of the other end.
    """
    for i, one in enumerate(found):
        if isinstance(one, HostCandidate):
            beside = one.choices[0].row.get("with")
            others = found[i + 1:] if beside == one.name else found
            for other in others:
                if beside and other.name == beside and other.goal != "less":
                    yield Together(one, other)


def ranked(found: Sequence[Remedy], document: Json, tried: Collection[str] = (),
           ill: Collection[str] = ()) -> list[Remedy]:
    """Return remedies in the order in which they are tried.

    Those that the verdict names come first, then keywords, settings that may lift what
    binds or that the doctor found *ill*, other settings, and two at a time. Those among
    the *tried* come last of their kind.
    """
    verdict = [text(one, "apply") for one in array(document, keys.REMEDIES)]
    binding = text(document, keys.BINDING)

    def kind(one: Remedy) -> int:
        if isinstance(one, Together):
            return 3
        if not isinstance(one, HostCandidate):
            return 0
        row = one.choices[0].row
        return 1 if binding in row.get("binds", ()) or row.get("doctor") in ill else 2

    def rank(one: Remedy) -> tuple[int, int, bool]:
        return (min((i for i, name in enumerate(verdict) if name in one.applies),
                    default=len(verdict)), kind(one), one.title in tried)

    return sorted(found, key=rank)


def verdict_of(document: Json) -> Mapping[str, Json]:
    """Return what limits a run, for a record."""
    return {key: found for key in ("binding", "binding_because", "sure", "try")
            if (found := text(document, f"result.{key}")) is not None}
