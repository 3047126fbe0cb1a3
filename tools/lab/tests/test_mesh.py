# SPDX-License-Identifier: GPL-2.0
"""The mesh: its rounds, its fan-out, its state, and what stands out."""

import json
import math
import os
import random
from collections import Counter
from itertools import permutations
from socket import gethostname

import pytest

pytest.importorskip("ClusterShell")

from ktput.command import UsageError, parse
from ktput.mesh import fan, figures, main, metrics, options, plan, text
from ktput.output import Output
from ktput.page import make
from ktput.pictures import mesh as picture
from ktput.records import read

VERSION = "1.2"
#: What stands for ssh and ktput-ctl: $1 is the host, $2 the line. Hosts whose name has
#: "slow" are slow, of "once" the first time; that of "old" is of another version,
#: "down" cannot be reached.
SSH = '''#!/bin/sh
host=$1
case "$host" in gw*)
	echo "$host" >>@log
	PATH=@bin:/usr/bin:$PATH exec sh -c "$2"
esac
set -- $2
echo "$host $*" >>@log
case "$host" in down*) echo "no route to $host" >&2; exit 255 ;; esac
case "$*" in
*--version) case "$host" in old*) echo ktput-ctl 1.1 ;; *) echo ktput-ctl 1.2 ;; esac
	exit ;;
esac
for to; do :; done
runs=$(grep -c "^$host .* $to$" @log)
case "$host-$to-$runs" in
*dead*) echo "{\\"error\\": \\"$to: nobody is at home\\"}" >&2; exit 1 ;;
ever*-ever*-1) rate=2000000000 ;;
twice*-twice*-1|*once*-1|ever*-ever*|*slow*) rate=1000000000 ;;
*) rate=9000000000 ;;
esac
case "$*" in
*" pingpong "*) echo '{"sink": {}, "result": {"valid": true, "latency_ns":
{"p50": 20000, "p99": 90000}}}' | tr -d '\\n'; exit ;;
esac
echo "{\\"sink\\": {}, \\"result\\": {\\"valid\\": true, \\"goodput_bps\\": $rate,
\\"cpu_bytes\\": 100,
\\"cpus\\": [{\\"end\\": \\"source\\", \\"cycles\\": 400,
\\"attribution\\": {\\"source_cycles\\": 100, \\"sink_cycles\\": 0,
\\"worker_cycles\\": 0, \\"own_softirq_cycles\\": 100}}]}}" | tr -d '\\n'
'''


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    log = tmp_path / "log"
    script = tmp_path / "ssh"
    gateways = tmp_path / "bin"
    gateways.mkdir()
    script.write_text(SSH.replace("@log", str(log)).replace("@bin", str(gateways)))
    # A gateway has ssh, whose last words are a host and a line.
    (gateways / "ssh").write_text(
        f'#!/bin/bash\nexec {script} "${{@:$# - 1:1}}" "${{@:$#}}"\n')
    for one in (script, gateways / "ssh"):
        one.chmod(0o755)
    monkeypatch.setenv("KTPUT_SSH", str(script))
    log.touch()
    return lambda: [line for line in log.read_text().splitlines()
                    if "--version" not in line]


def mesh(capsys, *words):
    status = main.run(words, VERSION)
    out, err = capsys.readouterr()
    return status, out, err


def values_of(*words):
    values = parse(options.OPTIONS, words)
    options.check(Output("test"), values)
    fan.Fan(topology=values["topology"])
    return values


@pytest.mark.parametrize("count", [2, 3, 6, 9, 16])
@pytest.mark.parametrize("concurrent", [None, 1, 2])
def test_each_to_each(count, concurrent):
    hosts = [f"n{i}" for i in range(count)]
    steps = list(plan.steps_of(hosts, None, concurrent))
    for pairs in steps:
        busy = [host for pair in pairs for host in pair]
        assert len(busy) == len(set(busy))
        assert len(pairs) <= (concurrent or count)
    measured = [pair for pairs in steps for pair in pairs]
    assert sorted(measured) == sorted(permutations(hosts, 2))


@pytest.mark.parametrize(("pattern", "concurrent", "steps"), [
    (("to-one", "c"), None, ["ac bc dc ec"]),
    (("from-one", "a"), 3, ["ab ac ad", "ae"]),
    (("bisection", "bisection"), None, ["ad be", "da eb"])])
