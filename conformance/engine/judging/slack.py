"""How much more than its bound a result may be off and still be badly computed, not wrong."""

from __future__ import annotations

from conformance.engine.judging.cases import Prepared
from conformance.generators.exhaustive import OF_ONE
from conformance.oracle.compare import CONDITIONED, EXACT, HALF, OF_NUMBERS, Slack
from conformance.specs.accuracy import UNLIMITED, Limit, limit_of_accuracy, limits_of_accuracy
from conformance.specs.load import load
from conformance.specs.model import Exact, Ulp

PLAIN = ("ordinary", "integers", "halves")
"""Profiles of numbers that are of one size."""
FEW_DIGITS = ("integers", "halves")
"""Profiles of numbers with so few binary digits that every processor multiplies them exactly."""
THEMES_OF_PRODUCTS = frozenset({"convolution", "linear algebra"})
"""Themes of K whose functions are, or are made of, products of matrices."""
OF_PRODUCTS = frozenset(
    f"keras.ops.{name}"
    for name in (
        *("conv", "depthwise_conv", "separable_conv", "conv_transpose", "dot_product_attention"),
        *("dot", "matmul", "outer", "inner", "vdot", "tensordot", "kron"),
        *("correlate", "corrcoef", "cdist", "diff", "trapezoid", "glu", "sparsemax"),
    )
)
"""Such functions of keras.ops, and sums of few products that libraries compute in the same way."""
OF_EVERY_NUMBER = Slack(1, 1)
"""The slack where every number was tried on released libraries. No result was off by more than its
bound or one rounding of 1; `accuracy.yaml` has the exceptions."""


def slack(prepared: Prepared, draw: int) -> Slack:
    """The loss that the result of a draw may have: among numbers of one size no digits cancel."""
    spec, accuracy = prepared.structure.spec, prepared.structure.accuracy
    if isinstance(accuracy, Exact):
        return EXACT
    if is_product(spec.name):
        return HALF
    dtype = prepared.dtypes[0]
    loses_more = (spec.name, dtype) in limits_of_accuracy()
    if prepared.elementwise and dtype in OF_ONE and not loses_more:
        return OF_EVERY_NUMBER
    plain = isinstance(accuracy, Ulp) or prepared.profiles[draw] in PLAIN
    return OF_NUMBERS if plain else CONDITIONED


def is_product(function: str) -> bool:
    """Whether a function is, or is made of, products of matrices."""
    return function in OF_PRODUCTS or load().theme(function) in THEMES_OF_PRODUCTS


def limit(prepared: Prepared, draw: int, dtype: str) -> Limit:
    """How far a result of this dtype may be off at most.

    Products of numbers with eleven binary digits are exact for integers and halves alone.
    """
    spec = prepared.structure.spec
    few_digits = prepared.profiles[draw] in FEW_DIGITS
    if is_product(spec.name) and not few_digits:
        return UNLIMITED
    return limit_of_accuracy(spec.name, dtype)
