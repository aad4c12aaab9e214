"""Every gradient rule against central differences of the reference itself, in float64."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference.symbolic.gradients.accumulation import GRADIENTS
from conformance.reference.symbolic.graph import apply
from conformance.reference.symbolic.plans import ordered
from conformance.reference.symbolic.rules import RULES

MINE = tuple(
    f"conformance.reference.symbolic.gradients.{theme}"
    for theme in ("elementwise", "products", "reductions", "shape_ops")
)
OF_FUNCTIONS = {"windows", "pad", "fold", "ctc_cost", "take_class", "place_class", "alike"}
"""Operations of one function each: their gradients are tested with that function."""
OF_SESSIONS = {"dropout", "print_tensor"}
"""Operations that draw or print: their gradients are tested with their functions."""
WIDTH = 1e-3
WEIGHTS = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
"""The central difference of order 6; B. Fornberg, Mathematics of Computation 51 (1988)."""


def i32(values: Any) -> Any:
    return K.constant(values, dtype="int32")


def cond(x: Any) -> Any:
    return K.greater(x, 0.0)


# name, what to build, shapes of its inputs; the inputs keep away from `KINKS`
CASES: list[tuple[str, Callable[..., Any], list[tuple[int, ...]]]] = [
    ("add", lambda x, y: x + y, [(2, 3), (3,)]),
    ("add scalar", lambda x, y: x + y, [(), (2, 1)]),
    ("subtract", lambda x, y: x - y, [(2, 1, 3), (4, 1)]),
    ("multiply", lambda x, y: x * y, [(2, 1), (1, 3)]),
    ("multiply itself", lambda x: x * x * x, [(3,)]),
    ("divide", lambda x, y: x / y, [(1, 3), (2, 3)]),
    ("divide by", lambda x: 2 / (x + 2), [(3,)]),
    ("floor_divide", lambda x: x * ((x + 0.4) // 1), [(3,)]),
    ("remainder", lambda x, y: (x + 0.4) % (K.abs(y) + 8), [(2, 3), (3,)]),
    ("matrix product", lambda x, y: x @ y, [(2, 1, 2, 3), (2, 1, 3, 2)]),
    ("pow", lambda x: K.pow(x, 3), [(3,)]),
    ("pow -1", lambda x: x**-1.0, [(3,)]),
    ("pow tensors", lambda x, y: K.pow(K.abs(x), y), [(2, 3), (3,)]),
    ("pow of a number", lambda x: 2**x, [(3,)]),
    ("maximum", lambda x, y: K.maximum(x, y + 0.25), [(2, 3), (3,)]),
    ("minimum", lambda x, y: K.minimum(x, y + 0.25), [(3,), (2, 1)]),
    ("negative", lambda x: -x, [(2,)]),
    ("square", K.square, [(2, 3)]),
    ("abs", K.abs, [(2, 3)]),
    ("sqrt", lambda x: K.sqrt(K.abs(x)), [(4,)]),
    ("exp", K.exp, [(2, 3)]),
    ("log", lambda x: K.log(K.abs(x)), [(4,)]),
    ("sin", K.sin, [(4,)]),
    ("cos", K.cos, [(4,)]),
    ("round", lambda x: x * K.round(x), [(6,)]),
    ("sign", lambda x: x * K.sign(x), [(4,)]),
    ("ones_like", lambda x: x * K.ones_like(x), [(4,)]),
    ("identity", K.identity, [(4,)]),
    ("cast", lambda x: K.cast(K.cast(x, "float64"), "float64"), [(4,)]),
    ("clip", lambda x: K.clip(x, -1.25, 0.75), [(3, 4)]),
    ("relu", K.relu, [(3, 4)]),
    ("relu slope", lambda x: K.relu(x, alpha=0.1, max_value=0.75), [(3, 4)]),
    ("elu", lambda x: K.elu(x, alpha=2.0), [(3, 4)]),
    ("softmax", K.softmax, [(3, 4)]),
    ("softmax axis 1", lambda x: K.softmax(x, axis=1), [(2, 3, 2)]),
    ("softplus", K.softplus, [(3, 4)]),
    ("softsign", K.softsign, [(3, 4)]),
    ("sigmoid", K.sigmoid, [(3, 4)]),
    ("tanh", K.tanh, [(3, 4)]),
    ("hard_sigmoid", lambda x: K.hard_sigmoid(2 * x + 0.3), [(3, 4)]),
    ("select", lambda x, y: apply("select", cond(x), x * y, y), [(2, 3), (3,)]),
    ("sum", K.sum, [(2, 3)]),
    ("sum axis -1", lambda x: K.sum(x, axis=-1), [(2, 3, 2)]),
    ("sum keep", lambda x: K.sum(x, axis=(0, -1), keepdims=True), [(2, 3, 2)]),
    ("sum no axes", lambda x: K.sum(x, axis=()), [(2, 3)]),
    ("mean", K.mean, [(2, 3)]),
    ("mean axis -2", lambda x: K.mean(x, axis=-2), [(2, 3, 2)]),
    ("max", K.max, [(2, 3)]),
    ("max axis -1", lambda x: K.max(x, axis=-1), [(2, 3)]),
    ("min", lambda x: K.min(x, axis=(0, 2), keepdims=True), [(2, 3, 2)]),
    ("var", lambda x: K.var(x, axis=(1, 0)), [(2, 3, 2)]),
    ("std", lambda x: K.std(x, axis=-1), [(2, 3)]),
    ("std keep", lambda x: K.std(x, axis=0, keepdims=True), [(3, 2)]),
    ("logsumexp", K.logsumexp, [(2, 3)]),
    ("logsumexp axis", lambda x: K.logsumexp(x, axis=(0, -1)), [(2, 2, 3)]),
    ("prod", K.prod, [(2, 3)]),
    ("prod of a scalar", K.prod, [()]),
    ("prod no axes", lambda x: K.prod(x, axis=[]), [(2,)]),
    ("prod axis -1", lambda x: K.prod(x, axis=-1), [(2, 4)]),
    ("prod axes", lambda x: K.prod(x, axis=(2, 0), keepdims=True), [(2, 2, 3)]),
    ("prod with a zero", lambda x: K.prod(x * zeros_for(x), axis=1), [(2, 3)]),
    ("cumsum", lambda x: K.cumsum(x, axis=-1), [(2, 3)]),
    ("cumprod", lambda x: K.cumprod(x, axis=0), [(4, 2)]),
    ("cumprod axis -1", lambda x: K.cumprod(x, axis=-1), [(2, 3)]),
    ("cumprod with zeros", lambda x: K.cumprod(x * zeros_for(x), axis=1), [(2, 3)]),
    ("recurrence", lambda x, y: apply("recurrence", x, y, axis=1), [(2, 3), (1, 3)]),
    ("dot", K.dot, [(2, 3), (3, 4)]),
    ("dot vectors", K.dot, [(3,), (3,)]),
    ("dot ranks", K.dot, [(2, 3), (2, 3, 2)]),
    ("dot matrix vector", K.dot, [(2, 2, 3), (3,)]),
    ("dot itself", lambda x: K.dot(x, x), [(3, 3)]),
    ("batch_dot", K.batch_dot, [(2, 3, 2), (2, 2, 4)]),
    ("batch_dot flat", lambda x, y: K.batch_dot(x, y, axes=1), [(2, 3), (2, 3)]),
    ("batch_dot axes", lambda x, y: K.batch_dot(x, y, axes=(1, 3)), [(2, 3), (2, 2, 2, 3)]),
    ("batch_dot rank 3 and 2", lambda x, y: K.batch_dot(x, y, axes=(2, 1)), [(2, 4, 3), (2, 3)]),
    ("contraction", lambda x, y: contraction(x, y, "bij", "jbk", "kib"), [(2, 3, 2), (2, 2, 1)]),
    ("transpose", K.transpose, [(2, 3)]),
    ("permute", lambda x: K.permute_dimensions(x, (2, 0, -2)), [(2, 3, 4)]),
    ("reshape", lambda x: K.reshape(x, (3, -1)), [(2, 3)]),
    ("reshape like", lambda x, y: K.reshape(x, K.shape(y)) * y, [(2, 3), (3, 2)]),
    ("flatten", K.flatten, [(2, 3)]),
    ("batch_flatten", K.batch_flatten, [(2, 3, 2)]),
    ("expand_dims", lambda x: K.expand_dims(x, -2), [(2, 3)]),
    ("squeeze", lambda x: K.squeeze(x, 1), [(2, 1)]),
    ("reverse", lambda x: K.reverse(x, (0, -1)), [(2, 3)]),
    ("repeat", lambda x: K.repeat(x, 3), [(2, 3)]),
    ("repeat_elements", lambda x: K.repeat_elements(x, 3, -1), [(2, 2)]),
    ("repeat_elements 0", lambda x: K.repeat_elements(x, 2, 0), [(2, 2)]),
    ("tile", lambda x: K.tile(x, (2, 3)), [(2, 2)]),
    ("tile none", lambda x: K.sum(K.tile(x, [0])) + x, [(2,)]),
    ("concatenate", lambda x, y: K.concatenate([x, y, x], axis=-2), [(2, 3), (1, 3)]),
    ("stack", lambda x, y: K.stack([x, y, x], axis=-1), [(2, 3), (2, 3)]),
    ("slice", lambda x: K.slice(x, [0, 1], [2, 2]), [(3, 4)]),
    ("getitem", lambda x: x[1, ..., None, ::-2], [(2, 2, 3)]),
    ("getitem scalar", lambda x: x[-1], [(3,)]),
    ("getitem tensors", lambda x: x[:, i32(1) : i32(-1), i32(2)], [(2, 4, 3)]),
    ("gather", lambda x: K.gather(x, i32([[0, 2], [2, -1]])), [(3, 2)]),
]


def zeros_for(x: Any) -> Any:
    """A constant with zeros in it, for a last axis of length 3."""
    return K.constant([1.0, 0.0, 0.0], dtype=K.dtype(x))


def contraction(x: Any, y: Any, *labels: str) -> Any:
    return apply("contraction", x, y, labels=labels)


def numbers(shape: tuple[int, ...], seed: int) -> Any:
    """Distinct numbers near odd multiples of 1/8, some zero or negative: away from every kink."""
    generator = np.random.default_rng(seed)
    size = int(np.prod(shape))
    steps = generator.permutation(np.arange(size) - size // 2) * 2 + 1
    return (steps / 8 + generator.uniform(-0.02, 0.02, size)).reshape(shape)


def differences(function: Callable[..., Any], arrays: list[Any], position: int) -> Any:
    """The gradient of a scalar function by central differences."""
    result = np.zeros(arrays[position].shape)
    for index in np.ndindex(*result.shape):
        for k, weight in WEIGHTS.items():
            for sign in (-1, 1):
                moved = [array.copy() for array in arrays]
                moved[position][index] += sign * k * WIDTH
                result[index] += sign * weight / WIDTH * function(moved)[0]
    return result


def placeholders(shapes: list[tuple[int, ...]], known: bool) -> list[Any]:
    return [
        K.placeholder(shape if known else (None,) * len(shape), dtype="float64") for shape in shapes
    ]


def functional(y: Any) -> Any:
    """A sum of the elements of y, each with its own weight, whatever the shape of y."""
    flat = K.reshape(y, (-1,))
    return K.sum(flat * (0.5 + K.sin(K.cumsum(K.ones_like(flat), axis=0))))


def close(gradient: Any, expected: Any) -> None:
    assert gradient.shape == expected.shape
    np.testing.assert_allclose(gradient, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("name", "build", "shapes"), CASES, ids=[case[0] for case in CASES])
def test_rule(
    name: str, build: Callable[..., Any], shapes: list[tuple[int, ...]], known: bool
) -> None:
    del name
    inputs = placeholders(shapes, known)
    arrays = [numbers(shape, seed) for seed, shape in enumerate(shapes)]
    loss = functional(build(*inputs))
    gradients = K.gradients(loss, inputs)
    assert [g.shape for g in gradients] == [x.shape for x in inputs]
    values = K.function(inputs, gradients)(arrays)
    for i in range(len(inputs)):
        close(values[i], differences(K.function(inputs, [loss]), arrays, i))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("name", "build", "shapes"), CASES, ids=[case[0] for case in CASES])
def test_gradient_of_the_gradient(
    name: str, build: Callable[..., Any], shapes: list[tuple[int, ...]], known: bool
) -> None:
    del name
    inputs = placeholders(shapes, known)
    arrays = [numbers(shape, seed) for seed, shape in enumerate(shapes)]
    first = K.gradients(functional(K.sin(build(*inputs))), inputs)
    loss = functional(K.concatenate([K.flatten(g) for g in first]))
    values = K.function(inputs, K.gradients(loss, inputs))(arrays)
    for i in range(len(inputs)):
        close(values[i], differences(K.function(inputs, [loss]), arrays, i))


def test_every_rule_is_tested() -> None:
    seen = set()
    for _, build, shapes in CASES:
        inputs = placeholders(shapes, known=False)
        first = K.gradients(functional(K.sin(build(*inputs))), inputs)
        second = K.gradients(functional(K.concatenate([K.flatten(g) for g in first])), inputs)
        seen |= {node.operation for node in ordered(second, [])}
    mine = {name for name, rule in GRADIENTS.items() if rule.__module__ in MINE}
    assert mine - OF_SESSIONS - OF_FUNCTIONS <= seen
    assert mine >= OF_SESSIONS
    assert mine - OF_FUNCTIONS <= set(RULES)


DTYPES = ("float16", "float32", "float64")


@pytest.mark.parametrize(
    ("case", "dtype"), list(itertools.product(CASES, DTYPES)), ids=lambda case: case[0]
)
def test_dtype_is_kept(case: Any, dtype: str) -> None:
    _, build, shapes = case
    inputs = [K.placeholder(shape, dtype=dtype) for shape in shapes]
    results = K.gradients(K.sum(build(*inputs)), inputs)
    assert {g.dtype for g in results} == {dtype}
    arrays = [numbers(shape, seed).astype(dtype) for seed, shape in enumerate(shapes)]
    assert {g.dtype.name for g in K.function(inputs, results)(arrays)} == {dtype}
