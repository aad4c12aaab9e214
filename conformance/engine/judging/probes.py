"""Find out whether `gradients`, `int_shape` and arrays without elements work.

That is found out before they are used on other functions.

Also find out which numbers `int_shape` returns instead of None: that is a failure of `int_shape`,
and no other function is blamed for it.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from conformance.editions import Edition
from conformance.engine.judging.findings import Finding, lies_so
from conformance.generators.gradients import WEIGHTS
from conformance.observations import (
    Batch,
    Fault,
    Outcome,
    Returned,
    StructureObservation,
    TensorMetadata,
    Value,
)
from conformance.program import Binding, Input, Layout, Program, Ref, Step
from conformance.program.marks import MAYBE
from conformance.program.model import DIFFERENTIATED
from conformance.results import Aspect, FindingKind, Verdict

NOT_INTEGERS = "not integers"
"""The kind of a finding on a static shape whose dimensions are not of the type int."""

OWN = "own"
"""The detail of the finding that there are no gradients by a backend's own means."""


def _nothing_to_ask(aspect: Aspect, kind: FindingKind, why: str, detail: str = "") -> Finding:
    """The finding on each function that cannot be asked for an aspect."""
    gives = f"has no {aspect}: {why}"
    return Finding(aspect, Verdict.UNSUPPORTED, kind, gives=gives, demands="", detail=detail)


NO_GRADIENT = _nothing_to_ask(
    Aspect.GRADIENT, FindingKind.NO_GRADIENTS, "gradients fails even for the sum of squares"
)
NO_OWN_GRADIENT = _nothing_to_ask(
    Aspect.GRADIENT,
    FindingKind.NO_GRADIENTS,
    "the suite cannot differentiate a square on this target (docs/keras3.md)",
    OWN,
)
NO_SHAPE = _nothing_to_ask(
    Aspect.STATIC_SHAPE,
    FindingKind.NO_STATIC_SHAPES,
    "int_shape fails even for the square of a variable",
)
_POINT = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], np.float32)
ShapeFailure = tuple[str, str]
"""Kind and detail of the findings that `int_shape` is to blame for."""
KERAS_SQUARE = "keras.ops.square"
BINDINGS = (Binding.VARIABLE, Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)


def square_of(*documented: str) -> str:
    """The function that squares, by the names of documented functions: those of Keras 3 have their
    package in their names."""
    return KERAS_SQUARE if any(name.startswith("keras.") for name in documented) else "square"


def gradient_probe(binding: Binding) -> Batch:
    """A batch that asks for the gradient of a sum of squares."""
    item = Input("x", _POINT.shape, "float32", binding)
    steps = (
        Step("squares", "square", (Ref("x"),)),
        Step("loss", "sum", (Ref("squares"),)),
        Step("gradients", "gradients", (Ref("loss"), [Ref("x")])),
    )
    return Batch(Program((item,), steps, ("gradients",)), {"x": _POINT[None]}, 1)


def own_gradient_probe() -> Batch:
    """A batch that asks for the gradient of a square by the backend's own means."""
    items = [Input(name, _POINT.shape, "float32", Binding.CONSTANT) for name in ("x", WEIGHTS)]
    asked = (KERAS_SQUARE, Ref(WEIGHTS), [Ref("x")], Ref("x"))
    step = Step("gradients", DIFFERENTIATED, asked)
    arrays = {"x": _POINT[None], WEIGHTS: np.ones((1, *_POINT.shape), np.float32)}
    return Batch(Program(tuple(items), (step,), ("gradients",)), arrays, 1)


def layout_probe(layout: Layout, square: str = "square") -> Batch:
    """A batch that asks for the square of an array of float16 that lies so in memory."""
    item = Input("x", _POINT.shape, "float16", Binding.VARIABLE, layout=layout)
    program = Program((item,), (Step("squares", square, (Ref("x"),)),), ("squares",))
    return Batch(program, {"x": _POINT.astype(np.float16)[None]}, 1)


def squares_right(observed: StructureObservation) -> bool | None:
    """Whether the answer to a probe has the squares; None without an answer."""
    outcome = observed.draws[0].outcome
    if not isinstance(outcome, Returned) or len(outcome.values["squares"]) != 1:
        return None
    array = outcome.values["squares"][0].array
    return None if array is None else np.array_equal(array, _POINT**2)


ODD_LAYOUTS = (Layout.FORTRAN, Layout.STRIDED, Layout.REVERSED)
"""The layouts in which the elements of an array do not follow each other in memory."""


def misread(layouts: Collection[Layout]) -> Finding:
    """The finding on the function that makes tensors of arrays and misreads these layouts."""
    shown = [layout for layout in ODD_LAYOUTS if layout in layouts]
    return Finding(
        Aspect.VALUE,
        Verdict.VIOLATES,
        FindingKind.MISREAD_ARRAY,
        gives=f"reads other numbers from an array of float16 {lies_so(shown[0])}",
        demands="its numbers",
        detail=" ".join(shown),
    )


def is_misread(program: Program, layouts: Collection[Layout]) -> bool:
    """Whether a program has an input of float16 that lies in one of these layouts."""
    return any(
        item.dtype == "float16" and item.layout in layouts and math.prod(item.shape) > 1
        for item in program.inputs
    )


def shape_probe(binding: Binding, square: str = "square") -> Batch:
    """A batch that asks for the static shape of the square of an input."""
    return _squared(_POINT, binding, square)


def empty_probe(binding: Binding, square: str = "square") -> Batch:
    """A batch that asks for the square of an array of shape (0,)."""
    return _squared(np.zeros(0, np.float32), binding, square)


