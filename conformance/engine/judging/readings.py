"""Readings: which conventions of a case allow an answer other than the suite's own.

Where the documents leave a point open, the spec names a *convention* (`specs.conventions`), and
the convention lists its *readings*, the answers that a backend may give. The suite's own reading
is the first. This module decides between three outcomes for an answer that differs from it:

1. Another reading gives this answer. The finding diverges and names the reading, as in
   `masked-steps: first state`.
2. No reading gives it. The finding violates, and cites the claim that holds under every reading.
3. The convention leaves the elements free. Any number in them passes, but only in the elements
   that the convention concerns: one NaN does not excuse its neighbours.

A reading has code: a variant of the oracle (`oracle.variants`) that recomputes the answer under
it, or a set of elements (`oracle.freedom`) in which anything may stand. Where a case rests on
several conventions, their readings are tried in combination, at most `MOST` of them.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, rounded
from conformance.editions import Edition
from conformance.engine.judging.findings import Allowance, Finding
from conformance.engine.judging.refusals import is_mistaken_code, refusing
from conformance.observations import Outcome, Raised
from conformance.oracle import Expectation, agrees
from conformance.oracle.compare import HALF, Slack, is_inaccurate
from conformance.oracle.freedom import allowed
from conformance.oracle.ranges import ANY, Range, in_range
from conformance.oracle.variants import FLUSHED, VARIANTS, Reading, Readings
from conformance.results import Verdict
from conformance.specs import load_conventions
from conformance.specs.accuracy import UNLIMITED, Limit
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken

Array = npt.NDArray[Any]
REFUSED = "refused"
"""The suite's own reading where an exception is the right answer."""
ABOUT_NUMBERS = frozenset(
    {
        ConventionName.ACCURACY,
        ConventionName.EXTREMES,
        ConventionName.SPECIAL_VALUES,
        ConventionName.SUBGRADIENT,
        ConventionName.SUBNORMAL,
    }
)
"""The conventions that concern certain numbers, in calls that are settled for others."""
MOST = 64
"""The most combinations of readings that are tried."""


def of_readings(*readings: Reading) -> Allowance:
    """The allowance of readings that an answer has been found to take."""
    conventions = tuple(sorted({convention for convention, _ in readings}))
    return Allowance(conventions, tuple(taken(*reading) for reading in readings))


def refused_by_choice(outcome: Outcome, conventions: Iterable[str]) -> tuple[str, ...]:
    """Of a refused call the conventions whose own reading is a refusal, as readings that are taken;
    nothing of any other outcome."""
    if not isinstance(outcome, Raised) or outcome.stage == "bind":
        return ()
    known = load_conventions()
    chosen = (name for name in sorted({*conventions}) if known[name].choice == REFUSED)
    return tuple(taken(name, REFUSED) for name in chosen)


def of_refusal(conventions: Iterable[str]) -> Allowance:
    """What allows an exception in place of an answer.

    A convention does if one of its readings refuses.
    """
    return _allowance(conventions, refused=True)


def of_misfit(
    conventions: Iterable[str],
    fits: Callable[[Readings], bool],
    *,
    refused: bool,
    closed: Container[str] = (),
) -> Allowance:
    """What allows an exception, or a result of another shape, of a call that does not fit a
    reading; `fits` says whether it fits. Nothing is allowed by the conventions in `closed`, of
    which the target takes the suite's own reading."""
    known, named = load_conventions(), tuple(sorted({*conventions}))
    for name in (n for n in named if n not in closed):
        for reading in known[name].of_misfits:
            other = ((name, str(reading.misfits)),)
            if reading.refuses is refused and not fits(other):
                return of_readings((name, reading.name))
    return of_nothing(named)


def of_exception(
    outcome: Outcome, conventions: Iterable[str], edition: Edition | None = None
) -> Allowance:
    """What allows this outcome in place of an answer.

    Nothing allows mistaken code, and a convention may say which words a refusal has, perhaps in the
    edition alone.
    """
    named = {*conventions}
    if is_mistaken_code(outcome):
        return of_nothing(named)
    allowed = of_refusal(refusing(named, outcome, edition))
    return allowed if allowed.conventions else of_nothing(named)


def of_anything(conventions: Iterable[str]) -> Allowance:
    """What allows an answer that a check has found to be another than the suite's own.

    A convention does if one of its readings is free.
    """
    return _allowance(conventions, refused=False)


def of_dtype(dtypes: Mapping[str, Collection[str]], dtype: str) -> Allowance:
    """What allows a result of another dtype than the accepted ones.

    `dtypes` are those that each convention of the call leaves open. That numbers were lost on the
    way to one of them is the failure of the value.
    """
    named = tuple(sorted(dtypes))
    allowing = [name for name in named if dtype in dtypes[name]]
    readings = tuple(taken(name, dtype) for name in allowing)
    return Allowance(tuple(allowing), readings, () if allowing else named)


