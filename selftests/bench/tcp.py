#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""tcp.py: instructions of TCP over loopback, ktput beside iperf3

usage: tcp.py MODULES RESULT

MODULES is a directory with ktput.ko and uncounted/ktput.ko, RESULT the JSON file
to write.

On one CPU that is kept busy, and whose clock advances a nanosecond with each
instruction, elapsed time is a count of instructions of both ends together. A
cell is measured REPEATS times, in turn with all others; its figure is the
median, and the spread from least to most is printed with it.
"""
import json
import statistics
import subprocess
import sys
import time

REPEATS = 3
WARM_UP = 0.5           # s, until buffers and windows have grown
SPAN = 1.0              # s measured
COUNT_BYTES = 256 << 20  # of a run that is measured from begin to end


def output(*command, status=(0,)):
    """Run a command and return what it prints; a failure foreseen is silent."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.DEVNULL if 1 in status else None)
    if done.returncode not in status:
        sys.exit(f"{' '.join(command)}: ended with {done.returncode}")
    return done.stdout


class Module:
    """A build of the module, loaded while the context lasts."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        output("insmod", self.path)

    def __exit__(self, *unused):
        output("rmmod", "ktput")


def ktput(size, *words):
    """Instructions a KiB and a message of a run in steady state."""
    document = json.loads(output(
        "ktput-ctl", "-j", "start", "size", str(size), "time",
        f"{WARM_UP + SPAN}s", "warmup", f"{WARM_UP}s", *words))
    result = document["result"]
    return (result["span_ns"] / (result["bytes"] / 1024),
            result["span_ns"] / result["messages"])


def iperf3(size, *words):
    """The same of iperf3, whose ends are two processes."""
    with subprocess.Popen(["iperf3", "-s", "-1"],
                          stdout=subprocess.DEVNULL) as server:
        while not output("ss", "-Htln", "sport = :5201"):
            time.sleep(0.05)
        document = json.loads(output(
            "iperf3", "-J", "-c", "127.0.0.1", "-l", str(size), "-t", str(SPAN),
            "-O", str(WARM_UP), *words))
        server.wait()
    end = document["end"]
    span_ns = end["sum_received"]["seconds"] * 1e9
    received = end["sum_received"]["bytes"]
    return span_ns / (received / 1024), span_ns / (received / size)


def from_begin_to_end():
    """Nanoseconds a KiB that the kernel took for a run of COUNT_BYTES."""
    document = json.loads(output(
        "ktput-ctl", "-j", "start", "bytes", str(COUNT_BYTES), "out",
        "zerocopy", "in", "zerocopy", status=(0, 1)))
    run = document["intervals"][-1]["source"]["run"]
    return (run["ended_ns"] - run["begun_ns"]) / (COUNT_BYTES / 1024)


# name, function, its arguments, peer, and the most it may be of the peer's.
CELLS = (
    ("iperf3 128 KiB", iperf3, (131072,), None, None),
    ("iperf3 -Z 128 KiB", iperf3, (131072, "-Z"), None, None),
    ("iperf3 64 B", iperf3, (64,), None, None),
    ("copy out, copy in, 128 KiB", ktput,
     (131072, "out", "copy", "in", "copy"), "iperf3 128 KiB", None),
    ("copy out, read_sock in, 128 KiB", ktput,
     (131072, "out", "copy", "in", "zerocopy"), "iperf3 128 KiB", None),
    ("pages out, MSG_TRUNC in, 128 KiB", ktput,
     (131072, "out", "zerocopy", "in", "trunc"), "iperf3 128 KiB", None),
    ("pages out, read_sock in, 128 KiB", ktput,
     (131072, "out", "zerocopy", "in", "zerocopy"), "iperf3 128 KiB", 1 / 3),
    ("copy out, copy in, 64 B", ktput,
     (64, "out", "copy", "in", "copy"), "iperf3 64 B", None),
    ("pages out, read_sock in, 64 B", ktput,
     (64, "out", "zerocopy", "in", "zerocopy"), "iperf3 64 B", 1 / 5),
)


def measure(module):
    """Figures of all cells, by name: a list of (per KiB, per message)."""
    figures = {cell[0]: [] for cell in CELLS}
    with Module(f"{module}/ktput.ko"):
        for turn in range(REPEATS):
            for name, function, words, _, _ in CELLS:
                print(f"bench: {turn + 1} of {REPEATS}: {name}",
                      file=sys.stderr, flush=True)
                figures[name].append(function(*words))
    return figures


def counting(modules):
    """Nanoseconds a KiB with counting and without, in turn."""
    builds = {"counted": "ktput.ko", "uncounted": "uncounted/ktput.ko"}
    figures = {build: [] for build in builds}
    for turn in range(REPEATS):
        for build, path in builds.items():
            print(f"bench: {turn + 1} of {REPEATS}: {build}", file=sys.stderr,
                  flush=True)
            with Module(f"{modules}/{path}"):
                from_begin_to_end()
                figures[build].append(from_begin_to_end())
    return figures


def verdict(ratio, most):
    """What a ratio means beside the most that it may be."""
    if most is None:
        return ""
    return f"at most {most:.3f}: {'met' if ratio <= most else 'MISSED'}"


def main():
    """Measure, print and save."""
    modules, result = sys.argv[1:]
    figures = measure(modules)
    median = {name: [statistics.median(column) for column in zip(*rows)]
              for name, rows in figures.items()}
    cells = []
    print("\nTCP over loopback, one CPU: instructions of both ends")
    print(f"{'':34}{'a KiB':>10}{'spread':>8}{'a message':>12}"
          f"{'of iperf3':>10}")
    for name, _, words, peer, most in CELLS:
        per_kib, per_message = median[name]
        values = [row[0] for row in figures[name]]
        spread = (max(values) - min(values)) / per_kib
        # The target of small messages is per message; the ratio is the same.
        ratio = per_message / median[peer][1] if peer else None
        print(f"{name:34}{per_kib:10.1f}{spread:8.2%}{per_message:12.1f}"
              f"{'' if ratio is None else f'{ratio:10.3f}'} "
              f"{verdict(ratio, most)}".rstrip())
        cells.append({"name": name, "size_bytes": words[0],
                      "instructions_per_kib": per_kib,
                      "instructions_per_message": per_message,
                      "samples_per_kib": values, "peer": peer,
                      "ratio": ratio, "target_ratio": most})
    counts = counting(modules)
    with_, without = (statistics.median(counts[build])
                      for build in ("counted", "uncounted"))
    cost = with_ / without - 1
    print(f"\nCounting, pages out, read_sock in: {with_:.1f} with, "
          f"{without:.1f} without: {cost:+.2%} (at most 2.00%: "
          f"{'met' if cost <= 0.02 else 'MISSED'})")
    with open(result, "w", encoding="ascii") as file:
        json.dump({"tcp": cells, "counting": {
            "samples_per_kib": counts, "cost": cost, "target": 0.02}},
            file, indent=2)
        file.write("\n")
    print(f"saved in {result}")


if __name__ == "__main__":
    main()
