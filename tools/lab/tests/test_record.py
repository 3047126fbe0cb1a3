# SPDX-License-Identifier: GPL-2.0
"""Records are read back; what is none is refused with its line."""

import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import ktput
from ktput import keys
from ktput.record import Record

from .samples import RECORD, change, cpu, parse, run, stream


def refusal(*documents):
    with pytest.raises(ktput.RecordError) as refused:
        parse(*documents)
    return str(refused.value)


def test_read_back():
    records = parse(RECORD, RECORD, "")
    assert [one.number_in_file for one in records] == [1, 2]
    assert records[0].of == 2
    assert records[1].name == "f run 2"
    assert records[0].why_not is None
    assert records[1].line == 2


def test_pretty_documents_without_an_end_of_line():
    records = parse("", "{ \"sink\": {},", " \"result\": {}", "}")
    assert len(records) == 1
    assert records[0].line == 2
    assert records[0].why_not == "its result is not valid"
    assert not records.counting()


@pytest.mark.parametrize(("text", "says"), [
    ("", "empty"), ("\n \t\n\n", "empty"), ("x", "f:1: no JSON"),
    ("[]", "no object"), ("null\n", "no object"), ("{}", "is no record"),
    ('{"result":{}}', "is no record"),
    ('{"sink":{},"result":[]}', "is no record"),
    ('{"sink":{},"runs":[]}', "detach"),
    ('{"sink":{},"result":{"a":NaN}}', "NaN is no number"),
    ('{"sink":{},"result":{},"record_version":2}', "record_version is 2"),
    ('{"sink":{},"result":{},"record_version":"1"}', "record_version"),
    ('{"sink":{},"result":{"a\\u001b":1}}', "control"),
    ('{"sink":{},"result":{"a\x9b":1}}', "control"),
    ('{"sink":{},"result":{},"record_version":"\\u009bm"}',
     'record_version is " m"'),
    (b'{"sink":{},"result":{"a":"\xff"}}', "no JSON: it is not UTF-8"),
    (b'{"sink":{},"result":{"a":"\xc0\x9b"}}', "no JSON: it is not UTF-8"),
    ('{"sink":{},"result":{"a":' + "[" * 40 + "]" * 40 + "}}", "no JSON: it nests"),
    ('{"sink":{},"result":{"a":' + "[" * 99999 + "]" * 99999 + "}}", "no JSON"),
    ("\0\0", "f:1: no JSON"), (b"\xff{}", "f:1: no JSON: it is not UTF-8"),
])
def test_refusals(text, says):
    assert says in refusal(text)


def test_truncated_anywhere():
    text = json.dumps(change(RECORD, result__invalid_because="a\\u00fcü"),
                      ensure_ascii=False).encode()
    for length in range(1, len(text)):
        assert "f:1: the JSON ends in the middle" in refusal(text[:length])


@pytest.mark.parametrize(("text", "lines", "says"), [
    ('{"sink":{},"result":{}} trailing', [1], ["1: no JSON: Expecting value"]),
    ('{"sink":{},"result":{}}\n\n{"sink"', [1], ["3: the JSON ends in the middle"]),
    ('{"sink":{},"result":{}}\n\n{"sink"}\n{"sink":{},"result":{}}', [1, 4],
     ["3: no JSON"]),
    ('{"sink":\n{},"result":{}}\n\n\n{"sink":}', [1], ["5: no JSON"]),
    (b'{"sink":\n{},"result":{}}\n{"sink":"\xff"}', [1],
     ["3: no JSON: it is not UTF-8"]),
    # The first line, as after two power cuts, and zeroes that a file system left.
    ('{"sink":{},"re\n{"sink":{},"res\n{"sink":{},"result":{}}', [3],
     ["1: no JSON", "2: no JSON"]),
    ('{"sink":{},"result":{}}\n\0\0\0\n{"sink":{},"result":{}}', [1, 3],
     ["2: no JSON"]),
    # What was printed with -p begins again where a line has no indentation.
    ('{\n  "sink": {\n    "a": 1,\n{\n  "sink": {},\n  "result": {}\n}\n', [4],
     ["1: no JSON"]),
    (json.dumps(RECORD) + "\0\0", [1], ["1: no JSON"]),
])
def test_what_is_cut_is_left_out(text, lines, says):
    with pytest.warns(ktput.RecordWarning) as warned:
        found = list(ktput.documents(stream(text)))
    assert [one.line for one in found] == lines
    assert len(warned) == len(says)
    for one, start in zip(warned, says, strict=True):
        assert str(one.message).startswith(f"f:{start}")
        assert str(one.message).endswith("; left out")


