"""Every number of a small dtype is tried, and a failure shows one of those that fail."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from conformance.dtypes import BFLOAT16
from conformance.editions import Edition
from conformance.engine import plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.planning.exhaustive import exhaustive_trials
from conformance.engine.planning.profiles import DEFAULT, SMOKE, SURVEY, THOROUGH
from conformance.generators.exhaustive import every_number
from conformance.generators.hard_numbers import NEAREST_TO_QUARTERS, OF, hard_numbers
from conformance.generators.values import leaves_domain
from conformance.program import from_json
from conformance.results import Aspect, Failure, Verdict
from conformance.specs import load
from tests.engine.support import examine, module, tasks

PLANTED = """
import numpy as np
from conformance.reference import *
from conformance.reference.numpy_library.kernels import KERNELS

_right = KERNELS[{kernel!r}]


def _planted(x, **attributes):
    result = _right(x, **attributes)
    return np.where((x.dtype == np.float16) & ({where}), result.dtype.type({fault}), result)


KERNELS[{kernel!r}] = _planted
"""
FAULTS = {
    "sigmoid saturates early": ("sigmoid", "x > 5", "1"),
    "one exponential is wrong": ("exp", "x == np.float16(0.7)", "2.5"),
    "one root of a large number is wrong": ("sqrt", "x == 1000", "31"),
    "small numbers have no sine": ("sin", "np.abs(x) < 0.002", "0"),
    "the logarithm of one number is infinite": ("log", "x == 19", "np.inf"),
}


@cache
def trials(function: str, edition: Edition = "keras-3") -> list[CallTrial]:
    """The calls of dtypes with so few numbers that all are tried."""
    every = exhaustive_trials(load()[function], edition, 0)
    return [trial for trial in every if dtype_of(trial) not in OF]


def dtype_of(trial: CallTrial) -> str:
    return trial.prepared.structure.program.inputs[0].dtype


def is_compiled(trial: CallTrial) -> bool:
    return trial.prepared.structure.program.steps[0].function == "compiled"


def test_every_number_of_16_bits_is_tried_eager_and_compiled() -> None:
    ways = Counter((dtype_of(trial), is_compiled(trial)) for trial in trials("keras.ops.sigmoid"))
    assert ways == Counter((d, way) for d in ("float16", BFLOAT16) for way in (False, True))
    for trial in trials("keras.ops.sigmoid"):
        tried = np.concatenate([array["x"] for array in trial.prepared.arrays]).astype(np.float64)
        every = every_number(dtype_of(trial)).astype(np.float64)
        assert {*tried[~np.isnan(tried)]} == {*every[~np.isnan(every)]}
        assert np.isnan(tried).any()


@pytest.mark.parametrize(
    ("dtype", "count"), [("float16", 2**16 - 2**11 + 2), (BFLOAT16, 2**16 - 2**8 + 2)]
)
def test_a_dtype_has_so_many_numbers_besides_nan(dtype: str, count: int) -> None:
    numbers = every_number(dtype)
    bits = {*numbers[~np.isnan(numbers)].view(f"u{numbers.itemsize}").tolist()}
    assert len(bits) == count
    assert np.isnan(numbers).sum() == 1


def test_numbers_without_an_answer_are_left_out_but_for_those_that_are_special() -> None:
    for trial in trials("keras.ops.log"):
        for array, profile in zip(trial.prepared.arrays, trial.prepared.profiles, strict=True):
            assert profile == "special" or not leaves_domain(trial.prepared.structure, array)
            assert not (np.isfinite(array["x"]) & (array["x"] < 0)).any()


def test_no_array_of_ordinary_numbers_rests_on_a_convention_about_numbers() -> None:
    for trial in trials("keras.ops.exp"):
        structure = trial.prepared.structure
        ordinary = [d.profile == "ordinary" for d in trial.prepared.draws]
        assert any(ordinary) is not is_compiled(trial)
        assert structure.conventions("ordinary") == structure.unsettled


def test_all_pairs_of_8_bits_are_tried_whose_result_is_in_range() -> None:
    for trial in trials("keras.ops.bitwise_and"):
        (arrays,) = trial.prepared.arrays
        pairs = {*zip(arrays["x"].tolist(), arrays["y"].tolist(), strict=True)}
        assert len(pairs) == (4 if dtype_of(trial) == "bool" else 2**16)
    of_lcm = {dtype_of(trial): trial.prepared.arrays[0] for trial in trials("keras.ops.lcm")}
    for dtype, arrays in of_lcm.items():
        products = np.lcm(arrays["x"].astype(int), arrays["y"].astype(int))
        assert 0 < products.min() <= products.max() <= np.iinfo(dtype).max


@pytest.mark.parametrize("function", ["keras.ops.softmax", "keras.ops.cumsum", "keras.ops.flip"])
def test_a_function_of_several_elements_is_not_tried(function: str) -> None:
    assert trials(function) == []


@pytest.mark.parametrize("dtype", OF)
def test_hard_numbers_have_their_neighbours(dtype: str) -> None:
    numbers = {*hard_numbers(dtype).tolist()}
    most = np.finfo(dtype).max
    for point in (0.5, 1, 2.5, np.pi / 2, np.log(float(most))):
        near = np.dtype(dtype).type(point)
        both = (np.nextafter(near, most), np.nextafter(near, -most))
        assert {sign * float(n) for n in (near, *both) for sign in (1, -1)} <= numbers


def test_the_hardest_angles_are_near_a_quarter_turn() -> None:
    """Muller's numbers: no other of the dtype is nearer to a multiple of a quarter."""
    mpmath.mp.prec = 1200
    for dtype, most in (("float32", 2.0**-29), ("float64", 2.0**-60)):
        turns = mpmath.mpf(math.ldexp(*NEAREST_TO_QUARTERS[dtype])) / (mpmath.pi / 2)
        assert abs(turns - mpmath.nint(turns)) < most
        assert math.ldexp(*NEAREST_TO_QUARTERS[dtype]) in hard_numbers(dtype)


