# SPDX-License-Identifier: GPL-2.0
"""The search for what helps: its remedies, its order, its error, and its ends."""

import json
import math
import random
from itertools import pairwise
from types import SimpleNamespace

import pytest

from ktput import page
from ktput.command import UsageError, parse
from ktput.improve import main, options, search, text
from ktput.improve.candidates import candidates, fits, ranked
from ktput.improve.trial import ERROR, LOOK, Sample, Trial, error_of, sample_of
from ktput.ladder.runs import RunError
from ktput.output import CommandError, Output
from ktput.records import read

from .commands import result_of, stand_in

#: Rows of "start" as "ktput-ctl -j help start" has them.
ROWS = [
    {"keyword": "tcp", "help": "TCP", "excludes": ["udp"]},
    {"keyword": "udp", "help": "UDP", "excludes": ["tcp"]},
    {"keyword": "to", "argument": "ADDRESS", "help": "where"},
    {"keyword": "rate", "argument": "RATE", "help": "rate"},
    {"keyword": "repeat", "argument": "N", "help": "again"},
    {"keyword": "streams", "argument": "N", "min": "1", "max": "8", "help": "streams",
     "changes": "more less"},
    {"keyword": "size", "argument": "SIZE", "help": "bytes", "changes": "more less"},
    {"keyword": "rcvbuf", "argument": "SIZE", "min": "4608 B", "max": "1 GiB",
     "help": "buffer", "changes": "more less none"},
    {"keyword": "method", "help": "how", "changes": "other", "choices": [
        {"word": "copy"}, {"word": "zerocopy", "for": ["tcp", "layer socket"]},
        {"word": "direct", "for": ["udp", "layer socket"]}]},
    {"keyword": "congestion", "argument": "NAME", "for": ["tcp"], "changes": "other",
     "values": "congestion", "help": "control"},
    {"keyword": "nodelay", "for": ["tcp"], "changes": "on", "help": "no Nagle"},
    {"keyword": "segments", "argument": "N", "max": "128", "for": ["udp"],
     "changes": "more less", "help": "GSO"},
    {"keyword": "cpus", "argument": "LIST", "changes": "apart together",
     "help": "CPUs"},
]
COMMANDS = {"start": ROWS, "pingpong": [*ROWS, {
    "keyword": "wait", "help": "how", "for": ["layer user"], "changes": "other",
    "choices": [{"word": "epoll"}, {"word": "spin"}]}]}
ABLE = [row for row in ROWS if "changes" in row]
MORE_STREAMS = {"what": "more streams", "end": "both", "apply": "streams more"}
DEMAND = {"what": "a higher rate", "end": "demand", "apply": "rate more"}


def record(words, goodput=1e9, remedies=(), sure="high", **config):
    """Return the record of a run of *words*, a dictionary."""
    transport = "udp" if "udp" in words else "tcp"
    return {
        "source": {"config": {
            "transport": transport, "layer": "user", "engine": "ktput",
            "method": words.get("method", "copy"), "cpus": words.get("cpus", "0,1"),
            "streams": int(words.get("streams", 1)),
            "size_bytes": int(words.get("size", 131072)),
            **({"congestion": words["congestion"]} if "congestion" in words else {}),
            **config}},
        "sink": {"config": {
            "layer": "user", "cpus": words.get("sink-cpus", "2,3"),
            **({"rcvbuf_bytes": int(words["rcvbuf"])} if "rcvbuf" in words else {})}},
        "environment": {
            "cpu": {"online": "0-3"},
            "source": {"sysctls": {"net.ipv4.tcp_congestion_control": "cubic"}},
            "sink": {"sysctls": {"net.core.rmem_default": "212992"}}},
        "result": {
            "valid": True, "goodput_bps": goodput, "own_cycles_per_byte": 1.5,
            "binding": "x", "binding_because": "because of x", "sure": sure,
            "try": "t", "remedies": list(remedies)}}


def offered(keyword):
    return ["cubic", "reno"] if keyword == "congestion" else []


def titles(words, *, rows=ABLE, tried=(), **of):
    document = record(words, **of)
    return [one.title for one in ranked(
        list(candidates(rows, words, document, offered)), document, tried)]


