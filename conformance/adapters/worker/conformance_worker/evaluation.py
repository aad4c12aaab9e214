"""How the tensors of a structure become values: `K.function`, `K.eval`, or as they are (eager)."""

from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from .failures import Failure, Meter
from .structures import Structure


class Evaluator(object):
    """Evaluates tensors; `way` is "function", "eval" or "eager".

    `fed` names the inputs that are fed at each call. Some implementations refuse a `K.function`
    without inputs, or one whose output is a variable: then `K.eval` has to do.
    """

    def __init__(self, module: Any, meter: Meter, fed: Sequence[str], eager: bool) -> None:
        self._module = module
        self._meter = meter
        self._fed = fed
        self._worked = bool(fed)
        self._tensors: List[Any] = []
        self._function: Any = None
        self.way = "eager" if eager and not fed else "function"

    def prepare(self, structure: Structure) -> None:
        """Take the tensors of `structure`, compiled if they are to be."""
        self._tensors = structure.tensors()
        if self.way == "function" and self._tensors:
            fed = [structure.names[name] for name in self._fed]
            self._attempt(lambda: self._compile(fed))

    def evaluate(self, feed: Dict[str, Any]) -> List[Any]:
        """The values of the tensors, in their order."""
        if not self._tensors:
            return []
        results = None
        if self.way == "function":
            results = self._attempt(lambda: self._run(feed))
        return self._each() if results is None else results

    def _attempt(self, action: Callable[[], Any]) -> Any:
        """What `action` gives; None, and from now on `K.eval`, if it never worked without feeds."""
        try:
            return action()
        except Failure:
            if self._worked:
                raise
            self.way = "eval"
            return None

    def _compile(self, fed: List[Any]) -> None:
        module, tensors = self._module, self._tensors
        self._function = self._meter.call("compile", None, lambda: module.function(fed, tensors))

    def _run(self, feed: Dict[str, Any]) -> List[Any]:
        function, arrays = self._function, [feed[name] for name in self._fed]
        results: List[Any] = self._meter.call("call", None, lambda: list(function(arrays)))
        self._worked = True
        return results

    def _each(self) -> List[Any]:
        values: List[Any] = self._meter.call("call", None, self._get_all)
        return values

    def _get_all(self) -> List[Any]:
        module = self._module
        get = module.eval if self.way == "eval" else getattr(module, "get_value", np.asarray)
        return [get(tensor) for tensor in self._tensors]
