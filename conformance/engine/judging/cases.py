"""Prepared structures: a structure with its numbers, and the oracle's answers for each draw.

A *structure* has no numbers: it fixes shapes, dtypes, arguments and bindings. `Prepared` adds the
arrays of every draw and asks the oracle for an expectation per draw when judging first needs it.
A `Drawn` is one draw of a prepared structure, which is what the user sees as a *case*: a program
and its arrays. Two draws of a structure differ in their value profiles (ordinary, halves, large,
special) and share everything else, so one graph serves them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, is_floating
from conformance.editions import symbols_of
from conformance.generators import Draw, Structure
from conformance.generators.admissible import admissible, fitted
from conformance.generators.collect import key
from conformance.generators.exhaustive import of_length
from conformance.generators.gradients import resolved
from conformance.generators.parts import members
from conformance.generators.structure import (
    CONVENTION_OF_PROFILE,
    accepted_dtypes,
    expected_shape,
    expected_static_shape,
)
from conformance.generators.tensors import SYMBOLIC, references
from conformance.generators.values import (
    are_distinct,
    arrays_of_draws,
    leaves_domain,
    shown_profile,
)
from conformance.observations import Batch, Returned
from conformance.oracle import Expectation, agrees, expect
from conformance.oracle.accepting import EVIDENCE
from conformance.oracle.evaluate import Beyond, shape_before, value_of
from conformance.oracle.evidence import Evidence
from conformance.oracle.special_points import possible, with_finite_bounds
from conformance.oracle.variants import (
    FLUSHED,
    SATURATED,
    WIDER,
    NoReadingError,
    Readings,
    read_otherwise,
)
from conformance.program import Case
from conformance.specs.convention_names import ConventionName
from conformance.specs.kinds import Omitted
from conformance.specs.model import Part

Array = npt.NDArray[Any]


SOME = 8
"""How many elements stand for all of them where nothing tells which of them fails."""

LARGE = 2**17
"""The elements of an expectation from which on one draw at a time has it: value and bound take
three megabytes, of a million elements 24."""


class Prepared:
    """One structure with `draws`; expectations are computed when first asked for, and kept."""

    def __init__(
        self,
        structure: Structure,
        draws: Sequence[Draw],
        arrays: Sequence[Mapping[str, Array]] | None = None,
        *,
        elementwise: bool = False,
    ) -> None:
        self.structure = structure
        self.draws = tuple(draws)
        self.elementwise = elementwise
        """Whether each element of the result depends on the elements at its place alone, in tensors
        of one axis: then any of them are a call of their own."""
        self._arrays = list(arrays) if arrays else None
        self._expectations: dict[tuple[int, str], Expectation] = {}
        self._others: dict[tuple[int, str, Readings], Expectation] = {}
        """Under other readings, of the draw that was asked about last: they are many, and no
        other target asks about them but for the same answer."""
        self._reshaping: set[Readings] = set()
        """Readings under which the result has another shape, sometimes a very large one."""
        self._shapes: dict[Readings, tuple[int, ...] | None] = {}
        """By readings: shapes do not depend on numbers."""

    @cached_property
    def key(self) -> str:
        """The program as text."""
        return key(self.structure)

    @cached_property
    def arrays(self) -> list[Mapping[str, Array]]:
        """The numbers of each draw, by input name."""
        return self._arrays or [*arrays_of_draws(self.structure, self.draws)]

    @cached_property
    def batch(self) -> Batch:
        """What is sent to a worker."""
        names = [i.name for i in self.structure.program.inputs]
        stacked = {n: np.stack([a[n] for a in self.arrays]) for n in names}
        return Batch(self.structure.program, stacked, len(self.arrays))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape that the result must have."""
        return expected_shape(self.structure)

    @cached_property
    def static_shape(self) -> tuple[int | None, ...]:
        """The shape that follows from what is known when the graph is built."""
        return expected_static_shape(self.structure)

    @cached_property
    def known_shape(self) -> tuple[int | None, ...]:
        """The static shape without dimensions that change with a length that is not known then: a
        length of 1 beside an unknown one may be broadcast."""
        known = self.static_shape
        for arrays in self._other_lengths():
            shape = self._shape_of(arrays)
            if shape is not None and len(shape) == len(known):
                pairs = zip(known, shape, strict=True)
                known = tuple(k if k == length else None for k, length in pairs)
        return known

    def _other_lengths(self) -> Iterator[Mapping[str, Array]]:
        """The numbers of the first draw, with another length along one axis that is not known."""
        for item in self.structure.program.inputs:
            array = self.arrays[0][item.name]
            for axis in (n for n, d in enumerate(item.static_shape) if d is None):
                for length in {1, array.shape[axis] + 1} - {array.shape[axis]}:
                    shape = (*array.shape[:axis], length, *array.shape[axis + 1 :])
                    yield {**self.arrays[0], item.name: np.resize(array, shape)}

    def _shape_of(self, arrays: Mapping[str, Array]) -> tuple[int, ...] | None:
        """The shape of the answer to other numbers; None without an answer, or with several right
        ones."""
        if self.structure.claimed in arrays or not self.structure.spec.unique:
            return None
        arguments = answered(self.structure, arrays)
        try:
            return value_of(self.structure.oracle, arguments, self.dtypes[0], self.given).shape
        except (KeyError, ValueError, IndexError):
            return None

    @cached_property
    def dtypes(self) -> list[str]:
        """The dtypes that the result may have."""
        return accepted_dtypes(self.structure)

    @cached_property
    def given(self) -> str | None:
        """The dtype of the tensors that their arrays do not say; None if these say it."""
        named = {item.dtype for item in self.structure.program.inputs}
        wider = not named.isdisjoint({"float16", "float32", "float64"})
        return BFLOAT16 if BFLOAT16 in named and not wider else None

    @cached_property
    def profiles(self) -> list[str]:
        """The profile of each draw: of numbers that no document settles the one that they show.

        What was drawn from `extremes` may hold no extreme number. Probabilities and other numbers
        of a closed domain keep the profile that they were drawn from, unless they are ordinary.
        What a function is not defined for is special, from whatever profile it was drawn.
        """
        return [self._profile(n, draw.profile) for n, draw in enumerate(self.draws)]

    def _profile(self, number: int, drawn: str) -> str:
        if leaves_domain(self.structure, self.arrays[number]):
            return "special"
        if drawn not in CONVENTION_OF_PROFILE:
            return drawn
        shown = shown_profile(self.arrays[number], first=drawn)
        closed = self.structure.fixed or self.structure.distributions
        return drawn if closed and shown in ("zeros", "integers", "halves") else shown

    def case(self, draw: int) -> Case:
        """One draw as a case."""
        return Case(self.structure.program, self.arrays[draw])

    def expectation(
        self, draw: int, dtype: str | None = None, readings: Readings = ()
    ) -> Expectation:
        """What is expected of a draw in `dtype`, by default the first accepted one.

        `readings` are those of conventions that take the place of the suite's own.
        """
        named = dtype or self.dtypes[0]
        if readings:
            return self._otherwise(draw, named, readings)
        if (draw, named) not in self._expectations:
            self._forget_other_draws(draw)
            self._expectations[draw, named] = self._expect(draw, named, ())
        return self._expectations[draw, named]

    def _forget_other_draws(self, draw: int) -> None:
        """Keep no large expectation of another draw: draws are judged one after the other."""
        self._expectations = {
            (number, dtype): expectation
            for (number, dtype), expectation in self._expectations.items()
            if number == draw or expectation.value.size <= LARGE
        }

    @cached_property
    def evidence(self) -> Evidence | None:
        """What is compared in the place of the answer, where that is not the only right one."""
        return None if self.structure.spec.unique else EVIDENCE.get(self.structure.oracle)

    @cached_property
    def member_shapes(self) -> list[tuple[int, ...]]:
        """The shapes that all members of the tuple must have; in a row, where none is settled."""
        return [expected_shape(replace(self.structure, part=part)) for part in self._parts]

    @property
    def _parts(self) -> list[Part]:
        return members(self.structure.spec, self.structure.runtime)

    def _are_members(self, arrays: Sequence[Array | None]) -> bool:
        shapes = [None if array is None else array.shape for array in arrays]
        if len(shapes) != len(self._parts):
            return False
        rows = [
            (math.prod(shape),) if part.flat and shape is not None else shape
            for part, shape in zip(self._parts, shapes, strict=True)
        ]
        return rows == self.member_shapes

    def answer(self, returned: Returned, got: Array) -> Any:
        """The answer of which there is evidence: the result, or all members of the tuple that it is
        in.

        None if a member has another shape than it must have: cases that look at that one tell it.
        """
        members = self.structure.program.outputs[1:]
        if not members:
            return got
        arrays = [value.array for name in members for value in returned.values.get(name, ())]
        return arrays if self._are_members(arrays) else None

    @property
    def like(self) -> str | None:
        """The dtype of the evidence, if that is not the dtype of the answer."""
        name = None if self.evidence is None else self.evidence.like
        return None if name is None else self.structure.runtime.dtypes[name]

    def evident(self, draw: int, answer: Any) -> Array:
        """The evidence of an answer to a draw."""
        assert self.evidence is not None
        with np.errstate(all="ignore"):
            return self.evidence(answer, self.oracle_arguments(draw))

    def _compared(self, draw: int) -> tuple[int, ...]:
        """The shape of what is compared: that of the result, or that of the evidence."""
        return self.shape if self.evidence is None else self.expectation(draw).value.shape

    def forget(self, beyond: int = 0) -> None:
        """Keep no expectation of more elements any longer: the large ones are few, and take most of
        the memory of a run. If nobody else asks for any, keep no numbers either: they are drawn
        again, the same ones, for the few cases that fail."""
        found = self._expectations.items()
        self._expectations = {key: e for key, e in found if e.value.size <= beyond}
        self._others = {}
        if not beyond:
            for numbers in ("arrays", "batch"):
                vars(self).pop(numbers, None)

    def value(self, draw: int, dtype: str, readings: Readings) -> Array:
        """The value alone, which is computed faster; not in a wider dtype than asked for.

        Raises:
            ValueError: under these readings it has another shape than `shape`.
        """
        arguments = read_otherwise(self.structure.oracle, self.oracle_arguments(draw), readings)
        known = shape_before(self.structure.oracle, arguments)
        shape = self._compared(draw)
        if readings not in self._reshaping and known in {None, shape}:
            value = value_of(self.structure.oracle, arguments, dtype, self.given)
            if value.shape == shape:
                return value
            self._reshaping.add(readings)
        message = f"under {readings} the result has another shape"
        raise ValueError(message)

    def fitted(self, draw: int, arrays: Mapping[str, Array]) -> Mapping[str, Array] | None:
        """These numbers, moved into the domains of their parameters; None if no draw of the same
        profile has such numbers, or if they rest on conventions that those of the draw do not."""
        drawn, structure = self.draws[draw].profile, self.structure
        numbers = fitted(structure, arrays, drawn)
        if not admissible(structure, numbers, drawn):
            return None
        (effective,) = self.refilled(draw, [numbers]).profiles
        own = {*structure.conventions(self.profiles[draw])}
        # some ordinary numbers of a draw may be equal, or small for float16: others may be so, too
        shown = {effective, _shown(numbers)} - {shown_profile(self.arrays[draw])}
        allowed = all(own.issuperset(structure.conventions(profile)) for profile in shown)
        return numbers if allowed else None

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> Prepared:
        """The same structure with these numbers in place of those of one draw; of an elementwise
        call they may be fewer."""
        length = {array.size for array in arrays[0].values()}
        if self.elementwise and length != {*self.shape}:
            structure = of_length(self.structure, *length)
            return Prepared(structure, [self.draws[draw]] * len(arrays), arrays, elementwise=True)
        made = Prepared(
            self.structure, [self.draws[draw]] * len(arrays), arrays, elementwise=self.elementwise
        )
        made._shapes = self._shapes
        return made

    def wrong(self, draw: int, got: Any) -> npt.NDArray[np.intp]:
        """The places in a tensor of one axis where `got` differs from the expectation. If it is an
        exception or has another shape, these are the first places."""
        if not isinstance(got, np.ndarray) or got.shape != self.shape:
            return np.arange(min(*self.shape, SOME))
        return np.flatnonzero(~agrees(got, self.expectation(draw)))

    def shape_under(self, draw: int, readings: Readings) -> tuple[int, ...] | None:
        """The shape of the result under these readings; None if there is no answer."""
        if readings not in self._shapes:
            arguments = self.oracle_arguments(draw)
            try:
                read = read_otherwise(self.structure.oracle, arguments, readings)
                value = value_of(self.structure.oracle, read, self.dtypes[0], self.given)
            except (KeyError, ValueError, IndexError):
                self._shapes[readings] = None
            else:
                self._shapes[readings] = value.shape
        return self._shapes[readings]

    def own_answer(self, draw: int) -> Callable[[], Array]:
        """A function that gives the right answer to a draw: an error bound is slow, and only the
        failure that is shown needs the answer.

        Raises:
            ValueError: there is none, as for the maximum of no elements. IndexError for an index.
        """
        if not self.elementwise:  # those have an answer to all numbers
            arguments = self.oracle_arguments(draw)
            value_of(self.structure.oracle, arguments, self.dtypes[0], self.given)
        return lambda: self.expectation(draw).value

    def fits(self, draw: int, readings: Readings) -> bool:
        """Whether the arguments of a draw have an answer under these readings, or these are none
        for the call."""
        try:
            arguments = read_otherwise(self.structure.oracle, self.oracle_arguments(draw), readings)
            value_of(self.structure.oracle, arguments, self.dtypes[0], self.given)
        except NoReadingError:
            return True
        except ValueError:
            return False
        return True

    def differs(self, draw: int, readings: Readings) -> bool:
        """Whether the arguments of a draw have an answer under these readings, and another one than
        the suite's own."""
        try:
            other = self.expectation(draw, readings=readings).value
        except ValueError:
            return False
        own = self.expectation(draw).value
        return other.shape != own.shape or not np.allclose(other, own, rtol=0.01)

    def _otherwise(self, draw: int, dtype: str, readings: Readings) -> Expectation:
        key = (draw, dtype, readings)
        if key not in self._others:
            kept = {k: e for k, e in self._others.items() if k[0] == draw}
            self._others = {**kept, key: self._expect(*key)}
        return self._others[key]

    def oracle_arguments(self, draw: int) -> dict[str, Any]:
        """The arguments of the call that the oracle answers: none that are never passed."""
        arrays, structure = self.arrays[draw], self.structure
        if structure.claimed in arrays:
            # the call under test made the input itself, so that its value is what was fed
            return {"value": arrays[structure.claimed]}
        return answered(structure, arrays)

    def _expect(self, draw: int, dtype: str, readings: Readings) -> Expectation:
        flushes = self.profiles[draw] != "subnormal" or FLUSHED in readings
        structure = self.structure
        arguments = read_otherwise(structure.oracle, self.oracle_arguments(draw), readings)
        expectation = expect(
            structure.oracle,
            arguments,
            dtype,
            structure.accuracy,
            flush_subnormals=flushes,
            beyond=_beyond(readings),
            given=self.given,
        )
        if self.single is None:
            return expectation
        return with_finite_bounds(expectation, self.arrays[draw][self.single], self._answers)

    @cached_property
    def single(self) -> str | None:
        """The name of the only input, if the call is elementwise and of floating numbers."""
        inputs = self.structure.program.inputs
        floating = self.elementwise and len(inputs) == 1 and is_floating(inputs[0].dtype)
        return inputs[0].name if floating else None

    def possible(self, draw: int, got: Array) -> npt.NDArray[np.bool_]:
        """Where NaN and infinities among the numbers may have this answer: everywhere, if the call
        is not elementwise in a single tensor."""
        if self.single is None:
            return np.ones(got.shape, np.bool_)
        (item,), x = self.structure.program.inputs, self.arrays[draw][self.single]
        return possible(got, x, item.dtype, self._answers)

    def _answers(self, numbers: Array) -> Array:
        """The oracle's answer to other numbers in the place of the only input."""
        arrays = {str(self.single): numbers}
        arguments = answered(of_length(self.structure, numbers.size), arrays)
        return value_of(self.structure.oracle, arguments, self.dtypes[0], self.given)


