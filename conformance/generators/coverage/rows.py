"""The structures that a plan keeps of a function, those of its smallest extent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from conformance.editions import Edition
from conformance.generators.coverage.array import CoveringArray
from conformance.generators.coverage.effort import STORED, Extent
from conformance.generators.coverage.stored import Choices, stored_array
from conformance.generators.drawing import Drawn, replayed
from conformance.generators.structure import Structure, made
from conformance.specs import Spec

Draws = Sequence[Drawn[Structure]]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One structure of a plan."""

    draw: Drawn[Structure]
    elements: int
    """The most elements of a tensor, about; with this limit the choices make the structure."""
    stage: int
    """The place of the first of the plan's extents that has the structure."""


def kept_rows(spec: Spec, edition: Edition, extents: Sequence[Extent], seed: int) -> list[Row]:
    """The structures of all extents, each once.

    A plan with the first of the extents alone has the first of the rows. Rows are made of what is
    stored of them, or found if nothing is.
    """
    rows: list[Row] = []
    extents = [extent.of(spec) for extent in extents]
    arrays = _arrays(extents)
    for number, last in enumerate(arrays, 1):
        begun = [row.draw for row in rows]
        for place, draw in enumerate(
            _added(spec, edition, arrays[:number], seed, begun), len(rows)
        ):
            of_array = (s for s, extent in enumerate(extents) if extent.continues(last))
            stage = next(s for s in of_array if place < extents[s].most)
            rows.append(Row(draw, last.elements, stage))
    return rows


def covering_array(
    spec: Spec, edition: Edition, extents: Sequence[Extent], seed: int
) -> CoveringArray:
    """The array of the last extent, found anew; it begins with the structures of the others."""
    return _widened(spec, edition, _arrays([extent.of(spec) for extent in extents]), seed)


def _widened(spec: Spec, edition: Edition, arrays: Sequence[Extent], seed: int) -> CoveringArray:
    *before, last = arrays
    begun = _widened(spec, edition, before, seed).kept if before else []
    return _extended(spec, edition, last, seed, begun)


def _arrays(extents: Sequence[Extent]) -> list[Extent]:
    """The extents, of those that are of one array the largest alone."""
    arrays: list[Extent] = []
    for extent in extents:
        same = arrays and extent.continues(arrays[-1])
        largest = max(arrays.pop(), extent, key=lambda e: e.most) if same else extent
        arrays.append(largest)
    return arrays


def _added(
    spec: Spec, edition: Edition, arrays: Sequence[Extent], seed: int, begun: Draws
) -> Draws:
    """What the last array adds to the structures that it begins with."""
    stored = _stored(spec, edition, arrays, seed)
    remade = None if stored is None else _remade(spec, edition, stored, arrays[-1].elements)
    if remade is not None:
        return remade
    return _extended(spec, edition, arrays[-1], seed, begun).kept[len(begun) :]


def _extended(
    spec: Spec, edition: Edition, extent: Extent, seed: int, begun: Draws
) -> CoveringArray:
    """An array that begins with some structures."""
    random = Random(seed)  # noqa: S311
    array = CoveringArray(spec, edition, random, extent.effort, extent.elements)
    array.begin(begun)
    array.rows(extent.count)
    return array


def _stored(
    spec: Spec, edition: Edition, arrays: Sequence[Extent], seed: int
) -> tuple[Choices, ...] | None:
    """The choices of what the last array adds; None if they are not stored."""
    few, every = (extent.of(spec) for extent in STORED)
    stored = stored_array(spec.name, edition, seed)
    match [*arrays]:
        case [one] if stored is not None and one.continues(few) and one.most <= few.most:
            return stored.few[: one.count]
        case [first, second] if stored is not None and (first, second) == (few, every):
            return stored.rows
    return None


def _remade(
    spec: Spec, edition: Edition, rows: Sequence[Choices], elements: int
) -> list[Drawn[Structure]] | None:
    """The structures of these choices; None if any cannot be made again."""
    found = [
        replayed(lambda chooser: made(chooser, spec, edition, elements=elements), row)
        for row in rows
    ]
    kept = [draw for draw in found if isinstance(draw, Drawn)]
    return kept if len(kept) == len(rows) else None
