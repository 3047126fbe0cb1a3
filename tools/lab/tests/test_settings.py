# SPDX-License-Identifier: GPL-2.0
"""What sets runs apart."""

import math

from ktput.settings import Compared, differing, settings_of

from .samples import config, parse


def made_with(source, sink=None, kernel="a"):
    return {"source": {"config": source}, "sink": {"config": sink or {}},
            "environment": {"kernel": kernel}, "result": {}}


def test_told_apart():
    records = parse(made_with(config(100), config(100)),
                    made_with(config(200), config(300), "b"))
    compared = Compared(records)
    assert compared.label(0) == "size_bytes 100"
    assert compared.label(1) == "source size_bytes 200, sink size_bytes 300"
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
