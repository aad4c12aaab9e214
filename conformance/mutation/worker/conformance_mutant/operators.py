"""From the name of an operator to the wrong functions. `given` says with what, and of what.

Each takes the right module, the name of a function and what else the mutant gives, and returns the
functions that take the place of others.
"""

import itertools
from typing import Any, Callable, Dict

import numpy as np

from .arguments import ARGUMENTS, other
from .formulas import FORMULAS
from .results import RESULTS
from .wrapping import Void, bound, everywhere, has, is_tensor, tensors_in, with_arguments

Functions = Dict[str, Callable[..., Any]]


def _result(K: Any, name: str, change: str) -> Functions:
    right, done = getattr(K, name), RESULTS[change]
    return {name: lambda *a, **k: everywhere(right(*a, **k), lambda y: done(K, y))}


def _argument(K: Any, name: str, parameter: str, change: str) -> Functions:
    right, done = getattr(K, name), ARGUMENTS[change]
    has(right, parameter)

    def changed(given: Dict[str, Any]) -> None:
        given[parameter] = done(K, given[parameter])

    return {name: with_arguments(right, changed)}


def _ignored(K: Any, name: str, parameter: str) -> Functions:
    """The default stands for whatever is given."""
    right = getattr(K, name)
    has(right, parameter)
    return {name: with_arguments(right, lambda given: given.pop(parameter, None), defaults=False)}


def _default(K: Any, name: str, parameter: str, value: Any) -> Functions:
    """Another value stands for one that is not given."""
    right = getattr(K, name)
    has(right, parameter)
    value = tuple(value) if isinstance(value, list) else value
    return {name: with_arguments(right, lambda g: g.setdefault(parameter, other(value)), False)}


def _fixed(K: Any, name: str, parameter: str, value: Any) -> Functions:
    right = getattr(K, name)
    has(right, parameter)
    return {name: with_arguments(right, lambda given: given.update({parameter: value}))}


def _exchanged(K: Any, name: str, first: str, second: str) -> Functions:
    right = getattr(K, name)
    has(right, first, second)

    def change(given: Dict[str, Any]) -> None:
        given[first], given[second] = given[second], given[first]

    return {name: with_arguments(right, change)}


def _sibling(K: Any, name: str, of: str) -> Functions:
    """Another function of the same parameters."""
    found = getattr(K, of)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        return found(*args, **kwargs)

    return {name: wrong}


def _formula(K: Any, name: str, formula: str) -> Functions:
    right, compute = getattr(K, name), FORMULAS[formula]

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            given = bound(right, args, kwargs)
        except TypeError:
            return right(*args, **kwargs)
        return compute(K, right, given)

    return {name: wrong}


def _unrefused(K: Any, name: str) -> Functions:
    """What is invalid gives zero, and no error."""
    right = getattr(K, name)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            return right(*args, **kwargs)
        except Exception:
            return next(iter(tensors_in(K, [*args, kwargs])), K.constant(0.0))

    return {name: wrong}


def _other_error(K: Any, name: str) -> Functions:
    right = getattr(K, name)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            return right(*args, **kwargs)
        except Exception as error:
            raise RuntimeError(str(error))  # noqa: B904

    return {name: wrong}


def _without_effect(K: Any, name: str) -> Functions:
    """Nothing is done; the first argument is returned."""
    return {name: lambda *args, **kwargs: next(iter([*args, *kwargs.values()]), None)}


def _twice(K: Any, name: str) -> Functions:
    right = getattr(K, name)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        right(*args, **kwargs)
        return right(*args, **kwargs)

    return {name: wrong}


def _stale(K: Any, name: str) -> Functions:
    """What the first call with the same names gave, ever after."""
    right, seen = getattr(K, name), {}  # type: Any, Dict[str, Any]

    def wrong(*args: Any, **kwargs: Any) -> Any:
        key = repr([id(a) if is_tensor(K, a) else a for a in args])
        if key not in seen:
            seen[key] = (right(*args, **kwargs), args)
        return seen[key][0]

    return {name: wrong}


def _frozen(K: Any, name: str) -> Functions:
    """The numbers of one evaluation, ever after."""
    right = getattr(K, name)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        made = right(*args, **kwargs)
        try:
            return K.constant(K.eval(made), dtype=K.dtype(made))
        except Exception:
            return made  # it depends on a placeholder

    return {name: wrong}


def _input_changed(K: Any, name: str) -> Functions:
    """Variables and arrays that are given have other elements afterwards."""
    right = getattr(K, name)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        made = right(*args, **kwargs)
        for x in tensors_in(K, [*args, kwargs]):
            try:
                if isinstance(x, np.ndarray):
                    x[...] = x + np.ones((), x.dtype)
                else:
                    K.set_value(x, K.get_value(x) + 1)
            except Exception:
                continue  # no variable, or nothing that can be added to
        return made

    return {name: wrong}


def _shape_lie(K: Any, name: str, lie: str) -> Functions:
    """`int_shape` says something else of what the function returns."""
    right, int_shape, marked = getattr(K, name), K.int_shape, {}  # type: Any, Any, Dict[int, Any]

    def mark(y: Any) -> Any:
        if is_tensor(K, y):
            marked[id(y)] = y
        return y

    def lying(x: Any) -> Any:
        shape = int_shape(x)
        if id(x) not in marked or not shape:
            return shape
        if lie == "unknown":
            return (None,) * len(shape)
        last = (shape[-1] or 0) + 1
        return (*shape[:-1], last)

    return {name: lambda *a, **k: everywhere(right(*a, **k), mark), "int_shape": lying}


_ORDERS: Dict[str, Callable[[Any], Any]] = {
    "in reverse": lambda made: made[::-1],
    "the last left out": lambda made: made[:-1],
    "the first everywhere": lambda made: type(made)([made[0]] * len(made)),
    "as a list": list,
    "as a tuple": tuple,
}


def _members(K: Any, name: str, order: str) -> Functions:
    right, change = getattr(K, name), _ORDERS[order]

    def wrong(*args: Any, **kwargs: Any) -> Any:
        made = right(*args, **kwargs)
        return change(made) if isinstance(made, (list, tuple)) and made else made

    return {name: wrong}


def _every_other(K: Any, name: str) -> Functions:
    """Every second call has no effect."""
    right, calls = getattr(K, name), itertools.count()

    def wrong(*args: Any, **kwargs: Any) -> Any:
        return right(*args, **kwargs) if next(calls) % 2 == 0 else None

    return {name: wrong}


OPERATORS: Dict[str, Callable[..., Functions]] = {
    "result": _result,
    "argument": _argument,
    "ignored": _ignored,
    "default": _default,
    "fixed": _fixed,
    "exchanged": _exchanged,
    "sibling": _sibling,
    "formula": _formula,
    "unrefused": _unrefused,
    "other error": _other_error,
    "without effect": _without_effect,
    "twice": _twice,
    "stale": _stale,
    "frozen": _frozen,
    "input changed": _input_changed,
    "shape lie": _shape_lie,
    "members": _members,
    "every other": _every_other,
}

__all__ = ["OPERATORS", "Void"]
