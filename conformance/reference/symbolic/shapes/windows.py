"""Static shape and dtype of windows on images, and of images put together from windows.

Here an image tensor is (batch, spatial dimensions..., channels), and one of windows (batch,
positions..., sizes..., channels). Padding `valid` takes the windows inside the image; `same` takes
one for each stride begun, and splits what they need beyond the image, the odd element behind;
`causal` puts all of it in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.reference.symbolic.known_integers import static_integers
from conformance.reference.symbolic.rules import Operand, Result, rule, same_dimension

Numbers = Sequence[int]


def margins(length: int, size: int, stride: int, padding: str, rate: int) -> tuple[int, int, int]:
    """The number of windows on an axis, and the elements that they need in front and behind."""
    span = (size - 1) * rate + 1
    if padding == "valid":
        return max(0, (length - span) // stride + 1), 0, 0
    count = -(-length // stride)
    if padding == "causal":
        return count, span - 1, 0
    missing = max(0, (count - 1) * stride + span - length)
    return count, missing // 2, missing - missing // 2


def positions(
    lengths: Sequence[int | None], sizes: Numbers, strides: Numbers, padding: str, dilation: Numbers
) -> tuple[int | None, ...]:
    """The number of windows on each axis; None where the length is not known."""
    along = zip(lengths, sizes, strides, dilation, strict=True)
    return tuple(None if n is None else margins(n, k, s, padding, d)[0] for n, k, s, d in along)


@rule("windows")
def windows(
    x: Operand, sizes: Numbers, strides: Numbers, padding: str, dilation: Numbers, **_: Any
) -> Result:
    """All windows of an image.

    Raises:
        ValueError: no window fits.
    """
    counts = positions(x.shape[1:-1], sizes, strides, padding, dilation)
    if 0 in counts and 0 not in x.shape:
        raise ValueError(
            f"windows of {tuple(sizes)} do not fit the images of {x!r}; make them smaller, or "
            "use padding 'same'"
        )
    return (x.shape[0], *counts, *sizes, x.shape[-1]), x.dtype


@rule("fold")
def fold(
    x: Operand,
    shape: Operand,
    *,
    sizes: Numbers,
    strides: Numbers,
    padding: str,
    dilation: Numbers,
) -> Result:
    """Images of a shape, each element the sum of what windows put there.

    Raises:
        ValueError: images of that shape have other windows.
    """
    expected = static_integers(shape)
    axes = len(sizes)
    if len(expected) != axes + 2:
        raise ValueError(f"the shape of the result {expected} must have {axes + 2} dimensions")
    counts = positions(expected[1:-1], sizes, strides, padding, dilation)
    shape_in = (x.shape[0], *x.shape[1 : axes + 1], x.shape[-1])
    for mine, other in zip((expected[0], *counts, expected[-1]), shape_in, strict=True):
        same_dimension(
            mine, other, f"a result of {expected}, from which a convolution makes {shape_in}"
        )
    return expected, x.dtype
