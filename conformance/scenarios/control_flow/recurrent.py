"""Scenarios of rnn: values, masks, static shapes, gradients and documented errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import Expectation
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, is_one_of, raises
from conformance.scenarios.control_flow.graphs import (
    Expected,
    GraphWriter,
    Test,
    has_static_shape,
    item,
)
from conformance.scenarios.control_flow.step_functions import StepFunction, step_functions
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.specs.convention_names import ConventionName

Rows = npt.NDArray[np.bool_]
Lines = Mapping[str, int]

OUTPUTS = {"ja-1": 1198, "ja-1-text": 754, "ja-2.0": 2617, "zh-TW": 1106, "ko-2.2": 2632}
TUPLE = {"ja-1": 1195, "ja-1-text": 751, "ja-2.0": 2614, "zh-TW": 1103, "ko-2.2": 2629}
LAST_OUTPUT = {"ja-1": 1197, "ja-1-text": 753, "ja-2.0": 2616, "zh-TW": 1105, "ko-2.2": 2631}
NEW_STATES = {"ja-1": 1200, "ja-1-text": 755, "ja-2.0": 2618, "zh-TW": 1107, "ko-2.2": 2635}
BACKWARDS = {"ja-1": 1184, "ja-1-text": 743, "ja-2.0": 2606, "zh-TW": 1097, "ko-2.2": 2618}
MASK = {"ja-1": 1185, "ja-1-text": 744, "ja-2.0": 2607, "ko-2.2": 2620}
NOT_3D = {"ja-2.0": 2622, "ko-2.2": 2640}
NOT_FIXED = {"ja-2.0": 2623, "ko-2.2": 2641}
NO_STATES = {"ja-2.0": 2624, "ko-2.2": 2643}


@dataclass(frozen=True)
class RnnCall:
    """One call of rnn."""

    edition: Edition
    step: StepFunction
    _: KW_ONLY
    samples: int = 2
    time: int = 3
    dims: tuple[int, ...] = (2,)
    known: tuple[bool, bool] = (True, True)
    """Whether the placeholders are given the number of samples, and that of time steps."""
    dtype: str = "float32"
    seed: int = 0
    go_backwards: bool = False
    unroll: bool = False
    told: bool = False
    """Whether `input_length` is given."""
    mask: str | None = None
    """The dtype of the mask, if there is one."""
    columns: bool = False
    """Whether the mask has the shape (samples, time, 1)."""
    fed: bool = True
    """Whether states and constants are placeholders; if not, they are variables."""

    @property
    def title(self) -> str:
        """What the scenario is about."""
        words = [f"the cell {self.step.name}"]
        words += ["backwards"] * self.go_backwards + ["unrolled"] * self.unroll
        words += ["with a mask"] if self.mask else []
        return " ".join(words)

    @property
    def result(self) -> tuple[int, ...]:
        """The shape of a sample's output at one time step."""
        return (*self.dims[:-1], self.step.units or self.dims[-1])

    def static(self, shape: Sequence[int], *, timed: bool = False) -> tuple[int | None, ...]:
        """A shape with samples (and time) as far as the placeholders know them."""
        known = [*self.known[: 1 + timed], *[True] * len(shape)]
        return tuple(d if k else None for d, k in zip(shape, known, strict=False))

    @property
    def conventions(self) -> tuple[str, ...]:
        """What the documents leave open: how constants are passed, a mask of the other rank."""
        found = [ConventionName.CONSTANTS_AFTER_STATES] if self.step.constants else []
        if self.mask and self.columns == (self.edition == "keras-2.2"):
            found.append(ConventionName.MASK_RANK)
        return tuple(found)


