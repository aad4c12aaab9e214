"""Structures are valid calls, whose shape rules agree with the oracle, and always the same."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from conformance.editions import Edition
from conformance.engine.judging.cases import Prepared
from conformance.generators import Draw, Structure, draw_arrays, generate, shrink, structures
from conformance.generators.collect import key, steered
from conformance.generators.complex_numbers import call_of
from conformance.generators.drawing import Drawn
from conformance.generators.parts import members as members_of
from conformance.generators.structure import (
    accepted_dtypes,
    expected_shape,
    expected_static_shape,
)
from conformance.generators.tensors import INTEGERS
from conformance.program import Argument, Binding, Made, Ref, from_json, to_json
from conformance.specs import load
from conformance.specs.load import signature
from conformance.specs.rules import evaluate
from conformance.specs.signature import Signature
from tests.generators.support import (
    CALLED,
    NEWEST,
    PAIRS,
    allowed_bindings,
    collected,
    everything,
    task,
)

NEW: dict[Edition, set[str]] = {"keras-3": {"bfloat16"}}
"""Dtypes of which no document of the first Keras speaks."""
DTYPES = {"float16", "float32", "float64", "int32", "int64", "uint8", "bool"}
INVALID = [
    (edition, name, error.name)
    for edition, name in PAIRS
    for error in load()[name].errors
    if edition in error.editions
]


def invalid(edition: Edition, name: str, error: str) -> list[Structure]:
    (case,) = (e for e in load()[name].errors if e.name == error)
    mine = task(edition, name)
    return generate(structures(mine.spec, edition, case), 6, mine.own_seed)


def references(argument: Argument) -> list[str]:
    if isinstance(argument, (list, tuple)):
        return [name for a in argument for name in references(a)]
    return [argument.name] if isinstance(argument, Ref) else []


def python_signature(documented: Signature) -> inspect.Signature:
    """The documented signature as Python's own, which binds arguments to it."""
    every = inspect.Parameter
    kinds = [
        *((p, every.POSITIONAL_OR_KEYWORD) for p in documented.parameters),
        *((p, every.VAR_POSITIONAL) for p in (documented.starred,) if p is not None),
        *((p, every.KEYWORD_ONLY) for p in documented.named),
        *((p, every.VAR_KEYWORD) for p in (documented.keywords,) if p is not None),
    ]
    variable = {every.VAR_POSITIONAL, every.VAR_KEYWORD}
    return inspect.Signature(
        [
            every(p.name, kind, default=every.empty if kind in variable or p.required else p.value)
            for p, kind in kinds
        ]
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_a_structure_is_one_call_as_the_edition_documents_it(edition: Edition, name: str) -> None:
    documented = signature(load()[name], edition)
    for structure in collected(edition, name):
        part, step, steps = structure.part, call_of(structure.program), structure.program.steps
        place = steps.index(step)
        complex_numbers, members = steps[:place], steps[place + 1 :]
        results = structure.spec.results
        returned = [r for r in results if r.when is None or evaluate(r.when, structure.runtime)]
        optional = len(returned) < len(results)  # without the others there is no tuple
        is_one_of_several = part is not None and not (optional and len(returned) == 1)
        by = "operator.getitem" if part is None or part.by is None else part.by
        taken = [by] if is_one_of_several else []
        flat = part is not None and part.flat
        shown = [] if structure.spec.unique else returned  # for the evidence
        every = [part.by or "operator.getitem" for part in shown]
        assert [m.function for m in members] == [*taken, *(["reshape"] if flat else []), *every]
        pairs = {ref for s in complex_numbers for ref in references(list(s.args))}
        names = {i.name for i in structure.program.inputs} - pairs
        names |= {s.result for s in complex_numbers}
        if structure.claimed != "result":  # a placeholder, which is an input
            (item,) = structure.program.inputs
            passed = dict(item.arguments or ())
            assert {"shape", "ndim"} & passed.keys()
        else:
            assert step.function == documented.name
            bound = python_signature(documented).bind(*step.args, **dict(step.kwargs))
            passed = bound.arguments
            assert {*references(list(passed.values()))} == names
        assert passed.keys() <= {p.name for p in documented.every}
        beside = tuple(f"member_{place}" for place in range(len(shown)))
        assert structure.program.outputs == ("result", *beside)
        assert from_json(json.loads(json.dumps(to_json(structure.program)))) == structure.program


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_inputs_are_bound_as_the_edition_allows(edition: Edition, name: str) -> None:
    for structure in collected(edition, name):
        for item in structure.program.inputs:
            assert item.dtype in DTYPES | {*INTEGERS} | NEW.get(edition, set())
            assert all(d >= 0 for d in item.shape)
            if item.binding is not Binding.ARRAY:
                assert item.binding in allowed_bindings(name, edition)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_the_rules_agree_with_each_other(edition: Edition, name: str) -> None:
    for structure in collected(edition, name):
        real, static = expected_shape(structure), expected_static_shape(structure)
        assert all(type(d) is int and d >= 0 for d in real)
        assert len(static) == len(real)
        assert all(s is None or s == r for s, r in zip(static, real, strict=True))
        assert set(accepted_dtypes(structure)) <= DTYPES | {*INTEGERS} | NEW.get(edition, set())
        known = all(i.binding is not Binding.PLACEHOLDER_NONE for i in structure.program.inputs)
        if known and not any(isinstance(v, Made) for v in structure.arguments.values()):
            # how many different indices there are is not known when the graph is built
            numbers = replace(structure.static, below=structure.runtime.below)
            shape = tuple(evaluate(structure.shape_rule, numbers))
            # nor is the number of segments if the call leaves it out
            step = call_of(structure.program)
            counted = name.startswith("keras.ops.segment_") and len(step.args) < 3
            counted &= "num_segments" not in dict(step.kwargs)
            assert structure.claimed != "result" or shape[counted:] == real[counted:]


def evidence_shape(prepared: Prepared) -> tuple[int, ...]:
    """The shape of the evidence of zeros that have the shapes of the rules, before one is flat."""
    structure = prepared.structure
    members = [
        np.zeros(
            expected_shape(replace(structure, part=structs.replace(part, flat=False))), np.int64
        )
        for part in members_of(structure.spec, structure.runtime)
    ]
    answer = members or np.zeros(prepared.shape, np.int64)
    return prepared.evident(0, answer).shape


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_the_shape_rule_gives_the_shape_of_the_oracle(edition: Edition, name: str) -> None:
    answered = 0
    for structure in collected(edition, name):
        prepared = Prepared(structure, [Draw("ordinary", 1)])
        try:
            expectation = prepared.expectation(0)
        except (ValueError, IndexError):
            assert "empty" in structure.unsettled, structure.program
            continue
        answered += 1
        shape = prepared.shape if prepared.evidence is None else evidence_shape(prepared)
        assert expectation.value.shape == shape
        assert expectation.bound.shape == shape
        assert not np.isnan(expectation.bound).any()
    assert answered


@pytest.mark.parametrize(("edition", "name", "error"), INVALID)
def test_a_documented_error_has_structures(edition: Edition, name: str, error: str) -> None:
    calls = invalid(edition, name, error)
    assert len(calls) >= (1 if name == "placeholder" else 3)
    for structure in calls:
        assert structure.error is not None
        assert structure.error.name == error
        assert structure.unsettled == ()


@pytest.mark.parametrize("edition", ["keras-2.0", "keras-2.2"])
def test_the_oracle_has_no_answer_to_mismatched_lengths(edition: Edition) -> None:
    for structure in invalid(edition, "batch_dot", "unequal-lengths"):
        with pytest.raises(ValueError, match=r".*"):
            Prepared(structure, [Draw("ordinary", 1)]).expectation(0)


def test_invalid_repeats_are_of_unknown_length() -> None:
    for structure in invalid("keras-2.0", "repeat_elements", "unknown-length"):
        (item,) = structure.program.inputs
        assert item.binding is Binding.PLACEHOLDER_NONE


def test_invalid_tiles_have_another_length() -> None:
    for structure in invalid(NEWEST, "tile", "wrong-length"):
        (x,) = structure.program.inputs
        n = structure.arguments["n"]
        assert isinstance(n, list)
        assert len(n) != len(x.shape)


# Determinism

PROGRAM = """
from tests.generators.test_structures import fingerprint
print(fingerprint())
"""


def fingerprint(seed: int = 0) -> str:
    """A digest of the structures of all functions and of the bytes that fill them."""
    digest = hashlib.sha256()
    for name in CALLED:
        mine = task(NEWEST, name)
        strategy = structures(mine.spec, NEWEST)
        for structure in generate(strategy, 2, mine.own_seed + seed):
            digest.update(key(structure).encode())
            for profile in ("ordinary", "extremes"):
                for array in draw_arrays(structure, Draw(profile, 7)).values():
                    digest.update(array.tobytes())
    return digest.hexdigest()


def test_another_process_makes_the_same_structures_and_numbers() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(root)},
    )
    assert done.stdout.strip() == fingerprint()


