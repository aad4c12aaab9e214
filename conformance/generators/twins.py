"""Twins: the same call with tensors of a documented dtype, or with tensors made in another way.

A failure is put down to a dtype or to a binding only if the twin without it does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import methodcaller

from conformance.generators.bindings import offered_bindings
from conformance.generators.open_inputs import left_open
from conformance.generators.structure import Structure
from conformance.generators.tensors import references
from conformance.program import Binding, Input, Layout, Program
from conformance.program.model import AS_THEY_ARE
from conformance.specs.convention_names import ConventionName
from conformance.specs.rules import Scope


def with_first_dtype(structure: Structure) -> Structure | None:
    """The call with the dtype in which the documents compute; None if it has no other.

    Tensors whose own dtypes a spec names keep theirs, if they have one of those. Arguments that fit
    only the dtype of their tensor (`tied`) would make another call.
    """
    if structure.spec.dtypes.tied:
        return None
    wanted = {n: _first(structure, n, dtype) for n, dtype in structure.runtime.dtypes.items()}
    changed = {n: d for n, d in wanted.items() if d != structure.runtime.dtypes[n]}
    if not changed or structure.claimed != "result" or structure.error is not None:
        return None
    dtypes = {ref: d for n, d in wanted.items() for ref in references(structure.arguments.get(n))}
    program = _with_inputs(structure.program, lambda i: _of_dtype(i, dtypes))
    return with_program(structure, program, changed)


def _first(structure: Structure, name: str, dtype: str) -> str:
    """The dtype in which the documents have the tensor of this dtype."""
    own = getattr(structure.spec.parameters.get(name), "dtypes", None)
    if own:
        return dtype if dtype in own else str(own[0])
    return structure.spec.dtypes.documented[0]


def rebound(structure: Structure) -> Iterator[Structure]:
    """The call with all its tensors made in one way, for each way that it is not made in already.

    Structures that keep the dimensions known come first. The last ones give plain arrays, if some
    were not.
    """
    if structure.claimed != "result" or structure.error is not None:
        return
    if ConventionName.COMPILED_CALL in structure.unsettled:
        return  # compiled calls are of the backend's own tensors
    tensors = [i for i in structure.program.inputs if i.binding not in AS_THEY_ARE]
    offered = {*offered_bindings(structure.spec, structure.edition)}
    for binding in _WAYS:
        if binding in offered and any(i.binding is not binding for i in tensors):
            program = _with_inputs(structure.program, methodcaller("bound", binding))
            yield with_program(structure, program, {})
    if any(i.layout is not Layout.C for i in tensors):
        plain = _plain(structure)
        yield plain
        yield from rebound(plain)


def _plain(structure: Structure) -> Structure:
    """The call with arrays that lie in memory row by row."""
    program = _with_inputs(structure.program, lambda i: replace(i, layout=Layout.C))
    unsettled = tuple(u for u in structure.unsettled if u != ConventionName.MEMORY_LAYOUT)
    return replace(structure, program=program, unsettled=unsettled)


_OF_DTYPES = (ConventionName.INPUT_DTYPE, ConventionName.MIXED_DTYPES)
"""What a call does not rest on if all its tensors have documented dtypes, one for all."""
_WAYS = (Binding.VARIABLE, Binding.PLACEHOLDER, Binding.CONSTANT, Binding.PLACEHOLDER_NONE)


def _with_inputs(program: Program, change: Callable[[Input], Input]) -> Program:
    return replace(program, inputs=tuple(map(change, program.inputs)))


def _of_dtype(item: Input, dtypes: Mapping[str, str]) -> Input:
    return item.of_dtype(dtypes[item.name]) if item.name in dtypes else item


def of_constants(program: Program) -> Program:
    """The program with a tensor of the backend, made at once, for each of its inputs."""
    return _with_inputs(program, _constant)


def _constant(item: Input) -> Input:
    if item.binding in AS_THEY_ARE:
        return replace(item, binding=Binding.CONSTANT, arguments=None)
    return item.bound(Binding.CONSTANT)


def with_program(structure: Structure, program: Program, dtypes: Mapping[str, str]) -> Structure:
    """The structure with another program of the same shapes."""
    known = {i.name: i.static_shape for i in program.inputs}
    shapes = dict(structure.static.shapes)
    for name, value in structure.arguments.items():
        listed = [known[ref] for ref in references(value)]
        if name in shapes and listed:
            shapes[name] = listed if isinstance(value, list | tuple) else listed[0]
    runtime = _with_dtypes(structure.runtime, dtypes)
    static = replace(_with_dtypes(structure.static, dtypes), shapes=shapes)
    before = left_open(structure.program.inputs, structure.spec, structure.edition)
    gone = before - left_open(program.inputs, structure.spec, structure.edition)
    gone |= {*_OF_DTYPES} if dtypes else set()
    unsettled = tuple(u for u in structure.unsettled if u not in gone)
    return replace(structure, program=program, runtime=runtime, static=static, unsettled=unsettled)


def _with_dtypes(scope: Scope, dtypes: Mapping[str, str]) -> Scope:
    return replace(scope, dtypes={**scope.dtypes, **dtypes}) if dtypes else scope
