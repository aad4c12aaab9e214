"""Where two targets differ: function by function, aspect by aspect, from their results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct, field
from rich.text import Text

from conformance.json_schemas import schema_of
from conformance.reporting.causes import shared
from conformance.reporting.failures import failure_lines
from conformance.reporting.json_results import representable
from conformance.reporting.listing import ListedFailure, reading_name
from conformance.reporting.markdown_text import code, escape, fenced
from conformance.reporting.marks import GRAVEST_FIRST, MARKS
from conformance.reporting.paint import Paint
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
from conformance.results.encoding import as_json, plain_data
from conformance.results.scores import readings, standing

SCHEMA: Literal["conformance-difference/1"] = "conformance-difference/1"
SCHEMA_ID = "urn:keras-backend-conformance:schema:difference-1"


class ComparedRun(Struct, frozen=True, kw_only=True):
    """One of the two targets, and the run that its results are of."""

    target: TargetInfo
    run: RunInfo


class Side(Struct, frozen=True, kw_only=True):
    """The facts about one target that do not hold for the other."""

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
    without a name takes it in all cases. A target with `another reading` is from a results file
    that names the convention only.
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

    Functions are in the order of A's results.
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
    grouped: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, None]] = {}
    for function, a, b in judged:
        of_a, of_b = _by_convention(a), _by_convention(b)
        for name in of_a | of_b:
            mine, other = of_a.get(name, ()), of_b.get(name, ())
            if mine != other and _known(a, mine) and _known(b, other):
                grouped.setdefault((name, mine, other), {})[function.function] = None
    for (name, mine, other), functions in sorted(grouped.items(), key=lambda item: item[0]):
        yield ReadingDifference(
            convention=name, a=list(mine), b=list(other), functions=list(functions)
        )


def _known(aspect: AspectResult, named: Sequence[str]) -> bool:
    """Whether the readings are known; who takes none by name takes the suite's if all else is
    right."""
    return bool(named) or standing(aspect) is Verdict.CONFORMS


def _by_convention(aspect: AspectResult) -> dict[str, tuple[str, ...]]:
    taken: dict[str, tuple[str, ...]] = {}
    for reading in readings([aspect]):
        taken[reading.convention] = (*taken.get(reading.convention, ()), reading_name(reading))
    return taken


def _own(mine: AspectResult, other: AspectResult, same_edition: bool) -> list[Failure]:
    """The failures of `mine` that `other` does not share, the gravest first."""
    shared = {_key(failure, same_edition): failure for failure in other.failures}
    own = [f for f in mine.failures if not _alike(f, shared.get(_key(f, same_edition)))]
    return sorted(own, key=lambda f: GRAVEST_FIRST.index(f.verdict))


def _key(failure: Failure, same_edition: bool) -> Any:
    """The key by which two failures are the same; an id holds the edition."""
    return failure.id if same_edition else (failure.kind, failure.convention)


def _alike(failure: Failure, other: Failure | None) -> bool:
    """Whether the other fails in the same way: it takes the same readings, and gives the same
    answer if the case is the same."""
    if other is None or failure.readings != other.readings:
        return False
    same_case = (failure.program, failure.inputs) == (other.program, other.inputs)
    return not same_case or failure.got == other.got


def answer_of(side: Side, failure: Failure) -> str | None:
    """A side's answer in the very case of the other's failure, if its results hold it."""
    for own in side.failures:
        if (own.program, own.inputs) == (failure.program, failure.inputs) and own.program:
            return own.message
    return None


def named(comparison: Comparison) -> tuple[str, str]:
    """The names of the two; for two runs of one target, with the start of each."""
    a, b = comparison.a, comparison.b
    if a.target.name != b.target.name:
        return a.target.name, b.target.name
    return f"{a.target.name} ({a.run.started})", f"{b.target.name} ({b.run.started})"


def encode(comparison: Comparison) -> bytes:
    """The bytes of the comparison as JSON, the same for equal comparisons."""
    return as_json(representable(plain_data(comparison)))


def encode_schema() -> bytes:
    """The bytes of the published `difference-1.schema.json`."""
    schema = schema_of(Comparison, SCHEMA_ID, f"Where two targets differ ({SCHEMA})")
    return as_json(schema)


def heading(comparison: Comparison) -> str:
    """How many aspects differ, of those that were judged on both."""
    functions = len({d.function for d in comparison.differences})
    count = len(comparison.differences)
    if not count:
        return f"no difference in {comparison.compared} aspects that were judged on both"
    return (
        f"{count} of {comparison.compared} aspects that were judged on both differ, "
        f"in {functions} function{'s' * (functions != 1)}"
    )


def remarks(comparison: Comparison) -> Iterator[str]:
    """The limits of the comparison."""
    a, b = comparison.a, comparison.b
    names = named(comparison)
    for name, only in zip(names, (comparison.only_in_a, comparison.only_in_b), strict=True):
        if only:
            shown = ", ".join(only[:6]) + (f" and {len(only) - 6} more" if len(only) > 6 else "")
            yield f"judged only on {name}: {shown}"
    for what in ("profile", "seed"):
        if getattr(a.run, what) != getattr(b.run, what):
            yield (
                f"the cases differ: {what} {getattr(a.run, what)} and {getattr(b.run, what)}; "
                "a rare difference may be chance"
            )
    if a.target.edition != b.target.edition:
        yield f"the editions differ: {a.target.edition} and {b.target.edition}"


def other_answer(name: str, side: Side, failure: Failure) -> str:
    """The other target's answer to the case of a failure."""
    answer = answer_of(side, failure)
    if answer is not None:
        return f"{name}, same case: {answer}"
    if side.verdict is Verdict.CONFORMS:
        return f"{name} conforms on {side.cases} case{'s' * (side.cases != 1)}"
    if not side.cases:
        return f"{name}: {side.verdict}, no case ran"
    return f"{name} does not show this on {side.cases} cases ({side.verdict})"


