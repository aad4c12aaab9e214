"""Documented calls of keras.ops with exact numbers: right functions have no problem, and wrong
ones do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, special

from conformance.observations import Value
from conformance.scenarios.promises import keras_calls
from tests.scenarios import keras_ops as ops

Function = Callable[..., Any]


def solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b[..., None])[..., 0]


def by_the_first(a: Any, b: Any) -> Any:
    first = a.reshape(-1, *a.shape[-2:])[0]
    return solve(np.broadcast_to(first, a.shape), b)


def of_transposed(a: Any, b: Any) -> Any:
    return solve(np.swapaxes(a, -1, -2), b)


def lstsq(a: Any, b: Any) -> Any:
    return np.linalg.lstsq(a, b, rcond=None)[0]


def no_numbers(a: Any, b: Any) -> Any:
    return np.full_like(lstsq(a, b), np.nan)


def longer(a: Any, b: Any) -> Any:
    """Another solution: one is added where the matrix has zeros."""
    return lstsq(a, b) + (np.abs(a).sum(0) == 0).reshape(-1, *[1] * (b.ndim - 1))


def histogram(x: Any, bins: int) -> Any:
    return np.histogram(x, bins)


def whole_edges(x: Any, bins: int) -> Any:
    edges = np.histogram_bin_edges(x, bins).astype(x.dtype)
    return np.histogram(x, edges)


def counts_by_whole_edges(x: Any, bins: int) -> Any:
    return whole_edges(x, bins)[0], np.histogram_bin_edges(x, bins)


def argpartition(x: Any, kth: Sequence[int]) -> Any:
    return np.argpartition(x, kth)


def at_first(x: Any, kth: Sequence[int]) -> Any:
    """The other elements are in descending order."""
    order = np.argsort(x)
    first = kth[0] + 1
    return np.concatenate([order[:, :first], order[:, first:][:, ::-1]], -1)


def affine(images: Any, transform: Any, **_: Any) -> Any:
    step = int(transform[2])
    return np.pad(images[:, :, step:], ((0, 0), (0, 0), (0, step), (0, 0)))


def only_first(images: Any, transform: Any, **_: Any) -> Any:
    return np.concatenate([affine(images[:1], transform), images[1:]])


def perspective(images: Any, start: Any, end: Any, **_: Any) -> Any:
    """By a factor between the points, as all scenarios have it."""
    scale = start.max() / end.max()
    return ndimage.affine_transform(images, [1, scale, scale, 1], order=1)


def from_end_to_start(images: Any, start: Any, end: Any, **_: Any) -> Any:
    return perspective(images, end, start)


def map_coordinates(inputs: Any, coordinates: Any, order: int) -> Any:
    return ndimage.map_coordinates(inputs, coordinates, order=order)


def losses(target: Any, output: Any, axis: int = -1, from_logits: bool = False) -> Any:
    logs = special.log_softmax(output.astype(float), axis) if from_logits else np.log(output)
    return -np.take_along_axis(logs, np.expand_dims(target, axis), axis).squeeze(axis)


def along_the_last(target: Any, output: Any, axis: int = -1, from_logits: bool = False) -> Any:
    """Numbers of the right shape."""
    return losses(target, np.moveaxis(np.sort(output, axis), axis, -1), -1, from_logits)


def of_distributions(target: Any, output: Any, from_logits: bool) -> Any:
    return losses(target.argmax(-1), output, from_logits=from_logits)


def wrapped_around(target: Any, output: Any, from_logits: bool) -> Any:
    """Differences in the dtype of the logits."""
    odds = np.exp((output - output.max(-1, keepdims=True)).astype(float))
    return losses(target.argmax(-1), odds / odds.sum(-1, keepdims=True))


def correlate(x1: Any, x2: Any, mode: Any) -> Any:
    return np.correlate(x1, x2, mode)


def beside_the_middle(x1: Any, x2: Any, mode: Any) -> Any:
    full = np.correlate(x1, x2, "full")
    surplus = {"full": 0, "same": len(x2) - 1, "valid": 2 * (len(x2) - 1)}[mode]
    return full[surplus // 3 :][: len(full) - surplus]


def moments(x: Any, axes: Any, keepdims: bool, synchronized: bool) -> Any:
    assert synchronized
    axis = tuple(axes)
    return x.mean(axis, keepdims=keepdims), x.var(axis, keepdims=keepdims)


def of_all_axes(x: Any, axes: Any, keepdims: bool, synchronized: bool) -> Any:
    return moments(x, range(x.ndim), keepdims, synchronized)


def within(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, **_: bool) -> Any:
    with np.errstate(invalid="ignore"):
        return abs(x1 - x2) <= atol + rtol * abs(x2)


def one_hot(x: Any, count: int, axis: int, sparse: bool) -> Any:
    assert sparse
    return np.moveaxis(np.eye(count, dtype="float32")[x], -1, axis)


def multi_hot(x: Any, count: int, axis: int, sparse: bool) -> Any:
    return one_hot(x, count, -1, sparse).max(-2)


RIGHT: Mapping[str, Function] = {
    "solve": solve,
    "solve_triangular": solve,
    "lstsq": lstsq,
    "diag": np.diag,
    "take": np.take,
    "vdot": np.vdot,
    "histogram": histogram,
    "argpartition": argpartition,
    "image.affine_transform": affine,
    "image.perspective_transform": perspective,
    "image.map_coordinates": map_coordinates,
    "sparse_categorical_crossentropy": losses,
    "categorical_crossentropy": of_distributions,
    "argsort": lambda x: np.argsort(x, -1),
    "correlate": correlate,
    "moments": moments,
    "einsum": np.einsum,
    "isclose": np.isclose,
    "one_hot": one_hot,
    "multi_hot": multi_hot,
}
WRONG: tuple[tuple[str, str, Function], ...] = (
    ("solve", "of the transposed matrix", of_transposed),
    ("solve_triangular", "of the transposed matrix", of_transposed),
    ("solve", "by the first matrix", by_the_first),
    ("lstsq", "not a number", no_numbers),
    ("lstsq", "longer", longer),
    ("diag", "zero", lambda x, k: np.zeros(1)),
    ("take", "the shape of the indices lost", lambda x, indices: x.reshape(1)),
    ("take", "zeros", lambda x, indices: np.zeros(np.shape(indices), x.dtype)),
    ("vdot", "not conjugated", np.dot),
    ("vdot", "the second conjugated", lambda x, y: np.vdot(y, x)),
    ("histogram", "whole edges", whole_edges),
    ("histogram", "counted by whole edges", counts_by_whole_edges),
    ("argpartition", "by the first place", at_first),
    ("argpartition", "elements", lambda x, kth: np.sort(x).astype("int32")[:, ::-1]),
    ("argpartition", "without a number", lambda x, kth: np.zeros_like(x, "int32")),
    ("image.affine_transform", "only the first image", only_first),
    ("image.affine_transform", "unmoved", lambda images, *_, **k: images),
    ("image.perspective_transform", "from end to start", from_end_to_start),
    ("image.map_coordinates", "swapped", lambda x, at, order: x[at[0], at[1] - 1]),
    ("sparse_categorical_crossentropy", "of sorted classes", along_the_last),
    ("categorical_crossentropy", "wrapped around", wrapped_around),
    ("argsort", "descending", lambda x: np.argsort(~x, -1)),
    ("correlate", "beside the middle", beside_the_middle),
    ("correlate", "a number", lambda x1, x2, mode: np.squeeze(correlate(x1, x2, mode))),
    ("moments", "of all axes", of_all_axes),
    ("einsum", "in order", lambda text, *xs: np.einsum(text.partition("->")[0], *xs)),
    ("isclose", "equal", lambda x1, x2, **how: x1 == x2),
    ("isclose", "within the tolerance", within),
    ("one_hot", "along the last", lambda x, n, axis, sparse: one_hot(x, n, -1, sparse)),
    ("multi_hot", "counted", lambda x, n, axis, sparse: one_hot(x, n, -1, sparse).sum(0)),
)


own_scenarios = partial(ops.scenarios_in, keras_calls.FAMILIES)
problems = partial(ops.problems_in, keras_calls.FAMILIES)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    assert own_scenarios(name)
    assert not problems(name, RIGHT[name])


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_noticed(name: str, how: str, wrong: Function) -> None:
    assert problems(name, wrong)


def outputs(value: Any) -> tuple[Value, ...]:
    if isinstance(value, str):
        return (Value(None, "str", "str", text=value),)
    array = np.asarray(value)
    return (Value(array, array.dtype.name, "ndarray"),)


FRACTIONS = [[0.25, 0.75], [1.25, 2.25]]
NORMALISED = {
    "float32": (np.array(FRACTIONS, "float32"), True),
    "float16": (np.array(FRACTIONS, "float16"), True),
    "float64": (np.array(FRACTIONS), True),
    "whole numbers": (np.array(FRACTIONS).astype("int32"), False),
    "other fractions": (np.array(FRACTIONS, "float32") + 0.25, False),
}


@pytest.mark.parametrize(("got", "fine"), NORMALISED.values(), ids=NORMALISED.keys())
def test_integers_are_normalised_to_fractions(got: Any, fine: bool) -> None:
    checks = [c for s in own_scenarios("batch_normalization") for c in s.checks]
    numbers = [check for check in checks if check.name == "the numbers"]
    assert len(numbers) == 2
    assert all((check.test(outputs(got)) is None) is fine for check in numbers)


PARTITIONS = {
    "sorted": (argpartition, True),
    "by the first place": (at_first, False),
    "without a number": (lambda x, kth: np.zeros_like(x, "int32"), False),
}


@pytest.mark.parametrize(("function", "fine"), PARTITIONS.values(), ids=PARTITIONS.keys())
def test_a_script_judges_a_partition_as_the_check_does(function: Function, fine: bool) -> None:
    (scenario, *_) = own_scenarios("argpartition")
    (x,), (check,) = scenario.arrays.values(), scenario.checks
    got = function(x, (0, 2))
    problems = {check.test(outputs(f(x, (0, 2)))) for f, _ in PARTITIONS.values()}
    faults = {problem.fault for problem in problems if problem}
    assert (check.test(outputs(got)) is None) is fine
    assert any(eval(fault, {"np": np, "first": got}) for fault in faults) is not fine
