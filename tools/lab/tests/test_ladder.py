# SPDX-License-Identifier: GPL-2.0
"""The ladder: its words, its rounds, and what it makes of the runs."""

import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import ktput
from ktput import output as ktput_output
from ktput import units
from ktput.command import UsageError, parse
from ktput.ladder import climb, figures, main, options, rungs, sampled, text
from ktput.output import CommandError, Output
from ktput.record import Record
from ktput.recording import RecordFile
from ktput.statistics import PILOT

from .commands import result_of, stand_in

#: Rows of "start" that there are.
START = {"commands": [{"keywords": [
    {"keyword": "tcp", "help": "TCP"}, {"keyword": "udp", "help": "UDP"},
    *({"keyword": one, "argument": "X", "default": "d", "help": f"what {one}"}
      for one in ("to", "from", "netns", "sink-netns", "dev", "sink-dev", "cpus",
                  "sink-cpus", "streams", "segments", "rate", "record", "mtu")),
    {"keyword": "disturbed-above", "argument": "PERCENT", "help": "of others"},
    {"keyword": "replace", "help": "in its place"}]}]}
#: What stands for ktput-ctl: a shell script, which is the quickest to start.
CTL = '''#!/bin/sh
refuse() { echo "{\\"error\\": \\"$1\\"}" >&2; exit 1; }
case "$*" in
"-j help start") cat @start; exit ;;
"-j info"*) @info; exit ;;
esac
echo "$*" >>@log
@body
'''
RESULT = '''
case "$*" in *udp*) cost=1$((${#3} + $# % 3)) ;; *) cost=1$(($# % 5)) ;; esac
disturbed=false
@disturbed
tr -d '\\n' <<END
{"source": {}, "result": {"valid": true, "goodput_bps": 1e9, "packets_per_s": 1e5,
"cpu_bytes": 1e6, "cpu_packets": 1e3, "busy_cycles_per_byte": $cost,
"busy_cycles_per_packet": ${cost}00, "own_cycles_per_byte": ${own:-null},
"disturbed": $disturbed,
"datagrams": {"loss_share": ${loss:-0}}, "latency_ns": {"p50": 5e3, "p99": 2e4},
"ceilings": [{"name": "cpu", "ceiling_bps": 2e9, "share": 0.5, "binds": true},
{"name": "rate", "unknown_because": "x"}]}}
END
'''


@pytest.fixture
def ctl(tmp_path, monkeypatch):
    """Make a ktput-ctl; return how, and what it was called with."""
    log = tmp_path / "log"

    start = tmp_path / "start"
    start.write_text(json.dumps(START))

    def make(body=RESULT, disturbed="", info=""):
        program = tmp_path / "ktput-ctl"
        script = CTL.replace("@body", body.replace("@disturbed", disturbed))
        for mark, value in (("@start", start), ("@log", log), ("@info", info or ":")):
            script = script.replace(mark, str(value))
        stand_in(monkeypatch, program, script)
        return str(program)

    make.calls = lambda: [line.split() for line in log.read_text().splitlines()
                          if "start" in line]
    return make


def ladder(capsys, *words):
    return result_of(capsys, main, words)


def split(line):
    return line.split()


def values(*words):
    rows = [options.replace(options.Option(name, name, name, "X" * (
        name not in ("tcp", "udp", "replace"))), **change)
        for name, change in options.OF_START.items()]
    found = parse((*rows, *options.OWN), words)
    options.check(Output("x"), found)
    return found


