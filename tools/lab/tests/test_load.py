# SPDX-License-Identifier: GPL-2.0
"""Round trips before, during and after a load: words, phases, the queue, the text."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ktput
from ktput.load import main, phases, text

from .commands import result_of, stand_in

#: What stands for ktput-ctl. A load lasts until its round trips are done; they take
#: 20 ms beside it, and 1 ms else.
CTL = """#!/bin/sh
echo "$*" >>@log
@body
p50=1000000
case "$*" in *start*)
	touch @folder/loads
	until [ -e @folder/done ]; do sleep 0.05; done
	begun=100 ended=@ended ;;
*)	begun=150 ended=300
	[ ! -e @folder/loads ] || [ -e @folder/done ] || p50=20000000
	[ ! -e @folder/loads ] || touch @folder/done ;;
esac
cat <<END | tr -d '\\n'
{"source": {"config": {"x": 1}}, "result": {"valid": true, "goodput_bps": 2e7,
"binding_because": "the qdisc was full",
"latency_ns": {"count": 9, "p50": $p50, "p99": null, "max": 30000000},
"chain": [{"place": "send_buffer", "title": "send buffer", "queue_share": 1},
{"place": "queue", "title": "source's qdisc", "queue_share": 0.9, "drops": 7},
{"place": "path", "title": "path", "queue_share": 0.1, "drops": 0},
{"place": "sink", "title": "sink", "queue_share": 1, "drops": 0}]},
"intervals": [{"source": {"run": {"begun_ns": $begun, "ended_ns": $ended}}}]}
END
"""


@pytest.fixture
def ctl(tmp_path, monkeypatch):
    """Make a ktput-ctl; return how, and what it was called with."""
    log = tmp_path / "log"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(phases, "LEAD_S", 0.3)

    def make(body=":", ended=400):
        script = CTL.replace("@body", body).replace("@ended", str(ended))
        stand_in(monkeypatch, tmp_path / "ktput-ctl",
                 script.replace("@log", str(log)).replace("@folder", str(tmp_path)))

    make.calls = lambda: log.read_text().splitlines() if log.exists() else []
    return make


def load(capsys, *words):
    return result_of(capsys, main, words)


@pytest.mark.parametrize(("words", "says"), [
    ("time 1s", "'--' is missing"),
    ("-- a", "give two sides"), ("-- a -- b -- c", "give two sides"),
    ("time 10ms -- a -- b", "time: '10ms' is not in the range 100ms to 1h"),
    ("time 2h -- a -- b", "time: '2h' is not in the range"),
    ("time x -- a -- b", "'x'"),
    ("-- bidir -- b", "'bidir' does not go together with load"),
    ("-- a -- time 3", "'time' does not go together with load"),
    ("replace -- a -- b", "'replace' needs 'record'"),
])
def test_usage_errors(ctl, capsys, words, says):
    ctl()
    status, out, err = load(capsys, "--", *words.split())
    assert (status, out) == (2, "")
    assert says in err
    assert ctl.calls() == []


def test_phases_and_queue(ctl, capsys, tmp_path):
    ctl()
    status, out, err = load(capsys, "-j", "--", "time", "2", "record", "r", "--",
                            "to", "a", "--", "pingpong", "to", "b")
    assert status == 0, err
    found = json.loads(out)["load"]
    assert [(one["phase"], one["latency_p50_ns"]) for one in found["phases"]] == [
        ("before", 1e6), ("during", 20e6), ("after", 1e6)]
    assert found["median_rise_ns"] == 19e6
    assert found["trips_inside_load"] is True
    # Neither what the load alone passes, nor what stood less than half of the time.
    assert found["queue"] == {"place": "queue", "title": "source's qdisc",
                              "queue_share": 0.9, "drops": 7}
    assert ctl.calls() == ["-j -s pingpong to b time 2s", "-j -s start to a time 4.3s",
                           *["-j -s pingpong to b time 2s"] * 2]
    lines = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    assert [one["load_run"]["phase"] for one in lines[:-1]] == [
        "before", "during", "load", "after"]
    assert lines[-1]["load"] == found
    assert len(ktput.read(tmp_path / "r")) == 4
    said = "\n".join(text.lines_of({"load": found}))
    assert len(said.splitlines()) <= 14
    assert "the median rose by 19 ms during the load; packets were queued" in said
    assert "source's qdisc (90% of the time, 7 dropped)" in said
    assert "not known" in said


def test_a_load_that_ended_early_is_told(ctl, capsys):
    ctl(ended=200)
    status, out, _ = load(capsys, "--", "time", "1", "--", "a", "--", "b")
    assert status == 0
    assert "it did not last as long as the round trips" in out


def test_no_queue_and_no_rise():
    found = {"median_rise_ns": -5, "queue": None}
    assert text.sentence(found).split("; ") == [
        "the median did not rise during the load",
        "no queue that both pass is known to have stood"]


@pytest.mark.parametrize(("of", "status", "gives", "phase"), [
    ("start", 2, 2, "during"), ("start", 1, 1, "during"), ("pingpong", 2, 2, "before")])
def test_what_is_refused(ctl, capsys, of, status, gives, phase):
    ctl(f"""case "$*" in *{of}*)
    echo '{{"error": "no such thing"}}' >&2; exit {status} ;; esac""")
    found, out, err = load(capsys, "--", "time", "1", "--", "a", "--", "b")
    assert (found, out) == (gives, "")
    assert f"{phase} the load: no such thing" in err


#: As ktput-ctl, it prints a result when it is interrupted. Round trips beside the load
#: go on until then.
CAUGHT = """trap 'touch @folder/done' INT
case "$*" in *pingpong*) [ ! -e @folder/loads ] || {
	touch @folder/beside
	until [ -e @folder/done ]; do sleep 0.05; done
} ;; esac"""


@pytest.mark.parametrize(("body", "at"), [(":", "loads"), (CAUGHT, "beside")])
def test_interrupted(ctl, tmp_path, body, at):
    ctl(body)
    code = ("import sys; from ktput.load import main;"
            "sys.exit(main.run(sys.argv[1:], '1'))")
    child = subprocess.Popen(
        [sys.executable, "-c", code, "-j", "--", "time", "1", "--", "a", "--", "b"],
        env={**os.environ, "PYTHONPATH": str(Path(ktput.__file__).parents[1])},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20
    while not (tmp_path / at).exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    found = json.loads(out)["load"]
    assert child.returncode == 0
    assert found["interrupted"]
    assert [one["phase"] for one in found["phases"]] == ["before"]
    assert found["median_rise_ns"] is None


def test_help_and_completion(ctl, capsys):
    ctl()
    status, out, _ = load(capsys, "--", "help")
    assert status == 0
    assert "-- WORDS_START -- WORDS_PINGPONG" in out
    status, out, _ = load(capsys, "complete", "ti")
    assert (status, out.split("\t")[0]) == (0, "time")
