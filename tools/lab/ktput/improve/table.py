# SPDX-License-Identifier: GPL-2.0
"""The table of settings that a search may change."""

import tomllib
from pathlib import Path

from ..record import Json

TABLE = Path(__file__).parent / "settings.toml"


def _table() -> Json:
    return tomllib.loads(TABLE.read_text())


def rows_of() -> list[Json]:
    """Return the rows of the table, each with the members of its kind."""
    table = _table()
    return [{"key": row["name"].split()[-1], "short": row["name"].rsplit(".")[-1],
             **({"settle": table["settle"]} if row.get("resets") else {}),
             **table["kind"][row["kind"]], **row} for row in table["setting"]]


def named_only() -> list[str]:
    """Return the findings of the doctor whose remedies are named, and never tried."""
    return list(_table()["named_only"])
