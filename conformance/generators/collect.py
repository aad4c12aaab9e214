"""Several structures or scenarios, the same for the same seed, with the choices of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import TypeVar

from hypothesis.strategies import SearchStrategy

from conformance.editions import Edition
from conformance.generators.classes import DTYPE, Classes
from conformance.generators.coverage.array import CoveringArray
from conformance.generators.coverage.effort import Effort
from conformance.generators.coverage.stored import Choices, StoredArray, stored_array
from conformance.generators.drawing import Drawn, Rejected, drawn, replayed, seeded
from conformance.generators.gradients import Differentiated, differentiated
from conformance.generators.sizes import ELEMENTS
from conformance.generators.structure import Structure, made
from conformance.program import Program, to_json
from conformance.specs import Spec
from conformance.specs.model import ErrorCase

Found = TypeVar("Found")

USUAL = Effort(first=40, free=2, steered=2, least=250, tries=2)
"""How much is drawn for each function."""
QUICK = Effort(first=40, free=2, steered=2, least=0, tries=0)
"""How much is drawn where few structures are kept."""
FEW, SMALL = 5, 500
"""How many structures are kept then, and the most elements of a tensor of theirs, about."""

STEERED = 40
"""How many structures are drawn at most for each one with certain classes."""
ALONE = 4_000
"""How many structures are drawn at most to find one that rests on one convention alone."""
GRADIENT_DRAWS = 3
"""How many structures are drawn at most for each one that has a gradient."""


def covering_array(
    spec: Spec,
    edition: Edition,
    count: int | None,
    seed: int,
    effort: Effort = USUAL,
    *,
    elements: int = ELEMENTS,
) -> CoveringArray:
    """The first `count` structures that a plan keeps of a function; all of them if it is None."""
    array = CoveringArray(spec, edition, Random(seed), effort, elements)  # noqa: S311
    array.rows(count)
    return array


def kept_structures(
    spec: Spec,
    edition: Edition,
    count: int | None,
    seed: int,
    effort: Effort = USUAL,
    *,
    elements: int = ELEMENTS,
) -> list[Drawn[Structure]]:
    """The same structures: made of what is stored of them, or found if nothing is."""
    stored = stored_array(spec.name, edition, seed)
    rows = None if stored is None else _rows_of(stored, count, effort, elements)
    remade = None if rows is None else _remade(spec, edition, rows, elements)
    if remade is not None:
        return remade
    return covering_array(spec, edition, count, seed, effort, elements=elements).kept


def _rows_of(
    stored: StoredArray, count: int | None, effort: Effort, elements: int
) -> tuple[Choices, ...] | None:
    """The rows of such a plan; None if they are not stored."""
    if count is None:
        return stored.rows if (effort, elements) == (USUAL, ELEMENTS) else None
    return stored.few[:count] if count <= FEW and (effort, elements) == (QUICK, SMALL) else None


def _remade(
    spec: Spec, edition: Edition, rows: Sequence[Choices], elements: int
) -> list[Drawn[Structure]] | None:
    """The structures of these choices; None if any cannot be made again."""
    found = [
        replayed(lambda chooser: made(chooser, spec, edition, elements=elements), row)
        for row in rows
    ]
    kept = [draw for draw in found if isinstance(draw, Drawn)]
    return kept if len(kept) == len(rows) else None


def collect_all(spec: Spec, edition: Edition, count: int | None, seed: int) -> list[Structure]:
    """The structures that a plan keeps of a function."""
    return [draw.value for draw in covering_array(spec, edition, count, seed).kept]


def generate(strategy: SearchStrategy[Structure], count: int, seed: int) -> list[Structure]:
    """Up to `count` different structures, as they come; the same for the same seed."""
    return distinct(strategy, key, count, seed)


def invalid_calls(
    spec: Spec, edition: Edition, error: ErrorCase, count: int, seed: int
) -> list[Drawn[Structure]]:
    """Up to `count` different invalid calls of one sort."""
    random = Random(seed)  # noqa: S311
    draws = (
        seeded(lambda chooser: made(chooser, spec, edition, error), random)
        for _ in range(_examples(count))
    )
    return different((draw for draw in draws if isinstance(draw, Drawn)), key, count)


def steered(
    spec: Spec, edition: Edition, demanded: Classes, count: int, seed: int
) -> list[Drawn[Structure]]:
    """Up to `count` different structures whose features have these classes."""
    random = Random(seed)  # noqa: S311
    draws = (
        seeded(lambda chooser: made(chooser, spec, edition, demanded=demanded), random)
        for _ in range(STEERED * count)
    )
    return different((draw for draw in draws if isinstance(draw, Drawn)), key, count)


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
) -> list[Drawn[Differentiated]]:
    """Up to `count` structures with different gradients; two of three in the documents' dtype."""
    random = Random(seed)  # noqa: S311
    plain: dict[str, str] = {DTYPE: spec.dtypes.documented[0]}

    def make(number: int) -> Drawn[Differentiated | None] | Rejected:
        wanted = plain if number % 3 else {}
        return seeded(
            lambda chooser: differentiated(
                made(chooser, spec, edition, wanted=wanted, elements=elements)
            ),
            random,
        )

    draws = (make(number) for number in range(GRADIENT_DRAWS * count))
    given = (Drawn(d.value, d.made_of) for d in draws if isinstance(d, Drawn) and d.value)
    return different(given, lambda found: key_of_program(found.program), count)


def distinct(
    strategy: SearchStrategy[Found], key_of: Callable[[Found], str], count: int, seed: int
) -> list[Found]:
    """Up to `count` things that differ in `key_of`, as they come; the same for the same seed."""
    return [draw.value for draw in distinct_draws(strategy, key_of, count, seed)]


def distinct_draws(
    strategy: SearchStrategy[Found], key_of: Callable[[Found], str], count: int, seed: int
) -> list[Drawn[Found]]:
    """The same, with the choices that made them."""
    random = Random(seed)  # noqa: S311
    draws = (drawn(strategy, random) for _ in range(_examples(count)))
    return different((draw for draw in draws if draw is not None), key_of, count)


def covering(
    draws: Sequence[Drawn[Found]], shown: Callable[[Found], frozenset[Hashable]], count: int
) -> list[Drawn[Found]]:
    """`count` of the draws: first each that shows something new, then the others, in order; if it
    is one alone, the first that shows the most."""
    if count == 1 and draws:
        return [max(draws, key=lambda draw: len(shown(draw.value)))]
    known: set[Hashable] = set()
    new: list[Drawn[Found]] = []
    others: list[Drawn[Found]] = []
    for draw in draws:
        adds = shown(draw.value) - known
        known |= adds
        (new if adds else others).append(draw)
    return [*new, *others][:count]


def different(
    draws: Iterable[Drawn[Found]], key_of: Callable[[Found], str], count: int
) -> list[Drawn[Found]]:
    """The first `count` draws that differ."""
    return list(islice(_different(draws, key_of), count))


def _different(
    draws: Iterable[Drawn[Found]], key_of: Callable[[Found], str]
) -> Iterator[Drawn[Found]]:
    known = set()
    for draw in draws:
        if (mine := key_of(draw.value)) not in known:
            known.add(mine)
            yield draw


def key(structure: Structure) -> str:
    """The program as text: two structures with the same key are the same case."""
    return key_of_program(structure.program)


def key_of_program(program: Program) -> str:
    """The program as text."""
    return json.dumps(to_json(program), sort_keys=True)


def _examples(count: int) -> int:
    """Some things come twice; a function of few structures has no more to give."""
    return count + count // 4 + 20
