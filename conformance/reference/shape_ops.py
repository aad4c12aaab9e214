"""Functions that move, repeat, join and select elements. The dtype is that of x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.symbolic.arguments import (
    axes_of,
    axis_of,
    integer,
    integer_tensor,
    integer_vector,
    tensor,
)
from conformance.reference.symbolic.arguments import tensors as _tensors
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.known_integers import static_integers


@documented(
    "ja-1:867 concatenate(tensors, axis=-1)",
    "ja-2.0:1471 concatenate(tensors, axis=-1)",
    "ko-2.2:1940 concatenate(tensors, axis=-1)",
)
def concatenate(tensors: Sequence[Tensor], axis: int = -1) -> Tensor:
    """Tensors one after the other along an axis.

    ValueError unless they have one rank, one dtype, and equal lengths on all other axes.

    Shapes: the axis of the result is as long as all together.
    """
    items = _tensors(tensors, "concatenate", "tensors")
    return apply("concatenate", *items, axis=axis_of(items[0], axis, "concatenate"))


@documented(
    "ja-1:879 reshape(x, shape)",
    "ja-2.0:1490 reshape(x, shape)",
    "ko-2.2:1961 reshape(x, shape)",
)
def reshape(x: Tensor, shape: Any) -> Tensor:
    """The elements of x in row order in another shape, in which one -1 stands for the rest.

    The shape is a tuple of integers and scalar integer tensors, or an integer tensor of known
    length.

    Raises:
        ValueError: the number of elements differs, or shape has more than one -1.
    """
    lengths = integer_vector(shape, "reshape", "shape")
    known = static_integers(lengths)
    if known.count(-1) > 1 or [d for d in known if d is not None and d < -1]:
        raise ValueError(f"reshape: shape {known} may hold one -1 and no other negative number")
    return apply("reshape", tensor(x, "reshape"), lengths)


@documented(
    "ja-1:891 permute_dimensions(x, pattern)",
    "ja-2.0:1509 permute_dimensions(x, pattern)",
    "ko-2.2:1982 permute_dimensions(x, pattern)",
)
def permute_dimensions(x: Tensor, pattern: Sequence[int]) -> Tensor:
    """Axis i of the result is axis pattern[i] of x.

    Shapes: any x; axis i of the result has the length of axis pattern[i].

    Raises:
        ValueError: an axis does not appear exactly once.
    """
    x = tensor(x, "permute_dimensions")
    order = axes_of(x, pattern, "permute_dimensions", "pattern")
    if pattern is None or len(order) != x.ndim:
        raise ValueError(
            f"permute_dimensions: pattern {pattern!r} must name each axis of {x!r} once"
        )
    return apply("permute_dimensions", x, pattern=order)


@documented(
    "ja-1:935 repeat_elements(x, rep, axis)",
    "ja-2.0:1579 repeat_elements(x, rep, axis)",
    "ko-2.2:2059 repeat_elements(x, rep, axis)",
)
def repeat_elements(x: Tensor, rep: int, axis: int) -> Tensor:
    """Each element `rep` times in a row along an axis: (s1, s2, s3), axis=1 gives (s1, s2*rep, s3).

    Raises:
        ValueError: in keras-2.0, the static length of the axis is not known (ja-2.0:1594).
    """
    x = tensor(x, "repeat_elements")
    position = axis_of(x, axis, "repeat_elements")
    if says("ja-2.0:1594") and x.shape[position] is None:
        raise ValueError(
            f"repeat_elements: the length of axis {position} of {x!r} is not defined; "
            "give the placeholder a full shape"
        )
    times = integer(rep, "repeat_elements", "rep", 0)
    return apply("repeat_elements", x, rep=times, axis=position)


@documented(
    "ja-1:949 repeat(x, n)",
    "ja-2.0:1605 repeat(x, n)",
    "ko-2.2:2084 repeat(x, n)",
)
def repeat(x: Tensor, n: int) -> Tensor:
    """Each sample n times: (samples, dim) gives (samples, n, dim).

    Raises:
        ValueError: the rank is not 2.
    """
    x = tensor(x, "repeat")
    if x.ndim != 2:
        raise ValueError(f"repeat: x is {x!r}; it must have rank 2 (see also repeat_elements)")
    return apply("repeat", x, n=integer(n, "repeat", "n", 0))


@documented(
    "ja-2.0:1651 tile(x, n)",
    "ko-2.2:2139 tile(x, n)",
)
def tile(x: Tensor, n: Sequence[int]) -> Tensor:
    """x side by side n[i] times along each axis i.

    Shapes: any x; axis i of the result is n[i] times as long.

    Raises:
        ValueError: n has not one entry per axis.
    """
    x = tensor(x, "tile")
    counts = n if isinstance(n, (list, tuple)) else [n]
    times = tuple(integer(item, "tile", f"n[{i}]", 0) for i, item in enumerate(counts))
    if len(times) != x.ndim:
        raise ValueError(f"tile: n is {n!r}; write one integer for each axis of {x!r}")
    return apply("tile", x, n=times)


@documented(
    "ja-2.0:1670 flatten(x)",
    "ko-2.2:2160 flatten(x)",
)
def flatten(x: Tensor) -> Tensor:
    """All elements in row order along one axis.

    Shapes: any x; the result is (elements of x,).
    """
    return apply("flatten", tensor(x, "flatten"))


@documented(
    "ja-1:964 batch_flatten(x)",
    "ja-2.0:1688 batch_flatten(x)",
    "ko-2.2:2180 batch_flatten(x)",
)
def batch_flatten(x: Tensor) -> Tensor:
    """All elements of each sample in a row: shape (x.shape[0], rest).

    Raises:
        ValueError: x is a scalar.
    """
    x = tensor(x, "batch_flatten")
    if x.ndim < 1:
        raise ValueError(f"batch_flatten: x is {x!r}; it needs a batch axis")
    return apply("batch_flatten", x)


@documented(
    "ja-1:976 expand_dims(x, dim=-1)",
    "ja-2.0:1708 expand_dims(x, axis=-1)",
    "ko-2.2:2202 expand_dims(x, axis=-1)",
)
def expand_dims(x: Tensor, axis: int = -1) -> Tensor:
    """x with a new axis of length 1, which is axis `axis` of the result.

    Shapes: any x; the result has an axis of length 1 more.
    """
    x = tensor(x, "expand_dims")
    return apply("expand_dims", x, axis=axis_of(x, axis, "expand_dims", extra=1))


@documented(
    "ja-1:988 squeeze(x, axis)",
    "ja-2.0:1727 squeeze(x, axis)",
    "ko-2.2:2223 squeeze(x, axis)",
)
def squeeze(x: Tensor, axis: int) -> Tensor:
    """x without an axis of length 1.

    Shapes: any x; the result has the shape of x without the axis.

    Raises:
        ValueError: its length is another.
    """
    x = tensor(x, "squeeze")
    return apply("squeeze", x, axis=axis_of(x, axis, "squeeze"))


@documented(
    "ja-2.0:1817 stack(x, axis=0)",
    "ko-2.2:2327 stack(x, axis=0)",
)
def stack(x: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors of rank R side by side along a new axis: a tensor of rank R + 1.

    ValueError unless they have one shape and one dtype.
    """
    items = _tensors(x, "stack", "x")
    return apply("stack", *items, axis=axis_of(items[0], axis, "stack", extra=1))


