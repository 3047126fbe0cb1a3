# SPDX-License-Identifier: GPL-2.0
"""Climb a ladder: run all rungs in random order, in rounds, until it is precise."""

import math
import os
import random
import time
from dataclasses import replace

from .. import keys
from ..command import Values
from ..output import CommandError, Output
from ..record import Json, Record, number
from ..statistics import PILOT
from .figures import Climb, Latency, Sample, sample_beyond, sample_of
from .rungs import LATENCIES, RUNGS, TCP, TRANSMIT, Plan, Rung, chosen, traffic_of
from .runs import RunError, Runner, ceilings_of
from .sampled import read as read_sampled

#: A rung is left out after this many refusals.
PATIENCE = 2
#: An unpaced rung that loses more than this share has no cost of a packet.
LOSS_MAX = 0.01
#: Maximum number of rounds repeated because of other work on the CPUs.
REPEATS = 3
#: All UDP rungs run at the same rate, so that they have the same load and no losses.
#: The rate is this share of the unlimited rate of the first UDP rung, from user space
#: to user space.
RATE_SHARE = 0.5


def _rung(name: str) -> Rung:
    return next(one for one in RUNGS if one.group is TRANSMIT and one.name == name)


class Climber:
    """Runs the rungs of a ladder."""

    def __init__(self, values: Values, output: Output, runner: Runner) -> None:
        """Climb by the user's *values*."""
        self.values, self.output, self.runner = values, output, runner
        seed = values["seed"]
        self.ladder = Climb(
            chosen(values), values["ci"] / 100,
            random.randrange(2 ** 32) if seed is None else seed,
            bool(values["profile"]),
            "instructions" if os.environ.get("KTPUT_ICOUNT") else "cycles",
            traffic_of(values))
        self.chance = random.Random(self.ladder.seed)
        self.of_instructions = self.ladder.clock_unit == "instructions"
        self.plan = Plan(values, by_lengths=self.of_instructions and
                         values["warmup"] > 0)
        if values["layer"]:
            self.plan.transmit_to = "sink-layer user sink-method copy"
        self.begun_s = time.monotonic()

    def tell(self, what: str) -> None:
        """Show the current step on a terminal; other output has a line each round."""
        self.output.status(f"{self.spent_s:.0f} s of {self.values['limit']:.0f} at "
                           f"most: {what}")

    @property
    def spent_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begun_s

    def climb(self) -> Json:
        """Measure until the result is precise enough; return the document."""
        ladder, values = self.ladder, self.values
        self.output.progress(
            f"ladder: {len(ladder.rungs)} rungs of {values['time']:g} s a round, at "
            f"most {values['rounds']} rounds or {values['limit']:g} s")
        self.probe()
        if self.of_instructions:
            self.first_runs()
        while not ladder.interrupted:
            begun_s = self.spent_s
            self.round()
            if self.enough(self.spent_s - begun_s):
                break
        if values["latency"]:
            self.measure_latency()
        self.output.status()
        if not any(one for cell in ladder.cells.values() for one in cell.samples):
            reasons = (cell.why for cell in ladder.cells.values() if cell.why)
            raise CommandError("no rung has a result: " + next(reasons, "interrupted"))
        return ladder.document()

    def run(self, rung: Rung, limited: bool = True) -> Sample | None:
        """Run a rung once; return its sample, None if there is no result."""
        ladder, cell = self.ladder, self.ladder.cells[rung]
        words = self.plan.words(rung, limited)
        sample = None
        try:
            document = self.runner.document(words, mark=self.mark(rung))
            sample = self.sample(_record(document), rung, limited)
            if rung.group is TCP and sample.goodput_bps > ladder.ceilings_bps:
                ladder.ceilings = ceilings_of(document)
                ladder.ceilings_of, ladder.ceilings_bps = rung.name, \
                    sample.goodput_bps
            if not rung.paced and sample.loss_share > LOSS_MAX:
                lost, sample = sample.loss_share, None
                raise RunError(f"without a rate {lost:.1%} of the packets are lost, so "
                               "that what one costs is not known")
        except RunError as error:
            if not self.interrupted():
                cell.failures += 1
                cell.why = str(error)
        # An interrupted run is shorter than the others.
        return None if self.interrupted() else sample

    def mark(self, rung: Rung) -> Json:
        """Return what the record of a run of a rung says of its place in the ladder."""
        return {keys.LADDER_RUN: {"group": rung.group.title, "rung": rung.name}}

    def sample(self, record: Record, rung: Rung, limited: bool) -> Sample:
        """Return the sample of a run; raises RunError."""
        if not self.plan.by_lengths or not limited:
            return sample_of(record, rung, self.of_instructions)
        short = self.runner.document(self.plan.short_words(rung), keep=False)
        return sample_beyond(record, _record(short), rung)

    def interrupted(self) -> bool:
        """Whether the user has ended it."""
        self.ladder.interrupted |= self.runner.interrupts.count > 0
        return self.ladder.interrupted

    def probe(self) -> None:
        """Determine the rate of the UDP rungs, and the layer of their other end."""
        ladder, values, plan = self.ladder, self.values, self.plan
        user, driver = _rung("user"), _rung("driver")
        if user not in ladder.cells:
            return
        rate = values["rate"]
        if rate is None:
            self.tell(f"looking for a rate: {user.title}")
            found = self.run(user, limited=False)
            rate = found.packets_per_s * RATE_SHARE if found else 0
        # Without a rate, leave the UDP rungs out.
        if not rate > 0:
            for rung, cell in ladder.cells.items():
                cell.left_out |= rung.group is not TCP
            return
        plan.packets_per_s = max(1, math.floor(rate))
        if driver in ladder.cells and not self.interrupted():
            # Loopback and other devices without a driver or hook.
            self.tell(f"looking for the lowest layer: {driver.title}")
            sockets, plan.transmit_to = plan.transmit_to, "sink-layer ingress"
            if self.run(driver):
                plan.receive_from = "layer driver"
            else:
                plan.transmit_to = sockets
            ladder.cells[driver].failures = 0
        ladder.packets_per_s = plan.packets_per_s
        ladder.transmit_to = plan.transmit_to.split()[1]
        ladder.receive_from = plan.receive_from.split()[1]

    def first_runs(self) -> None:
        """Run each rung once for the kernel's caches, which later runs find full.

        A first run costs up to a tenth less or more than those that follow, where the
        clock counts instructions: their interval is much narrower.
        """
        for rung, cell in self.ladder.cells.items():
            if not cell.left_out and not self.interrupted():
                self.tell(f"first run, which does not count: {rung.title}")
                self.run(rung)

    def round(self) -> None:
        """Run each rung once, in random order, so that predecessors vary."""
        ladder = self.ladder
        order = [rung for rung in ladder.rungs if not ladder.cells[rung].left_out]
        self.chance.shuffle(order)
        taken: dict[Rung, Sample] = {}
        for rung in order:
            if self.interrupted():
                break
            self.tell(f"round {ladder.rounds + 1}: {rung.title}")
            sample = self.run(rung)
            if sample is not None:
                taken[rung] = self.sampled_too(rung, sample)
            elif ladder.cells[rung].failures >= PATIENCE:
                ladder.cells[rung].left_out = True
        disturbed = any(one.disturbed for one in taken.values())
        if disturbed and ladder.repeated < REPEATS and not ladder.interrupted:
            ladder.repeated += 1
            self.tell_round("is repeated, since other work took part of the CPUs' time")
            return
        ladder.rounds += 1
        ladder.disturbed += disturbed
        for rung, cell in ladder.cells.items():
            cell.samples.append(taken.get(rung))
        self.tell_round("done")

    def tell_round(self, what: str) -> None:
        """Report the end of a round."""
        ladder = self.ladder
        share = ladder.widest()
        self.output.status()
        self.output.progress(
            f"ladder: {self.spent_s:.0f} s: round {ladder.rounds + (what != 'done')} "
            f"of at most {self.values['rounds']} {what}" +
            ("" if math.isnan(share) else
             f", widest interval {1 / (1 + share) - 1:.1%} to {share:+.1%}"))

    def sampled_too(self, rung: Rung, sample: Sample) -> Sample:
        """Run a rung once more with sampling: the compared runs are not sampled."""
        if not self.values["profile"] or self.interrupted():
            return sample
        try:
            document = self.runner.document([*self.plan.words(rung), "profile"],
                                            mark=self.mark(rung))
        except RunError as error:
            self.ladder.cells[rung].why_not_sampled = str(error)
            return sample
        self.interrupted()
        return replace(sample, sampled=read_sampled(_record(document),
                                                    rung.group is not TCP))

    def enough(self, round_s: float) -> bool:
        """Whether the ladder ends after a round that took *round_s*."""
        ladder = self.ladder
        ladder.met = ladder.widest() <= ladder.wanted
        # Runs are alike by chance: the pilot bounds what that makes of the interval.
        if self.interrupted() or (ladder.met and ladder.rounds >= PILOT):
            return True
        ladder.out_of_time = self.spent_s + round_s > self.values["limit"]
        return (ladder.out_of_time or ladder.rounds >= self.values["rounds"] or
                all(cell.left_out for cell in ladder.cells.values()))

    def measure_latency(self) -> None:
        """Run a ping-pong for each kind that a rung has."""
        ladder = self.ladder
        ladder.latencies = {}
        for kind in LATENCIES:
            if not any(rung.latency == kind and ladder.has_part(rung)
                       for rung in ladder.rungs):
                continue
            self.tell(f"round trips: {kind}")
            try:
                times = self.runner.document(self.plan.latency_words(kind), keep=False)
                ladder.latencies[kind] = Latency(number(times, keys.LATENCY + ".p50"),
                                                 number(times, keys.LATENCY + ".p99"))
            except RunError as error:
                ladder.latencies[kind] = Latency(
                    why="interrupted" if self.interrupted() else str(error))
            self.interrupted()


def _record(document: Json) -> Record:
    return Record(document, "", 1, math.nan)
