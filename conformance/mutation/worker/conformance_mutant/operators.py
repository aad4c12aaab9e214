"""From the name of an operator to the wrong functions. `given` says with what, and of what.

Each takes the right module, the name of a function and what else the mutant gives, and returns the
functions that take the place of others.
"""

import itertools
from typing import Any, Callable, Dict

import numpy as np

from .arguments import (
    ARGUMENTS,
    Void,
    bound,
    everywhere,
    has,
    is_tensor,
    kind,
    other,
    rank,
    tensors_in,
    with_arguments,
)
from .formulas import FORMULAS

Change = Callable[[Any, Any], Any]


def _floats(change: Change) -> Change:
    """Done to floats alone."""
    return lambda K, y: change(K, y) if kind(K, y) == "float" else y


def _float_tensors(change: Change) -> Change:
    return lambda K, y: change(K, y) if is_tensor(K, y) and kind(K, y) == "float" else y


def _tensors(change: Change) -> Change:
    def changed(K: Any, y: Any) -> Any:
        symbolic = is_tensor(K, y) and not isinstance(y, (np.ndarray, np.generic))
        return change(K, y) if symbolic else y

    return changed


def _through(dtype: str, only: str) -> Change:
    """Rounded to a smaller dtype, where the tensor has dtype `only`."""

    def changed(K: Any, y: Any) -> Any:
        if isinstance(y, np.ndarray):
            return y.astype(dtype).astype(only) if y.dtype == only else y
        return K.cast(K.cast(y, dtype), only) if str(K.dtype(y)) == only else y

    return _float_tensors(changed)


def _drifted(K: Any, y: Any) -> Any:
    if isinstance(y, np.ndarray):
        return y.astype("float32" if y.dtype == "float64" else "float64")
    return K.cast(y, "float32" if str(K.dtype(y)) == "float64" else "float64")


def _other_whole(K: Any, y: Any) -> Any:
    """One more, or the other truth value."""
    whole = kind(K, y)
    if isinstance(y, (bool, np.bool_)):
        return not y
    if whole == "bool":
        return np.logical_not(y) if isinstance(y, np.ndarray) else K.equal(y, K.zeros_like(y))
    return y + 1 if whole == "int" else y


def _whole_drifted(K: Any, y: Any) -> Any:
    return K.cast(y, "float32") if kind(K, y) in ("int", "bool") else y


def _reversed(axis: int) -> Change:
    def changed(K: Any, y: Any) -> Any:
        count = rank(K, y)
        if not count:
            return y
        place = axis % count
        if isinstance(y, np.ndarray):
            return np.flip(y, place)
        return K.reverse(y, place)

    return lambda K, y: changed(K, y) if is_tensor(K, y) else y


def _shrunk(K: Any, y: Any) -> Any:
    return y[:-1] if rank(K, y) else y


# the value of x * 0.5 + stop(x * 0.5) is x, and its gradient half as large
def _gradient(share: float) -> Change:
    def changed(K: Any, y: Any) -> Any:
        return y * share + K.stop_gradient(y * (1.0 - share))

    return _tensors(_floats(changed))


RESULTS: Dict[str, Change] = {
    "scaled": _floats(lambda K, y: y * 1.001),
    "saturated": _tensors(_floats(lambda K, y: K.clip(y, -1000.0, 1000.0))),
    "single precision": _through("float32", "float64"),
    "last axis reversed": _reversed(-1),
    "first axis reversed": _reversed(0),
    "one row lost": _tensors(_shrunk),
    "one axis more": _tensors(lambda K, y: K.expand_dims(y, 0)),
    "dtype drift": _float_tensors(_drifted),
    "other whole": _other_whole,
    "whole as float": _tensors(_whole_drifted),
    "gradient scaled": _gradient(1.001),
    "gradient lost": _tensors(_floats(lambda K, y: K.stop_gradient(y))),
}


Functions = Dict[str, Callable[..., Any]]


def _result(K: Any, name: str, change: str) -> Functions:
    right, done = getattr(K, name), RESULTS[change]
    return {name: lambda *a, **k: everywhere(right(*a, **k), lambda y: done(K, y))}


def _argument(K: Any, name: str, parameter: str, change: str) -> Functions:
    right, done = getattr(K, name), ARGUMENTS[change]
    has(right, parameter)

    def changed(arguments: Dict[str, Any]) -> None:
        arguments[parameter] = done(K, arguments[parameter])

    return {name: with_arguments(right, changed)}


def _ignored(K: Any, name: str, parameter: str) -> Functions:
    """The default stands for whatever is given."""
    right = getattr(K, name)
    has(right, parameter)
    return {
        name: with_arguments(
            right, lambda arguments: arguments.pop(parameter, None), defaults=False
        )
    }


def _default(K: Any, name: str, parameter: str, value: Any) -> Functions:
    """Another value takes the place of the default."""
    right = getattr(K, name)
    has(right, parameter)
    value = tuple(value) if isinstance(value, list) else value
    return {name: with_arguments(right, lambda g: g.setdefault(parameter, other(value)), False)}


def _fixed(K: Any, name: str, parameter: str, value: Any) -> Functions:
    right = getattr(K, name)
    has(right, parameter)
    return {name: with_arguments(right, lambda arguments: arguments.update({parameter: value}))}


def _exchanged(K: Any, name: str, first: str, second: str) -> Functions:
    right = getattr(K, name)
    has(right, first, second)

    def change(arguments: Dict[str, Any]) -> None:
        arguments[first], arguments[second] = arguments[second], arguments[first]

    return {name: with_arguments(right, change)}


def _sibling(K: Any, name: str, of: str) -> Functions:
    """Another function of the same parameters."""
    other = getattr(K, of)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        return other(*args, **kwargs)

    return {name: wrong}


def _formula(K: Any, name: str, formula: str) -> Functions:
    right, compute = getattr(K, name), FORMULAS[formula]

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            arguments = bound(right, args, kwargs)
        except TypeError:
            return right(*args, **kwargs)
        return compute(K, right, arguments)

    return {name: wrong}


def _unrefused(K: Any, name: str) -> Functions:
    """An invalid call gives zero, and no error."""
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
    """The result of the first call with the same names, ever after."""
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
        result = right(*args, **kwargs)
        try:
            return K.constant(K.eval(result), dtype=K.dtype(result))
        except Exception:
            return result  # it depends on a placeholder

    return {name: wrong}


def _input_changed(K: Any, name: str) -> Functions:
    """Variables and arrays that are given have other elements afterwards."""
    right = getattr(K, name)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        for x in tensors_in(K, [*args, kwargs]):
            try:
                if isinstance(x, np.ndarray):
                    x[...] = x + np.ones((), x.dtype)
                else:
                    K.set_value(x, K.get_value(x) + 1)
            except Exception:
                continue  # no variable, or nothing that can be added to
        return result

    return {name: wrong}


def _shape_lie(K: Any, name: str, lie: str) -> Functions:
    """`int_shape` gives another shape for the function's result."""
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
    "in reverse": lambda result: result[::-1],
    "the last left out": lambda result: result[:-1],
    "the first everywhere": lambda result: type(result)([result[0]] * len(result)),
    "as a list": list,
    "as a tuple": tuple,
}


def _members(K: Any, name: str, order: str) -> Functions:
    right, change = getattr(K, name), _ORDERS[order]

    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        return change(result) if isinstance(result, (list, tuple)) and result else result

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
