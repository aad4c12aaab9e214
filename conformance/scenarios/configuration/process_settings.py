"""Settings of the process: read back after they are set, followed by other functions, refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.editions import EDITIONS, Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.composites import composite
from conformance.scenarios.making import written
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
OLDER: tuple[Edition, ...] = ("keras-1", "keras-2.0")

FLOATS = ("float64", "float16", "float32")
LAYOUTS = ("channels_first", "channels_last")
WORDS = ("th", "tf")
EPSILONS = (1e-05, 1e-03, 1e-08, 0.25)

READ_BACK = {
    "epsilon": {"ja-1": 131, "ja-1-text": 100, "ja-2.0": 184, "zh-TW": 127, "ko-2.2": 4053},
    "floatx": {"ja-2.0": 230, "zh-TW": 147, "ko-2.2": 3917},
    "image_data_format": {"ja-2.0": 310, "zh-TW": 186, "ko-2.2": 4003},
    "image_dim_ordering": {"ja-1": 176, "ja-1-text": 128, "ja-2.0": 354},
}
"""The lines that say that a getter returns what its setter was given."""

VALUES: dict[str, tuple[Any, ...]] = {
    "epsilon": EPSILONS,
    "floatx": FLOATS,
    "image_data_format": LAYOUTS,
    "image_dim_ordering": WORDS,
}


def _read_back(function: str, getter: str, _edition: Edition) -> Iterator[Scenario]:
    """Two values set and read one after the other; `function` is the setter or the getter."""
    values = VALUES[getter]
    for first, second in zip(values, (*values[1:], values[0]), strict=True):
        w = ProgramWriter()
        for number, value in enumerate((first, second)):
            w.call(f"set_{getter}", value)
            w.observe(f"read_{number}", getter)
        yield written(
            function,
            f"{getter}() after set_{getter}",
            w,
            *(_is(f"read_{n}", v, READ_BACK[getter]) for n, v in enumerate((first, second))),
        )


def _is(output: str, value: Any, at: dict[str, int]) -> Check:
    test = checks.is_one_of(value)
    return Check(
        "the value set is read back",
        Aspect.STATE,
        outputs=(output,),
        test=test,
        demands=repr(value),
        at=at,
    )


def _backend_is_a_name(_edition: Edition) -> Sequence[Scenario]:
    """Any text will do: the documents name only the backends that come with Keras."""
    w = ProgramWriter()
    w.observe("name", "backend")
    check = Check(
        "a name",
        Aspect.VALUE,
        outputs=("name",),
        test=_is_name,
        demands="the name of the backend, a text",
    )
    return [written("backend", "the backend in use", w, check)]


def _is_name(values: Values) -> Problem | None:
    found = checks.plain(values)
    if isinstance(found, str) and found:
        return None
    return Problem(f"gives {found!r}", "no name", got=repr(found))


def _getter_gives(getter: str, _edition: Edition) -> Sequence[Scenario]:
    """Before anything is set, the getter returns a value of the documented kind."""
    w = ProgramWriter()
    w.observe("value", getter)
    test, demands = _is_float, "a float"
    if getter != "epsilon":
        values = VALUES[getter]
        test, demands = checks.is_one_of(*values), " or ".join(map(repr, sorted(values)))
    check = Check("the kind of value", Aspect.VALUE, outputs=("value",), test=test, demands=demands)
    return [written(getter, "what it gives", w, check)]


def _is_float(values: Values) -> Problem | None:
    got = checks.only(values)
    if isinstance(got, Problem):
        return got
    if got.shape == () and got.dtype.kind == "f":
        return None
    return Problem(f"gives {got.dtype} of shape {got.shape}", "no float", got=got)


def _words(function: str, _edition: Edition) -> Iterator[Scenario]:
    """In keras-2.0 the older words stand for the layouts (C019)."""
    set_by_word = function == "set_image_dim_ordering"
    setter = function if set_by_word else "set_image_data_format"
    getter = "image_data_format" if set_by_word else function
    for word, layout in zip(WORDS, LAYOUTS, strict=True):
        told, wanted = (word, layout) if set_by_word else (layout, word)
        w = ProgramWriter()
        w.call(setter, told)
        w.observe("read", getter)
        test = checks.is_one_of(wanted)
        at = {"ja-2.0": 354 if set_by_word else 383}
        check = Check(
            "the other name",
            Aspect.STATE,
            outputs=("read",),
            test=test,
            demands=repr(wanted),
            at=at,
        )
        yield written(function, f"{getter}() after {setter}", w, check)


Maker = tuple[str, tuple[Argument, ...]]
MATRIX = [[1.0, 2.0], [3.0, 4.0]]
MAKERS: tuple[Maker, ...] = (
    ("variable", (Ref("numbers"),)),
    ("constant", (Ref("numbers"),)),
    ("placeholder", ((2, 2),)),
    ("zeros", ((2, 2),)),
    ("ones", ((2, 2),)),
    ("eye", (2,)),
    ("random_uniform_variable", ((2, 2), 0.0, 1.0)),
    ("random_normal_variable", ((2, 2), 0.0, 1.0)),
    ("random_uniform", ((2, 2),)),
    ("random_normal", ((2, 2),)),
)
"""Functions whose dtype is None by default, with arguments."""


def _default_dtype(_edition: Edition) -> Iterator[Scenario]:
    """Functions that are given no dtype use the one that set_floatx has set."""
    for maker, arguments in MAKERS:
        for name in FLOATS[:2]:
            yield _made_in(name, maker, arguments)


def _made_in(floatx: str, maker: str, arguments: tuple[Argument, ...]) -> Scenario:
    w = ProgramWriter()
    if Ref("numbers") in arguments:
        w.array("numbers", MATRIX, "float32")
    w.call("set_floatx", floatx)
    made = w.call(maker, *arguments)
    asks = maker == "placeholder"
    w.observe("made", "dtype" if asks else "eval", made)
    has_dtype = checks.is_one_of if asks else checks.has_dtype
    single = Alternative(ConventionName.DEFAULT_DTYPE, "float32", has_dtype("float32"))
    check = Check(
        "the default dtype",
        Aspect.STATE,
        outputs=("made",),
        test=has_dtype(floatx),
        demands=floatx,
        alternatives=(single,),
    )
    title = f"{maker} after set_floatx({floatx!r})"
    return written("set_floatx", title, w, check, conventions=(ConventionName.DEFAULT_DTYPE,))


CAST_AT = {"ja-1": 156, "ja-1-text": 114, "ja-2.0": 249, "zh-TW": 155, "ko-2.2": 3938}


@composite
def _casts(draw: st.DrawFn) -> Scenario:
    """Arrays of any dtype and shape; the numbers need no more than a float16 has."""
    dtype = draw(st.sampled_from(("float64", "float32", "float16", "int32", "int64", "uint8")))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    numbers = draw(
        st.lists(st.integers(0, 1024), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    )
    scale = 4 if dtype.startswith("float") else 1
    array = (np.array(numbers, "float64") / scale % 256).reshape(shape).astype(dtype)
    return _cast(array, None)


def _cast(array: Any, floatx: str | None) -> Scenario:
    w = ProgramWriter()
    given = w.array("x", array)
    if floatx:
        w.call("set_floatx", floatx)
    w.observe("result", "cast_to_floatx", given)
    wanted = floatx or "float32"
    aspect = Aspect.STATE if floatx else Aspect.DTYPE
    tests = (
        Check(
            "the dtype", aspect, outputs=("result",), test=checks.has_dtype(wanted), demands=wanted
        ),
        Check(
            "the numbers",
            Aspect.STATE if floatx else Aspect.VALUE,
            outputs=("result",),
            test=checks.is_array(np.asarray(array, wanted)),
            demands=f"the same array in {wanted}",
            at=CAST_AT,
        ),
    )
    # arrays of any dtype are documented
    conventions = unsettled_of(np.shape(array), "float32")
    title = f"an array in {wanted}"
    return written("cast_to_floatx", title, w, *tests, conventions=conventions)


def _cast_after(_edition: Edition) -> list[Scenario]:
    """The dtype of the array is the one that set_floatx has set."""
    array = np.array([[1.0, -2.5], [0.125, 1000.0]])
    # in float64 with digits that float32 lacks
    return [_cast(array + 2.0**-30 if name == "float64" else array, name) for name in FLOATS]


def _rounded(_edition: Edition) -> list[Scenario]:
    """Numbers that the default type does not have are rounded to the nearest that it has."""
    return [_cast(np.array([0.1, -1 / 3, 16777217.0, 1e-03]), None)]


IMAGE = np.arange(24.0).reshape(1, 2, 3, 4)
SQUARE = np.arange(12.0).reshape(1, 2, 3, 2)
BIAS = np.array([10.0, 20.0])
LAYOUT_USERS = (("spatial_2d_padding", (IMAGE,)), ("bias_add", (SQUARE, BIAS)))
"""Functions with data_format=None, and arrays that they take in both layouts."""


def _default_layout(_edition: Edition) -> Iterator[Scenario]:
    """Functions that are given no data_format follow set_image_data_format."""
    for function, arrays in LAYOUT_USERS:
        for layout in LAYOUTS:
            yield _laid_out(function, arrays, layout)


def _laid_out(function: str, arrays: Sequence[Any], layout: str) -> Scenario:
    w = ProgramWriter()
    given = [w.array(f"x_{i}", array, "float32") for i, array in enumerate(arrays)]
    tensors = [w.call("variable", array) for array in given]
    w.call("set_image_data_format", layout)
    w.observe("default", "eval", w.call(function, *tensors))
    w.observe("named", "eval", w.call(function, *tensors, data_format=layout))
    outputs, demands = ("default", "named"), f"what data_format={layout!r} gives"
    check = Check("the default layout", Aspect.STATE, outputs=outputs, test=_same, demands=demands)
    title = f"{function} after set_image_data_format({layout!r})"
    return written(
        "set_image_data_format", title, w, check, conventions=(ConventionName.DEFAULT_DATA_FORMAT,)
    )


def _same(one: Values, other: Values) -> Problem | None:
    wanted = checks.only(other)
    return wanted if isinstance(wanted, Problem) else checks.is_array(wanted)(one)


def _epsilon_used(_edition: Edition) -> list[Scenario]:
    """A cross-entropy of a certain, wrong answer is finite, and the smaller the larger epsilon."""
    w = ProgramWriter()
    target = w.call("variable", w.array("target", [1.0, 0.0], "float32"))
    output = w.call("variable", w.array("output", [0.0, 1.0], "float32"))
    for name, value in (("small", 1e-06), ("large", 1e-02)):
        w.call("set_epsilon", value)
        w.observe(name, "eval", w.call("binary_crossentropy", target, output))
    check = Check(
        "epsilon is used",
        Aspect.STATE,
        outputs=("small", "large"),
        test=_falls,
        demands="finite, the second smaller",
        alternatives=(Alternative(ConventionName.EPSILON_IN_LOSSES, "a constant", _stays),),
    )
    title = "a loss with two values of epsilon"
    return [
        written("set_epsilon", title, w, check, conventions=(ConventionName.EPSILON_IN_LOSSES,))
    ]


def _falls(small: Values, large: Values) -> Problem | None:
    first, second = checks.only(small), checks.only(large)
    if isinstance(first, Problem) or isinstance(second, Problem):
        return first if isinstance(first, Problem) else second  # type: ignore[return-value]
    if np.isfinite([first, second]).all() and (second < first).all():
        return None
    return Problem(f"gives {checks.shown(first)} and {checks.shown(second)}", "not used")


def _stays(small: Values, large: Values) -> Problem | None:
    """Both are the same finite numbers."""
    first, second = checks.only(small), checks.only(large)
    if isinstance(first, Problem) or isinstance(second, Problem):
        return first if isinstance(first, Problem) else second  # type: ignore[return-value]
    same = np.array_equal(first, second) and np.isfinite(first).all()
    return None if same else Problem("gives other numbers", "other numbers")


INVALID: dict[str, tuple[Argument, ...]] = {
    "epsilon": ("small", None),
    "floatx": ("int32", "float128", "double", "", 32, None),
    "image_data_format": ("tf", "channels", "", None),
    "image_dim_ordering": ("channels_last", "TF", "", None),
}


def _refused(getter: str, edition: Edition) -> Iterator[Scenario]:
    """A value that is not documented is refused, and the setting stays as it was."""
    documented = getter == "image_dim_ordering" and edition == "keras-2.0"
    test = checks.raises("ValueError") if documented else checks.raises()
    demands = "ValueError" if documented else "an exception"
    conventions = () if documented else (ConventionName.INVALID_INPUT,)
    setter, valid = f"set_{getter}", VALUES[getter][0]
    for value in INVALID[getter]:
        w = ProgramWriter()
        w.call(setter, valid)
        w.attempt("attempt", setter, value)
        w.observe("read", getter)
        kept = checks.is_one_of(valid)
        yield written(
            setter,
            f"{setter}({value!r})",
            w,
            Check(
                "an invalid value",
                Aspect.ERROR,
                outputs=("attempt",),
                test=test,
                demands=demands,
                at={},
                conventions=conventions,
            ),
            Check(
                "the setting after an exception",
                Aspect.STATE,
                outputs=("attempt", "read"),
                test=partial(_unless_taken, kept),
                demands=f"{valid!r}, as before",
                at=READ_BACK[getter],
                conventions=(ConventionName.REFUSED_UNCHANGED,),
            ),
        )


def _unless_taken(kept: checks.Test, attempt: Values, read: Values) -> Problem | None:
    """The setting after a refused value. If the value was accepted, another check fails."""
    return None if checks.returns(attempt) is None else checks.of_last(kept(read))


def _family(function: str, make: Any, *aspects: Aspect, editions: Sequence[Edition]) -> Family:
    return Family(function, frozenset(aspects), make=make, editions=tuple(editions))


def _families() -> Iterator[Family]:
    offered: dict[str, tuple[Edition, ...]] = {
        "epsilon": EDITIONS,
        "floatx": NEWER,
        "image_data_format": NEWER,
        "image_dim_ordering": OLDER,
    }
    yield _family("backend", _backend_is_a_name, Aspect.VALUE, editions=EDITIONS)
    for getter, editions in offered.items():
        setter, known = f"set_{getter}", EDITIONS if getter == "floatx" else editions
        yield _family(getter, partial(_getter_gives, getter), Aspect.VALUE, editions=known)
        for name in (setter, getter):
            make = partial(_read_back, name, getter)
            yield _family(name, make, Aspect.STATE, editions=editions)
        make = partial(_refused, getter)
        yield _family(setter, make, Aspect.ERROR, Aspect.STATE, editions=editions)
    for name in ("set_image_dim_ordering", "image_dim_ordering"):
        yield _family(name, partial(_words, name), Aspect.STATE, editions=("keras-2.0",))
    yield _family("set_floatx", _default_dtype, Aspect.STATE, editions=NEWER)
    yield _family("set_image_data_format", _default_layout, Aspect.STATE, editions=NEWER)
    yield _family("set_epsilon", _epsilon_used, Aspect.STATE, editions=EDITIONS)
    result = (Aspect.VALUE, Aspect.DTYPE)
    yield _family("cast_to_floatx", lambda _: _casts(), *result, editions=EDITIONS)
    yield _family("cast_to_floatx", _rounded, *result, editions=EDITIONS)
    yield _family("cast_to_floatx", _cast_after, Aspect.STATE, editions=NEWER)


FAMILIES: tuple[Family, ...] = tuple(_families())
