"""Features and their classes: what a structure shows of a function, one class for each feature."""

from __future__ import annotations

from functools import cache

from conformance.dtypes import is_floating
from conformance.generators.classes import (
    DTYPE,
    INTEGERS,
    PART,
    PASSING,
    Classes,
    View,
    of_parameter,
    passing,
)
from conformance.generators.defaults import mixtures
from conformance.generators.structure import Structure
from conformance.generators.tensors import classes
from conformance.specs import Spec, kinds
from conformance.specs.convention_names import ConventionName


def view(structure: Structure) -> View:
    """What is known of a structure."""
    runtime = structure.runtime
    return View(
        structure.spec.parameters,
        {item.name: item for item in structure.program.inputs},
        runtime.shapes,
        structure.domains,
        runtime.values,
        {name: structure.arguments[name] for name in structure.passed},
    )


def classes_of(structure: Structure) -> dict[str, str]:
    """The class of every feature of a structure."""
    seen = view(structure)
    features: dict[str, str] = {}
    for name, rule in seen.rules.items():
        if not isinstance(rule, kinds.Omitted):
            features |= of_parameter(seen, name)
    features |= of_call(structure)
    return features


def of_call(structure: Structure) -> dict[str, str]:
    """The classes that are decided when everything else is: how arguments are passed, and so on."""
    step = structure.program.steps[0]
    features = {PASSING: passing(step), **of_tensors(structure)}
    if structure.part is not None:
        features[PART] = structure.part.name
    free = {d for n, d in structure.runtime.dtypes.items() if not _own_dtypes(structure, n)}
    tried = structure.spec.dtypes.documented + structure.spec.dtypes.probed
    if len(tried) > 1 and len(free) == 1 and free <= {*tried}:
        (dtype,) = free
        integers = {INTEGERS: "yes"} if dtype in integers_of(structure.spec) else {}
        features |= {DTYPE: dtype, **integers}
    return features


@cache
def _integers(probed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dtype for dtype in probed if not is_floating(dtype))


def integers_of(spec: Spec) -> tuple[str, ...]:
    """The dtypes of integers, and of truth values, that a function is probed with."""
    return _integers(tuple(spec.dtypes.probed))


def of_tensors(structure: Structure) -> dict[str, str]:
    """How its tensors are made and passed."""
    mixed = ConventionName.MIXED_DTYPES in structure.unsettled
    dtypes = mixtures(structure.spec, structure.edition) if mixed else ()
    fixed = [name for name in structure.runtime.dtypes if _own_dtypes(structure, name)]
    return classes(structure.program.inputs, structure.arguments, mixed=dtypes, fixed=fixed)


def _own_dtypes(structure: Structure, name: str) -> bool:
    return bool(getattr(structure.spec.parameters.get(name), "dtypes", None))


def with_dtype(spec: Spec, demanded: Classes, turn: int) -> Classes:
    """The classes with one of the dtypes of integers, in turn, where any of them will do."""
    if INTEGERS not in demanded:
        return demanded
    dtypes = integers_of(spec)
    others = {feature: aim for feature, aim in demanded.items() if feature != INTEGERS}
    return {**others, DTYPE: dtypes[turn % len(dtypes)]}
