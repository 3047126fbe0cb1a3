# SPDX-License-Identifier: GPL-2.0
"""Scenarios: their files, what they run, and what they find."""

import contextlib
import itertools
import json
import math
import shutil
import subprocess

import pytest

from ktput.output import CommandError, Output
from ktput.record import Record
from ktput.records import read
from ktput.scenario import (
    description,
    experiment,
    figures,
    hosts,
    links,
    namespaces,
    results,
    rules,
    text,
)
from ktput.scenario.description import DescriptionError, load

from .samples import run as a_run

FILE = '''
title = "T"
memo = "M"
text = "One.\\n\\nTwo."
[network]
link = "mtu {mtu}"
qdisc = "netem rate {rate}"
sysctl = ["a.b=1"]
[variables]
rate = "1gbit"
[form.full]
time = "5s"
repeat = 2
[form.short]
time = "1s"
only = {mtu = [9000]}
[sweep]
mtu = [9000, 1500]
[runs.user]
title = "user"
words = "start layer user time {time}"
[runs.back]
title = "back"
words = "start time {time}"
reverse = true
points = [{mtu = 1500, n = 1}]
sweep = {n2 = [1, 2]}
forms = ["full"]
[[table]]
title = "Table 1"
figures = ["rate", "sigma"]
notes = "Of the notes."
[[table.row]]
title = "MTU 9000"
of = "user(mtu=9000)"
memo = {rate = 900.5, sigma = 2}
[[table.row]]
title = "MTU 1500"
of = "user(mtu=1500)"
memo = {rate = 700}
[[table.row]]
title = "another host"
of = ""
memo = {rate = 1}
not_measured = "there is no other host"
[[same]]
says = "fast"
rule = "user(mtu=9000).rate > 300"
then = "It is fast: {round(user(mtu=9000).rate)} Mb/s."
otherwise = "It is not fast."
[[same]]
says = "slow"
rule = "user(mtu=1500).rate > 500"
then = "It is slow: {user(mtu=1500).rate} Mb/s."
otherwise = "It is not slow, at {round(user(mtu=1500).rate)} Mb/s."
[[figure]]
title = "F"
x = "mtu"
y = "rate"
runs = ["user"]
'''


@pytest.fixture
def scenario(tmp_path):
    def make(form=description.FULL, **changes):
        content = FILE
        for one, other in changes.values():
            assert one in content
            content = content.replace(one, other)
        path = tmp_path / "mine.toml"
        path.write_text(content)
        return load(str(path), form)

    return make


class Runner:
    """What makes runs: by a table, without a process."""

    def __init__(self, goodput=400e6, fails=()):
        self.words, self.goodput, self.fails = [], goodput, fails
        #: by the device, of a command
        self.carried = 600
        self.record = None
        self.interrupts = type("", (), {"count": 0})()

    def document(self, words, keep):
        assert not keep
        self.words.append(words)
        if any(one in words for one in self.fails):
            raise experiment.RunError("it failed")
        return a_run(self.goodput, result__statistics={"goodput_bps": {"sigma": 3e6}})


    def text(self, words):
        self.words.append(words)
        return json.dumps(SWEEP)

    def other(self, line):
        self.words.append(line)
        return f"2000000 {self.carried}\n"


#: Sizes of 128, 250 and 320 Mb/s, the last one without a median, as of NPtcp.
SWEEP = {"sweep": {"engine": "ktput"}, "sizes": [
    {"bytes": 64, "latency_p50_ns": 8000, "latency_mean_ns": 9000},
    {"bytes": 250, "latency_p50_ns": 16000, "latency_mean_ns": 16000},
    {"bytes": 400, "latency_p50_ns": None, "latency_mean_ns": 20000}],
    "dropouts": [{"bytes": 400, "by": "mean"}, {"bytes": 250, "by": "mean"}]}


class Guard:
    """What makes changes: it remembers them."""

    def __init__(self):
        self.done, self.fails = [], ()

    def do(self, changes):
        for one in changes:
            self.done.append(one.do)
            if any(word in one.do for word in self.fails):
                raise CommandError("no")

    def undo(self):
        self.done.append("undo")
        return []


