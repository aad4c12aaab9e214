"""Whether a call may stand in a program: the documents settle it, and its numbers fit.

`open_points` names the conventions without which no document settles the call's result.
`in_domains` asks whether its tensors lie in the domains of its spec. A generator draws a call for
the numbers at that time. A later call of a compiled function, or a later round of a loop, has other
numbers in its variables and states. There a variance may be below zero, or probabilities may not
sum to one. So the numbers are checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from conformance.editions import Edition, open_inputs_of
from conformance.fuzz.bounds.tensors import Array, Known, Typed, scope
from conformance.fuzz.programs import ProgramCall, Special
from conformance.generators.admissible import is_distribution
from conformance.generators.domains import DOMAINS
from conformance.generators.forms import open_forms
from conformance.generators.orders import NAMES_OF_INDICES
from conformance.generators.values import shown_profile
from conformance.program import Made, Ref
from conformance.specs import kinds
from conformance.specs.convention_names import ConventionName
from conformance.specs.kinds import ParameterRule
from conformance.specs.rules import Scope, evaluate

MOST = 1e3
"""The largest magnitude of a result: what lies far beyond, the documents do not speak of."""


class Answered(Protocol):
    """The part of `course.Course` that describes a program's tensors."""

    types: dict[str, Typed]
    known: dict[str, Known]
    unjudged: set[str]


def open_points(course: Answered, call: ProgramCall | Special, edition: Edition) -> Iterator[str]:
    """The conventions without which no document settles the call.

    Raises:
        RuleError: a rule has no answer.
    """
    if isinstance(call, Special):
        return
    known = _scope(course, call)
    yield from _of_structure(call, known, edition)
    yield from _of_indices(course, call, known)
    yield from _of_numbers(course, call, edition)


def is_settled(call: ProgramCall, tensors: Mapping[str, Typed], edition: Edition) -> bool:
    """Whether documents settle a call with tensors of these types, by types alone."""
    return not any(_of_structure(call, scope(call, tensors), edition))


def _of_structure(call: ProgramCall, known: Scope, edition: Edition) -> Iterator[str]:
    """The conventions that shapes, dtypes and other arguments rest on."""
    for point in call.spec.unsettled:
        if point.holds_in(edition) and evaluate(point.when, known):
            yield point.convention
    if call.part is not None and call.part.convention is not None:
        yield call.part.convention
    yield from open_forms(call.arguments.values())
    kinds_of = (a.kind for a in call.arguments.values() if isinstance(a, Made))
    yield from (
        open_inputs_of(edition)[kind] for kind in kinds_of if kind in open_inputs_of(edition)
    )
    for name, dtype in known.dtypes.items():
        rule = call.spec.parameters.get(name)
        if dtype not in (getattr(rule, "dtypes", None) or call.spec.dtypes.documented):
            yield ConventionName.INPUT_DTYPE


def _of_indices(course: Answered, call: ProgramCall, known: Scope) -> Iterator[str]:
    """The convention of an index, or a label, of nothing, as with a tensor of another shape."""
    for name, rule in call.spec.parameters.items():
        value = call.arguments.get(name)
        if isinstance(rule, kinds.Indices | kinds.Labels) and isinstance(value, Ref):
            places, below = course.known[value.name].value, evaluate(rule.below, known)
            if bool(((places < 0) | (places >= below)).any()):
                yield ConventionName.INDICES_OUT_OF_RANGE


def _scope(course: Answered, call: ProgramCall) -> Scope:
    """The scope of the rules, with the domains of kernels' numbers."""
    known = scope(call, course.types)
    domains = {n: _domain(course, call, n) or d for n, d in known.domains.items()}
    return Scope(known.values, known.shapes, known.dtypes, known.floatx, domains)


def _domain(course: Answered, call: ProgramCall, name: str) -> str | None:
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


def _of_numbers(course: Answered, call: ProgramCall, edition: Edition) -> Iterator[str]:
    """The conventions of numbers such as the call is given: ties, zeros, halves."""
    own: Mapping[str, str] = {**call.spec.silent.get(edition, {}), **call.spec.profiles}
    if not own:
        return
    numbers = {n: course.known[n].value for n in call.references()}
    shown = shown_profile(numbers)
    if shown in own:
        yield own[shown]
    if "zeros" in own and not all(v.all() for v in numbers.values()):
        yield own["zeros"]


