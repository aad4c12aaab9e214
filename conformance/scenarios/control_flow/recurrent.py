"""Scenarios of rnn: values, masks, static shapes, gradients and documented errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import Expectation
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_CLAIMED_DTYPES,
    agrees_with,
    is_one_of,
    raises,
    shape_alone,
)
from conformance.scenarios.composites import composite
from conformance.scenarios.control_flow.graphs import (
    Expected,
    GraphWriter,
    Test,
    has_static_shape,
    item,
    value_check,
)
from conformance.scenarios.control_flow.readings import MASKED_STEPS, ORDER, Chosen, OpenPoints
from conformance.scenarios.control_flow.recurrent_programs import (
    LAST_OUTPUT,
    MASK,
    NEW_STATES,
    NO_STATES,
    NOT_3D,
    NOT_FIXED,
    OUTPUTS,
    TUPLE,
    Lines,
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
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values

LONGEST_UNROLLED = 9
"""The most steps of a loop that is unrolled."""
SHAPES = {"last output": LAST_OUTPUT, "outputs": OUTPUTS}
"""The lines that give the shapes of results."""


def value_scenario(call: RnnCall) -> Scenario:
    """The last output, all outputs and the new states.

    The last output is computed by a function of its own: what one function makes of both is
    another scenario.
    """
    built = RnnProgram(call)
    last, *others = built.parts
    return built.scenario(
        [*_evaluated(built, [last], "last"), *_evaluated(built, others, "others")]
    )


def _evaluated(built: RnnProgram, parts: Sequence[RnnPart], name: str) -> Iterator[Check]:
    """Checks of some results, computed together."""
    refs = [part.ref for part in parts]
    expected = built.writer.evaluate(refs, [built.call.dtype] * len(refs), name)
    for i, (part, expect) in enumerate(zip(parts, expected, strict=True)):
        result = RnnResult(built, part, partial(_within, i, expect))
        yield from result.checks(name)


def _within(index: int, expect: Expected, places: Places, chosen: Chosen) -> Test:
    """One of several results, in some places; anything is accepted elsewhere."""

    def expectation() -> Expectation:
        found = expect(*chosen)
        shape = places.shape + (1,) * (found.value.ndim - places.ndim)
        bound = np.where(places.reshape(shape), found.bound, np.inf)
        return Expectation(found.value, bound, found.dtype)

    return item(index, agrees_with(expectation))


class RnnView(NamedTuple):
    """What one check looks at in a result."""

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

    def checks(self, output: str) -> Iterator[Check]:
        """Checks of the samples without masked steps, and of the others' used and masked steps.

        A result of another shape fails by that alone.
        """
        shape = self._shape(output)
        for view in self._views():
            if view.places(()).any():
                check = value_check(
                    view.name,
                    Aspect.VALUE,
                    output,
                    partial(self._test, view.places),
                    demands=view.demands,
                    at=view.at,
                    points=view.points,
                )
                yield replace(check, after=shape)

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


def _together(edition: Edition) -> tuple[Scenario, ...]:
    """All results computed by one function."""
    found = []
    for unroll in (False, True):
        built = RnnProgram(RnnCall(edition, step_functions(edition)[0], unroll=unroll, told=unroll))
        test = partial(
            _several, built.writer.evaluate([part.ref for part in built.parts], ["float32"] * 3)
        )
        demands = "the last output, the outputs and the new state"
        check = Check(
            "all results at once",
            Aspect.VALUE,
            outputs=("results",),
            test=test,
            demands=demands,
            at=TUPLE,
        )
        found.append(built.scenario([check]))
    return tuple(found)


def _several(expected: Sequence[Expected], values: Values) -> Problem | None:
    problems = (item(i, agrees_with(expect))(values) for i, expect in enumerate(expected))
    return next((p for p in problems if p is not None), None)


def static_scenario(call: RnnCall) -> Scenario:
    """What `int_shape` and `dtype` say of the results."""
    built = RnnProgram(call)
    w, real = built.writer, (call.samples, call.time, *call.result)
    w.observe("given", "int_shape", built.inputs)
    checks = []
    for i, part in enumerate(built.parts):
        what = part.what
        at = SHAPES.get(what, NEW_STATES)
        w.observe(f"shape{i}", "int_shape", part.ref)
        one = (call.samples, *call.shape_of(part.state))
        told = {"last output": call.static(one), "outputs": call.static(real, timed=True)}
        # a variable's shape is known
        static = told.get(what, call.static(one) if call.fed else one)
        test = partial(_fitting, has_static_shape(static, real if what == "outputs" else one), call)
        name, demands = f"static shape of the {what}", f"int_shape {static}"
        outputs = (f"shape{i}", "given")
        checks.append(
            Check(name, Aspect.STATIC_SHAPE, outputs=outputs, test=test, demands=demands, at=at)
        )
    w.observe("dtype", "dtype", built.outputs)
    same = is_one_of(call.dtype)
    checks.append(
        Check(
            "dtype",
            Aspect.DTYPE,
            outputs=("dtype",),
            test=same,
            demands=call.dtype,
            alternatives=OTHER_CLAIMED_DTYPES,
        )
    )
    return built.scenario(checks)


def _fitting(test: Test, call: RnnCall, values: Values, given: Values) -> Problem | None:
    """The test, unless `int_shape` is wrong about the inputs already."""
    shape = (call.samples, call.time, *call.dims)
    unfit = has_static_shape((None,) * len(shape), shape)(given)
    return None if unfit is not None else test(values)


def gradient_scenario(call: RnnCall) -> Scenario:
    """Gradients of a random linear functional of the states, and of the last output or all.

    What masked steps give is left out.
    """
    built = RnnProgram(call)
    w = built.writer
    terms = []
    for i, part in enumerate(built.parts):
        if i == call.seed % 2:
            continue
        kept = built.used(part) & built.used(part, ORDER)
        terms.append(w.weighted(part.ref, built.shape(part), call.dtype, f"factors{i}", kept=kept))
    loss = terms[0]
    for term in terms[1:]:
        loss = w.call("operator.add", loss, term)
    wanted = [
        ("an outer tensor" if name in ("kernel", "recurrent") else name, Ref(name))
        for name in w.given
        if name != "mask" and not name.startswith("factors")
    ]
    points = OpenPoints(named=(*call.order, *call.constants))
    demands = "the derivative of the results"
    checks = w.gradient_checks(loss, wanted, call.dtype, demands, OUTPUTS, points=points)
    return built.scenario(checks)


def _offered(edition: Edition, *, masked: bool, outside: bool) -> list[StepFunction]:
    """A mask needs states; that there may be none follows from what keras-2.x says of masks."""
    found = [c for c in step_functions(edition) if c.states or not (masked or edition == "keras-1")]
    return 2 * [c for c in found if c.constants or c.weights(1)] + found if outside else found


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


def _drawn_told(draw: st.DrawFn, *, unroll: bool, needed: bool) -> bool:
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
        told=_drawn_told(draw, unroll=unroll, needed=always_told or not newest),
        mask=binary if masked else None,
        columns=masked and draw(st.sampled_from([not newest, not newest, newest])),
        # an unrolled step combines a variable with a fed tensor, which some backends cannot align:
        # the tests of the operators show that
        fed=unroll or draw(st.booleans()),
    )


def values(edition: Edition) -> st.SearchStrategy[Scenario]:
    """Results without a mask."""
    return _calls(edition, always_told=False).map(value_scenario)


def with_constants(edition: Edition) -> tuple[Scenario, ...]:
    """One constant in a loop, two where it is unrolled, and one of another shape in a loop."""
    cells = [cell for cell in step_functions(edition) if cell.constants]
    return tuple(
        value_scenario(RnnCall(edition, cell, unroll=unroll, told=unroll, seed=3))
        for cell, unroll in zip(cells, (False, True, False), strict=True)
    )


def forgotten_states(edition: Edition) -> tuple[Scenario, ...]:
    """Of the first state more is known, while the graph is built, than of those that follow."""
    columns = edition != "keras-2.2"
    return tuple(
        value_scenario(
            RnnCall(edition, FORGETFUL, known=(False, True), mask=mask, columns=columns, fed=False)
        )
        for mask in (None, "float32")
    )


def long_sequences(edition: Edition) -> tuple[Scenario, ...]:
    """33 steps in a loop; then backwards, and with a mask."""
    sums, *others = [c for c in step_functions(edition) if c.states and not c.constants]
    memory = next((c for c in others if c.last), others[0])
    columns = edition != "keras-2.2"
    calls = (
        RnnCall(edition, sums, time=33),
        RnnCall(edition, memory, time=33, seed=1, go_backwards=True),
        RnnCall(edition, sums, time=33, seed=2, mask="float32", columns=columns),
    )
    return tuple(map(value_scenario, calls))


def masks(edition: Edition) -> st.SearchStrategy[Scenario]:
    """Results with a mask."""
    return _calls(edition, masked=True).map(value_scenario)


def _static(edition: Edition) -> st.SearchStrategy[Scenario]:
    return st.one_of(_calls(edition), _calls(edition, masked=True)).map(static_scenario)


def gradients(edition: Edition) -> st.SearchStrategy[Scenario]:
    """Gradients with a mask or without."""
    calls = st.one_of(_calls(edition, outside=True), _calls(edition, masked=True, outside=True))
    small = calls.map(
        lambda p: replace(
            p, dtype="float32", time=min(p.time, 3), mask="float32" if p.mask else None
        )
    )
    return small.map(gradient_scenario)


def _errors(edition: Edition) -> tuple[Scenario, ...]:
    offered = {c.name: c for c in step_functions(edition)}
    mask = (2, 4) if edition == "keras-2.2" else (2, 4, 1)
    stateless = partial(_refused, offered["stateless"], (2, 4, 3), None, mask=mask)
    no_steps = _refused(offered["sum"], (2, None, 3), (2, 3), unroll=True)
    refused = (
        ("inputs of rank 2", NOT_3D, _refused(offered["sum"], (2, 3), (2, 3))),
        ("unroll without a fixed number of steps", NOT_FIXED, no_steps),
        ("a mask without states", NO_STATES, stateless()),
        ("a mask without states, unrolled", NO_STATES, stateless(unroll=True, input_length=4)),
    )
    return tuple(_refusal(title, lines, w, edition) for title, lines, w in refused)


def _refusal(title: str, lines: Mapping[str, int], w: GraphWriter, edition: Edition) -> Scenario:
    document = {"keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}[edition]
    at = {document: lines[document]} if document in lines else {}
    demands = f"ValueError for {title}"
    check = Check(
        title, Aspect.ERROR, outputs=("outcome",), test=raises("ValueError"), demands=demands, at=at
    )
    return Scenario("rnn", title, program=w.program(), arrays=w.arrays, checks=(check,))


def _refused(
    step: StepFunction,
    shape: tuple[int | None, ...],
    state: tuple[int, ...] | None,
    mask: tuple[int, ...] | None = None,
    **keywords: Any,
) -> GraphWriter:
    """A call that must raise."""
    w = GraphWriter(0)
    x = w.call("placeholder", shape=shape, dtype="float32")
    states = [] if state is None else [w.variable("state", w.numbers(state))]
    if mask is not None:
        keywords["mask"] = w.call("placeholder", shape=mask, dtype="float32")
    w.attempt("outcome", "rnn", step.function(), x, states, **keywords)
    return w


FAMILIES = (
    Family("rnn", frozenset({Aspect.VALUE}), make=values),
    Family("rnn", frozenset({Aspect.VALUE}), make=masks),
    Family("rnn", frozenset({Aspect.VALUE}), make=_together),
    Family("rnn", frozenset({Aspect.VALUE}), make=forgotten_states),
    Family("rnn", frozenset({Aspect.VALUE}), make=long_sequences),
    Family("rnn", frozenset({Aspect.VALUE}), make=with_constants),
    Family("rnn", frozenset({Aspect.STATIC_SHAPE, Aspect.DTYPE}), make=_static),
    Family("rnn", frozenset({Aspect.GRADIENT}), make=gradients, share=0.5),
    Family("rnn", frozenset({Aspect.ERROR}), make=_errors, editions=("keras-2.0", "keras-2.2")),
)
