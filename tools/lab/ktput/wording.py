# SPDX-License-Identifier: GPL-2.0
"""Keys and values of records in words: size_bytes 65536 is a size of 64 KiB."""

import math
from collections.abc import Callable
from functools import partial

from . import units

ACRONYMS = {one.lower(): one for one in (
    "ATM", "BPF", "CPU", "CPUs", "DMA", "GRO", "GSO", "IP", "IPv4", "IPv6", "MAC",
    "MSS", "MTU", "NIC", "NUMA", "PCI", "PCIe", "RAM", "RTT", "TCP", "TCI", "TOS",
    "TSO", "UDP", "VLAN", "XDP")}


def _scaled(unit: str, value: float, factor: float = 1.0) -> str:
    """Return a number with a decimal prefix, and all its digits."""
    value *= factor
    step = 0
    while abs(value) >= 1000 and step + 1 < len(units.PREFIXES):
        value /= 1000
        step += 1
    return f"{value:.15g} {units.PREFIXES[step]}{unit}"


def _time(value: float, factor: float = 1.0) -> str:
    """Return nanoseconds, times *factor*, in the largest unit that they fill."""
    value *= factor
    for unit in ("ns", "us", "ms"):
        if abs(value) < 1000:
            return f"{value:.15g} {unit}"
        value /= 1000
    return f"{value:.15g} s"


#: Unit at the end of a key, and how its numbers are shown. Numbers that differ are
#: shown differently.
UNITS: dict[str, Callable[[float], str]] = {
    "_bytes_per_s": partial(_scaled, "b/s", factor=8.0),
    "_per_s": partial(_scaled, "/s"),
    "_bytes": units.size,
    "_bps": partial(_scaled, "b/s"),
    "_ns": _time,
    "_us": partial(_time, factor=1e3),
    "_hz": partial(_scaled, "Hz"),
    "_percent": lambda value: f"{value:.15g}%",
}


def split(key: str) -> tuple[str, str]:
    """Return a key without the unit at its end, and the unit with its underscore."""
    return next(((key.removesuffix(end), end) for end in UNITS
                 if key.endswith(end) and len(key) > len(end)), (key, ""))


def title(key: str) -> str:
    """Return a key, or a path of several, in words."""
    name = split(key)[0].replace(".config", "").replace(".", " ").replace("_", " ")
    return " ".join(ACRONYMS.get(word, word) for word in name.split(" "))


def shown(key: str, text: str) -> str:
    """Return the value of a key, of which *text* is the JSON, with its unit."""
    if text in ("true", "false"):
        return "yes" if text == "true" else "no"
    end = split(key)[1]
    try:
        value = float(text) if end else math.nan
    except ValueError:
        value = math.nan
    return UNITS[end](value) if math.isfinite(value) else text
