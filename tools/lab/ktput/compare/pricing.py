# SPDX-License-Identifier: GPL-2.0
"""The document of a price list: what each row costs beyond its path alone."""

import math
from collections.abc import Mapping, Sequence

from ..record import Json, at, number
from ..statistics import student
from .rows import BOTH, FIGURES, Path, Row, Step

#: Functions that are named of a difference.
FUNCTIONS = 8

Measured = Mapping[str, Sequence[tuple[Step, Json]]]


def _base(steps: Sequence[tuple[Step, Json]], index: int, name: str) -> Json:
    """Return the costs of a path or row before a step, empty if there are none.

    A path is measured several times: the last one before the step counts.
    """
    for step, document in reversed(steps[:index]):
        if step.row.name == name and (
                step.is_base or step.at in (steps[index][0].at, BOTH)):
            return document.get("costs", {})
    return {}


def largest(functions: Json, less: Json) -> list[Json]:
    """Return the functions whose instructions differ most, with the difference."""
    names = dict.fromkeys((*functions, *less))
    found = [(functions.get(name, 0) - less.get(name, 0), name) for name in names]
    found.sort(key=lambda one: abs(float(one[0])), reverse=True)
    return [{"function": name, "difference": value}
            for value, name in found[:FUNCTIONS]]


def _price(steps: Sequence[tuple[Step, Json]], index: int) -> Json:
    """Return what a step costs, and what it costs more than its base."""
    step, document = steps[index]
    if "costs" not in document:
        return {"not_run_because": document["not_run_because"]}
    path = _base(steps, index, step.row.path)
    against = _base(steps, index, step.row.against or step.row.path)
    found: Json = {}
    for figure in FIGURES:
        cost = document["costs"][figure.key]
        less = against.get(figure.key, {})
        found[figure.key] = price = {"spread": cost["spread"]}
        for key, names, more in (
                (figure.cost, ("cost", "long"), "difference"),
                ("counted", ("counted", "counted_long"), "counted_difference")):
            if names[1] in cost:
                price[key] = _whole(cost, path.get(figure.key, {}), names)
                price[more] = price[key] - _whole(
                    less, path.get(figure.key, {}), names)
        if "functions" in cost and less:
            price["functions"] = {
                name: cost["functions"].get(name, 0) - less["functions"].get(name, 0)
                for name in (*cost["functions"], *less["functions"])}
    return found


def _moved(prices: Sequence[Json]) -> None:
    """Add how far each price is from that of the first kernel that has one.

    Of its functions the largest stay, and those that differ most from the first's.
    """
    for figure in FIGURES:
        known = [one[figure.key] for one in prices if figure.key in one]
        for one in known:
            one["moved"] = one["difference"] - known[0]["difference"]
        for one in known[1:]:
            if "functions" in one and "functions" in known[0]:
                one["moved_functions"] = largest(one["functions"],
                                                 known[0]["functions"])
        for one in known:
            if "functions" in one:
                one["functions"] = largest(one["functions"], {})


def _whole(cost: Json, path: Json, names: tuple[str, str]) -> float:
    """Return what is taken beyond short runs, by one or the other count.

    Without short runs of its own it is what the path takes, and the long runs more.
    """
    beyond, long = names
    if beyond in cost:
        return number(cost, beyond)
    return number(path, beyond) + number(cost, long) - number(path, long)


def _repeats(steps: Sequence[tuple[Step, Json]], path: str, key: str) -> list[float]:
    """Return what a path alone costs each time that it is measured."""
    return [number(document["costs"][key], "cost") for step, document in steps
            if step.is_base and step.row.name == path and "costs" in document]


def _noise(steps: Sequence[tuple[Step, Json]], key: str) -> tuple[float, int]:
    """Return the sigma of one measurement as a share of its cost, and its freedom.

    It is that of the same path, measured again between the rows: pooled over the
    paths, whose means may differ.
    """
    squares, freedom = [], 0
    for path in dict.fromkeys(step.row.name for step, _ in steps if step.is_base):
        costs = _repeats(steps, path, key)
        mean = math.fsum(costs) / len(costs) if costs else math.nan
        if len(costs) > 1 and mean > 0:
            squares += [(cost / mean - 1) ** 2 for cost in costs]
            freedom += len(costs) - 1
    return (math.sqrt(math.fsum(squares) / freedom), freedom) if freedom \
        else (math.nan, 0)


def _bounded(price: Json, cost: str, noise: tuple[float, int]) -> None:
    """Add the 95 % interval of a difference, and whether it is distinguishable.

    Both ends of it are one measurement each. Without repeats it is unknown.
    """
    sigma, freedom = noise
    more, whole = number(price, "difference"), number(price, cost)
    half = math.nan
    if freedom and math.isfinite(more):
        half = student(freedom) * sigma * math.hypot(whole, whole - more)
    price["ci_low"], price["ci_high"] = more - half, more + half
    price["distinguishable"] = None if math.isnan(half) else abs(more) > half


def _alone(path: Path, measured: Measured) -> Json:
    """Return what a path alone costs on each kernel, and how far that is apart."""
    prices = []
    first_costs: dict[str, float] = {}
    first_functions: dict[str, Json] = {}
    for kernel, steps in measured.items():
        known = [document["costs"] for step, document in steps
                 if step.is_base and step.path == path and "costs" in document]
        price: Json = {"kernel": kernel}
        for figure in FIGURES:
            costs = [number(one[figure.key], "cost") for one in known]
            mean = math.fsum(costs) / len(costs) if costs else math.nan
            if costs:
                first_costs.setdefault(figure.key, mean)
            price[figure.key] = {
                figure.cost: mean, "count": len(costs),
                "moved": mean - first_costs.get(figure.key, math.nan),
                "range_share": (max(costs) - min(costs)) / mean if costs else math.nan}
            functions = [at(one[figure.key], "functions") for one in known]
            if functions and functions[0]:
                price[figure.key]["counted"] = known[0][figure.key]["counted"]
                first = first_functions.setdefault(figure.key, functions[0])
                price[figure.key]["moved_functions"] = largest(functions[0], first)
        prices.append(price)
    return {"path": path.name, "title": path.title, "prices": prices}


def document_of(kernels: Sequence[Json], rows: Sequence[Row],
                paths: Mapping[str, Path], measured: Measured) -> Json:
    """Return the document."""
    found = []
    for row in rows:
        for place in row.at:
            prices = []
            for kernel, steps in measured.items():
                noise = {one.key: _noise(steps, one.key) for one in FIGURES}
                index = next((index for index, (step, _) in enumerate(steps)
                              if step.row == row and step.at == place), None)
                if index is not None:
                    prices.append({"kernel": kernel, **_price(steps, index)})
                    for one in FIGURES:
                        if one.key in prices[-1]:
                            _bounded(prices[-1][one.key], one.cost, noise[one.key])
            _moved(prices)
            said: Json = {"name": row.name, "group": row.group, "at": place,
                          "against": row.against or row.path, "commands": row.commands}
            for key in ("wrap", "append", "note", "to"):
                if getattr(row, key):
                    said[key] = getattr(row, key)
            if row.cannot:
                said["not_run_because"] = row.cannot
            found.append({**said, "prices": prices})
    used = dict.fromkeys(step.path for steps in measured.values() for step, _ in steps
                         if step.is_base)
    return {"price_list": {
        "clock_unit": "instructions",
        "kernels": [{key: kernel[key] for key in ("name", "release", "not_run_because")
                     if key in kernel} for kernel in kernels],
        "paths": [_alone(path, measured) for path in paths.values() if path in used],
        "rows": found}}