def test_patterns(pattern, concurrent, steps):
    assert [" ".join(map("".join, pairs)) for pairs in
            plan.steps_of("abcde", pattern, concurrent)] == steps


@pytest.mark.parametrize("count", [16, 1000])
def test_some_peers(count):
    hosts = list(map(str, range(count)))
    pairs = [pair for step in plan.steps_of(hosts, peers=4) for pair in step]
    assert len(set(pairs)) == len(pairs) == 4 * count
    for role in (0, 1):
        assert Counter(pair[role] for pair in pairs) == Counter(hosts * 4)


def test_hosts(monkeypatch):
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    assert fan.hosts_of(["n[1-3]", "m1,n2"]) == ["m1", "n1", "n2", "n3"]
    for words, why in ((["n1"], "two hosts or more"), ([], "no allocation"),
                       (["-oProxyCommand=x", "n1"], "is no host"),
                       (["@none:x"], "'@none:x': ClusterShell knows no such group"),
                       (["n[1-"], "n\\[1-")):
        with pytest.raises(UsageError, match=why):
            fan.hosts_of(words)
    monkeypatch.setenv("SLURM_JOB_NODELIST", "node[07-09]")
    assert fan.hosts_of([]) == ["node07", "node08", "node09"]


@pytest.mark.parametrize(("words", "why"), [
    ("replace", "'replace' needs 'record'"), ("rate 5mbit", "'rate' works with udp"),
    ("concurrent 0", "is not 1 or more"), ("plot x.gif", "neither in .svg nor in .png"),
    ("peers 2 to-one a", "contradicts 'to-one'"), ("pingpong x", "x"),
    ("to-one a bisection", "contradicts"), ("topology /nowhere", "topology"),
    ("time x", "x"), ("streams x", "x")])
def test_refusals(words, why):
    with pytest.raises(UsageError, match=why):
        values_of("a,b", *words.split())


def test_a_mesh(ssh, capsys):
    status, out, err = mesh(capsys, "-j", "n[1-4]", "udp", "rate", "5mbit", "layer",
                            "user")
    of = json.loads(out)["mesh"]
    assert (status, len(of["pairs"]), of["missing_pairs"], of["outliers"]) == \
        (0, 12, 0, [])
    pair = of["pairs"][0]
    assert (pair["from"], pair["to"], pair["source_cycles_per_byte"],
            pair["source_own_share"], pair["sink_own_share"]) == \
        ("n1", "n2", 2, 0.5, None)
    assert ssh()[0].split(" ", 1)[1].startswith(
        "exec ktput-ctl -j start udp exclusive time 1s rate 5mbit layer user "
        "sink-layer user remote n")
    assert "step 6/6" in err


def test_hosts_are_left_out(ssh, capsys):
    status, out, _ = mesh(capsys, "-j", "n[1-3],old1,down1,dead1")
    of = json.loads(out)["mesh"]
    left = {one["host"]: one["why"] for one in of["left_out"]}
    assert status == 0
    assert left == {"old1": "'ktput-ctl 1.1' is there, this is 'ktput-ctl 1.2'",
                    "down1": "no route to down1", "dead1": "dead1: nobody is at home"}
    assert of["hosts"] == ["n1", "n2", "n3"]
    assert of["missing_pairs"] == 0
    assert {(one["from"], one["to"]) for one in of["pairs"]} >= \
        set(permutations(of["hosts"], 2))
    assert len([line for line in ssh() if line.endswith(" dead1")]) <= 3
    assert mesh(capsys, "down[1-2]")[0] == 1


def test_all_to_one(ssh, capsys):
    of = json.loads(mesh(capsys, "-j", "n[1-5]", "to-one", "n3")[1])["mesh"]
    assert ({(pair["from"], pair["to"]) for pair in of["pairs"]}, of["together_bps"]) \
        == ({(f"n{i}", "n3") for i in (1, 2, 4, 5)}, [36e9])
    assert "exclusive" not in ssh()[0]
    mesh(capsys, "n[1-5]", "to-one", "n3", "concurrent", "1")
    assert "exclusive" in ssh()[-1]
    assert mesh(capsys, "n[1-5]", "to-one", "n9")[0] == 2


