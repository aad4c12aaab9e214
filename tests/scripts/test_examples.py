"""The script of a docstring's example accepts what the docstring prints, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.scripts.examples import InstalledExample, PrintedResult, gives, gives_its_print

KERAS = SimpleNamespace(ops=SimpleNamespace(is_tensor=lambda _: False))
OTHERS = ("float64",)


def compared(text: str, *results: Any, random: str = "") -> None:
    """Run the statements of the ending. Raises: AssertionError if they refuse the results."""
    ending = gives_its_print("example", OTHERS, 1e-3)
    names: dict[str, Any] = {"np": np, "keras": KERAS}
    names["example"] = ["f(x)", text, random, *results]
    exec("\n".join([*ending.helpers, *ending.compare]), names)


FLOATS = "array([1.5 0.25], shape=(2,), dtype=float32)"
RIGHT: tuple[tuple[str, tuple[Any, ...]], ...] = (
    (FLOATS, (np.array([1.5, 0.25], "float32"),)),
    (FLOATS, (np.array([1.5, 0.25], "float64"),)),
    ("array([ True False])", (np.array([True, False]),)),
    ("[[1, 3], [1, 3]]", (np.array([1, 3]), np.array([1, 3]))),
    ("[array([1., 2.]),\n array([3., 4.])]", (np.array([1.0, 2.0]), np.array([3.0, 4.0]))),
    ("(2, 3)  # rows and columns", (2, 3)),
    ("array([1.+2.j, 3.-4.j])", (np.array([1 + 2j, 3 - 4j]),)),
    ("tensor([[inf, nan]])", (np.array([[np.inf, np.nan]]),)),
    ("'float32'", ("torch.float32",)),
    ("Traceback (most recent call last):\n  ...\nValueError", ("raises TypeError",)),
    ("", (7,)),
)


@pytest.mark.parametrize(("text", "results"), RIGHT)
def test_the_printed_result_passes(text: str, results: tuple[Any, ...]) -> None:
    compared(text, *results)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (FLOATS, np.zeros(2, "float32")),
        (FLOATS, np.array([[1.5, 0.25]], "float32")),
        (FLOATS, np.array([1.5, 0.25], "float16")),
        (FLOATS, np.array([2, 0])),
        ("array([ True False])", np.array([True, True])),
        ("[1, 2]", np.array([1.0, 2.0])),
        ("'float32'", "float64"),
        ("60", 61),
        ("Traceback (most recent call last):\n  ...\nValueError", 3),
    ],
)
def test_another_result_does_not(text: str, result: Any) -> None:
    with pytest.raises(AssertionError):
        compared(text, result)


def test_all_results_count() -> None:
    with pytest.raises(AssertionError):
        compared("(2, 3)", 2)


def test_random_numbers_have_a_shape_alone() -> None:
    compared("array([0.1 0.2])", np.array([0.8, 0.9]), random="random")
    with pytest.raises(AssertionError):
        compared("array([0.1 0.2])", np.array([0.8]), random="random")


def doubled(x: Any) -> Any:
    """The double of a number.

    Examples:

    >>> x = np.array([1.5, 2.0])
    >>> doubled(x)
    array([3. 4.])
    >>> y = doubled(x) > 3
    >>> y
    array([False  True])
    """
    return 2 * x


def squared(x: Any) -> Any:
    return x * x


squared.__doc__ = doubled.__doc__
ELEMENTS = (PrintedResult(np.array([3.0, 4.0]), "float32"), PrintedResult(np.array([False, True])))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("function", [doubled, squared])
def test_a_script_runs_an_installed_example_by_itself(function: Any, number: int) -> None:
    """The lines before it come from the docstring, and its own value is compared."""
    tree = SimpleNamespace(flatten=lambda x: [x])
    ops = SimpleNamespace(is_tensor=lambda _: False, doubled=function)
    keras = SimpleNamespace(ops=ops, tree=tree)
    example = InstalledExample("keras.ops.doubled", number)
    ending = gives(example, [ELEMENTS[number - 1]], OTHERS, 1e-3)
    script = "\n".join([*ending.helpers, *ending.compare])
    right = function is doubled or number == 2
    if right:
        exec(script, {"np": np, "keras": keras})
        return
    with pytest.raises(AssertionError):
        exec(script, {"np": np, "keras": keras})
