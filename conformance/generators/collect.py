"""Structures from a strategy, deterministically, and the smallest one that still fails.

Both go through `hypothesis.find`: with the same seed it generates the same sequence, so that the
search for a smaller failing structure starts from one that is known to fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any, TypeVar
from unittest import SkipTest

import hypothesis
from hypothesis.control import current_build_context
from hypothesis.database import ExampleDatabase, InMemoryExampleDatabase, choices_to_bytes
from hypothesis.errors import NoSuchExample, Unsatisfiable
from hypothesis.strategies import SearchStrategy

from conformance.editions import Edition
from conformance.generators.calls import offered_bindings
from conformance.generators.coverage import select
from conformance.generators.coverage.pairs import Pair, missing_pairs, pairs, switched, telling
from conformance.generators.coverage.terms import LongAxis, long_axes_of
from conformance.generators.coverage.windows import beginnings, forms_for, windows_of
from conformance.generators.sizes import CLASSES, ELEMENTS
from conformance.generators.structure import Structure, structures
from conformance.program import Program, to_json
from conformance.specs import Spec

POOL = 4
"""How many times more structures are generated than kept."""
RARE = 300
"""How many structures are drawn at most to find one that rests on a rare convention."""
TRIED, TRIED_FOR_SWITCHES = 4, 40
"""How many structures are drawn at most to find one with two forms of arguments."""
SEARCHED = 60
"""The most elements of a tensor, about, of a structure that is searched for."""
LONG_SHARE = 6
"""One in so many structures may be searched for because of its long sums."""
GENERATE = (hypothesis.Phase.generate,)
_KEY = b"case"


Found = TypeVar("Found")


class StopShrinking(BaseException):
    """Raised by a condition to end a search. Not an Exception: Hypothesis would shrink that."""


def collect_all(
    spec: Spec, edition: Edition, count: int, seed: int, *, elements: int = ELEMENTS
) -> list[Structure]:
    """Up to `count` valid structures of a function.

    They have every dtype and binding that it may have, and meet every convention that its spec
    names, as far as one can be found. Tensors have at most `elements` elements, about.
    """
    pool = generate(structures(spec, edition, elements=elements), POOL * count, seed)
    for dtype in sorted({*spec.dtypes.documented, *spec.dtypes.probed} - _dtypes(pool)):
        pool += generate(structures(spec, edition, dtype=dtype, elements=elements), 1, seed)
    used = {i.binding for s in pool for i in s.program.inputs}
    for binding in sorted({*offered_bindings(spec, edition)} - used):
        pool += generate(structures(spec, edition, binding=binding, elements=elements), 1, seed)
    open_points = {u.convention for u in spec.unsettled if u.holds_in(edition)}
    for convention in sorted(open_points - _conventions(pool)):
        pool += _resting_on(convention, spec, edition, seed)
    for beginning in beginnings(spec):
        if not any(_has(s, beginning) for s in pool):
            dtype = spec.dtypes.documented[0]
            condition, wanted = partial(_has, beginning=beginning), forms_for(beginning)
            pool += _found(spec, edition, condition, seed, dtype=dtype, wanted=wanted)
    pool += _completing(pool, edition, seed)
    kept = select(pool, count)
    long = [*islice(_with_long_axes(kept, spec, edition, seed, elements), count // LONG_SHARE)]
    return [*(select(pool, count - len(long)) if long else kept), *long]


def _with_long_axes(
    pool: Sequence[Structure], spec: Spec, edition: Edition, seed: int, elements: int
) -> Iterator[Structure]:
    """Settled structures with long axes such as no structure of the pool has, the most important
    first."""
    settled = [s for s in pool if s.settled]
    for long in long_axes_of(spec):
        if any(map(long.is_in, settled)) or CLASSES[long.size][0] > elements:
            continue
        dtype = spec.dtypes.documented[0]
        strategy = structures(spec, edition, dtype=dtype, wanted=long.wanted, elements=elements)
        found = _find(strategy, partial(_settled_with, long=long), RARE, seed, GENERATE)
        if found is not None:
            yield found


def _settled_with(structure: Structure, long: LongAxis) -> bool:
    return structure.settled and long.is_in(structure)


def _completing(pool: Sequence[Structure], edition: Edition, seed: int) -> Iterator[Structure]:
    """Structures with pairs of forms that no telling structure of the pool has, if found soon."""
    shown = [pool[place] for place in telling(pool)]
    known = {pair for s in shown for pair in pairs(s)}
    for pair in missing_pairs(pool) if shown else ():
        if pair in known:
            continue
        found = _beside(pair, shown[0], edition, seed)
        if found is not None:
            known |= pairs(found)
            yield found


def _beside(pair: Pair, telling_one: Structure, edition: Edition, seed: int) -> Structure | None:
    """A structure with both forms that tells as much as another one."""
    spec = telling_one.spec
    dtype = spec.dtypes.documented[0]
    strategy = structures(spec, edition, dtype=dtype, wanted=dict(pair), elements=SEARCHED)

    def shows(structure: Structure) -> bool:
        return pair in pairs(structure) and 1 in telling([telling_one, structure])

    tried = TRIED_FOR_SWITCHES if switched(pair, telling_one) else TRIED
    try:
        return _find(strategy, shows, tried, seed, GENERATE)
    except Unsatisfiable:  # forms that exclude each other
        return None


def _has(structure: Structure, beginning: tuple[Hashable, ...]) -> bool:
    """Whether a settled call has a feature that begins so, and is true."""
    if not structure.settled:
        return False
    found = (f for f in windows_of(structure) if f[: len(beginning)] == beginning)
    return any(all(part is not False for part in f) for f in found)


def _conventions(pool: list[Structure]) -> set[str]:
    return {convention for s in pool for convention in s.unsettled}


def _resting_on(convention: str, spec: Spec, edition: Edition, seed: int) -> list[Structure]:
    return _found(spec, edition, partial(_rests_on, convention=convention), seed)


def _rests_on(structure: Structure, convention: str) -> bool:
    return convention in structure.unsettled


def _found(
    spec: Spec,
    edition: Edition,
    condition: Callable[[Structure], bool],
    seed: int,
    *,
    dtype: str | None = None,
    wanted: Mapping[str, str] | None = None,
) -> list[Structure]:
    """A structure that meets a condition, if one is found soon."""
    strategy = structures(spec, edition, dtype=dtype, wanted=wanted, elements=SEARCHED)
    found = _find(strategy, condition, RARE, seed, GENERATE)
    return [] if found is None else [found]


def _dtypes(pool: list[Structure]) -> set[str]:
    return {d for s in pool for d in s.runtime.dtypes.values()}


def generate(strategy: SearchStrategy[Structure], count: int, seed: int) -> list[Structure]:
    """Up to `count` different structures, as they come; the same for the same seed."""
    return distinct(strategy, key, count, seed)


def distinct(
    strategy: SearchStrategy[Found], key_of: Callable[[Found], str], count: int, seed: int
) -> list[Found]:
    """Up to `count` things that differ in `key_of`, as they come; the same for the same seed."""
    found: dict[str, Found] = {}

    def enough(one: Found) -> bool:
        found.setdefault(key_of(one), one)
        return len(found) >= count

    _find(strategy, enough, _examples(count), seed, GENERATE)
    return list(found.values())


def shrink(
    strategy: SearchStrategy[Found],
    fails: Callable[[Found], bool],
    count: int,
    seed: int,
) -> Found | None:
    """The smallest one that fails, starting from the first `count` of the strategy.

    `fails` may raise `StopShrinking` when it has seen enough; then the answer is None.
    """
    phases = (hypothesis.Phase.generate, hypothesis.Phase.shrink)
    return _find(strategy, fails, _examples(count), seed, phases)


def current_choices() -> bytes:
    """The choices that made the value which a condition is being asked about."""
    return choices_to_bytes(current_build_context().data.choices)


def remade(strategy: SearchStrategy[Found], choices: bytes) -> Found | None:
    """What the strategy makes of these choices; None if it has come to make other ones.

    A strategy that has changed may make something else of them: look at what comes.
    """
    database = InMemoryExampleDatabase()
    database.save(_KEY, choices)
    settings = _settings(1, (hypothesis.Phase.reuse,), database)
    try:
        # given a seed, Hypothesis would not read its database
        return hypothesis.find(strategy, _anything, settings=settings, database_key=_KEY)
    except (NoSuchExample, SkipTest):
        return None


def _anything(_: object) -> bool:
    return True


def key(structure: Structure) -> str:
    """The program as text: two structures with the same key are the same case."""
    return key_of_program(structure.program)


def key_of_program(program: Program) -> str:
    """The program as text."""
    return json.dumps(to_json(program), sort_keys=True)


def _find(
    strategy: SearchStrategy[Found],
    condition: Callable[[Found], bool],
    examples: int,
    seed: int,
    phases: tuple[hypothesis.Phase, ...],
) -> Found | None:
    try:
        return hypothesis.find(
            strategy,
            condition,
            settings=_settings(examples, phases, None),
            random=Random(seed),  # noqa: S311
        )
    except (NoSuchExample, StopShrinking):
        return None


def _settings(
    examples: int, phases: tuple[hypothesis.Phase, ...], database: ExampleDatabase | None
) -> hypothesis.settings:
    settings: dict[str, Any] = {
        "max_examples": examples,
        "database": database,
        "deadline": None,
        "phases": phases,
        "suppress_health_check": list(hypothesis.HealthCheck),
        "derandomize": False,
    }
    return hypothesis.settings(**settings)


def _examples(count: int) -> int:
    """Some structures come twice; a function of few structures has no more to give."""
    return count + count // 4 + 20