@pytest.fixture
def guard(monkeypatch):
    found = Guard()
    monkeypatch.setattr(namespaces, "Host", lambda: found)
    monkeypatch.setattr(namespaces, "restoring", lambda device: [f"restore {device}"])
    return found


#: NICs by their driver.
NICS = {"virtio_net": ("v1", "v2"), "e1000e": ("e1", "e2")}


def planned(scenario, runner, seed=1, nics=NICS):
    return experiment.Experiment(scenario, Output("x"),
                                 namespaces.Namespaces(scenario, runner, nics), seed)


def generic(scenario):
    return links.links_of(scenario, namespaces.GENERIC, {})[""]


def made(scenario, runner, seed=1):
    found = planned(scenario, runner, seed)
    found.make()
    return found


def test_points(scenario):
    points = description.points_of(scenario())
    assert [(one.runs.name, one.values, one.repetition) for one in points[:4]] == [
        ("user", {"mtu": 9000}, 1), ("user", {"mtu": 1500}, 1),
        ("back", {"mtu": 1500, "n": 1, "n2": 1}, 1),
        ("back", {"mtu": 1500, "n": 1, "n2": 2}, 1)]
    assert len(points) == 8
    short = description.points_of(scenario(description.SHORT))
    assert [(one.runs.name, one.values) for one in short] == [("user", {"mtu": 9000})]


def test_words(scenario):
    whole = scenario()
    points = description.points_of(whole)
    link = links.links_of(whole, {"near": "n", "far": "f"}, {})[""]
    assert namespaces.words_of(whole, points[1], link) == [
        "start", "netns", "n", "to", "10.1.0.2", "sink-netns", "f", "layer", "user",
        "time", "5s"]
    assert namespaces.words_of(whole, points[2], link) == (
        ["start", "netns", "f", "to", "10.1.0.1", "sink-netns", "n", "time", "5s"])
    assert [one.do for one in namespaces.path_of(whole, points[1], link)] == [
        "ip -n n link set near up mtu 1500", "tc -n n qdisc replace dev near root "
        "netem rate 1gbit", "ip -n f link set far up mtu 1500",
        "tc -n f qdisc replace dev far root netem rate 1gbit"]


@pytest.mark.parametrize(("one", "other", "why"), [
    ('title = "T"', "", "the file lacks 'title'"),
    ('title = "T"', 'tilte = "T"', "the file: unknown key 'tilte'"),
    ('title = "T"', "title = 1", "the file: 'title' is no str"),
    ("mtu {mtu}", "mtu {mut}", "'mtu {mut}': 'mut' is neither a variable nor"),
    ("mtu {mtu}", "mtu {mtu.real}", "'mtu.real' is neither a variable nor"),
    ("mtu {mtu}", "mtu {user(mtu=9000).rate}", "is neither a variable nor"),
    ("reverse = true", "reverse = 1", "runs.back: 'reverse' is no bool"),
    ("n2 = [1, 2]", "n2 = 1", "runs.back: 'n2' of the sweep is no list of values"),
    ("n = 1}", "n = [1]}", "runs.back points: 'n' is neither a number nor a string"),
    ("[form.full]", "[form.fill]", "there is no form 'full'"),
    ("runs.back", "runs.x-y", "runs.x-y is no name"),
    ("rate = 900.5", "rate = 900.5, tare = 1", "row 1: there is no figure 'tare'"),
    ('["rate", "sigma"]', '["rat"]', "table 'Table 1': there is no figure 'rat'"),
    ("title = ", "title ", "Expected '=' after a key"),
])
def test_a_bad_file_is_named(scenario, one, other, why):
    with pytest.raises(DescriptionError) as error:
        scenario(change=(one, other))
    assert "mine.toml: " in str(error.value)
    assert why in str(error.value)


def test_no_such_scenario():
    with pytest.raises(DescriptionError, match="there is no scenario 'x'"):
        load("x")


