"""Assert a right answer: its value within limits, its shape and its dtype.

    np.testing.assert_allclose(got, np.array([0.0, 1.5], dtype='float32'), rtol=1.2e-07, atol=0,
                               strict=True)

With NumPy 2 one assertion compares all three. Older releases get a line for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, is_dtype, is_floating
from conformance.dtypes import limits as limits_of_dtype
from conformance.scripts.literals import assignment, literal

Array = npt.NDArray[np.generic]
Limits = npt.NDArray[np.float64]

MOST_COMPARED = 64
"""The most elements that a script writes; of a longer array it compares some."""
_DIGITS = 2.0**8
"""The roundings that a right answer may lose where its value is not what failed."""
_SOME = 8
"""How many elements of a long array a script compares."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """An array that an answer may be: its value, and how far each element may be from it.

    Both have one shape. An element with an infinite limit may hold anything.
    """

    value: Array
    limits: Limits

    def generous(self, dtype: str) -> Bounded:
        """The same numbers with room for digits of `dtype` that are lost: no document states an
        accuracy.

        Integers get none, and nothing gets so much that zeros would pass.
        """
        if not is_floating(dtype) or not self.value.size:
            return self
        eps = float(limits_of_dtype(dtype).eps)
        value = self.value.astype(np.float64)
        with np.errstate(all="ignore"):
            size = np.maximum(1, np.abs(np.where(np.isfinite(value), value, 0)))
            wider = np.maximum(self.limits, min(_DIGITS * eps, eps**0.5) * size)
            zeros = (np.abs(value) <= wider).all() > (np.abs(value) <= self.limits).all()
        return self if zeros else Bounded(self.value, wider)


@dataclass(frozen=True, slots=True, eq=False)
class RightAnswer:
    """The right answers: any of these arrays, in any of these dtypes."""

    choices: Sequence[Bounded]
    """The first is the suite's own. The others are those of other readings."""
    dtypes: Sequence[str] = ()
    """The names of dtypes; empty if the documents leave the dtype open."""
    index: tuple[int, ...] = ()
    """The element that a message names: of a long array it is compared in any case."""
    wrong: Sequence[Array] = field(default=())
    """Answers that must fail: those that a target gave."""
    rank_alone: bool = False
    """Whether no more than the rank follows from the documents: the value counts for its shape."""


@dataclass(frozen=True, slots=True)
class Words:
    """The means of a script's assertions."""

    strict: bool = False
    """NumPy's assertions compare shape and dtype."""
    typed: bool = False
    """The answer is an array, which has a dtype; a number of Python passes for any."""
    dtype_of: str = ""
    """An expression for the name of the dtype, where the array does not have it."""


def asserted(answer: RightAnswer, got: str, words: Words) -> Iterator[str]:
    """The statements that assert that `got` (an expression) is a right answer."""
    if answer.rank_alone:
        yield from _of_rank(answer, got, words)
        return
    dtypes = [name for name in answer.dtypes if is_dtype(name)]
    if words.strict and not words.dtype_of and (whole := _strict(answer, dtypes, got)):
        yield whole
        return
    first, *others = answer.choices
    yield from _of_kind(got, None if others else first.value.shape, dtypes, words)
    if others:
        yield from _any_of(answer, got)
    elif first.value.size:
        plain = f"np.asarray({got}, 'float32')" if words.dtype_of else got
        yield from _of_numbers(answer, plain, dtypes)


def _of_kind(
    got: str, shape: tuple[int, ...] | None, dtypes: Sequence[str], words: Words
) -> Iterator[str]:
    """One assertion on the shape, if one is given, and on the dtype, if any are."""
    conditions, shown = [], []
    if shape is not None:
        conditions.append(f"np.shape({got}) == {shape!r}")
        shown.append(f"np.shape({got})")
    if dtypes:
        own = f"{got}.dtype" if words.typed else f"getattr({got}, 'dtype', {dtypes[0]!r})"
        name = words.dtype_of or f"str({own})"
        alike = f"== {dtypes[0]!r}" if len(dtypes) == 1 else f"in {list(dtypes)!r}"
        conditions.append(f"{name} {alike}")
        shown.append(words.dtype_of or own)
    if conditions:
        words_shown = shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
        yield f"assert {' and '.join(conditions)}, {words_shown}"