def test_another_seed_makes_others() -> None:
    strategy = structures(load()["sum"], NEWEST)
    first = [key(s) for s in generate(strategy, 10, 1)]
    assert [key(s) for s in generate(strategy, 10, 1)] == first
    assert [key(s) for s in generate(strategy, 10, 2)] != first


def test_no_structure_comes_twice() -> None:
    keys = [key(s) for s in everything("sum")]
    assert len(keys) == len(set(keys))


def test_a_function_of_few_structures_gives_those() -> None:
    calls = generate(structures(load()["eye"], "keras-1"), 150, 0)
    assert 6 <= len(calls) < 150


def test_shrinking_ends_with_the_smallest_that_fails() -> None:
    mine = task(NEWEST, "maximum")

    asked: list[Structure] = []

    def different(drawn: Drawn[Structure]) -> bool:
        shapes = drawn.value.runtime.shapes
        asked.append(drawn.value)
        return bool(shapes["x"] != shapes["y"])

    strategy = structures(mine.spec, NEWEST)
    first = steered(mine.spec, NEWEST, {"x rank": "4", "y beside x": "fewer axes"}, 1, 0)[0]
    shrink(strategy, different, first.choices, mine.own_seed)
    best = min((s for s in asked if len({i.shape for i in s.program.inputs}) > 1), key=size)
    assert key(asked[0]) == key(first.value)
    assert sum(len(i.shape) for i in best.program.inputs) <= 2
    once = [key(s) for s in asked]
    asked.clear()
    shrink(strategy, different, first.choices, mine.own_seed)
    assert [key(s) for s in asked] == once


