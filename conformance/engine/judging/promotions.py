"""The dtypes that a convention allows for a result, and which of them hold more than its own."""

from __future__ import annotations

from conformance.dtypes import holds_more, is_dtype
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.refusals import with_input_dtype
from conformance.generators.structure import accepted_dtypes
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName

_OF_DTYPES = (
    ConventionName.INPUT_DTYPE,
    ConventionName.DEFAULT_DTYPE,
    ConventionName.PYTHON_INPUT,
)
"""The conventions of a call that leave the dtype of its result open, too."""


def promotions(prepared: Prepared, other: dict[str, str] | None = None) -> list[str]:
    """The dtypes that hold more than the first accepted one, and that are accepted, too, or allowed
    by a convention. A result has the numbers of its own dtype: a fraction that integers drop is
    there in floats."""
    structure = prepared.structure
    accepted = accepted_dtypes(structure, other) if other else prepared.dtypes
    known = load_conventions()
    named = dtype_conventions(prepared, other or {})
    open_to = (reading.name for name in named for reading in known[name].readings)
    listed = dict.fromkeys([*accepted, *sorted(filter(is_dtype, open_to))])
    return [dtype for dtype in listed if holds_more(dtype, accepted[0])]


def dtype_conventions(prepared: Prepared, other: dict[str, str]) -> set[str]:
    """The conventions that leave the dtype of the result of a call open. `other` are the dtypes of
    tensors that were made with another one than they were asked for."""
    structure = prepared.structure
    named = {*with_input_dtype(structure.unsettled, structure, other=other)} & {*_OF_DTYPES}
    # a dtype that is claimed is claimed whatever goes in: `input-dtype` allows refusing it, no more
    if not any(c.aspect == "dtype" for c in structure.spec.claims):
        named.add(ConventionName.RESULT_DTYPE)
    return named
