# SPDX-License-Identifier: GPL-2.0
"""Quantities as text, with decimal prefixes, as ktput-ctl prints them."""

import math

PREFIXES = ("", "k", "M", "G", "T", "P")


def decimal(value: float, unit: str = "") -> str:
    """Return *value* with two decimals and a prefix, "-" where there is none."""
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
    """Return bytes as text, with binary prefixes where it divides evenly."""
    step = 0
    while count and count % 1024 == 0 and step < 3:
        count /= 1024
        step += 1
    return f"{count:.0f} {('B', 'KiB', 'MiB', 'GiB')[step]}"
