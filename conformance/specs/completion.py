"""Whole specs from written ones: what a reader need not write comes from documents and patterns.

* Signature, editions and names of parameters come from the data of the documents, where a spec has
  no `signatures`. Its summary is then also its claim about the value.
* Every other field that is left out comes from the pattern that the spec names with `like`. A
  pattern may have a pattern itself. Parameters replace those of the pattern one by one, open cases
  are added to its own.
* A parameter without a rule comes from the drawer, if there is one. It is omitted, if there are no
  single calls. It is a truth value, if its default is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from conformance.editions import Document, Edition, edition_files
from conformance.near_names import proposal
from conformance.specs.docstrings import load_docstrings
from conformance.specs.kinds import Boolean, FromDrawer, Omitted, ParameterRule
from conformance.specs.model import Claim, DocumentedSignature, Dtypes, Spec, SpecFile, Unsettled
from conformance.specs.rule_check import Problem
from conformance.specs.signature import Parameter, parse
from conformance.specs.written import (
    ClaimEntry,
    Defaults,
    OpenCase,
    Pattern,
    WrittenFile,
    WrittenSpec,
)

Patterns = Mapping[str, Pattern]

BY_SCENARIOS = Omitted(why="scenarios pass it")
"""The rule of each parameter of a function without single calls."""
_PLACE = re.compile(r"\$\.functions\[(?P<index>\d+)\]\.(?P<part>.+)", re.DOTALL)
_FIELD = re.compile(r"(\w+)(?:\[(?:(\d+)|'([^']*)')\])?")


def problems(file: WrittenFile, patterns: Patterns) -> Iterator[Problem]:
    """Parts that a file leaves out and nothing gives."""
    for index, spec in enumerate(file.functions):
        at = f"$.functions[{index}]"
        if spec.like and spec.like not in patterns:
            says = f"rules.yaml has no pattern {spec.like!r}; {proposal(spec.like, patterns)}"
            yield f"{at}.like", says
        if spec.signatures and not spec.editions:
            yield f"{at}.signatures", "also write `editions`: the document that binds each edition"
        if not spec.signatures and not _docstrings(spec.name):
            says = f"no list of docstrings has {spec.name}; write `signatures` and `editions`"
            yield f"{at}.name", says


def pattern_problems(patterns: Sequence[Pattern]) -> Iterator[Problem]:
    """Mistakes in the patterns of `rules.yaml`: each may only be like one above it."""
    names: set[str] = set()
    for index, pattern in enumerate(patterns):
        at = f"$.patterns[{index}]"
        if pattern.name in names:
            yield f"{at}.name", f"there is a pattern {pattern.name} already; choose another name"
        if pattern.like and pattern.like not in names:
            yield f"{at}.like", f"no pattern {pattern.like!r} stands above"
        names.add(pattern.name)


def unused_patterns(patterns: Sequence[Pattern], files: Sequence[WrittenFile]) -> Iterator[Problem]:
    """Patterns that no spec and no other pattern names."""
    used = {spec.like for file in files for spec in file.functions}
    used |= {pattern.like for pattern in patterns}
    for index, pattern in enumerate(patterns):
        if pattern.name not in used:
            yield f"$.patterns[{index}].name", f"nothing uses the pattern {pattern.name}; remove it"


def completed(file: WrittenFile, patterns: Patterns) -> SpecFile:
    """The whole specs of a file that has no problems."""
    functions = [_Entry(spec, patterns).whole() for spec in file.functions]
    return SpecFile(theme=file.theme, rules=file.rules, functions=functions)


def written_path(path: str, file: WrittenFile, patterns: Patterns) -> str:
    """The path in a written file of a part that has the other path in the whole specs."""
    place = _PLACE.fullmatch(path)
    if place is None:
        return path
    entry = _Entry(file.functions[int(place["index"])], patterns)
    return f"$.functions[{place['index']}].{entry.written_part(place['part'])}"


@dataclass(frozen=True)
class _Entry:
    """A written spec, with the parts that documents and patterns give."""

    spec: WrittenSpec
    patterns: Patterns

    def whole(self) -> Spec:
        """The whole spec."""
        spec, own = self.spec, self._with_pattern
        return Spec(
            name=spec.name,
            oracle=spec.oracle or self._last_name,
            summary=spec.summary,
            signatures=self._signatures,
            editions=self._editions,
            draw=spec.draw,
            parameters=self._parameters,
            renamed=self._renamed,
            dtypes=own.dtypes or Dtypes(),
            shape=own.shape,
            arrangement=spec.arrangement,
            dtype=own.dtype,
            accuracy=own.accuracy,
            results=spec.results,
            unique=spec.unique,
            triples=spec.triples,
            differentiable=self._is_called if own.differentiable is None else own.differentiable,
            claims=self._claims,
            errors=[error.complete(self._editions) for error in spec.errors],
            errata=spec.errata,
            unsettled=[_open(case) for case in own.unsettled],
            bindings=spec.bindings,
            profiles=spec.profiles,
            silent=spec.silent,
        )

    def written_part(self, part: str) -> str:
        """The path below the written spec of a part with this path below the whole one.

        A part of a pattern stands where the pattern is named, and the claim of a summary at the
        summary.
        """
        name, number, key = _FIELD.match(part).groups()  # type: ignore[union-attr]
        if name == "claims" and number and self._claims_summary:
            place = int(number) - 1
            return "summary" if place < 0 else part.replace(number, str(place), 1)
        if name == "unsettled" and number:
            place = int(number) - len(self._pattern.unsettled)
            return "like" if place < 0 else part.replace(number, str(place), 1)
        return "like" if self._is_of_pattern(name, key) else part

    def _is_of_pattern(self, field: str, parameter: str | None) -> bool:
        """Whether the pattern alone gives a field, or the rule of a parameter."""
        if field == "parameters":
            return parameter in self._pattern.parameters and parameter not in self.spec.parameters
        own, above = (getattr(d, field, None) for d in (self.spec, self._pattern))
        return own is None and above is not None

    @cached_property
    def _pattern(self) -> Defaults:
        """The fields that the pattern gives."""
        return _chosen(self.patterns[self.spec.like], self.patterns) if self.spec.like else _NOTHING

    @cached_property
    def _with_pattern(self) -> Defaults:
        return _over(self._pattern, self.spec)

    @cached_property
    def _is_called(self) -> bool:
        """Whether single calls are made of the function."""
        own = self._with_pattern
        return any(field is not None for field in (own.shape, own.dtype, own.accuracy))

    @property
    def _is_listed(self) -> bool:
        """Whether signature and editions come from the data of documents."""
        return not self.spec.signatures

    @property
    def _last_name(self) -> str:
        return self.spec.name.rpartition(".")[2] if self._is_listed and self._is_called else ""

    @cached_property
    def _signatures(self) -> dict[Document, DocumentedSignature]:
        if not self._is_listed:
            return self.spec.signatures
        docstrings = _docstrings(self.spec.name)
        return {document: signature for document, (_, signature) in docstrings.items()}

    @cached_property
    def _editions(self) -> dict[Edition, Document]:
        """The first document of each edition binds it."""
        editions: dict[Edition, Document] = {}
        for document, (edition, _) in _docstrings(self.spec.name).items():
            editions.setdefault(edition, document)
        return editions if self._is_listed else self.spec.editions

    @cached_property
    def _printed(self) -> tuple[Parameter, ...]:
        """The parameters in the signature of the first document."""
        return parse(next(iter(self._signatures.values())).text).every

    @cached_property
    def _renamed(self) -> dict[str, str]:
        """Names in documents to those in the spec. A pattern names parameters by their places."""
        if not self._is_listed:
            return self.spec.renamed
        names = [parameter.name for parameter in self._printed]
        of_pattern = self._pattern.parameters
        pairs = zip(names, of_pattern, strict=False)
        by_place = {n: p for n, p in pairs if p not in names and n not in of_pattern}
        return {**by_place, **self.spec.renamed}

    @property
    def _parameters(self) -> dict[str, ParameterRule]:
        """The rule of each parameter, in the order of the signature, or in that of the spec if it
        writes all of them."""
        rules = self._with_pattern.parameters
        if not self._is_listed:
            return rules
        names = {self._renamed.get(p.name, p.name): p for p in self._printed}
        every = {name: rules.get(name) or self._unwritten(p) for name, p in names.items()}
        known = {name: rule for name, rule in every.items() if rule is not None}
        if known.keys() <= self.spec.parameters.keys():
            return self.spec.parameters
        return {**known, **{name: rule for name, rule in rules.items() if name not in known}}

    def _unwritten(self, parameter: Parameter) -> ParameterRule | None:
        """The rule of a parameter that spec and pattern leave out; None if it needs one."""
        if not self._is_called:
            return BY_SCENARIOS
        if parameter == parse(next(iter(self._signatures.values())).text).keywords:
            return None
        if self.spec.draw:
            return FromDrawer()
        return Boolean() if parameter.default in ("True", "False") else None

    @property
    def _claims_summary(self) -> bool:
        """Whether the summary is a claim about the value."""
        return self._is_listed and self.spec.section is not None

    @property
    def _claims(self) -> list[Claim]:
        documents = list(self._editions.values())
        spec = self.spec
        first = ClaimEntry(
            aspect="value",
            says=spec.says or spec.summary,
            section=spec.section,
            rules_out=spec.rules_out,
        )
        claims = [first, *spec.claims] if self._claims_summary else spec.claims
        return [claim.complete(documents) for claim in claims]


_NOTHING = Defaults()


def _chosen(written: Defaults, patterns: Patterns) -> Defaults:
    """The fields of a pattern, with those of the patterns that it is like."""
    above = _chosen(patterns[written.like], patterns) if written.like else _NOTHING
    return _over(above, written)


def _over(pattern: Defaults, written: Defaults) -> Defaults:
    """The written fields, and those of a pattern for the rest."""
    differentiable = written.differentiable
    return Defaults(
        parameters={**pattern.parameters, **written.parameters},
        dtypes=written.dtypes or pattern.dtypes,
        shape=pattern.shape if written.shape is None else written.shape,
        dtype=written.dtype or pattern.dtype,
        accuracy=written.accuracy or pattern.accuracy,
        differentiable=pattern.differentiable if differentiable is None else differentiable,
        unsettled=[*pattern.unsettled, *written.unsettled],
    )


def _open(case: OpenCase) -> Unsettled:
    return case if isinstance(case, Unsettled) else Unsettled(when=case)


@cache
def _docstrings(name: str) -> Mapping[Document, tuple[Edition, DocumentedSignature]]:
    """Each document whose data has a docstring of the function: its edition, and the signature."""
    documents = [
        (edition.name, document)
        for edition in edition_files()
        if edition.cited_by == "section"
        for document in edition.documents
    ]
    known = [(e, d, (load_docstrings(d) or {}).get(name)) for e, d in documents]
    return {
        document: (edition, DocumentedSignature(text=f"{name}{docstring.signature}"))
        for edition, document, docstring in known
        if docstring is not None
    }
