"""Whether the documents settle what a call of a program gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.known import Array, Known
from conformance.fuzz.bounds.types import Typed, scope
from conformance.fuzz.calls import Call, Special
from conformance.generators.forms import open_forms
from conformance.generators.values import shown_profile
from conformance.program import Ref
from conformance.specs import kinds
from conformance.specs.convention_names import ConventionName
from conformance.specs.rules import Scope, evaluate

MOST = 1e3
"""The largest magnitude of a result: what lies far beyond, the documents do not speak of."""


class Answered(Protocol):
    """What is known of the tensors of a program: a part of `running.Course`."""

    types: dict[str, Typed]
    known: dict[str, Known]
    unjudged: set[str]


def open_points(course: Answered, call: Call | Special, edition: Edition) -> Iterator[str]:
    """The conventions without which no document settles the call; RuleError if a rule has no
    answer."""
    if isinstance(call, Special):
        return
    known = _scope(course, call)
    for point in call.spec.unsettled:
        if point.holds_in(edition) and evaluate(point.when, known):
            yield point.convention
    if call.part is not None and call.part.convention is not None:
        yield call.part.convention
    yield from open_forms(call.arguments.values())
    for name, dtype in known.dtypes.items():
        rule = call.spec.parameters.get(name)
        if dtype not in (getattr(rule, "dtypes", None) or call.spec.dtypes.documented):
            yield ConventionName.INPUT_DTYPE
    yield from _of_indices(course, call, known)
    yield from _of_numbers(course, call, edition)


def _of_indices(course: Answered, call: Call, known: Scope) -> Iterator[str]:
    """The convention of an index, or a label, of nothing, as with a tensor of another shape."""
    for name, rule in call.spec.parameters.items():
        value = call.arguments.get(name)
        if isinstance(rule, kinds.Indices | kinds.Labels) and isinstance(value, Ref):
            places, below = course.known[value.name].value, evaluate(rule.below, known)
            if bool(((places < 0) | (places >= below)).any()):
                yield ConventionName.INDICES_OUT_OF_RANGE


def _scope(course: Answered, call: Call) -> Scope:
    """The scope of the rules, with what the numbers of kernels are like."""
    found = scope(call, course.types)
    domains = {n: _domain(course, call, n) or d for n, d in found.domains.items()}
    return Scope(found.values, found.shapes, found.dtypes, found.floatx, domains)


def _domain(course: Answered, call: Call, name: str) -> str | None:
    rule, value = call.spec.parameters.get(name), call.arguments[name]
    if not isinstance(value, Ref) or not isinstance(rule, kinds.Kernel | kinds.LocalKernel):
        return None
    array = course.known[value.name].value
    if isinstance(rule, kinds.LocalKernel):
        return "even" if bool((array == array[:, :1]).all()) else None
    if call.arguments.get("data_format") == "th":
        return "mirrored_last" if _is_mirrored(array, tuple(range(2, array.ndim))) else None
    return "mirrored" if _is_mirrored(array, tuple(range(array.ndim - 2))) else None


def _is_mirrored(array: Array, axes: tuple[int, ...]) -> bool:
    return bool((array == np.flip(array, axes)).all())


def _of_numbers(course: Answered, call: Call, edition: Edition) -> Iterator[str]:
    """The conventions of numbers such as the call is given: ties, zeros, halves."""
    own: Mapping[str, str] = {**call.spec.silent.get(edition, {}), **call.spec.profiles}
    if not own:
        return
    given = {n: course.known[n].value for n in call.references()}
    shown = shown_profile(given)
    if shown in own:
        yield own[shown]
    if "zeros" in own and not all(v.all() for v in given.values()):
        yield own["zeros"]


def is_ordinary(course: Answered, call: Call | Special) -> bool:
    """Whether the result has the shape that the rules say, elements, and no number far away."""
    found, kind = course.known[call.result], course.types[call.result]
    if call.result in course.unjudged or not found.value.size:
        return False
    if found.value.shape != kind.shape:
        return False
    sizes = np.abs(found.value.astype(np.float64))
    return bool((sizes <= MOST).all())
