"""What is computed for many tensors at once is what each of them gives alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from conformance.oracle.batches import ELEMENTWISE, IMAGES, KERNELS, Versions
from conformance.oracle.evaluate import ORACLES
from tests.bounds import assert_same

RNG = np.random.default_rng(0)
COUNT = 5
IMAGE, KERNEL = (2, 4, 5, 3), (2, 3, 3, 2)


def _numbers(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.uniform(0.1, 0.9, shape).astype(np.longdouble)


def _first(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


SPREAD = {"output_shape": (2, 8, 10, 2), "strides": (2, 2), "padding": "same"}
CALLS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "relu": ("relu", {"x": _numbers(2, 3), "max_value": 0.5}),
    "a scalar": ("exp", {"x": _numbers()}),
    "stretched": ("maximum", {"x": _numbers(3, 1), "y": _numbers(2, 1, 4)}),
    "pow": ("pow", {"x": _numbers(4), "a": 2}),
    "losses": ("binary_crossentropy", {"target": _numbers(2, 3), "output": _numbers(2, 3)}),
    "softmax": ("softmax", {"x": _numbers(2, 3), "axis": 0}),
    "sum": ("sum", {"x": _numbers(2, 3), "axis": 0}),
    "a list": ("concatenate", {"tensors": [_numbers(2, 3), _numbers(2, 1)], "axis": 1}),
    "conv2d": ("conv2d", {"x": _numbers(*IMAGE), "kernel": _numbers(*KERNEL)}),
    "channels first": (
        "conv2d",
        {
            "x": _first(_numbers(*IMAGE)),
            "kernel": _numbers(*KERNEL),
            "data_format": "channels_first",
        },
    ),
    "keras-1": (
        "conv2d",
        {"x": _numbers(2, 3, 4, 5), "kernel": _numbers(2, 3, 2, 3), "data_format": "th"},
    ),
    "transposed": (
        "conv2d_transpose",
        {"x": _numbers(*IMAGE), "kernel": _numbers(2, 3, 2, 3), **SPREAD},
    ),
    "depthwise": (
        "depthwise_conv2d",
        {"x": _numbers(*IMAGE), "depthwise_kernel": _numbers(*KERNEL), "padding": "same"},
    ),
    "separable": (
        "separable_conv2d",
        {
            "x": _numbers(*IMAGE),
            "depthwise_kernel": _numbers(*KERNEL),
            "pointwise_kernel": _numbers(1, 1, 6, 4),
        },
    ),
    "local": (
        "local_conv1d",
        {
            "inputs": _numbers(2, 5, 3),
            "kernel": _numbers(4, 6, 2),
            "kernel_size": (2,),
            "strides": (1,),
        },
    ),
    "pooling": ("pool2d", {"x": _numbers(*IMAGE), "pool_size": (2, 2), "strides": (1, 2)}),
}


def _tensors(arguments: Mapping[str, Any]) -> list[tuple[str, int | None]]:
    places: list[tuple[str, int | None]] = []
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            places.append((name, None))
        elif isinstance(value, list):
            places += [(name, i) for i in range(len(value))]
    return places


@pytest.mark.parametrize("case", CALLS)
def test_it_is_what_each_gives_alone(case: str) -> None:
    function, arguments = CALLS[case]
    oracle = ORACLES[function]
    shape = np.shape(oracle(**arguments))
    for name, index in _tensors(arguments):
        value = arguments[name]
        tensor = value if index is None else value[index]
        versions = _numbers(COUNT, *tensor.shape)
        results = Versions(function, oracle, arguments, (name, index), shape).results(versions)
        assert results.shape == (COUNT, *shape)
        for version, result in zip(versions, results, strict=True):
            changed = version if index is None else [*value[:index], version, *value[index + 1 :]]
            assert_same(result, oracle(**{**arguments, name: changed}), roundings=8)


def test_one_call_is_enough_where_the_function_allows_it() -> None:
    for case in ("relu", "conv2d", "channels first", "transposed", "depthwise", "local"):
        function, arguments = CALLS[case]
        calls: list[str] = []

        def counted(function: str = function, calls: list[str] = calls, **arguments: Any) -> Any:
            calls.append(function)
            return ORACLES[function](**arguments)

        shape = np.shape(ORACLES[function](**arguments))
        places = _tensors(arguments)
        for place in places:
            tensor = arguments[place[0]]
            Versions(function, counted, arguments, place, shape).results(_numbers(3, *tensor.shape))
        assert len(calls) == len(places)


def test_all_that_is_listed_has_an_oracle() -> None:
    names = {*ELEMENTWISE, *IMAGES, *(function for function, _ in KERNELS)}
    assert names <= {*ORACLES}