def is_ordinary(course: Answered, call: ProgramCall | Special) -> bool:
    """Whether the result has the shape that the rules say, elements, and no number far away."""
    known, kind = course.known[call.result], course.types[call.result]
    if call.result in course.unjudged or not known.value.size:
        return False
    if known.value.shape != kind.shape:
        return False
    sizes = np.abs(known.value.astype(np.float64))
    return bool((sizes <= MOST).all())


LEAST_PROBABILITY = 0.01
MOST_LOGIT = 5.0
LEAST_POSITIVE = 1e-3
NEAR_ONE = 1e-5


def within(known: Known, domain: str) -> bool:
    """Whether all numbers that a tensor may hold belong to a domain."""
    rule = _DOMAINS.get(domain)
    if rule is not None:
        return rule(known.value, known.reach)
    return domain in _OF_EXACT and known.exact and _admitted(known, domain)


def sums_to_one(known: Known, axis: int) -> bool:
    """Whether the elements are probabilities that sum to one along an axis."""
    total = known.value.sum(axis=axis)
    return within(known, "probability") and bool((np.abs(total - 1) < NEAR_ONE).all())


def in_domains(course: Answered, call: ProgramCall | Special, inputs: Collection[str] = ()) -> bool:
    """Whether the tensors of a call belong to their domains.

    The numbers of the `inputs` are such as a plan draws them. All numbers that other tensors may
    hold must be well inside.
    """
    if isinstance(call, Special):
        return True
    return all(
        _fits(call, rule, course.known[name], _AS_INPUT if name in inputs else _AS_RESULT)
        for rule, name in _passed(call)
    )


def _passed(call: ProgramCall) -> Iterator[tuple[ParameterRule, str]]:
    """The rule of each parameter that one tensor is passed for, with the tensor."""
    for name, rule in call.spec.parameters.items():
        value = call.arguments.get(name)
        if isinstance(value, Ref):
            yield rule, value.name


def _admitted(known: Known, domain: str) -> bool:
    """Whether a plan may draw the numbers of an input from a domain."""
    return bool(DOMAINS[domain].admits(known.value).all())


class _Test(NamedTuple):
    """Whether a tensor belongs to a domain, or has distributions along an axis."""

    belongs: Callable[[Known, str], bool]
    is_distribution: Callable[[Known, int], bool]


_AS_INPUT = _Test(_admitted, lambda known, axis: is_distribution(known.value, axis))
_AS_RESULT = _Test(within, sums_to_one)


def _fits(call: ProgramCall, rule: ParameterRule, known: Known, test: _Test) -> bool:
    if not isinstance(rule, kinds.Distribution):
        return test.belongs(known, getattr(rule, "domain", "real"))
    if rule.logits is not None and call.arguments.get(rule.logits):
        return test.belongs(known, "logit")
    axis = None if rule.axis is None else call.arguments[rule.axis]
    if isinstance(axis, int):
        return test.is_distribution(known, axis)
    return test.belongs(known, "probability")


def _positive(value: Array, reach: Array) -> bool:
    return bool((value - reach >= LEAST_POSITIVE).all())


def _nonzero(value: Array, reach: Array) -> bool:
    return bool((np.abs(value) - reach >= LEAST_POSITIVE).all())


FROM_INPUTS = frozenset({"mirrored", "mirrored_last", "even", *NAMES_OF_INDICES})
"""Domains of kernels and of indices whose elements fit each other: of inputs alone."""
_DOMAINS: Mapping[str, Callable[[Array, Array], bool]] = {
    "real": lambda _value, _reach: True,
    "nonnegative": lambda value, reach: bool((value - reach >= 0).all()),
    "positive": _positive,
    "nonzero": _nonzero,
    "vector": _nonzero,
    "truth": lambda value, reach: bool(((np.abs(value) > reach) | (reach == 0)).all()),
    "probability": lambda value, _reach: bool(
        ((value >= LEAST_PROBABILITY) & (value <= 1 - LEAST_PROBABILITY)).all()
    ),
    "fraction": lambda value, reach: bool(((value - reach >= 0) & (value + reach <= 1)).all()),
    "logit": lambda value, _reach: bool((np.abs(value) <= MOST_LOGIT).all()),
    "factor": lambda value, _reach: bool((np.abs(value) <= MOST_LOGIT).all()),
}
"""For each domain, the test that numbers with their reach must pass."""
_OF_EXACT = DOMAINS.keys() - {*_DOMAINS, *FROM_INPUTS}
"""The domains of drawers: numbers that are known exactly belong to one as those of an input do."""
