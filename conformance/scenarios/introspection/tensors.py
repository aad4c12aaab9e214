"""The library's claims about a tensor: kind, static shape, rank, dtype, size; casts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from conformance.editions import EDITIONS
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.model import Alternative, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
NEWER = EDITIONS[1:]
NEWEST = EDITIONS[2:]
DOCUMENTED = ("float32", "float64")
OTHERS = ("float16", "int32", "int64", "uint8", "bool")

Dims = tuple[int | None, ...]
Draw = st.DrawFn


class InspectedTensor(NamedTuple):
    """A tensor of the program, and the known facts about it."""

    result: Result
    shape: Dims
    dtype: str
    what: str


def _shape(draw: Draw, lowest: int) -> tuple[int, ...]:
    rank = draw(st.sampled_from([r for r in (2, 3, 1, 4, 2, 3, 0, 5) if lowest <= r]))
    return tuple(draw(st.sampled_from((2, 3, 1, 4, 2, 3, 5, 0))) for _ in range(rank))


def _zeros(K: Recorder, shape: tuple[int, ...], dtype: str) -> Result:
    return K.array("value", np.zeros(shape), dtype)


def _open(K: Recorder, draw: Draw, shape: tuple[int, ...], dtype: str) -> tuple[Result, Dims]:
    """A placeholder with some dimensions unknown."""
    known = tuple(None if draw(st.booleans()) else d for d in shape)
    return K.placeholder(shape=known, dtype=dtype), known


def _result(K: Recorder, draw: Draw, shape: tuple[int, ...], dtype: str) -> tuple[Result, Dims]:
    """The result of an operation on a placeholder."""
    x, known = _open(K, draw, shape, dtype)
    operation = draw(st.sampled_from(list(_OPERATIONS) if len(shape) > 1 else ["maximum"]))
    return _OPERATIONS[operation](K, x, known)


def _permuted(K: Recorder, x: Result, shape: Dims) -> tuple[Result, Dims]:
    return K.permute_dimensions(x, tuple(reversed(range(len(shape))))), shape[::-1]


_OPERATIONS: dict[str, Callable[[Recorder, Result, Dims], tuple[Result, Dims]]] = {
    "maximum": lambda K, x, s: (K.maximum(x, x), s),
    "expand_dims": lambda K, x, s: (K.expand_dims(x, 1), (s[0], 1, *s[1:])),
    "permute": _permuted,
    "max": lambda K, x, s: (K.max(x, axis=1), (s[0], *s[2:])),
}

KINDS: dict[str, Callable[..., tuple[Result, Dims]]] = {
    "a variable": lambda K, _, s, dtype: (K.variable(_zeros(K, s, dtype), dtype=dtype), s),
    "a placeholder": lambda K, _, s, dtype: (K.placeholder(shape=s, dtype=dtype), s),
    "a placeholder with unknown dimensions": _open,
    "a placeholder of known rank": lambda K, _, s, dtype: (
        K.placeholder(ndim=len(s), dtype=dtype),
        (None,) * len(s),
    ),
    "a constant": lambda K, _, s, dtype: (K.constant(_zeros(K, s, dtype), dtype=dtype), s),
    "a result": _result,
}
"""How tensors are made."""

RANKED = ("a placeholder of known rank", "a result")
"""The kinds of tensors for which rank 0 would show nothing."""

KNOWN = ("a variable", "a placeholder", "a constant")
"""The kinds of tensors whose dimensions are all known."""


def _tensor(
    K: Recorder, draw: Draw, kinds: Sequence[str] = (*KINDS,), dtypes: Sequence[str] = DOCUMENTED
) -> InspectedTensor:
    """A tensor of one of these kinds, which the scenario is about."""
    offered = [k for k in kinds if k != "a constant" or K.edition != "keras-1"]
    what = draw(st.sampled_from(offered))
    shape = _shape(draw, 1 if what in RANKED else 0)
    if what == "a result":  # whether an operation takes no elements is tested elsewhere
        shape = tuple(max(d, 1) for d in shape)
    dtype = draw(st.sampled_from(dtypes))
    result, known = KINDS[what](K, draw, shape, dtype)
    K.title, K.conventions = f"{K.tested} of {what}", sorted(unsettled_of(shape, dtype))
    return InspectedTensor(result, known, dtype, what)


@BOOK.scenario("int_shape")
def static_shapes(K: Recorder, draw: Draw) -> None:
    """The static shape of a tensor of any kind."""
    tensor = _tensor(K, draw)
    _expect_shape(K, tensor.result, tensor.shape)


@BOOK.scenario("int_shape", "int_shape of a result of unknown shape")
def unknown_shape(K: Recorder) -> None:
    """The result of an operation of which nothing but the rank is known."""
    _expect_shape(K, K.square(K.placeholder(shape=(None, None))), (None, None))


def _expect_shape(K: Recorder, tensor: Result, shape: Dims) -> None:
    result = K.int_shape(tensor).output("result")
    both = result, K.attempt(K.operator.add, result, ()).output("joined")
    K.expect("a tuple", both, _is_tuple, "a tuple")
    K.expect("the dimensions", both, partial(_has_dimensions, shape), str(shape))
    if K.edition == "keras-1":  # only on TensorFlow
        K.conventions = sorted({*K.conventions, ConventionName.INT_SHAPE_EVERYWHERE})


def _is_tuple(result: Values, joined: Values) -> Problem | None:
    """Only a tuple can be joined to a tuple."""
    if checks.returns(joined) is None:
        return None
    value = checks.plain(result)
    return Problem(f"gives {value!r}", "no tuple", got=repr(value))


def _has_dimensions(shape: Dims, result: Values, joined: Values) -> Problem | None:
    """The dimensions that follow from the arguments. None for one is imprecise, not wrong."""
    if checks.returns(joined) is not None:
        return None
    if (odd := checks.not_integers(result)) is not None:
        return odd
    dims = tuple(checks.described(v) for v in result)
    if dims == shape:
        return None
    agree = len(dims) == len(shape) and all(
        f is None or f == d for f, d in zip(dims, shape, strict=True)
    )
    if agree:
        conventions = (ConventionName.PRECISE_STATIC_SHAPE,)
        return Problem(f"gives {dims}", "imprecise", conventions=conventions, got=str(dims))
    return Problem(f"gives {dims}", "shape", got=str(dims))


@BOOK.scenario("ndim")
def ranks(K: Recorder, draw: Draw) -> None:
    """The number of axes."""
    tensor = _tensor(K, draw)
    rank = len(tensor.shape)
    result = K.ndim(tensor.result).output("result")
    K.expect("the rank", result, partial(_is_integer, rank), f"{rank}, an integer")


@BOOK.scenario("count_params")
def counts(K: Recorder, draw: Draw) -> None:
    """The number of elements."""
    tensor = _tensor(K, draw, KNOWN)
    result = K.count_params(tensor.result).output("result")
    count = prod(d or 0 for d in tensor.shape)
    # that it is an integer stands in ja-2.0:899 and ko-2.2:832; ja-1:386 says what is counted alone
    test, kind = (_is_number, "") if K.edition == "keras-1" else (_is_integer, ", an integer")
    K.expect("the number of elements", result, partial(test, count), f"{count}{kind}")
    if K.edition == "keras-2.0" and tensor.what != "a variable":
        K.conventions = sorted({*K.conventions, ConventionName.NOT_ONLY_VARIABLES})


def _is_number(expected: int, values: Values) -> Problem | None:
    got = checks.only(values)
    if isinstance(got, Problem):
        return got
    if got.shape != () or got != expected:
        return Problem(f"gives {checks.shown(got)}", "value", got=got, expected=np.array(expected))
    return None


def _is_integer(expected: int, values: Values) -> Problem | None:
    problem = _is_number(expected, values)
    if problem is None and (got := values[0].array) is not None and got.dtype.kind not in "iu":
        fault = "np.asarray(first).dtype.kind not in 'iu'"
        return Problem(f"gives a {values[0].python_type}", "no integer", got=got, fault=fault)
    return problem


@BOOK.scenario("dtype")
def dtypes_of(K: Recorder, draw: Draw) -> None:
    """The dtype of a tensor; of a variable keras-2.x and zh-TW print `float32_ref` (C033)."""
    dtypes = [*DOCUMENTED * 3, *OTHERS] if draw(st.booleans()) else DOCUMENTED
    tensor = _tensor(K, draw, [k for k in KINDS if k != "a result"], dtypes)
    result, dtype = K.dtype(tensor.result).output("result"), tensor.dtype
    suffixed = Alternative(ConventionName.PLAIN_DTYPE, "_ref", partial(_is_dtype, f"{dtype}_ref"))
    others = (suffixed,) if tensor.what == "a variable" else ()
    test = partial(_is_dtype, dtype)
    K.expect("the dtype", result, test, repr(dtype), alternatives=others)


def _is_dtype(expected: str, values: Values) -> Problem | None:
    dtype = checks.plain(values)
    if dtype == expected:
        return None
    detail = "suffix" if str(dtype).endswith("_ref") else "dtype"
    return Problem(f"gives {dtype!r}", detail, got=repr(dtype))


def _something(K: Recorder, what: str) -> Result | float:
    """An argument of one kind for the functions that tell kinds apart."""
    match what:
        case "an array":
            return K.array("array", [1.0, 2.0])
        case "a number":
            return 3.5
        case "a variable":
            return K.variable(K.array("value", np.zeros((2, 3))))
        case "a constant":
            return K.constant(1.0, shape=(2,))
    x = K.placeholder(shape=(2, 3))
    return K.maximum(x, x) if what == "a result" else x


Answers = dict[str, tuple[bool, Lines]]
"""For each kind of argument: the answer, and the line that says it, if one does."""

TENSORS: Answers = {
    "an array": (False, {}),
    "a number": (False, {}),
    "a variable": (True, {}),
    "a placeholder": (True, {}),
    "a result": (True, {}),
    "a constant": (True, {}),
}
PLACEHOLDERS: Answers = {
    "an array": (False, {}),
    "a number": (False, {}),
    "a variable": (False, {"ko-2.2": 362}),
    "a placeholder": (True, {"ko-2.2": 362}),
    "a result": (False, {"ko-2.2": 362}),
    "a constant": (False, {"ko-2.2": 362}),
}
OLD_KERAS_TENSORS: Answers = {
    "an array": (False, {"ja-2.0": 337}),
    "a variable": (False, {"ja-2.0": 340}),
    "a placeholder": (True, {"ja-2.0": 343}),
}
KERAS_TENSORS: Answers = {
    "a variable": (False, {"ko-2.2": 293}),
    "a placeholder": (False, {"ko-2.2": 296}),
    "a result": (False, {"ko-2.2": 265}),
    "a constant": (False, {}),
}
OTHER_KINDS = {
    ("is_tensor", "a constant"): "constants are not",
    ("is_placeholder", "a constant"): "constants are not",
    ("is_tensor", "a placeholder"): "placeholders are not",
    ("is_tensor", "a result"): "placeholders are not",
    ("is_tensor", "a variable"): "variables are not",
    ("is_tensor", "an array"): "arrays are",
}
"""The readings of `kinds-of-tensors` under which a function answers otherwise."""
OF_KIND = "{function} of {row[0]}"


@BOOK.scenario("is_tensor", OF_KIND, editions=NEWEST, row=TENSORS.items())
@BOOK.scenario("is_placeholder", OF_KIND, editions=NEWEST, row=PLACEHOLDERS.items())
@BOOK.scenario("is_keras_tensor", OF_KIND, editions=NEWEST, row=KERAS_TENSORS.items())
@BOOK.scenario("is_keras_tensor", OF_KIND, editions=("keras-2.0",), row=OLD_KERAS_TENSORS.items())
def answers(K: Recorder, row: tuple[str, tuple[bool, Lines]]) -> None:
    """The function's answer for an argument of each kind."""
    what, (answer, at) = row
    reading = OTHER_KINDS.get((K.tested, what))
    test, convention = checks.is_one_of(not answer), ConventionName.KINDS_OF_TENSORS
    others = [Alternative(convention, reading, test)] if reading else []
    K.conventions = () if at else (convention,)
    _expect_answer(K, K[K.tested](_something(K, what)).output("result"), answer, at, others)


