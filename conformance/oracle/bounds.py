"""How far a correct implementation may stray: one function per class of accuracy.

* `exact`: the value rounded once to the dtype, bound 0.
* `ulp`: `limit` units in the last place of the result dtype.
* `contraction`: the a-priori bound of the theme's own module.
* `conditioned`: `factor` times what one rounding of the inputs changes (the largest change over
  four fixed patterns of signs, every floating input element moved by one unit roundoff), plus
  `factor` ULP, plus what a summation inside adds.

Subnormals: no document says whether they are kept. Where `flushes` is set, each may be read or
written as zero: a result below the smallest normal has at least that bound, and the bound
covers what replacing every subnormal input by zero changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from conformance.dtypes import rounded
from conformance.oracle import (
    activations,
    convolution,
    keras_elements,
    keras_images,
    keras_normalisation,
    keras_rows,
    keras_special,
    keras_sums,
    keras_windows,
    linear_algebra,
    losses,
    normalisation,
    numpy_functions,
    pooling,
    reductions,
)
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import OWN_ERROR, Arithmetic, signs, ulp
from conformance.specs.model import Conditioned, Contraction, Exact, Ulp

CONTRACTIONS = {
    **reductions.CONTRACTIONS,
    **linear_algebra.CONTRACTIONS,
    **activations.CONTRACTIONS,
    **normalisation.CONTRACTIONS,
    **losses.CONTRACTIONS,
    **convolution.CONTRACTIONS,
    **pooling.CONTRACTIONS,
    **keras_windows.CONTRACTIONS,
    **keras_images.CONTRACTIONS,
    **numpy_functions.CONTRACTIONS,
    **keras_sums.CONTRACTIONS,
    **keras_normalisation.CONTRACTIONS,
    **keras_rows.CONTRACTIONS,
    **keras_special.CONTRACTIONS,
}
SUMMATIONS = {
    **reductions.SUMMATIONS,
    **activations.SUMMATIONS,
    **numpy_functions.SUMMATIONS,
    **keras_elements.SUMMATIONS,
}

PATTERNS = 4
"""Patterns of signs by which inputs are moved: those of `rounding.signs`."""

Bounded = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Question:
    """A function, its wide arguments, and the arithmetic of the floating result dtype."""

    function: str
    oracle: Callable[..., Array]
    arguments: Mapping[str, Any]
    model: Arithmetic

    def answer(self) -> Array:
        """The wide value."""
        return np.asarray(self.oracle(**self.arguments))

    def answer_to(self, change: Callable[[Array], Array]) -> Array:
        """The wide value with `change` done to every floating tensor among the arguments."""
        return np.asarray(self.oracle(**changed(self.arguments, change)))


LARGE = 1e4
"""Beyond it, no document says a word on numbers: the convention `extremes` begins there."""


def changed(arguments: Mapping[str, Any], change: Callable[[Array], Array]) -> dict[str, Any]:
    """The arguments with `change` done to every floating tensor."""

    def one(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return change(value) if value.dtype.kind == "f" else value
        return [one(item) for item in value] if isinstance(value, list) else value

    return {name: one(value) for name, value in arguments.items()}


def exact(question: Question, _: Exact) -> Bounded:
    """The value rounded once, and no room."""
    value = question.answer()
    return rounded(value, question.model.dtype), np.zeros(value.shape)


def in_ulp(question: Question, accuracy: Ulp) -> Bounded:
    """`limit` ULP of the result dtype; in the last binade also infinity.

    What scales by a power of two at the end, as exponentials do, may overflow one binade early
    (Muller, Elementary Functions, 3rd edition, section 11.1).
    """
    value, model = question.answer(), question.model
    bound, size = accuracy.limit * ulp(value, model), np.abs(value)
    last = (size >= model.overflow / 2) & (size < model.overflow)
    bound = np.where(last, np.maximum(bound, model.overflow - size), bound)
    if accuracy.angle:
        bound = bound + _of_large_angles(question)
    return value, _with_room(value, bound, model)


def _of_large_angles(question: Question) -> Array:
    """How far a sine or a cosine moves if an angle beyond `LARGE` is rounded once more: no further
    than the angle, because the slope is 1 at most, and never by more than 2."""
    (x,) = question.arguments.values()
    size = np.abs(np.asarray(x))
    moved_by = np.minimum(size * question.model.unit, 2)
    return np.where(size > LARGE, moved_by, 0)


def contraction(question: Question, _: Contraction) -> Bounded:
    """The theme's a-priori bound. ValueError: the function has none."""
    bounded = CONTRACTIONS.get(question.function)
    if bounded is None:
        known = ", ".join(sorted(CONTRACTIONS))
        raise ValueError(
            f"{question.function} has no a-priori bound: its accuracy must not be of kind "
            f"'contraction' (functions that have one: {known})"
        )
    value, bound = bounded(question.model, **question.arguments)
    return np.asarray(value), _with_room(value, np.asarray(bound), question.model)


def conditioned(question: Question, accuracy: Conditioned) -> Bounded:
    """`factor` times the effect of one rounding of the inputs and one ULP of the result."""
    value, model = question.answer(), question.model
    change = np.zeros(value.shape)
    for pattern in range(PATTERNS):
        other = question.answer_to(partial(moved, pattern=pattern, unit=model.unit))
        change = np.maximum(change, np.abs(other - value))
    bound = accuracy.factor * (change + ulp(value, model))
    summation = SUMMATIONS.get(question.function)
    if summation is not None:
        bound = bound + summation(value, model, **question.arguments)
    return value, _with_room(value, bound, model)


def moved(x: Array, pattern: int, unit: float) -> Array:
    """Every element one unit roundoff up or down, relative to its size."""
    # a sum of arrays of rank 0 is a scalar and no array
    return np.asarray(x + x * (signs(x.shape)[pattern] * unit))


def _with_room(value: Array, bound: Array, model: Arithmetic) -> Array:
    """The bound, and what subnormal results and the oracle's own rounding ask beyond it."""
    if model.dtype == "float64" and OWN_ERROR:
        bound = bound + OWN_ERROR * ulp(value, model)
    if not model.flushes:
        return bound
    magnitude = np.abs(value)
    near = (magnitude < model.smallest_normal + bound) & (magnitude > 0)
    if not near.any():
        return bound
    least = np.minimum(np.maximum(magnitude, model.smallest_normal), 2 * model.smallest_normal)
    return np.where(near, np.maximum(bound, least), bound)


KINDS: Mapping[type[Any], Callable[[Question, Any], Bounded]] = {
    Exact: exact,
    Ulp: in_ulp,
    Contraction: contraction,
    Conditioned: conditioned,
}
