# SPDX-License-Identifier: GPL-2.0
"""Settings of hosts in a search for what helps: the table, the journal, the undoing."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ktput.command import UsageError, parse
from ktput.improve import main, options, search, text
from ktput.improve.journal import Changes, Entry, Journal, left_behind
from ktput.improve.setting import Place, Setting, SettingError, place_of
from ktput.improve.table import named_only, rows_of
from ktput.output import CommandError, Output

from .commands import result_of
from .test_improve import COMMANDS, Machine, offered

SOURCES = Path(__file__).parents[2]


def setting(file, name="a"):
    return Setting(Place(), name, f"cat {file}", f"echo {{value}} >{file}",
                   f"echo {{value}} >{file}")


@pytest.fixture
def files(tmp_path):
    """Return settings a, b and c, each of them a file in which is a 1."""
    found = {}
    for name in "abc":
        (tmp_path / name).write_text("1\n")
        found[name] = setting(tmp_path / name, name)
    return found


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def value(of):
    return Path(of.read.split()[1]).read_text()


# The table.

def test_each_row_says_what_it_must():
    names = [row["name"] for row in rows_of()]
    assert len(set(names)) == len(names)
    keywords = {"rcvbuf", "sndbuf"}
    for row in rows_of():
        assert row["at"] in ("source", "sink", "both")
        assert ("change" in row) != ("values" in row), row["name"]
        assert row.get("with", names[0]) in {*names, *keywords}
        assert {"read", "write", "short"} <= row.keys()
        assert "{value}" in row["write"]
        # What fills it is in the row, or is known of the end.
        for line in ("read", "write", "restore", "settle", "items"):
            for word in re.findall(r"\{(\w+)\}", row.get(line, "")):
                assert word in {"value", "device", "item", *row}, (row["name"], word)


def test_verdicts_and_findings_of_the_table_exist():
    findings = set(re.findall(r'\.name = "([^"]+)"',
                              (SOURCES / "host/findings.c").read_text()))
    verdicts = set(re.findall(r'^\t*(?:\[\w+\] = \{ )?"([a-z_]+)",', "\n".join(
        (SOURCES / f"analysis/{one}.c").read_text() for one in ("verdict",)),
        re.MULTILINE))
    assert "window" in verdicts
    for row in rows_of():
        assert row.get("doctor", "rings") in findings
        assert set(row.get("binds", ())) <= verdicts, row["name"]
    assert set(named_only()) <= findings


def test_what_a_verdict_names_is_a_row_or_a_keyword():
    """A setting that a verdict names can be tried."""
    named = {one for file in (SOURCES / "analysis").glob("*.c")
             for one in re.findall(r'"(sysctl \S+|ring|txqueuelen) more"',
                                   file.read_text())}
    assert len(named) > 4
    assert named <= {row["name"] for row in rows_of()}


# Where.

@pytest.mark.parametrize(("words", "source", "sink"), [
    ({}, Place(), Place()),
    ({"netns": "a"}, Place("", "a"), Place("", "a")),
    ({"netns": "a", "sink-netns": "b"}, Place("", "a"), Place("", "b")),
    ({"netns": "a", "remote": "far"}, Place("", "a"), Place("far")),
    ({"netns": "a", "remote": "far", "reverse": ""}, Place("far", "a"), Place()),
    ({"netns": "12", "sink-netns": "/proc/1/ns/net"}, None, None)])
def test_places(words, source, sink):
    document = {"source": {"config": {}}, "sink": {"config": {}}}
    assert (place_of("source", words, document), place_of("sink", words, document)) == (
        source, sink)
    assert place_of("sink", words, {"source": {"config": {}}}) is None


def test_a_place_runs_lines(monkeypatch, tmp_path):
    assert Place().run("echo 'a b'") == "a b\n"
    assert Place().read(["echo 1; echo 2", "false", "printf x"]) == ["1\n2", "", "x"]
    with pytest.raises(SettingError, match=r"ls /nowhere: .*No such file"):
        Place().run("ls /nowhere")
    # Another host, by a command in the place of ssh.
    script = tmp_path / "ssh"
    script.write_text(f'#!/bin/sh\necho "$1" >>{tmp_path}/to; exec sh -c "$2"\n')
    script.chmod(0o755)
    monkeypatch.setenv("KTPUT_SSH", str(script))
    assert Place("far").read(["echo 'it is'", "echo \"$((1 + 1))\""]) == ["it is", "2"]
    assert (tmp_path / "to").read_text() == "far\n"
    with pytest.raises(SettingError, match="ssh far false: status 1"):
        Place("far").run("false")
    assert Place("far", "n").shown("echo 1 >x") == \
        "ssh far 'ip netns exec n sh -c '\"'\"'echo 1 >x'\"'\"''"


# The journal.

def test_changes_are_undone(files, folder):
    with Changes("false", folder) as changes:
        changes.become({files["a"]: "2", files["b"]: "3"})
        assert (value(files["a"]), value(files["b"])) == ("2\n", "3\n")
        assert left_behind(folder) == 2
        changes.become({files["b"]: "4"})
        assert (value(files["a"]), value(files["b"])) == ("1\n", "4\n")
        changes.become({files["b"]: "4", files["c"]: "2"})
    assert [value(files[one]) for one in "abc"] == ["1\n"] * 3
    assert changes.not_undone == []
    assert left_behind(folder) == 0
    assert os.listdir(folder) == []


def test_it_is_written_down_before(files, folder, tmp_path):
    slow = Setting(Place(), "slow", f"cat {tmp_path}/a",
                   f"cp {folder}/improve.jsonl {tmp_path}/seen; echo {{value}} "
                   f">{tmp_path}/a", f"echo {{value}} >{tmp_path}/a")
    with Changes("false", folder) as changes:
        changes.become({slow: "2"})
    entry = json.loads((tmp_path / "seen").read_text())
    assert (entry["was"], entry["asked"], entry["value"]) == ("1", "2", None)
    assert value(files["a"]) == "1\n"


def test_what_somebody_else_changed_stays(files, folder, tmp_path):
    with Changes("false", folder) as changes:
        changes.become({files["a"]: "2", files["b"]: "2"})
        (tmp_path / "a").write_text("7\n")
        with pytest.raises(SettingError, match="a is '7': somebody else changed it"):
            changes.become({files["a"]: "2", files["b"]: "2"})
    assert (value(files["a"]), value(files["b"])) == ("7\n", "1\n")
    assert changes.not_undone == ["a is '7' by somebody else, and stays so; it was '1'"]
    assert left_behind(folder) == 0


def test_what_is_refused(files, folder, tmp_path):
    deaf = Setting(Place(), "deaf", f"cat {tmp_path}/a", "true {value}", "true {value}")
    bad = Setting(Place(), "bad", f"cat {tmp_path}/a",
                  "echo no {value} >&2; false", "true")
    with Changes("false", folder) as changes:
        with pytest.raises(SettingError, match="deaf stays '1': '2' is not taken"):
            changes.become({deaf: "2"})
        with pytest.raises(SettingError, match="failed: no 2"):
            changes.become({bad: "2"})
    assert value(files["a"]) == "1\n"
    assert changes.not_undone == []


def test_what_the_kernel_rounds_is_taken(folder, tmp_path):
    (tmp_path / "a").write_text("1")
    rounds = Setting(Place(), "ring", f"cat {tmp_path}/a",
                     f"printf 64 >{tmp_path}/a # {{value}}", f"printf 1 >{tmp_path}/a")
    with Changes("false", folder) as changes:
        for _ in range(3):
            changes.become({rounds: "50"})
            assert (tmp_path / "a").read_text() == "64"
    assert (tmp_path / "a").read_text() == "1"


def test_what_cannot_be_restored_stays_written_down(folder, tmp_path):
    (tmp_path / "a").write_text("1")
    stuck = Setting(Place(), "stuck", f"cat {tmp_path}/a",
                    f"echo {{value}} >{tmp_path}/a",
                    f"test -e {tmp_path}/back && echo {{value}} >{tmp_path}/a")
    with Changes("false", folder) as changes:
        changes.become({stuck: "2"})
    (said,) = changes.not_undone
    assert said.startswith("not restored: test -e")
    assert left_behind(folder) == 1
    # It can later.
    (tmp_path / "back").touch()
    journal = Journal(folder)
    assert journal.undo() == []
    assert (tmp_path / "a").read_text() == "1\n"
    assert left_behind(folder) == 0


def test_two_do_not_change_at_a_time(folder):
    with Changes("false", folder), \
            pytest.raises(CommandError, match="another search changes settings"):
        Changes("false", folder)


KILLED = """
import sys
from pathlib import Path
from ktput.improve.journal import Changes
from tests.test_improve_host import setting
folder = Path(sys.argv[1])
changes = Changes(sys.argv[2], folder / "run")
files = [setting(folder / name, name) for name in "abc"]
print("begun", flush=True)
for i in range(100000):
    changes.become({one: str(2 + (i + j) % 5) for j, one in enumerate(files)
                    if (i + j) % 3})
