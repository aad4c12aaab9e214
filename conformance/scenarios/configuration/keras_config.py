"""Functions of Keras 3 under the settings of `keras.config`: the float type, the layout of images.

`set_floatx` sets the default float type. A docstring that names it says which dtype a result has;
of the other functions here the docstrings are silent, and they rest on `default-dtype`. A symbolic
tensor must have the dtype of the computed tensor, whatever the type is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import as_second, is_array, is_one_of, plain, shown
from conformance.scenarios.model import (
    ARGS,
    KERAS_3,
    KERAS_3_DOCUMENT,
    SYMBOL,
    Alternative,
    Array,
    Problem,
    Values,
)
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
CONFIGURATION = Aspect.CONFIGURATION
SETTER: Lines = {KERAS_3_DOCUMENT: "keras.config.set_floatx: Summary"}
FLOATX = ("float16", "bfloat16", "float64")
"""Each type but float32, under which all other cases run."""

Write = Callable[[Recorder, Result | None], Result]


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """A call whose result has the default float type: of integers, or of no tensor at all."""

    write: Write
    """The call; it gets the recorder and the tensor, or None without `integers`."""
    _: KW_ONLY
    integers: tuple[int, ...] = ()
    """The elements of the tensor of int32; empty if the call has none."""
    gives: Any = None
    """The result, which every float type has; None if only the dtype is looked at."""
    section: str = ""
    """The section of the docstring that names the default type; empty if none does."""


def _of_tensor(*args: Any, **kwargs: Any) -> Write:
    return lambda K, x: K[K.tested](x, *args, **kwargs)


def _without_tensor(*args: Any, **kwargs: Any) -> Write:
    return lambda K, _: K[K.tested](*args, **kwargs)


def _ops(**followers: Follower) -> dict[str, Follower]:
    return {f"keras.ops.{name}": follower for name, follower in followers.items()}


_CREATED = _ops(
    zeros=Follower(_without_tensor((2,)), gives=[0, 0]),
    ones=Follower(_without_tensor((2,)), gives=[1, 1]),
    full=Follower(_without_tensor((2,), 0.5), gives=[0.5, 0.5]),
    eye=Follower(_without_tensor(2), gives=[[1, 0], [0, 1]]),
    identity=Follower(_without_tensor(2), gives=[[1, 0], [0, 1]]),
    tri=Follower(_without_tensor(2), gives=[[1, 0], [1, 1]]),
    linspace=Follower(_without_tensor(0.0, 2.0, 3), gives=[0, 1, 2]),
    logspace=Follower(_without_tensor(0.0, 1.0, 2), gives=[1, 10]),
    arange=Follower(_without_tensor(0.5, 2.0), gives=[0.5, 1.5]),
    array=Follower(_without_tensor([0.5, 2.0]), gives=[0.5, 2]),
    convert_to_tensor=Follower(_without_tensor([0.5, 2.0]), gives=[0.5, 2]),
    bartlett=Follower(_without_tensor(5), gives=[0, 0.5, 1, 0.5, 0]),
    blackman=Follower(_without_tensor(5)),
    hamming=Follower(_without_tensor(5)),
    hanning=Follower(_without_tensor(5)),
    kaiser=Follower(_without_tensor(5, 2.0)),
)
_PROMOTED = _ops(
    mean=Follower(_of_tensor(), integers=(1, 3), gives=2),
    average=Follower(_of_tensor(), integers=(1, 3), gives=2),
    var=Follower(_of_tensor(), integers=(1, 3), gives=1),
    std=Follower(_of_tensor(), integers=(1, 3), gives=1),
    median=Follower(_of_tensor(), integers=(1, 3, 7), gives=3),
    quantile=Follower(_of_tensor(0.5), integers=(1, 3, 7), gives=3),
    sqrt=Follower(_of_tensor(), integers=(4, 9), gives=[2, 3]),
    exp=Follower(_of_tensor(), integers=(0, 0), gives=[1, 1]),
    log=Follower(_of_tensor(), integers=(1, 1), gives=[0, 0]),
    sin=Follower(_of_tensor(), integers=(0, 0), gives=[0, 0]),
    divide=Follower(_of_tensor(2), integers=(1, 4), gives=[0.5, 2]),
    true_divide=Follower(_of_tensor(2), integers=(1, 4), gives=[0.5, 2]),
    fabs=Follower(_of_tensor(), integers=(-1, 2), gives=[1, 2], section="Summary"),
    norm=Follower(_of_tensor(), integers=(3, 4), gives=5),
    add=Follower(_of_tensor(0.5), integers=(1, 2), gives=[1.5, 2.5]),
    multiply=Follower(_of_tensor(0.5), integers=(1, 2), gives=[0.5, 1]),
    where=Follower(_of_tensor(0.5, 1.5), integers=(0, 1), gives=[1.5, 0.5]),
    one_hot=Follower(_of_tensor(2), integers=(1, 0), gives=[[0, 1], [1, 0]], section="Args"),
    multi_hot=Follower(_of_tensor(2), integers=(1, 1), gives=[0, 1]),
)
_DRAWN: dict[str, Follower] = {
    f"keras.random.{name}": Follower(_without_tensor((4,), *parameters, seed=1), section="Args")
    for name, parameters in {
        "normal": (),
        "uniform": (),
        "truncated_normal": (),
        "gamma": (2.0,),
        "beta": (2.0, 3.0),
        "binomial": (4.0, 0.5),
    }.items()
}
FOLLOWERS: Mapping[str, Follower] = {**_CREATED, **_PROMOTED, **_DRAWN}


@BOOK.scenario(
    FOLLOWERS.keys(),
    "after set_floatx({floatx!r})",
    CONFIGURATION,
    editions=KERAS_3,
    floatx=FLOATX,
)
def default_dtype(K: Recorder, floatx: str) -> None:
    """A result without a dtype of its own has the default float type, and so has its symbol."""
    follower = FOLLOWERS[K.tested]
    x = None
    if follower.integers:
        x = K.constant(K.array("x", follower.integers, "int32"), dtype="int32")
    K.keras.config.set_floatx(floatx)
    result = follower.write(K, x)
    dtype = K.dtype(result).output("dtype")
    _expect_default(K, dtype, floatx, follower.section)
    if follower.gives is not None:
        _expect_numbers(K, result, np.asarray(follower.gives, "float64"))
    if follower.integers:
        _expect_symbol(K, follower, dtype)
    # a program may be refused that asks for a type which a backend lacks
    K.conventions = (ConventionName.DEFAULT_DTYPE,)


@BOOK.scenario(
    "keras.ops.convert_to_tensor",
    "an array of {dtype} after set_floatx({floatx!r})",
    CONFIGURATION,
    editions=KERAS_3,
    dtype=("int32", "bool", "float16"),
    floatx=FLOATX,
)
def own_dtype(K: Recorder, dtype: str, floatx: str) -> None:
    """An array keeps its dtype, whatever the default float type is."""
    K.keras.config.set_floatx(floatx)
    result = K[K.tested](K.array("x", [0, 1], dtype))
    claimed, at = K.dtype(result).output("dtype"), ARGS
    K.expect("the dtype of the array", claimed, is_one_of(dtype), dtype, at=at)
    _expect_numbers(K, result, np.array([0, 1], dtype))


def _expect_default(K: Recorder, dtype: Result, floatx: str, section: str) -> None:
    single = Alternative(ConventionName.DEFAULT_DTYPE, "float32", is_one_of("float32"))
    K.expect(
        "the default dtype",
        dtype,
        is_one_of(floatx),
        floatx,
        at={KERAS_3_DOCUMENT: section} if section else SETTER,
        alternatives=() if section else (single,),
    )


def _expect_numbers(K: Recorder, result: Result, expected: Array) -> None:
    numbers = K.eval(result).output("numbers")
    K.expect("the numbers", numbers, is_array(expected), shown(expected), at=SETTER)


def _expect_symbol(K: Recorder, follower: Follower, dtype: Result) -> None:
    shape = (len(follower.integers),)
    symbol = follower.write(K, K.placeholder(shape=shape, dtype="int32"))
    claimed = K.dtype(symbol).output("claimed")
    demands = "the dtype of the computed tensor"
    K.expect("the dtype of the symbol", (claimed, dtype), _same_text, demands, at=SYMBOL)


def _same_text(claimed: Values, dtype: Values) -> Problem | None:
    symbol, computed = plain(claimed), plain(dtype)
    if symbol == computed:
        return None
    return Problem(
        f"is {symbol} for a symbol and {computed} for a tensor",
        f"{symbol} for {computed}",
        fault="first != values[1][0]",
    )


@dataclass(frozen=True, slots=True, eq=False)
class LaidOut:
    """A call with data_format=None, of arrays that both layouts can have."""

    arrays: tuple[Array, ...]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    section: str = "Args"
    """The section of the docstring that says what None stands for; empty if none does."""


def _numbers(*shape: int) -> Array:
    """Different numbers from 0 to 1, which may be colours."""
    generator = np.random.default_rng(len(shape))
    order = generator.permutation(int(np.prod(shape)))
    return np.asarray(order / order.size, "float32").reshape(shape)


IMAGE, VOLUME = _numbers(1, 3, 3, 3), _numbers(1, 3, 3, 3, 3)
SILENT = ""
_TRANSFORM = np.array([[1, 0, 1, 0, 1, 0, 0, 0]], "float32")
_START = np.array([[[0, 0], [2, 0], [0, 2], [2, 2]]], "float32")
_END = np.array([[[0, 0], [1, 0], [0, 1], [1, 1]]], "float32")
_OF_IMAGES = {
    f"keras.ops.image.{name}": laid_out
    for name, laid_out in {
        "pad_images": LaidOut((IMAGE,), (1, 1), {"target_height": 5, "target_width": 4}),
        "crop_images": LaidOut((IMAGE,), (1, 0), {"target_height": 2, "target_width": 1}),
        "rgb_to_grayscale": LaidOut((IMAGE,)),
        "rgb_to_hsv": LaidOut((IMAGE,)),
        "hsv_to_rgb": LaidOut((IMAGE,)),
        "resize": LaidOut((IMAGE,), ((5, 4),)),
        "extract_patches": LaidOut((IMAGE,), (2,)),
        "extract_patches_3d": LaidOut((VOLUME,), (2,)),
        "affine_transform": LaidOut((IMAGE, _TRANSFORM)),
        "perspective_transform": LaidOut((IMAGE, _START, _END)),
        "gaussian_blur": LaidOut((IMAGE,)),
        "sobel_edges": LaidOut((IMAGE,)),
        "ssim": LaidOut((IMAGE, IMAGE**2), (), {"filter_size": 3}),
    }.items()
}
_WINDOWED = {
    f"keras.ops.{name}": laid_out
    for name, laid_out in {
        "max_pool": LaidOut((IMAGE,), ((2, 2), 1), section=SILENT),
        "average_pool": LaidOut((IMAGE,), ((2, 2), 1), section=SILENT),
        "adaptive_max_pool": LaidOut((IMAGE,), ((2, 2),)),
        "adaptive_average_pool": LaidOut((IMAGE,), ((2, 2),)),
        "conv": LaidOut((IMAGE, _numbers(2, 2, 3, 2)), section=SILENT),
        "depthwise_conv": LaidOut((IMAGE, _numbers(2, 2, 3, 1)), section=SILENT),
        "separable_conv": LaidOut(
            (IMAGE, _numbers(2, 2, 3, 1), _numbers(1, 1, 3, 2)), section=SILENT
        ),
        "conv_transpose": LaidOut((IMAGE, _numbers(2, 2, 2, 3)), (2,), section=SILENT),
    }.items()
}
LAYOUT_USERS: Mapping[str, LaidOut] = {**_OF_IMAGES, **_WINDOWED}


@BOOK.scenario(
    LAYOUT_USERS.keys(),
    "the layout {layout}",
    CONFIGURATION,
    editions=KERAS_3,
    layout=("channels_first", "channels_last"),
)
def default_layout(K: Recorder, layout: str) -> None:
    """A call without a data_format does what the same call does that names the configured one."""
    user = LAYOUT_USERS[K.tested]
    function, numbers = K[K.tested], [K.array(f"x_{i}", a) for i, a in enumerate(user.arrays)]

    def tensors() -> list[Result]:
        """New ones for each call: a function that changes them fails its purity."""
        return [K.constant(array, dtype="float32") for array in numbers]

    named = function(*tensors(), *user.args, **user.kwargs, data_format=layout)
    K.keras.config.set_image_data_format(layout)
    default = function(*tensors(), *user.args, **user.kwargs)
    both = K.eval(default).output("default"), K.eval(named).output("named")
    settled = {KERAS_3_DOCUMENT: user.section} if user.section else {}
    rests = () if user.section else (ConventionName.DEFAULT_DATA_FORMAT,)
    demands = f"what data_format={layout!r} gives"
    K.expect("the default layout", both, as_second, demands, at=settled, conventions=rests)
    symbols = [K.placeholder(shape=a.shape, dtype="float32") for a in user.arrays]
    symbol = function(*symbols, *user.args, **user.kwargs)
    known = function(*symbols, *user.args, **user.kwargs, data_format=layout)
    both = K.int_shape(symbol).output("default_shape"), K.int_shape(known).output("named_shape")
    K.expect("the shape of the symbol", both, _same_shape, demands, at=settled, conventions=rests)


def _same_shape(default: Values, named: Values) -> Problem | None:
    got, expected = plain(default), plain(named)
    if got == expected:
        return None
    return Problem(f"has the static shape {got}", "shape", fault="first != values[1][0]")


FAMILIES = BOOK.families
