# SPDX-License-Identifier: GPL-2.0
"""The comparison: setups, what is done with the VM, and how costs differ."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ktput.command import UsageError
from ktput.compare import figures, main, setups, text
from ktput.compare.setting import done_of

from .commands import result_of

#: Stands for the tree: what is called is added to calls, and the VM does as its
#: command line says.
SCRIPTS = {
    "selftests/lib/env.sh": '''
die() { echo "env: $*" >&2; exit 1; }
kernel_release() { [ "$1" != 9.9 ] && echo "$1.0-amd64"; }
kernel_image() { echo image; }
kernel_build() { echo .; }
''',
    "selftests/ci/module.sh": '''#!/bin/bash
case $1 in 5.*) echo "x.c:1: error: no such thing"; exit 1 ;; esac
echo module >ktput.ko; echo ktput.ko
''',
    "selftests/vm/run": '''#!/bin/bash
echo "$*" >>calls
while [ "$1" != -- ]; do
	case $1 in
	--append) append=$2; shift ;;
	--results) results=$2; shift ;;
	esac
	shift
done
case $append in
*hangs*) echo $$ >pid; exec sleep 1000 ;;
*dies*) echo "vm 6: did not boot within 240 s"; exit 5 ;;
*fails*) echo "what prepares it failed: no such module" >"$results/reason"; exit 1 ;;
esac
cost=1000
[[ $append != *cost=* ]] || cost=${append##*cost=}
echo '{"source": {}}' >"$results/records.jsonl"
cat >"$results/ladder.json" <<END
{"ladder": {"tcp": [{"name": "user, copy", "runs": 3, "cycles_per_byte":
{"count": 3, "mean": 1, "sigma": 0, "ci_low": 1, "ci_high": 1}}],
"transmit": [{"name": "user", "runs": 3, "cycles_per_packet":
{"count": 3, "mean": $cost, "sigma": 1, "ci_low": 999, "ci_high": 1001}}]}}
END
''',
    "selftests/compare/ladder.sh": "", "selftests/lib/exact.sh": "",
    "build/tools/ktput-ctl": "",
    "image": "", ".config": "CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\n",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name, content in SCRIPTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "ktput-compare")])
    monkeypatch.setenv("KTPUT_CTL", str(tmp_path / "build/tools/ktput-ctl"))
    return tmp_path


def toml(tree, name, append="", more=""):
    path = tree / f"{name}.toml"
    path.write_text(f'kernel = "6.1"\nappend = "{append}"\n{more}')
    return path.name


def compare(capsys, *words):
    return result_of(capsys, main, words)


def calls(tree):
    return (tree / "calls").read_text().splitlines()


def test_a_table_of_two(tree, capsys):
    status, out, _ = compare(capsys, "6.1", toml(tree, "dear", "cost=1100"))
    assert status == 0
    assert "UDP, transmit: instructions per packet" in out
    (row,) = (line.split() for line in out.splitlines() if line.startswith("user  "))
    assert row[1:5] == ["1,000", "1", "1,100", "+100"]
    assert row[6] == "+10.00%"
    (row,) = (line for line in out.splitlines() if line.startswith("user, copy"))
    assert row.split()[2:] == ["1,024", "0", "1,024", "+0", "0", "+0.00%", "none"]
    assert "--icount --append nokaslr cost=1100" in calls(tree)[1]


def test_a_picture(tree, capsys):
    compare(capsys, "6.1", "6.1", "plot", "x.svg")
    assert "UDP, transmit" in (tree / "x.svg").read_text()


def test_json(tree, capsys):
    _, out, _ = compare(capsys, "-j", "6.1", toml(tree, "dear", "cost=1100"))
    rungs = json.loads(out)["compare"]["rungs"]
    found = rungs[1]["differences"][0]["instructions_per_packet"]
    assert (found["difference"], found["share"], found["distinct"]) == (100, 0.1, True)
    assert rungs[0]["differences"][0]["instructions_per_kib"]["distinct"] is False


@pytest.mark.parametrize(("append", "words", "status"), [
    ("cost=1100", ["fail-above", "9"], 1), ("cost=1100", ["fail-above", "11"], 0),
    ("cost=900", ["fail-above", "1"], 0), ("cost=1001", ["fail-above", "0.01"], 0),
    ("dies", ["fail-above", "1"], 125), ("fails", ["fail-above", "1"], 125),
    ("dies", [], 0)])
def test_statuses_for_bisect(tree, capsys, append, words, status):
    found, out, _ = compare(capsys, "6.1", toml(tree, "b", append), *words)
    assert found == status
    said = any(line.startswith(("good", "bad")) for line in out.splitlines())
    assert said == (bool(words) and status in (0, 1))


@pytest.mark.parametrize(("word", "why"), [
    ("dies", "it does not boot: 6: did not boot within 240 s"),
    ("fails", "what prepares it failed: no such module"),
    ("lacks", "6.1.0-amd64 lacks CONFIG_C"), ("9.9", "there is no kernel 9.9"),
    ("5.1", "the module does not build for 5.1.0-amd64: x.c:1: error: no such thing")])
def test_what_cannot_be_measured_is_named(tree, capsys, word, why):
    if word == "lacks":
        word = toml(tree, "b", more='options = ["CONFIG_A", "B", "C"]')
    elif "." not in word:
        word = toml(tree, "b", word)
    status, out, err = compare(capsys, "6.1", word, toml(tree, "c", "cost=2000"))
    assert status == 0
    assert why in err
    assert "skipped" in out
    assert "+1,000" in out
    assert compare(capsys, word)[0] == 1


def test_resume(tree, capsys):
    words = ["6.1", toml(tree, "b", "cost=1100"), "record", "r"]
    assert compare(capsys, *words)[0] == 0
    assert len(calls(tree)) == 2
    assert compare(capsys, *words)[1].count("+100") == 1
    assert len(calls(tree)) == 2
    toml(tree, "b", "cost=1200")
    assert compare(capsys, *words)[1].count("+200") == 1
    assert len(calls(tree)) == 3
    compare(capsys, *words, "replace")
    assert len(calls(tree)) == 5
    # A line that is cut off is not there.
    with open("r", "ab") as file:
        file.write(b'{"compare_setup": {"key"')
    assert len(done_of("r")) == 2


def test_equal_setups_are_measured_each(tree, capsys):
    _, out, _ = compare(capsys, "6.1", "6.1", "record", "r")
    assert len(calls(tree)) == 2
    assert "6.1 (2)" in out


def test_an_interrupt_prints_what_there_is(tree):
    words = ["6.1", toml(tree, "slow", "hangs"), "record", "r"]
    lab = str(Path(__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c",
         f"import sys; sys.path.insert(0, {lab!r}); from ktput.compare.main import run;"
         "sys.exit(run(sys.argv[1:], '1'))", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if (tree / "pid").exists() and (tree / "pid").read_text().strip():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "1,000" in out
    assert "interrupted" in out
    with pytest.raises(ProcessLookupError):
        os.kill(int((tree / "pid").read_text()), 0)
    assert len(done_of("r")) == 1


@pytest.mark.parametrize(("words", "why"), [
    ([], "SETUP"), (["6.1", "rounds", "2"], "is not 3 to 100"),
    (["6.1", "fail-above", "1"], "needs two setups"),
    (["6.1", "6.1", "fail-above", "x"], "'x'"), (["6.1", "replace"], "needs 'record'"),
    (["./nosuch"], "no build tree"), (["nosuch.toml"], "No such file"),
    (["6.1", "time", "0"], "not above 0"), (["--", "-x"], "no setup")])
@pytest.mark.usefixtures("tree")
def test_refused_words(capsys, words, why):
    status, _, err = compare(capsys, *words)
    assert status == 2
    assert why in err


@pytest.mark.parametrize(("content", "why"), [
    ("kernel = 6.1", "'kernel' is no text"), ("", "'kernel' is missing"),
    ('kernel = "6.1"\nkernels = 1', "unknown key 'kernels'"), ("kernel", "x.toml"),
    ('kernel = "6.1"\noptions = "A"', "no list"),
    ('kernel = "6.1"\nprepare-file = "n"', "'n' cannot be read"),
    ('kernel = "6.1"\nprepare-file = "n"\nprepare = "x"', "contradicts")])
def test_refused_files(tmp_path, content, why):
    path = tmp_path / "x.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=why):
        setups.setup_of(str(path))


def test_this_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert setups.setup_of(".") == setups.Setup(tmp_path.name, str(tmp_path))


def test_a_file(tmp_path):
    (tmp_path / "s").write_text("ip link\n")
    (tmp_path / "linux").mkdir()
    path = tmp_path / "x.toml"
    path.write_text('kernel = "./linux"\nprepare-file = "s"\noptions = ["A"]\n')
    found = setups.setup_of(str(path))
    assert found == setups.Setup("x", str(tmp_path / "linux"), "", "ip link\n", ("A",))


def test_completion(capsys):
    _, out, _ = compare(capsys, "complete", "6.1", "")
    assert out.splitlines()[0] == ":files"
    assert any(line.startswith("fail-above\t") for line in out.splitlines())


def test_no_tree(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/usr/libexec/ktput/ktput-compare"])
    monkeypatch.delenv("KTPUT_CTL", raising=False)
    status, _, err = compare(capsys, "6.1")
    assert status == 1
    assert "source tree" in err
    status, _, err = compare(capsys, "6.1", "6.1", "fail-above", "1", "tree", "/x")
    assert status == 125
    assert "'/x' is none" in err


def test_a_difference_below_the_resolution_is_none():
    one, other = ({"count": 3, "mean": mean, "sigma": 0.1, "ci_low": mean,
                   "ci_high": mean} for mean in (1000, 1004))
    found = figures.difference(figures.estimate_of(one), figures.estimate_of(other))
    assert found["ci_low"] > 0
    assert found["distinct"] is False


@pytest.mark.parametrize(("half", "said"), [
    (30, "user: locks +100 +-42"),
    (90, "user: no class differs by more than its interval; that of all samples is"
         " +-127")])
def test_classes_of_samples(half, said):
    def ladder(mean):
        return {"transmit": [{
            "name": "user", "runs": 3, "cycles_per_packet": {
                "count": 3, "mean": mean, "sigma": 1, "ci_low": mean, "ci_high": mean},
            "sampled_all": {"half_width": half},
            "by_class": [{"class": "locks", "mean": mean, "half_width": half}]}]}

    document = figures.compare([{"name": "A"}, {"name": "B"}],
                               {0: ladder(1000), 1: ladder(1100)}, None)
    assert said in " ".join(" ".join(text.lines_of(document)).split())


def test_a_rung_that_one_lacks():
    rung = {"name": "IP", "runs": 3, "cycles_per_packet": {
        "count": 3, "mean": 5, "sigma": 1, "ci_low": 4, "ci_high": 6}}
    document = figures.compare([{"name": "A"}, {"name": "B"}],
                               {0: {"transmit": [rung]}, 1: {"transmit": []}}, 0.01)
    assert document["compare"]["rungs"][0]["differences"] == []
    assert "fails" not in document["compare"]
    assert not any("good" in line for line in text.lines_of(document))
