# SPDX-License-Identifier: GPL-2.0
"""A program with a command and keyword arguments.

The grammar is that of ktput-ctl in tools/base/command.c and options.c: options before
the command, help anywhere, one row for each keyword.
"""

import getopt
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import groupby
from typing import Any, TextIO

from .output import WIDTH, CommandError, Output
from .record import Json, RecordError, RecordWarning

DONE, FAILED, USAGE = 0, 1, 2
HELP_COLUMN = 24
HELP = ("help", "--help", "-h")
#: What is said of a word with a hyphen.
HYPHEN = ("; keywords have no hyphen before them, and options, as -j, precede the "
          "command")
LETTERS = "jpsVh"
LONG = ("json", "pretty", "statistics", "version", "help")


class UsageError(Exception):
    """Invalid words; the text says which, and why."""


def guess(word: str, words: Iterable[str]) -> str:
    """Return a question for the one of *words* that is meant: begun, or similar."""
    words = list(words)
    begun = [one for one in words if one.startswith(word)]
    found = begun if len(begun) == 1 else get_close_matches(word, words, 1)
    return "".join(f"; did you mean '{one}'?" for one in found)


def any_file() -> Sequence[str]:
    """Return what completion offers for a file."""
    return (":files",)


@dataclass(frozen=True)
class Option:
    """A row: a keyword and the field that it sets."""

    #: field of the values that it sets; options of one field exclude each other
    field: str
    help: str
    #: the keyword; empty for positional words
    keyword: str = ""
    #: name of the value that follows; if empty, the keyword itself is the value
    argument: str = ""
    required: bool = False
    #: the option may be repeated, and the field is a list
    many: bool = False
    #: all words that follow are the value, a list
    rest: bool = False
    #: the default, as text
    default: str = ""
    #: what completion offers for positional words
    words: Callable[[], Sequence[str]] | None = None

    @property
    def name(self) -> str:
        """Name of the option in error messages."""
        return self.keyword or self.argument

    @property
    def grammar(self) -> str:
        """Keyword and argument."""
        return f"{self.keyword} {self.argument}".strip()

    @property
    def described(self) -> str:
        """Help and default."""
        return self.help + (f" (default: {self.default})" if self.default else "")


Values = dict[str, Any]


@dataclass(frozen=True)
class Command:
    """A command of a program."""

    name: str
    summary: str
    options: Sequence[Option] = ()
    notes: str = ""
    #: prints the result and returns an exit status, None for 0; raises CommandError if
    #: there is none
    run: Callable[[Output, Values], int | None] | None = None
    #: checks values; raises UsageError
    check: Callable[[Output, Values], None] | None = None


@dataclass(frozen=True)
class Program:
    """A program and its commands."""

    name: str
    version: str
    #: help of -s
    statistics: str
    #: commands by name, created on use
    commands: Mapping[str, Callable[[], Command]]
    #: messages by name, for commands of another program
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Command:
        """Return a command; raises UsageError if there is none."""
        if name in self.elsewhere:
            raise UsageError(self.elsewhere[name])
        if name not in self.commands:
            raise UsageError(f"unknown command '{name}'" + guess(name, self.commands))
        return self.commands[name]()

    def usage(self) -> str:
        """Return the text of help."""
        width = max(map(len, self.commands))
        return "\n".join([
            f"Usage: {self.name} [ -j ] [ -p ] [ -s ] COMMAND [ KEYWORD VALUE ]...",
            f"       {self.name} -V | -h | help | help COMMAND | COMMAND help",
            "Options:",
            "  -j, --json        results and errors as JSON",
            "  -p, --pretty      JSON with line breaks, implies -j",
            f"  -s, --statistics  {self.statistics}",
            "  -V, --version     print the version",
            "  -h, --help        print this text",
            "Commands:",
            *(f"  {name:{width}}  {find().summary}"
              for name, find in self.commands.items())])