def test_words_of_a_run():
    plan = rungs.Plan(values(*split(
        "to ::1 cpus 3 time 100ms datagram 100 message 64K")), packets_per_s=500)
    by = {(rung.group.key, rung.name): rung for rung in rungs.RUNGS}
    assert plan.words(by["tcp", "kernel, copy in"]) == split(
        "start tcp to ::1 cpus 3 time 100000000ns method zerocopy sink-method copy "
        "size 64K")
    assert plan.words(by["transmit", "queue"])[-8:] == split(
        "sink-layer socket sink-method zerocopy size 162 rate 500pps")
    plan.receive_from = "layer driver"
    assert plan.words(by["receive", "XDP"], limited=False)[-6:] == split(
        "sink-layer xdp layer driver size 162")
    # The null rung has no sink.
    plan = rungs.Plan(values(*split("to ::1 netns n sink-netns f sink-cpus 1 time 1s")),
                      transmit_to="sink-layer ingress", packets_per_s=500)
    assert plan.words(by["transmit", "pacing"]) == split(
        "start udp to ::1 netns n time 1000000000ns layer driver size 1510 rate 500pps "
        "pace-only alone")
    plan = rungs.Plan(values(*split("to ::1 datagram 100")), packets_per_s=500)
    plan.receive_from = "layer socket"
    assert plan.words(by["receive", "XDP"])[-4:] == split("size 100 rate 500pps")


def test_the_ends_in_reverse():
    places = "to ::2 from ::1 sink-netns far cpus 0 sink-cpus 1 streams 4 reverse"
    assert rungs.Plan(values(*split(places))).ends() == split(
        "to ::1 from ::2 netns far sink-netns /proc/self/ns/net cpus 1 sink-cpus 0 "
        "streams 4 time 1000000000ns")
    # Between hosts names are of the host of their end.
    away = rungs.Plan(values(*split(places + " remote x")))
    assert away.ends() == split(
        "to ::1 from ::2 netns far cpus 1 sink-cpus 0 streams 4 remote x reverse time "
        "1000000000ns")
    assert away.ends(alone=True)[-2:] == split("time 1000000000ns")
    trips = away.latency_words(next(iter(rungs.LATENCIES)))
    assert trips[-4:] == split("time 1000000000ns size 64")
    assert "reverse" not in trips
    assert away.first_words()[-3:] == split("reverse time 20000000ns")
    assert not any(rung.alone for rung in rungs.chosen(away.values))


#: What runs without a keyword of its own.
ALWAYS = [rung for rung in rungs.RUNGS if not rung.wanted_by]
IN = {group.key: [rung for rung in ALWAYS if rung.group is group]
      for group in rungs.GROUPS}
SEGMENTS = len([rung for rung in ALWAYS if rung.segments])


def test_variants():
    def found(words):
        return [(one["message"], one["datagram"], one["segments"], one["reverse"],
                 len(rungs.chosen(one))) for one in options.variants(
                     values(*split(words)))]

    every, tcp = len(ALWAYS), len(IN["tcp"])
    assert found("") == [("128K", 1448, None, None, every)]
    assert found("segments 9") == [("128K", 1448, "9", None, tcp + SEGMENTS)]
    sizes = [("64", 64, None, None, every), ("128K", 1448, None, None, every),
             ("128K", 1448, "45", None, SEGMENTS)]
    assert found("sizes") == sizes
    assert [one[-1] for one in found("sizes tcp")] == [tcp, tcp]
    assert found("sizes from ::1 both") == sizes + [
        (*one[:3], "reverse", one[-1]) for one in sizes]


def test_steps_are_between_rungs():
    for step in rungs.STEPS:
        above, below = step.ends(rungs.RUNGS)
        assert above is not None
        assert (below is None) == (step.below is None)
    assert {rung.latency for rung in rungs.RUNGS} - {""} == set(rungs.LATENCIES)


def test_which_rungs():
    def names(*words):
        return [rung.name for rung in rungs.chosen(values(*words))]

    tcp = [rung.name for rung in IN["tcp"]]
    assert names() == [rung.name for rung in ALWAYS]
    assert names("tcp") == tcp
    assert set(names("tcp", "iperf3", "io_uring")) == {*tcp, "iperf3", "user, io_uring"}
    assert names("udp") == names()[len(tcp):]
    assert names("layer", "user") == [
        "user, copy", "user, sendfile and MSG_TRUNC", "user"]


