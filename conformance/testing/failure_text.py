"""The text that a failing test prints."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console

from conformance.reporting.failures import failure_lines
from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.reporting.paint import PIPED_WIDTH, Paint
from conformance.reporting.safe_text import clean
from conformance.results import AspectResult, FunctionResult, Verdict


def headline(function: FunctionResult, aspect: AspectResult) -> str:
    """The gravest failure in one line, with the verdict."""
    message = clean(failures(function, aspect)[0].message)
    verdict = str(aspect.verdict)
    return message if message == verdict else f"{verdict}: {message}"


def text(function: FunctionResult, aspect: AspectResult) -> str:
    """Every failure of the aspect, the gravest first: its smallest case, and a script."""
    console = Console(file=StringIO(), width=PIPED_WIDTH, markup=False, highlight=False)
    paint = Paint(console)
    return "\n".join(
        line for failure in failures(function, aspect) for line in _lines(failure, paint)
    )


def citation(function: FunctionResult, aspect: AspectResult) -> str | None:
    """The document and the line that are contradicted, if the aspect is a violation."""
    failure = failures(function, aspect)[0].failure
    return str(failure.citation) if failure and failure.citation else None


def failures(function: FunctionResult, aspect: AspectResult) -> list[ListedFailure]:
    """The failures of the aspect, the gravest first; its verdict alone where there are none."""
    entries = listed_failures(
        [FunctionResult(function.function, function.theme, [aspect])], *Verdict
    )
    return entries or [ListedFailure(function.function, aspect, None)]


def _lines(failure: ListedFailure, paint: Paint) -> Iterator[str]:
    yield from (line.plain for line in failure_lines(failure, paint))
    if failure.failure and failure.failure.script:
        yield "    script:"
        yield from (f"      {line}".rstrip() for line in _script(failure.failure.script, paint))
    yield ""


def _script(script: str, paint: Paint) -> list[str]:
    return paint.block(script).rstrip("\n").split("\n")
