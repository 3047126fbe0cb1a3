# SPDX-License-Identifier: GPL-2.0
"""The page, as text and in a browser: three widths, both schemes, 1 to 1,000 runs."""

import copy
import html
import json
import re
import shutil
import subprocess

import pytest

from ktput import page
from ktput.records import Records

from .samples import change, parse, run
from .test_pictures import (
    BUSY,
    HOSTILE,
    LADDER,
    MESH,
    PROFILE,
    chained,
    contexts,
    sweep_of,
    trips,
)

CHROMIUM = shutil.which("chromium")
#: Values of Chromium's setting preferredColorScheme.
DARK, LIGHT = 0, 1
#: Widths of a window: a telephone, half a screen, a screen.
WIDTHS = (400, 800, 1400)
#: Holds a page at each width, and collects what each says: a browser takes seconds to
#: start.
FRAMES = """<!DOCTYPE html><meta charset="utf-8"><title></title>
<meta name="color-scheme" content="light dark">
<script>
addEventListener("load", () => { document.title = JSON.stringify(
  [...document.querySelectorAll("iframe")].map(one => one.contentDocument.title)); });
</script>"""
#: Says what does not fit, and which texts of a picture overlap.
LOOK = """<script>
const bad = [];
const wide = document.scrollingElement;
if (wide.scrollWidth > window.innerWidth + 1)
  bad.push(`page ${wide.scrollWidth} of ${window.innerWidth}`);
for (const svg of document.querySelectorAll("svg")) {
  const boxes = [...svg.querySelectorAll("text")].map(
    text => [text.textContent, text.getBoundingClientRect()]);
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length; j++) {
      const [a, b] = [boxes[i][1], boxes[j][1]];
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
        bad.push(`${boxes[i][0]} / ${boxes[j][0]}`);
    }
}
for (const cell of document.querySelectorAll(".cards td"))
  if (cell.scrollWidth > cell.clientWidth + 1)
    bad.push(`cell ${cell.textContent}`);
const head = document.querySelectorAll("th button")[2];
const body = head && head.closest("table").tBodies[0];
const sorted = [];
for (let i = 0; head && i < 2; i++) {
  head.click();
  sorted.push([...body.rows].map(row => Number(row.cells[2].dataset.sort)));
}
document.title = JSON.stringify({bad: bad.slice(0, 9), sorted,
  width: window.innerWidth,
  paper: getComputedStyle(document.body).backgroundColor,
  texts: document.querySelectorAll("svg text").length});
</script></body>"""


def made(*documents):
    said = []
    found = page.make(parse(*documents) if documents else Records(), said.append)
    return found, said


def mixed():
    """18 runs in as many configurations, a ladder, a profile and sweeps."""
    runs = [run(70e6 * (i + 1), 1000 * (i % 9 + 1), route__mtu_bytes=1500 + i // 9,
                result__cpus=contexts(i / 20)) for i in range(16)]
    runs += [trips(77), change(run(), result__valid=False,
                                 result__invalid_because="counters disagree")]
    return [LADDER, PROFILE, *runs,
            *(sweep_of("ktput", layer, 1).root for layer in ("socket", "user"))]


def thousand():
    return [run(300e6 + i % 50 * 1e6, 1000 * (i % 40 + 1)) for i in range(1000)]


def meshed():
    """A mesh with its runs, a profile without idle samples, and two runs."""
    pair = {"mesh_pair": {"from": "h0", "to": "h1", "words": ["start"]}}
    return [MESH, BUSY, *({**pair, **run(9e8, 1000 * i)} for i in (1, 2, 3)),
            run(3e8, 1000), run(5e8, 2000)]


def figure(key, a, b, half):
    return {"figure": key, "a": a, "b": b, "difference": b - a, "ci_low": b - a - half,
            "ci_high": b - a + half, "relative": (b - a) / a, "confidence": 0.983,
            "runs_a": 10, "runs_b": 10, "too_short": False,
            "distinguishable": abs(b - a) > half}


def side(words, because):
    return {"words": words, "bottlenecks": [
        {"binding": "cpu", "because": because, "runs": 9}]}


