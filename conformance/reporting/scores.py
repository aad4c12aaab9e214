"""Scores and verdicts of all targets without their failures: small, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from conformance.json_schemas import schema_of
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, FunctionResult, Results, Verdict
from conformance.results.encoding import as_json
from conformance.results.scores import readings, score, scored

SCHEMA: Literal["conformance-scores/1"] = "conformance-scores/1"
SCHEMA_ID = "urn:keras-backend-conformance:schema:scores-1"


class Points(Struct, frozen=True):
    """How many aspects follow the documents of those that are demanded."""

    conforming: int
    """Aspects with the verdict `conforms`."""
    keeping: int = msgspec.field(name="kept")
    """Those, and the ones in which every other answer is an allowed reading."""
    missing: int
    """Aspects that are unsupported or were not run."""
    demanded: int
    changed: int
    """Aspects with the verdict `changed`."""
    errors: int
    """Aspects without a verdict, because the suite itself failed; scores leave them out."""


class TargetScores(Struct, frozen=True, kw_only=True):
    """One target, or one part of its history."""

    name: str
    edition: str
    implementation: str
    versions: dict[str, str]
    python: str
    started: str
    profile: str
    complete: bool
    """Whether every function of the edition was looked at."""
    score: Points
    themes: dict[str, Points]
    verdicts: dict[str, dict[Aspect, Verdict]]
    """By function and aspect."""
    readings: dict[str, dict[Aspect, list[str]]]
    """By function and aspect the allowed readings taken, such as `kernel-layout: th`; a convention
    alone where the results do not name the reading."""


class Scores(Struct, frozen=True, kw_only=True):
    """The file."""

    schema: Literal["conformance-scores/1"] = SCHEMA
    targets: list[TargetScores]


def render(results: Iterable[Results]) -> bytes:
    """The file's bytes."""
    return as_json(Scores(targets=[_target(target) for target in results]))


def _target(results: Results) -> TargetScores:
    info, run = results.target, results.run
    return TargetScores(
        name=clean(info.name),
        edition=clean(info.edition),
        implementation=clean(info.implementation),
        versions={clean(k): clean(v) for k, v in sorted(info.versions.items())},
        python=clean(info.python),
        started=clean(run.started),
        profile=clean(run.profile),
        complete=run.whole,
        score=_points(results.functions),
        themes=dict(_themes(results)),
        verdicts={
            clean(f.function): {a.aspect: a.verdict for a in f.aspects} for f in results.functions
        },
        readings=dict(_readings(results)),
    )


def _points(functions: Sequence[FunctionResult]) -> Points:
    points = score(functions)
    verdicts = [a.verdict for function in scored(functions) for a in function.aspects]
    conforming = verdicts.count(Verdict.CONFORMS)
    return Points(
        conforming, points.keeping, points.missing, points.demanded, points.changed, points.errors
    )


def _readings(results: Results) -> Iterator[tuple[str, dict[Aspect, list[str]]]]:
    for function in results.functions:
        taken = {a.aspect: [clean(str(r)) for r in readings([a])] for a in function.aspects}
        if shown := {aspect: values for aspect, values in taken.items() if values}:
            yield clean(function.function), shown


def _themes(results: Results) -> Iterator[tuple[str, Points]]:
    for theme in dict.fromkeys(f.theme for f in results.functions):
        yield clean(theme), _points([f for f in results.functions if f.theme == theme])


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the file, made from the records."""
    return schema_of(Scores, SCHEMA_ID, f"Scores of all targets ({SCHEMA})")


def encode_schema() -> bytes:
    """The bytes of the published `scores-1.schema.json`."""
    return as_json(json_schema())
