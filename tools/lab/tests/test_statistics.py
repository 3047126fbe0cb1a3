# SPDX-License-Identifier: GPL-2.0
"""Means with their intervals, and how far two are apart."""

import math

import numpy as np
import pytest
from scipy import stats

from ktput import statistics
from ktput.statistics import (
    FIGURES,
    GOODPUT,
    LATENCY,
    PER_BYTE,
    PILOT,
    over_differences,
    over_runs,
    welch,
)

from .samples import RECORD, change, cpu, parse, run

A = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
     21.4]
B = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5,
     24.4]


def test_welch_as_scipy_has_it():
    by = welch(over_runs(A), over_runs(B))
    peer = stats.ttest_ind(B, A, equal_var=False)
    half = abs((np.mean(B) - np.mean(A)) / peer.statistic) * \
        stats.t.ppf(0.975, by.freedom)
    assert by.value == pytest.approx(2.16666667)
    assert by.ci_low == pytest.approx(by.value - half)
    assert by.ci_high == pytest.approx(by.value + half)
    # From the formulas, with the quantile of 24 degrees; there are 24.99.
    assert by.ci_low == pytest.approx(0.34543199, rel=0.02)
    assert by.relative == pytest.approx(0.104066603)
    assert by.distinguishable
    assert 2 * stats.t.sf(abs(by.value) / (by.ci_high - by.value) *
                          stats.t.ppf(0.975, by.freedom), by.freedom) == \
        pytest.approx(peer.pvalue)
    less = welch(over_runs(B), over_runs(A))
    assert less.ci_high < 0
    assert less.distinguishable
    same = welch(over_runs(A), over_runs(A))
    assert (same.value, same.distinguishable) == (0, False)
    assert -same.ci_low == pytest.approx(same.ci_high)


def test_a_pilot_bounds_the_interval():
    # Sigma 1 of the first five, and none of the rest: t of 4 degrees is 2.776445.
    values = [9.0, 10.0, 10.0, 10.0, 11.0] + [10.0] * 11
    sigma = math.sqrt(2 / 4)
    found = over_runs(values, pilot=PILOT)
    assert found.ci_high == pytest.approx(10 * math.exp(2.776445 * sigma / 4 / 10))
    assert over_differences(values, pilot=PILOT).half_width == pytest.approx(
        2.776445 * sigma / 4)
    assert over_runs(values).half_width < found.half_width / 1.5
    # The pilot alone, and a wider interval of all, are as they are.
    assert over_runs(values[:5], pilot=PILOT) == over_runs(values[:5])
    wide = [10.0, 10.0, 10.0, 10.0, 10.1, 15.0]
    assert over_runs(wide, pilot=PILOT) == over_runs(wide)


def test_welch_of_more_and_fewer_values():
    """Their numbers differ, and so do their deviations: who has which matters."""
    few = [one * 3 for one in B[:5]]
    for one, other in ((A, few), (few, A)):
        by = welch(over_runs(one), over_runs(other))
        peer = stats.ttest_ind(other, one, equal_var=False)
        assert by.value == pytest.approx(np.mean(other) - np.mean(one))
        # What is as far from zero as the t of the peer has its probability.
        t = abs(by.value) / (by.ci_high - by.value) * stats.t.ppf(0.975, by.freedom)
        assert t == pytest.approx(abs(peer.statistic))
        assert 2 * stats.t.sf(t, by.freedom) == pytest.approx(peer.pvalue)


def test_what_is_distinguishable():
    for low, high, apart in ((-1, 1, False), (0, 1, False), (-1, 0, False),
                             (0.1, 1, True), (-1, -0.1, True)):
        by = statistics.Difference(0.5, 0.5, low, high)
        assert by.distinguishable is apart


def test_welch_of_what_has_no_spread():
    by = welch(over_runs([2, 2, 2]), over_runs([3, 3, 3]))
    assert (by.ci_low, by.ci_high, by.distinguishable) == (1, 1, True)
    by = welch(over_runs([2]), over_runs([3, 3, 3]))
    assert by.value == 1
    assert by.distinguishable is None
    by = welch(over_runs([]), over_runs([3, 3, 3]))
    assert math.isnan(by.value)
    assert by.distinguishable is None


def test_paired_as_scipy_has_it():
    by = statistics.paired(A, B)
    peer = stats.ttest_rel(B, A).confidence_interval(0.95)
    assert (by.ci_low, by.ci_high) == pytest.approx((peer.low, peer.high))
    by = statistics.paired([1, math.nan, 3], [2, 5, 4])
    assert (by.value, by.relative) == (1, 0.5)
    assert statistics.paired([1, 2], [2, 5]).distinguishable is None
    assert math.isnan(statistics.paired([math.nan], [1]).value)
    with pytest.raises(ValueError, match="paired"):
        statistics.paired([1], [1, 2])


