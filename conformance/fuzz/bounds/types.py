"""Shapes and dtypes of the tensors of a program, by the rules of the specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.fuzz.calls import Call
from conformance.program import Argument, Made, Ref
from conformance.specs.rules import Scope, evaluate

FLOATX = "float32"


@dataclass(frozen=True, slots=True)
class Typed:
    """The shape of a tensor, and the dtypes that it may have, the usual one first."""

    shape: tuple[int, ...]
    dtypes: tuple[str, ...]
    domain: str = "real"

    @property
    def dtype(self) -> str:
        """The usual dtype."""
        return self.dtypes[0]


def scope(call: Call, tensors: Mapping[str, Typed]) -> Scope:
    """What the names in the rules of the function stand for in this call."""
    shapes: dict[str, Any] = {}
    dtypes: dict[str, str] = {}
    values: dict[str, Any] = {}
    domains: dict[str, str] = {}
    for name, value in call.arguments.items():
        found = _tensors(value, tensors)
        if not found:
            values[name] = value.value if isinstance(value, Made) else value
            continue
        shapes[name] = [t.shape for t in found] if isinstance(value, list) else found[0].shape
        dtypes[name], domains[name] = found[0].dtype, found[0].domain
    return Scope(values, shapes, dtypes, FLOATX, domains)


def _tensors(value: Argument, tensors: Mapping[str, Typed]) -> list[Typed]:
    listed = value if isinstance(value, list) else [value]
    return [tensors[item.name] for item in listed if isinstance(item, Ref)]


def typed(call: Call, tensors: Mapping[str, Typed], computed: tuple[int, ...]) -> Typed:
    """The type of the result; its shape is `computed` where no document settles it."""
    known = scope(call, tensors)
    assert call.spec.dtype is not None
    dtypes = tuple(dict.fromkeys(evaluate(rule, known) for rule in call.spec.dtype.accept))
    rule = call.shape_rule
    return Typed(computed if rule is None else tuple(evaluate(rule, known)), dtypes)
