# SPDX-License-Identifier: GPL-2.0
"""A scenario's data file: what it may say, and what it says.

Documentation/measure/scenario.rst describes the format.
"""

import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ..command import guess
from ..output import CommandError
from .figures import FIGURES
from .rules import Evaluator

#: Where the scenarios of this package are.
PLACE = Path(__file__).parent.parent / "scenarios"
SUFFIX = ".toml"
FULL, SHORT = "full", "short"
#: The command of what is computed: it takes no network, and is not recorded.
COMPUTED = "wire"
NEAR, FAR = "near", "far"
#: What templates may name beside variables: the namespaces and their devices.
NAMED = {name: name for end in (NEAR, FAR) for name in (end, f"{end}_device")}

Value: TypeAlias = "str | int | float"
Values: TypeAlias = dict[str, Value]

VARIABLE = re.compile(r"\{([^{}]+)\}")


class DescriptionError(CommandError):
    """A data file that is no scenario; the text has its name and the reason."""


@dataclass(frozen=True)
class Network:
    """Two namespaces, near and far, and the link between them."""

    #: words of ``ip link set`` for the device at each end
    link: str = ""
    #: words of ``tc qdisc replace ... root`` at each end; none if empty
    qdisc: str = ""
    #: a command line before each run, which may name {near} and {far}; none if empty
    path: str = ""
    #: settings of sysctl(8) in both namespaces
    sysctl: Sequence[str] = ()
    #: settings of the whole host, which are restored
    host_sysctl: Sequence[str] = ()


@dataclass(frozen=True)
class Runs:
    """A group of runs: the words of ``ktput-ctl``, over the points of a sweep.

    Or, in their place, a command that moves a known number of bytes.
    """

    name: str
    title: str
    words: str
    points: Sequence[Values]
    #: in the place of the network's, for this group
    link: str
    qdisc: str
    path: str
    #: the driver of two NICs in the place of the veth pair; that pair if empty
    nic: str = ""
    #: the far end sends
    reverse: bool = False
    #: kernel modules without which the runs are left out
    modules: Sequence[str] = ()
    #: programs without which the runs are left out
    programs: Sequence[str] = ()
    #: in the place of words: of a shell in the namespace near
    command: str = ""
    #: of the same shell, before the time begins
    before: str = ""
    #: payload of the command
    bytes: str = ""

    @property
    def computed(self) -> bool:
        """Whether ``ktput-ctl`` computes, and measures nothing."""
        return self.words.split()[:1] == [COMPUTED]

    @property
    def templates(self) -> Sequence[str]:
        """What has variables."""
        return (self.words, self.link, self.qdisc, self.path, self.nic, self.command,
                self.before, self.bytes)


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    title: str
    #: an expression: the runs at one point
    of: str
    #: figures of the memo, by name
    memo: Mapping[str, float]
    #: why the memo's figures are not measured; empty if they are
    not_measured: str = ""
    #: an expression: runs whose figures are subtracted; empty for none
    less: str = ""


@dataclass(frozen=True)
class Table:
    """A table: for each row and figure the memo, the ceiling and the measurement."""

    title: str
    figures: Sequence[str]
    rows: Sequence[Row]
    notes: str = ""


@dataclass(frozen=True)
class Matrix:
    """A table of one figure over two variables."""

    title: str
    figure: str
    #: group of runs
    runs: str
    #: variable of the rows, and of the columns
    down: str
    across: str


@dataclass(frozen=True)
class Step:
    """A command line that the network needs more, and the one that undoes it."""

    do: str
    #: not needed for what goes with the namespaces
    undo: str = ""
    #: groups of runs that alone need it: they are left out if it fails
    groups: Sequence[str] = ()


@dataclass(frozen=True)
class Rule:
    """When a result counts as the same as the memo's."""

    says: str
    rule: str
    #: what follows from it if it holds, and if it does not: {expressions} of figures
    then: str = ""
    otherwise: str = ""


@dataclass(frozen=True)
class Drawing:
    """The figure of the memo."""

    title: str
    x: str
    y: str
    #: runs that are drawn
    runs: Sequence[str]
    #: variable with a curve for each of its values
    series: str = ""
    #: variables with one value: those that are held
    held: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenario:
    """A scenario in one of its forms."""

    name: str
    form: str
    title: str
    memo: str
    text: str
    network: Network
    runs: Sequence[Runs]
    tables: Sequence[Table]
    matrices: Sequence[Matrix]
    setup: Sequence[Step]
    same: Sequence[Rule]
    drawings: Sequence[Drawing]
    #: times that each point is measured
    repeat: int
    #: variables of the file and the form
    variables: Values
    #: groups of runs that the file has, in any form
    names: Sequence[str]


