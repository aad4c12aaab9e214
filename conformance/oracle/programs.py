"""The right answer of a program with callables: the very same steps on wide NumPy arrays.

`expect_program` evaluates a program's outputs. The bound of each element is `factor` times the
largest change, plus `factor` ULP. For the change the arguments and the result of every single step
are moved by one unit roundoff, over `PATTERNS` draws of random signs. Moving the results of the
steps inside the loops, and not the inputs alone, counts the roundings of every time step; moving
the arguments covers sums that cancel. (Stochastic arithmetic, as in J. Vignes, "A stochastic
arithmetic for reliable scientific computation", Math. Comput. Simul. 35, 1993.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from conformance.oracle import control_flow
from conformance.oracle.evaluate import ORACLES as FUNCTIONS
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.rounding import WIDE, arithmetic, ulp
from conformance.program import Argument, Function, Program, Ref, Step
from conformance.program.marks import OPERATOR

PATTERNS = 8
FACTOR = 8.0

Change = Callable[[Array], Array]
Names = Mapping[str, Any]

OPERATORS: Mapping[str, Callable[..., Any]] = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "pow", "neg", "getitem")
}
MOVERS = frozenset({"getitem", *control_flow.ORACLES})
"""Functions that round nothing themselves: only the steps of their callables do."""


def cast(x: Array, dtype: str) -> Array:
    """x in the wide type of a dtype; towards zero for integers.

    Shapes: any x; the result has the shape of x.
    """
    return np.asarray(x).astype(WIDE.get(dtype, np.bool_ if dtype == "bool" else np.int64))


def evaluate(steps: Sequence[Step], names: Names, change: Change | None = None) -> dict[str, Any]:
    """The names, and the results that every step adds to them. KeyError: a function without an
    oracle.

    `change` is done to the arguments and the result of every step that rounds.
    """
    known = dict(names)
    for step in steps:
        known[step.result] = _answer(step, known, change)
    return known


def _answer(step: Step, names: Names, change: Change | None) -> Any:
    oracle, moves = _oracle(step.function)
    args = [_value(a, names, change) for a in step.args]
    kwargs = {name: _value(a, names, change) for name, a in step.kwargs}
    if change is None or moves:
        return oracle(*args, **kwargs)
    args = [_changed(a, change) for a in args]
    return _changed(oracle(*args, **kwargs), change)


@cache
def _oracle(function: str) -> tuple[Callable[..., Any], bool]:
    """The code that answers for a function, and whether it rounds nothing itself."""
    moves = function.rpartition(".")[2] in MOVERS
    if function.startswith(OPERATOR):
        return OPERATORS[function.removeprefix(OPERATOR)], moves
    if function == "cast":
        return cast, moves
    return control_flow.ORACLES.get(function) or FUNCTIONS[function], moves


_LISTS = (list, tuple)
_NUMBERS = (np.ndarray, np.floating)


def _value(argument: Argument, names: Names, change: Change | None) -> Any:
    if isinstance(argument, Ref):
        return names[argument.name]
    if isinstance(argument, Function):
        return as_callable(argument, names, change)
    if isinstance(argument, _LISTS):
        return type(argument)(_value(item, names, change) for item in argument)
    return argument


def as_callable(
    function: Function, names: Names, change: Change | None = None
) -> Callable[..., Any]:
    """The callable on wide arrays; it sees `names` besides its parameters."""

    def call(*values: Any) -> Any:
        inside = dict(names) | dict(zip(function.parameters, values, strict=True))
        return _value(function.returns, evaluate(function.steps, inside, change), change)

    return call


def _changed(value: Any, change: Change) -> Any:
    if isinstance(value, _NUMBERS) and value.dtype.kind == "f":
        return change(np.asarray(value))
    return value


def results(
    program: Program, arrays: Mapping[str, Array], outputs: Sequence[str], change: Change | None
) -> dict[str, Any]:
    """The outputs, from arrays that are wide already.

    `arrays` may give the results of steps, such as a step that makes a placeholder; steps that
    nothing needs are left out.
    """
    known = evaluate(needed(program, arrays, outputs), arrays, change)
    return {name: known[name] for name in outputs}


def needed(program: Program, known: Names, outputs: Sequence[str]) -> list[Step]:
    """The steps that the outputs need, besides what is given."""
    names, steps = set(outputs), []
    for step in reversed(program.steps):
        if step.result in names and step.result not in known:
            steps.append(step)
            names |= set(_references([*step.args, *(a for _, a in step.kwargs)]))
    return steps[::-1]


def _references(arguments: Sequence[Argument]) -> list[str]:
    names: list[str] = []
    for argument in arguments:
        if isinstance(argument, Ref):
            names.append(argument.name)
        elif isinstance(argument, list | tuple):
            names += _references(argument)
        elif isinstance(argument, Function):
            inside = [a for s in argument.steps for a in (*s.args, *(v for _, v in s.kwargs))]
            names += _references([*inside, argument.returns])
    return names


def widest(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays in the types that hold the answers: floats wide, integers int64, bool bool.

    Shapes: each result has the shape of its array.
    """
    return {name: cast(array, array.dtype.name) for name, array in arrays.items()}


