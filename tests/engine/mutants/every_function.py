# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors that every function may have: in value, dtype, static shape and gradient.

The functions are those that the specs test by calls; `DIFFERENTIABLE` are those with gradients.
"""

from __future__ import annotations

import numpy as np

from conformance.reference.gradients import GRADIENTS
from conformance.reference.graph import Tensor, apply
from conformance.reference.ops_numpy import KERNELS
from conformance.reference.rules import RULES
from tests.engine.mutants.kit import elements, everywhere, gradient, is_float, result, scaled

FLOATS = [
    "relu",
    "elu",
    "softmax",
    "softplus",
    "softsign",
    "sigmoid",
    "hard_sigmoid",
    "tanh",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "separable_conv1d",
    "separable_conv2d",
    "depthwise_conv2d",
    "conv3d",
    "conv3d_transpose",
    "local_conv1d",
    "local_conv2d",
    "identity",
    "ones_like",
    "square",
    "abs",
    "sqrt",
    "exp",
    "log",
    "round",
    "sign",
    "pow",
    "clip",
    "maximum",
    "minimum",
    "sin",
    "cos",
    "cast",
    "dot",
    "batch_dot",
    "transpose",
    "categorical_crossentropy",
    "sparse_categorical_crossentropy",
    "binary_crossentropy",
    "normalize_batch_in_training",
    "batch_normalization",
    "l2_normalize",
    "temporal_padding",
    "spatial_2d_padding",
    "spatial_3d_padding",
    "resize_images",
    "resize_volumes",
    "bias_add",
    "pool2d",
    "pool3d",
    "max",
    "min",
    "sum",
    "prod",
    "cumsum",
    "cumprod",
    "var",
    "std",
    "mean",
    "logsumexp",
    "concatenate",
    "reshape",
    "permute_dimensions",
    "repeat_elements",
    "repeat",
    "tile",
    "flatten",
    "batch_flatten",
    "expand_dims",
    "squeeze",
    "stack",
    "reverse",
    "slice",
    "gather",
    "print_tensor",
    "rnn",
    "switch",
    "in_train_phase",
    "in_test_phase",
    "map_fn",
    "foldl",
    "foldr",
    "ctc_batch_cost",
    "to_dense",
    "stop_gradient",
]
"""Functions with float results."""

FLAT = [
    "ones_like",
    "round",
    "sign",
    "in_train_phase",
    "in_test_phase",
    "to_dense",
    "stop_gradient",
]
"""Functions with float results that have no gradient, or one that scenarios of their own show."""

SMOOTH = [f for f in FLOATS if f not in FLAT]
"""Functions with gradients."""


def _drifted(x: Tensor) -> Tensor:
    """float64 for other floats, float32 for float64."""
    if not is_float(x):
        return x
    return apply("cast", x, dtype="float32" if x.dtype == "float64" else "float64")


RULES["forgotten"] = lambda x: ((None,) * len(x.shape), x.dtype)
RULES["mistaken"] = lambda x: ((*x.shape[:-1], (x.shape[-1] or 0) + 1), x.dtype)
KERNELS["forgotten"] = KERNELS["mistaken"] = lambda x: x
GRADIENTS["forgotten"] = GRADIENTS["mistaken"] = lambda node, upstream: (upstream,)


def _forgotten(x: Tensor) -> Tensor:
    return apply("forgotten", x)


def _mistaken(x: Tensor) -> Tensor:
    """The last dimension is said to be one longer than it is."""
    return apply("mistaken", x) if x.shape else x


def _reversed(upstream: Tensor) -> Tensor:
    """The elements of the last axis in reverse."""
    return apply("reverse", upstream, axes=(upstream.ndim - 1,)) if upstream.shape else upstream


def _last_only(x):
    """The last element is one more."""
    wrong = np.array(x, order="C")
    if wrong.size:
        wrong.reshape(-1)[-1] += 1
    return wrong


FORMED = [f for f in FLOATS if f not in ("in_train_phase", "in_test_phase", "stop_gradient")]
"""Those whose static shapes are tested."""
TYPED = [f for f in FORMED if f != "switch"] + ["stop_gradient"]
"""Those whose dtypes are tested."""
TURNED = ("conv1d", "rnn", "foldl", "dot", "l2_normalize", "pool2d", "mean", "prod", "max", "tile",
          "concatenate", "gather")  # fmt: skip
"""A few: others are found too, at the price of a second for each."""
PROBED = ("sum", "square")
"""Without right gradients of these, none is asked for: `gradients` itself is found to be wrong."""
FOLDS = {"foldl": "default", "foldr": "default"}

for _function in FLOATS:
    elements(_function, "a thousandth too large", scaled, verdict="reported")
    elements(_function, "the last element one off", _last_only)

for _function in TYPED:
    result(_function, "the other float type", lambda made: everywhere(made, _drifted),
           aspect="dtype", verdict="reported")  # fmt: skip

for _function in FORMED:
    _profile = FOLDS.get(_function, "small")
    result(_function, "a static shape that is wrong", lambda made: everywhere(made, _mistaken),
           aspect="static shape", verdict="reported", profile=_profile)  # fmt: skip
    result(_function, "a static shape that is not known", lambda made: everywhere(made, _forgotten),
           aspect="static shape", verdict="diverges", profile=_profile)  # fmt: skip

for _function in SMOOTH:
    if _function not in PROBED:
        gradient(_function, "a gradient a thousandth too large", lambda upstream: upstream * 1.001,
                 verdict="reported")  # fmt: skip
        gradient(_function, "a gradient that is lost", lambda upstream: upstream * 0,
                 verdict="reported")  # fmt: skip
    if _function in TURNED:
        gradient(_function, "a gradient in reverse", _reversed, profile="default",
                 verdict="reported")  # fmt: skip