def demanded_shape(
    shape: tuple[int, ...],
    open_points: Iterable[str],
    shapes: Iterable[tuple[int, ...]] = (),
) -> str:
    """What a result must have of this shape, in words: no more than follows at the points that are
    open, under whose readings it may have any of `shapes`."""
    others = {*shapes} - {shape}
    if any(len(other) != len(shape) for other in others):
        return "some shape"
    alone = others or is_rank_alone(open_points)
    return f"rank {len(shape)}" if alone else f"shape {shape}"


def is_rank_alone(open_points: Iterable[str]) -> bool:
    """Whether no more than the rank of a result follows at the points that are open."""
    known = load_conventions()
    return any(known[name].rank_follows for name in open_points)


def explaining(findings: Iterable[Finding]) -> list[Finding]:
    """The findings on one call, without those that a convention about numbers allows where the call
    is wrong for ordinary numbers as well: then the convention explains nothing."""
    every = list(findings)
    wrong = {
        f.aspect
        for f in every
        if f.verdict is Verdict.VIOLATES and ABOUT_NUMBERS.isdisjoint(f.open_points)
    }
    return [
        f
        for f in every
        if f.verdict is not Verdict.DIVERGES
        or f.aspect not in wrong
        or ABOUT_NUMBERS.isdisjoint(f.conventions)
    ]


def of_nothing(conventions: Iterable[str]) -> Allowance:
    """That no reading of the conventions allows an answer."""
    return Allowance(open_points=tuple(sorted({*conventions})))


def _allowance(conventions: Iterable[str], *, refused: bool) -> Allowance:
    known, named = load_conventions(), tuple(sorted({*conventions}))
    found = {n: known[n].refusal if refused else known[n].freedom for n in named}
    allowing = {name: reading for name, reading in found.items() if reading is not None}
    readings = tuple(taken(name, reading.name) for name, reading in allowing.items())
    return Allowance(tuple(allowing), readings, () if allowing else named)


def combinations(conventions: Iterable[str], ruled_out: Container[str] = ()) -> list[Readings]:
    """The combinations of readings that code computes, that of the suite's own first.

    Those with fewer other readings come first, and of as many those that say what each answer is:
    where subnormal numbers are flushed, a bound is wider. At most `MOST`.
    """
    choices: list[list[Reading | None]] = [
        [None, *computed(name, ruled_out)] for name in conventions
    ]
    made = (tuple(r for r in chosen if r is not None) for chosen in product(*choices))
    return sorted(islice(made, MOST), key=lambda readings: (len(readings), FLUSHED in readings))


def computed(convention: str, ruled_out: Container[str] = ()) -> list[Reading]:
    """The readings of a convention that code computes, without those that a document rules out."""
    named = ((convention, variant.name) for variant in load_conventions()[convention].variants)
    return [r for r in named if r in VARIANTS and taken(*r) not in ruled_out]


def shapes_read(
    conventions: Iterable[str], shape_under: Callable[[Readings], tuple[int, ...] | None]
) -> dict[str, set[tuple[int, ...]]]:
    """The shapes that a result has under the readings of each convention that code computes.

    `shape_under` is None where the call has no answer under a reading.
    """
    found = {name: {shape_under((other,)) for other in computed(name)} for name in conventions}
    return {name: {s for s in shapes if s is not None} for name, shapes in found.items()}


def _anywhere(got: Array) -> Array:
    return np.ones(got.shape, np.bool_)


