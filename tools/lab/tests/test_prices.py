# SPDX-License-Identifier: GPL-2.0
"""The price list: its rows, what a boot measures, and what a row costs."""

import csv
import json
import sys

import pytest

from ktput.command import UsageError
from ktput.compare import functions, main, price_text, pricing, rows
from ktput.compare.prices import costs_of

#: A unit takes 10 instructions, and as many more as commands say; a run takes 9,000.
VM = '''#!/usr/bin/python3
import json, pathlib, re, sys
words = sys.argv[1:]
append = words[words.index("--append") + 1]
results = pathlib.Path(words[words.index("--results") + 1])
open("calls", "a").write(" ".join(words) + "\\n")
if "dies" in append:
    print("vm 6: did not boot within 240 s")
    sys.exit(5)
for step in (results / "steps").read_text().split():
    (results / step / "runs").touch()
    prepare = (results / step / "prepare").read_text()
    if "panics" in prepare:
        print("vm 6: the kernel did not stay in good health")
        sys.exit(3)
    if "fails" in prepare:
        (results / step / "reason").write_text("no such device\\n")
        continue
    cost = 10 + sum(map(int, re.findall("cost=([0-9]+)", prepare + append)))
    lines = (results / step / "step").read_text()
    repeat = int(re.search("repeat=([0-9]+)", lines)[1])
    with open(results / step / "runs", "w") as file:
        for kind, number, mib in re.findall("(messages|bytes) ([0-9]+)(M?)", lines):
            units = int(number) * (1024 if mib else 1)
            for first in (9, *[0] * (repeat - 1)):
                cycles = 9000 + first + units * cost
                print(json.dumps({"result": {"valid": True, "cpu_bytes": 1,
                                             "busy_cycles_per_byte": cycles}}),
                      file=file)
        print(json.dumps({"repeat": {"runs": repeat}}), file=file)
'''
SCRIPTS = {
    "selftests/lib/env.sh": '''
die() { echo "env: $*" >&2; exit 1; }
kernel_release() { [ "$1" != 9.9 ] && echo "$1.0-amd64"; }
kernel_image() { echo image; }
kernel_build() { echo .; }
''',
    "selftests/ci/module.sh": "#!/bin/bash\necho module >ktput.ko; echo ktput.ko\n",
    "selftests/vm/run": VM,
    "selftests/compare/prices.sh": "", "selftests/lib/exact.sh": "",
    "selftests/compare/prices.bpf.c": "int x;",
    "build/tools/ktput-ctl": "", "build/compare/prices.bpf.o": "",
    "image": "", ".config": "CONFIG_A=y\n",
}
LIST = '''
[paths.sockets]
title = "sockets"
udp = "u"
tcp = "t"

[[row]]
name = "dear"
group = "g"
at = ["send", "receive"]
commands = "cost=5"
options = ["A"]

[[row]]
name = "dearer"
group = "g"
at = ["send"]
commands = "cost=7"
against = "dear"

[[row]]
name = "fails"
group = "g"
commands = "fails"

[[row]]
name = "panics"
group = "g"
commands = "panics"

[[row]]
name = "lacks"
group = "h"
options = ["B"]

[[row]]
name = "cannot"
group = "h"
cannot = "there is none"

[[row]]
name = "boot"
group = "h"
append = "cost=2"
'''


@pytest.fixture(name="tree")
def _tree(tmp_path, monkeypatch):
    for name, content in SCRIPTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(0o755)
    (tmp_path / "clang").write_text("#!/bin/sh\n")
    (tmp_path / "clang").chmod(0o755)
    (tmp_path / "list.toml").write_text(LIST)
    monkeypatch.setattr(rows, "LIST", tmp_path / "list.toml")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "ktput-compare")])
    monkeypatch.setenv("KTPUT_CTL", str(tmp_path / "build/tools/ktput-ctl"))
    return tmp_path


def prices(capsys, *words):
    status = main.run(["price-list", *words], "1.2")
    out, err = capsys.readouterr()
    return status, out, err


def found_of(out):
    return {(row["name"], row["at"]): row
            for row in json.loads(out)["price_list"]["rows"]}


def test_prices(tree, capsys):
    status, out, _ = prices(capsys, "-p", "6.1")
    assert status == 0
    found = found_of(out)
    for place in ("send", "receive"):
        (price,) = found["dear", place]["prices"]
        assert price["udp_64"] == {
            "instructions_per_packet": 15, "spread": 0, "difference": 5, "moved": 0,
            "ci_low": 5, "ci_high": 5, "distinguishable": True}
        assert price["tcp"]["instructions_per_kib"] == 15
    assert found["boot", "both"]["prices"][0]["udp_1448"]["difference"] == 2
    for name, why in (("fails", "no such device"), ("lacks", "6.1.0-amd64 lacks"),
                      ("panics", "its health: 6: the kernel did not")):
        assert why in found[name, "both"]["prices"][0]["not_run_because"]
    assert found["cannot", "both"]["not_run_because"] == "there is none"
    # A boot for what needs no other, one for what is behind a row at which it ends, and
    # one for words of its own.
    assert len((tree / "calls").read_text().splitlines()) == 3


