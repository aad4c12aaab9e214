"""The file of one release of a target: `FOLDER/TARGET/VERSION.json.gz`, `conformance-history/1`.

A results file holds programs, arrays and scripts of every failure. A history has dozens of
releases. Its files therefore hold the verdicts, and for each violation a line, the program and
how its case is made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from conformance.history.promises import Basis, Promises, promised
from conformance.json_schemas import schema_of
from conformance.results import Aspect, Citation, Failure, Origin, Results, TargetInfo, Verdict
from conformance.results.encoding import as_json

SCHEMA: Literal["conformance-history/1"] = "conformance-history/1"
SCHEMA_ID = "urn:keras-backend-conformance:schema:history-1"
FAILING = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.TIMED_OUT)
"""The verdicts that a history follows: a violation, and a call that gives no answer."""
_MOST = 200
"""Characters of a message."""


class PastFailure(Struct, frozen=True, kw_only=True):
    """One violation in one release, without its arrays."""

    id: str
    function: str
    aspect: Aspect
    verdict: Verdict
    message: str
    """One line, at most 200 characters."""
    basis: Basis
    """Whose sentence it breaks: `release`: the release has the cited text word for word; `edition`:
    the text differs there, and the edition judges; `none`: the release promises nothing."""
    why: str = ""
    """The reason for a basis other than `release`, in a clause."""
    citation: Citation | None = None
    program: dict[str, Any] | None = None
    """The program of the first failing case (`conformance.program.to_json`)."""
    origin: Origin | UnsetType = UNSET
    """The source of the case for `conformance bisect`; unset without a case."""


class PastRun(Struct, frozen=True, kw_only=True):
    """The verdicts on one release. `problem` says why there are none."""

    schema: Literal["conformance-history/1"] = SCHEMA
    package: str
    version: str
    target: TargetInfo
    suite_version: str
    profile: str
    seed: int
    started: str
    """UTC, ISO 8601."""
    seconds: float
    document: str = ""
    """The document whose text the suite knows, such as `keras-3.15.1`."""
    differing: int = 0
    """How many functions have another docstring or signature in this release."""
    selection: str | None = None
    """The `-k` expression, if the run was of a part only."""
    aspects: list[Aspect] = msgspec.field(default_factory=list)
    """The aspects, if the run was of some only."""
    problem: str = ""
    """Why the release could not be tested: it does not install, or does not import."""
    absent: list[str] = msgspec.field(default_factory=list)
    """Functions of the edition that the release does not have."""
    cells: dict[str, dict[Aspect, Verdict]] = msgspec.field(default_factory=dict)
    """The verdicts by function and aspect."""
    failures: list[PastFailure] = msgspec.field(default_factory=list)


def past_failures(results: Results, promises: Promises | None) -> Iterator[PastFailure]:
    """The violations in results, each with the text that it breaks."""
    for function in results.functions:
        for aspect in function.aspects:
            for failure in aspect.failures:
                if failure.verdict in FAILING:
                    basis, why = promised(promises, function.function, failure)
                    yield _past(function.function, aspect.aspect, failure, basis, why)


def _past(function: str, aspect: Aspect, failure: Failure, basis: Basis, why: str) -> PastFailure:
    return PastFailure(
        id=failure.id,
        function=function,
        aspect=aspect,
        verdict=failure.verdict,
        message=failure.message[:_MOST],
        basis=basis,
        why=why,
        citation=failure.citation,
        program=failure.program,
        origin=failure.origin,
    )


def cells_of(results: Results) -> Mapping[str, dict[Aspect, Verdict]]:
    """The verdicts of results, by function and aspect."""
    return {f.function: {a.aspect: a.verdict for a in f.aspects} for f in results.functions}


def encode(run: PastRun) -> bytes:
    """The bytes of the file before compression."""
    return as_json(run)


def encode_schema() -> bytes:
    """The bytes of the published `history-1.schema.json`."""
    return as_json(schema_of(PastRun, SCHEMA_ID, f"Verdicts on one release ({SCHEMA})"))
