"""Which tensors a wrong answer goes with: what tells two causes apart where arguments do not.

One fault shows whenever a tensor has a certain rank, another now and then: where every settled
call with a trait is wrong, and only some calls without it are, two things are wrong. That all calls
with the trait are wrong by chance has to be less likely than `CHANCE`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.trials import Trial

Trait = tuple[str, str]
"""What of a tensor, and its value: ("rank of x", "4")."""

CHANCE = 1e-6
"""How likely chance may make every call with a trait wrong, at most, for it to be a cause."""


def traits(trial: Trial | None) -> frozenset[Trait]:
    """The ranks, the dtypes and the bindings of the tensors of a call; empty for other trials."""
    return frozenset(_traits(trial)) if isinstance(trial, CallTrial) else frozenset()


def _traits(trial: CallTrial) -> Iterator[Trait]:
    structure = trial.prepared.structure
    for name, shape in structure.runtime.shapes.items():
        if all(isinstance(length, int) for length in shape):  # not a list of tensors
            yield f"rank of {name}", str(len(shape))
    for name, dtype in structure.runtime.dtypes.items():
        yield f"dtype of {name}", dtype
    for item in structure.program.inputs:
        yield f"binding of {item.name}", str(item.binding)


def whole(wrong: Counter[Trait], right: Counter[Trait], count: int) -> frozenset[Trait]:
    """Traits of one name with which each call is wrong, if some of the others are, too.

    `wrong` and `right` say how many calls with each trait are, `count` how many are wrong in all.
    Empty if no trait tells two causes apart.
    """
    for name in sorted({name for name, _ in wrong}, key=_order):
        mine = {trait: n for trait, n in wrong.items() if trait[0] == name}
        answered = sum(n for trait, n in right.items() if trait[0] == name)
        if sum(mine.values()) < count:
            continue  # not every call has such a tensor
        always = {
            trait for trait, n in mine.items() if not right[trait] and _sure(n, count, answered)
        }
        if always and {*mine} - always:
            return frozenset(always)
    return frozenset()


def _order(name: str) -> tuple[int, str]:
    return ("rank", "dtype", "binding").index(name.partition(" ")[0]), name


def _sure(wrong: int, count: int, answered: int) -> bool:
    """Whether so many calls of `count` wrong ones are not wrong by chance, at the rate at which the
    others are."""
    others = count - wrong
    share: float = others / (others + answered) if others + answered else 1.0
    return share**wrong < CHANCE
