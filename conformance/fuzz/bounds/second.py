"""What the gradient of a gradient passes back to the tensors that the gradient was computed of.

Let g be the gradient of a loss L with respect to a tensor u, and W g a weighted sum of it. As
implementations do it, by a sweep over the calls that computed g, its gradient has two steps.

* The weights are pushed from u towards L: a call y = f(x) whose arguments carry t carries J t,
  with its slopes J = df_j/dx_a (`pushed`).
* Each call with the first gradient s of L at its result adds, besides what comes back to it in the
  usual way, sum_jb s_j d2f_j/dx_a dx_b t_b to its argument (`_bent_back`). All else is linear in
  x, or comes back by the usual sweep (`bounds.gradients`).

Both are products of numbers that are known within a reach. With |.| + (its reach) in the place of
each factor, less the product of the magnitudes, these are the bounds. The reach of a slope is

    CONDITION (|d2f/dx dx| + R) r + gamma_n P,

with the distance r that the arguments may be moved, one rounding or more, and the magnitudes P of
what is added up in the slope; that of a second derivative, whose magnitudes are M, is

    R + gamma_3n M,    R = CONDITION times its largest change over four patterns of signs by r.

n is as for the gradient of one call (`oracle.gradient_bounds`): the number of terms, the
function's own roundings, and `OPERATIONS`; three times as many where there are three factors, and
contributions that are added in any order. The oracle's own roundings are counted along.

A gradient with respect to u is one with all that u is made of held fixed. So nothing is said of its
gradient with respect to a tensor that is made of u: whether the slope of exp(u) is computed of u or
of exp(u) is no part of what it means. Nor is anything said of third derivatives, of loops, and of
functions whose second derivatives are not known (`bounds.curvature`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.fuzz.bounds.bodies import Course
from conformance.fuzz.bounds.curvature import LINEAR, Bends, bends, places
from conformance.fuzz.bounds.known import Array, Known
from conformance.fuzz.bounds.shares import Share, added, moved, reaches
from conformance.fuzz.calls import Call, Special
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
    """A call whose arguments carry something, and what is known of its derivatives."""

    call: Call
    shape: tuple[int, ...]
    dtype: str
    given: Mapping[str, Known]

    @property
    def wide(self) -> dict[str, Any]:
        """The arguments in extended precision."""
        return in_extended(
            resolved(self.call.arguments, {n: k.value for n, k in self.given.items()})
        )

    @property
    def columns(self) -> list[tuple[str, tuple[int, ...]]]:
        """The name and the shape of each floating tensor that the call is given."""
        return [(name_of(self.call, place), x.shape) for place, x in places(self.wide)]

    def found(self) -> tuple[Bends, Array, Array]:
        """The derivatives, R, and the distances r. ValueError: they are not known."""
        wide, off = self.wide, reaches(self.call, self.given)
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
        """What the columns carry; zeros for those tensors that carry nothing."""
        parts = [shares.get(n, (np.zeros(s), np.zeros(s))) for n, s in self.columns]
        value, reach = (np.concatenate([np.reshape(p[i], -1) for p in parts]) for i in (0, 1))
        return np.asarray(value, np.longdouble), np.asarray(reach, np.float64)

    def rounded(self, factors: int, terms: Array) -> Array:
        """gamma_n, with so many terms that are not 0."""
        unit = float(np.finfo(self.dtype).eps) / 2
        count = terms + factors * (OPERATIONS + _own(self.call.accuracy))
        return np.asarray(gamma(count, unit) + gamma(EVALUATION, _UNIT))

    def smallest(self, terms: Array) -> Array:
        """What products lose that underflow."""
        least = float(np.finfo(self.dtype).smallest_normal)
        return np.asarray((terms + FACTORS * (OPERATIONS + _own(self.call.accuracy))) * least)


_UNIT = float(np.finfo(np.longdouble).eps) / 2


def _own(accuracy: Accuracy) -> float:
    if isinstance(accuracy, Ulp):
        return 2 * accuracy.limit
    return 2 * accuracy.factor if isinstance(accuracy, Conditioned) else 0.0


def name_of(made: Call, place: Place) -> str:
    """The tensor at a place of a call."""
    parameter, index = place
    value = made.arguments[parameter]
    found = value if index is None or not isinstance(value, list | tuple) else value[index]
    assert isinstance(found, Ref)
    return found.name


def passed_back(
    course: Course, made: Special, first: Shares, share: Share
) -> Iterator[tuple[str, Share]]:
    """What the member of a list of gradients passes back, with the `first` gradients of its loss.

    ValueError: nothing is known of it.
    """
    moving = carried(course, first, {with_respect_to(made): share})
    for call in course.calls:
        moves = call.result in first and not moving.keys().isdisjoint(call.references())
        if moves and isinstance(call, Call):
            yield from bent_back(bent(course, call), first[call.result], moving)


def with_respect_to(made: Special) -> str:
    """The tensor with respect to which a member of a list of gradients is."""
    tensors = made.step.args[1]
    assert isinstance(tensors, list)
    wanted = tensors[made.place]
    assert isinstance(wanted, Ref)
    return wanted.name


def carried(course: Course, first: Shares, seeds: Shares) -> Shares:
    """What each tensor carries between those that begin with the seeds and the loss, which has
    these `first` gradients. ValueError: nothing is known of it."""
    if differentiated(course, first):
        raise ValueError("nothing is known of third derivatives")
    found = dict(seeds)
    for made in course.calls:
        if made.result not in first or found.keys().isdisjoint(made.references()):
            continue
        new = _of_special(course, made, found) if isinstance(made, Special) else None
        if isinstance(made, Call):
            new = pushed(bent(course, made), found)
        if new is not None:
            dtype = course.types[made.result].dtype
            found[made.result] = added(dtype, found.get(made.result), new)
    return found


def _of_special(course: Course, made: Special, found: Shares) -> Share | None:
    if made.function == "stop_gradient":
        return None
    if made.function not in PASSED_ON:
        raise ValueError(f"no second derivative is known of {made.function}")
    return found.get(branch_taken(course, made))


def branch_taken(course: Course, made: Special) -> str:
    """The tensor that a branch gives. ValueError: it is not known."""
    branches = [v.name for v in made.step.args[-2:] if isinstance(v, Ref)]
    same = [n for n in branches if course.known[n].value is course.known[made.result].value]
    if len(set(same)) != 1:
        raise ValueError("it is not known which branch was taken")
    return same[0]


def bent(course: Course, call: Call) -> Bent:
    """A call with what is known of its arguments."""
    given = {n: course.given(n) for n in call.references()}
    return Bent(call, course.known[call.result].value.shape, course.types[call.result].dtype, given)


def pushed(made: Bent, shares: Shares) -> Share:
    """J t, in the shape of the result, within its reach."""
    here, change, distances = made.found()
    value, off = made.carried(shares)
    slopes, sizes = np.abs(here.slopes), np.abs(value)
    terms = np.count_nonzero(here.slopes * value, axis=1)
    reach = CONDITION * (np.abs(here.seconds) + change) @ distances
    reach = reach + made.rounded(1, terms)[:, None] * here.steps
    most = (slopes + reach) @ (sizes + off) - slopes @ sizes + made.smallest(terms)
    return (here.slopes @ value).reshape(made.shape), _finite(most).reshape(made.shape)


def bent_back(made: Bent, first: Share, shares: Shares) -> Iterator[tuple[str, Share]]:
    """What the second derivatives of a call add to each of its arguments, within its reach."""
    here, change, _ = made.found()
    weights, off = (np.reshape(part, -1) for part in first)
    value, its = made.carried(shares)
    if not here.seconds.any() and not change.any():
        return
    products = weights[:, None, None] * here.seconds * value
    terms = np.count_nonzero(products, axis=(0, 2))
    size = np.abs(here.seconds)
    reach = change + made.rounded(FACTORS, terms)[None, :, None] * here.terms
    factors = (np.abs(weights) + off, size + reach, np.abs(value) + its)
    most = _summed(*factors) - np.abs(products).sum(axis=(0, 2)) + made.smallest(terms)
    yield from _parted(made, products.sum(axis=(0, 2)), _finite(most))


def _summed(weights: Array, seconds: Array, values: Array) -> Array:
    return np.asarray((weights[:, None, None] * seconds * values).sum(axis=(0, 2)))


def _finite(reach: Array) -> Array:
    if not np.isfinite(reach).all():
        raise ValueError("nothing is known of a second derivative")
    return np.asarray(np.maximum(reach, 0), np.float64)


def _parted(made: Bent, value: Array, reach: Array) -> Iterator[tuple[str, Share]]:
    """The columns by tensors."""
    begin = 0
    for name, shape in made.columns:
        end = begin + int(np.prod(shape))
        yield name, (value[begin:end].reshape(shape), reach[begin:end].reshape(shape))
        begin = end


def calls_between(calls: Sequence[Call | Special], name: str, loss: str) -> list[Call | Special]:
    """The calls on the ways from a tensor to a loss that is made of it."""
    before, after = {loss}, {name}
    for call in reversed(calls):
        if call.result in before:
            before |= set(call.references())
    found = []
    for call in calls:
        if call.result in before and not after.isdisjoint(call.references()):
            after.add(call.result)
            found.append(call)
    return found


def is_made_of(course: Course, name: str, other: str) -> bool:
    """Whether a tensor is made of another one."""
    return bool(calls_between(course.calls, other, name))


def differentiated(course: Course, shares: Shares) -> list[str]:
    """The tensors whose gradients a loss depends on, with what it depends on (`shares`)."""
    return [
        with_respect_to(c)
        for c in course.calls
        if isinstance(c, Special) and c.function == "gradients" and c.result in shares
    ]