#: As ktput-ctl -j ab prints it.
AB = {"ab": {
    "a": side(["start"], "CPU 0 is full"),
    "b": side(["start", "size", "1M"], "CPU 1 is full"),
    "before": "tc qdisc add dev v0 root fq", "after": "tc qdisc del dev v0 root",
    "rounds": 10, "seed": 7, "wanted_ci_share": None, "met": False,
    "interrupted": False, "failed_rounds": 0, "repeated_rounds": 0,
    "disturbed_rounds": 0, "not_undone": [], "confidence": 0.95,
    "figures": [figure("goodput_bps", 8e9, 1e10, 4e8),
                figure("own_cycles_per_byte", 1.5, 1.51, 0.1)],
    "settings": [{"key": "source.config.size_bytes", "a": "131072", "b": "1048576"},
                 {"key": "route.device", "a": "v0", "b": None}]}}
#: As ktput-ctl -j improve prints it.
IMPROVE = {"improve": {
    "command": "start", "given": ["size", "1"], "words": ["size", "4", "<b>"],
    "seed": 7, "ended_because": "nothing helps", "matters_share": 0.02,
    "wanted_ci_share": 0.1,
    "goodput_bps": 4e8, "remedies": [
        {"apply": "size 4", "outcome": "gain", "kept": True, "error": 0.01, "pairs": 4,
         "gain": {"mean": 2.8, "ci_low": 2.5, "ci_high": 3.1},
         "cycles_per_byte_without": 400.0, "cycles_per_byte_with": 101.5},
        {"apply": "streams 2", "outcome": "failed", "kept": False, "error": 0.01,
         "failed_because": "refused", "pairs": 0}],
    "settings": [{"name": "sysctl net.ipv4.tcp_rmem", "end": "sink", "where": "far",
                  "from": "1 2 3", "to": "1 2 12", "apply": "ip netns exec <b> sysctl",
                  "undo": "u"}],
    "not_undone": ["gro is 'on' by somebody else"],
    "not_tried": ["sndbuf 1M"],
    "verdicts": [{"binding": "cpu", "binding_because": "calls fill it"},
                 {"binding": "other_work", "remedy": "size 4"}],
    "total": {"pairs": 2, "gain": {"mean": 2.7, "ci_low": 2.4, "ci_high": 3.0}}}}


def made_of_runs():
    """A comparison and a search with a run of each, and one that stands alone."""
    return [AB, {"ab_run": {"side": "a", "round": 1}, **run(8e9, 1000)}, IMPROVE,
            {"improve_run": {"remedy": "size 4"}, **run(4e8, 1000)}, run(3e8, 1000)]


PAGES = {"one": lambda: [chained()], "mixed": mixed, "thousand": thousand,
         "mesh": meshed, "ab": made_of_runs}


def test_nothing_of_a_record_is_markup():
    name = "<script>alert(1)</script><b>&'\""
    found, _ = made(run(environment__cpu=name, route__device=name,
                        result__ceilings=[{"name": name, "because": HOSTILE,
                                           "ceiling_bps": 5e8, "binds": True}]))
    assert "<script>alert" not in found
    assert "<b>" not in found
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;&amp;&#39;&#34;" in found


def test_refers_to_nothing_outside():
    found, _ = made(*mixed())
    links = re.findall(r"""(?:src|href)\s*=\s*["']?([^"' >]*)|url\(([^)]*)""", found)
    assert {one for pair in links for one in pair if one and one[0] != "#"} == set()
    assert "@import" not in found
    assert "default-src 'none'" in found


def test_no_raw_keys():
    found, _ = made(*(run(
        4e8, size, source__config={
            "transport": "tcp", "layer": "user", "size_bytes": size,
            "drain_timeout_ns": size * 10**7}, clock_hz=2_095_000_000,
        route={"mtu_bytes": 1500, "rate_given": False},
        result__binding="other_work", result__binding_because="it used 30% of CPU 0",
        result__ceilings=[{"name": "send_buffer", "unknown_because": "tuned"}])
        for size in (1000, 65536)))
    seen = html.unescape(re.sub("<[^>]*>", " ", re.sub(
        "<(script|style).*?</\\1>", "", found, flags=re.S)))
    for words in ("size 64 KiB", "drain timeout 10 s", "2.095 GHz", "MTU",
                  "send buffer", "limited by other work"):
        assert words in seen
    assert not re.findall(r"\b[a-z]+_[a-z_]+\b|\(ns\)|10G", seen)
    # Who looks for a key in the record finds it where the pointer rests.
    assert 'title="source.config.size_bytes"' in found


