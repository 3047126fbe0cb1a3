# SPDX-License-Identifier: GPL-2.0
"""ktput-report: grammar, refusals, exit statuses, JSON, CSV.

selftests/lab/test_report.sh has what its commands print.
"""

import gzip
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ktput.report import main

from .samples import RECORD, change, run, runs

COMMANDS = ("ceilings", "diff", "model", "csv", "iperf3", "plot", "html")


@pytest.fixture(autouse=True)
def keep_signals(monkeypatch):
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, *documents):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n"
                                             for one in documents))
        return name

    write("a", run(400e6))
    write("as", *runs((400e6, 401e6, 399e6)))
    write("bs", *runs((600e6, 598e6, 603e6), 1))
    return write


def report(capsys, *words):
    status = main.run(words, "1.2")
    out, err = capsys.readouterr()
    return status, out, err


def test_one_warning_for_many_runs_that_are_left_out(files, capsys):
    def disturbed(i):
        return run(400e6, result__disturbed=True,
                   result__disturbed_by=f"other work used {i}% of CPU 0")

    name = files("many", run(400e6), *map(disturbed, range(12)),
                 run(400e6, result__valid=False, result__invalid_because="it leaks"))
    assert report(capsys, "plot", "rate", name)[::2] == (0, (
        "ktput-report: warning: 12 of 14 runs are left out, many run 2 first: "
        "disturbed: other work used 0% of CPU 0\n"
        "ktput-report: warning: many run 14 is left out: it leaks\n"))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("words", "says"), [
    ((), "no command is given"), (("what",), "unknown command 'what'"),
    (("show", "a"), "'ktput-ctl show FILE' prints the results of runs"),
    (("help", "what"), "unknown command 'what'"), (("-x",), "unknown option '-x'"),
    (("--what",), "unknown option '--what'"), (("csv",), "'FILE...' is missing"),
    (("plot", "foo"), "'foo' is unknown: give 'rate', 'sweep'"),
    (("plot", "rat", "a"), "; did you mean 'rate'?"),
    (("csv", "runs", "runs", "a"), "'runs' is given twice"),
    (("csv", "-j", "a"), "unknown word '-j'; keywords have no hyphen before them, and "
     "options, as -j, precede the command"),
    (("csv", "a", "runs", "runs"), "'runs' is given twice"),
    (("html", "a", "out"), "'out' lacks its value, FILE"),
    (("html", "a", "out", ""), "out: the word is empty"),
    (("diff", "a"), "two files, A and B, not 1"),
    (("plot", "a"), "'rate', 'sweep', 'heat', 'box', 'shares', 'cpu'"),
    (("plot", "rate", "cpu", "a"), "'cpu' contradicts 'rate'"),
    (("plot", "rate", "a", "out", "x.gif"), "neither in .svg nor in .png"),
    (("plot", "rate", "a", "out", ".svg"), "neither in .svg nor in .png"),
    (("plot", "heat", "x", "a"), "is no X,Y"),
    (("plot", "diff", "a"), "two files"),
    (("plot", "rate", "by", "streams", "a"), "'by' is for sweep, box and shares"),
    (("plot", "rate", "intervals", "a"), "'intervals' is for box and shares"),
    (("plot", "box", "figure", "latency", "a"), "'latency' is unknown: give goodput_b"),
    (("plot", "box", "figure", "goodput", "a"), "did you mean 'goodput_bps'?"),
    (("plot", "rate", "held", "streams", "a"), "is no NAME=VALUE"),
    (("plot", "diff", "held", "x=1", "a", "a"), "'held' is for pictures of runs"),
    (("plot", "sweep", "a"), "'FILE...' is missing; 'a' is the VARIABLE of 'sweep'"),
    (("plot", "rate", "--out", "x.svg", "a"), "'--out'; did you mean 'out'?"),
    (("csv", "-o", "a"), "unknown word '-o'; keywords have no hyphen before them"),
    (("diff", "a", "-x"), "unknown word '-x'"),
    (("-j", "csv", "a"), "csv is no JSON"),
    (("-j", "html", "a"), "a page is no JSON"),
    (("-p", "plot", "rate", "a"), "a picture is no JSON"),
])
def test_usage_errors(capsys, words, says):
    status, out, err = report(capsys, *words)
    assert (status, out) == (2, "")
    if words[:1] in (("-j",), ("-p",)):
        said = json.loads(err)
        assert says in said["error"]
    else:
        assert says in err
        assert "help" in err