class RnnProgram:
    """The program of a call of rnn, up to its results."""

    def __init__(self, call: RnnCall) -> None:
        self.call = call
        self.writer = w = GraphWriter(call.seed)
        for name, shape in call.step.weights(call.dims[-1]).items():
            w.variable(name, w.numbers(shape, call.dtype))
        shape = (call.samples, call.time, *call.dims)
        numbers = w.numbers(shape, call.dtype)
        self.inputs = w.placeholder("inputs", numbers, call.static(shape, timed=True))
        states = [self._state(f"state{i}") for i in range(call.step.states)]
        called = w.call("rnn", call.step.function(), self.inputs, states, **self._keywords())
        self.last = w.call("operator.getitem", called, 0)
        self.outputs = w.call("operator.getitem", called, 1)
        listed = w.call("operator.getitem", called, 2) if states else called
        self.states = [w.call("operator.getitem", listed, i) for i in range(len(states))]

    @property
    def parts(self) -> list[tuple[str, Ref, Lines]]:
        """What rnn returned, in words, with the lines that describe it."""
        states = [(f"new state {i}", ref, NEW_STATES) for i, ref in enumerate(self.states)]
        return [
            ("last output", self.last, LAST_OUTPUT),
            ("outputs", self.outputs, OUTPUTS),
            *states,
        ]

    def scenario(self, checks: Sequence[Check]) -> Scenario:
        """The program as written so far, with these checks."""
        program, arrays = self.writer.program(), self.writer.arrays
        call = self.call
        return Scenario(
            "rnn",
            call.title,
            program=program,
            arrays=arrays,
            checks=tuple(checks),
            conventions=call.conventions,
        )

    def _state(self, name: str) -> Ref:
        call, w = self.call, self.writer
        numbers = w.numbers((call.samples, *call.result), call.dtype)
        if call.fed:
            return w.placeholder(name, numbers, call.static(numbers.shape))
        return w.variable(name, numbers)

    def _keywords(self) -> dict[str, Any]:
        call = self.call
        keywords: dict[str, Any] = {"go_backwards": True} if call.go_backwards else {}
        if call.mask:
            keywords["mask"] = self._mask(call.mask)
        if call.step.constants:
            count = range(call.step.constants)
            keywords["constants"] = [self._state(f"constant{i}") for i in count]
        if call.unroll:
            keywords["unroll"] = True
        if call.told:
            keywords["input_length"] = call.time
        return keywords

    def _mask(self, dtype: str) -> Ref:
        """A mask of some steps, but none of the first sample."""
        call, w = self.call, self.writer
        used = w.random.random((call.samples, call.time)) < 0.6
        used[0] = True
        mask = used.reshape(used.shape + (1,) * call.columns).astype(dtype)
        return w.placeholder("mask", mask, call.static(mask.shape, timed=True))

    def untouched(self) -> Rows:
        """The samples without a masked step."""
        mask = self.writer.given.get("mask")
        if mask is None:
            return np.ones(self.call.samples, bool)
        return np.asarray(mask.reshape(mask.shape[:2]).astype(bool).all(axis=1))


def _rows(expect: Expected, rows: Rows) -> Expectation:
    """The expectation for these samples; anything is accepted for the others."""
    found = expect()
    shape = (-1,) + (1,) * (found.value.ndim - 1)
    bound = np.where(rows.reshape(shape), found.bound, np.inf)
    return Expectation(found.value, bound, found.dtype)


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


def _evaluated(
    built: RnnProgram, parts: Sequence[tuple[str, Ref, Lines]], name: str
) -> Iterator[Check]:
    """Checks of some results, computed together."""
    refs = [ref for _, ref, _ in parts]
    expected = built.writer.evaluate(refs, [built.call.dtype] * len(refs), name)
    for i, ((what, _, at), expect) in enumerate(zip(parts, expected, strict=True)):
        yield from _checks(built, (name, i), what, expect, at)


def _checks(
    built: RnnProgram, place: tuple[str, int], what: str, expect: Expected, at: Lines
) -> Iterator[Check]:
    """One check of the samples without masked steps, and one of the others."""
    (name, index), rows = place, built.untouched()
    named: tuple[str, ...] = ()
    if built.call.go_backwards and what == "outputs":
        at, named = _order(built.call, at)
    test = item(index, agrees_with(partial(_rows, expect, rows)))
    demands = f"the {what} of the step function along the time axis"
    yield Check(
        what, Aspect.VALUE, outputs=(name,), test=test, demands=demands, at=at, conventions=named
    )
    if rows.all():
        return
    test = item(index, agrees_with(partial(_rows, expect, ~rows)))
    title, demands = f"{what} of masked samples", f"the {what} as if masked steps were not there"
    yield Check(
        title,
        Aspect.VALUE,
        outputs=(name,),
        test=test,
        demands=demands,
        at=MASK,
        conventions=(*named, ConventionName.MASKED_STEPS),
    )


