# SPDX-License-Identifier: GPL-2.0
"""Expressions over figures: rows of tables, and what counts as the same.

``user(mtu=9000).rate`` is a figure of the runs "user" at one point. A call that leaves
variables open selects several points, and its figure is a list. Operators are those of
arithmetic, comparison and logic; functions are in FUNCTIONS.
"""

import ast
import operator
import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

Operand = Any


class Missing(Exception):  # noqa: N818
    """A figure that was not measured; the text says why."""


class Elsewhere(Missing):
    """A figure of runs that this form of the scenario does not have."""


def _share(one: float, other: float) -> float:
    """Return the relative difference of *one* from *other*."""
    return abs(one / other - 1)


def _within(one: "float | Sequence[float]", other: float, share: float) -> bool:
    """Whether *one*, or each of a list, is within a *share* of *other*."""
    return all(_share(value, other) <= share for value in _values(one))


def _values(one: Operand) -> list[Any]:
    return list(one) if isinstance(one, list) else [one]


def _spread(values: Sequence[float]) -> float:
    """Return the largest over the smallest, less 1."""
    return float(max(_values(values)) / min(_values(values)) - 1)


def _rises(values: Sequence[float]) -> bool:
    """Whether each value is above the one before it."""
    return all(a < b for a, b in pairwise(_values(values)))


def _falls(values: Sequence[float], share: float = 0) -> bool:
    """Whether no value is above the one before it by more than a *share*."""
    return all(b <= a * (1 + share) for a, b in pairwise(_values(values)))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs, "max": max, "min": min, "mean": statistics.fmean, "within": _within,
    "spread": _spread, "rises": _rises, "falls": _falls, "round": round,
}
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.In: lambda a, b: a in b,
}


class Evaluator:
    """Evaluates expressions; *select* finds points, *figure* reads one of them."""

    def __init__(self, select: Callable[[str, Mapping[str, Any]], list[Any]],
                 figure: Callable[[Any, str], Any],
                 names: Mapping[str, Any] | None = None) -> None:
        """Evaluate over the runs that *select* returns by name and values.

        *names* are variables that stand alone.
        """
        self.select, self.figure, self.names = select, figure, names or {}

    def of(self, expression: str) -> Operand:
        """Return the value; raises Missing, or ValueError if it is no expression."""
        try:
            tree = ast.parse(expression, mode="eval")
        except SyntaxError:
            raise ValueError(f"'{expression}' is no expression") from None
        try:
            return self._of(tree.body)
        except (TypeError, ZeroDivisionError) as error:
            raise ValueError(f"'{expression}': {error}") from None

    def _of(self, node: ast.AST) -> Operand:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._of(one) for one in elements]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=words):
                if name in FUNCTIONS and not words:
                    return FUNCTIONS[name](*map(self._of, args))
                return self._points(name, args, words)
            case ast.Attribute(value=ast.Call() as call, attr=name):
                values = [self.figure(one, name) for one in self._of(call)]
                return values[0] if len(values) == 1 else values
        return self._operator(node)

    def _operator(self, node: ast.AST) -> Operand:
        match node:
            case ast.BoolOp(op=op, values=values):
                combine = all if isinstance(op, ast.And) else any
                return combine(self._of(one) for one in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._of(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._of(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._of(left), self._of(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                operands = [self._of(left), *map(self._of, others)]
                return all(OPERATORS[type(op)](*pair) for op, pair in zip(
                    ops, pairwise(operands), strict=True))
        raise ValueError(f"'{ast.unparse(node)}' has no meaning here")

    def _points(self, name: str, args: Sequence[ast.AST],
                words: Sequence[ast.keyword]) -> list[Any]:
        if args:
            raise ValueError(f"'{name}' takes variables by name, such as mtu=9000")
        return self.select(name, {word.arg or "": self._of(word.value)
                                  for word in words})