@pytest.mark.parametrize(("words", "says"), [
    ("rounds 2", "rounds: '2' is not 3 to 100"), ("datagram 17", "datagram: '17'"),
    ("time 1ms", "time: "), ("limit 0", "limit: "), ("until ci 101%", "ci: "),
    ("until 5%", "after 'until' comes 'ci'"),
    ("layer socket", "after 'layer' comes 'user'"),
    ("rate 5", "rate: '5' is no rate: give a number with bit"),
    ("seed x", "seed: 'x' is no whole"), ("rounds x", "rounds: 'x' is no whole"),
    ("message many", "message: 'many' is no size"),
    ("tcp udp", "'udp' contradicts 'tcp'"),
    ("replace", "'replace' needs 'record'"), ("reverse", "'reverse' needs 'from'"),
    ("both", "'both' needs 'from', the address of this end"),
    ("both reverse from ::1", "'reverse' is one of 'both'"),
    ("sizes message 1K", "'sizes' has its own 'message'"),
    ("sizes rate 1gbit", "'sizes' needs a rate of packets"),
    ("remote -x", "'-x' is no host"), ("remote far profile", "'profile' is for ends"),
    ("remote far iperf3", "'iperf3' is for"),
])
def test_refusals_of_words(words, says):
    with pytest.raises(UsageError) as refused:
        values(*words.split())
    assert says in str(refused.value)


def test_quantities():
    assert units.parse_size("1.5K") == 1536
    assert units.parse_size("2MiB") == 2 << 20
    assert units.parse_time("1m") == 60
    assert units.parse_time("0.5") == 0.5
    assert units.parse_rate("2kPPS") == (2000, True)
    assert units.parse_rate("1gbit") == (1e9, False)
    assert values("rate", "8mbit", "datagram", "1000")["rate"] == 1000


def climbed(costs, group=rungs.TCP, **more):
    """Make a ladder of rungs of a group by the costs of their rounds."""
    found = [rung for rung in rungs.RUNGS if rung.group is group and rung.name in costs]
    made = figures.Climb(found, 0.05, 1, **more)
    for rung in found:
        made.cells[rung].samples = [
            None if one is None else figures.Sample(1000.0 * one, 5.0 * one, one, 0.25)
            for one in costs[rung.name]]
    made.rounds = max(map(len, costs.values()))
    return made


def test_figures_by_hand():
    made = climbed({"user, copy": [10, 20, 30, 40],
                    "kernel, copy out and in": [1, 1, 2, 8],
                    "kernel, zerocopy": [None] * 4})
    document = made.document()["ladder"]
    first = document["tcp"][0]
    assert (first["runs"], first["cycles_per_byte"]["mean"]) == (4, 25)
    assert first["goodput_bps"]["mean"] == 25000
    assert first["cycles_per_byte"]["median"] == 25
    (step,) = document["steps"]
    # Within a round: 9, 19, 28 and 32, whose interval is 3.182446 sigma / 2.
    cost = step["cycles_per_byte"]
    assert (step["cost"], cost["mean"], cost["min"], cost["max"]) == (
        "system call and wake-up", 22, 9, 32)
    assert cost["ci_high"] - 22 == pytest.approx(3.182446 * cost["sigma"] / 2)
    assert step["distinct"] is (cost["ci_low"] > 0)
    assert document["tcp"][2]["runs"] == 0
    # Where both are there.
    made.cells[made.rungs[0]].samples[3] = None
    (step,) = made.document()["ladder"]["steps"]
    assert step["cycles_per_byte"]["count"] == 3


