"""Shape rules of the operations that only gradients use.

Several take a tensor `like` only for its shape at run time.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.rules import (
    Operand,
    Result,
    broadcast,
    refuse_bool,
    rule,
    same_dimension,
    same_dtype,
)


@rule("stop_gradient")
def stop_gradient(x: Operand) -> Result:
    """x itself."""
    return x.shape, x.dtype


@rule("sum_to", "place_slice", "place_item", "place_rows", "untile", "unrepeat", "divide_by_count")
def shaped_like(x: Operand, like: Operand, *_: Operand, **__: Any) -> Result:
    """The shape of `like`, the dtype of x."""
    return like.shape, x.dtype


@rule("select")
def select(condition: Operand, x: Operand, y: Operand) -> Result:
    """x where the bool condition holds, else y, all broadcast."""
    if condition.dtype != "bool":
        raise ValueError(f"select: {condition!r} must be bool")
    dtype = same_dtype("select", x, y)
    return broadcast("select", condition.shape, broadcast("select", x.shape, y.shape)), dtype


@rule("recurrence")
def recurrence(factors: Operand, terms: Operand, axis: int) -> Result:
    """y[i] = factors[i] * y[i - 1] + terms[i] along an axis, from y[-1] = 0."""
    del axis
    dtype = same_dtype("recurrence", factors, terms)
    return broadcast("recurrence", factors.shape, terms.shape), dtype


@rule("part")
def part(joined: Operand, *tensors: Operand, axis: int, position: int) -> Result:
    """What `tensors[position]` became in the concatenation `joined` of the tensors."""
    del axis
    return tensors[position].shape, joined.dtype


@rule("contraction")
def contraction(x: Operand, y: Operand, labels: tuple[str, str, str]) -> Result:
    """A product of two tensors whose axes have labels, summed over those not in the result."""
    dtype = same_dtype("contraction", x, y)
    refuse_bool("contraction", dtype)
    lengths: dict[str, int | None] = {}
    for operand, letters in ((x, labels[0]), (y, labels[1])):
        for letter, d in zip(letters, operand.shape, strict=True):
            what = f"contraction {labels} of {x!r} and {y!r}"
            lengths[letter] = same_dimension(lengths.get(letter), d, what)
    return tuple(lengths[letter] for letter in labels[2]), dtype
