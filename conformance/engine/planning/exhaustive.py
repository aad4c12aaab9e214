"""The trials of every number: all inputs of elementwise functions in dtypes of 16 and 8 bits.

The oracle gives the right answers. It computes with 53 bits, and its error is far below half a unit
of a dtype of 11 or 8 bits; `tests/oracle/test_intervals.py` shows it for each of the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import is_floating
from conformance.editions import Edition, compiles
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.generators import Draw, Structure
from conformance.generators.compiled import compiled
from conformance.generators.exhaustive import (
    OF_ONE,
    OF_TWO,
    at_once,
    every_array,
    every_pair,
    of_length,
    plain_call,
    sample,
)
from conformance.generators.hard_numbers import OF as OF_HARD
from conformance.generators.structure import accepted_dtypes
from conformance.generators.values import suits
from conformance.oracle.evaluate import unrounded
from conformance.specs import Spec

Array = npt.NDArray[Any]

LENGTH = 2**12
"""How many elements an array has. Chosen: the arrays of a function are few, and most are full."""
LENGTH_OF_HARD = 2**9
"""The same of arrays of hard numbers."""
LENGTH_OF_TWIN = 4
"""The same of a call in another dtype, or with a tensor made in another way, if it is refused."""
_SAMPLE = 9
"""How many elements show whether a function is elementwise."""


def exhaustive_trials(spec: Spec, edition: Edition, seed: int) -> Iterator[CallTrial]:
    """The calls of a function with every number, eager and compiled; none if it is not
    elementwise."""
    for dtype in OF_ONE:
        call = plain_call(spec, edition, dtype, 1)
        if call is None or not is_elementwise(call):
            continue
        yield _of_numbers(call, seed)
        once = compiled(call, whole=False, in_any_dtype=True) if compiles(edition) else None
        if once is not None:
            structure, numbers = at_once(once)
            yield CallTrial(_prepared(structure, ["special"], [numbers], seed))
    for dtype in OF_HARD:
        call = plain_call(spec, edition, dtype, 1)
        if call is not None and is_elementwise(call):
            yield _of_numbers(call, seed)
    for dtype in OF_TWO:
        call = plain_call(spec, edition, dtype, 2)
        if call is not None and is_elementwise(call):
            yield _of_pairs(call, seed)


def is_elementwise(call: Structure) -> bool:
    """Whether the oracle gives for some elements what it gives for each of them alone, and other
    numbers than it gets."""
    numbers = sample(call, _SAMPLE)
    together = _answer(call, numbers)
    alone = (
        _answer(call, {name: array[place : place + 1] for name, array in numbers.items()})
        for place in range(_SAMPLE)
    )
    if not np.array_equal(together, np.concatenate([*alone]), equal_nan=True):
        return False
    return not _moves(call, together, numbers)


def _moves(call: Structure, answer: Array, numbers: Mapping[str, Array]) -> bool:
    """Whether the function only copies its tensor, or gives one number whatever it gets."""
    (first, *others) = call.program.inputs
    constant = np.array_equal(answer, np.full_like(answer, answer[0]))
    copied = np.array_equal(answer, numbers[first.name]) and accepted_dtypes(call)[0] == first.dtype
    return not others and (copied or constant) and answer.dtype.kind == "f"


def _answer(call: Structure, numbers: Mapping[str, Array]) -> Array:
    """The oracle's answer before it is rounded."""
    prepared = _prepared(call, ["ordinary"], [numbers], 0)
    arguments = prepared.oracle_arguments(0)
    return unrounded(call.oracle, arguments, prepared.dtypes[0], prepared.given)


def _prepared(
    call: Structure, profiles: Sequence[str], arrays: Sequence[Mapping[str, Array]], seed: int
) -> Prepared:
    (length,) = {array.size for numbers in arrays for array in numbers.values()}
    draws = [Draw(profile, seed) for profile in profiles]
    return Prepared(of_length(call, length), draws, arrays, elementwise=True)


def _of_numbers(call: Structure, seed: int) -> CallTrial:
    hard = call.program.inputs[0].dtype in OF_HARD
    length = LENGTH_OF_HARD if hard else LENGTH
    every = sorted(every_array(call, length), key=lambda array: array[0] != "ordinary")
    profiles, arrays = zip(*every, strict=True)
    return CallTrial(_prepared(call, profiles, arrays, seed))


def _of_pairs(call: Structure, seed: int) -> CallTrial:
    """All pairs; apart from the others those whose result leaves the range of its dtype, which are
    left out where the spec says nothing of such results."""
    numbers = every_pair(call)
    fits = _in_range(call, numbers)
    profiles, arrays = ["ordinary"], [{name: array[fits] for name, array in numbers.items()}]
    if not fits.all() and suits("wide", call):
        profiles.append("wide")
        arrays.append({n: np.resize(a[~fits], fits.sum()) for n, a in numbers.items()})
    return CallTrial(_prepared(call, profiles, arrays, seed))


def _in_range(call: Structure, numbers: Mapping[str, Array]) -> Array:
    """Which pairs have a result in the range of its dtype."""
    prepared = _prepared(call, ["ordinary"], [numbers], 0)
    value, dtype = _answer(call, numbers), prepared.dtypes[0]
    if is_floating(dtype) or dtype == "bool":
        return np.ones(value.shape, np.bool_)
    info = np.iinfo(dtype)
    return np.asarray((value >= info.min) & (value <= info.max))
