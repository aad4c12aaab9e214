"""Matrices, alone or in batches, and what stands beside them in a system of equations.

The lengths of the last two axes are known before the numbers are: whether a matrix is square, and
how many vectors there are, depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.matrices import signs_within

Dims = tuple[int, ...]
SIZES = (3, 2, 1, 4, 3, 2, 5)
BATCHES: tuple[Dims, ...] = ((), (), (), (2,), (3,), (1,), (2, 3), (0,))


def _batch(call: CallDraft) -> Dims:
    found: Dims = call.pick_from(BATCHES, lambda batch: _fits(call, batch))
    return found


def _fits(call: CallDraft, batch: Dims) -> bool:
    rank, size = call.aims.get("rank"), call.aims.get("size")
    right = rank is None or str(len(batch) + 2) == rank
    return right and ((0 in batch) == (size == "0") if size else 0 not in batch)


def _add(call: CallDraft, name: str, shape: Dims) -> None:
    _add_matrix(call, name, shape, getattr(call.rules[name], "domain", "real"))


def _add_matrix(call: CallDraft, name: str, shape: Dims, domain: str) -> None:
    call.add_tensor(name, shape, call.dtype, domain)
    call.know(name, len(shape) - 2, len(shape) - 1)


def _square(call: CallDraft) -> None:
    call.aim("x")
    n = call.pick(SIZES)
    _add(call, "x", (*_batch(call), n, n))


def _square_alone(call: CallDraft) -> None:
    """A matrix without a batch, where the docstring asks for two axes."""
    call.aim("x")
    n = call.pick(SIZES)
    _add(call, "x", (n, n))


def _rectangular(call: CallDraft) -> None:
    call.aim("x")
    batch = _batch(call)
    _add(call, "x", (*batch, call.pick(SIZES), call.pick(SIZES)))


def _system(call: CallDraft) -> None:
    """A square matrix, or a triangle, and a right-hand side; a vector stands beside one matrix
    only, because beside several the docstring allows two readings."""
    call.aim("a")
    batch, n = _batch(call), call.pick(SIZES)
    if "lower" in call.rules:
        is_lower = call.pick((False, True))
        domain = "lower triangle" if is_lower else "upper triangle"
        if is_lower or call.pick((False, True)):
            call.add_value("lower", is_lower)
        call.add_tensor("a", (*batch, n, n), call.dtype, domain)
        call.know("a", len(batch), len(batch) + 1)
    else:
        _add(call, "a", (*batch, n, n))
    columns: Dims = () if not batch and call.pick((False, True)) else (call.pick(SIZES),)
    call.add_tensor("b", (*batch, n, *columns), call.dtype, "moderate")
    call.know("b", *range(len(batch), len(batch) + 1 + len(columns)))


RATIOS = (0.35, 0.044, 0.001)
"""Between singular values that are an eighth of each other, in proportion to the largest."""
TOLERANCES = (30.0, 2.8, 0.35, 0.03, 0.003)
"""The same, of singular values that are scaled as well."""


def _pass_ratio(call: CallDraft) -> bool:
    """Perhaps a ratio that cuts singular values off."""
    form = call.pick(("omitted", None, "ratio", "ratio"))
    if form != "omitted":
        call.add_value("rcond", call.pick(RATIOS) if form else None)
    return bool(form == "ratio")


def _inverted(call: CallDraft) -> None:
    """Matrices of full rank, or singular values far apart and a ratio between them."""
    call.aim("x")
    shape = (*_batch(call), call.pick(SIZES), call.pick(SIZES))
    _add_matrix(call, "x", shape, "graded" if _pass_ratio(call) else "full rank")


def _approximated(call: CallDraft) -> None:
    """A matrix of full rank, or columns of very different lengths and a ratio between them, beside
    a vector or a matrix."""
    call.aim("a")
    rows, width = call.pick(SIZES), call.pick(SIZES)
    _add_matrix(call, "a", (rows, width), "graded columns" if _pass_ratio(call) else "full rank")
    columns: Dims = () if call.pick((False, True)) else (call.pick(SIZES),)
    call.add_tensor("b", (rows, *columns), call.dtype, "moderate")
    call.know("b", *range(1 + len(columns)))


def _ranked(call: CallDraft) -> None:
    """Matrices of full rank, or singular values far apart and a tolerance between them."""
    call.aim("x")
    shape = (*_batch(call), call.pick(SIZES), call.pick(SIZES))
    form = call.pick(("omitted", None, "tolerance", "tolerance", "tolerance"))
    if form == "tolerance":
        length = math.sqrt(math.prod(map(signs_within, shape[-2:])))
        call.add_value("tol", float(f"{length * call.pick(TOLERANCES):.3g}"))
    elif form is None:
        call.add_value("tol", None)
    _add_matrix(call, "x", shape, "graded" if form == "tolerance" else "full rank")


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "square matrices": _square,
    "a square matrix": _square_alone,
    "rectangular matrices": _rectangular,
    "system of equations": _system,
    "matrices to invert": _inverted,
    "least squares": _approximated,
    "matrices of a rank": _ranked,
}
