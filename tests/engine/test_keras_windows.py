"""Wrong convolutions, pools and blocks of Keras 3: each violates, and a right one does not.

Answers are made from the oracle, without a process, as in `test_single_call_readings`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.dtypes import BFLOAT16
from conformance.engine import PROFILES
from conformance.engine.judging.cases import Prepared
from conformance.observations import Raised
from conformance.oracle.windows import each, from_format, to_format
from conformance.results import Verdict
from tests.engine.support import tasks
from tests.engine.test_single_call_readings import altered, answered, judged, right

Array = npt.NDArray[Any]
Arguments = dict[str, Any]
Backend = Callable[[str, Arguments, str], Array]

FUNCTIONS = (
    *("conv", "depthwise_conv", "separable_conv", "conv_transpose", "average_pool", "max_pool"),
    *("adaptive_average_pool", "adaptive_max_pool", "unfold", "fold"),
    *("space_to_depth", "depth_to_space", "psnr"),
)


PROFILE = replace(PROFILES["smoke"], structures=48, values=("ordinary", "halves"), contains=None)
"""A few structures, with few draws of each."""


@cache
def _calls(function: str) -> list[Prepared]:
    """The valid calls of a function in dtypes of NumPy."""
    (task,) = tasks([f"keras.ops.{function}"], PROFILE, edition="keras-3")
    valid = (p for p in task.prepared() if p.structure.error is None)
    return [p for p in valid if p.dtypes[0] != BFLOAT16]


def _verdicts(function: str, backend: Backend) -> set[Verdict]:
    """The verdicts on what a backend answers; what it raises is its answer, too."""
    verdicts: set[Verdict] = set()
    for prepared in _calls(function):

        def answer(number: int, prepared: Prepared = prepared) -> Array | Raised:
            arguments = prepared.oracle_arguments(number)
            try:
                return backend(prepared.structure.oracle, arguments, prepared.dtypes[0])
            except (ValueError, IndexError) as error:
                return Raised("ValueError", ("ValueError",), str(error), "call")

        verdicts |= {finding.verdict for finding in judged(prepared, answer)}
    return verdicts


def _reversed(axis: int) -> Callable[[Array], Array]:
    return lambda kernel: np.flip(kernel, axis)


def _first_for_all(moves: Any) -> Any:
    return moves if moves is None or isinstance(moves, int) else moves[0]


def _turned(_function: str, arguments: Arguments, dtype: str) -> Array:
    """Kernels with their spatial axes in the other order, where they have two of one length."""
    kernel = next(n for n in ("kernel", "depthwise_kernel") if n in arguments)
    weights = arguments[kernel]
    if weights.ndim == 4 and weights.shape[0] == weights.shape[1]:
        weights = np.swapaxes(weights, 0, 1)
    return right(_function, {**arguments, kernel: weights}, dtype)


def _kernel_by_kernel(function: str, arguments: Arguments, dtype: str) -> Array:
    """Channel m * channels + c in the place of c * multiplier + m."""
    result, kernel = right(function, arguments, dtype), arguments["depthwise_kernel"]
    images = from_format(result, arguments["data_format"])
    split = images.reshape(*images.shape[:-1], *kernel.shape[-2:])
    whole = np.swapaxes(split, -1, -2).reshape(images.shape)
    return to_format(whole, arguments["data_format"])


def _shifted(function: str, arguments: Arguments, dtype: str) -> Array:
    """Each element one place further on the last axis but one."""
    return np.roll(right(function, arguments, dtype), 1, -2)


def _padded_with_zeros(function: str, arguments: Arguments, dtype: str) -> Array:
    result = right(function, arguments, dtype)
    return np.maximum(result, 0).astype(dtype) if arguments["padding"] == "same" else result


def _rounded_ends(function: str, arguments: Arguments, dtype: str) -> Array:
    """Windows that end where the next one begins, so that none shares an element."""
    images = from_format(arguments["x"].astype(np.float64), arguments["data_format"])
    combine = np.max if function == "adaptive_max_pool" else np.mean
    for axis, count in enumerate(each(arguments["output_size"], 2), 1):
        moved, length = np.moveaxis(images, axis, 0), images.shape[axis]
        ends = [i * length // count for i in range(count + 1)]
        parts = [combine(moved[a:b], 0) for a, b in pairwise(ends)]
        images = np.moveaxis(np.stack(parts), 0, axis)
    return to_format(images, arguments["data_format"]).astype(dtype)


def _places_first(function: str, arguments: Arguments, dtype: str) -> Array:
    """Columns that have the channels of one place side by side."""
    result, channels = right(function, arguments, dtype), arguments["x"].shape[1]
    split = result.reshape(len(result), channels, -1, result.shape[-1])
    return np.swapaxes(split, 1, 2).reshape(result.shape)


def _overwritten(function: str, arguments: Arguments, dtype: str) -> Array:
    """Means in the place of sums where windows overlap."""
    ones = {**arguments, "x": np.ones_like(arguments["x"])}
    result = right(function, arguments, dtype)
    return (result / np.maximum(right(function, ones, dtype), 1)).astype(dtype)


def _columns_first(function: str, arguments: Arguments, dtype: str) -> Array:
    """The pixels of a block by columns."""
    axes = (2, 3) if arguments["data_format"] == "channels_first" else (1, 2)
    if function == "depth_to_space":
        turned = {**arguments, "x": np.swapaxes(arguments["x"], *axes)}
        return np.swapaxes(right(function, turned, dtype), *axes)
    turned = {**arguments, "x": np.swapaxes(arguments["x"], *axes)}
    return np.swapaxes(right(function, turned, dtype), *axes)


def _other(format_of: str) -> str:
    return "channels_last" if format_of == "channels_first" else "channels_first"


FAULTS: list[tuple[str, str, Backend]] = [
    ("conv", "channels in reversed", altered(kernel=_reversed(-2))),
    ("conv", "channels out reversed", altered(kernel=_reversed(-1))),
    ("conv", "kernel turned", _turned),
    ("conv", "no dilation", altered(dilation_rate=lambda _: 1)),
    ("conv", "the first stride for all axes", altered(strides=_first_for_all)),
    ("conv", "valid for same", altered(padding=lambda _: "valid")),
    ("depthwise_conv", "kernel by kernel", _kernel_by_kernel),
    ("depthwise_conv", "channels reversed", altered(depthwise_kernel=_reversed(-2))),
    ("depthwise_conv", "no dilation", altered(dilation_rate=lambda _: 1)),
    ("separable_conv", "channels between reversed", altered(pointwise_kernel=_reversed(-2))),
    ("separable_conv", "channels out reversed", altered(pointwise_kernel=_reversed(-1))),
    ("separable_conv", "no strides", altered(strides=lambda _: 1)),
    ("conv_transpose", "one place further", _shifted),
    ("conv_transpose", "channels in reversed", altered(kernel=_reversed(-1))),
    ("conv_transpose", "no output padding", altered(output_padding=lambda _: None)),
    ("conv_transpose", "no dilation", altered(dilation_rate=lambda _: 1)),
    ("conv_transpose", "kernel turned", _turned),
    ("average_pool", "the sum for the mean", answered(lambda y: y * 2)),
    ("average_pool", "one place further", _shifted),
    ("average_pool", "no strides", altered(strides=lambda _: 1)),
    ("max_pool", "zeros around", _padded_with_zeros),
    ("max_pool", "the least for the largest", altered(x=np.negative)),
    ("max_pool", "the first stride for all axes", altered(strides=_first_for_all)),
    ("adaptive_average_pool", "windows that share nothing", _rounded_ends),
    ("adaptive_average_pool", "one place further", _shifted),
    ("adaptive_average_pool", "the other format", altered(data_format=_other)),
    ("adaptive_max_pool", "windows that share nothing", _rounded_ends),
    ("adaptive_max_pool", "the least for the largest", altered(x=np.negative)),
    ("adaptive_max_pool", "the other format", altered(data_format=_other)),
    ("unfold", "places before channels", _places_first),
    ("unfold", "no dilation", altered(dilation=lambda _: 1)),
    ("unfold", "no padding", altered(padding=lambda _: 0)),
    ("fold", "means for sums", _overwritten),
    ("fold", "one place further", _shifted),
    ("fold", "the first stride for all axes", altered(stride=_first_for_all)),
    *((name, "by columns", _columns_first) for name in ("space_to_depth", "depth_to_space")),
    *((name, "zeros", answered(np.zeros_like)) for name in ("space_to_depth", "depth_to_space")),
    *(
        (name, "the other format", altered(data_format=_other))
        for name in ("space_to_depth", "depth_to_space")
    ),
    ("psnr", "no peak", altered(max_val=lambda _: 1.0)),
    ("psnr", "natural logarithm", answered(lambda y: y * np.log(10))),
    ("psnr", "the root of the error", answered(lambda y: y / 2)),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_right_backend_violates_nothing(function: str) -> None:
    assert _calls(function)
    assert _verdicts(function, right) == set()


@pytest.mark.parametrize(("function", "what", "backend"), FAULTS)
def test_a_wrong_backend_violates(function: str, what: str, backend: Backend) -> None:
    assert Verdict.VIOLATES in _verdicts(function, backend), what


def test_each_function_has_faults_enough() -> None:
    named = [function for function, _, _ in FAULTS]
    assert all(named.count(function) >= 3 for function in FUNCTIONS)
