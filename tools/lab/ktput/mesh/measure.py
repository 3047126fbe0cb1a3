# SPDX-License-Identifier: GPL-2.0
"""Measure a mesh, round by round; the file of records is its state."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..command import USAGE, Values
from ..output import CommandError, Output
from ..record import Json, at, text
from ..recording import kept, record_of
from .fan import PROGRAM, Answer, Fan
from .figures import BELOW, DEVIATIONS, outliers, pair_of
from .plan import Pair, rounds_of

#: Time for connections, and for a run to end. Seconds.
PATIENCE_S = 60
#: A host that fails so often, with different peers, is left out.
STRIKES = 2


class Mesh:
    """The pairs of hosts, measured and to be measured."""

    def __init__(self, hosts: Sequence[str], values: Values, output: Output,
                 fan: Fan) -> None:
        """*values* are those of options.finish()."""
        self.hosts = list(hosts)
        self.values = values
        self.output = output
        self.fan = fan
        self.pairs: dict[Pair, Json] = {}
        self.failed: dict[Pair, str] = {}
        self.left_out: dict[str, str] = {}
        self.strikes: Counter[str] = Counter()
        self.rounds = 0
        self.interrupted = False
        self.record = record_of(values)

    @property
    def words(self) -> list[str]:
        """The words of each run, without its host."""
        return ["start", *self.values["words"]]

    def resume(self) -> None:
        """Take over the pairs that the file has, of a mesh of the same words."""
        if not self.values["record"] or self.values["replace"]:
            return
        for document in kept(self.values["record"]):
            of = at(document, "mesh_pair")
            if at(of, "words") != self.words:
                continue
            pair = Pair(text(of, "from") or "", text(of, "to") or "")
            if pair.source in self.hosts and pair.sink in self.hosts:
                self.pairs[pair] = pair_of(pair, at(document, "record"))
        if self.pairs:
            self.output.progress(f"mesh: {len(self.pairs)} pairs are in "
                                 f"'{self.values['record']}' already")

    def survey(self, version: str) -> None:
        """Leave out the hosts without this version of ktput-ctl."""
        own = f"{PROGRAM} {version}"
        answers = self.fan.run({host: ["--version"] for host in self.hosts},
                               PATIENCE_S)
        for host, answer in answers.items():
            said = answer.out.strip()
            if answer.status:
                self.leave_out(host, answer.why)
            elif answer.status is None:
                self.leave_out(host, "no answer")
            elif said != own:
                self.leave_out(host, f"'{said}' is there, this is '{own}'")
        if len(self.remaining()) < 2:
            why = "; ".join(f"{host}: {why}" for host, why in self.left_out.items())
            raise CommandError(f"fewer than two hosts can be measured: {why}")

    def remaining(self) -> list[str]:
        """Hosts that are not left out."""
        return [host for host in self.hosts if host not in self.left_out]

    def leave_out(self, host: str, why: str) -> None:
        """Measure no pair of a host from now on."""
        self.left_out[host] = why
        self.output.progress(f"mesh: {host} is left out: {why}")

    def measure(self) -> None:
        """Measure the pairs that are not measured yet; ends early on Ctrl-C."""
        rounds = list(rounds_of(self.remaining(), self.values["concurrent"]))
        try:
            for number, pairs in enumerate(rounds, 1):
                wanted = [pair for pair in pairs if pair not in self.pairs and
                          not set(pair) & set(self.left_out)]
                if wanted:
                    self.output.progress(f"mesh: round {number} of {len(rounds)}, "
                                         f"{len(wanted)} pairs")
                    self.round(wanted)
        except KeyboardInterrupt:
            self.interrupted = True

    def round(self, pairs: Sequence[Pair]) -> None:
        """Measure pairs at the same time, no host in two of them."""
        self.rounds += 1
        answers = self.fan.run(
            {pair.source: ["-j", *self.words, "remote", pair.sink] for pair in pairs},
            self.values["time"] + PATIENCE_S)
        for pair in pairs:
            self.take(pair, answers[pair.source])

    def take(self, pair: Pair, answer: Answer) -> None:
        """Keep the record of a pair, or why there is none."""
        try:
            record = json.loads(answer.out)
        except ValueError:
            record = None
        if at(record, "result.valid") is True:
            self.pairs[pair] = pair_of(pair, record)
            self.failed.pop(pair, None)
            if self.record is not None:
                self.record.add(self.output.line({
                    "mesh_pair": {"from": pair.source, "to": pair.sink,
                                  "words": self.words},
                    "record": record}).encode())
            return
        why = text(record, "result.invalid_because") or answer.why
        if answer.status == USAGE:
            raise CommandError(f"{pair.source}: {why}")
        self.failed[pair] = why
        self.output.progress(f"mesh: {pair.source} to {pair.sink}: {why}")
        culprit = pair.source if answer.lost else \
            pair.sink if why.startswith(f"{pair.sink}: ") else None
        if culprit is not None:
            self.strikes[culprit] += 1
            if self.strikes[culprit] >= STRIKES:
                self.leave_out(culprit, why)

    def document(self) -> Json:
        """Return the document of what was measured."""
        pairs = [self.pairs[pair] for pair in sorted(self.pairs)]
        hosts = self.remaining()
        all_pairs = {Pair(a, b) for a in hosts for b in hosts if a != b}
        missing = all_pairs - set(self.pairs) - set(self.failed)
        thresholds: Mapping[str, Any] = {"deviations": DEVIATIONS, "below_share": BELOW}
        return {"mesh": {
            "hosts": hosts, "words": self.words, "rounds": self.rounds,
            "interrupted": self.interrupted, "missing_pairs": len(missing),
            "pairs": pairs, "outliers": outliers(pairs), "thresholds": thresholds,
            "failed": [{"from": pair.source, "to": pair.sink, "why": why}
                       for pair, why in sorted(self.failed.items())],
            "left_out": [{"host": host, "why": why}
                         for host, why in sorted(self.left_out.items())]}}
