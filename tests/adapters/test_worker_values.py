"""What a worker reads as a value, and what it evaluates first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.adapters.worker.conformance_worker.values import flatten, is_plain, read


class Tensor:
    """As much of a tensor as matters here: its class is none of Python's own."""


@pytest.mark.parametrize("value", [1, 2.5, "a", None, np.ones(2), np.float32(1)])
def test_numbers_texts_and_arrays_are_values(value: Any) -> None:
    assert is_plain(value)


@pytest.mark.parametrize(
    ("item", "name"), [(map(abs, [1]), "map"), ({1: 2}, "dict"), (iter([1]), "list_iterator")]
)
def test_what_python_makes_is_told_by_its_type_and_never_evaluated(item: Any, name: str) -> None:
    assert flatten([item]) == [item]
    assert is_plain(item)
    value = read(item)
    assert (value.array, value.type) == (None, name)
    assert value.problem == "an array of object is not numeric"


def test_a_tensor_is_evaluated() -> None:
    assert not is_plain(Tensor())