def test_chain():
    found, said = made(chained())
    assert said == []
    assert found.count("Where payload waited.") >= 1
    assert ('<tr class="here"><td>source&#39;s qdisc</td><td class="n">100%</td>'
            '<td class="n">–</td><td class="n">3</td></tr>') in found
    assert '<tr><td>demand</td><td class="n">–</td>' in found
    several, _ = made(chained(), run(5e8, 2000))
    assert "Where payload waited." not in several
    assert several.count('class="here"') == 1


def test_order_and_verdicts():
    found, said = made(*mixed())
    assert said == []
    assert found.index("Where the cycles go: the same") < found.index(">Streams<") < \
        found.index(">Ping-pongs<") < found.index(">Pictures<") < \
        found.index(">Each run<")
    assert "counters disagree" in found
    assert found.count("<details id=") == 18
    one, _ = made(run(result__ceilings=[{"name": "cpu", "ceiling_bps": 4e8,
                                         "binds": True, "because": "it is busy"}]))
    assert "401.00 Mb/s of goodput, limited by CPU: it is busy." in html.unescape(one)
    one, _ = made(run(result__binding="loss", result__binding_because="3 % were lost",
                      result__ceilings=[{"name": "cpu", "ceiling_bps": 4e8}]))
    assert "401.00 Mb/s of goodput, limited by loss: 3 % were lost." in \
        html.unescape(one)
    one, _ = made(run(result__binding="none", result__ceilings=[
        {"name": "bus", "ceiling_bps": 4.1e8}],
        result__binding_because="no single bottleneck; closest: CPU 0 (the run had 75% "
        "of it)"))
    assert "limited by nothing alone: closest: CPU 0 (the run had 75% of it)." in \
        html.unescape(one)


def test_the_unit_is_the_clocks():
    exact = copy.deepcopy(LADDER)
    exact["ladder"]["clock_unit"] = "instructions"
    found, _ = made(exact, run())
    assert ">instructions/byte<" in found
    assert "Instructions are those of all CPUs." in found
    exact, _ = made(exact, run(result__own_cycles_per_byte=77.5))
    assert ">77.5<" not in exact
    assert "cycles/byte" not in found
    found, _ = made(run(result__busy_cycles_per_byte=12345.6))
    assert ">busy cycles/byte<" in found
    assert ">12346<" in found
    assert "Busy cycles are all but the idle ones of all CPUs" in found
    assert "Own cycles" not in found


def test_documents_alone():
    found, _ = made(LADDER)
    assert "Where the cycles go" in found
    assert "0 runs" in found
    found, _ = made(PROFILE)
    assert "Samples of each CPU" in found


def test_a_picture_that_cannot_be_drawn_is_told():
    _, said = made(run(), run(result__cpus=contexts(1)))
    assert len(said) == 1
    assert "plot them apart" in said[0]


def test_no_picture_takes_a_page_with_it(monkeypatch):
    documents = [*mixed(), MESH]
    whole, _ = made(*documents)

    def fails(*_):
        return {}["idle"]

    for place in (page.ladder, page.mesh, page.cpu):
        monkeypatch.setattr(place, "draw", fails)
    monkeypatch.setattr(page.cpu, "draw_profile", fails)
    for place in (page.pingpong, page.series, page.sweep):
        for name in [one for one in vars(place) if one.startswith("draw")]:
            monkeypatch.setattr(place, name, fails)
    found, said = made(*documents)
    assert whole.count("<figure>") == len(said) > 7
    assert "<figure>" not in found
    assert found.count("The page lacks a picture: a fault in drawing it") == len(said)
    assert all("KeyError: &#39;idle&#39;" in html.escape(one, quote=True).replace(
        "&#x27;", "&#39;") for one in said)
    # What is not drawn is all there.
    for words in (">Streams<", ">Ping-pongs<", ">Pairs<", ">Each run<", "</html>"):
        assert words in found


