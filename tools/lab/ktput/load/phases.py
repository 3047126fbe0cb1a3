# SPDX-License-Identifier: GPL-2.0
"""Make the round trips of each phase, and the load beside those of one."""

import signal
import time

from .. import keys
from ..command import USAGE, UsageError, Values
from ..ladder.runs import Child, RunError, Runner
from ..output import CommandError, Output
from ..record import Json, array, at, number, text

#: Seconds from the start of the load to the round trips: its queue fills.
LEAD_S = 1.0
#: Seconds that the load lasts beyond what is planned: its round trips connect.
MARGIN_S = 2.0
#: Seconds between two looks at the load while its queue fills.
LOOK_S = 0.05
#: Places of the chain that packets of all flows pass, in their order.
SHARED = ("queue", "link", "path", "sink_device", "softirq", "sink_host")
#: Share of the time from which on a queue stands.
STANDS = 0.5
BEFORE, LOAD, DURING, AFTER = "before", "load", "during", "after"


def queue_of(document: Json) -> Json:
    """Return the last shared queue that stood while a load ran; None if none did."""
    rows = [row for row in array(document, "result.chain")
            if text(row, "place") in SHARED and number(row, "queue_share") >= STANDS]
    return {key: at(rows[-1], key) for key in (
        "place", "title", "queue_share", "drops")} if rows else None


def span_of(document: Json) -> tuple[float, float]:
    """Return when the source of a run began and ended, in ns of the host's clock."""
    run = at((array(document, "intervals") or [None])[-1], "source.run")
    return number(run, "begun_ns"), number(run, "ended_ns")


def phase_of(name: str, document: Json) -> Json:
    """Return the latency of a phase from the record of its round trips, in ns."""
    latency = at(document, "result.latency_ns")
    return {"phase": name, "round_trips": at(latency, "count"),
            **{f"latency_{key}_ns": at(latency, key) for key in ("p50", "p99", "max")}}


class Phases:
    """Round trips before, during and after a load."""

    def __init__(self, values: Values, output: Output, runner: Runner) -> None:
        """Measure the lines of the user's *values*."""
        self.output, self.runner = output, runner
        self.time_s: float = values["time"]
        self.lines: tuple[list[str], list[str]] = values["lines"]
        self.phases: list[Json] = []
        self.load: Json = None
        self.inside = False

    @property
    def interrupted(self) -> bool:
        """Whether the user has ended it."""
        return self.runner.interrupts.count > 0

    def run(self) -> Json:
        """Run all phases; return the result, or raise UsageError, CommandError."""
        for name, measure in ((BEFORE, self.trips), (DURING, self.loaded),
                              (AFTER, self.trips)):
            if self.interrupted:
                break
            self.output.progress(f"load: {self.time_s:g} s of round trips {name} the "
                                 "load")
            try:
                document = measure(name)
            except RunError as error:
                if self.interrupted:
                    break
                sentence = f"{name} the load: {error}"
                if error.status == USAGE:
                    raise UsageError(sentence) from None
                raise CommandError(sentence) from None
            # What was interrupted is no whole phase.
            if not self.interrupted:
                self.phases.append(phase_of(name, document))
        if not self.phases:
            raise CommandError("interrupted before a phase was complete")
        return self.document()

    def trips(self, name: str) -> Json:
        """Return the record of the round trips of a phase; raises RunError."""
        return self.runner.document([*self.lines[1], "time", f"{self.time_s:g}s"],
                                    mark={keys.LOAD_RUN: {"phase": name}})

    def loaded(self, name: str) -> Json:
        """Likewise while the load runs."""
        length = self.time_s + LEAD_S + MARGIN_S
        load = Child(self.runner, ["-j", "-s", *self.lines[0], "time", f"{length:g}s"])
        mark = {keys.LOAD_RUN: {"phase": LOAD}}
        until = time.monotonic() + LEAD_S
        while time.monotonic() < until and load.process.poll() is None:
            time.sleep(LOOK_S)
        failed: RunError | None = None
        trips: Json = None
        if load.process.poll() is None:
            try:
                trips = self.trips(name)
            except RunError as error:
                failed = error
                load.process.send_signal(signal.SIGINT)
        try:
            document = load.result(self.runner.record, mark)
        except RunError:
            if failed is None:
                raise
        if failed is not None:
            raise failed
        if trips is None:
            raise RunError("the load ended before the round trips began")
        begun, ended = span_of(document)
        first, last = span_of(trips)
        self.inside = begun <= first and last <= ended
        if not self.interrupted:
            self.load = document
        return trips

    def document(self) -> Json:
        """Return the result as a document."""
        median = {one["phase"]: one["latency_p50_ns"] for one in self.phases}
        known = all(median.get(name) is not None for name in (BEFORE, DURING))
        return {keys.LOAD: {
            "start": list(self.lines[0]), "pingpong": list(self.lines[1]),
            "phase_s": self.time_s, "lead_s": LEAD_S, "phases": self.phases,
            "median_rise_ns": median[DURING] - median[BEFORE] if known else None,
            "load_goodput_bps": at(self.load, "result.goodput_bps"),
            "bottleneck": at(self.load, "result.binding_because"),
            "queue": queue_of(self.load), "trips_inside_load": self.inside,
            "interrupted": self.interrupted}}
