# SPDX-License-Identifier: GPL-2.0
"""rungs.py: the table of the ladder as JSON, for tests that count by it.

usage: PYTHONPATH=LAB python3 - <rungs.py

As a file it would find ktput.py of this directory, not the package.
"""

import json

from ktput.ladder.rungs import RUNGS, STEPS

TABLE = {
    "rungs": [{"group": rung.group.key, "name": rung.name, "asked": rung.wanted_by,
               "paced": rung.paced, "segments": rung.segments,
               "latency": rung.latency} for rung in RUNGS],
    "steps": [{"group": step.group.key, "above": step.above, "below": step.below}
              for step in STEPS],
}

if __name__ == "__main__":
    print(json.dumps(TABLE))
