"""What is known of the shapes of a program's tensors when its graph is built.

A placeholder may be made with dimensions that are None. The rules of the specs say which dimensions
of a result follow from those that are known. Where there is no rule, nothing is taken to be known
unless all that the call is given is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conformance.fuzz.bounds.types import Typed, scope
from conformance.fuzz.calls import Call, Special
from conformance.program import Argument, Program, Ref
from conformance.specs import image_rules, kinds
from conformance.specs.rules import RuleError, Scope, evaluate

Static = tuple[int | None, ...]
KNOWN = (kinds.Kernel, kinds.Pointwise, kinds.LocalKernel)
"""Kinds of tensors whose whole shape must be known when a graph is built."""


def given_statics(program: Program, types: Mapping[str, Typed]) -> dict[str, Static]:
    """What is known of the shapes that the graph of a program begins with."""
    found: dict[str, Static] = {n: kind.shape for n, kind in types.items()}
    found |= {item.name: item.static_shape for item in program.inputs}
    for step in program.steps:
        told = dict(step.kwargs).get("shape")
        if step.function == "placeholder" and isinstance(told, tuple):
            found[step.result] = tuple(None if d is None else int(str(d)) for d in told)
    return found


def has_unknown(program: Program) -> bool:
    """Whether a placeholder of the program has a dimension that is not known."""
    begun = given_statics(program, {})
    return any(None in shape for shape in begun.values())


def statics(
    given: Mapping[str, Static], calls: Iterable[Call | Special], types: Mapping[str, Typed]
) -> dict[str, Static]:
    """What is known of each tensor's shape, those `given` included."""
    found = dict(given)
    for call in calls:
        found[call.result] = _of(call, found, types)
    return found


def fits(found: Mapping[str, Static], calls: Iterable[Call | Special]) -> bool:
    """Whether every call knows the dimensions that it must know: kernels, channels, and how often
    a loop is unrolled."""
    return all(_unrolls(found, c) if isinstance(c, Special) else _fits(found, c) for c in calls)


def _of(call: Call | Special, found: Mapping[str, Static], types: Mapping[str, Typed]) -> Static:
    shape = types[call.result].shape
    if not any(None in found.get(name, ()) for name in call.references()):
        return shape
    unknown = (None,) * len(shape)
    if isinstance(call, Special) or call.shape_rule is None:
        return unknown
    try:
        told = tuple(evaluate(call.shape_rule, _scope(call, found, types)))
    except (RuleError, TypeError):
        return unknown
    return told if len(told) == len(shape) else unknown


def _scope(call: Call, found: Mapping[str, Static], types: Mapping[str, Typed]) -> Scope:
    known = scope(call, types)
    shapes = {n: _shapes(call.arguments[n], found) for n in known.shapes}
    return Scope(known.values, shapes, known.dtypes, known.floatx, known.domains)


def _shapes(value: Argument, found: Mapping[str, Static]) -> Static | Sequence[Static]:
    if isinstance(value, list):
        return [found[item.name] for item in value if isinstance(item, Ref)]
    assert isinstance(value, Ref)
    return found[value.name]


def _fits(found: Mapping[str, Static], call: Call) -> bool:
    for name, rule in call.spec.parameters.items():
        value = call.arguments.get(name)
        if not isinstance(value, Ref):
            continue
        shape = found.get(value.name, ())
        if isinstance(rule, KNOWN) and None in shape:
            return False
        if isinstance(rule, kinds.Images) and _channels(call, shape) is None:
            return False
    return True


def _unrolls(found: Mapping[str, Static], call: Special) -> bool:
    if not dict(call.step.kwargs).get("unroll"):
        return True
    inputs = call.step.args[1]
    assert isinstance(inputs, Ref)
    return found[inputs.name][1] is not None


def _channels(call: Call, shape: Static) -> int | None:
    told = call.arguments.get("data_format")
    return image_rules.channels(shape, told if isinstance(told, str) else None)
