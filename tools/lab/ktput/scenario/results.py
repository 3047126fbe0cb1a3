# SPDX-License-Identifier: GPL-2.0
"""The document of a scenario: its tables beside the memo's, and what is the same."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from ..record import Json, Record
from .description import Matrix, Point, Row, Rule, Table, Values, filled
from .experiment import Experiment
from .figures import FIGURES, figure_of, verdict
from .rules import Elsewhere, Evaluator, Missing


class Results:
    """What the runs of an experiment come to."""

    def __init__(self, experiment: Experiment) -> None:
        """Judge the runs that *experiment* has."""
        self.experiment = experiment
        self.evaluator = Evaluator(experiment.select, self._figure)

    def _figure(self, points: Sequence[Point], name: str) -> object:
        experiment = self.experiment
        return figure_of(experiment.records(points), name, experiment.why(points))

    def document(self) -> Json:
        """Return the document that ``-j`` prints, and text and figure are made of."""
        experiment = self.experiment
        scenario = experiment.scenario
        left_out: dict[str, list[str]] = {}
        for point in experiment.points:
            if point.key in experiment.reasons:
                left_out.setdefault(experiment.reasons[point.key], []).append(
                    point.title)
        return {"scenario": {
            "name": scenario.name, "form": scenario.form, "title": scenario.title,
            "memo": scenario.memo, "text": scenario.text.strip(),
            **({"hosts": experiment.place.hosts} if experiment.place.hosts else {}),
            "seed": experiment.seed, "runs": len(experiment.points),
            "made": len(experiment.made), "resumed": experiment.resumed,
            "interrupted": experiment.interrupted,
            "left_out": [{"because": why, "runs": runs}
                         for why, runs in left_out.items()],
            "tables": [said for said in map(self._table, scenario.tables)
                       if said["rows"]],
            "matrices": [said for said in map(self._matrix, scenario.matrices)
                         if said["rows"]],
            "same": [said for said in map(self._same, scenario.same)
                     if said is not None]}}

    def _table(self, table: Table) -> Json:
        return {"title": table.title, "notes": table.notes,
                "rows": [one for row in table.rows
                         for one in self._row(row, table.figures)]}

    def _row(self, row: Row, figures: Sequence[str]) -> Iterator[Json]:
        """Yield each figure of a row: memo, ceiling and measurement."""
        why, records, less, told = row.not_measured, [], [], bool(row.less)
        if row.of:
            try:
                records = self._records(row.of)
                less = self._records(row.less) if row.less else []
            except Elsewhere:
                return
            except Missing as missing:
                why = why or str(missing)
        for figure in figures:
            said: Json = {"row": row.title, "figure": figure}
            said["unit"] = FIGURES[figure].unit
            said["memo"] = row.memo.get(figure)
            if records:
                try:
                    said["here"] = figure_of(records, figure, why) - (
                        figure_of(less, figure, why) if less else 0)
                    if FIGURES[figure].rate and not told:
                        told = True
                        said["verdict"] = verdict(records)
                        with suppress(Missing):
                            said["ceiling"] = figure_of(records, "ceiling", why)
                except Missing as missing:
                    said["not_measured_because"] = str(missing)
            else:
                said["not_measured_because"] = why
            if said["memo"] is not None or not row.memo or records:
                yield said

    def _matrix(self, of: Matrix) -> Json:
        """Return a figure over two variables; null where it was not measured."""
        experiment = self.experiment
        points = [point for point in experiment.points if point.runs.name == of.runs]
        down, across = ([*dict.fromkeys(experiment.values(point)[name]
                                        for point in points)]
                        for name in (of.down, of.across))
        return {"title": of.title, "figure": of.figure,
                "unit": FIGURES[of.figure].unit, "down": of.down, "across": of.across,
                "rows": down, "columns": across,
                "cells": [[self._cell(of, {of.down: row, of.across: column})
                           for column in across] for row in down]}

    def _cell(self, of: Matrix, values: Values) -> float | None:
        try:
            (points,) = self.experiment.select(of.runs, values)
            found = self._figure(points, of.figure)
        except Missing:
            return None
        return float(found) if isinstance(found, (int, float)) else None

    def _records(self, of: str) -> list[Record]:
        """Return the runs of a row; raises Missing."""
        found = self.evaluator.of(of)
        if not isinstance(found, list) or len(found) != 1:
            raise ValueError(f"'{of}' is not one point")
        records = self.experiment.records(found[0])
        if not records:
            raise Missing(self.experiment.why(found[0]))
        return records

    def _same(self, rule: Rule) -> Json:
        """Return whether a rule holds, null if a figure of it was not measured.

        None if it is a rule of another form.
        """
        said: Json = {"says": rule.says, "rule": rule.rule, "holds": None}
        try:
            said["holds"] = self.evaluator.of(rule.rule) is True
            concludes = rule.then if said["holds"] else rule.otherwise
            if concludes:
                said["concludes"] = filled(concludes, self.evaluator)
        except Elsewhere:
            return None
        except (Missing, ValueError) as error:
            said["because"] = str(error)
        return said