def test_help(capsys):
    status, out, _ = report(capsys, "help")
    assert status == 0
    assert all(f"\n  {name} " in out for name in COMMANDS)
    for name in COMMANDS:
        texts = {report(capsys, *words)[1] for words in (
            ("help", name), (name, "help"), (name, "--help"), (name, "x", "-h"),
            ("-h", name))}
        assert len(texts) == 1
        (text,) = texts
        assert text.startswith(f"Usage: ktput-report {name} ")
        assert max(map(len, text.splitlines())) <= 79
    assert report(capsys, "-V") == (0, "ktput-report 1.2\n", "")
    assert report(capsys, "--version")[1] == "ktput-report 1.2\n"


def test_completion(capsys):
    def offered(*words):
        status, out, _ = report(capsys, "complete", *words)
        assert status == 0
        return [line.partition("\t")[0] for line in out.splitlines()]

    assert offered("") == offered() == [*COMMANDS]
    assert offered("c") == ["ceilings", "csv"]
    assert offered("plot", "pe") == ["percentiles", ":files"]
    assert offered("diff", "x", "") == [":files", "all"]
    assert report(capsys, "complete", "nothing", "")[0] == 2


def test_failures(capsys, files):
    files("bad", change(run(), result__valid=False, result__invalid_because="x"))
    files("two", {"ladder": {}}, {"ladder": {}})
    Path("text").write_text("text")
    Path("packed").write_bytes(gzip.compress(b"{}"))
    for words, says in (
            (("csv", "absent"), "absent: No such file or directory"),
            (("diff", "a", "bad"), "no run is left that counts"),
            (("model", "a"), "no record has bytes"),
            (("plot", "ladder", "a"), "no ladder in it: give what ktput-ctl -j ladder"),
            (("plot", "profile", "a"), "no profile in it: give what ktput-ctl -j prof"),
            (("plot", "ladder", "two"), "there are 2 ladders in it: give one"),
            (("csv", "text"), "no JSON: Expecting value; give what ktput-ctl prints"),
            (("csv", "packed"), "no JSON: it is no text; if it is compressed"),
            (("html", "a", "out", "/nowhere/x.html"), "/nowhere/x.html: No such file"),
            (("plot", "rate", "held", "mtu_bytes=9", "a"), "no run has mtu_bytes=9"),
            (("plot", "sweep", "mtu_bytes", "a", "bs"), "is the same in all runs")):
        status, out, err = report(capsys, *words)
        assert (status, out) == (1, "")
        assert says in err
    status, _, err = report(capsys, "-j", "diff", "a", "bad")
    assert status == 1
    assert [list(json.loads(line)) for line in err.splitlines()] == \
        [["warning"], ["error"]]


def test_sentences_of_differences(capsys, files):
    files("twice", *runs((900e6, 901e6, 899e6), 1))
    for a, b, says in (("as", "bs", "50% more"), ("bs", "as", "33.3% less"),
                       ("as", "twice", "2.25 times A")):
        assert f"Goodput: B is {says}; dist" in report(capsys, "diff", a, b)[1]


