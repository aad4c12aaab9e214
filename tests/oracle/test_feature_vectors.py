"""Vectors of a normalisation, taken into the formula as they are."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle.evaluate import ORACLES
from conformance.oracle.variants import read_otherwise
from conformance.specs.convention_names import ConventionName

AS_THEY_ARE = ((ConventionName.FEATURE_VECTORS, "as they are"),)


def normalised(x: np.ndarray, vector: np.ndarray) -> np.ndarray:
    vectors = dict.fromkeys(("mean", "beta", "gamma"), vector) | {"var": vector**2}
    arguments = {"x": x, **vectors, "axis": 0, "epsilon": 0.5}
    changed = read_otherwise("batch_normalization", arguments, AS_THEY_ARE)
    return np.asarray(ORACLES["batch_normalization"](**changed))


@pytest.mark.parametrize("rows", [0, 2])
def test_an_axis_of_length_one_is_stretched(rows: int) -> None:
    x, vector = np.arange(1.0, rows + 1)[:, None], np.arange(2.0, rows + 2)
    formula = (x - vector) / np.sqrt(vector**2 + 0.5) * vector + vector
    assert formula.shape == (rows, rows)
    np.testing.assert_allclose(normalised(x, vector), formula)


def test_vectors_of_another_length_do_not_fit() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        normalised(np.zeros((2, 3)), np.ones(2))