def test_templates():
    values = {"a": 17, "b": "x"}
    assert description.fill("{a} {a/2}ms {a*2} {b}", values) == "17 8.5ms 34 x"


def test_a_group_has_a_link_of_its_own(scenario):
    whole = scenario(change=('reverse = true', 'reverse = true\nqdisc = "pfifo"'))
    point = description.points_of(whole)[2]
    assert [one.do for one in namespaces.path_of(whole, point, generic(whole))] == [
        "ip -n near link set near up mtu 1500",
        "tc -n near qdisc replace dev near root pfifo",
        "ip -n far link set far up mtu 1500",
        "tc -n far qdisc replace dev far root pfifo"]


def test_random_order(scenario):
    orders = {tuple(one.key for one in planned(scenario(), Runner(), seed).order)
              for seed in range(9)}
    assert len(orders) > 5
    assert len({frozenset(one) for one in orders}) == 1


def test_results(scenario, guard):
    runner = Runner()
    document = results.Results(made(scenario(), runner)).document()
    of = document["scenario"]
    assert (of["runs"], of["made"], of["left_out"]) == (8, 8, [])
    rows = of["tables"][0]["rows"]
    assert [(one["row"], one["figure"], one["memo"]) for one in rows] == [
        ("MTU 9000", "rate", 900.5), ("MTU 9000", "sigma", 2),
        ("MTU 1500", "rate", 700), ("MTU 1500", "sigma", None),
        ("another host", "rate", 1)]
    assert rows[0]["here"] == pytest.approx(401)
    assert rows[0]["ceiling"] == pytest.approx(949)
    assert rows[1]["here"] == pytest.approx(3)
    assert "here" not in rows[4]
    assert [one["holds"] for one in of["same"]] == [True, False]
    shown = "\n".join(text.lines_of(document))
    words = [line.split() for line in shown.splitlines()]
    assert ["MTU", "9000", "rate", "Mb/s", "900.5", "949.000", "401.000"] in words
    assert ["another", "host", "rate", "Mb/s", "1", "-", "[1]"] in words
    assert "\n[1] there is no other host\n" in shown
    assert "\nyes fast\nNO  slow\n" in shown
    # What is said below the tables depends on what was found.
    assert ("\n\nIt is fast: 401 Mb/s.\n\nIt is not slow, at 401 Mb/s.\n\nOne.\n" in
            shown)
    assert "It is not fast" not in shown
    assert "It is slow" not in shown
    assert "Runs             8 of 8, full form, order by seed 1\n" in shown + "\n"
    assert max(map(len, shown.splitlines())) < 80
    assert guard.done[-1] == "undo"


def test_a_path_is_made_where_it_differs(scenario, guard):
    found = made(scenario(), Runner())
    mtus = [one.values["mtu"] for one in found.order]
    changes = [one.split()[-1] for one in guard.done
               if one.startswith("ip -n ktput-near") and " mtu " in one]
    assert changes == [str(one) for one, _ in itertools.groupby(mtus)]


@pytest.mark.usefixtures("guard")
def test_a_list_of_values_selects_them(scenario):
    found = made(scenario(), Runner())
    select = found.select("user", {"mtu": [9000, 1500, 7]})
    assert [one[0].values["mtu"] for one in select] == [9000, 1500]
    assert len(found.select("user", {"mtu": [1500]})) == 1


@pytest.mark.usefixtures("guard")
def test_failed_runs_are_a_dash(scenario):
    runner = Runner(fails=["user"])
    document = results.Results(made(scenario(), runner)).document()
    assert len(runner.words) == 4 * experiment.ATTEMPTS + 4
    of = document["scenario"]
    row = of["tables"][0]["rows"][0]
    assert ("here" not in row, row["not_measured_because"]) == (True, "it failed")
    assert [(one["holds"], one["because"]) for one in of["same"]] == [
        (None, "it failed")] * 2
    shown = "\n".join(text.lines_of(document))
    assert "\n-   fast (not judged: it failed)\n" in shown
    assert "It is" not in shown
    assert "Left out         4: it failed: user, mtu 9000; " in shown


