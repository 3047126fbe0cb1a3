# SPDX-License-Identifier: GPL-2.0
"""Costs: exact data, how often the intervals hold, what cannot be told apart."""

import math

import numpy as np
import pytest

from ktput import model
from ktput.model import INFLATION_MAX, Work

from .samples import parse, run

TRUTH = np.array([0.8, 350, 900])


def sweep():
    """Sizes of 256 to 256 Ki at three segment sizes, of 1 MB to 1 GB each."""
    rows = []
    for i in range(18):
        size = 1e6 * 10 ** (i % 4)
        rows.append((size, size / (536, 1448, 8948)[i % 3],
                     size / (256 * 4 ** (i // 3))))
    return np.array(rows)


def fit(x, y):
    return model.fit([Work(*row, cost, 0, True)
                      for row, cost in zip(x, y, strict=True)])


def test_exact():
    x = sweep()
    fitted = fit(x, x @ TRUTH)
    assert (fitted.kept, fitted.freedom, fitted.too_few) == (3, 15, False)
    for cost, truth in zip(fitted.costs, TRUTH, strict=True):
        assert cost.value == pytest.approx(truth, rel=1e-9)
        assert cost.ci_low == pytest.approx(truth, rel=1e-8)
        assert cost.ci_high == pytest.approx(truth, rel=1e-8)
        assert cost.inflation >= 1
    assert fitted.rms < 1e-12


def test_by_hand():
    """Of x = 1 and y = 1, 1, 2.5 the equation of the weights is solved by the mean."""
    fitted = fit([(1, 0, 0)] * 3, [1, 1, 2.5])
    half = 4.30265273 * math.sqrt(1 / 3) * math.sqrt(1.5 * 1.5 / 3)
    cost = fitted.costs[0]
    assert fitted.kept == 1
    assert cost.value == pytest.approx(1.5)
    assert half > 1.5
    assert cost.ci_low == 0
    assert cost.ci_high == pytest.approx(1.5 + half, abs=1e-6)
    assert cost.inflation == pytest.approx(1)
    assert fitted.rms == pytest.approx(math.sqrt(2 / 9))
    assert fitted.residuals[0] == pytest.approx(-1 / 3)
    assert math.isinf(fitted.costs[1].inflation)
    assert math.isnan(fitted.costs[1].value)


def test_inflation_by_hand():
    """Columns (1, 1, 1, 1) and (1, 1, 2, 2) have the cosine 6 / sqrt(4 * 10)."""
    fitted = fit([(1, 1, 0), (1, 1, 0), (1, 2, 0), (1, 2, 0)], [1, 1, 1, 1])
    assert fitted.kept == 2
    assert fitted.costs[0].inflation == pytest.approx(10)
    assert fitted.costs[1].inflation == pytest.approx(10)
    assert fitted.costs[1].value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("noise", [0.03, 0.15])
def test_intervals_hold_what_they_promise(noise):
    random, x = np.random.default_rng(20), sweep()
    held, tries = np.zeros(3), 2000
    for _ in range(tries):
        fitted = fit(x, x @ TRUTH * (1 + noise * random.normal(size=len(x))))
        held += [cost.ci_low <= truth <= cost.ci_high
                 for cost, truth in zip(fitted.costs, TRUTH, strict=True)]
    # Four deviations of 2000 tries are 1.9 %.
    assert np.abs(held / tries - 0.95).max() < 0.02


def test_later_terms_that_cannot_be_told_apart_go():
    x = sweep()
    x[:, 1] = x[:, 0] / 1000
    fitted = fit(x, x @ np.array([2, 500, 900]))
    assert not fitted.costs[1].kept
    assert fitted.costs[0].value == pytest.approx(2.5)
    assert fitted.costs[2].value == pytest.approx(900)
    x = sweep()
    x[:, 2] = x[:, 0] / 1e5 + 2 * x[:, 1]
    fitted = fit(x, x[:, 0] + x[:, 2])
    assert not fitted.costs[2].kept
    assert fitted.costs[0].value == pytest.approx(1 + 1e-5)
    assert fitted.costs[1].value == pytest.approx(2)
    # A segment size that wavers by a percent is not another one.
    x = sweep()
    x[:, 1] = x[:, 0] / (1000 + 10 * (np.arange(18) % 2))
    fitted = fit(x, x @ TRUTH)
    assert not fitted.costs[1].kept
    assert INFLATION_MAX < fitted.costs[1].inflation < math.inf


def test_too_few():
    x = sweep()
    y = x @ TRUTH
    assert fit(x[:1], y[:1]).too_few
    three = fit(x[2:5], y[2:5])
    assert three.too_few
    assert three.kept == 3
    assert math.isnan(three.costs[0].value)
    assert not fit(x[2:6], y[2:6]).too_few
    assert fit([(0, 0, 0)] * 5, [1] * 5).too_few


def test_below_zero():
    """One run is where the line is below zero: weights stay as they were."""
    x = [(1, i % 2, 0) for i in range(2000)] + [(1, 3, 0)]
    y = [5 if i % 2 else 10 for i in range(2000)] + [1]
    fitted = fit(x, y)
    assert fitted.fitted[-1] < 0
    assert fitted.residuals[-1] == pytest.approx(1 - fitted.fitted[-1])
    assert abs(fitted.residuals).argmax() == 2000


def test_a_cost_that_is_all_below_zero_has_no_interval():
    x = sweep()
    fitted = fit(x, x @ np.array([2, 300, -5]))
    assert fitted.costs[2].value == pytest.approx(-5)
    assert math.isnan(fitted.costs[2].ci_low)
    assert math.isnan(fitted.costs[2].ci_high)


def test_own_cycles_are_modelled_if_all_runs_have_them():
    x = sweep()
    own = [Work(*row, 1e9 + 5 * row[0], 0, True, 2 * row[0]) for row in x]
    fitted = model.fit(own)
    assert model.cycles_of(own) == "own"
    assert fitted.costs[0].value == pytest.approx(2)
    mixed = [*own[:-1], Work(*x[-1], 3e9, 0, True)]
    assert model.cycles_of(mixed) == "busy"
    parts = {"source_cycles": 7, "sink_cycles": 5, "worker_cycles": 1,
             "own_softirq_cycles": 2, "other_tasks_cycles": 100}
    record = run(result__cpus=[{"cpu": 0, "cycles": 2e10, "busy_cycles": 1.2e10,
                                "attribution": parts}])
    assert model.work_of(parse(record)[0]).own_cycles == 15
    assert math.isnan(model.work_of(parse(run())[0]).own_cycles)


def test_work_of_a_run():
    record = run(result__cpu_bytes=1e9, source__begin={
        "cpus": [{"cpu": 0, "calls": 5}], "streams": []})
    record["result"]["wire"]["payload_bytes"] = 1000
    for i, interval in enumerate(record["intervals"]):
        interval["warm_up"] = i == 0
        interval["source"]["cpus"] = [{"cpu": 0, "calls": 77 + i}]
        interval["source"]["streams"][0]["tcp"]["segments_out"] = 33 + 2 * i
        interval["sink"]["cpus"][0]["calls"] = 11 + i
    work = model.work_of(parse(record)[0])
    # What was counted in the warm-up is none of it.
    assert (work.calls, work.packets, work.counted) == (38, 38, True)
    assert (work.bytes, work.busy_cycles, work.missing) == (1e9, 1.2e10, None)
    for interval in record["intervals"]:
        del interval["source"]["streams"]
    work = model.work_of(parse(record)[0])
    assert (work.packets, work.counted) == (1e6, False)
    assert model.work_of(parse(run())[0]).missing.startswith("it does not tell the by")
