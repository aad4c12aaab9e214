"""Numbers and forms that no document settles do not stand in what a case claims to be settled."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.generators import probabilities
from conformance.generators.forms import ITERABLES
from conformance.generators.values import shown_profile
from conformance.program import Made
from tests.generators.support import collected


@pytest.mark.parametrize("fill_along", [probabilities.distribution, probabilities.targets])
def test_rows_without_special_numbers_are_distributions(fill_along: object) -> None:
    assert callable(fill_along)
    rng = np.random.Generator(np.random.PCG64(3))
    for _ in range(20):
        rows = fill_along(rng, (40, 3), "float32", 1, "special")
        plain = rows[np.isfinite(rows).all(axis=1)]
        assert len(plain)
        assert plain.min() >= 0
        np.testing.assert_allclose(plain.sum(axis=1), 1, rtol=1e-6)


def test_special_distributions_have_special_numbers() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    rows = probabilities.distribution(rng, (200, 3), "float32", 1, "special")
    assert np.isnan(rows).any()
    assert np.isposinf(rows).any()
    assert np.isneginf(rows).any()
    assert (np.signbit(rows) & (rows == 0)).any()


def test_numbers_keep_the_profile_that_they_were_drawn_from_if_they_show_it() -> None:
    arrays = {"x": np.array([-3.4e38, -0.0], np.float32)}
    assert shown_profile(arrays) == "special"
    assert shown_profile(arrays, first="extremes") == "extremes"
    assert shown_profile(arrays, first="subnormal") == "special"


def test_numbers_whose_squares_may_count_as_zero_are_extreme() -> None:
    for small in (2.0**-23, 5e-7, 9e-5):
        assert shown_profile({"x": np.array([small, 1.5], np.float32)}) == "extremes", small
        assert shown_profile({"x": np.array([small, 1.5], np.float64)}) == "extremes", small


@pytest.mark.parametrize(
    ("function", "parameter"),
    [("reverse", "axes"), ("normalize_batch_in_training", "reduction_axes")],
)
def test_most_settled_calls_have_axes_that_every_release_takes(
    function: str, parameter: str
) -> None:
    arguments = [
        s.arguments[parameter]
        for s in collected("keras-2.2", function)
        if not s.unsettled and parameter in s.arguments
    ]
    kinds = [axes.kind if isinstance(axes, Made) else type(axes).__name__ for axes in arguments]
    # what can be read once alone rests on a convention
    assert {*ITERABLES} - {"iterator"} <= {*kinds}
    assert "iterator" not in kinds
    assert sum(kind in ITERABLES for kind in kinds) < 0.4 * len(kinds)
