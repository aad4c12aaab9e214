"""The gradient of one tensor of a program, with a bound for every element.

A reverse sweep over the calls, as implementations do it: what a result contributes to the loss is
passed to the tensors that the call was given, by the differences of the oracle
(`oracle.gradients`).
With the weights w of a result, known within W, and its arguments x, known within r, the gradient
sum_j w_j df_j/dx_i is within the sum of

* the bound of a single call's gradient for these weights (`oracle.gradient_bounds`),
* sum_j W_j |df_j/dx_i|, which is linear in the weights,
* `CONDITION` times the largest change over four patterns of signs by which every element of every
  argument is moved by r, or by one rounding if that is more: the rule for what the way forward
  changes of a single call's gradient, with what is known of the arguments in place of a rounding,

and one rounding for each time that contributions to one tensor are added. Nothing is known near a
kink, and of tensors with more elements than the oracle looks at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from conformance.fuzz.bounds.bodies import Course
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.second import (
    PASSED_ON,
    branch_taken,
    differentiated,
    is_made_of,
    name_of,
    passed_back,
)
from conformance.fuzz.bounds.shares import Share, added, moved, reaches
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.calls import Call, Special
from conformance.generators.gradients import resolved
from conformance.oracle.bounds import PATTERNS
from conformance.oracle.gradient_bounds import CONDITION, WeightedGradient
from conformance.oracle.gradients import MOST, extended_slopes, in_extended
from conformance.program import Ref


def gradient(course: Course, call: Special) -> tuple[Typed, Known]:
    """The gradient that is taken of the results of a call of `gradients`.

    KeyError: the loss does not depend on the tensor.
    """
    loss, tensors = call.step.args
    assert isinstance(loss, Ref)
    assert isinstance(tensors, list)
    wanted = tensors[call.place]
    assert isinstance(wanted, Ref)
    kind = course.types[wanted.name]
    shares = contributions(course, loss.name)
    value, reach = shares[wanted.name]
    twice = differentiated(course, shares)
    if any(is_made_of(course, wanted.name, other) for other in twice):
        raise ValueError("it is not known of what a gradient is computed")
    if twice and not bool((np.abs(value) > reach).any()):
        raise ValueError("the gradient may not depend on the tensor")
    rounded = value.astype(kind.dtype)
    lost = np.abs(rounded.astype(np.longdouble) - value)
    return Typed(kind.shape, (kind.dtype,)), Known(rounded, np.asarray(reach + lost, np.float64))


def contributions(course: Course, loss: str) -> dict[str, Share]:
    """The gradient of a loss by each tensor that it is made of, with its reach, which is infinite
    where nothing is known."""
    if loss not in course.sweeps:
        course.sweeps[loss] = _swept(course, loss)
    found: dict[str, Share] = course.sweeps[loss]
    return found


def _swept(course: Course, loss: str) -> dict[str, Share]:
    scalar = course.known[loss].value
    shares: dict[str, Share] = {
        loss: (np.ones(scalar.shape, np.longdouble), np.zeros(scalar.shape))
    }
    for made in reversed(course.calls):
        if made.result in shares:
            for name, share in _known_or_not(course, made, shares[made.result]):
                dtype = course.types[name].dtype
                shares[name] = added(dtype, shares.get(name), share)
    return shares


def _known_or_not(course: Course, made: Call | Special, share: Share) -> list[tuple[str, Share]]:
    """What a call passes back; of all that it was given nothing is known if it cannot be told."""
    try:
        if not np.isfinite(share[1]).all():
            raise ValueError("nothing is known of what comes back")
        return list(_passed_back(course, made, share))
    except ValueError:
        shapes = {n: course.known[n].value.shape for n in _reached(course, made)}
        return [(n, (np.zeros(s, np.longdouble), np.full(s, np.inf))) for n, s in shapes.items()]


def _reached(course: Course, made: Call | Special) -> Iterable[str]:
    """The tensors that something may come back to: of a gradient all that the loss is made of."""
    loss = made.step.args[0] if isinstance(made, Special) else None
    if isinstance(made, Special) and made.function == "gradients" and isinstance(loss, Ref):
        return contributions(course, loss.name)
    return _floating(course, made)


def _passed_back(course: Course, made: Call | Special, share: Share) -> Iterator[tuple[str, Share]]:
    if isinstance(made, Special):
        yield from _of_special(course, made, share)
        return
    floating = _floating(course, made)
    if not floating or not course.types[made.result].dtype.startswith("float"):
        return
    if not made.spec.differentiable:
        raise ValueError(f"{made.spec.name} has no gradient")
    if any(course.known[n].value.size > MOST for n in floating):
        raise ValueError("so large a tensor is not looked at as a whole")
    yield from _of_call(course, made, share)


def _floating(course: Course, made: Call | Special) -> list[str]:
    """The tensors of a call that it can be differentiated by."""
    return [n for n in made.references() if course.types[n].dtype.startswith("float")]


def _of_special(course: Course, made: Special, share: Share) -> Iterator[tuple[str, Share]]:
    if made.function == "stop_gradient":
        return
    if made.function == "gradients":
        loss = made.step.args[0]
        assert isinstance(loss, Ref)
        yield from passed_back(course, made, contributions(course, loss.name), share)
        return
    if made.function not in PASSED_ON:
        raise ValueError(f"no gradient is passed through {made.function}")
    yield branch_taken(course, made), share


def _of_call(course: Course, made: Call, share: Share) -> Iterator[tuple[str, Share]]:
    given = {n: course.given(n) for n in made.references()}
    arguments = resolved(made.arguments, {n: k.value for n, k in given.items()})
    weights, off = share
    found = WeightedGradient(made.oracle, arguments, weights.astype(np.float64), made.accuracy)
    off_by = reaches(made, given)
    wide = in_extended(arguments)
    others = [
        extended_slopes(made.oracle, moved(wide, off_by, p), weights) for p in range(PATTERNS)
    ]
    by_weights = extended_slopes(made.oracle, wide, off) if off.any() else {}
    for place, slopes in found.slopes.items():
        dtype = found.tensor(place).dtype.name
        if slopes.kink.any() or np.isnan(slopes.value).any():
            raise ValueError("there is a kink nearby")
        changes = [np.abs(other[place].value - slopes.value) for other in others]
        reach = found.bound(place, dtype) + CONDITION * np.maximum.reduce(changes)
        if place in by_weights:
            reach = reach + by_weights[place].scale + by_weights[place].error
        if not np.isfinite(reach).all():
            raise ValueError("nothing is known of the gradient")
        yield name_of(made, place), (np.asarray(slopes.value, np.longdouble), reach)
