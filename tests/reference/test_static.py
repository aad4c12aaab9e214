"""Static shapes and dtypes against evaluation, with every choice of unknown dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference.numpy_library.kernels import KERNELS
from conformance.reference.symbolic.rules import RULES

FLOAT, INT = "float32", "int32"


def i32(*values: int) -> Any:
    return K.constant(list(values), dtype="int32")


def cast_of(x: Any, dtype: str) -> Any:
    """As an integer, after a cast that may change the value."""
    return K.cast(K.cast(x, dtype), "int32")


# name, build, shapes of the inputs, dtype of the inputs
CASES: list[tuple[str, Callable[..., Any], list[tuple[int, ...]], str]] = [
    ("sum", lambda x: K.sum(x, axis=1), [(2, 3, 4)], FLOAT),
    ("sum keep", lambda x: K.sum(x, axis=(0, -1), keepdims=True), [(2, 3, 4)], INT),
    ("mean", K.mean, [(2, 3)], INT),
    ("std", lambda x: K.std(x, axis=0), [(2, 3)], "bool"),
    ("var", lambda x: K.var(x, axis=0), [(2, 3)], "float16"),
    ("logsumexp", lambda x: K.logsumexp(x, axis=1), [(2, 3)], "float16"),
    ("max", lambda x: K.max(x, axis=1), [(2, 3)], "uint8"),
    ("prod", lambda x: K.prod(x, axis=1), [(2, 3)], "int64"),
    ("sum bool", lambda x: K.sum(x, axis=1), [(2, 3)], "bool"),
    ("any", lambda x: K.any(x, axis=0), [(2, 3)], FLOAT),
    ("all", K.all, [(2, 3)], "bool"),
    ("argmax", lambda x: K.argmax(x, axis=0), [(2, 3)], FLOAT),
    ("argmin", K.argmin, [(2, 3)], INT),
    ("cumsum", lambda x: K.cumsum(x, axis=1), [(2, 3)], "uint8"),
    ("cumprod", K.cumprod, [(2, 3)], "float16"),
    ("sqrt", K.sqrt, [(2, 3)], INT),
    ("exp", K.exp, [(2,)], "float16"),
    ("square", K.square, [(2,)], "uint8"),
    ("abs", K.abs, [(2,)], "int64"),
    ("sign", K.sign, [(2,)], "uint8"),
    ("round", K.round, [(2,)], INT),
    ("pow", lambda x: K.pow(x, 2), [(2, 1)], INT),
    ("pow float16", lambda x: K.pow(x, 0.5), [(2, 1)], "float16"),
    ("clip", lambda x: K.clip(x, 0, 1), [(2, 1)], "uint8"),
    ("relu", lambda x: K.relu(x, max_value=6), [(2, 1)], INT),
    ("relu slope", lambda x: K.relu(x, alpha=0.1), [(2, 1)], "float16"),
    ("elu", K.elu, [(2, 1)], INT),
    ("softmax", lambda x: K.softmax(x, axis=0), [(2, 3)], "float16"),
    ("hard_sigmoid", K.hard_sigmoid, [(2, 3)], "float16"),
    ("softsign", K.softsign, [(2, 3)], "bool"),
    ("maximum", K.maximum, [(2, 1, 3), (4, 1)], FLOAT),
    ("add", lambda x, y: x + y, [(2, 1), (2, 3)], "float16"),
    ("divide", lambda x, y: x / (y + 1), [(2, 3), (3,)], INT),
    ("scalar", lambda x: (x * 2 - 1) ** 2, [()], "float16"),
    ("equal", K.equal, [(1,), (2, 3)], INT),
    ("less_equal", lambda x: K.less_equal(x, 1), [(2, 3)], "float16"),
    ("dot", K.dot, [(2, 3), (4, 3, 5)], FLOAT),
    ("dot vectors", K.dot, [(3,), (3,)], "float16"),
    ("dot integers", K.dot, [(2, 3), (3, 2)], "uint8"),
    ("batch_dot", lambda x, y: K.batch_dot(x, y, axes=(1, 2)), [(2, 3), (2, 4, 3)], FLOAT),
    ("batch_dot rank 2", K.batch_dot, [(2, 3), (2, 3)], "float16"),
    ("batch_dot 4", lambda x, y: K.batch_dot(x, y, (3, 1)), [(2, 1, 4, 3), (2, 3, 5)], INT),
    ("transpose", K.transpose, [(2, 3, 4)], FLOAT),
    ("concatenate", lambda x, y: K.concatenate([x, y], axis=1), [(2, 3), (2, 1)], "uint8"),
    ("stack", lambda x, y: K.stack([x, y], axis=1), [(2, 3), (2, 3)], FLOAT),
    ("reshape", lambda x: K.reshape(x, (4, -1)), [(2, 3, 4)], FLOAT),
    ("reshape fixed", lambda x: K.reshape(x, (6, 4)), [(2, 3, 4)], FLOAT),
    ("reshape scalar", lambda x: K.reshape(x, ()), [(1, 1)], FLOAT),
    ("reshape like", lambda x, y: K.reshape(x, K.shape(y)), [(6,), (2, 3)], FLOAT),
    ("reshape part", lambda x: K.reshape(x, (K.shape(x)[0], -1)), [(2, 3, 4)], FLOAT),
    ("reshape rest", lambda x: K.reshape(x, (K.shape(x)[-1], 6)), [(2, 3, 4)], FLOAT),
    ("permute", lambda x: K.permute_dimensions(x, (1, 2, 0)), [(2, 3, 4)], FLOAT),
    ("repeat_elements", lambda x: K.repeat_elements(x, 3, axis=-1), [(2, 3)], "bool"),
    ("repeat", lambda x: K.repeat(x, 5), [(2, 3)], FLOAT),
    ("tile", lambda x: K.tile(x, [2, 0, 1]), [(2, 3, 1)], FLOAT),
    ("flatten", K.flatten, [(2, 3, 4)], FLOAT),
    ("flatten scalar", K.flatten, [()], FLOAT),
    ("batch_flatten", K.batch_flatten, [(2, 3, 4)], FLOAT),
    ("batch_flatten vector", K.batch_flatten, [(2,)], FLOAT),
    ("expand_dims", lambda x: K.expand_dims(x, axis=-2), [(2, 3)], FLOAT),
    ("squeeze", lambda x: K.squeeze(x, axis=1), [(2, 1, 3)], FLOAT),
    ("one_hot", lambda x: K.one_hot(x, 4), [(2, 3)], INT),
    ("reverse", lambda x: K.reverse(x, [0, 1]), [(2, 3)], "bool"),
    ("slice", lambda x: K.slice(x, [0, 1], [2, 1]), [(2, 3)], FLOAT),
    ("slice tensors", lambda x: K.slice(x, i32(0, 1), K.shape(x) - 1), [(2, 3)], FLOAT),
    ("gather", lambda x: K.gather(x, K.variable([[0, 1]], dtype="int32")), [(2, 3)], "uint8"),
    ("getitem", lambda x: x[0, ..., ::-1, None], [(2, 3, 4)], FLOAT),
    ("getitem end", lambda x: x[-1:, 1:7], [(2, 3, 4)], FLOAT),
    ("getitem tensors", lambda x: x[: i32(1)[0], K.shape(x)[0] - 1], [(2, 3)], FLOAT),
    ("shape times", lambda x: K.reshape(x, K.shape(x)[::-1] * 1), [(2, 3)], FLOAT),
    ("shape sum", lambda x: K.zeros((K.sum(K.shape(x)), 2)), [(2, 3)], FLOAT),
    ("shape min", lambda x: K.zeros((K.min(K.shape(x)), K.max(K.shape(x)))), [(2, 3)], FLOAT),
    ("shape prod", lambda x: K.reshape(x, (K.prod(K.shape(x)) // 2, 2)), [(2, 3)], FLOAT),
    ("shape bool", lambda x: K.zeros((cast_of(K.shape(x)[1], "bool"),)), [(2, 3)], FLOAT),
    ("shape wraps", lambda x: K.zeros((cast_of(K.shape(x)[1] + 255, "uint8"),)), [(2, 3)], FLOAT),
    ("shape halves", lambda x: K.zeros((cast_of(K.shape(x) / 2, FLOAT)[0],)), [(2, 3)], FLOAT),
    ("add @", lambda x, y: (x + 1) @ y, [(2, 3), (3, 4)], FLOAT),
    ("batched @", lambda x, y: x @ y, [(2, 1, 3), (2, 3, 4)], "float16"),
    ("remainder", lambda x, y: x % y // (y + 1), [(2, 3), (3,)], FLOAT),
    ("logical", lambda x: ~(x & True) | (x ^ x), [(2, 3)], "bool"),
    ("cast", lambda x: K.cast(x, "bool"), [(2,)], FLOAT),
    ("shape", K.shape, [(2, 3)], FLOAT),
    ("zeros_like", K.zeros_like, [(2, 3)], "uint8"),
    ("ones_like", lambda x: K.ones_like(x, dtype="float16"), [(2, 3)], FLOAT),
    ("zeros of shape", lambda x: K.zeros((K.shape(x)[1], 2)), [(2, 3)], FLOAT),
    ("ones of shape", lambda x: K.ones(K.shape(x)), [(2, 3)], FLOAT),
    ("identity", K.identity, [(2, 3)], "bool"),
]
UNFOLLOWED = ("shape wraps", "shape halves")
"""Overflow and fractions make of shapes what is known at evaluation only."""
IDS = [case[0] for case in CASES]


def evaluate(case: Any, known: tuple[bool, ...]) -> tuple[Any, Any]:
    """The tensor and its value, when only the dimensions marked `known` are static."""
    _, build, shapes, dtype = case
    marks = iter(known)
    statics = [tuple(d if next(marks) else None for d in shape) for shape in shapes]
    placeholders = [K.placeholder(static, dtype=dtype) for static in statics]
    tensor = build(*placeholders)
    arrays = [(np.arange(np.prod(shape)) % 2).reshape(shape).astype(dtype) for shape in shapes]
    return tensor, K.function(placeholders, [tensor])(arrays)[0]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_static_facts_never_contradict_the_result(case: Any) -> None:
    rank = sum(len(shape) for shape in case[2])
    for known in itertools.product([True, False], repeat=rank):
        tensor, result = evaluate(case, known)
        assert K.ndim(tensor) == result.ndim
        assert K.dtype(tensor) == result.dtype.name
        for static, actual in zip(K.int_shape(tensor), result.shape, strict=True):
            assert static in (None, actual), (known, K.int_shape(tensor), result.shape)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_known_shapes_give_known_shapes(case: Any) -> None:
    tensor, result = evaluate(case, (True,) * sum(len(shape) for shape in case[2]))
    assert case[0] in UNFOLLOWED or K.int_shape(tensor) == result.shape


@pytest.mark.parametrize(
    ("build", "shape", "expected"),
    [
        (lambda x: x + K.ones((4, 3)), (None, 1), (4, 3)),
        (lambda x: x + K.ones((1, 3)), (None, None), (None, 3)),
        (lambda x: K.dot(x, K.ones((3, 5))), (None, 3), (None, 5)),
        (lambda x: K.batch_dot(x, K.ones((7, 3))), (None, None), (7, 1)),
        (K.batch_flatten, (None, 3, 4), (None, 12)),
        (K.batch_flatten, (2, None, 4), (2, None)),
        (lambda x: K.reshape(x, (-1, 12)), (None, 3, 4), (None, 12)),
        (lambda x: K.reshape(x, (K.shape(x)[0], 12)), (None, 3, 4), (None, 12)),
        (lambda x: K.concatenate([x, K.ones((4, 2))], axis=-1), (None, 3), (4, 5)),
        (lambda x: K.stack([x, K.ones((4, 3))]), (None, None), (2, 4, 3)),
        (lambda x: K.repeat_elements(x, 3, axis=0), (None, 2), (None, 2)),
        (lambda x: K.zeros(K.shape(x)), (None, 2), (None, 2)),
        (lambda x: x[:, 0:1], (None, 2), (None, 1)),
        (lambda x: K.squeeze(x, axis=0), (None, 2), (2,)),
    ],
)
def test_precision_with_unknown_dimensions(build: Any, shape: Any, expected: Any) -> None:
    assert K.int_shape(build(K.placeholder(shape))) == expected


def test_every_operation_has_a_rule_and_a_kernel() -> None:
    assert set(RULES) == {*KERNELS, "derivatives"}  # that one of libraries that differentiate


def test_shape_of_a_placeholder() -> None:
    x = K.placeholder(ndim=3)
    assert K.int_shape(x) == x._keras_shape == x.shape == (None, None, None)
    assert K.int_shape(K.placeholder((2, None), ndim=5)) == (2, None)
    assert K.int_shape(K.variable(np.ones((2, 3)))) == (2, 3)
    assert K.dtype(x) == "float32"