def table_of(found, title):
    """Return the rows of a table of a page, by the names of the columns."""
    part = found.split(f"<h2>{title}</h2>")[1].split("</table>")[0]
    names = re.findall(r'<button type="button">(.*?)</button>', part)
    rows = [[" ".join(re.sub("<.*?>", " ", cell).split())
             for cell in re.findall(r"<td.*?>(.*?)</td>", row)]
            for row in part.split("<tr>")[2:]]
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_the_cost_is_the_records_own():
    own = [run(result__busy_cycles_per_byte=43.14, result__own_cycles_per_byte=2.34)
           for _ in range(2)]
    found, _ = made(*own)
    (row,) = table_of(found, "Streams")
    assert "2.34" in row["own cycles/byte"]
    assert "43.14" not in found
    assert "busy cycles/byte" not in row
    assert "Own cycles are those that the run itself used" in found
    # One that does not know its own has none: its busy cycles are another figure.
    found, _ = made(*own, run(8e8, 2000, result__busy_cycles_per_byte=50.5))
    known, other = table_of(found, "Streams")
    assert ("2.34" in known["own cycles/byte"], "43.14" in known["busy cycles/byte"],
            "50.5" in other["busy cycles/byte"]) == (True, True, True)
    assert page.ABSENT in other["own cycles/byte"]
    trip, _ = made(change(trips(5000), result__own_cycles_per_round_trip=91.0,
                          result__busy_cycles_per_round_trip=17.0))
    (row,) = table_of(trip, "Ping-pongs")
    assert "91" in row["own cycles/trip"]
    assert "busy cycles/trip" not in row


def test_disturbed_runs_are_marked():
    by = {"result__disturbed": True, "result__disturbed_by": "CPU 0 served another"}
    found, _ = made(run(4e8), run(4e8), run(9e8, 1000, source__config__cookie=int(4e8),
                                            **by))
    (row,) = table_of(found, "Streams")
    assert row["runs"] == "3 1 disturbed, not counted"
    assert "401.00 Mb/s" in row["goodput"]
    assert "1 of 3 runs were disturbed by other work." in found
    assert found.count('<span class="bad">disturbed</span>') == 1
    assert found.count("1 run disturbed by") == 1
    # If there is no better one it counts, and is told wherever it is shown.
    found, _ = made(run(9e8, **by))
    (row,) = table_of(found, "Streams")
    assert row["runs"] == "1 1 disturbed"
    assert "CPU 0 served another" in row["limited by"]
    assert "901.00 Mb/s" in row["goodput"]
    assert "The run is disturbed: CPU 0 served another." in found
    assert found.count("1 run disturbed by other work") > 1


def test_runs_of_a_ladder_are_no_results():
    mark = {"ladder_run": {"group": "TCP, both ends", "rung": "user, copy"}}
    part = {**mark, **run(7e8, 3000)}
    found, said = made(LADDER, part, run(4e8))
    assert said == []
    assert len(table_of(found, "Streams")) == 1
    assert "401.00 Mb/s" in table_of(found, "Streams")[0]["goodput"]
    assert "1 of the runs are those of the ladder" in found
    assert found.count("<details id=") == 2
    assert "TCP, both ends, user, copy, 701.00 Mb/s" in found
    found, _ = made(LADDER, part)
    assert "<h2>Streams</h2>" not in found
    # Without the ladder they are all that there is.
    found, _ = made(part)
    assert "701.00 Mb/s" in table_of(found, "Streams")[0]["goodput"]
    # So are those of a mesh.
    found, _ = made(*meshed())
    assert len(table_of(found, "Streams")) == 2
    assert "3 of the runs are those of the mesh" in found