def size(structure: Structure) -> tuple[int, ...]:
    """How complex a structure is."""
    return structure.size


def test_two_short_tensors_are_smaller_than_one_long_one() -> None:
    (call,) = steered(load()["maximum"], NEWEST, {"x rank": "1"}, 1, 0)
    program = call.value.program
    two = [replace(item, shape=(2, 2)) for item in program.inputs[:1] * 2]
    long, short = (
        replace(call.value, program=replace(program, inputs=tuple(inputs)))
        for inputs in ([replace(two[0], shape=(31, 2, 128, 2))], two)
    )
    assert size(short) < size(long)


def test_what_does_not_fail_is_asked_about_once() -> None:
    mine = task(NEWEST, "maximum")
    first = steered(mine.spec, NEWEST, {"x rank": "4"}, 1, 0)[0]
    asked: list[str] = []

    def fails(drawn: Drawn[Structure]) -> bool:
        asked.append(key(drawn.value))
        return False

    shrink(structures(mine.spec, NEWEST), fails, first.choices, 0)
    assert asked == [key(first.value)]


@pytest.mark.thorough
def test_the_reference_binds_every_structure() -> None:
    """The documented signature, as the reference offers it, takes what is passed."""
    import conformance.reference as K  # noqa: N812, PLC0415 - the edition is chosen at import

    for name in CALLED:
        for structure in collected(NEWEST, name):
            step = structure.program.steps[0]
            function = getattr(K, step.function)
            inspect.signature(function).bind(*step.args, **dict(step.kwargs))


@pytest.mark.parametrize(
    ("edition", "named"), [("keras-1", True), ("keras-2.0", True), ("keras-2.2", False)]
)
def test_what_the_document_of_one_edition_does_not_settle(edition: Edition, named: bool) -> None:
    (structure,) = generate(structures(load()["round"], edition, dtype="float32"), 1, 0)
    assert ("half-even" in structure.conventions("halves")) is named
    assert "half-even" not in structure.conventions("ordinary")


def test_a_parameter_whose_name_is_printed_in_two_ways_is_passed_by_position() -> None:
    spec = load()["resize_volumes"]

    def by_keyword(edition: Edition) -> list[bool]:
        generated = generate(structures(spec, edition), 60, 0)
        return ["x" in dict(m.program.steps[0].kwargs) for m in generated]

    assert not any(by_keyword("keras-2.0"))
    assert any(by_keyword("keras-2.2"))


@pytest.mark.parametrize(("edition", "named"), [("keras-1", True), ("keras-2.2", False)])
def test_what_only_the_document_of_one_edition_leaves_open(edition: Edition, named: bool) -> None:
    below_zero = [s for s in generate(structures(load()["pow"], edition), 60, 0) if _power(s) < 0]
    assert below_zero
    assert all(("exponent" in s.unsettled) is named for s in below_zero)


def _power(structure: Structure) -> int:
    power = structure.arguments["a"]
    return power if isinstance(power, int) else 0
