"""What the documents say each function does, by worked examples and by plain loops."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

from conformance.oracle import ORACLES, agrees, expect
from conformance.oracle.bounds import CONTRACTIONS
from conformance.oracle.evaluate import widened
from conformance.specs import load
from conformance.specs.kinds import Omitted
from conformance.specs.model import Accuracy, Contraction, Spec
from tests.oracle.support import ask

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def value(function: str, dtype: str | None = None, **arguments: Any) -> Any:
    """The exact value; fails if the oracle allows an error."""
    expectation = ask(function, dtype, **arguments)
    assert not expectation.bound.any()
    return expectation.value


def parts(spec: Spec) -> dict[str, Accuracy | None]:
    """What single calls of a function are compared with: the oracle's name and the accuracy."""
    if spec.results:
        return {f"{spec.name}.{p.name}": p.accuracy or spec.accuracy for p in spec.results}
    return {spec.name: spec.accuracy} if spec.accuracy else {}


OWN = [spec for spec in load().values() if not spec.oracle]
"""The specs that do not name the oracle of another function."""
CALLED = {name: spec for spec in OWN for name in parts(spec)}
"""Scenarios bring what they expect with them; these are the others."""


def test_every_spec_of_calls_has_an_oracle_and_no_oracle_is_without() -> None:
    others = [spec for spec in load().values() if spec.oracle]
    named = {o for s in others for o in ([f"{s.oracle}.{p.name}" for p in s.results] or [s.oracle])}
    assert set(ORACLES) == {*CALLED, *named}


@pytest.mark.parametrize("name", CALLED)
def test_oracles_take_the_documented_parameters(name: str) -> None:
    spec = CALLED[name]
    parameters = inspect.signature(ORACLES[name]).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    drawn = {name for name, rule in spec.parameters.items() if not isinstance(rule, Omitted)}
    assert drawn <= set(parameters)


def test_every_contraction_has_a_bound() -> None:
    accuracies = {name: parts(spec)[name] for name, spec in CALLED.items()}
    asked = {name for name, accuracy in accuracies.items() if isinstance(accuracy, Contraction)}
    assert asked <= set(CONTRACTIONS)


def test_contraction_without_a_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="sqrt has no a-priori bound"):
        expect("sqrt", {"x": X}, "float32", Contraction())


def test_unknown_function() -> None:
    with pytest.raises(KeyError, match="no_such"):
        expect("no_such", {}, "float32", Contraction())


def test_dot_by_loops() -> None:
    y = np.arange(40, dtype=np.float32).reshape(2, 4, 5)
    got = ask("dot", x=X, y=y).value
    assert got.shape == (2, 3, 2, 5)
    for i, j, k, m in itertools.product(range(2), range(3), range(2), range(5)):
        assert got[i, j, k, m] == sum(X[i, j, n] * y[k, n, m] for n in range(4))


def test_dot_shape_rule() -> None:
    assert ask(
        "dot", x=np.ones((2, 3), np.float32), y=np.ones((4, 3, 5), np.float32)
    ).value.shape == (2, 4, 5)


def test_batch_dot_worked_example() -> None:
    x, y = np.array([[1, 2], [3, 4]], np.float32), np.array([[5, 6], [7, 8]], np.float32)
    for axes in (1, [1, 1], (1, -1), None):
        assert ask("batch_dot", x=x, y=y, axes=axes).value.tolist() == [[17], [53]]


