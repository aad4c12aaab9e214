"""Parameters of keras.ops that few callers give: right functions pass, wrong ones are found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.specs.letters import groups_of, named_lengths
from tests.engine.keras_calls import prepared, problems

MODES = {"circular": "wrap"}
FLOATS = ("float16", "float32", "float64")


def of_dtype(function: Callable[..., Any]) -> Callable[..., Any]:
    """A total in the dtype of the input, or in another one."""

    def called(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        how = {"keepdims": True} if keepdims else {}
        where = tuple(axis) if isinstance(axis, list) else axis
        return np.asarray(function(x, axis=where, dtype=dtype or number_dtype(x), **how))

    return called


def extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        where = tuple(axis) if isinstance(axis, list) else axis
        more = {} if initial is None else {"initial": x.dtype.type(initial)}
        return function(x, axis=where, keepdims=keepdims, **more)

    return called


def like(fill: Any) -> Callable[..., Any]:
    return lambda x, dtype=None: np.full_like(x, fill, dtype)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    if mode != "constant":
        assert constant_values is None
        named: Any = MODES.get(mode, mode)
        return np.pad(x, pad_width, named)
    return np.pad(x, pad_width, constant_values=constant_values or 0)


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    integrate = getattr(np, "trapezoid", None) or getattr(np, "trapz")  # noqa: B009 (NumPy 1)
    heights = y if y.dtype.kind == "f" else y.astype("float64")
    area = integrate(heights, x, dx, axis)
    return area.astype(y.dtype if y.dtype.name in FLOATS else "float32")


def samples(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of wide ends, in the dtype that is asked for, or in that of the ends."""

    def called(start: Any, stop: Any, num: int = 50, *, dtype: Any = None, **how: Any) -> Any:
        ends = [np.asarray(end, "float64") for end in (start, stop)]
        tensor = next((e for e in (start, stop) if isinstance(e, np.ndarray)), None)
        own = "float64" if tensor is not None and tensor.dtype == "float64" else "float32"
        result = function(*ends, num, **how)
        if isinstance(result, tuple):
            return result[0].astype(dtype or own), np.asarray(result[1]).astype(own)
        return result.astype(dtype or own)

    return called


def histogram(x: Any, bins: int = 10, range: Any = None) -> Any:  # noqa: A002 - as documented
    counts, edges = np.histogram(x, bins, range)
    return counts, edges.astype(x.dtype if x.dtype.name in FLOATS else "float32")


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    assert not sparse
    counts = np.bincount(x, weights, minlength)
    return counts if weights is None else counts.astype(weights.dtype)


def saturate_cast(x: Any, dtype: str) -> Any:
    if dtype.startswith(("float", "bfloat")):
        info = np.finfo("float32" if dtype == "bfloat16" else dtype)
        return np.clip(x, info.min, info.max).astype("float32" if dtype == "bfloat16" else dtype)
    ends = np.iinfo(dtype)
    wide = np.clip(np.trunc(x.astype("longdouble")), ends.min, ends.max)
    return wide.astype("int64").astype(dtype)


def cast(x: Any, dtype: str) -> Any:
    return x.astype("float32" if dtype == "bfloat16" else dtype)


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    lengths = named_lengths(pattern, tensor.shape, axes_lengths)
    before, after = (groups_of(side) for side in pattern.split("->"))
    names = [name for group in before for name in group]
    apart = tensor.reshape([lengths[name] for name in names])
    turned = apart.transpose([names.index(name) for group in after for name in group])
    return turned.reshape([math.prod(lengths[n] or 0 for n in group) for group in after])


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.trace(x, offset, axis1, axis2, number_dtype(x))


def number_dtype(x: Any) -> Any:
    """The dtype of a sum: int32 for truth values."""
    return "int32" if x.dtype == bool else x.dtype


