"""Unique identifiers, the learning phase, clearing a session, and manual initialisation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import is_array, is_one_of, plain, raises, returns, shown
from conformance.scenarios.model import KERAS_2, Alternative, Problem, Setup, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.scenarios.state.machine import DTYPES, SHAPES, Machine, run
from conformance.scenarios.state.refusals import if_refused
from conformance.scenarios.state.variable_model import ModelVariable
from conformance.scenarios.state.variables import RULES, make
from conformance.specs.convention_names import ConventionName

BOOK = Book()
STATE = Aspect.STATE
UNIQUE: Lines = {"ja-2.0": 405, "ko-2.2": 3780}
RESETS: Lines = {"ja-2.0": 415, "ko-2.2": 3792}
NEW_GRAPH: Lines = {"ja-2.0": 1233, "ko-2.2": 3804}
FIXED: Lines = {"ja-2.0": 1277, "ko-2.2": 3859}
ZERO_OR_ONE: Lines = {"ja-2.0": 1285, "ko-2.2": 3867}
FLAG: Lines = {"ja-1": 192, "ja-2.0": 1263, "ko-2.2": 3841}
PREFIXES: tuple[str | None, ...] = ("", "dense", None, "Dense", "conv_1")
"""None stands for an argument that is left out."""

Draw = st.DrawFn
Prefixes = Sequence[str | None]
Uids = dict[str, list[str]]
"""For every prefix the outputs that hold its identifiers, in order."""


def _some_prefixes(most: int = 5) -> st.SearchStrategy[Prefixes]:
    return st.lists(st.sampled_from(PREFIXES), min_size=1, max_size=most)


def _identifiers(K: Recorder, word: str, prefixes: Prefixes) -> Uids:
    """An identifier of each of these prefixes, some of which are perhaps the same."""
    outputs: Uids = {}
    for number, prefix in enumerate(prefixes):
        uid = K.get_uid(*([] if prefix is None else [prefix])).output(f"{word}_{number}")
        outputs.setdefault(prefix or "", []).append(uid.name)
    return outputs


@BOOK.scenario("get_uid", "identifiers of some prefixes", STATE, editions=KERAS_2)
def identifiers(K: Recorder, draw: Draw) -> None:
    """Identifiers of one prefix differ; by convention they count from one after a reset."""
    reset = K.attempt(K.reset_uids).output("reset")
    uids = _identifiers(K, "uid", draw(_some_prefixes(8)))
    for prefix, outputs in uids.items():
        demands = f"identifiers of {prefix!r} that are unique"
        K.expect("identifiers of a prefix differ", outputs, _all_differ, demands, at=UNIQUE)
    convention = ConventionName.UID_COUNT
    from_zero = Alternative(convention, "from 0", partial(_counts_from, 0))
    for prefix, outputs in uids.items():
        K.expect(
            "identifiers count from one",
            (reset, *outputs),
            partial(_counts_from, 1),
            f"the identifiers 1 to {len(outputs)} of {prefix!r}",
            at=UNIQUE,
            conventions=(convention,),
            alternatives=(from_zero,),
        )


def _all_differ(*answers: Values) -> Problem | None:
    uids = [plain(values) for values in answers]
    twice = len({repr(value) for value in uids}) < len(uids)
    return Problem(f"gives {uids}", "twice", got=repr(uids)) if twice else None


def _counts_from(first: int, reset: Values, *answers: Values) -> Problem | None:
    """Identifiers are integers in order, after a reset that did not fail."""
    uids = [plain(values) for values in answers]
    counted = uids == list(range(first, first + len(answers)))
    if plain(reset) != "returns" or (counted and all(type(uid) is int for uid in uids)):
        return None
    return Problem(f"gives {uids}", "count", got=repr(uids))


@BOOK.scenario("reset_uids", "identifiers after a reset", STATE, editions=KERAS_2)
def resets(K: Recorder, draw: Draw) -> None:
    """After a reset the same identifiers return."""
    rounds = []
    for number in range(draw(st.integers(2, 3))):
        K.reset_uids()
        rounds.append(_identifiers(K, f"round_{number}", draw(_some_prefixes())))
    _expect_again(K, rounds, at=RESETS)


def _expect_again(K: Recorder, rounds: Sequence[Uids], **more: Any) -> None:
    """In each later round the identifiers are those of the first."""
    first, *others = rounds
    for outputs in others:
        for prefix in [name for name in outputs if name in first]:
            shared = min(len(first[prefix]), len(outputs[prefix]))
            both = (*first[prefix][:shared], *outputs[prefix][:shared])
            test, demands = partial(_again, shared), "the same identifiers as at first"
            K.expect("identifiers start again", both, test, demands, **more)


def _again(shared: int, *answers: Values) -> Problem | None:
    uids = [plain(values) for values in answers]
    same = uids[:shared] == uids[shared:]
    return None if same else Problem(f"gives {uids[shared:]}", "others", got=repr(uids))


def _goes_on(*answers: Values) -> Problem | None:
    """The identifiers of the second half are all others than those of the first."""
    uids = [repr(plain(values)) for values in answers]
    half = len(uids) // 2
    if len({*uids[half:]}) == half and not {*uids[:half]} & {*uids[half:]}:
        return None
    return Problem(f"gives {uids[half:]}", "others")


NEW_SESSION = "variables and functions of a new session"


@BOOK.scenario("clear_session", NEW_SESSION, STATE, editions=KERAS_2, share=0.5)
def cleared(K: Recorder, draw: Draw) -> None:
    """After `clear_session` new variables and functions work."""
    machine = Machine(K, draw)
    rules = {name: RULES[name] for name in ("get", "set", "eval", "compile", "call", "make")}
    for _ in range(draw(st.integers(1, 2))):
        make(machine)
        run(machine, rules, "get", 3)
        K.clear_session()
        machine.forget()
    make(machine)
    run(machine, rules, "get", 4)
    machine.finish()


NEW_UIDS = "identifiers of a new session"


@BOOK.scenario("clear_session", NEW_UIDS, STATE, editions=KERAS_2, share=0.25)
def cleared_identifiers(K: Recorder, draw: Draw) -> None:
    """By convention a new session counts its identifiers from the start, or goes on."""
    prefixes, rounds = draw(_some_prefixes(3)), []
    for word in ("first", "later", "last"):  # three, because the session forgets one of two
        K.clear_session()
        rounds.append(_identifiers(K, word, prefixes))
    convention = ConventionName.NEW_SESSION
    others = (Alternative(convention, "go on", _goes_on),)
    _expect_again(K, rounds, at=NEW_GRAPH, conventions=(convention,), alternatives=others)


MANUAL = "manual_variable_initialization"


@BOOK.scenario(
    MANUAL, "variables made with the flag on and off", STATE, editions=KERAS_2, share=2.0
)
def initialised(K: Recorder, draw: Draw) -> None:
    """Variables made with the flag off have their value, the others once they are given one."""
    machine, manual, waiting = Machine(K, draw), False, list[ModelVariable]()
    K.manual_variable_initialization(False)
    for _ in range(draw(st.integers(1, 6))):
        rule = draw(st.integers(0, 2))
        if rule == 0 or not machine.variables:
            variable = _variable(machine)
            waiting += [variable] * manual
        elif rule == 1:
            manual = not manual
            K.manual_variable_initialization(manual)
        else:
            _set_and_read(machine, machine.a_variable(), waiting)
    for variable in machine.variables:
        _set_and_read(machine, variable, waiting)
    K.manual_variable_initialization(False)
    machine.finish()


def _variable(machine: Machine) -> ModelVariable:
    shape = machine.draw(st.sampled_from(SHAPES[:4]))
    return machine.make((shape, machine.draw(st.sampled_from(DTYPES))))


def _set_and_read(machine: Machine, variable: ModelVariable, waiting: list[ModelVariable]) -> None:
    if variable in waiting:
        waiting.remove(variable)
        machine.set_new(variable)
    machine.read_back(variable)


@BOOK.scenario(MANUAL, "reading a variable before it is initialised", STATE, share=0.1)
def uninitialised(K: Recorder, draw: Draw) -> None:
    """By convention an uninitialised variable cannot be read; a variable made afterwards can."""
    machine = Machine(K, draw)
    K.manual_variable_initialization(True)
    read = K.attempt(K.get_value, _variable(machine).ref).output("read")
    K.manual_variable_initialization(False)
    if K.edition in KERAS_2:
        # ja-1 breaks off before it says what the flag does once it is turned off (C022)
        machine.read_back(_variable(machine))
    demands = "an exception: the user has not initialised the variable"
    others = (Alternative(ConventionName.UNINITIALISED, "initialised", returns),)
    name = "an uninitialised variable is not read"
    K.expect(name, read, raises(), demands, alternatives=others)
    machine.finish()


SET_PHASE = "set_learning_phase"


@BOOK.scenario(SET_PHASE, "phases set one after the other", STATE, editions=KERAS_2, share=0.25)
def phases(K: Recorder, draw: Draw) -> None:
    """The phase is what it was set to last."""
    first = draw(st.permutations((1, 0)))
    for number, value in enumerate([*first, *draw(st.lists(st.integers(0, 1), max_size=2))]):
        K.set_learning_phase(value)
        phase, demands = (
            K.learning_phase().output(f"phase_{number}"),
            f"a learning phase of {value}",
        )
        K.expect("the phase that was set", phase, is_array(value), demands, at=FIXED)


WRONG_PHASE = "a phase that is neither 0 nor 1"


@BOOK.scenario(
    SET_PHASE, WRONG_PHASE, Aspect.ERROR, STATE, editions=KERAS_2, value=(2, -1, 10, 0.5)
)
def wrong_phase(K: Recorder, value: float) -> None:
    """Every phase but 0 and 1 is refused, and changes nothing."""
    K.set_learning_phase(1)
    refused = K.attempt(K.set_learning_phase, value).output("refused")
    after, demands = (
        K.learning_phase().output("after"),
        f"a ValueError, for {value} is neither 0 nor 1",
    )
    K.expect("other phases are refused", refused, raises("ValueError"), demands, at=ZERO_OR_ONE)
    K.expect(
        "a refused call changes nothing",
        (refused, after),
        partial(if_refused, is_array(1)),
        "the phase as it was",
        aspect=STATE,
        at=FIXED,
        conventions=(ConventionName.REFUSED_UNCHANGED,),
    )


PHASE = "learning_phase"


@BOOK.scenario(PHASE, "a phase that is fed to a function", STATE, share=0.5)
def fed_phases(K: Recorder, draw: Draw) -> None:
    """A function whose inputs include the phase behaves as the phase that is fed."""
    machine, kind = Machine(K, draw), (draw(st.sampled_from(SHAPES[:4])), "float32")
    x, train, test = (K.placeholder(shape=kind[0], dtype=kind[1]) for _ in range(3))
    phase = K.learning_phase()
    output = K.in_train_phase(x + train, x + test)
    if draw(st.booleans()):  # each call of learning_phase returns the flag that was used
        phase = K.learning_phase()
    function = K.function([x, train, test, phase], [output])
    for _ in range(draw(st.integers(1, 3))):
        values, number = [machine.numbers(kind) for _ in range(3)], draw(st.integers(0, 1))
        name, fed = machine.name("results"), [machine.array(value) for value in values]
        results, expected = function([*fed, number]).output(name), values[0] + values[2 - number]
        demands = f"{shown(expected)} in {name}"
        K.expect("a fed phase", results, is_array(expected), demands, at=FLAG)
    K.conventions = () if K.edition == "keras-1" else (ConventionName.SYMBOLIC_PHASE,)


@BOOK.scenario(PHASE, "the type of the phase", Aspect.DTYPE)
def type_of_phase(K: Recorder) -> None:
    """The phase before it is fixed is a flag of integers or bools."""
    dtype = K.dtype(K.learning_phase()).output("dtype")
    integers = ("int32", "int64", "uint8", "int8", "int16")
    allowed = integers if K.edition == "keras-1" else ("bool", *integers)
    demands = f"a dtype among {', '.join(allowed)}"
    K.expect("the type", dtype, is_one_of(*allowed), demands, at=FLAG)


@BOOK.scenario(PHASE, "a phase that is neither fixed nor fed", STATE)
def default_phase(K: Recorder) -> None:
    """The phase before it is fixed is that of testing, if nobody feeds it."""
    phase, demands = K.learning_phase().output("phase"), "0, the phase of testing"
    convention = ConventionName.UNFED_PHASE
    others = (Alternative(convention, "training", partial(_is_phase, 1)),)
    K.expect("not fed", phase, partial(_is_phase, 0), demands, at=FLAG, alternatives=others)
    K.conventions = (convention,)


def _is_phase(phase: int, values: Values) -> Problem | None:
    value = plain(values)
    return None if value == phase else Problem(f"gives {value!r}", repr(value), got=repr(value))


@BOOK.scenario(PHASE, "the type of the phase, before anything else", Aspect.DTYPE)
def first_phase(K: Recorder) -> None:
    """In a process in which no session was cleared before, as that of a user is."""
    type_of_phase(K)
    K.setup = Setup(None, environment={"KERAS_BACKEND": "{backend}"}, cleared=False)


FAMILIES = BOOK.families
