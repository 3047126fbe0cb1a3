# SPDX-License-Identifier: GPL-2.0
"""A run in the JSON of iperf3: its keys, and what they hold."""

import json

import pytest

import ktput
from ktput.output import CommandError
from ktput.record import at
from ktput.report import iperf3
from ktput.report.main import run as report

from .samples import parse

#: Keys of iperf3 -J, 3.12, of a client, by where they are; of TCP and of UDP.
START = {"connected", "connecting_to", "cookie", "rcvbuf_actual", "sndbuf_actual",
         "sock_bufsize", "system_info", "target_bitrate", "tcp_mss_default",
         "test_start", "timestamp", "version"}
TEST = {"blksize", "blocks", "bytes", "duration", "num_streams", "omit", "protocol",
        "reverse", "target_bitrate", "tos"}
CONNECTED = {"local_host", "local_port", "remote_host", "remote_port", "socket"}
SPAN = {"bits_per_second", "bytes", "end", "seconds", "sender", "start"}
TCP_STEP = SPAN | {"omitted", "pmtu", "retransmits", "rtt", "rttvar", "snd_cwnd",
                   "snd_wnd", "socket"}
SENDER = SPAN | {"max_rtt", "max_snd_cwnd", "max_snd_wnd", "mean_rtt", "min_rtt",
                 "retransmits", "socket"}
UDP = SPAN | {"jitter_ms", "lost_packets", "lost_percent", "out_of_order", "packets",
              "socket"}
END = {"cpu_utilization_percent", "receiver_tcp_congestion", "sender_tcp_congestion",
       "streams", "sum", "sum_received", "sum_sent"}


def tcp(i, count, again, rtt):
    return {"stream": i, "bytes": count, "local": f"10.0.0.1:{4000 + i}",
            "remote": "10.0.0.2:5001", "tcp": {
                "retransmissions": again, "rtt_us": rtt, "rtt_deviation_us": 3,
                "congestion_window_segments": 10, "send_mss_bytes": 1448,
                "send_window_bytes": 65536, "path_mtu_bytes": 1500}}


def taken(i, peer, count):
    return {"stream": i, "bytes": count, "local": "10.0.0.2:5001",
            "remote": f"10.0.0.1:{4000 + peer}"}


def record(transport="tcp", **changes):
    """Return a run of two seconds; the first is a warm-up."""
    return {
        "source": {"config": {"transport": transport, "layer": "user", "streams": 2,
                              "size_bytes": 1000, "cookie": 77, "time_ns": 2 * 10**9,
                              "remote": "10.0.0.2", "remote_port": 5001,
                              "pace_bytes_per_s": 125000, "congestion": "bbr"},
                   "begin": {"streams": []}},
        "sink": {"config": {"rcvbuf_bytes": 4096}},
        "environment": {"kernel": "6.1"},
        "intervals": [], "result": {
            "valid": True, "interrupted": False, "bytes": 5000, "span_ns": 2 * 10**9,
            "retransmissions": 3, "source_call_cycles_per_byte": 2,
            "cpus": [{"cpu": 0, "cycles": 40000}]}, **changes}


def tcp_record():
    return record(intervals=[
        {"from_ns": 0, "to_ns": 10**9, "warm_up": True, "source": {
            "streams": [tcp(0, 1000, 1, 100), tcp(1, 500, 0, 80)]}},
        {"from_ns": 10**9, "to_ns": 2 * 10**9, "source": {
            "run": {"begun_ns": 7 * 10**9, "ended_ns": 9 * 10**9},
            "streams": [tcp(0, 3000, 1, 200), tcp(1, 2500, 2, 90)]},
         "sink": {"streams": [taken(0, 1, 2000), taken(1, 0, 3000)]}}])


def of(document):
    return iperf3.document_of(parse(document).runs[0])