def test_cost_is_of_the_runs_own_cycles(ctl, capsys):
    """Beside a busy loop; of a program that says nothing it is all cycles."""
    ctl(disturbed='own=3; case "$*" in *iperf3*) own=null ;; esac')
    of = json.loads(ladder(capsys, "-j", "tcp", "iperf3", "rounds", "3")[1])["ladder"]
    assert schema_errors({"ladder": of}) == []
    for rung in of["tcp"]:
        foreign = rung["name"] == "iperf3"
        assert (rung["cycles_per_byte"]["mean"] == 3) is not foreign
        assert rung["cycles_of"] == ("busy" if foreign else "own")
    said = "\n".join(text.lines_of({"ladder": of}))
    assert "\nTCP, both ends: own cycles of all CPUs" in said
    assert re.search("^iperf3 .*busy cycles, since", said, re.MULTILINE)


def test_widest_interval():
    made = climbed({"user, copy": [10, 10, 10], "kernel, zerocopy": [1, 1.1, 1.2]})
    assert made.widest() == pytest.approx(
        made.cost(made.rungs[1]).ci_high / 1.1 - 1)
    made.cells[made.rungs[1]].samples.pop()
    assert math.isnan(made.widest())
    made.cells[made.rungs[1]].left_out = True
    assert made.widest() == 0


def profile_of(part, packets=None, of="tsc"):
    cpus = [{"effective_samples": 100, "classes": [
        {"class": "copy", "samples": part, "cycles": part * 10},
        {"class": "ip", "samples": 60 - part, "cycles": (60 - part) * 10},
        {"class": "idle", "samples": 40, "cycles": 400}]}]
    return Record({"profile": {"cpus": cpus, "cycles_of": of}, "result": {
        "cpu_bytes": 10, "cpu_packets": packets, "busy_cycles_per_byte": 30}},
        "", 1, math.nan)


def test_samples_by_hand():
    # 1000 cycles for 10 units: 100 a unit, of which 50 and 20 of 100 are of a class.
    one, other = (sampled.read(profile_of(part), False) for part in (50, 20))
    assert one.cost(["copy"]) == pytest.approx((50, 100 ** 2 * 0.25 / 100))
    assert one.names() == ["copy", "ip"]
    assert one.cost(one.names())[0] == pytest.approx(60)
    found = sampled.estimate([one, one], [other, None], ["copy"])
    assert (found.runs, found.mean) == (1, pytest.approx(30))
    assert found.half_width == pytest.approx(1.959964 * math.sqrt(25 + 16))
    assert found.disagrees(30 + found.half_width + 2, 1)
    assert not found.disagrees(30 + found.half_width, 1)
    three = sampled.estimate([one, other, one], None, ["copy"])
    assert three.half_width > three.binomial
    assert three.effective == pytest.approx((three.binomial / three.half_width) ** 2)
    assert sampled.estimate([None], None, ["copy"]).runs == 0
    # A PMU's cycles are as many as the run was busy; packets are of their own number.
    core = sampled.read(profile_of(50, of="core"), False)
    assert core.cost(core.names())[0] == pytest.approx(30)
    assert sampled.read(profile_of(50, packets=5), True).cost(["copy"])[0] == \
        pytest.approx(100)
    assert sampled.read(profile_of(50), True) is None


def test_agreement():
    made = climbed({"kernel, copy in": [60, 61, 62], "kernel, zerocopy": [10, 10, 10]},
                   profiled=True)
    for rung, part in zip(made.rungs, (55, 10), strict=True):
        cell = made.cells[rung]
        cell.samples = [replace(one, sampled=sampled.read(profile_of(part), False))
                        for one in cell.samples]
    document = made.document()
    (row,) = document["ladder"]["agreement"]["tcp"]
    assert row["sampled"]["mean"] == pytest.approx(45)
    assert row["sampled"]["agrees"] is True
    assert row["sampled_all"]["mean"] == pytest.approx(0)
    assert row["sampled_all"]["agrees"] is False
    assert [(one["class"], one["counted"]) for one in row["by_class"]] == [
        ("copy", True), ("ip", False)]
    lines = [*text.lines_of(document)]
    assert "By both methods: cycles of a byte with TCP, of a packet with UDP" in lines
    row["sampled"]["agrees"] = False
    said = " ".join(" ".join(text.lines_of(document)).split())
    assert ("! disagree kernel copy, in: counted are copy; beside these differ ip" in
            said)
    assert max(map(len, lines)) < 80


