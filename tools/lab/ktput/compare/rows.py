# SPDX-License-Identifier: GPL-2.0
"""Rows of the price list, as price_list.toml has them, and the runs of each."""

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as File

from ..command import UsageError

LIST = File(__file__).parent / "price_list.toml"
#: A path costs what long runs take beyond short ones: datagrams, and MiB of a stream. A
#: row costs what its long runs take beyond those of its path.
DATAGRAMS, STREAM_MIB = (500, 4500), (8, 24)
MIB, KIB = 2 ** 20, 2 ** 10
#: Runs of a line, the first of which fills caches of the kernel. Some of the others
#: have half a million instructions of ktput-ctl's in them. QEMU counts what the guest
#: does beside a run, too: more runs have one that is alone.
RUNS, COUNTED_RUNS = 5, 6
#: Where the commands of a row run.
SEND, RECEIVE, BOTH, BETWEEN = "send", "receive", "both", "between"
PLACES = (SEND, RECEIVE, BOTH, BETWEEN)


@dataclass(frozen=True)
class Figure:
    """One cost of a row."""

    key: str
    title: str
    unit: str
    #: payload of a datagram; 0 with TCP
    size_bytes: int = 0

    @property
    def cost(self) -> str:
        """Key of the cost."""
        return f"instructions_per_{self.unit}"

    @property
    def units(self) -> tuple[float, float]:
        """Packets, or KiB, of a short and of a long run."""
        if self.size_bytes:
            return DATAGRAMS
        return STREAM_MIB[0] * MIB / KIB, STREAM_MIB[1] * MIB / KIB


FIGURES = (Figure("udp_64", "UDP, 64 B", "packet", 64),
           Figure("udp_1448", "UDP, 1448 B", "packet", 1448),
           Figure("tcp", "TCP, a KiB", "kib"))


@dataclass(frozen=True)
class Path:
    """What is sent, and how."""

    name: str
    title: str
    #: words of "ktput-ctl start"
    udp: str
    tcp: str
    #: what the size of a datagram has beside its payload
    header_bytes: int = 0
    #: a namespace between the two ends forwards
    router: bool = False

    @property
    def programs(self) -> bool:
        """Whether programs send and receive."""
        return "layer user" in self.udp

    def lines(self, short: bool) -> list[str]:
        """Return the words of the runs of each figure: long, before it *short*."""
        found = []
        for one in FIGURES:
            for length in (DATAGRAMS if one.size_bytes else STREAM_MIB)[not short:]:
                found.append(f"udp size {one.size_bytes + self.header_bytes} "
                             f"messages {length} {self.udp}" if one.size_bytes else
                             f"tcp bytes {length}M {self.tcp}")
        return found


@dataclass(frozen=True)
class Row:
    """What somebody puts into the path."""

    name: str
    group: str
    at: tuple[str, ...] = (BOTH,)
    path: str = "sockets"
    commands: str = ""
    to: str = ""
    wrap: str = ""
    options: tuple[str, ...] = ()
    append: str = ""
    cannot: str = ""
    note: str = ""
    #: what it is compared with: a path, or another row; empty for its own path
    against: str = ""


def _row(members: Mapping[str, object]) -> Row:
    """Return the row of a table; lists become tuples."""
    row = Row(**{key: tuple(value) if isinstance(value, list) else value
                 for key, value in members.items()})  # type: ignore[arg-type]
    assert set(row.at) <= set(PLACES), row.name  # noqa: S101
    return row


def read() -> tuple[dict[str, Path], list[Row]]:
    """Return the paths by their name, and the rows."""
    of = tomllib.loads(LIST.read_text())
    return ({name: Path(name, **members) for name, members in of["paths"].items()},
            [_row(members) for members in of["row"]])


def chosen(rows: Sequence[Row], only: Sequence[str]) -> list[Row]:
    """Return the rows whose name or group is wanted, and what they are compared with.

    Raises UsageError.
    """
    if not only:
        return list(rows)
    for word in only:
        if not any(word in (row.name, row.group) for row in rows):
            raise UsageError(f"only: no row and no group is called '{word}'")
    wanted = [row for row in rows if row.name in only or row.group in only]
    beside = {row.against for row in wanted}
    return [row for row in rows if row in wanted or row.name in beside]


@dataclass(frozen=True)
class Step:
    """A row at one place, or a path alone: what is measured between two namespaces."""

    row: Row
    at: str
    path: Path
    #: runs of each line
    repeat: int = RUNS

    @property
    def is_base(self) -> bool:
        """Whether others are compared with it."""
        return not self.row.group

    @property
    def has_short(self) -> bool:
        """Whether it has short runs of its own.

        Start and end of a run take the same as those of its path, but in another boot.
        """
        return self.is_base or bool(self.row.append)

    def shell(self) -> str:
        """Return what prices.sh reads."""
        values = {"at": self.at, "router": "1" if self.path.router else "",
                  "to": self.row.to or ("10.0.2.2" if self.path.router else "10.0.3.2"),
                  "wrap": self.row.wrap, "repeat": str(self.repeat),
                  "runs": "\n".join(self.path.lines(self.has_short))}
        return "".join(f"{key}={shlex.quote(value)}\n" for key, value in values.items())


#: Rows between two measurements of their paths alone.
BASES_EVERY = 12


def boots_of(rows: Sequence[Row]) -> list[str]:
    """Return the words for the kernel's command line of each boot.

    The first has none: it measures the paths of all rows alone.
    """
    return [*dict.fromkeys(["", *(row.append for row in rows if not row.cannot)])]


def steps_of(rows: Sequence[Row], paths: Mapping[str, Path], boot: str,
             counted: bool = False) -> list[Step]:
    """Return what a boot measures: rows, with their paths alone between them.

    QEMU counts, too, if *counted*. In a boot with words of its own, a row without
    commands is its path alone.
    """
    repeat = COUNTED_RUNS if counted else RUNS
    able = [row for row in rows if not row.cannot]
    every = [Step(row, place, paths[row.path], repeat) for row in able
             if row.append == boot for place in row.at]
    if boot:
        return every
    found: list[Step] = []
    for begin in range(0, len(every), BASES_EVERY):
        some = every[begin:begin + BASES_EVERY]
        found += [*_bases([step.row for step in some], paths, repeat), *some]
    return [*found, *_bases(able, paths, repeat)]


def _bases(rows: Sequence[Row], paths: Mapping[str, Path], repeat: int) -> list[Step]:
    names = dict.fromkeys(name for row in rows for name in (row.path, row.against)
                          if name in paths)
    return [Step(Row(name, "", path=name), BOTH, paths[name], repeat)
            for name in names]
