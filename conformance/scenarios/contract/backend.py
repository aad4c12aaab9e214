"""Functions and flags of a backend's module: conversions of every dtype, symbolic specs, seeds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import (
    has_dtype,
    is_array,
    is_one_of,
    is_static_shape,
    plain,
    shown,
)
from conformance.scenarios.contract.parts import attribute, section, tensor
from conformance.scenarios.model import KERAS_3, Alternative, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
CONVERT, SPEC = "keras.src.backend.convert_to_tensor", "keras.src.backend.compute_output_spec"
SEED_DTYPE = "keras.src.backend.random_seed_dtype"
CONVERSION, ANSWER = (
    section(f"keras.ops.convert_to_tensor: {name}") for name in ("Args", "Returns")
)
SYMBOL = section("keras.KerasTensor: Example")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
DTYPES = ("bool", *INTEGERS, "float16", "float32", "float64", "bfloat16")


@BOOK.scenario(
    CONVERT,
    "{dtype}",
    Aspect.VALUE,
    Aspect.DTYPE,
    editions=KERAS_3,
    dtype=DTYPES,
    form=("an array", "a list", "a variable"),
)
def converted(K: Recorder, dtype: str, form: str) -> None:
    """A tensor of the dtype, and from it an array with the same numbers."""
    held = "float32" if dtype == "bfloat16" else dtype
    x = np.array([[0, 1], [1, 0]], held)
    source: Any = x.tolist() if form == "a list" else K.array("x", x)
    if form == "a variable":
        source = K.keras.Variable(source, dtype=dtype, trainable="float" in dtype)
    K.title = f"{form} in {dtype}"
    result = K[K.tested](source, dtype=dtype)
    known = K["keras.src.backend.is_tensor"](result).output("tensor")
    name = K.dtype(result).output("dtype")
    array = K.eval(result).output("array")
    K.expect("the numbers", array, is_array(x), shown(x), at=CONVERSION)
    K.expect("it is a tensor", known, is_one_of(True), "a tensor", at=ANSWER)
    dtype_of = Aspect.DTYPE
    K.expect("the dtype", name, is_one_of(dtype), dtype, aspect=dtype_of, at=CONVERSION)
    if dtype != "bfloat16":
        K.expect("the array's dtype", array, has_dtype(dtype), dtype, aspect=dtype_of, at=ANSWER)


def _flagged(flag: Values, attempt: Values, *, allows: bool = False) -> Problem | None:
    """The flag is true if and only if the attempt returns; with `allows` it may be too modest."""
    says, does = bool(plain(flag)), plain(attempt) == "returns"
    if says is does or (allows and does):
        return None
    act = "works" if does else f"{plain(attempt)}"
    fault = "bool(first) != (values[1][0] == 'returns')"
    return Problem(f"says {says}, and the backend {act}", f"{says}", got=str(says), fault=fault)


FLAGS = {
    "SUPPORTS_SPARSE_TENSORS": "sparse",
    "SUPPORTS_RAGGED_TENSORS": "ragged",
}


def _expect_flag(K: Recorder, flag: str, call: Callable[[], Result]) -> None:
    says, does = K.backend_flag(flag).output("flag"), call().output("attempt")
    modest = Alternative(
        ConventionName.CAPABILITY_FLAG, "too modest", partial(_flagged, allows=True)
    )
    K.expect(
        flag,
        (says, does),
        _flagged,
        "a flag that says what the backend does",
        at=CONVERSION,
        alternatives=(modest,),
    )


@BOOK.scenario(CONVERT, "the flag {flag}", editions=KERAS_3, flag=FLAGS.keys())
def kinds_of_tensors(K: Recorder, flag: str) -> None:
    """`convert_to_tensor` takes `sparse=True` or `ragged=True` if the flag says so."""
    x = K.array("x", np.array([[0, 2], [1, 0]], "float32"))
    _expect_flag(K, flag, lambda: K.attempt(K[K.tested], x, **{FLAGS[flag]: True}))


@BOOK.scenario(CONVERT, "the flag SUPPORTS_COMPLEX_DTYPES", editions=KERAS_3)
def complex_flag(K: Recorder) -> None:
    """Complex numbers become a tensor and are multiplied if the flag says so."""
    pairs = tensor(K, "pairs", [[1, 2], [3, -1]])

    def body(x: Result) -> Result:
        number = K.complex_numbers(x)
        return K.imaginary_part(K["keras.ops.multiply"](number, number))

    square = K.body("square", body)
    _expect_flag(K, "SUPPORTS_COMPLEX_DTYPES", lambda: K.attempt(K.operator.call, square, pairs))


@BOOK.scenario(CONVERT, "the flag IS_THREAD_SAFE", editions=KERAS_3)
def thread_flag(K: Recorder) -> None:
    """Several threads get what one thread gets."""
    x = np.arange(1, 13, dtype="float32").reshape(3, 4)
    held = tensor(K, "x", x)
    body = K.body("total", lambda: K["keras.ops.sum"](K["keras.ops.square"](held), axis=1))
    safe = K.backend_flag("IS_THREAD_SAFE").output("flag")
    total = K.eval(K.in_threads(body)()).output("totals")
    expected = np.tile((x**2).sum(1), (8, 1))

    def test(flag: Values, totals: Values) -> Problem | None:
        return is_array(expected)(totals) if plain(flag) else None

    K.expect("IS_THREAD_SAFE", (safe, total), test, "the same numbers in each thread", at=ANSWER)


FUNCTIONS: dict[str, Callable[[Recorder, Result], Result]] = {
    "a product": lambda K, x: K["keras.ops.matmul"](x, K["keras.ops.transpose"](x)),
    "a sum": lambda K, x: K["keras.ops.sum"](x, axis=0),
    "a stack": lambda K, x: K["keras.ops.stack"]([x, x], axis=-1),
    "a comparison": lambda K, x: K["keras.ops.greater"](x, 1.0),
    "a cast": lambda K, x: K["keras.ops.cast"](x, "int32"),
}
SHAPES: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "a product": lambda n: (n, n),
    "a sum": lambda _: (3,),
    "a stack": lambda n: (n, 3, 2),
    "a comparison": lambda n: (n, 3),
    "a cast": lambda n: (n, 3),
}


@BOOK.scenario(
    SPEC,
    "{what}",
    Aspect.STATIC_SHAPE,
    Aspect.DTYPE,
    editions=KERAS_3,
    what=FUNCTIONS.keys(),
    rows=(2, None),
)
def symbolic(K: Recorder, what: str, rows: int | None) -> None:
    """The symbol has the shape and the dtype of the computed tensor."""
    f = K.body("f", lambda x: FUNCTIONS[what](K, x))
    K.title = what if rows else f"{what} of any number of rows"
    symbol = K[K.tested](f, K.placeholder(shape=(rows, 3), dtype="float32"))
    shape, named = K.int_shape(symbol).output("shape"), K.dtype(symbol).output("claimed")
    computed = K.operator.call(f, tensor(K, "x", np.ones((2, 3), "float32")))
    dtype = K.dtype(computed).output("dtype")
    expected = SHAPES[what](rows)
    K.expect("the shape", shape, is_static_shape(expected), str(expected), at=SYMBOL)
    demands, of_dtype = "the dtype of the computed tensor", Aspect.DTYPE
    K.expect("the dtype", (named, dtype), same_text, demands, aspect=of_dtype, at=SYMBOL)


def same_text(first: Values, second: Values) -> Problem | None:
    """Two outputs are the same text."""
    text, other = plain(first), plain(second)
    if text == other:
        return None
    return Problem(f"is {text}, not {other}", f"{text}", fault="first != values[1][0]")


@BOOK.scenario(SEED_DTYPE, "a SeedGenerator", editions=KERAS_3)
def of_seeds(K: Recorder) -> None:
    """The state of a SeedGenerator has the dtype of seeds."""
    named = K[K.tested]().output("named")
    generator = K.keras.random.SeedGenerator(7)
    state = attribute(K, attribute(K, generator, "state"), "dtype").output("state")
    place = section("keras.random.SeedGenerator: Summary")
    K.expect("the dtype of a state", (named, state), same_text, "the dtype of the state", at=place)


FAMILIES = BOOK.families
