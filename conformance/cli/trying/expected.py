"""What is expected of an expression in one edition: the oracle's answer, call by call.

The calls before the last one only make its arguments. Where they are exact, the engine judges the
last call as in a run. Where they round, or the last step is no single call, the whole program is
computed on wide numbers, and the bound covers what each step may round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.cli.trying.calls import MisfitError, UntoldError, as_array, bound, prepared_call
from conformance.dtypes import is_floating
from conformance.editions import Edition
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.promotions import promotions
from conformance.oracle import Expectation, agrees
from conformance.oracle.control_flow import ORACLES as CONTROL_FLOW
from conformance.oracle.programs import OPERATORS, expect_program
from conformance.program import Program, Ref, Step
from conformance.program.expressions import RESULT
from conformance.program.marks import OPERATOR
from conformance.specs import Spec, Specs
from conformance.specs.load import signature
from conformance.specs.model import Exact

Array = npt.NDArray[Any]

MOST_ELEMENTS = 1_000_000
"""Of a larger array nothing is computed here."""
CONVERTERS = ("keras.ops.array", "keras.ops.convert_to_tensor")
"""What makes a tensor of numbers, of which no single call tells what it gives."""
_USUAL = {"b": "bool", "i": "int32", "u": "int32", "f": "float32"}
"""The dtype of a tensor of Python's numbers, by their kind."""
_NO_ANSWER = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError)
"""What the oracle raises for arguments that no document allows."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The oracle's answer, or why there is none."""

    edition: Edition
    answer: Expectation | None = None
    prepared: Prepared | None = None
    """The last call with its exact arguments, if the engine can judge it."""
    untold: str = ""
    misfit: bool = False
    """Whether the edition's signature takes no such arguments."""


@dataclass(slots=True)
class _Knowledge:
    """What the steps so far give, each in its dtype, and which of them are exact."""

    arrays: dict[str, Array] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    open: dict[str, str] = field(default_factory=dict)
    """The functions of those whose numbers depend on the dtype that an implementation chooses."""
    steps: list[Step] = field(default_factory=list)
    """The steps as the oracle takes them."""
    last: Prepared | None = None


def expected(program: Program, edition: Edition, specs: Specs) -> Expected:
    """What is expected of the program's output."""
    known = _Knowledge()
    try:
        for step in program.steps:
            _learn(program, step, edition, specs, known)
        return _answer(program, edition, known)
    except UntoldError as reason:
        return Expected(edition, untold=str(reason), misfit=isinstance(reason, MisfitError))
    except _NO_ANSWER as error:
        return Expected(edition, untold=f"no document allows such arguments ({error})")


def _answer(program: Program, edition: Edition, known: _Knowledge) -> Expected:
    (output,) = program.outputs
    if known.last is not None and output == RESULT:
        return Expected(edition, known.last.expectation(0), known.last)
    computed = replace(program, steps=tuple(known.steps))
    dtype = known.arrays[output].dtype.name
    with np.errstate(all="ignore"):
        answers = expect_program(computed, {}, {output: dtype})
    return Expected(edition, answers[output])


def _learn(program: Program, step: Step, edition: Edition, specs: Specs, known: _Knowledge) -> None:
    """Add what the step gives."""
    known.last = None
    for name in sorted(step.mentions() & known.open.keys()):
        raise UntoldError(f"{known.open[name]} gives other numbers in each dtype that it may give")
    if step.function.startswith(OPERATOR):
        _learn_operation(step, known)
    elif step.function in CONVERTERS:
        _learn_array(step, specs[step.function], edition, known)
    elif step.function in CONTROL_FLOW:
        known.steps.append(step)
        _learn_by_program(program, step, known)
    else:
        _learn_call(step, edition, specs, known)


def _learn_call(step: Step, edition: Edition, specs: Specs, known: _Knowledge) -> None:
    spec = specs[specs.aliases().get(step.function, step.function)]
    prepared = prepared_call(step, spec, edition, known.arrays)
    _check_size(spec.name, prepared.shape)
    answer = prepared.expectation(0)
    dtype = prepared.dtypes[0]
    with np.errstate(all="ignore"):
        known.arrays[step.result] = np.asarray(answer.value).astype(dtype)
    if _is_open(prepared, answer):
        known.open[step.result] = spec.name
    given = bound(step, spec, signature(spec, edition))
    arguments = {**prepared.structure.arguments, **given}
    oracle = prepared.structure.oracle
    known.steps.append(Step(step.result, oracle, (), tuple(arguments.items())))
    if step.mentions() <= known.exact:
        known.last = prepared
        if isinstance(spec.accuracy, Exact):
            known.exact.add(step.result)


def _is_open(prepared: Prepared, answer: Expectation) -> bool:
    """Whether integers lose what another dtype that is allowed has: a fraction, or a number beyond
    their range."""
    if is_floating(answer.dtype):
        return False
    others = (prepared.expectation(0, dtype) for dtype in promotions(prepared))
    return any(not agrees(other.value, answer).all() for other in others)


def _learn_array(step: Step, spec: Spec, edition: Edition, known: _Knowledge) -> None:
    """A tensor of the numbers that are given, in the dtype that is given or usual for them."""
    given = bound(step, spec, signature(spec, edition))
    value = given["x"]
    array = known.arrays[value.name] if isinstance(value, Ref) else as_array(value)
    usual = array.dtype.name if isinstance(value, Ref) else _USUAL[array.dtype.kind]
    dtype = str(given.get("dtype") or usual)
    known.arrays[step.result] = array.astype(dtype)
    known.exact |= {step.result} if step.mentions() <= known.exact else set()
    made = (("value", value), ("dtype", dtype))
    known.steps.append(Step(step.result, "constant", (), made))


def _learn_operation(step: Step, known: _Knowledge) -> None:
    function = OPERATORS.get(step.function.removeprefix(OPERATOR))
    if function is None:
        raise UntoldError(f"nothing is known of {step.function}")
    args = [known.arrays[a.name] if isinstance(a, Ref) else a for a in step.args]
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    _check_size("the result", np.broadcast_shapes(*(a.shape for a in arrays)))
    with np.errstate(all="ignore"):
        value = np.asarray(function(*args))
    known.arrays[step.result] = value.astype(arrays[0].dtype)
    known.steps.append(step)


def _learn_by_program(program: Program, step: Step, known: _Knowledge) -> None:
    """A function that calls a callable: its result has the dtype of its tensors, or floatx."""
    computed = replace(program, steps=tuple(known.steps))
    dtypes = [known.arrays[name].dtype.name for name in step.mentions()]
    dtype = dtypes[0] if dtypes else "float32"
    answer = expect_program(computed, {}, {step.result: dtype})[step.result]
    _check_size(step.function, np.shape(answer.value))
    with np.errstate(all="ignore"):
        known.arrays[step.result] = np.asarray(answer.value).astype(dtype)


def _check_size(name: str, shape: tuple[int, ...]) -> None:
    if math.prod(shape) > MOST_ELEMENTS:
        raise UntoldError(f"{name} of shape {shape}, which has more than {MOST_ELEMENTS} elements")
