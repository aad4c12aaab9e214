"""How the worker makes inputs, and what it says of them, where a module has nothing of `K`."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters.session import Session
from conformance.observations import StructureObservation
from tests.adapters.ops_packages import CONVERTS, TRIL, launched, package
from tests.adapters.support import batch, call, x


def observed(folder: Path, dtype: str) -> StructureObservation:
    asked = batch(call("keras.ops.tril", x(2, 2, dtype="float32")), draws=1)
    program = asked.program
    changed = tuple(item.of_dtype(dtype) for item in program.inputs)
    request = type(asked)(
        type(program)(changed, program.steps, program.outputs),
        {name: array.round() for name, array in asked.arrays.items()},
        asked.draws,
    )
    with Session(launched(folder)) as session:
        return session.run_batch(request)


@pytest.mark.parametrize("sources", [[TRIL], [CONVERTS, TRIL]])
def test_an_input_says_in_which_dtype_it_was_made(tmp_path: Path, sources: list[str]) -> None:
    """There is no `K.dtype` to ask; NumPy has no bfloat16, and is given float32."""
    (item,) = observed(package(tmp_path, *sources), "bfloat16").inputs
    assert item.metadata.dtype is None
    assert (item.made, item.dtype) == ("float32", "float32")


def test_an_input_of_the_right_dtype_says_so_too(tmp_path: Path) -> None:
    (item,) = observed(package(tmp_path, CONVERTS, TRIL), "float32").inputs
    assert item.dtype == "float32"
