"""Composed programs: made of a seed, typed by the rules, and of every sort."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from conformance.editions import Edition
from conformance.fuzz.bounds.running import course
from conformance.fuzz.bounds.sessions import Session, is_session
from conformance.fuzz.calls import Call
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import Composed, Plan, joins
from conformance.fuzz.programs import pruned, references
from conformance.program import Function, to_json
from conformance.specs import load
from tests.editions import OF_K

pytestmark = pytest.mark.slow

COUNT = 120


@cache
def programs(edition: Edition = "keras-2.2", count: int = COUNT) -> list[Composed]:
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
                session = Session(one.program, arrays, edition)
                session.run()
                assert session.results.keys() >= set(one.program.outputs)
            else:
                known = course(one.program, arrays, edition).known
                assert all(known[name].value.size for name in one.program.outputs)


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
    } - seen.keys()
    assert not missing, seen


def _sorts(one: Composed) -> list[str]:
    program, found = one.program, list[str]()
    used = Counter(name for step in program.steps for name in set(references(step)))
    made = [step.result for step in program.steps]
    texts = Counter(repr((s.function, s.args, s.kwargs)) for s in program.steps)
    functions = {step.function for step in program.steps}
    sorts = {
        "fan-out": any(used[name] > 1 for name in made),
        "diamond": any(_meets(one, step.result) for step in program.steps),
        "one tensor twice": any(
            isinstance(c, Call) and len(set(c.references())) < len(c.references())
            for c in one.calls
        ),
        "the same call twice": max(texts.values()) > 1,
        "an unused result": pruned(program) != program,
        "several outputs": len(program.outputs) > 1,
        "an inner output": any(used[name] for name in program.outputs),
        "a loop": any(isinstance(a, Function) for s in program.steps for a in s.args),
        "a gradient": "gradients" in functions,
        "updates": bool({"update", "update_add", "update_sub"} & functions),
        "two calls": sum(s.function == "operator.call" for s in program.steps) > 1,
        "a phase that is fed": "learning_phase" in functions,
        "a stop": "stop_gradient" in functions,
        "a branch by phase": bool({"in_train_phase", "in_test_phase"} & functions),
        "float64": any(item.dtype == "float64" for item in program.inputs),
        "variables": any(item.binding == "variable" for item in program.inputs),
    }
    found += [name for name, there in sorts.items() if there]
    return found


def _meets(one: Composed, result: str) -> bool:
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
def test_every_function_and_many_pairs_of_themes_occur() -> None:
    functions: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for number in range(1500):
        calls = composed(Plan("keras-2.2", 0), number).calls
        functions.update(call.spec.name for call in calls)
        themes = {load().theme(call.spec.name) for call in calls}
        pairs.update((a, b) for a in themes for b in themes)
    specs = [load()[name] for name in load()]
    wanted = {
        s.name for s in specs if s.accuracy is not None and "keras-2.2" in s.editions and joins(s)
    }
    assert wanted <= functions.keys() | {"zeros", "ones"}, wanted - functions.keys()
    everywhere = {a for a, _ in pairs}
    assert all(pairs[a, b] for a in everywhere for b in everywhere)
