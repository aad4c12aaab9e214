"""How users make tensors and pass them: known dimensions, layouts in memory, one tensor twice.

Each of these is drawn of a small table, and its class can be read from the program afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product

import numpy as np

from conformance.dtypes import held_in
from conformance.generators import matrices, warps
from conformance.generators.orders import NAMES_OF_INDICES
from conformance.program import Argument, Binding, Input, Layout, Ref
from conformance.program.layouts import matters
from conformance.program.model import AS_THEY_ARE
from conformance.specs import kinds

EVERY_PATTERN = 4
"""Up to this rank every combination of known and unknown dimensions is drawn."""
MOST_PATTERNS = 5
"""Up to this rank those are drawn in which one dimension alone is known, or is not, of tensors that
have no other rank."""
LAYOUTS = (
    *(Layout.C,) * 30,
    *(Layout.FORTRAN, Layout.STRIDED) * 3,
    *(Layout.REVERSED, Layout.READ_ONLY) * 2,
    Layout.SWAPPED,
    Layout.UNALIGNED,
)
"""The layouts, as often as they are wanted; the plain one first."""
ODD = (Layout.SWAPPED, Layout.UNALIGNED)
"""Layouts that no document speaks of, even in passing."""
BOTH_FLOATS = ("float32", "float64")
WHOLE = "int32"
"""The dtypes of which a call may have any two, in either order."""
BYTE = "int8"
HALVES = ("bfloat16", "float16")
BESIDE = ("bool", BYTE, *HALVES)
"""The dtypes that a later tensor of a call may have beside the first."""
_WIDENING = ("bool", BYTE, WHOLE, *HALVES, *BOTH_FLOATS)
"""The dtypes that a call may mix; two are computed in the later of them."""
SYMBOLIC = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)
PYTHONS = ("float32", "int32", "bool")
"""The dtypes for which Python's own numbers stand."""
INTEGERS = ("int8", "uint8", "int16", "uint16", "uint32", "uint64")
"""Integer dtypes that no document names, of which indices and labels may be."""

Known = tuple[bool, ...]


def ranks_of(rule: kinds.ParameterRule | None) -> range:
    """The ranks that a tensor may have; none of what is no such tensor."""
    match rule:
        case kinds.TensorKind():
            return range(rule.ranks[0], rule.ranks[1] + 1)
        case kinds.Images():
            return range(rule.spatial + 2, (rule.most or rule.spatial) + 3)
        case _:
            return range(0)


@cache
def known_patterns(rank: int, *, alone: bool = False) -> tuple[Known, ...]:
    """Which dimensions a placeholder with `None` among them knows, nothing known first.

    A call is as likely to know nothing as to know some of them. `alone` says that the tensor has no
    other rank.
    """
    nothing = (False,) * rank
    if not 1 < rank <= (MOST_PATTERNS if alone else EVERY_PATTERN):
        return (nothing,)
    every = (k for k in product((True, False), repeat=rank) if any(k) and not all(k))
    partly = tuple(k for k in every if rank <= EVERY_PATTERN or sum(k) in (1, rank - 1))
    return (*(nothing,) * len(partly), *partly)


def partly(known: Known) -> str:
    """The class of a pattern: whether it knows some dimensions."""
    return yes_or_no(any(known))


def yes_or_no(is_so: bool) -> str:
    """The class of what is so or not."""
    return "yes" if is_so else "no"


def as_python_has_it(item: Input) -> Input:
    """The input; an array where Python has no numbers of its dtype, or a list would lose its shape.

    Python's numbers stand for float32, int32 and bool, which are what becomes of them. Where NumPy
    lacks the dtype, there is no array either, and the backend makes a tensor.
    """
    if item.binding in AS_THEY_ARE and held_in(item.dtype).name != item.dtype:
        return replace(item, binding=Binding.CONSTANT)
    if item.binding is not Binding.PYTHON or (item.dtype in PYTHONS and 0 not in item.shape):
        return item
    return replace(item, binding=Binding.ARRAY)


def partly_known(item: Input, known: Known) -> Input:
    """The placeholder with these dimensions known; as it is if none of them is."""
    if not any(known):
        return item
    return told(item, tuple(d if k else None for d, k in zip(item.shape, known, strict=True)))


def told(item: Input, shape: tuple[int | None, ...]) -> Input:
    """The placeholder, made with this shape."""
    return replace(item, arguments=(("shape", shape), ("dtype", item.dtype)))


def reshaped(item: Input, shape: tuple[int, ...]) -> Input:
    """The input with another shape of the same rank; what was known of it stays known."""
    pattern = tuple(d is not None for d in item.static_shape)
    other = replace(item, shape=shape)
    return other if item.arguments is None else partly_known(other, pattern)


def knowledge(item: Input) -> str:
    """The class of what is known of an input's dimensions: `all`, `none`, or a pattern.

    The pattern has `n` for a known dimension and `?` for an unknown one: `?n` for (None, 3).
    """
    known = tuple(d is not None for d in item.static_shape)
    return "all" if all(known) else pattern(known)


def pattern(known: Known) -> str:
    """The class of which dimensions are known, if not all of them are."""
    return "".join("n" if k else "?" for k in known) if any(known) else "none"


