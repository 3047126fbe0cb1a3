# SPDX-License-Identifier: GPL-2.0
"""A mesh: goodput from each host to each other, as a heat map."""

import numpy as np

from .. import units
from ..mesh.figures import name_of
from ..record import Json, array, number
from .style import LINE_IN, SHADE, Canvas, Picture

#: Height of the map for few and for many hosts, in inches.
HEIGHT_MIN, HEIGHT_MAX = 3.0, 7.0
#: Most hosts whose names have room.
NAMED_MAX = 40


def draw(document: Json) -> Picture:
    """Draw the document of a mesh."""
    mesh = document["mesh"]
    hosts = [str(host) for host in array(mesh, "hosts")]
    place = {host: i for i, host in enumerate(hosts)}
    rates = np.full((len(hosts), len(hosts)), np.nan)
    for pair in array(mesh, "pairs"):
        if pair["from"] in place and pair["to"] in place:
            rates[place[pair["from"]], place[pair["to"]]] = number(
                pair, "goodput_bps")
    factor, unit = units.scale(float(np.nanmax(rates)), "b/s")
    height = float(np.clip(len(hosts) * LINE_IN, HEIGHT_MIN, HEIGHT_MAX))
    canvas = Canvas(f"Goodput of {len(array(mesh, 'pairs'))} pairs of hosts", height,
                    " ".join(mesh["commands"][0]), left=1.4)
    axes = canvas.axes(0, height)
    axes.grid(False)
    axes.set_facecolor(SHADE)
    image = axes.imshow(rates * factor, cmap="viridis", aspect="auto", vmin=0)
    canvas.figure.colorbar(image, ax=axes, label=unit)
    step = -(-len(hosts) // NAMED_MAX)
    ticks = list(range(0, len(hosts), step))
    axes.set_xticks(ticks, [hosts[i] for i in ticks], rotation=90, size=7)
    axes.set_yticks(ticks, [hosts[i] for i in ticks], size=7)
    axes.set_ylabel("from")
    axes.set_xlabel("to")
    for one in array(mesh, "outliers"):
        canvas.note(f"slow {one['kind']}: {name_of(one)}")
    return canvas.done(f"Heat map of goodput between {len(hosts)} hosts")
