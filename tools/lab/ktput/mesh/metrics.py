# SPDX-License-Identifier: GPL-2.0
"""A mesh as OpenMetrics text, in names like those of ktput-ctl monitor."""

import math
from collections.abc import Iterator

from ..record import Json, array, number
from .figures import FIGURES, name_of


def _labels(**labels: str) -> str:
    escaped = {key: value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
               for key, value in labels.items()}
    return ",".join(f'{key}="{value}"' for key, value in escaped.items())


def lines_of(document: Json) -> Iterator[str]:
    """Yield the lines of a mesh's document."""
    mesh = document["mesh"]
    for figure in FIGURES:
        rows = [(pair, number(pair, figure.key)) for pair in array(mesh, "pairs")]
        rows = [(pair, value) for pair, value in rows if math.isfinite(value)]
        if rows:
            name = f"ktput_mesh_{figure.key}"
            yield f"# HELP {name} {figure.help}"
            yield f"# TYPE {name} gauge"
        for pair, value in rows:
            yield f"{name}{{{_labels(source=pair['from'], sink=pair['to'])}}} {value!r}"
    name = "ktput_mesh_share_of_median"
    yield f"# HELP {name} Goodput of a host or link that stands out, of the median."
    yield f"# TYPE {name} gauge"
    for one in array(mesh, "outliers"):
        labels = _labels(kind=one["kind"], name=name_of(one), cause=one["cause"])
        yield f"{name}{{{labels}}} {one['share_of_median']!r}"
    name = "ktput_mesh_left_out"
    yield f"# HELP {name} Hosts that could not be measured."
    yield f"# TYPE {name} gauge"
    yield f"{name} {len(array(mesh, 'left_out'))}"
    yield "# EOF"
