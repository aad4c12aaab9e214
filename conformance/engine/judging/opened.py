"""The conventions that an answer opens, not the call.

Whether numbers were computed with 32 bits, a variance as a difference of squares, or an epsilon
taken as a limit, the call does not show: these points are looked at where an answer is not the
suite's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import held_in
from conformance.engine.judging.cases import Prepared
from conformance.oracle.keras_ops.normalisation import WITH_EPSILON
from conformance.oracle.normalisation import OF_SQUARES
from conformance.oracle.variants.numbers import NARROW, WIDER
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]


def opened(prepared: Prepared, number: int, got: Array, made: Iterable[str]) -> Iterator[str]:
    """The conventions that an answer to a draw opens; none if it has another shape than it must
    have.

    `made` are the dtypes of the tensors that the implementation made with another dtype than it was
    asked for.
    """
    if got.shape != prepared.shape:
        return
    arrays = prepared.arrays[number]
    if _leaves_integers(prepared, number):
        yield ConventionName.INTEGER_OVERFLOW
    if prepared.structure.oracle in OF_SQUARES:
        yield ConventionName.VARIANCE_OF_DIFFERENCES
    if prepared.structure.oracle in WITH_EPSILON:
        yield ConventionName.EPSILON_IN_NORMS
    narrow = {NARROW[a.dtype.name] for a in arrays.values() if a.dtype.name in NARROW}
    narrowed = got.dtype.name in narrow and got.dtype.name not in prepared.dtypes
    if narrow and (narrowed or not {*made}.isdisjoint(NARROW.values())):
        yield ConventionName.COMPUTING_DTYPE


def _leaves_integers(prepared: Prepared, number: int) -> bool:
    """Whether the result has integers that their dtype does not hold."""
    if held_in(prepared.dtypes[0]).kind not in "iu" or prepared.evidence is not None:
        return False
    exact = prepared.expectation(number, readings=(WIDER,)).value
    return not np.array_equal(exact, prepared.expectation(number).value)


def overflows(value: Array, arrays: Mapping[str, Array]) -> bool:
    """Whether finite inputs have a result beyond the dtype's range."""
    if value.dtype.kind != "f" or np.isfinite(value).all():
        return False
    return all(np.isfinite(a).all() for a in arrays.values() if a.dtype.kind == "f")
