"""The file of a release, and its published schema."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import msgspec

from conformance.history import PastRun, encode, encode_schema, past_failures
from conformance.results import (
    Aspect,
    AspectResult,
    FunctionResult,
    Results,
    RunInfo,
    Verdict,
)
from conformance.results.model import summarise
from tests.history.cases import NAME, TARGET, failure, past


def test_the_published_schema_is_that_of_the_records() -> None:
    file = resources.files("conformance.history") / "schema" / "history-1.schema.json"
    assert file.read_bytes() == encode_schema()


def test_a_file_has_the_schema_and_comes_back() -> None:
    run = past("3.4.1", Verdict.VIOLATES)
    jsonschema.validate(json.loads(encode(run)), json.loads(encode_schema()))
    assert msgspec.json.decode(encode(run), type=PastRun) == run


def test_only_violations_are_stored() -> None:
    other = msgspec.structs.replace(failure(), verdict=Verdict.DIVERGES, id="1" * 12)
    aspect = AspectResult(
        aspect=Aspect.VALUE, verdict=Verdict.VIOLATES, cases=2, failures=[failure(), other]
    )
    functions = [FunctionResult(NAME, "linear algebra", [aspect])]
    info = RunInfo(
        suite_version="1",
        profile="smoke",
        seed=0,
        started="",
        seconds=0.0,
        cases=2,
        seconds_in_target=0.0,
    )
    results = Results(target=TARGET, run=info, summary=summarise(functions), functions=functions)
    (stored,) = past_failures(results, None)
    assert (stored.id, stored.basis) == ("0" * 12, "edition")
