"""All mutants of an edition, samples of them, and the equivalent ones (`equivalents.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import resources

from msgspec import Struct, ValidationError, convert

from conformance.editions import Edition
from conformance.engine.planning.demands import demanded_aspects
from conformance.mutation.model import Mutant, MutantCandidate
from conformance.mutation.operators import OPERATORS
from conformance.mutation.records import JudgedMutant
from conformance.specs import Specs
from conformance.specs.load import signature


def population(
    specs: Specs,
    edition: Edition,
    select: Callable[[str], bool] = lambda _: True,
    operators: Callable[[str], bool] = lambda _: True,
) -> list[Mutant]:
    """The mutants of the functions and operators that are selected, function by function."""
    candidates = [c for c in _candidates(specs, edition) if select(c.spec.name)]
    return [m for c in candidates for m in _mutants(c) if operators(m.operator.name)]


def _candidates(specs: Specs, edition: Edition) -> Iterator[MutantCandidate]:
    for name, spec in specs.items():
        if edition in spec.editions:
            aspects = frozenset(demanded_aspects(spec, edition))
            yield MutantCandidate(
                spec=spec,
                theme=specs.theme(name),
                documented=signature(spec, edition),
                aspects=aspects,
            )


def _mutants(candidate: MutantCandidate) -> Iterator[Mutant]:
    for operator in OPERATORS:
        if operator.aspects and not candidate.aspects & set(operator.aspects):
            continue
        for more in operator.applies(candidate):
            options = {**operator.options, **more}
            yield Mutant(
                operator=operator,
                function=candidate.spec.name,
                theme=candidate.theme,
                options=options,
            )


def sampled(mutants: Sequence[Mutant], most: int | None) -> list[Mutant]:
    """At most this number of each operator, evenly spread over its mutants; all if None."""
    groups: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault(mutant.operator.name, []).append(mutant)
    chosen = {m.name for group in groups.values() for m in _spread(group, most)}
    return [m for m in mutants if m.name in chosen]


def _spread(group: Sequence[Mutant], most: int | None) -> list[Mutant]:
    if most is None or len(group) <= most:
        return list(group)
    return [group[place * len(group) // most] for place in range(most)]


class EquivalentsError(Exception):
    """The list cannot be read; the message says where and what to write."""


class Equivalent(Struct, frozen=True, forbid_unknown_fields=True):
    """Mutants that no program can distinguish from the backend, or that the documents allow."""

    mutants: list[str]
    """Their names."""
    reason: str
    targets: list[str] = []
    """The targets on which they are; all if empty."""


class _List(Struct, frozen=True, forbid_unknown_fields=True):
    equivalent: list[Equivalent]


def load_equivalents(text: str | None = None) -> list[Equivalent]:
    """The entries of the list that ships with the suite, or of `text`.

    Raises:
        EquivalentsError: the text is wrong.
    """
    if text is None:
        text = resources.files(__package__).joinpath("equivalents.toml").read_text("utf-8")
    try:
        return convert(tomllib.loads(text), _List).equivalent
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        hint = "write [[equivalent]] with mutants = [names] and reason"
        raise EquivalentsError(f"equivalents.toml: {error}; {hint}") from error


def reasons(entries: Collection[Equivalent], target: str) -> dict[str, str]:
    """The reason of each mutant that is equivalent on a target."""
    matching = [e for e in entries if not e.targets or target in e.targets]
    return {name: entry.reason for entry in matching for name in entry.mutants}


def stale(
    reasons: dict[str, str], judged: Collection[JudgedMutant], known: Collection[str]
) -> Iterator[str]:
    """The faults of the list: a mutant that is killed after all, or does not exist."""
    killed = {mutant.name: mutant for mutant in judged if mutant.outcome == "killed"}
    for name in reasons:
        if name not in known:
            yield f"{name}: there is no such mutant"
        elif name in killed and (shown := killed[name].shown) is not None:
            yield f"{name}: is killed ({shown.function}, {shown.aspect}: {shown.verdict})"
