"""Tests of one of several results."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.observations import Value
from conformance.scenarios.checks import has_shape
from conformance.scenarios.operations import places
from conformance.scenarios.operations.calls import each, part


@pytest.mark.parametrize(("place", "looked_at"), [(0, "first"), (1, "values[0][1]")])
def test_a_script_looks_at_the_result_that_is_wrong(place: int, looked_at: str) -> None:
    arrays = [np.zeros(3), np.zeros(3)]
    arrays[place] = np.zeros((2, 2))
    values = tuple(Value(array, "ndarray", "ndarray") for array in arrays)
    test = has_shape((3,))
    for found in (each([test, test])(values), part(test, place)(values)):
        assert found is not None
        assert found.fault == f"np.shape({looked_at}) != (3,)"
    assert part(test, 1 - place)(values) is None


def test_edges_of_a_histogram_may_be_rounded_and_no_more() -> None:
    wanted = np.array([-2, -1, 0, 1], "float32")
    test = places.rounded_edges(wanted).test
    rounded = np.array([-2, -0.9999999, 6e-8, 1], "float32")
    for edges, right in ((wanted, True), (rounded, True), (wanted + np.float32(1e-5), False)):
        assert (test((Value(edges, "ndarray", "ndarray"),)) is None) is right
