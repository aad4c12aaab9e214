"""Every family of scenarios, by function."""

from __future__ import annotations

from functools import cache

from conformance.scenarios import (
    configuration,
    control_flow,
    ctc,
    ctc_decoding,
    ctc_dictionary,
    dropout,
    examples,
    gradients,
    higher_order,
    introspection,
    keras_json,
    printing,
    randomness,
    recurrent,
    refusals,
    sessions,
    sparse,
    state,
    updates,
)
from conformance.scenarios.model import Family

MODULES: tuple[tuple[Family, ...], ...] = (
    configuration.FAMILIES,
    keras_json.FAMILIES,
    introspection.FAMILIES,
    examples.FAMILIES,
    ctc.FAMILIES,
    ctc_decoding.FAMILIES,
    ctc_dictionary.FAMILIES,
    sparse.FAMILIES,
    gradients.FAMILIES,
    dropout.FAMILIES,
    randomness.FAMILIES,
    state.FAMILIES,
    updates.FAMILIES,
    sessions.FAMILIES,
    printing.FAMILIES,
    refusals.FAMILIES,
    recurrent.FAMILIES,
    control_flow.FAMILIES,
    higher_order.FAMILIES,
)
"""What each module of scenarios offers: its `FAMILIES`."""


@cache
def _by_function() -> dict[str, tuple[Family, ...]]:
    found: dict[str, list[Family]] = {}
    for families in MODULES:
        for family in families:
            found.setdefault(family.function, []).append(family)
    return {name: tuple(listed) for name, listed in found.items()}


def families_of(function: str, edition: str) -> tuple[Family, ...]:
    """The families of a function that an edition has."""
    return tuple(f for f in _by_function().get(function, ()) if edition in f.editions)