def _of_rank(answer: RightAnswer, got: str, words: Words) -> Iterator[str]:
    """The rank, and the value for an answer of the suite's own shape."""
    shape = answer.choices[0].value.shape
    yield f"assert np.ndim({got}) == {len(shape)}, np.shape({got})"
    yield f"if np.shape({got}) == {shape!r}:"
    yield from (f"    {line}" for line in asserted(replace(answer, rank_alone=False), got, words))


def _strict(answer: RightAnswer, dtypes: Sequence[str], got: str) -> str:
    """One assertion on value, shape and dtype; empty if none can say it."""
    if len(dtypes) != 1 or BFLOAT16 in dtypes or len(answer.choices) > 1:
        return ""
    typed = _typed(answer.choices[0], dtypes[0])
    tolerance = _plain(typed, answer)
    if tolerance is None:
        return ""
    return _assertion(got, literal(typed.value), tolerance, ", strict=True")


def _of_numbers(answer: RightAnswer, got: str, dtypes: Sequence[str]) -> Iterator[str]:
    (numbers,) = answer.choices
    if dtypes and numbers.value.dtype == np.float64 and dtypes[0] != "float64":
        numbers = _typed(numbers, "float32")  # with the digits that the dtype has
    plain = _plain(numbers, answer)
    if plain is not None:
        exact = plain == (0.0, 0.0) and not _is_whole_in_text(numbers.value)
        expected = literal(numbers.value) if exact else _numbers(numbers.value)
        yield _assertion(got, expected, plain, "")
    else:
        yield from _long(numbers, answer, got)


def _typed(numbers: Bounded, dtype: str) -> Bounded:
    """The numbers in a dtype, with limits that are as wide after the rounding."""
    with np.errstate(all="ignore"):
        value = numbers.value.astype(dtype)
        if value.dtype.kind not in "fc":
            return Bounded(value, numbers.limits)
        lost = np.abs(value.astype(np.float64) - numbers.value.astype(np.float64))
    return Bounded(value, numbers.limits + np.nan_to_num(lost, nan=0.0, posinf=0.0))


def _numbers(value: Array) -> str:
    """The elements as lists of Python; an array where all are alike, or some are not finite."""
    text = literal(value)
    inside = text.removeprefix("np.array(").rpartition(", dtype=")[0]
    return inside if text.startswith("np.array(") else text


def _is_whole_in_text(value: Array) -> bool:
    """Whether the digits of each element are its number in float64, in which Python reads them."""
    if value.dtype.kind != "f" or value.dtype == np.float64:
        return True
    numbers = value[np.isfinite(value)].reshape(-1)
    return all(float(str(number)) == float(number) for number in numbers)


Tolerance = tuple[float, float]
"""Relative and absolute."""


def _plain(numbers: Bounded, answer: RightAnswer) -> Tolerance | None:
    """One tolerance for all elements; None if they need more, or are too many to write."""
    value, limits = numbers.value, numbers.limits
    if not value.size:
        return 0.0, 0.0
    if value.size > MOST_COMPARED and not (value == value.flat[0]).all():
        return None
    if np.isinf(limits).any() or value.dtype.kind not in "biuf":
        return None
    return _tolerance(value.astype(np.float64), limits, answer.wrong)


def _tolerance(
    value: npt.NDArray[np.float64], limits: Limits, wrong: Sequence[Array]
) -> Tolerance | None:
    """A tolerance that is as wide as the limits, and still refuses what they refuse."""
    finite = np.isfinite(value)
    sizes, reach = np.abs(value[finite]), limits[finite]
    if not reach.any():
        return 0.0, 0.0
    others = (*wrong, np.zeros_like(value))
    for rtol, atol in _tolerances(sizes, reach):
        if all(_refuses(value, rtol, atol, limits, other) for other in others):
            return rtol, atol
    return None


def _tolerances(sizes: Limits, reach: Limits) -> Iterator[Tolerance]:
    """Tolerances that are as wide: relative to each element, to those above 1, and to none."""
    for most in (0.0, 1.0):
        small = sizes <= most
        with np.errstate(all="ignore"):
            relative = float((reach[~small] / sizes[~small]).max(initial=0.0))
        if relative <= _MOST_RELATIVE:
            yield _up(relative), _up(float(reach[small].max(initial=0.0)))
    yield 0.0, _up(float(reach.max()))


_MOST_RELATIVE = 0.01
"""A relative tolerance that is wider says nothing."""


