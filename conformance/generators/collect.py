"""Several structures or scenarios, the same for the same seed, with the choices of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from hypothesis.strategies import SearchStrategy

from conformance.editions import Edition
from conformance.generators.classes import DTYPE, Classes
from conformance.generators.drawing import Drawn, Rejected, drawn, seeded
from conformance.generators.gradients import Differentiated, differentiated
from conformance.generators.sizes import ELEMENTS
from conformance.generators.structure import Structure, made
from conformance.program import Program, to_json
from conformance.specs import Spec
from conformance.specs.model import ErrorCase

Found = TypeVar("Found")

STEERED = 40
"""How many structures are drawn at most for each one with certain classes."""
ALONE = 4_000
"""How many structures are drawn at most to find one that rests on one convention alone."""
GRADIENT_DRAWS = 3
"""How many structures are drawn at most for each one that has a gradient."""


@dataclass(frozen=True, slots=True)
class Pool(Generic[Found]):
    """Different things, in the order in which they were drawn.

    A search for fewer ends earlier, with the first of them: so what a smaller plan chooses among is
    the beginning of what a larger one does.
    """

    draws: Sequence[Drawn[Found]]
    attempts: Sequence[int]
    """How many draws it took to get each."""
    limit: Callable[[int], int]
    """How many draws a search for so many takes at most."""

    def first(self, count: int) -> list[Drawn[Found]]:
        """What a search for `count` finds."""
        limit = self.limit(count)
        numbered = zip(self.draws, self.attempts, strict=True)
        return [draw for draw, attempt in numbered if attempt <= limit][:count]


def generate(strategy: SearchStrategy[Structure], count: int, seed: int) -> list[Structure]:
    """Up to `count` different structures, as they come; the same for the same seed."""
    return distinct(strategy, key, count, seed)


def invalid_calls(
    spec: Spec, edition: Edition, error: ErrorCase, count: int, seed: int
) -> Pool[Structure]:
    """Up to `count` different invalid calls of one sort."""
    random = Random(seed)  # noqa: S311

    def draw(_: int) -> Drawn[Structure] | Rejected:
        return seeded(lambda chooser: made(chooser, spec, edition, error), random)

    return _pool(draw, key, count, _examples)


def steered(
    spec: Spec, edition: Edition, demanded: Classes, count: int, seed: int
) -> list[Drawn[Structure]]:
    """Up to `count` different structures whose features have these classes."""
    random = Random(seed)  # noqa: S311

    def draw(_: int) -> Drawn[Structure] | Rejected:
        return seeded(lambda chooser: made(chooser, spec, edition, demanded=demanded), random)

    return [*_pool(draw, key, count, lambda count: STEERED * count).draws]


def resting_on(
    spec: Spec,
    edition: Edition,
    convention: str,
    holds: Callable[[Structure], bool],
    seed: int,
) -> Drawn[Structure] | None:
    """A structure in the documents' dtype that rests on one convention alone, and for which
    `holds`; None if it is not found soon."""
    random = Random(seed)  # noqa: S311
    plain: dict[str, str] = {DTYPE: spec.dtypes.documented[0]}
    draws = (
        seeded(lambda chooser: made(chooser, spec, edition, demanded=plain), random)
        for _ in range(ALONE)
    )
    found = (draw for draw in draws if isinstance(draw, Drawn))
    alone = (draw for draw in found if draw.value.unsettled == (convention,))
    return next((draw for draw in alone if holds(draw.value)), None)


def gradients_of(
    spec: Spec, edition: Edition, count: int, seed: int, *, elements: int = ELEMENTS
) -> Pool[Differentiated]:
    """Up to `count` structures with different gradients; two of three in the documents' dtype."""
    random = Random(seed)  # noqa: S311
    plain: dict[str, str] = {DTYPE: spec.dtypes.documented[0]}

    def draw(number: int) -> Drawn[Differentiated] | Rejected:
        wanted = plain if number % 3 else {}
        found = seeded(
            lambda chooser: differentiated(
                made(chooser, spec, edition, wanted=wanted, elements=elements)
            ),
            random,
        )
        if isinstance(found, Rejected) or found.value is None:
            return Rejected("it has no gradient")
        return Drawn(found.value, found.made_of)

    return _pool(
        draw, lambda one: key_of_program(one.program), count, lambda count: GRADIENT_DRAWS * count
    )


def distinct(
    strategy: SearchStrategy[Found], key_of: Callable[[Found], str], count: int, seed: int
) -> list[Found]:
    """Up to `count` things that differ in `key_of`, as they come; the same for the same seed."""
    return [draw.value for draw in distinct_draws(strategy, key_of, count, seed).draws]


def distinct_draws(
    strategy: SearchStrategy[Found], key_of: Callable[[Found], str], count: int, seed: int
) -> Pool[Found]:
    """The same, with the choices that made them."""
    random = Random(seed)  # noqa: S311
    return _pool(lambda _: drawn(strategy, random), key_of, count, _examples)


def covering(
    draws: Sequence[Drawn[Found]],
    shown: Callable[[Found], frozenset[Hashable]],
    count: int,
    begun: Sequence[Drawn[Found]] = (),
) -> list[Drawn[Found]]:
    """`count` of the draws: those of `begun`, then each that shows something new, then the others,
    in order; if it is one alone, the first that shows the most."""
    if count == 1 and draws and not begun:
        return [max(draws, key=lambda draw: len(shown(draw.value)))]
    known: set[Hashable] = set().union(*(shown(draw.value) for draw in begun))
    new: list[Drawn[Found]] = []
    others: list[Drawn[Found]] = []
    for draw in draws:
        if any(draw is one for one in begun):
            continue
        adds = shown(draw.value) - known
        known |= adds
        (new if adds else others).append(draw)
    return [*begun, *[*new, *others][: max(0, count - len(begun))]]


def _pool(
    draw: Callable[[int], Drawn[Found] | Rejected | None],
    key_of: Callable[[Found], str],
    count: int,
    limit: Callable[[int], int],
) -> Pool[Found]:
    """The first `count` draws that differ; `draw` gets the number of the draw, from 0."""
    draws, attempts, known = list[Drawn[Found]](), list[int](), set[str]()
    for number in range(limit(count)):
        if len(draws) == count:
            break
        found = draw(number)
        if isinstance(found, Drawn) and (mine := key_of(found.value)) not in known:
            known.add(mine)
            draws.append(found)
            attempts.append(number + 1)
    return Pool(draws, attempts, limit)


def key(structure: Structure) -> str:
    """The program as text: two structures with the same key are the same case."""
    return key_of_program(structure.program)


def key_of_program(program: Program) -> str:
    """The program as text."""
    return json.dumps(to_json(program), sort_keys=True)


def _examples(count: int) -> int:
    """Some things come twice; a function of few structures has no more to give."""
    return count + count // 4 + 20
