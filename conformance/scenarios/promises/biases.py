"""A bias for each place of images that have their channels first, all shapes known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.editions import Edition
from conformance.results import Aspect
from conformance.scenarios.checks import is_array
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Alternative, Array, Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

LINES = {"ko-2.2": 3386}
CHANNELS = 3
IMAGES: tuple[tuple[int, ...], ...] = ((4,), (4, 2), (2, 4, 2))
"""The spatial lengths; no order of a bias's axes but one fits."""


def _biases(_edition: Edition) -> Iterator[Scenario]:
    for spatial in IMAGES:
        yield _added(spatial)


def _added(spatial: tuple[int, ...]) -> Scenario:
    x, bias = _halves((2, CHANNELS, *spatial)), _halves((*spatial, CHANNELS)) * 8
    w = ProgramWriter()
    tensors = [
        w.call("variable", w.array(name, array), dtype="float32")
        for name, array in (("x", x), ("bias", bias))
    ]
    w.observe("sum", "eval", w.call("bias_add", *tensors, data_format="channels_first"))
    moved, reshaped = np.moveaxis(bias, -1, 0), bias.reshape(CHANNELS, *spatial)
    other = Alternative(ConventionName.BIAS_LAYOUT, "reshaped", is_array(x + reshaped))
    check = Check(
        "the sum",
        Aspect.VALUE,
        outputs=("sum",),
        test=is_array(x + moved),
        demands="the bias of its channel and place added to each element",
        at=LINES,
        alternatives=(other,),
    )
    return written("bias_add", f"a bias of rank {bias.ndim}, channels first", w, check)


def _halves(shape: tuple[int, ...]) -> Array:
    """Other numbers everywhere, whose sums are exact."""
    return (np.arange(np.prod(shape)).reshape(shape) / 2).astype("float32")


FAMILIES: tuple[Family, ...] = (listed("bias_add", _biases, editions=("keras-2.2",)),)