def _up(number: float) -> float:
    """The number with two digits, and no smaller."""
    rounded = float(f"{number:.1e}")
    return rounded if rounded >= number else float(f"{number * 1.05:.1e}")


def _refuses(
    value: npt.NDArray[np.float64], rtol: float, atol: float, limits: Limits, other: Array
) -> bool:
    """Whether the tolerance refuses an answer that the limits refuse."""
    if other.shape != value.shape or other.dtype.kind not in "biuf":
        return True
    with np.errstate(all="ignore"):
        distance = np.abs(other.astype(np.float64) - value)
        same = (other == value) | (np.isnan(value) & np.isnan(other.astype(np.float64)))
        right = (same | (distance <= limits)).all()
        passes = (same | (distance <= atol + rtol * np.abs(value))).all()
    return bool(right or not passes)


def _assertion(got: str, expected: str, tolerance: Tolerance, ending: str) -> str:
    rtol, atol = tolerance
    if not rtol and not atol:
        return f"np.testing.assert_array_equal({got}, {expected}{ending})"
    within = f"rtol={rtol:g}, atol={atol:g}" if atol else f"rtol={rtol:g}"
    return f"np.testing.assert_allclose({got}, {expected}, {within}{ending})"


def _long(numbers: Bounded, answer: RightAnswer, got: str) -> Iterator[str]:
    """Some elements of a long array, or those with a finite limit, each with its limit."""
    flat, limits = numbers.value.reshape(-1), numbers.limits.reshape(-1)
    places = _places(numbers, answer)
    if not places:
        return
    yield f"places = {places!r}"
    yield f"expected = {literal(flat[places])}"
    if flat.dtype.kind != "b":
        yield f"limits = {literal(np.asarray(limits[places]))}"
    yield f"picked = np.asarray({got}).reshape(-1)[places]"
    alike = "picked == expected"
    if flat.dtype.kind != "b":  # NumPy has no difference of two truth values
        yield "near = abs(picked.astype(expected.dtype) - expected) <= limits"
        alike = f"near | ({alike})"
    if np.isnan(flat[places].astype(np.float64)).any():
        alike += " | (picked != picked) & (expected != expected)"
    yield f"wrong = ~({alike})"
    yield "assert not wrong.any(), (np.array(places)[wrong], picked[wrong], expected[wrong])"


def _places(numbers: Bounded, answer: RightAnswer) -> list[int]:
    """The elements to compare, in order. Those that wrong answers have wrong are among them."""
    flat = numbers.value.reshape(-1).astype(np.float64)
    asked = np.flatnonzero(~np.isinf(numbers.limits.reshape(-1)))
    if len(asked) <= MOST_COMPARED:
        return [int(place) for place in asked]
    named = []
    if len(answer.index) == numbers.value.ndim:
        named = [int(np.ravel_multi_index(answer.index, numbers.value.shape))]
    for other in answer.wrong:
        if other.shape == numbers.value.shape and other.dtype.kind in "biuf":
            with np.errstate(all="ignore"):
                distance = np.abs(other.reshape(-1).astype(np.float64) - flat)
            named += np.flatnonzero(~(distance <= numbers.limits.reshape(-1)))[:_SOME].tolist()
    named += asked[flat[asked] != 0][:_SOME].tolist()
    named += asked[:: max(1, len(asked) // _SOME)].tolist()
    likely = dict.fromkeys(place for place in named if place in {*asked.tolist()})
    return sorted([*likely][: 2 * _SOME])


def _any_of(answer: RightAnswer, got: str) -> Iterator[str]:
    """The answer is one of several arrays, each with its own tolerance."""
    names = []
    for number, numbers in enumerate(answer.choices):
        yield from assignment(f"expected_{number}", numbers.value)
        value = numbers.value.astype(np.float64)
        finite = np.where(np.isinf(numbers.limits), 0.0, numbers.limits)
        rtol, atol = _tolerance(value, finite, ()) or (0.0, float(finite.max(initial=0.0)))
        within = f"rtol={rtol:g}, atol={atol:g}, equal_nan=True"
        name = f"expected_{number}"
        same = f"np.allclose({got}, {name}, {within})"
        names.append(f"np.shape({got}) == {name}.shape and {same}")
    yield f"right = [{', '.join(names)}]"
    yield f"assert any(right), {got}"