def schema_errors(document):
    jsonschema = pytest.importorskip("jsonschema")
    schema = Path(__file__).parents[3] / "Documentation/measure/ladder.schema.json"
    return [error.message for error in jsonschema.Draft202012Validator(
        json.loads(schema.read_text())).iter_errors(ktput_output.jsonable(document))]


def test_climbs(ctl, capsys, tmp_path):
    ctl()
    record = tmp_path / "record"
    status, out, err = ladder(capsys, "-j", "--", "rounds", "3", "latency", "profile",
                              "record", str(record), "seed", "1", "until", "ci", "0%")
    assert status == 0
    document = json.loads(out)
    assert schema_errors(document) == []
    of = document["ladder"]
    assert {key: len(of[key]) for key in IN} == {key: len(IN[key]) for key in IN}
    asked = {rung.name for rung in rungs.RUNGS} - {rung.name for rung in ALWAYS}
    assert len(of["steps"]) == len([step for step in rungs.STEPS
                                    if not asked & {step.above, step.below}])
    assert len(of["latency"]) == len(ALWAYS)
    assert all(one["runs"] == 3 and not one["failed_runs"]
               for key in ("tcp", "transmit", "receive") for one in of[key])
    assert (of["rounds"], of["seed"], of["met"]) == (3, 1, True)
    assert of["packets_per_s"] == 50000
    assert (of["transmit_to"], of["receive_from"]) == ("ingress", "driver")
    assert (of["ceilings"][0]["binds"], len(of["ceilings"])) == (True, 1)
    assert any(line.split()[:1] == ["CPU"] and "50.0%" in line
               for line in text.lines_of(document))
    lines = record.read_text().splitlines()
    # Two that look, and the rungs thrice, each once more sampled; no round trips.
    assert len(lines) == 2 + 2 * 3 * len(ALWAYS) + 1
    assert lines[-1] + "\n" == out
    # Each says which rung it is of; the rest of it is to the letter what was printed.
    marks = [json.loads(line)["ladder_run"] for line in lines[:-1]]
    assert {(one["group"], one["rung"]) for one in marks} == {
        (rung.group.title, rung.name) for rung in rungs.RUNGS if not rung.wanted_by}
    mark, rest = lines[0].split("},", 1)
    assert mark.startswith('{"ladder_run":{"group":')
    assert json.loads("{" + rest)["result"]["valid"] is True
    assert [json.loads(line)["progress"].split(": ")[2][:7] for line in
            err.splitlines()[1:]] == [f"round {i}" for i in (1, 2, 3)]
    tcp = len(IN["tcp"])
    orders = [[" ".join(words) for words in ctl.calls() if "tcp" in words
               and "profile" not in words][i * tcp:i * tcp + tcp] for i in range(3)]
    assert len({tuple(sorted(one)) for one in orders}) == 1
    assert len({tuple(one) for one in orders}) > 1


def test_the_seed_gives_the_order(ctl, capsys, tmp_path):
    ctl()
    orders = []
    for _ in range(2):
        assert ladder(capsys, "tcp", "seed", "9")[0] == 0
        orders.append(ctl.calls())
        (tmp_path / "log").unlink()
    assert orders[0] == orders[1]


def test_text_fits_and_answers(ctl, capsys, monkeypatch):
    ctl()
    monkeypatch.setenv("KTPUT_ICOUNT", "1")
    status, out, err = ladder(capsys, "rounds", "3", "latency", "udp")
    assert status == 0
    assert max(map(len, (out + err).splitlines())) < 80
    assert "UDP, receive: instructions of all CPUs per packet" in out
    assert "cycle" not in out
    assert "UDP, receive: socket, in softirq" in out


