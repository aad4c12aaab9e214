"""The rule language of the specs: shapes, dtypes and conditions as data.

A rule is an integer, true, false, null, a parameter's name, or `[operator, argument, ...]`. Shapes
are tuples of dimensions; a dimension that is unknown when a graph is built is None, and arithmetic
with it gives None, so that one rule yields both run-time and static shapes. The table of operators
is `OPERATORS`; docs/specs.md describes them for other programs.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.specs import image_rules, letters, padding_rules

Dim = int | None
Dims = tuple[Dim, ...]


class RuleError(ValueError):
    """A rule that cannot be evaluated: unknown operator or name, or arguments that do not fit."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names in a rule stand for, in one call of a function."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are not tensors, by parameter name; defaults included."""
    shapes: Mapping[str, Any] = field(default_factory=dict)
    """The shape of each tensor parameter, or the list of shapes of a list of tensors."""
    dtypes: Mapping[str, str] = field(default_factory=dict)
    floatx: str = "float32"
    domains: Mapping[str, str] = field(default_factory=dict)
    """Where the elements of each tensor parameter come from."""
    below: Mapping[str, int] = field(default_factory=dict)
    """How many different indices, numbers or slices a tensor has, where the call says so; none
    before the numbers are known."""


def evaluate(rule: Any, scope: Scope) -> Any:
    """The value of `rule`.

    Raises:
        RuleError: the rule has no value in this scope.
    """
    if isinstance(rule, str):
        return _lookup(scope.values, rule, "argument")
    if not isinstance(rule, (list, tuple)):
        return rule
    try:
        name, *arguments = rule
        if name in _LAZY:
            return _LAZY[name](scope, *arguments)
        return OPERATORS[name](*(evaluate(a, scope) for a in arguments))
    except RuleError:
        raise
    except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
        raise RuleError(misuse(rule) or f"{rule[0]}: {error}") from error


def operator_names() -> list[str]:
    """Every operator, sorted."""
    return sorted([*OPERATORS, *_LAZY])


def misuse(rule: Sequence[Any]) -> str | None:
    """What is wrong with the operator of a list, or the number of its arguments; None if nothing.

    `evaluate` calls this after a failure only, so that evaluation stays quick.
    """
    head = rule[0] if rule else None
    if not isinstance(head, str) or head not in ARITIES:
        known = ", ".join(operator_names())
        return f"{reprlib.repr(rule)} does not start with an operator; write one of {known}"
    (least, most), count = ARITIES[head], len(rule) - 1
    if least <= count <= (count if most is None else most):
        return None
    expected = f"at least {least}" if most is None else str(least)
    return f"{head} takes {expected} argument{'s' * (least != 1)}, not {count}"


def names_in(rule: Any) -> set[str]:
    """The parameter names that a rule mentions."""
    if isinstance(rule, str):
        return {rule}
    if not isinstance(rule, (list, tuple)) or not rule:
        return set()
    head, *arguments = rule
    if head == "literal":
        return set()
    return set().union(*(names_in(a) for a in arguments))


def _part(length: Dim, parts: int | Sequence[int], item: int) -> Dim:
    """How long a part of an axis is that is cut into so many, or at these places."""
    if isinstance(parts, int):
        return None if length is None else length // parts + (item < length % parts)
    ends = [0, *parts, length]
    start, end = ends[item : item + 2]
    return None if start is None or end is None else end - start


def normalise_axis(axis: int, rank: int) -> int:
    """`axis` counted from the front.

    Raises:
        RuleError: a tensor of `rank` has no such axis.
        TypeError: `axis` is not an integer.
    """
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        raise RuleError(f"axis {axis} is outside a tensor of rank {rank}")
    return axis % rank if rank else 0


def normalise_axes(axes: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The axes counted from the front, sorted; None means all."""
    if axes is None:
        return tuple(range(rank))
    several = [axes] if isinstance(axes, int) else axes
    return tuple(sorted({normalise_axis(a, rank) for a in several}))