@documented(
    "ja-1:1035 one_hot(indices, nb_classes)",
    "ja-2.0:1836 one_hot(indices, num_classes)",
    "ko-2.2:2348 one_hot(indices, num_classes)",
)
def one_hot(indices: Tensor, num_classes: int) -> Tensor:
    """1 at the index and 0 elsewhere along a new last axis of length num_classes, in floatx.

    An index out of range gives zeros. ValueError if the indices are not integers.

    Shapes: any indices; the result has their shape and a last axis of num_classes.
    """
    numbers = integer_tensor(indices, "one_hot", "indices")
    classes = integer(num_classes, "one_hot", "num_classes", 0)
    return apply("one_hot", numbers, num_classes=classes, dtype=active().settings.floatx)


@documented(
    "ja-1:1051 reverse(x, axes)",
    "ja-2.0:1855 reverse(x, axes)",
    "ko-2.2:2371 reverse(x, axes)",
)
def reverse(x: Tensor, axes: int | Sequence[int]) -> Tensor:
    """x in reverse order along one axis or several.

    Shapes: any x; the result has the shape of x.

    Raises:
        ValueError: axes is None or names an axis that x does not have.
    """
    x = tensor(x, "reverse")
    if axes is None:
        raise ValueError("reverse: axes is None; write an integer or a list of integers")
    return apply("reverse", x, axes=axes_of(x, axes, "reverse", "axes"))


@documented(
    "ko-2.2:2393 slice(x, start, size)",
)
def slice(x: Tensor, start: Any, size: Any) -> Tensor:
    """x[start[0]:start[0] + size[0], ...]: one start and one size for each axis.

    Both are lists of integers, or integer tensors.

    Shapes: any x; the result has the shape `size`.

    Raises:
        ValueError: another number of entries, or the slice leaves x. If the graph does not know the
            latter, evaluation raises it.
    """
    x = tensor(x, "slice")
    first = integer_vector(start, "slice", "start")
    sizes = integer_vector(size, "slice", "size")
    if not first.shape[0] == sizes.shape[0] == x.ndim:
        raise ValueError(f"slice: start and size need one entry for each axis of {x!r}")
    return apply("slice", x, first, sizes)


@documented(
    "ja-1:466 gather(reference, indices)",
    "ja-2.0:1171 gather(reference, indices)",
    "ko-2.2:1139 gather(reference, indices)",
)
def gather(reference: Tensor, indices: Tensor) -> Tensor:
    """Rows of `reference` (along axis 0) by index: shape indices.shape + reference.shape[1:].

    A negative index counts from the end.

    Raises:
        ValueError: the indices are not integers, or reference is a scalar.
        IndexError: at evaluation, a row does not exist.
    """
    rows = tensor(reference, "gather", "reference")
    if rows.ndim < 1:
        raise ValueError(f"gather: reference is {rows!r}; it needs at least one axis")
    return apply("gather", rows, integer_tensor(indices, "gather", "indices"))
