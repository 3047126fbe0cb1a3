# SPDX-License-Identifier: GPL-2.0
"""Each picture is drawn, says what it shows, and no two texts of it overlap."""

import copy
import itertools
import math
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from ktput.output import CommandError
from ktput.pictures import (
    chain,
    cpu,
    forest,
    guarded,
    ladder,
    load,
    pingpong,
    remedies,
    series,
    spread,
    style,
    sweep,
)
from ktput.pictures import kernels as bars
from ktput.pictures import mesh as heat
from ktput.record import Ladder, Profile, RecordError, Sweep
from ktput.report.diff import Row, Side, rows_of
from ktput.settings import Compared
from ktput.statistics import BY_KEY, GOODPUT

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
    return forest.draw("B over A: y.jsonl against x.jsonl", rows_of(
        Side("a", a, {}), Side("b", b, {})), a + b)


#: What a busy machine gives: no sample of a CPU is idle.
BUSY = {"profile": {
    "classes": [{"class": f"c{i}", "title": f"Class of work {i}", "samples": 50}
                for i in range(2)],
    "cpus": [{"cpu": 0, "classes": [{"class": f"c{i}", "share": 0.5}
                                    for i in range(2)]}]}}
PROFILE = {"profile": {
    "classes": [{"class": f"c{i}", "title": f"Class of work {i}", "samples": 100 - i}
                for i in range(11)],
    "cpus": [{"cpu": n, "classes": [{"class": f"c{i}", "share": 0.08}
                                    for i in range(11)] + [
        {"class": "idle", "share": 0.12}]} for n in range(2)]}}

MESH = {"mesh": {
    "hosts": [f"h{i}" for i in range(5)], "commands": [["start", "time", "1s"]],
    "pairs": [{"from": f"h{i}", "to": f"h{j}", "goodput_bps": 1e9 + i * 1e8 + j * 1e7}
              for i in range(5) for j in range(5) if i != j and i + j != 5],
    "pattern": None, "together_bps": [], "failed": [], "left_out": [],
    "thresholds": {"deviations": 5, "below_share": 0.1},
    "outliers": [{"kind": "host", "host": "h3", "share_of_median": 0.5,
                  "deviations": 9.0, "cause": "wire", "because": "it is slow"}]}}

#: A search that kept two of three remedies.
SEARCH = {
    "remedies": [
        {"apply": "size 4", "kept": True, "gain": {"mean": 2.0}},
        {"apply": "streams 2", "kept": False, "gain": {"mean": 0.01}},
        {"apply": "net.ipv4.tcp_rmem 16777216 at sink, <b>'s other words", "kept": True,
         "gain": {"mean": 0.5}}],
    "verdicts": [{"binding": "cpu"}, {"binding": "window", "remedy": "size 4"},
                 {"binding": "none"}],
    "total": {"gain": {"mean": 3.25}}}


def repeats(goodputs, size=1000, **changes):
    """Return runs that were made alike."""
    return parse(*(run(one, size, **changes) for one in goodputs)).runs


#: Two sets of repeats, of which one has a value far out, and three that are few.
REPEATS = [*repeats((401e6, 402e6, 403e6, 404e6, 405e6, 406e6, 430e6)),
           *repeats((301e6, 303e6, 305e6, 306e6, 311e6), 2000),
           *repeats((399e6,), result__disturbed=True), *repeats((8e8, 9e8, 9e8), 4000)]


def trip_repeats():
    return parse(*(trips(4000 + i * 10) for i in range(12))).runs


def chained():
    """A run that a queue holds back, at which some were lost."""
    return run(result__binding="queue", result__binding_because="it stood",
               result__chain=[
                   {"place": "source", "title": "source's CPU", "queue_share": None,
                    "busy_share": 0.25, "drops": 0, "bottleneck": False},
                   {"place": "queue", "title": "source's qdisc", "queue_share": 1.5,
                    "busy_share": None, "drops": 3, "bottleneck": True},
                   {"place": "sink", "title": "sink's socket", "queue_share": 0.5,
                    "busy_share": 0.75, "drops": 0, "bottleneck": False},
                   {"place": "demand", "queue_share": None, "busy_share": None,
                    "drops": 0, "bottleneck": False}])