def _lookup(table: Mapping[str, Any], name: object, what: str) -> Any:
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is not the name of a {what}")
    try:
        return table[name]
    except KeyError:
        raise RuleError(f"no {what} {name!r} in this call") from None


def _if(scope: Scope, condition: Any, then: Any, otherwise: Any) -> Any:
    return evaluate(then if evaluate(condition, scope) else otherwise, scope)


def _axes(scope: Scope, axes: Any, tensor: str) -> tuple[int, ...]:
    return normalise_axes(evaluate(axes, scope), len(_lookup(scope.shapes, tensor, "tensor")))


def _axis(scope: Scope, axis: Any, rank: Any) -> int:
    return normalise_axis(evaluate(axis, scope), evaluate(rank, scope))


_LAZY: dict[str, Callable[..., Any]] = {
    "literal": lambda _scope, value: value,
    "if": _if,
    "and": lambda scope, *rules: all(evaluate(r, scope) for r in rules),
    "or": lambda scope, *rules: any(evaluate(r, scope) for r in rules),
    "shape": lambda scope, tensor: tuple(_lookup(scope.shapes, tensor, "tensor")),
    "shapes": lambda scope, tensors: [tuple(s) for s in _lookup(scope.shapes, tensors, "tensor")],
    "rank": lambda scope, tensor: len(_lookup(scope.shapes, tensor, "tensor")),
    "dtype": lambda scope, tensor: _lookup(scope.dtypes, tensor, "tensor"),
    "domain": lambda scope, tensor: _lookup(scope.domains, tensor, "tensor"),
    "below": lambda scope, tensor: scope.below.get(tensor),
    "floatx": lambda scope: scope.floatx,
    "axes": _axes,
    "axis": _axis,
}


def _known(function: Callable[..., int]) -> Callable[..., Dim]:
    """`function` on dimensions, None as soon as one of them is unknown."""

    @functools.wraps(function)
    def operate(*dims: Dim) -> Dim:
        return None if None in dims else function(*dims)

    return operate


def _product(dims: Dims) -> Dim:
    if 0 in dims:
        return 0
    return None if None in dims else math.prod(d for d in dims if d is not None)


def _broadcast_dim(a: Dim, b: Dim) -> Dim:
    if a in (1, b):
        return b
    if b == 1:
        return a
    if a is None or b is None:
        return b if a is None else a
    raise RuleError(f"dimensions {a} and {b} do not broadcast")


def _broadcast(first: Dims, *others: Dims) -> Dims:
    rank = max(map(len, (first, *others)))
    result: Dims = (1,) * rank
    for shape in (first, *others):
        padded = (1,) * (rank - len(shape)) + tuple(shape)
        result = tuple(_broadcast_dim(a, b) for a, b in zip(result, padded, strict=True))
    return result


def _reshape(shape: Dims, target: Sequence[int]) -> Dims:
    known = math.prod(d for d in target if d != -1)
    total = _product(shape)
    left_over = total is not None and (total % known if -1 in target and known else total != known)
    if left_over:
        raise ValueError(f"{total} elements do not fit {tuple(target)}")
    fill = None if total is None or known == 0 else total // known
    return tuple(fill if d == -1 else d for d in target)


def _remove(shape: Dims, axes: int | Sequence[int]) -> Dims:
    dropped = {axes} if isinstance(axes, int) else set(axes)
    return tuple(d for i, d in enumerate(shape) if i not in dropped)


def _set(shape: Dims, axes: int | Sequence[int], dim: Dim) -> Dims:
    changed = {axes} if isinstance(axes, int) else set(axes)
    return tuple(dim if i in changed else d for i, d in enumerate(shape))


def _insert(shape: Dims, axis: int, dim: Dim) -> Dims:
    return (*shape[:axis], dim, *shape[axis:])


def _total(dims: Sequence[Dim]) -> Dim:
    return None if None in dims else sum(d for d in dims if d is not None)


def _merge(shapes: Sequence[Dims]) -> Dims:
    """One shape for tensors that must be alike: a dimension is known if any knows it."""
    return tuple(
        next((d for d in dims if d is not None), None) for dims in zip(*shapes, strict=True)
    )


