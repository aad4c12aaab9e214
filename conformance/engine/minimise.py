"""A failing case made smaller, in structure and in values, without becoming another failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis.strategies import SearchStrategy

from conformance.adapters.observations import Batch, StructureObservation
from conformance.engine.cases import Prepared
from conformance.engine.findings import Finding, Identity
from conformance.engine.judge import judge
from conformance.engine.tally import Group
from conformance.generators import Draw, Structure, shrink
from conformance.generators.collect import StopShrinking, key

Array = npt.NDArray[Any]
Run = Callable[[Batch], StructureObservation]

MOST_IDLE = 60
"""A search ends when so many structures in a row do not show the failure."""


@dataclass(slots=True)
class Minimiser:
    """Shrinks failures of one function on one target.

    `run` executes a batch; `known` tells of structures that were run already which failures they
    showed, so that none is run twice.
    """

    run: Run
    strategy: Callable[[Structure], SearchStrategy[Structure]]
    draws: Callable[[Structure], tuple[Draw, ...]]
    count: Callable[[Structure], int]
    seed: int
    budget: Callable[[Group], int]
    """How many structures may be tried for a failure. A count, not a time: a run must not depend
    on how fast the machine is."""
    known: dict[str, frozenset[Identity]] = field(default_factory=dict)

    def minimise(self, group: Group) -> Group:
        """The group with the smallest case found; the group itself if there is none smaller."""
        if group.prepared is None or group.finding.kind in ("crash", "time-out", "garbage"):
            return group
        smaller = self._structure(group)
        return self._values(smaller)

    def _structure(self, group: Group) -> Group:
        assert group.prepared is not None
        search = _Search(group.prepared.structure, group.finding.identity, self.budget(group))
        shrink(
            self.strategy(search.best),
            lambda structure: search.fails(structure, self._shows),
            self.count(search.best),
            self.seed,
        )
        if search.best is group.prepared.structure:
            return group
        prepared = Prepared(search.best, self.draws(search.best))
        finding = self._find(prepared, search.wanted)
        return group if finding is None else Group(finding, prepared, group.count)

    def _shows(self, structure: Structure, search: _Search) -> bool:
        """Whether the structure shows the failure; it is run if it was not and may be."""
        found = self.known.get(key(structure))
        if found is None and search.left > 0:
            search.left -= 1
            found = self._look(structure)
        return found is not None and search.wanted in found

    def _look(self, structure: Structure) -> frozenset[Identity]:
        prepared = Prepared(structure, self.draws(structure))
        try:
            findings = judge(prepared, self.run(prepared.batch)).findings
        except (ValueError, IndexError):  # the oracle knows no answer to this structure
            findings = []
        self.known[key(structure)] = frozenset(f.identity for f in findings)
        return self.known[key(structure)]

    def _find(self, prepared: Prepared, wanted: Identity) -> Finding | None:
        findings = judge(prepared, self.run(prepared.batch)).findings
        return next((f for f in findings if f.identity == wanted), None)

    def _values(self, group: Group) -> Group:
        assert group.prepared is not None
        prepared, finding = group.prepared, group.finding
        draw = prepared.draws[finding.draw]
        best = {n: np.array(a) for n, a in prepared.arrays[finding.draw].items()}
        tried = Prepared(prepared.structure, [draw], [best])
        for _ in range(4):
            candidates = list(_simpler(best, prepared.structure.below))
            if not candidates:
                break
            batch = Prepared(prepared.structure, [draw] * len(candidates), candidates)
            found = self._first(batch, finding.identity)
            if found is None:
                break
            best = candidates[found.draw]
            tried = Prepared(prepared.structure, [draw], [best])
        final = self._find(tried, finding.identity)
        return group if final is None else Group(final, tried, group.count)

    def _first(self, prepared: Prepared, wanted: Identity) -> Finding | None:
        findings = judge(prepared, self.run(prepared.batch)).findings
        same = [f for f in findings if f.identity == wanted]
        return min(same, key=lambda f: f.draw, default=None)


@dataclass(slots=True)
class _Search:
    """The smallest structure found so far that shows a failure, and what may still be tried."""

    best: Structure
    wanted: Identity
    left: int
    """Structures that may yet be run."""
    idle: int | None = None
    """How many were looked at since one was found; None until then."""

    def fails(self, structure: Structure, shows: Callable[[Structure, _Search], bool]) -> bool:
        """Whether the structure shows the failure; `StopShrinking` when it is enough."""
        if self.idle is not None:
            self.idle += 1
            if self.idle > MOST_IDLE:
                raise StopShrinking
        if not set(structure.unsettled) <= set(self.best.unsettled):
            return False  # what rests on more conventions is no simpler
        if not shows(structure, self):
            return False
        self.idle = 0
        if structure.size < self.best.size:
            self.best = structure
        return True


def _simpler(arrays: Mapping[str, Array], below: Mapping[str, int]) -> Iterator[dict[str, Array]]:
    """Simpler numbers, the simplest first: zeros, ones, small integers, one element less."""
    for make in (np.zeros_like, np.ones_like, _counted, _rounded):
        for names in ([*arrays], *([n] for n in arrays if len(arrays) > 1)):
            made = {n: make(a) if n in names and n not in below else a for n, a in arrays.items()}
            if any(not _equal(made[n], arrays[n]) for n in arrays):
                yield made
    yield from _one_element(arrays, below)


def _counted(array: Array) -> Array:
    return (np.arange(array.size).reshape(array.shape) % 100).astype(array.dtype)


def _rounded(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        return np.asarray(np.where(np.abs(array) < 1e6, np.round(array), array), array.dtype)


def _one_element(
    arrays: Mapping[str, Array], below: Mapping[str, int]
) -> Iterator[dict[str, Array]]:
    """One element set to zero, for as many elements as make a short batch."""
    for name, array in arrays.items():
        if name in below or array.size > 12:
            continue
        for index in np.flatnonzero(array.reshape(-1) != 0):
            changed = array.copy()
            changed.reshape(-1)[index] = 0
            yield {**arrays, name: changed}


def _equal(a: Array, b: Array) -> bool:
    return a.tobytes() == b.tobytes()
