# SPDX-License-Identifier: GPL-2.0
"""Measure setups one after the other, and keep what is done."""

import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from ..command import Values
from ..ladder.runs import Interrupts
from ..output import Output
from ..record import Json, at
from ..recording import kept, record_of
from .figures import compare
from .machine import EndedError, Machine, SkippedError, digest, find_tree
from .setups import Setup, missing_option

GUEST = "selftests/compare/ladder.sh"
#: What holds still where the clock counts instructions.
EXACT = "selftests/lib/exact.sh"
#: Member of the document that the record has of each setup that is done.
DONE = "compare_setup"


def done_of(path: str | None, member: str = DONE) -> dict[str, Json]:
    """Return what a record has done, by the hash of what it follows from."""
    found: dict[str, Json] = {}
    for document in kept(path):
        one = at(document, member)
        if isinstance(one, dict) and isinstance(one.get("key"), str):
            found[one["key"]] = one
    return found


class Laboratory:
    """Setups that are booted, and the record of what is done."""

    def __init__(self, values: Values, output: Output, places: Sequence[str],
                 member: str) -> None:
        """Prepare to measure the setups of *values*; raises CommandError."""
        self.values, self.output = values, output
        self.setups: list[Setup] = values["setups"]
        self.tree = find_tree(places, values["tree"])
        self.done = {} if values["replace"] else done_of(values["record"], member)
        self.record = record_of(values)
        self.interrupts = Interrupts()
        self.machine = Machine(self.tree, self.interrupts, self.tell)
        self.begun_s = time.monotonic()
        self.name = ""
        self.lock = Lock()

    def tell(self, line: str, name: str = "") -> None:
        """Show a line of what runs: on a terminal it replaces the last one."""
        spent_s = time.monotonic() - self.begun_s
        said = f"{spent_s:.0f} s, {name or self.name}: {line}"
        if self.output.live:
            self.output.status(said)
        elif line.startswith(("vm ", "ladder: ", "done: ")):
            self.output.progress(said)

    def keep(self, document: Json) -> None:
        """Add a document to the record, if there is one."""
        with self.lock:
            if self.record is None:
                return
            self.record.add(self.output.line(document).encode())

    def scratch(self) -> Path:
        """Return an empty folder of results of a boot.

        A guest sees no file system of the host that is in memory.
        """
        parent = self.tree / "build" / "compare"
        parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="boot-", dir=parent))


class Comparison(Laboratory):
    """Setups, each in a VM of its own."""

    def __init__(self, values: Values, output: Output, places: Sequence[str]) -> None:
        """Prepare to measure the setups of *values*; raises CommandError."""
        super().__init__(values, output, places, DONE)
        #: by the index of the setup
        self.ladders: dict[int, Json] = {}

    def run(self) -> Json:
        """Measure all; return the document."""
        documents = [setup.document() for setup in self.setups]
        for index, setup in enumerate(self.setups):
            self.name = setup.name
            try:
                release, self.ladders[index] = self._measure(index, setup)
                documents[index]["release"] = release
            except SkippedError as error:
                documents[index]["not_run_because"] = str(error)
                self.output.status()
                self.output.warning(f"{setup.name}: skipped: {error}")
            except EndedError:
                documents[index]["not_run_because"] = "interrupted"
        self.output.status()
        document = compare(documents, self.ladders, self.values["fail_above"])
        document["compare"]["interrupted"] = self.interrupts.count > 0
        self.keep(document)
        return document

    def _words(self) -> list[str]:
        """Return the words of the ladder that follow from the user's."""
        values = self.values
        return [*(values[key] for key in ("transport", "profile") if values[key]),
                "time", f"{values['time'] * 1e9:.0f}ns",
                "rounds", str(values["rounds"])]

    def _measure(self, index: int, setup: Setup) -> tuple[str, Json]:
        """Return the release and the ladder of a setup."""
        machine = self.machine
        release = machine.release(setup.kernel)
        if setup.options:
            missing = missing_option(machine.config(release), setup.options)
            if missing:
                raise SkippedError(f"{release} lacks {missing}")
        module = machine.build(release)
        words = self._words()
        # Setups that are alike are still measured each: the first and the second.
        key = digest(str(index), release, machine.path("kernel_image", release), module,
                     self.tree / "build/tools/ktput-ctl", self.tree / GUEST,
                     self.tree / EXACT, setup.append, setup.prepare, *words)
        if key in self.done:
            self.tell("vm is not needed: the record has it")
            return release, self.done[key]["ladder"]
        results = self.scratch()
        (results / "prepare").write_text(setup.prepare)
        machine.boot(release, setup.append, results, self.values["limit"],
                     [str(self.tree / GUEST), *words])
        ladder = json.loads((results / "ladder.json").read_text())["ladder"]
        if self.record is not None:
            for line in (results / "records.jsonl").read_bytes().splitlines():
                self.record.add(line)
        self.keep({DONE: {**setup.document(), "key": key, "release": release,
                          "ladder": ladder}})
        shutil.rmtree(results, ignore_errors=True)
        return release, ladder