def test_what_can_be_changed():
    assert titles({}) == [
        "streams 4", "size 524288", "size 32768", "congestion reno", "nodelay",
        "cpus 0 sink-cpus 0"]
    # Bounds of the rows, and what is so already.
    assert titles({"streams": "4", "rcvbuf": "8192", "nodelay": "", "cpus": "0",
                   "sink-cpus": "0"})[:7] == [
        "streams 8", "streams 1", "size 524288", "size 32768", "rcvbuf 32768",
        "rcvbuf 4608", "without rcvbuf"]
    assert "cpus 0,1 sink-cpus 2,3" in titles({"cpus": "0", "sink-cpus": "0"})
    # Ends on two hosts have CPUs of their own.
    assert not any("cpus" in one for one in titles({"remote": "far"}))
    # Of UDP the kernel does not tune the buffer.
    assert {"rcvbuf 851968", "rcvbuf 53248"} <= set(titles({"udp": ""}, segments=1))
    assert "segments 4" in titles({"udp": ""}, segments=1)
    assert "congestion reno" not in titles({"udp": ""})


def test_what_the_verdict_names_comes_first():
    remedies = [{"what": "w", "end": "sink", "apply": "cpus together"}, MORE_STREAMS,
                {"what": "n", "end": "sink", "apply": "rcvbuf none"}]
    assert titles({"rcvbuf": "8192"}, remedies=remedies)[:4] == [
        "cpus 0 sink-cpus 0", "streams 4", "without rcvbuf", "size 524288"]
    # Then what was not tried before.
    assert titles({}, tried=("streams 4", "nodelay"))[-2:] == ["streams 4", "nodelay"]


@pytest.mark.parametrize(("places", "fit"), [
    ([], True), (["tcp"], True), (["udp"], False), (["tcp", "layer user"], True),
    (["tcp", "layer socket"], False), (["layer queue", "sink-layer user"], True),
    (["engine iperf3"], False)])
def test_where_a_keyword_has_a_meaning(places, fit):
    assert fits({"for": places}, record({})) is fit


def test_no_keyword_of_another_engine():
    of = record({}, engine="iperf3")
    assert fits({"for": ["tcp", "layer user", "engine iperf3"]}, of)
    assert not fits({"for": ["layer user"]}, of)


class Machine:
    """What stands for ktput-ctl: runs of words, in a second each."""

    def __init__(self, rate, remedies=lambda _: (), noise=0.0, seed=1,
                 interrupt_at=None):
        self.rate, self.remedies, self.noise = rate, remedies, noise
        self.chance = random.Random(seed)
        self.interrupts = SimpleNamespace(count=0)
        self.runs, self.marks, self.interrupt_at = [], [], interrupt_at

    def document(self, line, mark):
        if self.interrupts.count:
            raise RunError("interrupted")
        words, rest = {}, iter(line[1:])
        for word in rest:
            words[word] = "" if word in ("tcp", "udp", "nodelay") else next(rest)
        del words["time"]
        self.runs.append(words)
        self.marks.append(mark["improve_run"]["remedy"])
        if len(self.runs) == self.interrupt_at:
            self.interrupts.count = 1
        rate = self.rate(words)
        if isinstance(rate, str):
            raise RunError(rate)
        return record(words, rate * math.exp(self.chance.gauss(0, self.noise)),
                      self.remedies(words))


@pytest.fixture
def clock(monkeypatch):
    """Let a run take a second of a clock that stands still otherwise."""
    now = SimpleNamespace(machine=None)
    monkeypatch.setattr(search.time, "monotonic",
                        lambda: float(len(now.machine.runs)) if now.machine else 0.0)
    return now


def look_for(machine, clock, given=None, **values):
    clock.machine = machine
    found = {"time": 1.0, "matters": 2.0, "ci": 10.0, "pairs": 12, "limit": 1e9,
             "seed": 1, "try": ABLE, "settings": [], "words": given or {}, **values}
    quiet = Output("test")
    quiet.progress = lambda _: None
    return search.Search(found, offered, machine, quiet).search()["improve"]


def streams_help(words):
    return 1e9 * min(int(words.get("streams", 1)), 4)


