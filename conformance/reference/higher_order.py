"""map_fn, foldl and foldr: a function along the first axis of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import number, tensor
from conformance.reference.symbolic.graph import Tensor, apply, literal
from conformance.reference.symbolic.loops import loop


def _elements(elems: Any, where: str) -> Tensor:
    found = tensor(elems, where, "elems")
    if not found.ndim:
        raise ValueError(f"{where}: elems is the scalar {found!r}; it needs an axis of elements")
    return found


@documented(
    "ja-2.0:3336 map_fn(fn, elems, name=None, dtype=None)",
    "ko-2.2:3599 map_fn(fn, elems, name=None, dtype=None)",
)
def map_fn(
    fn: Callable[[Tensor], Tensor], elems: Tensor, name: str | None = None, dtype: str | None = None
) -> Tensor:
    """`fn` of every slice elems[i], stacked on a first axis; cast to `dtype` if that is given.

    ValueError: elems is a scalar, `fn` returns no tensor; at evaluation, no elements.
    """

    def step(slices: list[Tensor], _: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        found = tensor(fn(slices[0]), "map_fn", "what fn returns")
        other = dtype is not None and dtype != found.dtype
        return [apply("cast", found, dtype=dtype) if other else found], []

    (mapped,), _ = loop(step, [_elements(elems, "map_fn")], [], "map_fn")
    mapped.name = name or mapped.name
    return mapped


@documented(
    "ja-2.0:3357 foldl(fn, elems, initializer=None, name=None)",
    "ko-2.2:3622 foldl(fn, elems, initializer=None, name=None)",
)
def foldl(
    fn: Callable[[Tensor, Tensor], Tensor],
    elems: Tensor,
    initializer: Any = None,
    name: str | None = None,
) -> Tensor:
    """fn(accumulated, elems[i]) from the first element to the last: like the initializer in shape.

    The initializer is a tensor or a number in the dtype of elems; without it elems[0] comes first
    (ko-2.2:3634). ValueError: elems is a scalar, or `fn` changes shape or dtype.
    """
    return _fold(fn, elems, initializer, name, "foldl")


@documented(
    "ja-2.0:3378 foldr(fn, elems, initializer=None, name=None)",
    "ko-2.2:3646 foldr(fn, elems, initializer=None, name=None)",
)
def foldr(
    fn: Callable[[Tensor, Tensor], Tensor],
    elems: Tensor,
    initializer: Any = None,
    name: str | None = None,
) -> Tensor:
    """As `foldl`, from the last element to the first; without initializer elems[-1] comes first."""
    return _fold(fn, elems, initializer, name, "foldr")


def _fold(fn: Any, elems: Any, initializer: Any, name: str | None, where: str) -> Tensor:
    sequence, backwards = _elements(elems, where), where == "foldr"
    if initializer is None:
        initial = sequence[-1 if backwards else 0]
        sequence = sequence[:-1] if backwards else sequence[1:]
    elif isinstance(initializer, Tensor):
        initial = initializer
    else:
        value = number(initializer, where, "initializer")
        initial = literal(value, sequence.dtype, where)

    def step(slices: list[Tensor], carried: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        return [], [tensor(fn(carried[0], slices[0]), where, "what fn returns")]

    _, (last,) = loop(step, [sequence], [initial], where, backwards)
    last.name = name or last.name
    return last
