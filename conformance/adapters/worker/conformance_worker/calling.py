"""Steps of a program called on a module: its functions, operators, and callables made of steps."""

import importlib
import operator
from typing import Any, Callable, Dict, List

from .failures import Failure, Meter
from .programs import Function, Step, decode


class Calls(object):
    """Calls steps; those of the program itself go through `meter`."""

    def __init__(self, module: Any, meter: Meter) -> None:
        self._module = module
        self._meter = meter

    def run(self, steps: List[Step], names: Dict[str, Any]) -> None:
        """Call the steps in order and put their results into `names`."""
        for index, step in enumerate(steps):
            names[step.result] = self._one(index, step, names)

    def keywords(self, given: Dict[str, Any], names: Dict[str, Any]) -> Dict[str, Any]:
        """Keyword arguments as they are passed."""
        return {key: decode(value, names, self._callable) for key, value in given.items()}

    def _one(self, index: int, step: Step, names: Dict[str, Any]) -> Any:
        try:
            result = self._meter.call("step", index, self._call, step, names)
        except Failure as failure:
            if not step.attempt:
                raise
            return "raises " + " ".join(failure.data[1])
        return "returns" if step.attempt else result

    def _call(self, step: Step, names: Dict[str, Any]) -> Any:
        args = decode(step.args, names, self._callable)
        return self._resolve(step.function)(*args, **self.keywords(step.kwargs, names))

    def _callable(self, function: Function, outside: Dict[str, Any]) -> Callable[..., Any]:
        """A Python function of as many parameters, which some implementations count."""

        def body(*args: Any) -> Any:
            names = dict(outside, **dict(zip(function.parameters, args)))  # noqa: B905
            for step in function.steps:
                names[step.result] = self._call(step, names)
            return decode(function.returns, names, self._callable)

        parameters = ", ".join(function.parameters)
        source = "lambda {0}: body({0})".format(parameters)
        made: Callable[..., Any] = eval(source, {"body": body})  # noqa: S307 - names are checked
        return made

    def _resolve(self, name: str) -> Callable[..., Any]:
        package, _, rest = name.partition(".")
        found: Callable[..., Any]
        if not rest:
            found = getattr(self._module, name)
            return found
        if package == "operator":
            found = _apply if rest == "call" else getattr(operator, rest)
            return found
        return self._beside(rest)

    def _beside(self, path: str) -> Callable[..., Any]:
        """Something else of the package that the module belongs to, such as `layers.Input`."""
        found = importlib.import_module(self._module.__name__.split(".")[0])
        for part in path.split("."):
            found = getattr(found, part)
        return found  # type: ignore[return-value]


def _apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)