def test_what_helps_is_kept(clock):
    machine = Machine(streams_help, lambda _: [MORE_STREAMS], 0.03)
    of = look_for(machine, clock)
    assert of["words"] == ["streams", "4"]
    assert of["ended_because"] == search.NOTHING
    first, second, *rest = of["remedies"]
    assert (first["apply"], first["outcome"], first["kept"]) == ("streams 4", "gain",
                                                                 True)
    gain = first["gain"]
    assert gain["ci_low"] < 3 < gain["ci_high"] < 3.6
    assert first["cycles_per_byte_with"] == 1.5
    # On from there; and never back.
    assert (second["apply"], second["kept"]) == ("streams 8", False)
    assert not any(one["kept"] or one["apply"] == "streams 1" for one in rest)
    assert of["goodput_bps"] == pytest.approx(4e9, rel=0.05)
    assert [one.get("remedy") for one in of["verdicts"]] == [None, "streams 4"]
    # What is kept is measured again, by runs that did not choose it.
    assert of["total"]["pairs"] == LOOK
    assert of["total"]["gain"]["mean"] == pytest.approx(3, rel=0.1)
    assert machine.runs[-1] in ({}, {"streams": "4"})
    said = "\n".join(text.lines_of({"improve": of}))
    for one in ("streams 4 ", "kept", "1.500 -> 1.500", "start streams 4",
                "Then             with streams 4: because of x", "(seed 1)"):
        assert one in said
    part = page.improve.of({"improve": of}, lambda _: None)
    assert [row.label for row in part.tables[0].rows] == [
        "0. the words as given", "1. streams 4"]
    assert len(part.tables[1].rows) == len(of["remedies"]) + 1


def test_a_choice_is_not_taken_back(clock):
    of = look_for(Machine(lambda words: 1e9 * (1 + (words.get("congestion") == "reno")),
                          noise=0.02), clock)
    tried = [one["apply"] for one in of["remedies"]]
    assert "congestion reno" in tried
    assert "congestion cubic" not in tried


def test_pairs_are_in_turn(clock):
    machine = Machine(lambda _: 1e9, noise=0.1)
    look_for(machine, clock, limit=26, **{"try": ABLE[:1]})
    with_it = [bool(mark) for mark in machine.marks[1:25]]
    blocks = [tuple(with_it[i:i + 4]) for i in range(0, 24, 4)]
    assert set(blocks) == {(False, True, True, False), (True, False, False, True)}


def test_another_seed_has_another_order(clock):
    orders = []
    for seed in (1, 1, 2):
        machine = Machine(lambda _: 1e9, noise=0.1)
        look_for(machine, clock, seed=seed)
        orders.append(machine.marks[:60])
    assert orders[0] == orders[1] != orders[2]


def test_each_remedy_has_its_part_of_the_error():
    parts = [error_of(which) for which in range(1, 1000)]
    assert sum(parts) < ERROR
    assert all(one > other for one, other in pairwise(parts))


def test_remedies_of_no_use_are_rarely_kept(clock):
    """Of 200 searches among remedies that do nothing, 5% may keep one."""
    kept = tried = 0
    for seed in range(200):
        machine = Machine(lambda _: 1e9, noise=0.08, seed=seed)
        of = look_for(machine, clock, seed=seed, matters=0.0)
        kept += any(one["kept"] for one in of["remedies"])
        tried += len(of["remedies"])
    assert tried >= 200 * 6
    assert kept <= 200 * ERROR


def test_a_trial_is_judged_by_the_corrected_interval():
    # Three times the interval's half width at 95% from zero.
    logs = [0.10, 0.13, 0.07, 0.10]
    for error, outcome in ((ERROR, "gain"), (1e-5, "")):
        trial = Trial(error, 0.02, 0.1, LOOK * 2,
                      [(Sample(1, 1), Sample(math.exp(one), 1)) for one in logs])
        trial.judge()
        assert trial.outcome == outcome


def test_both_directions_count():
    of = record({}, goodput=5e9)
    assert sample_of(of) == Sample(5e9, 1.5)
    assert sample_of({**of, "both": {"goodput_bps": 7e9}}).rate == 7e9


