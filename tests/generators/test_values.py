"""Value profiles hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.engine import PROFILES as RUN_PROFILES
from conformance.engine.planning.profiles import Profile, draws_of
from conformance.generators import PROFILES, Draw, draw_arrays
from conformance.generators.values import fill, shown_profile, signs, suits
from conformance.specs import load
from tests.generators.support import NEWEST, everything, task

FLOATS = ("float16", "float32", "float64")
SHAPE = (40, 50)


def drawn(profile: str, dtype: str = "float32", domain: str = "real", seed: int = 0) -> np.ndarray:
    rng = np.random.Generator(np.random.PCG64(seed))
    return fill(rng, SHAPE, dtype, domain, profile)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3)])
def test_shape_and_dtype_are_as_asked(profile: str, dtype: str, shape: tuple[int, ...]) -> None:
    array = fill(np.random.default_rng(0), shape, dtype, "real", profile)
    assert (array.shape, array.dtype) == (shape, np.dtype(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_ordinary_numbers_are_moderate_of_both_signs_and_not_all_whole(dtype: str) -> None:
    x = drawn("ordinary", dtype)
    assert np.isfinite(x).all()
    assert np.abs(x).max() <= 20.1
    assert np.abs(x).max() > 10
    assert (np.abs(x[x != 0]) < 0.01).any()
    assert 0.4 < (x < 0).mean() < 0.6
    assert (x != np.round(x)).mean() > 0.9


@pytest.mark.parametrize("dtype", FLOATS)
def test_integers_halves_and_zeros(dtype: str) -> None:
    assert set(np.unique(drawn("integers", dtype))) == set(range(-4, 5))
    halves = drawn("halves", dtype)
    assert set(np.unique(halves * 2)) == set(range(-6, 7))
    assert not drawn("zeros", dtype).any()


@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_reach_the_ends_of_the_range_and_stay_inside(dtype: str) -> None:
    x, info = drawn("extremes", dtype), np.finfo(dtype)
    assert np.isfinite(x).all()
    assert (np.abs(x) == info.max).any()
    assert (np.abs(x) == info.tiny).any()
    assert (np.abs(x) >= info.tiny).all()
    exponents = np.log2(np.abs(x.astype("float64")))
    spread = info.maxexp - info.minexp
    assert np.ptp(exponents) > 0.95 * spread
    assert 0.4 < (x < 0).mean() < 0.6


@pytest.mark.parametrize("dtype", FLOATS)
def test_subnormal_numbers_are_subnormal(dtype: str) -> None:
    x, tiny = drawn("subnormal", dtype), np.finfo(dtype).tiny
    small = (x != 0) & (np.abs(x) < tiny)
    assert 0.7 < small.mean() < 0.9
    assert (x[small] < 0).any()
    assert (x[small] > 0).any()
    rest = np.abs(x[~small])
    assert rest.max() <= 2


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_are_all_there(dtype: str) -> None:
    x = drawn("special", dtype)
    assert np.isnan(x).any()
    assert np.isposinf(x).any()
    assert np.isneginf(x).any()
    zero = x == 0
    assert np.signbit(x[zero]).any()
    assert (~np.signbit(x[zero])).any()
    assert np.isfinite(x).any()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("profile", [p for p in PROFILES if p != "special"])
def test_domains_are_respected(dtype: str, profile: str) -> None:
    assert (drawn(profile, dtype, "nonnegative") >= 0).all()
    assert (drawn(profile, dtype, "positive") > 0).all()
    assert (drawn(profile, dtype, "nonzero") != 0).all()
    truth = drawn(profile, dtype, "truth")
    assert (truth == 0).mean() > 0.4
    assert profile == "zeros" or (truth != 0).any()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_whole_numbers_respect_domains(dtype: str) -> None:
    assert (drawn("ordinary", dtype, "nonnegative") >= 0).all()
    assert (drawn("ordinary", dtype, "nonzero") != 0).all()
    assert (drawn("ordinary", dtype, "truth") == 0).mean() > 0.4
    assert (drawn("ordinary", dtype, "positive") > 0).all()


@pytest.mark.parametrize("profile", [p for p in PROFILES if p != "wide"])
def test_whole_numbers_fit_their_dtype(profile: str) -> None:
    assert set(np.unique(drawn(profile, "uint8"))) <= set(range(10))
    assert set(np.unique(drawn(profile, "int64"))) <= set(range(-9, 10))
    assert set(np.unique(drawn(profile, "bool"))) == {False, True}


@pytest.mark.parametrize("name", ["sqrt", "log"])
@pytest.mark.parametrize("profile", ["ordinary", "integers", "halves", "zeros"])
def test_a_settled_draw_is_in_the_domain_of_the_function(name: str, profile: str) -> None:
    function = {"sqrt": np.sqrt, "log": np.log}[name]
    for structure in everything(name)[:12]:
        for array in draw_arrays(structure, Draw(profile, 5)).values():
            with np.errstate(all="raise"):
                function(array.astype("float64"))


@pytest.mark.parametrize("name", ["one_hot", "gather"])
def test_indices_are_in_range(name: str) -> None:
    seen = set()
    for structure in everything(name):
        arrays = draw_arrays(structure, Draw("ordinary", 2))
        for parameter, below in structure.below.items():
            indices = arrays[parameter]
            seen |= set(indices.ravel().tolist())
            assert ((indices >= 0) & (indices < max(below, 1))).all()
            assert below or not indices.size
    assert len(seen) > 3


def test_the_same_draw_gives_the_same_bytes_and_another_seed_others() -> None:
    structure = next(s for s in everything("dot") if all(i.shape for i in s.program.inputs))
    first, again, other = (draw_arrays(structure, Draw("ordinary", s)) for s in (1, 1, 2))
    assert {n: a.tobytes() for n, a in first.items()} == {n: a.tobytes() for n, a in again.items()}
    assert any(first[n].tobytes() != other[n].tobytes() for n in first)


def test_two_inputs_of_one_shape_get_different_numbers() -> None:
    same = (s for s in everything("maximum") if s.runtime.shapes["x"] == s.runtime.shapes["y"])
    structure = next(s for s in same if s.runtime.shapes["x"] and 0 not in s.runtime.shapes["x"])
    x, y = draw_arrays(structure, Draw("ordinary", 1)).values()
    assert x.tobytes() != y.tobytes()


@pytest.mark.parametrize("profile", RUN_PROFILES.values(), ids=lambda p: str(p.name))
def test_a_run_s_draws_are_different_and_probe_floats_only(profile: Profile) -> None:
    mine = task(NEWEST, "identity")
    assert mine.profile is RUN_PROFILES["default"]
    for structure in everything("identity"):
        draws = draws_of(structure, profile.values, 0)
        assert len({d.seed for d in draws}) == len(draws)
        floating = structure.program.inputs[0].dtype.startswith("float")
        probed = {d.profile for d in draws} & {"extremes", "subnormal", "special"}
        assert bool(probed) <= floating


def test_every_value_profile_is_in_the_default_run_profile() -> None:
    assert set(RUN_PROFILES["default"].values) == set(PROFILES)
    assert set(load()["argmax"].profiles) <= set(PROFILES)


SHOWN = {
    "special": [[np.nan], [1.0, -np.inf], [-0.0]],
    "subnormal": [[1e-45, 1.0], [3e38, 1e-40]],
    "extremes": [[100.5], [-1e30, 1.0], [2e-38], [1e-8, 2.0]],
    "zeros": [[0.0, 0.0]],
    "integers": [[0.0, 3.0], [-4.0]],
    "halves": [[0.5, 1.0], [0.3, 0.3], [0.0, 0.3]],
    "ordinary": [[0.3, -0.7], [19.5, 1e-3], [99.5, -70.25]],
}


@pytest.mark.parametrize("profile", SHOWN)
def test_numbers_show_their_profile_whatever_they_were_drawn_from(profile: str) -> None:
    for numbers in SHOWN[profile]:
        arrays = {"x": np.array(numbers, "float32"), "i": np.array([300, 0])}
        assert shown_profile(arrays) == profile, numbers
    assert shown_profile({"i": np.array([300, 0]), "b": np.array([True])}) == "ordinary"


@pytest.mark.parametrize("profile", SHOWN)
@pytest.mark.parametrize("dtype", FLOATS)
def test_many_numbers_show_the_profile_that_they_were_drawn_from(profile: str, dtype: str) -> None:
    x = drawn(profile, dtype)
    distinct = np.unique(x) if profile == "ordinary" else x
    shown = shown_profile({"x": distinct})
    assert shown == profile or (profile, dtype) == ("ordinary", "float16")


SETTLED = ("large", "offset", "sparse", "outside", "unnormalised", "wide")
"""Profiles that the documents cover, or whose convention the spec of a function names."""


@pytest.mark.parametrize("profile", SETTLED)
@pytest.mark.parametrize("dtype", FLOATS[1:])
def test_what_a_spec_settles_shows_no_open_profile(profile: str, dtype: str) -> None:
    assert shown_profile({"x": drawn(profile, dtype)}) in ("ordinary", "halves")


@pytest.mark.parametrize("dtype", FLOATS)
def test_large_numbers_saturate_and_stay_within_a_hundred(dtype: str) -> None:
    x = drawn("large", dtype)
    assert np.abs(x).max() == 100
    assert (x == 100).any()
    assert (x == -100).any()
    assert 0.3 < (np.abs(x) > 20).mean() < 0.7
    logits = drawn("large", dtype, "logit")
    assert np.abs(logits).max() == 100
    assert np.abs(drawn("ordinary", dtype, "logit")).max() <= 5


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_with_an_offset_are_close_to_each_other(dtype: str) -> None:
    x = drawn("offset", dtype)
    assert np.ptp(x) <= 1
    assert np.abs(x).min() > 60


def test_sparse_numbers_have_rows_of_zeros_among_others() -> None:
    for domain in ("real", "vector"):
        x = drawn("sparse", domain=domain)
        empty = ~x.any(axis=1)
        assert 0.1 < empty.mean() < 0.6
        assert 0.1 < (x[~empty] == 0).mean() < 0.5
    assert (drawn("ordinary", domain="vector") != 0).all()
    assert set(np.unique(drawn("sparse", domain="probability"))) >= {0, 1}


def test_wide_integers_reach_the_ends_of_their_dtype() -> None:
    for dtype in ("int32", "int64", "uint8"):
        x, info = drawn("wide", dtype), np.iinfo(dtype)
        assert {info.min, info.max} <= set(np.unique(x).tolist())
        assert (np.abs(x.astype(float)) <= 9).mean() > 0.3


@pytest.mark.parametrize("name", ["one_hot", "gather", "in_top_k"])
def test_some_indices_are_out_of_range_all_on_one_side(name: str) -> None:
    sides = set()
    for structure in everything(name):
        if not suits("outside", structure):
            continue
        for seed in range(4):
            arrays = draw_arrays(structure, Draw("outside", seed))
            for parameter, below in structure.below.items():
                indices = arrays[parameter].astype(int)
                negative, beyond = (indices < 0).any(), (indices >= below).any()
                assert negative != beyond or not indices.size
                sides.add((bool(negative), bool(beyond)))
                assert (indices >= -below).all()
    assert {(True, False), (False, True)} <= sides


def test_outputs_of_any_sum_beside_targets_that_sum_to_one() -> None:
    count = 0
    for structure in everything("categorical_crossentropy"):
        if not suits("unnormalised", structure) or structure.error:
            continue
        arrays = draw_arrays(structure, Draw("unnormalised", 3))
        axes = {name: along.axis for name, along in structure.distributions.items()}
        sums = {n: arrays[n].astype(float).sum(axis=axis) for n, axis in axes.items()}
        if sums["output"].size and arrays["output"].dtype != "float16":
            np.testing.assert_allclose(sums["target"], 1, rtol=1e-5)
            count += bool((np.abs(sums["output"] - 1) > 1e-2).any())
    assert count > 3


def test_profiles_that_need_a_convention_are_used_where_a_spec_names_one() -> None:
    assert not any(suits("outside", s) for s in everything("dot"))
    assert not any(suits("wide", s) for s in everything("maximum"))
    assert any(suits("wide", s) for s in everything("square"))
    assert not any(suits("large", s) for s in everything("one_hot"))
    assert all(suits("ordinary", s) for s in everything("one_hot"))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7, 3), (500,)])
def test_signs_are_those_that_a_choice_gives(shape: tuple[int, ...]) -> None:
    generator, other = (np.random.Generator(np.random.PCG64(8)) for _ in range(2))
    for _ in range(5):
        np.testing.assert_array_equal(signs(generator, shape), other.choice((-1.0, 1.0), shape))
    assert generator.bit_generator.state == other.bit_generator.state
