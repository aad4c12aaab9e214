"""Every number of a small dtype: calls on a domain that is small enough to be tried in full.

A tensor of float16 or bfloat16 has 65,536 different elements, and so have the pairs of elements of
two tensors of 8 bits. A function that is elementwise has no other inputs. One call with all of them
shows everything that it does in this dtype.

An array rests on the conventions that its numbers show (`Structure.conventions`). Therefore
ordinary, special, subnormal and extreme numbers get arrays of their own, and a convention about
some numbers excuses no other. All arrays have one length; the last of a sort repeats its numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, held_in
from conformance.editions import Edition, compiles
from conformance.generators import tensors
from conformance.generators.bindings import offered_bindings
from conformance.generators.defaults import weighted_dtypes
from conformance.generators.domains import DOMAINS
from conformance.generators.drawing import Drawn, Seeded, seeded
from conformance.generators.hard_numbers import OF as OF_HARD
from conformance.generators.hard_numbers import hard_numbers
from conformance.generators.structure import Structure, expected_shape, made
from conformance.generators.values import MOST_ORDINARY, SHOWING, fill, numbers_of
from conformance.program import Binding, Ref
from conformance.specs import Spec
from conformance.specs.convention_names import ConventionName
from conformance.specs.rules import RuleError

Array = npt.NDArray[Any]

OF_ONE = ("float16", BFLOAT16)
"""The dtypes of which one tensor gets every number."""
OF_TWO = ("int8", "uint8", "bool")
"""The dtypes of which two tensors get every pair of numbers."""
TRIES = 12
"""How many calls are drawn at most to find a plain one."""
_SETTLED = frozenset({ConventionName.INPUT_DTYPE})
"""The conventions that a plain call may rest on."""
_WAYS = (Binding.PLACEHOLDER, Binding.VARIABLE, Binding.CONSTANT)
"""How tensors are made, in the order in which graphs of many draws like it."""


class Plainest(Seeded):
    """Takes the first of all choices, which is the simplest, and any integers."""

    def pick(self, choices: tuple[Any, ...], among: tuple[int, ...] = ()) -> Any:
        """The first choice."""
        return choices[among[0] if among else 0]


def plain_call(spec: Spec, edition: Edition, dtype: str, count: int) -> Structure | None:
    """A call of `count` tensors of a dtype with one element each, and of nothing else that has a
    default; None if the function has no such call with a result of the same shape."""
    if spec.dtype is None or spec.results or not spec.unique or dtype not in weighted_dtypes(spec):
        return None
    offered, ways = offered_bindings(spec, edition), _WAYS[:: -1 if compiles(edition) else 1]
    binding = next((way for way in ways if way in offered), None)
    ranks = {f"{name} rank": "1" for name in spec.parameters}
    random = Random(zlib.crc32(spec.name.encode()))  # noqa: S311
    for _ in range(TRIES if binding else 0):
        call = seeded(
            lambda _: made(
                Plainest(random), spec, edition, dtype=dtype, binding=binding, wanted=ranks
            ),
            random,
        )
        if isinstance(call, Drawn) and _is_plain(call.value, dtype, count):
            return call.value
    return None


def _is_plain(call: Structure, dtype: str, count: int) -> bool:
    inputs = call.program.inputs
    passed = sum(isinstance(value, Ref) for value in call.arguments.values())
    if (
        {len(inputs), passed} != {count}
        or call.claimed != "result"
        or not _SETTLED.issuperset(call.unsettled)
    ):
        return False
    whole = call.below or call.distributions or any(map(_is_whole, call.domains.values()))
    alike = all(item.dtype == dtype and item.shape == (1,) for item in inputs)
    return alike and not whole and _keeps_length(call)


def _keeps_length(call: Structure) -> bool:
    try:
        return expected_shape(of_length(call, 3)) == (3,)
    except RuleError:  # its arguments fit one element alone
        return False


def _is_whole(domain: str) -> bool:
    return DOMAINS[domain].whole


def of_length(call: Structure, length: int) -> Structure:
    """The call with tensors of so many elements."""
    items = tuple(tensors.reshaped(item, (length,)) for item in call.program.inputs)
    known = {item.name: item for item in items}
    names = {
        name: known[ref]
        for name, value in call.arguments.items()
        for ref in tensors.references(value)
    }
    runtime = {**call.runtime.shapes, **{name: item.shape for name, item in names.items()}}
    static = {**call.static.shapes, **{name: item.static_shape for name, item in names.items()}}
    return replace(
        call,
        program=replace(call.program, inputs=items),
        runtime=replace(call.runtime, shapes=runtime),
        static=replace(call.static, shapes=static),
    )


@cache
def every_number(dtype: str) -> Array:
    """Every number of a dtype of at most 16 bits, ascending by its bits; NaN once."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype == BFLOAT16:
        bits = np.arange(2**16, dtype=np.uint32) << 16
        numbers: Array = bits.view(np.float32)
    else:
        bits = np.arange(2 ** (8 * held_in(dtype).itemsize), dtype=np.uint32)
        numbers = bits.astype(f"uint{8 * held_in(dtype).itemsize}").view(dtype)
    if numbers.dtype.kind != "f":
        return numbers
    return np.append(numbers[~np.isnan(numbers)], numbers.dtype.type(np.nan))


