# SPDX-License-Identifier: GPL-2.0
"""Measure the price list on kernels, one boot for all rows that need no other."""

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from ..command import Values
from ..output import Output
from ..record import Json, number, text
from .functions import Symbols, of_step
from .machine import EndedError, Machine, SkippedError, digest
from .rows import FIGURES, Step, boots_of, chosen, read, steps_of
from .setting import EXACT, Laboratory
from .setups import Setup, missing_option

GUEST = "selftests/compare/prices.sh"
PROGRAMS = "selftests/compare/prices.bpf.c"
PLUGIN = "selftests/vm/functions.c"
#: Member of the document that the record has of each step that is done.
DONE = "price"
INTERRUPTED = "interrupted"
COMPILE = """mkdir -p "$(dirname "$2")"
clang -O2 -g -target bpf -I "/usr/include/$(uname -m)-linux-gnu" -c "$1" -o "$2" ||
    die "$1 does not build"
"""


def costs_of(lines: Sequence[str], step: Step) -> Json:
    """Return what the runs of a step take, from what they print; raises SkippedError.

    *long* is what the long runs take a unit, start and end included, *cost* what they
    take beyond the short ones: the least of each, since what else the kernel does
    meanwhile only adds. *spread* is how far apart the long runs are.
    """
    cycles: list[float] = []
    for line in lines:
        result = json.loads(line).get("result", {})
        if "cpu_bytes" not in result:
            continue
        if result.get("valid") is not True:
            raise SkippedError(text(result, "invalid_because") or "a run is not valid")
        cycles.append(number(result, "busy_cycles_per_byte") *
                      number(result, "cpu_bytes"))
    each = step.repeat * (1 + step.has_short)
    if len(cycles) != len(FIGURES) * each:
        raise SkippedError(f"{len(cycles)} runs have a result")
    found: Json = {}
    for index, figure in enumerate(FIGURES):
        of = cycles[index * each:(index + 1) * each]
        short_units, units = figure.units
        long = of[-step.repeat + 1:]
        found[figure.key] = {"long": min(long) / units,
                             "spread": (max(long) - min(long)) / units}
        if step.has_short:
            found[figure.key]["cost"] = (min(long) - min(of[1:step.repeat])) / (
                units - short_units)
    return found


@dataclass
class Boot:
    """Steps that are measured in one boot of a kernel, and their results by index."""

    setup: Setup
    #: of the kernel
    document: Json
    #: hash of what all its costs follow from
    same: str
    append: str
    steps: list[Step] = field(default_factory=list)
    results: dict[int, Json] = field(default_factory=dict)


