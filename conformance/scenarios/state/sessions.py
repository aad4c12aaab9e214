"""Unique identifiers, the learning phase, clearing a session, and manual initialisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from conformance.editions import EDITIONS, Edition
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import (
    Test,
    is_array,
    is_one_of,
    plain,
    raises,
    returns,
    shown,
)
from conformance.scenarios.composites import composite
from conformance.scenarios.model import (
    Alternative,
    Check,
    Family,
    Problem,
    Scenario,
    Setup,
    Values,
)
from conformance.scenarios.state.machine import DTYPES, SHAPES, Machine, run, scenario_of
from conformance.scenarios.state.refusals import if_refused
from conformance.scenarios.state.variable_model import ModelVariable
from conformance.scenarios.state.variables import NEWER, RULES, make, read_back
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

UNIQUE = {"ja-2.0": 405, "ko-2.2": 3780}
RESETS = {"ja-2.0": 415, "ko-2.2": 3792}
NEW_GRAPH = {"ja-2.0": 1233, "ko-2.2": 3804}
FIXED = {"ja-2.0": 1277, "ko-2.2": 3859}
ZERO_OR_ONE = {"ja-2.0": 1285, "ko-2.2": 3867}
FLAG = {"ja-1": 192, "ja-2.0": 1263, "ko-2.2": 3841}
PREFIXES: tuple[str | None, ...] = ("", "dense", None, "Dense", "conv_1")
"""None stands for an argument that is left out."""

Prefixes = Sequence[str | None]
Uids = dict[str, list[str]]
"""For every prefix the outputs that hold its identifiers, in order."""


def _finished(
    writer: ProgramWriter,
    function: str,
    title: str,
    checks: Sequence[Check],
    conventions: tuple[str, ...] = (),
) -> Scenario:
    return Scenario(
        function,
        title,
        program=writer.program(),
        arrays=writer.arrays,
        checks=tuple(checks),
        conventions=conventions,
    )


def _some_prefixes(most: int = 5) -> st.SearchStrategy[Prefixes]:
    return st.lists(st.sampled_from(PREFIXES), min_size=1, max_size=most)


def _identifiers(writer: ProgramWriter, word: str, prefixes: Prefixes) -> Uids:
    """An identifier of each of these prefixes, some of which are perhaps the same."""
    found: Uids = {}
    for number, prefix in enumerate(prefixes):
        output = f"{word}_{number}"
        writer.observe(output, "get_uid", *([] if prefix is None else [prefix]))
        found.setdefault(prefix or "", []).append(output)
    return found


@composite
def identifiers(draw: st.DrawFn, edition: Edition) -> Scenario:  # noqa: ARG001 - alike in all
    """Identifiers of one prefix differ; by convention they count from one after a reset."""
    writer = ProgramWriter()
    writer.attempt("reset", "reset_uids")
    found = _identifiers(writer, "uid", draw(_some_prefixes(8)))
    checks = [_all_differ(prefix, outputs) for prefix, outputs in found.items()]
    checks += [_counted(prefix, outputs) for prefix, outputs in found.items()]
    return _finished(writer, "get_uid", "identifiers of some prefixes", checks)


def _all_differ(prefix: str, outputs: list[str]) -> Check:
    def test(*given: Values) -> Problem | None:
        found = [plain(values) for values in given]
        twice = len({repr(value) for value in found}) < len(found)
        return Problem(f"gives {found}", "twice", got=repr(found)) if twice else None

    demands = f"identifiers of {prefix!r} that are unique"
    name = "identifiers of a prefix differ"
    return Check(name, Aspect.STATE, outputs=tuple(outputs), test=test, demands=demands, at=UNIQUE)


def _counted(prefix: str, outputs: list[str]) -> Check:
    return Check(
        "identifiers count from one",
        Aspect.STATE,
        outputs=("reset", *outputs),
        test=_counts_from(1),
        demands=f"the identifiers 1 to {len(outputs)} of {prefix!r}",
        at=UNIQUE,
        conventions=(ConventionName.UID_COUNT,),
        alternatives=(Alternative(ConventionName.UID_COUNT, "from 0", _counts_from(0)),),
    )


def _counts_from(first: int) -> Callable[..., Problem | None]:
    """Identifiers are integers in order, after a reset that did not fail."""

    def test(reset: Values, *given: Values) -> Problem | None:
        found = [plain(values) for values in given]
        counted = found == list(range(first, first + len(given)))
        if plain(reset) != "returns" or (counted and all(type(uid) is int for uid in found)):
            return None
        return Problem(f"gives {found}", "count", got=repr(found))

    return test


@composite
def resets(draw: st.DrawFn, edition: Edition) -> Scenario:  # noqa: ARG001 - alike in all
    """After a reset the same identifiers come again."""
    writer = ProgramWriter()
    rounds = []
    for number in range(draw(st.integers(2, 3))):
        writer.call("reset_uids")
        rounds.append(_identifiers(writer, f"round_{number}", draw(_some_prefixes())))
    first = rounds[0]
    checks = [
        _again(first[prefix], outputs, RESETS)
        for later in rounds[1:]
        for prefix, outputs in later.items()
        if prefix in first
    ]
    return _finished(writer, "reset_uids", "identifiers after a reset", checks)


def _again_in_session(first: list[str], later: list[str]) -> Check:
    """The same identifiers in a new session, or by another reading none of them."""
    check = _again(first, later, NEW_GRAPH)
    other = Alternative(ConventionName.NEW_SESSION, "go on", _goes_on)
    return replace(check, conventions=(ConventionName.NEW_SESSION,), alternatives=(other,))


def _goes_on(*given: Values) -> Problem | None:
    """The identifiers of the second half are all others than those of the first."""
    found = [repr(plain(values)) for values in given]
    half = len(found) // 2
    if len({*found[half:]}) == half and not {*found[:half]} & {*found[half:]}:
        return None
    return Problem(f"gives {found[half:]}", "others")


def _again(first: list[str], later: list[str], at: dict[str, int]) -> Check:
    shared = min(len(first), len(later))

    def test(*given: Values) -> Problem | None:
        found = [plain(values) for values in given]
        same = found[:shared] == found[shared:]
        return None if same else Problem(f"gives {found[shared:]}", "others", got=repr(found))

    outputs = (*first[:shared], *later[:shared])
    demands = "the same identifiers as at first"
    return Check(
        "identifiers start again",
        Aspect.STATE,
        outputs=outputs,
        test=test,
        demands=demands,
        at=at,
    )


@composite
def cleared(draw: st.DrawFn, edition: Edition) -> Scenario:
    """After `clear_session` new variables and functions work."""
    machine = Machine(draw, edition, function="clear_session")
    rules = {name: RULES[name] for name in ("get", "set", "eval", "compile", "call", "make")}
    for _ in range(draw(st.integers(1, 2))):
        make(machine)
        run(machine, rules, "get", 3)
        machine.writer.call("clear_session")
        machine.forget()
    make(machine)
    run(machine, rules, "get", 4)
    return scenario_of(machine, "variables and functions of a new session", Aspect.STATE)


@composite
def cleared_identifiers(draw: st.DrawFn, edition: Edition) -> Scenario:  # noqa: ARG001
    """By convention a new session counts its identifiers anew."""
    writer, prefixes = ProgramWriter(), draw(_some_prefixes(3))
    rounds = []
    for word in ("first", "later", "last"):  # three: one of two may be the one that is forgotten
        writer.call("clear_session")
        rounds.append(_identifiers(writer, word, prefixes))
    checks = [
        _again_in_session(rounds[0][prefix], outputs)
        for later in rounds[1:]
        for prefix, outputs in later.items()
    ]
    return _finished(writer, "clear_session", "identifiers of a new session", checks)


@composite
def initialised(draw: st.DrawFn, edition: Edition) -> Scenario:
    """Variables made with the flag off have their value, the others once they are given one."""
    machine = Machine(draw, edition, function="manual_variable_initialization")
    machine.writer.call("manual_variable_initialization", False)
    manual = False
    waiting: list[ModelVariable] = []
    for _ in range(draw(st.integers(1, 6))):
        rule = draw(st.integers(0, 2))
        if rule == 0 or not machine.variables:
            _made(machine, waiting if manual else [])
        elif rule == 1:
            manual = not manual
            machine.writer.call("manual_variable_initialization", manual)
        else:
            _give_and_read(machine, machine.a_variable(), waiting)
    for variable in machine.variables:
        _give_and_read(machine, variable, waiting)
    machine.writer.call("manual_variable_initialization", False)
    return scenario_of(machine, "variables made with the flag on and off", Aspect.STATE)


def _made(machine: Machine, waiting: list[ModelVariable]) -> ModelVariable:
    kind = (
        machine.draw(st.sampled_from(SHAPES[:4])),
        machine.draw(st.sampled_from(DTYPES)),
    )
    variable = machine.make(kind, machine.numbers(kind))
    waiting.append(variable)
    return variable


def _give_and_read(machine: Machine, variable: ModelVariable, waiting: list[ModelVariable]) -> None:
    if variable in waiting:
        waiting.remove(variable)
        value = machine.numbers(variable.kind)
        given = machine.given(value)
        machine.writer.call("set_value", variable.ref, given)
        machine.assign(variable, given, value)
    read_back(machine, variable)


@composite
def uninitialised(draw: st.DrawFn, edition: Edition) -> Scenario:
    """By convention a variable that nobody initialised cannot be read; then one that can be."""
    machine = Machine(draw, edition, function="manual_variable_initialization")
    machine.writer.call("manual_variable_initialization", True)
    variable = _made(machine, [])
    machine.writer.attempt("read", "get_value", variable.ref)
    machine.writer.call("manual_variable_initialization", False)
    if edition in NEWER:
        # ja-1 breaks off before it says what the flag does once it is turned off (C022)
        read_back(machine, _made(machine, []))
    demands = "an exception: the user has not initialised the variable"
    check = Check(
        "an uninitialised variable is not read",
        Aspect.STATE,
        outputs=("read",),
        test=raises(),
        demands=demands,
        alternatives=(Alternative(ConventionName.UNINITIALISED, "initialised", returns),),
    )
    scenario = scenario_of(machine, "reading a variable before it is initialised", Aspect.STATE)
    return replace(scenario, checks=(check, *scenario.checks))


@composite
def phases(draw: st.DrawFn, edition: Edition) -> Scenario:  # noqa: ARG001 - alike in all
    """The phase is what it was set to last."""
    writer = ProgramWriter()
    checks = []
    first = draw(st.permutations((1, 0)))
    for number, value in enumerate([*first, *draw(st.lists(st.integers(0, 1), max_size=2))]):
        writer.call("set_learning_phase", value)
        writer.observe(f"phase_{number}", "learning_phase")
        demands = f"a learning phase of {value}"
        outputs = (f"phase_{number}",)
        test = is_array(value)
        checks.append(
            Check(
                "the phase that was set",
                Aspect.STATE,
                outputs=outputs,
                test=test,
                demands=demands,
                at=FIXED,
            )
        )
    return _finished(writer, "set_learning_phase", "phases set one after the other", checks)


def wrong_phases(edition: Edition) -> Sequence[Scenario]:  # noqa: ARG001 - alike in all
    """Every phase but 0 and 1 is refused, and changes nothing."""
    return [_wrong_phase(value) for value in (2, -1, 10, 0.5)]


def _wrong_phase(value: float) -> Scenario:
    writer = ProgramWriter()
    writer.call("set_learning_phase", 1)
    writer.attempt("refused", "set_learning_phase", value)
    writer.observe("after", "learning_phase")
    demands = f"a ValueError, for {value} is neither 0 nor 1"
    refused = raises("ValueError")
    checks = [
        Check(
            "other phases are refused",
            Aspect.ERROR,
            outputs=("refused",),
            test=refused,
            demands=demands,
            at=ZERO_OR_ONE,
        ),
        Check(
            "a refused call changes nothing",
            Aspect.STATE,
            outputs=("refused", "after"),
            test=if_refused(is_array(1)),
            demands="the phase as it was",
            at=FIXED,
            conventions=(ConventionName.REFUSED_UNCHANGED,),
        ),
    ]
    return _finished(writer, "set_learning_phase", "a phase that is neither 0 nor 1", checks)


@composite
def fed_phases(draw: st.DrawFn, edition: Edition) -> Scenario:
    """A function whose inputs include the phase behaves as the phase that is fed."""
    machine = Machine(draw, edition, function="learning_phase")
    kind = (draw(st.sampled_from(SHAPES[:4])), "float32")
    call = machine.writer.call
    x, train, test = (call("placeholder", shape=kind[0], dtype=kind[1]) for _ in range(3))
    phase = call("learning_phase")
    branches = [call("operator.add", x, branch) for branch in (train, test)]
    output = call("in_train_phase", *branches)
    if draw(st.booleans()):  # the flag is the one that was used, whenever it is asked for
        phase = call("learning_phase")
    function = call("function", [x, train, test, phase], [output])
    checks = [_fed(machine, function, kind) for _ in range(draw(st.integers(1, 3)))]
    conventions = () if edition == "keras-1" else (ConventionName.SYMBOLIC_PHASE,)
    title = "a phase that is fed to a function"
    return _finished(machine.writer, "learning_phase", title, checks, conventions)


def _fed(machine: Machine, function: Ref, kind: tuple[tuple[int, ...], str]) -> Check:
    values = [machine.numbers(kind) for _ in range(3)]
    phase = machine.draw(st.integers(0, 1))
    output = machine.name("results")
    fed = [machine.given(value) for value in values]
    machine.writer.observe(output, "operator.call", function, [*fed, phase])
    wanted = values[0] + values[2 - phase]
    test = is_array(wanted)
    return Check(
        "a fed phase",
        Aspect.STATE,
        outputs=(output,),
        test=test,
        demands=f"{shown(wanted)} in {output}",
        at=FLAG,
    )


def unfixed_phases(edition: Edition) -> Sequence[Scenario]:
    """The phase before it is fixed: a flag of integers or bools, for testing if nobody feeds it."""
    return [_type_of_phase(edition), _default_phase(), _first_phase(edition)]


def _type_of_phase(edition: Edition) -> Scenario:
    writer = ProgramWriter()
    writer.observe("dtype", "dtype", writer.call("learning_phase"))
    integers = ("int32", "int64", "uint8", "int8", "int16")
    allowed = integers if edition == "keras-1" else ("bool", *integers)
    demands = f"a dtype among {', '.join(allowed)}"
    check = Check(
        "the type",
        Aspect.DTYPE,
        outputs=("dtype",),
        test=is_one_of(*allowed),
        demands=demands,
        at=FLAG,
    )
    return _finished(writer, "learning_phase", "the type of the phase", [check])


def _default_phase() -> Scenario:
    writer = ProgramWriter()
    writer.observe("phase", "learning_phase")
    check = Check(
        "not fed",
        Aspect.STATE,
        outputs=("phase",),
        test=_is_phase(0),
        demands="0, the phase of testing",
        at=FLAG,
        alternatives=(Alternative(ConventionName.UNFED_PHASE, "training", _is_phase(1)),),
    )
    title, conventions = "a phase that is neither fixed nor fed", (ConventionName.UNFED_PHASE,)
    return _finished(writer, "learning_phase", title, [check], conventions)


FIRST = Setup(None, environment={"KERAS_BACKEND": "{backend}"}, cleared=False)
"""A process in which no session was cleared before, as that of a user is."""


def _first_phase(edition: Edition) -> Scenario:
    title = "the type of the phase, before anything else"
    return replace(_type_of_phase(edition), title=title, setup=FIRST)


def _is_phase(phase: int) -> Test:
    def test(values: Values) -> Problem | None:
        found = plain(values)
        return None if found == phase else Problem(f"gives {found!r}", repr(found), got=repr(found))

    return test


def _family(
    function: str,
    aspects: Sequence[Aspect],
    make_: Callable[[Edition], st.SearchStrategy[Scenario] | Sequence[Scenario]],
    editions: tuple[Edition, ...] = NEWER,
    share: float = 1.0,
) -> Family:
    return Family(function, frozenset(aspects), make=make_, editions=editions, share=share)


FAMILIES: tuple[Family, ...] = (
    _family("get_uid", [Aspect.STATE], identifiers),
    _family("reset_uids", [Aspect.STATE], resets),
    _family("clear_session", [Aspect.STATE], cleared, share=0.5),
    _family("clear_session", [Aspect.STATE], cleared_identifiers, share=0.25),
    _family("manual_variable_initialization", [Aspect.STATE], initialised, NEWER, 2.0),
    _family("manual_variable_initialization", [Aspect.STATE], uninitialised, EDITIONS, 0.1),
    _family("set_learning_phase", [Aspect.STATE], phases, share=0.25),
    _family("set_learning_phase", [Aspect.ERROR, Aspect.STATE], wrong_phases),
    _family("learning_phase", [Aspect.STATE], fed_phases, EDITIONS, 0.5),
    _family("learning_phase", [Aspect.DTYPE, Aspect.STATE], unfixed_phases, EDITIONS),
)
"""Sessions, phases and identifiers. Variables and functions are in `variables`."""
