"""The right answer of one call whose arguments are known within a reach, and its own reach.

A correct implementation rounds its way through a program: the tensors that it passes to a call are
other numbers than the right ones, each within its reach. Its result is within

    spread + 2 B + |value rounded to the dtype - value|

of the rounded value, where `spread` is how far the function moves in that box (`bounds.spread`) and
B is the call's own bound (`oracle.expect`): the largest of that at the centre and at two opposite
corners of the box, the one farthest from zero and the one nearest to it or beyond, but that a
tensor that is divided by (`DIVISORS`) is moved the other way. It is taken twice because it holds
for these places, and is wanted in the whole box: there magnitudes differ by less than half of the
digits, or the box is cut. That a sum of the very numbers at a place comes out without rounding says
nothing of the box (`nearby`).
Where the arguments are known exactly, the reach is B and the last rounding alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.fuzz.bounds.box import Array, Box
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.spread import RULES, unknown, unmoved
from conformance.fuzz.calls import Call
from conformance.generators.gradients import resolved
from conformance.oracle import ORACLES, Expectation, expect
from conformance.oracle.evaluate import widened

Tensors = Mapping[str, Known]
DIVISORS: Mapping[str, str] = {"batch_normalization": "var"}
"""The tensor of a function with which its bound falls: that has 1 / sqrt(var + epsilon) in it."""


def answer(call: Call, tensors: Tensors, dtype: str) -> Known:
    """What is known of the call's result, which has this dtype.

    ValueError, IndexError: the oracle has no answer.
    """
    names = set(call.references())
    arguments = resolved(call.arguments, {n: tensors[n].value for n in names})
    centre = expect(call.oracle, arguments, dtype, call.accuracy)
    if all(tensors[n].exact for n in names):
        return _rounded(centre, centre.bound, dtype)
    reaches = _reaches(call, tensors)
    with np.errstate(all="ignore"):
        spread = _spread(call, arguments, reaches, dtype, centre.value)
        places = (_moved(call, arguments, reaches, outwards) for outwards in (0, 1, -1))
        bounds = [expect(call.oracle, a, dtype, call.accuracy, nearby=True).bound for a in places]
    reach = np.asarray(spread, np.float64) + 2 * np.maximum.reduce(bounds)
    return _rounded(centre, np.where(np.isnan(reach), np.inf, reach), dtype)


def _rounded(centre: Expectation, reach: Array, dtype: str) -> Known:
    value = centre.value.astype(dtype)
    with np.errstate(invalid="ignore"):
        lost = np.abs(np.subtract(value, centre.value, dtype=np.float64))
    return Known(value, np.asarray(reach + np.where(value == centre.value, 0, lost), np.float64))


def _reaches(call: Call, tensors: Tensors) -> dict[str, Any]:
    """The reach of each tensor argument, or the list of them."""
    known = {name: tensors[name].reach for name in call.references()}
    held = {n: v for n, v in call.arguments.items() if _has_tensors(call, n)}
    return resolved(held, known)


def _has_tensors(call: Call, name: str) -> bool:
    value = call.arguments[name]
    first = value[0] if isinstance(value, list) and value else value
    return type(first).__name__ == "Ref"


def _spread(
    call: Call, arguments: Mapping[str, Any], reaches: Mapping[str, Any], dtype: str, value: Array
) -> Array:
    rule = RULES.get(call.oracle, unknown)
    wide = widened(arguments, dtype)
    box = Box(ORACLES[call.oracle], wide, reaches, value)
    if rule is not unmoved and _jumps(wide, reaches):
        return unknown(box)
    exact = np.asarray(box.oracle(**wide))
    return np.asarray(rule(Box(box.oracle, wide, reaches, exact)))


def _jumps(wide: Mapping[str, Any], reaches: Mapping[str, Any]) -> bool:
    """Whether a tensor that is not of floating numbers is not known."""
    for name, reach in reaches.items():
        pairs = (
            zip(wide[name], reach, strict=True)
            if isinstance(reach, list)
            else [(wide[name], reach)]
        )
        if any(x.dtype.kind != "f" and r.any() for x, r in pairs):
            return True
    return False


def _moved(
    call: Call, arguments: Mapping[str, Any], reaches: Mapping[str, Any], outwards: int
) -> dict[str, Any]:
    """The arguments with tensors as far from zero as they may be, or (-1) as near, or beyond."""
    falls = DIVISORS.get(call.oracle)
    ways = {name: -outwards if name == falls else outwards for name in reaches}
    return {n: _away(v, reaches[n], ways[n]) if n in ways else v for n, v in arguments.items()}


def _away(value: Any, reach: Any, outwards: int) -> Any:
    """A tensor, or each of a list, moved by its reach."""
    if isinstance(value, list):
        return [_away(v, r, outwards) for v, r in zip(value, reach, strict=True)]
    if value.dtype.kind != "f" or not outwards:
        return value
    return np.asarray(value + outwards * np.where(value < 0, -reach, reach)).astype(value.dtype)
