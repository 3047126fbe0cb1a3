# SPDX-License-Identifier: GPL-2.0
"""The picture of a comparison: the rungs of all setups side by side."""

import math

from ..ladder.rungs import GROUPS, TCP
from ..pictures import kernels as bars
from ..pictures.style import Picture
from ..record import Json, array, number
from .figures import key_of


def draw(document: Json) -> Picture:
    """Draw the document of a comparison."""
    compared = document["compare"]
    made = [one for one in compared["setups"] if "not_run_because" not in one]
    setups = [one["name"] for one in made]
    panels = []
    for group in GROUPS:
        rows = []
        for row in array(compared, "rungs"):
            costs = {one["setup"]: number(one, f"{key_of(group)}.mean")
                     for one in row["costs"]} if row["group"] == group.key else {}
            if costs:
                rows.append((row["name"], [costs.get(one, math.nan) for one in setups]))
        unit = "KiB" if group is TCP else "packet"
        panels.append(bars.Panel(f"{group.title}: instructions per {unit}", rows))
    return bars.draw("The same ladder on " + ", ".join(setups), setups, panels,
                     "instructions of both ends; " +
                     ", ".join(f"{one['name']} is {one['release']}" for one in made))