def choices_of_layout(inputs: list[Input], layout: Layout) -> tuple[str | None, ...]:
    """Which inputs can be laid out so: None stands for all of them together."""
    names = [item.name for item in inputs if matters(layout, item)]
    return (None, *names) if len(names) > 1 else tuple(names)


def laid_out(item: Input, layout: Layout, name: str | None) -> Input:
    """The input with the layout, if it is the one called `name`, or if that is None."""
    fits = name in (None, item.name) and matters(layout, item)
    return replace(item, layout=layout) if fits else item


def alike(
    inputs: list[Input], passed: Mapping[str, Argument], domains: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Pairs of inputs, either of which could take the place of the other, in their order.

    Both are tensors of one shape and dtype, and what one may hold the other may hold, too.
    """
    given = {name for value in passed.values() for name in references(value)}
    tensors = [i for i in inputs if i.name in given and i.binding not in AS_THEY_ARE]
    for a, b in combinations(tensors, 2):
        same = (a.shape, a.dtype) == (b.shape, b.dtype)
        if same and stricter(domains[a.name], domains[b.name]) is not None:
            yield a.name, b.name


def stricter(domain: str, other: str) -> str | None:
    """The domain whose elements are in both; None if neither is part of the other."""
    for wide, narrow in ((domain, other), (other, domain)):
        if wide in (narrow, "real") or (wide, narrow) == ("fraction", "probability"):
            return narrow
    return None


def widest(dtypes: Iterable[str]) -> str:
    """The widest of some of the dtypes that tensors of one call may have: no number is lost."""
    known = {*dtypes} & {*_WIDENING}
    return "float32" if known >= {*HALVES} else max(known, key=_WIDENING.index)


def mixed_in(dtypes: Collection[str]) -> tuple[str, ...]:
    """These dtypes in order, as far as tensors of one call may have two of them."""
    return tuple(dtype for dtype in _WIDENING if dtype in dtypes)


def orders(dtypes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The pairs of dtypes that a plan shows: of integers and the usual floats each two in either
    order, of others the usual ones before them."""
    usual = [dtype for dtype in dtypes if dtype in (WHOLE, *BOTH_FLOATS)]
    yield from permutations(usual, 2)
    first = [dtype for dtype in (WHOLE, BOTH_FLOATS[0]) if dtype in usual]
    yield from product(first, [dtype for dtype in dtypes if dtype in BESIDE])


@cache
def integers_for(below: int) -> tuple[str, ...]:
    """The dtypes of `INTEGERS` that hold all integers from 0 to less than `below`."""
    return tuple(name for name in INTEGERS if np.iinfo(name).max >= below)


def aliased(arguments: Mapping[str, Argument]) -> list[str]:
    """Which tensors are passed twice, such as `x is y`."""
    named = [(ref, name) for name, value in arguments.items() for ref in references(value)]
    same = [f"{a} is {b}" for (ref, a), (other, b) in combinations(named, 2) if ref == other]
    return [*dict.fromkeys(same)]


MIXED = "mixed dtypes"
"""The feature that tells whether the tensors of a call have two dtypes."""
NOT_MIXED = "no"
"""The class of `MIXED` of a call whose tensors have one dtype."""


def then(first: str, other: str | None) -> str:
    """The class of `MIXED` of a call with a tensor of the first dtype, and a later one of
    the other, if there is such a one."""
    return NOT_MIXED if other is None else f"{first} then {other}"


def classes(
    inputs: Iterable[Input],
    arguments: Mapping[str, Argument],
    *,
    mixed: Collection[str],
    fixed: Collection[str] = (),
) -> dict[str, str]:
    """How the tensors of a call are made and passed: the class of each feature of the call.

    The features are `layout`, `aliases` and `mixed dtypes`. In `mixed` are the dtypes that tensors
    may have beside each other, if two of these have two. Tensors in `fixed` have their own dtypes.
    """
    items, passed = list(inputs), [ref for v in arguments.values() for ref in references(v)]
    found = (
        {"layout": str(next((i.layout for i in items if i.layout is not Layout.C), Layout.C))}
        if items
        else {}
    )
    if len(passed) > 1:
        found["aliases"] = yes_or_no(len({*passed}) < len(passed))
        dtypes = dict.fromkeys(i.dtype for i in items if i.dtype in mixed and i.name not in fixed)
        found[MIXED] = then(*dtypes) if mixed else NOT_MIXED
    return found


def references(value: Argument) -> list[str]:
    """The names of the inputs that an argument is, or lists."""
    items = value if isinstance(value, list | tuple) else [value]
    return [item.name for item in items if isinstance(item, Ref)]


def renamed(value: Argument, old: str, new: str) -> Argument:
    """The argument with another input in the place of `old`."""
    if isinstance(value, list):
        return [renamed(item, old, new) for item in value]
    if isinstance(value, tuple):
        return tuple(renamed(item, old, new) for item in value)
    return Ref(new) if value == Ref(old) else value


CONSTRUCTED = (
    *("mirrored", "mirrored_last", "even", "ascending", "some missing"),
    *matrices.FITS,
    *warps.FITS,
    *NAMES_OF_INDICES,
)
"""Domains of arrays whose elements are made to fit each other; tensors share none of them."""
