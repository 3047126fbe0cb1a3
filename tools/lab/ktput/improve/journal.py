# SPDX-License-Identifier: GPL-2.0
"""What a search has changed on hosts, written down before it is changed, and undone.

A process holds the lock of the folder from its first change until all is undone. Its
guard, a shell that no signal reaches, undoes what is left if the process is killed;
"improve undo" does so where the guard is gone too, or where another host could not be
reached. The folder is empty after a boot, and so are the settings.
"""

import contextlib
import fcntl
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType

from ..output import CommandError
from ..scenario.host import Change, Host
from .setting import Place, Setting, SettingError

FOLDER = Path("/run/ktput")
#: Settings and their values.
Values = Mapping[Setting, str]


@dataclass(frozen=True)
class Entry:
    """A setting that is changed, or is about to be."""

    setting: Setting
    was: str
    #: what it was to become
    asked: str
    #: what it became; None until that is known
    value: str | None = None

    def undo(self) -> str:
        """Undo it; return what is to be said. Raises SettingError.

        What somebody else changed meanwhile stays as it is.
        """
        setting = self.setting
        now = setting.now()
        if now == self.was:
            return ""
        if self.value is not None and now != self.value:
            return (f"{setting.name} is '{now}' by somebody else, and stays so; it was "
                    f"'{self.was}'")
        setting.place.run(setting.settled(setting.back(self.was)))
        left = setting.now()
        if left != self.was:
            raise SettingError(f"{setting.name} is '{left}' after "
                               f"'{setting.place.shown(setting.back(self.was))}'")
        return ""


class Journal:
    """The file of changes, and its lock."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Take the lock; raises CommandError if another process has it."""
        self.file = folder / "improve.jsonl"
        try:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            self.lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise CommandError(f"{folder}: {error.strerror}") from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.lock)
            raise CommandError(
                "another search changes settings now; it restores them when it "
                "ends") from None
        self.entries = _entries(self.file)

    def put(self, entry: Entry) -> None:
        """Write an entry down, in the place of an earlier one of its setting."""
        self.entries[entry.setting] = entry
        self._write()

    def drop(self, setting: Setting) -> None:
        """Forget a setting."""
        del self.entries[setting]
        self._write()

    def _write(self) -> None:
        if not self.entries:
            self.file.unlink(missing_ok=True)
            return
        new = self.file.with_suffix(".new")
        with new.open("w") as file:
            file.writelines(json.dumps(asdict(one)) + "\n"
                            for one in self.entries.values())
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.file)

    def undo(self) -> list[str]:
        """Undo all, the latest first; return what is to be said of it.

        What cannot be undone now stays in the file.
        """
        said = []
        for one in self.latest_first():
            try:
                said.append(one.undo())
            except SettingError as error:
                said.append(f"not restored: {error}")
            else:
                self.drop(one.setting)
        return [one for one in said if one]

    def latest_first(self) -> list[Entry]:
        """Return the entries in the order in which they are undone."""
        return list(reversed(self.entries.values()))

    def close(self) -> None:
        """Give the lock back."""
        os.close(self.lock)


def _entries(file: Path) -> dict[Setting, Entry]:
    """Return the entries of a file by their settings, none if there is none."""
    found = {}
    with contextlib.suppress(FileNotFoundError):
        for line in file.read_text().splitlines():
            of = json.loads(line)
            place = Place(**of["setting"].pop("place"))
            setting = Setting(place, **of.pop("setting"))
            found[setting] = Entry(setting, **of)
    return found


def left_behind(folder: Path = FOLDER) -> int:
    """Return how many settings an earlier search left changed."""
    return len(_entries(folder / "improve.jsonl"))


class Changes:
    """The settings of hosts while a search goes on."""

    def __init__(self, program: str, folder: Path = FOLDER) -> None:
        """Take the lock, and start the guard; *program* is ktput-ctl."""
        self.journal = Journal(folder)
        self.not_undone: list[str] = []
        self.guard = Host()
        self.guard.do([Change(":", f"[ ! -e {shlex.quote(str(self.journal.file))} ] || "
                                   f"{shlex.quote(program)} -j improve undo")])

    def __enter__(self) -> "Changes":
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Undo all."""
        self.not_undone += self.journal.undo()
        self.journal.close()
        # It has nothing to do any more but for what could not be restored.
        self.guard.undo()

    def become(self, wanted: Values) -> None:
        """Make settings what is wanted, and others what they were.

        Raises SettingError if one is refused, or if somebody else changed one.
        """
        for one in self.journal.latest_first():
            if one.setting not in wanted:
                said = one.undo()
                self.journal.drop(one.setting)
                if said:
                    self.not_undone.append(said)
        for setting, value in wanted.items():
            self._set(setting, value)

    def _set(self, setting: Setting, asked: str) -> None:
        known = self.journal.entries.get(setting)
        now = setting.now()
        if known is not None and now != known.value:
            raise SettingError(f"{setting.name} is '{now}': somebody else changed it")
        if now == asked or (known is not None and known.asked == asked):
            return
        entry = Entry(setting, known.was if known else now, asked)
        self.journal.put(entry)
        line = setting.line(asked)
        # The guard does it, so that it cannot be under way when the guard undoes it.
        failed = self.guard.attempt(Change(shlex.join(
            setting.place.words(setting.settled(line)))))
        value = setting.now()
        if value == entry.was:
            self.journal.drop(setting)
        else:
            self.journal.put(replace(entry, value=value))
        if failed:
            raise SettingError(f"{setting.place.shown(line)} {failed}")
        if value == now:
            raise SettingError(f"{setting.name} stays '{now}': "
                               f"'{asked}' is not taken")
