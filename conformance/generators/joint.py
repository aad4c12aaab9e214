"""Numbers of several tensors that belong together: what a domain of each alone cannot say.

The numbers that were drawn for the tensors of one parameter are taken for those of something else,
of which the tensors are then made. The minimiser leaves them as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.generators.tensors import references
from conformance.program import Argument, Ref

Array = npt.NDArray[Any]
Fit = Callable[[Mapping[str, Argument], str, Mapping[str, Array]], dict[str, Array]]
"""Takes the arguments of a call, the parameter and the numbers of all inputs. Gives the wide
numbers of the parameter's tensors."""
SHARES = {"hann": 0.5, "hamming": 0.54}
"""The constant term of each window of a name; the cosine has the rest."""


def _window(arguments: Mapping[str, Argument], arrays: Mapping[str, Array]) -> Array:
    """The window in the middle of the transform."""
    length, longer = (_integer(arguments[name]) for name in ("sequence_length", "fft_length"))
    match arguments["window"]:
        case Ref(name=name):
            window = arrays[name].astype(np.longdouble)
        case str(name) if length > 1:
            angles = 2 * np.arccos(np.longdouble(-1)) * np.arange(length) / length
            window = SHARES[name] - (1 - SHARES[name]) * np.cos(angles)
        case _:
            window = np.ones(length, np.longdouble)
    before = (longer - length) // 2
    return np.pad(window, (before, longer - length - before))


def _integer(argument: Argument) -> int:
    value: Any = getattr(argument, "value", argument)
    return int(value)


def _transforms(rows: Array, count: int) -> tuple[Array, Array]:
    """The first numbers of the transform of each row, by its definition."""
    n = rows.shape[-1]
    turns = np.outer(np.arange(n), np.arange(count)) % n
    angles = 2 * np.arccos(np.longdouble(-1)) * turns / n
    return rows @ np.cos(angles), -(rows @ np.sin(angles))


def windows_of_a_signal(
    arguments: Mapping[str, Argument], parameter: str, arrays: Mapping[str, Array]
) -> dict[str, Array]:
    """The real and imaginary parts of the transforms of windows of one signal."""
    names = references(arguments[parameter])
    real, imag = (arrays[name] for name in names)
    *batch, count, bins = real.shape
    window, stride = _window(arguments, arrays), _integer(arguments["sequence_stride"])
    size = (count - 1) * stride + len(window)
    numbers = np.concatenate([part.reshape(*batch, count * bins) for part in (real, imag)], -1)
    # the transform then has the sizes of the profile
    scale = 2.0 ** math.ceil(math.log2(len(window)))
    signal = numbers[..., :size].astype(np.longdouble) / scale
    rows = np.lib.stride_tricks.sliding_window_view(signal, len(window), -1)[..., ::stride, :]
    with np.errstate(invalid="ignore"):
        parts = _transforms(rows * window, bins)
    return dict(zip(names, parts, strict=True))


EIGHTHS = 8
BORDERED = ("constant", "wrap")
"""Modes in which points less than a step beyond an end are not settled."""


def points_of_an_array(
    arguments: Mapping[str, Argument], parameter: str, arrays: Mapping[str, Array]
) -> dict[str, Array]:
    """Eighths along each axis, at most once over the length of the array beyond an end; half of
    them inside, none of them open."""
    (name,), (whole,) = references(arguments[parameter]), references(arguments["inputs"])
    drawn = np.clip(np.nan_to_num(arrays[name].astype(np.float64)), -1e6, 1e6)
    points = np.empty(drawn.shape)
    for axis, length in enumerate(arrays[whole].shape):
        steps = np.rint(EIGHTHS * drawn[axis]).astype(np.int64)
        far = steps % (EIGHTHS * (3 * length - 1) + 1) - EIGHTHS * length
        near = steps % (EIGHTHS * (length - 1) + 1)
        points[axis] = _settled(np.where(steps % 2, near, far) / EIGHTHS, length, arguments)
    return {name: points}


def _settled(points: Array, length: int, arguments: Mapping[str, Argument]) -> Array:
    """The points, with others in the place of ties and of those that may belong to an end."""
    tie = (points % 1 == 0.5) & (_integer(arguments["order"]) == 0)
    points = np.where(tie, points + 1 / EIGHTHS, points)
    if arguments["fill_mode"] not in BORDERED:
        return points
    points = np.where((points > -1) & (points < 0), -1, points)
    return np.where((points > length - 1) & (points < length), length, points)


def labels_of_paths(
    arguments: Mapping[str, Argument], parameter: str, arrays: Mapping[str, Array]
) -> dict[str, Array]:
    """Labels without a blank, and lengths of both such that a path stands for each label.

    Two equal classes in a row need a blank between them. One tensor with both lengths leaves no
    step for it.
    """
    target, output, labels, samples = (
        references(arguments[name])[0]
        for name in (parameter, "output", "target_length", "output_length")
    )
    steps, classes = arrays[output].shape[1:]
    others = np.delete(np.arange(classes), _integer(arguments["mask_index"]))
    rows = others[arrays[target].astype(int) % (classes - 1)]
    lengths = np.clip(arrays[samples].astype(int), 1, steps)
    sizes = np.minimum(np.maximum(arrays[labels].astype(int), 1), lengths)
    room = sizes if labels == samples else lengths
    for place, row in enumerate(rows):
        while sizes[place] + (row[1 : sizes[place]] == row[: sizes[place] - 1]).sum() > room[place]:
            sizes[place] -= 1
    return {
        target: rows,
        samples: lengths.astype(arrays[samples].dtype),
        labels: sizes.astype(arrays[labels].dtype),
    }


def lengths_of_samples(
    arguments: Mapping[str, Argument], parameter: str, arrays: Mapping[str, Array]
) -> dict[str, Array]:
    """Lengths of at least one time step."""
    (name,) = references(arguments[parameter])
    return {name: np.maximum(arrays[name], 1)}


FITS: Mapping[str, Fit] = {
    "labels of paths": labels_of_paths,
    "lengths of samples": lengths_of_samples,
    "windows of a signal": windows_of_a_signal,
    "points of an array": points_of_an_array,
}
