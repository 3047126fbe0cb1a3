#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Every figure of a result, against derive.py, which derives it from the counters.

The runs are within a namespace, and from it to another at 10.77.0.2 over a link
that loses datagrams. They are of the engine in user space, and in a VM of the
module too. Each prints its text and leaves its record; both have to say what
derive.py makes of the counters.
"""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../lib")
import derive
from derive_statistics import interval_of, mean, sigma
from ktput import Skip, Tests, equal
from testbed import enter, module, need, shell, succeeds, veth_pair

PEER_ADDRESS = "10.77.0.2"
PREFIXES = ("", "k", "M", "G", "T", "P")
# Figures that any record has to have.
AT_LEAST = 25

need("ip", "tc", "modprobe")
# The engine in user space measures the same without the module.
MODULE = os.environ.get("KTPUT_VM") == "1"
if MODULE:
    enter(module())
_, peer = enter(veth_pair("10.77.0"))
LOSES = succeeds("modprobe -q sch_netem && "
                 "tc qdisc add dev veth0 root netem loss 5%")
# A loopback device of an Ethernet's MTU has fragments.
shell("ip link set lo mtu 1500")
tests = Tests()
directory = tempfile.TemporaryDirectory()
# Records of start.
started = []


def command(*words, status=0):
    """What a command prints."""
    done = subprocess.run(words, check=False, text=True, capture_output=True)
    assert done.returncode == status, \
        f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}"
    return done.stdout


def measure(*words):
    """Text and records of a run."""
    path = os.path.join(directory.name, "record")
    if os.path.exists(path):
        os.unlink(path)
    text = command("ktput-ctl", "-s", *words, "record", path)
    with open(path, encoding="utf-8") as file:
        return text, [json.loads(line) for line in file]


def decimal(value, unit=""):
    """A number with the prefix that is printed."""
    prefix = 0
    while abs(value) >= 999.995 and prefix + 1 < len(PREFIXES):
        value, prefix = value / 1000, prefix + 1
    if not prefix and value == math.floor(value):
        return f"{value:.0f} {unit}".strip()
    between = " " if prefix or unit else ""
    return f"{value:.2f}{between}{PREFIXES[prefix]}{unit}"


def says(text, *lines):
    """The text has all these lines, however wide its columns are."""
    have = re.sub(r"\s+", " ", text)
    for line in lines:
        assert re.sub(r"\s+", " ", line).strip() in have, \
            f"it does not say '{line}', but:\n{text}"


def agrees(document, derived):
    """The record has all DERIVED figures."""
    count, wrong = derive.differences(document, derived)
    assert not wrong, "\n".join(wrong)
    assert count >= AT_LEAST, f"{count} figures alone"


def rates_in_text(text, document):
    """What start prints beside tables."""
    result = document["result"]
    says(text, f"Goodput {decimal(result['goodput_bps'], 'b/s')}, "
         f"{result['bytes']} bytes in {result['span_ns'] / 1e9:.6f} s",
         f"Busy cycles {result['busy_cycles_per_byte']:.4f} per byte",
         f"Source calls {result['source_call_cycles_per_byte']:.4f} per byte")
    if "sink" in document:
        says(text, "Sink calls "
             f"{result['sink_call_cycles_per_byte']:.4f} per byte")
    for row in result["cpus"]:
        says(text, f"{row['cpu']} {row['busy_share'] * 100:.1f}% "
             f"{row['source_call_cycles']} {row['sink_call_cycles']} "
             f"{row['busy_cycles']:.0f} {row['busy_cycles_per_byte']:.4f}")
    known = [row for row in result["ceilings"] if "ceiling_bps" in row]
    least = min(known, key=lambda row: row["ceiling_bps"], default=None)
    for row in known:
        says(text, f"{decimal(row['ceiling_bps'], 'b/s')} "
             f"{row['share'] * 100:.2f}% reached" + ", the least" * (row is least))
    if known:
        titles = {"cpu": "CPU", "send_buffer": "send buffer",
                  "ethernet": "Ethernet", "atm": "ATM"}
        which = result["binding"]
        title = titles.get(which, which)
        bound = [row for row in known if row["name"] == which]
        if which == "loss" and "datagrams" in result:
            lost = result["datagrams"]["loss_share"]
            says(text, f"Bottleneck loss: {lost * 100:.2f}% of the datagrams were lost, "
                 "most by")
        elif which == "none":
            says(text, f"Bottleneck {result['binding_because']}")
        elif which in ("rate", "pace"):
            rate = next(row for row in known if row["name"] == "rate")
            says(text, f"Bottleneck rate: {rate['share'] * 100:.2f}% of it is reached")
        elif bound and which not in ("cpu", "window", "send_buffer"):
            says(text, f"Bottleneck {title}: {bound[0]['share'] * 100:.2f}% of it is "
                 "reached")
    for row in document["intervals"]:
        own = f"{row['own_share'] * 100:.1f}%" if "own_share" in row else "-"
        says(text, f"{row['from_ns'] / 1e9:.2f}-{row['to_ns'] / 1e9:.2f} "
             f"{row['bytes']} {decimal(row['goodput_bps'], 'b/s')} {own}")
    goodput = derive.at(result, "statistics.goodput_bps")
    if goodput and goodput["count"] > 1:
        sigma_percent = goodput["stability"] * 100
        digits = ".2g" if sigma_percent < 99.5 else ".0f"
        says(text, f"mean {decimal(goodput['mean'], 'b/s')}, sigma "
             f"{sigma_percent:{digits}}%, median {decimal(goodput['median'], 'b/s')}")


def transport_in_text(text, document):
    """What start prints of TCP, or of datagrams."""
    result = document["result"]
    if "datagrams" not in result:
        says(text, f"Messages {decimal(result['messages_per_s'])}/s",
             f"Retransmissions {result['retransmissions']} segment" +
             "s" * (result["retransmissions"] != 1),
             f"Round-trip time {result['rtt_us']:.0f} us smoothed, "
             f"{result['rtt_min_us']} us at least",
             f"Wire rate {decimal(result['wire']['rate_bps'], 'b/s')} as full "
             f"Ethernet frames, {result['wire']['efficiency'] * 100:.2f}%",
             f"{result['wire']['payload_bytes']} bytes of payload per frame")
        return
    datagrams = result["datagrams"]
    says(text, f"Packets {decimal(result['packets_per_s'])}/s, "
         f"{result['packets']} datagrams",
         f"Wire rate {decimal(result['wire']['rate_bps'], 'b/s')} at layer 1, "
         f"{decimal(result['wire']['frame_rate_bps'], 'b/s')} at layer 2",
         f"{decimal(result['wire']['frames_per_s'])} frames/s",
         f"Sent {datagrams['sent']} datagrams")
    if "sink" in document:
        says(text, f"Lost {datagrams['lost']} "
             f"({datagrams['loss_share'] * 100:.4g}%)",
             f"Order {datagrams['reordered']} reordered, "
             f"{datagrams['duplicates']} duplicates, {datagrams['late']} late")
    if "delay_mean_ns" in datagrams:
        says(text, f"One-way delay {datagrams['delay_mean_ns'] / 1e3:.1f} us, "
             f"{datagrams['delay_min_ns'] / 1e3:.1f} to "
             f"{datagrams['delay_max_ns'] / 1e3:.1f} us, jitter "
             f"{datagrams['jitter_ns'] / 1e3:.1f} us")


def reports():
    """What is shown of all records, and the table of their intervals."""
    path = os.path.join(directory.name, "all")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in started)
    says(command("ktput-ctl", "show", path),
         *(decimal(document["result"]["goodput_bps"], "b/s")
           for document in started))
    intervals = [interval for document in started
                 for interval in document["intervals"]]
    rows = list(csv.DictReader(
        command("ktput-report", "csv", path).splitlines()))
    equal(len(rows), len(intervals), what="intervals")
    for row, interval in zip(rows, intervals):
        for name, value in (("from_s", interval["from_ns"] / 1e9),
                            ("to_s", interval["to_ns"] / 1e9),
                            ("bytes", interval["bytes"]),
                            ("goodput_bps", interval["goodput_bps"]),
                            ("busy_share", interval["busy_share"])):
            assert abs(float(row[name]) - value) <= 1e-6 * abs(value), \
                f"{name} of an interval: {row[name]}, not {value}"


def start(*words, check=None):
    """A run of start says what it counted."""
    text, documents = measure("start", *words)
    agrees(documents[0], derive.start(documents[0]))
    rates_in_text(text, documents[0])
    transport_in_text(text, documents[0])
    started.append(documents[0])
    if check:
        check(documents[0])


def pingpong(*words):
    """A run of pingpong says what it counted."""
    document = json.loads(command("ktput-ctl", "-s", "-j", "pingpong", *words))
    agrees(document, derive.pingpong(document))


def repeat(*words):
    """Of several runs the summary is that of their goodput."""
    printed = command("ktput-ctl", "-j", "start", *words, "repeat", "4")
    *runs, last = [json.loads(line) for line in printed.splitlines()]
    values = [run["result"]["goodput_bps"] for run in runs]
    summary = last["summary"]
    equal(len(values), 4, summary["runs"], summary["valid_runs"])
    goodput = summary["goodput_bps"]
    middle, spread = mean(values), sigma(values)
    low, high = interval_of(middle, spread, 4)
    for name, value in (("mean", middle), ("ci_low", low), ("ci_high", high),
                        ("sigma", spread)):
        assert abs(goodput[name] - value) <= 1e-6 * abs(value), \
            f"{name}: {goodput[name]}, derived {value}"


def figure(path, want):
    """A figure of the record is what it has to be."""
    def check(document):
        equal(derive.at(document, path), want, what=path)
    return check


def limited(name, low, high):
    """The limit of a NAME is reached from LOW to HIGH."""
    def check(document):
        shares = {row["name"]: row.get("share")
                  for row in document["result"]["ceilings"]}
        assert low <= shares[name] <= high, f"{name}: {shares[name]}"
    return check


def both(tool):
    """Ends that are both of TOOL's engine."""
    return ("layer", tool, "sink-layer", tool)


