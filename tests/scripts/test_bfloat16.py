"""Scripts on bfloat16, which NumPy lacks."""

from __future__ import annotations

from conformance.scripts import Prelude, endings


def test_the_dtype_of_bfloat16_is_that_of_the_tensor() -> None:
    """The value in a script is then an array of float32, also where float32 is reported wrongly."""
    short = {"dtype": "dtype_of({tensor})", "read_bfloat16": "read({tensor}, 'float32')"}
    prelude = Prelude(("import conformance.reference as K",), short=short)
    ending = endings.reports_its_dtype("result", prelude, half=True)
    (statement,) = ending.statements(prelude)
    assert (
        statement
        == "assert dtype_of(result) == dtype_of(computed_tensor), dtype_of(computed_tensor)"
    )
    assert ending.is_half