def _together(edition: Edition) -> tuple[Scenario, ...]:
    """All results computed by one function."""
    found = []
    for unroll in (False, True):
        built = RnnProgram(RnnCall(edition, step_functions(edition)[0], unroll=unroll, told=unroll))
        test = partial(
            _several, built.writer.evaluate([r for _, r, _ in built.parts], ["float32"] * 3)
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


def _order(call: RnnCall, at: Lines) -> tuple[Lines, tuple[str, ...]]:
    """Only ko-2.2 says in which order the outputs of a backward iteration are."""
    if call.edition != "keras-2.2":
        return at, (ConventionName.BACKWARDS_ORDER,)
    return {**at, "ko-2.2": BACKWARDS["ko-2.2"]}, ()


def static_scenario(call: RnnCall) -> Scenario:
    """What `int_shape` and `dtype` say of the results."""
    built = RnnProgram(call)
    w, one = built.writer, (call.samples, *call.result)
    real = (call.samples, call.time, *call.result)
    told = {"last output": call.static(one), "outputs": call.static(real, timed=True)}
    w.observe("given", "int_shape", built.inputs)
    checks = []
    for i, (what, ref, at) in enumerate(built.parts):
        w.observe(f"shape{i}", "int_shape", ref)
        # a variable's shape is known
        static = told.get(what, call.static(one) if call.fed else one)
        test = partial(_fitting, has_static_shape(static, real if what == "outputs" else one), call)
        name, demands = f"static shape of the {what}", f"int_shape {static}"
        outputs = (f"shape{i}", "given")
        checks.append(
            Check(name, Aspect.STATIC_SHAPE, outputs=outputs, test=test, demands=demands, at=at)
        )
    w.observe("dtype", "dtype", built.outputs)
    same, named = is_one_of(call.dtype), (ConventionName.RESULT_DTYPE,)
    checks.append(
        Check(
            "dtype",
            Aspect.DTYPE,
            outputs=("dtype",),
            test=same,
            demands=call.dtype,
            conventions=named,
        )
    )
    return built.scenario(checks)


def _fitting(test: Test, call: RnnCall, values: Values, given: Values) -> Problem | None:
    """The test, unless `int_shape` is wrong about the inputs already."""
    shape = (call.samples, call.time, *call.dims)
    unfit = has_static_shape((None,) * len(shape), shape)(given)
    return None if unfit is not None else test(values)


def gradient_scenario(call: RnnCall) -> Scenario:
    """Gradients of a random linear functional of the states, and of the last output or all."""
    built = RnnProgram(call)
    w = built.writer
    terms = []
    for i, (_, ref, _) in enumerate(built.parts):
        if i == call.seed % 2:
            continue
        time = (call.time,) if ref is built.outputs else ()
        shape = (call.samples, *time, *call.result)
        terms.append(w.weighted(ref, shape, call.dtype, f"factors{i}"))
    loss = terms[0]
    for term in terms[1:]:
        loss = w.call("operator.add", loss, term)
    wanted = [
        ("an outer tensor" if name in ("kernel", "recurrent") else name, Ref(name))
        for name in w.given
        if name != "mask" and not name.startswith("factors")
    ]
    named = (ConventionName.MASKED_STEPS,) if call.mask else ()
    demands = "the derivative of the results"
    return built.scenario(w.gradient_checks(loss, wanted, demands, OUTPUTS, named))


def _offered(edition: Edition, *, masked: bool, outside: bool) -> list[StepFunction]:
    """A mask needs states; that there may be none follows from what keras-2.x says of masks."""
    found = [c for c in step_functions(edition) if c.states or not (masked or edition == "keras-1")]
    return 2 * [c for c in found if c.constants or c.weights(1)] + found if outside else found


@st.composite
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
    dims: tuple[int, ...] = draw(st.sampled_from([(2,), (3,), (1,)]))
    if step.units is None and newest and not masked:
        dims = draw(st.sampled_from([dims, dims, (*dims, 2)]))
    unroll = draw(st.booleans())
    dtype = draw(st.sampled_from(["float32", "float32", "float64"]))
    # no document says that the dtype of a mask may differ in width from that of the inputs
    binary = "bool" if dtype == "float32" and draw(st.booleans()) else dtype
    return RnnCall(
        edition,
        step,
        samples=draw(st.sampled_from([2, 3, 1])) + masked,
        time=draw(st.sampled_from([3, 2, 4, 1])),
        dims=dims,
        known=(draw(st.booleans()), unroll or draw(st.booleans())),
        dtype=dtype,
        seed=draw(st.integers(0, 2**16)),
        go_backwards=draw(st.booleans()),
        unroll=unroll,
        # keras-1 and keras-2.0 ask for input_length where a loop is unrolled
        told=unroll and (always_told or not newest or draw(st.booleans())),
        mask=binary if masked else None,
        columns=masked and draw(st.sampled_from([not newest, not newest, newest])),
        # an unrolled step combines a variable with a fed tensor, which some backends cannot align:
        # the tests of the operators show that
        fed=unroll or draw(st.booleans()),
    )


def _values(edition: Edition) -> st.SearchStrategy[Scenario]:
    return _calls(edition, always_told=False).map(value_scenario)


def _masks(edition: Edition) -> st.SearchStrategy[Scenario]:
    return _calls(edition, masked=True).map(value_scenario)


def _static(edition: Edition) -> st.SearchStrategy[Scenario]:
    return st.one_of(_calls(edition), _calls(edition, masked=True)).map(static_scenario)


def _gradients(edition: Edition) -> st.SearchStrategy[Scenario]:
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
    Family("rnn", frozenset({Aspect.VALUE}), make=_values),
    Family("rnn", frozenset({Aspect.VALUE}), make=_masks),
    Family("rnn", frozenset({Aspect.VALUE}), make=_together),
    Family("rnn", frozenset({Aspect.STATIC_SHAPE, Aspect.DTYPE}), make=_static),
    Family("rnn", frozenset({Aspect.GRADIENT}), make=_gradients, share=0.5),
    Family("rnn", frozenset({Aspect.ERROR}), make=_errors, editions=("keras-2.0", "keras-2.2")),
)
