"""Evaluate the tensors of a structure: compiled, one by one, or as they are (eager)."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from .adapters import required
from .failures import ImplementationError, Meter, describe
from .joined import Joined
from .structures import BoundProgram


class Evaluator(object):
    """Evaluates tensors; `way` is "function", "eval" or "eager".

    `fed` names the inputs that are fed at each call. Some implementations refuse a `K.function`
    without inputs, or one whose output is a variable: then `K.eval` is used. Some refuse to compute
    a result that is itself a fed input: then its value is what was fed.
    """

    def __init__(self, adapter: Any, meter: Meter, fed: Sequence[str], eager: bool) -> None:
        self._adapter = adapter
        self._meter = meter
        self._fed = fed
        self._worked = bool(fed)
        self._tensors: List[Any] = []
        self._echoes: List[Optional[str]] = []
        self._function: Any = None
        self._dtypes: Dict[str, Any] = {}
        self._fell_back = False
        self.way = "eager" if eager and not fed else "function"

    def prepare(self, structure: Union[BoundProgram, Joined]) -> None:
        """Set the tensors to evaluate to those of `structure`; compile them if `way` says so."""
        inputs = {id(structure.names[name]): name for name in self._fed}
        tensors = structure.tensors()
        self._echoes = [inputs.get(id(tensor)) for tensor in tensors]
        self._tensors = [tensor for tensor in tensors if id(tensor) not in inputs]
        self._dtypes = {name: self._dtype(structure.names[name]) for name in self._echoes if name}
        if self.way == "function" and self._tensors:
            fed = [structure.names[name] for name in self._fed]
            self._attempt(lambda: self._compile(fed))

    def evaluate(self, feed: Dict[str, Any]) -> List[Any]:
        """The values of the tensors, in their order.

        Raises:
            ImplementationError: the implementation raised, or returned another number of values.
        """
        results = self._compute(feed) if self._tensors else []
        if len(results) != len(self._tensors):
            counts = "{} results for {} outputs".format(len(results), len(self._tensors))
            raise ImplementationError(describe(ValueError(counts), "read"))
        computed = iter(results)
        return [next(computed) if name is None else self._echo(name, feed) for name in self._echoes]

    def fell_back(self) -> bool:
        """Whether `K.eval` has replaced `K.function` since the last call of this method."""
        answer, self._fell_back = self._fell_back, False
        return answer

    def _echo(self, name: str, feed: Dict[str, Any]) -> Any:
        return np.array(feed[name], dtype=self._dtypes[name])

    def _dtype(self, tensor: Any) -> Any:
        """The dtype that the implementation reports of an input; None if it reports none."""
        try:
            return np.dtype(str(required(self._adapter, "dtype")(tensor)))
        except BaseException:
            return None

    def _compute(self, feed: Dict[str, Any]) -> List[Any]:
        results = None
        if self.way == "function":
            results = self._attempt(lambda: self._run(feed))
        return self._each() if results is None else results

    def _attempt(self, action: Callable[[], Any]) -> Any:
        """The result of `action`; None, and `K.eval` from now on, if that never worked."""
        try:
            return action()
        except ImplementationError:
            if self._worked:
                raise
            self.way = "eval"
            self._fell_back = True
            return None

    def _compile(self, fed: List[Any]) -> None:
        adapter, tensors = self._adapter, self._tensors
        self._function = self._meter.call("compile", None, adapter.compile, fed, tensors)

    def _run(self, feed: Dict[str, Any]) -> List[Any]:
        function, arrays = self._function, [feed[name] for name in self._fed]
        results = self._meter.call("call", None, function, arrays)
        values: List[Any] = self._meter.call("read", None, list, results)
        self._worked = True
        return values

    def _each(self) -> List[Any]:
        values: List[Any] = self._meter.call("call", None, self._get_all)
        return values

    def _get_all(self) -> List[Any]:
        return [self._adapter.evaluate(tensor) for tensor in self._tensors]
