"""local_conv1d with channels_first, read in both ways."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle.evaluate import ORACLES
from conformance.oracle.variants import read_otherwise
from conformance.specs.convention_names import ConventionName

FIRST = ((ConventionName.SEQUENCE_FORMAT, "channels_first"),)


def test_a_window_longer_than_the_sequence_ends_with_it() -> None:
    inputs, kernel = np.array([[[2.0], [3.0]]]), np.arange(14.0).reshape(1, 2, 7)
    arguments = {
        "inputs": inputs,
        "kernel": kernel,
        "kernel_size": (2,),
        "strides": (1,),
        "data_format": "channels_first",
    }
    weighted = 2 * kernel[0, 0] + 3 * kernel[0, 1]
    np.testing.assert_array_equal(ORACLES["local_conv1d"](**arguments), weighted[None, None, :])
    other = read_otherwise("local_conv1d", arguments, FIRST)
    np.testing.assert_array_equal(ORACLES["local_conv1d"](**other), weighted[None, :, None])


def test_a_kernel_for_other_windows_does_not_fit() -> None:
    arguments = {
        "inputs": np.zeros((1, 3, 1)),
        "kernel": np.zeros((2, 2, 1)),
        "kernel_size": (2,),
        "strides": (1,),
        "data_format": "channels_first",
    }
    assert ORACLES["local_conv1d"](**arguments).shape == (1, 2, 1)
    with pytest.raises(ValueError, match="a kernel of"):
        ORACLES["local_conv1d"](**read_otherwise("local_conv1d", arguments, FIRST))