def test_reads_as_it_is_asked_for():
    class Endless(io.BytesIO):
        name = "endless"

        def __iter__(self):
            while True:
                yield json.dumps(RECORD).encode() + b"\n"

    found = ktput.documents(Endless())
    assert [next(found).line for _ in range(3)] == [1, 2, 3]


def test_control_characters():
    result = {"valid": False, "invalid_because":
              "a\x1b[1m\nb\x9bm\x80\xa0\xdb\u209b\ud800"}
    records = parse({"sink": {}, "result": result})
    assert records[0].why_not == "a [1m b m \xa0\xdb\u209b "


def test_other_documents():
    records = parse({"profile": {}}, {"ladder": {}}, {"summary": {}},
                    {"sweep": {}, "sizes": []}, RECORD)
    assert [len(one) for one in (records, records.profiles, records.ladders,
                                 records.sweeps)] == [1, 1, 1, 1]
    assert "is no record" in refusal({"sweep": {}})


def test_files_and_standard_input(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(RECORD))
    assert ktput.read(path)[0].name == str(path)
    assert ktput.read(path)[0].written_s > 0
    with open(path) as opened:
        monkeypatch.setattr("sys.stdin", opened)
        records = ktput.read("-", path)
    assert [one.name for one in records] == ["stdin", str(path)]
    with pytest.raises(OSError, match="absent"):
        ktput.read(tmp_path / "absent")


def test_figures_of_intervals():
    first, second = parse(RECORD)[0].intervals
    # CPU 0: 300 cycles, none busy; CPU 1: 300, two thirds busy.
    assert first.busy_cycles == pytest.approx(200)
    assert second.busy_cycles == pytest.approx(100)
    assert second.packets == 30
    assert math.isnan(first.goodput_bps)


def test_cycles_of_xdp_are_those_of_the_source():
    record = change(RECORD, sink__xdp_mode="native",
                    source__begin={"cpus": [cpu(0, 0, 0, 0)]})
    for interval in record["intervals"]:
        interval["source"] = {"cpus": [cpu(0, 10, 5, 1000)]}
    assert parse(record)[0].intervals[0].busy_cycles == 500


def test_members_of_a_wrong_type_are_absent():
    for document in (
            {"sink": 1, "result": {}, "intervals": {}},
            {"sink": {"config": [1]}, "result": {"cpus": [1, {}, None]},
             "intervals": [1, None, {}, {"from_ns": "0", "to_ns": []}]},
            {"sink": {}, "result": {"ceilings": [1, {"name": 2}, {}], "wire": [],
                                    "cpus": [{"contexts": 1, "cpu": -1}]},
             "intervals": [{"to_ns": 1, "from_ns": 0, "bytes": 1,
                            "sink": {"cpus": [{}, 1]}}]}):
        record = parse(document)[0]
        assert record.cpus == []
        assert record.ceilings == []
        assert all(math.isnan(one.busy_cycles) for one in record.intervals)
        assert math.isnan(record.goodput_bps)
        assert record.latency_ns == {}
        assert record.verdicts == []


def test_ceilings():
    listed = {"sink": {}, "result": {"goodput_bps": 50, "wire": {"ceiling_bps": 1},
              "ceilings": [{"name": "link", "ceiling_bps": 100},
                           {"name": "bus", "ceiling_bps": 50, "share": 1,
                            "binds": True}]}}
    link, bus = parse(listed)[0].ceilings
    assert link.share == 0.5
    assert bus.binds
    assert not link.binds
    (wire,) = parse(RECORD)[0].ceilings
    assert (wire.name, wire.bps, wire.binds) == ("link framing", 20000, False)


