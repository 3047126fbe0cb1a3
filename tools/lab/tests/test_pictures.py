# SPDX-License-Identifier: GPL-2.0
"""Each picture is drawn, says what it shows, and no two texts of it overlap."""

import itertools
import math
from xml.etree import ElementTree

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from ktput.output import CommandError
from ktput.pictures import cpu, forest, ladder, pingpong, series, style, sweep
from ktput.record import Ladder, Profile, Sweep
from ktput.report.diff import Row, Side, rows_of
from ktput.settings import Compared

from .samples import change, parse, run, runs

HOSTILE = "'; system('touch owned') #`x` $x^2$ <b> %s é"


def cost(mean, low=None, high=None):
    return {"mean": mean, "ci_low": low, "ci_high": high, "too_short": low is None}


def rung(name, key, mean, wide=0.1):
    known = mean is not None
    return {"name": name, "group": "tcp", key: cost(
        mean, mean * (1 - wide) if known else None,
        mean * (1 + wide) if known else None)}


def step(group, name, above, below, key, mean):
    return {"group": group, "cost": name, "above": above, "below": below, key: cost(
        mean, mean - abs(mean) / 10, mean + abs(mean) / 10), "distinct": True}


BYTE, PACKET = "cycles_per_byte", "cycles_per_packet"
LADDER = {"ladder": {
    "rounds": 7, "interrupted": False,
    "tcp": [rung("user, copy", BYTE, 0.8),
            rung("user, sendfile and MSG_TRUNC", BYTE, 1), rung(HOSTILE, BYTE, 0.25),
            rung("not", BYTE, None)],
    "transmit": [rung("IP %s", PACKET, 3000), rung("queue", PACKET, None)],
    "receive": [rung("XDP", PACKET, None)],
    "steps": [step("tcp", "system call and wake-up", "user, copy", HOSTILE, BYTE, 0.55),
              step("tcp", "user copy", "user, copy", "user, sendfile", BYTE, -0.2),
              step("transmit", "all of it", "IP %s", None, PACKET, 3000)],
    "agreement": {"transmit": [{
        "cost": "all of it", PACKET: cost(-2, -3, -1),
        "sampled": {"mean": 4, "half_width": 0.5}}]},
    "ceilings_of": "user, copy", "ceilings": [
        {"name": "cpu", "ceiling_bps": 1e9, "share": 0.5, "binds": True}]}}


def document(kind, root):
    return kind(root, "f", 1, 1e9)


def drawn_of(records, how, *words):
    return how(records, Compared(records), *words)


def many(count):
    return parse(*(run(400e6 + i * 1e6, 1000 * 2 ** i) for i in range(count))).runs


def contexts(share):
    return [{"cpu": i, "cycles": 100, "contexts": {
        "source_cycles": share * 60, "sink_cycles": 3, "softirq_receive_cycles": 20,
        "hardirq_cycles": 1, "user_cycles": 9, "idle_cycles": 100 - share * 60 - 33}}
        for i in range(2)]


def trips(median, histogram=True):
    record = run(0, median, result__latency_ns={
        "mean": median * 1.1, "p50": median, "p90": median * 2, "p99": median * 5})
    record["result"].pop("goodput_bps")
    for interval in record["intervals"]:
        interval.pop("goodput_bps")
        interval.pop("bytes")
    if histogram:
        record["result"]["histogram"] = [
            {"from_ns": 0, "to_ns": median * factor, "count": count}
            for factor, count in ((1, 500), (2, 400), (5, 90), (9, 10))]
    return record


def sweep_of(engine, layer, factor):
    return document(Sweep, {
        "sweep": {"engine": engine, "to": "x", "source": {
            "transport": "tcp", "layer": layer, "reply": "callback"}},
        "sizes": [{"bytes": size, "latency_mean_ns": 6000 * factor,
                   "latency_p50_ns": None if engine == "nptcp" else 5000 + size,
                   "throughput_bps": size * 1e6 * factor}
                  for size in (1, 64, 1024, 65536)], "dropouts": [{"bytes": 1024}]})


def difference():
    a, b = (parse(*runs(goodputs, first)).runs for first, goodputs in enumerate(
        ((400e6, 401e6, 399e6), (410e6, 420e6, 430e6))))
    return forest.draw(("a/x.jsonl", "b/y.jsonl"), rows_of(
        Side("a", a, {}), Side("b", b, {})), a + b)