RIGHT: Mapping[str, Callable[..., Any]] = {
    **{name: of_dtype(getattr(np, name)) for name in ("prod", "cumsum", "cumprod")},
    **{name: of_dtype(getattr(np, name)) for name in ("nancumsum", "nancumprod")},
    "max": extreme(np.max),
    "min": extreme(np.min),
    "round": lambda x, decimals=0: np.round(
        x.astype("float32") if x.dtype == bool else x, decimals
    ),
    "zeros_like": like(0),
    "ones_like": like(1),
    "full_like": np.full_like,
    "rot90": lambda array, k=1, axes=(0, 1): np.rot90(array, k, axes),
    "diagonal": np.diagonal,
    "trace": trace,
    "trapezoid": trapezoid,
    "pad": pad,
    "isin": lambda x1, x2, assume_unique=False, invert=False: np.isin(
        x1, x2, assume_unique=assume_unique, invert=invert
    ),
    "isclose": np.isclose,
    "allclose": lambda *a, **k: np.asarray(np.allclose(*a, **k)),
    "bincount": bincount,
    "histogram": histogram,
    "meshgrid": lambda *x, indexing="xy": np.meshgrid(*x, indexing=indexing),
    "nextafter": np.nextafter,
    "linspace": samples(np.linspace),
    "logspace": samples(np.logspace),
    "geomspace": samples(np.geomspace),
    "einsum": np.einsum,
    "rearrange": rearrange,
    "cast": cast,
    "saturate_cast": saturate_cast,
    "empty": lambda shape, dtype=None: np.full(shape, 7, dtype or "float32"),
    "empty_like": lambda x, dtype=None: np.full_like(x, 7, dtype),
    "view": lambda x, dtype=None: x.view(x.dtype if dtype is None else dtype),
}


def without(name: str, keyword: str) -> Callable[..., Any]:
    """The function that does not look at a keyword argument."""
    return lambda *args, **k: RIGHT[name](*args, **{n: v for n, v in k.items() if n != keyword})


def always(name: str, **fixed: Any) -> Callable[..., Any]:
    return lambda *args, **k: RIGHT[name](*args, **{**k, **fixed})


