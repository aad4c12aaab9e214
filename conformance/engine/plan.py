"""The plan of a run: the same structures and draws for every target of an edition."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis.strategies import SearchStrategy

from conformance.engine.cases import Prepared
from conformance.engine.profiles import FEW_DRAWS, Profile
from conformance.engine.tally import demanded_aspects
from conformance.generators import Draw, Structure, collect_all, generate, structures
from conformance.results import Aspect
from conformance.specs import Signature, Spec, Specs
from conformance.specs.load import signature
from conformance.specs.model import ErrorCase

_RUN_ASPECTS = {Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE, Aspect.PURITY}


@dataclass(slots=True)
class Task:
    """One function in one edition: what is to be checked and with which structures."""

    spec: Spec
    theme: str
    edition: str
    profile: Profile
    seed: int
    aspects: frozenset[Aspect]
    _prepared: list[Prepared] | None = field(default=None, repr=False)

    @property
    def documented(self) -> Signature:
        """The signature that binds the edition."""
        return signature(self.spec, self.edition)

    @property
    def own_seed(self) -> int:
        """A seed that depends on the run's and on the function's name alone."""
        return self.seed * 1_000_003 + zlib.crc32(self.spec.name.encode())

    def prepared(self) -> list[Prepared]:
        """The structures with their draws; made once, for all targets."""
        if self._prepared is None:
            self._prepared = list(self._prepare())
        return self._prepared

    def strategy(self, like: Structure | None = None) -> SearchStrategy[Structure]:
        """Structures of the same sort as `like`: valid ones, or invalid in the same way."""
        error = like.error if like else None
        return structures(self.spec, self.edition, error)

    def count(self, like: Structure) -> int:
        """How many structures of that sort were collected."""
        return self.profile.invalid if like.error else self.profile.structures

    def draws(self, structure: Structure) -> tuple[Draw, ...]:
        """The draws of a structure."""
        return self.profile.draws(structure, self.seed)

    def _prepare(self) -> Iterator[Prepared]:
        for structure in self._structures():
            prepared = Prepared(structure, self.draws(structure))
            if _has_answer(prepared):
                yield prepared

    def _structures(self) -> Iterator[Structure]:
        seed, profile = self.own_seed, self.profile
        if self.aspects & _RUN_ASPECTS:
            yield from collect_all(self.spec, self.edition, profile.structures, seed)
        if Aspect.ERROR in self.aspects:
            for error in self._errors():
                invalid = structures(self.spec, self.edition, error)
                yield from generate(invalid, profile.invalid, seed)

    def _errors(self) -> list[ErrorCase]:
        return [e for e in self.spec.errors if self.edition in e.editions]

    @property
    def planned(self) -> int:
        """About how many cases there are, before they are made."""
        if self._prepared is not None:
            return sum(len(p.draws) for p in self._prepared)
        invalid = self.profile.invalid * len(self._errors()) if Aspect.ERROR in self.aspects else 0
        return invalid + (self._valid_cases() if self.aspects & _RUN_ASPECTS else 0)

    def _valid_cases(self) -> int:
        """An estimate: some structures have constants or no elements, and so few draws."""
        structures, draws = self.profile.structures, len(self.profile.values)
        if Aspect.PURITY not in demanded_aspects(self.spec, self.edition):
            return structures
        constants, empty = max(1, structures // 6), -(-structures // 7)
        return (structures - constants - empty) * draws + constants * FEW_DRAWS + empty


def _has_answer(prepared: Prepared) -> bool:
    """False for the few structures without an answer, such as the maximum of no elements."""
    if prepared.structure.error is not None or not prepared.structure.unsettled:
        return True
    try:
        prepared.expectation(0)
    except (ValueError, IndexError):
        return False
    return True


def plan(
    specs: Specs,
    edition: str,
    profile: Profile,
    seed: int,
    *,
    select: Callable[[str], bool] = lambda _: True,
    aspects: Sequence[Aspect] = (),
) -> list[Task]:
    """A task for each function of the edition that is selected."""
    return [
        Task(
            spec,
            specs.theme(name),
            edition,
            profile,
            seed,
            frozenset(a for a in demanded_aspects(spec, edition) if not aspects or a in aspects),
        )
        for name, spec in specs.items()
        if edition in spec.editions and select(name)
    ]