def test_slow_links_are_measured_again(ssh, capsys):
    _, out, err = mesh(capsys, "-j", "n[1-6],m[1-2]")
    assert json.loads(out)["mesh"]["outliers"] == []
    assert "again" not in err
    before = len(ssh())
    _, out, err = mesh(capsys, "-j", "n[1-6],twice[1-2]")
    assert json.loads(out)["mesh"]["outliers"] == []
    assert "again: twice1 - twice2" in err
    assert len(ssh()) - before == 8 * 7 + 2
    before = len(ssh())
    _, out, err = mesh(capsys, "-j", "n[1-6],ever[1-2]")
    (link,) = json.loads(out)["mesh"]["outliers"]
    assert (link["hosts"], link["share_of_median"]) == (["ever1", "ever2"],
                                                        pytest.approx(2 / 9))
    assert len(ssh()) - before == 8 * 7 + 2 * 3


def test_slow_hosts_are_measured_again(ssh, capsys):
    _, out, err = mesh(capsys, "-j", "n[1-6],once1")
    assert json.loads(out)["mesh"]["outliers"] == []
    assert "again: n1 - once1" in err
    assert len(ssh()) == 7 * 6 + 6 * 2
    before = len(ssh())
    (host,) = json.loads(mesh(capsys, "-j", "n[1-6],slow1")[1])["mesh"]["outliers"]
    assert host["host"] == "slow1"
    assert len(ssh()) - before == 7 * 6 + 6 * 2


def test_steps_of_disjoint_pairs():
    pairs = [plan.Pair(*one) for one in ("ab", "bc", "cd", "ef")]
    assert plan.disjoint(pairs) == [[pairs[0], pairs[2], pairs[3]], [pairs[1]]]
    assert plan.disjoint(pairs, 1) == [[one] for one in pairs]


def test_gateways(ssh, capsys, tmp_path):
    routes = tmp_path / "topology.conf"
    routes.write_text(f"[routes]\n{gethostname().split('.')[0]}: gw[1-2]\n"
                      "gw[1-2]: n[1-4]\n")
    of = json.loads(mesh(capsys, "-j", "n[1-4]", "topology", str(routes))[1])["mesh"]
    assert (len(of["pairs"]), of["left_out"], of["failed"]) == (12, [], [])
    calls = [line.split()[0] for line in ssh()]
    assert set(calls) == {"gw1", "gw2", "n1", "n2", "n3", "n4"}
    (tmp_path / "bin/ssh").unlink()
    (tmp_path / "ssh").write_text("#!/bin/sh\nexit 255\n")
    status, _, err = mesh(capsys, "n[1-4]", "topology", str(routes))
    assert status == 1
    assert "topology: No route available to" in err


def test_round_trips(ssh, capsys, tmp_path):
    record = str(tmp_path / "mesh.jsonl")
    words = ("n[1-3]", "pingpong", "50ms", "record", record)
    out = mesh(capsys, *words)[1]
    assert "Round trips      20.0 us is the median of the pairs' medians, 90.0" in out
    assert len(ssh()) == 12
    mesh(capsys, *words)
    assert len(ssh()) == 12


@pytest.mark.usefixtures("ssh")
def test_files(capsys, tmp_path):
    lines, prom, record = (tmp_path / name for name in ("lines", "prom", "record"))
    mesh(capsys, "n[1-4],slow1", "lines", str(lines), "metrics", str(prom), "record",
         str(record))
    pairs = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(pairs) == 20
    said = prom.read_text()
    assert 'ktput_mesh_goodput_bps{source="n1",sink="n2"} 9000000000.0' in said
    assert 'ktput_mesh_share_of_median{kind="host",name="slow1",cause=' in said
    assert said.endswith("ktput_mesh_left_out 0\n# EOF\n")
    assert said.count("# TYPE") == said.count("# HELP") == len(
        {line.split("{")[0].split()[0] for line in said.splitlines() if line[0] != "#"})
    records = read(str(record))
    assert (len(records.runs), len(records.meshes)) == (20 + 2 * 4, 1)
    warnings = []
    page = make(records, warnings.append)
    for word in ("slow1", "Heat map of goodput between 5 hosts", "What stands out"):
        assert word in page


def test_labels():
    line = list(metrics.lines_of({"mesh": {
        "pairs": [{"from": 'a"\\', "to": "b", "goodput_bps": 1.0}]}}))[2]
    assert line == 'ktput_mesh_goodput_bps{source="a\\"\\\\",sink="b"} 1.0'


