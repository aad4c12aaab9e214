"""Symptoms: in which manner an answer is wrong, so that minimising keeps to one fault.

The identity of a finding says that a value is wrong, and not how. A call that gives a wrong finite
number may give NaN for simpler numbers, for another reason. A smaller case counts only if it
*shows* the symptom of the first one:

* it has the same identity, established on no more conventions, and no more points are open;
* its wrong elements are wrong in manners that wrong elements of the first one have: NaN for a
  number, an infinity for a finite number, a number for NaN, one finite number for another …;
* a wrong shape is still of another rank, or still of the right one;
* what all wrong elements of the first one have in common, its own have as well: zero for another
  number, one too much or too little, the opposite number, the other sign.

A smaller structure has numbers that are drawn anew, and what wrong elements have in common may
depend on the structure: the last of these is asked of simpler numbers alone
(`Symptom.of_any_numbers`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.findings import Finding, Identity
from conformance.engine.verdicts.tally import is_same

Array = npt.NDArray[Any]

GROSS = 0.01
"""The relative error from which an element is wrong by more than digits."""
NEAR = 1e-6
"""The relative error of rounding, beside differences that have a name."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a finding looks like, apart from its numbers."""

    identity: Identity
    open_points: frozenset[str] = frozenset()
    """Conventions that the case rests on, none of whose readings allows the answer."""
    manners: frozenset[str] = frozenset()
    """How elements are wrong; some are in each of these manners."""
    common: frozenset[str] = frozenset()
    """What all elements that are wrong finite numbers have in common."""

    @property
    def of_any_numbers(self) -> Symptom:
        """The symptom without what depends on the numbers."""
        return replace(self, common=frozenset())

    def shown_by(self, other: Symptom) -> bool:
        """Whether the other one is a sign of the same fault."""
        return (
            is_same(self.identity, other.identity)
            and other.open_points <= self.open_points
            and other.manners <= self.manners
            and self.common <= other.common
        )


def symptom(finding: Finding) -> Symptom:
    """The symptom of a finding."""
    got, expected = finding.got, finding.expected
    manners, common = frozenset[str](), frozenset[str]()
    if isinstance(got, np.ndarray) and isinstance(expected, np.ndarray):
        manners, common = wrongness(got, expected)
    return Symptom(finding.identity, frozenset(finding.open_points), manners, common)


def wrongness(got: Array, expected: Array) -> tuple[frozenset[str], frozenset[str]]:
    """In which manners elements are wrong, and what all wrong finite ones have in common."""
    if got.shape != expected.shape:
        same_rank = got.ndim == expected.ndim
        return frozenset(["another length" if same_rank else "another rank"]), frozenset()
    if not (_is_of_numbers(got) and _is_of_numbers(expected)):
        return frozenset(), frozenset()
    came, right = (np.asarray(a, np.float64).reshape(-1) for a in (got, expected))
    finite = np.isfinite(came) & np.isfinite(right)
    manners = {name for name, is_so in _MANNERS.items() if (is_so(came, right) & ~finite).any()}
    wrong, gross = _wrong(came[finite], right[finite])
    if not wrong.any():
        return frozenset(manners), frozenset()
    manners.add("another number" if gross else "inexact")
    pairs = came[finite][wrong], right[finite][wrong]
    common = {name for name, is_so in _COMMON.items() if gross and is_so(*pairs).all()}
    return frozenset(manners), frozenset(common)


def _is_of_numbers(array: Array) -> bool:
    return array.dtype.kind in "biuf"


def _wrong(got: Array, expected: Array) -> tuple[Array, bool]:
    """Which elements are wrong by more than digits, and True; if there are none, which are not
    exact, and False."""
    with np.errstate(over="ignore"):
        gross = np.abs(got - expected) > GROSS * np.abs(expected)
    return (gross, True) if gross.any() else (got != expected, False)


_MANNERS: Mapping[str, Callable[[Array, Array], Array]] = {
    "NaN for a number": lambda got, right: np.isnan(got) & ~np.isnan(right),
    "a number for NaN": lambda got, right: ~np.isnan(got) & np.isnan(right),
    "an infinity for a finite number": lambda got, right: np.isinf(got) & np.isfinite(right),
    "a finite number for an infinity": lambda got, right: np.isfinite(got) & np.isinf(right),
    "the other infinity": lambda got, right: np.isinf(got) & np.isinf(right) & (got != right),
}
"""How an element is wrong if it or the right one is no finite number."""


def _is_near(numbers: Array, others: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(numbers - others) <= NEAR * np.abs(others))


_COMMON: Mapping[str, Callable[[Array, Array], Array]] = {
    "zero": lambda got, _: got == 0,
    "nothing but zero expected": lambda _, right: right == 0,
    "one off": lambda got, right: _is_near(np.abs(got - right), np.ones_like(right)),
    "the opposite": lambda got, right: _is_near(got, -right) & (right != 0),
    "the other sign": lambda got, right: got * np.sign(right) < 0,
}
"""What wrong finite numbers may have in common."""
