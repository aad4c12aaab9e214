"""How far a correct gradient may stray from that of the finite differences.

The gradient g_i is that of sum_j w_j f_j(x). With u the unit roundoff of the dtype in which it is
computed, a correct one is within

    D_i + gamma_n P_i + C_i + F_i + n times the smallest normal number.

* D_i, what the differences are wrong by (`gradients`).
* gamma_n P_i, what a reverse sweep rounds: each of the products of elementary derivatives that are
  added up has at most n roundings (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
  edition, section 3.1; Griewank and Walther, Evaluating Derivatives, 2nd edition, section 3.4).
  P_i is the sum of their magnitudes: sum_j |w_j df_j/dx_i|, or that of `gradient_paths` where it
  is larger. n is the sum of
  - the number of the terms that are not 0, which are added in any order,
  - the number of input elements for each element of the result, which an inner sum may add,
  - twice the ULP that the spec allows the function, whose derivative is made of its like,
  - `OPERATIONS`.
* C_i, what the roundings of the way forward change: they are roundings of the inputs (backward
  stability, Higham, section 1.5). As for `conditioned` values it is `factor` times the largest
  change of the gradient over four patterns of signs, where every floating input element is moved
  by u. `factor` is the spec's, or `CONDITION` for functions that have none.
* F_i, what the documents leave open (`gradient_paths`); mostly 0.
* The last, for products that underflow, or are flushed to zero.

At a kink the same holds of both ends of the interval of slopes.

The gradient of a tensor that is passed as several arguments is the sum of theirs, term by term.

Two numbers are chosen, `OPERATIONS` (in `means`) and `CONDITION`, and in `gradients` those that
tell kinks from curves. A gradient is judged in the dtype of the answer; another check asks whether
it should have had another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle.batches import Place
from conformance.oracle.bounds import PATTERNS, changed, moved
from conformance.oracle.compare import is_inaccurate
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.gradient_paths import FREEDOMS, PATHS
from conformance.oracle.gradients import Slopes, added, extended_slopes, in_extended
from conformance.oracle.means import OPERATIONS
from conformance.oracle.rounding import gamma
from conformance.oracle.variants import Readings
from conformance.specs.model import Accuracy, Conditioned, Ulp

CONDITION = 8.0
"""Roundings of the inputs that the way forward is worth, where the spec has no factor.

