# SPDX-License-Identifier: GPL-2.0
"""Quantities as text."""

import math

import pytest

from ktput import units


@pytest.mark.parametrize(("value", "text"), [
    (0, "0 b/s"), (999, "999 b/s"), (1.5, "1.50 b/s"), (999.995, "1.00 kb/s"),
    (949e6, "949.00 Mb/s"), (-2.5e9, "-2.50 Gb/s"), (1e18, "1000.00 Pb/s"),
    (math.nan, "-"),
])
def test_bitrate(value, text):
    assert units.bitrate(value) == text


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (7, "7"), (0.8, "0.800"), (12.34, "12.3"), (1234, "1.23k"),
    (999500, "1.00M"), (17418, "17.4k"), (-1.5, "-1.50"), (math.inf, "-"),
])
def test_brief(value, text):
    assert units.brief(value) == text


def test_scale_and_sizes():
    assert units.scale(37e9, "b/s") == (1e-9, "Gb/s")
    assert units.scale(3, "") == (1, "")
    assert [units.size(one) for one in (0, 1, 1024, 1500, 2**20, 2**30, 2**40)] == \
        ["0 B", "1 B", "1 KiB", "1500 B", "1 MiB", "1 GiB", "1024 GiB"]