def every_array(call: Structure, length: int) -> Iterator[tuple[str, dict[str, Array]]]:
    """The numbers of a call of one tensor, in arrays of this length, each with its profile: all,
    or those that are hard if there are too many."""
    (item,) = call.program.inputs
    every = hard_numbers if item.dtype in OF_HARD else every_number
    for profile, numbers in _of_profiles(call, every(item.dtype)):
        for array in _rows(numbers, profile, length):
            yield profile, {item.name: array}


def at_once(call: Structure) -> tuple[Structure, dict[str, Array]]:
    """All numbers of a call of one tensor in one array, and the call, which then rests on all
    conventions about numbers: for calls that are compiled for each array."""
    (item,) = call.program.inputs
    numbers = [array for _, array in _of_profiles(call, every_number(item.dtype))]
    unsettled = {*call.unsettled, ConventionName.EXTREMES, ConventionName.SUBNORMAL}
    return replace(call, unsettled=tuple(sorted(unsettled))), {item.name: np.concatenate(numbers)}


def _of_profiles(call: Structure, numbers: Array) -> Iterator[tuple[str, Array]]:
    """The numbers by the profiles that they show: those of conventions, and those for which the
    spec names a convention of its own."""
    (domain,) = call.domains.values()
    left = numbers
    for profile, shows in _shown(domain).items():
        if profile in _OF_SPECS and call.conventions(profile) == call.conventions("ordinary"):
            continue
        chosen = shows(left)
        if chosen.any() and profile != _NOWHERE:
            yield profile, left[chosen]
        left = left[~chosen]
    if left.size:
        yield "ordinary", left


_OF_SPECS = ("zeros", "integers", "halves")
"""Profiles that differ from ordinary numbers where a spec names a convention for them."""
_NOWHERE = "nowhere"
"""In the place of the profile of numbers that are left out."""


def _shown(domain: str) -> Mapping[str, Callable[[Array], Array]]:
    """By profile, which numbers show it, if they show none before it.

    Numbers outside of the domain are special; finite ones are left out if the documents do not
    cover them.
    """
    limited = DOMAINS[domain]
    special, subnormal, extremes = (SHOWING[n] for n in ("special", "subnormal", "extremes"))
    return {
        _NOWHERE: lambda a: ~limited.admits(a) & np.isfinite(a) & limited.undefined,
        "special": lambda a: special(a) | ~limited.admits(a),
        "subnormal": subnormal,
        "extremes": extremes,
        "large": lambda a: np.abs(a) > MOST_ORDINARY,
        **{name: numbers_of(name) for name in _OF_SPECS},
    }


def _rows(numbers: Array, profile: str, length: int) -> Iterator[Array]:
    """The numbers in rows of a length; each special one has a NaN, by which it is known as such."""
    own = length - (profile == "special")
    count = -(-numbers.size // own)
    for row in np.resize(numbers, (count, own)):
        yield row if profile != "special" else np.append(row, row.dtype.type(np.nan))


def sample(call: Structure, count: int) -> dict[str, Array]:
    """Some numbers for each input that are ordinary in any domain, and differ where they can."""
    rng = np.random.Generator(np.random.PCG64(count))
    return {
        item.name: fill(rng, (count,), item.dtype, call.domains.get(item.name, "real"), "ordinary")
        for item in call.program.inputs
    }


def every_pair(call: Structure) -> dict[str, Array]:
    """All pairs of numbers of a call of two tensors, except those outside of its domains."""
    first, second = call.program.inputs
    pairs = np.meshgrid(every_number(first.dtype), every_number(second.dtype), indexing="ij")
    arrays = {
        item.name: array.reshape(-1) for item, array in zip((first, second), pairs, strict=True)
    }
    inside = np.logical_and.reduce(
        [DOMAINS[call.domains.get(name, "real")].admits(array) for name, array in arrays.items()]
    )
    return {name: array[inside] for name, array in arrays.items()}