PROFILE = {"profile": {
    "classes": [{"class": f"c{i}", "title": f"Class of work {i}", "samples": 100 - i}
                for i in range(11)],
    "cpus": [{"cpu": n, "classes": [{"class": f"c{i}", "share": 0.08}
                                    for i in range(11)] + [
        {"class": "idle", "share": 0.12}]} for n in range(2)]}}

PICTURES = {
    "ladder": lambda: ladder.draw(document(Ladder, LADDER)),
    "profile": lambda: cpu.draw_profile(document(Profile, PROFILE)),
    "rate": lambda: drawn_of(many(1), series.draw_rate),
    "rate of many": lambda: drawn_of(many(12), series.draw_rate),
    "rate of runs that are alike": lambda: drawn_of(
        parse(*(run(400e6 + i) for i in range(9))).runs, series.draw_rate),
    "rate and ceilings": lambda: drawn_of(parse(run(400e6, result__ceilings=[
        {"name": f"limit {i}", "ceiling_bps": 410e6 + i * 1e6} for i in range(4)] + [
        {"name": "far", "ceiling_bps": 1e12}], intervals__0__warm_up=True)).runs,
        series.draw_rate),
    "tcp": lambda: drawn_of(many(9), series.draw_tcp),
    "sweep": lambda: drawn_of(many(5), sweep.draw, "size_bytes"),
    "sweep of two": lambda: drawn_of(
        [*many(4), *parse(*(run(900e6, 1000 * 2 ** i, route__mtu_bytes=9000)
                            for i in range(4))).runs], sweep.draw, "size_bytes"),
    "heat": lambda: drawn_of(parse(*(
        run(1e8 * (i + j), 1000 * i, route__mtu_bytes=1500 * j)
        for i in range(1, 4) for j in range(1, 4))).runs, sweep.draw_heat,
        "size_bytes", "mtu_bytes"),
    "sweep of many values": lambda: drawn_of(many(2) + parse(*(
        run(4e8, 1000 * i) for i in range(1, 41))).runs, sweep.draw, "size_bytes"),
    "cpu": lambda: drawn_of(parse(
        run(result__cpus=contexts(1)), run(4e6, 7, result__cpus=contexts(0.1)),
    ).runs, cpu.draw),
    "cpu, busy and idle": lambda: drawn_of(many(2), cpu.draw),
    "percentiles": lambda: drawn_of(
        parse(trips(4000), trips(9000, histogram=False)).runs,
        pingpong.draw_percentiles),
    "sweep of latency": lambda: drawn_of(
        parse(trips(4000), trips(9000)).runs, sweep.draw, "size_bytes"),
    "pingpong": lambda: pingpong.draw_sizes([
        sweep_of("ktput", "<b>", 1), sweep_of("nptcp", "", 2),
        sweep_of("ktput", "user", 1.01)]),
    "difference": difference,
}


def texts_of(figure):
    """Return all texts that are drawn: ticks beyond the axes are not."""
    yield from figure.texts
    for axes in figure.axes:
        yield from axes.texts
        yield from (axes.title, axes._left_title, axes._right_title)
        for axis in (axes.xaxis, axes.yaxis):
            yield axis.label
            low, high = sorted(axis.get_view_interval())
            yield from (tick.label1 for tick in axis.get_major_ticks()
                        if low <= tick.get_loc() <= high)


