"""A gradient as a trial: that of a weighted sum of a call's result, at several points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.cases import answered
from conformance.engine.judging.findings import Allowance, Finding, Judgement, joined_inputs
from conformance.engine.judging.losses import without_answer
from conformance.engine.judging.messages import named_error, raised
from conformance.engine.judging.readings import (
    combinations,
    explaining,
    of_exception,
    of_nothing,
    of_readings,
)
from conformance.engine.judging.refusals import refuses_by_name, with_input_dtype
from conformance.generators import Draw
from conformance.generators.collect import key_of_program
from conformance.generators.gradients import Differentiated
from conformance.generators.structure import accepted_dtypes, expected_shape, refusable
from conformance.observations import (
    Batch,
    NotRun,
    Outcome,
    Raised,
    Returned,
    StructureObservation,
    Value,
)
from conformance.oracle import Expectation, agrees, expect
from conformance.oracle.batches import Place
from conformance.oracle.compare import is_inaccurate
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.oracle.gradient_paths import OF_ORDER, ROOTS
from conformance.oracle.gradients import Slopes
from conformance.oracle.variants import Readings
from conformance.program import Binding, Case, Outputs, Ref, call_text
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]

RESULT = "result"
GRADIENT_DRAWS = ("ordinary", "ordinary", "ordinary", "halves")
"""The draws of a structure whose gradient is taken."""
_FLOATS = (np.float16, np.float32, np.float64)
UNEQUAL_DRAWS = ("ordinary", "ordinary", "ordinary", "ordinary")
"""Those of a function of the order of elements, which has no gradient where some are equal."""


@dataclass(frozen=True, eq=False)
class GradientTrial:
    """One differentiated call with its draws."""

    differentiated: Differentiated
    seed: int
    outputs: Outputs = "lists"
    setup: None = None
    _gradients: dict[tuple[int, Readings], WeightedGradient] = field(
        default_factory=dict, repr=False
    )

    @property
    def differentiates(self) -> frozenset[Binding]:
        """The bindings of the inputs with respect to which the gradient is taken."""
        made = self.differentiated
        return frozenset(i.binding for i in made.program.inputs if i.name in made.wanted)

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """Ordinary numbers, and once halves and integers, which meet kinks that say something."""
        of_order = self.differentiated.structure.oracle in OF_ORDER
        profiles = UNEQUAL_DRAWS if of_order else GRADIENT_DRAWS
        return tuple(Draw(p, self.seed * 1000 + i) for i, p in enumerate(profiles))

    @cached_property
    def arrays(self) -> list[dict[str, Array]]:
        """The numbers of each draw."""
        return [self.differentiated.arrays(draw) for draw in self.draws]

    @property
    def key(self) -> str:
        """The program as text."""
        return key_of_program(self.differentiated.program)

    @cached_property
    def batch(self) -> Batch:
        """All draws. The result is an output, too: if its shape is wrong, so is its gradient."""
        stacked = {n: np.stack([a[n] for a in self.arrays]) for n in self.arrays[0]}
        program = self.differentiated.program
        program = replace(program, outputs=(*program.outputs, RESULT))
        return Batch(program, stacked, len(self.draws))

    @property
    def size(self) -> tuple[int, ...]:
        """How complex the call is."""
        return self.differentiated.structure.size

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Conventions that it rests on because the documents do not cover it."""
        named = self.differentiated.structure.unsettled
        if self.differentiated.own or self.differentiated.of_variables:
            return named
        return (*named, ConventionName.GRADIENT_INPUTS)

    @property
    def described(self) -> str:
        """The call in words."""
        program = self.differentiated.program
        call = call_text(program.steps[0])
        return f"the gradient of {call} with {joined_inputs(program.inputs[:-1])}"

    @property
    def below(self) -> Mapping[str, int]:
        """Empty: shrinking does not change the numbers of gradients."""
        return {}

    def case(self, draw: int) -> Case:
        """One draw as a case."""
        return Case(self.differentiated.program, self.arrays[draw])

    def fitted(self, draw: int, arrays: Mapping[str, Array]) -> None:
        """None: its numbers must not change."""

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> None:
        """None: gradients are not shrunk to simple numbers, which are kinks of many functions."""

    def judge(self, observed: StructureObservation) -> Judgement:
        """Findings on the gradients of every draw."""
        judgement = Judgement()
        for number, draw in enumerate(observed.draws):
            if isinstance(draw.outcome, NotRun):
                continue
            judgement.count(Aspect.GRADIENT)
            if isinstance(draw.outcome, Returned):
                judgement.findings += self._judge_all(number, draw.outcome)
            else:
                judgement.findings.append(self._no_answer(number, draw.outcome))
        changed = dict.fromkeys(name for draw in observed.draws for name in draw.changed)
        judgement.findings = [
            self._of_changed(finding, [*changed]) if changed and finding.contradicts else finding
            for finding in explaining(judgement.findings)
        ]
        return judgement

    def _of_changed(self, finding: Finding, names: Sequence[str]) -> Finding:
        """The finding on a gradient of arguments that the call itself changed before: what is wrong
        is the change, which the purity of the call shows."""
        gives = f"a call that changes {', '.join(names)}"
        return self._of_other_result(finding.draw, gives, "unchanged inputs", "changed")

    def _no_answer(self, number: int, outcome: Outcome) -> Finding:
        allowed = self._of_refusal(outcome)
        conventions = allowed.conventions
        demands = "a gradient"
        if not isinstance(outcome, Raised):
            verdict, kind, gives, detail = without_answer(outcome, self.differentiated.program)
            return Finding(
                Aspect.GRADIENT,
                verdict,
                kind=kind,
                gives=gives,
                demands=demands,
                detail=detail,
                conventions=conventions,
                draw=number,
            )
        asked = outcome.stage == "step" and outcome.step == self._steps - 1
        late = outcome.stage in ("compile", "call", "read")
        undocumented = refusable(self.differentiated.structure)
        refused = undocumented or refuses_by_name(outcome) or not (asked or late)
        refused = refused or self._is_none(allowed)
        return Finding.under(
            allowed,
            Aspect.GRADIENT,
            kind=FindingKind.EXCEPTION if asked or late else FindingKind.UNMADE_INPUT,
            gives=raised(outcome),
            demands=demands,
            detail=outcome.type,
            draw=number,
            got=named_error(outcome.type, outcome.message),
            place=outcome.place,
            verdict=Verdict.UNSUPPORTED if refused else None,
        )

    def _of_refusal(self, outcome: Outcome) -> Allowance:
        """What allows that there is no answer."""
        named = with_input_dtype(
            {*self.unsettled, self._promise}, self.differentiated.structure, outcome
        )
        return of_exception(outcome, named, self.differentiated.structure.edition)

    @property
    def _promise(self) -> ConventionName:
        """The convention that there is a gradient."""
        own = self.differentiated.own
        return ConventionName.OWN_GRADIENT if own else ConventionName.DIFFERENTIABLE

    def _is_none(self, allowed: Allowance) -> bool:
        """Whether the answer is that the backend's own means have no gradient: no other, but none,
        as with a call that is not compiled."""
        return ConventionName.OWN_GRADIENT in allowed.conventions

    @property
    def _steps(self) -> int:
        return len(self.differentiated.program.steps)

    def _judge_all(self, number: int, returned: Returned) -> Iterator[Finding]:
        (result,) = returned.values[RESULT]
        values = [_narrowed(value, result) for value in returned.values["gradients"]]
        wanted = self.differentiated.wanted
        if (other := self._other_shape(number, returned)) is not None:
            yield other
            return
        if len(values) != len(wanted):
            gives = f"gives {len(values)} gradients"
            yield self._finding(number, FindingKind.COUNT, gives=gives, demands=f"{len(wanted)}")
            return
        found = [
            finding
            for name, value in zip(wanted, values, strict=True)
            for finding in self._judge_one(number, name, value)
        ]
        violates = any(finding.verdict is Verdict.VIOLATES for finding in found)
        if violates and self._is_of_wrong_result(number, returned):
            yield self._of_other_result(number, "a wrong result", "the documented one", "value")
            return
        yield from found

    def _is_of_wrong_result(self, number: int, returned: Returned) -> bool:
        """Whether the value of the call is wrong itself: then so is its gradient."""
        (result,) = returned.values[RESULT]
        expected = self.expected_result(number)
        if result.array is None or result.array.shape != expected.value.shape:
            return False
        if agrees(result.array, expected).all():
            return False
        return not is_inaccurate(result.array, expected, single_will_do=True)

    def expected_result(self, number: int) -> Expectation:
        """What the call itself should give for one draw."""
        structure = self.differentiated.structure
        return expect(
            structure.oracle,
            answered(structure, self.arrays[number]),
            accepted_dtypes(structure)[0],
            structure.accuracy,
        )

    def _other_shape(self, number: int, returned: Returned) -> Finding | None:
        """A finding if the result has a wrong shape: then the call is wrong, not its gradient."""
        shape = expected_shape(self.differentiated.structure)
        (result,) = returned.values[RESULT]
        if result.array is None or result.array.shape == shape:
            return None
        gives = f"a result of shape {result.array.shape}"
        return self._of_other_result(number, gives, f"one of shape {shape}", FindingKind.SHAPE)

    def _of_other_result(self, number: int, gives: str, demands: str, detail: str) -> Finding:
        return Finding(
            Aspect.GRADIENT,
            Verdict.UNSUPPORTED,
            kind=FindingKind.UNMADE_INPUT,
            gives=f"is that of {gives}",
            demands=demands,
            detail=detail,
            draw=number,
        )

    def _judge_one(self, number: int, name: str, value: Value) -> Iterator[Finding]:
        shape = self.arrays[number][name].shape
        if value.array is None:
            yield self._no_array(number, name, value.python_type, shape)
        elif value.array.shape != shape:
            gives = f"gives shape {value.array.shape} for {name}"
            yield self._finding(number, FindingKind.SHAPE, gives=gives, demands=str(shape))
        else:
            yield from self._compared(number, name, value.array)

    def _no_array(
        self, number: int, name: str, python_type: str, shape: tuple[int, ...]
    ) -> Finding:
        """The finding on a gradient that is none: no document says that there must be one."""
        none = of_readings((self._promise, "none"))
        found = self._finding(
            number,
            FindingKind.NO_ARRAY,
            gives=f"gives {python_type} for {name}",
            demands=f"an array of shape {shape}",
            allowed=none if python_type == "NoneType" else None,
        )
        missing = ConventionName.OWN_GRADIENT in found.conventions
        return replace(found, verdict=Verdict.UNSUPPORTED) if missing else found

    def _compared(self, number: int, name: str, got: Array) -> Iterator[Finding]:
        gradient, place = self._gradient(number), self._places[name]
        outside = gradient.outside(place, got)
        if not outside.any():
            return
        found = gradient.slopes[place]
        readings = self._readings(number, place, got)
        if readings is not None:
            yield self._read_otherwise(number, name, got, readings)
        elif gradient.is_inaccurate(place, got):
            yield self._inaccurate(number, name, got, found, outside)
        else:
            yield self._wrong(number, name, got, found, outside)

    def _readings(self, number: int, place: Place, got: Array) -> Readings | None:
        """The readings, other than the suite's own, under which the gradient is right."""
        for chosen in combinations(self.unsettled)[1:]:
            try:
                outside = self._gradient(number, chosen).outside(place, got)
            except (KeyError, ValueError, IndexError):  # no reading of this call
                continue
            if not outside.any():
                return chosen
        return None

    def _read_otherwise(self, number: int, name: str, got: Array, readings: Readings) -> Finding:
        own = self._gradient(number).slopes[self._places[name]]
        outside = self._gradient(number).outside(self._places[name], got)
        index, gives = _first(outside, got, name)
        allowed = of_readings(*readings)
        return self._finding(
            number,
            FindingKind.VALUE,
            gives=gives,
            demands=_slope(own, index, at_kink=False),
            allowed=allowed,
            detail=", ".join(allowed.readings),
            sides=(got, own.value),
        )

    def _inaccurate(
        self, number: int, name: str, got: Array, expected: Slopes, outside: Array
    ) -> Finding:
        """No document states an accuracy, of values or of gradients."""
        index, gives = _first(outside, got, name)
        return self._finding(
            number,
            FindingKind.ACCURACY,
            gives=gives,
            demands=_slope(expected, index, at_kink=False),
            allowed=of_readings((ConventionName.ACCURACY, "inaccurate")),
            sides=(got, expected.value),
        )

    def _wrong(
        self, number: int, name: str, got: Array, expected: Slopes, outside: Array
    ) -> Finding:
        of_root = self.differentiated.structure.oracle in ROOTS
        wrong, readings = beside_subgradients(got, expected, outside, of_root=of_root)
        smooth = wrong & (expected.kink == 0)
        # what lacks digits alone is not what is shown beside a slope that is another one
        gross = smooth & ~(np.abs(got - expected.value) <= _SINGLE * expected.scale)
        shown = next(mask for mask in (gross, wrong & ~smooth, smooth, outside) if mask.any())
        index, gives = _first(shown, got, name)
        at_kink = bool(expected.kink[index])
        return self._finding(
            number,
            FindingKind.KINK if at_kink else FindingKind.VALUE,
            gives=gives,
            demands=_slope(expected, index, at_kink=at_kink),
            allowed=None if wrong.any() else of_readings(*readings),
            sides=(got, expected.value),
        )

    def _finding(
        self,
        number: int,
        kind: FindingKind,
        *,
        gives: str,
        demands: str,
        allowed: Allowance | None = None,
        detail: str = "",
        sides: tuple[Array | None, Array | None] = (None, None),
    ) -> Finding:
        """A finding on one gradient; nothing allows it, if `allowed` does not."""
        allowed = of_nothing(self.unsettled) if allowed is None else allowed
        return Finding.under(
            allowed,
            Aspect.GRADIENT,
            kind=kind,
            gives=gives,
            demands=demands,
            detail=detail,
            draw=number,
            got=sides[0],
            expected=sides[1],
        )

    def _gradient(self, number: int, readings: Readings = ()) -> WeightedGradient:
        """The expected gradient of one draw, for all inputs and targets; computed once."""
        key = (number, readings)
        if key not in self._gradients:
            structure, arrays = self.differentiated.structure, self.arrays[number]
            self._gradients[key] = WeightedGradient(
                structure.oracle,
                answered(structure, arrays),
                weights=arrays[self.differentiated.weights],
                accuracy=structure.accuracy,
                readings=readings,
                same=tuple(places for places in self._all_places.values() if len(places) > 1),
            )
        return self._gradients[key]

    def reach(self, number: int, name: str) -> tuple[Array, Array]:
        """The gradient by one input, and how far each element may be from it.

        The limit is infinite where nothing is known. At a kink it reaches the slopes on both sides.
        """
        gradient, place = self._gradient(number), self._places[name]
        slopes, dtype = gradient.slopes[place], self.arrays[number][name].dtype.name
        with np.errstate(invalid="ignore"):
            aside = np.maximum(slopes.high - slopes.value, slopes.value - slopes.low)
            limits = gradient.bound(place, dtype) + gradient.conditioning(place, dtype) + aside
        known = np.isfinite(slopes.value) & np.isfinite(limits)
        return np.where(known, slopes.value, 0.0), np.where(known, limits, np.inf)

    @cached_property
    def _places(self) -> dict[str, Place]:
        return {name: places[0] for name, places in self._all_places.items()}

    @cached_property
    def _all_places(self) -> dict[str, tuple[Place, ...]]:
        wanted = {*self.differentiated.wanted}
        found = _places(self.differentiated.structure.arguments)
        return {name: tuple(places) for name, places in found.items() if name in wanted}


