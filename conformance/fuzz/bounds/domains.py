"""Whether the numbers that a call is given belong to the domains of which the documents speak.

Calls are drawn for the numbers that tensors have then. In another call of a compiled function, or
in another round of a loop, a variable or a state has others, of which this is asked again: there
may be a variance below zero, or probabilities that do not sum to one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from conformance.fuzz.bounds.known import Array, Known
from conformance.fuzz.bounds.settled import Answered
from conformance.fuzz.calls import Call, Special
from conformance.generators.admissible import is_distribution
from conformance.generators.domains import DOMAINS
from conformance.program import Ref
from conformance.specs import kinds
from conformance.specs.kinds import ParameterRule

LEAST_PROBABILITY = 0.01
MOST_LOGIT = 5.0
LEAST_POSITIVE = 1e-3
NEAR_ONE = 1e-5


def within(known: Known, domain: str) -> bool:
    """Whether all numbers that a tensor may hold belong to a domain."""
    rule = _DOMAINS.get(domain)
    return rule is not None and rule(known.value, known.reach)


def sums_to_one(known: Known, axis: int) -> bool:
    """Whether the elements are probabilities that sum to one along an axis."""
    total = known.value.sum(axis=axis)
    return within(known, "probability") and bool((np.abs(total - 1) < NEAR_ONE).all())


def in_domains(course: Answered, call: Call | Special, inputs: Collection[str] = ()) -> bool:
    """Whether the tensors of a call belong to their domains.

    The numbers of the `inputs` are such as a plan draws them. Of other tensors all numbers that
    they may hold must be well inside.
    """
    if isinstance(call, Special):
        return True
    return all(
        _fits(call, rule, course.known[name], _AS_INPUT if name in inputs else _AS_RESULT)
        for rule, name in _passed(call)
    )


def _passed(call: Call) -> Iterator[tuple[ParameterRule, str]]:
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


def _fits(call: Call, rule: ParameterRule, known: Known, test: _Test) -> bool:
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
"""What numbers, with their reach, must be like to belong to each domain. Numbers for kernels that
are made to fit each other (`mirrored`, `even`) come from inputs alone."""