class PriceList(Laboratory):
    """The price list on several kernels."""

    def __init__(self, values: Values, output: Output, places: Sequence[str]) -> None:
        """Prepare to measure the kernels of *values*; raises CommandError."""
        super().__init__(values, output, places, DONE)
        self.paths, rows = read()
        self.rows = chosen(rows, values["only"])
        self.programs = self.tree / "build/compare/prices.bpf.o"
        #: what steps cost, or why they have no cost: {kernel: [(step, document)]}
        self.measured: dict[str, list[tuple[Step, Json]]] = {}

    def run(self) -> Json:
        """Measure all; return the document."""
        from .pricing import document_of

        documents = [setup.document() for setup in self.setups]
        self.machine.script(COMPILE, PROGRAMS, str(self.programs))
        with ThreadPoolExecutor(self.values["jobs"]) as threads:
            kernels = list(threads.map(self._boots, self.setups, documents))
            # The long ones, which are the first of each kernel, before the others.
            list(threads.map(self._measure, (
                boot for boots in zip_longest(*kernels) for boot in boots if boot)))
        self.output.status()
        self.measured = {
            setup.name: [(step, boot.results[index]) for boot in boots
                         for index, step in enumerate(boot.steps)]
            for setup, boots in zip(self.setups, kernels, strict=True)}
        found = document_of(documents, self.rows, self.paths, self.measured)
        found["price_list"]["interrupted"] = self.interrupts.count > 0
        self.keep(found)
        return found

    def _machine(self, setup: Setup) -> Machine:
        return Machine(self.tree, self.interrupts,
                       lambda line: self.tell(line, setup.name))

    def _boots(self, setup: Setup, document: Json) -> list[Boot]:
        """Return the boots of a kernel, or put into its document why there are none."""
        try:
            return self._boots_of(self._machine(setup), setup, document)
        except SkippedError as error:
            document["not_run_because"] = str(error)
            self.output.status()
            self.output.warning(f"{setup.name}: skipped: {error}")
        except EndedError:
            document["not_run_because"] = INTERRUPTED
        return []

    def _boots_of(self, machine: Machine, setup: Setup, document: Json) -> list[Boot]:
        release = document["release"] = machine.release(setup.kernel)
        config = machine.config(release)
        same = digest(release, machine.path("kernel_image", release),
                      machine.build(release), self.programs,
                      self.tree / "build/tools/ktput-ctl", self.tree / GUEST,
                      self.tree / EXACT,
                      self.tree / PLUGIN if self.values["functions"] else "")
        able, unable = [], Boot(setup, document, same, "")
        for row in self.rows:
            lacks = missing_option(config, row.options)
            if lacks:
                for at in row.at:
                    unable.results[len(unable.steps)] = {
                        "not_run_because": f"{release} lacks {lacks}"}
                    unable.steps.append(Step(row, at, self.paths[row.path]))
            else:
                able.append(row)
        return [*(Boot(setup, document, same, append,
                       steps_of(able, self.paths, append,
                                bool(self.values["functions"])))
                  for append in boots_of(able)), unable]

    def _measure(self, boot: Boot) -> None:
        """Measure the steps of a boot that the record does not have.

        Of a VM that ends before its last step the others are given another one.
        """
        keys = [digest(boot.same, boot.append, step.shell(), step.row.commands, step.at,
                       str(index) if step.is_base else "")
                for index, step in enumerate(boot.steps)]
        results = boot.results
        results.update((index, self.done[key]) for index, key in enumerate(keys)
                       if key in self.done)
        while due := [index for index in range(len(boot.steps))
                      if index not in results]:
            failure, left = self._vm(boot, due)
            found = _found(boot, due, left, failure)
            for index, one in found.items():
                if "costs" in one:
                    step = boot.steps[index]
                    self.keep({DONE: {
                        "key": keys[index], "kernel": boot.setup.name,
                        "release": boot.document["release"], "name": step.row.name,
                        "at": step.at, **one}})
            results.update(found or {
                index: {"not_run_because": failure} for index in due})
            if failure in ("", INTERRUPTED):
                shutil.rmtree(left, ignore_errors=True)

    def _vm(self, boot: Boot, due: Sequence[int]) -> tuple[str, Path]:
        """Boot for some steps; return why it failed, if it did, and what it leaves."""
        results = self.scratch()
        for index in due:
            folder = results / f"{index:03d}"
            folder.mkdir()
            (folder / "step").write_text(boot.steps[index].shell())
            (folder / "prepare").write_text(boot.steps[index].row.commands)
        (results / "steps").write_text("".join(f"{index:03d}\n" for index in due))
        shutil.copy(self.programs, results)
        try:
            self._machine(boot.setup).boot(
                boot.document["release"], boot.append, results, self.values["limit"],
                [str(self.tree / GUEST)],
                ["--functions"] if self.values["functions"] else [])
        except SkippedError as error:
            return str(error), results
        except EndedError:
            boot.document["not_run_because"] = INTERRUPTED
            return INTERRUPTED, results
        return "", results


def _found(boot: Boot, due: Sequence[int], left: Path, failure: str) -> dict[int, Json]:
    """Return the results of the steps that have begun."""
    names = left / "kallsyms"
    symbols = Symbols(names) if names.exists() else None
    folders = {index: left / f"{index:03d}" for index in due}
    return {index: _result(folder, boot.steps[index], failure, symbols)
            for index, folder in folders.items() if (folder / "runs").exists()}


def _result(folder: Path, step: Step, failure: str, symbols: Symbols | None) -> Json:
    """Return what a step has left."""
    try:
        return {"not_run_because": (folder / "reason").read_text().strip()}
    except OSError:
        pass
    try:
        costs = costs_of((folder / "runs").read_text().splitlines(), step)
        if (folder / "mark").exists():
            if symbols is None:
                return {"not_run_because": failure}
            mark = int((folder / "mark").read_text())
            for key, found in of_step(f"{folder.parent}/functions", mark, symbols,
                                      step).items():
                costs[key].update(found)
        return {"costs": costs}
    except SkippedError as error:
        return {"not_run_because": failure or str(error)}
    except (OSError, ValueError):
        return {"not_run_because": failure}

