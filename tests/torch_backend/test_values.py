"""What PyTorch does otherwise than NumPy, and what is computed here in a way of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed here; `nox -s torch` runs this"
)

import conformance.reference as R  # noqa: E402, N812
import conformance.torch_backend as K  # noqa: E402, N812
from conformance.reference.numpy_library import kernels as of_numpy  # noqa: E402
from conformance.torch_backend.kernels import KERNELS  # noqa: E402
from tests.bounds import assert_same, log_probability  # noqa: E402

pytestmark = pytest.mark.torch

RNG = np.random.default_rng(0)

CUBE = np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize(
    "index",
    [
        (slice(None, None, -1),),
        (Ellipsis, slice(3, 0, -2)),
        (None, 1, slice(None, None, -3)),
        (slice(None, None, -2), Ellipsis, slice(None, None, -1)),
        (slice(0, 2, -1),),
        (slice(-1, None, -1), None, slice(None, -3, -1)),
    ],
)
def test_slices_that_go_backwards(index: tuple[Any, ...]) -> None:
    np.testing.assert_array_equal(K.eval(K.variable(CUBE)[index]), CUBE[index])


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_integers_in_which_pytorch_does_not_compute(dtype: str) -> None:
    x = K.variable([1, 2, 3], dtype)
    results = [K.eval(y) for y in (x + x, K.max(x), K.cumsum(x))]
    assert [y.tolist() for y in results] == [[2, 4, 6], 3, [1, 3, 6]]
    assert {y.dtype.name for y in results} == {dtype}
    assert K.eval(x > 2).tolist() == [False, False, True]


def test_integers_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match=r"2\*\*63 upwards"):
        K.eval(K.max(K.constant([2**63 + 1], "uint64")))


@pytest.mark.parametrize("name", ["longlong", "ulonglong"])
def test_the_other_type_of_64_bits(name: str) -> None:
    dtype = np.dtype(getattr(np, name))
    x = K.placeholder((2,), dtype=dtype.name)
    assert K.function([x], [x])([np.array([1, 2], dtype)])[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0)[::2], np.arange(3.0)[::-1], np.arange(3, dtype=">f8"), np.float64(3)],
    ids=["strided", "reversed", "big-endian", "scalar"],
)
def test_arrays_that_pytorch_cannot_share(array: Any) -> None:
    x = K.placeholder(array.shape, dtype="float64")
    np.testing.assert_array_equal(K.function([x], [x + 1])([array])[0], array + 1)


def test_an_array_that_is_read_only() -> None:
    array = np.ones(2, "float32")
    array.flags.writeable = False
    x = K.placeholder((2,))
    assert K.function([x], [x])([array])[0].tolist() == [1, 1]


def test_reductions_along_no_axis() -> None:
    x = K.constant(-2.0)
    names = ("sum", "prod", "max", "mean", "var", "std", "logsumexp", "any")
    assert [K.eval(getattr(K, name)(x)).item() for name in names] == [-2, -2, -2, -2, 0, 0, -2, 1]


def test_the_sign_of_nan() -> None:
    signs = K.eval(K.sign(K.constant([np.nan, -3.0, 0.0])))
    assert np.isnan(signs[0])
    assert signs[1:].tolist() == [-1, 0]


def test_float16_is_rounded_once() -> None:
    value = RNG.normal(size=(40, 30)).astype("float16")
    result = K.eval(K.logsumexp(K.variable(value, "float16"), axis=1))
    exact = np.log(np.exp(value.astype("float64")).sum(axis=1))
    assert (np.abs(result - exact) <= 0.51 * np.spacing(result).astype("float64")).all()


def test_errors_of_pytorch_name_the_node() -> None:
    x, y = K.placeholder((None, 2)), K.placeholder((None, 2))
    with pytest.raises(ValueError, match="must match") as caught:
        K.function([x, y], [x + y])([np.ones((3, 2)), np.ones((2, 2))])
    assert "while computing <Tensor 'add_" in caught.value.__notes__[0]


def test_seeds_repeat_and_leave_pytorch_alone() -> None:
    torch.manual_seed(3)
    state = torch.get_rng_state()
    first, second = (K.eval(K.random_normal((4,), seed=-5)).tolist() for _ in range(2))
    assert first == second != K.eval(K.random_normal((4,), seed=5)).tolist()
    assert K.eval(K.random_uniform((4,))).tolist() != K.eval(K.random_uniform((4,))).tolist()
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("width", [1, 3, 40])
def test_the_search_finds_what_the_reference_finds(width: int) -> None:
    y = RNG.dirichlet(np.ones(4) / 2, size=(3, 6))
    answers = []
    for backend in (R, K):
        steps = backend.constant([6, 1, 4], "int32")
        labels, logs = backend.ctc_decode(
            backend.constant(y, "float64"), steps, greedy=False, beam_width=width, top_paths=1
        )
        answers.append([backend.eval(labels[0]), backend.eval(logs)])
    np.testing.assert_array_equal(answers[1][0], answers[0][0])
    size = 1 + np.abs(answers[0][1])
    assert_same(answers[1][1], answers[0][1], roundings=log_probability(6), size=size)


@pytest.mark.parametrize("width", [1, 2, 9])
def test_the_likeliest_word_is_that_of_the_reference(width: int) -> None:
    y, steps = RNG.dirichlet(np.ones(4) / 2, size=(5, 6)), np.array([6, 2, 4, 1, 5])
    how: dict[str, Any] = {"words": ((0, 0), (2,), (1, 2, 1)), "width": width}
    expected = of_numpy.KERNELS["ctc_word_path"](y, steps, **how)
    paths = KERNELS["ctc_word_path"](torch.from_numpy(y), torch.from_numpy(steps), **how)
    np.testing.assert_array_equal(paths.numpy(), expected)


def test_the_likeliest_path_is_that_of_the_reference() -> None:
    y, steps = RNG.dirichlet(np.ones(4) / 2, size=(5, 6)), np.array([6, 2, 4, 1, 5])
    expected = of_numpy.KERNELS["ctc_best_path"](y, steps)
    paths = KERNELS["ctc_best_path"](torch.from_numpy(y), torch.from_numpy(steps))
    np.testing.assert_array_equal(paths.numpy(), expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_interpolation_is_that_of_the_reference(axis: int) -> None:
    x = RNG.normal(size=(2, 3, 4))
    expected = of_numpy.KERNELS["interpolate"](x, axis=axis, factor=3)
    result = KERNELS["interpolate"](torch.from_numpy(x), axis=axis, factor=3)
    # two weights, of which one is 1 less the other, their products and a sum
    size = of_numpy.KERNELS["interpolate"](np.abs(x), axis=axis, factor=3)
    assert_same(result.numpy(), expected, roundings=4, size=size)