"""
UNDO = """#!/bin/sh
exec {python} -c 'from pathlib import Path
from ktput.improve.journal import Journal
journal = Journal(Path("{folder}"))
journal.undo()
journal.close()' >/dev/null
"""


@pytest.mark.usefixtures("files")
def test_a_kill_leaves_all_as_it_was(tmp_path, folder):
    """After kill -9 at twenty moments: the guard undoes it, byte for byte."""
    undo = tmp_path / "undo"
    undo.write_text(UNDO.format(python=sys.executable, folder=folder))
    undo.chmod(0o755)
    lab = Path(__file__).parents[1]
    for moment in range(20):
        with subprocess.Popen(
                [sys.executable, "-c", KILLED, str(tmp_path), str(undo)], cwd=lab,
                env={**os.environ, "PYTHONPATH": str(lab)},
                stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"begun\n"
            time.sleep(0.013 * moment)
            process.send_signal(signal.SIGKILL)
        # The guard takes the time of a start of Python.
        until = time.monotonic() + 30
        while not all((tmp_path / one).read_text() == "1\n" for one in "abc") or \
                left_behind(folder):
            assert time.monotonic() < until, moment
            time.sleep(0.02)


# The search.

class Settings(Machine):
    """Has the rate of its files."""

    program = ("false",)


def choices_of(tmp_path, **rows):
    """Return rows of files, each with what is beside its name."""
    return [{"name": name, "short": name, "kind": "file", "at": "sink",
             "read": f"cat {tmp_path}/{name}",
             "write": f"echo {{value}} >{tmp_path}/{name}", **row}
            for name, row in rows.items()]


def look(machine, rows, folder, **values):
    quiet = Output("test")
    quiet.progress = lambda _: None
    found = {"time": 1.0, "matters": 2.0, "ci": 10.0, "pairs": 8, "limit": 1e9,
             "seed": 1, "try": [], "settings": rows, "words": {}, **values}
    with Changes("false", folder) as changes:
        document = search.Search(found, offered, machine, quiet, changes).search()
    document["improve"]["not_undone"] = changes.not_undone
    return document


@pytest.mark.usefixtures("files")
def test_a_setting_that_helps_is_kept_and_undone(tmp_path, folder):
    def rate(_):
        return 1e9 * min(int((tmp_path / "b").read_text()), 8)

    rows = choices_of(tmp_path, a={"change": "more"}, b={"change": "more"},
                      c={"values": ["1", "2"]}, gone={"values": ["1"]})
    document = look(Settings(rate, noise=0.02), rows, folder)
    of = document["improve"]
    assert [(one["apply"], one["kept"]) for one in of["remedies"]
            if one["kept"]] == [("b 4 at sink", True), ("b 16 at sink", True)]
    assert {one["apply"] for one in of["remedies"] if not one["kept"]} >= {
        "a 4 at sink", "c 2 at sink"}
    (kept,) = of["settings"]
    assert (kept["name"], kept["from"], kept["to"], kept["end"]) == ("b", "1", "16",
                                                                    "sink")
    # As given, and with all that is kept.
    assert of["total"]["gain"]["mean"] == pytest.approx(7, rel=0.1)
    assert [(tmp_path / one).read_text() for one in "abc"] == ["1\n"] * 3
    said = "\n".join(text.lines_of(document))
    assert "\nWith             echo 16 >" in said
    assert "Not undone" not in said


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("beside", ["b", None])
def test_two_that_help_only_together(tmp_path, folder, beside):
    def rate(_):
        both = [int((tmp_path / one).read_text()) for one in "ab"]
        return 1e9 * min(*both, 4)

    rows = choices_of(tmp_path, a={"change": "more", **(
        {"with": beside} if beside else {})}, b={"change": "more"})
    of = look(Settings(rate, noise=0.02), rows, folder)["improve"]
    assert [one["apply"] for one in of["remedies"] if one["kept"]] == (
        ["a 4 at sink, b 4 at sink"] if beside else [])
    assert len(of["settings"]) == (2 if beside else 0)


def test_what_the_verdict_names_comes_first(tmp_path, folder, files):
    del files
    rows = choices_of(tmp_path, a={"change": "more"},
                      b={"change": "more", "binds": ["x"]}, c={"change": "more"})
    named = {"what": "c", "end": "sink", "apply": "c more"}
    of = look(Settings(lambda _: 1e9, lambda _: [named]), rows, folder,
              limit=1e9)["improve"]
    assert [one["apply"][0] for one in of["remedies"]] == ["c", "b", "a"]


def test_what_may_cut_the_connection_is_only_named(tmp_path, folder, files,
                                                   monkeypatch):
    rows = choices_of(tmp_path, a={"change": "more", "resets": True})
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    of = look(Settings(lambda _: 1e9), rows, folder)["improve"]
    assert [one["apply"] for one in of["remedies"]] == ["a 4 at sink"]
    monkeypatch.setenv("SSH_CONNECTION", "::1 1 ::1 22")
    of = look(Settings(lambda _: 1e9), rows, folder)["improve"]
    assert of["remedies"] == []
    assert of["not_tried"] == ["a at sink (the connection to it might be cut)"]
    assert value(files["a"]) == "1\n"


@pytest.mark.usefixtures("files")
def test_what_somebody_chose_is_not_tried(tmp_path, folder):
    rows = choices_of(tmp_path, a={"values": ["2"], "only": "1"},
                      b={"values": ["2"], "only": "default"})
    of = look(Settings(lambda _: 1e9), rows, folder)["improve"]
    assert [one["apply"] for one in of["remedies"]] == ["a 2 at sink"]


def test_one_that_somebody_else_changes_fails(tmp_path, folder, files):
    def rate(_):
        if value(files["a"]) == "4\n":
            (tmp_path / "a").write_text("9\n")
        return 1e9

    rows = choices_of(tmp_path, a={"change": "more"})
    of = look(Settings(rate), rows, folder)["improve"]
    assert value(files["a"]) == "9\n"
    assert any("by somebody else" in one for one in of["not_undone"])


# The command.

@pytest.fixture
def at_folder(folder, monkeypatch):
    from ktput.improve import journal
    monkeypatch.setattr(journal, "FOLDER", folder)
    monkeypatch.setattr(journal.left_behind, "__defaults__", (folder,))
    monkeypatch.setattr(main, "rows_of", lambda name, *_: COMMANDS[name])
    return folder


def test_undo(at_folder, files, capsys):
    assert result_of(capsys, main, ["undo"])[:2] == (
        0, "No search left anything changed\n")
    journal = Journal(at_folder)
    journal.put(Entry(files["a"], "1", "5", "5"))
    journal.close()
    Path(files["a"].read.split()[1]).write_text("5\n")
    # The next one says so.
    status, _, err = result_of(capsys, main, ["streams", "2"])
    assert status == 1
    assert "left 1 settings changed: 'ktput-ctl improve undo'" in err
    status, out, _ = result_of(capsys, main, ["-j", "undo"])
    assert (status, json.loads(out)) == (
        0, {"undo": {"settings": 1, "not_restored": 0, "said": []}})
    assert value(files["a"]) == "1\n"


@pytest.mark.parametrize(("words", "why"), [
    ("try net.ipv4.tcp_rmem", "'net.ipv4.tcp_rmem' is a setting of a host: add 'host'"),
    ("host try foo", "'foo' is none of .*net.ipv4.tcp_rmem")])
def test_refusals(words, why):
    with pytest.raises(UsageError, match=why):
        options.check(COMMANDS, Output("x"),
                      parse(options.options_of(COMMANDS), words.split()))


def test_choice_of_settings():
    values = parse(options.options_of(COMMANDS), ["host", "try", "gro,streams"])
    options.check(COMMANDS, Output("x"), values)
    assert [row["name"] for row in values["settings"]] == ["gro"]
    assert [row["keyword"] for row in values["try"]] == ["streams"]
