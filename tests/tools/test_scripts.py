"""`python -m tools.scripts`: scripts that demand the right answer, and those that do not."""

from __future__ import annotations

import pytest

from tools.scripts import comparison_of, problem_of

CALL = "import numpy as np\ngot = np.asarray(relu(x))\n"


def problem(*assertions: str) -> str | None:
    """The fault of a script with these assertions; None if it compares no array."""
    comparison = comparison_of(CALL + "\n".join(assertions))
    return None if comparison is None else problem_of(comparison)


def test_a_script_that_compares_shape_dtype_and_numbers_is_sound() -> None:
    assert (
        problem(
            "assert got.shape == (2,), got.shape",
            "assert str(got.dtype) == 'float32', got.dtype",
            "np.testing.assert_allclose(got, [0.5, 2.0], 1e-6)",
        )
        == ""
    )


@pytest.mark.parametrize(
    ("assertions", "fault"),
    [
        (["np.testing.assert_allclose(got, [0.5, 2.0], atol=9)"], "accepts zeros"),
        (["np.testing.assert_allclose(got, 2.0)"], "accepts another shape"),
        (
            ["assert got.shape == (3,)", "np.testing.assert_allclose(got, [0.5, 2.0])"],
            "refuses the right answer",
        ),
    ],
)
def test_a_script_that_demands_something_else_is_named(assertions: list[str], fault: str) -> None:
    assert problem(*assertions) == fault


def test_a_script_without_an_array_of_its_own_is_left_out() -> None:
    assert problem("assert got.shape == (2,)") is None
    assert problem("np.testing.assert_allclose(got, other(x))") is None
