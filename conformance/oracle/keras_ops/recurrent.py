"""Recurrent layers: every output and the last states, with bounds that grow from step to step.

LSTM is that of S. Hochreiter and J. Schmidhuber, Long Short-Term Memory (1997), with a forget gate;
the columns of its weights are input, forget, cell and output. GRU is that of K. Cho et al.,
Learning Phrase Representations using RNN Encoder-Decoder (2014), with the columns update, reset and
candidate; with `reset_after` the reset gate follows the product with the recurrent weights. Keras's
layers keep weights in this form, which files of weights show.

Each number has a bound of its own error. Sums and products follow Higham, Accuracy and Stability of
Numerical Algorithms, section 3.1. The slope of a sigmoid is 1/4 at most, and that of tanh 1. Each
adds `FUNCTION` unit roundoffs, which is more than OpenCL's limit for tanh.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.rounding import arithmetic, gamma

FUNCTION = 16
"""Unit roundoffs by which a sigmoid or a tanh may be off, whose results are 1 at most."""
DTYPE = "float32"


@dataclass(frozen=True)
class Near:
    """An array, and how far a computed one may be from it."""

    value: Array
    error: Array

    def __add__(self, other: Near) -> Near:
        value, error = self.value + other.value, self.error + other.error
        return Near(value, error + _unit() * (np.abs(value) + error))

    def __mul__(self, other: Near) -> Near:
        value = self.value * other.value
        error = np.abs(self.value) * other.error + np.abs(other.value) * self.error
        error = error + self.error * other.error
        return Near(value, error + _unit() * (np.abs(value) + error))

    def product(self, weights: Array) -> Near:
        """The matrix product with exact weights."""
        size = np.abs(weights)
        error = self.error @ size
        terms = gamma(len(weights), _unit()) * ((np.abs(self.value) + self.error) @ size)
        return Near(self.value @ weights, error + terms)

    def columns(self, count: int) -> list[Near]:
        """As many equal parts of the last axis."""
        values, errors = (np.split(a, count, axis=-1) for a in (self.value, self.error))
        return [Near(v, e) for v, e in zip(values, errors, strict=True)]

    def chosen(self, truth: Array, other: Near) -> Near:
        """The rows where it is true, and those of another one."""
        rows = truth[:, None]
        values = np.where(rows, self.value, other.value)
        return Near(values, np.where(rows, self.error, other.error))

    @property
    def expectation(self) -> Expectation:
        """The expected value of a computed array of float32."""
        return Expectation(self.value, self.error, DTYPE)


States = tuple[Near, ...]
Cell = Callable[[Near, States], States]
"""The new states from an input and the states; the first of them is the output."""


def _unit() -> float:
    model = arithmetic(DTYPE, flushes=True)
    assert model is not None
    return model.unit


def exact(value: Array) -> Near:
    """An array without any error."""
    wide = np.asarray(value, np.float64)
    return Near(wide, np.zeros(wide.shape))


def sigmoid(x: Near) -> Near:
    """1 / (1 + exp(-x))."""
    return Near(1 / (1 + np.exp(-x.value)), x.error / 4 + FUNCTION * _unit())


def tanh(x: Near) -> Near:
    """The hyperbolic tangent."""
    return Near(np.tanh(x.value), x.error + FUNCTION * _unit())


def lstm_cell(kernel: Array, recurrent: Array, bias: Array) -> Cell:
    """The step of LSTM: the output, which is also a state, and the carry."""

    def step(x: Near, states: States) -> States:
        h, carry = states
        gates = (x.product(kernel) + h.product(recurrent) + exact(bias)).columns(4)
        used, remembered, new, shown = gates
        carry = sigmoid(remembered) * carry + sigmoid(used) * tanh(new)
        return sigmoid(shown) * tanh(carry), carry

    return step


def gru_cell(kernel: Array, recurrent: Array, bias: Array, *, reset_after: bool) -> Cell:
    """The step of GRU: the output, which is also the state."""
    own, inner = (bias[0], bias[1]) if reset_after else (bias, np.zeros(bias.shape))
    units = len(recurrent)

    def step(x: Near, states: States) -> States:
        (h,) = states
        update, reset, new = (x.product(kernel) + exact(own)).columns(3)
        ahead = (h.product(recurrent) + exact(inner)).columns(3)
        z, r = sigmoid(update + ahead[0]), sigmoid(reset + ahead[1])
        after = r * ahead[2] if reset_after else (r * h).product(recurrent[:, 2 * units :])
        candidate = tanh(new + after)
        other = exact(np.ones(z.value.shape)) + Near(-z.value, z.error)
        return (z * h + other * candidate,)

    return step


def recurrence(
    cell: Cell,
    inputs: Array,
    states: Sequence[Array],
    mask: Array | None = None,
    *,
    go_backwards: bool = False,
) -> tuple[Near, States]:
    """All outputs (samples, steps, units) in the order of iteration, and the last states.

    At a step that is masked, states and output stay as they were.
    """
    held, outputs = tuple(map(exact, states)), []
    order = range(inputs.shape[1])
    for t in reversed(order) if go_backwards else order:
        new = cell(exact(inputs[:, t]), held)
        if mask is not None:
            new = tuple(a.chosen(mask[:, t], b) for a, b in zip(new, held, strict=True))
        held = new
        outputs.append(new[0])
    values, errors = ([getattr(o, part) for o in outputs] for part in ("value", "error"))
    return Near(np.stack(values, axis=1), np.stack(errors, axis=1)), held
