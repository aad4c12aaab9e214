"""Numbers with a magnitude and an angle, against NumPy's complex exponential and mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from conformance.oracle import expect
from conformance.specs.model import Contraction

RNG = np.random.default_rng()
SIZES, ANGLES = np.abs(RNG.normal(size=(4, 5))), RNG.uniform(-25, 25, (4, 5))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_with_a_magnitude_and_an_angle(dtype: str) -> None:
    sizes, angles = SIZES.astype(dtype), ANGLES.astype(dtype)
    whole = sizes * np.exp(1j * angles)
    for name, part in (("real", whole.real), ("imag", whole.imag)):
        arguments = {"abs_": sizes, "angle": angles}
        expected = expect(f"polar.{name}", arguments, dtype, Contraction())
        assert (np.abs(expected.value - part) <= expected.bound).all()
        assert (expected.bound <= 12 * np.finfo(dtype).eps * sizes).all()


def test_the_expected_parts_are_those_of_mpmath() -> None:
    arguments = {"abs_": SIZES, "angle": ANGLES}
    real = expect("polar.real", arguments, "float64", Contraction()).value
    with mpmath.workdps(40):
        pairs = zip(SIZES.flat, ANGLES.flat, strict=True)
        exact = [float(mpmath.mpf(size) * mpmath.cos(mpmath.mpf(angle))) for size, angle in pairs]
    np.testing.assert_allclose(real.reshape(-1), exact, rtol=4e-16)