def test_rates_are_in_the_unit_of_the_larger_side(capsys, files):
    for name, rates in (("much", (999e6, 998e6, 9e6)), ("less", (1e6, 2e6, 7e6))):
        files(name, *(run(one, intervals=[], result__own_cycles_per_byte=2e9 / one,
                          result__packets_per_s=one) for one in rates))
    out = report(capsys, "diff", "much", "less")[1]
    for line in (r"Goodput, Mb/s +669\.6667 +4\.3333 +-665\.3333 +-\d+\.\d{4} +\d",
                 r"M packets/s +668\.6667 +3\.3333 +-665\.3333", "Own cycles/byte +"):
        assert re.search("^" + line, out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80


def test_few_on_one_side_are_too_few(capsys, files):
    files("few", run(600e6), run(601e6))
    for pair in (("as", "few"), ("few", "as")):
        figure = json.loads(report(capsys, "-j", "diff", *pair)[1])["figures"][0]
        assert figure["too_short"]
        assert figure["distinguishable"] is None


def test_what_has_no_ceiling_says_why_and_is_in_no_table(capsys, files):
    bus = {"name": "bus", "ceiling_bps": 8e8, "share": 0.5, "binds": False}
    without = [{"name": "rate", "unknown_because": "no rate is asked for"},
               {"name": "atm"}]
    files("some", run(result__ceilings=[bus, *without]))
    files("none", run(result__ceilings=without))
    for name, tables in (("some", 1), ("none", 0)):
        _, out, _ = report(capsys, "ceilings", name)
        assert out.count("reached") == tables
        assert "\nrate             none: no rate is asked for\n" in out
        assert "\natm              none: the record does not say why\n" in out
        assert ("None of them binds." in out) == tables
        assert not re.search(r"none +-", out)


def test_json_forms(capsys, files):
    _, one, _ = report(capsys, "-j", "diff", "as", "bs")
    _, pretty, _ = report(capsys, "-p", "diff", "as", "bs")
    assert json.loads(one) == json.loads(pretty)
    assert one.count("\n") == 1
    assert pretty.count("\n") > 10
    figure = json.loads(one)["figures"][0]
    assert figure["distinguishable"]
    assert 190e6 < figure["ci_low"] < 200e6 < figure["ci_high"] < 210e6
    # Too few have no interval, which JSON has as null.
    files("b", run(600e6, intervals=[]))
    figure = json.loads(report(capsys, "-j", "diff", "a", "b")[1])["figures"][0]
    assert figure["ci_low"] is None
    assert figure["distinguishable"] is None
    assert "TOO FEW" in report(capsys, "diff", "a", "b")[1]


def test_own_cycles_take_the_place_of_busy_ones(capsys, files):
    def compared(*names):
        document = json.loads(report(capsys, "-j", "diff", *names)[1])
        return {one["figure"]: one["a"] for one in document["figures"]}

    files("own", run(result__own_cycles_per_byte=3.0))
    files("other", run(result__own_cycles_per_byte=4.0))
    have = compared("own", "other")
    assert have["own_cycles_per_byte"] == 3
    assert "busy_cycles_per_byte" not in have
    # One that does not tell its own cycles is compared by busy ones.
    assert "own_cycles_per_byte" not in compared("own", "a")
    assert "busy_cycles_per_byte" in compared("own", "a")


def test_what_cannot_tell_claims_nothing_and_asks_for_runs_in_turn(capsys, files):
    files("one", run(600e6, 2000))
    document = json.loads(report(capsys, "-j", "diff", "a", "one")[1])
    assert document["commands"] == ["ktput-ctl start size 1000 record a",
                                    "ktput-ctl start size 2000 record one"]
    assert all(one["distinguishable"] is None and one["ci_low"] is None
               for one in document["figures"])
    _, out, _ = report(capsys, "diff", "a", "one")
    assert ("for i in 1 2 3 4 5; do\n  ktput-ctl start size 1000 record a\n"
            "  ktput-ctl start size 2000 record one\ndone\n") in out
    assert "distinguishable" not in out
    # What has an interval, but was made at another time, claims nothing either.
    files("later", *runs((600e6, 598e6, 603e6), 100))
    document = json.loads(report(capsys, "-j", "diff", "as", "later")[1])
    assert (document["pairs"], document["in_turn"]) == (1, False)
    assert document["figures"][0]["ci_low"] > 0
    assert document["figures"][0]["distinguishable"] is None
    assert "NOT made in turn" in report(capsys, "diff", "as", "later")[1]
    # Runs whose order is not known, or whose command is not.
    files("unknown", *(change(run(one), command=...) for one in (6e8, 6e8, 6e8)))
    _, out, _ = report(capsys, "diff", "as", "unknown")
    assert "NOT made in turn" in out
    assert "for i in" not in out


def test_a_long_command_is_folded(capsys, files):
    words = ["start", *(f"word-{i}" for i in range(40)), "with blanks"]
    files("long", change(run(), command=words))
    _, out, _ = report(capsys, "diff", "a", "long")
    assert max(map(len, out.splitlines())) <= 80
    lines = out.split("record a\n")[1].split("\ndone")[0]
    assert shlex.split(lines.replace("\\\n", "")) == [
        "ktput-ctl", *words, "record", "long"]


def test_runs_that_were_not_made_alike(capsys, files):
    files("unlike", run(400e6), run(400e6, 2000))
    _, _, err = report(capsys, "diff", "as", "unlike")
    assert "were not made alike: source.config.size_bytes differs" in err


def test_csv_quoting(capsys, files):
    device = 'say "so", and\nso'
    files("q", change(run(), result__invalid_because=device, result__valid=False,
                      result__span_ns=9007199254740e9, result__goodput_bps=0.25))
    _, out, _ = report(capsys, "csv", "runs", "q")
    # The end of a line is a blank since records are cleaned.
    assert ',"say ""so"", and so",0.25,' in out
    assert ",9007199254740," in out
    head, row = out.splitlines()
    assert head.startswith("file,run,transport,")
    assert len(head.split(",")) == len(row.split(",")) - 1


def test_csv_has_what_held_a_stream_back(capsys, files):
    files("w", change(
        run(), source__config__congestion="reno", source__config__sndbuf_bytes=9,
        sink__config__rcvbuf_bytes=8,
        result__statistics={"goodput_bps": {"sigma": 5e6, "stability": 0.0125}},
        result__tcp=[{"send_window_bytes": 1000}, {"send_window_bytes": 500}]), run())
    head, *rows = report(capsys, "csv", "runs", "w")[1].splitlines()
    have, lacks = (dict(zip(head.split(","), row.split(","), strict=True))
                   for row in rows)
    assert [have[key] for key in (
        "congestion", "sndbuf_bytes", "rcvbuf_bytes",
        "goodput_sigma_bps", "goodput_stability", "send_window_bytes")] == \
        ["reno", "9", "8", "5000000", "0.0125", "1500"]
    assert lacks["send_window_bytes"] == lacks["goodput_stability"] == ""


def test_csv_of_intervals(capsys, files):
    files("r", RECORD)
    head, first, _ = report(capsys, "csv", "r")[1].splitlines()
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert float(row["busy_cycles"]) == pytest.approx(200)
    assert (row["bytes"], row["to_s"], row["warm_up"], row["timeouts"]) == \
        ("1000", "1", "false", "")


def test_no_number_that_is_none_is_printed(capsys, files):
    files("empty", {"sink": {}, "result": {"valid": True}})
    for words in (("ceilings", "empty"), ("csv", "empty"), ("csv", "runs", "empty"),
                  ("diff", "empty", "empty"), ("html", "empty")):
        status, out, _ = report(capsys, *words)
        assert status == 0
        assert not re.search(r"\b(nan|-?inf)\b", out)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("to", "says"), [
    (">/dev/full", "No space left"), (">&-", "standard output is closed")])
