# SPDX-License-Identifier: GPL-2.0
"""ktput-ctl is run, and what it prints is collected."""

import importlib
import json
import shutil
import subprocess

import pytest

import ktput

from .commands import result_of
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


LABORATORY = ("ladder", "compare", "scenario", "mesh", "ab", "improve", "load")
NOT_FOUND = ("ktput-ctl: ktput-ctl is not found: put its folder in PATH, or its path "
             "in KTPUT_CTL\n")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Have no ktput-ctl anywhere."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KTPUT_CTL", raising=False)
    folder = tmp_path / "libexec/ktput"
    folder.mkdir(parents=True)
    monkeypatch.setattr("sys.argv", [str(folder / "ktput-any")])
    return tmp_path


def laboratory(capsys, name, *words):
    main = importlib.import_module(f"ktput.{name}.main")
    return result_of(capsys, main, words)


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("name", LABORATORY)
def test_help_takes_no_ktput_ctl(capsys, name):
    status, out, err = laboratory(capsys, name, "help")
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: ktput-ctl {name} ")
    assert laboratory(capsys, name, "--help") == (0, out, "")


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(("name", "words"), [
    ("ladder", "tcp"), ("improve", "udp"), ("load", "-- -- udp -- size 64")])
def test_a_run_takes_ktput_ctl(capsys, name, words):
    status, out, err = laboratory(capsys, name, *words.split())
    assert (status, out) == (1, "")
    # Of load it is said which phase it was.
    assert err.endswith(NOT_FOUND.removeprefix("ktput-ctl: "))


def test_ktput_ctl_of_the_installation(nowhere, capsys):
    (nowhere / "sbin").mkdir()
    ctl = nowhere / "sbin/ktput-ctl"
    ctl.write_text("#!/bin/sh\necho '{\"error\":\"it is here\"}' >&2\nexit 1\n")
    assert laboratory(capsys, "ladder", "tcp") == (1, "", NOT_FOUND)
    ctl.chmod(0o755)
    assert laboratory(capsys, "ladder", "tcp") == (
        1, "", f"ktput-ctl: {ctl}: it is here\n")
