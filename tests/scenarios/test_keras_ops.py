"""Scenarios of keras.ops with callables, conversions: right functions and wrong ones."""

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
        return function(*args, **{k: kwarg for k, kwarg in kwargs.items() if k != keyword})

    return called


def scan_in_time(*args: Any, reverse: bool, **kwargs: Any) -> Any:
    carry, outputs = ops.scan(*args, reverse=reverse, **kwargs)
    return carry, ops.mapped(lambda y: y[::-1], outputs) if reverse else outputs


def beside_lists(x: Any) -> Any:
    """A tensor of what is no list."""
    return x if isinstance(x, list) else np.asarray(x)


def ahead(key: Any) -> Any:
    """The key without signs."""
    if isinstance(key, tuple):
        return tuple(map(ahead, key))
    return abs(key) if isinstance(key, int) else key


def _refuse() -> Any:
    raise RuntimeError("NYI: querying is_contiguous inside of vmap")


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
        "refuses images",
        lambda f, e: _refuse() if np.ndim(ops.leaves(e)[0]) > 3 else ops.map_(f, e),
    ),
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
    (
        "convert_to_tensor",
        "lists left alone",
        lambda x: x if isinstance(x, list) else np.asarray(x),
    ),
    ("convert_to_tensor", "a list of tensors", lambda x: [np.asarray(x)]),
    ("convert_to_tensor", "numbers", lambda x: np.asarray(x).tolist()),
    ("array", "lists left alone", beside_lists),
    ("array", "a tuple", lambda x: (np.asarray(x),)),
    ("array", "numbers", lambda x: np.asarray(x).tolist()),
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
    ("polar", "complex128", lambda size, angle: (size * np.exp(1j * angle)).astype("complex128")),
    ("polar", "the real part", lambda size, angle: size * np.cos(angle)),
    ("polar", "pairs", lambda size, angle: np.stack([size, angle], -1)),
    ("view_as_complex", "complex128", lambda x: (x[..., 0] + 1j * x[..., 1]).astype("complex128")),
    ("view_as_complex", "pairs", lambda x: x),
    ("view_as_complex", "the real part", lambda x: x[..., 0]),
)


@pytest.mark.parametrize("name", ops.RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    scenarios = ops.scenarios(name)
    assert scenarios
    for scenario in scenarios:
        problems = ops.problems_of(scenario, {})
        assert not problems, (scenario.title, scenario.program.steps, problems)


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert any(ops.problems_of(scenario, {name: wrong}) for scenario in ops.scenarios(name))


def test_each_function_has_three_wrong_ones() -> None:
    names = [name for name, _, _ in WRONG]
    assert {*names} == {*ops.RIGHT}
    assert min(names.count(name) for name in ops.RIGHT) >= 3
