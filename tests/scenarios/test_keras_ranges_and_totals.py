"""Parameters of keras.ops that few callers give: right functions, and ones that ignore them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.observations import Value
from conformance.scenarios import Problem, Scenario, families_of
from conformance.specs.convention_names import ConventionName
from tests.scenarios import keras_ops as ops
from tests.scenarios.changed import Wrong, always, ignored
from tests.scenarios.keras_parameters import RIGHT, scenarios


def in_dtype_of_input(name: str) -> Wrong:
    """Computed in the dtype of the input, and cast afterwards."""

    def called(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        found = getattr(np, name)(x, axis=axis, dtype=x.dtype)
        return found.astype(dtype)

    return called


def step_first(*args: Any, retstep: bool = False, **kwargs: Any) -> Any:
    found = RIGHT["linspace"](*args, retstep=retstep, **kwargs)
    return found[::-1] if retstep else found


def absolute(x: Any, rcond: Any = None) -> Any:
    """The tolerance is a number, and no part of the largest singular value."""
    return RIGHT["pinv"](x, rcond and rcond / np.linalg.norm(x, 2, (-2, -1)).max())


def of_all(x: Any, rcond: Any = None) -> Any:
    """The tolerance is a part of the largest singular value of all matrices."""
    sizes = np.linalg.norm(x, 2, (-2, -1))
    return RIGHT["pinv"](x, rcond and rcond * sizes.max() / sizes)


IGNORED: tuple[tuple[str, str], ...] = (
    *((name, "axis") for name in ("linspace", "logspace", "geomspace")),
    *((name, "endpoint") for name in ("linspace", "logspace", "geomspace")),
    *((name, "dtype") for name in ("linspace", "logspace", "geomspace")),
    ("linspace", "retstep"),
    ("logspace", "base"),
    *((name, "dtype") for name in ("full_like", "zeros_like", "ones_like")),
    *((name, "dtype") for name in ("prod", "cumsum", "cumprod", "nancumsum", "nancumprod")),
    *((name, "initial") for name in ("max", "min")),
    ("round", "decimals"),
    ("svd", "full_matrices"),
    ("svd", "compute_uv"),
    ("pinv", "rcond"),
    ("lstsq", "rcond"),
    ("matrix_rank", "tol"),
    *((name, "method") for name in ("quantile", "nanquantile", "percentile", "nanpercentile")),
    *((name, "axis") for name in ("quantile", "nanquantile", "percentile", "nanpercentile")),
    ("stft", "window"),
    ("istft", "window"),
)

WRONG: tuple[tuple[str, str, Wrong], ...] = (
    ("linspace", "the last axis", always(RIGHT["linspace"], axis=-1)),
    ("linspace", "the step first", step_first),
    ("round", "a decimal more", lambda x, decimals=0: np.round(x, decimals + 1)),
    ("round", "cut", lambda x, decimals=0: np.trunc(x * 10.0**decimals) / 10.0**decimals),
    ("svd", "thin", always(RIGHT["svd"], full_matrices=False)),
    (
        "cholesky_inverse",
        "the lower factor twice",
        lambda x, upper=False: x @ x if upper else RIGHT["cholesky_inverse"](x),
    ),
    (
        "matrix_rank",
        "a part of the largest",
        lambda x, tol=None: np.linalg.matrix_rank(x, tol * np.linalg.norm(x, 2)),
    ),
    ("pinv", "the tolerance as a number", absolute),
    ("pinv", "a part of the largest of all", of_all),
    *(
        (name, f"always {method}", always(RIGHT[name], method=method))
        for name in ("quantile", "nanquantile", "percentile", "nanpercentile")
        for method in ("lower", "higher", "midpoint", "nearest")
    ),
    *(
        (name, "rounded beforehand", in_dtype_of_input(name))
        for name in ("prod", "cumsum", "cumprod")
    ),
    ("max", "the smaller one", lambda x, initial=None, **k: np.minimum(np.max(x, **k), initial)),
    ("min", "the larger one", lambda x, initial=None, **k: np.maximum(np.min(x, **k), initial)),
)


def found(name: str, wrong: Wrong | None = None) -> list[Problem]:
    """Problems that are more than digits that were lost."""
    functions = {**RIGHT, **({} if wrong is None else {name: wrong})}
    problems = (problem for one in scenarios(name) for problem in ops.found(one, functions))
    return [problem for problem in problems if ConventionName.ACCURACY not in problem.conventions]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    assert scenarios(name)
    assert not found(name)


@pytest.mark.parametrize(("name", "keyword"), IGNORED)
def test_a_parameter_that_is_ignored_is_found(name: str, keyword: str) -> None:
    assert found(name, ignored(RIGHT[name], keyword))


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_parameter_that_is_misread_is_found(name: str, how: str, wrong: Wrong) -> None:
    assert found(name, wrong)


def test_the_right_vectors_may_be_columns() -> None:
    def turned(x: Any, **kwargs: Any) -> Any:
        parts = RIGHT["svd"](x, **kwargs)
        return (*parts[:2], parts[2].swapaxes(-1, -2)) if isinstance(parts, tuple) else parts

    assert not found("svd", turned)


def test_nothing_may_stand_where_no_vectors_are_asked_for() -> None:
    def padded(x: Any, **kwargs: Any) -> Any:
        parts = RIGHT["svd"](x, **kwargs)
        return parts if isinstance(parts, tuple) else (None, parts, None)

    assert not found("svd", padded)


def _windows(name: str) -> list[Scenario]:
    """The scenarios of a window of another length."""
    made = [family.make("keras-3") for family in families_of(f"keras.ops.{name}", "keras-3")]
    return [one for listed in made if isinstance(listed, list) for one in listed]


@pytest.mark.parametrize("name", ["stft", "istft"])
def test_a_window_of_another_length_is_to_be_refused(name: str) -> None:
    made = _windows(name)
    assert {one.title for one in made} == {"a longer window", "a shorter window"}
    for scenario in made:
        (check,) = scenario.checks
        assert check.conventions == (ConventionName.INVALID_INPUT,)
        (step,) = (step for step in scenario.program.steps if step.attempt)
        assert step.function == f"keras.ops.{name}"
        accepted, refused = ((Value(None, "str", "str", text=t),) for t in ("returns", "raises E"))
        assert check.test(accepted) is not None
        assert check.test(refused) is None


def test_every_parameter_is_passed_in_every_way() -> None:
    """What is drawn has each method, and dtypes of both kinds."""
    methods = {dict(s.program.steps[-1].kwargs)["method"] for s in scenarios("quantile")}
    assert methods == {"linear", "lower", "higher", "midpoint", "nearest"}
    dtypes = {dict(s.program.steps[-1].kwargs)["dtype"] for s in scenarios("prod")}
    assert dtypes == {"float32", "float64", "int32", "int64"}
    widths = {dict(s.program.steps[-1].kwargs).get("beam_width") for s in scenarios("ctc_decode")}
    assert len(widths) > 2


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
def test_another_axis_may_be_refused_and_one_tensor(name: str) -> None:
    made = [one for one in scenarios(name) if one.conventions]
    assert any(dict(one.program.steps[-1].kwargs).get("axis") for one in made)
    assert any(not dict(one.program.steps[-1].kwargs).get("axis") for one in made)
    assert {one.conventions for one in made} == {(ConventionName.TENSORS_AS_ENDS,)}
