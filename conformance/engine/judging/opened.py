"""Facts that an answer shows, not the call: the conventions that it opens, and numbers of 32 bits.

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
from conformance.oracle import agrees
from conformance.oracle.keras_ops.normalisation import WITH_EPSILON
from conformance.oracle.normalisation import OF_SQUARES
from conformance.oracle.variants.numbers import FLUSHED, NARROW, NARROWED, WIDER
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


def is_in_32_bits(prepared: Prepared, number: int, got: Array) -> bool:
    """Whether an answer to numbers of float64 is right of the same numbers rounded to float32, and
    computed with 32 bits. The largest number may stand for an infinity, and zero for a subnormal
    number."""
    arrays = prepared.arrays[number].values()
    if prepared.evidence is not None or all(a.dtype != np.float64 for a in arrays):
        return False
    if got.dtype == np.float64:
        with np.errstate(over="ignore"):
            rounded = got.astype(np.float32)
        if not np.array_equal(rounded, got, equal_nan=True):
            return False
        largest = np.abs(rounded) == np.finfo(np.float32).max
        got = np.where(largest, np.copysign(np.float32(np.inf), rounded), rounded)
    dtype = NARROW.get(prepared.dtypes[0], prepared.dtypes[0])
    for readings in ((NARROWED,), (NARROWED, FLUSHED)):
        expected = prepared.expectation(number, dtype, readings)
        if expected.value.shape == got.shape and agrees(got, expected).all():
            return True
    return False


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