def terminal_lines(comparison: Comparison, paint: Paint, *, verbose: bool) -> Iterator[Text]:
    """The whole comparison; with `verbose` expected, got and script of every case."""
    names = named(comparison)
    for name, origin in zip(names, (comparison.a, comparison.b), strict=True):
        info, run = origin.target, origin.run
        line = f"{name}: {info.implementation}, {info.edition}, {run.profile}, {run.started}"
        yield paint.text(line)
    yield Text(heading(comparison), "bold")
    yield from (paint.text(remark) for remark in remarks(comparison))
    function = None
    for difference in comparison.differences:
        if difference.function != function:
            function = difference.function
            yield Text()
            yield paint.text(function, "bold")
        yield from _difference_lines(difference, names, paint, verbose=verbose)
    yield from _reading_lines(comparison, names, paint)
    if comparison.differences and not verbose:
        yield Text()
        yield Text("`conformance show FUNCTION --failure ID --script` prints the script of a case")


def _reading_lines(comparison: Comparison, names: tuple[str, str], paint: Paint) -> Iterator[Text]:
    if comparison.conventions:
        yield Text()
        yield Text("Different readings of one convention", "bold")
    for change in comparison.conventions:
        sides = zip(names, (change.a, change.b), strict=True)
        answers = ", ".join(f"{name} {taken(readings)}" for name, readings in sides)
        text = paint.text(f": {answers}; in {shared(change.functions, 8)}")
        yield Text.assemble("  ", paint.mark(Verdict.DIVERGES, change.convention), text)


def taken(readings: Sequence[str]) -> str:
    """A target's answers under a convention, by the readings that it takes."""
    return f"takes {' and '.join(readings)}" if readings else "takes the suite's own reading"