@pytest.mark.parametrize(
    ("left", "right", "axes", "shape"),
    [
        ((6, 20), (6, 30, 20), (1, 2), (6, 30)),
        ((6, 20, 1), (6, 30, 20), [1, 2], (6, 1, 30)),
        ((6, 3, 4), (6, 4, 5), None, (6, 3, 5)),
        ((6, 3, 4), (6, 4), None, (6, 3)),
        ((6, 3, 4), (6, 5, 4), 2, (6, 3, 5)),
        ((6, 2, 3, 4), (6, 4, 5), (3, 1), (6, 2, 3, 5)),
        ((6, 2, 3, 4), (6, 7, 3, 5), (2, 2), (6, 2, 4, 7, 5)),
    ],
)
def test_batch_dot_by_samples(left: Any, right: Any, axes: Any, shape: Any) -> None:
    random = np.random.default_rng(2)
    x, y = (random.integers(-3, 4, size=s).astype(np.float32) for s in (left, right))
    first, second = axes if isinstance(axes, tuple | list) else (axes, axes)
    first = x.ndim - 1 if first is None else first
    second = (1 if y.ndim == 2 else y.ndim - 2) if second is None else second
    samples = [np.tensordot(a, b, (first - 1, second - 1)) for a, b in zip(x, y, strict=True)]
    got = ask("batch_dot", x=x, y=y, axes=axes).value
    assert got.shape == shape
    assert np.array_equal(got, np.stack(samples))


def test_batch_dot_refuses_the_batch_axis() -> None:
    with pytest.raises(ValueError, match="batch axis"):
        ask("batch_dot", x=X, y=X, axes=(0, 1))


def test_transpose_reverses_the_axes() -> None:
    got = value("transpose", x=X)
    assert got.shape == (4, 3, 2)
    assert got[3, 1, 0] == X[0, 1, 3]


def test_gather() -> None:
    indices = np.array([[1, 0], [1, 1]], np.int32)
    got = value("gather", reference=X, indices=indices)
    assert got.shape == (2, 2, 3, 4)
    assert np.array_equal(got[0, 1], X[0])


def test_one_hot_with_an_index_out_of_range() -> None:
    indices = np.array([[0, 2], [3, -1]], np.int32)
    got = value("one_hot", "float32", indices=indices, num_classes=3)
    assert got.tolist() == [[[1, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 0]]]


def test_repeating() -> None:
    x = np.array([[1, 2], [3, 4]], np.float32)
    assert value("repeat_elements", x=x, rep=2, axis=1).tolist() == [[1, 1, 2, 2], [3, 3, 4, 4]]
    assert value("tile", x=x, n=[1, 2]).tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    assert value("repeat", x=x, n=3).tolist() == [[[1, 2]] * 3, [[3, 4]] * 3]


def test_shapes() -> None:
    assert value("flatten", x=X).tolist() == list(range(24))
    assert value("batch_flatten", x=X).shape == (2, 12)
    assert value("batch_flatten", x=X[:0]).shape == (0, 12)
    assert value("batch_flatten", x=X[0, 0]).shape == (4, 1)
    assert value("reshape", x=X, shape=(4, -1)).shape == (4, 6)
    assert value("expand_dims", x=X).shape == (2, 3, 4, 1)
    assert value("expand_dims", x=X, axis=1).shape == (2, 1, 3, 4)
    assert value("squeeze", x=X[:, :1], axis=1).shape == (2, 4)
    assert value("permute_dimensions", x=X, pattern=(2, 0, 1))[3, 1, 2] == X[1, 2, 3]


def test_joining() -> None:
    assert value("concatenate", "float32", tensors=[X, X[..., :1]]).shape == (2, 3, 5)
    assert value("concatenate", "float32", tensors=(X, X), axis=0).shape == (4, 3, 4)
    assert value("stack", "float32", x=[X, X + 1])[1, 0, 0, 0] == 1
    assert value("stack", "float32", x=[X, X], axis=-1).shape == (2, 3, 4, 2)


def test_slice_and_reverse() -> None:
    assert np.array_equal(value("slice", x=X, start=[0, 1, 2], size=(2, 1, 2)), X[:, 1:2, 2:4])
    assert np.array_equal(value("reverse", x=X, axes=1), X[:, ::-1])
    assert np.array_equal(value("reverse", x=X, axes=[0, -1]), X[::-1, :, ::-1])


