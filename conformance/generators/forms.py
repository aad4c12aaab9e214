"""The form of an argument: what tells one argument of a parameter from another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.program import Argument, Made
from conformance.specs import kinds
from conformance.specs.convention_names import ConventionName

ABSENT = "absent"
"""The form of what is left to its default."""
NONE = repr(None)
"""The form of None, passed in so many words."""
FEW = (kinds.Literals, kinds.Dtype, kinds.Boolean, kinds.DataFormat)
"""Kinds of parameters with few values, all of which are to be tried."""


ITERABLES = ("range", "set", "iterator")
"""Forms of several integers that are iterables, and neither lists nor tuples."""
_OPEN: Mapping[str, ConventionName] = {
    "int64": ConventionName.NUMBER_TYPE,
    "iterator": ConventionName.ONE_SHOT_ITERABLE,
}
"""The forms that no document names, and the conventions about them."""


def open_forms(arguments: Iterable[object]) -> list[str]:
    """The conventions about the forms of these arguments, in order."""
    return sorted({_OPEN[a.kind] for a in arguments if isinstance(a, Made) and a.kind in _OPEN})


def iterable_parameter(arguments: Mapping[str, object]) -> str | None:
    """The parameter that got an iterable other than a list or a tuple, if one did."""
    made = ((n, v) for n, v in arguments.items() if isinstance(v, Made))
    return next((name for name, value in made if value.kind in ITERABLES), None)


def in_form(numbers: Sequence[int], form: str) -> Argument:
    """The numbers as a `list`, a `tuple`, or what is `Made`.

    A range has all numbers from the least to the greatest.
    """
    if form == "list":
        return list(numbers)
    if form == "tuple":
        return tuple(numbers)
    if form == "range":
        return Made(form, tuple(range(min(numbers), max(numbers) + 1)))
    return Made(form, tuple(numbers))


def form(rule: kinds.ParameterRule, value: Argument) -> str:
    """What sort of number or of sequence it is; else the value itself, if there are few."""
    if isinstance(value, Made):
        return value.kind if value.kind == "int64" else _sequence(value.items, value.kind)
    if isinstance(value, list | tuple):
        return _sequence(value, type(value).__name__)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "one" if _is_least_count(rule, value) else _sign(value)
    written = value is None or isinstance(value, str | bool) or isinstance(rule, FEW)
    return repr(value) if written else type(value).__name__


def _sequence(value: Sequence[Any], kind: str) -> str:
    count = "several" if len(value) > 1 else "one" if value else "nothing"
    if any(isinstance(v, list | tuple) for v in value):
        return f"{kind} of {count}, of sequences"
    numbers = [v for v in value if isinstance(v, int)]
    below = " and a negative one" if any(v < 0 for v in numbers) else ""
    return f"{kind} of {count}{below}"


def _is_least_count(rule: kinds.ParameterRule, value: float) -> bool:
    """Whether it is the 1 of a parameter that counts something, from 1 on."""
    return isinstance(rule, kinds.Integer) and value == rule.range[0] == 1


def _sign(value: float) -> str:
    return "zero" if value == 0 else "negative" if value < 0 else "positive"
