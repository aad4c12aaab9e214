"""Numbers of several tensors that belong together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from conformance.generators.joint import labels_of_paths
from conformance.program import Argument, Ref


@pytest.mark.parametrize("names", [("labels", "samples"), ("lengths", "lengths")])
@pytest.mark.parametrize("seed", range(20))
def test_a_path_stands_for_each_label(names: tuple[str, str], seed: int) -> None:
    """Also where one tensor has the lengths of labels and of samples."""
    rng, steps, classes = np.random.default_rng(seed), 4, 3
    arguments: dict[str, Argument] = {
        "target": Ref("target"),
        "output": Ref("output"),
        "target_length": Ref(names[0]),
        "output_length": Ref(names[1]),
        "mask_index": 0,
    }
    arrays = {name: rng.integers(0, steps + 2, 5).astype("int32") for name in names}
    arrays["target"] = rng.integers(0, classes, (5, steps)).astype("int32")
    arrays["output"] = rng.normal(size=(5, steps, classes)).astype("float32")
    fitted = labels_of_paths(arguments, "target", arrays)
    lengths, samples = fitted[names[0]], fitted[names[1]]
    assert lengths.dtype == samples.dtype == np.int32
    assert (lengths >= 1).all()
    assert (samples <= steps).all()
    for row, size, room in zip(fitted["target"], lengths, samples, strict=True):
        assert (row != 0).all()
        repeats = sum(a == b for a, b in itertools.pairwise(row[:size]))
        assert size + repeats <= room
