"""The plan of a run: the same trials for every target of an edition."""

from __future__ import annotations

import math
import threading
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from hypothesis.strategies import SearchStrategy

from conformance.adapters.worker.conformance_worker.limits import MOST_VALUE_BYTES
from conformance.editions import Edition, compiles
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.gradients import GRADIENT_DRAWS, GradientTrial
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning import twins
from conformance.engine.planning.compiling import compiled_calls
from conformance.engine.planning.demands import demanded_aspects
from conformance.engine.planning.exhaustive import LENGTH_OF_TWIN, exhaustive_trials
from conformance.engine.planning.likely import KINDS, LIKELY_DRAWS, likely_calls, likely_kinds
from conformance.engine.planning.profiles import FEW_DRAWS, Profile, draws_of
from conformance.generators import Draw, Structure, structures
from conformance.generators.collect import (
    Pool,
    covering,
    distinct_draws,
    gradients_of,
    invalid_calls,
    resting_on,
)
from conformance.generators.compiled import compiled
from conformance.generators.coverage.rows import Row, kept_rows
from conformance.generators.coverage.selection import select_settled
from conformance.generators.coverage.spreading import spread
from conformance.generators.drawing import Drawn
from conformance.generators.exclusions import (
    Exclusion,
    calls_without,
    excluded_calls,
    exclusions,
    symbolic,
)
from conformance.generators.exhaustive import of_length
from conformance.generators.gradients import Differentiated, differentiated
from conformance.results import Aspect
from conformance.scenarios import Family, Scenario, families_of
from conformance.specs import Signature, Spec, Specs, load
from conformance.specs.conventions import of_misfit
from conformance.specs.load import documented_name, signature
from conformance.specs.model import ErrorCase

USUAL_STRUCTURES = 65
"""About how many structures it takes to show every pair of a function."""
MORE_SCENARIOS = 2
"""How many scenarios are drawn for each one kept."""
LEAST_DRAWN = 6
"""How many scenarios are drawn at least, so that one that is kept alone shows much."""
GRADIENT_POOL = 6
"""How many gradients are generated for each one kept: few of the structures are settled."""
GRADIENT_ELEMENTS = 300
"""The most elements of a tensor, about, whose gradient is asked for: each element that is looked
at costs seven evaluations of the function."""
COMPILED_DRAWS = ("ordinary", "large")
"""The draws of a call that is compiled, for each of which that is done again."""
MOST_ELEMENTS = MOST_VALUE_BYTES // np.dtype(np.float64).itemsize
"""The most elements of a result, whatever its dtype."""
_MAKING = threading.Lock()
RUN_ASPECTS = {Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE, Aspect.PURITY}
"""The aspects that a call shows."""


def documented_names(edition: Edition) -> list[str]:
    """The names that an edition gives to its functions."""
    specs = load().values()
    return [documented_name(spec, edition) for spec in specs if edition in spec.editions]


Item = TypeVar("Item")
Calls = Pool[Structure]


@dataclass(frozen=True, slots=True)
class Source:
    """The strategy that makes a trial; a failing one is made smaller with it."""

    strategy: SearchStrategy[Trial]
    draw: Drawn[Any]
    """What was drawn; the strategy makes the trial of the same choices."""
    values: tuple[str, ...] = ()
    """The value profiles of its draws."""

    @property
    def choices(self) -> bytes:
        """The choices of which the strategy makes the trial."""
        return self.draw.choices


class Planned(NamedTuple):
    """A trial of a plan."""

    trial: Trial
    source: Source | None
    """None if there are no other trials of its sort."""
    stage: int
    """The place in `Profile.chain` of the smallest profile that has it."""


