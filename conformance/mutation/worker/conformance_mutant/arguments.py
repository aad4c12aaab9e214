"""Errors in how a function takes an argument. Each is a function of the backend and one value."""

import inspect
from typing import Any, Callable, Dict, List

import numpy as np

Given = Dict[str, Any]


class Void(Exception):  # noqa: N818 - no error: the mutant does not exist
    """The mutant cannot be made of this function."""


def named_like(wrong: Any, right: Any) -> Any:
    """The wrong function, with the right one's name and signature."""
    wrong.__name__ = getattr(right, "__name__", "function")
    wrong.__doc__ = getattr(right, "__doc__", None)
    try:
        wrong.__signature__ = inspect.signature(right)
    except (TypeError, ValueError):
        pass
    return wrong


def has(right: Callable[..., Any], *names: str) -> None:
    """Check that the function has these parameters.

    Raises:
        Void: the function lacks one of these parameters.
    """
    known = inspect.signature(right).parameters
    for name in names:
        if name not in known:
            raise Void("there is no parameter {}".format(name))


def bound(right: Callable[..., Any], args: Any, kwargs: Any, defaults: bool = True) -> Given:
    """The arguments by name; TypeError if they do not fit."""
    call = inspect.signature(right).bind(*args, **kwargs)
    if defaults:
        call.apply_defaults()
    arguments = dict(call.arguments)
    for parameter in call.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments.update(arguments.pop(parameter.name, {}))
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments.pop(parameter.name, None)
    return arguments


def with_arguments(
    right: Callable[..., Any], change: Callable[[Given], Any], defaults: bool = True
) -> Callable[..., Any]:
    """The function with `change` on its arguments; unchanged where they do not fit."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            arguments = bound(right, args, kwargs, defaults)
        except TypeError:
            return right(*args, **kwargs)
        change(arguments)
        return right(**arguments)

    return wrong


def is_tensor(K: Any, value: Any) -> bool:
    """Whether it is a tensor, a variable or an array of numbers, and no number or list."""
    if value is None or isinstance(value, (str, bool, int, float, list, tuple, dict)):
        return False
    if callable(value) and not hasattr(value, "shape"):
        return False
    return hasattr(value, "dtype") and hasattr(value, "shape")


def kind(K: Any, value: Any) -> str:
    """`float`, `int`, `bool` or nothing, of numbers, arrays and tensors."""
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, (int, float)):
        return type(value).__name__
    if not is_tensor(K, value):
        return ""
    name = str(value.dtype) if isinstance(value, (np.ndarray, np.generic)) else str(K.dtype(value))
    return next((k for k in ("float", "uint", "int", "bool") if name.startswith(k)), "").lstrip("u")


def rank(K: Any, value: Any) -> int:
    """How many axes a tensor has."""
    return int(value.ndim if isinstance(value, (np.ndarray, np.generic)) else K.ndim(value))


def everywhere(value: Any, change: Callable[[Any], Any]) -> Any:
    """`change` done to everything in lists and tuples."""
    if isinstance(value, (list, tuple)):
        changed = [everywhere(item, change) for item in value]
        return tuple(changed) if isinstance(value, tuple) else changed
    return change(value)


def tensors_in(K: Any, value: Any) -> List[Any]:
    """The tensors in lists, tuples and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(K, item)]
    return [value] if is_tensor(K, value) else []


Change = Callable[..., Any]

OTHER = {
    "valid": "same",
    "same": "valid",
    "max": "avg",
    "avg": "max",
    "channels_last": "channels_first",
    "channels_first": "channels_last",
    "float32": "float64",
    "float64": "float32",
    "float16": "float32",
    "int32": "int64",
}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def other(value: Any) -> Any:
    """Another value of the same sort; the value itself where none is known."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (list, tuple)) and value:
        return type(value)((*value[:-1], other(value[-1])))
    if isinstance(value, str):
        # a text with spaces is a message, not a name
        return OTHER.get(value, value.swapcase() if " " in value else value)
    if isinstance(value, int):
        return value + 1
    return value * 2 or 1.0 if isinstance(value, float) else value


def _first_axis(K: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(value[:1])
    return 0 if _is_number(value) else value


def _other_end(K: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([_other_end(K, item) for item in value])
    return -1 - value if _is_number(value) else value


def _is_whole(K: Any, value: Any) -> bool:
    return bool(kind(K, value) == "int" and (_is_number(value) or tensors_in(K, value)))


def _one_more(K: Any, value: Any) -> Any:
    """Each number of a tensor, or the last of a list, is one more."""
    if isinstance(value, (list, tuple)) and value:
        return type(value)((*value[:-1], _one_more(K, value[-1])))
    return value + 1 if _is_whole(K, value) else value


def _one_less(K: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)) and value:
        return type(value)((*value[:-1], _one_less(K, value[-1])))
    if _is_number(value) and value <= 1:
        return value
    return value - 1 if _is_whole(K, value) else value


def _turned(K: Any, value: Any) -> Any:
    return value[::-1] if isinstance(value, (list, tuple)) else value


def _pairs_turned(K: Any, value: Any) -> Any:
    """Before and behind exchanged, in each pair."""
    if isinstance(value, (list, tuple)):
        if value and all(_is_number(item) for item in value):
            return value[::-1]
        return type(value)([_pairs_turned(K, item) for item in value])
    return value


def _first_everywhere(K: Any, value: Any) -> Any:
    return type(value)([value[0]] * len(value)) if isinstance(value, (list, tuple)) else value


def _last_lost(K: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value[:-1] if len(value) > 1 else value
    return value


def _inverse(K: Any, value: Any) -> Any:
    """The inverse permutation."""
    if not isinstance(value, (list, tuple)):
        return value
    return type(value)([int(place) for place in np.argsort(value)])


def _inverted(K: Any, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    tensors = tensors_in(K, value)
    return K.equal(value, K.zeros_like(value)) if tensors and kind(K, value) else value


def _tensor(change: Change) -> Change:
    """Done to float tensors alone."""
    return lambda K, value: change(K, value) if kind(K, value) == "float" else value


def _backwards(K: Any, value: Any) -> Any:
    """A tensor in reverse along its first axis."""
    return K.reverse(value, 0) if tensors_in(K, value) and rank(K, value) else value


def _rounded(K: Any, value: Any) -> Any:
    return K.cast(K.cast(value, "float16"), K.dtype(value))


def _exchanged(K: Any, value: Any) -> Any:
    """A callable of two arguments that takes them in the other order."""
    return (lambda a, b: value(b, a)) if callable(value) else value


ARGUMENTS: Dict[str, Change] = {
    "first axis only": _first_axis,
    "axis from the other end": _other_end,
    "one more": _one_more,
    "one less": _one_less,
    "in reverse": _turned,
    "before and behind exchanged": _pairs_turned,
    "the first for all": _first_everywhere,
    "the last left out": _last_lost,
    "the inverse": _inverse,
    "inverted": _inverted,
    "of half precision": _tensor(_rounded),
    "negated": _tensor(lambda K, x: -x),
    "taken as zeros": _tensor(lambda K, x: x * 0.0),
    "backwards": _backwards,
    "parameters exchanged": _exchanged,
    "two per cent more": lambda K, x: x * 1.02 if _is_number(x) else x,
    "a little more": lambda K, x: x + 0.05 if _is_number(x) else x,
    "the complement": lambda K, x: 1 - x if _is_number(x) else x,
    "the root": lambda K, x: x**0.5 if _is_number(x) and x > 0 else x,
    "another value": lambda K, x: other(x),
    "no gradient": lambda K, x: K.stop_gradient(x) if kind(K, x) == "float" else x,
}
