"""The elements of the arguments that belong to an element of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.cases import Prepared
from conformance.oracle.evaluate import unrounded

Array = npt.NDArray[Any]


def belonging(
    prepared: Prepared,
    draw: int,
    index: tuple[int, ...],
    shape: tuple[int, ...],
    *,
    known: bool = False,
) -> Mapping[str, Any]:
    """The elements of the arguments, by parameter, from which an element of the result follows.

    Empty if the function is not elementwise: `known` says that it is, otherwise the oracle decides.
    Empty if the `shape` of the result is not that of the oracle, but that of another reading.
    """
    if shape != prepared.shape:
        return {}
    arguments = prepared.oracle_arguments(draw)
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    try:
        wide = {name: np.broadcast_to(array, prepared.shape) for name, array in arrays.items()}
    except ValueError:
        return {}
    if not (known or prepared.elementwise or _commutes(prepared, {**arguments, **wide}, wide)):
        return {}
    return {name: array[index] for name, array in wide.items()}


def _commutes(
    prepared: Prepared, arguments: Mapping[str, Any], arrays: Mapping[str, Array]
) -> bool:
    """Whether the oracle gives the same elements in another order if it gets them in that order,
    and as a vector."""
    order = np.random.default_rng(0).permutation(int(np.prod(prepared.shape)))
    moved = {name: array.reshape(-1)[order] for name, array in arrays.items()}
    oracle = prepared.structure.oracle

    def value(numbers: Mapping[str, Any]) -> Array:
        return unrounded(oracle, {**arguments, **numbers}, prepared.dtypes[0], prepared.given)

    try:
        before, after = value(arrays), value(moved)
    except Exception:  # the oracle gets arguments that no call has
        return False
    if before.shape != prepared.shape or after.shape != order.shape:
        return False
    return np.array_equal(before.reshape(-1)[order], after, equal_nan=after.dtype.kind in "fc")
