# SPDX-License-Identifier: GPL-2.0
"""A file of records, one on each line, as ktput-ctl writes it."""

import fcntl
import json
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .command import Values
from .output import CommandError
from .record import Json, RecordWarning


class RecordFile:
    """A file of records; an existing file is kept until the first record is written."""

    def __init__(self, path: str, replace: bool) -> None:
        """Check that *path* is writable; raises CommandError."""
        self.path = path
        self.replace = replace
        self.target = os.path.realpath(path)
        folder = os.path.dirname(self.target)
        try:
            if os.path.exists(self.target):
                os.close(os.open(self.target, os.O_WRONLY))
                # Only a regular file can be replaced.
                self.replace = replace and stat.S_ISREG(os.stat(self.target).st_mode)
            if (self.replace or not os.path.exists(self.target)) and \
                    not os.access(folder, os.W_OK | os.X_OK):
                os.close(os.open(folder, os.O_DIRECTORY | os.O_TMPFILE | os.O_WRONLY))
        except OSError as error:
            raise self._refusal(error) from None
        if not self.replace and _ends_cut(self.target):
            warnings.warn(f"{path} ends in the middle of a record: what reads it "
                          "leaves that one out", RecordWarning, stacklevel=2)

    def add(self, line: bytes) -> None:
        """Write a record completely or not at all; raises CommandError."""
        try:
            if self.replace:
                self._replace(line + b"\n")
            else:
                self._append(line + b"\n")
        except OSError as error:
            raise self._refusal(error) from None
        self.replace = False

    def _refusal(self, error: OSError) -> CommandError:
        return CommandError(f"cannot write the record '{self.path}': {error.strerror}")

    def _append(self, line: bytes) -> None:
        with open(self.target, "ab+", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                _write_all(file.fileno(), line)
                return
            # Other runs may write to the same file.
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            # Do not append to an incomplete line.
            before = b"\n" if size and os.pread(file.fileno(), 1, size - 1) != b"\n" \
                else b""
            try:
                _write_all(file.fileno(), before + line)
            except OSError:
                file.truncate(size)
                raise

    def _replace(self, line: bytes) -> None:
        with tempfile.NamedTemporaryFile(
                dir=os.path.dirname(self.target), delete=False,
                prefix=os.path.basename(self.target) + ".") as file:
            try:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(file.fileno(), 0o666 & ~mask)
                _write_all(file.fileno(), line)
                os.replace(file.name, self.target)
            except OSError:
                os.unlink(file.name)
                raise


def _ends_cut(path: str) -> bool:
    """Whether a regular file ends in the middle of a document."""
    last = b""
    with suppress(OSError), open(path, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return False
        at = file.seek(0, os.SEEK_END)
        while at and b"\n" not in last:
            length = min(at, 65536)
            at = file.seek(at - length)
            last = file.read(length) + last
            file.seek(at)
    last = last[last.rfind(b"\n") + 1:]
    try:
        return bool(last.strip()) and json.loads(last) is None
    except ValueError:
        return True


def record_of(values: Values) -> RecordFile | None:
    """Return the file of the words record and replace; None without them."""
    if not values["record"]:
        return None
    return RecordFile(values["record"], bool(values["replace"]))


def kept(path: str | None) -> Iterator[Json]:
    """Yield what a file of records has, whole lines alone: the last may be cut off."""
    try:
        lines = Path(path).read_text(errors="replace").splitlines() if path else []
    except OSError:
        return
    for line in lines:
        with suppress(ValueError):
            yield json.loads(line)


def _write_all(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content):]
