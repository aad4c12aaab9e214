"""Products and orders of axes that a text describes: `einsum` and `rearrange`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.generators import long_axes
from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.specs.letters import groups_of, terms_of

Dims = tuple[int, ...]
PRODUCTS = (
    "ij,jk->ik",
    "ij->ji",
    "ij,j->i",
    "bij,bjk->bik",
    "ij->",
    "i,j->ij",
    "abc,acd->abd",
    "ii",
    "ii -> i",
    "ij -> i",
    "...j -> ...",
    "ji",
    "ij, j",
    "...j, j",
    "i,i->",
    "ij,jk,kl->il",
    "bqhd,bkhd->bhqk",
    "...ij,...jk->...ik",
)
"""Explicit and implicit ones, those of the docstring's examples among them."""
LENGTHS = (2, 3, 1, 4)


def _product(call: CallDraft) -> None:
    """Subscripts, and tensors of which each letter has one length."""
    text = call.pick(PRODUCTS)
    terms = terms_of(text)
    letters = sorted({letter for term in terms for letter in term if letter.isalpha()})
    # a letter that a term repeats is as long twice
    room = math.isqrt(call.room) if any(t.count(a) > 1 for t in terms for a in letters) else None
    each = long_axes.lengthened(call, tuple(call.pick(LENGTHS) for _ in letters), room=room)
    lengths: dict[str, Dims] = {a: (n,) for a, n in zip(letters, each, strict=True)}
    rest = tuple(call.pick((2, 3, 1)) for _ in range(call.integer((0, 2))))
    shapes = [_shape(term, {**lengths, "": rest}) for term in terms]
    call.add_value("subscripts", text)
    call.add_tensors("operands", shapes, call.dtype)


def _shape(term: str, lengths: Mapping[str, Dims]) -> Dims:
    """The shape that a term has; an ellipsis has the lengths of an empty letter."""
    before, dots, after = term.partition("...")
    middle = lengths[""] if dots else ()
    return (*sum((lengths[a] for a in before), ()), *middle, *sum((lengths[a] for a in after), ()))


ORDERS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("b c h w -> b h w c", 4, ()),
    ("b c h w -> b c (h w)", 4, ()),
    ("b c h w -> (b c) w h", 4, ()),
    ("a b -> b a", 2, ()),
    ("a b c -> (a b c)", 3, ()),
    ("(h p) w -> h w p", 2, ("p",)),
    ("b (h p) (w q) -> b (h w) (p q)", 3, ("p", "q")),
)
"""Patterns, how many axes they are of, and the axes whose lengths are passed."""


def _order(call: CallDraft) -> None:
    """A tensor, a pattern, and the lengths of axes that others are divided into."""
    pattern, rank, named = call.pick(ORDERS)
    parts = {name: call.integer((1, 3)) for name in named}
    groups = groups_of(pattern.partition("->")[0])
    known = [next((parts[name] for name in group if name in parts), 1) for group in groups]
    short = dims(call, (rank, rank), room=call.room // math.prod(known))
    shape = tuple(max(d, 1) * n for d, n in zip(short, known, strict=True))
    call.add_tensor("tensor", shape, call.dtype, "real")
    if call.pick((True, False)):
        call.know("tensor", *range(rank))
    call.add_value("pattern", pattern)
    call.values["axes_lengths"] = ()
    if parts:
        call.add_value("axes_lengths", tuple(parts.items()))


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "product by letters": _product,
    "order by names": _order,
}