def _squared(array: npt.NDArray[np.float32], binding: Binding, square: str) -> Batch:
    item = Input("x", array.shape, "float32", binding)
    program = Program((item,), (Step("squares", square, (Ref("x"),)),), ("squares",))
    return Batch(program, {"x": array[None]}, 1)


def ends_the_worker(observed: StructureObservation) -> bool:
    """Whether the process died, hung or answered garbage. An exception does not count: then each
    function says for itself what it does with such an array."""
    return isinstance(observed.draws[0].outcome, Fault)


def holds_empty(program: Program, bindings: Collection[Binding]) -> bool:
    """Whether a program binds an array without elements in one of these ways.

    One whose empty arrays are none of its inputs (an argument such as `shape=(0,)`, a constant)
    does if all `BINDINGS` are among them.
    """
    bound = {i.binding for i in program.inputs if 0 in i.shape} & {*BINDINGS}
    return bool(bound & {*bindings}) if bound else {*BINDINGS} <= {*bindings}


def shape_failure(
    observed: StructureObservation, *, needs_shape: bool = False, absent: Collection[str] = ()
) -> ShapeFailure | None:
    """What `int_shape` does wrong for a result, whatever it is: it raises, gives dimensions that
    are no integers, or, if the document promises a shape (`needs_shape`), gives none. None if none
    of these. Where there is no result, as the target has no `square`, the input is looked at. A
    target where it is `absent` may have no way to make an input, either: it shows nothing here."""
    if "int_shape" in absent:
        return FindingKind.INT_SHAPE_RAISES, "Absent"
    results = [c for o in observed.outputs for c in o.metadata]
    claims = results or [i.metadata for i in observed.inputs]
    if needs_shape and claims and all(c.shape is None and not c.shape_error for c in claims):
        return FindingKind.UNKNOWN, ""
    if errors := [c.shape_error for c in claims if c.shape_error]:
        return FindingKind.INT_SHAPE_RAISES, errors[0].type
    kinds = [types_of_dimensions(c) for c in claims if c.not_integers]
    return (NOT_INTEGERS, kinds[0]) if kinds else None


def types_of_dimensions(said: TensorMetadata) -> str:
    """The types of the dimensions that are no integers, each once."""
    return " and ".join(sorted({kind for _, kind in said.not_integers}))


def unknown_marks(observed: StructureObservation) -> frozenset[int]:
    """The negative numbers that `int_shape` returns for unknown dimensions of the square of a
    placeholder."""
    shapes = [c.shape for o in observed.outputs for c in o.metadata if c.shape is not None]
    return frozenset(d for shape in shapes for d in shape if d is not None and d < 0)


def without_marks(
    observed: StructureObservation, marks: frozenset[int], asked: Collection[str] = ()
) -> StructureObservation:
    """The observation with None instead of these numbers in the static shapes of results.

    `asked` are the outputs that hold what a step `int_shape` gave in the test of another function.
    """
    if not marks:
        return observed

    def read(said: TensorMetadata) -> TensorMetadata:
        shape = said.shape and tuple(None if d in marks else d for d in said.shape)
        return replace(said, shape=shape)

    outputs = (replace(o, metadata=tuple(map(read, o.metadata))) for o in observed.outputs)
    draws = (replace(d, outcome=_unmarked(d.outcome, marks, asked)) for d in observed.draws)
    return replace(observed, outputs=tuple(outputs), draws=tuple(draws))


def shape_outputs(program: Program) -> frozenset[str]:
    """The results of the steps that ask for a static shape in the test of another function."""
    return frozenset(s.result for s in program.steps if s.function == f"{MAYBE}int_shape")


def _unmarked(outcome: Outcome, marks: frozenset[int], asked: Collection[str]) -> Outcome:
    if not isinstance(outcome, Returned) or not {*asked} & outcome.values.keys():
        return outcome
    unknown = Value(None, "object", "NoneType")

    def read(value: Value) -> Value:
        marked = value.array is not None and value.array.shape == () and value.array.item() in marks
        return unknown if marked else value

    values = {
        name: tuple(map(read, found)) if name in asked else found
        for name, found in outcome.values.items()
    }
    return Returned(values)


def promises_shapes(edition: Edition, backend: str | None) -> bool:
    """Whether an edition promises that `int_shape` works on a backend, by what `K.backend()` says.

    In keras-1 it does so with TensorFlow only (ja-1:277, C035).
    """
    return edition != "keras-1" or backend == "tensorflow"


def without_promise(observed: StructureObservation) -> StructureObservation:
    """The observation with static shapes that no document promises."""

    def unpromised(said: TensorMetadata) -> TensorMetadata:
        return replace(said, promised=False)

    inputs = (replace(i, metadata=unpromised(i.metadata)) for i in observed.inputs)
    outputs = (replace(o, metadata=tuple(map(unpromised, o.metadata))) for o in observed.outputs)
    return replace(observed, inputs=tuple(inputs), outputs=tuple(outputs))


def answers(observed: StructureObservation) -> bool:
    """Whether there is a gradient, right or wrong: of a wrong one every function is to blame."""
    outcome = observed.draws[0].outcome
    found = outcome.values["gradients"] if isinstance(outcome, Returned) else ()
    return any(value.array is not None for value in found)


def works(observed: StructureObservation) -> bool:
    """Whether the gradient is twice the point."""
    outcome = observed.draws[0].outcome
    if not isinstance(outcome, Returned) or len(outcome.values["gradients"]) != 1:
        return False
    array = outcome.values["gradients"][0].array
    return array is not None and np.array_equal(array, 2 * _POINT)