def test_does_not_stop_before_its_pilot_ends(ctl, capsys):
    ctl()
    of = json.loads(ladder(capsys, "-j", "tcp", "until", "ci", "90%")[1])["ladder"]
    assert (of["rounds"], of["met"]) == (PILOT, True)
    of = json.loads(ladder(capsys, "-j", "tcp", "rounds", "3")[1])["ladder"]
    assert (of["rounds"], of["met"]) == (3, True)


def test_a_warm_up(ctl, capsys):
    ctl()
    words = ["tcp", "layer", "user", "time", "80ms", "warmup", "20ms", "rounds", "3"]
    assert ladder(capsys, *words)[0] == 0
    assert {one[one.index(word) + 1] for one in ctl.calls()
            for word in ("time", "warmup")} == {"80000000ns", "20000000ns"}


def test_exact_costs_are_between_two_lengths(ctl, capsys, monkeypatch, tmp_path):
    """Of 1000 cycles and 3 a byte: the 1000 are in both runs."""
    ctl('''
case "$*" in *"time 20000000ns "*) bytes=1000 ;; *) bytes=5000 ;; esac
printf '{"source": {}, "result": {"valid": true, "goodput_bps": 1e9, "cpu_bytes": %s,
"busy_cycles_per_byte": %s}}' $bytes $(awk "BEGIN {print 3 + 1000 / $bytes}") |
	tr -d '\\n'
''')
    words = ["-j", "tcp", "layer", "user", "time", "80ms", "warmup", "20ms", "rounds",
             "3"]
    of = json.loads(ladder(capsys, *words)[1])["ladder"]
    assert of["tcp"][0]["cycles_per_byte"]["mean"] == pytest.approx(3.2)
    assert len(ctl.calls()) == 3 * 2
    (tmp_path / "log").unlink()
    monkeypatch.setenv("KTPUT_ICOUNT", "1")
    words += ["record", str(tmp_path / "kept")]
    of = json.loads(ladder(capsys, *words)[1])["ladder"]
    assert of["tcp"][0]["cycles_per_byte"]["mean"] == pytest.approx(3)
    # A first run of each, and three that count, of both lengths each.
    assert [one[one.index("time") + 1] for one in ctl.calls()] == \
        ["100000000ns", "20000000ns"] * 2 * 4
    assert not any("warmup" in one for one in ctl.calls())
    assert of["tcp"][0]["runs"] == 3
    # The short ones are in no record.
    assert len((tmp_path / "kept").read_text().splitlines()) == 2 * 4 + 1


def test_ladders_of_sizes(ctl, capsys):
    ctl()
    status, out, _ = ladder(capsys, "-j", "sizes", "rounds", "3", "streams", "2")
    assert status == 0
    documents = [json.loads(line) for line in out.splitlines()]
    assert [schema_errors(one) for one in documents] == [[]] * 3
    assert [[one["ladder"][key] for key in (
        "message_bytes", "datagram_bytes", "segments", "streams")]
        for one in documents] == [[64, 64, 1, 2], [131072, 1448, 1, 2],
                                  [131072, 1448, 45, 2]]
    assert "tcp" not in documents[2]["ladder"]
    said = "\n".join(text.lines_of(documents[2]))
    assert "packets/s to the sink at socket, 45 x 1448 B, 2 streams\n" in said
    assert all("segments" in one for one in ctl.calls()[-15:])
    assert not any("driver" in one for one in ctl.calls()[-15:])


