"""Call the steps of a program on an implementation: functions, operators and callables."""

import operator
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from .adapters import Absent, bound, required, tensor_maker
from .failures import ImplementationError, Meter
from .marks import (
    MAYBE,
    OPERATOR,
    OPERATOR_CALL,
    PRINTED_CALL,
    PRINTED_IMPORT,
    RAISES,
    RETURNS,
    UNKNOWN,
)
from .printing import printed, printed_by_import
from .programs import Made, Step, decode


class Calls(object):
    """Calls steps; the steps of the program itself are called through `meter`."""

    def __init__(self, adapter: Any, meter: Meter) -> None:
        self._adapter = adapter
        self._meter = meter

    def run(self, steps: List[Step], names: Dict[str, Any]) -> None:
        """Call the steps in order and put their results into `names`."""
        for index, step in enumerate(steps):
            names[step.result] = self._result(index, step, names)

    def keywords(self, arguments: Dict[str, Any], names: Dict[str, Any]) -> Dict[str, Any]:
        """Keyword arguments as they are passed."""
        return {key: decode(value, names, self._callable) for key, value in arguments.items()}

    def _result(self, index: int, step: Step, names: Dict[str, Any]) -> Any:
        try:
            result = self._meter.call("step", index, self._call, step, names)
        except ImplementationError as failure:
            if not step.attempt or failure.data[0] == Absent.__name__:
                raise
            return RAISES + " ".join(failure.data[1])
        return RETURNS if step.attempt else result

    def _call(self, step: Step, names: Dict[str, Any]) -> Any:
        args = decode(step.args, names, self._callable)
        return self._resolve(step.function)(*args, **self.keywords(step.kwargs, names))

    def _callable(self, function: Any, outside: Dict[str, Any]) -> Any:
        """A Python function with that many parameters, because some implementations count them;
        or what a `Made` stands for."""
        if isinstance(function, Made):
            return self._value(function)

        def body(*args: Any) -> Any:
            names = dict(outside, **dict(zip(function.parameters, args)))  # noqa: B905
            for step in function.steps:
                names[step.result] = self._call(step, names)
            return decode(function.returns, names, self._callable)

        parameters = ", ".join(function.parameters)
        source = "lambda {0}: body({0})".format(parameters)
        wrapper: Callable[..., Any] = eval(source, {"body": body})  # noqa: S307 - names are checked
        return wrapper

    def _value(self, description: Made) -> Any:
        if description.kind in _MADE:
            return _MADE[description.kind](description.items)
        own = description.kind if self._adapter.function(description.kind) is not None else None
        return self._tensor(np.array(description.items, dtype="int32"), own, dtype="int32")

    def _tensor(self, value: Any, binder: Optional[str] = None, **keywords: Any) -> Any:
        """A tensor of the array, made by whatever makes some; else the array itself."""
        binder = binder or tensor_maker(self._adapter)
        if binder is None:
            return np.asarray(value, **keywords)
        return bound(self._adapter, binder, [value], keywords)

    def _resolve(self, name: str) -> Callable[..., Any]:
        if name in CALLS:
            return CALLS[name]
        if name.startswith(OPERATOR):
            operation: Callable[..., Any] = getattr(operator, name[len(OPERATOR) :])
            return operation
        if name == PRINTED_IMPORT:
            return self._importing
        if name.startswith(MAYBE):
            return self._asking(name[len(MAYBE) :])
        if name in _HELPS and self._adapter.function(name) is None:
            # a step in programs that test other functions: another function does the same
            return self._adapter.evaluate if name == "eval" else self._tensor
        return required(self._adapter, name)

    def _importing(self) -> str:
        module = getattr(self._adapter, "module_name", None)
        text = None if module is None else printed_by_import(module)
        return UNKNOWN if text is None else text

    def _asking(self, name: str) -> Callable[..., Any]:
        """A function that returns UNKNOWN where `name` raises or is absent."""

        def ask(*args: Any, **kwargs: Any) -> Any:
            try:
                return required(self._adapter, name)(*args, **kwargs)
            except BaseException:
                return UNKNOWN

        return ask


_HELPS = ("eval", "constant")
_MADE: Dict[str, Callable[[List[int]], Any]] = {
    "range": lambda items: range(items[0], items[-1] + 1),
    "set": set,
    "iterator": iter,
    "int64": lambda items: np.int64(items[0]),
}
"""Integers as Python and NumPy have them; the other kinds are tensors."""


def _printed(*args: Any, **kwargs: Any) -> str:
    text = printed(*args, **kwargs)
    return UNKNOWN if text is None else text


def _apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _classes(result: Any) -> str:
    return " ".join(c.__name__ for c in type(result).__mro__)


def _name(result: Any) -> str:
    return str(getattr(result, "name", None) or "")


CALLS: Dict[str, Callable[..., Any]] = {
    OPERATOR_CALL: _apply,
    PRINTED_CALL: _printed,
    OPERATOR + "classes": _classes,
    OPERATOR + "attribute": getattr,
    OPERATOR + "name": _name,
    OPERATOR + "range": range,
    OPERATOR + "set": set,
    OPERATOR + "iter": iter,
    OPERATOR + "slice": slice,
}
"""The calls of steps besides functions of the implementation and of Python's `operator`."""
