"""The classes of what one parameter of a call was given, told from what was made of it.

They are the same whether the call is finished or still being drawn, so that a draw can be steered
towards a class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.generators.forms import ABSENT, FEW, form
from conformance.program import Argument, Binding, Input, Ref, Step
from conformance.specs import image_rules, kinds

Classes = Mapping[str, str]
"""The class of each feature."""
DTYPE, PART, PASSING = "dtype of tensors", "part of the result", "passing"
"""Features of a whole call; those of a parameter begin with its name."""

SIZES = ((0, 0), (1, 1), (2, 3), (7, 9), (15, 17), (31, 33), (63, 65), (127, 129))
"""The classes of lengths, each around a power of two; what is between belongs to the nearest."""
MANY = 4096
"""A tensor of more elements is in a class of its own."""
_BINDINGS = {
    Binding.PLACEHOLDER: "fed",
    Binding.VARIABLE: "variable",
    Binding.CONSTANT: "constant",
    Binding.ARRAY: "array",
}
BINDING_OF = {
    **{name: binding.value for binding, name in _BINDINGS.items()},
    "fed, unknown": Binding.PLACEHOLDER_NONE.value,
    "fed, partly known": Binding.PLACEHOLDER_NONE.value,
}
"""The binding of each class of bindings."""
_WINDOWS = (kinds.PerAxis, kinds.Window)


@dataclass(frozen=True, slots=True)
class View:
    """What is known of a call, made or being made; names of parameters are the newest ones."""

    rules: Mapping[str, kinds.ParameterRule]
    inputs: Mapping[str, Input]
    shapes: Mapping[str, Any]
    domains: Mapping[str, str]
    values: Mapping[str, Any]
    passed: Mapping[str, Argument]


def of_parameter(seen: View, name: str) -> dict[str, str]:
    """The classes that a parameter's argument, and those before it, decide."""
    items = _tensors(seen, name)
    if not items:
        return {name: _form(seen, name), **_sequence(seen, name)}
    found = dict(_of_tensors(seen, name, items))
    return {f"{name} {feature}": one for feature, one in found.items()}


def size_class(shape: Sequence[int]) -> str:
    """The class of the longest axis; an axis of length 0 and many elements have their own."""
    if 0 in shape:
        return "0"
    if math.prod(shape) > MANY:
        return f"over {MANY} elements"
    return _length(max(shape))


def _length(length: int) -> str:
    low, high = min(SIZES, key=lambda its: max(its[0] - length, length - its[1], 0))
    return str(low) if low == high else f"{low}-{high}"


def passing(step: Step) -> str:
    """How a call is given its arguments."""
    if not step.kwargs:
        return "by position"
    return "some by name" if step.args else "by name"


def _tensors(seen: View, name: str) -> list[Input]:
    given = seen.passed.get(name)
    listed = given if isinstance(given, list) else [given]
    names = [one.name for one in listed if isinstance(one, Ref)]
    return [seen.inputs[one] for one in names if one in seen.inputs]


def _of_tensors(seen: View, name: str, items: Sequence[Input]) -> Iterator[tuple[str, str]]:
    first, rule = items[0], seen.rules[name]
    bindings = {_binding(item) for item in items}
    yield "binding", "mixed" if len(bindings) > 1 else bindings.pop()
    yield "rank", str(len(first.shape))
    if first.shape:
        yield "size", size_class(max((i.shape for i in items), key=math.prod))
    if len(first.shape) > 1:
        yield "long axis", _long_axis(first.shape)
    if isinstance(rule, kinds.Tensors):
        yield "count", "one" if len(items) == 1 else "several"
    if len(getattr(rule, "dtypes", None) or ()) > 1:
        yield "dtype", first.dtype
    if seen.domains.get(first.name, "real") != "real":
        yield "domain", seen.domains[first.name]
    yield from _windows(seen, rule, first)
    yield from _relation(seen, name, first)
    yield from _in_memory(first)


def _binding(item: Input) -> str:
    if item.binding is not Binding.PLACEHOLDER_NONE:
        return _BINDINGS[item.binding]
    told = dict(item.arguments or ()).get("shape", item.static_shape)
    known = isinstance(told, Sequence) and any(d is not None for d in told)
    return "fed, partly known" if known else "fed, unknown"


