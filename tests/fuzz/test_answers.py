"""The reach of a call's result, where the call's own bound differs within the box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.fuzz.bounds.course import answer
from conformance.fuzz.bounds.tensors import Known, exactly
from conformance.fuzz.programs import ProgramCall, calls_of
from conformance.generators.gradients import resolved
from conformance.oracle import expect
from conformance.program import Argument, Program, Ref, Step

Array = npt.NDArray[Any]


def call(function: str, *args: Argument, **kwargs: Argument) -> ProgramCall:
    """One call, of the tensors that it names."""
    step = Step("r", function, args, tuple(kwargs.items()))
    (calls_call,) = calls_of(Program((), (step,), ()), "keras-2.2")
    assert isinstance(calls_call, ProgramCall)
    return calls_call


def off(asked_call: ProgramCall, known: Mapping[str, Known], **moved: Array) -> Array:
    """How far a correct implementation may be off that is given other numbers."""
    right = {name: content.value for name, content in known.items()}
    there = expect(
        asked_call.oracle,
        resolved(asked_call.arguments, {**right, **moved}),
        "float32",
        asked_call.accuracy,
    )
    here = answer(asked_call, {name: exactly(value) for name, value in right.items()}, "float32")
    return np.asarray(np.abs(there.value - here.value) + there.bound)


def test_sums_that_are_exact_at_some_places_are_rounded_at_others() -> None:
    x = np.asarray([1.5, 1.25], "float32")
    known = {"x": Known(x, np.full(2, 0.25))}
    total = call("sum", Ref("x"))
    reach = answer(total, known, "float32").reach
    assert (reach >= off(total, known, x=np.nextafter(x + np.float32(0.25), x))).all()
    assert (reach > 0.5).all()


def test_what_is_exactly_known_is_summed_exactly() -> None:
    x = exactly(np.asarray([1.5, 1.25], "float32"))
    assert not answer(call("sum", Ref("x")), {"x": x}, "float32").reach.any()


def test_what_a_small_variance_divides_is_rounded_more_coarsely() -> None:
    unit = np.ones(1, "float32")
    arrays = {"x": 5 * np.ones((1, 1), "float32"), "m": 5 * unit, "v": unit / 1000, "g": unit}
    known = {name: exactly(array) for name, array in arrays.items()}
    known["v"] = Known(arrays["v"], np.full(1, 9e-4))
    features = [Ref(name) for name in ("m", "v", "m", "g")]
    normalised = call("batch_normalization", Ref("x"), *features, epsilon=2e-5)
    reach = answer(normalised, known, "float32").reach
    assert (reach >= off(normalised, known, v=arrays["v"] - np.float32(8.9e-4))).all()
