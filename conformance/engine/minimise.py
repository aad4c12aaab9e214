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
from conformance.generators.collect import key

Array = npt.NDArray[Any]
Run = Callable[[Batch], StructureObservation]


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
        wanted = group.finding.identity
        first = group.prepared.structure
        left = [self.budget(group)]

        def fails(structure: Structure) -> bool:
            if not set(structure.unsettled) <= set(first.unsettled):
                return False  # what rests on more conventions is no simpler
            found = self.known.get(key(structure))
            if found is None:
                if left[0] <= 0:
                    return False
                left[0] -= 1
                found = self._look(structure)
            return wanted in found

        best = shrink(self.strategy(first), fails, self.count(first), self.seed)
        if best is None or best.size > first.size:
            return group
        prepared = Prepared(best, self.draws(best))
        finding = self._find(prepared, wanted)
        return group if finding is None else Group(finding, prepared, group.count)

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