def loads(**changes):
    """Round trips before, during and after a load, and that, in 2 s each."""
    found = {"before": trips(4000), "during": trips(90000), "after": trips(5000),
             "load": run(20e6)}
    for begun_s, phase in ((10, "before"), (14, "during"), (18, "after"), (13, "load")):
        found[phase]["load_run"] = {"phase": phase}
        for interval in found[phase]["intervals"]:
            interval.setdefault("source", {})["run"] = {"begun_ns": begun_s * 1e9}
            if phase != "load":
                median = found[phase]["result"]["latency_ns"]["p50"]
                interval.update(round_trips_per_s=9, latency_p50_ns=median,
                                latency_p99_ns=median * 5)
    return parse(*(found | changes).values()).runs


PICTURES = {
    "load": lambda: load.draw(loads()),
    "mesh": lambda: heat.draw(MESH),
    "remedies": lambda: remedies.draw(SEARCH),
    "kernels": lambda: bars.draw("Costs", ["6.1", "6.12"], [bars.Panel(
        "UDP", [("user", [3000.0, math.nan]), ("queue", [-20.0, 10.0])])], "of both"),
    "profile without idle": lambda: cpu.draw_profile(document(Profile, BUSY)),
    "rate of many runs of one interval": lambda: drawn_of(parse(*(
        change(run(400e6 + i), intervals=run()["intervals"][:1]) for i in range(9)
        )).runs, series.draw_rate),
    "tcp of one interval": lambda: drawn_of(parse(
        change(run(), intervals=run()["intervals"][:1])).runs, series.draw_tcp),
    "ladder": lambda: ladder.draw(document(Ladder, LADDER)),
    "profile": lambda: cpu.draw_profile(document(Profile, PROFILE)),
    "chain": lambda: chain.draw(parse(chained()).runs),
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
    "box": lambda: drawn_of(REPEATS, spread.draw_box),
    "box of latency": lambda: drawn_of(
        trip_repeats(), spread.draw_box, "latency_p99_ns"),
    "shares": lambda: drawn_of(REPEATS, spread.draw_shares),
    "shares of intervals": lambda: drawn_of(
        many(9), spread.draw_shares, "busy_cycles_per_byte", None, True),
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


def paths_of(value, path=()):
    """Yield the path of each member, of arrays of the first element."""
    members = value.items() if isinstance(value, dict) else \
        {0: value[0]}.items() if isinstance(value, list) and value else ()
    for key, member in members:
        yield (*path, key)
        yield from paths_of(member, (*path, key))


def without(root, path, *new):
    """Return a copy that lacks a member, or has *new* in its place."""
    root = copy.deepcopy(root)
    holder = root
    for key in path[:-1]:
        holder = holder[key]
    if new:
        holder[path[-1]] = new[0]
    else:
        del holder[path[-1]]
    return root


SHORT = run(400e6, intervals=run()["intervals"][:2], result__cpus=contexts(1))
#: Documents, and the pictures of them.
OF_DOCUMENTS = {
    "mesh": (MESH, heat.draw),
    "ladder": (LADDER, lambda root: ladder.draw(document(Ladder, root))),
    "profile": (PROFILE, lambda root: cpu.draw_profile(document(Profile, root))),
    "sizes": (sweep_of("ktput", "user", 1).root,
              lambda root: pingpong.draw_sizes([document(Sweep, root)])),
    "rate": (SHORT, lambda root: drawn_of(parse(root).runs, series.draw_rate)),
    "tcp": (SHORT, lambda root: drawn_of(parse(root).runs, series.draw_tcp)),
    "cpu": (SHORT, lambda root: drawn_of(parse(root).runs, cpu.draw)),
    "sweep": (SHORT, lambda root: drawn_of(
        parse(root, run(3e8, 2000)).runs, sweep.draw, "size_bytes")),
    "box": (SHORT, lambda root: drawn_of(
        parse(root, root).runs, spread.draw_box)),
    "shares": (SHORT, lambda root: drawn_of(
        parse(root).runs, spread.draw_shares, None, None, True)),
    "percentiles": (trips(4000), lambda root: drawn_of(
        parse(root).runs, pingpong.draw_percentiles)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_all_lines_are_within_the_limits(name):
    beyond = []
    for axes in PICTURES[name]().figure.axes:
        for line in axes.lines:
            in_data = line.get_transform().contains_branch_seperately(axes.transData)
            for way, values, counts in zip("xy", line.get_data(), in_data, strict=True):
                low, high = sorted(getattr(axes, f"get_{way}lim")())
                slack = (high - low) * 1e-9
                # An axis that begins with 0 cuts what an interval has below it.
                least = low - slack if low else -math.inf
                known = np.ma.masked_invalid(np.array(values, dtype=float)).compressed()
                beyond += [(way, float(one), low, high) for one in known
                           if counts and not least <= one <= high + slack]
    assert beyond == []


def test_the_warm_up_is_shaded_to_its_end():
    one = run(400e6, intervals__0__warm_up=True, intervals__1__warm_up=True)
    other = run(401e6, intervals__0__warm_up=True)
    axes = drawn_of(parse(one, other).runs, series.draw_rate).figure.axes[0]
    shade = max(patch.get_path().vertices[:, 0].max() for patch in axes.patches)
    assert shade == one["intervals"][1]["to_ns"] / 1e9


@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_whatever_a_document_lacks_there_is_a_picture_or_a_reason(name):
    root, draw = OF_DOCUMENTS[name]
    drawn = 0
    # What lacks its first member is no such document.
    paths = [path for path in paths_of(root) if len(path) > 1]
    for path, new in zip(paths, itertools.cycle(((), (None,), (0,))),
                         strict=False):
        try:
            draw(without(root, path, *new))
            drawn += 1
        except (CommandError, RecordError):
            pass
        except Exception as error:
            raise AssertionError(f"{path} {new}: {error!r}") from error
    assert drawn


def test_a_fault_in_drawing_is_a_reason():
    def draw():
        return {}["idle"]

    with pytest.raises(CommandError, match="a report: KeyError: 'idle'"):
        guarded(draw)


def test_a_busy_machine_has_no_idle_samples():
    alt = cpu.draw_profile(document(Profile, BUSY)).alt
    assert "Class of work 0 50%, Class of work 1 50%" in alt
    assert "Idle" not in alt
    assert "Others 24%, Idle 12%" in PICTURES["profile"]().alt


def drawn_texts(name):
    return [one.get_text() for one in texts_of(PICTURES[name]().figure)]


def test_cycles_are_told_by_whose_they_are():
    found = drawn_texts("cpu")
    assert found.count("this run 83% (source 60.0%, sink 3.0%, softirq receive 20.0%), "
                       "others 10% (hardirq 1.0%, user 9.0%), idle 7%") == 2


def test_what_is_left_of_steps_is_the_rung_below_them():
    found = drawn_texts("ladder")
    at = found.index("− system call and wake-up")
    assert found[at - 1] == "user, copy"
    assert found[at + 1].startswith("left: '; system('touch owned")


def test_a_way_of_remedies_multiplies_what_each_gained():
    found = PICTURES["remedies"]()
    assert found.alt.startswith(
        "From bottleneck to bottleneck. as given: 1, limited by CPU; size 4: 3, "
        "limited by window; net.ipv4.tcp_rmem 16777216 at sink, <b>'s other words: "
        "4.5, no single bottleneck")
    axes = found.figure.axes[0]
    assert [one.get_width() for one in axes.patches] == [1, 3, 4.5]
    assert "all that is kept: 4.25 times as fast" in texts_below_title(found)


def test_a_search_that_kept_nothing_has_no_way():
    with pytest.raises(CommandError, match="no remedy was kept"):
        remedies.draw({**SEARCH, "remedies": SEARCH["remedies"][1:2]})


def test_a_point_without_neighbours_is_seen():
    # 9 runs of an interval each are a mean at one time, which is no line.
    axes = PICTURES["rate of many runs of one interval"]().figure.axes[0]
    assert any(one.get_marker() == "o" and len(one.get_xdata()) == 1
               for one in axes.lines)
    assert not any(one.get_marker() == "o"
                   for one in PICTURES["rate of many"]().figure.axes[0].lines)


def test_the_greatest_throughput_of_all_sizes_is_told():
    # 65536 bytes of the sweep with the factor 2.
    assert "the greatest throughput is 131.07 Gb/s" in PICTURES["pingpong"]().alt


def test_what_the_kernel_calibrates_is_no_setting():
    records = parse(*(run(4e8 + i, clock_hz=2e9 + i) for i in range(4)),
                    *(run(4e8 + i, 2000, clock_hz=2e9 - i) for i in range(4))).runs
    compared = Compared(records)
    assert compared.numbers_that_vary() == ["size_bytes"]
    assert [one.label for one in compared.groups()] == ["size 1000 B",
                                                       "size 2000 B"]
    picture = drawn_of(records, sweep.draw, "size_bytes")
    assert picture.title.startswith("Goodput against size:")
    # One line over both sizes.
    (curve,) = (one for one in picture.figure.axes[0].lines if one.get_marker() == "o")
    assert list(curve.get_xdata()) == [1000, 2000]


def test_sets_that_no_line_joins_say_so():
    records = parse(*(run(1e8 * i, 1000 * i, source__config__sndbuf_bytes=10 * i)
                      for i in (1, 2, 3))).runs
    assert "so that no line joins them" in texts_below_title(
        drawn_of(records, sweep.draw, "size_bytes"))
    assert "no line joins" not in texts_below_title(PICTURES["sweep"]())


def texts_below_title(picture):
    return " ".join(one.get_text() for one in picture.figure.texts)


def test_disturbed_runs_are_marked():
    records = parse(run(), run(result__disturbed=True), run()).runs
    assert "1 run disturbed by other work" in style.caption_of(records)
    assert "disturbed" not in style.caption_of(records[:1])


def test_hostile_names_are_text():
    svg = PICTURES["ladder"]().svg()
    assert "touch owned" in svg
    assert "$x^2$" in svg
    assert "<b>" not in svg


def test_chain_tells_what_is_known_of_each_place():
    picture = PICTURES["chain"]()
    assert picture.alt == (
        "Where payload waited. source's CPU: server busy 25%; source's qdisc "
        "(bottleneck): queue stood 100%, 3 dropped; sink's socket: queue stood 50%, "
        "server busy 75%; demand: not known.")
    assert "bottleneck: it stood" in texts_below_title(picture)
    axes = picture.figure.axes[0]
    assert sorted((round(one.get_y() + one.get_height() / 2), one.get_width())
                  for bars_ in axes.containers for one in bars_) == [
        (0, 25), (1, 100), (2, 50), (2, 75)]
    assert [one.get_weight() for one in axes.get_yticklabels()] == [
        "normal", "bold", "normal", "normal"]
    unnamed = chain.draw(parse(change(chained(), result__binding="none")).runs)
    assert "no single bottleneck" in texts_below_title(unnamed)
    with pytest.raises(CommandError, match="no run has a chain"):
        chain.draw(parse(run()).runs)
    with pytest.raises(CommandError, match="there are 2 runs"):
        chain.draw(parse(chained(), chained()).runs)


def test_boxes_and_shares_are_numpys():
    sets = spread.sets_of(REPEATS, Compared(REPEATS), GOODPUT)
    assert [one.label for one in sets] == ["size 1000 B", "size 2000 B", "size 4000 B"]
    for one, size in zip(sets, (1000, 2000, 4000), strict=True):
        goodputs = np.array([run.goodput_bps for run in REPEATS
                             if run.number("source.config.size_bytes") == size])
        assert list(one.values) == sorted(goodputs)
        box = one.box
        assert list(box[1:4]) == list(np.percentile(goodputs, (25, 50, 75)))
        assert list(one.shares(above=False)) == pytest.approx(
            [np.mean(goodputs <= value) for value in one.values])
        assert list(one.shares(above=True)) == pytest.approx(
            [np.mean(goodputs >= value) for value in one.values])
    # 402.75 to 405.25 Mb/s and a mega from the last interval; 1.5 times 2.5 around it.
    assert sets[0].box == (400e6, 402.75e6, 404.5e6, 406.25e6, 407e6)
    assert list(sets[0].disturbed) == [True] + 7 * [False]


def test_a_box_is_drawn_of_enough_values_and_marks_the_disturbed():
    picture = PICTURES["box"]()
    assert picture.alt == (
        "Spread of the runs: goodput. size 1000 B: median 404.50 Mb/s, 8 runs, "
        "quartiles 402.75 Mb/s to 406.25 Mb/s, whiskers 400.00 Mb/s to 407.00 Mb/s, "
        "1 beyond; size 2000 B: median 306.00 Mb/s, 5 runs, quartiles 304.00 Mb/s to "
        "307.00 Mb/s, whiskers 302.00 Mb/s to 307.00 Mb/s, 1 beyond; size 4000 B: "
        "median 901.00 Mb/s, 3 runs, 801.00 Mb/s to 901.00 Mb/s.")
    axes = picture.figure.axes[0]
    assert [(one.get_x(), one.get_width()) for one in axes.patches] == \
        [(402.75, 3.5), (304, 3)]
    hollow = [list(one.get_xdata()) for one in axes.lines
              if one.get_markerfacecolor() == style.PAPER and len(one.get_xdata())]
    assert hollow == [[400]]
    assert "hollow: of runs that other work disturbed" in texts_below_title(picture)
    assert any("1 run disturbed by other work" in one for one in drawn_texts("box"))


def test_the_bad_end_of_shares_is_enlarged():
    below, tail = PICTURES["shares"]().figure.axes
    assert (below.get_yscale(), tail.get_yscale()) == ("linear", "log")
    assert tail.get_ylabel() == below.get_ylabel() == "share at or below"
    assert list(tail.lines[0].get_ydata()) == list(np.arange(1, 9) / 8)
    # Of a cost the high values are the bad ones; 7 of 20 intervals have the highest.
    below, tail = PICTURES["shares of intervals"]().figure.axes
    assert tail.get_ylabel() == "share at or above"
    assert tail.lines[0].get_ydata()[-1] == pytest.approx(7 / 20)
    assert "not independent" in texts_below_title(PICTURES["shares of intervals"]())


def test_sides_and_settings_are_sets():
    sides = [change(run(4e8 + i), ab_run={"side": "ab"[i % 2], "round": i})
             for i in range(4)]
    runs = parse(*sides).runs
    assert [(one.label, len(one.values)) for one in spread.sets_of(
        runs, Compared(runs), GOODPUT)] == [("A", 2), ("B", 2)]
    assert [(one.label, len(one.values)) for one in spread.sets_of(
        REPEATS, Compared(REPEATS), GOODPUT, "mtu_bytes")] == [("MTU 1500 B", 16)]
    with pytest.raises(CommandError, match="no run has latency_p50_ns in its inter"):
        drawn_of(REPEATS, spread.draw_box, "latency_p50_ns", None, True)
    latencies = parse(run(intervals=[{"from_ns": 0, "to_ns": 1, "latency_p99_ns": 7,
                                      "round_trips_per_s": 1}])).runs
    assert list(spread.sets_of(latencies, Compared(latencies),
                               BY_KEY["latency_p99_ns"], None, True)[0].values) == [7]


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
    assert alone.alt.count("sndbuf ") == 6
    lines = drawn_of(records, sweep.draw, "size_bytes", "streams").alt
    assert "streams 1: 1000 B 100.95 Mb/s, 2000 B 100.95 Mb/s, 3000 B" in lines
    assert "streams 2: 1000 B 200.95 Mb/s" in lines
    assert "sndbuf" not in lines


def test_round_trips_are_at_the_time_of_their_load():
    picture = load.draw(loads())
    above, below = picture.figure.axes
    begins = [line.get_xdata()[0] for line in (*above.lines, *below.lines)]
    assert begins == [0, 0, 4, 4, 8, 8, 3]
    assert [line.get_ydata()[0] for line in above.lines] == pytest.approx(
        [4, 20, 90, 450, 5, 25])
    assert ("before: median 4 us; during: median 90 us; after: median 5 us; "
            "load: 21.00 Mb/s") in picture.alt
    for some, says in ((loads()[:3], "no round trips and load"),
                       (loads()[3:], "no round trips and load"),
                       (loads() + loads(), "more than one load")):
        with pytest.raises(CommandError, match=says):
            load.draw(some)


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
        forest.draw("B over A", list[Row](), [])


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
