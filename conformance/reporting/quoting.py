"""The line of a document beside the failure that cites it, for those who have the document."""

from __future__ import annotations

from collections.abc import Callable

from conformance.results import Failure

Quote = Callable[[str, int], str | None]
"""Gives a line of a document; None where the text is not at hand."""


def nothing(document: str, line: int) -> str | None:  # noqa: ARG001 - as a Quote is called
    """The quotation of whoever has no document."""
    return None


def cited(failure: Failure, quote: Quote) -> str:
    """`ko-2.2:2787: the line`, the place alone where the text is not at hand; empty without one."""
    place = failure.citation
    if place is None:
        return ""
    line = quote(place.document, place.line) if isinstance(place.line, int) else None
    return str(place) if line is None else f"{place}: {line.strip()}"