def test_the_survey_is_not_exhaustive_and_every_other_profile_is() -> None:
    for profile in (SURVEY, SMOKE, DEFAULT, THOROUGH):
        (task,) = tasks(["sigmoid"], profile)
        calls = [t for t in task.trials() if isinstance(t, CallTrial)]
        numbers = sum(t.prepared.elementwise for t in calls)
        assert numbers == (0 if profile is SURVEY else 3)


@pytest.mark.parametrize(
    ("aspect", "has"), [(Aspect.DTYPE, True), (Aspect.STATIC_SHAPE, True), (Aspect.ERROR, False)]
)
def test_a_run_of_one_aspect_has_the_calls_that_show_it(aspect: Aspect, has: bool) -> None:
    (task,) = plan(load(), "keras-2.2", SMOKE, 0, select={"sigmoid"}.__contains__, aspects=[aspect])
    calls = [t for t in task.trials() if isinstance(t, CallTrial)]
    assert any(t.prepared.elementwise for t in calls) is has


@cache
def convictions(name: str, folder: Path) -> list[Failure]:
    kernel, where, fault = FAULTS[name]
    source = PLANTED.format(kernel=kernel, where=where, fault=fault)
    (folder / "planted.py").write_text(source, encoding="utf-8")
    failures = examine(module("planted", folder), [kernel], "smoke").failures(Verdict.VIOLATES)
    return [failure for *_, failure in failures]


@pytest.mark.parametrize("name", FAULTS)
def test_smoke_convicts_a_fault_of_a_few_numbers_with_one_of_them(
    name: str, tmp_path: Path
) -> None:
    (failure,) = convictions(name, tmp_path)
    (item,) = from_json(failure.program).inputs
    assert (item.dtype, item.shape) == ("float16", (1,))
