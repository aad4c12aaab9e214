"""The case of a failure is made again from its origin in the results, byte for byte."""

from __future__ import annotations

import base64
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from conformance.adapters.session import CallLimits
from conformance.engine import PROFILES
from conformance.engine.verdicts.failures import record
from conformance.engine.verdicts.origins import trials
from conformance.results import Aspect, Failure, Origin, Verdict
from tests.engine.support import EDITION, Outcome, examine, fake, module, tasks

FUNCTIONS = ("exp", "softmax", "sum")
SORTS = ("softplus", "get_uid", "batch_dot")
LIMITS = CallLimits(structure=20.0, draw=2.0)


@cache
def outcome() -> Outcome:
    return examine(fake("always_wrong"), FUNCTIONS, seed=5)


@cache
def other_sorts() -> Outcome:
    tested = module("many_sorts", Path(__file__).parent / "broken", LIMITS)
    return examine(tested, SORTS, seed=5)


def with_cases() -> list[tuple[str, Failure]]:
    failures = [*outcome().failures(), *other_sorts().failures()]
    return [(name, f) for name, _, f in failures if f.program is not None]


def source(failure: Failure) -> Origin:
    assert failure.origin is not UNSET
    return failure.origin


@pytest.mark.thorough
def test_every_case_is_made_again_with_its_numbers() -> None:
    for name, failure in with_cases():
        (task,) = tasks([name], PROFILES["smoke"], 5, EDITION)
        (trial,) = trials(task, failure)
        draw = 0 if source(failure).arrays else source(failure).draw
        records = {n: record(np.asarray(a)) for n, a in trial.case(draw).arrays.items()}
        assert records == failure.inputs, failure.message


@pytest.mark.thorough
def test_cases_of_every_sort_are_among_them() -> None:
    origins = [source(f) for _, f in with_cases()]
    assert any(o.choices for o in origins), "none was made smaller in structure"
    assert any(o.arrays for o in origins), "none was made smaller in its numbers"
    assert any(not o.choices and not o.arrays for o in origins), "none is of the plan"
    aspects = {aspect for _, aspect, f in other_sorts().failures() if f.program}
    assert aspects == {Aspect.GRADIENT, Aspect.STATE, Aspect.EXAMPLE}


def test_without_a_case_there_is_no_origin() -> None:
    for _, _, failure in outcome().failures():
        assert (failure.origin is UNSET) is (failure.program is None)


def test_another_program_than_the_stored_one_is_not_given_out() -> None:
    name, failure = next((n, f) for n, f in with_cases() if source(f).choices)
    (task,) = tasks([name], PROFILES["smoke"], 5, EDITION)
    for changed in (
        replace(failure, origin=UNSET),
        replace(failure, program={"inputs": []}),
        replace(failure, origin=replace(source(failure), trial="0" * 12)),
        replace(failure, origin=replace(source(failure), choices="QQBBAA==")),
    ):
        assert trials(task, changed) == []


BOMB = base64.b64encode(zlib.compress(bytes(2**27))).decode()


@pytest.mark.parametrize("text", ["?", "QUJD", "", BOMB], ids=["text", "bytes", "empty", "bomb"])
def test_a_damaged_origin_gives_no_case(text: str) -> None:
    name, failure = next((n, f) for n, f in with_cases() if source(f).arrays)
    (task,) = tasks([name], PROFILES["smoke"], 5, EDITION)
    damaged = dict.fromkeys(source(failure).arrays, text)
    changed = replace(failure, origin=replace(source(failure), arrays=damaged))
    assert trials(task, failure)
    assert trials(task, changed) == []


def test_ids_are_those_of_another_seed() -> None:
    other = examine(fake("always_wrong"), ("exp",), seed=6)
    mine = {f.id for n, _, f in outcome().failures(Verdict.VIOLATES) if n == "exp"}
    assert mine & {f.id for _, _, f in other.failures(Verdict.VIOLATES)}