def _expect_answer(
    K: Recorder, result: Result, answer: bool, at: Lines, others: Sequence[Alternative] = ()
) -> None:
    test = checks.is_one_of(answer)
    K.expect("the answer", result, test, str(answer), at=at, alternatives=others)


@BOOK.scenario("is_tensor", "is_tensor of each kind of tensor", editions=NEWEST)
def distinguished(K: Recorder) -> None:
    """Whatever is_tensor takes for a tensor, not everything is one, and something is."""
    kinds = [(number, what) for number, (what, (answer, _)) in enumerate(TENSORS.items()) if answer]
    results = [K.is_tensor(_something(K, what)).output(f"answer_{n}") for n, what in kinds]
    of_number = K.is_tensor(3.5).output("number")
    demands = "True for a variable, a placeholder, a constant or a result"
    K.expect("something is a tensor", results, _any_is_true, demands)
    _expect_answer(K, of_number, False, {})


def _any_is_true(*answers: Values) -> Problem | None:
    values = [checks.plain(answer) for answer in answers]
    return None if True in values else Problem(f"gives {values}", "none")


LAYERS = {"Input": 299, "the output of a layer": 302, "a result of Input": 265}


@BOOK.scenario("is_keras_tensor", "is_keras_tensor of {what}", editions=NEWEST, what=LAYERS)
def layers(K: Recorder, what: str) -> None:
    """Results of Input and of a layer are Keras tensors; values computed from them are not."""
    x = K.keras.layers.Input([10])
    if what == "the output of a layer":
        x = K.keras.layers.Dense(10)(x)
    elif what == "a result of Input":
        x = K.maximum(x, x)
    answer = what != "a result of Input"
    _expect_answer(K, K.is_keras_tensor(x).output("result"), answer, {"ko-2.2": LAYERS[what]})