def test_tcp():
    found = of(tcp_record())
    assert set(found["start"]) <= START
    assert set(found["start"]["test_start"]) <= TEST
    assert found["start"]["connected"] == [
        {"socket": 5 + i, "local_host": "10.0.0.1", "local_port": 4000 + i,
         "remote_host": "10.0.0.2", "remote_port": 5001} for i in (0, 1)]
    assert set(found["start"]["connected"][0]) == CONNECTED
    assert found["start"]["target_bitrate"] == 1000000
    assert found["start"]["connecting_to"] == {"host": "10.0.0.2", "port": 5001}
    test = found["start"]["test_start"]
    assert (test["protocol"], test["num_streams"], test["blksize"], test["duration"]) \
        == ("TCP", 2, 1000, 2)
    first, second = found["intervals"]
    assert [one["sum"]["omitted"] for one in (first, second)] == [True, False]
    assert first["streams"][0] == {
        "socket": 5, "start": 0, "end": 1, "seconds": 1, "bytes": 1000,
        "bits_per_second": 8000, "omitted": True, "sender": True, "retransmits": 1,
        "snd_cwnd": 14480, "snd_wnd": 65536, "rtt": 100, "rttvar": 3, "pmtu": 1500}
    assert set(first["streams"][0]) == TCP_STEP
    # Of the interval alone.
    assert [(one["bytes"], one["retransmits"]) for one in second["streams"]] == [
        (2000, 0), (2000, 2)]
    assert (second["sum"]["bytes"], second["sum"]["retransmits"]) == (4000, 2)
    end = found["end"]
    assert set(end) <= END
    sender, receiver = (end["streams"][1][key] for key in ("sender", "receiver"))
    assert set(sender) == SENDER
    assert (sender["bytes"], sender["retransmits"], sender["min_rtt"],
            sender["mean_rtt"], sender["max_rtt"]) == (2000, 2, 80, 85, 90)
    # Streams of a sink are numbered as they come: the ports tell which is which.
    assert receiver["bytes"] == 2000
    # Totals leave the warm-up out, as those of the record do.
    assert found["start"]["test_start"]["omit"] == 1
    assert (end["sum_sent"]["bytes"], end["sum_sent"]["retransmits"]) == (4000, 3)
    # What arrives may take longer than it took to send.
    assert (end["sum_sent"]["seconds"], end["sum_sent"]["bits_per_second"]) == (
        1, 32000)
    assert (end["sum_received"]["bytes"], end["sum_received"]["bits_per_second"]) == (
        5000, 20000)
    assert end["sender_tcp_congestion"] == "bbr"
    assert end["cpu_utilization_percent"] == {"host_total": 25}


def udp(i, count, received=None):
    return {"stream": i, "bytes": 1000 * count, "messages": count,
            "local": f"10.0.0.1:{4000 + i}", "remote": "10.0.0.2:5001",
            "datagrams": {"received": received, "jitter_ns": 2000000, "reordered": 1}}


def test_udp():
    found = of(record("udp", intervals=[
        {"from_ns": 0, "to_ns": 2 * 10**9,
         "source": {"streams": [udp(0, 8), udp(1, 4)]},
         "sink": {"streams": [udp(0, 0, 6), udp(1, 0, 4)]}}], result={
             "valid": True, "interrupted": False, "bytes": 10000, "span_ns": 2 * 10**9,
             "datagrams": {"sent": 12, "lost": 2, "loss_share": 1 / 6,
                           "jitter_ns": 1000000}}))
    assert found["start"]["test_start"]["protocol"] == "UDP"
    (step,) = found["intervals"]
    assert [one["packets"] for one in step["streams"]] == [8, 4]
    assert (step["sum"]["packets"], step["sum"]["bytes"]) == (12, 12000)
    first, second = (one["udp"] for one in found["end"]["streams"])
    assert set(first) == UDP
    assert (first["packets"], first["lost_packets"], first["lost_percent"],
            first["jitter_ms"], first["out_of_order"]) == (8, 2, 25, 2, 1)
    assert second["lost_packets"] == 0
    for key in ("sum", "sum_received"):
        total = found["end"][key]
        assert (total["bytes"], total["packets"], total["lost_packets"],
                total["jitter_ms"]) == (10000, 12, 2, 1)
        assert total["lost_percent"] == pytest.approx(16.667, abs=1e-3)
    assert found["end"]["sum_sent"]["bytes"] == 12000


@pytest.mark.parametrize(("changes", "says"), [
    ({"result": {"valid": True, "interrupted": False, "round_trips_per_s": 5}},
     "iperf3 has no round trips"), ({"source": None}, "the record has a sink alone")])
def test_what_iperf3_has_no_form_for(changes, says):
    with pytest.raises(CommandError, match=says):
        of(record(**changes))


def test_without_streams():
    found = of(record(intervals=[{"from_ns": 0, "to_ns": 10**9, "bytes": 1000,
                                  "retransmissions": 2}]))
    (step,) = found["intervals"]
    assert step["streams"] == []
    assert (step["sum"]["bytes"], step["sum"]["retransmits"]) == (1000, 2)
    assert found["end"]["sum_sent"]["bytes"] == 5000


def test_nothing_is_known():
    found = of(record(result={"valid": True, "interrupted": False}))
    assert found["intervals"] == []
    assert found["end"]["streams"] == []
    json.dumps(found)


#: What the record says as well, of what iperf3 prints.
SAME = ("start.test_start", "start.connecting_to", "start.connected",
        "start.target_bitrate", "intervals", "end.sum_sent.retransmits",
        "end.sum_received.bytes", "end.sum_received.bits_per_second",
        "end.sender_tcp_congestion")