SHORT = ("time", "600ms", "interval", "60ms")


def add_runs(tool):
    """The same runs of an engine."""
    ends = both(tool)
    tests.add(f"{tool}: TCP after a warm-up", start, *ends, *SHORT, "warmup",
              "180ms")
    tests.add(f"{tool}: TCP, three streams of references to pages", start,
              *ends, *SHORT, "streams", "3", "method", "zerocopy",
              # Of a program's pages loopback makes copies, of the module's none.
              check=figure("result.copied_streams", 3 * (tool == "user")))
    tests.add(f"{tool}: bytes that three streams share", start, *ends,
              "interval", "60ms", "streams", "3", "bytes", "3000001",
              check=figure("result.bytes", 3000001))
    tests.add(f"{tool}: TCP with a send buffer, on a link of 100 Gb/s", start,
              *ends, *SHORT, "sndbuf", "64K", "link-rate", "100gbit")
    tests.add(f"{tool}: paced TCP on ATM", start, *ends, *SHORT, "pace",
              "80mbit", "link", "atm", "link-rate", "149.76mbit", "mss", "1460")
    tests.add(f"{tool}: UDP at a rate of packets", start, "udp", *ends, *SHORT,
              "rate", "1kpps", "size", "1000", "link-rate", "100mbit",
              check=limited("ethernet", 0, .1))
    tests.add(f"{tool}: UDP at a rate of bits, two streams", start, "udp",
              *ends, *SHORT, "rate", "16mbit", "streams", "2", "warmup",
              "120ms")
    tests.add(f"{tool}: UDP, fragments of IPv6", start, "udp", *ends, *SHORT,
              "rate", "200pps", "size", "5000", "to", "::1", "link-rate",
              "1gbit")
    tests.add(f"{tool}: UDP, eight datagrams per call", start, "udp", *ends,
              *SHORT, "rate", "4kpps", "segments", "8", "size", "1000")
    tests.add(f"{tool}: ping-pong over TCP", pingpong, *ends[:2], *SHORT)
    tests.add(f"{tool}: ping-pong over UDP", pingpong, "udp", *ends[:2], *SHORT)


def lost_some(document):
    """What netem dropped is counted as lost."""
    if not LOSES:
        raise Skip("the kernel has no sch_netem")
    assert document["result"]["datagrams"]["lost"] > 0, "none was lost"


add_runs("user")
tests.add("user: four runs in a row", repeat, *both("user"), "time", "200ms",
          "interval", "50ms")
tests.add("user: UDP with loss", start, "udp", *both("user"), *SHORT, "to",
          PEER_ADDRESS, "sink-netns", peer, "rate", "2kpps", "size", "500",
          check=lost_some)
if MODULE:
    add_runs("socket")
    tests.add("frames from the queue to the ingress hook", start, "udp", "layer",
              "queue", "sink-layer", "ingress", "to", PEER_ADDRESS,
              "sink-netns", peer, "size", "400", "rate", "2kpps", *SHORT)
    tests.add("frames from the driver to a socket", start, "udp", "layer",
              "driver", "sink-layer", "socket", "to", PEER_ADDRESS,
              "sink-netns", peer, "size", "400", "rate", "2kpps", *SHORT)

tests.add("reports of all of them", reports)

if __name__ == "__main__":
    sys.exit(tests.run())
