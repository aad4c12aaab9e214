"""Scenarios of elastic_transform, whose docstring gives no law for its random field.

Settled are the shape, the range of the numbers, an image that no deformation changes, a deformation
of strength 0, and the seed. Interpolated numbers lie between those of the image.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    has_dtype,
    is_static_shape,
    of_array,
    of_arrays,
    shown,
)
from conformance.scenarios.model import ARGS, KERAS_3, RETURNS, Array, Problem
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.keras_choices import GENERATOR
from conformance.scenarios.recorder import Book, Recorder

BOOK = Book()
ELASTIC = "keras.ops.image.elastic_transform"
ROUNDINGS = 16
"""How many roundings of the largest number an interpolation may lose."""
MODES = ("constant", "nearest", "wrap", "reflect")


def _image(draw: st.DrawFn) -> tuple[Array, str]:
    """An image or a batch of two, and its layout; its numbers are eighths from 1 to 8."""
    height, width, channels = (draw(st.integers(2, 6)) for _ in range(3))
    layout = draw(st.sampled_from(("channels_last", "channels_first")))
    last = layout == "channels_last"
    single = (height, width, channels) if last else (channels, height, width)
    shape = (2, *single) if draw(st.booleans()) else single
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    dtype = draw(st.sampled_from(("float32", "float64")))
    return (generator.integers(8, 65, shape) / 8).astype(dtype), layout


@BOOK.scenario(
    ELASTIC,
    "an image",
    Aspect.VALUE,
    Aspect.DTYPE,
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    share=3.0,
)
def transformed(K: Recorder, draw: st.DrawFn) -> None:
    """Images and batches in each layout, with each interpolation and fill mode."""
    image, layout = _image(draw)
    nearest, mode = draw(st.booleans()), draw(st.sampled_from(MODES))
    keywords: dict[str, Any] = {
        "alpha": draw(st.sampled_from((20.0, 2.0, 0.0))),
        "sigma": draw(st.sampled_from((5.0, 1.0))),
        "interpolation": "nearest" if nearest else "bilinear",
        "fill_mode": mode,
        "fill_value": 2.0,
        "seed": draw(st.integers(0, 99)),
        "data_format": layout,
    }
    call = K[ELASTIC](K.constant(K.array("images", image), dtype=image.dtype.name), **keywords)
    static = K.int_shape(call).output("static")
    values = K.eval(call).output("values")
    test, aspect = is_static_shape(image.shape), Aspect.STATIC_SHAPE
    K.expect("the shape", static, test, str(image.shape), aspect=aspect, at=RETURNS)
    name, aspect = image.dtype.name, Aspect.DTYPE
    dtype = has_dtype(name)
    K.expect("the dtype", values, dtype, name, aspect=aspect, alternatives=OTHER_DTYPES)
    test, demands = _is_made_of(image, nearest=nearest, fill=2.0 if mode == "constant" else None)
    if not keywords["alpha"]:
        test, demands = of_array(partial(_is_near, image)), shown(image)
    K.expect("the numbers", values, test, demands, at=ARGS)


def _is_near(expected: Array, got: Array) -> Problem | None:
    """Every number is the expected number within a few roundings."""
    if got.shape != expected.shape:
        return Problem(f"gives shape {got.shape}", "shape")
    bound = ROUNDINGS * np.finfo(expected.dtype).eps * np.abs(expected).max()
    if (np.abs(got - expected) <= bound).all():
        return None
    return Problem(f"gives {shown(got)}", "numbers", got=got, expected=expected)


def _is_made_of(image: Array, *, nearest: bool, fill: float | None) -> tuple[Test, str]:
    """All numbers lie between those of the image, and are some of them without interpolation."""
    numbers = np.unique(image if fill is None else np.append(image, np.asarray(fill, image.dtype)))
    low, high = float(numbers[0]), float(numbers[-1])
    bound = ROUNDINGS * float(np.finfo(image.dtype).eps) * high

    def test(got: Array) -> Problem | None:
        if got.shape != image.shape:
            return Problem(f"gives shape {got.shape}", "shape")
        wide = got.astype("float64")
        outside = (wide < low - bound) | (wide > high + bound) | ~np.isfinite(wide)
        if outside.any():
            return Problem(f"gives {shown(got)}", "range", got=got)
        far = np.abs(wide[..., None] - numbers.astype("float64")).min(-1) > bound
        if nearest and far.any():
            return Problem(f"gives {shown(got)}", "numbers", got=got)
        return None

    return of_array(test), f"numbers from {low:g} to {high:g}" + ", all of the image" * nearest


@BOOK.scenario(ELASTIC, "seeds", Aspect.SEED, editions=KERAS_3)
def seeds(K: Recorder) -> None:
    """One integer gives the same image again, and another one another image."""
    images = np.arange(300, dtype="float32").reshape(10, 10, 3)
    for output, seed in (("first", 1), ("second", 1), ("other", 2)):
        x = K.constant(K.array(f"images_{output}", images), dtype="float32")
        K.eval(K[ELASTIC](x, seed=seed)).output(output)
    same, other = of_arrays(chance.equal_samples), of_arrays(chance.other_samples)
    name, demands = "the same seed gives the same image", "the same image for the same integer"
    K.expect(name, ("first", "second"), same, demands, at=GENERATOR)
    name, demands = "another seed gives another image", "another image for another integer"
    K.expect(name, ("first", "other"), other, demands, at=GENERATOR)


FAMILIES = BOOK.families
