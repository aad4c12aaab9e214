"""Scenarios of rnn: values, masks, static shapes, gradients and documented errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import Expectation
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_CLAIMED_DTYPES,
    Test,
    agrees_with,
    is_one_of,
    raises,
    shape_alone,
)
from conformance.scenarios.composites import composite
from conformance.scenarios.control_flow.graphs import Expected, Graph, has_static_shape, item
from conformance.scenarios.control_flow.readings import (
    MASKED_STEPS,
    ORDER,
    Chosen,
    OpenPoints,
    accepting,
    alternatives,
)
from conformance.scenarios.control_flow.recurrent_programs import (
    LAST_OUTPUT,
    MASK,
    NEW_STATES,
    NO_STATES,
    NOT_3D,
    NOT_FIXED,
    OUTPUTS,
    TUPLE,
    Places,
    RnnCall,
    RnnPart,
    RnnProgram,
)
from conformance.scenarios.control_flow.step_functions import (
    FORGETFUL,
    StepFunction,
    step_functions,
)
from conformance.scenarios.model import Check, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder

BOOK = Book()
RNN = "rnn"
LONGEST_UNROLLED = 9
"""The most steps of a loop that is unrolled."""
SHAPES = {"last output": LAST_OUTPUT, "outputs": OUTPUTS}
"""The lines that give the shapes of results."""


def expect_values(K: Recorder, call: RnnCall) -> None:
    """The last output, all outputs and the new states.

    The last output is computed by a function of its own: what one function makes of both is
    another scenario.
    """
    program = RnnProgram(K, call)
    last, *others = program.parts
    _expect_parts(K, program, [last], "last")
    _expect_parts(K, program, others, "others")


def _expect_parts(K: Recorder, program: RnnProgram, parts: Sequence[RnnPart], output: str) -> None:
    """Some results, computed together."""
    dtypes = [program.call.dtype] * len(parts)
    expected = program.graph.evaluate([part.ref for part in parts], dtypes, output)
    for i, (part, expect) in enumerate(zip(parts, expected, strict=True)):
        RnnResult(program, part, partial(_within, i, expect)).expect(K, output)


def _within(index: int, expect: Expected, places: Places, chosen: Chosen) -> Test:
    """One of several results, in some places; anything is accepted elsewhere."""

    def expectation() -> Expectation:
        whole = expect(*chosen)
        shape = places.shape + (1,) * (whole.value.ndim - places.ndim)
        bound = np.where(places.reshape(shape), whole.bound, np.inf)
        return Expectation(whole.value, bound, whole.dtype)

    return item(index, agrees_with(expectation))


class RnnView(NamedTuple):
    """The part of a result that one check tests."""

    name: str
    places: Callable[[Chosen], Places]
    demands: str
    at: Lines
    points: OpenPoints


@dataclass(frozen=True)
class RnnResult:
    """One of the results of a program, and the test of some of its places under readings."""

    built: RnnProgram
    part: RnnPart
    within: Callable[[Places, Chosen], Test]

    def expect(self, K: Recorder, output: str) -> None:
        """The samples without masked steps, and the others' used and masked steps.

        A result of another shape fails by that alone.
        """
        shape = self._shape(output)
        for view in self._views():
            if view.places(()).any():
                test = partial(self._test, view.places)
                K.expect(
                    view.name,
                    output,
                    accepting(test, view.points),
                    view.demands,
                    at=view.at,
                    alternatives=alternatives(test, view.points),
                    after=shape,
                )

    def _shape(self, output: str) -> Check:
        part = self.part
        return Check(
            f"shape of the {part.what}",
            Aspect.VALUE,
            outputs=(output,),
            test=shape_alone(self._test(self._whole, ())),
            demands=f"shape {self.built.shape(part)}",
            at=SHAPES.get(part.what, part.at),
        )

    def _views(self) -> tuple[RnnView, ...]:
        what, call = self.part.what, self.built.call
        order = call.order if self.part.steps else ()
        settled = OpenPoints(named=(*order, *call.constants))
        masked = OpenPoints(named=(MASKED_STEPS,), aside=settled.named)
        whole = f"the {what} of the step function along the time axis"
        used = f"the {what} as if masked steps were not there"
        before = "the output before, or zeros before the first"
        return (
            RnnView(what, self._whole, whole, self.part.at, settled),
            RnnView(f"{what} of masked samples", self._used, used, MASK, settled),
            RnnView(f"{what} of masked steps", self._masked, before, MASK, masked),
        )

    def _test(self, places: Callable[[Chosen], Places], chosen: Chosen) -> Test:
        return self.within(places(chosen), chosen)

    def _whole(self, _: Chosen) -> Places:
        return self.built.untouched()

    def _used(self, chosen: Chosen) -> Places:
        return self._of_masked(self.built.used(self.part, chosen))

    def _masked(self, chosen: Chosen) -> Places:
        return self._of_masked(~self.built.used(self.part, chosen))

    def _of_masked(self, places: Places) -> Places:
        masked = ~self.built.untouched()
        return places & masked.reshape(masked.shape + (1,) * (places.ndim - 1))


def _several(expected: Sequence[Expected], values: Values) -> Problem | None:
    problems = (item(i, agrees_with(expect))(values) for i, expect in enumerate(expected))
    return next((p for p in problems if p is not None), None)


def _offered(edition: Edition, *, masked: bool, outside: bool) -> list[StepFunction]:
    """A mask needs states; that there may be none follows from what keras-2.x says of masks."""
    known = [c for c in step_functions(edition) if c.states or not (masked or edition == "keras-1")]
    return 2 * [c for c in known if c.constants or c.weights(1)] + known if outside else known


def _drawn_dims(draw: st.DrawFn, step: StepFunction, edition: Edition) -> tuple[int, ...]:
    dims: tuple[int, ...] = draw(st.sampled_from([(2,), (3,), (1,)]))
    # ja-2.0 line 2601: an output has the shape (samples, output_dim)
    if step.any_rank and edition != "keras-2.0":
        return draw(st.sampled_from([dims, dims, (*dims, 2)]))
    return dims


def _drawn_dtypes(draw: st.DrawFn) -> tuple[str, str]:
    """The dtype of the inputs and the dtype of a mask."""
    dtype = draw(st.sampled_from(["float32", "float32", "float64"]))
    # no document says that the dtype of a mask may differ in width from that of the inputs
    return dtype, "bool" if dtype == "float32" and draw(st.booleans()) else dtype


def _passes_length(draw: st.DrawFn, *, unroll: bool, needed: bool) -> bool:
    """Whether the call passes `input_length`; it always does where an unrolled loop needs it."""
    if unroll:
        return needed or draw(st.booleans())
    return draw(st.sampled_from([False, False, True]))


@composite
def _calls(
    draw: st.DrawFn,
    edition: Edition,
    *,
    masked: bool = False,
    always_told: bool = True,
    outside: bool = False,
) -> RnnCall:
    """Calls; without `always_told`, some leave out `input_length` where the document allows it.

    With `outside` most step functions use tensors besides inputs and states.
    """
    newest = edition == "keras-2.2"
    step = draw(st.sampled_from(_offered(edition, masked=masked, outside=outside)))
    dims = _drawn_dims(draw, step, edition)
    unroll = draw(st.booleans())
    time = draw(st.sampled_from([3, 2, 4, 1, 9, 33]))
    dtype, binary = _drawn_dtypes(draw)
    return RnnCall(
        edition,
        step,
        samples=draw(st.sampled_from([2, 3, 1])) + masked,
        # a graph of 33 steps takes some backends long to compile
        time=min(time, LONGEST_UNROLLED) if unroll else time,
        dims=dims,
        known=(draw(st.booleans()), unroll or draw(st.booleans())),
        dtype=dtype,
        seed=draw(st.integers(0, 2**16)),
        go_backwards=draw(st.booleans()),
        unroll=unroll,
        # keras-1 and keras-2.0 ask for input_length where a loop is unrolled
        passes_length=_passes_length(draw, unroll=unroll, needed=always_told or not newest),
        mask=binary if masked else None,
        columns=masked and draw(st.sampled_from([not newest, not newest, newest])),
        # an unrolled step combines a variable with a fed tensor, which some backends cannot align:
        # the tests of the operators show that
        fed=unroll or draw(st.booleans()),
    )


@BOOK.scenario(RNN)
def values(K: Recorder, draw: st.DrawFn) -> None:
    """Results without a mask."""
    expect_values(K, draw(_calls(K.edition, always_told=False)))


@BOOK.scenario(RNN)
def masks(K: Recorder, draw: st.DrawFn) -> None:
    """Results with a mask."""
    expect_values(K, draw(_calls(K.edition, masked=True)))


@BOOK.scenario(RNN, unroll=(False, True))
def together(K: Recorder, unroll: bool) -> None:
    """All results computed by one function."""
    step = step_functions(K.edition)[0]
    program = RnnProgram(K, RnnCall(K.edition, step, unroll=unroll, passes_length=unroll))
    refs = [part.ref for part in program.parts]
    test = partial(_several, program.graph.evaluate(refs, ["float32"] * 3))
    demands = "the last output, the outputs and the new state"
    K.expect("all results at once", "results", test, demands, at=TUPLE)


@BOOK.scenario(RNN, mask=(None, "float32"))
def forgotten_states(K: Recorder, mask: str | None) -> None:
    """The first state has more known dimensions, while the graph is built, than later ones."""
    columns, known = K.edition != "keras-2.2", (False, True)
    call = RnnCall(K.edition, FORGETFUL, known=known, mask=mask, columns=columns, fed=False)
    expect_values(K, call)


LONG: tuple[dict[str, Any], ...] = (
    {"time": 33},
    {"time": 33, "seed": 1, "go_backwards": True},
    {"time": 33, "seed": 2, "mask": "float32"},
)


@BOOK.scenario(RNN, how=LONG)
def long_sequences(K: Recorder, how: dict[str, Any]) -> None:
    """33 steps in a loop; then backwards, and with a mask."""
    sums, *others = [c for c in step_functions(K.edition) if c.states and not c.constants]
    memory = next((c for c in others if c.last), others[0])
    columns = K.edition != "keras-2.2" and "mask" in how
    step = memory if "go_backwards" in how else sums
    expect_values(K, RnnCall(K.edition, step, columns=columns, **how))


SHORT: tuple[dict[str, Any], ...] = (
    {},
    {"go_backwards": True},
    {"unroll": True, "passes_length": True},
    {"mask": "float32", "samples": 3},
)


@BOOK.scenario(RNN, how=SHORT)
def one_step(K: Recorder, how: dict[str, Any]) -> None:
    """A single time step, in a loop, unrolled, backwards and with a mask."""
    step = next(c for c in step_functions(K.edition) if c.states and not c.constants)
    columns = K.edition != "keras-2.2" and "mask" in how
    expect_values(K, RnnCall(K.edition, step, time=1, columns=columns, **how))


@BOOK.scenario(RNN, place=(0, 1, 2))
def with_constants(K: Recorder, place: int) -> None:
    """One constant in a loop, two where it is unrolled, and one of another shape in a loop."""
    step, unroll = [c for c in step_functions(K.edition) if c.constants][place], place == 1
    expect_values(K, RnnCall(K.edition, step, unroll=unroll, passes_length=unroll, seed=3))


@BOOK.scenario(RNN, "", Aspect.STATIC_SHAPE, Aspect.DTYPE)
def static_shapes(K: Recorder, draw: st.DrawFn) -> None:
    """The static shapes and dtypes of the results."""
    call = draw(st.one_of(_calls(K.edition), _calls(K.edition, masked=True)))
    program, real = RnnProgram(K, call), (call.samples, call.time, *call.result)
    inputs = K.int_shape(program.inputs).output("given")
    for i, part in enumerate(program.parts):
        sample = (call.samples, *call.shape_of(part.state))
        shape = real if part.what == "outputs" else sample
        timed = {"last output": call.static(sample), "outputs": call.static(real, timed=True)}
        # a variable's shape is known
        static = timed.get(part.what, call.static(sample) if call.fed else sample)
        both = K.int_shape(part.ref).output(f"shape{i}"), inputs
        test, at = (
            partial(_fitting, has_static_shape(static, shape), call),
            SHAPES.get(part.what, NEW_STATES),
        )
        K.expect(f"static shape of the {part.what}", both, test, f"int_shape {static}", at=at)
    dtype, same = K.dtype(program.outputs).output("dtype"), is_one_of(call.dtype)
    others, aspect = OTHER_CLAIMED_DTYPES, Aspect.DTYPE
    K.expect("dtype", dtype, same, call.dtype, aspect=aspect, alternatives=others)


def _fitting(test: Test, call: RnnCall, values: Values, inputs: Values) -> Problem | None:
    """The test, unless `int_shape` is wrong about the inputs already."""
    shape = (call.samples, call.time, *call.dims)
    unfit = has_static_shape((None,) * len(shape), shape)(inputs)
    return None if unfit is not None else test(values)


@BOOK.scenario(RNN, "", Aspect.GRADIENT, share=0.5)
def gradients(K: Recorder, draw: st.DrawFn) -> None:
    """Gradients, with a mask or without, of a random linear functional of the states, and of the
    last output or all.

    It leaves out the outputs of masked steps.
    """
    outside, masked = (_calls(K.edition, outside=True, masked=m) for m in (False, True))
    drawn = draw(st.one_of(outside, masked))
    mask = "float32" if drawn.mask else None
    call = replace(drawn, dtype="float32", time=min(drawn.time, 3), mask=mask)
    program = RnnProgram(K, call)
    graph, terms = program.graph, []
    for i, part in enumerate(program.parts):
        if i == call.seed % 2:
            continue
        weighed, shape = program.used(part) & program.used(part, ORDER), program.shape(part)
        terms.append(graph.weighted(part.ref, shape, call.dtype, f"factors{i}", weighed=weighed))
    loss = terms[0]
    for term in terms[1:]:
        loss = loss + term
    titles = {
        name: "an outer tensor" if name in ("kernel", "recurrent") else name
        for name in graph.values
        if name != "mask" and not name.startswith("factors")
    }
    points, demands = (
        OpenPoints(named=(*call.order, *call.constants)),
        "the derivative of the results",
    )
    graph.expect_gradients(loss, titles, call.dtype, demands, at=OUTPUTS, points=points)


STEPLESS = "unroll without a fixed number of steps"
STATELESS = "a mask without states"
ERRORS: dict[str, tuple[Lines, str, dict[str, Any]]] = {
    "inputs of rank 2": (NOT_3D, "sum", {}),
    STEPLESS: (NOT_FIXED, "sum", {"unroll": True}),
    STATELESS: (NO_STATES, "stateless", {}),
    "a mask without states, unrolled": (
        NO_STATES,
        "stateless",
        {"unroll": True, "input_length": 4},
    ),
}
"""The lines that demand an exception, the step function, and keywords."""


@BOOK.scenario(RNN, "{what}", Aspect.ERROR, editions=("keras-2.0", "keras-2.2"), what=ERRORS)
def errors(K: Recorder, what: str) -> None:
    """A call that must raise."""
    lines, name, keywords = ERRORS[what]
    step = next(c for c in step_functions(K.edition) if c.name == name)
    shape = {"inputs of rank 2": (2, 3), STEPLESS: (2, None, 3)}.get(what, (2, 4, 3))
    x = K.placeholder(shape=shape, dtype="float32")
    graph = Graph(K, 0)
    states = [graph.variable("state", graph.numbers((2, 3)))] if step.states else []
    if not step.states:
        mask = (2, 4) if K.edition == "keras-2.2" else (2, 4, 1)
        keywords = {**keywords, "mask": K.placeholder(shape=mask, dtype="float32")}
    outcome = K.attempt(K.rnn, step.function(K), x, states, **keywords).output("outcome")
    document = {"keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}[K.edition]
    at = {document: lines[document]} if document in lines else {}
    K.expect(what, outcome, raises("ValueError"), f"ValueError for {what}", at=at)


FAMILIES = BOOK.families
