# SPDX-License-Identifier: GPL-2.0
"""Setups: a kernel, its command line, and what is prepared on it."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..command import UsageError
from ..record import Json

SUFFIX = ".toml"
KEYS = ("kernel", "append", "prepare", "prepare-file", "options")


@dataclass(frozen=True)
class Setup:
    """What is booted, and prepared before it is measured."""

    name: str
    #: a version or release as vm/run takes it, or the directory of a build tree
    kernel: str
    #: more words for the kernel's command line
    append: str = ""
    #: shell commands that run in the guest, with the namespaces $near and $far
    prepare: str = ""
    #: options of the kernel's configuration that have to be y or m
    options: tuple[str, ...] = ()

    def document(self) -> Json:
        """Return it for a record."""
        return {"name": self.name, "kernel": self.kernel, "append": self.append,
                "prepare": self.prepare, "options": list(self.options)}


def _text(path: Path, members: Json, key: str) -> str:
    value = members.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{path}: '{key}' is no text")
    return value


def _members(path: Path) -> Json:
    try:
        members = tomllib.loads(path.read_text())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    for key in members:
        if key not in KEYS:
            raise UsageError(f"{path}: unknown key '{key}'")
    return members


def _script(path: Path, members: Json) -> str:
    """Return the commands, of the file or of another one."""
    prepare, script = (_text(path, members, key) for key in ("prepare", "prepare-file"))
    if not script:
        return prepare
    if prepare:
        raise UsageError(f"{path}: 'prepare' contradicts 'prepare-file'")
    try:
        return (path.parent / script).read_text()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: '{script}' cannot be read: {error}") from None


def _read(path: Path) -> Setup:
    members = _members(path)
    kernel = _text(path, members, "kernel")
    if not kernel:
        raise UsageError(f"{path}: 'kernel' is missing")
    if "/" in kernel:
        kernel = str((path.parent / kernel).resolve())
    options = members.get("options", [])
    if not isinstance(options, list) or not all(isinstance(one, str)
                                                for one in options):
        raise UsageError(f"{path}: 'options' is no list of texts")
    return Setup(path.name.removesuffix(SUFFIX), kernel,
                 _text(path, members, "append"), _script(path, members),
                 tuple(options))


def setup_of(word: str) -> Setup:
    """Return the setup of a word: a file, a build tree or a kernel; raises UsageError.

    A word that has a slash is a path, and so is ".".
    """
    path = Path(word)
    if word.endswith(SUFFIX):
        return _read(path)
    if word.startswith("-"):
        raise UsageError(f"'{word}' is no setup; options precede the command")
    if "/" not in word and word != ".":
        return Setup(word, word)
    if not path.is_dir():
        raise UsageError(f"'{word}' is no build tree, and its name does not end in "
                         f"{SUFFIX}")
    return Setup(path.resolve().name, str(path.resolve()))


def setups_of(words: Sequence[str]) -> list[Setup]:
    """Return the setups of words, with different names; raises UsageError."""
    found: list[Setup] = []
    for word in words:
        setup, count = setup_of(word), 1
        name = setup.name
        while any(one.name == name for one in found):
            count += 1
            name = f"{setup.name} ({count})"
        found.append(Setup(name, setup.kernel, setup.append, setup.prepare,
                           setup.options))
    return found


def missing_option(config: str, options: Sequence[str]) -> str | None:
    """Return the first of *options* that a kernel's configuration does not have."""
    has = {line.partition("=")[0] for line in config.splitlines()
           if line.endswith(("=y", "=m"))}
    names = (one if one.startswith("CONFIG_") else f"CONFIG_{one}" for one in options)
    return next((name for name in names if name not in has), None)
