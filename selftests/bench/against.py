#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""against.py: A against A with real runs: how often is a difference claimed?

usage: against.py [PAIRS [RUNS [TIME]]]

Makes two sides of RUNS runs each (3), in turn, that are alike: TCP over loopback from
user space to user space, for TIME each (50ms). Compares them as ktput-report diff does,
PAIRS times (200), and prints how often it claims a difference of goodput. ktput-ctl is
the one of PATH.

exit: 0 at most 7 % claims, 1 more, or a run failed, 2 usage
"""

import json
import math
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/lab"))
from ktput.record import Record  # noqa: E402
from ktput.report.diff import Side, rows_of  # noqa: E402

CLAIMS_MAX = 0.07


def made(name, time):
    """A run's record."""
    done = subprocess.run(
        ("ktput-ctl", "-j", "start", "layer", "user", "sink-layer", "user",
         "time", time), capture_output=True, text=True, check=True)
    return Record(json.loads(done.stdout), name, 1, math.nan)


def main(pairs="200", runs="3", time="50ms"):
    """Compare, and print."""
    pairs, runs = int(pairs), int(runs)
    claims = 0
    for i in range(pairs):
        rounds = [(made("A", time), made("B", time)) for _ in range(runs)]
        a, b = (Side(name, [one[side] for one in rounds], {})
                for side, name in enumerate("AB"))
        claims += bool(rows_of(a, b)[0].distinguishable)
        print(f"\r{i + 1} pairs, {claims} claims", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"A against A: {pairs} pairs of {runs} runs a side, {claims} claims, "
          f"{claims / pairs:.1%}")
    return claims > CLAIMS_MAX * pairs


if len(sys.argv) > 4 or not all(word.isdigit() for word in sys.argv[1:3]):
    print(__doc__, file=sys.stderr)
    sys.exit(2)
sys.exit(main(*sys.argv[1:]))
