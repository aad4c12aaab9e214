"""A gradient as a trial: K.gradients of a weighted sum of a call's result, at several points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.findings import Finding, Judgement, standing
from conformance.engine.judging.judge import ended
from conformance.engine.judging.messages import essence
from conformance.engine.planning.profiles import GRADIENT_DRAWS
from conformance.generators import Draw
from conformance.generators.collect import key_of_program
from conformance.generators.gradients import WEIGHTS, Differentiated, resolved
from conformance.generators.structure import expected_shape, refusable
from conformance.observations import (
    Batch,
    NotRun,
    Outcome,
    Raised,
    Returned,
    StructureObservation,
    Value,
)
from conformance.oracle.gradients import Slopes, slopes
from conformance.oracle.rounding import signs
from conformance.program import Binding, Case, Outputs, call_text
from conformance.results import Aspect, Verdict

Array = npt.NDArray[Any]

RESULT = "result"

NEIGHBOUR = 2.0**-4
"""An element's error is measured against its own terms and this share of the largest."""
ESTIMATE = 2.0
"""How many times the estimated error of the expected gradient is forgiven."""
CANCELLED = 64.0
"""Roundings of terms as large as the loss over the element, which may cancel in the gradient."""
CONDITION = 8.0
"""How many times what one rounding of the inputs changes is forgiven besides."""


