"""Settings of the process: read back after they are set, followed by other functions, refused."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.editions import EDITIONS, Edition
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.model import KERAS_2, Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
STATE = Aspect.STATE
OLDER: tuple[Edition, ...] = ("keras-1", "keras-2.0")
OFFERED: dict[str, tuple[Edition, ...]] = {
    "epsilon": EDITIONS,
    "floatx": KERAS_2,
    "image_data_format": KERAS_2,
    "image_dim_ordering": OLDER,
}
"""The getters, with the editions that have their setters."""
SETTERS = {f"set_{getter}": editions for getter, editions in OFFERED.items()}

FLOATS = ("float64", "float16", "float32")
LAYOUTS = ("channels_first", "channels_last")
WORDS = ("th", "tf")
VALUES: dict[str, tuple[Any, ...]] = {
    "epsilon": (1e-05, 1e-03, 1e-08, 0.25),
    "floatx": FLOATS,
    "image_data_format": LAYOUTS,
    "image_dim_ordering": WORDS,
}
INVALID: dict[str, tuple[Any, ...]] = {
    "epsilon": ("small", None),
    "floatx": ("int32", "float128", "double", "", 32, None),
    "image_data_format": ("tf", "channels", "", None),
    "image_dim_ordering": ("channels_last", "TF", "", None),
}
READ_BACK: dict[str, Lines] = {
    "epsilon": {"ja-1": 131, "ja-1-text": 100, "ja-2.0": 184, "zh-TW": 127, "ko-2.2": 4053},
    "floatx": {"ja-2.0": 230, "zh-TW": 147, "ko-2.2": 3917},
    "image_data_format": {"ja-2.0": 310, "zh-TW": 186, "ko-2.2": 4003},
    "image_dim_ordering": {"ja-1": 176, "ja-1-text": 128, "ja-2.0": 354},
}
"""The lines that say that a getter returns what its setter was given."""


@BOOK.scenario("backend", "the backend in use")
def backend_is_a_name(K: Recorder) -> None:
    """Any text will do: the documents name only the backends that ship with Keras."""
    K.expect("a name", K.backend().output("name"), _is_name, "the name of the backend, a text")


def _is_name(values: Values) -> Problem | None:
    name = checks.plain(values)
    if isinstance(name, str) and name:
        return None
    return Problem(f"gives {name!r}", "no name", got=repr(name))


@BOOK.scenario({**OFFERED, "floatx": EDITIONS}, "what it gives")
def getter_gives(K: Recorder) -> None:
    """Before anything is set, the getter returns a value of the documented kind."""
    test, demands, values = _is_float, "a float", VALUES[K.tested]
    if K.tested != "epsilon":
        test, demands = checks.is_one_of(*values), " or ".join(map(repr, sorted(values)))
    K.expect("the kind of value", K[K.tested]().output("value"), test, demands)


@checks.of_array
def _is_float(got: Array) -> Problem | None:
    if got.shape == () and got.dtype.kind == "f":
        return None
    return Problem(f"gives {got.dtype} of shape {got.shape}", "no float", got=got)


def _pairs(function: str) -> list[tuple[Any, Any]]:
    values = VALUES[function.removeprefix("set_")]
    return [*zip(values, (*values[1:], values[0]), strict=True)]


@BOOK.scenario({**SETTERS, **OFFERED}, "", STATE, pair=_pairs)
def read_back(K: Recorder, pair: tuple[Any, Any]) -> None:
    """Two values set and read one after the other."""
    getter = K.tested.removeprefix("set_")
    K.title = f"{getter}() after set_{getter}"
    for number, value in enumerate(pair):
        K[f"set_{getter}"](value)
        read, test = K[getter]().output(f"read_{number}"), checks.is_one_of(value)
        K.expect("the value set is read back", read, test, repr(value), at=READ_BACK[getter])


@BOOK.scenario(
    SETTERS,
    "{function}({value!r})",
    Aspect.ERROR,
    STATE,
    value=lambda setter: INVALID[setter.removeprefix("set_")],
)
def refused(K: Recorder, value: Any) -> None:
    """A value that is not documented is refused, and the setting stays as it was."""
    getter = K.tested.removeprefix("set_")
    setter, valid = K[K.tested], VALUES[getter][0]
    setter(valid)
    attempt, read = K.attempt(setter, value).output("attempt"), K[getter]().output("read")
    if getter == "image_dim_ordering" and K.edition == "keras-2.0":
        K.expect("an invalid value", attempt, checks.raises("ValueError"), "ValueError")
    else:
        rests = (ConventionName.INVALID_INPUT,)
        K.expect("an invalid value", attempt, checks.raises(), "an exception", conventions=rests)
    K.expect(
        "the setting after an exception",
        (attempt, read),
        partial(_unless_taken, checks.is_one_of(valid)),
        f"{valid!r}, as before",
        aspect=STATE,
        at=READ_BACK[getter],
        conventions=(ConventionName.REFUSED_UNCHANGED,),
    )


def _unless_taken(test: checks.Test, attempt: Values, read: Values) -> Problem | None:
    """The setting after a refused value. If the value was accepted, another check fails."""
    return None if checks.returns(attempt) is None else checks.of_last(test(read))


OLD_AND_NEW = ("set_image_dim_ordering", "image_dim_ordering")


@BOOK.scenario(OLD_AND_NEW, "", STATE, editions=("keras-2.0",), place=(0, 1))
def layouts_by_words(K: Recorder, place: int) -> None:
    """In keras-2.0 the older words stand for the layouts (C019)."""
    words, layouts = ("image_dim_ordering", WORDS[place]), ("image_data_format", LAYOUTS[place])
    by_word = K.tested == "set_image_dim_ordering"
    (getter, value), (other, expected) = (words, layouts) if by_word else (layouts, words)
    K.title = f"{other}() after set_{getter}"
    K[f"set_{getter}"](value)
    read, test = K[other]().output("read"), checks.is_one_of(expected)
    at = {"ja-2.0": 354 if by_word else 383}
    K.expect("the other name", read, test, repr(expected), at=at)


MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
MAKERS: dict[str, tuple[Any, ...]] = {
    "variable": (MATRIX,),
    "constant": (MATRIX,),
    "placeholder": ((2, 2),),
    "zeros": ((2, 2),),
    "ones": ((2, 2),),
    "eye": (2,),
    "random_uniform_variable": ((2, 2), 0.0, 1.0),
    "random_normal_variable": ((2, 2), 0.0, 1.0),
    "random_uniform": ((2, 2),),
    "random_normal": ((2, 2),),
}
"""Functions whose dtype is None by default, with arguments."""


def maker_arguments(K: Recorder, maker: str) -> list[Any]:
    """The arguments of a maker; an array among them is called "numbers"."""
    arguments = MAKERS[maker]
    return [K.array("numbers", a) if isinstance(a, np.ndarray) else a for a in arguments]


@BOOK.scenario(
    "set_floatx",
    "{maker} after {function}({floatx!r})",
    STATE,
    editions=KERAS_2,
    maker=MAKERS,
    floatx=FLOATS[:2],
)
def default_dtype(K: Recorder, maker: str, floatx: str) -> None:
    """Without a dtype, functions use the dtype that set_floatx has set."""
    arguments = maker_arguments(K, maker)
    K.set_floatx(floatx)
    result, asks = K[maker](*arguments), maker == "placeholder"
    dtype = (K.dtype(result) if asks else K.eval(result)).output("made")
    test, convention = checks.is_one_of if asks else checks.has_dtype, ConventionName.DEFAULT_DTYPE
    single = Alternative(convention, "float32", test("float32"))
    K.expect("the default dtype", dtype, test(floatx), floatx, alternatives=(single,))
    K.conventions = (convention,)


CAST_AT: Lines = {"ja-1": 156, "ja-1-text": 114, "ja-2.0": 249, "zh-TW": 155, "ko-2.2": 3938}
CAST = "cast_to_floatx"


def _expect_cast(K: Recorder, array: Any, floatx: str | None = None) -> None:
    numbers = K.array("x", array)
    if floatx:
        K.set_floatx(floatx)
    result, name = K.cast_to_floatx(numbers).output("result"), floatx or "float32"
    dtype, value = (STATE, STATE) if floatx else (Aspect.DTYPE, Aspect.VALUE)
    K.expect("the dtype", result, checks.has_dtype(name), name, aspect=dtype)
    test, demands = checks.is_array(np.asarray(array, name)), f"the same array in {name}"
    K.expect("the numbers", result, test, demands, aspect=value, at=CAST_AT)
    # arrays of any dtype are documented
    K.title, K.conventions = f"an array in {name}", unsettled_of(np.shape(array), "float32")


@BOOK.scenario(CAST, "", Aspect.VALUE, Aspect.DTYPE)
def casts(K: Recorder, draw: st.DrawFn) -> None:
    """Arrays of any dtype and shape; the numbers need no more than a float16 has."""
    dtype = draw(st.sampled_from(("float64", "float32", "float16", "int32", "int64", "uint8")))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    size, scale = int(np.prod(shape)), 4 if dtype.startswith("float") else 1
    numbers = draw(st.lists(st.integers(0, 1024), min_size=size, max_size=size))
    _expect_cast(K, (np.array(numbers, "float64") / scale % 256).reshape(shape).astype(dtype))


@BOOK.scenario(CAST, "", Aspect.VALUE, Aspect.DTYPE)
def rounded(K: Recorder) -> None:
    """Numbers that the default type does not have are rounded to the nearest that it has."""
    _expect_cast(K, np.array([0.1, -1 / 3, 16777217.0, 1e-03]))


@BOOK.scenario(CAST, "", STATE, editions=KERAS_2, name=FLOATS)
def cast_after(K: Recorder, name: str) -> None:
    """set_floatx has set the dtype; float64 has digits that float32 lacks."""
    array = np.array([[1.0, -2.5], [0.125, 1000.0]])
    _expect_cast(K, array + 2.0**-30 if name == "float64" else array, name)


IMAGE, SQUARE = np.arange(24.0).reshape(1, 2, 3, 4), np.arange(12.0).reshape(1, 2, 3, 2)
LAYOUT_USERS = {"spatial_2d_padding": (IMAGE,), "bias_add": (SQUARE, np.array([10.0, 20.0]))}
"""Functions with data_format=None, and arrays that they take in both layouts."""


def layout_tensors(K: Recorder, user: str) -> list[Any]:
    """The tensors of a function with data_format=None."""
    arrays = enumerate(LAYOUT_USERS[user])
    return [*map(K.variable, [K.array(f"x_{i}", array, "float32") for i, array in arrays])]


@BOOK.scenario(
    "set_image_data_format",
    "{user} after {function}({layout!r})",
    STATE,
    editions=KERAS_2,
    user=LAYOUT_USERS,
    layout=LAYOUTS,
)
def default_layout(K: Recorder, user: str, layout: str) -> None:
    """Functions that are given no data_format follow set_image_data_format."""
    tensors = layout_tensors(K, user)
    K.set_image_data_format(layout)
    default = K.eval(K[user](*tensors)).output("default")
    named = K.eval(K[user](*tensors, data_format=layout)).output("named")
    K.expect("the default layout", (default, named), _same, f"what data_format={layout!r} gives")
    K.conventions = (ConventionName.DEFAULT_DATA_FORMAT,)


def _same(first: Values, second: Values) -> Problem | None:
    expected = checks.only(second)
    return expected if isinstance(expected, Problem) else checks.is_array(expected)(first)


@BOOK.scenario("set_epsilon", "a loss with two values of epsilon", STATE)
def epsilon_used(K: Recorder) -> None:
    """A cross-entropy of a certain, wrong answer is finite, and the smaller the larger epsilon."""
    target = K.variable(K.array("target", [1.0, 0.0], "float32"))
    output = K.variable(K.array("output", [0.0, 1.0], "float32"))
    for name, value in (("small", 1e-06), ("large", 1e-02)):
        K.set_epsilon(value)
        K.eval(K.binary_crossentropy(target, output)).output(name)
    constant = Alternative(ConventionName.EPSILON_IN_LOSSES, "a constant", _stays)
    demands, both = "finite, the second smaller", ("small", "large")
    K.expect("epsilon is used", both, _falls, demands, alternatives=(constant,))
    K.conventions = (ConventionName.EPSILON_IN_LOSSES,)


@checks.of_arrays
def _falls(first: Array, second: Array) -> Problem | None:
    if np.isfinite([first, second]).all() and (second < first).all():
        return None
    return Problem(f"gives {checks.shown(first)} and {checks.shown(second)}", "not used")


@checks.of_arrays
def _stays(first: Array, second: Array) -> Problem | None:
    """Both are the same finite numbers."""
    same = np.array_equal(first, second) and np.isfinite(first).all()
    return None if same else Problem("gives other numbers", "other numbers")


FAMILIES = BOOK.families
