"""Targets that replace the documented API with another one, whose calls a mapping lists.

Keras 3 is such a successor of `K`: it promises what its own docstrings say, not what the documents
of `K` say. A row of the mapping is a call that the suite wrote, or an expression of several. What
contradicts a document there is `changed`: a difference that old code meets, and not a fault. It
cites the document's line and the row. A target whose edition holds the successor's own documents
tests what the successor promises.

A process that dies or hangs keeps its verdict: no API promises that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from conformance.engine.judging.findings import Finding
from conformance.results import Replacement, Verdict


def verdict_on_contradiction(replacements: Mapping[str, Replacement] | None) -> Verdict:
    """The verdict on an answer that contradicts a document; None stands for a target that promises
    what the documents say."""
    return Verdict.VIOLATES if replacements is None else Verdict.CHANGED


def changes(
    findings: Iterable[Finding], function: str, replacements: Mapping[str, Replacement] | None
) -> list[Finding]:
    """The findings on a documented function; what contradicts a document is changed in a successor.

    `replacements` are the rows of the successor's mapping by function, None for another target.
    """
    if replacements is None:
        return list(findings)
    row = replacements.get(function)
    return [_changed(f, row) if f.verdict is Verdict.VIOLATES else f for f in findings]


def _changed(finding: Finding, row: Replacement | None) -> Finding:
    return replace(finding, verdict=Verdict.CHANGED, replacement=row)