@dataclass(frozen=True, eq=False)
class Slope:
    """One differentiated call with its draws."""

    differentiated: Differentiated
    seed: int
    outputs: Outputs = "lists"
    setup: None = None
    _expected: dict[tuple[int, float], dict[str, Slopes]] = field(default_factory=dict, repr=False)

    @property
    def differentiates(self) -> frozenset[Binding]:
        """The bindings of the inputs with respect to which the gradient is taken."""
        made = self.differentiated
        return frozenset(i.binding for i in made.program.inputs if i.name in made.wanted)

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """Ordinary numbers, and once halves and integers, which meet kinks."""
        return tuple(Draw(p, self.seed * 1000 + i) for i, p in enumerate(GRADIENT_DRAWS))

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
        """All draws. The result is asked for, too: one of another shape has another gradient."""
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
        """Conventions without which the documents do not cover it."""
        named = self.differentiated.structure.unsettled
        return named if self.differentiated.of_variables else (*named, "gradient-inputs")

    @property
    def described(self) -> str:
        """The call in words."""
        program = self.differentiated.program
        step = program.steps[0]
        inputs = ", ".join(f"{i.name} {i.dtype} {i.shape}" for i in program.inputs[:-1])
        return f"the gradient of {call_text(step)} with {inputs}"

    @property
    def below(self) -> Mapping[str, int]:
        """Nothing: the numbers are not changed."""
        return {}

    def case(self, draw: int) -> Case:
        """One draw as a case."""
        return Case(self.differentiated.program, self.arrays[draw])

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> None:
        """None: simple numbers are kinks."""

    def judge(self, observed: StructureObservation) -> Judgement:
        """Findings on the gradients of every draw."""
        judgement = Judgement()
        for number, draw in enumerate(observed.draws):
            if isinstance(draw.outcome, NotRun):
                continue
            judgement.count(Aspect.GRADIENT)
            if isinstance(draw.outcome, Returned):
                judgement.findings += self._judged(number, draw.outcome)
            else:
                judgement.findings.append(self._ended(number, draw.outcome))
        return judgement

    def _ended(self, number: int, outcome: Outcome) -> Finding:
        named = {*self.unsettled, "differentiable"}
        other = isinstance(outcome, Raised) and refusable(self.differentiated.structure)
        conventions = tuple(sorted(named | ({"input-dtype"} if other else set())))
        demands = "a gradient"
        if not isinstance(outcome, Raised):
            verdict, kind, gives, detail = ended(outcome, self.differentiated.program)
            return Finding(
                Aspect.GRADIENT,
                verdict,
                kind,
                gives=gives,
                demands=demands,
                detail=detail,
                conventions=conventions,
            )
        asked = outcome.stage == "step" and outcome.step == self._steps - 1
        late = outcome.stage in ("compile", "call", "read")
        refused = other or "NotImplementedError" in outcome.bases or not (asked or late)
        return Finding(
            Aspect.GRADIENT,
            Verdict.UNSUPPORTED if refused else Verdict.DIVERGES,
            "exception" if asked or late else "unmade input",
            gives=f"raises {outcome.type}: {essence(outcome.message)}",
            demands=demands,
            detail=outcome.type,
            conventions=conventions,
            draw=number,
            got=f"{outcome.type}: {essence(outcome.message)}",
        )

    @property
    def _steps(self) -> int:
        return len(self.differentiated.program.steps)

    def _judged(self, number: int, returned: Returned) -> Iterator[Finding]:
        values = returned.values["gradients"]
        wanted = self.differentiated.wanted
        if (unlike := self._unlike(returned)) is not None:
            yield unlike
            return
        if len(values) != len(wanted):
            gives = f"gives {len(values)} gradients"
            yield self._finding(number, "count", gives, f"{len(wanted)}")
            return
        for name, value in zip(wanted, values, strict=True):
            yield from self._one(number, name, value)

    def _unlike(self, returned: Returned) -> Finding | None:
        """Nothing to judge where the result has another shape: that is the fault of the call."""
        shape = expected_shape(self.differentiated.structure)
        (result,) = returned.values[RESULT]
        if result.array is None or result.array.shape == shape:
            return None
        return Finding(
            Aspect.GRADIENT,
            Verdict.UNSUPPORTED,
            "unmade input",
            gives=f"is that of a result of shape {result.array.shape}",
            demands=f"one of shape {shape}",
            detail="shape",
        )

    def _one(self, number: int, name: str, value: Value) -> Iterator[Finding]:
        shape = self.arrays[number][name].shape
        if value.array is None:
            gives, conventions = f"gives {value.python_type} for {name}", ("differentiable",)
            demands = f"an array of shape {shape}"
            yield self._finding(number, "no array", gives, demands, conventions=conventions)
        elif value.array.shape != shape:
            gives = f"gives shape {value.array.shape} for {name}"
            yield self._finding(number, "shape", gives, str(shape))
        else:
            yield from self._compared(number, name, value.array)

    def _compared(self, number: int, name: str, got: Array) -> Iterator[Finding]:
        expected = self._slopes(number, 0.0)[name]
        outside = _outside(got, expected, self._room(expected))
        if not outside.any():
            return
        moved = [self._slopes(number, unit)[name] for unit in (1.0, -1.0, 2.0, -2.0)]
        changes = [np.abs(other.value - expected.value) for other in moved]
        room = self._room(expected) + CONDITION * np.max(changes, axis=0)
        outside = _outside(got, expected, room)
        if outside.any():
            yield self._wrong(number, name, got, expected, outside)

    def _wrong(
        self, number: int, name: str, got: Array, expected: Slopes, outside: Array
    ) -> Finding:
        smooth = outside & (expected.kink == 0)
        index = tuple(int(i) for i in np.argwhere(smooth if smooth.any() else outside)[0])
        place = f" at {list(index)}" if index else ""
        gives = f"gives {float(got[index]):.9g}{place} for {name}"
        sides = (got, expected.value)
        if smooth.any():
            demands = f"{expected.value[index]:.9g}"
            flat = expected.scale[index] == 0 and not np.isfinite(got[index])
            named = ("subgradient",) if flat else ()
            return self._finding(number, "value", gives, demands, conventions=named, sides=sides)
        demands = f"between {expected.low[index]:.6g} and {expected.high[index]:.6g}"
        named = ("subgradient",)
        return self._finding(number, "kink", gives, demands, conventions=named, sides=sides)

    def _finding(
        self,
        number: int,
        kind: str,
        gives: str,
        demands: str,
        *,
        conventions: tuple[str, ...] = (),
        sides: tuple[Array | None, Array | None] = (None, None),
    ) -> Finding:
        named = tuple(sorted({*self.unsettled, *conventions}))
        return Finding(
            Aspect.GRADIENT,
            standing(named),
            kind,
            gives=gives,
            demands=demands,
            conventions=named,
            draw=number,
            got=sides[0],
            expected=sides[1],
        )

    def _room(self, expected: Slopes) -> Array:
        """Half of the digits of float32, in which some compute whatever they are given.

        No document states an accuracy, and that a result has another dtype is another finding.
        """
        root = float(np.sqrt(np.finfo("float32").eps))
        finite = expected.scale[np.isfinite(expected.scale)]
        largest = finite.max() if finite.size else 0.0
        room: Array = root * (expected.scale + NEIGHBOUR * largest) + np.finfo("float32").tiny
        eps = float(np.finfo("float32").eps)
        return room + ESTIMATE * expected.error + CANCELLED * eps * expected.terms

    def _slopes(self, number: int, roundings: float) -> dict[str, Slopes]:
        """What is expected for each input, its elements moved by so many roundings either way.

        It is computed once, for all inputs and all targets.
        """
        if (number, roundings) not in self._expected:
            self._expected[number, roundings] = self._computed(number, roundings)
        return self._expected[number, roundings]

    def _computed(self, number: int, roundings: float) -> dict[str, Slopes]:
        structure = self.differentiated.structure
        unit = roundings * float(np.finfo(self.differentiated.dtype).eps) / 2
        arrays = {n: _moved(a, unit) for n, a in self.arrays[number].items()}
        arguments = resolved(structure.arguments, arrays)
        found = slopes(structure.oracle, arguments, self.arrays[number][WEIGHTS])
        places = _places(structure.arguments)
        return {places[place]: value for place, value in found.items() if place in places}


def _places(arguments: Mapping[str, Any]) -> dict[tuple[str, int | None], str]:
    """The input that each tensor of each parameter is."""
    found: dict[tuple[str, int | None], str] = {}
    for parameter, value in arguments.items():
        if isinstance(value, list):
            named = [getattr(v, "name", None) for v in value]
            found.update({(parameter, i): n for i, n in enumerate(named) if n})
        elif getattr(value, "name", None):
            found[parameter, None] = value.name
    return found


def _moved(array: Array, unit: float) -> Array:
    if not unit or array.dtype.kind != "f":
        return array
    pattern = signs(array.shape)[1]
    return np.asarray(array.astype(np.float64) * (1 + pattern * unit))


def _outside(got: Array, expected: Slopes, room: Array) -> Array:
    """Where the gradient is neither the slope nor, at a kink, between the slopes on both sides."""
    known = np.isfinite(expected.value) & np.isfinite(expected.scale)
    low = np.where(expected.kink > 0, expected.low, expected.value) - room
    high = np.where(expected.kink > 0, expected.high, expected.value) + room
    inside = (got >= low) & (got <= high)
    result: Array = known & ~inside & np.isfinite(low) & np.isfinite(high)
    return result
