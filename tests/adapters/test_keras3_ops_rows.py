"""The rows of the shipped table for keras.ops, run on a fake of Keras 3."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.adapters.worker.conformance_worker.mapping import definition

PATH = shipped()["keras3-ops-numpy"].mapping
assert PATH is not None
TABLE = mappings.load(PATH)
KERAS = SimpleNamespace(
    ops=SimpleNamespace(
        convert_to_tensor=lambda value, dtype: value,
        convert_to_numpy=lambda value: value,
        reshape=lambda value, shape: value.reshaped(shape),
    ),
    Function=lambda inputs, outputs: lambda values: values,
    backend=SimpleNamespace(backend=lambda: "numpy", standardize_dtype=str),
)
SYMBOL = SimpleNamespace(dtype="float64")
PLAIN = np.arange(6.0).reshape(2, 3)
OTHERS = [PLAIN[:, ::-1], PLAIN[:, ::2], np.asfortranarray(PLAIN)]
SWAPPED = PLAIN.astype(">f8")


def row(name: str) -> Callable[..., Any]:
    """The function that the table makes of a row."""
    names: dict[str, Any] = {"keras": KERAS}
    mapping = TABLE.functions[name]
    exec("\n".join(definition(name, {"old": mapping.old, "new": mapping.new})), names)
    call: Callable[..., Any] = names[name]
    return call


@pytest.mark.parametrize("array", OTHERS)
def test_arrays_are_given_as_they_lie(array: Any) -> None:
    assert row("constant")(array, "float64") is array
    (argument,) = row("function")([SYMBOL], [])([array])
    assert argument is array


def test_another_byte_order_is_no_matter_of_the_function() -> None:
    (fed,) = row("function")([SYMBOL], [])([SWAPPED])
    for argument in (row("constant")(SWAPPED, "float64"), fed):
        assert argument.dtype.isnative
        assert argument.tolist() == PLAIN.tolist()


def test_a_symbol_says_the_dtype_of_what_is_fed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The array does not: the numbers of a bfloat16 lie in float32."""
    asked: list[str] = []
    monkeypatch.setattr(KERAS.ops, "convert_to_tensor", lambda _, dtype: asked.append(dtype))
    row("function")([SimpleNamespace(dtype="bfloat16"), SYMBOL], [])([PLAIN, PLAIN])
    assert asked == ["bfloat16", "float64"]


class NoArray:
    """A bfloat16 without axes, of which TensorFlow makes no array."""

    dtype = "<dtype: 'bfloat16'>"
    shape = ()

    def reshaped(self, shape: tuple[int, ...]) -> Any:
        return np.full(shape, 1.5)


@pytest.mark.parametrize("name", ["eval", "get_value", "function"])
def test_a_bfloat16_without_axes_is_read_by_way_of_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = row(name)
    if name == "function":
        monkeypatch.setattr(KERAS, "Function", lambda inputs, outputs: lambda values: [NoArray()])
        (result,) = reader([], [])([])
    else:
        result = reader(NoArray())
    assert result.shape == ()
    assert result == 1.5


def test_numpy_compiles_nothing_and_says_so() -> None:
    with pytest.raises(NotImplementedError, match="numpy compiles nothing"):
        row("compiled")("keras.ops.convert_to_numpy", False, PLAIN)


def test_numpy_differentiates_nothing_and_says_so() -> None:
    with pytest.raises(NotImplementedError, match="numpy differentiates nothing"):
        row("differentiated")("keras.ops.convert_to_numpy", PLAIN, [PLAIN], PLAIN)
