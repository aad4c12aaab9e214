"""Numbers of keras.ops that draws leave out: great unsigned ones, far exponents, steep slopes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle import Expectation
from conformance.scenarios.checks import Test, agrees_with, is_array, near, of_array, shown
from conformance.scenarios.model import ARGS, KERAS_3, SUMMARY, Array, Problem
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
LARGE = 3_000_000_000
"""A number that uint32 holds, and int32 and float32 do not."""
FIRST, SECOND = np.array([LARGE, 1, 7], "uint32"), np.array([1, LARGE + 1, 7], "uint32")
OF_ONE: Mapping[str, Callable[[Array], Array]] = {
    "keras.ops.max": np.max,
    "keras.ops.min": np.min,
    "keras.ops.sign": np.sign,
    "keras.ops.sort": np.sort,
    "keras.ops.flip": np.flip,
}
OF_TWO: Mapping[str, Callable[[Array, Array], Array]] = {
    "keras.ops.maximum": np.maximum,
    "keras.ops.minimum": np.minimum,
    "keras.ops.equal": np.equal,
    "keras.ops.greater": np.greater,
    "keras.ops.less": np.less,
}


@BOOK.scenario([*OF_ONE, *OF_TWO], "numbers above 2**31 in uint32", editions=KERAS_3)
def great_unsigned(K: Recorder) -> None:
    """Numbers from 2**31 on are not negative."""
    first, second = K.tensor("x", FIRST), K.tensor("y", SECOND)
    if K.tested in OF_ONE:
        expected, result = OF_ONE[K.tested](FIRST), K[K.tested](first)
    else:
        expected, result = OF_TWO[K.tested](FIRST, SECOND), K[K.tested](first, second)
    K.conventions = (ConventionName.INPUT_DTYPE,)
    values, demands = result.output("values"), shown(expected)
    K.expect("the numbers", values, is_array(expected), demands, at=SUMMARY)


def _each_near(expected: Sequence[float]) -> Test:
    """Each of these numbers, up to some roundings of its own in float32."""
    value = np.asarray(expected, "float64")
    bound = np.asarray(abs(value) * 2.0**-19, "float64")
    return agrees_with(Expectation(value, bound, "float32"))


CALLS: Mapping[str, Sequence[tuple[str, Sequence[Any], Mapping[str, Any], Sequence[float]]]] = {
    "keras.ops.ldexp": [
        ("exponent 150", [[1e-10], [150]], {}, [1e-10 * 2.0**150]),
        ("exponent -140", [[1e20], [-140]], {}, [1e20 * 2.0**-140]),
        ("0 and exponent 200", [[0.0], [200]], {}, [0.0]),
    ],
    "keras.ops.mod": [
        ("an infinite divisor", [[3.0, 0.0], [np.inf, np.inf]], {}, [3.0, 0.0]),
    ],
    "keras.ops.fmod": [
        ("an infinite divisor", [[5.0, -5.0], [np.inf, np.inf]], {}, [5.0, -5.0]),
    ],
    "keras.ops.floor_divide": [
        ("a rounded tenth", [[1.0, -1.0, 2.0], [0.1, 0.1, 0.1]], {}, [9.0, -10.0, 19.0]),
    ],
    "keras.ops.leaky_relu": [
        ("a slope above 1", [[-4.0, 3.0]], {"negative_slope": 2.0}, [-8.0, 3.0]),
    ],
}
"""Calls of lists of numbers, each with its subject, keywords and result.

The tenth of float32 is greater than 1/10.
"""


@BOOK.scenario(CALLS.keys(), "", editions=KERAS_3, call=lambda function: CALLS[function])
def exact_numbers(
    K: Recorder, call: tuple[str, Sequence[Any], Mapping[str, Any], Sequence[float]]
) -> None:
    """The numbers of the formula in the docstring."""
    K.title, positional, keywords, expected = call
    tensors = []
    for name, numbers in zip("xy", positional, strict=False):
        whole = all(isinstance(number, int) for number in numbers)
        tensors.append(K.tensor(name, np.array(numbers, "int32" if whole else "float32")))
    result = K[K.tested](*tensors, **keywords).output("values")
    demands = shown(np.array(expected, "float32"))
    K.expect("the numbers", result, _each_near(expected), demands, at=SUMMARY)


@BOOK.scenario("keras.ops.kaiser", "beta {beta}", editions=KERAS_3, beta=(-3.0, -0.5))
def negative_beta(K: Recorder, beta: float) -> None:
    """I0 is even: the window is that of the positive beta. A negative one may be refused."""
    K.may_refuse = True
    expected = np.kaiser(6, beta)
    result = K[K.tested](6, beta).output("values")
    demands = shown(expected.astype("float32"))
    K.expect("the window", result, near(expected), demands, at=SUMMARY)


IMAGE = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
DTYPES = ("uint8", "int8", "int32")


@BOOK.scenario(
    "keras.ops.image.resize",
    "pad_to_aspect_ratio and {dtype}",
    editions=KERAS_3,
    dtype=DTYPES,
    interpolation=("nearest", "bilinear"),
)
def padded_integers(K: Recorder, dtype: str, interpolation: str) -> None:
    """Two rows of four become a square, and are not resized."""
    image = IMAGE.astype(dtype)[..., None]
    expected = np.pad(image, ((1, 1), (0, 0), (0, 0)))
    result = K[K.tested](
        K.tensor("images", image),
        (4, 4),
        interpolation=interpolation,
        pad_to_aspect_ratio=True,
        data_format="channels_last",
    )
    K.expect("the image", result.output("values"), is_array(expected), shown(expected), at=ARGS)


EDGE = np.array([[0, 127], [127, -128]], "int8")
"""Bicubic interpolation goes beyond 127 and -128 in three corners."""


@BOOK.scenario("keras.ops.image.resize", "int8 at the ends of its range", editions=KERAS_3)
def beyond_the_range(K: Recorder) -> None:
    """Numbers that int8 does not hold become its ends, and do not wrap around."""
    images, how = K.tensor("images", EDGE[..., None]), {"data_format": "channels_last"}
    result = K[K.tested](images, (4, 4), interpolation="bicubic", **how).output("values")
    K.conventions = (ConventionName.INPUT_DTYPE,)
    K.expect("the corners", result, of_array(_at_the_ends), "127, 127 and -128", at=SUMMARY)


def _at_the_ends(got: Array) -> Problem | None:
    if got.shape != (4, 4, 1):
        return Problem(f"gives shape {got.shape}", "shape", fault="np.shape(first) != (4, 4, 1)")
    corners = got[[0, 3, 3], [3, 0, 3], 0].tolist()
    if corners == [127, 127, -128]:
        return None
    fault = "np.asarray(first)[[0, 3, 3], [3, 0, 3], 0].tolist() != [127, 127, -128]"
    return Problem(f"gives {corners} in three corners", "corners", got=got, fault=fault)


FAMILIES = BOOK.families
