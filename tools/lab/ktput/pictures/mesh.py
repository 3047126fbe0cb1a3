# SPDX-License-Identifier: GPL-2.0
"""A mesh: goodput from each host to each other, as a heat map."""

import numpy as np

from .. import units
from ..mesh.figures import name_of
from ..output import CommandError
from ..record import Json, array, number, text
from .style import LINE_IN, SHADE, Canvas, Picture

#: Height of the map for few and for many hosts, in inches.
HEIGHT_MIN, HEIGHT_MAX = 3.0, 7.0
#: Most hosts whose names have room.
NAMED_MAX = 40


def draw(document: Json) -> Picture:
    """Draw the document of a mesh."""
    mesh = document.get("mesh")
    hosts = [str(host) for host in array(mesh, "hosts")]
    place = {host: i for i, host in enumerate(hosts)}
    rates = np.full((len(hosts), len(hosts)), np.nan)
    for pair in array(mesh, "pairs"):
        ends = [place.get(text(pair, end) or "") for end in ("from", "to")]
        if None not in ends:
            rates[ends[0], ends[1]] = number(pair, "goodput_bps")
    if np.isnan(rates).all():
        raise CommandError("no pair of the mesh has a goodput")
    factor, unit = units.scale(float(np.nanmax(rates)), "b/s")
    height = float(np.clip(len(hosts) * LINE_IN, HEIGHT_MIN, HEIGHT_MAX))
    canvas = Canvas(f"Goodput of {len(array(mesh, 'pairs'))} pairs of hosts", height,
                    " ".join(map(str, next(iter(array(mesh, "commands")), ()) or ())),
                    left=1.4)
    axes = canvas.axes(0, height)
    axes.grid(False)
    axes.set_facecolor(SHADE)
    # Squares instead of an image: the policy of a page permits no image, and no
    # reference. A bar of 256 colours would be an image, too.
    edges = np.arange(len(hosts) + 1) - 0.5
    squares = axes.pcolormesh(edges, edges, rates * factor, cmap="viridis", vmin=0,
                              linewidth=0)
    axes.set_ylim(len(hosts) - 0.5, -0.5)
    bar = canvas.figure.colorbar(squares, ax=axes, label=unit)
    bar.solids.set_rasterized(False)
    step = -(-len(hosts) // NAMED_MAX)
    ticks = list(range(0, len(hosts), step))
    axes.set_xticks(ticks, [hosts[i] for i in ticks], rotation=90, size=7)
    axes.set_yticks(ticks, [hosts[i] for i in ticks], size=7)
    axes.set_ylabel("from")
    axes.set_xlabel("to")
    for one in array(mesh, "outliers"):
        canvas.note(f"slow {text(one, 'kind')}: {name_of(one)}")
    return canvas.done(f"Heat map of goodput between {len(hosts)} hosts")
