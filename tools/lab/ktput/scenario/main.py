# SPDX-License-Identifier: GPL-2.0
"""ktput-scenario: the program."""

import os
import random
import signal
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .. import units
from ..command import (
    Command,
    Option,
    Program,
    UsageError,
    Values,
    check_picture,
    check_record,
    convert,
    guess,
    main,
)
from ..control import own_program
from ..output import CommandError, Output, paragraph

if TYPE_CHECKING:
    from .description import Scenario
    from .experiment import Experiment, Place
    from .hosts import Hosts
    from .links import Nics

SUMMARY = "repeat a published experiment, and compare with its figures"
LIST, SHOW, HOSTS = "list", "show", "hosts"


def _words() -> list[str]:
    from .description import names

    return [LIST, SHOW, HOSTS, *names()]


OPTIONS = (
    Option("words", "the scenario: one of the names that 'list' prints, or a file that "
           "ends in .toml; 'list' alone; or 'show' before it, for the commands that "
           "it runs; 'hosts' and two hosts behind it, to measure between them in the "
           "place of two namespaces", argument="NAME", required=True, many=True,
           words=_words),
    Option("form", "the short form, of 2 minutes at most", "short",
           default="the full form"),
    Option("seed", "what the order of the runs follows from", "seed", "N",
           default="another each time"),
    Option("nics", "two NICs of this host that are wired to each other, for the runs "
           "that want NICs of their driver; given back when it ends", "nics",
           "DEVICE,DEVICE", many=True),
    Option("record", "add the record of each run to FILE, and the scenario behind "
           "them; runs that FILE has already are not made again", "record", "FILE"),
    Option("replace", "make all runs again, in the place of those in FILE", "replace"),
    Option("figure", "draw the figure of the memo, by its ending .svg or .png",
           "figure", "FILE"),
)
NOTES = ("It needs root, and two namespaces that it makes and removes. Hosts are as "
         "ssh(1)\ntakes them; it changes nothing there.\n"
         "Ctrl-C ends it and prints what there is; 'record' with the same FILE "
         "resumes.")


def check(_: Output, values: Values) -> None:
    """Refuse what makes no sense, and convert words to numbers."""
    words = values["words"]
    values["do"] = words[0] if words[0] in (LIST, SHOW) else None
    names = words[1:] if values["do"] else words
    values["hosts"] = []
    if HOSTS in names:
        at = names.index(HOSTS)
        names, values["hosts"] = names[:at], names[at + 1:]
        if len(values["hosts"]) != 2:
            raise UsageError(f"'{HOSTS}' needs two hosts")
    if len(names) != (values["do"] != LIST):
        raise UsageError(f"'{LIST}' stands alone" if values["do"] == LIST
                         else f"'{names[1]}' is a second scenario" + guess(
                             names[1], (one.keyword for one in OPTIONS if one.keyword))
                         if names else f"'{SHOW}' needs the name of a scenario")
    values["name"] = names[0] if names else None
    check_record(values)
    if values["figure"]:
        check_picture("figure", values["figure"])
    convert(values, seed=units.parse_count)


def _list(output: Output) -> None:
    from .description import load, names

    found = [load(name) for name in names()]
    column = max((len(one.name) for one in found), default=0) + 2
    output.result({"scenarios": [{"name": one.name, "title": one.title,
                                  "memo": one.memo} for one in found]},
                  [line for one in found
                   for line in paragraph(one.name, one.title, column)])


def _show(output: Output, scenario: "Scenario", place: "Hosts | None",
          nics: "Nics") -> None:
    from .namespaces import hand

    lines = list(place.hand() if place else hand(scenario, nics))
    output.result({"scenario": scenario.name, "commands": [
        line for line in lines if not line.startswith("#")]}, lines)


def _run(program: Sequence[str], output: Output, values: Values) -> None:
    """Do what *values* ask for."""
    from .description import FULL, SHORT, load

    if values["do"] == LIST:
        _list(output)
        return
    from ..ladder.runs import Runner
    from .hosts import Hosts
    from .links import pairs
    from .namespaces import Namespaces

    scenario = load(values["name"], SHORT if values["form"] else FULL)
    runner = Runner(program)
    hosts = Hosts(scenario, runner, values["hosts"]) if values["hosts"] else None
    nics = pairs(values["nics"])
    if values["do"] == SHOW:
        _show(output, scenario, hosts, nics)
        return
    if os.geteuid() and not hosts:
        raise CommandError("a scenario makes network namespaces: run it as root, or do "
                           f"by hand what 'scenario show {scenario.name}' prints")
    _measure(output, values, scenario, hosts or Namespaces(scenario, runner, nics))


def _measure(output: Output, values: Values, scenario: "Scenario",
             place: "Place") -> None:
    from ..recording import record_of
    from .experiment import Experiment
    from .results import Results
    from .text import lines_of

    # A failed write reports the error instead.
    signal.signal(signal.SIGPIPE, lambda *_: None)
    seed = values["seed"]
    runner = place.runner
    experiment = Experiment(scenario, output, place,
                            random.randrange(2 ** 32) if seed is None else seed)
    runner.record = record_of(values)
    if values["record"] and not values["replace"]:
        experiment.resume(values["record"])
    experiment.make()
    document = Results(experiment).document()
    if not experiment.made:
        reasons = iter(experiment.reasons.values())
        raise CommandError("no run has a result: " + next(reasons, "there is no run"))
    if runner.record is not None:
        runner.record.add(output.line(document).encode())
    output.result(document, lines_of(document))
    if values["figure"]:
        _draw(values["figure"], experiment)


def _draw(where: str, experiment: "Experiment") -> None:
    from ..pictures import guarded
    from ..pictures.scenario import draw

    guarded(lambda: draw(experiment)).save(where)


def run(arguments: Sequence[str], version: str) -> int:
    """Run ktput-scenario, as ktput-ctl does for its word; return its status."""
    program = own_program()

    def command() -> Command:
        return Command("scenario", SUMMARY, OPTIONS, NOTES, partial(_run, program),
                       check)

    return main(Program("ktput-ctl", version, "more detail", {"scenario": command}),
                arguments, "scenario")
