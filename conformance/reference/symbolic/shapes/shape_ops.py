"""Static shape and dtype of operations that move, repeat, select or create elements.

The operations that only gradients use are here as well. Several take a tensor `like` only for its
shape at run time.
"""

from __future__ import annotations

import math
from operator import index as as_integer
from typing import Any

from conformance.reference.symbolic.known_integers import static_integers
from conformance.reference.symbolic.rules import (
    Operand,
    Result,
    Shape,
    broadcast,
    refuse_bool,
    rule,
    same_dimension,
    same_dtype,
)


def count(shape: Shape) -> int | None:
    """Number of elements, or None where a dimension is not known."""
    if 0 in shape:
        return 0
    known = [dimension for dimension in shape if dimension is not None]
    return math.prod(known) if len(known) == len(shape) else None


@rule("shape")
def shape(x: Operand) -> Result:
    """One int32 for each axis."""
    return (len(x.shape),), "int32"


@rule("fill")
def fill(dimensions: Operand, dtype: str, **_: Any) -> Result:
    """A tensor whose shape is data."""
    return static_integers(dimensions), dtype


@rule("fill_like")
def fill_like(x: Operand, dtype: str, **_: Any) -> Result:
    """A tensor with the shape of another."""
    return x.shape, dtype


@rule("concatenate")
def concatenate(*tensors: Operand, axis: int) -> Result:
    """Lengths along the axis add up; all other dimensions agree.

    Raises:
        ValueError: the ranks or the other dimensions differ.
    """
    dtype = same_dtype("concatenate", *tensors)
    shape = list(tensors[0].shape)
    for tensor in tensors[1:]:
        if len(tensor.shape) != len(shape):
            raise ValueError(f"concatenate: {tensors[0]!r} and {tensor!r} differ in rank")
        for i, dimension in enumerate(tensor.shape):
            if i != axis:
                where = f"concatenate: axis {i} of {tensors[0]!r} and {tensor!r}"
                shape[i] = same_dimension(shape[i], dimension, where)
    lengths = [tensor.shape[axis] for tensor in tensors]
    shape[axis] = None if None in lengths else sum(lengths)
    return tuple(shape), dtype


@rule("stack")
def stack(*tensors: Operand, axis: int) -> Result:
    """Shapes agree; a new axis as long as the list.

    Raises:
        ValueError: the shapes differ.
    """
    dtype = same_dtype("stack", *tensors)
    shape: Shape = tensors[0].shape
    for tensor in tensors[1:]:
        where = f"stack: shapes of {tensors[0]!r} and {tensor!r}"
        if len(tensor.shape) != len(shape):
            raise ValueError(f"{where} must be equal")
        shape = tuple(same_dimension(a, b, where) for a, b in zip(shape, tensor.shape, strict=True))
    return (*shape[:axis], len(tensors), *shape[axis:]), dtype


@rule("reshape")
def reshape(x: Operand, shape: Operand) -> Result:
    """The wanted shape, its -1 worked out where the number of elements is known."""
    return _filled_in(x, static_integers(shape)), x.dtype


def _filled_in(x: Operand, shape: Shape) -> Shape:
    open_axes = [i for i, dimension in enumerate(shape) if dimension in (None, -1)]
    total, rest = count(x.shape), math.prod(d for d in shape if d not in (None, -1))
    if total is None or len(open_axes) > 1:
        return tuple(None if dimension == -1 else dimension for dimension in shape)
    fits = total == rest if not open_axes else rest != 0 and total % rest == 0
    if not fits and not (rest == 0 == total and -1 not in shape):
        raise ValueError(f"reshape: {x!r} has {total} elements, which do not fit shape {shape}")
    length = total // rest if rest else None
    return tuple(length if i in open_axes else dimension for i, dimension in enumerate(shape))


@rule("permute_dimensions")
def permute_dimensions(x: Operand, pattern: tuple[int, ...]) -> Result:
    """Axis i of the result is axis pattern[i] of x."""
    return tuple(x.shape[axis] for axis in pattern), x.dtype


@rule("repeat_elements")
def repeat_elements(x: Operand, rep: int, axis: int) -> Result:
    """One axis `rep` times as long."""
    return tile(x, tuple(rep if i == axis else 1 for i in range(len(x.shape))))


@rule("repeat")
def repeat(x: Operand, n: int) -> Result:
    """(samples, dim) becomes (samples, n, dim)."""
    return (x.shape[0], n, x.shape[1]), x.dtype


@rule("tile")
def tile(x: Operand, n: tuple[int, ...]) -> Result:
    """Every axis n[axis] times as long; no times an unknown length is 0."""
    pairs = zip(x.shape, n, strict=True)
    return tuple(0 if k == 0 else None if d is None else d * k for d, k in pairs), x.dtype


