# SPDX-License-Identifier: GPL-2.0
"""Measure the price list on kernels, one boot for all rows that need no other."""

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..command import Values
from ..output import Output
from ..record import Json, number, text
from .functions import Symbols, of_step
from .machine import EndedError, Machine, SkippedError, digest
from .rows import FIGURES, Step, chosen, read, steps_of
from .setting import EXACT, Laboratory
from .setups import Setup, missing_option

GUEST = "selftests/compare/prices.sh"
PROGRAMS = "selftests/compare/prices.bpf.c"
PLUGIN = "selftests/vm/functions.c"
#: Member of the document that the record has of each step that is done.
DONE = "price"
#: Runs of a line, the first of which fills caches of the kernel.
RUNS = 3
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
    each = RUNS * (1 + step.has_short)
    if len(cycles) != len(FIGURES) * each:
        raise SkippedError(f"{len(cycles)} runs have a result")
    found: Json = {}
    for index, figure in enumerate(FIGURES):
        of = cycles[index * each:(index + 1) * each]
        short_units, units = figure.units
        long = of[-RUNS + 1:]
        found[figure.key] = {"long": min(long) / units,
                             "spread": (max(long) - min(long)) / units}
        if step.has_short:
            found[figure.key]["cost"] = (min(long) - min(of[1:RUNS])) / (
                units - short_units)
    return found


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
        self.measured = {setup.name: [] for setup in self.setups}
        self.machine.script(COMPILE, PROGRAMS, str(self.programs))
        with ThreadPoolExecutor(self.values["jobs"]) as threads:
            list(threads.map(self._one, self.setups, documents))
        self.output.status()
        found = document_of(documents, self.rows, self.paths, self.measured)
        found["price_list"]["interrupted"] = self.interrupts.count > 0
        self.keep(found)
        return found

    def _one(self, setup: Setup, document: Json) -> None:
        """Measure a kernel, and put into its document what came of it."""
        machine = Machine(self.tree, self.interrupts,
                          lambda line: self.tell(line, setup.name))
        try:
            document["release"] = machine.release(setup.kernel)
            self._kernel(machine, setup, document["release"])
        except SkippedError as error:
            document["not_run_because"] = str(error)
            self.output.status()
            self.output.warning(f"{setup.name}: skipped: {error}")
        except EndedError:
            document["not_run_because"] = "interrupted"

    def _kernel(self, machine: Machine, setup: Setup, release: str) -> None:
        config = machine.config(release)
        module = machine.build(release)
        same = digest(release, machine.path("kernel_image", release), module,
                      self.programs, self.tree / "build/tools/ktput-ctl",
                      self.tree / GUEST, self.tree / EXACT)
        able = []
        for row in self.rows:
            lacks = missing_option(config, row.options)
            if lacks:
                self._put(setup, [Step(row, at, self.paths[row.path]) for at in row.at],
                          {"not_run_because": f"{release} lacks {lacks}"})
            else:
                able.append(row)
        for boot in dict.fromkeys(row.append for row in able if not row.cannot):
            self._boot(machine, setup, release, boot,
                       steps_of(able, self.paths, boot), same)

    def _put(self, setup: Setup, steps: Sequence[Step], document: Json) -> None:
        self.measured[setup.name] += [(step, document) for step in steps]

    def _boot(self, machine: Machine, setup: Setup, release: str, boot: str,
              steps: Sequence[Step], same: str) -> None:
        """Measure the steps of a boot that the record does not have."""
        how: str | Path = self.tree / PLUGIN if self.values["functions"] else ""
        keys = [digest(same, boot, how, step.shell(), step.row.commands, step.at,
                       str(index) if step.is_base else "")
                for index, step in enumerate(steps)]
        due = [index for index, key in enumerate(keys) if key not in self.done]
        results = self.scratch()
        for index in due:
            folder = results / f"{index:03d}"
            folder.mkdir()
            (folder / "step").write_text(steps[index].shell())
            (folder / "prepare").write_text(steps[index].row.commands)
        (results / "steps").write_text("".join(f"{index:03d}\n" for index in due))
        shutil.copy(self.programs, results)
        failure = ""
        try:
            if due:
                machine.boot(release, boot, results, self.values["limit"],
                             [str(self.tree / GUEST)],
                             ["--functions"] if self.values["functions"] else [])
        except SkippedError as error:
            failure = str(error)
        finally:
            symbols = Symbols(results / "kallsyms") \
                if (results / "kallsyms").exists() else None
            for index, (key, step) in enumerate(zip(keys, steps, strict=True)):
                document = self.done.get(key) or _result(
                    results / f"{index:03d}", step, failure, symbols)
                self._put(setup, [step], document)
                if key not in self.done and "costs" in document:
                    self.keep({DONE: {
                        "key": key, "kernel": setup.name, "release": release,
                        "name": step.row.name, "at": step.at, **document}})
            if not failure:
                shutil.rmtree(results, ignore_errors=True)


def _result(folder: Path, step: Step, failure: str, symbols: Symbols | None) -> Json:
    """Return what a step has left."""
    try:
        return {"not_run_because": (folder / "reason").read_text().strip()}
    except OSError:
        pass
    try:
        costs = costs_of((folder / "runs").read_text().splitlines(), step)
        if symbols is not None:
            mark = int((folder / "mark").read_text())
            for key, found in of_step(f"{folder.parent}/functions", mark, symbols,
                                      RUNS, step.has_short).items():
                costs[key].update(found)
        return {"costs": costs}
    except SkippedError as error:
        return {"not_run_because": failure or str(error)}
    except (OSError, ValueError):
        return {"not_run_because": failure or "the VM ended before"}