def test_what_some_groups_need(scenario, guard):
    whole = scenario(change=("[form.full]", '[[setup]]\ndo = "serve {far}"\n'
                             'groups = ["back"]\n[form.full]'))
    guard.fails = ["serve"]
    found = made(whole, Runner())
    assert {found.reasons[one.key] for one in found.points
            if one.runs.name == "back"} == {"no"}
    assert len(found.made) == 4
    # It is not done if all of them are left out.
    guard.done.clear()
    whole = scenario(change=("[form.full]", '[[setup]]\ndo = "serve {far}"\n'
                             'groups = ["back"]\n[form.full]'),
                     other=('title = "back"', 'title = "back"\nprograms = ["x-y"]'))
    made(whole, Runner())
    assert not [one for one in guard.done if "serve" in one]


def test_missing_programs_and_modules(scenario, guard):
    runner = Runner()
    whole = scenario(change=('title = "back"', 'title = "back"\nprograms = ["x-y"]'))
    found = made(whole, runner)
    assert {found.reasons[one.key] for one in found.points
            if one.runs.name == "back"} == {"x-y is not installed"}
    assert len(runner.words) == 4
    guard.fails = ["modprobe"]
    whole = scenario(change=('title = "back"', 'title = "back"\nmodules = ["no_such"]'))
    found = made(whole, Runner())
    assert set(found.reasons.values()) == {"this kernel has no module no_such"}


COMMAND = ('words = "start layer user time {time}"',
           'before = "mount {mtu}"\ncommand = "dd {mtu}; x"\nbytes = "{mtu / 2}"')


@pytest.mark.usefixtures("guard")
def test_a_command_is_timed(scenario, tmp_path):
    whole = scenario(change=COMMAND)
    lines = [json.loads(line) for line in _lines(whole, Runner())]
    found = {one["scenario_run"]["values"]["mtu"]: one for one in lines
             if "command_run" in one}
    assert found[9000]["command_run"] == {
        "valid": True, "payload_bytes": 4500, "device_bytes": 600,
        "duration_ns": 2e9, "goodput_bps": 18000,
        "binding": "not from the network",
        "binding_because": "the device carried less than the payload"}
    assert found[9000]["scenario_run"]["words"] == [
        "ip", "netns", "exec", "near", "sh", "-c", "mount 9000; dd 9000; x"]
    # It is no run of ktput, for those who read the file.
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(found[9000]) + "\n" + json.dumps(a_run(1)) + "\n")
    assert len(read(str(path)).runs) == 1
    again = planned(whole, Runner())
    again.resume(str(path))
    assert again.resumed == 1
    again.make()
    table = results.Results(again).document()["scenario"]["tables"][0]
    assert table["rows"][0]["here"] == pytest.approx(0.018)
    assert table["rows"][0]["verdict"] == "not from the network"
    runner = Runner()
    runner.carried = 4501
    of = results.Results(made(whole, runner)).document()["scenario"]
    assert of["tables"][0]["rows"][0]["verdict"] == ""
    assert ("ip netns exec near sh -c 'mount 9000; dd 9000; x'"
            in namespaces.hand(whole, {}))


@pytest.mark.parametrize("lacks", ["command", "bytes", "words"])
def test_either_words_or_a_command(scenario, lacks):
    content = "\n".join(line for line in COMMAND[1].splitlines()
                        if not line.startswith(lacks))
    if lacks == "words":
        content = "\n".join(COMMAND)
    with pytest.raises(DescriptionError, match="either 'words', or 'command'"):
        scenario(change=(COMMAND[0], content))


@pytest.mark.parametrize(("carried", "does", "status"), [
    (0, "echo x >&2", 0), (0, "exit 3", 3),
    (5000, "dd if=/dev/zero bs=5000 count=1 >/dev/udp/127.0.0.1/9", 0)])