def test_it_goes_on(ssh, capsys, tmp_path):
    record = str(tmp_path / "mesh.jsonl")
    words = ("-j", "n[1-3]", "record", record)
    mesh(capsys, *words)
    lines = (tmp_path / "mesh.jsonl").read_text().splitlines()
    assert len(lines) == 7
    (tmp_path / "mesh.jsonl").write_text("\n".join(lines[:4]) + '\n{"mesh_')
    before = len(ssh())
    of = json.loads(mesh(capsys, *words)[1])["mesh"]
    assert (len(ssh()) - before, len(of["pairs"]), of["missing_pairs"]) == (2, 6, 0)
    mesh(capsys, *words, "time", "2s")
    assert len(ssh()) - before == 8
    mesh(capsys, *words, "replace")
    assert len((tmp_path / "mesh.jsonl").read_text().splitlines()) == 7


@pytest.mark.usefixtures("ssh")
def test_words_stay_words(capsys, tmp_path):
    mesh(capsys, f"n1,n2`touch${{IFS}}{tmp_path}/owned`")
    assert not (tmp_path / "owned").exists()
    assert os.listdir(tmp_path)


@pytest.mark.usefixtures("ssh")
def test_text_and_picture(capsys, tmp_path):
    for name in ("m.svg", "m.png"):
        status, out, _ = mesh(capsys, "n[1-5],slow1", "plot", str(tmp_path / name))
        assert status == 0
        assert (tmp_path / name).stat().st_size > 5000
    assert "Slow host        slow1: 11% of the median" in out
    assert max(map(len, out.splitlines())) < 80


def pairs_of(hosts, rate, cycles=lambda _: 1.0, share=lambda _: 0.3):
    return [{"from": a, "to": b, "goodput_bps": rate(a, b), "binding": None,
             "disturbed": False, "source_cycles_per_byte": cycles(a),
             "sink_cycles_per_byte": cycles(b), "source_own_share": share(a),
             "sink_own_share": share(b)} for a, b in permutations(hosts, 2)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_which_is_which(seed):
    chance = random.Random(seed)
    hosts = [f"n{i:02}" for i in range(16)]

    def rate(a, b):
        factor = 0.5 if "n03" in (a, b) else 0.4 if {a, b} == {"n07", "n11"} else \
            0.3 if "n09" in (a, b) else 1
        return factor * 1e10 * chance.uniform(0.96, 1.04)

    found = figures.outliers(pairs_of(
        hosts, rate, lambda host: 2.0 if host == "n03" else 1.0,
        lambda host: 0.95 if host == "n03" else 0.1 if host == "n09" else 0.4))
    assert [(one["kind"], one.get("host") or one["hosts"], one["cause"])
            for one in found] == [("host", "n09", "network"), ("host", "n03", "cpu"),
                                  ("link", ["n07", "n11"], "network")]
    assert found[1]["share_of_median"] == pytest.approx(0.5, rel=0.05)


def test_too_few_links():
    hosts = [f"n{i}" for i in range(8)]
    steps = plan.steps_of(hosts, ("bisection", "bisection"))
    found = figures.outliers([
        {"from": a, "to": b, "goodput_bps": 1e9 if "n2" in (a, b) else 9e9}
        for step in steps for a, b in step])
    assert [(one["kind"], one["hosts"], one["cause"]) for one in found] == [
        ("link", ["n2", "n6"], "unknown")]


def test_nothing_stands_out_by_chance():
    chance = random.Random(4)
    hosts = [f"n{i}" for i in range(12)]
    assert figures.outliers(pairs_of(
        hosts, lambda *_: 1e10 * chance.uniform(0.97, 1.03))) == []
    assert figures.outliers(pairs_of("abc", lambda a, _: 1 if a == "a" else 9)) == []
    assert figures.outliers([]) == []


def test_figures_that_lack():
    pair = figures.pair_of(plan.Pair("a", "b"),
                           figures.figures_of({"result": {"goodput_bps": 5}}))
    assert math.isnan(pair["source_cycles_per_byte"])
    document = {"mesh": {"hosts": ["a", "b"], "pairs": [pair], "outliers": [],
                         "failed": [], "left_out": [], "commands": [[]],
                         "interrupted": True, "missing_pairs": 1}}
    assert any("1 pairs are not" in line for line in text.lines_of(document))
    assert "2 hosts" in picture.draw(document).alt
