# SPDX-License-Identifier: GPL-2.0
"""A against B: words, order, what is claimed, what is changed and undone."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ktput
from ktput import page
from ktput.ab import main
from ktput.statistics import PILOT

from .commands import result_of, stand_in

#: What stands for ktput-ctl. Goodput varies by 1% around 4 Gb/s, with pace half of it.
CTL = '''#!/bin/sh
echo "$*" >>@log
n=$(wc -l <@log)
@body
rate=40$(($n * 7 % 10))0000000
case "$*" in *pace*) rate=20$(($n * 7 % 10))0000000 ;; esac
case "$*" in *pingpong*) result='"latency_ns": {"mean": 9e3, "p50": '${n}e3'},' ;; esac
disturbed=false
@disturbed
cat <<END | tr -d '\\n'
{"source": {"config": {"x": "$*"}}, "result": {"valid": true, $result
"goodput_bps": $rate, "own_cycles_per_byte": 1.$n, "busy_cycles_per_byte": 2,
"disturbed": $disturbed, "binding": "cpu", "binding_because": "CPU 0 was full"}}
END
'''


@pytest.fixture
def ctl(tmp_path, monkeypatch):
    """Make a ktput-ctl; return how, and what it was called with."""
    log = tmp_path / "log"
    monkeypatch.chdir(tmp_path)

    def make(body=":", disturbed=""):
        program = tmp_path / "ktput-ctl"
        script = CTL.replace("@body", body).replace("@disturbed", disturbed)
        stand_in(monkeypatch, program, script.replace("@log", str(log)))

    make.calls = lambda: log.read_text().splitlines() if log.exists() else []
    return make


def ab(capsys, *words):
    return result_of(capsys, main, words)


def compared(capsys, *words):
    status, out, err = ab(capsys, "-j", *words)
    assert status == 0, err
    return json.loads(out)["ab"]


@pytest.mark.parametrize(("words", "says"), [
    ("", "no command"), ("rounds 3", "'--' is missing"),
    ("-- a", "give two sides"), ("-- a -- b -- c", "give two sides"),
    ("before x -- a", "'before' needs 'after'"),
    ("after x -- a -- b", "'after' needs 'before'"),
    ("rounds 2 -- a -- b", "rounds: '2' is not in the range 3 to 1000"),
    ("until ci 1 rounds 4 -- a -- b", "rounds: '4' is not in the range 5 to 1000"),
    ("until ci 0 -- a -- b", "ci: '0' is not above 0"),
    ("until 1 -- a -- b", "after 'until' comes 'ci'"),
    ("-- a repeat 3 -- b", "'repeat' does not go together with ab"),
    ("-- pingpong -- start", "'pingpong' and 'start' have no figure in common"),
    ("replace -- a -- b", "'replace' needs 'record'"),
    ("rounds x -- a -- b", "no whole number"),
])
def test_usage_errors(ctl, capsys, words, says):
    ctl()
    line = words.split()
    status, out, err = ab(capsys, *(["-x"] if not line else ["--", *line]))
    assert (status, out) == (2, "")
    assert (says if line else "unknown option") in err
    assert ctl.calls() == []


def test_a_refused_line_is_a_usage_error_of_its_side(ctl, capsys):
    ctl('''case "$*" in *bad*) echo '{"error": "unknown word"}' >&2; exit 2 ;; esac''')
    status, out, err = ab(capsys, "--", "seed", "1", "--", "time", "1", "--", "bad")
    assert (status, out) == (2, "")
    assert "B: unknown word" in err


def test_order_follows_from_the_seed(ctl, capsys):
    ctl()
    words = ("--", "rounds", "12", "seed", "7", "--", "one", "--", "start", "two")
    found = compared(capsys, *words)
    first = ctl.calls()
    assert found["a"]["words"] == ["start", "one"]
    assert found["b"]["words"] == ["start", "two"]
    rounds = [first[i:i + 2] for i in range(0, 24, 2)]
    # Each round has both; each comes first in some.
    assert all(sorted(one) == ["-j -s start one", "-j -s start two"] for one in rounds)
    assert {one[0] for one in rounds} == set(first)
    compared(capsys, *words)
    assert ctl.calls()[24:] == first


def test_half_is_half(ctl, capsys):
    ctl()
    status, out, err = ab(capsys, "--", "rounds", "10", "--", "x", "--", "x", "pace")
    assert status == 0
    assert re.search("Goodput: B is (49|50).*% less; distinguishable from zero", out)
    assert "Bottleneck A     CPU 0 was full\nBottleneck B     CPU 0 was full\n" in out
    assert "source.config.x" in out
    assert err.count("ab: ") == 11
    # By the first figure.
    assert re.search(r"round 10 of 10, B is -(49|50)\.", err)
    found = compared(capsys, "--", "rounds", "10", "--", "x", "--", "x", "pace")
    goodput = found["figures"][0]
    assert goodput["figure"] == "goodput_bps"
    assert goodput["relative"] == pytest.approx(-0.5, abs=0.03)
    assert goodput["ci_low"] < goodput["difference"] < goodput["ci_high"] < 0
    # Two figures: each interval is that of 97.5%, and both together are 95%.
    assert goodput["confidence"] == pytest.approx(0.975)
    part = page.ab.of({"ab": found}, lambda _: None)
    assert [len(table.rows) for table in part.tables] == [2, len(found["settings"])]
    assert part.tables[0].rows[0].cells[2].sort == goodput["difference"]


def test_like_is_not_told_apart(ctl, capsys):
    ctl()
    found = compared(capsys, "--", "seed", "3", "--", "x", "--", "x")
    assert found["rounds"] == 10
    assert not found["figures"][0]["distinguishable"]
    assert found["settings"] == []
    assert found["b"]["bottlenecks"] == [
        {"binding": "cpu", "because": "CPU 0 was full", "runs": 10}]


def test_until_it_is_known(ctl, capsys):
    ctl()
    found = compared(capsys, "--", "until", "ci", "50", "--", "x", "--", "x")
    assert (found["rounds"], found["met"]) == (PILOT, True)
    found = compared(capsys, "--", "rounds", "6", "until", "ci", "0.001", "--", "x",
                     "--", "x")
    assert (found["rounds"], found["met"]) == (6, False)


def test_medians_of_round_trips(ctl, capsys):
    ctl()
    found = compared(capsys, "--", "rounds", "3", "--", "pingpong", "--", "pingpong")
    assert "latency_p50_ns" in [one["figure"] for one in found["figures"]]


CHANGE = ("before", "test ! -e changed && touch changed", "after", "rm changed")


def test_what_is_changed_for_b_is_undone(ctl, capsys, tmp_path):
    ctl('test -e changed && echo "changed $*" >>seen || echo "not $*" >>seen')
    found = compared(capsys, "--", "rounds", "3", *CHANGE, "--", "x")
    seen = (tmp_path / "seen").read_text().splitlines()
    assert sorted(seen) == ["changed -j -s start x"] * 3 + ["not -j -s start x"] * 3
    assert not (tmp_path / "changed").exists()
    assert found["before"] == CHANGE[1]
    assert found["a"]["words"] == found["b"]["words"]


def test_a_change_that_fails(ctl, capsys):
    ctl()
    status, out, err = ab(capsys, "--", "before", "echo no >&2; false", "after",
                          "touch undone", "--", "x")
    assert (status, out) == (1, "")
    assert "before: 'echo no >&2; false' failed: no" in err
    assert Path("undone").exists()


def test_what_cannot_be_undone(ctl, capsys):
    ctl()
    status, _, err = ab(capsys, "--", "seed", "1", "before", ":", "after",
                        "echo broken; false", "--", "x")
    assert status == 1
    assert "after: 'echo broken; false' failed: broken" in err
    # It does not go on with a host that is not what it was.
    assert len(ctl.calls()) <= 2


def test_ctrl_c_prints_what_there_is(ctl, capsys, tmp_path):
    ctl(f'[ "$n" -lt 9 ] || {{ kill -INT {os.getpid()}; sleep 0.2; }}')
    status, out, err = ab(capsys, "-j", "--", *CHANGE, "record", "r", "--", "x")
    assert status == 0, err
    found = json.loads(out)["ab"]
    assert (found["rounds"], found["interrupted"]) == (4, True)
    assert not (tmp_path / "changed").exists()
    assert json.loads((tmp_path / "r").read_text().splitlines()[-1])["ab"] == found


def test_too_few_rounds_claim_nothing(ctl, capsys):
    ctl(f'[ "$n" -lt 5 ] || {{ kill -INT {os.getpid()}; sleep 0.2; }}')
    status, out, _ = ab(capsys, "--", "--", "x", "--", "pace")
    assert status == 0
    assert "Goodput: TOO FEW runs for an interval (3 of each)." in out
    assert "2 (seed" in out
    assert "; interrupted" in out


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_change_is_undone_however_it_ends(ctl, tmp_path, number):
    ctl("sleep 5")
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; from ktput.ab.main import run; "
         "sys.exit(run(sys.argv[1:], '1'))", "--", "before",
         "touch changed; touch was", "after", "rm changed", "--", "x"],
        env={**os.environ, "PYTHONPATH": str(Path(ktput.__file__).parents[1])},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: (tmp_path / "was").exists())
        child.send_signal(number)
        wait_for(lambda: not (tmp_path / "changed").exists())
    finally:
        child.kill()
        child.wait()


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_one_record(ctl, capsys, tmp_path):
    ctl()
    found = compared(capsys, "--", "rounds", "3", "record", "r", "--", "x", "--", "y")
    lines = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    assert lines[-1]["ab"] == found
    marks = [(one["ab_run"]["round"], one["ab_run"]["side"]) for one in lines[:-1]]
    assert sorted(marks) == [(i, side) for i in (1, 2, 3) for side in "ab"]
    # The runs are read, and what compares them is passed over.
    assert len(ktput.read(tmp_path / "r")) == 6


def test_other_work_repeats_rounds(ctl, capsys):
    ctl(disturbed='[ "$n" -gt 8 ] || disturbed=true')
    found = compared(capsys, "--", "rounds", "4", "--", "x", "--", "y")
    assert found["repeated_rounds"] == 3
    assert found["disturbed_rounds"] == 1
    assert found["rounds"] == 4


def test_no_result(ctl, capsys):
    ctl('''echo '{"error": "no route"}' >&2; exit 1''')
    status, out, err = ab(capsys, "--", "--", "x", "--", "x")
    assert (status, out) == (1, "")
    assert "no round has a result: " in err
    assert "no route" in err
    assert len(ctl.calls()) == 2


def test_help_and_completion(ctl, capsys):
    ctl()
    status, out, _ = ab(capsys, "--", "help")
    assert status == 0
    assert "-- WORDS_A -- WORDS_B" in out
    status, out, _ = ab(capsys, "complete", "ro")
    assert (status, out.split("\t")[0]) == (0, "rounds")
    assert ab(capsys, "complete", "--", "x", "")[1] == ""
    status, out, _ = ab(capsys, "explain", "until")
    assert (status, out.splitlines()[0]) == (0, "ktput-ctl ab:")
    assert "  until ci PERCENT " in out
    assert "  rounds N" not in out
    assert ab(capsys, "explain", "size")[:2] == (1, "")
