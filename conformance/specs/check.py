"""What the types of a spec file cannot say: names that must exist, rules that must make sense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conformance.editions import LINED_DOCUMENTS, Document, open_inputs_of
from conformance.program import Binding
from conformance.specs.conventions import load_conventions, taken, unknown
from conformance.specs.docstrings import docstring_sections, load_docstrings
from conformance.specs.errata import breaks_off, load_conflicts
from conformance.specs.kinds import FromDrawer, ParameterRule
from conformance.specs.model import Claim, Spec, SpecFile
from conformance.specs.records import NAMED_PROFILES
from conformance.specs.rule_check import Problem
from conformance.specs.signature import Signature, parse
from conformance.specs.written import SharedFile, WrittenFile

_NAMING = ("of", "axes", "starts", "rank", "vary", "axis", "logits", "data_format")
"""Fields of parameter rules that hold the name of another parameter."""


def problems(file: SpecFile) -> Iterator[Problem]:
    """Everything wrong with a file whose types and rules are right, names of rules written out."""
    names: set[str] = set()
    for index, spec in enumerate(file.functions):
        at = f"$.functions[{index}]"
        if spec.name in names:
            yield f"{at}.name", f"{spec.name} has a spec above; write one for each function"
        names.add(spec.name)
        for check in _CHECKS:
            yield from check(at, spec)


def shared_problems(file: SharedFile) -> Iterator[Problem]:
    """What is wrong with shared errors whose types are right."""
    names: set[str] = set()
    for index, error in enumerate(file.errors):
        at = f"$.errors[{index}]"
        if error.name in names:
            yield f"{at}.name", f"there is an error {error.name} already; choose another name"
        names.add(error.name)
        if error.convention is not None and error.convention not in load_conventions():
            yield f"{at}.convention", unknown(error.convention)


def unused_errors(file: SharedFile, written: Iterable[WrittenFile]) -> Iterator[Problem]:
    """Shared errors that no error case stands for."""
    specs = [spec for file_of_specs in written for spec in file_of_specs.functions]
    used = {error.name for spec in specs for error in spec.errors if not error.says}
    for index, error in enumerate(file.errors):
        if error.name not in used:
            yield f"$.errors[{index}].name", f"nothing uses the error {error.name}; remove it"


def _signatures(at: str, spec: Spec) -> Iterator[Problem]:
    for document, entry in spec.signatures.items():
        try:
            parse(entry.corrected or entry.text)
        except ValueError as error:
            yield f"{at}.signatures['{document}']", str(error)
        if (entry.line > 0) is not (document in LINED_DOCUMENTS):
            fault = "has no lines; remove `line`" if entry.line else "has lines; write the `line`"
            yield f"{at}.signatures['{document}']", f"{document} {fault}"
    for edition, document in spec.editions.items():
        if document not in spec.signatures:
            yield f"{at}.editions", f"{edition} is bound to {document}, which has no signature here"


def _parameters(at: str, spec: Spec) -> Iterator[Problem]:
    known = set(spec.parameters)
    for document in dict.fromkeys(spec.editions.values()):
        for parameter in _parse(spec, document).parameters:
            if spec.renamed.get(parameter.name, parameter.name) not in known:
                yield f"{at}.parameters", f"{document}'s {parameter.name!r} has no rule here"
    yield from _names(f"{at}.parameters", spec.parameters, spec)


def _names(at: str, parameters: Mapping[str, ParameterRule], spec: Spec) -> Iterator[Problem]:
    """What parameter rules say of other parameters."""
    for name, rule in parameters.items():
        here = f"{at}['{name}']"
        for field in _NAMING:
            named = getattr(rule, field, None)
            if named is not None and named not in spec.parameters:
                yield f"{here}.{field}", f"`{field}: {named}` names no parameter of {spec.name}"


def _parse(spec: Spec, document: Document) -> Signature:
    entry = spec.signatures[document]
    return parse(entry.corrected or entry.text)


def _bindings(at: str, spec: Spec) -> Iterator[Problem]:
    bindings = [str(b) for b in Binding]
    for index, binding in enumerate(spec.bindings):
        if binding not in bindings:
            yield f"{at}.bindings[{index}]", f"no binding {binding!r}; one of {bindings}"


def _errors(at: str, spec: Spec) -> Iterator[Problem]:
    bindings = [str(b) for b in Binding]
    for index, error in enumerate(spec.errors):
        if not error.says:
            yield f"{at}.errors[{index}].name", _no_shared_error(error.name)
        here = f"{at}.errors[{index}]"
        for name in sorted(error.parameters.keys() - spec.parameters.keys()):
            yield f"{here}.parameters['{name}']", f"{name!r} is no parameter of {spec.name}"
        yield from _names(f"{here}.parameters", error.parameters, spec)
        for i, binding in enumerate(error.bindings):
            if binding not in bindings:
                yield f"{here}.bindings[{i}]", f"no binding {binding!r}; one of {bindings}"


def _no_shared_error(name: str) -> str:
    return f"rules.yaml has no error {name!r}; write what the case says, or name one that it has"


def _profiles(at: str, spec: Spec) -> Iterator[Problem]:
    for where, profiles in _all_profiles(spec):
        for name in sorted(profiles.keys() - set(NAMED_PROFILES)):
            problem = f"no value profile {name!r}; one of {NAMED_PROFILES}"
            yield f"{at}.{where}['{name}']", problem


def _all_profiles(spec: Spec) -> Iterator[tuple[str, Mapping[str, str]]]:
    yield "profiles", spec.profiles
    yield from ((f"silent['{edition}']", profiles) for edition, profiles in spec.silent.items())


def _conventions(at: str, spec: Spec) -> Iterator[Problem]:
    named = [(f"unsettled[{i}].convention", u.convention) for i, u in enumerate(spec.unsettled)]
    named += [
        (f"errors[{i}].convention", e.convention) for i, e in enumerate(spec.errors) if e.convention
    ]
    named += [
        (f"results[{i}].convention", p.convention)
        for i, p in enumerate(spec.results)
        if p.convention
    ]
    named += [("arrangement", spec.arrangement)] if spec.arrangement else []
    for place, profiles in _all_profiles(spec):
        named += [(f"{place}['{profile}']", name) for profile, name in profiles.items()]
    for edition in spec.editions:
        left_open = open_inputs_of(edition).items()
        named += [(f"editions['{edition}'].open_inputs['{i}']", name) for i, name in left_open]
    for where, convention in named:
        if not convention:
            yield f"{at}.{where}", "write a convention, or name a rule that has one"
        elif convention not in load_conventions():
            yield f"{at}.{where}", unknown(convention)


def _claims(at: str, spec: Spec) -> Iterator[Problem]:
    for edition, document in spec.editions.items():
        needed = "value" if spec.dtype else None
        if document in _truncated_for(spec) or _says_nothing(document, spec.name):
            continue
        cites = (c for c in spec.claims if document in c.at or document in c.sections)
        if not any(needed in (None, c.aspect) for c in cites):
            yield f"{at}.claims", f"no claim of {document} says what the value is ({edition})"
    for i, claim in enumerate(spec.claims):
        yield from _claim(f"{at}.claims[{i}]", claim)
        if claim.parameter not in (None, *spec.parameters):
            named = ", ".join(spec.parameters)
            yield (
                f"{at}.claims[{i}].parameter",
                f"no parameter {claim.parameter!r}; there are: {named}",
            )


def _says_nothing(document: Document, function: str) -> bool:
    """Whether a function is listed and has no docstring, so that there is nothing to cite."""
    docstrings = load_docstrings(document) or {}
    return function in docstrings and not docstrings[function].sections


def _places(at: str, spec: Spec) -> Iterator[Problem]:
    """Lines or sections that are cited of a document that has none, or not these."""
    lines = [(f"claims[{i}]", claim.at) for i, claim in enumerate(spec.claims)]
    lines += [(f"errors[{i}]", error.at) for i, error in enumerate(spec.errors)]
    for where, cited in lines:
        for document in cited.keys() - {*LINED_DOCUMENTS}:
            here = f"{at}.{where}.at['{document}']"
            yield here, f"{document} has no lines; write `sections`"
    yield from _sections(at, spec)


def _sections(at: str, spec: Spec) -> Iterator[Problem]:
    cited = [(f"claims[{i}]", claim.sections) for i, claim in enumerate(spec.claims)]
    cited += [(f"errors[{i}]", error.sections) for i, error in enumerate(spec.errors)]
    for where, sections in cited:
        for document, section in sections.items():
            here = f"{at}.{where}.sections['{document}']"
            known = docstring_sections(document, spec.name)
            if document in LINED_DOCUMENTS:
                yield here, f"{document} has lines; write `at` and the line"
            elif known is not None and section not in known:
                named = ", ".join(known) or "none"
                yield here, f"no section {section!r} of {spec.name} in {document}; it has: {named}"


def _claim(at: str, claim: Claim) -> Iterator[Problem]:
    for document, line in claim.at.items():
        if (number := breaks_off(document, line)) is not None:
            says = f"the sentence on {document}:{line} breaks off ({number}): cite another line"
            yield f"{at}.at['{document}']", says
    known = {taken(c.name, r.name) for c in load_conventions().values() for r in c.readings}
    for reading in claim.rules_out:
        if reading not in known:
            yield f"{at}.rules_out", f"{reading!r} is no reading of a convention"


def _truncated_for(spec: Spec) -> set[Document]:
    """The documents whose sentence on this function breaks off, so that they may claim nothing."""
    numbers = {erratum.number for erratum in spec.errata}
    cut = (c.truncated for c in load_conflicts().values() if c.number in numbers)
    return {document for lines in cut for document in lines}


def _calls(at: str, spec: Spec) -> Iterator[Problem]:
    """`shape`, `dtype` and `accuracy` say together that single calls are made, or are absent."""
    present = [name for name in ("shape", "dtype", "accuracy") if getattr(spec, name) is not None]
    if present and len(present) < 3:
        yield (
            at,
            f"{spec.name} has {' and '.join(present)}; write shape, dtype and accuracy or none",
        )


def _drawer(at: str, spec: Spec) -> Iterator[Problem]:
    drawn = any(isinstance(rule, FromDrawer) for rule in spec.parameters.values())
    if drawn and not spec.draw:
        yield (
            f"{at}.parameters",
            "a parameter is `drawn`; write which drawer gives it: `draw: NAME`",
        )
    if spec.draw and not drawn:
        yield f"{at}.draw", f"no parameter is `drawn` by {spec.draw}; remove `draw`"
    for index, part in enumerate(spec.results):
        if part.count is not None and len(spec.results) > 1:
            yield f"{at}.results[{index}].count", "a member with `count` must stand alone"


_CHECKS = (
    _drawer,
    _bindings,
    _signatures,
    _parameters,
    _errors,
    _profiles,
    _conventions,
    _places,
    _claims,
    _calls,
)