def test_disturbed_rounds_are_repeated(ctl, capsys):
    # The first call of all is disturbed, and those of one rung are.
    ctl(disturbed="[ $(wc -l <@log) -gt 1 ] || disturbed=true")
    _, out, err = ladder(capsys, "-j", "tcp", "rounds", "3")
    of = json.loads(out)["ladder"]
    assert (of["rounds"], of["repeated_rounds"], of["disturbed_rounds"]) == (3, 1, 0)
    assert all(one["runs"] == 3 for one in of["tcp"])
    assert "is repeated, since other work took part" in err
    ctl(disturbed='case "$*" in *sendfile*) disturbed=true ;; esac')
    out = ladder(capsys, "tcp", "rounds", "3")[1]
    said = " ".join(out.split())
    assert f"{climb.REPEATS} repeated because of other work" in said
    assert "3 kept despite other work" in said


def test_failures_are_told(ctl, capsys):
    ctl('''
case "$*" in
*driver*|*queue*) refuse "no driver here" ;;
*sendfile*) echo '{"result": {"valid": false, "invalid_because": "lost"}}'; exit 1 ;;
esac
''' + RESULT)
    status, out, _ = ladder(capsys, "-j", "rounds", "3")
    assert status == 0
    of = json.loads(out)["ladder"]
    assert schema_errors({"ladder": of}) == []
    by = {one["name"]: one for one in (*of["tcp"], *of["transmit"])}
    assert by["driver"]["not_run_because"] == "no driver here"
    assert (by["queue"]["runs"], by["queue"]["failed_runs"]) == (0, climb.PATIENCE)
    assert by["user, sendfile and MSG_TRUNC"]["not_run_because"] == "lost"
    assert (of["transmit_to"], of["receive_from"]) == ("socket", "socket")
    said = "\n".join(text.lines_of({"ladder": of}))
    assert "UDP, transmit: queue\n  2 failed       no driver here\n" in said


def test_a_rung_without_a_rate_loses_nothing(ctl, capsys):
    ctl(disturbed='case "$*" in *pps*) loss=0.5 ;; *) loss=0.02 ;; esac')
    of = json.loads(ladder(capsys, "-j", "udp", "rounds", "3")[1])["ladder"]
    by = {one["name"]: one for one in of["transmit"]}
    assert (by["driver"]["runs"], by["driver"]["loss_share"]) == (3, 0.5)
    assert by["driver, unpaced"]["runs"] == 0
    assert by["driver, unpaced"]["not_run_because"].startswith("without a rate 2.0% of")
    costs = [one["cost"] for one in of["steps"] if one["group"] == "transmit"]
    assert costs[-2:] == ["driver and NIC, both ends", "pacing: timer and wake-up"]


def test_nothing_to_show(ctl, capsys):
    ctl('refuse "no such thing"')
    status, out, err = ladder(capsys, "tcp", "rounds", "3")
    assert (status, out) == (1, "")
    assert err.endswith("ktput-ctl: no rung has a result: no such thing\n")
    assert err.count("done") == climb.PATIENCE


def test_no_module(ctl, capsys):
    ctl(info='refuse "the module is not loaded; modprobe it"')
    assert ladder(capsys)[::2] == (
        1, "ktput-ctl: the module is not loaded; modprobe it; or say 'layer user', "
        "which takes no module\n")


def test_limit(ctl, capsys):
    ctl("sleep 0.05\n" + RESULT)
    _, out, _ = ladder(capsys, "-j", "tcp", "limit", "0.4s", "until", "ci", "0%",
                       "rounds", "100")
    of = json.loads(out)["ladder"]
    assert of["out_of_time"] or of["met"]
    assert of["rounds"] < 100