#: Between two command lines of a command that makes runs of both.
SEPARATOR = "--"


def sides_of(name: str, words: Iterable[str], not_of: Container[str]
             ) -> list[list[str]]:
    """Return the command lines between separators; raises UsageError.

    *not_of* are keywords of runs whose part the command *name* plays itself.
    """
    sides: list[list[str]] = [[]]
    for word in words:
        if word == SEPARATOR:
            sides.append([])
        elif word in not_of:
            raise UsageError(f"'{word}' does not go together with {name}")
        else:
            sides[-1].append(word)
    return sides


def convert(values: Values, **parsers: Callable[[str], Any]) -> None:
    """Convert the words of fields that are given; raises UsageError.

    *parsers* are by field, and raise ValueError.
    """
    for name, parser in parsers.items():
        if values[name] is None:
            continue
        try:
            values[name] = parser(values[name])
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from None


def check_record(values: Values) -> None:
    """Refuse to replace a record that is not asked for."""
    if values["replace"] and not values["record"]:
        raise UsageError("'replace' needs 'record'")


def check_picture(keyword: str, where: str) -> None:
    """Refuse a name for a picture that is neither SVG nor PNG."""
    if not where.endswith((".svg", ".png")) or len(where) <= len(".svg"):
        raise UsageError(f"{keyword}: '{where[:80]}' ends neither in .svg nor in .png")


def _option_lines(option: Option) -> list[str]:
    """Return the description of an option, beside its grammar."""
    lines, head = [], f"  {option.grammar}"
    folded = textwrap.wrap(option.described, WIDTH - HELP_COLUMN,
                           break_on_hyphens=False)
    if len(head) + 2 > HELP_COLUMN:
        lines.append(head)
        head = ""
    lines.append(head.ljust(HELP_COLUMN) + folded[0])
    return lines + [" " * HELP_COLUMN + line for line in folded[1:]]


def command_usage(program: Program, command: Command) -> str:
    """Return the grammar of a command and a description of each option."""
    parts = []
    for _, group in groupby(command.options, lambda option: option.field):
        rows = list(group)
        text = " | ".join(row.grammar for row in rows)
        parts.append(text if rows[0].required else f"[ {text} ]")
    lead = f"Usage: {program.name} {command.name} "
    # Do not break a part unless it is longer than a line.
    joined = [part.replace(" ", "\xa0") if len(lead) + len(part) <= WIDTH else part
              for part in parts]
    lines = textwrap.wrap(" ".join(joined), WIDTH, initial_indent=lead,
                          subsequent_indent=" " * len(lead), break_on_hyphens=False)
    lines = [line.replace("\xa0", " ") for line in lines]
    for option in command.options:
        lines += _option_lines(option)
    return "\n".join([*lines, *([command.notes] if command.notes else [])])


def command_rows(command: Command) -> Json:
    """Return a command and its keywords in the form of ``ktput-ctl -j help``."""
    rows = []
    for option in command.options:
        row: Json = {"keyword": option.keyword} if option.keyword else {}
        for key, value in (("argument", option.argument), ("default", option.default)):
            if value:
                row[key] = value
        rivals = [one.keyword for one in command.options
                  if one.field == option.field and one is not option]
        if rivals:
            row["excludes"] = rivals
        row["help"] = option.help
        rows.append(row)
    return {"commands": [{"command": command.name, "summary": command.summary,
                          "keywords": rows}]}


def _value(option: Option, word: str, rest: Iterator[str]) -> str | list[str]:
    """Return the value that a word gives to its option."""
    value: str | list[str] | None = word
    if option.rest:
        value = list(rest) or None
    elif option.keyword and option.argument:
        value = next(rest, None)
    if value is None:
        raise UsageError(f"'{option.keyword}' lacks its value, {option.argument}")
    if not value:
        raise UsageError(f"{option.name}: the word is empty")
    return value


