# SPDX-License-Identifier: GPL-2.0
"""Full load with runs that start and stop, for a long time; see soak.sh.

usage: soak.py MINUTES STOP A B C D

TCP from the network namespace A to B, UDP and frames from C to D, until the
time is over or a file STOP is there. Prints two results of the KTAP whose plan
is printed already.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time

import remains

MINUTES, STOP = float(sys.argv[1]), sys.argv[2]
ONES = (("netns", sys.argv[3], "sink-netns", sys.argv[4], "to", "10.1.0.2"),
        ("netns", sys.argv[5], "sink-netns", sys.argv[6], "to", "10.2.0.2"))
# Each is TCP over the first pair.
TCP = ("start", "start streams 8 method copy sink-method copy",
       "start streams 64 sink-method trunc", "start size 100 nodelay",
       "pingpong reply callback", "start layer user sink-layer user")
# Each is datagrams over the second.
UDP = ("start udp", "start udp method direct streams 4", "start udp sink-method trunc",
       "start udp segments 20 method copy",
       "start udp layer queue sink-layer ingress",
       "start udp layer driver sink-layer ingress burst 16",
       "start udp layer driver sink-layer xdp",
       "start udp layer queue sink-layer socket size 1400",
       "pingpong udp timeout 10 reply callback",
       "pingpong udp timeout 10 layer driver")


class Loop(threading.Thread):
    """One ktput-ctl after the other."""

    def __init__(self, ends, commands):
        super().__init__()
        self.ends, self.commands = ends, commands
        self.runs = self.bytes = self.compared = 0
        self.faults = []
        self.over = False

    def run(self):
        for command in itertools.cycle(self.commands):
            if self.over:
                return
            self.one(command)

    def one(self, command):
        """A run and all that has counted it."""
        words = ["ktput-ctl", "-j", *command.split(), *self.ends,
                 "time", f"{random.uniform(0.3, 3):.2f}"]
        done = subprocess.run(words, text=True, capture_output=True,
                              check=False)
        self.runs += 1
        try:
            result = json.loads(done.stdout)["result"]
            if done.returncode or not result["valid"]:
                self.faults.append(f"{command}: {result['invalid_because']}")
            items = result.get("reconciliation", [])
            for item in items:
                if not item["agrees"]:
                    self.faults.append(f"{command}: {item}")
            if " udp" in command:
                self.packets(items, result, command)
            self.compared += len(items)
            self.bytes += result.get("bytes", 0)
        except (ValueError, KeyError):
            self.faults.append(f"{' '.join(words)}: {done.returncode}: "
                               f"{done.stderr.strip()}")

    def packets(self, items, result, command):
        """Devices count what the source has sent, no less and no more.

        It is not expected to be less for what the device has dropped and the
        source has therefore not called sent.
        """
        counts = {item["what"]: item for item in items}
        sent = counts.get("packets sent by the device")
        got = counts.get("packets received by the device")
        if not sent or not got:
            return
        expected = sent["expected"] + result["datagrams"]["source_drops"]
        if not expected == sent["counted"] == got["counted"]:
            self.faults.append(f"{command}: {sent} {got}")


def say(loops, began):
    """What there is so far."""
    print(f"# {(time.monotonic() - began) / 60:.1f} min: "
          f"{sum(loop.runs for loop in loops)} runs, "
          f"{sum(loop.bytes for loop in loops)} bytes, "
          f"{sum(loop.compared for loop in loops)} counts compared, "
          f"{sum(len(loop.faults) for loop in loops)} disagreed; slab "
          f"{remains.memory('Slab')} KiB, available "
          f"{remains.memory('MemAvailable')} KiB",
          flush=True)


def both():
    """A loop over each pair."""
    return [Loop(ends, commands) for ends, commands in zip(ONES, (TCP, UDP))]


def load():
    """Both loops, until the time is over; their results."""
    loops, began = both(), time.monotonic()
    for loop in loops:
        loop.start()
    said = began
    while time.monotonic() - began < 60 * MINUTES and not os.path.exists(STOP):
        time.sleep(0.5)
        if time.monotonic() - said >= 30:
            said += 30
            say(loops, began)
    for loop in loops:
        loop.over = True
    for loop in loops:
        loop.join()
    say(loops, began)
    return loops


def main():
    """A round of everything, and then all the time."""
    kernel = remains.Kmsg()
    warm_up = both()
    for loop in warm_up:
        for command in loop.commands:
            loop.one(command)
    before, began = remains.Memory(), time.monotonic()
    loops = load()
    took = (time.monotonic() - began) / 60
    faults = [fault for loop in warm_up + loops for fault in loop.faults]
    faults += kernel.complaints()
    runs = sum(loop.runs for loop in loops)
    for fault in faults[:20]:
        print("#", fault)
    print(f"{'not ' * bool(faults)}ok 1 {took:.1f} min, {runs} runs: "
          "all counts agree")
    try:
        before.flat(runs)
    except AssertionError as fault:
        print("not ok 2 memory is flat")
        print("#", fault)
        return 1
    print("ok 2 memory is flat")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
