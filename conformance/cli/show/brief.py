"""`conformance show FUNCTION` on one screen: signatures, claims, a line per target and failure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from textwrap import wrap

from rich.text import Text

from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.paint import Paint
from conformance.results import FunctionResult, Results, Verdict
from conformance.results.scores import diverges, score, standing

SCREEN = 50
"""Lines of the whole output, unless there are more targets than that."""
SIGNATURES, CLAIMS, LEAST_FAILURES = 4, 8, 8
"""The most lines of two sections, and the fewest that failures get."""
MESSAGE = 3
"""The most lines of the message of a violation."""
_IN_ONE_LINE = (Verdict.DIVERGES, Verdict.UNSUPPORTED, Verdict.NOT_RUN)
_FAILURES = [v for v in GRAVEST_FIRST if v not in (Verdict.CONFORMS, Verdict.NOT_APPLICABLE)]


def brief_lines(
    head: Text,
    sections: dict[str, Sequence[str]],
    results: Sequence[Results],
    function: str,
    *,
    paint: Paint,
    width: int,
) -> Iterator[Text]:
    """The screen; `sections` are titles with their lines, of which it shows the first ones."""
    lines = [head, *_documented(sections, paint, width)]
    runs = [(run, f) for run in results for f in run.functions if f.function == function]
    if runs:
        lines += [
            Text(),
            Text("Targets: aspects that follow the documents, and others", "bold"),
        ]
        lines += _targets(runs, paint, width)
    if absent := [run.target.name for run in results if not _has(run, function)]:
        lines.append(_cut(paint.text(f"Not run on: {', '.join(absent)}", indent=2), paint, width))
    yield from lines
    failures = _failures(runs)
    if failures:
        yield from (Text(), Text("Failures", "bold"))
        room = max(SCREEN - len(lines) - 5, LEAST_FAILURES)
        yield from _fitting([[*_failure(*f, paint, width)] for f in failures], room)
    yield from (Text(), Text(f"`conformance show {function} --all` prints everything", "dim"))


def _has(run: Results, function: str) -> bool:
    return any(f.function == function for f in run.functions)


def _documented(sections: dict[str, Sequence[str]], paint: Paint, width: int) -> Iterator[Text]:
    for (title, lines), most in zip(sections.items(), (SIGNATURES, CLAIMS), strict=True):
        if lines:
            yield from (Text(), Text(title, "bold"))
            cropped = [Text(f"  {paint.crop(line, max(width - 2, 20))}") for line in lines]
            yield from _shortened(cropped, most)


def _shortened(lines: Sequence[Text], most: int) -> Iterator[Text]:
    """The lines, or the first of them and the number of the others."""
    if len(lines) <= most:
        yield from lines
        return
    yield from lines[: most - 1]
    yield Text(f"  and {len(lines) - most + 1} more", "dim")


def _targets(
    runs: Sequence[tuple[Results, FunctionResult]], paint: Paint, width: int
) -> Iterator[Text]:
    """`keras3-torch  9/12  ✗ value, gradient  ≈ dtype`, for each target."""
    longest = max(len(paint.plain(run.target.name)) for run, _ in runs)
    for run, function in runs:
        name = f"{paint.plain(run.target.name):<{longest}}"
        line = Text.assemble("  ", name, f"  {score([function])!s:>6}")
        for verdict, names in _standings(function).items():
            line = Text.assemble(line, "  ", paint.mark(verdict, ", ".join(names)))
        if taken := [a.aspect for a in function.aspects if diverges(a)]:
            line = Text.assemble(line, "  ", paint.mark(Verdict.DIVERGES, ", ".join(taken)))
        yield _cut(line, paint, width)


def _standings(function: FunctionResult) -> dict[Verdict, list[str]]:
    """The aspects that do not follow the documents, by verdict, the gravest first."""
    aspects = {v: [a.aspect for a in function.aspects if standing(a) is v] for v in _FAILURES}
    return {verdict: [*names] for verdict, names in aspects.items() if names}


def _failures(
    runs: Iterable[tuple[Results, FunctionResult]],
) -> list[tuple[ListedFailure, list[str]]]:
    """Each failure once, the gravest first, with its targets."""
    grouped: dict[tuple[str, str, Verdict], tuple[ListedFailure, list[str]]] = {}
    for run, function in runs:
        for entry in listed_failures([function], *_FAILURES):
            if entry.failure is not None:
                key = (entry.failure.id, str(entry.aspect.aspect), entry.verdict)
                grouped.setdefault(key, (entry, []))[1].append(run.target.name)
    return sorted(grouped.values(), key=lambda pair: GRAVEST_FIRST.index(pair[0].verdict))


def _failure(
    entry: ListedFailure, targets: Sequence[str], paint: Paint, width: int
) -> Iterator[Text]:
    """`✗ value  3f2a1b77  keras3-torch +2  K.dot(x, y) gives …`.

    A violation whose message is too long for the line has it on lines of its own.
    """
    assert entry.failure is not None
    others = f" +{len(targets) - 1}" if len(targets) > 1 else ""
    line = Text.assemble(
        "  ",
        paint.mark(entry.verdict, entry.aspect.aspect),
        f"  {paint.plain(entry.failure.id)}  {paint.plain(targets[0])}{others}",
    )
    whole = Text.assemble(line, "  ", paint.text(entry.message))
    if entry.verdict in _IN_ONE_LINE or whole.cell_len <= width:
        yield _cut(whole, paint, width)
        return
    yield _cut(line, paint, width)
    message = paint.plain(entry.message)
    for part in wrap(message, max(width, 40) - 4, max_lines=MESSAGE, placeholder=paint.plain(" …")):
        yield Text(f"    {part}")


def _fitting(failures: Sequence[Sequence[Text]], most: int) -> Iterator[Text]:
    """The lines of the failures, or of the first of them and the number of the others."""
    sizes = [*accumulate(map(len, failures))]
    fitting = len(sizes) if sizes[-1] <= most else max(bisect_right(sizes, most - 1), 1)
    for failure in failures[:fitting]:
        yield from failure
    if fitting < len(failures):
        yield Text(f"  and {len(failures) - fitting} more", "dim")


def _cut(line: Text, paint: Paint, width: int) -> Text:
    line.truncate(max(width, 40), overflow="crop" if paint.ascii else "ellipsis")
    return line
