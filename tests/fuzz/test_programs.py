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
    for one in programs(edition, 6):
        assert len(one.calls) >= 2
        for arrays in one.arrays:
            if is_session(one.program):
                session = GraphSession(one.program, arrays, edition)
                session.run()
                assert session.results.keys() >= set(one.program.outputs)
            else:
                known = course(one.program, arrays, edition).known
                assert all(known[name].value.size for name in one.program.outputs)


def test_nothing_is_passed_back_to_integers() -> None:
    # a tensor of integers stands in two calls, of one of which no gradient is known
    one = composed(Plan("keras-2.2", 0), 3872)
    assert one.calls


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
        found = composed(Plan("keras-2.2", 0, size=(3, 5)), number)
        calls = [s for s in found.program.steps if s.function in {c.spec.name for c in found.calls}]
        assert 3 <= len(calls) <= 8  # a gradient adds its loss, and what it asks for


def test_each_program_has_one_of_the_functions_that_are_asked_for() -> None:
    wanted = frozenset({"softmax", "dot"})
    for number in range(5):
        found = composed(Plan("keras-2.2", 0, functions=wanted), number)
        assert wanted & {call.spec.name for call in found.calls}


@pytest.mark.thorough
def test_programs_are_of_every_sort() -> None:
    seen: Counter[str] = Counter()
    for one in programs():
        seen.update(set(_sorts(one)))
    missing = {
        *("fan-out", "diamond", "one tensor twice", "the same call twice", "an unused result"),
        *("several outputs", "an inner output", "a loop", "a gradient", "updates", "two calls"),
        *("a phase that is fed", "a stop", "a branch by phase", "float64", "variables"),
        *("a loop over time", "a body with tensors from outside", "an average"),
        *("unknown dimensions", "other shapes", "a switch"),
    } - seen.keys()
    assert not missing, seen


def _sorts(one: ComposedProgram) -> list[str]:
    program, found = one.program, list[str]()
    used = Counter(name for step in program.steps for name in set(references(step)))
    made = [step.result for step in program.steps]
    texts = Counter(repr((s.function, s.args, s.kwargs)) for s in program.steps)
    functions = {step.function for step in program.steps}
    sorts = {
        "fan-out": any(used[name] > 1 for name in made),
        "diamond": any(_meets(one, step.result) for step in program.steps),
        "one tensor twice": any(
            isinstance(c, ProgramCall) and len(set(c.references())) < len(c.references())
            for c in one.calls
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
        "other shapes": is_session(program) and _has_other_shapes(one),
        "a switch": "switch" in functions,
        "two calls": sum(s.function == "operator.call" for s in program.steps) > 1,
        "a phase that is fed": "learning_phase" in functions,
        "a stop": "stop_gradient" in functions,
        "a branch by phase": bool({"in_train_phase", "in_test_phase"} & functions),
        "float64": any(item.dtype == "float64" for item in program.inputs),
        "variables": any(item.binding == "variable" for item in program.inputs),
    }
    found += [name for name, there in sorts.items() if there]
    return found


def _takes(step: Step) -> bool:
    """Whether a body that the step is given takes tensors from outside."""
    plain = Step(step.result, step.function, tuple(a for a in step.args if isinstance(a, Function)))
    return bool(list(references(plain)))


def _has_other_shapes(one: ComposedProgram) -> bool:
    """Whether a function is called with other shapes than at first."""
    session = GraphSession(one.program, one.arrays[0], one.edition)
    session.run()
    shapes = [{n: kind.shape for n, kind in c.types.items()} for c in session.courses]
    return any(found != shapes[0] for found in shapes)


def _meets(one: ComposedProgram, result: str) -> bool:
    """Whether two ways lead from one computed tensor to this one."""
    before = {s.result: list(dict.fromkeys(references(s))) for s in one.program.steps}

    def ways(name: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for source in before.get(name, ()):
            if source in before:
                found[source] += 1
                found += ways(source)
        return found

    return max(ways(result).values(), default=0) > 1


@pytest.mark.thorough
def test_every_pair_of_themes_occurs_and_every_function_at_every_depth() -> None:
    """What `themes` and `depths` in results tell of a run; only functions of no tensors are always
    one call away from the inputs, and gradients always further."""
    tally, together = ProgramTally(), set[tuple[str, str]]()
    for number in range(PROGRAMS):
        one = composed(Plan("keras-2.2", 0), number)
        tally.spread(one.calls)
        themes = {load().theme(call.spec.name) for call in one.calls}
        together |= {(a, b) for a in themes for b in themes}
    wanted = {s.name for s in documented("keras-2.2").values() if joins(s)} | {*SPECIAL}
    assert wanted == tally.depths.keys()
    themes = {load().theme(name) for name in wanted}
    assert together == {(a, b) for a in themes for b in themes}
    seen = {name: {min(n + 1, 3) for n, c in enumerate(tally.depths[name]) if c} for name in wanted}
    alone = {name for name, depths in seen.items() if depths == {1}}
    assert alone == {"arange", "eye", "ones", "zeros"}
    assert seen.pop("gradients") == {3}
    assert {name for name in seen.keys() - alone if seen[name] != {1, 2, 3}} == set()