def test_what_times_a_command(carried, does, status):
    script = namespaces.TIMED.replace("/near/", "/lo/")
    done = subprocess.run(["bash", "-c", script, "timed", "a=1", f"[ $a ]; {does}"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    if not status:
        passed, found = map(int, done.stdout.split())
        assert 0 < passed < 60e6
        assert found >= carried


@pytest.fixture
def near_host():
    """Two hosts with an MTU of 1500: what is run on one of them."""
    class Near(Runner):
        program = ()

        def document(self, words, keep):
            assert not keep
            self.words.append((self.program[-1], words))
            return a_run(400e6, route__mtu_bytes=1500)

    return Near()


def test_two_hosts(scenario, near_host):
    whole = scenario(change=('words = "start layer user time {time}"',
                             'words = "start link-rate 1gbit time {time}"'),
                     other=("netem rate {rate}", "netem rate 1gbit"))
    place = hosts.Hosts(whole, near_host, ["a", "root@b"])
    found = experiment.Experiment(whole, Output("x"), place, 1)
    found.make()
    assert near_host.words[0] == ("a", ["start", "remote", "root@b", *hosts.PROBE])
    assert {host for host, _ in near_host.words} == {"a"}
    assert {tuple(line) for _, line in near_host.words[1:]} == {
        ("start", "remote", "root@b", "time", "5s"),
        ("start", "remote", "root@b", "reverse", "time", "5s")}
    assert set(found.reasons.values()) == {
        "it needs an MTU of 9000, and the hosts' is 1500"}
    document = results.Results(found).document()
    assert document["scenario"]["hosts"] == {"near": "a", "far": "root@b"}
    shown = "\n".join(text.lines_of(document))
    assert "\nHosts            a and root@b, over the network that they have" in shown
    # A run of hosts is another run.
    of = planned(whole, Runner())
    assert of.identity(of.points[0]) != found.identity(of.points[0])


def test_hosts_shape_nothing(scenario, near_host):
    whole = scenario(change=COMMAND)
    place = hosts.Hosts(whole, near_host, ["a", "b"])
    found = experiment.Experiment(whole, Output("x"), place, 1)
    found.make()
    assert not near_host.words
    assert not found.made
    assert set(found.reasons.values()) == {
        "it is a command between namespaces",
        "it needs shaping, and two hosts have the network that they have"}
    assert list(place.hand())[-1].startswith(
        "# back, mtu 1500, n 1, n2 2: left out, since it needs shaping, ")


def _lines(scenario, runner):
    """Return what the runs add to a file of records."""
    found = []
    runner.record = type("", (), {"add": lambda _, line: found.append(line)})()
    made(scenario, runner)
    return found


@pytest.mark.usefixtures("guard")
def test_short_form_leaves_out_what_it_does_not_measure(scenario):
    of = results.Results(made(scenario(description.SHORT), Runner())).document()
    assert [one["says"] for one in of["scenario"]["same"]] == ["fast"]
    rows = of["scenario"]["tables"][0]["rows"]
    assert {one["row"] for one in rows} == {"MTU 9000", "another host"}


@pytest.mark.usefixtures("guard")
def test_resume(scenario, tmp_path):
    lines = _lines(scenario(), Runner())
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\n".join(lines[:5]) + b"\n")

    def again(whole):
        found = planned(whole, Runner(), 2)
        found.resume(str(path))
        return found

    found = again(scenario())
    assert (found.resumed, len(found.left)) == (5, 3)
    found.make()
    assert len(found.place.runner.words) == 3
    # Another form, or other words, are other runs.
    assert again(scenario(description.SHORT)).resumed == 0
    assert again(scenario(change=("netem rate", "netem loss 1% rate"))).resumed == 0
    # Another figure of the memo is not.
    assert again(scenario(change=("900.5", "901"))).resumed == 5
    # A line that was cut costs its run alone.
    path.write_bytes(b"\n".join(lines[:4])[:-9])
    assert again(scenario()).resumed == 3
    assert planned(scenario(), Runner()).resume(str(tmp_path / "absent")) is None
    # A sweep of sizes is no run, and is resumed as well.
    swept = scenario(change=('"start time {time}"', '"pingpong sizes 1"'))
    one = planned(swept, Runner()).identity(description.points_of(swept)[2])
    path.write_text(json.dumps({"scenario_run": one, **SWEEP}))
    assert again(swept).resumed == 1


def test_figures():
    record = Record(a_run(
        result__statistics={"goodput_bps": {"mean": 1e8, "stability": 0.5}},
        result__binding="cpu", result__binding_because="x",
        result__tcp=[{"send_window_bytes": 2048}],
        result__cpus=[{"cpu": 0, "contexts": {
            "source_cycles": 10, "sink_cycles": 20, "softirq_receive_cycles": 40,
            "softirq_transmit_cycles": 5, "idle_cycles": 25}}]), "", 1, math.nan)
    found = {name: one.of(record) for name, one in figures.FIGURES.items()}
    assert found["mean"] == pytest.approx(100)
    assert found["stability"] == pytest.approx(50)
    assert (found["tx"], found["rx"], found["window"]) == (15, 60, 2)
    assert figures.verdict([record]) == "cpu: softirq receive 40%"
    swept = Record(SWEEP, "", 1, math.nan)
    found = {name: one.of(swept) for name, one in figures.FIGURES.items()}
    assert (found["latency"], found["throughput"]) == (4, pytest.approx(320))
    assert (found["half_power"], found["dropouts"]) == (250, 0)
    assert found["mean_dropouts"] == 2
    bus = Record({"rates": [{"data_bps": 1.056e9}, {"data_bps": 1}]}, "", 1, math.nan)
    assert figures.FIGURES["bus"].of(bus) == pytest.approx(1056)
    trips = Record(a_run(result__latency_ns={"p50": 8000},
                         source__config__request_bytes=100), "", 1, math.nan)
    assert figures.FIGURES["throughput"].of(trips) == pytest.approx(100 * 8 / 4)
    record.root["result"]["cpus"] = [{"cpu": 0, "attribution": {
        "source_cycles": 1, "own_softirq_cycles": 2, "idle_cycles": 7}}]
    assert figures.verdict([record]) == "cpu: softirqs 20%"


def test_each_figure():
    """Of a record whose members all differ, and as it is printed."""
    record = a_run(
        result__goodput_bps=1.23456e8, result__rtt_us=2345, result__rtt_min_us=1234.5,
        result__retransmissions=7, result__own_cycles_per_byte=1.98764,
        result__statistics={"goodput_bps": {
            "mean": 2.34567e8, "sigma": 3.45678e8, "max": 4.56789e8, "min": 5.67891e8,
            "stability": 0.1234567}},
        result__wire={"payload_bytes": 1448, "link_rate_bps": 1e9, "mtu_bytes": 1500,
                      "ceiling_bps": 1448e9 / 1538},
        result__ceilings=[
            {"name": "cpu", "ceiling_bps": 1.1e8}, {"name": "link", "ceiling_bps": 3e8},
            {"name": "ethernet", "ceiling_bps": 2.123456789e8},
            {"name": "bus", "ceiling_bps": 0}],
        result__tcp=[{"send_window_bytes": 2048}, {"send_window_bytes": 3333}],
        result__latency_ns={"p50": 8642}, source__config__request_bytes=100,
        result__cpus=[{"cpu": 0, "contexts": {
            "source_cycles": 10, "sink_cycles": 20, "softirq_receive_cycles": 41,
            "softirq_transmit_cycles": 5, "idle_cycles": 25}}, {"cpu": 1, "contexts": {
                "source_cycles": 3, "idle_cycles": 100}}],
        rates=[{"data_bps": 1.0567e9}, {"data_bps": 1}])
    swept = {"sweep": {}, "sizes": [
        {"bytes": size, "latency_p50_ns": ns} for size, ns in
        ((64, 8000), (100, 10000), (250, 10500), (400, 12000))],
        "dropouts": [{"by": "mean"}, {"by": "median"}, {"by": "mean"}]}
    found = {name: figures.shown(name, one.of(Record(
        swept if name in ("half_power", "dropouts", "mean_dropouts") else record,
        "", 1, math.nan))) + " " + one.unit for name, one in figures.FIGURES.items()}
    assert found == {
        "rate": "123.456 Mb/s", "mean": "234.567 Mb/s", "sigma": "345.678 Mb/s",
        "max": "456.789 Mb/s", "min": "567.891 Mb/s", "stability": "12.35 %",
        "ceiling": "212.345679 Mb/s", "cpu_ceiling": "110.000 Mb/s",
        "framing": "38 bytes", "tx": "8.8 %", "rx": "29.9 %", "cycles": "1.9876 /byte",
        "window": "5.3 KiB", "latency": "4.321 us", "throughput": "185.142 Mb/s",
        "half_power": "250 bytes", "dropouts": "1 by median",
        "mean_dropouts": "2 by mean", "bus": "1056.700 Mb/s", "rtt": "2.345 ms",
        "rtt_min": "1.234 ms",
        "retransmissions": "7 segments"}


@pytest.mark.usefixtures("guard")
def test_the_figure(scenario):
    from ktput.pictures.scenario import draw

    picture = draw(made(scenario(), Runner()))
    assert "F: user: 1.5k 401, 9k 401" in picture.alt
    assert picture.svg().startswith("<?xml")


@pytest.mark.usefixtures("guard")
def test_a_figure_over_the_sizes_of_sweeps(scenario):
    from ktput.pictures.scenario import draw

    whole = scenario(one=("start layer user time", "pingpong sizes 1..9 time"),
                     two=('x = "mtu"\ny = "rate"', 'x = "bytes"\ny = "throughput"\n'
                          "held = {mtu = 9000}"))
    assert draw(made(whole, Runner())).alt == (
        "F: user: 64 128, 250 250, 400 320")


@pytest.mark.usefixtures("guard")
def test_a_row_less_another(scenario):
    whole = scenario(one=('of = "user(mtu=9000)"', 'of = "user(mtu=9000)"\n'
                          'less = "back(n2=1)"'),
                     two=("start time", "pingpong sizes 1..9 time"),
                     three=("start layer user time", "pingpong sizes 1..4 time"),
                     four=('["rate", "sigma"]', '["latency", "throughput"]'))
    runner = Runner()
    runner.text = lambda words: json.dumps(SWEEP if "1..9" in words else {
        **SWEEP, "sizes": SWEEP["sizes"][1:]})
    of = results.Results(made(whole, runner)).document()["scenario"]
    assert of["tables"][0]["rows"][0]["here"] == pytest.approx(8 - 4)


@pytest.mark.usefixtures("guard")
def test_nothing_is_concluded_that_was_not_found():
    """The kernel's runs do not reach the wire: nothing says that they do."""
    whole = load("haystack-2001-evlbi-gige")
    for goodput, reach in ((400e6, False), (949.284785e6 - 1e6, True)):
        document = results.Results(made(whole, Runner(goodput))).document()
        shown = " ".join(" ".join(text.lines_of(document)).split())
        assert ("The kernel's runs reach the ceiling" in shown) is reach
        assert ("do not reach the ceiling at MTU 1500 either: 401 Mb/s of 949"
                in shown) is not reach


@pytest.mark.usefixtures("guard")
def test_what_is_computed_takes_no_network(scenario):
    whole = scenario(change=("start layer user time {time}", "wire pci"))
    point = description.points_of(whole)[0]
    assert namespaces.words_of(whole, point, generic(whole)) == ["wire", "pci"]
    assert namespaces.path_of(whole, point, generic(whole)) == []
    assert hosts.Hosts(whole, Runner(), ["a", "b"]).words_of(point) == ["wire", "pci"]
    runner = Runner()
    runner.text = lambda _: '{"rates": [{"data_bps": 1e9}]}'
    runner.record = type("", (), {"add": lambda *_: pytest.fail("it is no record")})()
    whole = scenario(description.SHORT, change=("start layer user time {time}",
                                                "wire pci"))
    found = made(whole, runner)
    assert figures.FIGURES["bus"].of(found.made[found.points[0].key]) == 1000


@pytest.mark.usefixtures("guard")
@pytest.mark.parametrize("name", description.names())
def test_those_of_the_package(name, monkeypatch):
    """Each row and rule of a shipped scenario names runs and figures that there are."""
    monkeypatch.setattr(shutil, "which", lambda program: program)
    for form in (description.FULL, description.SHORT):
        whole = load(name, form)
        found = results.Results(made(whole, Runner()))
        of = found.document()["scenario"]
        assert not any("has no meaning" in one.get("because", "") or
                       one.get("because", "").startswith("'") for one in of["same"])
        assert of["made"] == of["runs"] > 0
        if form == description.FULL:
            assert len(of["same"]) == len(whole.same)
            # A conclusion is filled in with figures that there are.
            assert not any(one["holds"] is None and "concludes" in one
                           for one in of["same"])
            for rule in whole.same:
                for template in (rule.then, rule.otherwise):
                    for expression in description.VARIABLE.findall(template):
                        with contextlib.suppress(rules.Missing):
                            found.evaluator.of(expression)
            rows = {one["row"] for table in of["tables"] for one in table["rows"]}
            assert rows == {row.title for table in whole.tables for row in table.rows}
        assert max(map(len, text.lines_of({"scenario": of}))) <= 80
        assert all(line.startswith(("#", "if ", "ip ", "tc ", "sysctl ", "ktput-ctl ",
                                    "sh -c ", "modprobe "))
                   for line in namespaces.hand(whole, {}))


#: A group of runs over NICs, with something of the driver set for each.
OVER_NICS = ("reverse = true", """nic = "{driver}"
path = "ip netns exec {near} ethtool -C {near_device} rx-usecs {n2}" """)


def test_nics_in_the_place_of_the_pair(scenario, guard):
    whole = scenario(change=OVER_NICS, other=("n = 1}", 'driver = "e1000e"}'))
    place = namespaces.Namespaces(whole, Runner(), NICS)
    found = experiment.Experiment(whole, Output("x"), place, 1)
    found.make()
    near, far = place.names.values()
    assert not found.reasons
    for device, name, address in (("e1", near, "10.1.1.1"), ("e2", far, "10.1.1.2")):
        assert f"ip link set {device} netns {name}" in guard.done
        assert f"ip -n {name} addr add {address}/24 dev {device}" in guard.done
        assert any(f"ip -n {name} link show dev {device} | grep -q LOWER_UP" in line
                   for line in guard.done)
    assert f"ip netns exec {near} ethtool -C e1 rx-usecs 2" in guard.done
    # Those of a driver that no run wants stay where they are.
    assert not any("v1" in line for line in guard.done)
    back = [words for words in place.runner.words if "10.1.1.2" in words]
    assert len(back) == 2 * whole.repeat
    assert "ip link set e1000e-near netns near" in list(namespaces.hand(whole, {}))
    assert "ip link set e1 netns near" in list(namespaces.hand(whole, NICS))
    assert [undo for _, undo in links.moves(place.links["e1000e"],
                                            {"e1": ["a", "b"]})] == [
        f"ip -n {near} link set e1 netns $$; a; b",
        f"ip -n {far} link set e2 netns $$"]
    # What is the same experiment does not depend on the names of devices.
    other = planned(whole, Runner(), nics={"e1000e": ("x", "y")})
    assert [other.identity(one) for one in other.points] == [
        found.identity(one) for one in found.points]


@pytest.mark.usefixtures("guard")
def test_without_nics(scenario, near_host):
    whole = scenario(change=OVER_NICS, other=("n = 1}", 'driver = "e1000e"}'))
    found = planned(whole, Runner(), nics={})
    found.make()
    assert {key[0] for key in found.made} == {"user"}
    assert set(found.reasons.values()) == {
        "no two NICs of e1000e that are wired to each other are named: "
        "'nics DEVICE,DEVICE'"}
    assert hosts.Hosts(whole, near_host, ["a", "b"]).why_not(whole.runs[1]) == (
        "it needs two NICs of one host")
