"""Composed programs: made of a seed, typed by the rules, and of every sort."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from conformance.adapters.session import Session as Worker
from conformance.editions import Edition
from conformance.engine import Subject
from conformance.fuzz.bounds.course import course
from conformance.fuzz.bounds.sessions import GraphSession, is_session
from conformance.fuzz.bounds.static_shapes import has_unknown
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import ComposedProgram, Plan, joins
from conformance.fuzz.programs import SPECIAL, ProgramCall, documented, pruned, references
from conformance.fuzz.records.tally import ProgramTally
from conformance.fuzz.running.campaign import fuzz
from conformance.fuzz.running.target import Campaign
from conformance.program import Function, Step, to_json
from conformance.scripts import Prelude
from conformance.specs import load
from tests.editions import OF_K

pytestmark = pytest.mark.slow

COUNT = 120
PROGRAMS = 2000


@cache
def programs(edition: Edition = "keras-2.2", count: int = COUNT) -> list[ComposedProgram]:
    return [composed(Plan(edition, 0), number) for number in range(count)]


def test_a_program_is_made_of_its_seed_and_number() -> None:
    once, again = composed(Plan("keras-2.2", 0), 7), composed(Plan("keras-2.2", 0), 7)
    assert to_json(once.program) == to_json(again.program)
    for a, b in zip(once.arrays, again.arrays, strict=True):
        assert {n: x.tobytes() for n, x in a.items()} == {n: x.tobytes() for n, x in b.items()}
    other = composed(Plan("keras-2.2", 1), 7)
    assert to_json(once.program) != to_json(other.program)


@pytest.mark.parametrize("edition", OF_K)
def test_programs_of_every_edition_have_answers(edition: Edition) -> None:
    for program in programs(edition, 6):
        assert len(program.calls) >= 2
        for arrays in program.arrays:
            if is_session(program.program):
                session = GraphSession(program.program, arrays, edition)
                session.run()
                assert session.results.keys() >= set(program.program.outputs)
            else:
                known = course(program.program, arrays, edition).known
                assert all(known[name].value.size for name in program.program.outputs)


def test_nothing_is_passed_back_to_integers() -> None:
    # a tensor of integers stands in two calls, of one of which no gradient is known
    program = composed(Plan("keras-2.2", 0), 3872)
    assert program.calls


def test_an_error_of_ours_ends_a_run() -> None:
    opened: list[str] = []

    def subject(name: str) -> Subject:
        def broken(*_: object) -> Worker:
            opened.append(name)
            raise RuntimeError("of ours")

        return Subject(name, "keras-2.2", "", broken, Prelude((), {}), workers=1)

    campaign = Campaign(0, "1.0", "2000-01-01T00:00:00+00:00", programs=10**6)
    with pytest.raises(RuntimeError, match="of ours"):
        fuzz([subject("first"), subject("second")], campaign, lambda _: None, 1)
    assert "first" in opened


def test_sizes_are_kept() -> None:
    for number in range(5):
        program = composed(Plan("keras-2.2", 0, size=(3, 5)), number)
        calls = [
            s for s in program.program.steps if s.function in {c.spec.name for c in program.calls}
        ]
        assert 3 <= len(calls) <= 8  # a gradient adds its loss, and what it asks for


def test_each_program_has_one_of_the_functions_that_are_asked_for() -> None:
    functions = frozenset({"softmax", "dot"})
    for number in range(5):
        program = composed(Plan("keras-2.2", 0, functions=functions), number)
        assert functions & {call.spec.name for call in program.calls}


@pytest.mark.thorough
def test_programs_are_of_every_sort() -> None:
    seen: Counter[str] = Counter()
    for program in programs():
        seen.update(set(_sorts(program)))
    missing = {
        *("fan-out", "diamond", "one tensor twice", "the same call twice", "an unused result"),
        *("several outputs", "an inner output", "a loop", "a gradient", "updates", "two calls"),
        *("a phase that is fed", "a stop", "a branch by phase", "float64", "variables"),
        *("a loop over time", "a body with tensors from outside", "an average"),
        *("unknown dimensions", "other shapes", "a switch"),
    } - seen.keys()
    assert not missing, seen


def _sorts(made_program: ComposedProgram) -> list[str]:
    program, names = made_program.program, list[str]()
    used = Counter(name for step in program.steps for name in set(references(step)))
    results = [step.result for step in program.steps]
    texts = Counter(repr((s.function, s.args, s.kwargs)) for s in program.steps)
    functions = {step.function for step in program.steps}
    sorts = {
        "fan-out": any(used[name] > 1 for name in results),
        "diamond": any(_meets(made_program, step.result) for step in program.steps),
        "one tensor twice": any(
            isinstance(c, ProgramCall) and len(set(c.references())) < len(c.references())
            for c in made_program.calls
        ),
        "the same call twice": max(texts.values()) > 1,
        "an unused result": pruned(program) != program,
        "several outputs": len(program.outputs) > 1,
        "an inner output": any(used[name] for name in program.outputs),
        "a loop": any(isinstance(a, Function) for s in program.steps for a in s.args),
        "a gradient": "gradients" in functions,
        "updates": bool({"update", "update_add", "update_sub"} & functions),
        "an average": "moving_average_update" in functions,
        "a loop over time": "rnn" in functions,
        "a body with tensors from outside": any(_takes(step) for step in program.steps),
        "unknown dimensions": has_unknown(program),
        "other shapes": is_session(program) and _has_other_shapes(made_program),
        "a switch": "switch" in functions,
        "two calls": sum(s.function == "operator.call" for s in program.steps) > 1,
        "a phase that is fed": "learning_phase" in functions,
        "a stop": "stop_gradient" in functions,
        "a branch by phase": bool({"in_train_phase", "in_test_phase"} & functions),
        "float64": any(item.dtype == "float64" for item in program.inputs),
        "variables": any(item.binding == "variable" for item in program.inputs),
    }
    names += [name for name, there in sorts.items() if there]
    return names


def _takes(step: Step) -> bool:
    """Whether a body that the step is given takes tensors from outside."""
    plain = Step(step.result, step.function, tuple(a for a in step.args if isinstance(a, Function)))
    return bool(list(references(plain)))


def _has_other_shapes(program: ComposedProgram) -> bool:
    """Whether a function is called with other shapes than at first."""
    session = GraphSession(program.program, program.arrays[0], program.edition)
    session.run()
    shapes = [{n: kind.shape for n, kind in c.types.items()} for c in session.courses]
    return any(shape != shapes[0] for shape in shapes)


def _meets(composed_program: ComposedProgram, result: str) -> bool:
    """Whether two ways lead from one computed tensor to this one."""
    before = {s.result: list(dict.fromkeys(references(s))) for s in composed_program.program.steps}

    def ways(name: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        for source in before.get(name, ()):
            if source in before:
                counts[source] += 1
                counts += ways(source)
        return counts

    return max(ways(result).values(), default=0) > 1


@pytest.mark.thorough
def test_every_pair_of_themes_occurs_and_every_function_at_every_depth() -> None:
    """What `themes` and `depths` in results tell of a run; only functions of no tensors are always
    one call away from the inputs, and gradients always further."""
    tally, together = ProgramTally(), set[tuple[str, str]]()
    for number in range(PROGRAMS):
        program = composed(Plan("keras-2.2", 0), number)
        tally.spread(program.calls)
        themes = {load().theme(call.spec.name) for call in program.calls}
        together |= {(a, b) for a in themes for b in themes}
    functions = {s.name for s in documented("keras-2.2").values() if joins(s)} | {*SPECIAL}
    assert functions == tally.depths.keys()
    themes = {load().theme(name) for name in functions}
    assert together == {(a, b) for a in themes for b in themes}
    seen = {
        name: {min(n + 1, 3) for n, c in enumerate(tally.depths[name]) if c} for name in functions
    }
    alone = {name for name, depths in seen.items() if depths == {1}}
    assert alone == {"arange", "eye", "ones", "zeros"}
    assert seen.pop("gradients") == {3}
    assert {name for name in seen.keys() - alone if seen[name] != {1, 2, 3}} == set()
