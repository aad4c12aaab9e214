"""The gradient of one tensor of a program, with a bound for every element.

A reverse sweep over the calls, as implementations do it. A result's share of the loss is passed to
the arguments of its call, by the differences of the oracle (`oracle.gradients`). With the weights w
of a result, known within W, and its arguments x, known within r, the gradient sum_j w_j df_j/dx_i
is within the sum of

* the bound of a single call's gradient for these weights (`oracle.gradient_bounds`),
* sum_j W_j |df_j/dx_i|, which is linear in the weights,
* `CONDITION` times the largest change over four patterns of signs. Each pattern moves every element
  of every argument by r, or by one rounding if that is more. This is the rule for the forward pass
  of a single call's gradient, with r in place of a rounding.

Add one rounding for each time that contributions to one tensor are added. Nothing is known near a
kink, and of tensors with more elements than the oracle looks at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from conformance.fuzz.bounds.control_flow import BodyCourse
from conformance.fuzz.bounds.second_derivatives import (
    PASSED_ON,
    branch_taken,
    depends_on,
    differentiated,
    name_of,
    passed_back,
)
from conformance.fuzz.bounds.tensors import Known, Share, Typed, added, moved, reaches
from conformance.fuzz.programs import ProgramCall, Special
from conformance.generators.gradients import resolved
from conformance.oracle.bounds import PATTERNS
from conformance.oracle.gradient_bounds import CONDITION, WeightedGradient
from conformance.oracle.gradients import MOST, extended_slopes, in_extended
from conformance.program import Ref


def gradient(course: BodyCourse, call: Special) -> tuple[Typed, Known]:
    """One member of the list that a call of `gradients` returns, with its reach.

    Raises:
        KeyError: the loss does not depend on the tensor.
        ValueError: the gradient is not known.
    """
    loss, tensors = call.step.args
    assert isinstance(loss, Ref)
    assert isinstance(tensors, list)
    tensor = tensors[call.place]
    assert isinstance(tensor, Ref)
    kind = course.types[tensor.name]
    shares = contributions(course, loss.name)
    value, reach = shares[tensor.name]
    twice = differentiated(course, shares)
    if any(depends_on(course, tensor.name, other) for other in twice):
        raise ValueError("the tensors behind a gradient are not known")
    if twice and not bool((np.abs(value) > reach).any()):
        raise ValueError("the gradient may not depend on the tensor")
    rounded = value.astype(kind.dtype)
    lost = np.abs(rounded.astype(np.longdouble) - value)
    return Typed(kind.shape, (kind.dtype,)), Known(rounded, np.asarray(reach + lost, np.float64))


def contributions(course: BodyCourse, loss: str) -> dict[str, Share]:
    """The gradient of a loss by each tensor that it is made of, with its reach, which is infinite
    where nothing is known."""
    if loss not in course.sweeps:
        course.sweeps[loss] = _swept(course, loss)
    shares: dict[str, Share] = course.sweeps[loss]
    return shares


def _swept(course: BodyCourse, loss: str) -> dict[str, Share]:
    scalar = course.known[loss].value
    shares: dict[str, Share] = {
        loss: (np.ones(scalar.shape, np.longdouble), np.zeros(scalar.shape))
    }
    for call in reversed(course.calls):
        if call.result in shares:
            for name, share in _known_or_not(course, call, shares[call.result]):
                dtype = course.types[name].dtype
                shares[name] = added(dtype, shares.get(name), share)
    return shares


def _known_or_not(
    course: BodyCourse, call: ProgramCall | Special, share: Share
) -> list[tuple[str, Share]]:
    """The shares that a call passes back; with an infinite reach for all its arguments if they
    cannot be computed."""
    try:
        if not np.isfinite(share[1]).all():
            raise ValueError("nothing is known of the share of the result")
        return list(_passed_back(course, call, share))
    except ValueError:
        shapes = {n: course.known[n].value.shape for n in _reached(course, call)}
        return [(n, (np.zeros(s, np.longdouble), np.full(s, np.inf))) for n, s in shapes.items()]


def _reached(course: BodyCourse, call: ProgramCall | Special) -> Iterable[str]:
    """The tensors that a share may be passed to: for a gradient, every tensor that the loss depends
    on."""
    loss = call.step.args[0] if isinstance(call, Special) else None
    if isinstance(call, Special) and call.function == "gradients" and isinstance(loss, Ref):
        return contributions(course, loss.name)
    return _floating(course, call)


def _passed_back(
    course: BodyCourse, call: ProgramCall | Special, share: Share
) -> Iterator[tuple[str, Share]]:
    if isinstance(call, Special):
        yield from _of_special(course, call, share)
        return
    floating = _floating(course, call)
    if not floating or not course.types[call.result].dtype.startswith("float"):
        return
    if not call.spec.differentiable:
        raise ValueError(f"{call.spec.name} has no gradient")
    if any(course.known[n].value.size > MOST for n in floating):
        raise ValueError("so large a tensor is not looked at as a whole")
    yield from _of_call(course, call, share)


def _floating(course: BodyCourse, call: ProgramCall | Special) -> list[str]:
    """The tensors of a call that it can be differentiated by."""
    return [n for n in call.references() if course.types[n].dtype.startswith("float")]


def _of_special(course: BodyCourse, call: Special, share: Share) -> Iterator[tuple[str, Share]]:
    if call.function == "stop_gradient":
        return
    if call.function == "gradients":
        loss = call.step.args[0]
        assert isinstance(loss, Ref)
        yield from passed_back(course, call, contributions(course, loss.name), share)
        return
    if call.function not in PASSED_ON:
        raise ValueError(f"no gradient is passed through {call.function}")
    yield branch_taken(course, call), share


def _of_call(course: BodyCourse, call: ProgramCall, share: Share) -> Iterator[tuple[str, Share]]:
    tensors = {n: course.argument(n) for n in call.references()}
    arguments = resolved(call.answered, {n: k.value for n, k in tensors.items()})
    weights, off = share
    exact = WeightedGradient(call.oracle, arguments, weights.astype(np.float64), call.accuracy)
    off_by = reaches(call, tensors)
    wide = in_extended(arguments)
    others = [
        extended_slopes(call.oracle, moved(wide, off_by, p), weights) for p in range(PATTERNS)
    ]
    by_weights = extended_slopes(call.oracle, wide, off) if off.any() else {}
    for place, slopes in exact.slopes.items():
        dtype = exact.tensor(place).dtype.name
        if slopes.kink.any() or np.isnan(slopes.value).any():
            raise ValueError("there is a kink nearby")
        changes = [np.abs(other[place].value - slopes.value) for other in others]
        reach = exact.bound(place, dtype) + CONDITION * np.maximum.reduce(changes)
        if place in by_weights:
            reach = reach + by_weights[place].scale + by_weights[place].error
        if not np.isfinite(reach).all():
            raise ValueError("nothing is known of the gradient")
        yield name_of(call, place), (np.asarray(slopes.value, np.longdouble), reach)
