# SPDX-License-Identifier: GPL-2.0
"""Measure a mesh, step by step; the file of records is its state."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .. import keys
from ..command import USAGE, Values
from ..output import CommandError, Output
from ..record import NAN, Json, at, text
from ..recording import kept, record_of
from .fan import PROGRAM, Answer, Fan
from .figures import BELOW, DEVIATIONS, FIGURES, figures_of, outliers, pair_of
from .plan import Pair, back, disjoint, steps_of

#: Time for connections, and for a run to end. Seconds.
PATIENCE_S = 60
#: A host that fails so often, with different peers, is left out.
STRIKES = 2
#: A link that stands out is measured so often again, as long as it does; a host once,
#: by all its links.
AGAIN = 3
GOODPUT = FIGURES[0].key


class Mesh:
    """The pairs of hosts, measured and to be measured."""

    def __init__(self, hosts: Sequence[str], values: Values, output: Output,
                 fan: Fan) -> None:
        """*values* are those of options.finish()."""
        self.hosts = list(hosts)
        self.values = values
        self.output = output
        self.fan = fan
        #: figures of the runs that each pair has, and the names of their commands
        self.figures: dict[Pair, Json] = {}
        self.made: dict[Pair, set[str]] = {}
        self.failed: dict[Pair, str] = {}
        self.left_out: dict[str, str] = {}
        self.strikes: Counter[str] = Counter()
        self.interrupted = False
        self.record = record_of(values)

    def resume(self) -> None:
        """Take over the runs that the file has, of a mesh of the same words."""
        if not self.values["record"] or self.values["replace"]:
            return
        for record in kept(self.values["record"]):
            of = at(record, keys.MESH_PAIR)
            pair = Pair(text(of, "from") or "", text(of, "to") or "")
            if at(of, "words") in self.values["commands"] and \
                    set(pair) <= set(self.hosts):
                self.keep(pair, of["words"][0], record)
        if self.made:
            runs = sum(map(len, self.made.values()))
            self.output.progress(f"mesh: {runs} runs are in "
                                 f"'{self.values['record']}' already")

    def keep(self, pair: Pair, name: str, record: Json) -> None:
        """Keep the figures of a run, the name of whose command is given.

        Of two runs of a pair the faster one counts.
        """
        new, old = figures_of(record), self.figures.setdefault(pair, {})
        if not new.get(GOODPUT, NAN) < old.get(GOODPUT, NAN):
            old.update(new)
        self.made.setdefault(pair, set()).add(name)

    def survey(self, version: str) -> None:
        """Leave out the hosts without this version of ktput-ctl."""
        own = f"{PROGRAM} {version}"
        answers = self.fan.run([(host, ["--version"]) for host in self.hosts],
                               PATIENCE_S)
        for host, answer in zip(self.hosts, answers, strict=True):
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

    def steps(self) -> list[list[Pair]]:
        """Pairs of the hosts that are not left out, those of a step at one time."""
        return list(steps_of(self.remaining(), self.values["pattern"],
                             self.values["concurrent"], self.values["peers"]))

    def measure(self) -> None:
        """Measure what is not measured yet; ends early on Ctrl-C.

        What stands out is measured again.
        """
        steps = self.steps()
        try:
            for number, pairs in enumerate(steps, 1):
                for words in self.values["commands"]:
                    wanted = [pair for pair in pairs
                              if words[0] not in self.made.get(pair, ()) and
                              not set(pair) & set(self.left_out)]
                    if wanted:
                        pairs_word = "pair" if len(wanted) == 1 else "pairs"
                        self.output.progress(f"mesh: step {number}/{len(steps)}: "
                                             f"{words[0]}, {len(wanted)} {pairs_word}")
                        self.step(wanted, words)
            self.measure_again()
        except KeyboardInterrupt:
            self.interrupted = True

    def measure_again(self) -> None:
        """Measure what stands out again, where no pattern has pairs share a host."""
        for again in range(0 if self.values["pattern"] else AGAIN):
            found = [one for one in outliers(self.pairs())
                     if one["kind"] == "link" or not again]
            slow = {pair for one in found for pair in self.links_of(one)}
            for there in disjoint(sorted(slow), self.values["concurrent"]):
                self.output.progress("mesh: again: " + ", ".join(
                    map(" - ".join, there)))
                for pairs in (there, back(there)):
                    self.step(pairs, self.values["commands"][0])

    def links_of(self, outlier: Json) -> set[Pair]:
        """Return the links of what stands out, in one direction each."""
        if outlier["kind"] == "link":
            return {Pair(*outlier["hosts"])}
        return {Pair(min(pair), max(pair)) for pair in self.figures
                if outlier["host"] in pair}

    def step(self, pairs: Sequence[Pair], words: Sequence[str]) -> None:
        """Run a command for pairs at the same time."""
        answers = self.fan.run([(pair.source, ["-j", *words, "remote", pair.sink])
                                for pair in pairs], self.values["time"] + PATIENCE_S)
        for pair, answer in zip(pairs, answers, strict=True):
            self.take(pair, words, answer)

    def take(self, pair: Pair, words: Sequence[str], answer: Answer) -> None:
        """Keep the record of a run, or why there is none."""
        try:
            record = json.loads(answer.out)
        except ValueError:
            record = None
        if at(record, "result.valid") is True:
            self.keep(pair, words[0], record)
            self.failed.pop(pair, None)
            self.write({keys.MESH_PAIR: {"from": pair.source, "to": pair.sink,
                                         "words": words}, **record})
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

    def write(self, document: Json) -> None:
        """Add a line to the file of records."""
        if self.record is not None:
            self.record.add(self.output.line(document).encode())

    def pairs(self) -> list[Json]:
        """Return the documents of the pairs."""
        return [pair_of(pair, self.figures[pair]) for pair in sorted(self.figures)]

    def document(self) -> Json:
        """Return the document of what was measured."""
        pairs = self.pairs()
        steps = self.steps() if self.remaining() else []
        missing = sum(pair not in self.failed and
                      len(self.made.get(pair, ())) < len(self.values["commands"])
                      for step in steps for pair in step)
        thresholds: Mapping[str, Any] = {"deviations": DEVIATIONS, "below_share": BELOW}
        pattern = self.values["pattern"]
        return {keys.MESH: {
            "hosts": self.remaining(), "pattern": list(pattern) if pattern else None,
            "commands": self.values["commands"], "steps": len(steps),
            "interrupted": self.interrupted, "missing_pairs": missing,
            "together_bps": [self.together(step) for step in steps] if pattern else [],
            "pairs": pairs, "outliers": outliers(pairs), "thresholds": thresholds,
            "failed": [{"from": pair.source, "to": pair.sink, "why": why}
                       for pair, why in sorted(self.failed.items())],
            "left_out": [{"host": host, "why": why}
                         for host, why in sorted(self.left_out.items())]}}

    def together(self, step: Sequence[Pair]) -> float:
        """Return the goodput of the pairs of a step, which ran at the same time."""
        return sum(at(self.figures.get(pair), GOODPUT) or 0.0 for pair in step)
