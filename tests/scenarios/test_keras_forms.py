"""Results of keras.ops without a documented form: right ones in each form pass, others do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.scenarios import Problem
from conformance.specs.convention_names import ConventionName
from tests.scenarios import keras_ops as ops

Function = Callable[..., Any]


def svd(x: Any, *, compute_uv: bool = True) -> Any:
    decompose: Any = np.linalg.svd
    return decompose(x.astype("float64"), compute_uv=compute_uv)


def nonzero(x: Any) -> Any:
    return np.nonzero(x)


RIGHT: Mapping[str, Function] = {"svd": svd, "nonzero": nonzero}
OTHERS: tuple[tuple[str, str, Function], ...] = (
    ("svd", "nothing for vectors", lambda x, **k: (None, svd(x, **k), None)),
    ("svd", "in ascending order", lambda x, **k: svd(x, **k)[..., ::-1]),
    ("nonzero", "rows", lambda x: np.stack(np.nonzero(x))),
    ("nonzero", "columns", np.argwhere),
    ("nonzero", "from the end", lambda x: [part[::-1] for part in np.nonzero(x)]),
)
WRONG: tuple[tuple[str, str, Function], ...] = (
    ("svd", "with vectors", lambda x, compute_uv: svd(x)),
    ("svd", "squares", lambda x, **k: svd(x, **k) ** 2),
    ("svd", "of the first matrix", lambda x, **k: svd(0 * x + x[(0,) * (x.ndim - 2)], **k)),
    ("nonzero", "what is zero", lambda x: np.nonzero(x == 0)),
    ("nonzero", "truth values", lambda x: x != 0),
    ("nonzero", "in a row", np.flatnonzero),
)


def problems(name: str, function: Function) -> list[Problem]:
    """Problems that are more than digits that were lost; containers are not looked at."""
    scenarios = (s for s in ops.scenarios(name) if "container" not in s.title)
    every = (p for scenario in scenarios for p in ops.problems_of(scenario, {name: function}))
    return [problem for problem in every if ConventionName.ACCURACY not in problem.conventions]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    assert ops.scenarios(name)
    assert not problems(name, RIGHT[name])


@pytest.mark.parametrize(("name", "how", "other"), OTHERS, ids=[f"{n}-{h}" for n, h, _ in OTHERS])
def test_another_form_has_no_problem(name: str, how: str, other: Function) -> None:
    assert not problems(name, other)


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Function) -> None:
    assert problems(name, wrong)
