# SPDX-License-Identifier: GPL-2.0
"""What sets runs apart."""

import math

import pytest

from ktput import wording
from ktput.settings import Compared, Setting, differing, settings_of

from .samples import config, parse


def made_with(source, sink=None, kernel="a"):
    return {"source": {"config": source}, "sink": {"config": sink or {}},
            "environment": {"kernel": kernel}, "result": {}}


def test_told_apart():
    records = parse(made_with(config(100), config(100)),
                    made_with(config(200), config(300), "b"))
    compared = Compared(records)
    assert compared.label(0) == "size 100 B"
    assert compared.label(1) == "source size 200 B, sink size 300 B"
    assert compared.label(1, "size_bytes") == ""
    assert compared.number(1, "size_bytes") == 200
    assert compared.number(1, "sink.config.size_bytes") == 300
    assert math.isnan(compared.number(1, "kernel"))
    assert "source.config.cookie" not in compared.of[0]
    assert compared.numbers_that_vary() == ["size_bytes"]
    assert ("environment.kernel", "a", "b") in differing(*compared.of)
    assert [one.runs for one in compared.groups("size_bytes")] == [[0, 1]]


def test_in_whatever_order_and_whoever_lacks_one():
    records = parse(*(made_with(one) for one in (
        {"a": 1, "b": 2, "c": 3}, {"c": 3, "a": 1, "b": 2},
        {"new": 0, "a": 1, "b": 2, "c": 3}, {"b": 2, "a": 1})))
    compared = Compared(records)
    assert [compared.label(i) for i in range(4)] == ["c 3", "c 3", "new 0, c 3", ""]
    assert [one.runs for one in compared.groups()] == [[0, 1], [2], [3]]


def test_differing():
    a, b = (settings_of(one) for one in parse(
        made_with({"x": 1, "only": True}), made_with({"x": "1", "other": [1]})))
    assert differing(a, b) == [("source.config.only", "true", None),
                               ("source.config.other", None, "[1]")]


@pytest.mark.parametrize(("key", "text", "words"), [
    ("source.config.size_bytes", "65536", "source size 64 KiB"),
    ("source.config.size_bytes", "1448", "source size 1448 B"),
    ("source.config.drain_timeout_ns", "10000000000", "source drain timeout 10 s"),
    ("sink.config.time_ns", "200000001", "sink time 200.000001 ms"),
    ("source.config.think_ns", "0", "source think 0 ns"),
    ("source.config.busy_poll_us", "1500", "source busy poll 1.5 ms"),
    ("clock_hz", "2095078000", "clock 2.095078 GHz"),
    ("source.config.pace_bytes_per_s", "125000000", "source pace 1 Gb/s"),
    ("source.config.packet_rate_per_s", "100000", "source packet rate 100 k/s"),
    ("route.mtu_bytes", "1500", "route MTU 1500 B"),
    ("route.rate_given", "false", "route rate given no"),
    ("source.config.layer", "user", "source layer user"),
    ("environment.kernel.release", "6.1.0_x", "environment kernel release 6.1.0_x"),
    ("source.config.size_bytes", "x", "source size x"),
])
def test_in_words(key, text, words):
    one = Setting(key, text, number=float("nan"))
    assert f"{one.title} {one.shown}" == words
    assert one.words == f"{wording.title(one.name)} {one.shown}"


def test_numbers_that_differ_are_shown_differently():
    for key in ("a_bytes", "a_ns", "a_bps", "a_bytes_per_s", "a_hz"):
        for number in (999, 1000, 1024, 10**9, 10**12, 2**40):
            near = {wording.shown(key, str(number + i)) for i in (-1, 0, 1)}
            assert len(near) == 3