@pytest.mark.parametrize(("ratios", "outcome"), [
    ([1.0, 1.005, 0.995, 1.0], "no gain"), ([0.5, 0.51, 0.5, 0.5], "no gain"),
    ([1.01, 1.012, 1.011, 1.01], "no gain"), ([1.5, 0.9, 1.2, 1.0], ""),
    ([2.0, 2.01, 2.0, 1.99], "gain"), ([1.5, 2.5, 1.9, 2.1], "")])
def test_judgement(ratios, outcome):
    trial = Trial(ERROR, 0.02, 0.1, 2 * LOOK, [
        (Sample(1, 1), Sample(one, 1)) for one in ratios])
    trial.judge()
    assert trial.outcome == outcome


def test_it_ends_where_a_rate_was_asked_for(clock):
    machine = Machine(lambda _: 1e7, lambda _: [DEMAND])
    of = look_for(machine, clock)
    assert (of["ended_because"], of["remedies"], len(machine.runs)) == (
        search.FIXED, [], 2)
    assert "cannot be changed" in "\n".join(text.lines_of({"improve": of}))
    # One of a single run does not end it.
    once = Machine(lambda _: 1e7)
    once.remedies = lambda _: [DEMAND] if len(once.runs) == 1 else []
    assert look_for(once, clock)["ended_because"] == search.NOTHING
    # Nor does one that is not sure.
    unsure = Machine(lambda _: 1e7)
    unsure.document = lambda *_, **__: record({}, remedies=[DEMAND], sure="low")
    unsure.runs = []
    assert look_for(unsure, clock)["ended_because"] == search.NOTHING


def test_it_ends_where_what_is_kept_meets_the_demand(clock):
    def remedies(words):
        return [DEMAND if "streams" in words else MORE_STREAMS]

    of = look_for(Machine(streams_help, remedies, 0.01), clock)
    assert (of["ended_because"], of["words"]) == (search.FIXED, ["streams", "4"])
    assert len(of["remedies"]) == 1


def test_it_ends_by_the_limit(clock):
    machine = Machine(lambda _: 1e9, noise=0.1)
    of = look_for(machine, clock, limit=12)
    assert (of["ended_because"], of["remedies"][-1]["outcome"]) == (search.OVER,
                                                                    "not finished")
    assert len(machine.runs) <= 12
    said = "\n".join(text.lines_of({"improve": of}))
    assert "time limit reached" in said
    assert "Not tried" in said


@pytest.mark.parametrize("at", [4, 5, 6])
def test_it_ends_by_a_signal(clock, at):
    machine = Machine(lambda _: 1e9, noise=0.1, interrupt_at=at)
    of = look_for(machine, clock)
    # A run that was interrupted does not count, nor does its pair.
    assert of["ended_because"] == search.INTERRUPTED
    assert of["remedies"][-1]["pairs"] == (at - 2) // 2
    assert "interrupted" in "\n".join(text.lines_of({"improve": of}))


def test_what_is_refused_is_told(clock):
    machine = Machine(lambda words: "no CPUs" if "streams" in words else 1e9,
                      lambda _: [MORE_STREAMS])
    of = look_for(machine, clock)
    first = of["remedies"][0]
    assert (first["outcome"], first["failed_because"], first["pairs"]) == (
        "failed", "no CPUs", 0)
    assert of["ended_because"] == search.NOTHING
    assert "no CPUs" in "\n".join(text.lines_of({"improve": of}))


def test_a_first_run_that_fails(clock):
    with pytest.raises(CommandError, match="no route"):
        look_for(Machine(lambda _: "no route"), clock)


CTL = '''#!/bin/sh
case "$*" in
"-j help start"|"-j help pingpong") cat @rows; exit ;;
"complete start congestion "*) echo reno; exit ;;
esac
echo "$*" >>@log
cat @record
'''


@pytest.fixture
def ctl(tmp_path, monkeypatch):
    program, log = tmp_path / "ktput-ctl", tmp_path / "log"
    (tmp_path / "rows").write_text(json.dumps({"commands": [{"keywords": ROWS}]}))
    (tmp_path / "record").write_text(json.dumps(record({})))
    script = CTL
    for name in ("rows", "log", "record"):
        script = script.replace(f"@{name}", str(tmp_path / name))
    stand_in(monkeypatch, program, script)
    return lambda: log.read_text().splitlines()