def rounded_before(name: str) -> Callable[..., Any]:
    """Computed in the dtype of the input, and cast afterwards."""

    def called(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        return RIGHT[name](x, axis, keepdims).astype(dtype or x.dtype)

    return called


def first_axis_alone(x: Any, pad_width: Any, **kwargs: Any) -> Any:
    """One width for all is of the first axis."""
    if isinstance(pad_width, tuple) and len(pad_width) == x.ndim:
        return pad(x, pad_width, **kwargs)
    pair = np.broadcast_to(pad_width, (1, 2))[0]
    return pad(x, [pair, *[(0, 0)] * (x.ndim - 1)], **kwargs)


IGNORED: tuple[tuple[str, str], ...] = (
    *((name, "axis") for name in ("linspace", "logspace", "geomspace")),
    *((name, "endpoint") for name in ("linspace", "logspace", "geomspace")),
    *((name, "dtype") for name in ("linspace", "logspace", "geomspace")),
    *((name, "num") for name in ("linspace", "logspace", "geomspace")),
    ("linspace", "retstep"),
    ("logspace", "base"),
    *((name, "dtype") for name in ("full_like", "zeros_like", "ones_like", "empty_like", "empty")),
    *((name, "dtype") for name in ("prod", "cumsum", "cumprod", "nancumsum", "nancumprod")),
    *((name, "initial") for name in ("max", "min")),
    ("round", "decimals"),
    *((name, keyword) for name in ("isclose", "allclose") for keyword in ("rtol", "atol")),
    ("isclose", "equal_nan"),
    ("allclose", "equal_nan"),
    ("isin", "invert"),
    ("bincount", "weights"),
    ("bincount", "minlength"),
    ("histogram", "bins"),
    ("histogram", "range"),
    ("rot90", "axes"),
    *((name, key) for name in ("diagonal", "trace") for key in ("offset", "axis1", "axis2")),
    ("trapezoid", "axis"),
    ("trapezoid", "x"),
    ("trapezoid", "dx"),
    ("pad", "mode"),
    ("pad", "constant_values"),
)


def step_first(*args: Any, retstep: bool = False, **kwargs: Any) -> Any:
    result = RIGHT["linspace"](*args, retstep=retstep, **kwargs)
    return result[::-1] if retstep else result


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    *((name, f"{keyword} ignored", without(name, keyword)) for name, keyword in IGNORED),
    *((name, "rounded before", rounded_before(name)) for name in ("prod", "cumsum", "cumprod")),
    ("max", "the smaller one", lambda x, initial=None, **k: RIGHT["min"](x, initial=initial, **k)),
    ("round", "a decimal more", lambda x, decimals=0: np.round(x, decimals + 1)),
    ("round", "cut", lambda x, decimals=0: np.trunc(x * 10.0**decimals) / 10.0**decimals),
    ("linspace", "the last axis", always("linspace", axis=-1)),
    ("linspace", "the step first", step_first),
    ("rot90", "clockwise", lambda array, k=1, axes=(0, 1): np.rot90(array, -k, axes)),
    (
        "diagonal",
        "axes exchanged",
        lambda x, offset=0, axis1=0, axis2=1: np.diagonal(x, offset, axis2, axis1),
    ),
    ("trapezoid", "backwards", lambda y, x=None, **k: trapezoid(y, None if x is None else -x, **k)),
    (
        "pad",
        "reflect for symmetric",
        lambda x, w, mode="constant", **k: pad(
            x, w, "reflect" if mode == "symmetric" else mode, **k
        ),
    ),
    ("pad", "one width is of the first axis", first_axis_alone),
    ("isclose", "NaN always equal", always("isclose", equal_nan=True)),
    ("isclose", "exactly equal", lambda x1, x2, **_: x1 == x2),
    ("allclose", "NaN always equal", always("allclose", equal_nan=True)),
    ("allclose", "any of them", lambda *a, **k: np.asarray(np.isclose(*a, **k).any())),
    ("isin", "all of unique ones", lambda x1, x2, **_: np.ones(x1.shape, bool)),
    ("histogram", "one more", lambda *a, **k: (histogram(*a, **k)[0] + 1, histogram(*a, **k)[1])),
    ("meshgrid", "by columns", lambda *x, indexing="xy": np.meshgrid(*x, indexing="xy")),
    ("nextafter", "the number itself", lambda x1, x2: x1 + 0 * x2),
    ("nextafter", "from the other", lambda x1, x2: np.nextafter(x2, x1)),
    ("nextafter", "two steps", lambda x1, x2: np.nextafter(np.nextafter(x1, x2), x2)),
    ("einsum", "halves", lambda text, *x: np.einsum(text, *x) / 2),
    ("rearrange", "in order", lambda x, pattern, **k: x.reshape(rearrange(x, pattern, **k).shape)),
    ("cast", "rounded", lambda x, dtype: np.rint(x).astype(dtype)),
    ("saturate_cast", "wrapped", cast),
    ("view", "a cast", lambda x, dtype=None: x.astype(dtype)),
    ("view", "bytes turned round", lambda x, dtype=None: x.byteswap().view(dtype or x.dtype)),
    ("view", "floats", lambda x, dtype=None: x.view(dtype) if dtype else x.astype("float32")),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    findings = [(f.gives, f.demands) for f in problems(name, RIGHT[name])]
    assert not findings


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    raised = (ValueError, IndexError, TypeError)
    assert next(problems(name, wrong, *raised), None) is not None


def test_a_number_that_is_not_the_next_one_is_shown() -> None:
    texts = [f"{f.gives}; {f.demands}" for f in problems("nextafter", lambda x1, x2: x1 + 0 * x2)]
    assert any(
        re.fullmatch(r"gives \S+( at \[.*\])? for x = .*; the next number of the dtype", text)
        for text in texts
    )