def _beyond(readings: Readings) -> Beyond:
    """How the oracle writes integers beyond the range of their dtype."""
    return "wider" if WIDER in readings else "saturated" if SATURATED in readings else "modulo"


def _shown(numbers: Mapping[str, Array]) -> str:
    """The profile that numbers show; integers that differ, without 0, are ordinary numbers."""
    profile = shown_profile(numbers)
    floats = [a for a in numbers.values() if a.dtype.kind == "f"]
    return "ordinary" if profile == "integers" and are_distinct(floats) else profile


def is_symbolic(structure: Structure) -> bool:
    """Whether the call has symbolic tensors, in an edition that documents them."""
    fed = any(item.binding in SYMBOLIC for item in structure.program.inputs)
    return fed and bool(symbols_of(structure.edition))


def answered(structure: Structure, arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The arguments of a call that the oracle answers: none that are never passed."""
    rules = structure.spec.parameters
    arguments = structure.arguments.items()
    given = {name: a for name, a in arguments if not isinstance(rules.get(name), Omitted)}
    return resolved(given, _numbers(structure, arrays))


def _numbers(structure: Structure, arrays: Mapping[str, Array]) -> Mapping[str, Array]:
    """The arrays, with integers in the place of truth values that stand beside numbers."""
    if ConventionName.MIXED_DTYPES not in structure.unsettled:
        return arrays
    own = {n for n, rule in structure.spec.parameters.items() if getattr(rule, "dtypes", None)}
    fixed = {ref for name in own for ref in references(structure.arguments.get(name))}
    return {
        name: array.astype(np.int64) if array.dtype.kind == "b" and name not in fixed else array
        for name, array in arrays.items()
    }