def improve(capsys, *words):
    return result_of(capsys, main, words)


def test_a_run_that_is_refused_for_its_words_is_a_usage_error(ctl, capsys, tmp_path):
    assert ctl is not None
    script = (tmp_path / "ktput-ctl").read_text().replace(
        "echo \"$*\"", "echo '{\"error\": \"size: it is 0\"}' >&2; exit 2; echo")
    (tmp_path / "ktput-ctl").write_text(script)
    status, out, err = improve(capsys, "size", "0")
    assert (status, out) == (2, "")
    assert "ktput-ctl: size: it is 0\n" in err


def test_the_command(ctl, capsys, tmp_path):
    file = tmp_path / "runs.jsonl"
    status, out, err = improve(
        capsys, "-j", "to", "::1", "udp", "time", "50ms", "try", "streams,cpus",
        "record", str(file), "seed", "7")
    of = json.loads(out)["improve"]
    assert (status, of["seed"], of["given"]) == (0, 7, ["to", "::1", "udp"])
    assert [one["apply"] for one in of["remedies"]] == ["streams 4",
                                                        "cpus 0 sink-cpus 0"]
    calls = ctl()
    assert calls[0] == "-j -s start to ::1 udp time 50000000ns"
    assert "-j -s start to ::1 udp streams 4 time 50000000ns" in calls
    assert json.loads(err.splitlines()[0])["progress"].endswith("(seed 7)")
    # Its runs are in the file, and behind them what it made of them.
    runs = read(file)
    assert len(runs) == len(calls) == 1 + 2 * 2 * LOOK
    assert {run.root["improve_run"]["remedy"] for run in runs} == {
        "", "streams 4", "cpus 0 sink-cpus 0"}
    assert json.loads(file.read_text().splitlines()[-1])["improve"] == of


def test_round_trips(clock):
    """Of a ping-pong the median counts, and what a round trip costs."""
    class Trips(Machine):
        def document(self, line, mark):
            assert line[0] == "pingpong"
            of = super().document(line, mark)
            of["result"] |= {"latency_ns": {"p50": 1e9 / of["result"]["goodput_bps"]},
                             "own_cycles_per_round_trip": 500.0}
            return of

    values = parse(options.options_of(COMMANDS), ["pingpong", "wait", "epoll"])
    options.check(COMMANDS, Output("x"), values)
    assert "streams" not in [row["keyword"] for row in values["try"]]
    machine = Trips(lambda words: 2e4 * (1 + (words.get("wait") == "spin")), noise=0.02)
    of = look_for(machine, clock, values["words"], command="pingpong",
                  **{"try": values["try"]})
    assert (of["command"], of["words"]) == ("pingpong", ["wait", "spin"])
    assert of["latency_p50_ns"] == pytest.approx(25_000, rel=0.05)
    assert of["remedies"][0]["cycles_per_round_trip_with"] == 500
    said = "\n".join(text.lines_of({"improve": of}))
    for one in ("cycles/trip", "pingpong wait spin", "Median "):
        assert one in said
    part = page.improve.of({"improve": of}, lambda _: None)
    assert "Median with the best words" in part.sentences[0]


@pytest.mark.usefixtures("ctl")
def test_completion_offers_the_keywords_of_a_run(capsys):
    status, out, _ = improve(capsys, "complete", "r")
    assert (status, [line.split()[0] for line in out.splitlines()]) == (
        0, ["rate", "rcvbuf", "record", "replace"])


@pytest.mark.parametrize(("words", "why"), [
    ("try rate", "'rate' is none of streams"), ("pairs 3", "'3' is not within 4"),
    ("matters x", "matters"), ("limit 0", "limit"), ("replace", "'replace' needs"),
    ("repeat 3", "unknown word 'repeat'"), ("strems 4", "did you mean 'streams'"),
    ("size", "'size' lacks its value"), ("method", "'method' lacks its value")])
def test_refusals(words, why):
    with pytest.raises(UsageError, match=why):
        options.check(COMMANDS, Output("x"),
                      parse(options.options_of(COMMANDS), words.split()))
