"""Functions of keras.ops that give several tensors, of which the docstring names the container.

A list has `append` and is added to lists; JAX tells a list from a tuple where two branches must
give the same structure. A class that inherits from the named one will do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.scenarios.checks import is_a
from conformance.scenarios.model import KERAS_3, KERAS_3_DOCUMENT
from conformance.scenarios.recorder import Book, Recorder

BOOK = Book()


@dataclass(frozen=True)
class _Call:
    """A call of one tensor, and the class of the container that it gives."""

    container: str
    value: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = "float32"
    pair: bool = False
    """Whether the tensor stands for the real and the imaginary part."""


_ROWS = np.arange(24.0).reshape(4, 6)
_CUBE = np.arange(8.0).reshape(2, 2, 2)
_SYMMETRIC = ((4.0, 1.0), (1.0, 3.0))

CALLS: Mapping[str, _Call] = {
    "split": _Call("list", _ROWS, {"indices_or_sections": 2}),
    "array_split": _Call("list", _ROWS, {"indices_or_sections": 3}),
    "vsplit": _Call("list", _ROWS, {"indices_or_sections": 2}),
    "hsplit": _Call("list", _ROWS, {"indices_or_sections": 2}),
    "dsplit": _Call("list", _CUBE, {"indices_or_sections": 2}),
    "unstack": _Call("list", _ROWS),
    "moments": _Call("tuple", _ROWS, {"axes": [0]}),
    "top_k": _Call("tuple", _ROWS, {"k": 2}),
    "histogram": _Call("tuple", _ROWS[0], {"bins": 3}),
    "unravel_index": _Call("tuple", (3, 1, 7), {"shape": (2, 4)}, "int32"),
    "eig": _Call("tuple", _SYMMETRIC),
    "eigh": _Call("tuple", _SYMMETRIC),
    "lu_factor": _Call("tuple", _SYMMETRIC),
    "qr": _Call("tuple", _SYMMETRIC),
    "slogdet": _Call("tuple", _SYMMETRIC),
    "svd": _Call("tuple", _SYMMETRIC),
    "fft": _Call("tuple", _ROWS, pair=True),
    "fft2": _Call("tuple", _ROWS, pair=True),
    "ifft2": _Call("tuple", _ROWS, pair=True),
    "rfft": _Call("tuple", _ROWS),
    "stft": _Call(
        "tuple", _ROWS, {"sequence_length": 4, "sequence_stride": 2, "fft_length": 4}
    ),
}  # fmt: skip
"""A call of each function whose docstring says "a list of" or "a tuple of" tensors."""


@BOOK.scenario(
    tuple(f"keras.ops.{name}" for name in CALLS),
    "the container of {kind}",
    editions=KERAS_3,
    kind=("its results", "its symbols"),
)
def container(K: Recorder, kind: str) -> None:
    """The results are in the container that the docstring names, and so are their symbols."""
    call = CALLS[K.tested.removeprefix("keras.ops.")]
    array = np.asarray(call.value, call.dtype)
    if kind == "its results":
        x = K.tensor("x", array)
    else:
        x = K.placeholder(shape=array.shape, dtype=call.dtype)
    results = K[K.tested]((x, x) if call.pair else x, **call.arguments)
    classes = K.operator.classes(results).output("classes")
    what = f"a {call.container}"
    at = {KERAS_3_DOCUMENT: "Returns"}
    K.expect(f"it is {what}", classes, is_a(call.container), what, at=at)


FAMILIES = BOOK.families
