# SPDX-License-Identifier: GPL-2.0
"""Records that tests are made of."""

import copy
import io
import json

import ktput


def config(size):
    return {"transport": "udp", "size_bytes": size, "cookie": size}


def cpu(number, time_ns, idle_ns, cycles):
    return {"cpu": number, "time_ns": time_ns, "idle_ns": idle_ns, "cycles": cycles}


#: Two intervals of a second; the first has a third of its time idle.
RECORD = {
    "source": {"config": config(100)},
    "sink": {"config": config(100), "begin": {
        "cpus": [cpu(0, 1000, 0, 10), cpu(1, 1000, 500, 0)]}},
    "route": {"mtu_bytes": 1500},
    "intervals": [
        {"from_ns": 0, "to_ns": 10**9, "bytes": 1000, "packets_per_s": 10, "sink": {
            "cpus": [cpu(1, 4000, 1500, 300), cpu(0, 4000, 3000, 310)]}},
        {"from_ns": 10**9, "to_ns": 2 * 10**9, "bytes": 3000, "packets_per_s": 30,
         "sink": {"cpus": [cpu(0, 5000, 3000, 410), cpu(1, 5000, 2500, 400)]}}],
    "result": {"valid": True, "interrupted": False, "goodput_bps": 16000,
               "wire": {"ceiling_bps": 20000, "share": 0.8}},
}


def stream(*documents):
    """Return a file of documents; one that is text stands as it is."""
    lines = [one if isinstance(one, (str, bytes)) else json.dumps(one)
             for one in documents]
    content = b"\n".join(one.encode() if isinstance(one, str) else one
                         for one in lines)
    found = io.BytesIO(content)
    found.name = "f"
    return found


def parse(*documents):
    """Read documents."""
    return ktput.read(stream(*documents))


def run(goodput=400e6, size=1000, **changes):
    """Return a run of 20 intervals around a goodput, with members by their paths."""
    def cpus(i):
        return [cpu(0, i * 10**8, i * 4 * 10**7, i * 10**9)]

    def interval(i):
        rate = goodput + i % 3 * 1e6
        return {"from_ns": i * 10**8, "to_ns": (i + 1) * 10**8, "goodput_bps": rate,
                "bytes": rate / 80, "busy_share": 0.6, "retransmissions": 0,
                "source": {"streams": [{"stream": 0, "tcp": {
                    "rtt_us": 500 + i, "rtt_min_us": 400,
                    "congestion_window_segments": 10,
                    "slow_start_threshold_segments": 2147483647}}]},
                "sink": {"cpus": cpus(i + 1)}}

    record = {
        "record_version": 1,
        "command": ["start", "size", str(size), "record", "x", "replace"],
        "source": {"config": {"transport": "tcp", "layer": "socket",
                              "size_bytes": size, "cookie": int(goodput)}},
        "sink": {"config": {"layer": "socket"}, "begin": {"cpus": cpus(0)}},
        "route": {"device": "eth0", "mtu_bytes": 1500},
        "environment": {"kernel": "6.1", "cpu": "<b>one & 'two'</b>"},
        "intervals": [interval(i) for i in range(20)],
        "result": {"reason": "time", "goodput_bps": goodput + 1e6, "bytes": 1,
                   "span_ns": 2e9, "valid": True, "interrupted": False,
                   "busy_cycles_per_byte": 4e10 / goodput if goodput else None,
                   "cpus": [{"cpu": 0, "cycles": 2e10, "busy_cycles": 1.2e10}],
                   "wire": {"ceiling_bps": 949e6, "share": goodput / 949e6}}}
    return change(record, **changes)


def runs(goodputs, first=0, step=2):
    """Return runs that began one after the other, so that others fit between."""
    return [run(one, intervals=[],
                source__begin={"run": {"begun_ns": (first + step * i + 1) * 10**9}})
            for i, one in enumerate(goodputs)]


def change(record, **changes):
    """Return a copy with members by paths, whose dots are double underscores."""
    record = copy.deepcopy(record)
    for path, value in changes.items():
        *way, last = path.split("__")
        holder = record
        for key in way:
            holder = holder[int(key) if isinstance(holder, list) else key]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
    return record
