"""Spec files with what they share written out: named rules, and error cases of one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from conformance.dtypes import is_floating
from conformance.editions import tried_in
from conformance.specs.kinds import ParameterRule
from conformance.specs.library import Library
from conformance.specs.model import (
    DtypeRule,
    Dtypes,
    ErrorCase,
    Part,
    SharedError,
    Spec,
    SpecFile,
    Unsettled,
)
from conformance.specs.rule_check import Problem, faults, used_in
from conformance.specs.written import SharedFile

RULES_OF_KINDS = ("below", "shape")
"""The fields of parameter kinds that hold rules."""


def written_rules(spec: Spec) -> Iterator[tuple[str, Any]]:
    """Each rule of a spec, with the path below the spec."""
    yield "shape", spec.shape
    accepted = spec.dtype.accept if spec.dtype else []
    yield from ((f"dtype.accept[{i}]", rule) for i, rule in enumerate(accepted))
    yield from ((f"unsettled[{i}].when", u.when) for i, u in enumerate(spec.unsettled))
    yield from ((f"results[{i}].shape", part.shape) for i, part in enumerate(spec.results))
    yield from ((f"results[{i}].when", part.when) for i, part in enumerate(spec.results))
    yield from ((f"results[{i}].count", part.count) for i, part in enumerate(spec.results))
    for i, part in enumerate(spec.results):
        of_part = part.dtype.accept if part.dtype else []
        yield from ((f"results[{i}].dtype.accept[{k}]", rule) for k, rule in enumerate(of_part))
    yield from _of_kinds("parameters", spec.parameters)
    for i, error in enumerate(spec.errors):
        yield from _of_kinds(f"errors[{i}].parameters", error.parameters)


def _of_kinds(at: str, parameters: Mapping[str, ParameterRule]) -> Iterator[tuple[str, Any]]:
    for name, kind in parameters.items():
        for field in RULES_OF_KINDS:
            if hasattr(kind, field):
                yield f"{at}['{name}'].{field}", getattr(kind, field)


ITEM = "item"
"""What rules call the place of the member, in a list, that a case looks at."""


def known_names(spec: Spec) -> set[str]:
    """The names that the rules of a spec may use."""
    in_lists = any(part.count is not None for part in spec.results)
    return {*spec.parameters, *([ITEM] if in_lists else [])}


def used_rules(files: Iterable[SpecFile | SharedFile]) -> set[str]:
    """The operators and named rules that files use, as they are written."""
    used: set[str] = set()
    for file in files:
        used.update(*(used_in(named.rule) for named in file.rules))
        for spec in file.functions if isinstance(file, SpecFile) else ():
            used.update(*(used_in(rule) for _, rule in written_rules(spec)))
    return used


def problems(file: SpecFile, library: Library) -> Iterator[Problem]:
    """Everything wrong with the rules of the functions, as they are written."""
    for index, spec in enumerate(file.functions):
        for path, rule in written_rules(spec):
            for problem in faults(rule, known_names(spec), library):
                yield f"$.functions[{index}].{path}", problem


def expanded(file: SpecFile, library: Library, shared: Mapping[str, SharedError]) -> SpecFile:
    """The file without names of rules. Its rules have no problems."""
    functions = [_expanded(spec, library, shared) for spec in file.functions]
    return replace(file, functions=functions)


def _expanded(spec: Spec, library: Library, shared: Mapping[str, SharedError]) -> Spec:
    errors = [_whole(error, shared) for error in spec.errors]
    return replace(
        spec,
        dtypes=_with_tried(spec),
        shape=library.expand(spec.shape),
        dtype=_dtype(spec.dtype, library),
        unsettled=[_case(case, library) for case in spec.unsettled],
        results=[_part(part, library) for part in spec.results],
        parameters=_parameters(spec.parameters, library),
        errors=[replace(e, parameters=_parameters(e.parameters, library)) for e in errors],
    )


FRACTIONS = "float-of"
"""The named rule of results that have fractions, whatever their tensors hold."""
_FIXED = "literal"
"""The rule of results whose dtype does not depend on their tensors."""
_TRUTH = "bool"
_INTEGERS = frozenset({"int32", "int64"})


def _with_tried(spec: Spec) -> Dtypes:
    """The dtypes of a spec with those that its edition tries each function with.

    That is each function with a tensor of floating numbers. One whose arguments a drawer draws is
    tried with all integers if its spec names one dtype of integers. Truth values are tried where a
    result of no drawer has fractions or a dtype of its own. Elsewhere a spec says so.
    """
    named = spec.dtypes
    floating = any(is_floating(dtype) for dtype in named.documented)
    if (
        spec.dtype is None
        or not floating
        or (spec.draw and not {"int32", "int64"} & {*named.probed})
    ):
        return named
    known: set[str] = {*named.documented, *named.probed, *named.untried}
    fractions = any(FRACTIONS in used_in(rule) for rule in spec.dtype.accept)
    own_dtype = all(rule[0] == _FIXED for rule in spec.dtype.accept)
    known |= set() if (fractions or own_dtype) and not spec.draw else {_TRUTH}
    tried = dict.fromkeys(dtype for e in spec.editions for dtype in tried_in(e))
    return replace(named, probed=[*named.probed, *(d for d in tried if d not in known)])


def _part(part: Part, library: Library) -> Part:
    return replace(
        part,
        shape=library.expand(part.shape),
        count=library.expand(part.count),
        when=library.expand(part.when),
        dtype=_dtype(part.dtype, library),
    )


def _dtype(rule: DtypeRule | None, library: Library) -> DtypeRule | None:
    accepted = [library.expand(dtype) for dtype in rule.accept] if rule else []
    return replace(rule, accept=accepted) if rule else None


def _case(case: Unsettled, library: Library) -> Unsettled:
    named = library.named(case.when)
    return replace(
        case,
        when=library.expand(case.when),
        convention=case.convention or (named and named.convention) or "",
        says=case.says or library.sentence(case.when),
    )


def _parameters(
    parameters: Mapping[str, ParameterRule], library: Library
) -> dict[str, ParameterRule]:
    return {name: _kind(kind, library) for name, kind in parameters.items()}


def _kind(kind: ParameterRule, library: Library) -> ParameterRule:
    fields = [field for field in RULES_OF_KINDS if hasattr(kind, field)]
    if not fields:
        return kind
    return replace(kind, **{field: library.expand(getattr(kind, field)) for field in fields})


def _whole(error: ErrorCase, shared: Mapping[str, SharedError]) -> ErrorCase:
    """An error case with what it does not write, if the shared one of its name has it."""
    if error.says or error.name not in shared:
        return error
    common = shared[error.name]
    return replace(
        error,
        says=common.says,
        exception=common.exception,
        convention=error.convention or common.convention,
        parameters=error.parameters or common.parameters,
    )
