"""Calls of keras.ops that backends refuse: a symbolic call refuses the same arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.results import Aspect
from conformance.scenarios.checks import LACKING, plain, raises, returns
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    OWN_PROCESS,
    SYMBOL,
    Alternative,
    Problem,
    Setup,
    Values,
)
from conformance.scenarios.promises.symbolic_calls import TensorArgument, TwofoldCall, by_function
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()


@dataclass(frozen=True, slots=True, eq=False)
class Refused(TwofoldCall):
    """A call that backends refuse when it is computed."""

    section: str = ""
    """The section of the docstring that excludes the input; empty if none does."""
    setup: Setup | None = None
    late: bool = False
    """Whether a name is unknown that decides no shape: a symbolic call need not refuse it."""
    of_numbers: bool = False
    """Whether a number is out of range that decides no shape: only the computation refuses it."""
    conventions: Sequence[str] = ()


def _pair(*shape: int, dtype: str = "float32") -> tuple[TensorArgument, TensorArgument]:
    """The real and the imaginary part of a tensor."""
    return TensorArgument("real", shape, dtype), TensorArgument("imag", shape, dtype)


VECTOR = TensorArgument("x", (3,))
MATRIX = TensorArgument("x", (2, 3))
WEIGHTS = TensorArgument("weights", (3,))
IMAGES = TensorArgument("x", (1, 4, 4, 4))
"""Images of two spatial axes, whichever axis has the channels."""
KERNEL = TensorArgument("kernel", (1, 1, 4, 2))
HEADS = tuple(TensorArgument(name, (2, 1, 2)) for name in ("query", "key", "value"))
"""Arguments of `dot_product_attention` without a batch."""
REFUSED = (
    Refused("flip", "the same axis twice", [TensorArgument("x", (3, 4))], {"axis": (0, 0)}),
    Refused(
        "top_k", "one element too many", [TensorArgument("x", (2,))], {"k": 3}, setup=OWN_PROCESS
    ),
    Refused(
        "view_as_complex", "four parts of a number", [TensorArgument("x", (3, 4))], section="Args"
    ),
    Refused("stft", "an FFT of 8 and sequences of 16", [TensorArgument("x", (1, 64)), 16, 4, 8]),
    Refused(
        "stft",
        "an unknown window",
        [TensorArgument("x", (1, 64)), 16, 4, 16, "foo"],
        section="Args",
        late=True,
    ),
    Refused("istft", "an FFT of 8 and sequences of 16", [_pair(1, 17, 5), 16, 4, 8]),
    Refused("fft", "parts of int32", [_pair(4, dtype="int32")]),
    Refused("fft2", "parts of int32", [_pair(2, 4, dtype="int32")]),
    Refused("rfft", "an FFT of length 0", [TensorArgument("x", (8,)), 0], setup=OWN_PROCESS),
    Refused("rfft", "an FFT of length -2", [TensorArgument("x", (8,)), -2], setup=OWN_PROCESS),
    Refused("normalize", "order 0", [MATRIX], {"order": 0}),
    Refused("norm", "a matrix norm of three axes", [TensorArgument("x", (2, 2, 2)), "fro"]),
    Refused("logdet", "an oblong matrix", [MATRIX], section="Args"),
    Refused("slogdet", "an oblong matrix", [MATRIX], section="Args"),
    Refused(
        "image.map_coordinates",
        "order 2",
        [MATRIX, TensorArgument("coordinates", (2, 2)), 2],
        section="Args",
    ),
    *(
        Refused(
            "image.map_coordinates",
            f"points with {count} in a matrix",
            [MATRIX, TensorArgument("coordinates", (rows, 2)), 1],
            section="Args",
        )
        for rows, count in ((1, "one coordinate"), (3, "three coordinates"))
    ),
    Refused(
        "image.affine_transform",
        "a transform of six numbers",
        [
            TensorArgument("images", (3, 3, 1)),
            TensorArgument("transform", (6,), "float32", (1, 0, 1, 0, 1, 0)),
        ],
        section="Args",
    ),
    Refused("dot_product_attention", "tensors of rank 3", HEADS),
    Refused(
        "dot_product_attention",
        "a value longer than the key",
        [
            TensorArgument(name, (1, length, 1, 4))
            for name, length in (("query", 2), ("key", 2), ("value", 3))
        ],
        section="Args",
    ),
    Refused("roll", "three shifts for two axes", [MATRIX, (1, 2, 3)], {"axis": (0, 1)}),
    Refused("squeeze", "an axis of length 2", [MATRIX, 0], section="Args"),
    Refused("broadcast_to", "fewer axes", [TensorArgument("x", (2, 3, 4)), (3, 4)]),
    Refused("einsum", "lengths 3 and 4", ["i,i->", VECTOR, TensorArgument("y", (4,))]),
    Refused(
        "tensordot", "lengths 3 and 4", [MATRIX, TensorArgument("y", (4, 3)), 1], section="Args"
    ),
    Refused("pad", "a negative width", [TensorArgument("x", (2, 2)), -1]),
    Refused("max_pool", "one size for two axes", [IMAGES, (2,)]),
    Refused("average_pool", "one size for two axes", [IMAGES, (2,)]),
    Refused("conv", "one stride for two axes", [IMAGES, KERNEL], {"strides": (2,)}),
    Refused("argpartition", "index 5 of 3 elements", [VECTOR, 5], setup=OWN_PROCESS),
    Refused("triu", "a vector", [VECTOR]),
    Refused("tril", "a vector", [VECTOR]),
    Refused(
        "select",
        "one condition, two choices",
        [
            [TensorArgument("condition", (2,), "bool", (0, 1))],
            [TensorArgument("x", (2,)), TensorArgument("y", (2,))],
        ],
        section="Args",
    ),
    Refused("slice", "3 elements from the last of 4", [TensorArgument("x", (4,)), [3], [3]]),
    Refused(
        "slice_update",
        "a vector into a matrix",
        [TensorArgument("x", (2, 2)), [0, 0], TensorArgument("updates", (1,))],
        section="Args",
    ),
    Refused("unstack", "3 parts of length 2", [MATRIX], {"num": 3}),
    Refused(
        "average", "three weights of six elements", [MATRIX], {"weights": WEIGHTS}, section="Args"
    ),
    *(
        Refused(name, f"{q} as q", [TensorArgument("x", (4,)), q], section="Args", of_numbers=True)
        for name, q in (
            *(("quantile", 1.5), ("nanquantile", 1.5)),
            *(("percentile", 150.0), ("nanpercentile", 150.0)),
        )
    ),
    Refused(
        "slice_update",
        "two elements from the last",
        [TensorArgument("x", (4,)), [3], TensorArgument("updates", (2,))],
        section="Summary",
        setup=OWN_PROCESS,
        of_numbers=True,
        conventions=(ConventionName.INVALID_INPUT,),
    ),
)
CALLS: Mapping[str, Any] = by_function(REFUSED)


@BOOK.scenario(
    CALLS.keys(), "", Aspect.ERROR, editions=KERAS_3, call=lambda function: CALLS[function]
)
def refused_alike(K: Recorder, call: Refused) -> None:
    """A symbolic call promises no result where the computation refuses the same arguments."""
    K.title, K.setup = call.subject, call.setup
    tensors, keywords = call.of_tensors(K)
    computed = K.attempt(K[K.tested], *tensors, **keywords).output("computed")
    at: Lines = {KERAS_3_DOCUMENT: call.section} if call.section else SYMBOL
    if call.section:
        rests = tuple(call.conventions)
        K.expect("refused", computed, raises(), "an exception", at=at, conventions=rests)
    if call.of_numbers:
        return
    symbols, others = call.of_symbols(K)
    symbolic = K.attempt(K[K.tested], *symbols, **others).output("symbolic")
    demands = "an exception of both calls"
    K.expect(
        "refused alike",
        (symbolic, computed),
        _alike,
        demands,
        at=at,
        alternatives=LATE if call.late else (),
    )


MISTAKES = ("AttributeError", "NameError")
"""Classes of exceptions about the library's own code, which refuse nothing."""


def _alike(symbolic: Values, computed: Values) -> Problem | None:
    """If the computation refuses its arguments, the symbolic call does."""
    problem = returns(computed)
    if problem is None or returns(symbolic) is not None:
        return None
    if {*str(plain(computed)).split()} & {*LACKING, *MISTAKES}:
        return None
    gives = f"accepts a KerasTensor, and {problem.gives} for a tensor of that shape"
    return Problem(gives, "late", fault="first == 'returns' and values[1][0] != 'returns'")


def _when_computed(_: Values, computed: Values) -> Problem | None:
    """The computation refuses its arguments, and the symbolic call may take them."""
    if returns(computed) is not None:
        return None
    return Problem("returns", "accepted")


LATE = (Alternative(ConventionName.LATE_REFUSAL, "when computed", _when_computed),)

FAMILIES = BOOK.families