def test_a_against_b():
    found, said = made(*made_of_runs())
    assert said == []
    assert "<h2>A against B</h2>" in found
    for one in ("A: start.", "B: start size 1M, after tc qdisc add dev v0 root fq.",
                "Goodput: B is 25% more; distinguishable from zero.",
                "Own cycles/byte: not distinguishable from zero.",
                "Bottleneck of B: CPU 1 is full.", "95% of comparisons"):
        assert one in found
    assert table_of(found, "B against A")[0] == {
        "figure": "Goodput, Gb/s", "A": "8.0000", "B": "10.0000", "B - A": "2.0000",
        "95% from": "1.6000", "to": "2.4000"}
    assert table_of(found, "Settings that differ") == [
        {"setting": "source size", "A": "128 KiB", "B": "1 MiB"},
        {"setting": "route device", "A": "v0", "B": page.ABSENT}]
    # The picture: each figure once.
    assert found.count("differs") == 1 + found.count("Settings that differ")
    assert "1 of the runs are those of a comparison of A and B" in found
    assert len(table_of(found, "Streams")) == 1


def test_what_a_search_found():
    found, said = made(*made_of_runs())
    assert said == []
    assert "Goodput with the best words: 400.00 Mb/s, by start size 4 &lt;b&gt;." \
        in found
    assert "Not undone: gro is &#39;on&#39; by somebody else." in found
    (kept,) = table_of(found, "Settings of hosts that were kept, and undone in the end")
    assert (kept["setting"], kept["from"], kept["to"]) == (
        "sysctl net.ipv4.tcp_rmem", "1 2 3", "1 2 12")
    assert "no other remedy is known to help; 2 tried" in found
    assert "Not tried: sndbuf 1M." in found
    first, failed, total = table_of(found, "Remedies")
    assert first["gain"] == "+280.0% +250.0% to +310.0%"
    assert (first["outcome"], first["cycles/byte without"], first["with"]) == (
        "kept", "400", "101.5")
    assert (failed["remedy"], failed["gain"], failed["with"]) == (
        "streams 2 refused", "- -", page.ABSENT)
    assert total["gain"].startswith("+270.0%")
    path = table_of(found, "From bottleneck to bottleneck")
    assert [one["with"] for one in path] == ["0. the words as given", "1. size 4"]
    assert [one["bottleneck"] for one in path] == ["CPU", "other work"]
    assert "1 of the runs are those of a search for what helps" in found


def browse(tmp_path, path, *words):
    """Return the document as a browser leaves it, and what that printed."""
    result = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
         "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
         f"--user-data-dir={tmp_path / 'profile'}", *words, "--dump-dom",
         path.as_uri()], capture_output=True, text=True, timeout=300, check=True)
    return result.stdout, result.stderr


def look(tmp_path, found, scheme):
    """Return what a browser says of a page at each width, and what it printed."""
    # What looks is not the page's own script, which alone its policy lets run.
    looked = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", found)
    looked = html.escape(looked.replace("</body>", LOOK))
    path = tmp_path / "frames.html"
    path.write_text(FRAMES + "".join(
        f'<iframe width="{width}" height="900" style="border: 0" srcdoc="{looked}">'
        "</iframe>" for width in WIDTHS))
    left, printed = browse(tmp_path, path,
                           f"--blink-settings=preferredColorScheme={scheme}")
    title = re.search(r"<title>(.*?)</title>", left)[1]
    return [json.loads(one) for one in json.loads(html.unescape(title))], printed


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("name", PAGES)
def test_in_a_browser(tmp_path, name):
    found, _ = made(*PAGES[name]())
    for scheme, paper in ((DARK, "rgb(23, 23, 27)"), (LIGHT, "rgb(255, 255, 255)")):
        every, printed = look(tmp_path, found, scheme)
        assert "CONSOLE" not in printed
        assert [one["width"] for one in every] == [*WIDTHS]
        for said in every:
            assert said["bad"] == []
            assert said["texts"] > 10
            assert said["paper"] == paper
            down, up = sorted(said["sorted"][0]), said["sorted"][0]
            assert up == down
            assert said["sorted"][1] == down[::-1]
            # Numbers whose order as text is another.
            assert name != "mixed" or sorted(map(str, down)) != down


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_its_own_policy_lets_its_script_and_its_pictures_be(tmp_path):
    found, _ = made(*mixed(), *meshed())
    path = tmp_path / "page.html"
    path.write_text(found)
    assert "CONSOLE" not in browse(tmp_path, path)[1]
