"""Every family of scenarios: the one place where a module of scenarios is registered."""

from __future__ import annotations

from functools import cache

from conformance.editions import Edition
from conformance.scenarios.configuration import (
    file_effects,
    keras_config,
    keras_json,
    process_settings,
)
from conformance.scenarios.contract import backend, scopes
from conformance.scenarios.contract import recurrent as contract_recurrent
from conformance.scenarios.contract import variables as contract_variables
from conformance.scenarios.control_flow import (
    conditions,
    higher_order,
    keras_branches,
    keras_derivatives,
    keras_loops,
    recurrent,
)
from conformance.scenarios.ctc import cost, decoding, dictionary, sparse_labels
from conformance.scenarios.examples import docstring_results, printed_results
from conformance.scenarios.gradients import gradients, half_precision, through, zeros
from conformance.scenarios.introspection import keras_tensors, printing, sparse, tensors
from conformance.scenarios.model import Family
from conformance.scenarios.promises import (
    activated,
    arguments,
    containers,
    creation,
    forms,
    images,
    keras_arguments,
    keras_axes,
    keras_calls,
    keras_containers,
    keras_edges,
    keras_empties,
    keras_forms,
    keras_lengths,
    keras_numbers,
    keras_refusals,
    keras_shapes,
    keras_sparse,
    keras_symbols,
    keras_windows,
    names,
)
from conformance.scenarios.randomness import (
    dropout,
    edge_seeds,
    elastic,
    keras_choices,
    keras_random,
    random_tensors,
)
from conformance.scenarios.state import refusals, sessions, updates, variables

FAMILIES: tuple[Family, ...] = (
    *process_settings.FAMILIES,
    *keras_json.FAMILIES,
    *file_effects.FAMILIES,
    *tensors.FAMILIES,
    *printed_results.FAMILIES,
    *docstring_results.FAMILIES,
    *cost.FAMILIES,
    *sparse_labels.FAMILIES,
    *decoding.FAMILIES,
    *dictionary.FAMILIES,
    *sparse.FAMILIES,
    *gradients.FAMILIES,
    *half_precision.FAMILIES,
    *zeros.FAMILIES,
    *through.FAMILIES,
    *dropout.FAMILIES,
    *random_tensors.FAMILIES,
    *keras_random.FAMILIES,
    *keras_choices.FAMILIES,
    *edge_seeds.FAMILIES,
    *elastic.FAMILIES,
    *keras_config.FAMILIES,
    *variables.FAMILIES,
    *updates.FAMILIES,
    *sessions.FAMILIES,
    *printing.FAMILIES,
    *refusals.FAMILIES,
    *recurrent.FAMILIES,
    *conditions.FAMILIES,
    *higher_order.FAMILIES,
    *images.FAMILIES,
    *containers.FAMILIES,
    *creation.FAMILIES,
    *names.FAMILIES,
    *arguments.FAMILIES,
    *forms.FAMILIES,
    *activated.FAMILIES,
    *keras_arguments.FAMILIES,
    *keras_axes.FAMILIES,
    *keras_windows.FAMILIES,
    *keras_containers.FAMILIES,
    *keras_edges.FAMILIES,
    *keras_calls.FAMILIES,
    *keras_empties.FAMILIES,
    *keras_numbers.FAMILIES,
    *keras_lengths.FAMILIES,
    *keras_shapes.FAMILIES,
    *keras_sparse.FAMILIES,
    *keras_refusals.FAMILIES,
    *keras_symbols.FAMILIES,
    *keras_forms.FAMILIES,
    *keras_branches.FAMILIES,
    *keras_loops.FAMILIES,
    *keras_tensors.FAMILIES,
    *keras_derivatives.FAMILIES,
    *contract_variables.FAMILIES,
    *scopes.FAMILIES,
    *contract_recurrent.FAMILIES,
    *backend.FAMILIES,
)
"""The families of one function are run in this order."""


@cache
def _by_function() -> dict[str, tuple[Family, ...]]:
    families: dict[str, list[Family]] = {}
    for family in FAMILIES:
        families.setdefault(family.function, []).append(family)
    return {name: tuple(of_name) for name, of_name in families.items()}


def families_of(function: str, edition: Edition) -> tuple[Family, ...]:
    """The families of a function that an edition has."""
    return tuple(f for f in _by_function().get(function, ()) if edition in f.editions)
