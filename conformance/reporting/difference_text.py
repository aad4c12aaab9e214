"""A comparison of two targets for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from conformance.reporting.causes import shared
from conformance.reporting.difference import Comparison, Difference, Side, answer_of, named
from conformance.reporting.failures import failure_lines
from conformance.reporting.listing import ListedFailure
from conformance.reporting.markdown import code, escape, fenced
from conformance.reporting.marks import MARKS
from conformance.reporting.paint import Paint
from conformance.results import AspectResult, Failure, Verdict


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
    """What limits the comparison."""
    a, b = comparison.a, comparison.b
    names = named(comparison)
    for name, only in zip(names, (comparison.only_in_a, comparison.only_in_b), strict=True):
        if only:
            shown = ", ".join(only[:6]) + (f" and {len(only) - 6} more" if len(only) > 6 else "")
            yield f"judged on {name} alone: {shown}"
    for what in ("profile", "seed"):
        if getattr(a.run, what) != getattr(b.run, what):
            yield (
                f"not the same cases: {what} {getattr(a.run, what)} and {getattr(b.run, what)}; "
                "a rare difference may be one of chance"
            )
    if a.target.edition != b.target.edition:
        yield f"tested against two editions: {a.target.edition} and {b.target.edition}"


def other_answer(name: str, side: Side, failure: Failure) -> str:
    """What the other target does with the case of a failure."""
    found = answer_of(side, failure)
    if found is not None:
        return f"{name}, same case: {found}"
    if side.verdict is Verdict.CONFORMS:
        return f"{name} conforms on {side.cases} case{'s' * (side.cases != 1)}"
    if not side.cases:
        return f"{name}: {side.verdict}, no case was run"
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
    for one in comparison.conventions:
        sides = zip(names, (one.a, one.b), strict=True)
        told = ", ".join(f"{name} {taken(readings)}" for name, readings in sides)
        said = paint.text(f": {told}; in {shared(one.functions, 8)}")
        yield Text.assemble("  ", paint.mark(Verdict.DIVERGES, one.convention), said)


def taken(readings: Sequence[str]) -> str:
    """What a target does with a convention, by the readings that it takes."""
    return f"takes {' and '.join(readings)}" if readings else "takes the suite's own"


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
                continue  # told with A's
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
        told = f"{info.implementation}, {info.edition}; profile {run.profile}, {run.started}"
        lines.append(f"* {code(name)}: {escape(told)}")
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
    for one in comparison.conventions:
        functions = ", ".join(map(code, one.functions))
        sides = " | ".join(escape(taken(side)) for side in (one.a, one.b))
        yield f"| {code(one.convention)} | {sides} | {functions} |"


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
