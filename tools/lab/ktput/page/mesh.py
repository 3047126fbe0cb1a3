# SPDX-License-Identifier: GPL-2.0
"""What a page says of a mesh: what stands out, the heat map, and each pair."""

import math
from collections.abc import Callable, Iterable, Sequence

from .. import units, wording
from ..mesh.figures import FIGURES, name_of
from ..pictures.mesh import draw
from ..pictures.style import Picture
from ..record import Json, Mesh, array, number
from .tables import ABSENT, Cell, Drawing, Part, Row, Table, digits

#: Most pairs of a table, the slowest ones.
PAIRS_MAX = 2000


def latest(meshes: Iterable[Mesh]) -> list[Mesh]:
    """Return the last one of each mesh: one that went on is there several times."""
    return list({repr((one.file, one.root["mesh"]["commands"],
                       one.root["mesh"]["pattern"])): one for one in meshes}.values())


def _pairs(pairs: Sequence[Json]) -> Table:
    shown = [figure for figure in FIGURES
             if any(not math.isnan(number(pair, figure.key)) for pair in pairs)]
    table = Table("Pairs", [("from, to", False), *((one.title, True) for one in shown),
                            ("limited by", False)])
    slowest = sorted(pairs, key=lambda pair: (math.isnan(number(pair, "goodput_bps")),
                                              number(pair, "goodput_bps")))
    for pair in slowest[:PAIRS_MAX]:
        cells = []
        for figure in shown:
            value = number(pair, figure.key) * figure.factor
            cells.append(Cell(ABSENT, -math.inf) if math.isnan(value) else
                         Cell(digits(value, 4), value))
        held = wording.title(pair.get("binding") or ABSENT)
        cells.append(Cell(held, held, "disturbed" if pair.get("disturbed") else ""))
        table.rows.append(Row(f"{pair['from']}, {pair['to']}", "", cells))
    return table


def _outliers(found: Sequence[Json]) -> Table:
    table = Table("What stands out", [("host or link", False), ("kind", False),
                                      ("of the median", True), ("deviations", True),
                                      ("cause", False)])
    for one in found:
        share, far = one["share_of_median"], number(one, "deviations")
        table.rows.append(Row(name_of(one), "", [
            Cell(one["kind"], one["kind"]), Cell(f"{share:.0%}", share),
            Cell(ABSENT if math.isnan(far) else f"{far:.1f}", far),
            Cell(one["cause"], one["cause"], one["because"])]))
    return table


def of(document: Json,
       drawn: Callable[[Callable[[], Picture]], Drawing]) -> Part:
    """Return what a page shows of a mesh's document; *drawn* guards its picture."""
    mesh = document["mesh"]
    pairs, found = array(mesh, "pairs"), array(mesh, "outliers")
    sentences = [f"{len(array(mesh, 'hosts'))} hosts, {len(pairs)} pairs, "
                 f"{' '.join(mesh['commands'][0])}."]
    sentences += [f"{units.bitrate(rate)} together, of the pairs that ran at one time."
                  for rate in array(mesh, "together_bps")]
    sentences += [f"{one['from']} to {one['to']} failed: {one['why']}."
                  for one in array(mesh, "failed")]
    sentences += [f"{one['host']} is left out: {one['why']}."
                  for one in array(mesh, "left_out")]
    limits = mesh["thresholds"]
    note = (f"What stands out is more than {limits['deviations']} robust deviations "
            f"and {limits['below_share']:.0%} below the median.")
    if len(pairs) > PAIRS_MAX:
        note += f" The table has the slowest {PAIRS_MAX} pairs."
    return Part("Mesh", sentences, [*([_outliers(found)] if found else []),
                                    _pairs(pairs)],
                drawn(lambda: draw(document)), note)
