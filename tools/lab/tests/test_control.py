# SPDX-License-Identifier: GPL-2.0
"""ktput-ctl is run, and what it prints is collected."""

import json
import shutil
import subprocess

import pytest

import ktput

from .samples import run


def program(*lines, status=0, errors=()):
    printed = "".join(f"printf '%s\\n' '{json.dumps(line)}'\n" for line in lines)
    said = "".join(f"printf '%s\\n' '{line}' >&2\n" for line in errors)
    return ["sh", "-c", f"{printed}{said}exit {status}", "ktput-ctl"]


def test_collects():
    record = json.loads(json.dumps(run()).replace("'", ""))
    records = ktput.run("start", "repeat", 2, program=program(record, record))
    assert [one.number_in_file for one in records] == [1, 2]


def test_words_are_passed_on(tmp_path):
    heard = tmp_path / "heard"
    with pytest.raises(ktput.RecordError):
        ktput.run("start", "size", 64, statistics=True, program=[
            "sh", "-c", f'printf "%s " "$@" >{heard}', "ktput-ctl"])
    assert heard.read_text() == "-j -s start size 64 "


def test_refusals_are_its_own():
    with pytest.raises(ktput.ControlError, match="no such thing") as refused:
        ktput.run("start", program=program(
            status=2, errors=['{"error":"no such thing"}', '{"warning":"hm"}']))
    assert refused.value.status == 2
    assert refused.value.sentences == ["no such thing"]
    with pytest.raises(ktput.ControlError, match="ended with 1"):
        ktput.run("start", program=program(status=1))


def test_takes_its_time_and_no_more():
    with pytest.raises(subprocess.TimeoutExpired):
        ktput.run("start", program=["sh", "-c", "exec sleep 60"], timeout_s=0.2)


def test_real_runs_over_sockets_of_user_space():
    from pathlib import Path

    built = Path(__file__).parents[3] / "build/tools/ktput-ctl"
    found = str(built) if built.exists() else shutil.which("ktput-ctl")
    if found is None:
        pytest.skip("ktput-ctl is not built")
    records = ktput.run("start", "layer", "user", "sink-layer", "user", "bytes", "8M",
                        "interval", "20ms", "repeat", 2, program=[found],
                        statistics=True, timeout_s=60)
    assert len(records) == 2
    for record in records:
        assert record.valid
        assert record.number("result.bytes") == 8 * 2**20
        # What the sink counted is what the result says.
        assert record.counters("sink.streams.bytes")[-1] == 8 * 2**20
        assert record.transport == "tcp"
