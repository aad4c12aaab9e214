"""The plan draws admissible numbers alone, and what it could not draw is not admissible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest

from conformance.editions import Edition
from conformance.engine import PROFILES, plan
from conformance.engine.judging.cases import Prepared
from conformance.generators import Draw, images
from conformance.generators.admissible import admissible, fitted
from conformance.generators.domains import DOMAINS
from conformance.specs import EDITIONS, load
from conformance.specs.records import Domain

Array = npt.NDArray[Any]
SEED = 3
SOME = ("sqrt", "gather", "in_top_k", "binary_crossentropy", "l2_normalize")
OPS = ("floor_divide", "take", "arcsin", "rsqrt", "divide_no_nan", "inner", "max")


def calls(edition: Edition, profile: str, *functions: str) -> Iterator[Prepared]:
    """The calls of the plan of these functions, or of all."""
    chosen = PROFILES[profile]
    for task in plan(
        load(), edition, chosen, SEED, select=lambda name: name in functions or not functions
    ):
        yield from task.prepared()


def check(prepared: Prepared) -> None:
    structure = prepared.structure
    for number, (draw, arrays) in enumerate(zip(prepared.draws, prepared.arrays, strict=True)):
        case = structure.spec.name, draw, structure.program.inputs
        if prepared.elementwise and not any(a.dtype.kind == "f" for a in arrays.values()):
            continue  # every pair of integers is more than a profile draws
        assert admissible(structure, arrays, draw.profile), case
        again = prepared.fitted(number, arrays)
        assert again is not None, case
        assert all(again[n].tobytes() == a.tobytes() for n, a in arrays.items()), case


@pytest.mark.parametrize("profile", ["smoke", "default"])
def test_what_the_plan_draws_is_admissible(profile: str) -> None:
    names = (f"keras.ops.{name}" for name in OPS)
    for prepared in (*calls("keras-2.2", profile, *SOME), *calls("keras-3", profile, *names)):
        check(prepared)


@pytest.mark.thorough
@pytest.mark.parametrize("edition", EDITIONS)
def test_what_every_plan_draws_is_admissible(edition: Edition) -> None:
    for prepared in calls(edition, "smoke"):
        check(prepared)


def call(edition: Edition, name: str, **dtypes: str) -> Prepared:
    """The first call of a function with elements, and with inputs of these dtypes."""
    return next(
        prepared
        for prepared in calls(edition, "default", name)
        if all(a.size for a in prepared.arrays[0].values())
        and dtypes.items() <= {i.name: i.dtype for i in prepared.structure.program.inputs}.items()
    )


def changed(prepared: Prepared, **numbers: float) -> dict[str, Array]:
    """The numbers of the first draw, some arrays of which hold one number alone."""
    arrays = prepared.arrays[0]
    return {n: np.full_like(a, numbers[n]) if n in numbers else a for n, a in arrays.items()}


OUTSIDE = [
    ("keras-3", "keras.ops.floor_divide", {"y": "int32"}, {"y": 0}),
    ("keras-3", "keras.ops.floor_divide", {"x": "int32"}, {"x": 10}),
    ("keras-3", "keras.ops.rsqrt", {"x": "float32"}, {"x": 0}),
    ("keras-3", "keras.ops.rsqrt", {"x": "float32"}, {"x": -1}),
    ("keras-3", "keras.ops.rsqrt", {"x": "float32"}, {"x": np.inf}),
    ("keras-3", "keras.ops.rsqrt", {"x": "float32"}, {"x": 99}),
    ("keras-3", "keras.ops.arcsin", {"x": "float32"}, {"x": 2}),
    ("keras-2.2", "sqrt", {"x": "float32"}, {"x": -1}),
    ("keras-2.2", "gather", {}, {"indices": -1}),
    ("keras-2.2", "gather", {}, {"indices": 1000}),
]


@pytest.mark.parametrize(("edition", "name", "dtypes", "numbers"), OUTSIDE)
def test_what_the_plan_never_draws_is_not_admissible(
    edition: Edition, name: str, dtypes: Mapping[str, str], numbers: Mapping[str, float]
) -> None:
    prepared = call(edition, name, **dtypes)
    assert not admissible(prepared.structure, changed(prepared, **numbers), "ordinary")


def test_a_distribution_sums_to_one() -> None:
    prepared = next(p for p in calls("keras-2.2", "smoke", "categorical_crossentropy"))
    ((name, _), *_) = prepared.structure.distributions.items()
    arrays = changed(prepared, **{name: 0.6})
    assert not admissible(prepared.structure, arrays, "ordinary")
    assert admissible(prepared.structure, arrays, "special")


def test_a_mirrored_kernel_stays_mirrored() -> None:
    mirrored = (
        p
        for p in calls("keras-2.2", "smoke", "conv1d")
        if p.structure.domains.get("kernel") == "mirrored" and p.arrays[0]["kernel"].shape[0] > 1
    )
    prepared = next(mirrored)
    kernel = prepared.arrays[0]["kernel"].copy()
    kernel[0] += 1
    assert not admissible(prepared.structure, {**prepared.arrays[0], "kernel": kernel}, "ordinary")


def test_simple_numbers_are_moved_into_plain_domains() -> None:
    prepared = call("keras-3", "keras.ops.floor_divide", x="int32", y="int32")
    moved = fitted(prepared.structure, changed(prepared, x=0, y=0), "ordinary")
    assert not moved["x"].any()
    assert (moved["y"] == 1).all()


def test_special_numbers_may_be_anywhere() -> None:
    prepared = call("keras-3", "keras.ops.rsqrt", x="float32")
    assert admissible(prepared.structure, changed(prepared, x=-np.inf), "special")


def test_ordinary_numbers_do_not_become_others() -> None:
    """A convention that ordinary numbers do not rest on, ties here, is not entered."""
    prepared = call("keras-2.2", "argmax", x="float32")
    assert prepared.draws[0] == Draw("ordinary", SEED * 1000)
    assert prepared.fitted(0, prepared.arrays[0]) is not None
    assert prepared.fitted(0, changed(prepared, x=0)) is None
    x = prepared.arrays[0]["x"]
    distinct = (np.arange(x.size) + 1).reshape(x.shape) / x.size
    assert prepared.fitted(0, {"x": distinct.astype(x.dtype)})


def test_what_a_function_is_not_defined_for_is_special() -> None:
    prepared = call("keras-3", "keras.ops.divide", x="float32", y="float32")
    zeros = [changed(prepared, x=1, y=0)]
    assert prepared.refilled(0, zeros).profiles == ["special"]


def test_every_domain_of_the_specs_is_known() -> None:
    assert {*get_args(Domain), *images.DOMAINS} <= {*DOMAINS}