#: Keys of each part of a file, with the type of their values.
LIST, TABLE, NUMBER = (list,), (dict,), (int, float)
WORD = (str,)
SCALAR = (str, int, float)
PARTS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "": {"title": WORD, "memo": WORD, "text": WORD, "network": TABLE,
         "variables": TABLE, "form": TABLE, "sweep": TABLE, "runs": TABLE,
         "table": LIST, "matrix": LIST, "setup": LIST, "same": LIST, "figure": LIST},
    "network": {"link": WORD, "qdisc": WORD, "path": WORD, "sysctl": LIST,
                "host_sysctl": LIST},
    "runs": {"title": WORD, "words": WORD, "sweep": TABLE, "points": LIST,
             "link": WORD, "qdisc": WORD, "path": WORD, "nic": WORD,
             "reverse": (bool,), "modules": LIST, "programs": LIST, "forms": LIST,
             "command": WORD, "before": WORD, "bytes": WORD},
    "table": {"title": WORD, "figures": LIST, "row": LIST, "notes": WORD},
    "row": {"title": WORD, "of": WORD, "less": WORD, "memo": TABLE,
            "not_measured": WORD},
    "matrix": {"title": WORD, "figure": WORD, "runs": WORD, "down": WORD,
               "across": WORD},
    "setup": {"do": WORD, "undo": WORD, "groups": LIST},
    "same": {"says": WORD, "rule": WORD, "forms": LIST, "then": WORD,
             "otherwise": WORD},
    "figure": {"title": WORD, "x": WORD, "y": WORD, "runs": LIST, "series": WORD,
               "held": TABLE},
}
#: Keys of a part that may be absent.
OPTIONAL = {"setup", "undo", "matrix", "network", "link", "qdisc", "path", "sysctl",
            "host_sysctl", "sweep", "points", "reverse", "modules", "programs", "notes",
            "not_measured", "less", "figure", "series", "held", "text", "forms",
            "variables", "table", "same", "memo", "words", "command", "before", "bytes",
            "groups", "nic", "then", "otherwise"}


def _check(part: str, found: Any, where: str) -> dict[str, Any]:  # noqa: ANN401
    """Return a part of a file; raises ValueError if it has other keys or types."""
    keys = PARTS[part]
    if not isinstance(found, dict):
        raise ValueError(f"{where} is no table")
    for key, value in found.items():
        if key not in keys:
            raise ValueError(f"{where}: unknown key '{key}'")
        kinds = keys[key]
        if not isinstance(value, kinds) or (isinstance(value, bool)
                                            and bool not in kinds):
            raise ValueError(f"{where}: '{key}' is no {kinds[0].__name__}")
    for key in keys:
        if key not in OPTIONAL and key not in found:
            raise ValueError(f"{where} lacks '{key}'")
    return found


def _list(of: Mapping[str, Any], part: str,
          where: str = "") -> Iterator[dict[str, Any]]:
    for place, found in enumerate(of.get(part, []), 1):
        yield _check(part, found, f"{where}{part} {place}")


def _scalars(found: Mapping[str, Any], where: str) -> Values:
    for key, value in found.items():
        if not isinstance(value, SCALAR):
            raise ValueError(f"{where}: '{key}' is neither a number nor a string")
    return dict(found)


