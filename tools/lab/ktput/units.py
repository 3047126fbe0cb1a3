# SPDX-License-Identifier: GPL-2.0
"""Quantities as text, with decimal prefixes, as ktput-ctl prints them."""

import math
from collections.abc import Mapping

PREFIXES = ("", "k", "M", "G", "T", "P")


def decimal(value: float, unit: str = "") -> str:
    """Return *value* with two decimals and a prefix, "-" if there is none."""
    if not math.isfinite(value):
        return "-"
    step = 0
    # 999.995 would print as 1000.00, so it takes the next prefix.
    while abs(value) >= 999.995 and step + 1 < len(PREFIXES):
        value /= 1000
        step += 1
    if not step and value == int(value):
        return f"{value:.0f} {unit}".rstrip()
    return f"{value:.2f} {PREFIXES[step]}{unit}".rstrip()


def bitrate(bps: float) -> str:
    """Return a rate in bit/s as text."""
    return decimal(bps, "b/s")


def duration(ns: float, form: str = ".2f") -> str:
    """Return a time in nanoseconds with the largest unit that it fills."""
    if not math.isfinite(ns):
        return "-"
    power, unit = next(((power, unit) for power, unit in (
        (9, "s"), (6, "ms"), (3, "us")) if ns >= 10 ** power), (0, "ns"))
    return f"{ns / 10 ** power:{form}} {unit}"


def share(value: float) -> str:
    """Return a share, of at most all, as a percentage."""
    return f"{min(value, 1):.0%}"


def scale(largest: float, unit: str) -> tuple[float, str]:
    """Return the factor and the prefixed unit for an axis up to *largest*."""
    step = 0
    while largest >= 1000 and step < len(PREFIXES) - 2:
        largest /= 1000
        step += 1
    return 1000.0 ** -step, PREFIXES[step] + unit


def brief(value: float) -> str:
    """Return a number for a label: three digits, thousands as k, no unit."""
    if not math.isfinite(value):
        return "-"
    size, step = abs(value), 0
    while size >= 999.5 and step + 1 < len(PREFIXES):
        size /= 1000
        step += 1
    digits = 0 if size >= 99.95 or not value else 1 if size >= 9.995 else 2
    if step == 0 and 0 < size < 1:
        digits = 3
    text = f"{math.copysign(size, value):.{digits}f}"
    if step == 0 and value == int(value):
        text = f"{value:.0f}"
    return text + PREFIXES[step]


def tick(value: float) -> str:
    """Return a number for an axis: as short as it is, thousands as k, no unit."""
    size, step = abs(value), 0
    while size >= 1000 and step + 1 < len(PREFIXES):
        size /= 1000
        step += 1
    return f"{math.copysign(size, value):g}{PREFIXES[step]}"


def size(count: float) -> str:
    """Return bytes as text, with a binary prefix if it divides evenly."""
    step = 0
    while count and count % 1024 == 0 and step < 3:
        count /= 1024
        step += 1
    return f"{count:.0f} {('B', 'KiB', 'MiB', 'GiB')[step]}"


#: Suffixes in lower case, and their factors to the base unit.
SIZES = {"": 1, **{letter + more: 1024 ** power
                   for power, letter in enumerate("kmg", 1) for more in ("", "ib")}}
TIMES_S = {"": 1, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
BITRATES = {prefix + "bit": 1000.0 ** power for power, prefix in enumerate(
    ("", "k", "m", "g", "t"))}
PACKET_RATES = {prefix + "pps": 1000.0 ** power for power, prefix in enumerate(
    ("", "k", "m"))}


def _parse(what: str, word: str, suffixes: Mapping[str, float]) -> float:
    """Return a quantity in its base unit; raises ValueError with a sentence."""
    digits = word[:len(word) - len(word.lstrip("0123456789."))]
    suffix = word[len(digits):].lower()
    try:
        return float(digits) * suffixes[suffix]
    except (KeyError, ValueError):
        known = ", ".join(one for one in suffixes if one)
        raise ValueError(f"'{word}' is no {what}: give a number" + (
            f" with {known}" if known else "")) from None


def parse_count(word: str) -> int:
    """Return a whole number."""
    if not word.isascii() or not word.isdigit():
        raise ValueError(f"'{word}' is no whole number from 0 on")
    return int(word)


def parse_size(word: str) -> float:
    """Return the bytes of a size, such as 128K."""
    return _parse("size", word, SIZES)


def parse_time(word: str) -> float:
    """Return the seconds of a time, such as 100ms; a bare number is seconds."""
    return _parse("time", word, TIMES_S)


def parse_percent(word: str) -> float:
    """Return a percentage, with or without the % sign."""
    return _parse("percentage", word, {"": 1, "%": 1})


def parse_rate(word: str) -> tuple[float, bool]:
    """Return a rate in 1/s, and whether its unit is packets, not bits."""
    value = _parse("rate", word, {**BITRATES, **PACKET_RATES})
    if value < 1:
        raise ValueError(f"rate '{word}' is below 1/s")
    return value, word.lower().endswith("pps")
