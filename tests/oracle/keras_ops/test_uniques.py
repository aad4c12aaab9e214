"""`unique` and `svd` of the oracle: their evidence of what NumPy gives, and of what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees, expect
from conformance.oracle.accepting import EVIDENCE
from conformance.specs.model import Contraction, Exact

RNG = np.random.default_rng()
PARTS = ("values", "places", "inverse", "counts")
EVERYTHING = dict.fromkeys(("return_index", "return_inverse", "return_counts"), True)


def accepted(part: str, answer: Any, **arguments: Any) -> bool:
    name = f"unique.{part}"
    expected = expect(name, arguments, "float64" if part == "values" else "int32", Exact())
    evidence = EVIDENCE[name](answer, arguments)
    return evidence.shape == expected.value.shape and bool(agrees(evidence, expected).all())


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_what_numpy_gives_is_accepted(axis: int | None) -> None:
    x = RNG.integers(-1, 2, (4, 3)).astype(float)
    answer = [*np.unique(x, True, True, True, axis=axis)]
    for part in PARTS:
        assert accepted(part, answer, x=x, axis=axis, **EVERYTHING)


@pytest.mark.parametrize("axis", [None, 0])
def test_values_may_come_in_any_order_with_what_belongs_to_them(axis: int | None) -> None:
    x = np.array([[3.0, 1], [3, 1], [1, 2], [3, 2]])
    values, places, inverse, counts = np.unique(x, True, True, True, axis=axis)
    order = RNG.permutation(len(counts))
    while (order == np.arange(len(counts))).all():
        order = RNG.permutation(len(counts))
    answer = [values[order], places[order], np.argsort(order)[inverse], counts[order]]
    for part in PARTS:
        assert accepted(part, answer, x=x, axis=axis, sorted=False, **EVERYTHING)
    apart = [values[order], places, inverse, counts]
    assert not accepted("places", apart, x=x, axis=axis, sorted=False, **EVERYTHING)
    assert not accepted("inverse", apart, x=x, axis=axis, sorted=False, **EVERYTHING)
    assert not accepted("values", answer, x=x, axis=axis, **EVERYTHING)


def test_sizes() -> None:
    x = np.array([3.0, 1, 2, 1])
    whole = [np.array([1.0, 2, 3, 0, 0]), np.array([1, 2, 0, 5, 5]), np.array([2, 1, 1, 0, 0])]
    arguments: dict[str, Any] = {"x": x, "size": 5, "return_index": True, "return_counts": True}
    assert all(accepted(part, whole, **arguments) for part in ("values", "places", "counts"))
    assert accepted("counts", [whole[0], whole[1], [2, 1, 1, 4, 4]], **arguments, fill_value=7)
    assert not accepted("counts", [whole[0], whole[1], [2, 1, 1, 4, 4]], **arguments)
    assert not accepted("values", [np.array([1.0, 2, 3, 7, 7])], **arguments)
    assert accepted("values", np.array([1.0, 2]), x=x, size=2)
    assert not accepted("values", np.array([2.0, 3]), x=x, size=2)


@pytest.mark.parametrize("shape", [(3, 2), (2, 4), (3, 3), (2, 4, 3)])
@pytest.mark.parametrize("turned", [False, True])
def test_few_singular_vectors(shape: tuple[int, ...], turned: bool) -> None:
    x = RNG.normal(size=shape)
    arguments = {"x": x, "full_matrices": False}
    u, s, v = np.linalg.svd(x, full_matrices=False)
    expected = expect("svd.u", arguments, "float64", Contraction())
    side = v.swapaxes(-1, -2) if turned else v
    assert agrees(EVIDENCE["svd.u"]([u, s, side], arguments), expected).all()
    for wrong in ([u, 2 * s, side], [u, s, 2 * side], [u, s, side[..., ::-1]], [0.9 * u, s, side]):
        assert not agrees(EVIDENCE["svd.u"](wrong, arguments), expected).all()