@BOOK.scenario(
    "is_keras_tensor",
    "is_keras_tensor of {what}",
    Aspect.ERROR,
    editions=NEWEST,
    what=("an array", "a number"),
)
def refused(K: Recorder, what: str) -> None:
    """Arguments that are not symbolic tensors are refused."""
    attempt = K.attempt(K.is_keras_tensor, _something(K, what)).output("result")
    K.expect("no tensor", attempt, checks.raises("ValueError"), "ValueError", at={"ko-2.2": 278})


CASTS = {
    "int32": [-2.75, -1.0, -0.5, 0.0, 0.5, 3.9],
    "int64": [-2.75, -1.0, -0.5, 0.0, 0.5, 3.9],
    "uint8": [0.0, 0.5, 3.9, 200.0],
    "bool": [-2.0, -0.5, 0.0, 0.5, 1.0, 3.0],
}
"""Dtypes that the documents do not name, and numbers that they can hold without a fraction."""


@BOOK.scenario("cast", "a cast to {dtype}", dtype=CASTS)
def casts(K: Recorder, dtype: str) -> None:
    """Casts to dtypes other than the documented."""
    numbers = np.array(CASTS[dtype], "float32")
    result = K.eval(K.cast(K.variable(K.array("x", numbers)), dtype)).output("result")
    expected = numbers.astype(dtype)
    test, demands = checks.is_array(expected, dtype=True), f"{expected.tolist()} in {dtype}"
    uncast, convention = checks.is_array(numbers, dtype=True), ConventionName.CAST_TO_OTHERS
    other = Alternative(convention, "not cast", uncast)
    K.conventions = (convention,)
    K.expect("other dtypes", result, test, demands, alternatives=(other,))


@BOOK.scenario("cast", "a cast and its argument", Aspect.DTYPE, editions=NEWER)
def not_in_place(K: Recorder) -> None:
    """The argument keeps its dtype; only the result has the new one."""
    x = K.placeholder((2, 3), dtype="float32")
    cast = K.dtype(K.cast(x, dtype="float16")).output("cast")
    argument = K.dtype(x).output("argument")
    at = {"ja-2.0": 940, "ko-2.2": 875}
    K.expect("the dtype of the cast", cast, checks.is_one_of("float16"), "float16")
    K.expect("the dtype of the argument", argument, checks.is_one_of("float32"), "float32", at=at)


FAMILIES = BOOK.families
