# SPDX-License-Identifier: GPL-2.0
"""Tests of ktput-scenario: its words, and what it prints of the scenarios."""

import json

import pytest

from ktput.scenario import description, main


def program(capsys, *words):
    status = main.run(words, "1.2")
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(("words", "offered"), [
    ((), ["list", "show", "hosts", *description.names(), "short", "seed", "nics",
          "record", "replace", "figure"]),
    (("sh",), ["show", "short"]), (("x", "short", "s"), ["show", "slac-", "seed"]),
    (("x", "figure", ""), [":files"]), (("x", "seed", ""), []),
    (("x", "record", "f", "r"), ["replace"])])
def test_completion(capsys, words, offered):
    out = program(capsys, "complete", *(words or ("",)))[1]
    found = [line.partition("\t")[0] for line in out.splitlines()]
    assert len(found) == len(offered)
    assert all(one.startswith(other) for one, other in zip(found, offered, strict=True))


def test_program(capsys, monkeypatch):
    status, out, _ = program(capsys, "list")
    assert status == 0
    assert "\nhaystack-2001-evlbi-gige  TCP over" in out
    assert max(map(len, out.splitlines())) <= 80
    found = json.loads(program(capsys, "-j", "list")[1])["scenarios"]
    assert [one["name"] for one in found] == description.names()
    out = program(capsys, "show", "haystack-2001-evlbi-gige", "short")[1]
    assert "\nktput-ctl start netns near to 10.1.0.2 sink-netns far layer user" in out
    found = json.loads(program(capsys, "-j", "show", "haystack-2001-evlbi-gige")[1])
    assert found["commands"][0] == "ip netns add near"
    out = program(capsys, "show", "haystack-2001-evlbi-gige", "hosts", "a", "b")[1]
    assert "\nssh a 'ktput-ctl start remote b layer user sink-layer user sndbuf" in out
    assert "link-rate" not in out
    for words, why in ((["show"], "'show' needs the name of a scenario"),
                       (["a", "b"], "'b' is a second scenario\n"),
                       (["a", "figur", "x"], "; did you mean 'figure'?"),
                       (["a", "hosts", "b"], "'hosts' needs two hosts"),
                       (["list", "a"], "'list' stands alone"),
                       (["a", "replace"], "'replace' needs 'record'"),
                       (["a", "figure", "x.gif"], "ends neither in .svg nor in .png"),
                       ([], "'NAME' is missing"), (["a", "seed", "x"], "x")):
        status, _, err = program(capsys, *words)
        assert (status, why in err) == (2, True), err
    for word, why in (("haystack", "'haystack'; did you mean 'haystack-2001-evlbi-"),
                      ("slac-sc2003-1g", "'; did you mean 'slac-sc2003-10g'?"),
                      ("x", "'x': 'ktput-ctl scenario list' prints them")):
        status, _, err = program(capsys, word)
        assert (status, why in err) == (1, True), err
    monkeypatch.setattr(main.os, "geteuid", lambda: 1)
    status, _, err = program(capsys, "haystack-2001-evlbi-gige")
    assert status == 1
    assert "run it as root" in err
