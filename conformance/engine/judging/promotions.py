"""The dtypes that a convention allows for a result, and which of them hold more than its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, holds_more, is_dtype, is_floating
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.refusals import with_input_dtype
from conformance.generators.structure import accepted_dtypes
from conformance.oracle import agrees
from conformance.oracle.compare import widened_by_rounding
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
OF_DTYPES = (
    ConventionName.INPUT_DTYPE,
    ConventionName.DEFAULT_DTYPE,
    ConventionName.PYTHON_INPUT,
    ConventionName.RESULT_DTYPE,
)
"""The conventions of a call that leave the dtype of its result open, too."""


def promotions(prepared: Prepared, other: dict[str, str] | None = None) -> list[str]:
    """The dtypes that hold more than the first accepted one, and that are accepted, too, or allowed
    by a convention. A result has the numbers of its own dtype: a fraction that integers drop is
    there in floats."""
    structure = prepared.structure
    accepted = accepted_dtypes(structure, other) if other else prepared.dtypes
    open_to = chain.from_iterable(open_dtypes(prepared, accepted, other or {}).values())
    dtypes = dict.fromkeys([*accepted, *sorted(open_to)])
    return [dtype for dtype in dtypes if holds_more(dtype, accepted[0])]


def dtype_conventions(prepared: Prepared, other: dict[str, str]) -> set[str]:
    """The conventions that leave the dtype of the result of a call open. `other` are the dtypes of
    tensors that were made with another one than they were asked for."""
    structure = prepared.structure
    named = {*with_input_dtype(structure.unsettled, structure, other=other)} & {*OF_DTYPES}
    # a dtype that is claimed is claimed whatever goes in: `input-dtype` allows refusing it, no more
    claims = (c for c in structure.spec.claims if c.aspect == "dtype")
    if not any(claim.binds(structure.arguments) for claim in claims):
        named.add(ConventionName.RESULT_DTYPE)
    return named


def open_dtypes(
    prepared: Prepared, accepted: Sequence[str], other: dict[str, str]
) -> dict[str, list[str]]:
    """The dtypes that the result may have beside the accepted ones, by the convention that says so.

    Where every accepted dtype has fractions, integers are not among them: no document leaves open
    that a function drops fractions.
    """
    known, fractions = load_conventions(), all(map(is_floating, accepted))
    dtypes = dict[str, list[str]]()
    for convention in sorted(dtype_conventions(prepared, other)):
        names = [reading.name for reading in known[convention].readings if is_dtype(reading.name)]
        if fractions and convention == ConventionName.RESULT_DTYPE:
            names = [name for name in names if is_floating(name)]
        dtypes[convention] = [name for name in names if name not in accepted]
    return dtypes


def is_of_halves(prepared: Prepared, number: int, conventions: Collection[str], got: Array) -> bool:
    """Whether the numbers are those of a computation in 16 bits.

    NumPy computes functions of 8-bit integers so. Others do it with two dtypes, one of 16 bits.
    """
    half = _half(prepared, number, conventions)
    if half is None or not is_floating(prepared.dtypes[0]) or not np.isfinite(got).all():
        return False
    expected = widened_by_rounding(prepared.expectation(number, half))
    return expected.value.shape == got.shape and bool(agrees(got, expected).all())


def _half(prepared: Prepared, number: int, conventions: Collection[str]) -> str | None:
    """The dtype of 16 bits that a call may be computed in, though no tensor or not all have it."""
    named = {item.dtype for item in prepared.structure.program.inputs}
    if named and all(a.dtype.itemsize == 1 for a in prepared.arrays[number].values()):
        return "float16"
    mixed = ConventionName.MIXED_DTYPES in conventions
    return next((dtype for dtype in (BFLOAT16, "float16") if mixed and dtype in named), None)