def test_paired_is_narrower_where_rounds_resemble_each_other():
    drift = np.linspace(0, 100, 12)
    noise = np.random.default_rng(1).normal(size=(2, 12))
    a, b = drift + noise[0], drift + 2 + noise[1]
    assert statistics.paired(a, b).distinguishable
    assert not welch(over_runs(a), over_runs(b)).distinguishable


def test_bootstrap():
    skewed = np.random.default_rng(2).exponential(size=40)
    estimate = statistics.bootstrap(skewed, np.median)
    assert estimate.ci_low < np.median(skewed) < estimate.ci_high
    assert estimate == statistics.bootstrap(skewed, np.median)
    assert statistics.bootstrap([2, 2, 2]).ci_low == 2
    assert math.isnan(statistics.bootstrap([2]).ci_low)
    assert math.isnan(statistics.bootstrap([]).mean)


def test_bootstrap_holds_what_it_promises():
    random, held = np.random.default_rng(3), 0
    for _ in range(200):
        estimate = statistics.bootstrap(random.normal(size=20), resamples=399)
        held += estimate.ci_low <= 0 <= estimate.ci_high
    # 95 % of 200, less four deviations, and what a small sample costs.
    assert held >= 174


def test_percentiles_of_student():
    assert statistics.student(24) == pytest.approx(2.0638986)


def test_one_run_has_a_mean_and_no_interval():
    # Of an older record, whose own interval held the mean less often than it said.
    stated = {"count": 70, "mean": 5, "ci_low": 4, "ci_high": 6.25, "batches": 17,
              "too_short": False, "confidence": 0.95}
    record = parse(run(result__statistics={"goodput_bps": stated}))[0]
    for one, mean, count in ((record, 5, 70), (parse(run())[0], 400.95e6, 20)):
        estimate = statistics.of_run(one, GOODPUT)
        assert (estimate.mean, estimate.count) == (pytest.approx(mean), count)
        assert (estimate.batches, estimate.too_short) == (1, True)
        assert math.isnan(estimate.ci_low)
        assert math.isnan(estimate.standard_error)


def test_intervals_of_rates_are_not_negative():
    estimate = over_runs([1.0, 10.0, 2.0])
    assert 0 < estimate.ci_low < estimate.mean < estimate.ci_high
    assert estimate.ci_low * estimate.ci_high == pytest.approx(estimate.mean ** 2)
    assert estimate.half_width == estimate.ci_high - estimate.mean
    assert math.isnan(over_runs([1.0, 10.0]).ci_low)
    assert over_runs([0, 0, 0]).ci_high == 0
    differences = statistics.over_differences([-1.0, 10.0, 2.0])
    assert differences.ci_low < 0


def test_an_interval_without_payload():
    record = {"sink": {"begin": {"cpus": [cpu(0, 0, 0, 0)]}}, "result": {},
              "intervals": [
                  {"from_ns": i * 10**9, "to_ns": (i + 1) * 10**9, "bytes": size,
                   "sink": {"cpus": [cpu(0, (i + 1) * 1000, 0, (i + 1) * 100)]}}
                  for i, size in enumerate((1000, 0, 4000))]}
    record = parse(record)[0]
    estimate = statistics.of_run(record, PER_BYTE)
    assert estimate.count == 2
    assert estimate.mean == pytest.approx((0.1 + 0.025) / 2)
    assert math.isnan(estimate.ci_low)
    assert statistics.of_run(record, GOODPUT).count == 3
    latency = statistics.of_run(record, LATENCY)
    assert latency.count == 0
    assert math.isnan(latency.mean)


def test_a_short_last_interval_and_the_warm_up_are_left_out():
    record = run(intervals__0__warm_up=True)
    record["intervals"][-1]["to_ns"] -= 5 * 10**7
    assert statistics.of_run(parse(record)[0], GOODPUT).count == 18


def test_figures_over_a_span():
    record = parse(RECORD)[0]
    assert GOODPUT.of_interval(record.intervals[0]) == 8000
    assert FIGURES[1].of_interval(record.intervals[1]) == 30
    assert FIGURES[3].of_interval(record.intervals[0]) == pytest.approx(20)


def test_of_runs():
    records = parse(*(run(rate) for rate in (400e6, 401e6, 399e6))).runs
    estimate = statistics.of_runs(records, GOODPUT)
    assert (estimate.mean, estimate.batches) == (401e6, 3)
    assert statistics.of_runs(records[:1], GOODPUT).count == 20
    no_figure = parse(change(RECORD, intervals=[]))
    assert statistics.of_runs(no_figure.runs, GOODPUT).mean == 16000