def test_cpus_by_context_or_busy_and_idle():
    with_contexts = change(RECORD, result__cpus=[{"cpu": 3, "cycles": 30, "contexts": {
        "source_cycles": 10, "idle_cycles": 20}}])
    (cpu_3,) = parse(with_contexts)[0].cpus
    assert cpu_3.cpu == 3
    assert cpu_3.cycles["source"] == 10
    assert cpu_3.total == 30
    # A ping-pong has the share alone.
    (cpu_1,) = parse(change(RECORD, result__cpus=[
        {"cpu": 1, "busy_share": 0.25, "cycles": 400}]))[0].cpus
    assert cpu_1.cycles == {"busy": 100, "idle": 300}


def test_arrays():
    record = parse(run(intervals__0__warm_up=True))[0]
    goodput = record.array("goodput_bps")
    assert goodput.dtype == float
    assert list(goodput[:3]) == [401e6, 402e6, 400e6]
    assert len(record.array("goodput_bps", warm_up=True)) == 20
    assert list(record.counters("sink.cpus.cycles")[:3]) == [0, 1e9, 2e9]
    assert np.isnan(record.counters("sink.cpus.bytes")).all()


def test_frames():
    pandas = pytest.importorskip("pandas")
    records = parse(run(), run(500e6, 2000))
    frame = records.frame()
    assert list(frame["source.config.size_bytes"]) == [1000, 2000]
    assert list(frame["goodput_bps"]) == [401e6, 501e6]
    assert list(frame["route.device"]) == ["eth0", "eth0"]
    intervals = records[0].frame()
    assert isinstance(intervals, pandas.DataFrame)
    assert intervals["to_s"].iloc[-1] == pytest.approx(2)


def paths():
    """Every path that keys.py names."""
    for name, value in vars(keys).items():
        if not name.isupper() or isinstance(value, int):
            continue
        for one in [value] if isinstance(value, str) else value:
            yield one if isinstance(one, str) else one[0]
    for key, _ in keys.INTERVAL.values():
        yield f"{keys.INTERVALS}.{key}"


@pytest.mark.parametrize("path", sorted(set(paths()) - set(keys.INTERVAL)))
def test_every_key_is_one_of_the_schemas(path):
    """One that is not there was renamed there, and not here."""
    if path in NOT_OF_THE_SCHEMAS:
        return
    for word in path.rstrip(".").split("."):
        assert f'"{word}"' in SCHEMAS


MEASURE = Path(__file__).parents[3] / "Documentation/measure"
SCHEMAS = "".join((MEASURE / name).read_text()
                  for name in ("record.schema.json", "ladder.schema.json"))
#: Of ping-pongs, their sweeps, lists, comparisons and the commands of a scenario, which
#: have no schema; and what a record may come to say.
NOT_OF_THE_SCHEMAS = {
    keys.COMMAND_RUN, keys.SWEEP, keys.SWEEP_SIZES, keys.SUMMARY, keys.LIST, keys.MESH,
    keys.AB, keys.IMPROVE, keys.LOAD, keys.LATENCY_MEDIAN, keys.LATENCY_P99,
    *keys.COMPARISON, keys.ROUND_TRIPS, keys.PER_TRIP,
    *(key for key, _ in keys.PERCENTILES), *(
        f"intervals.{key}" for key in (
            "round_trips_per_s", "latency_mean_ns", "latency_p50_ns", "latency_p99_ns",
            "timeouts"))}


def test_a_record_is_an_ordinary_object():
    record = parse(run())[0]
    assert isinstance(record, Record)
    assert record.number("result.span_ns") == 2e9
    assert record.text("route.device") == "eth0"
    assert record.list("intervals")[0]["from_ns"] == 0
    assert math.isnan(record.number("result.valid"))
