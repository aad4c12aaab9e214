"""The shares that the gradient of a gradient passes back to the tensors of the first gradient.

Let g be the gradient of a loss L with respect to a tensor u, and W g a weighted sum of it. As
implementations do it, by a sweep over the calls that computed g, its gradient has two steps.

* The weights are pushed from u towards L: a call y = f(x) whose arguments carry t carries J t,
  with its slopes J = df_j/dx_a (`pushed`).
* Each call with the first gradient s of L at its result adds sum_jb s_j d2f_j/dx_a dx_b t_b to its
  argument x_a (`_bent_back`), besides the usual share. All else is linear in x, or follows from the
  usual sweep (`bounds.gradients`).

Both are products of numbers that are known within a reach. With |.| + (its reach) in place of
each factor, less the product of the magnitudes, these are the bounds. The reach of a slope is

    CONDITION (|d2f/dx dx| + R) r + gamma_n P,

with the distance r that the arguments may be moved, one rounding or more, and the magnitudes P of
the terms of the slope. The reach of a second derivative, whose terms have the magnitudes M, is

    R + gamma_3n M,    R = CONDITION times its largest change over four patterns of signs by r.

n is as for the gradient of one call (`oracle.gradient_bounds`): the number of terms, the
function's own roundings, and `OPERATIONS`. Three factors have three times as many roundings, and
contributions may be added in any order. The bound includes the oracle's own roundings.

A gradient with respect to u holds all tensors behind u fixed. So its gradient with respect to a
tensor made of u is not known: an implementation may compute the slope of exp(u) from u or from
exp(u). Third derivatives, loops, and functions without a formula (`bounds.curvature`) are not known
either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.fuzz.bounds.control_flow import BodyCourse
from conformance.fuzz.bounds.curvature import LINEAR, Bends, bends, places
from conformance.fuzz.bounds.tensors import Array, Known, Share, added, moved, reaches
from conformance.fuzz.programs import ProgramCall, Special
from conformance.generators.gradients import resolved
from conformance.oracle.batches import Place
from conformance.oracle.bounds import PATTERNS
from conformance.oracle.gradient_bounds import CONDITION
from conformance.oracle.gradients import EVALUATION, in_extended
from conformance.oracle.means import OPERATIONS
from conformance.oracle.rounding import gamma
from conformance.program import Ref
from conformance.specs.model import Accuracy, Conditioned, Ulp

PASSED_ON = ("in_train_phase", "in_test_phase", "switch")
FACTORS = 3
Shares = Mapping[str, Share]


@dataclass(frozen=True, slots=True, eq=False)
class Bent:
    """A call whose arguments carry shares, and the knowledge of its derivatives."""

    call: ProgramCall
    shape: tuple[int, ...]
    dtype: str
    tensors: Mapping[str, Known]

    @property
    def wide(self) -> dict[str, Any]:
        """The arguments in extended precision."""
        return in_extended(
            resolved(self.call.answered, {n: k.value for n, k in self.tensors.items()})
        )

    @property
    def columns(self) -> list[tuple[str, tuple[int, ...]]]:
        """The name and the shape of each floating tensor that the call is given."""
        return [(name_of(self.call, place), x.shape) for place, x in places(self.wide)]

    def derivatives(self) -> tuple[Bends, Array, Array]:
        """The derivatives, R, and the distances r.

        Raises:
            ValueError: they are not known.
        """
        wide, off = self.wide, reaches(self.call, self.tensors)
        here = bends(self.call.oracle, wide, off)
        distances = np.concatenate([r.reshape(-1) for r in self._distances(off)])
        change = np.zeros(here.seconds.shape)
        if self.call.oracle not in LINEAR:
            there = [bends(self.call.oracle, moved(wide, off, p), off) for p in range(PATTERNS)]
            change = np.maximum.reduce([np.abs(b.seconds - here.seconds) for b in there])
        return here, CONDITION * change, distances

    def _distances(self, off: Mapping[str, Any]) -> Iterator[Array]:
        for (name, index), _ in places(self.wide):
            yield off[name] if index is None else off[name][index]

    def carried(self, shares: Shares) -> Share:
        """The shares of the columns; zeros for those tensors that carry nothing."""
        parts = [shares.get(n, (np.zeros(s), np.zeros(s))) for n, s in self.columns]
        value, reach = (np.concatenate([np.reshape(p[i], -1) for p in parts]) for i in (0, 1))
        return np.asarray(value, np.longdouble), np.asarray(reach, np.float64)

    def rounded(self, factors: int, terms: Array) -> Array:
        """gamma_n for n terms that are not 0."""
        unit = float(np.finfo(self.dtype).eps) / 2
        count = terms + factors * (OPERATIONS + _own(self.call.accuracy))
        return np.asarray(gamma(count, unit) + gamma(EVALUATION, _UNIT))

    def smallest(self, terms: Array) -> Array:
        """The loss of products that underflow."""
        least = float(np.finfo(self.dtype).smallest_normal)
        return np.asarray((terms + FACTORS * (OPERATIONS + _own(self.call.accuracy))) * least)


_UNIT = float(np.finfo(np.longdouble).eps) / 2


def _own(accuracy: Accuracy) -> float:
    if isinstance(accuracy, Ulp):
        return 2 * accuracy.limit
    return 2 * accuracy.factor if isinstance(accuracy, Conditioned) else 0.0


def name_of(call: ProgramCall, place: Place) -> str:
    """The tensor at a place of a call."""
    parameter, index = place
    value = call.arguments[parameter]
    tensor = value if index is None or not isinstance(value, list | tuple) else value[index]
    assert isinstance(tensor, Ref)
    return tensor.name


def passed_back(
    course: BodyCourse, gradients: Special, first: Shares, share: Share
) -> Iterator[tuple[str, Share]]:
    """The shares that a member of a list of gradients passes back, with the `first` gradients of
    its loss.

    ValueError: nothing is known of it.
    """
    moving = carried(course, first, {with_respect_to(gradients): share})
    for call in course.calls:
        moves = call.result in first and not moving.keys().isdisjoint(call.references())
        if moves and isinstance(call, ProgramCall):
            yield from bent_back(bent(course, call), first[call.result], moving)


def with_respect_to(gradients: Special) -> str:
    """The tensor with respect to which a member of a list of gradients is."""
    tensors = gradients.step.args[1]
    assert isinstance(tensors, list)
    tensor = tensors[gradients.place]
    assert isinstance(tensor, Ref)
    return tensor.name


def carried(course: BodyCourse, first: Shares, seeds: Shares) -> Shares:
    """The share that each tensor carries between the seeds and the loss, which has these `first`
    gradients.

    Raises:
        ValueError: nothing is known of it.
    """
    if differentiated(course, first):
        raise ValueError("nothing is known of third derivatives")
    shares = dict(seeds)
    for call in course.calls:
        if call.result not in first or shares.keys().isdisjoint(call.references()):
            continue
        new = _of_special(course, call, shares) if isinstance(call, Special) else None
        if isinstance(call, ProgramCall):
            new = pushed(bent(course, call), shares)
        if new is not None:
            dtype = course.types[call.result].dtype
            shares[call.result] = added(dtype, shares.get(call.result), new)
    return shares


def _of_special(course: BodyCourse, call: Special, shares: Shares) -> Share | None:
    if call.function == "stop_gradient":
        return None
    if call.function not in PASSED_ON:
        raise ValueError(f"no second derivative is known of {call.function}")
    return shares.get(branch_taken(course, call))


def branch_taken(course: BodyCourse, call: Special) -> str:
    """The tensor that a branch gives.

    Raises:
        ValueError: it is not known.
    """
    branches = [v.name for v in call.step.args[-2:] if isinstance(v, Ref)]
    same = [n for n in branches if course.known[n].value is course.known[call.result].value]
    if len(set(same)) != 1:
        raise ValueError("it is not known which branch was taken")
    return same[0]


def bent(course: BodyCourse, call: ProgramCall) -> Bent:
    """A call with the knowledge of its arguments."""
    tensors = {n: course.argument(n) for n in call.references()}
    return Bent(
        call, course.known[call.result].value.shape, course.types[call.result].dtype, tensors
    )


def pushed(call: Bent, shares: Shares) -> Share:
    """J t, in the shape of the result, within its reach."""
    here, change, distances = call.derivatives()
    value, off = call.carried(shares)
    slopes, sizes = np.abs(here.slopes), np.abs(value)
    terms = np.count_nonzero(here.slopes * value, axis=1)
    reach = CONDITION * (np.abs(here.seconds) + change) @ distances
    reach = reach + call.rounded(1, terms)[:, None] * here.steps
    most = (slopes + reach) @ (sizes + off) - slopes @ sizes + call.smallest(terms)
    return (here.slopes @ value).reshape(call.shape), _finite(most).reshape(call.shape)


def bent_back(call: Bent, first: Share, shares: Shares) -> Iterator[tuple[str, Share]]:
    """The shares that the second derivatives of a call add to each of its arguments, within its
    reach."""
    here, change, _ = call.derivatives()
    weights, off = (np.reshape(part, -1) for part in first)
    value, its = call.carried(shares)
    if not here.seconds.any() and not change.any():
        return
    products = weights[:, None, None] * here.seconds * value
    terms = np.count_nonzero(products, axis=(0, 2))
    size = np.abs(here.seconds)
    reach = change + call.rounded(FACTORS, terms)[None, :, None] * here.terms
    factors = (np.abs(weights) + off, size + reach, np.abs(value) + its)
    most = _summed(*factors) - np.abs(products).sum(axis=(0, 2)) + call.smallest(terms)
    yield from _parted(call, products.sum(axis=(0, 2)), _finite(most))


def _summed(weights: Array, seconds: Array, values: Array) -> Array:
    return np.asarray((weights[:, None, None] * seconds * values).sum(axis=(0, 2)))


def _finite(reach: Array) -> Array:
    if not np.isfinite(reach).all():
        raise ValueError("nothing is known of a second derivative")
    return np.asarray(np.maximum(reach, 0), np.float64)


def _parted(call: Bent, value: Array, reach: Array) -> Iterator[tuple[str, Share]]:
    """The columns by tensors."""
    begin = 0
    for name, shape in call.columns:
        end = begin + int(np.prod(shape))
        yield name, (value[begin:end].reshape(shape), reach[begin:end].reshape(shape))
        begin = end


def calls_between(
    calls: Sequence[ProgramCall | Special], name: str, loss: str
) -> list[ProgramCall | Special]:
    """The calls on the ways from a tensor to a loss that is made of it."""
    before, after = {loss}, {name}
    for call in reversed(calls):
        if call.result in before:
            before |= set(call.references())
    between = []
    for call in calls:
        if call.result in before and not after.isdisjoint(call.references()):
            after.add(call.result)
            between.append(call)
    return between


def depends_on(course: BodyCourse, name: str, other: str) -> bool:
    """Whether a tensor is made of another one."""
    return bool(calls_between(course.calls, other, name))


def differentiated(course: BodyCourse, shares: Shares) -> list[str]:
    """The tensors whose gradients a loss depends on; `shares` has everything that it depends on."""
    return [
        with_respect_to(c)
        for c in course.calls
        if isinstance(c, Special) and c.function == "gradients" and c.result in shares
    ]