def test_help(ctl, capsys):
    ctl()
    texts = {ladder(capsys, *words)[1]
             for words in (("help",), ("tcp", "help"), ("-h",))}
    (shown,) = texts
    assert shown.startswith("Usage: ktput-ctl ladder [ tcp | udp ]")
    assert "mtu" not in shown
    assert "  cpus X                what cpus (default: the lower half)" in shown
    assert max(map(len, shown.splitlines())) < 80
    (command,) = json.loads(ladder(capsys, "-j", "help")[1])["commands"]
    assert command["command"] == "ladder"
    assert {"keyword": "udp", "excludes": ["tcp"], "help": "UDP alone"} in \
        command["keywords"]
    status, _, err = ladder(capsys, "nosuch")
    assert (status, err) == (2, "ktput-ctl: unknown word 'nosuch'\n"
                                "Try 'ktput-ctl ladder help'.\n")
    assert "unknown word '--time'; did you mean 'time'?" in \
        ladder(capsys, "tcp", "--time", "5")[2]
    assert "unknown word '-t'; keywords have no hyphen" in \
        ladder(capsys, "tcp", "-t", "5")[2]


def test_without_what_it_needs(ctl, capsys, monkeypatch):
    ctl()
    for name in [name for name in sys.modules if name.startswith("ktput.ladder.")]:
        if not name.endswith(".main"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "ktput.statistics")
    monkeypatch.setitem(sys.modules, "numpy", None)
    status, out, err = ladder(capsys)
    assert (status, out) == (1, "")
    assert err.startswith("ktput-ctl: ")
    assert "install Debian's python3-numpy, python3-scipy" in err
    assert len(err.splitlines()) == 1


def test_remote(ctl, capsys):
    ctl()
    words = ["-j", "remote", "far", "tcp", "rounds", "3", "to", "'$(touch owned)'"]
    status, out, _ = ladder(capsys, *words)
    assert status == 0
    assert all(one["runs"] == 3 for one in json.loads(out)["ladder"]["tcp"])
    # The first is the one that shows whether the other host answers.
    assert len(ctl.calls()) == 1 + 3 * len(IN["tcp"])
    assert ctl.calls()[0][-2:] == ["time", "20000000ns"]
    assert all(" remote far " in " ".join(one) and "owned" in " ".join(one)
               for one in ctl.calls())
    for said, says in (("far: nobody is at home", "far: nobody is at home"),
                       ("far: the module is not loaded there; load it, or say 'x'",
                        "far: the module is not loaded there; load it; or say 'layer "
                        "user', which takes no module")):
        ctl(f'refuse "{said}"')
        assert ladder(capsys, "remote", "far")[2] == f"ktput-ctl: {says}\n"


def test_interrupt_prints_what_there_is(ctl):
    program = ctl("sleep 0.1\n" + RESULT)
    code = ("import sys; from ktput.ladder.main import run; "
            "sys.exit(run(sys.argv[1:], ''))")
    with subprocess.Popen(
            [sys.executable, "-c", code, "-j", *split("tcp rounds 100 until ci 0%")],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]),
                 "KTPUT_CTL": program},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if "round 1 of" in line:
                break
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    of = json.loads(out)["ladder"]
    assert of["interrupted"] is True
    assert all(one["runs"] >= 1 for one in of["tcp"])


def test_record_file(tmp_path):
    path = tmp_path / "r"
    path.write_text("whole\ncut")
    with pytest.warns(ktput.RecordWarning, match="in the middle of a record"):
        RecordFile(str(path), replace=False).add(b"one")
    assert path.read_text() == "whole\ncut\none\n"
    # A whole record without an end of line is none.
    path.write_text('{"a": 1}\n{"a": 2}')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RecordFile(str(path), replace=False).add(b"one")
    path.write_text("whole\ncut\none\n")
    link = tmp_path / "link"
    link.symlink_to(path)
    file = RecordFile(str(link), replace=True)
    assert path.read_text() == "whole\ncut\none\n"
    file.add(b"two")
    file.add(b"three")
    assert path.read_text() == "two\nthree\n"
    assert link.is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    assert {one.name for one in tmp_path.iterdir()} == {"r", "link"}
    with pytest.raises(CommandError, match="write the record '/nowhere/r': No such"):
        RecordFile("/nowhere/r", replace=False)
    with pytest.raises(CommandError, match="No space left"):
        RecordFile("/dev/full", replace=False).add(b"x")
