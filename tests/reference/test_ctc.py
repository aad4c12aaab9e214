"""CTC and sparse tensors of the reference against the oracle's enumeration of all paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import conformance.reference as K  # noqa: N812
from conformance.oracle import ctc, ctc_paths
from tests.bounds import assert_right, assert_same, gamma, library, log_probability
from tests.reference.test_editions import output

RNG = np.random.default_rng(5)


def distributions(*shape: int) -> Any:
    weights = RNG.uniform(0.1, 1.0, size=shape)
    return weights / weights.sum(axis=-1, keepdims=True)


def variable(array: Any) -> Any:
    return K.variable(array, dtype=np.asarray(array).dtype.name)


def batch() -> dict[str, Any]:
    return {
        "y_true": np.array([[1, 1, 0], [0, -1, 9], [2, 1, 2]], "int32"),
        "y_pred": distributions(3, 7, 4),
        "input_length": np.array([[7], [1], [5]], "int32"),
        "label_length": np.array([[3], [1], [0]], "int32"),
    }


def cost(arguments: dict[str, Any]) -> Any:
    return K.eval(K.ctc_batch_cost(**{name: variable(a) for name, a in arguments.items()}))


def test_batch_cost() -> None:
    arguments = batch()
    assert_right(cost(arguments), ctc.expected_cost_with(0, **arguments))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_batch_cost_rounds_once(dtype: str) -> None:
    arguments = batch()
    arguments["y_pred"] = arguments["y_pred"].astype(dtype)
    wide = {**arguments, "y_pred": arguments["y_pred"].astype("float64")}
    loss = cost(arguments)
    assert loss.dtype == dtype
    assert_same(loss, ctc_paths.ctc_batch_cost(**wide), roundings=1, dtype=dtype)


def test_batch_cost_takes_labels_of_floats() -> None:
    arguments = batch()
    floats = {**arguments, "y_true": arguments["y_true"].astype("float32")}
    np.testing.assert_array_equal(cost(floats), cost(arguments))


def test_a_label_that_does_not_fit_has_an_infinite_loss() -> None:
    arguments = batch()
    arguments["input_length"][0] = 3
    assert cost(arguments)[0] == np.inf


def test_static_shape_of_the_loss() -> None:
    shapes = [(None, 5), (None, None, 4), (8, 1), (None, 1)]
    dtypes = ["int32", "float32", "int32", "int32"]
    tensors = [K.placeholder(s, dtype=d) for s, d in zip(shapes, dtypes, strict=True)]
    assert K.int_shape(K.ctc_batch_cost(*tensors)) == (8, 1)


def test_gradient() -> None:
    arguments = batch()
    logits = variable(np.log(arguments.pop("y_pred")))
    rest = {name: variable(a) for name, a in arguments.items()}
    loss = K.sum(K.ctc_batch_cost(y_pred=K.softmax(logits), **rest))
    (gradient,) = K.gradients(loss, [logits])
    expected = ctc.ctc_gradient(K.get_value(logits), **arguments)
    # softmax, two recursions and the exponential of their sum, for a probability of at most 1
    counted = 2 * log_probability(7) + 2 * library("exp") + 4 + 3
    deepest = 1 + ctc_paths.ctc_batch_cost(y_pred=np.exp(K.get_value(logits)), **arguments).max()
    assert_same(
        K.eval(gradient), expected, roundings=counted, size=np.full(expected.shape, deepest)
    )


def test_errors_of_batch_cost() -> None:
    tensors = {name: variable(a) for name, a in batch().items()}
    with pytest.raises(ValueError, match=r"y_pred .* rank 3"):
        K.ctc_batch_cost(**{**tensors, "y_pred": tensors["y_true"]})
    with pytest.raises(ValueError, match=r"input_length .* rank 2"):
        K.ctc_batch_cost(**{**tensors, "input_length": variable(np.array([1, 2, 3]))})
    with pytest.raises(ValueError, match=r"K\.cast"):
        K.ctc_batch_cost(**{**tensors, "input_length": K.cast(tensors["input_length"], "float32")})
    with pytest.raises(ValueError, match="input_length must be from 1 to 7"):
        K.eval(K.ctc_batch_cost(**{**tensors, "input_length": variable(np.array([[8], [1], [1]]))}))
    with pytest.raises(ValueError, match="3 is the blank"):
        K.eval(K.ctc_batch_cost(**{**tensors, "y_true": variable(np.full((3, 3), 3))}))


def decoded(y: Any, lengths: Any, **arguments: Any) -> tuple[list[Any], Any]:
    labels, logarithms = K.ctc_decode(
        variable(y), variable(np.array(lengths, "int32")), **arguments
    )
    return [K.eval(label) for label in labels], K.eval(logarithms)


def stripped(row: Any) -> tuple[int, ...]:
    return tuple(int(k) for k in row if k != -1)


def test_greedy() -> None:
    path = [[0, 0, 2, 0, 1, 1, 2], [2, 1, 2, 2, 1, 0, 0]]
    y = np.eye(3)[path] * 0.7 + 0.1
    (labels,), logarithms = decoded(y, [7, 5])
    assert labels.tolist() == [[0, 0, 1, -1, -1, -1, -1], [1, 1, -1, -1, -1, -1, -1]]
    steps = np.array([[7], [5]])
    expected = np.log(0.8) * steps
    # 0.7 + 0.1 is rounded, which moves a logarithm by a rounding of 1; then up to 7 are added
    size = np.abs(expected) + steps
    assert_same(logarithms, expected, roundings=library("log") + 7, size=size)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("steps", "categories"), [(1, 3), (3, 4), (5, 3), (4, 4), (7, 2)])
def test_a_search_that_loses_nothing_finds_the_likeliest(
    seed: int, steps: int, categories: int
) -> None:
    rng = np.random.default_rng(seed)
    y = rng.dirichlet([0.5] * categories, size=(3, steps)) + 1e-3
    lengths = [steps, max(1, steps - 1), max(1, steps - 2)]
    top = 2
    labels, logarithms = decoded(y, lengths, greedy=False, beam_width=200, top_paths=top)
    for i, length in enumerate(lengths):
        ranking = ctc_paths.ranked(y[i, :length])[:top]
        assert [stripped(label[i]) for label in labels] == [label for label, _ in ranking]
        values = np.array([value for _, value in ranking])
        counted = log_probability(length) + length + categories**length
        assert_same(logarithms[i], values, roundings=counted, size=1 + np.abs(values))


def test_a_narrow_search_keeps_the_likeliest_beginnings() -> None:
    y = distributions(2, 30, 6)
    labels, logarithms = decoded(y, [30, 20], greedy=False, beam_width=3, top_paths=3)
    assert (np.diff(logarithms, axis=1) <= 0).all()
    for i, length in enumerate((30, 20)):
        beams = [stripped(label[i]) for label in labels]
        assert len(set(beams)) == 3
        for label, value in zip(beams, logarithms[i], strict=True):
            whole = ctc_paths.log_probability(y[i, :length], label)
            assert value <= whole + 2 * gamma(log_probability(length)) * (1 + abs(whole))


def test_more_paths_than_there_are_labels() -> None:
    labels, logarithms = decoded(distributions(1, 1, 2), [1], greedy=False, top_paths=3)
    assert labels[2].tolist() == [[-1]]
    assert logarithms[0, 2] == -np.inf


def test_a_beam_is_as_wide_as_the_paths_asked_for() -> None:
    with pytest.raises(ValueError, match="beam_width is 2; write an integer from 3 up"):
        decoded(distributions(1, 3, 3), [3], greedy=False, beam_width=2, top_paths=3)


def test_static_shapes_of_decoding() -> None:
    y, lengths = K.placeholder((None, 5, 3)), K.placeholder((4,), dtype="int32")
    labels, logarithms = K.ctc_decode(y, lengths, greedy=False, top_paths=2)
    assert [K.int_shape(label) for label in labels] == [(None, 5), (None, 5)]
    assert K.int_shape(logarithms) == (None, 2)


def test_sparse_labels() -> None:
    labels = K.ctc_label_dense_to_sparse(
        variable(np.array([[1, 2, 3], [4, 5, 6]], "int32")), variable(np.array([2, 0], "int32"))
    )
    assert K.is_sparse(labels)
    assert K.eval(K.to_dense(labels)).tolist() == [[1, 2, 0], [0, 0, 0]]


MATRIX = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]], "float32")


@pytest.mark.parametrize(
    "fed",
    [
        (np.array([[0, 1], [1, 0], [1, 2]]), np.array([2.0, 3.0, -1.0], "float32"), (2, 3)),
        sparse.csr_matrix(MATRIX),
        sparse.coo_matrix(MATRIX),
        MATRIX,
    ],
)
def test_sparse_placeholders_are_fed(fed: Any) -> None:
    x = K.placeholder((None, 3), sparse=True)
    assert (K.is_sparse(x), K.ndim(x), K.dtype(x)) == (True, 2, "float32")
    (dense,) = K.function([x], [K.to_dense(x) * 2.0])([fed])
    np.testing.assert_array_equal(dense, 2 * MATRIX)


def test_dense_tensors_are_dense_already() -> None:
    x = variable(np.zeros((2, 2)))
    assert not K.is_sparse(x)
    assert K.to_dense(x) is x
    assert not K.is_sparse(K.to_dense(K.placeholder((2, 2), sparse=True)))


def test_errors_of_sparse_tensors() -> None:
    x = K.placeholder((2, 3), sparse=True)
    with pytest.raises(ValueError, match=r"K\.to_dense"):
        K.exp(x)
    with pytest.raises(ValueError, match=r"K\.to_dense"):
        K.function([x], [x])
    function = K.function([x], [K.to_dense(x)])
    with pytest.raises(ValueError, match="outside the shape"):
        function([(np.array([[0, 3]]), np.array([1.0]), (2, 3))])
    with pytest.raises(ValueError, match="axis 1 must be 3"):
        function([np.zeros((2, 2))])


FORM = """
y = np.array([[[.2, .7, .1], [.1, .2, .7], [.3, .6, .1], [.8, .1, .1]]])
n = K.variable(np.array([[3]]), dtype='int32')
"""


def test_keras_1_gives_paths() -> None:
    printed = output(
        "keras-1", FORM + "print(K.eval(K.ctc_decode(K.variable(y, 'float64'), n)).tolist())"
    )
    assert printed == "[[[0.0, 0.7, 0.0], [0.0, 0.0, 0.7], [0.0, 0.6, 0.0], [0.0, 0.0, 1.0]]]"


def test_keras_1_searches_a_dictionary() -> None:
    call = "K.ctc_decode(K.variable(y, 'float64'), n, False, 10, [1, 2], [[0, 0], [0, 1]])"
    printed = output("keras-1", f"{FORM}print(K.eval({call}).argmax(axis=-1).tolist())")
    assert printed == "[[0, 2, 1, 2]]"


def test_keras_1_needs_a_dictionary_to_search() -> None:
    call = "K.ctc_decode(K.variable(y, 'float64'), n, greedy=False)"
    source = f"{FORM}\ntry:\n    {call}\nexcept ValueError as error:\n    print(error)"
    assert "write one as in dict_seq_lens" in output("keras-1", source)