def _difference_lines(
    difference: Difference, names: tuple[str, str], paint: Paint, *, verbose: bool
) -> Iterator[Text]:
    a, b = difference.a, difference.b
    marks = [
        Text.assemble(paint.mark(side.verdict, name))
        for name, side in zip(names, (a, b), strict=True)
    ]
    yield Text.assemble("  ", paint.text(difference.aspect), "  ", marks[0], "  ", marks[1])
    for (name, side), (other, opposite) in _both_ways(difference, names):
        for failure in side.failures:
            if answer_of(opposite, failure) is not None and side is b:
                continue  # printed with A's
            yield from _failure_lines(name, difference, side, failure, paint, verbose=verbose)
            answer = other_answer(other, opposite, failure)
            yield Text.assemble("      ", paint.text(answer, "dim"))


def _both_ways(
    difference: Difference, names: tuple[str, str]
) -> list[tuple[tuple[str, Side], tuple[str, Side]]]:
    a, b = (names[0], difference.a), (names[1], difference.b)
    return [(a, b), (b, a)]


def _failure_lines(
    name: str,
    difference: Difference,
    side: Side,
    failure: Failure,
    paint: Paint,
    *,
    verbose: bool,
) -> Iterator[Text]:
    head = Text.assemble("    ", paint.mark(failure.verdict, name), ": ")
    yield Text.assemble(head, paint.text(failure.message), "  ", paint.text(failure.id, "dim"))
    if not verbose:
        return
    aspect = AspectResult(aspect=difference.aspect, verdict=side.verdict, cases=side.cases)
    detailed = list(failure_lines(ListedFailure(difference.function, aspect, failure), paint))
    yield from (Text.assemble("    ", line) for line in detailed[1:])
    for line in paint.block(failure.script or "").rstrip("\n").split("\n"):
        yield Text(f"        {line}".rstrip())


def markdown(comparison: Comparison) -> str:
    """The page: both targets, then every difference with its cases and scripts."""
    names = named(comparison)
    lines = [f"# {escape(names[0])} and {escape(names[1])}", ""]
    for name, origin in zip(names, (comparison.a, comparison.b), strict=True):
        info, run = origin.target, origin.run
        described = f"{info.implementation}, {info.edition}; profile {run.profile}, {run.started}"
        lines.append(f"* {code(name)}: {escape(described)}")
    lines += ["", f"{escape(heading(comparison))}."]
    lines += ["", *(f"* {escape(remark)}" for remark in remarks(comparison))]
    if comparison.differences:
        lines += ["", f"| function | aspect | {escape(names[0])} | {escape(names[1])} |"]
        lines.append("| --- | --- | --- | --- |")
        lines += [_row(difference) for difference in comparison.differences]
    lines += _reading_table(comparison, names)
    for difference in comparison.differences:
        lines += ["", f"## {escape(difference.function)}: {difference.aspect}", ""]
        lines += _cases(difference, names)
    return "\n".join(lines).rstrip() + "\n"


def _reading_table(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    if comparison.conventions:
        yield from ("", "## Different readings of one convention", "")
        yield f"| convention | {escape(names[0])} | {escape(names[1])} | functions |"
        yield "| --- | --- | --- | --- |"
    for change in comparison.conventions:
        functions = ", ".join(map(code, change.functions))
        sides = " | ".join(escape(taken(side)) for side in (change.a, change.b))
        yield f"| {code(change.convention)} | {sides} | {functions} |"


def _row(difference: Difference) -> str:
    sides = (f"{MARKS[s.verdict].symbol} {s.verdict}" for s in (difference.a, difference.b))
    return f"| {code(difference.function)} | {difference.aspect} | {' | '.join(sides)} |"


def _cases(difference: Difference, names: tuple[str, str]) -> Iterator[str]:
    for (name, side), (other, opposite) in _both_ways(difference, names):
        if not side.failures:
            yield f"* {code(name)}: {side.verdict}, {side.cases} cases"
        for failure in side.failures:
            mark = MARKS[failure.verdict].symbol
            yield f"* {mark} {code(name)}: {escape(failure.message)} ({code(failure.id)})"
            yield f"  {escape(other_answer(other, opposite, failure))}."
            if failure.script:
                block = ["<details><summary>script</summary>", "", *fenced(failure.script), ""]
                yield ""
                yield from (f"  {line}".rstrip() for line in (*block, "</details>"))
                yield ""
