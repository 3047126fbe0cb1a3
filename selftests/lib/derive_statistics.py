# SPDX-License-Identifier: GPL-2.0
"""derive_statistics.py: what derive.py says of a series of values."""

import math

EXACT = 0.0
# Two orders of adding up the same doubles.
ROUNDING = 1e-9


def student(confidence, freedom):
    """Quantile of Student's distribution: its density, summed by Simpson's rule."""
    def density(t):
        return math.exp(math.lgamma((freedom + 1) / 2) -
                        math.lgamma(freedom / 2)) / \
            math.sqrt(freedom * math.pi) * \
            (1 + t * t / freedom) ** (-(freedom + 1) / 2)

    def within(t):
        # By the tangent of an angle, so that far away is not far.
        steps, last = 400, math.atan(t)
        def part(angle):
            return density(math.tan(angle)) / math.cos(angle) ** 2
        total = part(0) + part(last)
        for i in range(1, steps):
            total += (4 if i % 2 else 2) * part(last * i / steps)
        return 2 * total * last / steps / 3

    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < confidence else \
            (low, middle)
    return high


def mean(values):
    """Their mean."""
    return math.fsum(values) / len(values)


def sigma(values):
    """Deviation of a sample; None of one value."""
    if len(values) < 2:
        return None
    middle = mean(values)
    return math.sqrt(math.fsum((v - middle) ** 2 for v in values) /
                     (len(values) - 1))


def percentile(values, share):
    """Definition 7 of Hyndman and Fan."""
    values = sorted(values)
    rank = (len(values) - 1) * share
    below = min(int(rank), len(values) - 1)
    above = min(below + 1, len(values) - 1)
    return values[below] + (rank - below) * (values[above] - values[below])


def ranks(count, share):
    """Ranks that a percentile lies between with 95 %; 0 or COUNT + 1 is beyond all.

    By the binomial distribution of how many values are not above it.
    """
    def log_of(k):
        return math.lgamma(count + 1) - math.lgamma(k + 1) - \
            math.lgamma(count - k + 1) + k * math.log(share) + \
            (count - k) * math.log1p(-share)

    low, left = 0, 0.0
    while left + math.exp(log_of(low)) <= .025:
        left += math.exp(log_of(low))
        low += 1
    high, left = count, 0.0
    while left + math.exp(log_of(high)) <= .025:
        left += math.exp(log_of(high))
        high -= 1
    return low, high + 1


def is_carried(count, share):
    """Whether so many values can carry a percentile."""
    low, high = ranks(count, share)
    return low >= 1 and high <= count


def interval_of(middle, spread, count):
    """Ends of the interval of a mean that is not negative, of COUNT values."""
    factor = math.exp(student(.95, count - 1) * spread / math.sqrt(count) /
                      middle)
    return middle / factor, middle * factor


def statistics(values, times_s, prefix):
    """All that is said of a series."""
    middle = mean(values)
    yield f"{prefix}.count", len(values), EXACT
    yield f"{prefix}.mean", middle, ROUNDING
    yield f"{prefix}.min", min(values), ROUNDING
    yield f"{prefix}.max", max(values), ROUNDING
    for name, share in (("p05", .05), ("p25", .25), ("median", .5),
                        ("p75", .75), ("p95", .95)):
        if name == "median" or is_carried(len(values), share):
            yield f"{prefix}.{name}", percentile(values, share), ROUNDING
    # The intervals of one run are not independent: they have no interval.
    yield f"{prefix}.batches", 1, EXACT
    yield f"{prefix}.too_short", True, EXACT
    yield f"{prefix}.confidence", .95, ROUNDING
    if len(values) < 2:
        return
    yield f"{prefix}.sigma", sigma(values), 1e-6
    yield f"{prefix}.stability", sigma(values) / middle, 1e-6
    time = mean(times_s)
    slope = math.fsum((t - time) * (v - middle)
                      for t, v in zip(times_s, values)) / \
        math.fsum((t - time) ** 2 for t in times_s)
    yield f"{prefix}.steadiness_per_s", slope / middle, 1e-6
