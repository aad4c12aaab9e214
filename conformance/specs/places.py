"""Where a document says something, as messages cite it: a line of a text, or a section of a
function's docstring."""

from __future__ import annotations

from conformance.specs.model import Claim, DocumentedSignature, ErrorCase


def places(function: str, rule: Claim | ErrorCase) -> dict[str, str]:
    """By document: `ko-2.2:2742`, or `keras.ops.dot: Returns`."""
    lines = {str(d): f"{d}:{line}" for d, line in rule.at.items()}
    sections = {str(d): section_of(function, section) for d, section in rule.sections.items()}
    return {**lines, **sections}


def section_of(function: str, section: str) -> str:
    """`keras.ops.dot: Returns`."""
    return f"{function}: {section}"


def place_of_signature(document: str, entry: DocumentedSignature) -> str:
    """`ko-2.2:2738`, or `keras-3.15.1` of a document that has no lines."""
    return f"{document}:{entry.line}" if entry.line else document
