"""Products and orders of axes that a text describes.

An element of `einsum` is a sum of n products of m factors: off by at most gamma_(n+m-1) of the sum
of their magnitudes, in whatever order (Higham 2002, 3.1). `rearrange` is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude, is_exact, quantum
from conformance.specs.letters import (
    groups_of,
    lengths_of,
    named_lengths,
    output_of,
    rearranged,
)

Bounded = tuple[Array, Array]


def einsum(subscripts: str, operands: Sequence[Array]) -> Array:
    """The sums of products.

    Shapes: each operand has the axes that the subscripts name, and so has the result.
    """
    return np.asarray(np.einsum(subscripts, *operands))


def _terms(subscripts: str, operands: Sequence[Array]) -> int:
    """How many products an element is the sum of."""
    lengths, output = lengths_of(subscripts, [x.shape for x in operands]), output_of(subscripts)
    names = (name for name in lengths if name not in output)
    return math.prod(d or 0 for name in names for d in lengths[name])


def bounded_einsum(model: Arithmetic, subscripts: str, operands: Sequence[Array]) -> Bounded:
    """Value and bound of `einsum`; none where no order of summation rounds.

    Shapes: value and bound have the shape of `einsum`.
    """
    value, terms = einsum(subscripts, operands), _terms(subscripts, operands)
    magnitude = einsum(subscripts, [finite_magnitude(x) for x in operands])
    factor = allowance(terms + len(operands) - 1, model)
    bound = factor * magnitude + 2 * terms * model.underflow
    if len(operands) <= 2:
        step = math.prod(quantum(x) for x in operands)
        bound = np.where(is_exact(magnitude, step, model), 0.0, bound)
    return value, np.where(magnitude * (1 + factor) >= model.overflow, np.inf, bound)


def rearrange(tensor: Array, pattern: str, axes_lengths: Any = ()) -> Array:
    """The axes in the order, joined and divided, as the pattern says.

    Shapes: the left side of the pattern describes the shape of the tensor, the right side that of
    the result.
    """
    lengths = named_lengths(pattern, tensor.shape, dict(axes_lengths))
    before = [n for names in groups_of(pattern.partition("->")[0]) for n in names]
    after = [n for names in groups_of(pattern.partition("->")[2]) for n in names]
    apart = tensor.reshape([lengths[name] or 0 for name in before])
    ordered = apart.transpose([before.index(name) for name in after])
    shape = rearranged(pattern, tensor.shape, axes_lengths)
    return np.asarray(ordered.reshape([length or 0 for length in shape]))


ORACLES: Mapping[str, Callable[..., Array]] = {"einsum": einsum, "rearrange": rearrange}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"einsum": bounded_einsum}
