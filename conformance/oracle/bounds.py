"""How far a correct implementation may stray: one function per class of accuracy.

* `exact`: the value rounded once to the dtype, bound 0.
* `ulp`: `limit` units in the last place of the result dtype.
* `contraction`: the a-priori bound of the theme's own module.
* `conditioned`: `factor` times the change that one rounding of the inputs makes, plus `factor` ULP,
  plus the share of a summation inside. The change is the largest one over four fixed patterns of
  signs, with every floating input element moved by one unit roundoff.

Subnormals: no document says whether they are kept. Where `flushes` is set, each may be read or
written as zero. A result below the smallest normal has at least that bound, and the bound covers
the change when every subnormal input becomes zero.

Source: `contraction` is Higham 2002, section 3.1, and `conditioned` the first-order condition of
its section 1.6.
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
    linear_algebra,
    losses,
    normalisation,
    pooling,
    reductions,
)
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops import arrays as keras_arrays
from conformance.oracle.keras_ops import (
    complex_numbers,
    counting,
    divisions,
    filters,
    fourier,
    intervals,
    least_squares,
    lettering,
    matrices,
    norms,
    numpy_functions,
    patches,
    pictures,
    pieces,
    places,
    resampling,
    resizing,
    scaling,
    short_time,
)
from conformance.oracle.keras_ops import ctc as keras_ctc
from conformance.oracle.keras_ops import elements as keras_elements
from conformance.oracle.keras_ops import images as keras_images
from conformance.oracle.keras_ops import normalisation as keras_normalisation
from conformance.oracle.keras_ops import rows as keras_rows
from conformance.oracle.keras_ops import special as keras_special
from conformance.oracle.keras_ops import sums as keras_sums
from conformance.oracle.keras_ops import windows as keras_windows
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
    **norms.CONTRACTIONS,
    **keras_normalisation.CONTRACTIONS,
    **keras_rows.CONTRACTIONS,
    **keras_special.CONTRACTIONS,
    **keras_arrays.CONTRACTIONS,
    **intervals.CONTRACTIONS,
    **lettering.CONTRACTIONS,
    **counting.CONTRACTIONS,
    **pieces.CONTRACTIONS,
    **places.CONTRACTIONS,
    **matrices.CONTRACTIONS,
    **pictures.CONTRACTIONS,
    **fourier.CONTRACTIONS,
    **short_time.CONTRACTIONS,
    **least_squares.CONTRACTIONS,
    **patches.CONTRACTIONS,
    **filters.CONTRACTIONS,
    **keras_ctc.CONTRACTIONS,
    **resampling.CONTRACTIONS,
    **resizing.CONTRACTIONS,
    **scaling.CONTRACTIONS,
    **complex_numbers.CONTRACTIONS,
    **divisions.CONTRACTIONS,
}
SUMMATIONS = {
    **reductions.SUMMATIONS,
    **activations.SUMMATIONS,
    **numpy_functions.SUMMATIONS,
    **keras_elements.SUMMATIONS,
    **keras_ctc.SUMMATIONS,
}

PATTERNS = 4
"""Patterns of signs by which inputs are moved: those of `rounding.signs`."""

Bounded = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class BoundQuestion:
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

    def moved(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return change(value) if value.dtype.kind == "f" else value
        return [moved(item) for item in value] if isinstance(value, list) else value

    return {name: moved(value) for name, value in arguments.items()}


def exact(question: BoundQuestion, _: Exact) -> Bounded:
    """The value rounded once, and no room."""
    value = question.answer()
    return rounded(value, question.model.dtype), np.zeros(value.shape)


def in_ulp(question: BoundQuestion, accuracy: Ulp) -> Bounded:
    """`limit` ULP of the result dtype; in the last binade also infinity.

    A function that scales by a power of two at the end, as exponentials do, may overflow one binade
    early (Muller, Elementary Functions, 3rd edition, section 11.1).
    """
    value, model = question.answer(), question.model
    bound, size = accuracy.limit * ulp(value, model), np.abs(value)
    last = (size >= model.overflow / 2) & (size < model.overflow)
    bound = np.where(last, np.maximum(bound, model.overflow - size), bound)
    if accuracy.angle:
        bound = bound + _of_large_angles(question)
    return value, _with_room(value, bound, model)


def _of_large_angles(question: BoundQuestion) -> Array:
    """How far a sine or a cosine moves if an angle beyond `LARGE` is rounded again. It moves no
    further than the angle, because the slope is 1 at most, and never by more than 2."""
    (x,) = question.arguments.values()
    size = np.abs(np.asarray(x))
    moved_by = np.minimum(size * question.model.unit, 2)
    return np.where(size > LARGE, moved_by, 0)


def contraction(question: BoundQuestion, _: Contraction) -> Bounded:
    """The theme's a-priori bound.

    Raises:
        ValueError: the function has no such bound.
    """
    bounded = CONTRACTIONS.get(question.function)
    if bounded is None:
        known = ", ".join(sorted(CONTRACTIONS))
        raise ValueError(
            f"{question.function} has no a-priori bound: its accuracy must not be of kind "
            f"'contraction' (functions that have one: {known})"
        )
    value, bound = bounded(question.model, **question.arguments)
    return np.asarray(value), _with_room(value, np.asarray(bound), question.model)


def conditioned(question: BoundQuestion, accuracy: Conditioned) -> Bounded:
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
    """Every element one unit roundoff up or down, relative to its size.

    Shapes: any x; the result has the shape of x.
    """
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


KINDS: Mapping[type[Any], Callable[[BoundQuestion, Any], Bounded]] = {
    Exact: exact,
    Ulp: in_ulp,
    Contraction: contraction,
    Conditioned: conditioned,
}
