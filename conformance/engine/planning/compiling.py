"""How calls are compiled: in turn for batches of any length, and as one whole.

Users of Keras compile for batches of any length: a model has the shape `(None, 3)`, and the last
batch of an epoch is shorter. TensorFlow compiles without knowing the length; other backends compile
such a call as any other.

No spec says which calls are of batches. The oracle does. The first axis of a tensor counts examples
if fewer examples give fewer of the same results. Another order of the examples must also give that
order of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared, answered
from conformance.generators.compiled import compiled
from conformance.generators.coverage.rows import Row
from conformance.generators.structure import Structure
from conformance.oracle.evaluate import value_of

Array = npt.NDArray[Any]
AsCall = Callable[[Structure], CallTrial]
Way = Callable[[Structure], CallTrial | None]
MOST_TRIED = 12
"""The most calls of a function in which a batch is sought."""
LEAST_RANK = 2
"""The least rank of the first tensor: an example is a vector at least."""


def compiled_calls(
    chosen: Iterable[tuple[Row, int]], able: Sequence[Row], as_call: AsCall
) -> Iterator[tuple[CallTrial, Row, Way, int]]:
    """The compiled calls of the chosen rows: each with its row, its way and its stage in the plan.

    A row without batches gives way to one of `able` with some, of the same stage or before.
    """
    keys: set[str] = set()
    for number, (row, stage) in enumerate(chosen):
        rows = [row, *(other for other in able if other.stage <= stage)]
        for other, way in _ways(number, rows[:MOST_TRIED], as_call):
            call = way(other.draw.value)
            if call is not None and call.key not in keys:
                keys.add(call.key)
                yield call, other, way, stage
                break


def _ways(number: int, rows: Sequence[Row], as_call: AsCall) -> Iterator[tuple[Row, Way]]:
    """The rows and the ways of a compiled call, the favoured ones first."""
    if number % 2:
        yield rows[0], partial(_compiled, as_call, whole=True)
        return
    yield from ((row, partial(_in_batches, as_call)) for row in rows)
    yield rows[0], partial(_compiled, as_call, whole=False)


def _compiled(
    as_call: AsCall, structure: Structure, *, whole: bool | Collection[str]
) -> CallTrial | None:
    call = compiled(structure, whole=whole)
    return None if call is None else as_call(call)


def _in_batches(as_call: AsCall, structure: Structure) -> CallTrial | None:
    """The call compiled for batches of any length; None if it has none.

    Batches are the first matrix, or tensor of a higher rank, and others of its length; or this one
    alone.
    """
    call, inputs = _compiled(as_call, structure, whole=False), structure.program.inputs
    first = next((i for i in inputs if len(i.shape) >= LEAST_RANK and i.shape[0] > 1), None)
    if call is None or first is None or _is_about_batches(structure):
        return None
    alike = [item.name for item in inputs if item.shape[:1] == first.shape[:1]]
    for names in (alike, [first.name])[: len(alike)]:
        if _are_batches(call.prepared, names):
            return _compiled(as_call, structure, whole=names)
    return None


def _is_about_batches(structure: Structure) -> bool:
    """Whether the call names the first axis, as `batch_normalization` may for channels."""
    axis = structure.arguments.get("axis")
    return axis == 0 or axis in [-len(item.shape) for item in structure.program.inputs]


def _are_batches(prepared: Prepared, names: Collection[str]) -> bool:
    """Whether each example has a result of its own."""
    arrays = prepared.arrays[0]
    whole = _answer(prepared, arrays)
    if whole is None or whole.shape != prepared.shape or not whole.shape:
        return False
    fewer, turned = (
        _answer(prepared, {n: a[part] if n in names else a for n, a in arrays.items()})
        for part in (slice(-1), slice(None, None, -1))
    )
    return _is_same(fewer, whole[:-1]) and _is_same(turned, whole[::-1])


def _answer(prepared: Prepared, arrays: Mapping[str, Array]) -> Array | None:
    structure = prepared.structure
    try:
        arguments = answered(structure, arrays)
        return value_of(structure.oracle, arguments, prepared.dtypes[0], prepared.given)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):  # other lengths
        return None


def _is_same(answer: Array | None, other: Array) -> bool:
    """Whether both are the same numbers, to a few digits."""
    if answer is None or answer.shape != other.shape:
        return False
    if answer.dtype.kind not in "fc":
        return bool((answer == other).all())
    return bool(np.allclose(answer, other, rtol=1e-3, atol=1e-6, equal_nan=True))