def _narrowed(value: Value, result: Value) -> Value:
    """A gradient with no more digits than the result that it is of: that the result should have had
    another dtype is another check's business."""
    if value.array is None or result.array is None or result.array.dtype not in _FLOATS:
        return value
    fine = value.array.dtype in _FLOATS and value.array.dtype.itemsize > result.array.dtype.itemsize
    return replace(value, array=value.array.astype(result.array.dtype)) if fine else value


_SINGLE = float(np.finfo(np.float32).eps)
"""What a slope may be off, relative to its terms, for want of digits alone."""


def _first(outside: Array, got: Array, name: str) -> tuple[tuple[int, ...], str]:
    """The first element that is outside, and what was given for it in words."""
    index = tuple(int(i) for i in np.argwhere(outside)[0])
    place = f" at {list(index)}" if index else ""
    return index, f"gives {float(got[index]):.9g}{place} for {name}"


def _places(arguments: Mapping[str, Any]) -> dict[str, list[Place]]:
    """For each input, the parameters that it is passed as, and which of their tensors."""
    found: dict[str, list[Place]] = {}
    for parameter, value in arguments.items():
        if isinstance(value, list | tuple):
            for i, item in enumerate(value):
                if isinstance(item, Ref):
                    found.setdefault(item.name, []).append((parameter, i))
        elif isinstance(value, Ref):
            found.setdefault(value.name, []).append((parameter, None))
    return found


def _slope(expected: Slopes, index: tuple[int, ...], *, at_kink: bool) -> str:
    """The slope of one element in words; at a kink, the slopes on both sides."""
    if at_kink:
        return f"between {expected.low[index]:.6g} and {expected.high[index]:.6g}"
    return f"{expected.value[index]:.9g}"


def beside_subgradients(
    got: Array, expected: Slopes, outside: Array, *, of_root: bool = False
) -> tuple[Array, Readings]:
    """Where neither reading of `subgradient` allows what was given, and the readings that do.

    At a kink the branches of a function that is made of several may all have the slope zero. At the
    kink of the root of a sum of squares the chain rule may multiply zero by infinity. Elsewhere
    there is a derivative, which may be zero, and neither reading allows another.
    """
    low, high = np.minimum(expected.low, 0), np.maximum(expected.high, 0)
    towards_zero = outside & (expected.kink == 1) & (got >= low) & (got <= high)
    undefined = outside & of_root & (expected.kink == 1) & ~np.isfinite(got)
    found = {"towards zero": towards_zero, "not a number": undefined}
    readings = tuple((ConventionName.SUBGRADIENT, n) for n, mask in found.items() if mask.any())
    return outside & ~towards_zero & ~undefined, readings
