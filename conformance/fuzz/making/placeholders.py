"""Placeholders some of whose dimensions are None, and other lengths in their place.

A length of a fed tensor stands for itself wherever it occurs there: in another call of a compiled
function all of these axes have another length. Whether the graph has an answer for the other shapes
is found by answering it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.fuzz.bounds.static_shapes import fits, initial_shapes, static_shapes
from conformance.fuzz.bounds.tensors import Typed
from conformance.fuzz.programs import ProgramCall, Special
from conformance.generators.tensors import told
from conformance.program import Binding, Input, Program, Ref, Step
from conformance.specs import kinds

Array = np.ndarray[Any, Any]
FEW = 4
"""How many patterns of unknown dimensions are tried."""
LONGEST = 7
"""The greatest length that takes the place of another."""
_ALONG = (kinds.Distribution, kinds.ScoresKind)
"""Kinds of tensors whose numbers sum to one, or stand for classes: they keep their lengths."""


def is_fed(item: Input) -> bool:
    """Whether the input is a placeholder."""
    return item.binding in (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)


def start_of(item: Input) -> str:
    """The name of the numbers that a variable or a constant begins with."""
    return f"{item.name}_start"


def maker(item: Input) -> Step:
    """The call that makes an input where a program makes its inputs itself."""
    if is_fed(item):
        options = (("shape", item.static_shape), ("dtype", item.dtype))
        return Step(item.name, "placeholder", (), options)
    return Step(item.name, str(item.binding), (Ref(start_of(item)),), (("dtype", item.dtype),))


def freed(
    program: Program,
    calls: Sequence[ProgramCall | Special],
    types: Mapping[str, Typed],
    rng: random.Random,
) -> Program:
    """The program with some dimensions of its placeholders unknown; the same if none may be."""
    for _ in range(FEW):
        lengths = _lengths(program.inputs, rng)
        inputs = tuple(_patterned(item, lengths, rng) for item in program.inputs)
        freer = replace(program, inputs=inputs)
        if fits(static_shapes(initial_shapes(freer, {}), calls, types), calls):
            return freer
    return program


def _lengths(inputs: Sequence[Input], rng: random.Random) -> set[int]:
    """Lengths that only fed tensors have, and that can change on all axes together; or any."""
    fed = {length for item in inputs if is_fed(item) for length in item.shape}
    other = {length for item in inputs if not is_fed(item) for length in item.shape}
    alone = fed - other
    return alone if alone and rng.random() < 0.7 else {n for n in fed if rng.random() < 0.7}


def _patterned(item: Input, lengths: set[int], rng: random.Random) -> Input:
    """Axes of one element stay known: a dimension that is not known need not broadcast."""
    free = {n for n, length in enumerate(item.shape) if length > 1 and length in lengths}
    if not is_fed(item) or not free or rng.random() < 0.1:
        return item
    shape = tuple(None if n in free else d for n, d in enumerate(item.shape))
    return told(replace(item, binding=Binding.PLACEHOLDER_NONE), shape)


def free_lengths(inputs: Sequence[Input], calls: Sequence[ProgramCall | Special]) -> list[int]:
    """The lengths that only axes have which are not known."""
    if any(isinstance(rule, _ALONG) for c in calls for rule in c.spec.parameters.values()):
        return []
    free, fixed = set[int](), set[int]()
    for item in inputs:
        for length, known in zip(item.shape, item.static_shape, strict=True):
            (free if known is None else fixed).add(length)
    return sorted(free - fixed)


def other_lengths(lengths: Sequence[int], rng: random.Random) -> Iterator[dict[int, int]]:
    """Replacements of the free lengths: of all of them, then of one alone."""
    chosen = [*lengths]
    rng.shuffle(chosen)
    for some in (chosen, *([length] for length in chosen)):
        yield {n: rng.choice([m for m in range(2, LONGEST + 1) if m != n]) for n in some}


def of_lengths(array: Array, shape: Sequence[int | None], lengths: Mapping[int, int]) -> Array:
    """The array with other lengths of the axes that `shape` does not know: its numbers again, or
    the first of them."""
    for axis, known in enumerate(shape):
        if known is None and array.shape[axis] in lengths:
            places = np.arange(lengths[array.shape[axis]])
            array = np.take(array, places, axis=axis, mode="wrap")
    return np.ascontiguousarray(array)
