"""Calls of keras.ops.image that give images other colours.

The numbers are sixteenths from 0 to 1. Left open are the hue of grey, and the saturation of black,
which no formula settles. How bright a grey is that stands for a colour, no docstring says: it is no
darker than the darkest channel, and no brighter than the brightest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.checks import agrees_with, shown
from conformance.scenarios.model import Array, Family, Problem
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    families,
    one,
    shaped,
)

X = Ref("images")
STEPS = 16
"""The numbers are parts of it, so that differences of two are exact."""
SECTORS = 6
ROUNDINGS = 64
"""Of some products and a quotient, each of numbers up to 6, the sectors of the hue."""
SLACK = 1 / 64
"""Beside the range of a grey: weights of channels are given in a few decimals."""


def _colours(draw: DrawFn) -> Array:
    """Images whose colours are in the last axis, many of them grey, pure or black."""
    batch = draw(st.sampled_from(((), (2,))))
    shape = (*batch, draw(st.integers(1, 5)), draw(st.integers(1, 5)), 3)
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    x = generator.integers(0, STEPS + 1, shape) / STEPS
    kind = generator.integers(0, 4, shape[:-1])[..., None]
    x = np.where(kind == 0, np.round(x), np.where(kind == 1, x[..., :1], x))
    return x.astype(a_dtype(draw))


def hsv(x: Array) -> tuple[Array, Array]:
    """Hue, saturation and value of colours, by the hexagon of hues, and which of them are open."""
    r, g, b = np.moveaxis(x.astype("float64"), -1, 0)
    value = x.max(-1).astype("float64")
    chroma = value - x.min(-1)
    wide = np.where(chroma > 0, chroma, 1)
    sectors = [(g - b) / wide, (b - r) / wide + 2, (r - g) / wide + 4]
    hue = np.select([value == r, value == g], sectors[:2], sectors[2]) / SECTORS % 1
    saturation = chroma / np.where(value > 0, value, 1)
    opened = np.stack([chroma == 0, value == 0, np.zeros_like(value, bool)], -1)
    return np.stack([hue, saturation, value], -1), opened


def rgb(x: Array) -> Array:
    """The colours of hues, saturations and values: a channel is lower the further its hue is."""
    hue, saturation, value = np.moveaxis(x.astype("float64"), -1, 0)
    distances = np.stack([(n + hue * SECTORS) % SECTORS for n in (5, 3, 1)], -1)
    lack = np.clip(np.minimum(distances, 4 - distances), 0, 1)
    return np.asarray(value[..., None] * (1 - saturation[..., None] * lack))


def _within(low: Array, high: Array, slack: float) -> Callable[[Array], Problem | None]:
    """A test of what lies in a range. NaN does not."""

    def test(got: Array) -> Problem | None:
        if np.all((got >= low - slack) & (got <= high + slack)):
            return None
        return Problem(f"gives {shown(got)}", "range", got=got, wrong=_mask(low, high, slack))

    return test


def _mask(low: Array, high: Array, slack: float) -> str:
    """What a script computes of that test."""
    least, most = ((low - slack).tolist(), (high + slack).tolist())
    return f"~((np.asarray(first) >= np.array({least})) & (np.asarray(first) <= np.array({most})))"


def formatted(draw: DrawFn) -> tuple[Callable[[Array], Array], dict[str, Argument]]:
    """What puts channels where a data format has them, and the keyword that says so."""
    data_format = draw(st.sampled_from((None, "channels_last", "channels_first")))
    given: dict[str, Argument] = {} if data_format is None else {"data_format": data_format}
    if data_format == "channels_first":
        return (lambda x: np.moveaxis(x, -1, -3).copy()), given
    return np.asarray, given


def _close(value: Array, opened: Array, dtype: str) -> Result:
    bound = np.where(opened, np.inf, gamma(ROUNDINGS, dtype))
    return Result(value.shape, agrees_with(Expectation(value, bound, dtype)), demands=shown(value))


def _rgb_to_hsv(draw: DrawFn) -> Call:
    x = _colours(draw)
    placed, given = formatted(draw)
    value, opened = map(placed, hsv(x))
    made = one({"images": placed(x)}, X, gives=_close(value, opened, x.dtype.name), **given)
    slack = gamma(ROUNDINGS, x.dtype.name)
    whole = _within(np.zeros(()), np.ones(()), slack)
    return replace(made, whole=whole, demands="numbers from 0 to 1")


def _hsv_to_rgb(draw: DrawFn) -> Call:
    x = _colours(draw)
    placed, given = formatted(draw)
    value = placed(rgb(x))
    gives = _close(value, np.zeros(value.shape, bool), x.dtype.name)
    return one({"images": placed(x)}, X, gives=gives, **given)


def _rgb_to_grayscale(draw: DrawFn) -> Call:
    """Of brightness no more is asked than the word says."""
    x = _colours(draw)
    placed, given = formatted(draw)
    low, high = (placed(found(-1, keepdims=True)) for found in (x.min, x.max))
    demands = f"numbers from {shown(low)} to {shown(high)}"
    made = one({"images": placed(x)}, X, gives=shaped(low.shape, demands), **given)
    wide = low.astype("float64"), high.astype("float64")
    return replace(made, whole=_within(*wide, SLACK), demands=demands)


def _image(name: str, draw: Callable[[DrawFn], Call]) -> Function:
    return Function(f"keras.ops.image.{name}", draw, section="Summary", inner=3)


FUNCTIONS: tuple[Function, ...] = (
    _image("rgb_to_hsv", _rgb_to_hsv),
    _image("hsv_to_rgb", _hsv_to_rgb),
    _image("rgb_to_grayscale", _rgb_to_grayscale),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
