"""Short forms for writing the programs of scenarios."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.program import Argument, Binding, Function, Input, Program, Ref, Step

Array = npt.NDArray[Any]


class ProgramWriter:
    """A program under construction: every method adds a step and gives a `Ref` to its result.

    w = ProgramWriter()
    v = w.call("variable", w.array("start", np.zeros(3)))
    w.call("set_value", v, w.array("new", np.ones(3)))
    w.observe("after", "get_value", v)
    """

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.steps: list[Step] = []
        self.outputs: list[str] = []
        self.arrays: dict[str, Array] = {}

    def array(self, name: str, value: Any, dtype: str | None = None) -> Ref:
        """A NumPy array that the program holds."""
        array = np.asarray(value, dtype)
        self.inputs.append(Input(name, array.shape, array.dtype.name, Binding.ARRAY))
        self.arrays[name] = array
        return Ref(name)

    def call(self, function: str, /, *args: Argument, **kwargs: Argument) -> Ref:
        """A call whose result is used by later steps only."""
        return self._step(
            f"{function.rpartition('.')[2]}_{len(self.steps)}", function, args, kwargs
        )

    def named(self, name: str, function: str, /, *args: Argument, **kwargs: Argument) -> Ref:
        """A call whose result has that name, for callables that use it."""
        return self._step(name, function, args, kwargs)

    def observe(self, output: str, function: str, /, *args: Argument, **kwargs: Argument) -> Ref:
        """A call whose result is an output of that name."""
        self.outputs.append(output)
        return self._step(output, function, args, kwargs)

    def attempt(self, output: str, function: str, /, *args: Argument, **kwargs: Argument) -> Ref:
        """A call that may raise; the output is "returns", or "raises " and names of classes."""
        self.outputs.append(output)
        return self._step(output, function, args, kwargs, attempt=True)

    def _step(
        self,
        result: str,
        function: str,
        args: Iterable[Argument],
        kwargs: dict[str, Argument],
        *,
        attempt: bool = False,
    ) -> Ref:
        step = Step(result, function, tuple(args), tuple(kwargs.items()), attempt)
        self.steps.append(step)
        return Ref(result)

    def program(self) -> Program:
        """The program as written so far."""
        return Program(tuple(self.inputs), tuple(self.steps), tuple(self.outputs))


class FunctionWriter(ProgramWriter):
    """The body of a callable that is an argument; see `function`.

    body = FunctionWriter("step", "x", "states")
    total = body.call("operator.add", Ref("x"), body.call("operator.getitem", Ref("states"), 0))
    step = body.returning((total, [total]))
    """

    def __init__(self, name: str, *parameters: str) -> None:
        super().__init__()
        self._name = name
        self._parameters = parameters

    def returning(self, value: Argument) -> Function:
        """The callable that returns `value`."""
        return Function(self._name, self._parameters, tuple(self.steps), value)
