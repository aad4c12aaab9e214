"""Every family of scenarios: the one place where a module of scenarios is registered."""

from __future__ import annotations

from functools import cache

from conformance.editions import Edition
from conformance.scenarios.configuration import file_effects, keras_json, process_settings
from conformance.scenarios.control_flow import conditions, higher_order, recurrent
from conformance.scenarios.ctc import cost, decoding, dictionary, sparse_labels
from conformance.scenarios.examples import printed_results
from conformance.scenarios.gradients import gradients, through
from conformance.scenarios.introspection import casts, emptiness, printing, sparse, tensors
from conformance.scenarios.model import Family
from conformance.scenarios.operations import (
    branches,
    casting,
    colours,
    complexes,
    conversions,
    derivatives,
    factors,
    filters,
    loops,
    matrices,
    patches,
    pictures,
    pieces,
    places,
    planes,
    quantiles,
    ranges,
    sampling,
    sequences,
    sizes,
    spectra,
    tolerances,
    totals,
    uniques,
)
from conformance.scenarios.promises import (
    activated,
    arguments,
    batches,
    biases,
    containers,
    creation,
    forms,
    names,
)
from conformance.scenarios.randomness import dropout, keras_choices, keras_random, random_tensors
from conformance.scenarios.state import refusals, sessions, updates, variables

FAMILIES: tuple[Family, ...] = (
    *process_settings.FAMILIES,
    *keras_json.FAMILIES,
    *file_effects.FAMILIES,
    *tensors.FAMILIES,
    *casts.FAMILIES,
    *printed_results.FAMILIES,
    *cost.FAMILIES,
    *sparse_labels.FAMILIES,
    *decoding.FAMILIES,
    *dictionary.FAMILIES,
    *sparse.FAMILIES,
    *emptiness.FAMILIES,
    *gradients.FAMILIES,
    *through.FAMILIES,
    *dropout.FAMILIES,
    *random_tensors.FAMILIES,
    *keras_random.FAMILIES,
    *keras_choices.FAMILIES,
    *variables.FAMILIES,
    *updates.FAMILIES,
    *sessions.FAMILIES,
    *printing.FAMILIES,
    *refusals.FAMILIES,
    *recurrent.FAMILIES,
    *conditions.FAMILIES,
    *higher_order.FAMILIES,
    *batches.FAMILIES,
    *biases.FAMILIES,
    *containers.FAMILIES,
    *creation.FAMILIES,
    *names.FAMILIES,
    *arguments.FAMILIES,
    *forms.FAMILIES,
    *activated.FAMILIES,
    *pieces.FAMILIES,
    *places.FAMILIES,
    *planes.FAMILIES,
    *tolerances.FAMILIES,
    *uniques.FAMILIES,
    *matrices.FAMILIES,
    *pictures.FAMILIES,
    *colours.FAMILIES,
    *patches.FAMILIES,
    *sampling.FAMILIES,
    *filters.FAMILIES,
    *sizes.FAMILIES,
    *branches.FAMILIES,
    *loops.FAMILIES,
    *conversions.FAMILIES,
    *spectra.FAMILIES,
    *ranges.FAMILIES,
    *quantiles.FAMILIES,
    *totals.FAMILIES,
    *complexes.FAMILIES,
    *factors.FAMILIES,
    *derivatives.FAMILIES,
    *casting.FAMILIES,
    *sequences.FAMILIES,
)
"""The families of one function are run in this order."""


@cache
def _by_function() -> dict[str, tuple[Family, ...]]:
    found: dict[str, list[Family]] = {}
    for family in FAMILIES:
        found.setdefault(family.function, []).append(family)
    return {name: tuple(listed) for name, listed in found.items()}


def families_of(function: str, edition: Edition) -> tuple[Family, ...]:
    """The families of a function that an edition has."""
    return tuple(f for f in _by_function().get(function, ()) if edition in f.editions)
