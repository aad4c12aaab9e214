"""Calls of keras.ops as a plan draws them, made of a function on NumPy and judged as a target's."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from conformance.engine.judging import metadata
from conformance.engine.judging.answers import CallAnswer
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.values import judge
from conformance.generators import Draw, Structure, generate, structures
from conformance.generators.complex_numbers import MADE_OF_PAIRS, call_of
from conformance.generators.values import suits
from conformance.observations import DrawObservation, Returned, TensorMetadata, Value
from conformance.program import Argument, Made, Ref, Step
from conformance.results import Verdict
from conformance.specs.load import load, signature

PROFILES = ("ordinary", "integers", "halves", "sparse")
DTYPES = ("float32", "float64", "int32", "int8")


COUNTS = {"image.resize": 400}
"""Functions of which the usual number of calls does not show every way to call them."""


@cache
def prepared(name: str, count: int = 100, elements: int = 60) -> Sequence[Prepared]:
    """Different calls of a function, small and with several draws each."""
    spec = load()[f"keras.ops.{name}"]
    strategy = structures(spec, "keras-3", elements=elements)
    return [
        Prepared(structure, [Draw(p, n) for n, p in enumerate(_suiting(structure))])
        for structure in generate(strategy, count, 1)
        if {item.dtype for item in structure.program.inputs} <= {*DTYPES, "bool"}
        and all(math.prod(item.shape) for item in structure.program.inputs)
        and structure.arguments.get("dtype") != "bfloat16"  # which NumPy lacks
    ]


def _suiting(structure: Structure) -> list[str]:
    own = structure.spec.profiles
    return [p for p in PROFILES if suits(p, structure) and p not in own] or ["ordinary"]


def problems(
    name: str, function: Callable[..., Any], *raised: type[Exception]
) -> Iterator[Finding]:
    """What violates the documents in what the function gives, where it does not raise one of these
    exceptions."""
    for example in prepared(name, COUNTS.get(name, 100)):
        for number in range(len(example.draws)):
            try:
                returned = _returned(example, number, function)
            except raised:
                continue
            conventions = example.structure.conventions("ordinary")
            case = CallAnswer(example, number, DrawObservation(returned), conventions, {})
            findings = judge(case, returned, Judgement())
            yield from (f for f in findings if f.verdict is Verdict.VIOLATES)
            yield from _dtypes(example, returned)


def _dtypes(case: Prepared, returned: Returned) -> Iterator[Finding]:
    """What violates the documents in the dtype of the result."""
    (value,) = returned.values[case.structure.program.outputs[0]]
    findings = metadata.dtype(case, TensorMetadata(), value, {})
    yield from (f for f in findings if f.verdict is Verdict.VIOLATES)


def _returned(case: Prepared, number: int, function: Callable[..., Any]) -> Returned:
    names: dict[str, Any] = dict(case.arrays[number])
    names |= {n: array[..., 0] + 1j * array[..., 1] for n, array in _pairs(case, names)}
    call, others = _call(case.structure)
    args, kwargs = _by_place(case.structure, call)
    arguments = {name: _resolved(value, names) for name, value in kwargs.items()}
    names[call.result] = function(*(_resolved(value, names) for value in args), **arguments)
    for step in others:
        taken = TAKEN.get(step.function, operator.getitem)
        names[step.result] = taken(*(_resolved(value, names) for value in step.args))
    outputs = case.structure.program.outputs
    return Returned({name: (_value(names[name]),) for name in outputs})


TAKEN: Mapping[str, Callable[..., Any]] = {
    "real_part": np.real,
    "imaginary_part": np.imag,
    "first_real_part": lambda pair: np.real(pair[0]),
    "first_imaginary_part": lambda pair: np.imag(pair[0]),
    "second_real_part": lambda pair: np.real(pair[1]),
    "second_imaginary_part": lambda pair: np.imag(pair[1]),
    "reshape": np.reshape,
}
"""What takes a part of complex numbers, or its elements in a row, as the mapping has it."""


def _pairs(case: Prepared, names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The complex numbers that are made before the call, and the pairs of parts."""
    for step in case.structure.program.steps:
        if step.function == MADE_OF_PAIRS:
            yield step.result, _resolved(step.args[0], dict(names))


def _call(structure: Structure) -> tuple[Step, Sequence[Step]]:
    """The call, and the steps after it."""
    call = call_of(structure.program)
    place = structure.program.steps.index(call)
    return call, structure.program.steps[place + 1 :]


def _by_place(structure: Structure, step: Step) -> tuple[list[Argument], dict[str, Argument]]:
    """The arguments without a default by place, and the others by name."""
    every = signature(structure.spec, structure.edition)
    if every.starred is not None:
        return [*step.args], dict(step.kwargs)
    documented = every.parameters
    names = [parameter.name for parameter in documented]
    arguments = {**dict(zip(names, step.args, strict=False)), **dict(step.kwargs)}
    args = [arguments.pop(parameter.name) for parameter in documented if parameter.required]
    return args, arguments


def _value(content: Any) -> Value:
    array = np.asarray(content)
    return Value(array, array.dtype.name, "ndarray")


def _resolved(argument: Argument, names: dict[str, Any]) -> Any:
    match argument:
        case Ref():
            return names[argument.name]
        case Made():
            return argument.value
        case list() | tuple():
            return type(argument)(_resolved(item, names) for item in argument)
    return argument
