"""The shapes of a program's tensors that a graph knows when it is built.

A placeholder may be made with dimensions that are None. The rules of the specs say which dimensions
of a result follow from those that are known. Where there is no rule, nothing is taken to be known
unless all that the call is given is known. A length that a tensor holds, such as the `size` of
`slice`, is not known. No document says that a graph knows the values of a tensor, and a variable
may hold another value later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from conformance.fuzz.bounds.tensors import Typed, scope
from conformance.fuzz.programs import ProgramCall, Special
from conformance.program import Argument, Function, Made, Program, Ref, Step
from conformance.program.model import TENSORS_OF_INTEGERS
from conformance.specs import image_rules, kinds, load
from conformance.specs.load import documented_name
from conformance.specs.rules import RuleError, Scope, evaluate

Static = tuple[int | None, ...]
KNOWN = (kinds.Kernel, kinds.Pointwise, kinds.LocalKernel)
"""Kinds of tensors whose whole shape must be known when a graph is built."""


def initial_shapes(program: Program, types: Mapping[str, Typed]) -> dict[str, Static]:
    """The known shapes of the tensors that the graph of a program begins with."""
    shapes: dict[str, Static] = {n: kind.shape for n, kind in types.items()}
    shapes |= {item.name: item.static_shape for item in program.inputs}
    for step in program.steps:
        asked = dict(step.kwargs).get("shape")
        if step.function == "placeholder" and isinstance(asked, tuple):
            shapes[step.result] = tuple(None if d is None else int(str(d)) for d in asked)
    return shapes


def has_unknown(program: Program) -> bool:
    """Whether there may be a tensor in the program with a dimension that is not known."""
    begun = initial_shapes(program, {})
    return any(None in shape for shape in begun.values()) or _has_integer_tensors(program.steps)


def _has_integer_tensors(steps: Iterable[Step]) -> bool:
    """Whether a step, or one of a body, is given integers as a tensor."""
    return any(map(_is_tensor, _arguments(steps)))


def _arguments(steps: Iterable[Step]) -> Iterator[Argument]:
    """All arguments of the steps, those of the steps of bodies included."""
    for step in steps:
        for value in (*step.args, *(value for _, value in step.kwargs)):
            yield value
            if isinstance(value, Function):
                yield from _arguments(value.steps)


def _is_tensor(value: Argument) -> bool:
    return isinstance(value, Made) and value.kind in TENSORS_OF_INTEGERS


def static_shapes(
    begun: Mapping[str, Static], calls: Iterable[ProgramCall | Special], types: Mapping[str, Typed]
) -> dict[str, Static]:
    """The known shape of each tensor, those in `begun` included."""
    shapes = dict(begun)
    for call in calls:
        shapes[call.result] = _of(call, shapes, types)
    return shapes


def fits(shapes: Mapping[str, Static], calls: Iterable[ProgramCall | Special]) -> bool:
    """Whether every call knows the dimensions that it must know: kernels, channels, and how often
    a loop is unrolled."""
    return all(_loops(shapes, c) if isinstance(c, Special) else _fits(shapes, c) for c in calls)


def _of(
    call: ProgramCall | Special, shapes: Mapping[str, Static], types: Mapping[str, Typed]
) -> Static:
    shape = types[call.result].shape
    if not _has_open(call, shapes):
        return shape
    unknown = (None,) * len(shape)
    if isinstance(call, Special) or call.shape_rule is None:
        return unknown
    try:
        derived = tuple(evaluate(call.shape_rule, _scope(call, shapes, types)))
    except (RuleError, TypeError):
        return unknown
    return derived if len(derived) == len(shape) else unknown


def _has_open(call: ProgramCall | Special, shapes: Mapping[str, Static]) -> bool:
    """Whether something that a graph does not know is given to the call."""
    if any(None in shapes.get(name, ()) for name in call.references()):
        return True
    if isinstance(call, Special):
        return _has_integer_tensors([call.step])
    return any(map(_is_tensor, call.arguments.values()))


def _scope(call: ProgramCall, static: Mapping[str, Static], types: Mapping[str, Typed]) -> Scope:
    known = scope(call, types)
    shapes = {n: _shapes(call.arguments[n], static) for n in known.shapes}
    values = {n: _value(call.arguments[n], value) for n, value in known.values.items()}
    return Scope(values, shapes, known.dtypes, known.floatx, known.domains)


def _value(passed: Argument, value: Any) -> Any:
    """A value as a graph knows it: of a tensor, how many elements it has."""
    return (None,) * len(value) if _is_tensor(passed) else value


def _shapes(value: Argument, shapes: Mapping[str, Static]) -> Static | Sequence[Static]:
    if isinstance(value, list):
        return [shapes[item.name] for item in value if isinstance(item, Ref)]
    assert isinstance(value, Ref)
    return shapes[value.name]


def _fits(shapes: Mapping[str, Static], call: ProgramCall) -> bool:
    for name, rule in call.spec.parameters.items():
        value = call.arguments.get(name)
        if not isinstance(value, Ref):
            continue
        shape = shapes.get(value.name, ())
        if isinstance(rule, KNOWN) and None in shape:
            return False
        if isinstance(rule, kinds.Images) and _channels(call, shape) is None:
            return False
    return True


def _loops(shapes: Mapping[str, Static], call: Special) -> bool:
    """Whether a loop is unrolled so often as is known, and its body is given what it must know."""
    needs = any(_needs_shapes(step) for body in _bodies(call) for step in body.steps)
    return _unrolls(shapes, call) and not (needs and _has_open(call, shapes))


def _bodies(call: Special) -> list[Function]:
    return [value for value in call.step.args if isinstance(value, Function)]


def _needs_shapes(step: Step) -> bool:
    return step.function in _names_that_need_shapes()


@cache
def _names_that_need_shapes() -> frozenset[str]:
    """The functions, by their names in all editions, that are given kernels or images."""
    needy = (*KNOWN, kinds.Images)
    return frozenset(
        documented_name(spec, edition)
        for spec in load().values()
        for edition in spec.editions
        if any(isinstance(rule, needy) for rule in spec.parameters.values())
    )


def _unrolls(shapes: Mapping[str, Static], call: Special) -> bool:
    if not dict(call.step.kwargs).get("unroll"):
        return True
    inputs = call.step.args[1]
    assert isinstance(inputs, Ref)
    return shapes[inputs.name][1] is not None


def _channels(call: ProgramCall, shape: Static) -> int | None:
    data_format = call.arguments.get("data_format")
    return image_rules.channels(shape, data_format if isinstance(data_format, str) else None)