The factor that the specs give to the composed functions. Chosen.
"""
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WeightedGradient:
    """The gradient of the weighted sum of one call's result, and its bounds.

    `arguments` are those of `expect`, `weights` has the shape of the result, `accuracy` is the
    spec's record, and `readings` are those that take the place of the suite's own. KeyError: no
    such function.
    """

    function: str
    arguments: Mapping[str, Any]
    weights: Array
    accuracy: Accuracy
    readings: Readings = ()
    same: tuple[tuple[Place, ...], ...] = ()
    """The places of each tensor that is passed more than once; the first stands for all."""
    _moved: dict[float, list[dict[Place, Slopes]]] = field(default_factory=dict, repr=False)

    @cached_property
    def slopes(self) -> dict[Place, Slopes]:
        """The gradient with respect to each floating tensor."""
        return self._slopes(self._extended)

    def _slopes(self, extended: Mapping[str, Any]) -> dict[Place, Slopes]:
        slopes = extended_slopes(self.function, extended, self.weights, self.readings)
        return {**slopes, **{places[0]: added(slopes[p] for p in places) for places in self.same}}

    def outside(self, place: Place, got: Array) -> Mask:
        """Where `got`, of the shape of the tensor at `place`, differs from every correct gradient.

        It is judged in its own dtype, or in the tensor's if that is coarser. Elements of which
        nothing is known are never outside.
        """
        dtype = self._dtype(place, got)
        bound = self.bound(place, dtype)
        wrong = _outside(got, self.slopes[place], bound)
        if wrong.any():
            wrong = _outside(got, self.slopes[place], bound + self.conditioning(place, dtype))
        return wrong

    def is_inaccurate(self, place: Place, got: Array) -> bool:
        """Whether what is `outside` is the right gradient computed badly, not another one.

        By the rule for values (`compare.is_inaccurate`), relative to each element's own terms, and
        beyond what the differences are wrong by and the documents leave open.
        """
        outside, slopes = self.outside(place, got), self.slopes[place]
        reach = slopes.error + self._freedom.get(place, 0.0)
        nearest = np.clip(got, slopes.low - reach, slopes.high + reach)
        nearest = np.where(np.isfinite(got), nearest, slopes.value)
        dtype = self._dtype(place, got)
        rounding = self.bound(place, dtype) - reach + self.conditioning(place, dtype)
        expectation = Expectation(nearest[outside], rounding[outside], dtype)
        scale = slopes.scale[outside]
        return is_inaccurate(got[outside], expectation, scale, single_will_do=True)

    def _dtype(self, place: Place, got: Array) -> str:
        return _coarser(got.dtype, self.tensor(place).dtype)

    def tensor(self, place: Place) -> Array:
        """The tensor with respect to which the gradient at `place` is taken."""
        name, index = place
        tensor: Array = self.arguments[name] if index is None else self.arguments[name][index]
        return tensor

    def bound(self, place: Place, dtype: str) -> Array:
        """The loss of the differences and of a reverse sweep in `dtype`; NaN where nothing is
        known."""
        slopes, info = self.slopes[place], np.finfo(dtype)
        roundings = slopes.count + self._roundings(slopes.value.size)
        with np.errstate(invalid="ignore"):
            rounding = gamma(roundings, float(info.eps) / 2) * self._magnitudes[place]
        bound: Array = slopes.error + rounding + roundings * float(info.smallest_normal)
        return bound + self._freedom.get(place, 0.0)

    def conditioning(self, place: Place, dtype: str) -> Array:
        """The change that the roundings of the way forward in `dtype` make; 0 where that is
        unknown."""
        unit, value = float(np.finfo(dtype).eps) / 2, self.slopes[place].value
        if unit not in self._moved:
            self._moved[unit] = [self._moved_by(unit, p) for p in range(PATTERNS)]
        with np.errstate(invalid="ignore"):
            changes = [np.abs(other[place].value - value) for other in self._moved[unit]]
        largest = np.fmax.reduce([np.zeros(value.shape), *changes])
        factor = self.accuracy.factor if isinstance(self.accuracy, Conditioned) else CONDITION
        return np.asarray(factor * largest)

    def _moved_by(self, unit: float, pattern: int) -> dict[Place, Slopes]:
        change = partial(moved, pattern=pattern, unit=unit)
        return self._slopes(changed(self._extended, change))

    @cached_property
    def _extended(self) -> dict[str, Any]:
        return in_extended(self.arguments)

    def _roundings(self, size: int) -> float:
        own = 0.0
        if isinstance(self.accuracy, Ulp):
            own = 2 * self.accuracy.limit
        elif isinstance(self.accuracy, Conditioned):
            own = 2 * self.accuracy.factor
        return OPERATIONS + own + size / max(self.weights.size, 1)

    @cached_property
    def _magnitudes(self) -> dict[Place, Array]:
        """For each tensor the sums of the magnitudes of its gradient's terms."""
        scales = {place: slopes.scale for place, slopes in self.slopes.items()}
        paths = self._known(PATHS)
        return {place: np.fmax(scale, paths.get(place, 0.0)) for place, scale in scales.items()}

    @cached_property
    def _freedom(self) -> dict[Place, Array]:
        return self._known(FREEDOMS)

    def _known(self, table: Mapping[str, Callable[..., Mapping[str, Any]]]) -> dict[Place, Array]:
        """The entry of a table for the function's tensors, with 0 for numbers that are not
        finite."""
        formula = table.get(self.function)
        if formula is None:
            return {}
        with np.errstate(all="ignore"):
            magnitudes = formula(self.weights.astype(np.longdouble), **self._extended)
        known: dict[Place, Array] = {
            place: np.where(np.isfinite(array), array, 0).astype(np.float64)
            for place, array in _by_place(magnitudes)
            if place in self.slopes
        }
        for first, *others in self.same:
            for place in others:
                if place in known:
                    known[first] = known[place] + known.get(first, 0.0)
        return known


def _by_place(magnitudes: Mapping[str, Any]) -> Iterator[tuple[Place, Array]]:
    for name, several in magnitudes.items():
        if isinstance(several, list):
            yield from (((name, i), array) for i, array in enumerate(several))
        else:
            yield (name, None), several


def _coarser(got: np.dtype[Any], asked: np.dtype[Any]) -> str:
    """The dtype with fewer digits; `asked` if `got` is not of a floating dtype."""
    if got.kind == "f" and np.finfo(got).eps > np.finfo(asked).eps:
        return got.name
    return asked.name


def _outside(got: Array, slopes: Slopes, bound: Array) -> Mask:
    """Where the gradient is neither the slope nor, at a kink, between the slopes on both sides."""
    low, high = slopes.low - bound, slopes.high + bound
    known = np.isfinite(slopes.value) & np.isfinite(low) & np.isfinite(high)
    outside: Mask = known & ~((got >= low) & (got <= high))
    return outside
