"""Numbers that saturate, are out of range or overflow: answers, bounds and readings."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
import scipy.special

from conformance.engine.judging.readings import AllowedAnswers
from conformance.engine.judging.slack import OF_PRODUCTS, THEMES_OF_PRODUCTS, is_product
from conformance.oracle import ORACLES, Expectation, agrees, expect
from conformance.oracle.compare import is_inaccurate
from conformance.oracle.freedom import concerned
from conformance.oracle.variants import Readings, read_otherwise
from conformance.specs import load
from conformance.specs.convention_names import ConventionName as Name
from tests.oracle.support import ask

Array = npt.NDArray[Any]
RNG = np.random.default_rng(11)
EPSILON = 1e-7
SATURATED = np.concatenate([np.linspace(-100, 100, 401), [-88.73, 88.73, -103.98, 15.9, 16.2]])


def under(function: str, convention: Name, reading: str, **arguments: Any) -> Expectation:
    """What is expected under one reading, in the dtype of the output."""
    spec = load()[function]
    assert spec.accuracy is not None
    changed = read_otherwise(function, arguments, ((convention, reading),))
    dtype = next(a.dtype.name for a in arguments.values() if a.dtype.kind == "f")
    return expect(function, changed, dtype, spec.accuracy)


FORMULAS: dict[str, Any] = {
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "tanh": mpmath.tanh,
}
STABLE: dict[str, Any] = {
    "sigmoid": scipy.special.expit,
    "softplus": lambda x: np.logaddexp(x.dtype.type(0), x),
    "tanh": np.tanh,
}
NAIVE: dict[str, Any] = {
    "sigmoid": lambda x: np.exp(x) / (1 + np.exp(x)),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "tanh": lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FORMULAS)
def test_saturated_activations(function: str, dtype: str) -> None:
    x = SATURATED.astype(dtype)
    expectation = ask(function, flush=True, x=x)
    with mpmath.workdps(60):
        expected = np.array(
            [float(FORMULAS[function](mpmath.mpf(float(element)))) for element in x]
        )
    assert (np.abs(expectation.value - expected) <= expectation.bound).all()
    assert agrees(STABLE[function](x), expectation).all()


@pytest.mark.parametrize("function", FORMULAS)
def test_a_formula_that_overflows_is_wrong(function: str) -> None:
    x = SATURATED.astype("float32")
    with np.errstate(all="ignore"):
        got = NAIVE[function](x)
    assert not agrees(got, ask(function, flush=True, x=x))[x > 95].any()


def test_saturated_softmax_and_logsumexp_against_mpmath() -> None:
    x = RNG.choice([-100.0, 100.0, 0.0, 99.5, -3.25], (6, 5)).astype("float32")
    with mpmath.workdps(60):
        powers = [[mpmath.exp(mpmath.mpf(float(element))) for element in row] for row in x]
        shares = np.array([[float(p / sum(row)) for p in row] for row in powers])
        sums = np.array([float(mpmath.log(sum(row))) for row in powers])
    softmax, total = ask("softmax", flush=True, x=x), ask("logsumexp", x=x, axis=1)
    assert (np.abs(softmax.value - shares) <= softmax.bound).all()
    assert (np.abs(total.value - sums) <= total.bound).all()
    with np.errstate(all="ignore"):
        naive = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    assert np.isnan(naive).any()
    assert not agrees(naive, softmax).all()


def limited(p: Array) -> Array:
    low = p.dtype.type(EPSILON)
    return np.clip(p, low, 1 - low)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", [0.0, 1.0, 0.25])
def test_limited_probabilities_of_logits_binary(dtype: str, target: float) -> None:
    logits = np.concatenate([SATURATED, RNG.uniform(-25, 25, 4000)]).astype(dtype)
    t = np.full(logits.shape, target, dtype)
    p = limited(scipy.special.expit(logits))
    got = -(t * np.log(p) + (1 - t) * np.log(1 - p))
    expectation = under(
        "binary_crossentropy", Name.CLIPPING, "logits, too", target=t, output=logits,
        from_logits=np.bool_(True),
    )  # fmt: skip
    assert agrees(got, expectation).all()
    assert (expectation.bound[np.abs(logits) < 5] < 1e-3).all()
    far = np.abs(logits) > 30
    own = ask("binary_crossentropy", target=t, output=logits, from_logits=True)
    wrong = (logits > 0) != (target > 0)
    assert not agrees(got, own)[far & wrong].any()
    assert not agrees(own.value.astype(dtype), expectation)[far & wrong].any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_limited_probabilities_of_logits_categorical(dtype: str) -> None:
    logits = RNG.choice(SATURATED, (200, 4)).astype(dtype)
    labels = RNG.integers(0, 4, 200)
    target = np.eye(4)[labels].astype(dtype)
    p = limited(scipy.special.softmax(logits, axis=1))
    got = -(target * np.log(p)).sum(axis=1)
    arguments: dict[str, Any] = {"output": logits, "from_logits": np.bool_(True)}
    for function, truth in (
        ("categorical_crossentropy", target),
        ("sparse_categorical_crossentropy", labels),
    ):
        expectation = under(function, Name.CLIPPING, "logits, too", target=truth, **arguments)
        assert agrees(got, expectation).all()
        own = ask(function, dtype, target=truth, output=logits, from_logits=True)
        assert not agrees(got, own)[own.value > 20].any()


def test_probabilities_that_do_not_sum_to_one() -> None:
    output, target = RNG.uniform(0.05, 0.95, (9, 4)), np.eye(4)[RNG.integers(0, 4, 9)]
    plain = -(target * np.log(output)).sum(axis=1)
    divided = -(target * np.log(output / output.sum(axis=1, keepdims=True))).sum(axis=1)
    own = ask("categorical_crossentropy", target=target, output=output)
    other = under(
        "categorical_crossentropy",
        Name.SUM_OF_PROBABILITIES,
        "as they are",
        target=target,
        output=output,
    )
    assert agrees(divided, own).all()
    assert agrees(plain, other).all()
    assert not agrees(plain, own).any()
    assert not agrees(divided, other).any()


def test_indices_out_of_range() -> None:
    rows = RNG.normal(size=(4, 2))
    within, negative, beyond = np.array([0, 3]), np.array([1, -1, -4]), np.array([2, 4, 6])
    gather = ORACLES["gather"]
    np.testing.assert_array_equal(gather(rows, within), rows[within])
    np.testing.assert_array_equal(gather(rows, negative), [rows[1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(gather(rows, negative, "from the end"), rows[negative])
    for outside in (negative, beyond):
        clipped = np.take(rows, outside, axis=0, mode="clip")
        np.testing.assert_array_equal(gather(rows, outside, "clipped"), clipped)
    assert np.isnan(gather(rows, beyond, "not a number")[1:]).all()
    with pytest.raises(ValueError, match="out of range"):
        gather(rows, beyond, "from the end")
    with pytest.raises(ValueError, match="NaN"):
        gather(np.arange(4), beyond, "not a number")


def test_one_hot_and_in_top_k_of_indices_out_of_range() -> None:
    one_hot, top = ORACLES["one_hot"], ORACLES["in_top_k"]
    eye = np.eye(3)
    np.testing.assert_array_equal(
        one_hot(np.array([2, 3, -1]), 3), [eye[2], 0 * eye[0], 0 * eye[0]]
    )
    np.testing.assert_array_equal(one_hot(np.array([2, -1]), 3, "from the end"), eye[[2, 2]])
    np.testing.assert_array_equal(one_hot(np.array([5, -1]), 3, "clipped"), eye[[2, 0]])
    scores = np.array([[3.0, 1.0, 2.0]] * 3)
    ranks = {how: top(scores, np.array([0, -3, -1]), 1, how).tolist() for how in (
        "nothing", "from the end", "clipped")}  # fmt: skip
    assert ranks == {
        "nothing": [True, False, False],
        "from the end": [True, True, False],
        "clipped": [True, True, True],
    }


def test_the_loss_of_a_label_out_of_range() -> None:
    output = np.array([[0.25, 0.75], [0.5, 0.5]])
    labels = np.array([0, -1])
    own = ask("sparse_categorical_crossentropy", "float64", target=labels, output=output)
    np.testing.assert_allclose(own.value, [-np.log(0.25), 0])
    name, convention = "sparse_categorical_crossentropy", Name.INDICES_OUT_OF_RANGE
    expectation = under(name, convention, "not a number", target=labels, output=output)
    assert agrees(np.array([-np.log(0.25), np.nan]), expectation).all()
    assert not agrees(np.array([-np.log(0.25), 0.5]), expectation).all()


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64"])
def test_integers_wrap_as_those_of_numpy(dtype: str) -> None:
    info = np.iinfo(dtype)
    x = np.array([info.max, 1, 2, info.min, info.max // 2], dtype)
    with np.errstate(over="ignore"):
        assert ask("sum", x=x, axis=None).value == x.sum(dtype=dtype)
        assert ask("square", x=x).value.astype(dtype).tolist() == np.square(x).tolist()
        sums = np.cumsum(x, dtype=dtype)
    assert ask("cumsum", x=x).value.tolist() == sums.tolist()


def test_a_wider_dtype_holds_the_sum() -> None:
    x = np.array([2**31 - 1, 5], np.int32)
    accuracy = load()["sum"].accuracy
    assert accuracy is not None
    arguments: dict[str, Any] = {"x": x, "axis": None}
    assert expect("sum", arguments, "int32", accuracy, beyond="wider").value == 2**31 + 4
    assert expect("sum", arguments, "int32", accuracy, beyond="saturated").value == 2**31 - 1
    assert ask("sum", x=x, axis=None).value == 2**31 + 4 - 2**32


def test_a_square_that_leaves_float16_is_extreme() -> None:
    x = np.array([[300.0, 1.0], [2.0, 1.0]], np.float16)
    arguments: dict[str, Any] = {"x": x, "axis": 1}
    extreme = concerned(Name.EXTREMES, "l2_normalize", arguments, ask("l2_normalize", **arguments))
    assert extreme.tolist() == [[True, True], [False, False]]
    wide = {**arguments, "x": x.astype(np.float32)}
    assert not concerned(Name.EXTREMES, "l2_normalize", wide, ask("l2_normalize", **wide)).any()


def test_an_epsilon_in_the_bound_does_not_excuse_a_wrong_loss() -> None:
    output, target = np.array([[0.25, 0.75]]), np.array([[1.0, 0.0]])
    asked = ask("categorical_crossentropy", target=target, output=output)
    right = -np.log(0.25)
    for factor, single, inaccurate in (
        (1.01, False, False),
        (1.001, False, False),
        (1.01, True, False),
        (1 + 1e-6, False, True),
        (1.0002, True, True),
    ):
        got = np.array([right * factor])
        assert not agrees(got, asked).all()
        assert is_inaccurate(got, asked, single_will_do=single) is inaccurate


def test_what_is_no_probability_has_no_sum_to_divide_by() -> None:
    target, output = np.array([0, 1]), np.array([[1.0, -1.0], [2.5, 1.0]])
    asked = ask("sparse_categorical_crossentropy", "float64", target=target, output=output)
    as_they_are = -np.log(np.clip(output[[0, 1], target], 1e-7, 1 - 1e-7))
    assert agrees(as_they_are, asked).all()


@pytest.mark.parametrize("elementwise", [True, False])
def test_a_large_element_excuses_errors_of_others_only_where_they_are_mixed(
    elementwise: bool,
) -> None:
    asked = Expectation(np.array([np.exp(100), 3e-44]), np.array([1e30, 1e-44]), "float64")
    answer = AllowedAnswers((), lambda _: asked, _nowhere, elementwise=elementwise)
    got = np.array([np.exp(100), 1.0])
    assert (answer.nearly(got, single_will_do=False) is None) is elementwise


def test_no_finite_number_is_nearly_infinite() -> None:
    asked = Expectation(np.array([np.inf, 1.0]), np.array([0.0, 1e-16]), "float64")
    answer = AllowedAnswers((), lambda _: asked, _nowhere, elementwise=True)
    assert answer.nearly(np.array([7.0, 1.0]), single_will_do=False) is None


def test_a_ruled_out_reading_is_told_where_its_answer_is_the_very_one() -> None:
    """What is the answer of a reading that a document rules out is not its right one badly done."""
    near = np.array([1.0 + 2e-5])
    answers: dict[Readings, float] = {
        (): 1.0,
        ((Name.POPULATION_VARIANCE, "with epsilon"),): 1.0 + 2e-5,
    }
    answer = AllowedAnswers(
        (Name.POPULATION_VARIANCE,),
        lambda readings: Expectation(np.array([answers[readings]]), np.array([1e-6]), "float32"),
        _nowhere,
        {"population-variance: with epsilon"},
    )
    assert answer.nearly(near, single_will_do=False) == ()
    assert answer.forbidden(near, nearly=False) == "population-variance: with epsilon"
    assert answer.forbidden(near + 1e-5, nearly=False) is None
    assert answer.forbidden(near + 1e-5, nearly=True) == "population-variance: with epsilon"


def test_a_float_is_rounded_to_the_wider_dtype_that_a_result_has() -> None:
    x = np.array([-3.0], np.float16)
    for dtype in ("float16", "float32"):
        asked = ask("relu", dtype, x=x, alpha=0.1)
        assert agrees(np.array([-0.3], dtype), asked).all()
    assert asked.value == pytest.approx(-0.3, rel=1e-7)


def test_products_are_functions_and_themes() -> None:
    specs = load()
    assert {*THEMES_OF_PRODUCTS} <= {specs.theme(name) for name in specs}
    assert {*OF_PRODUCTS} <= {*specs}
    assert all(map(is_product, ("conv2d", "dot", "keras.ops.matmul")))
    assert not is_product("keras.ops.relu")


def _nowhere(_convention: str, expectation: Expectation) -> Array:
    return np.zeros(expectation.value.shape, np.bool_)
