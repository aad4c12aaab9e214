"""What all operators are made of: arguments by name, and what is found in results."""

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
    """Void unless the function has these parameters."""
    known = inspect.signature(right).parameters
    for name in names:
        if name not in known:
            raise Void("there is no parameter {}".format(name))


def bound(right: Callable[..., Any], args: Any, kwargs: Any, defaults: bool = True) -> Given:
    """The arguments by name; TypeError if they do not fit."""
    found = inspect.signature(right).bind(*args, **kwargs)
    if defaults:
        found.apply_defaults()
    given = dict(found.arguments)
    for parameter in found.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given.update(given.pop(parameter.name, {}))
        if parameter.kind is parameter.VAR_POSITIONAL:
            given.pop(parameter.name, None)
    return given


def with_arguments(
    right: Callable[..., Any], change: Callable[[Given], Any], defaults: bool = True
) -> Callable[..., Any]:
    """The function after `change` was done to its arguments; as it is where they do not fit."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            given = bound(right, args, kwargs, defaults)
        except TypeError:
            return right(*args, **kwargs)
        change(given)
        return right(**given)

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
