# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in settings, the configuration file and introspection."""

from __future__ import annotations

import numpy as np

from conformance.reference import BACKEND, configuration
from conformance.reference.symbolic.graph import Placeholder, Variable, apply
from tests.engine.mutants.kit import replaced, result

ALONE = {"alone": True}
DIVERGES = {"verdict": "reported", "profile": "default"}
STATE = {"alone": True, "aspect": "state"}
CONFIGURED = {"alone": True, "aspect": "configuration", "profile": "default"}

for _setting, _usual in {
    "epsilon": 1e-07,
    "floatx": "float32",
    "image_data_format": "channels_last",
}.items():
    replaced(_setting, "the file ignored", lambda right, usual=_usual: lambda: usual, **CONFIGURED)
    replaced(_setting, "what is set ignored", lambda right, usual=_usual: lambda: usual, **STATE)
    _name = f"set_{_setting}"
    replaced(_name, "nothing happens", lambda right: lambda value: None, **STATE)
replaced("epsilon", "another default", lambda right: lambda: 1e-08 if right() == 1e-07 else right(),
         **CONFIGURED)  # fmt: skip
replaced("epsilon", "a text", lambda right: lambda: str(right()), **ALONE)
replaced("floatx", "another default", lambda right: lambda: "float64", **CONFIGURED)
replaced("image_data_format", "the other layout", lambda right: lambda: (
    "channels_last" if right() == "channels_first" else "channels_first"), **STATE)  # fmt: skip
replaced("backend", "nothing", lambda right: lambda: "", **ALONE)


def _anything(name):
    return lambda right: lambda value: setattr(BACKEND.settings, name, value)


replaced("set_floatx", "any text", _anything("floatx"), alone=True, aspect="error",
         verdict="reported")  # fmt: skip
replaced("set_image_data_format", "any text", _anything("image_data_format"), alone=True,
         aspect="error", verdict="reported")  # fmt: skip
replaced("set_epsilon", "any value", _anything("epsilon"), alone=True, aspect="error",
         verdict="reported")  # fmt: skip
replaced("cast_to_floatx", "always float32", lambda right: lambda x: np.asarray(x, "float32"),
         **STATE)  # fmt: skip
replaced(
    "cast_to_floatx",
    "as it is",
    lambda right: lambda x: np.array(x, copy=True),
    alone=True,
    aspect="dtype",
)
replaced("cast_to_floatx", "rounded", lambda right: lambda x: np.rint(right(x)), **ALONE)


replaced("int_shape", "None is lost", lambda right: lambda x: tuple(d or 1 for d in right(x)),
         **ALONE)  # fmt: skip
replaced("int_shape", "a list", lambda right: lambda x: list(right(x)), **ALONE)
replaced("int_shape", "in reverse", lambda right: lambda x: right(x)[::-1], **ALONE)
replaced("ndim", "one more", lambda right: lambda x: right(x) + 1, **ALONE)
replaced("ndim", "the shape", lambda right: lambda x: x.shape, **ALONE)
replaced("dtype", "always floatx", lambda right: lambda x: "float32", profile="default", **ALONE)
replaced("dtype", "NumPy's object", lambda right: lambda x: np.dtype(right(x)), verdict="reported",
         **ALONE)  # fmt: skip
replaced("count_params", "the sum of the dimensions", lambda right: lambda x: sum(x.shape))
replaced("count_params", "the first dimension", lambda right: lambda x: (*x.shape, 1)[0])
replaced("shape", "in reverse", lambda right: lambda x: apply("reverse", right(x), axes=(0,))
         if x.ndim else right(x))  # fmt: skip
replaced("shape", "without the first axis", lambda right: lambda x: right(x)[1:])
replaced("is_tensor", "always True", lambda right: lambda x: True, **DIVERGES)
replaced("is_tensor", "not of variables", lambda right: lambda x: right(x) and not isinstance(
    x, Variable), **DIVERGES)  # fmt: skip
replaced("is_placeholder", "always False", lambda right: lambda x: False)
replaced("is_placeholder", "of all tensors but variables", lambda right: lambda x: hasattr(
    x, "operation") and not isinstance(x, Variable))  # fmt: skip
replaced("is_keras_tensor", "of all tensors", lambda right: lambda x: right(x) or True)
replaced("is_keras_tensor", "of placeholders", lambda right: lambda x: right(x) or isinstance(
    x, Placeholder))  # fmt: skip
replaced("is_keras_tensor", "of anything", lambda right: lambda x: False, aspect="error")
result(
    "cast",
    "float64 for float32",
    lambda value: apply("cast", value, dtype="float64") if value.dtype == "float32" else value,
    aspect="dtype",
    alone=True,
    profile="default",
    verdict="reported",
)
replaced("cast", "rounded", lambda right: lambda x, dtype: right(
    apply("round", x) if x.dtype.startswith("float") and "int" in dtype else x, dtype),
    verdict="reported", **ALONE)  # fmt: skip
_OLDER = {"edition": "keras-2.0"}
replaced("set_image_dim_ordering", "the other word", lambda right: lambda dim_ordering: right(
    {"tf": "th", "th": "tf"}.get(dim_ordering, dim_ordering)), **STATE, **_OLDER)  # fmt: skip
replaced("image_dim_ordering", "the newer word", lambda right: lambda: configuration.LAYOUTS[
    right()], **ALONE, **_OLDER)  # fmt: skip
replaced("get_variable_shape", "in reverse", lambda right: lambda x: right(x)[::-1], profile="default",  # noqa: E501
         **_OLDER)  # fmt: skip
