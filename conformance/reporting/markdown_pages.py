"""The compatibility matrix for many targets: `matrix.md`, and a page for each in `targets/`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.reporting.columns import column
from conformance.reporting.markdown import (
    MATRIX,
    escape,
    header_lines,
    joined,
    matrix_lines,
    scripted_failures,
    taker_lines,
    target_lines,
)
from conformance.reporting.targets import TargetHistory, TargetView

SCRIPTS = 50_000
"""Characters of scripts on the page of a target."""
LARGEST = 290_000
"""Characters of the matrix's page beyond which its last table is cut."""


def render(listed: Sequence[TargetHistory]) -> Iterator[tuple[str, bytes]]:
    """The pages by their paths, each target's newest results on a page of its own."""
    targets = [one.newest for one in listed]
    yield MATRIX, _encoded(_overview(targets))
    for target in targets:
        yield _place(target), _encoded(_details(target))


def _place(target: TargetView) -> str:
    return f"targets/{target.key}.md"


def _encoded(page: str) -> bytes:
    return page.encode("utf-8", "backslashreplace")


def _overview(targets: Sequence[TargetView]) -> str:
    results = [target.results for target in targets]
    lines = [*header_lines(results), "", *matrix_lines([column(one) for one in results])]
    lines += ["", "## Targets", "", "Failures with their scripts, and readings:", ""]
    lines += [
        f"* [{escape(target.label)}]({_place(target)}): {target.score.figures}"
        for target in targets
    ]
    bytes_of = sum(len(line.encode("utf-8", "backslashreplace")) + 1 for line in lines)
    return joined([*lines, *taker_lines(results, LARGEST - bytes_of)])


def _details(target: TargetView) -> str:
    scripted = scripted_failures([target.results], SCRIPTS)
    lines = ["# Conformance to the Keras backend API", "", f"[The matrix](../{MATRIX}) of all."]
    return joined([*lines, "", *target_lines(target.results, scripted)])
