"""LSTM and GRU of the oracle against formulas in float32 and float64, and against wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from conformance.oracle import agrees
from conformance.oracle.keras_ops.recurrent import gru_cell, lstm_cell, recurrence

RNG = np.random.default_rng(0)
SAMPLES, TIME, FEATURES, UNITS = 3, 6, 2, 4


def lstm(x: Any, states: Any, weights: Any) -> Any:
    """One step, gate by gate."""
    (h, carry), (kernel, recurrent, bias) = states, weights
    i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4, axis=-1)
    carry = expit(f) * carry + expit(i) * np.tanh(g)
    return expit(o) * np.tanh(carry), carry


def gru(x: Any, states: Any, weights: Any, *, after: bool) -> Any:
    """One step, with the reset gate after or before the product."""
    (h,), (kernel, recurrent, bias) = states, weights
    own, inner = bias if after else (bias, np.zeros_like(bias))
    (z, r, n), (hz, hr, hn) = (
        np.split(a, 3, -1) for a in (x @ kernel + own, h @ recurrent + inner)
    )
    z, r = expit(z + hz), expit(r + hr)
    n = np.tanh(n + (r * hn if after else (r * h) @ recurrent[:, -UNITS:]))
    return (z * h + (1 - z) * n,)


def weights(gates: int, bias: tuple[int, ...]) -> list[Any]:
    shapes = ((FEATURES, gates * UNITS), (UNITS, gates * UNITS), (*bias, gates * UNITS))
    return [RNG.uniform(-1, 1, shape).astype("float32") for shape in shapes]


LAYERS: dict[str, tuple[int, int, tuple[int, ...], Any, Callable[..., Any]]] = {
    "LSTM": (4, 2, (), lstm_cell, lstm),
    "GRU after": (3, 1, (2,), partial(gru_cell, reset_after=True), partial(gru, after=True)),
    "GRU before": (3, 1, (), partial(gru_cell, reset_after=False), partial(gru, after=False)),
}


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_the_recurrence_is_that_of_the_formulas(name: str, backwards: bool, mask: bool) -> None:
    gates, count, bias, cell, step = LAYERS[name]
    tensors = weights(gates, bias)
    inputs = RNG.uniform(-2, 2, (SAMPLES, TIME, FEATURES)).astype("float32")
    start = [RNG.uniform(-1, 1, (SAMPLES, UNITS)).astype("float32") for _ in range(count)]
    used = RNG.integers(0, 2, (SAMPLES, TIME)) == 1 if mask else None
    wide = [a.astype("float64") for a in tensors]
    outputs, last = recurrence(cell(*wide), inputs, start, used, go_backwards=backwards)
    for dtype, exact in (("float32", False), ("float64", True)):
        states, rows = [s.astype(dtype) for s in start], []
        for t in range(TIME)[::-1] if backwards else range(TIME):
            new = step(inputs[:, t].astype(dtype), states, [a.astype(dtype) for a in tensors])
            keeps = np.ones((SAMPLES, 1), bool) if used is None else used[:, t, None]
            states = [np.where(keeps, a, b) for a, b in zip(new, states, strict=True)]
            rows.append(states[0])
        got = np.stack(rows, 1)
        assert agrees(got.astype("float32"), outputs.expectation).all()
        pairs = zip(states, last, strict=True)
        assert all(agrees(s.astype("float32"), near.expectation).all() for s, near in pairs)
        if exact:
            assert np.abs(got - outputs.value).max() < 1e-13


@pytest.mark.parametrize("name", LAYERS)
def test_a_small_error_leaves_the_bound(name: str) -> None:
    gates, count, bias, cell, _ = LAYERS[name]
    tensors = [a.astype("float64") for a in weights(gates, bias)]
    inputs = RNG.uniform(-2, 2, (SAMPLES, TIME, FEATURES)).astype("float32")
    start = [np.zeros((SAMPLES, UNITS), "float32")] * count
    near, _ = recurrence(cell(*tensors), inputs, start)
    assert near.error.max() < 1e-4
    off = (near.value + 2 * near.error + 1e-6).astype("float32")
    assert not agrees(off, near.expectation).any()