def expect_program(
    program: Program,
    arrays: Mapping[str, Array],
    outputs: Mapping[str, str],
    *,
    factor: float = FACTOR,
) -> dict[str, Expectation]:
    """Expectations for the outputs, whose dtypes `outputs` gives by name.

    `arrays` are in the case's own dtypes. KeyError: a step has no oracle.
    """
    unit = max((model.unit for d in outputs.values() if (model := arithmetic(d, True))), default=0)
    with np.errstate(all="ignore"):
        wide = widest(arrays)
        steps = needed(program, wide, list(outputs))
        values = evaluate(steps, wide)
        spread = {name: np.zeros(np.shape(values[name])) for name in outputs}
        for pattern in range(PATTERNS if unit else 0):
            change = _random_signs(pattern, unit)
            moved = evaluate(steps, {n: _changed(a, change) for n, a in wide.items()}, change)
            for name in outputs:
                distance = np.abs(np.subtract(moved[name], values[name], dtype=np.longdouble))
                spread[name] = np.fmax(spread[name], distance)
    return {
        name: _expectation(np.asarray(values[name]), factor * spread[name], dtype, factor)
        for name, dtype in outputs.items()
    }


def _random_signs(pattern: int, unit: float) -> Change:
    factors = _Factors(pattern, unit)

    def change(x: Array) -> Array:
        moved: Array = x * factors.of_shape(x.shape, x.size)
        return moved.astype(x.dtype, copy=False)

    return change


class _Factors:
    """1 more or less a unit, at random: drawn for many small arrays at once, because a draw costs
    more than its numbers."""

    def __init__(self, pattern: int, unit: float) -> None:
        self._random = np.random.default_rng(pattern)
        self._either = np.array([1 - unit, 1 + unit])
        self._ahead, self._used = np.zeros(0), 0

    def of_shape(self, shape: tuple[int, ...], size: int) -> Array:
        """One factor for each element of an array."""
        if self._used + size > len(self._ahead):
            drawn = self._either[self._random.integers(0, 2, max(size, _AHEAD))]
            self._ahead = np.concatenate([self._ahead[self._used :], drawn])
            self._used = 0
        self._used += size
        return self._ahead[self._used - size : self._used].reshape(shape)


_AHEAD = 512


def _expectation(value: Array, spread: Array, dtype: str, factor: float) -> Expectation:
    model = arithmetic(dtype, True)
    if model is None:
        return Expectation(value, np.zeros(value.shape), dtype)
    bound = spread + factor * (ulp(value.astype(np.longdouble), model) + model.smallest_normal)
    return Expectation(value.astype(np.float64), np.asarray(bound, np.float64), dtype)
