"""Inputs that people give, and that the document of an edition names nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.editions import Edition, open_inputs_of
from conformance.program import Argument, Binding, Input, Made
from conformance.specs import Spec, kinds
from conformance.specs.conventions import taken
from conformance.specs.load import ruled_out

REFUSED = "refused"
_NAMES = {
    Binding.VARIABLE: re.compile(r"\bVariable\b"),
    Binding.ARRAY: re.compile(r"\b(?:ndarray|array|NumPy|numpy)\b"),
    Binding.PYTHON: re.compile(r"\b(?:list|float|int|bool)\b"),
}
"""What a message calls them."""


def left_open(inputs: Iterable[Input], spec: Spec, edition: Edition) -> frozenset[str]:
    """The conventions on which a call with these inputs rests because of how they are made.

    None for a parameter that takes a value and no tensor, nor where a claim of the spec says that
    such an input is taken.
    """
    known, settled = open_inputs_of(edition), ruled_out(spec, edition)
    rules = spec.parameters
    given = (i for i in inputs if not isinstance(rules.get(i.name), kinds.ValueKind))
    named = (known[i.binding] for i in given if i.binding in known)
    return frozenset(name for name in named if taken(name, REFUSED) not in settled)


def left_open_numbers(arguments: Iterable[Argument], edition: Edition) -> frozenset[str]:
    """The conventions on which a call rests because a variable holds the integers of an argument,
    such as a shape."""
    held = any(isinstance(value, Made) and value.kind == "variable" for value in arguments)
    named = open_inputs_of(edition).get(Binding.VARIABLE)
    return frozenset([named] if held and named is not None else [])


def promised_inputs(
    inputs: Iterable[Input], spec: Spec, edition: Edition, message: str
) -> dict[str, str]:
    """The section of each document that says that the function takes what an exception's message
    names, if one of the inputs is made so."""
    known = open_inputs_of(edition)
    named = {b for b, name in _NAMES.items() if b in known and name.search(message)}
    made = {taken(known[i.binding], REFUSED) for i in inputs if i.binding in named}
    claims = (c for c in spec.claims if not made.isdisjoint(c.rules_out))
    return {document: section for c in claims for document, section in c.sections.items()}
