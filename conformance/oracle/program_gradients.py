"""Gradients of programs by central differences of the fourth order in extended precision.

With a step of s = eps^(1/5) the truncation, of the order s^4, and the rounding, of the order eps /
s, are in balance (Fornberg 1988); both are far below the bound. The bound is that of ROUNDINGS
roundings of the dtype in numbers as large as the largest derivative, or 1. A reverse sweep through
a short program of smooth functions loses as much (Griewank and Walther, Evaluating Derivatives, 2nd
edition, section 3.4, on backward stability).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.programs import evaluate, needed
from conformance.program import Program

ROUNDINGS = 256


def expect_gradients(
    program: Program, arrays: Mapping[str, Array], loss: str, variables: Sequence[str]
) -> dict[str, Expectation]:
    """The gradient of a scalar with respect to some of `arrays`, by name, in their dtypes.

    `arrays` are as in `expect_program`. The program must be smooth there.
    """
    precise = {n: a.astype(np.longdouble) if a.dtype.kind == "f" else a for n, a in arrays.items()}

    steps = needed(program, precise, [loss])

    def at(changed: Mapping[str, Array]) -> Array:
        known = evaluate(steps, {**precise, **changed})
        return np.asarray(known[loss], np.longdouble)

    gradients = {name: _gradient(at, name, precise[name]) for name in variables}
    scale = max([1.0, *(float(np.abs(g).max()) for g in gradients.values() if g.size)])
    return {
        name: Expectation(
            gradient.astype(np.float64),
            np.full(gradient.shape, ROUNDINGS * scale * float(np.finfo(arrays[name].dtype).eps)),
            arrays[name].dtype.name,
        )
        for name, gradient in gradients.items()
    }


def _gradient(at: Callable[[Mapping[str, Array]], Array], name: str, x: Array) -> Array:
    step = np.longdouble(np.finfo(np.longdouble).eps) ** np.longdouble(0.2)
    gradient = np.zeros(x.shape, np.longdouble)
    for index in np.ndindex(x.shape):
        ends = [at({name: _moved(x, index, k * step)}) for k in (-2, -1, 1, 2)]
        gradient[index] = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * step)
    return gradient


def _moved(x: Array, index: tuple[int, ...], distance: np.longdouble) -> Array:
    moved = x.copy()
    moved[index] += distance
    return moved
