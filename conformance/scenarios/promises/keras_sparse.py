"""Functions of keras.ops give the same numbers for a sparse tensor as for a dense one.

No docstring says which functions take a sparse tensor. Any of them may therefore refuse it. Nothing
is demanded of a backend without sparse tensors, which refuses `one_hot(sparse=True)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import gave_none, only, plain, returns, shown
from conformance.scenarios.model import KERAS_3, SUMMARY, Alternative, Problem, Values
from conformance.scenarios.promises.symbolic_calls import (
    TensorArgument,
    TwofoldCall,
    by_function,
)
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
LABELS = np.array([1, 2, 0], "int32")
CLASSES = 3
"""The matrix of these labels is neither symmetric nor its own inverse."""
NUMBERS = np.array([[2, 3, 5], [0.5, 8, 0.25], [4, 1, 16]], "float32")


X, Y = TensorArgument("x", (CLASSES, CLASSES)), TensorArgument("y", (CLASSES, CLASSES))
"""They stand for the sparse tensor, and for a dense one of other numbers."""
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
    *(TwofoldCall(name, "", [X]) for name in OF_ELEMENTS),
    *(
        TwofoldCall(name, subject, arguments)
        for name in OF_TWO
        for subject, arguments in (
            ("beside a dense tensor", [X, Y]),
            ("after a dense tensor", [Y, X]),
            ("beside a number", [X, 2.0]),
            ("twice", [X, X]),
        )
    ),
    *(TwofoldCall(name, f"{axes}", [X], axes) for name in REDUCTIONS for axes in AXES),
    TwofoldCall("matmul", "beside a dense tensor", [X, Y]),
    TwofoldCall("matmul", "after a dense tensor", [Y, X]),
    TwofoldCall("matmul", "twice", [X, X]),
    TwofoldCall("dot", "beside a dense tensor", [X, Y]),
    TwofoldCall("tensordot", "beside a dense tensor", [X, Y, 1]),
    TwofoldCall("einsum", "beside a dense tensor", ["ij,jk->ik", X, Y]),
    TwofoldCall("transpose", "", [X]),
    TwofoldCall("transpose", "axes 1 and 0", [X, (1, 0)]),
    TwofoldCall("swapaxes", "", [X, 0, 1]),
    TwofoldCall("reshape", "one axis", [X, (9,)]),
    TwofoldCall("reshape", "length -1", [X, (1, -1)]),
    TwofoldCall("expand_dims", "axis 0", [X, 0]),
    TwofoldCall("expand_dims", "axis -1", [X, -1]),
    TwofoldCall("concatenate", "axis 0", [[X, X]], {"axis": 0}),
    TwofoldCall("concatenate", "axis 1", [[X, X]], {"axis": 1}),
    TwofoldCall("concatenate", "beside a dense tensor", [[X, Y]]),
    TwofoldCall("stack", "", [[X, X]]),
    TwofoldCall("cast", "int32", [X, "int32"]),
    TwofoldCall("convert_to_tensor", "", [X]),
    TwofoldCall("convert_to_tensor", "made dense", [X], {"sparse": False}),
    TwofoldCall("take", "rows", [X, [0, 2]], {"axis": 0}),
    TwofoldCall("slice", "two rows", [X, (0, 1), (2, 2)]),
    TwofoldCall("where", "beside a number", [Y, X, 7.0]),
    TwofoldCall("copy", "", [X]),
    TwofoldCall("stop_gradient", "", [X]),
)
BY_FUNCTION: Mapping[str, Any] = by_function(CALLS)


@BOOK.scenario(
    BY_FUNCTION.keys(),
    "",
    Aspect.VALUE,
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    call=lambda function: BY_FUNCTION[function],
)
def as_dense(K: Recorder, call: TwofoldCall) -> None:
    """The numbers and the shape are those of the same call of the dense tensor."""
    K.title = f"a sparse tensor{', ' if call.subject else ''}{call.subject}"
    K.may_refuse = True
    labels, numbers = K.tensor("labels", LABELS), K.tensor("numbers", NUMBERS)
    dense = K["keras.ops.one_hot"](labels, CLASSES)
    sparse = K["keras.ops.one_hot"](labels, CLASSES, sparse=True)
    positional, keywords = _filled(call, sparse, numbers)
    taken = K.attempt(K[K.tested], *positional, **keywords).output("taken")
    K.expect("taken", taken, returns, "a result", at=SUMMARY, alternatives=(REFUSED,))
    outputs = []
    for x, kind in ((sparse, "sparse"), (dense, "dense")):
        positional, keywords = _filled(call, x, numbers)
        values = K[K.tested](*positional, **keywords).output(kind)
        outputs.append((values, K.int_shape(values).output(f"{kind}_shape")))
    numbers_of, shapes = zip(*outputs, strict=True)
    demands = "as for the dense tensor"
    K.expect("the numbers", numbers_of, _same_numbers, demands, at=SUMMARY)
    K.expect(
        "the static shape", shapes, _same_shape, demands, aspect=Aspect.STATIC_SHAPE, at=SUMMARY
    )


def _filled(
    call: TwofoldCall, x: Result, numbers: Result
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of the call, with `x` for X and `numbers` for Y."""
    return call.filled(lambda tensor: x if tensor is X else numbers)


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