@pytest.mark.usefixtures("tree")
def test_a_row_with_a_boot_of_its_own_alone(capsys):
    _, out, _ = prices(capsys, "-j", "6.1", "only", "boot")
    (price,) = found_of(out)["boot", "both"]["prices"]
    assert price["tcp"]["difference"] == 2


@pytest.mark.usefixtures("tree")
def test_against_another_row(capsys):
    _, out, _ = prices(capsys, "-j", "6.1", "only", "dearer")
    found = found_of(out)
    assert found["dearer", "send"]["prices"][0]["udp_64"]["difference"] == 2
    assert ("fails", "both") not in found


def test_text_and_values(tree, capsys):
    status, out, _ = prices(capsys, "6.1", "6.12", "jobs", "2", "csv",
                            "x.csv", "html", "x.html")
    assert status == 0
    (line,) = (line.split() for line in out.splitlines() if line.startswith("dear  "
               ) and "send" in line)
    assert line[2:] == ["+5±0"] * 6
    assert "; 0 of 24 prices are not distinguishable from none" in " ".join(out.split())
    assert "cannot (both): there is none" in out
    with open(tree / "x.csv", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert [one["more"] for one in read if one["name"] == "dear" and
            one["kernel"] == "6.12" and one["figure"] == "tcp"] == ["5.000"] * 2
    page = (tree / "x.html").read_text()
    assert page.count("<svg ") == 2
    assert "<small>cost=5</small>" in page
    assert ">+5±0<" in page


def test_what_kernels_differ_by():
    path = rows.Path("p", "path", "", "")
    row = rows.Row("r", "g", path="p")

    def steps(more):
        return [(rows.Step(of, "both", path), {"costs": {
            figure.key: {"cost": cost, "long": cost, "spread": 0,
                         "counted": cost, "counted_long": cost,
                         "functions": {"f": cost, "g": 1}}
            for figure in rows.FIGURES}})
            for of, cost in ((rows.Row("p", "", path="p"), 100), (row, 110 + more))]

    document = pricing.document_of(
        [{"name": "a"}, {"name": "b"}], [row], {"p": path},
        {"a": steps(0), "b": steps(20)})
    (price,) = document["price_list"]["rows"]
    found = price["prices"][1]["tcp"]
    assert (found["difference"], found["moved"]) == (30, 20)
    assert found["moved_functions"][0] == {"function": "f", "difference": 20}
    assert found["functions"][0] == {"function": "f", "difference": 30}
    said = "\n".join(price_text.lines_of(document))
    assert "r, both, b, TCP, a KiB: +30 in place of +10, 15.4%: f +20" in said
    assert "in place of 100" not in said


def priced(costs, *more):
    """Return the prices of rows beside a path that takes *costs*, one after another."""
    path = rows.Path("p", "path", "", "")
    found = [rows.Row(f"r{i}", "g", path="p") for i in range(len(more))]

    def step(of, cost):
        return (rows.Step(of, "both", path), {"costs": {
            figure.key: {"cost": cost, "long": cost, "spread": 0}
            for figure in rows.FIGURES}})

    base = rows.Row("p", "", path="p")
    # The last time before a row counts: there the path takes 1000.
    steps = [step(base, cost) for cost in costs] + [step(base, 1000)]
    steps += [step(row, 1000 + cost) for row, cost in zip(found, more, strict=True)]
    return pricing.document_of([{"name": "a"}], found, {"p": path}, {"a": steps})


def test_a_price_has_an_interval():
    # Of a path of 990, 1010 and 1000 sigma is 1 %; t of 2 degrees 4.303.
    document = priced((990, 1010), 50, 100, -100, 3000)
    found = [row["prices"][0]["tcp"] for row in document["price_list"]["rows"]]
    assert [one["distinguishable"] for one in found] == [False, True, True, True]
    for one, more in zip(found, (50, 100, -100, 3000), strict=True):
        half = 4.302653 * 0.01 * (1000 ** 2 + (1000 + more) ** 2) ** 0.5
        assert one["ci_high"] - more == pytest.approx(half)
        assert more - one["ci_low"] == pytest.approx(half)
    lines = [line.split() for line in price_text.lines_of(document)]
    assert ["r0", "both", *["none"] * 3] in lines
    assert ["r1", "both", *["+100±64"] * 3] in lines
    assert ["r2", "both", *["-100±58"] * 3] in lines
    said = " ".join(word for line in lines for word in line)
    assert "; 3 of 12 prices are not distinguishable from none" in said
    values = list(price_text.values_of(document))
    row = dict(zip(values[0], values[1], strict=True))
    assert (row["more"], row["distinguishable"]) == ("50.000", "false")
    assert float(row["more_ci_low"]) < 0 < float(row["more_ci_high"])
    assert all(len(one) == len(values[0]) for one in values)


def test_a_path_that_is_measured_once_gives_no_interval():
    document = priced((), 3)
    (row,) = document["price_list"]["rows"]
    assert row["prices"][0]["tcp"]["distinguishable"] is None
    lines = [line.split() for line in price_text.lines_of(document)]
    assert ["r0", "both", *["+3"] * 3] in lines
    assert "3 have no interval" in " ".join(word for line in lines for word in line)


def test_resume(tree, capsys):
    words = ["-j", "6.1", "only", "dear", "record", "r"]
    first = found_of(prices(capsys, *words)[1])
    assert found_of(prices(capsys, *words)[1]) == first
    assert len((tree / "calls").read_text().splitlines()) == 1


@pytest.mark.usefixtures("tree")
def test_a_kernel_that_is_not_there_is_named(capsys):
    status, out, err = prices(capsys, "9.9")
    assert status == 1
    assert "there is no kernel 9.9" in err
    assert "9.9: ended" in out


@pytest.mark.parametrize(("words", "why"), [
    (["x.toml"], "not to setups"), (["only", "nothing"], "no row"),
    (["limit", "x"], "'x'"), (["jobs", "0"], "not above 0"),
    (["./a", "./b", "jobs", "2"], "one build tree"), (["replace"], "needs 'record'")])
def test_refused(tree, capsys, words, why):
    (tree / "a").mkdir()
    (tree / "b").mkdir()
    status, _, err = prices(capsys, *words)
    assert status == 2
    assert why in err


def test_the_list():
    paths, found = rows.read()
    assert sum(len(row.at) for row in found) >= 40
    assert len({row.name for row in found}) == len(found)
    for row in found:
        assert row.path in paths
        assert not row.against or row.against in paths or any(
            one.name == row.against for one in found)
    with pytest.raises(UsageError, match="no row"):
        rows.chosen(found, ["x"])


def test_paths_alone_are_measured_again_between():
    paths = {"p": rows.Path("p", "", "", "")}
    many = [rows.Row(f"r{i}", "g", path="p") for i in range(rows.BASES_EVERY + 1)]
    steps = rows.steps_of(many, paths, "")
    assert [i for i, step in enumerate(steps) if step.is_base] == [
        0, rows.BASES_EVERY + 1, rows.BASES_EVERY + 3]


def test_a_run_that_is_not_valid():
    line = json.dumps({"result": {"valid": False, "cpu_bytes": 1,
                                  "invalid_because": "lost"}})
    with pytest.raises(Exception, match="lost"):
        costs_of([line], rows.Step(rows.Row("", ""), "both", rows.Path("", "", "", "")))


def test_functions(tmp_path):
    (tmp_path / "kallsyms").write_text(
        "ffffffff81000000 T first\nffffffff81000100 t second\n"
        "ffffffff81000180 d data\nffffffffc0000000 t third\t[ktput]\n")
    # A mark before the first run; of each figure short runs, and long ones. The first
    # of each counts the most, and what user space executes is in none.
    for number in range(1 + 3 * 2 * rows.RUNS):
        line, run = divmod(number - 1, rows.RUNS)
        count = 10 ** 6 * (line % 2) + (run - 1 if run else 9)
        (tmp_path / f"functions.{number}").write_text(
            f"ffffffff81000010 5\nffffffff81000190 {count}\n1 {number}\n")
    symbols = functions.Symbols(tmp_path / "kallsyms")
    reports = str(tmp_path / "functions")
    step = rows.Step(rows.Row("", ""), "both", rows.Path("", "", "u", "t"))
    found = functions.of_step(reports, 0, symbols, step)
    short, long = rows.FIGURES[0].units
    assert found["udp_64"]["functions"] == {"second": 10 ** 6 / long}
    assert found["udp_64"]["counted_long"] == (10 ** 6 + 5) / long
    assert found["udp_64"]["counted"] == 10 ** 6 / (long - short)
    step = rows.Step(step.row, "both", rows.Path("", "", "layer user", "layer user"))
    found = functions.of_step(reports, 0, symbols, step)
    assert found["udp_64"]["counted"] == (10 ** 6 + rows.RUNS) / (long - short)
    assert symbols.of(0xffffffffc0000010) == "third"
    assert pricing.largest({"a": 1.0, "b": 5.0}, {"b": 9.0})[0] == {
        "function": "b", "difference": -4.0}