def boxes(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    found = []
    for text in texts_of(figure):
        if text.get_visible() and text.get_text().strip():
            box = Text.get_window_extent(text, renderer)
            # A pixel each way is no overlap to the eye.
            if box.width > 2 and box.height > 2:
                found.append((text.get_text(), box.padded(-1)))
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_drawn(name):
    picture = PICTURES[name]()
    svg = picture.svg()
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert len(root.get("aria-label")) > 30
    assert "nan" not in root.get("aria-label")
    assert "data:" not in svg
    assert picture.png().startswith(b"\x89PNG")
    # The same again: nothing in it changes by itself.
    assert PICTURES[name]().svg() == svg
    assert 'id="' not in picture.svg(page=True).replace("<clipPath", "").split(
        "<defs>", maxsplit=1)[0]


@pytest.mark.parametrize("name", PICTURES)
def test_no_texts_overlap_or_leave_the_picture(name):
    figure = PICTURES[name]().figure
    width, height = figure.get_size_inches() * figure.dpi
    found = boxes(figure)
    assert found
    overlaps = [(one, other) for (one, a), (other, b) in
                itertools.combinations(found, 2) if a.overlaps(b)]
    assert overlaps == []
    outside = [one for one, box in found if box.x0 < 0 or box.y0 < 0 or
               box.x1 > width or box.y1 > height]
    assert outside == []


def test_hostile_names_are_text():
    svg = PICTURES["ladder"]().svg()
    assert "touch owned" in svg
    assert "$x^2$" in svg
    assert "<b>" not in svg


def test_ladder_groups():
    tcp, transmit = ladder.groups_of(document(Ladder, LADDER))
    assert [one.name for one in tcp.chain] == ["system call and wake-up"]
    assert tcp.rest == HOSTILE
    assert math.isnan(tcp.rungs[3].mean)
    assert transmit.rest is None
    assert [pair[1].shown(1) for pair in transmit.agreement] == ["4.0 ± 0.5"]
    assert transmit.agreement[0][0].shown(1) == "−2.0 ± 1.0"
    odd = {"ladder": {"tcp": [
        {"name": "b", BYTE: {"mean": 5, "ci_low": 6, "ci_high": 7}},
        {"name": "c", PACKET: cost(9, 9, 9)},
        {"name": "e", BYTE: {"mean": 4, "ci_low": 1, "ci_high": 9, "too_short": True}},
        {"name": 7}, 1, None], "transmit": {}}}
    odd["ladder"]["clock_unit"] = "instructions"
    (group,) = ladder.groups_of(document(Ladder, odd))
    assert group.clock_unit == "instructions"
    picture = ladder.draw(document(Ladder, odd)).svg()
    assert "Where the instructions go" in picture
    assert "cycles" not in picture
    assert [one.shown(0) for one in group.rungs] == ["5", "not run", "4"]


def test_a_line_for_each_value_of_a_series():
    # The window moves with the size, so that each run differs from the others.
    records = parse(*(run(1e8 * i, 1000 * j, source__config__sndbuf_bytes=10 * j,
                          source__config__streams=i)
                      for i in (1, 2) for j in (1, 2, 3))).runs
    alone = drawn_of(records, sweep.draw, "size_bytes")
    assert alone.alt.count("sndbuf_bytes") == 6
    lines = drawn_of(records, sweep.draw, "size_bytes", "streams").alt
    assert "streams 1: 1000 B 100.95 Mb/s, 2000 B 100.95 Mb/s, 3000 B" in lines
    assert "streams 2: 1000 B 200.95 Mb/s" in lines
    assert "sndbuf_bytes" not in lines


def test_nothing_to_draw():
    empty = parse({"sink": {}, "result": {"valid": True}}).runs
    for how, says in ((series.draw_rate, "no intervals"), (cpu.draw, "no cycles"),
                      (series.draw_tcp, "no TCP streams"),
                      (pingpong.draw_percentiles, "no run has round trips")):
        with pytest.raises(CommandError, match=says):
            drawn_of(empty, how)
    with pytest.raises(CommandError, match="is no number"):
        drawn_of(many(2), sweep.draw, "nothing")
    with pytest.raises(CommandError, match="numbers that vary: size_bytes"):
        drawn_of(many(2), sweep.draw, "mtu_bytes")
    with pytest.raises(CommandError, match="plot them apart"):
        drawn_of(parse(run(), run(result__cpus=contexts(1))).runs, cpu.draw)
    with pytest.raises(CommandError, match="no figure is in both"):
        forest.draw(("a", "b"), list[Row](), [])


def test_spread():
    assert style.spread([0.5, 0.1], 0.2, 0, 1) == [0.5, 0.1]
    close = style.spread([0.5, 0.5, 0.5], 0.1, 0, 1)
    assert sorted(close) == pytest.approx([0.4, 0.5, 0.6])
    top = style.spread([1.0, 0.99], 0.1, 0, 1)
    assert top[0] <= 1
    assert top[0] - top[1] == pytest.approx(0.1)
    full = style.spread([0.9, 0.95, 1.0, 0.2], 0.3, 0, 1)
    gaps = [b - a for a, b in itertools.pairwise(sorted(full))]
    assert min(gaps) == pytest.approx(0.3)


def test_caption():
    record = change(run(), environment__kernel={"release": "6.1.0"},
                    environment__source={"device": {"name": "eth7", "driver": "drv"}})
    assert style.caption_of(parse(record, run())) == \
        "kernel 6.1 and 6.1.0, device eth0 and eth7 (drv)"
    assert "written 2001-09-0" in style.caption_of([document(Ladder, LADDER)])