def _check_required(options: Sequence[Option], given: Container[str],
                    other: str, taken: str) -> None:
    """Refuse that a required field lacks.

    *other* is the first word if it is no keyword, *taken* what the last one is.
    """
    for name, group in groupby(options, lambda option: option.field):
        rows = list(group)
        if not rows[0].required or name in given:
            continue
        names = [f"'{row.name}'" for row in rows]
        listed = " or ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
        if names[1:] and other:
            raise UsageError(f"'{other}' is unknown: give {listed}" + guess(
                other, [row.keyword for row in rows]))
        raise UsageError(f"{listed} is missing" + taken)


def _option_of(word: str, by_keyword: Mapping[str, Option],
               positional: Option | None) -> Option:
    """Return the option of a word; an option of another tool is no file."""
    option = by_keyword.get(word, positional)
    hyphen = word.startswith("-") and word != "-"
    if option is None or (option is positional and hyphen and
                          option.words is any_file and not os.path.exists(word)):
        meant = guess(word.removeprefix("--"), by_keyword)
        raise UsageError(f"unknown word '{word}'" + (meant or HYPHEN * hyphen))
    return option


def parse(options: Sequence[Option], words: Sequence[str]) -> Values | None:
    """Return the values of the words by field, None if they ask for help.

    If several keywords set a field, its value is the pair of keyword and value.
    """
    by_keyword = {option.keyword.split()[0]: option for option in options
                  if option.keyword}
    positional = next((option for option in options if not option.keyword), None)
    fields = [option.field for option in options]
    values: Values = {option.field: [] if option.many else None for option in options}
    given: dict[str, Option] = {}
    rest, taken = iter(words), ""
    for word in rest:
        if word in HELP and word not in by_keyword:
            return None
        option = _option_of(word, by_keyword, positional)
        for more in option.keyword.split()[1:]:
            if next(rest, None) != more:
                raise UsageError(f"after '{word}' comes '{more}'")
        rival = given.setdefault(option.field, option)
        if rival is not option:
            raise UsageError(f"'{option.name}' contradicts '{rival.name}'")
        if values[option.field] and not option.many:
            raise UsageError(f"'{option.name}' is given twice")
        value = _value(option, word, rest)
        taken = f"; '{value}' is the {option.argument} of '{option.keyword}'" \
            if option.keyword and option.argument and isinstance(value, str) else ""
        if option.many:
            values[option.field].append(value)
        elif fields.count(option.field) > 1:
            values[option.field] = (option.keyword, value)
        else:
            values[option.field] = value
    _check_required(options, given, next(
        (word for word in words[:1] if word not in by_keyword), ""), taken)
    return values


def _open(options: Sequence[Option], given: Container[str]) -> Iterator[str]:
    """Yield keywords and positional words that may follow, beside the *given*."""
    for option in options:
        if option.field in given and not option.many:
            continue
        if option.keyword:
            yield f"{option.keyword.split()[0]}\t{option.help}"
        elif option.words is not None:
            yield from option.words()


def _candidates(options: Sequence[Option], words: Sequence[str]) -> Iterator[str]:
    """Yield what may follow *words*, as "ktput-ctl complete" prints it."""
    by_keyword = {option.keyword.split()[0]: option for option in options
                  if option.keyword}
    given: set[str] = set()
    rest = iter(words)
    for word in rest:
        option = by_keyword.get(word)
        if option is None:
            continue
        given.add(option.field)
        for more in option.keyword.split()[1:]:
            if next(rest, None) is None:
                yield more
                return
        if option.rest:
            return
        if option.argument and next(rest, None) is None:
            yield from [":files"] if option.argument == "FILE" else []
            return
    yield from _open(options, given)


def _complete(command: Command, words: Sequence[str]) -> int:
    """Print the candidates for the last of *words*, which is partial."""
    *before, partial = words or [""]
    return _offer(_candidates(command.options, before), partial)


