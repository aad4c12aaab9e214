"""Probe a target before its functions: what would make all of them fail is the fault of one.

A probe that hangs, or fills the memory, ends the probing, because each of the others could do
the same. The suite concludes nothing from a probe that did not run, with one exception: if a
probe hangs for one binding, the other bindings of its group count as hanging.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from conformance.adapters.patience import ONCE
from conformance.adapters.session import Session
from conformance.editions import Edition, differentiates
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.losses import fault_name
from conformance.engine.judging.probes import (
    BINDINGS,
    ODD_LAYOUTS,
    ShapeFailure,
    answers,
    empty_probe,
    ends_the_worker,
    gradient_probe,
    holds_empty,
    is_misread,
    layout_probe,
    misread,
    own_gradient_probe,
    shape_failure,
    shape_outputs,
    shape_probe,
    square_of,
    squares_right,
    unknown_marks,
    without_marks,
    works,
)
from conformance.engine.running.endings import Losses, is_slow
from conformance.observations import Batch, StructureObservation
from conformance.program import Binding, Layout, Program
from conformance.results import Aspect

_MAKERS = ("variable", "keras.ops.convert_to_tensor")
"""The functions that make tensors of arrays, whose failure it is to misread one."""
_Answers = Mapping[Binding, StructureObservation]
PROBE, SETTING = "a probe", "a setting"
"""The names of losses outside of tests: in a probe, or in a call at the worker's start."""
OWN_SETTINGS = "the worker sets none, and all cases run with the settings of the backend itself"


@dataclass(slots=True)
class Probes:
    """The results of all probes of a target."""

    undifferentiable: frozenset[Binding] = frozenset()
    """The bindings that `gradients` cannot differentiate by: a failure of `gradients`."""
    shapeless: ShapeFailure | None = None
    """The fault of `int_shape` for every result: a failure of `int_shape` itself."""
    marks: frozenset[int] = frozenset()
    """Numbers that `int_shape` returns for unknown dimensions, also a failure of `int_shape`."""
    misread: frozenset[Layout] = frozenset()
    """The layouts in which an array of float16 is read as other numbers: a failure of the function
    that makes tensors of arrays."""
    deadly: frozenset[Binding] = frozenset()
    """The bindings in which an array without elements ends the worker, whatever computes with it:
    a failure of `variable`, whose scenarios hold it."""

    def failures_of(self, function: str) -> list[Finding]:
        """The failures of a function that makes tensors of arrays, as the probes show them."""
        return [misread(self.misread)] if self.misread and function in _MAKERS else []

    def unmarked(self, program: Program, observed: StructureObservation) -> StructureObservation:
        """The observation without the numbers that stand for unknown dimensions."""
        asked = shape_outputs(program) if self.marks else ()
        return without_marks(observed, self.marks, asked)

    def holds_deadly(self, program: Program) -> bool:
        """Whether an input of the program is an array without elements that ends the worker."""
        return holds_empty(program, self.deadly)

    def misreads(self, program: Program) -> bool:
        """Whether an input of the program lies in a layout that is misread."""
        return is_misread(program, self.misread)


@dataclass(slots=True)
class Probing:
    """Runs the probes of one target."""

    session: Session
    edition: Edition
    losses: Losses
    absent: Collection[str]
    """The documented functions that the target does not have."""
    shapes_promised: bool
    """Whether the documents promise that `int_shape` knows every dimension."""
    tell: Callable[[str, str, str | None], None]
    """Gets the place and the reason of each loss, and a text on skipped parts of the plan."""
    ended: bool = False

    def run(self, aspects: Collection[Aspect]) -> Probes:
        """Run the probes that tests of these aspects need."""
        probes = Probes()
        self._tell_of_settings()
        if not {Aspect.STATIC_SHAPE, Aspect.VALUE}.isdisjoint(aspects):
            # first: if `square` hangs, no other probe says anything
            probe = shape_probe(Binding.VARIABLE, self._square)
            square = self._answer("the square of a variable", probe)
            if Aspect.STATIC_SHAPE in aspects and square is not None and not self.ended:
                self._probe_shapes(probes, square)
        if Aspect.GRADIENT in aspects:
            probes.undifferentiable = self._undifferentiable()
        if Aspect.VALUE in aspects:
            what = "the square of an array without elements"
            probe_empty = partial(empty_probe, square=self._square)
            probes.deadly = self._bindings(
                what, probe_empty, lambda seen: not ends_the_worker(seen)
            )
            probes.misread = self._misread()
        return probes

    def _misread(self) -> frozenset[Layout]:
        """The layouts that are misread, where arrays that lie row by row are not."""
        what = "the square of an array of float16"
        plain = self._answer(what, layout_probe(Layout.C, self._square))
        if plain is None or not squares_right(plain):
            return frozenset()
        probes = {layout: layout_probe(layout, self._square) for layout in ODD_LAYOUTS}
        seen = {layout: self._answer(what, probe) for layout, probe in probes.items()}
        return frozenset(n for n, s in seen.items() if s is not None and squares_right(s) is False)

    @property
    def _square(self) -> str:
        return square_of(*self.losses.documented)

    def _tell_of_settings(self) -> None:
        if (fault := self.session.unset) is not None:
            name = fault_name(fault)
            self.tell(SETTING, name, f"{SETTING} ended the worker ({name}); {OWN_SETTINGS}")

    def _probe_shapes(self, probes: Probes, square: StructureObservation) -> None:
        probes.shapeless = shape_failure(
            square, needs_shape=self.shapes_promised, absent=self.absent
        )
        probe = shape_probe(Binding.PLACEHOLDER_NONE, self._square)
        unknown = self._answer("the square of a placeholder", probe)
        probes.marks = frozenset() if unknown is None else unknown_marks(unknown)

    def _undifferentiable(self) -> frozenset[Binding]:
        """Where the document has no `gradients`, whether the backend has means of its own."""
        if not differentiates(self.edition):
            return self._bindings("the gradient of a square", gradient_probe, works)
        seen = self._answer("the gradient of a square", own_gradient_probe())
        return frozenset({Binding.CONSTANT} if seen is not None and not answers(seen) else ())

    def _bindings(
        self,
        what: str,
        probe: Callable[[Binding], Batch],
        passes: Callable[[StructureObservation], bool],
    ) -> frozenset[Binding]:
        """The bindings in which a probe does not pass."""
        if self.ended:
            return frozenset()
        failing = set()
        for binding in BINDINGS:
            seen = self._answer(f"{what} ({binding})", probe(binding))
            if seen is None or not passes(seen):
                failing.add(binding)
        return frozenset(failing)

    def _answer(self, what: str, batch: Batch) -> StructureObservation | None:
        """The answer to a probe; None if it is not run."""
        if self.ended:
            return None
        seen = self.session.run_batch(batch, ONCE)
        self.losses.probed(batch.program, seen)
        self.ended = any(map(is_slow, seen.incidents))
        for fault in seen.incidents[:1]:
            end = f"{PROBE} of {what} ended the worker ({fault_name(fault)})"
            left = f"{end}; the probes after it were not run" if self.ended else None
            self.tell(PROBE, fault_name(fault), left)
        return seen