def test_creation() -> None:
    assert value("zeros", "float32", shape=(2, 0)).shape == (2, 0)
    assert value("ones", "int32", shape=[2]).tolist() == [1, 1]
    assert value("eye", "float16", size=2).tolist() == [[1, 0], [0, 1]]
    assert value("zeros_like", x=X, name="a").shape == X.shape
    assert value("ones_like", "bool", x=X).all()
    assert value("constant", "float32", value=3, shape=(2, 2)).tolist() == [[3, 3], [3, 3]]
    assert value("constant", "float32", value=[0.1], name="c").tolist() == [np.float32(0.1)]
    assert value("constant", "float32", value=np.arange(4.0), shape=(2, 2)).tolist() == [
        [0, 1],
        [2, 3],
    ]
    assert value("variable", "float16", value=np.array([0.1])).tolist() == [np.float16(0.1)]
    assert np.array_equal(value("placeholder", shape=X.shape, value=X), X)
    assert np.array_equal(value("identity", x=X), X)


@pytest.mark.parametrize(
    ("arguments", "right"),
    [((4,), [0, 1, 2, 3]), ((2, 5), [2, 3, 4]), ((5, 1, -2), [5, 3]), ((0,), []), ((-2,), [])],
)
def test_arange(arguments: tuple[int, ...], right: list[int]) -> None:
    names = ("start", "stop", "step")
    got = value("arange", "int32", **dict(zip(names, arguments, strict=False)))
    assert got.tolist() == right


def test_activations() -> None:
    x = np.array([-3, -1, 0, 1, 3], np.float32)
    assert ask("relu", x=x).value.tolist() == [0, 0, 0, 1, 3]
    assert ask("relu", x=x, alpha=0.5, max_value=2.5).value.tolist() == [-1.5, -0.5, 0, 1, 2.5]
    assert ask("hard_sigmoid", x=x).value[[0, 2, 4]].tolist() == [0, 0.5, 1]
    assert ask("elu", x=x, alpha=2.0).value[1] == pytest.approx(2 * (np.exp(-1) - 1))


def test_limits() -> None:
    x = np.array([-1, 0.5, 9, np.nan], np.float32)
    assert value("clip", x=x, min_value=0, max_value=1)[:3].tolist() == [0, 0.5, 1]
    assert value("clip", x=x, min_value=2, max_value=1)[:3].tolist() == [1, 1, 1]
    assert np.isnan(value("clip", x=x, min_value=0, max_value=1)[3])
    assert value("clip", x=x, min_value=0.1, max_value=2)[0] == np.float32(0.1)


def test_python_numbers_are_rounded_to_the_dtype() -> None:
    wide = widened({"x": X.astype(np.float16), "alpha": 0.1, "axis": 1, "keepdims": True}, "bool")
    assert wide["alpha"] == np.float16(0.1)
    assert wide["axis"] == 1
    assert wide["keepdims"] is True
    assert wide["x"].dtype == np.float64


def test_float64_values_are_rounded_once() -> None:
    x = np.random.default_rng(1).normal(size=200)
    got = ask("exp", x=x)
    assert got.value.dtype == np.float64
    assert np.array_equal(got.value, np.exp(x.astype(np.longdouble)).astype(np.float64))


def test_inputs_are_not_changed() -> None:
    x = X.copy()
    x[0, 0, 0] = 1e-40
    copy = x.copy()
    for function in ("softmax", "std", "cumprod", "logsumexp", "flatten", "identity"):
        agrees(ask(function, x=x, flush=True).value, ask(function, x=x))
    assert np.array_equal(x, copy)


def test_the_dtype_argument_is_the_callers_business() -> None:
    accuracy = load()["zeros_like"].accuracy
    assert accuracy is not None
    arguments = {"x": X, "dtype": "int32", "name": None}
    assert expect("zeros_like", arguments, "int32", accuracy).value.dtype == np.int64