def _batch_axes(axes: Any, x_rank: int, y_rank: int) -> tuple[int, int]:
    """The two contracted axes of a batch-wise product, counted from the front."""
    if axes is None:
        axes = (x_rank - 1, max(y_rank - 2, 1))
    first, second = (axes, axes) if isinstance(axes, int) else axes
    return normalise_axis(first, x_rank), normalise_axis(second, y_rank)


_multiply = _known(lambda a, b: a * b)


def _length(items: Any) -> int:
    return len(items)


def _has(items: Any, item: Any) -> bool:
    return items is not None and not isinstance(items, int) and item in items


def _any_below(items: Any, bound: float) -> bool:
    if items is None or isinstance(items, bool):
        return False
    numbers = [items] if isinstance(items, (int, float)) else items
    return any(isinstance(i, (int, float)) and i < bound for i in numbers)


def _move(shape: Any, source: Any, destination: Any) -> Any:
    """The dimensions with those of the axes `source` in the places `destination`."""
    rank, several = len(shape), isinstance(source, list | tuple)
    axes = [axis % rank for axis in (source if several else [source])]
    places = [place % rank for place in (destination if several else [destination])]
    order = [axis for axis in range(rank) if axis not in axes]
    for place, axis in sorted(zip(places, axes, strict=True)):
        order.insert(place, axis)
    return tuple(shape[axis] for axis in order)


OPERATORS: dict[str, Callable[..., Any]] = {
    "list": lambda *items: tuple(items),
    "join": lambda *shapes: tuple(d for s in shapes for d in s),
    "remove": _remove,
    "set": _set,
    "insert": _insert,
    "take": lambda shape, start, stop: tuple(shape)[start:stop],
    "dim": lambda shape, axis: shape[axis],
    "dims_along": lambda shapes, axis: [s[axis] for s in shapes],
    "permute": lambda shape, pattern: tuple(shape[i] for i in pattern),
    "move": _move,
    "reverse": lambda shape: tuple(reversed(shape)),
    "product": _product,
    "total": _total,
    "merge": _merge,
    "broadcast": _broadcast,
    "broadcast_all": lambda shapes: _broadcast(*shapes),
    "differ": lambda items: any(item != items[0] for item in items),
    "reshape": _reshape,
    "scale": lambda shape, counts: tuple(
        _multiply(d, n) for d, n in zip(shape, counts, strict=True)
    ),
    "add": _known(lambda a, b: a + b),
    "subtract": _known(lambda a, b: a - b),
    "multiply": _multiply,
    "batch_axes": _batch_axes,
    "steps": _known(lambda start, stop, step: max(0, int(-((start - stop) // step)))),
    "part": _part,
    "without_ones": lambda dims: tuple(d for d in dims if d != 1),
    "length": _length,
    "is_none": lambda value: value is None,
    "is_several": lambda value: isinstance(value, (list, tuple)),
    "is_integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "not": lambda value: not value,
    "equal": lambda a, b: a == b,
    "less": lambda a, b: a < b,
    "greater": lambda a, b: a > b,
    "has": _has,
    "any_below": _any_below,
    **image_rules.OPERATORS,
    **padding_rules.OPERATORS,
    **letters.OPERATORS,
}


def _arity(function: Callable[..., Any], passed: int = 0) -> tuple[int, int | None]:
    """The fewest and the most arguments, None if any number, besides the `passed` first ones."""
    parameters = inspect.signature(function).parameters.values()
    fixed = sum(p.kind is not p.VAR_POSITIONAL for p in parameters) - passed
    return fixed, fixed if len(parameters) == fixed + passed else None


ARITIES: dict[str, tuple[int, int | None]] = {
    **{name: _arity(function) for name, function in OPERATORS.items()},
    **{name: _arity(function, passed=1) for name, function in _LAZY.items()},
}
"""How many arguments each operator takes: at least, and at most (None: any number)."""
