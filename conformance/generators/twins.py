"""Twins: the same call with tensors of a documented dtype, or with tensors made in another way.

A failure is put down to a dtype or to a binding only if the twin without it does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import methodcaller

from conformance.generators.calls import offered_bindings
from conformance.generators.structure import Structure
from conformance.generators.tensors import references
from conformance.program import Binding, Input, Layout, Program
from conformance.specs.convention_names import ConventionName
from conformance.specs.rules import Scope


def with_first_dtype(structure: Structure) -> Structure | None:
    """The call with the dtype in which the documents compute; None if it has no other.

    Tensors whose own dtypes a spec names keep theirs.
    """
    first, rules = structure.spec.dtypes.documented[0], structure.spec.parameters
    changed = {
        name
        for name, dtype in structure.runtime.dtypes.items()
        if dtype != first and not getattr(rules.get(name), "dtypes", None)
    }
    if not changed or structure.claimed != "result" or structure.error is not None:
        return None
    inputs = {ref for name in changed for ref in references(structure.arguments.get(name))}
    program = _with_inputs(structure.program, lambda i: _of_dtype(i, first, inputs))
    return _made(structure, program, dict.fromkeys(changed, first))


def rebound(structure: Structure) -> Iterator[Structure]:
    """The call with all its tensors made in one way, for each way that it is not made in already.

    Structures that keep the dimensions known come first. The last ones give plain arrays, if some
    were not.
    """
    if structure.claimed != "result" or structure.error is not None:
        return
    tensors = [i for i in structure.program.inputs if i.binding is not Binding.ARRAY]
    offered = {*offered_bindings(structure.spec, structure.edition)}
    for binding in _WAYS:
        if binding in offered and any(i.binding is not binding for i in tensors):
            program = _with_inputs(structure.program, methodcaller("bound", binding))
            yield _made(structure, program, {})
    if any(i.layout is not Layout.C for i in tensors):
        plain = _plain(structure)
        yield plain
        yield from rebound(plain)


def _plain(structure: Structure) -> Structure:
    """The call with arrays that lie in memory row by row."""
    program = _with_inputs(structure.program, lambda i: replace(i, layout=Layout.C))
    unsettled = tuple(u for u in structure.unsettled if u != ConventionName.MEMORY_LAYOUT)
    return replace(structure, program=program, unsettled=unsettled)


_WAYS = (Binding.VARIABLE, Binding.PLACEHOLDER, Binding.CONSTANT, Binding.PLACEHOLDER_NONE)


def _with_inputs(program: Program, change: Callable[[Input], Input]) -> Program:
    return replace(program, inputs=tuple(map(change, program.inputs)))


def _of_dtype(item: Input, dtype: str, names: set[str]) -> Input:
    if item.name not in names:
        return item
    told = item.arguments and tuple((n, dtype if n == "dtype" else v) for n, v in item.arguments)
    return replace(item, dtype=dtype, arguments=told)


def _made(structure: Structure, program: Program, dtypes: Mapping[str, str]) -> Structure:
    """The structure with another program of the same shapes."""
    known = {i.name: i.static_shape for i in program.inputs}
    shapes = dict(structure.static.shapes)
    for name, value in structure.arguments.items():
        listed = [known[ref] for ref in references(value)]
        if name in shapes and listed:
            shapes[name] = listed if isinstance(value, list) else listed[0]
    runtime = _with_dtypes(structure.runtime, dtypes)
    static = replace(_with_dtypes(structure.static, dtypes), shapes=shapes)
    unsettled = tuple(
        u for u in structure.unsettled if not dtypes or u != ConventionName.INPUT_DTYPE
    )
    return replace(structure, program=program, runtime=runtime, static=static, unsettled=unsettled)


def _with_dtypes(scope: Scope, dtypes: Mapping[str, str]) -> Scope:
    return replace(scope, dtypes={**scope.dtypes, **dtypes}) if dtypes else scope
