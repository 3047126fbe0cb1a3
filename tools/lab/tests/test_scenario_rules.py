# SPDX-License-Identifier: GPL-2.0
"""Tests of the expressions of scenarios: what they say, and what they may not."""

import pytest

from ktput.scenario.rules import Evaluator, Missing


def evaluator(values):
    def select(name, given):
        if name == "none":
            raise Missing("not run")
        return [one for one in values
                if all(one[key] == value for key, value in given.items())]

    return Evaluator(select, lambda point, name: point[name])


@pytest.mark.parametrize(("rule", "value"), [
    ("r(x=1).y", 10), ("r().y", [10, 20]), ("max(r().y) - min(r().y)", 10),
    ("within(r(x=1).y, 10.04, 0.005)", True), ("within(r().y, 10, 0.005)", False),
    ("within(9.9, 10, 0.005)", False), ("1 < r(x=1).y <= 10", True),
    ("not r(x=1).y == 10 or -1 > 0", False), ("spread(r().y)", 1),
    ("rises(r().y)", True), ("rises([1, 1])", False),
    ("falls(1)", True), ("falls([3, 3.02, 1], 0.01)", True),
    ("falls([3, 3.1])", False), ("r(x=2).z in ['b', 'c']", True),
])
def test_rules(rule, value):
    points = [{"x": 1, "y": 10, "z": "a"}, {"x": 2, "y": 20, "z": "b"}]
    assert evaluator(points).of(rule) == value


@pytest.mark.parametrize("rule", [
    "r(", "__import__('os')", "r(1).y", "().__class__", "r().y < 3", "x", "1 / 0",
    "(lambda: 1)()", "r(x=1)['y']"])
def test_no_rules(rule):
    with pytest.raises(ValueError, match="'"):
        evaluator([{"x": 1, "y": 1}, {"x": 2, "y": 2}]).of(rule)