@rule("flatten")
def flatten(x: Operand) -> Result:
    """One axis with every element."""
    return (count(x.shape),), x.dtype


@rule("batch_flatten")
def batch_flatten(x: Operand) -> Result:
    """The first axis, and one with the elements of a sample."""
    return (x.shape[0], count(x.shape[1:])), x.dtype


@rule("expand_dims")
def expand_dims(x: Operand, axis: int) -> Result:
    """A new axis of length 1."""
    return (*x.shape[:axis], 1, *x.shape[axis:]), x.dtype


@rule("squeeze")
def squeeze(x: Operand, axis: int) -> Result:
    """Without an axis of length 1.

    Raises:
        ValueError: the axis has another length.
    """
    if x.shape[axis] not in (1, None):
        raise ValueError(f"squeeze: axis {axis} of {x!r} has length {x.shape[axis]}, not 1")
    return (*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype


@rule("one_hot")
def one_hot(indices: Operand, num_classes: int, dtype: str) -> Result:
    """A last axis for the classes."""
    return (*indices.shape, num_classes), dtype


@rule("reverse")
def reverse(x: Operand, axes: tuple[int, ...]) -> Result:
    """The same shape; `axes` does not matter."""
    del axes
    return x.shape, x.dtype


@rule("slice")
def slice_(x: Operand, start: Operand, size: Operand) -> Result:
    """The sizes.

    Raises:
        ValueError: where a slice is known to leave the tensor.
    """
    sizes = static_integers(size)
    for axis, (d, first, n) in enumerate(zip(x.shape, static_integers(start), sizes, strict=True)):
        low, high = first or 0, (first or 0) + (n or 0)
        if low < 0 or (n or 0) < 0 or (d is not None and high > d):
            raise ValueError(
                f"slice: start {first} and size {n} leave axis {axis} of {x!r}, "
                f"which has length {d}"
            )
    return sizes, x.dtype


@rule("gather")
def gather(reference: Operand, indices: Operand) -> Result:
    """The shape of the indices, then that of one row of the reference."""
    return indices.shape + reference.shape[1:], reference.dtype


@rule("arange")
def arange(length: int, dtype: str, **_: Any) -> Result:
    """A vector of known length."""
    return (length,), dtype


@rule("getitem")
def getitem(x: Operand, index: tuple[Any, ...]) -> Result:
    """Basic indexing: integers, slices, `...` and None.

    Raises:
        IndexError: more entries than axes, several `...`, or an index beyond an axis.
    """
    used = [entry for entry in index if entry is not None and entry is not Ellipsis]
    if len(used) > len(x.shape):
        raise IndexError(f"{x!r} has {len(x.shape)} axes and cannot take index {index}")
    dots = sum(entry is Ellipsis for entry in index)
    if dots > 1:
        raise IndexError(f"{x!r}: index {index} has more than one ...")
    rest = len(x.shape) - len(used)
    shape: list[int | None] = []
    axis = 0
    for entry in index if dots else (*index, Ellipsis):
        taken, length = _taken(x, axis, entry, rest)
        axis += taken
        shape += length
    return tuple(shape), x.dtype


def _taken(x: Operand, axis: int, entry: Any, rest: int) -> tuple[int, list[int | None]]:
    """How many axes of x one entry of an index uses, and the dimensions it leaves."""
    if entry is None:
        return 0, [1]
    if entry is Ellipsis:
        return rest, list(x.shape[axis : axis + rest])
    dimension = x.shape[axis]
    if isinstance(entry, slice):
        return 1, [_sliced(dimension, entry)]
    place = _integer(x, entry)
    if dimension is not None and not -dimension <= place < dimension:
        raise IndexError(f"{x!r}: index {entry} is out of range for axis {axis}")
    return 1, []


def _integer(x: Operand, entry: Any) -> int:
    try:
        number = None if isinstance(entry, bool) else as_integer(entry)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{x!r}: index {entry!r} must be an int, a slice, ... or None")
    return number


def _sliced(dimension: int | None, entry: slice) -> int | None:
    if dimension is not None:
        return len(range(*entry.indices(dimension)))
    return None


@rule("arange_between")
def arange_between(_start: Operand, _stop: Operand, dtype: str, **_: Any) -> Result:
    """A vector whose length is data."""
    return (None,), dtype


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
    """x where the bool condition holds, else y, all broadcast.

    Raises:
        ValueError: the condition is not bool.
    """
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
    """The part of the concatenation `joined` that `tensors[position]` became."""
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
