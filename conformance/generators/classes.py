"""The classes of what one parameter of a call was given, told from what was made of it.

They are the same whether the call is finished or still being drawn, so that a draw can be steered
towards a class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from conformance.generators.forms import ABSENT, FEW, ITERABLES, NONE, form
from conformance.generators.sizes import length_class, long_axis, size_class
from conformance.generators.tensors import MIXED, knowledge, references
from conformance.program import Argument, Binding, Input, Made, Step
from conformance.specs import image_rules, kinds

Classes = Mapping[str, str]
"""The class of each feature."""
DTYPE = "dtype of tensors"
INTEGERS = "integers in tensors"
"""The feature of calls whose tensors have a dtype of integers, or truth values, that no document
names. Arguments are paired with it, and not with each such dtype."""
PART, PASSING = "part of the result", "passing"
"""Features of a whole call; those of a parameter begin with its name."""
OF_CALL = ("aliases", MIXED, "layout")
"""Features of a whole call that are drawn when its parameters are."""

_BINDINGS = {
    Binding.PLACEHOLDER: "fed",
    Binding.VARIABLE: "variable",
    Binding.CONSTANT: "constant",
    Binding.ARRAY: "array",
    Binding.PYTHON: "list",
}
UNKNOWN, PARTLY_KNOWN = "fed, unknown", "fed, partly known"
NUMBER = "number"
"""The binding of a tensor of rank 0 that is passed as a number of Python."""
BINDING_OF = {
    **{name: binding.value for binding, name in _BINDINGS.items()},
    NUMBER: Binding.PYTHON.value,
    UNKNOWN: Binding.PLACEHOLDER_NONE.value,
    PARTLY_KNOWN: Binding.PLACEHOLDER_NONE.value,
}
"""The binding of each class of bindings."""
_WINDOWS = (kinds.PerAxis, kinds.Window, kinds.Moves)
_SEQUENCES = (kinds.Starts, kinds.Sizes, kinds.Counts, kinds.TargetShape, kinds.Permutation)
"""Kinds whose numbers follow from a shape, so that only how they are written has classes."""


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
        return _of_argument(seen, name)
    found = dict(_of_tensors(seen, name, items))
    return {f"{name} {feature}": one for feature, one in found.items()}


def passing(step: Step) -> str:
    """How a call is given its arguments."""
    if not step.kwargs:
        return "by position"
    return "some by name" if step.args else "by name"


def _tensors(seen: View, name: str) -> list[Input]:
    given = seen.passed.get(name)
    return [seen.inputs[name] for name in references(given) if name in seen.inputs]


def _of_tensors(seen: View, name: str, items: Sequence[Input]) -> Iterator[tuple[str, str]]:
    first, rule = items[0], seen.rules[name]
    bindings = {_binding(item) for item in items}
    yield "binding", "mixed" if len(bindings) > 1 else bindings.pop()
    if first.binding is Binding.PLACEHOLDER_NONE:
        yield "known", knowledge(first)
    if not _follows(rule):
        yield "rank", str(len(first.shape))
    largest = max((i.shape for i in items), key=math.prod)
    if first.shape and largest:
        yield "size", size_class(largest)
        yield "length", length_class(0 if 0 in largest else max(largest))
    if len(first.shape) > 1:
        yield "long axis", long_axis(first.shape)
    if isinstance(rule, kinds.Tensors):
        yield "count", "one" if len(items) == 1 else "several"
    dtypes = getattr(rule, "dtypes", None) or ()
    if len(dtypes) > 1 and first.dtype in dtypes:
        yield "dtype", first.dtype
    if seen.domains.get(first.name, "real") != "real":
        yield "domain", seen.domains[first.name]
    yield from _windows(seen, rule, first)
    yield from _relation(seen, name, first)


def _binding(item: Input) -> str:
    if item.binding is Binding.PYTHON and not item.shape:
        return NUMBER
    if item.binding is not Binding.PLACEHOLDER_NONE:
        return _BINDINGS[item.binding]
    return PARTLY_KNOWN if any(d is not None for d in item.static_shape) else UNKNOWN


def _windows(seen: View, rule: kinds.ParameterRule, item: Input) -> Iterator[tuple[str, str]]:
    data_format = seen.values.get("data_format")
    if isinstance(rule, kinds.Images):
        channels = image_rules.channels(item.shape, data_format)
        yield "channels", "one" if channels == 1 else "several"
    if isinstance(rule, kinds.Kernel):
        *sizes, _, _ = image_rules.kernel(item.shape, data_format)
        yield "window", _each([d or 0 for d in sizes])


def _follows(rule: kinds.ParameterRule) -> TypeGuard[kinds.Companion | kinds.Features]:
    """Whether the shape is told by how it stands to another one, and its rank by that."""
    return isinstance(rule, kinds.Features) or getattr(rule, "relation", "") == "broadcast"


def _relation(seen: View, name: str, item: Input) -> Iterator[tuple[str, str]]:
    """How the shape stands to that of the parameter that it goes with."""
    rule = seen.rules[name]
    if _follows(rule):
        yield f"beside {rule.of}", _stands(item.shape, seen.shapes[rule.of])


def _stands(mine: Sequence[int], of: Sequence[int]) -> str:
    if tuple(mine) == tuple(of):
        return "same shape"
    if not mine or not of:
        return "a scalar" if of else "beside a scalar"
    if len(mine) != len(of):
        return "fewer axes" if len(mine) < len(of) else "more axes"
    ones = any((a == 1) != (b == 1) for a, b in zip(mine, of, strict=True))
    return "stretched" if ones else "other"


def _of_argument(seen: View, name: str) -> dict[str, str]:
    """Of axes, how many there are is a feature of its own, and how they are written another."""
    rule, told = seen.rules[name], _form(seen, name)
    if isinstance(rule, _SEQUENCES):
        return {f"{name} written": told}
    if type(rule) not in _OF_AXES or told in (ABSENT, NONE):
        return {name: told}
    found = {name: _how_many(seen.passed[name]), f"{name} written": told, **_counted(seen, name)}
    kind = _kind(seen.passed[name])
    return {**found, f"{name} iterable": kind} if kind in ITERABLES else found


def _form(seen: View, name: str) -> str:
    rule, passed = seen.rules[name], seen.passed
    if name not in passed:
        return ABSENT
    value = passed[name]
    if isinstance(rule, FEW):
        return repr(value)
    if isinstance(rule, _WINDOWS) and value is not None:
        return _each([value] if isinstance(value, int) else list(value))  # type: ignore[arg-type]
    shape = seen.shapes.get(getattr(rule, "of", ""))
    told = _OF_AXES.get(type(rule))
    return told(value, shape) if told and isinstance(shape, tuple) else form(rule, value)


def _how_many(value: Any) -> str:
    numbers = _numbers(value)
    return "one" if len(numbers) == 1 else "several" if numbers else "nothing"


def _counted(seen: View, name: str) -> Classes:
    """From which end the axes in a sequence are counted."""
    if not isinstance(seen.rules[name], kinds.Axes) or isinstance(seen.passed[name], int):
        return {}
    ends = {"back" if v < 0 else "front" for v in _numbers(seen.passed[name])}
    return {f"{name} counted": " and ".join(sorted(ends)) or "nothing"}


def _numbers(value: Any) -> list[int]:
    if isinstance(value, Made):
        return [*value.items]
    return [value] if isinstance(value, int) else [*value]


def _of_axis(value: Any, shape: Sequence[int]) -> str:
    """One axis: the last one, counted from either end, has a class of its own."""
    number = value.value if isinstance(value, Made) else value
    if number == len(shape) - 1 > 0:
        return "last"
    return "-1" if number == -1 else form(kinds.Axis(of=""), number)


def _of_axes(value: Any, _shape: Sequence[int]) -> str:
    """How an axis or several are given; whether several are negative is a feature of its own."""
    if value is None or isinstance(value, int):
        return NONE if value is None else form(kinds.Axis(of=""), value)
    return _holder(value)


def _holder(value: Any) -> str:
    """What holds several numbers; which sort of other iterable is a feature of its own."""
    return "iterable" if _kind(value) in ITERABLES else _kind(value)


def _kind(value: Any) -> str:
    """What holds several numbers."""
    return value.kind if isinstance(value, Made) else type(value).__name__


def _each(numbers: Sequence[Any]) -> str:
    if len(set(numbers)) > 1:
        return "different"
    return "1" if numbers[:1] == [1] else "equal"


def _class_axis(value: Any, shape: Any) -> str:
    if value == -1:
        return "-1"
    return "last" if value == len(shape) - 1 else "inner" if value >= 0 else "negative"


def _reduction(value: Any, shape: Any) -> str:
    """Which axes are left: the last, the second (as of images, channels first), or others."""
    left = sorted({*range(len(shape))} - {*_numbers(value)})
    last, second = left == [len(shape) - 1], left == [1]
    which = "all but the last" if last else "all but the second" if second else "others"
    return f"{_holder(value)} of {which}"


_OF_AXES: dict[type, Callable[[Any, Sequence[int]], str]] = {
    kinds.Axis: _of_axis,
    kinds.Axes: _of_axes,
    kinds.ClassAxis: _class_axis,
    kinds.ReductionAxes: _reduction,
}
"""How axes are given, of a tensor with this shape."""
