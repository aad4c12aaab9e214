"""Features and their classes: what a structure shows of a function, one class for each feature."""

from __future__ import annotations

from conformance.generators.calls import mixtures
from conformance.generators.classes import DTYPE, PART, PASSING, View, of_parameter, passing
from conformance.generators.structure import Structure
from conformance.generators.tensors import classes
from conformance.specs import kinds
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
    found: dict[str, str] = {}
    for name, rule in seen.rules.items():
        if not isinstance(rule, kinds.Omitted):
            found |= of_parameter(seen, name)
    found |= of_call(structure)
    return found


def of_call(structure: Structure) -> dict[str, str]:
    """The classes that are decided when everything else is: how arguments are passed, and so on."""
    step = structure.program.steps[0]
    found = {PASSING: passing(step), **of_tensors(structure)}
    if structure.part is not None:
        found[PART] = structure.part.name
    free = {d for n, d in structure.runtime.dtypes.items() if not _own_dtypes(structure, n)}
    listed = structure.spec.dtypes.documented + structure.spec.dtypes.probed
    if len(listed) > 1 and len(free) == 1 and free <= {*listed}:
        found[DTYPE] = free.pop()
    return found


def of_tensors(structure: Structure) -> dict[str, str]:
    """How its tensors are made and passed."""
    mixed = ConventionName.MIXED_DTYPES in structure.unsettled
    listed = mixtures(structure.spec, structure.edition) if mixed else ()
    return classes(structure.program.inputs, structure.arguments, mixed=listed)


def _own_dtypes(structure: Structure, name: str) -> bool:
    return bool(getattr(structure.spec.parameters.get(name), "dtypes", None))