def test_standard_output_that_takes_nothing(to, says):
    command = (f"{sys.executable} -c 'import sys; from ktput.report.main import run; "
               f'sys.exit(run(["csv", "a"], "1"))\' {to}')
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True,
                            env={"PYTHONPATH": str(Path(__file__).parents[1])},
                            check=False)
    assert result.returncode == 1
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    assert "Exception" not in result.stderr


@pytest.mark.usefixtures("files")
def test_a_package_that_is_missing(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ktput.page", None)
    status, _, err = report(capsys, "html", "a")
    assert status == 1
    assert "python3-jinja2" in err


def test_ceilings_end_with_what_to_try(capsys, files):
    files("tried", run(result__binding="none", result__binding_because="none alone",
                       result__try="a longer run"))
    out = report(capsys, "ceilings", "tried")[1]
    assert out.endswith(f"\n{'Bottleneck':17}none alone\n{'Try':17}a longer run\n")
    document = json.loads(report(capsys, "-j", "ceilings", "tried")[1])
    assert document["runs"][0]["try"] == "a longer run"


def test_round_trips_have_no_goodput(capsys, files):
    files("trips", run(result__goodput_bps=..., result__latency_ns={"mean": 5e3},
                       result__wire=..., result__busy_cycles_per_byte=...))
    out = report(capsys, "ceilings", "trips")[1]
    assert "Goodput          none: of round trips there is none" in out
    out = report(capsys, "diff", "a", "trips")[1]
    assert "They have no figure in common." in out
    assert "95% from" not in out
    assert "in turn" not in out


def test_relative_to_nothing(capsys, files):
    files("idle", *(change(one, result__goodput_bps=0) for one in runs((1, 2, 3), 1)))
    _, out, _ = report(capsys, "diff", "idle", "as")
    assert "Goodput: B is more; distinguishable from zero." in out


def test_a_file_may_begin_with_a_hyphen(capsys, files):
    files("-x", run(400e6))
    assert report(capsys, "csv", "-x")[0] == 0