def _points(found: Mapping[str, Any], sweep: Mapping[str, Any],
            where: str) -> list[Values]:
    """Return the points of a group of runs: those listed, or a product."""
    listed = [_scalars(one, f"{where} points")
              for one in found.get("points", [{}])]
    own = found.get("sweep", {} if "points" in found else sweep)
    for key, values in own.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"{where}: '{key}' of the sweep is no list of values")
    product = [dict(zip(own, one, strict=True))
               for one in itertools.product(*own.values())]
    return [{**one, **other} for one in listed for other in product]


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Return *template* with the value of each {expression} of variables.

    A whole number has no point. Raises ValueError.
    """
    return filled(template, Evaluator(_no_runs, _no_runs, values))


def filled(template: str, evaluator: Evaluator) -> str:
    """Return *template* with the value of each {expression}; raises ValueError."""
    def value(match: re.Match[str]) -> str:
        try:
            found = evaluator.of(match[1])
        except ValueError:
            raise ValueError(f"'{template}': '{match[1]}' is neither a variable nor an "
                             "expression of some") from None
        return f"{found:.10g}" if isinstance(found, float) else str(found)

    return VARIABLE.sub(value, template)


def _no_runs(name: Any, _: Any) -> Any:  # noqa: ANN401
    raise ValueError(f"'{name}': there are no runs here")


def _runs(root: Mapping[str, Any], form: str, variables: Values,
          narrowed: Mapping[str, Any], network: Network) -> Iterator[Runs]:
    """Yield the groups of a form, *narrowed* to some values of variables."""
    sweep = root.get("sweep", {})
    for name, found in root["runs"].items():
        where = f"runs.{name}"
        if not name.isidentifier():
            raise ValueError(f"{where} is no name")
        one = _check("runs", found, where)
        if ("words" in one) == ("command" in one) or \
                ("command" in one) != ("bytes" in one):
            raise ValueError(f"{where} needs either 'words', or 'command' and 'bytes'")
        if form not in one.get("forms", [form]):
            continue
        points = [point for point in _points(one, sweep, where)
                  if all({**variables, **point}[key] in values
                         for key, values in narrowed.items()
                         if key in {**variables, **point})]
        yield Runs(name, one["title"], one.get("words", ""), points,
                   one.get("link", network.link), one.get("qdisc", network.qdisc),
                   one.get("path", network.path), one.get("nic", ""),
                   one.get("reverse", False), one.get("modules", ()),
                   one.get("programs", ()), one.get("command", ""),
                   one.get("before", ""), one.get("bytes", ""))


def _check_figures(names: Iterable[str], where: str) -> None:
    for name in names:
        if name not in FIGURES:
            raise ValueError(f"{where}: there is no figure '{name}', but "
                             f"{', '.join(FIGURES)}")


def _row(row: Mapping[str, Any], where: str) -> Row:
    memo = row.get("memo", {})
    _check_figures(memo, where)
    return Row(row["title"], row["of"], {
        key: float(value) for key, value in memo.items()},
        row.get("not_measured", ""), row.get("less", ""))


def _tables(root: Mapping[str, Any]) -> Iterator[Table]:
    for one in _list(root, "table"):
        where = f"table '{one['title']}': "
        _check_figures(one["figures"], where.rstrip(": "))
        rows = [_row(row, f"{where}row {place}") for place, row in enumerate(
            _list({"row": one["row"]}, "row", where), 1)]
        yield Table(one["title"], one["figures"], rows, one.get("notes", ""))


def _matrices(root: Mapping[str, Any]) -> Iterator[Matrix]:
    for one in _list(root, "matrix"):
        _check_figures([one["figure"]], f"matrix '{one['title']}'")
        yield Matrix(**one)


def _read(name: str, form: str, root: dict[str, Any]) -> Scenario:
    _check("", root, "the file")
    forms = root["form"]
    if form not in forms:
        raise ValueError(f"there is no form '{form}'")
    variables = {**root.get("variables", {}), **forms[form]}
    narrowed = variables.pop("only", {})
    repeat = variables.pop("repeat", 1)
    network = Network(**_check("network", root.get("network", {}), "network"))
    scenario = Scenario(
        name, form, root["title"], root.get("memo", ""), root.get("text", ""), network,
        list(_runs(root, form, variables, narrowed, network)), list(_tables(root)),
        list(_matrices(root)), [Step(**one) for one in _list(root, "setup")],
        [Rule(one["says"], one["rule"], one.get("then", ""), one.get("otherwise", ""))
         for one in _list(root, "same") if form in one.get("forms", [form])],
        [Drawing(**one) for one in _list(root, "figure")],
        repeat, _scalars(variables, f"form.{form}"), tuple(root["runs"]))
    for runs in scenario.runs:
        for point in runs.points:
            for template in runs.templates:
                fill(template, {**NAMED, **scenario.variables, **point})
    return scenario


def load(name: str, form: str = FULL) -> Scenario:
    """Return a scenario: one of this package by name, or a file by its path."""
    path = Path(name) if "/" in name or name.endswith(SUFFIX) else PLACE / (
        name + SUFFIX)
    if not path.exists():
        raise DescriptionError(f"there is no scenario '{name}'" + (
            guess(name, names()) or ": 'ktput-ctl scenario list' prints them, and a "
            f"file's name ends in {SUFFIX}"))
    try:
        return _read(path.stem, form, tomllib.loads(path.read_text()))
    except ValueError as error:
        raise DescriptionError(f"{path}: {error}") from None


def names() -> list[str]:
    """Return the names of the scenarios of this package."""
    return sorted(path.stem for path in PLACE.glob("*" + SUFFIX))


@dataclass(frozen=True)
class Point:
    """One run to be made."""

    runs: Runs
    values: Values
    repetition: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from the others of its scenario."""
        return (self.runs.name, *sorted(self.values.items()), self.repetition)

    @property
    def title(self) -> str:
        """The group and the values."""
        values = ", ".join(f"{key} {value}" for key, value in self.values.items())
        return f"{self.runs.title}, {values}" if values else self.runs.title


def driver_of(scenario: Scenario, point: Point) -> str:
    """Return the driver of the NICs that a run needs, nothing for the veth pair."""
    return fill(point.runs.nic, {**scenario.variables, **point.values})


def points_of(scenario: Scenario) -> list[Point]:
    """Return the runs of a scenario in the order of the file."""
    return [Point(runs, point, repetition)
            for repetition in range(1, scenario.repeat + 1)
            for runs in scenario.runs for point in runs.points]