def _offer(candidates: Iterable[str], partial: str) -> int:
    """Print the candidates that begin with a partial word, and files."""
    for candidate in candidates:
        if candidate.startswith((partial, ":")):
            print(candidate)
    return DONE


def _explain(program: Program, command: Command, keyword: str) -> int:
    """Print the rows of a keyword, as "ktput-ctl help KEYWORD" does; failed if none."""
    rows = [option for option in command.options if option.keyword and
            keyword in (option.keyword, option.keyword.split()[0])]
    if rows:
        print("\n".join([f"{program.name} {command.name}:",
                         *(line for row in rows for line in _option_lines(row))]))
    return DONE if rows else FAILED


def _run_words(program: Program, output: Output, words: Sequence[str]) -> int:
    """Run the command in the words after the options."""
    name, *rest = words
    if name == "help":
        if not rest:
            print(program.usage())
            return DONE
        name, rest = rest[0], ["help"]
    if name == "complete":
        *before, partial = rest or [""]
        if not before:
            return _offer((f"{one}\t{find().summary}"
                           for one, find in program.commands.items()), partial)
        name, rest = before[0], ["complete", *before[1:], partial]
    command = program.find(name)
    if rest[:1] == ["complete"]:
        return _complete(command, rest[1:])
    if rest[:1] == ["explain"] and len(rest) == 2:
        return _explain(program, command, rest[1])
    try:
        values = parse(command.options, rest)
        if values is None:
            output.result(command_rows(command), [command_usage(program, command)])
            return DONE
        if command.check is not None:
            command.check(output, values)
        assert command.run is not None  # noqa: S101
        return command.run(output, values) or DONE
    except UsageError as error:
        raise UsageError(str(error), command.name) from None


def main(program: Program, arguments: Sequence[str], only: str = "") -> int:
    """Run a program; return its exit status.

    If *only* is given, it is the command, and the words are its arguments.
    """
    output = Output(program.name)
    with warnings.catch_warnings():
        warnings.simplefilter("always", RecordWarning)
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], filename: str,
                 lineno: int, file: TextIO | None = None,
                 line: str | None = None) -> None:
            if issubclass(category, RecordWarning):
                output.warning(str(message))
            else:
                shown(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        return _main(program, output, arguments, only)


def _main(program: Program, output: Output, arguments: Sequence[str],
          only: str) -> int:
    try:
        try:
            options, words = getopt.getopt(list(arguments), LETTERS, list(LONG))
        except getopt.GetoptError as error:
            _set_form(output, arguments)
            dashes = "-" if len(error.opt) == 1 else "--"
            raise UsageError(f"unknown option '{dashes}{error.opt}'") from None
        letters = {name.lstrip("-")[0] for name, _ in options}
        output.as_json = bool(letters & {"j", "p"})
        output.pretty = "p" in letters
        if "V" in letters or any(name == "--version" for name, _ in options):
            print(f"{program.name} {program.version}")
            return DONE
        words = [only, *words] if only else words
        if "h" in letters:
            words = ["help", *words]
        if not words:
            output.error("no command is given")
            if not output.as_json:
                print(program.usage(), file=sys.stderr)
            return USAGE
        return _run_words(program, output, words)
    except UsageError as error:
        output.error(error.args[0])
        if not output.as_json:
            print(f"Try '{' '.join([program.name, *error.args[1:]])} help'.",
                  file=sys.stderr)
        return USAGE
    except (CommandError, RecordError, ImportError, OSError) as error:
        output.error(_sentence(error))
    return FAILED


def _sentence(error: Exception) -> str:
    """Return why a command failed."""
    if isinstance(error, ImportError):
        return (f"{error}: install Debian's python3-numpy, python3-scipy, "
                "python3-matplotlib and python3-jinja2")
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return str(error)


def _set_form(output: Output, arguments: Sequence[str]) -> None:
    """Report an unknown option as JSON if the arguments request JSON."""
    output.as_json = any(one in ("-j", "-p", "--json", "--pretty") for one in arguments)
