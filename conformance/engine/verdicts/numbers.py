"""Simpler numbers for a case that fails, in the same structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Step = tuple[int, tuple[str, ...]]
"""One of `_MAKERS`, and the arrays that it makes."""
Fitted = Callable[[Mapping[str, Array]], Mapping[str, Array] | None]

SHORT_BATCH = 12
"""The most elements of an array each of which is set to zero in turn."""
LONG = 1000
"""More elements of an array than these are made simpler in every failure: nobody reads them, and a
script with them is as long as a hundred others."""
DIGITS = 10
"""How many small integers there are: these are ordinary numbers of every dtype."""
PARTS = 16
"""Into how many parts a long array is cut, of which one alone is kept."""


@dataclass(frozen=True)
class Candidate:
    """Numbers that may show the failure, too."""

    arrays: Mapping[str, Array]
    step: Step | None = None
    """How they were made of the best ones; None if some elements were changed."""


class Numbers:
    """The simplest numbers so far, and what has been tried.

    `below` has the arrays that stay as they are. `fitted` moves numbers into the domains of their
    parameters; it gives None for numbers that the plan could not have drawn. Each step makes an
    array simpler than it was: what is all zeros is not made ones again. A step that did not show
    the failure is not tried again.
    """

    def __init__(
        self, arrays: Mapping[str, Array], below: Mapping[str, int], fitted: Fitted
    ) -> None:
        self.best = arrays
        self._below = below
        self._fitted = fitted
        self._made = dict.fromkeys(arrays, len(_MAKERS))
        self._failed: set[Step] = set()

    def simpler(self) -> Iterator[Candidate]:
        """Simpler numbers, the simplest first: zeros, ones, a one at the end of a long array, small
        integers, one element set to zero; of long arrays one part alone."""
        for candidate in self._candidates():
            arrays = self._fitted(candidate.arrays)
            if arrays is not None and any(not _equal(a, self.best[n]) for n, a in arrays.items()):
                yield replace(candidate, arrays=arrays)

    def _candidates(self) -> Iterator[Candidate]:
        for maker, names in self._steps():
            made = {n: _MAKERS[maker](a) if n in names else a for n, a in self.best.items()}
            yield Candidate(made, (maker, names))
        for arrays in (*_one_element(self.best, self._below), *_one_part(self.best, self._below)):
            yield Candidate(arrays)

    def _steps(self) -> Iterator[Step]:
        names = [n for n in self.best if n not in self._below]
        for maker in range(len(_MAKERS)):
            simpler = tuple(n for n in names if maker < self._made[n])
            alone = ((n,) for n in simpler if len(self.best) > 1)
            steps = ((maker, chosen) for chosen in dict.fromkeys((simpler, *alone)) if chosen)
            yield from (step for step in steps if step not in self._failed)

    def failed(self, candidates: Sequence[Candidate]) -> None:
        """Note that these do not show the failure."""
        self._failed.update(c.step for c in candidates if c.step is not None)

    def take(self, candidate: Candidate) -> None:
        """These are the best from now on."""
        self.best = candidate.arrays
        if candidate.step is not None:
            maker, names = candidate.step
            self._made.update(dict.fromkeys(names, maker))


def _last_one(array: Array) -> Array:
    if array.size <= SHORT_BATCH:
        return array
    made = np.zeros_like(array)
    made.reshape(-1)[-1] = 1
    return made


def _counted(array: Array) -> Array:
    if array.size > LONG and np.count_nonzero(array) <= array.size / PARTS:
        return array  # most are zeros already
    return np.asarray(np.arange(array.size).reshape(array.shape) % DIGITS, array.dtype)


def _rounded(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        # no new negative zero: it rests on a convention that the number did not rest on
        rounded = np.where(array == 0, array, np.round(array) + 0.0)
        return np.asarray(np.where(np.abs(array) < 1e6, rounded, array), array.dtype)


def _one_element(
    arrays: Mapping[str, Array], below: Mapping[str, int]
) -> Iterator[dict[str, Array]]:
    """One element set to zero, in arrays small enough for a short batch."""
    for name, array in arrays.items():
        if name in below or array.size > SHORT_BATCH:
            continue
        for index in np.flatnonzero(array.reshape(-1) != 0):
            changed = array.copy()
            changed.reshape(-1)[index] = 0
            yield {**arrays, name: changed}


def _one_part(arrays: Mapping[str, Array], below: Mapping[str, int]) -> Iterator[dict[str, Array]]:
    """Zeros or ones in place of all but one part of what is neither in a long array."""
    for name, array in arrays.items():
        if name in below or array.size <= LONG:
            continue
        flat = array.reshape(-1)
        for filler, part in _parts(flat):
            made = np.full_like(array, filler)
            made.reshape(-1)[part] = flat[part]
            yield {**arrays, name: made}


def _parts(flat: Array) -> Iterator[tuple[int, Array]]:
    """Zero or one, and where something else may stay: fewer places than there are now."""
    others = [np.flatnonzero(flat != filler) for filler in (0, 1)]
    fewest = min(map(len, others))
    for filler, kept in enumerate(others):
        parts = (part for part in np.array_split(kept, PARTS) if len(part) < fewest)
        yield from ((filler, part) for part in parts)


_MAKERS = (np.zeros_like, np.ones_like, _last_one, _counted, _rounded)
"""The simplest first."""


def is_long(arrays: Mapping[str, Any]) -> bool:
    """Whether one of the arrays is long."""
    return any(np.size(array) > LONG for array in arrays.values())


def _equal(a: Array, b: Array) -> bool:
    return a.tobytes() == b.tobytes()
