"""Numbers for the inputs that a call adds to a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.fuzz.making.wiring import WiredDraft
from conformance.generators import probabilities
from conformance.generators.values import fill, indices
from conformance.program import Input

Array = npt.NDArray[Any]
PROFILE = "ordinary"


def drawn(
    draft: WiredDraft, fresh: Sequence[Input], names: Mapping[str, str], rng: np.random.Generator
) -> dict[str, Array]:
    """An array for each new input of a call, by its name in the program."""
    return {names[item.name]: _one(draft, item, rng) for item in fresh}


def _one(draft: WiredDraft, item: Input, rng: np.random.Generator) -> Array:
    below, along = draft.below.get(item.name), draft.along.get(item.name)
    if below is not None:
        return indices(rng, item.shape, item.dtype, below, PROFILE).astype(item.dtype)
    if along is None:
        return fill(rng, item.shape, item.dtype, draft.domains[item.name], PROFILE)
    if along.logits is not None and draft.values.get(along.logits):
        return fill(rng, item.shape, item.dtype, "logit", PROFILE)
    if along.axis is None:
        return fill(rng, item.shape, item.dtype, "probability", PROFILE)
    fill_along = probabilities.targets if along.target else probabilities.distribution
    return fill_along(rng, item.shape, item.dtype, draft.values[along.axis], PROFILE)
