"""Symbolic results of keras.ops have the shape and the dtype of the computed results.

Where a call raises, computed or symbolic, the other has nothing to agree with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.observations import Value
from conformance.results import Aspect
from conformance.scenarios.checks import LACKING, described, gave_none, plain, returns
from conformance.scenarios.model import KERAS_3, SYMBOL, Problem, Values
from conformance.scenarios.promises.symbolic_calls import TensorArgument, TwofoldCall, by_function
from conformance.scenarios.recorder import Book, Recorder

BOOK = Book()


@dataclass(frozen=True, slots=True, eq=False)
class Twin(TwofoldCall):
    """A call whose symbolic result tells about the computed one."""

    count: int = 0
    """The number of results in a list or tuple; 0 for one tensor."""
    covered: bool = False
    """Whether the docstring covers the call: a symbol must be taken where a tensor is."""


NUMBER = TensorArgument("x", ())
PAIR = TensorArgument("x", (2,))
MATRIX = TensorArgument("x", (2, 3))
TURN = TensorArgument("x", (2, 2), "float32", (0, 1, -1, 0))
"""A real matrix whose eigenvalues are not real."""
COMPLEX = TensorArgument("x", (3,), "complex64")
VECTOR = TensorArgument("x", (4,))
LABELS = TensorArgument("x", (2,), "int32", (0, 2))
SCALES = TensorArgument("scale", (2,), "float32", (0.5, 0.5)), TensorArgument("translation", (2,))
ROW = TensorArgument("x", (1, 3), "int32")
COLUMN = TensorArgument("y", (2, 1), "int32")
SHIFTS = ("left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift")
OF_NUMBERS = (
    *("add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "mod", "fmod"),
    *("power", "maximum", "minimum", "fmax", "fmin", "arctan2", "logaddexp", "logaddexp2"),
    *("hypot", "heaviside", "nextafter", "inner", "outer", "kron"),
)
OF_INTEGERS = (*SHIFTS, "bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm")
TWINS = (
    *(
        Twin(name, f"{dtype} beside {number}", [TensorArgument("x", (2,), dtype), number])
        for dtype, number, names in (
            ("float16", 1.5, OF_NUMBERS),
            ("int8", 2, (*OF_NUMBERS, *OF_INTEGERS)),
        )
        for name in names
    ),
    *(Twin(name, "a row and a column", [ROW, COLUMN]) for name in SHIFTS),
    *(
        Twin(name, "int32", [TensorArgument("x", (2,), "int32", (0, 1))])
        for name in ("erf", "erfc", "erfinv", "rsqrt", "sparsemax")
    ),
    Twin("svd", "int32", [TensorArgument("x", (2, 2), "int32")], count=3),
    Twin("one_hot", "a new last axis", [LABELS, 3], {"axis": 1}, covered=True),
    Twin("broadcast_to", "a whole number as shape", [PAIR, 2], covered=True),
    Twin("cross", "vectors of two elements", [PAIR, TensorArgument("y", (2,))], covered=True),
    Twin("squeeze", "no axes", [TensorArgument("x", (1, 2, 1))], {"axis": ()}),
    Twin("vstack", "two vectors", [[PAIR, TensorArgument("y", (2,))]]),
    *(
        Twin(name, "complex64", [COMPLEX])
        for name in ("abs", "absolute", "angle", "imag", "real", "std")
    ),
    Twin(
        "batch_normalization",
        "float16 beside float32 statistics",
        [
            TensorArgument("x", (2, 2), "float16"),
            TensorArgument("mean", (2,)),
            TensorArgument("variance", (2,)),
            -1,
        ],
    ),
    Twin("eig", "complex eigenvalues", [TURN], count=2),
    Twin(
        "bincount",
        "weights",
        [TensorArgument("x", (2,), "int32"), TensorArgument("weights", (2,))],
        covered=True,
    ),
    Twin("kron", "ranks 1 and 2", [PAIR, TensorArgument("y", (2, 2))]),
    Twin("kron", "ranks 0 and 2", [NUMBER, TensorArgument("y", (2, 2))]),
    Twin("multi_hot", "one label", [TensorArgument("x", (), "int32"), 4]),
    Twin(
        "select",
        "a default with a fraction",
        [
            [TensorArgument("condition", (2,), "bool", (0, 1))],
            [TensorArgument("x", (2,), "int32")],
            7.5,
        ],
    ),
    Twin("slice", "3 elements from the last of 4", [VECTOR, [3], [3]]),
    Twin("slice", "length -1", [VECTOR, [0], [-1]]),
    Twin("take", "a tensor without axes", [NUMBER, 0], covered=True),
    Twin(
        "tensordot",
        "axes as a flat list",
        [MATRIX, TensorArgument("y", (2, 3)), [0, 0]],
        covered=True,
    ),
    Twin("pad", "a negative width", [TensorArgument("x", (2, 2)), -1]),
    Twin("triu", "a vector", [VECTOR]),
    Twin("tril", "a vector", [VECTOR]),
    *(
        Twin(
            "image.scale_and_translate",
            subject,
            [TensorArgument("images", (1, 4, 4, 1), dtype), shape, *SCALES, (1, 2), "linear"],
        )
        for subject, dtype, shape in (
            ("images of int32", "int32", (1, 2, 2, 1)),
            ("images of uint8", "uint8", (1, 2, 2, 1)),
            ("another number of channels", "float32", (1, 2, 2, 2)),
        )
    ),
)
PARTS = Twin("unstack", "3 parts of length 2", [MATRIX], {"num": 3})
CALLS: Mapping[str, Any] = by_function(TWINS)
COVERED: Mapping[str, Any] = by_function([call for call in TWINS if call.covered])


@BOOK.scenario(
    CALLS.keys(),
    "",
    Aspect.STATIC_SHAPE,
    Aspect.DTYPE,
    editions=KERAS_3,
    call=lambda function: CALLS[function],
)
def described_alike(K: Recorder, call: Twin) -> None:
    """The symbol has the shape and the dtype of the result."""
    K.title, K.may_refuse = call.subject, True
    tensors, keywords = call.of_tensors(K)
    symbols, others = call.of_symbols(K)
    K[K.tested](*tensors, **keywords).output("values")
    symbol = K[K.tested](*symbols, **others)
    parts = [symbol[place] for place in range(call.count)] or [symbol]
    shapes = [K.int_shape(part).output(f"shape_{place}") for place, part in enumerate(parts)]
    dtypes = [K.dtype(part).output(f"dtype_{place}") for place, part in enumerate(parts)]
    K.expect(
        "the shape of the symbol",
        (*shapes, "values"),
        _same_shapes,
        "the same shape of both",
        at=SYMBOL,
    )
    K.expect(
        "the dtype of the symbol",
        (*dtypes, "values"),
        _same_dtypes,
        "the same dtype of both",
        aspect=Aspect.DTYPE,
        at=SYMBOL,
    )


def _same_shapes(*outputs: Values) -> Problem | None:
    """The static shapes that `int_shape` gave are those of the computed tensors, the last output.

    A length that is not known is that of any tensor.
    """
    *claimed, values = outputs
    if len(claimed) != len(values):
        gives = f"gives {_counted(len(claimed), 'symbol')} and {_counted(len(values), 'tensor')}"
        return Problem(gives, "number", fault=f"len(values[-1]) != {len(claimed)}")
    for place, (dimensions, value) in enumerate(zip(claimed, values, strict=True)):
        symbol = tuple(described(dimension) for dimension in dimensions)
        computed = _shape(value)
        if computed is None or gave_none(dimensions) or _fits(symbol, computed):
            continue
        gives = f"has shape {symbol} for a symbol and {computed} for a tensor"
        known, shape = f"values[{place}]", f"np.shape(values[-1][{place}])"
        lengths = f"any(m not in (None, n) for m, n in zip({known}, {shape}))"
        return Problem(gives, "shape", fault=f"len({known}) != len({shape}) or {lengths}")
    return None


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _shape(value: Value) -> tuple[int, ...] | None:
    return None if value.array is None else value.array.shape


def _fits(static: Sequence[int | None], shape: Sequence[int]) -> bool:
    if len(static) != len(shape):
        return False
    return all(known in (None, length) for known, length in zip(static, shape, strict=True))


def _same_dtypes(*outputs: Values) -> Problem | None:
    """The names that `dtype` gave are those of the computed tensors, the last output."""
    *claimed, values = outputs
    for place, (names, value) in enumerate(zip(claimed, values, strict=False)):
        symbol = plain(names)
        if value.array is None or symbol == value.dtype:
            continue
        gives = f"is {symbol} for a symbol and {value.dtype} for a tensor"
        fault = f"values[{place}][0] != np.asarray(values[-1][{place}]).dtype.name"
        return Problem(gives, f"{symbol} {value.dtype}", fault=fault)
    return None


@BOOK.scenario("keras.ops.unstack", PARTS.subject, Aspect.STATIC_SHAPE, editions=KERAS_3)
def counted_alike(K: Recorder) -> None:
    """There are as many symbols as tensors: a third one, or two."""
    K.may_refuse = True
    tensors, keywords = PARTS.of_tensors(K)
    symbols, others = PARTS.of_symbols(K)
    K[K.tested](*tensors, **keywords).output("values")
    parts = K[K.tested](*symbols, **others)
    third = K.attempt(K.operator.getitem, parts, 2).output("third")
    # int_shape raises if the call has refused the symbols
    shape = K.int_shape(parts[0]).output("shape")
    demands = "as many symbols as tensors"
    K.expect("the number of symbols", (third, shape, "values"), _as_many, demands, at=SYMBOL)


def _as_many(third: Values, _: Values, values: Values) -> Problem | None:
    """There is a third symbol if there are three tensors."""
    more = returns(third) is None
    if more == (len(values) > 2):
        return None
    gives = f"gives {'more' if more else 'fewer'} symbols than its {len(values)} tensors"
    return Problem(gives, "number", fault="(first == 'returns') != (len(values[-1]) > 2)")


@BOOK.scenario(COVERED.keys(), "", editions=KERAS_3, call=lambda function: COVERED[function])
def accepted_alike(K: Recorder, call: Twin) -> None:
    """A symbol is taken where a tensor is, in a call that the docstring covers."""
    K.title = call.subject
    tensors, keywords = call.of_tensors(K)
    symbols, others = call.of_symbols(K)
    computed = K.attempt(K[K.tested], *tensors, **keywords).output("computed")
    symbolic = K.attempt(K[K.tested], *symbols, **others).output("symbolic")
    demands = "a symbolic result"
    K.expect("accepted alike", (symbolic, computed), _taken, demands, at=SYMBOL)


def _taken(symbolic: Values, computed: Values) -> Problem | None:
    """If the computation takes its arguments, the symbolic call does, or it says what it lacks."""
    problem = returns(symbolic)
    if problem is None or returns(computed) is not None:
        return None
    if {*str(plain(symbolic)).split()} & {*LACKING}:
        return None
    gives = f"accepts a tensor, and {problem.gives} for a KerasTensor of that shape"
    fault = "first != 'returns' and values[1][0] == 'returns'"
    return Problem(gives, problem.detail, fault=fault)


FAMILIES = BOOK.families
