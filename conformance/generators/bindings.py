"""How the tensors of a call are made: the bindings of a valid input."""

from __future__ import annotations

from conformance.editions import Edition, inputs_of, open_inputs_of
from conformance.program import Binding
from conformance.specs import Spec

BINDINGS = (
    Binding.PLACEHOLDER,
    Binding.VARIABLE,
    Binding.PLACEHOLDER_NONE,
    Binding.PLACEHOLDER,
    Binding.PLACEHOLDER_NONE,
    Binding.VARIABLE,
    Binding.PLACEHOLDER_NONE,
    Binding.PLACEHOLDER,
    Binding.CONSTANT,
)
"""Variables cost an initialisation and constants a new graph for every draw, so they are rarer."""


def offered_bindings(spec: Spec, edition: Edition) -> list[Binding]:
    """The bindings of a valid input, as often as they are wanted.

    An edition may lack some, may leave others open, and may document an error for a binding alone.
    """
    errors = [e for e in spec.errors if edition in e.editions and not e.parameters]
    excluded = {Binding(b) for error in errors for b in error.bindings}
    named = [b for b in BINDINGS if b in inputs_of(edition)]
    left_open = (Binding(b) for b in open_inputs_of(edition))
    only = {Binding(b) for b in spec.bindings} or {*Binding}
    return [b for b in (*named, *left_open) if b not in excluded and b in only]