def _long_axis(shape: Sequence[int]) -> str:
    longest = max(shape)
    if shape.count(longest) > 1:
        return "none"
    place = shape.index(longest)
    return "first" if place == 0 else "last" if place == len(shape) - 1 else "inner"


def _windows(seen: View, rule: kinds.ParameterRule, item: Input) -> Iterator[tuple[str, str]]:
    data_format = seen.values.get("data_format")
    if isinstance(rule, kinds.Images):
        channels = image_rules.channels(item.shape, data_format)
        yield "channels", "one" if channels == 1 else "several"
    if isinstance(rule, kinds.Kernel):
        *sizes, _, _ = image_rules.kernel(item.shape, data_format)
        yield "window", _each([d or 0 for d in sizes])


def _relation(seen: View, name: str, item: Input) -> Iterator[tuple[str, str]]:
    """How the shape stands to that of the parameter that it goes with."""
    other = getattr(seen.rules[name], "of", None)
    of = seen.shapes.get(other) if other else None
    if not isinstance(of, tuple) or isinstance(seen.rules[name], kinds.Kernel):
        return
    yield f"beside {other}", _stands(item.shape, of)


def _stands(mine: Sequence[int], of: Sequence[int]) -> str:
    if tuple(mine) == tuple(of):
        return "same shape"
    if len(mine) != len(of):
        return "fewer axes" if len(mine) < len(of) else "more axes"
    ones = any((a == 1) != (b == 1) for a, b in zip(mine, of, strict=True))
    return "stretched" if ones else "other"


def _in_memory(item: Input) -> Iterator[tuple[str, str]]:
    layout = getattr(item, "layout", None)
    if layout is not None:
        yield "layout", str(layout)


def _form(seen: View, name: str) -> str:
    rule, passed = seen.rules[name], seen.passed
    if name not in passed:
        return ABSENT
    value = passed[name]
    if isinstance(rule, FEW):
        return repr(value)
    if isinstance(rule, _WINDOWS):
        return _each([value] if isinstance(value, int) else list(value))  # type: ignore[arg-type]
    shape = seen.shapes.get(getattr(rule, "of", ""))
    told = _OF_AXES.get(type(rule))
    return told(value, shape) if told and isinstance(shape, tuple) else form(rule, value)


def _of_axis(value: Any, shape: Sequence[int]) -> str:
    """One axis: the last one, counted from either end, has a class of its own."""
    if value == len(shape) - 1 > 0:
        return "last"
    return "-1" if value == -1 else form(kinds.Axis(of=""), value)


def _of_axes(value: Any, _shape: Sequence[int]) -> str:
    """How an axis or several are given; whether several are negative is a feature of its own."""
    return form(kinds.Axis(of=""), value) if isinstance(value, int) else type(value).__name__


def _sequence(seen: View, name: str) -> Classes:
    """How many axes are given in a sequence, and from which end."""
    value = seen.passed.get(name)
    if not isinstance(seen.rules[name], kinds.Axes) or not isinstance(value, list | tuple):
        return {}
    ends = {"back" if isinstance(v, int) and v < 0 else "front" for v in value}
    count = "several" if len(value) > 1 else "one" if value else "nothing"
    return {f"{name} how many": count, f"{name} counted": " and ".join(sorted(ends)) or "nothing"}


def _each(numbers: Sequence[int]) -> str:
    if len(set(numbers)) > 1:
        return "different"
    return "1" if numbers[:1] == [1] else "equal"


def _class_axis(value: Any, shape: Any) -> str:
    if value == -1:
        return "-1"
    return "last" if value == len(shape) - 1 else "inner" if value >= 0 else "negative"


def _reduction(value: Any, shape: Any) -> str:
    rest = "all but the last" if list(value) == list(range(len(shape) - 1)) else "others"
    return f"{type(value).__name__} of {rest}"


_OF_AXES: dict[type, Callable[[Any, Sequence[int]], str]] = {
    kinds.Axis: _of_axis,
    kinds.Axes: _of_axes,
    kinds.ClassAxis: _class_axis,
    kinds.ReductionAxes: _reduction,
}
"""How axes are given, of a tensor with this shape."""
