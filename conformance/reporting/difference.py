"""Where two targets differ: function by function, aspect by aspect, from their results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from conformance.reporting.json_results import representable, schema_of
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.readings import reading_name
from conformance.results import (
    ASPECTS,
    Aspect,
    AspectResult,
    Failure,
    FunctionResult,
    Results,
    RunInfo,
    TargetInfo,
    Verdict,
)
from conformance.results.encoding import plain_data
from conformance.results.scores import readings, standing

SCHEMA: Literal["conformance-difference/1"] = "conformance-difference/1"
SCHEMA_ID = "urn:keras-backend-conformance:schema:difference-1"


class ComparedRun(Struct, frozen=True, kw_only=True):
    """One of the two targets, and the run that its results are of."""

    target: TargetInfo
    run: RunInfo


class Side(Struct, frozen=True, kw_only=True):
    """What one target does that the other does not."""

    verdict: Verdict
    cases: int
    """How many cases of the aspect were judged."""
    failures: list[Failure]
    """The failures that the other target does not have, or has with another answer."""


class Difference(Struct, frozen=True, kw_only=True):
    """One aspect of one function in which the targets differ."""

    function: str
    theme: str
    aspect: Aspect
    a: Side
    b: Side


class ReadingDifference(Struct, frozen=True, kw_only=True):
    """A convention that the targets read in different ways.

    `a` and `b` name the readings, as in `th`. The suite's own reading has no name here: a target
    without a name takes it in all cases, and one with `another reading` is of a results file that
    names the convention only.
    """

    convention: str
    a: list[str]
    b: list[str]
    functions: list[str]
    """Where they do, in the order of A's results."""


class Comparison(Struct, frozen=True, kw_only=True):
    """All differences of two targets; `compared` aspects were judged on both."""

    schema: Literal["conformance-difference/1"] = SCHEMA
    a: ComparedRun
    b: ComparedRun
    compared: int
    only_in_a: list[str]
    """Functions that were judged on A alone: not in B's edition, or not in its run."""
    only_in_b: list[str]
    differences: list[Difference]
    conventions: list[ReadingDifference] = field(default_factory=list)
    """The conventions that they read in different ways, by name."""


def compare(
    a: Results,
    b: Results,
    select: Callable[[str], bool] = lambda _: True,
    aspects: Collection[Aspect] = ASPECTS,
) -> Comparison:
    """Where two targets differ in the functions that `select` accepts and in these aspects.

    Functions come in the order of A's results.
    """
    of_a = {f.function: f for f in a.functions if select(f.function)}
    of_b = {f.function: f for f in b.functions if select(f.function)}
    pairs = [pair for name in of_a if name in of_b for pair in _pairs(of_a[name], of_b[name])]
    judged = [pair for pair in pairs if pair[1].aspect in aspects and _both_judged(*pair[1:])]
    same_edition = a.target.edition == b.target.edition
    return Comparison(
        a=ComparedRun(target=a.target, run=a.run),
        b=ComparedRun(target=b.target, run=b.run),
        compared=len(judged),
        only_in_a=[name for name in of_a if name not in of_b],
        only_in_b=[name for name in of_b if name not in of_a],
        differences=[d for pair in judged for d in _difference(*pair, same_edition=same_edition)],
        conventions=list(_conventions(judged)),
    )


_Pair = tuple[FunctionResult, AspectResult, AspectResult]


def _pairs(a: FunctionResult, b: FunctionResult) -> Iterator[_Pair]:
    other = {aspect.aspect: aspect for aspect in b.aspects}
    yield from ((a, mine, other[mine.aspect]) for mine in a.aspects if mine.aspect in other)


def _both_judged(a: AspectResult, b: AspectResult) -> bool:
    unseen = {Verdict.NOT_APPLICABLE, Verdict.NOT_RUN, Verdict.ERROR}
    return not unseen & {a.verdict, b.verdict}


def _difference(
    function: FunctionResult, a: AspectResult, b: AspectResult, *, same_edition: bool
) -> Iterator[Difference]:
    only_a, only_b = (_own(*pair, same_edition) for pair in ((a, b), (b, a)))
    if only_a or only_b or a.verdict is not b.verdict:
        yield Difference(
            function=function.function,
            theme=function.theme,
            aspect=a.aspect,
            a=Side(verdict=a.verdict, cases=a.cases, failures=only_a),
            b=Side(verdict=b.verdict, cases=b.cases, failures=only_b),
        )


def _conventions(judged: Iterable[_Pair]) -> Iterator[ReadingDifference]:
    """The conventions read in different ways; functions in which the pair of readings is the same
    stand together."""
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, None]] = {}
    for function, a, b in judged:
        of_a, of_b = _by_convention(a), _by_convention(b)
        for name in of_a | of_b:
            mine, other = of_a.get(name, ()), of_b.get(name, ())
            if mine != other and _known(a, mine) and _known(b, other):
                found.setdefault((name, mine, other), {})[function.function] = None
    for (name, mine, other), functions in sorted(found.items(), key=lambda item: item[0]):
        yield ReadingDifference(
            convention=name, a=list(mine), b=list(other), functions=list(functions)
        )


def _known(aspect: AspectResult, named: Sequence[str]) -> bool:
    """Whether the readings are known; who takes none by name takes the suite's if all else is
    right."""
    return bool(named) or standing(aspect) is Verdict.CONFORMS


def _by_convention(aspect: AspectResult) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for reading in readings([aspect]):
        found[reading.convention] = (*found.get(reading.convention, ()), reading_name(reading))
    return found


def _own(mine: AspectResult, other: AspectResult, same_edition: bool) -> list[Failure]:
    """The failures of `mine` that `other` does not share, the gravest first."""
    shared = {_key(failure, same_edition): failure for failure in other.failures}
    own = [f for f in mine.failures if not _alike(f, shared.get(_key(f, same_edition)))]
    return sorted(own, key=lambda f: GRAVEST_FIRST.index(f.verdict))


def _key(failure: Failure, same_edition: bool) -> Any:
    """What makes two failures the same; an id holds the edition."""
    return failure.id if same_edition else (failure.kind, failure.convention)


def _alike(failure: Failure, other: Failure | None) -> bool:
    """Whether the other fails in the same way: it takes the same readings, and gives the same
    answer if the case is the same."""
    if other is None or failure.readings != other.readings:
        return False
    same_case = (failure.program, failure.inputs) == (other.program, other.inputs)
    return not same_case or failure.got == other.got


def answer_of(side: Side, failure: Failure) -> str | None:
    """What a side answers in the very case of the other's failure, if its results hold it."""
    for own in side.failures:
        if (own.program, own.inputs) == (failure.program, failure.inputs) and own.program:
            return own.message
    return None


def named(comparison: Comparison) -> tuple[str, str]:
    """The names of the two, told apart by their start where one target was run twice."""
    a, b = comparison.a, comparison.b
    if a.target.name != b.target.name:
        return a.target.name, b.target.name
    return f"{a.target.name} ({a.run.started})", f"{b.target.name} ({b.run.started})"


def encode(comparison: Comparison) -> bytes:
    """The bytes of the comparison as JSON, the same for equal comparisons."""
    data = representable(plain_data(comparison))
    return msgspec.json.format(msgspec.json.encode(data), indent=1) + b"\n"


def encode_schema() -> bytes:
    """The bytes of the published `difference-1.schema.json`."""
    schema = schema_of(Comparison, SCHEMA_ID, f"Where two targets differ ({SCHEMA})")
    return msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