def foreign(document):
    """Return the record of what iperf3 printed."""
    (found,) = parse(document).runs
    return found


def test_what_it_printed_is_a_record():
    printed = of(tcp_record())
    printed["start"]["tcp_mss_default"] = 1448
    found = foreign(printed)
    assert (found.why_not, found.transport, found.goodput_bps) == (None, "tcp", 20000)
    assert found.text("source.config.engine") == "iperf3"
    assert [(one.warm_up, one.bytes, one.retransmissions) for one in found.intervals] \
        == [(True, 1500, 1), (False, 4000, 2)]
    last = found.list("intervals")[-1]["source"]["streams"]
    # As counters, from the begin of the run on.
    assert [(one["bytes"], one["tcp"]["retransmissions"], one["tcp"]["rtt_us"])
            for one in last] == [(3000, 1, 200), (2500, 2, 90)]
    again = of(found.root)
    for path in SAME:
        assert at(again, path) == at(printed, path), path


def test_udp_that_it_printed():
    printed = of(record("udp", intervals=[
        {"from_ns": 0, "to_ns": 2 * 10**9, "source": {"streams": [udp(0, 12)]},
         "sink": {"streams": [udp(0, 0, 10)]}}], result={
             "valid": True, "interrupted": False, "bytes": 10000, "span_ns": 2 * 10**9,
             "datagrams": {"sent": 12, "lost": 2, "loss_share": 0.25,
                           "jitter_ns": 1000000}}))
    found = foreign(printed)
    assert (found.transport, found.goodput_bps) == ("udp", 40000)
    assert found.root["result"]["datagrams"] == {
        "sent": 12, "lost": 2, "loss_share": 0.25, "jitter_ns": 1000000}
    (step,) = found.intervals
    assert (step.packets_per_s, step.bytes) == (6, 12000)


@pytest.mark.parametrize(("reverse", "server", "end"), [
    (0, False, "source"), (1, False, "sink"), (0, True, "sink"), (1, True, "source")])
def test_which_end_printed_it(reverse, server, end):
    printed = of(tcp_record())
    printed["start"]["test_start"]["reverse"] = reverse
    if server:
        printed["start"]["accepted_connection"] = {"host": "10.0.0.2", "port": 1}
    found = foreign(printed)
    assert all(set(one) & {"source", "sink"} == {end}
               for one in found.list("intervals"))
    assert (found.text("source.config.remote") == "10.0.0.2") == (end == "source")


def test_a_server_that_sends_knows_what_it_sent():
    printed = of(tcp_record())
    printed["end"]["sum_received"].update(bytes=0, bits_per_second=0)
    assert foreign(printed).goodput_bps == 32000


def test_what_it_failed_at():
    found = foreign({"start": {"connected": [], "version": "iperf 3.12"},
                     "intervals": [], "end": {}, "error": "unable to connect"})
    assert found.why_not == "iperf3 said: unable to connect"
    with pytest.raises(ktput.RecordError, match="1: is of iperf3, and has no result"):
        foreign({"start": {}, "intervals": [], "end": {}})
    with pytest.raises(ktput.RecordError, match="two runs in one"):
        foreign({"start": {}, "intervals": [], "end": {
            "sum_sent": {"bytes": 1}, "sum_sent_bidir_reverse": {"bytes": 1}}})


def test_no_control_characters_of_it():
    printed = of(tcp_record())
    printed["error"] = "\x1b[2Jgone"
    assert foreign(printed).why_not == "iperf3 said:  [2Jgone"


def test_pictures_and_pages_of_it(tmp_path, capsys):
    file = tmp_path / "i.json"
    file.write_text(json.dumps(of(tcp_record()), indent=2))
    for words in (["html", str(file), "out", str(tmp_path / "page.html")],
                  ["plot", "rate", str(file), "out", str(tmp_path / "rate.svg")],
                  ["csv", str(file)]):
        assert report(words, "1") == 0
    assert "iperf3" in (tmp_path / "page.html").read_text()
    assert ",tcp,iperf3,user," in capsys.readouterr().out


def test_command(tmp_path, capsys):
    file = tmp_path / "r"
    file.write_text(json.dumps(tcp_record()) + "\n")
    assert report(["iperf3", str(file)], "1") == 0
    assert json.loads(capsys.readouterr().out) == of(tcp_record())
    file.write_text(2 * (json.dumps(tcp_record()) + "\n"))
    assert report(["iperf3", str(file)], "1") == 1
    assert "there are 2 runs in it: give a file of one" in capsys.readouterr().err
    assert report(["iperf3", str(file), str(file)], "1") == 2
