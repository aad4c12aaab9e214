"""Features: what a structure shows of a function, as tuples that can be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from conformance.generators.coverage.classes import of_tensors
from conformance.generators.coverage.terms import terms_class
from conformance.generators.coverage.windows import Feature, windows_of
from conformance.generators.forms import FEW
from conformance.generators.sizes import long_axis, size_class
from conformance.generators.structure import Structure, expected_shape
from conformance.program import Argument, Made, Ref
from conformance.specs import kinds


def features_of(structure: Structure) -> Iterator[Feature]:
    """What a structure shows: bindings, dtypes, ranks, dimensions, forms of arguments."""
    for item in structure.program.inputs:
        name = item.name.rstrip("0123456789")
        yield ("binding", name, item.binding)
        yield ("dtype", name, item.dtype)
        yield ("rank", name, len(item.shape))
        yield from (("dimension", name, d) for d in item.shape if d < 2)
    yield from of_tensors(structure).items()
    yield from (("convention", name) for name in structure.unsettled)
    if not structure.unsettled:
        yield ("settled", *(i.binding for i in structure.program.inputs))
        for item in structure.program.inputs:
            yield ("size", item.name, size_class(item.shape))
            yield ("long axis", item.name, long_axis(item.shape))
        yield ("terms", terms_class(structure))
    if structure.part is not None:
        yield ("part", structure.part.name)
    yield from _class_axes(structure)
    yield from _passing(structure)
    yield from _relations(structure)
    yield from _switches(structure)
    yield from windows_of(structure)
    for name, value in structure.arguments.items():
        yield from _argument(structure, name, value)


def features_of_gradients(structure: Structure) -> Iterator[Feature]:
    """The features of calls, but with the long axes of the result in place of the short ones:
    on those, elements can be exchanged.

    Of which domain an input is decides whether its gradient can be asked for.
    """
    yield from (f for f in features_of(structure) if f[0] != "dimension")
    shape = expected_shape(structure)
    yield from (("long axes", n) for n in range(sum(d > 1 for d in shape)))
    yield ("a long last axis", shape[-1:] > (1,))
    yield from (("domain", name, domain) for name, domain in structure.domains.items())
    numbers = ((n, v) for n, v in structure.arguments.items() if isinstance(v, int))
    yield from (("above one", name) for name, value in numbers if value > 1)
    if structure.spec.draw:  # where no rule of a parameter says what its numbers stand beside
        yield from _beside_last_axis(structure)


def _beside_last_axis(structure: Structure) -> Iterator[Feature]:
    """Whether each number passed is less than the length of the first tensor's last axis, or more:
    transforms and windows are cut off or filled."""
    lengths = structure.program.inputs[0].shape[-1:]
    for name, value in structure.arguments.items():
        if isinstance(value, int) and not isinstance(value, bool) and lengths:
            yield ("beside the last axis", name, (value > lengths[0]) - (value < lengths[0]))


def _passing(structure: Structure) -> Iterator[Feature]:
    step = structure.program.steps[0]
    yield ("positional", len(step.args))
    yield from (("keyword", name) for name, _ in step.kwargs)
    yield ("arguments", len(step.args) + len(step.kwargs))


def _class_axes(structure: Structure) -> Iterator[Feature]:
    """Whether classes are on the last axis, together with what every switch says."""
    rules, values = structure.spec.parameters, structure.runtime.values
    switches = tuple((n, bool(values[n])) for n, r in rules.items() if isinstance(r, kinds.Boolean))
    for name, rule in rules.items():
        if isinstance(rule, kinds.ClassAxis):
            rank = len(structure.runtime.shapes[rule.of])
            last = values[name] in (-1, rank - 1)
            dtypes = tuple(sorted({*structure.runtime.dtypes.values()}))
            settled = not structure.unsettled
            yield ("classes", name, last, switches)
            yield ("classes", name, last, switches, settled, dtypes)


def _switches(structure: Structure) -> Iterator[Feature]:
    """What every switch says, together with the form of each other argument, on a real array."""
    rules, given = structure.spec.parameters, structure.arguments
    large = any(sum(d > 1 for d in item.shape) > 1 for item in structure.program.inputs)
    for name in (n for n, rule in rules.items() if isinstance(rule, kinds.Boolean)):
        for other in rules:
            if other != name and not isinstance(given.get(other), Ref):
                form = type(given[other]).__name__ if other in given else "omitted"
                yield ("beside", name, structure.runtime.values.get(name), other, form, large)


def _relations(structure: Structure) -> Iterator[Feature]:
    """How the shapes of two tensors stand to each other."""
    shapes = list(structure.runtime.shapes.values())
    if len(shapes) != 2 or not all(isinstance(s, tuple) for s in shapes):
        return
    x, y = shapes
    yield ("same shape", x == y)
    yield ("ranks", (len(x) > len(y)) - (len(x) < len(y)))
    for a, b in zip(reversed(x), reversed(y), strict=False):
        yield ("stretched", 0 not in (a, b), (a == 1 != b) - (b == 1 != a))


def _argument(structure: Structure, name: str, value: Argument) -> Iterator[Feature]:
    rule = structure.spec.parameters.get(name)
    if isinstance(value, Ref) or rule is None or isinstance(rule, kinds.Omitted):
        return
    if isinstance(rule, FEW):
        yield ("value", name, repr(value))
    if isinstance(rule, kinds.Dtype):
        dtypes = {i.dtype for i in structure.program.inputs if math.prod(i.shape)}
        yield ("nothing converted", name, value if value in dtypes else None)
    yield ("type", name, value.kind if isinstance(value, Made) else type(value).__name__)
    if isinstance(value, list | tuple):
        yield ("several", name, len(value) > 1)
        yield from (("from the end", name, "in several") for v in value if _negative(v))
    elif isinstance(value, int):
        yield ("from the end", name, _negative(value))


def _negative(value: Any) -> bool:
    return isinstance(value, int) and value < 0
