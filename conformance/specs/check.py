"""What the types of a spec file cannot say: names that must exist, rules that must make sense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.specs import rules
from conformance.specs.conventions import load_conventions
from conformance.specs.model import Spec, SpecFile
from conformance.specs.signature import Signature, parse

Problem = tuple[str, str]
"""The path of a node, such as `$.functions[3].shape`, and what is wrong there."""


def problems(file: SpecFile) -> Iterator[Problem]:
    """Everything wrong with a spec file whose types are right."""
    for index, spec in enumerate(file.functions):
        for check in (_signatures, _parameters, _rules, _conventions, _claims):
            yield from check(f"$.functions[{index}]", spec)


def _signatures(at: str, spec: Spec) -> Iterator[Problem]:
    for document, entry in spec.signatures.items():
        try:
            parse(entry.corrected or entry.text)
        except ValueError as error:
            yield f"{at}.signatures['{document}']", str(error)
    for edition, document in spec.editions.items():
        if document not in spec.signatures:
            yield f"{at}.editions", f"{edition} is bound to {document}, which has no signature here"


def _parameters(at: str, spec: Spec) -> Iterator[Problem]:
    known = set(spec.parameters)
    for document in set(spec.editions.values()):
        for parameter in _parse(spec, document).parameters:
            if spec.renamed.get(parameter.name, parameter.name) not in known:
                yield f"{at}.parameters", f"{document}'s {parameter.name!r} has no rule here"
    for name, rule in spec.parameters.items():
        of = getattr(rule, "of", None)
        if of is not None and of not in known:
            yield f"{at}.parameters.{name}", f"`of: {of}` names no parameter of {spec.name}"


def _parse(spec: Spec, document: str) -> Signature:
    entry = spec.signatures[document]  # type: ignore[index]
    return parse(entry.corrected or entry.text)


def _rules(at: str, spec: Spec) -> Iterator[Problem]:
    listed = [("shape", spec.shape)]
    listed += [("dtype", rule) for rule in spec.dtype.accept]
    listed += [("unsettled", u.when) for u in spec.unsettled]
    for where, rule in listed:
        for problem in _rule(rule, set(spec.parameters)):
            yield f"{at}.{where}", problem


def _rule(rule: Any, known: set[str]) -> Iterator[str]:
    if isinstance(rule, str) and rule not in known:
        yield f"{rule!r} is no parameter; a text is written [literal, {rule}]"
    if not isinstance(rule, list):
        return
    if not rule or rule[0] not in rules.operator_names():
        yield f"{rule!r} starts with no operator; one of {', '.join(rules.operator_names())}"
    elif rule[0] != "literal":
        for argument in rule[1:]:
            yield from _rule(argument, known)


def _conventions(at: str, spec: Spec) -> Iterator[Problem]:
    known = load_conventions()
    for index, unsettled in enumerate(spec.unsettled):
        if unsettled.convention not in known:
            yield (
                f"{at}.unsettled[{index}]",
                f"convention {unsettled.convention!r} is not in conventions.yaml",
            )


def _claims(at: str, spec: Spec) -> Iterator[Problem]:
    for edition, document in spec.editions.items():
        if not any(c.aspect == "value" and document in c.at for c in spec.claims):
            yield f"{at}.claims", f"no claim of {document} says what the value is ({edition})"
