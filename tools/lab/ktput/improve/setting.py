# SPDX-License-Identifier: GPL-2.0
"""Settings of hosts: the rows of settings.toml, at the ends of a run."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import keys
from ..record import Json, at, text
from ..scenario.hosts import SSH
from .options import Words

#: From one value to the next, as with keywords.
FACTOR = 4
SINK, SOURCE, BOTH = "sink", "source", "both"


class SettingError(Exception):
    """A host refused a command; the text says which, and why."""


@dataclass(frozen=True)
class Place:
    """Where a command line is run: this host, or another; a namespace of it."""

    host: str = ""
    netns: str = ""

    @property
    def title(self) -> str:
        """Its name, empty for the host and namespace that the command is run in."""
        return " ".join(filter(None, (self.host, self.netns)))

    def shown(self, line: str) -> str:
        """Return a command line for it as somebody would type it."""
        if self.netns:
            # Redirections and lists are of the shell in the namespace.
            line = f"ip netns exec {shlex.quote(self.netns)} " + (
                f"sh -c {shlex.quote(line)}" if re.search("[>|;&]", line) else line)
        return line if not self.host else \
            f"ssh {shlex.quote(self.host)} {shlex.quote(line)}"

    def words(self, line: str) -> list[str]:
        """Return the words of the program that runs a command line there."""
        words = ["sh", "-c", line]
        if self.netns:
            words = ["ip", "netns", "exec", self.netns, *words]
        if self.host:
            words = ["bash", "-c", SSH + '"$1"\'', "ssh", self.host, shlex.join(words)]
        return words

    def run(self, line: str) -> str:
        """Run a command line; return what it prints. Raises SettingError."""
        # Ctrl-C shall not cut a change in two: the group is another one.
        done = subprocess.run(self.words(line), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace",
                              process_group=0, check=False)
        if done.returncode:
            said = done.stderr.strip().splitlines()
            raise SettingError(f"{self.shown(line)}: "
                               f"{said[-1] if said else f'status {done.returncode}'}")
        return done.stdout

    def read(self, lines: Sequence[str]) -> list[str]:
        """Return what each of the lines prints, empty for one that fails, at once."""
        if not lines:
            return []
        said = self.run("".join(
            f"value=$({line} 2>/dev/null); printf '%s\\0' \"$value\"\n"
            for line in lines))
        found = said.split("\0")[:-1]
        if len(found) != len(lines):
            raise SettingError(f"{self.title or 'this host'} answers less than asked")
        return found


@dataclass(frozen=True)
class Setting:
    """A setting of a place."""

    place: Place
    #: what it is called, such as "sysctl net.ipv4.tcp_rmem"
    name: str
    #: command lines, two of them with {value}
    read: str
    write: str
    restore: str
    #: waits until what it is of is ready again; may be empty
    settle: str = ""

    def now(self) -> str:
        """Return its value; raises SettingError."""
        return self.place.read([self.read])[0]

    def settled(self, line: str) -> str:
        """Return a command line that changes it, and waits until it is ready."""
        return f"{line} && ({self.settle})" if self.settle else line

    def line(self, value: str) -> str:
        """Return the command line that sets it."""
        return self.write.replace("{value}", shlex.quote(value))

    def back(self, value: str) -> str:
        """Return the command line that makes of it again what it was."""
        return self.restore.replace("{value}", shlex.quote(value))


@dataclass(frozen=True)
class Choice:
    """A setting of an end with its value, and what it may become."""

    setting: Setting
    was: str
    row: Json
    end: str
    #: values from the row; empty where it becomes more
    values: tuple[str, ...]

    def offers(self, now: str) -> list[str]:
        """Return what it may become from a value."""
        change = text(self.row, "change")
        if change is None:
            return [one for one in self.values if one != now]
        numbers = now.split()
        if not numbers or not all(one.isdigit() and int(one) for one in numbers):
            return []
        return [" ".join(str(int(one) * FACTOR)
                         if change == "all more" or i == len(numbers) - 1 else one
                         for i, one in enumerate(numbers))]


def place_of(end: str, words: Words, document: Json) -> Place | None:
    """Return where the settings of an end are, None if they are out of reach."""
    if at(document, f"{end}.config") is None:
        return None
    near = SINK if "reverse" in words else SOURCE
    host = words.get("remote", "") if end != near else ""
    netns = words.get("netns" if end == SOURCE else "sink-netns",
                      "" if "remote" in words else words.get("netns", ""))
    # ip-netns(8) takes names alone.
    return None if "/" in netns or netns.isdigit() else Place(host, netns)


def _fill(line: str, row: Mapping[str, Json]) -> str:
    """Return a command line with members of a row, and theirs, but for {value}."""
    return re.sub(r"\{(\w+)\}", lambda found: found[0] if found[1] == "value" else
                  _fill(str(row[found[1]]), row), line)


def _setting(place: Place, of: Json) -> Setting:
    """Return the setting of a row, filled in."""
    read, write, restore, settle = (_fill(line, of) for line in (
        of["read"], of["write"], of.get("restore", of["write"]), of.get("settle", "")))
    return Setting(place, " ".join(filter(None, (of["name"], of["item"]))), read, write,
                   restore, settle)


def _instances(of: Json, places: Sequence[Place]
               ) -> Iterator[tuple[Setting, str]]:
    """Yield each setting of a row at an end, with its value, where it is first found.

    A namespace lacks the sysctls that are of the whole host.
    """
    for place in places:
        items = place.read([_fill(of["items"], of)])[0].split() if "items" in of \
            else [""]
        each = [{**of, "item": item} for item in items]
        values = place.read([_fill(of["read"], one) for one in each])
        found = [(_setting(place, one), value)
                 for one, value in zip(each, values, strict=True) if value]
        if found:
            yield from found
            return


def choices(rows: Sequence[Json], words: Words, document: Json) -> list[list[Choice]]:
    """Return what each row may change at each end of a run; raises SettingError.

    What is one row's at one end is changed together.
    """
    found: list[list[Choice]] = []
    seen: set[Setting] = set()
    for end in keys.ENDS:
        place = place_of(end, words, document)
        device = text(document, f"environment.{end}.device.name")
        if place is None:
            continue
        for row in rows:
            if row["at"] not in (end, BOTH) or row.get("for") not in (
                    None, text(document, keys.TRANSPORT[0])):
                continue
            of = {**row, "device": shlex.quote(device or "")}
            if device is None and any("{device}" in str(one) for one in row.values()):
                continue
            places = [place, Place(place.host)] if row["kind"] == "sysctl" and \
                place.netns else [place]
            some = [(setting, was) for setting, was in _instances(of, places)
                    if setting not in seen and row.get("only", was) == was]
            seen.update(setting for setting, _ in some)
            values = row.get("values", ())
            if isinstance(values, str):
                values = place.read([_fill(values, of)])[0].split()
            if some:
                found.append([Choice(setting, was, row, end, tuple(values))
                              for setting, was in some])
    return found


def findings(words: Words, document: Json, program: str) -> list[tuple[str, str]]:
    """Return what the doctor of each end's host finds: names, and what mends them."""
    found: dict[str, str] = {}
    for end in keys.ENDS:
        place = place_of(end, words, document)
        device = text(document, f"environment.{end}.device.name")
        if place is None or not device:
            continue
        line = shlex.join(["ktput-ctl" if place.host else program, "-j", "doctor",
                           "dev", device])
        try:
            # It fails where something is bad.
            said = place.run(f"{line} 2>/dev/null || :")
        except SettingError:
            continue
        found |= dict(_bad(said))
    return list(found.items())


def _bad(said: str) -> Iterator[tuple[str, str]]:
    try:
        document = json.loads(said)
    except ValueError:
        return
    for one in document.get("findings", ()):
        if text(one, "state") in ("note", "bad"):
            yield one["name"], text(one, "remedy") or ""


def may_cut(words: Words) -> bool:
    """Whether somebody may be connected to this host, or to another, by the device."""
    return "remote" in words or bool(os.environ.get("SSH_CONNECTION"))
