"""Scenarios of keras.ops with callables, conversions, spectra: right functions and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.scenarios import keras_ops as ops


def after(changed: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """What is made of the parts that a function gives."""
    return lambda *args, **kwargs: changed(*function(*args, **kwargs))


def without(keyword: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that does not look at a keyword argument."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{k: given for k, given in kwargs.items() if k != keyword})

    return called


def scan_in_time(*args: Any, reverse: bool, **kwargs: Any) -> Any:
    carry, given = ops.scan(*args, reverse=reverse, **kwargs)
    return carry, ops.mapped(lambda y: y[::-1], given) if reverse else given


def ahead(key: Any) -> Any:
    """The key without signs."""
    if isinstance(key, tuple):
        return tuple(map(ahead, key))
    return abs(key) if isinstance(key, int) else key


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("cond", "always the first", lambda p, t, f: t()),
    ("cond", "the other one", lambda p, t, f: f() if p else t()),
    ("cond", "both added", lambda p, t, f: ops.mapped(np.add, t(), f())),
    ("switch", "counted from 1", lambda i, b, *x: ops.switch(i - 1, b, *x)),
    ("switch", "wrapped round", lambda i, b, *x: b[i % len(b)](*x)),
    ("switch", "operands exchanged", lambda i, b, *x: ops.switch(i, b, *x[::-1])),
    ("map", "in reverse", lambda f, xs: ops.map_(f, xs[::-1])),
    ("map", "without the last", lambda f, xs: ops.map_(f, xs[: max(1, len(xs) - 1)])),
    ("map", "of the whole", lambda f, xs: f(xs[:, None])),
    ("map", "along the last axis", lambda f, xs: ops.map_(f, np.swapaxes(xs, 0, -1))),
    ("vectorized_map", "in reverse", lambda f, e: ops.map_(f, ops.mapped(np.flip, e))),
    ("vectorized_map", "of the whole", lambda f, e: f(e)),
    (
        "vectorized_map",
        "a list turned round",
        lambda f, e: ops.map_(f, e[::-1] if isinstance(e, list) else e),
    ),
    (
        "vectorize",
        "nothing excluded",
        lambda f, excluded=None, signature=None: ops.vectorize(f, signature=signature),
    ),
    (
        "vectorize",
        "without a signature",
        lambda f, excluded=None, signature=None: ops.vectorize(f, excluded=excluded),
    ),
    (
        "vectorize",
        "of the first element",
        lambda f, excluded=None, signature=None: lambda x, y: f(x[0], y),
    ),
    ("scan", "reverse ignored", without("reverse", ops.scan)),
    (
        "scan",
        "outputs in time",
        lambda *a, reverse=False, **k: scan_in_time(*a, reverse=reverse, **k),
    ),
    (
        "scan",
        "the first carried value",
        lambda f, init, xs=None, **k: (init, ops.scan(f, init, xs, **k)[1]),
    ),
    (
        "scan",
        "one step less",
        lambda f, i, xs=None, length=None, **k: ops.scan(
            f,
            i,
            None if xs is None else ops.mapped(lambda x: x[:-1], xs),
            length=None if length is None else length - 1,
            **k,
        ),
    ),
    (
        "while_loop",
        "one turn more",
        lambda c, b, v, maximum_iterations=None: ops.while_loop(
            c, b, b(*v) if isinstance(v, tuple | list) else b(v), maximum_iterations
        ),
    ),
    ("while_loop", "no maximum", lambda c, b, v, maximum_iterations=None: ops.while_loop(c, b, v)),
    (
        "while_loop",
        "one turn beyond the maximum",
        lambda c, b, v, maximum_iterations=None: ops.while_loop(
            c, b, v, None if maximum_iterations is None else maximum_iterations + 1
        ),
    ),
    (
        "while_loop",
        "another dtype",
        lambda *a, **k: ops.mapped(lambda x: np.asarray(x, "float32"), ops.while_loop(*a, **k)),
    ),
    ("fori_loop", "the upper bound, too", lambda low, up, b, s: ops.fori_loop(low, up + 1, b, s)),
    ("fori_loop", "counted from 0", lambda low, up, b, s: ops.fori_loop(0, up - low, b, s)),
    (
        "fori_loop",
        "at least once",
        lambda low, up, b, s: ops.fori_loop(low, max(up, low + 1), b, s),
    ),
    (
        "associative_scan",
        "the first axis",
        lambda f, e, reverse=False, axis=0: ops.associative_scan(f, e, reverse, 0),
    ),
    (
        "associative_scan",
        "reverse ignored",
        lambda f, e, reverse=False, axis=0: ops.associative_scan(f, e, False, axis),
    ),
    (
        "associative_scan",
        "the later one first",
        lambda f, e, reverse=False, axis=0: ops.associative_scan(
            lambda a, b: f(b, a), e, reverse, axis
        ),
    ),
    ("convert_to_tensor", "dtype ignored", lambda x, dtype=None: np.asarray(x)),
    (
        "convert_to_tensor",
        "floats of 32 bits",
        lambda x, dtype=None: np.asarray(
            x, dtype or ("float32" if np.asarray(x).dtype == "float64" else None)
        ),
    ),
    (
        "convert_to_tensor",
        "a list left alone",
        lambda x, dtype=None: x if isinstance(x, list) else np.asarray(x, dtype),
    ),
    ("array", "dtype ignored", lambda x, dtype=None: np.asarray(x)),
    ("array", "zeros", lambda x, dtype=None: np.zeros_like(x, dtype)),
    ("array", "an axis more", lambda x, dtype=None: np.asarray(x, dtype)[None]),
    ("convert_to_numpy", "a list", lambda x: x.tolist()),
    ("convert_to_numpy", "bytes", lambda x: np.asarray(x, "int8")),
    ("convert_to_numpy", "at least one axis", np.atleast_1d),
    ("is_tensor", "always", lambda x: True),
    ("is_tensor", "never", lambda x: False),
    ("is_tensor", "what can be one", lambda x: isinstance(x, np.ndarray | list | float)),
    ("dtype", "a letter", lambda x: x.dtype.char),
    ("dtype", "always float32", lambda x: "float32"),
    ("dtype", "with a prefix", lambda x: f"np.{x.dtype}"),
    ("shape", "a list", lambda x: [*x.shape]),
    ("shape", "in reverse", lambda x: x.shape[::-1]),
    ("shape", "without the first", lambda x: x.shape[1:]),
    ("get_item", "the first key", lambda x, key: x[key[0] if isinstance(key, tuple) else key]),
    ("get_item", "an axis kept", lambda x, key: np.atleast_1d(x[key])),
    ("get_item", "from the front", lambda x, key: x[ahead(key)]),
    ("view", "a cast", lambda x, dtype=None: x.astype(dtype)),
    ("view", "nothing", lambda x, dtype=None: x),
    ("view", "bytes turned round", lambda x, dtype=None: x.byteswap().view(dtype)),
    ("fft", "the inverse", lambda x: ops.parts(np.fft.ifft(x[0] + 1j * x[1]))),
    ("fft", "conjugate", after(lambda real, imag: (real, -imag), ops.fft)),
    ("fft", "along the first axis", lambda x: ops.parts(np.fft.fft(x[0] + 1j * x[1], axis=0))),
    ("fft", "without imaginary parts", lambda x: ops.fft((x[0], 0 * x[1]))),
    ("fft2", "along one axis", ops.fft),
    ("fft2", "the inverse", ops.ifft2),
    ("fft2", "of all axes", lambda x: ops.parts(np.fft.fftn(x[0] + 1j * x[1]))),
    ("ifft2", "not divided", ops.fft2),
    ("ifft2", "along one axis", lambda x: ops.parts(np.fft.ifft(x[0] + 1j * x[1]))),
    ("ifft2", "orthonormal", lambda x: ops.parts(np.fft.ifft2(x[0] + 1j * x[1], norm="ortho"))),
    ("rfft", "the length ignored", lambda x, fft_length=None: ops.rfft(x)),
    ("rfft", "all numbers", lambda x, fft_length=None: ops.parts(np.fft.fft(x, fft_length))),
    (
        "rfft",
        "filled in front",
        lambda x, fft_length=None: ops.rfft(x[..., -(fft_length or 99) :], fft_length),
    ),
    ("irfft", "the length ignored", lambda x, fft_length=None: ops.irfft(x)),
    (
        "irfft",
        "not divided",
        lambda x, fft_length=None: np.fft.irfft(x[0] + 1j * x[1], fft_length, norm="forward"),
    ),
    (
        "irfft",
        "without imaginary parts",
        lambda x, fft_length=None: ops.irfft((x[0], 0 * x[1]), fft_length),
    ),
    ("stft", "never centred", lambda *a, center=True, **k: ops.stft(*a, center=False, **k)),
    ("stft", "without a window", lambda *a, window="hann", **k: ops.stft(*a, window=None, **k)),
    (
        "stft",
        "a symmetric window",
        lambda x, n, *a, window="hann", **k: ops.stft(
            x, n, *a, window=np.hanning(n) if isinstance(window, str) else window, **k
        ),
    ),
    ("stft", "steps of one", lambda x, n, s, *a, **k: ops.stft(x, n, 1, *a, **k)),
    ("istft", "without a window", lambda *a, window="hann", **k: ops.istft(*a, window=None, **k)),
    ("istft", "not divided", lambda x, n, s, *a, **k: ops.istft(x, n, s, *a, **k) * 2),
    ("istft", "never centred", lambda *a, center=True, **k: ops.istft(*a, center=False, **k)),
    ("pinv", "the transpose", lambda x, rcond=None: x.T),
    ("pinv", "transposed", lambda x, rcond=None: np.linalg.pinv(x, rcond).T),
    ("pinv", "nothing is cut", lambda x, rcond=None: np.linalg.pinv(x, 0.0)),
    ("pinv", "all but one is cut", lambda x, rcond=None: np.linalg.pinv(x, 0.999)),
    (
        "lstsq",
        "the first rows",
        lambda a, b, rcond=None: np.linalg.lstsq(a[: a.shape[1]], b[: a.shape[1]])[0],
    ),
    ("lstsq", "a column", lambda a, b, rcond=None: ops.lstsq(a, b if b.ndim > 1 else b[:, None])),
    ("lstsq", "everything", lambda a, b, rcond=None: np.linalg.lstsq(a, b)),
    (
        "lstsq",
        "not the shortest",
        lambda a, b, rcond=None: ops.lstsq(a, b) + (1 if a.shape[1] > a.shape[0] else 0),
    ),
    (
        "lu_factor",
        "turned",
        after(lambda both, pivots: (both.swapaxes(-1, -2), pivots), ops.lu_factor),
    ),
    ("lu_factor", "no pivots", after(lambda both, pivots: (both, 0 * pivots), ops.lu_factor)),
    ("lu_factor", "of the transpose", lambda x: ops.lu_factor(x.swapaxes(-1, -2))),
    (
        "jvp",
        "no derivative",
        after(lambda r, d, *more: (r, ops.mapped(np.zeros_like, d), *more), ops.jvp),
    ),
    (
        "jvp",
        "of ones",
        lambda f, p, t, has_aux=False: ops.jvp(f, p, [np.ones_like(x) for x in t], has_aux),
    ),
    ("jvp", "exchanged", after(lambda result, moved, *more: (moved, result, *more), ops.jvp)),
    ("jvp", "nothing besides", lambda f, p, t, has_aux=False: ops.jvp(f, p, t, has_aux)[:2]),
    ("view_as_complex", "conjugate", lambda x: x[..., 0] - 1j * x[..., 1]),
    ("view_as_complex", "exchanged", lambda x: x[..., 1] + 1j * x[..., 0]),
    ("view_as_complex", "an axis kept", lambda x: (x[..., 0] + 1j * x[..., 1])[..., None]),
    ("view_as_real", "the first axis", lambda x: np.stack(ops.parts(x))),
    ("view_as_real", "exchanged", lambda x: np.stack(ops.parts(x)[::-1], -1)),
    ("view_as_real", "size and angle", lambda x: np.stack([abs(x), np.angle(x)], -1)),
    ("real", "the size", np.abs),
    ("real", "the imaginary part", np.imag),
    ("real", "without a sign", lambda x: abs(x.real)),
    ("imag", "zero", lambda x: 0 * x.real),
    ("imag", "of the conjugate", lambda x: -x.imag),
    ("imag", "the real part", np.real),
    ("polar", "exchanged", lambda size, angle: angle * np.exp(1j * size)),
    ("polar", "degrees", lambda size, angle: size * np.exp(1j * np.deg2rad(angle))),
    ("polar", "turned back", lambda size, angle: size * np.exp(-1j * angle)),
)


@pytest.mark.parametrize("name", ops.RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    made = ops.scenarios(name)
    assert made
    for scenario in made:
        problems = ops.found(scenario, {})
        assert not problems, (scenario.title, scenario.program.steps, problems)


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert any(ops.found(scenario, {name: wrong}) for scenario in ops.scenarios(name))


def test_each_function_has_three_wrong_ones() -> None:
    names = [name for name, _, _ in WRONG]
    assert {*names} == {*ops.RIGHT}
    assert min(names.count(name) for name in ops.RIGHT) >= 3


@pytest.mark.parametrize("taker", ["real", "imag", "view_as_real"])
@pytest.mark.parametrize("maker", ["view_as_complex", "polar"])
def test_what_makes_complex_numbers_is_not_blamed_for_one_that_takes_them_apart(
    maker: str, taker: str
) -> None:
    wrong = {taker: lambda x: np.zeros((*x.shape, 2)) if "view" in taker else x.real + 7}
    assert not any(ops.found(scenario, wrong) for scenario in ops.scenarios(maker))


@pytest.mark.parametrize("taker", ["real", "imag", "view_as_real"])
def test_what_takes_complex_numbers_apart_is_not_blamed_for_wrong_ones(taker: str) -> None:
    wrong = {"view_as_complex": lambda x: 7 + x[..., 0] - 1j * x[..., 1]}
    found = [one for scenario in ops.scenarios(taker) for one in ops.found(scenario, wrong)]
    assert found
    assert all(problem.unmade for problem in found)