@dataclass(slots=True, eq=False)
class Task:
    """One function in one edition: what is to be checked, and with which trials.

    The trials begin with those of the next smaller profile, in their order and with their numbers,
    and so on down to the smallest. A larger profile adds trials, and may add draws to a call.
    """

    spec: Spec
    theme: str
    edition: Edition
    profile: Profile
    seed: int
    aspects: frozenset[Aspect]
    _trials: list[Trial] | None = field(default=None, repr=False)
    _sources: dict[int, Source] = field(default_factory=dict, repr=False)
    _stages: dict[int, int] = field(default_factory=dict, repr=False)
    _twins: dict[tuple[str, int], Trial] = field(default_factory=dict, repr=False)

    @property
    def documented(self) -> Signature:
        """The signature that binds the edition."""
        return signature(self.spec, self.edition)

    @property
    def own_seed(self) -> int:
        """A seed that depends on the run's and on the function's name alone."""
        return self.seed * 1_000_003 + zlib.crc32(self.spec.name.encode())

    def with_profile(self, profile: Profile) -> Task:
        """The same function, with more or fewer trials."""
        return Task(self.spec, self.theme, self.edition, profile, self.seed, self.aspects)

    def trials(self) -> list[Trial]:
        """All trials; made once, by the first thread that asks, for all targets of the edition."""
        with _MAKING:
            if self._trials is None:
                every = sorted(self._planned(), key=lambda one: one.stage)
                self._sources = {id(one.trial): one.source for one in every if one.source}
                self._stages = {id(one.trial): one.stage for one in every}
                self._trials = [one.trial for one in every]
        return self._trials

    def release(self) -> None:
        """Keep no trials any longer; `trials` makes them again, the same ones."""
        self._trials = None
        for made in (self._sources, self._stages, self._twins):
            made.clear()

    def stage(self, trial: Trial) -> int:
        """The place in `Profile.chain` of the smallest profile that has the trial, or, of a twin,
        the trial of which it is one."""
        return self._stages.get(id(trial), 0)

    def source(self, trial: Trial) -> Source | None:
        """The source of trials of the same sort; None if there are no others."""
        return self._sources.get(id(trial))

    def first_dtype_twin(self, trial: Trial) -> Trial | None:
        """The trial with the dtype in which the documents compute; None if it has no other."""
        twin = twins.of_first_dtype(trial, self._like(trial))
        return None if twin is None else self._adopted(twin, trial)

    def rebound_twins(self, trial: Trial) -> Iterator[Trial]:
        """The trial with its inputs made in other ways."""
        for twin in twins.made_otherwise(trial, self._like(trial)):
            yield self._adopted(twin, trial)

    def fitting_twin(self, reading: str) -> Trial | None:
        """A call that rests on the convention of a reading alone, and that has another answer under
        the one that a call of this reading does not fit; None if there is none."""
        convention, misfits = reading.partition(": ")[0], of_misfit(reading)
        assert misfits is not None, "other readings are of any call"
        others = ((convention, str(misfits.misfits)),)

        def fits(structure: Structure) -> bool:
            prepared = self._call(structure).prepared
            return bool(math.prod(prepared.shape)) and prepared.differs(0, others)

        draw = resting_on(self.spec, self.edition, convention, fits, self.own_seed)
        return None if draw is None else self._call(draw.value)

    def _adopted(self, made: Trial, trial: Trial) -> Trial:
        """The twin, made once for each stage, because its numbers are those of its trial; it is
        made smaller with the strategy of its trial."""
        stage = self.stage(trial)
        twin = self._twins.setdefault((made.key, stage), made)
        self._stages[id(twin)] = stage
        source = self.source(trial)
        if source is not None:
            self._sources[id(twin)] = source
        return twin

    def with_twins(self) -> Iterator[Trial]:
        """All trials, each with its twins."""
        for trial in self.trials():
            yield trial
            twin = self.first_dtype_twin(trial)
            yield from self.rebound_twins(trial)
            if twin is not None:
                yield twin
                yield from self.rebound_twins(twin)

    def prepared(self) -> list[Prepared]:
        """The calls alone."""
        return [trial.prepared for trial in self.trials() if isinstance(trial, CallTrial)]

    def draws(self, structure: Structure) -> tuple[Draw, ...]:
        """The draws of a structure that is not of the plan."""
        return draws_of(structure, self.profile.usual_values, self.seed)

    def _planned(self) -> Iterator[Planned]:
        rows = self._rows()
        yield from self._calls(rows)
        yield from self._likely() if rows else ()
        yield from self._compiled(rows)
        yield from self._exhaustive()
        yield from self._gradients()
        yield from self._invalid_calls()
        for family in self._families():
            yield from self._scenario_trials(family)

    def _growing(
        self, choose: Callable[[Profile, list[Item]], list[Item]]
    ) -> Iterator[tuple[Item, int]]:
        """What each profile of the chain adds. `choose` gets a profile and what the smaller ones
        chose, with which its own choice begins."""
        chosen: list[Item] = []
        for stage, profile in enumerate(self.profile.chain):
            before, chosen = len(chosen), choose(profile, chosen)
            yield from ((item, stage) for item in chosen[before:])

    def _rows(self) -> list[Row]:
        """The structures that show what is to be shown; none if single calls show nothing asked."""
        if self.spec.dtype is None or not self.aspects & RUN_ASPECTS:
            return []
        return kept_rows(self.spec, self.edition, self.profile.extents, self.own_seed)

    def _values(self, rows: Sequence[Row]) -> list[tuple[str, ...]]:
        """The value profiles of each row, those of the smaller profiles first."""
        values: list[tuple[str, ...]] = []
        for stage, profile in enumerate(self.profile.chain):
            structures = [row.draw.value for row in rows if row.stage <= stage]
            values = spread(structures, profile.values, profile.draws, values)
        return values

    def _calls(self, rows: Sequence[Row]) -> Iterator[Planned]:
        for row, values in zip(rows, self._values(rows), strict=True):
            as_call = partial(self._call, values=values)
            call = as_call(row.draw.value)
            if _has_answer(call.prepared):
                strategy = self._structures(row.elements).map(as_call)
                yield Planned(call, Source(strategy, row.draw, values), row.stage)

    def _likely(self) -> Iterator[Planned]:
        """The calls that convict most often, which every profile has, and the bare ones."""
        bare = sum(not profile.bare for profile in self.profile.chain)
        for kind, draw in likely_calls(self.spec, self.edition, self.own_seed, self.profile.bare):
            as_call = partial(self._call, values=kind.values)
            call = as_call(draw.value)
            if _has_answer(call.prepared):
                strategy = kind.strategy(self.spec, self.edition).map(as_call)
                yield Planned(call, Source(strategy, draw, kind.values), bare * (kind not in KINDS))

    def _structures(self, elements: int) -> SearchStrategy[Structure]:
        return structures(self.spec, self.edition, elements=elements)

    def _compiled(self, rows: Sequence[Row]) -> Iterator[Planned]:
        """Some of the calls, compiled."""
        of_edition = rows if compiles(self.edition) else ()
        able = [row for row in of_edition if compiled(row.draw.value, whole=False)]

        def choose(profile: Profile, chosen: list[Row]) -> list[Row]:
            stage = self.profile.chain.index(profile)
            offered = evenly([row for row in able if row.stage <= stage], profile.compiled)
            added = [row for row in offered if row not in chosen]
            return [*chosen, *added[: max(0, profile.compiled - len(chosen))]]

        as_call = partial(self._call, values=COMPILED_DRAWS)
        for trial, row, way, stage in compiled_calls(self._growing(choose), able, as_call):
            trials: SearchStrategy[Any] = self._structures(row.elements).map(way).filter(bool)
            yield Planned(trial, Source(trials, row.draw, COMPILED_DRAWS), stage)

    def _exhaustive(self) -> Iterator[Planned]:
        """The calls with every number, in the smallest profile that has them."""
        stages = (stage for stage, profile in enumerate(self.profile.chain) if profile.exhaustive)
        stage = next(stages, None)
        if stage is not None and self.aspects & RUN_ASPECTS:
            for trial in exhaustive_trials(self.spec, self.edition, self.seed):
                yield Planned(trial, None, stage)

    def _gradients(self) -> Iterator[Planned]:
        if self.spec.dtype is None or Aspect.GRADIENT not in self.aspects:
            return
        strategy = self._structures(GRADIENT_ELEMENTS).map(differentiated).filter(bool)
        count = GRADIENT_POOL * self.profile.gradients
        pool = gradients_of(
            self.spec, self.edition, count, self.own_seed, elements=GRADIENT_ELEMENTS
        )
        trials = [self._gradient(draw.value) for draw in pool.draws]
        unsettled = [bool(trial.unsettled) for trial in trials]
        made_of = [trial.differentiated.structure for trial in trials]

        def choose(profile: Profile, chosen: list[int]) -> list[int]:
            size = len(pool.first(GRADIENT_POOL * profile.gradients))
            return select_settled(made_of[:size], unsettled[:size], profile.gradients, chosen)

        for place, stage in self._growing(choose):
            source = Source(strategy.map(self._gradient), pool.draws[place])
            yield Planned(trials[place], source, stage)

    def _gradient(self, made: Differentiated | None) -> GradientTrial:
        assert made is not None, "the strategy leaves out what has no gradient"
        return GradientTrial(made, self.seed)

    def _invalid_calls(self) -> Iterator[Planned]:
        if self.spec.dtype is None or Aspect.ERROR not in self.aspects:
            return
        for error in self._errors():
            strategy = structures(self.spec, self.edition, error).map(self._call)
            count = self.profile.invalid
            pool = invalid_calls(self.spec, self.edition, error, count, self.own_seed)

            def choose(profile: Profile, _: object, pool: Calls = pool) -> list[Drawn[Structure]]:
                return pool.first(profile.invalid)

            for draw, stage in self._growing(choose):
                yield Planned(self._call(draw.value), Source(strategy, draw), stage)
        for exclusion in exclusions(self.spec, self.edition):
            yield from self._excluded_calls(exclusion)

    def _excluded_calls(self, exclusion: Exclusion) -> Iterator[Planned]:
        """Calls with a value that a parameter excludes, each with symbolic tensors as well."""
        strategy = calls_without(self.spec, self.edition, exclusion)
        pool = excluded_calls(
            self.spec, self.edition, exclusion, self.profile.excluded, self.own_seed
        )

        def choose(profile: Profile, _: object) -> list[Drawn[Structure]]:
            return pool.first(profile.excluded)

        for draw, stage in self._growing(choose):
            yield Planned(self._call(draw.value), Source(strategy.map(self._call), draw), stage)
            if draw.value.program.inputs:
                as_symbolic = partial(_of_symbols, self._call)
                source = Source(strategy.map(as_symbolic), draw)
                yield Planned(as_symbolic(draw.value), source, stage)

    def _call(self, structure: Structure, values: Sequence[str] = ()) -> CallTrial:
        listed = values or self.profile.usual_values
        return CallTrial(Prepared(structure, draws_of(structure, listed, self.seed)))

    def _like(self, trial: Trial) -> Callable[[Structure], CallTrial]:
        """Makes calls with the draws of a trial; of one with every number a short one."""
        source = self.source(trial)
        if isinstance(trial, CallTrial) and trial.prepared.elementwise:
            return lambda structure: self._call(of_length(structure, LENGTH_OF_TWIN))
        return partial(self._call, values=() if source is None else source.values)

    def _errors(self) -> list[ErrorCase]:
        return [e for e in self.spec.errors if self.edition in e.editions]

    def _families(self) -> list[Family]:
        families = families_of(self.spec.name, self.edition)
        return [family for family in families if family.aspects & self.aspects]

    def _scenario_trials(self, family: Family) -> Iterator[Planned]:
        made, as_trial = family.make(self.edition), partial(_scenario_trial, self.documented.name)
        if not isinstance(made, SearchStrategy):
            yield from (Planned(as_trial(scenario), None, 0) for scenario in made)
            return
        strategy = made.map(as_trial)
        count = _pool_of_scenarios(family, self.profile)
        pool = distinct_draws(strategy, _key, count, self.own_seed)

        def choose(
            profile: Profile, chosen: list[Drawn[ScenarioTrial]]
        ) -> list[Drawn[ScenarioTrial]]:
            draws = pool.first(_pool_of_scenarios(family, profile))
            return covering(draws, _checked, _scenario_count(family, profile), chosen)

        for draw, stage in self._growing(choose):
            yield Planned(draw.value, Source(strategy, draw), stage)

    @property
    def planned(self) -> int:
        """About how many cases there are; exact once the trials are made."""
        if self._trials is not None:
            return sum(trial.batch.draws for trial in self._trials)
        scenarios = sum(_scenario_count(family, self.profile) for family in self._families())
        if Aspect.GRADIENT in self.aspects:
            scenarios += self.profile.gradients * len(GRADIENT_DRAWS)
        if self.spec.dtype is None:
            return scenarios
        invalid = self.profile.invalid * len(self._errors())
        invalid += 2 * self.profile.excluded * len(exclusions(self.spec, self.edition))
        invalid = invalid if Aspect.ERROR in self.aspects else 0
        calls = self._valid_cases() if self.aspects & RUN_ASPECTS else 0
        return invalid + calls + scenarios

    def _valid_cases(self) -> int:
        """An estimate: some structures have constants or no elements, and so few draws."""
        structures = self.profile.structures or USUAL_STRUCTURES
        structures += self.profile.compiled if compiles(self.edition) else 0
        draws = min(self.profile.draws, len(self.profile.values))
        if Aspect.PURITY not in demanded_aspects(self.spec, self.edition):
            return structures
        likely = len(likely_kinds(self.spec, self.edition, self.profile.bare)) * LIKELY_DRAWS
        constants, empty = max(1, structures // 6), -(-structures // 7)
        return (structures - constants - empty) * draws + constants * FEW_DRAWS + empty + likely


def evenly(items: Sequence[Item], count: int) -> list[Item]:
    """Up to `count` of the items, as far from each other as can be, the first among them."""
    count = min(count, len(items))
    return [items[number * len(items) // count] for number in range(count)]


def _of_symbols(as_call: Callable[[Structure], CallTrial], structure: Structure) -> CallTrial:
    return as_call(symbolic(structure))


def _scenario_count(family: Family, profile: Profile) -> int:
    return max(1, round(profile.scenarios * family.share))


def _pool_of_scenarios(family: Family, profile: Profile) -> int:
    """How many scenarios are drawn."""
    return max(MORE_SCENARIOS * _scenario_count(family, profile), LEAST_DRAWN)


def _scenario_trial(name: str, scenario: Scenario) -> ScenarioTrial:
    return ScenarioTrial(scenario, name)


def _key(trial: Trial) -> str:
    return trial.key


def _checked(trial: Trial) -> frozenset[Hashable]:
    """What a scenario is about, and what is checked of it."""
    assert isinstance(trial, ScenarioTrial)
    scenario = trial.scenario
    checks = ((check.name, check.aspect, check.conventions) for check in scenario.checks)
    return frozenset([scenario.title, scenario.conventions, *checks])


def _has_answer(prepared: Prepared) -> bool:
    """False if the oracle has no answer, as for the maximum of no elements, or if it is so large
    that no worker sends it."""
    if prepared.structure.error is None and math.prod(prepared.shape) > MOST_ELEMENTS:
        return False
    if prepared.structure.error is not None or not prepared.structure.unsettled:
        return True
    try:
        prepared.expectation(0)
    except (ValueError, IndexError):
        return False
    return True


def plan(
    specs: Specs,
    edition: Edition,
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
