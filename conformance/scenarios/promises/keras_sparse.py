"""Functions of keras.ops give the same numbers for a sparse tensor as for a dense one.

No docstring says which functions take a sparse tensor. Any of them may therefore refuse it. Nothing
is demanded of a backend without sparse tensors, which refuses `one_hot(sparse=True)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import gave_none, only, plain, returns, shown
from conformance.scenarios.model import KERAS_3, SUMMARY, Alternative, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
LABELS = np.array([1, 2, 0], "int32")
CLASSES = 3
"""The matrix of these labels is neither symmetric nor its own inverse."""
NUMBERS = np.array([[2, 3, 5], [0.5, 8, 0.25], [4, 1, 16]], "float32")


@dataclass(frozen=True, slots=True, eq=False)
class SparseCall:
    """A call in which `X` stands for the sparse tensor."""

    function: str
    subject: str
    positional: Sequence[Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def of(self, x: Result, numbers: Result) -> tuple[Any, ...]:
        """The positional arguments, with these tensors."""
        tensors = {X: x, Y: numbers}

        def filled(part: Any) -> Any:
            if isinstance(part, list):
                return [filled(item) for item in part]
            return tensors.get(part, part) if isinstance(part, str) else part

        return tuple(filled(part) for part in self.positional)


X, Y = "the sparse tensor", "the dense tensor"
OF_ELEMENTS = (
    *("abs", "absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "ceil"),
    *("conj", "conjugate", "cos", "cosh", "deg2rad", "elu", "erf", "exp", "exp2"),
    *("expm1", "floor", "imag", "isfinite", "isinf", "isnan", "leaky_relu", "log", "log10"),
    *("log1p", "log2", "negative", "nan_to_num", "ones_like", "real", "reciprocal", "relu"),
    *("relu6", "round", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "softplus"),
    *("softsign", "sqrt", "square", "tan", "tanh", "trunc", "zeros_like"),
)
OF_TWO = ("add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum")
REDUCTIONS = ("sum", "mean", "max", "min", "any", "all", "prod")
AXES: Sequence[Mapping[str, Any]] = (
    {},
    {"axis": 0},
    {"axis": 1, "keepdims": True},
    {"axis": (0, 1)},
)
CALLS = (
    *(SparseCall(name, "", [X]) for name in OF_ELEMENTS),
    *(
        SparseCall(name, subject, arguments)
        for name in OF_TWO
        for subject, arguments in (
            ("beside a dense tensor", [X, Y]),
            ("after a dense tensor", [Y, X]),
            ("beside a number", [X, 2.0]),
            ("twice", [X, X]),
        )
    ),
    *(SparseCall(name, f"{axes}", [X], axes) for name in REDUCTIONS for axes in AXES),
    SparseCall("matmul", "beside a dense tensor", [X, Y]),
    SparseCall("matmul", "after a dense tensor", [Y, X]),
    SparseCall("matmul", "twice", [X, X]),
    SparseCall("dot", "beside a dense tensor", [X, Y]),
    SparseCall("tensordot", "beside a dense tensor", [X, Y, 1]),
    SparseCall("einsum", "beside a dense tensor", ["ij,jk->ik", X, Y]),
    SparseCall("transpose", "", [X]),
    SparseCall("transpose", "axes 1 and 0", [X, (1, 0)]),
    SparseCall("swapaxes", "", [X, 0, 1]),
    SparseCall("reshape", "one axis", [X, (9,)]),
    SparseCall("reshape", "length -1", [X, (1, -1)]),
    SparseCall("expand_dims", "axis 0", [X, 0]),
    SparseCall("expand_dims", "axis -1", [X, -1]),
    SparseCall("concatenate", "axis 0", [[X, X]], {"axis": 0}),
    SparseCall("concatenate", "axis 1", [[X, X]], {"axis": 1}),
    SparseCall("concatenate", "beside a dense tensor", [[X, Y]]),
    SparseCall("stack", "", [[X, X]]),
    SparseCall("cast", "int32", [X, "int32"]),
    SparseCall("convert_to_tensor", "", [X]),
    SparseCall("convert_to_tensor", "made dense", [X], {"sparse": False}),
    SparseCall("take", "rows", [X, [0, 2]], {"axis": 0}),
    SparseCall("slice", "two rows", [X, (0, 1), (2, 2)]),
    SparseCall("where", "beside a number", [Y, X, 7.0]),
    SparseCall("copy", "", [X]),
    SparseCall("stop_gradient", "", [X]),
)
BY_FUNCTION: Mapping[str, Any] = {
    name: [call for call in CALLS if f"keras.ops.{call.function}" == name]
    for name in dict.fromkeys(f"keras.ops.{call.function}" for call in CALLS)
}


@BOOK.scenario(
    BY_FUNCTION.keys(),
    "",
    Aspect.VALUE,
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    call=lambda function: BY_FUNCTION[function],
)
def as_dense(K: Recorder, call: SparseCall) -> None:
    """The numbers and the shape are those of the same call of the dense tensor."""
    K.title = f"a sparse tensor{', ' if call.subject else ''}{call.subject}"
    K.may_refuse = True
    labels, numbers = K.tensor("labels", LABELS), K.tensor("numbers", NUMBERS)
    dense = K["keras.ops.one_hot"](labels, CLASSES)
    sparse = K["keras.ops.one_hot"](labels, CLASSES, sparse=True)
    taken = K.attempt(K[K.tested], *call.of(sparse, numbers), **call.keywords).output("taken")
    K.expect("taken", taken, returns, "a result", at=SUMMARY, alternatives=(REFUSED,))
    outputs = []
    for x, kind in ((sparse, "sparse"), (dense, "dense")):
        values = K[K.tested](*call.of(x, numbers), **call.keywords).output(kind)
        outputs.append((values, K.int_shape(values).output(f"{kind}_shape")))
    numbers_of, shapes = zip(*outputs, strict=True)
    demands = "as for the dense tensor"
    K.expect("the numbers", numbers_of, _same_numbers, demands, at=SUMMARY)
    K.expect(
        "the static shape", shapes, _same_shape, demands, aspect=Aspect.STATIC_SHAPE, at=SUMMARY
    )


def _refused(taken: Values) -> Problem | None:
    return Problem("returns", "accepted") if returns(taken) is None else None


REFUSED = Alternative(ConventionName.SPARSE_INPUT, "refused", _refused)


def _same_numbers(first: Values, second: Values) -> Problem | None:
    """Both outputs are one array with one shape and dtype; numbers differ by roundings only."""
    got, expected = only(first), only(second)
    if isinstance(got, Problem) or isinstance(expected, Problem):
        return got if isinstance(got, Problem) else None
    alike = got.shape == expected.shape and got.dtype == expected.dtype
    if alike and np.allclose(got, expected, rtol=RELATIVE, atol=0, equal_nan=True):
        return None
    pair = "values[0][0], values[1][0]"
    near = f"np.allclose({pair}, rtol={RELATIVE}, atol=0, equal_nan=True)"
    types = "values[0][0].dtype != values[1][0].dtype"
    shapes = "np.shape(values[0][0]) != np.shape(values[1][0])"
    gives = f"gives {shown(got)}, and {shown(expected)} for a dense tensor"
    return Problem(gives, "value", fault=f"{shapes} or {types} or not {near}")


RELATIVE = 1e-5
"""Some eighty roundings of float32: vectors and scalars may be computed by different code."""


def _same_shape(sparse: Values, dense: Values) -> Problem | None:
    if gave_none(sparse) or gave_none(dense) or plain(sparse) == plain(dense):
        return None
    gives = f"has shape {plain(sparse)}, and {plain(dense)} for a dense tensor"
    return Problem(gives, "shape", fault="values[0] != values[1]")


FAMILIES = BOOK.families
