# SPDX-License-Identifier: GPL-2.0
"""The document of a comparison: costs of setups, and how they differ from the first."""

import math
from collections.abc import Mapping, Sequence

from ..ladder.rungs import GROUPS, TCP, Group
from ..record import Json, array, number
from ..statistics import Estimate, welch

#: A difference that is a smaller share of a cost is none: rounds of one boot do not
#: show how boots differ.
RESOLUTION_SHARE = 0.005
BYTES_A_KIB = 1024


def key_of(group: Group) -> str:
    """Return the key of a cost."""
    return "instructions_per_" + ("kib" if group is TCP else "packet")


def estimate_of(statistics: Json, scale: float = 1) -> Estimate:
    """Return the estimate whose statistics a document has."""
    mean, sigma = (number(statistics, key) * scale for key in ("mean", "sigma"))
    count = number(statistics, "count")
    if not count >= 2 or math.isnan(sigma):
        return Estimate(mean, count=int(count) if count > 0 else 0)
    return Estimate(mean, number(statistics, "ci_low") * scale,
                    number(statistics, "ci_high") * scale, int(count), int(count),
                    False, standard_error=sigma / math.sqrt(count))


def interval(of: Estimate) -> Json:
    """Return an estimate for a record."""
    return {"mean": of.mean, "ci_low": of.ci_low, "ci_high": of.ci_high,
            "count": of.count}


def difference(one: Estimate, other: Estimate) -> Json:
    """Return what *other* costs more than *one*."""
    found = welch(one, other)
    return {"difference": found.value, "ci_low": found.ci_low,
            "ci_high": found.ci_high, "share": found.relative,
            "distinct": bool(found.distinguishable) and
            abs(found.relative) >= RESOLUTION_SHARE}


def classes(one: Json, other: Json, scale: float) -> list[Json]:
    """Return what the classes of samples of a rung differ by, the most first.

    Samples are independent of the costs. A class whose interval has zero in it is left
    out.
    """
    less = {of["class"]: of for of in array(one, "by_class")}
    found = []
    for of in array(other, "by_class"):
        before = less.get(of["class"])
        half = math.hypot(number(of, "half_width"), number(before, "half_width")) \
            if before else number(of, "half_width")
        more = number(of, "mean") - (number(before, "mean") if before else 0)
        if abs(more) > half:
            found.append({"class": of["class"], "difference": more * scale,
                          "half_width": half * scale})
    return sorted(found, key=lambda of: -abs(float(of["difference"])))


def _rung(group: Group, ladder: Json, name: str) -> Json:
    return next((one for one in array(ladder, group.key) if one["name"] == name), None)


def _judged(rows: Sequence[Json], fail_above: float) -> Json:
    """Return whether a rung costs too much, and the one that differs most."""
    found = []
    for row in rows:
        for one in row["differences"]:
            key = "instructions_per_" + ("kib" if row["group"] == TCP.key else "packet")
            if one[key]["distinct"]:
                found.append({"group": row["group"], "name": row["name"],
                              "setup": one["setup"], "share": one[key]["share"]})
    worst = max(found, key=lambda one: float(one["share"]), default=None)
    judged: Json = {"fail_above_share": fail_above,
                    "fails": worst is not None and worst["share"] > fail_above}
    return judged if worst is None else {**judged, "worst": worst}


def compare(setups: Sequence[Json], ladders: Mapping[int, Json],
            fail_above: float | None) -> Json:
    """Return the document; *ladders* are those of the setups that have one."""
    rows = []
    first = min(ladders, default=0)
    for group in GROUPS:
        names = dict.fromkeys(rung["name"] for ladder in ladders.values()
                              for rung in array(ladder, group.key))
        for name in names:
            costs: dict[int, Estimate] = {}
            rungs = {index: _rung(group, ladder, name)
                     for index, ladder in ladders.items()}
            scale = BYTES_A_KIB if group is TCP else 1
            for index, rung in rungs.items():
                if rung and rung["runs"]:
                    costs[index] = estimate_of(rung[group.cost], scale)
            key = key_of(group)
            rows.append({
                "group": group.key, "name": name,
                "costs": [{"setup": setups[index]["name"], key: interval(cost)}
                          for index, cost in costs.items()],
                "differences": [
                    {"setup": setups[index]["name"],
                     "from": setups[first]["name"],
                     key: difference(costs[first], cost),
                     "sampled_half_width": scale * math.hypot(*(
                         number(rungs[of], "sampled_all.half_width")
                         for of in (first, index))),
                     "classes": classes(rungs[first], rungs[index], scale)}
                    for index, cost in costs.items()
                    if index != first and first in costs]})
    document: Json = {
        "clock_unit": "instructions", "resolution_share": RESOLUTION_SHARE,
        "setups": list(setups), "rungs": rows}
    # A commit is neither good nor bad if a setup was skipped, or no rung is in both.
    if fail_above is not None and len(ladders) == len(setups) and any(
            row["differences"] for row in rows):
        document.update(_judged(rows, fail_above))
    return {"compare": document}