@dataclass(frozen=True, slots=True)
class AllowedAnswers:
    """All answers to one call that its conventions allow."""

    conventions: Sequence[str]
    expectation: Callable[[Readings], Expectation]
    """What is expected under some readings. ValueError: they are none for this call."""
    concerned: Callable[[str, Expectation], Array]
    """The elements of the result that rest on a convention."""
    ruled_out: Container[str] = ()
    """Readings that a document does not leave open for this function."""
    slack: Slack = HALF
    """How much more than its bound an answer may be off and still be badly computed."""
    limit: Callable[[str], Limit] = lambda _: UNLIMITED
    """How far an answer of a dtype may be off at most."""
    elementwise: bool = False
    """Whether an element depends on one element alone: what others are excuses no error of it."""
    range: Range = ANY
    """Which numbers the function gives; no reading allows another."""
    possible: Callable[[Array], Array] = _anywhere
    """Where special numbers may have this answer."""

    def taken(self, got: Array) -> Readings | None:
        """The readings that allow the whole of `got`, none for the suite's own answer; None if
        there are no such readings.

        Readings of which `got` is the answer precede free ones, which excuse what they do not
        explain.
        """
        excused: Readings | None = None
        for chosen, expected in self._expected(got.shape):
            outside = ~agrees(got, expected)
            if not outside.any():
                return chosen
            left = None if excused else self._excused(got, expected, outside)
            excused = excused if left is None else (*chosen, *left)
        return excused

    def forbidden(self, got: Array, *, nearly: bool) -> str | None:
        """The reading that `got` is the answer of, though a document rules it out; None without.

        `nearly` is enough if `got` is known to be no answer of another reading.
        """
        for name in self.conventions:
            for reading in computed(name):
                if taken(*reading) in self.ruled_out and self._is_answer(got, (reading,), nearly):
                    return taken(*reading)
        return None

    def _is_answer(self, got: Array, readings: Readings, nearly: bool) -> bool:
        try:
            expected = self.expectation(readings)
        except (KeyError, ValueError, IndexError):
            return False
        if expected.value.shape != got.shape:
            return False
        if nearly:
            return is_inaccurate(got, expected, single_will_do=True)
        return bool(agrees(got, expected).all())

    def shaped(
        self, shape: tuple[int, ...], under: Callable[[Readings], tuple[int, ...] | None]
    ) -> Readings | None:
        """The readings under which an answer has this shape; None if there are none.

        `under` gives the shape under some readings; None if there is no answer.
        """
        chosen = combinations(self.conventions, self.ruled_out)
        return next((readings for readings in chosen if under(readings) == shape), None)

    def choices(self, got: Array, value: Callable[[Readings], Array]) -> Iterator[str]:
        """The conventions' own readings that `got`, which has the suite's own answer, shows.

        `value` gives the value under some readings; ValueError if there is none of this shape.
        Where that of another reading of a convention would pass for the suite's own, `got` does not
        show which it is.
        """
        known = load_conventions()
        for name in self.conventions:
            others = computed(name, self.ruled_out)
            if others and all(self._differs(got, value, (other,)) for other in others):
                yield taken(name, known[name].choice)

    def _differs(self, got: Array, value: Callable[[Readings], Array], readings: Readings) -> bool:
        """Whether the value under these readings, if there is one, is no answer of the suite's."""
        try:
            other = value(readings)
        except (KeyError, ValueError, IndexError):
            return True
        if other.shape != got.shape:
            return True
        with np.errstate(all="ignore"):
            # what a wider integer can hold must not be wrapped: that is the suite's own answer
            own = self.expectation(())
            dtype = own.dtype if own.dtype == BFLOAT16 else got.dtype.name
            as_got = rounded(other, dtype) if got.dtype.kind == "f" else other
            return not bool(agrees(as_got, own).all())

    def nearly(self, got: Array, *, single_will_do: bool) -> Readings | None:
        """The readings that allow `got`, but for digits that it may lose."""
        for chosen, expected in self._expected(got.shape):
            free, readings = self._free(got, expected)
            plain = np.where(free, expected.value, got) if free.any() else got
            scale = _own_sizes(expected.value) if self.elementwise else None
            good = is_inaccurate(
                plain,
                expected,
                scale,
                single_will_do=single_will_do,
                slack=self.slack,
                most=self.limit(expected.dtype),
            )
            if good:
                used = readings if (free & ~agrees(got, expected)).any() else ()
                return (*chosen, *used)
        return None

    def without_excused(self, got: Array) -> Array:
        """The answer, with what is expected in the elements that a free reading allows."""
        expected = self.expectation(())
        free, _ = self._free(got, expected)
        shown = got.copy()
        with np.errstate(invalid="ignore", over="ignore"):
            shown[free] = expected.value[free].astype(got.dtype)
        return shown

    def beyond(self, got: Array) -> Array:
        """The elements that a free reading would allow if the function gave such numbers."""
        expected = self.expectation(())
        free, _ = replace(self, range=ANY)._free(got, expected)
        return np.asarray(free & ~agrees(got, expected) & ~in_range(got, self.range))

    def _expected(self, shape: tuple[int, ...]) -> Iterator[tuple[Readings, Expectation]]:
        """What is expected under each combination of readings that gives this shape."""
        for chosen in combinations(self.conventions, self.ruled_out):
            try:
                expected = self.expectation(chosen)
            except (KeyError, ValueError, IndexError):
                continue
            if expected.value.shape == shape:
                yield chosen, expected

    def _excused(self, got: Array, expected: Expectation, outside: Array) -> Readings | None:
        """The free readings that allow the elements outside; None if they do not allow all."""
        if not outside.any():
            return ()
        used: list[Reading] = []
        for reading, mask in self._freedoms(got, expected):
            if (outside & mask).any():
                used.append(reading)
                outside = outside & ~mask
        return None if outside.any() else tuple(used)

    def _free(self, got: Array, expected: Expectation) -> tuple[Array, Readings]:
        """All elements that some free reading allows, and those readings."""
        found = list(self._freedoms(got, expected))
        masks = [mask for _, mask in found]
        free = np.logical_or.reduce(masks) if masks else np.zeros(got.shape, np.bool_)
        return np.asarray(free), tuple(reading for reading, mask in found if mask.any())

    def _freedoms(self, got: Array, expected: Expectation) -> Iterator[tuple[Reading, Array]]:
        within = in_range(got, self.range)
        for name in self.conventions:
            listed = [r for r in load_conventions()[name].readings if r.free]
            readings = [r for r in listed if taken(name, r.name) not in self.ruled_out]
            if not readings:
                continue
            concerned = self.concerned(name, expected) & within
            if name == ConventionName.SPECIAL_VALUES:
                concerned = concerned & self.possible(got)
            for reading in readings:
                key = (name, reading.name)
                yield key, np.asarray(concerned & allowed(key, got, expected))


def _own_sizes(value: Array) -> Array:
    """The size of each element, at least 1."""
    return np.where(np.isfinite(value), np.maximum(np.abs(value), 1), 1)
