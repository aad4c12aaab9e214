"""Numbers for the inputs of a structure: value profiles, seeded.

A profile is a manner of drawing elements. `ordinary`, `integers`, `halves`, `zeros`, `large`,
`offset` and `sparse` give numbers that the documents cover; `extremes`, `subnormal` and `special`
probe what they leave open. `outside`, `unnormalised` and `wide` make sense for functions whose
spec names a convention for them: indices out of range, distributions that do not sum to one, and
integers whose results leave their dtype's range.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import held_in, is_floating, limits, rounded
from conformance.generators import (
    arrangement,
    joint,
    orders,
    plain_numbers,
    portable,
    probabilities,
)
from conformance.generators.domains import DOMAINS
from conformance.generators.structure import Structure, accepted_dtypes
from conformance.generators.tensors import references
from conformance.program import Input
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]


MOST_ORDINARY = 20.0
"""The largest magnitude of an ordinary number."""
LEAST_ORDINARY = 1e-4
"""The magnitude below which a number, if it is not zero, counts as an extreme one."""
MOST_LARGE = 100.0
"""The largest magnitude of a large one: in float32 exp overflows, and sigmoid and tanh saturate."""
MOST_OFFSET = 64.5
"""The largest magnitude of one that is close to others and far from zero."""
MOST_INTEGER = 9
"""The largest magnitude of an integer that is not `wide`."""
BEYOND = 3
"""How far beyond their range indices are, at most, that are too large."""
DECLARED = ("outside", "unnormalised", "wide")
"""Profiles that make sense only where a spec names a convention for them."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Which numbers: a profile and a seed."""

    profile: str
    seed: int


def draw_arrays(structure: Structure, draw: Draw) -> dict[str, Array]:
    """One array for each input, by name; the same for the same structure and draw."""
    return arrays_of_draws(structure, [draw])[0]


def arrays_of_draws(structure: Structure, draws: Iterable[Draw]) -> list[dict[str, Array]]:
    """The arrays of each draw."""
    key = zlib.crc32(repr(structure.program.inputs).encode())
    return [_arrays(structure, draw, key) for draw in draws]


def _arrays(structure: Structure, draw: Draw, key: int) -> dict[str, Array]:
    arrays = {}
    rng = np.random.Generator(np.random.PCG64([draw.seed, key]))
    for item in structure.program.inputs:
        below = structure.below.get(item.name)
        if below is not None:
            found = _places(rng, structure, item, draw.profile)
            arrays[item.name] = rounded(found, item.dtype)
        elif item.name in structure.distributions:
            along = structure.distributions[item.name]
            fill_along = probabilities.targets if along.target else probabilities.distribution
            held = held_in(item.dtype).name
            made = fill_along(rng, item.shape, held, along.axis, draw.profile)
            arrays[item.name] = rounded(made, item.dtype)
        else:
            domain = structure.domains.get(item.name, "real")
            values = fill(rng, item.shape, item.dtype, domain, draw.profile)
            if draw.profile == "offset":
                values = _beyond_float32(structure, item, values)
            values = arrangement.arranged(values, domain, draw.profile, draw.seed)
            arrays[item.name] = rounded(values, item.dtype)
    for parameter, fit in structure.joint.items():
        fitted = joint.FITS[fit](structure.arguments, parameter, arrays)
        arrays |= {n: rounded(a, structure.program.input(n).dtype) for n, a in fitted.items()}
    if ConventionName.MIXED_DTYPES in structure.unsettled:
        most = min(_EXACT.get(item.dtype, _EXACT["float32"]) for item in structure.program.inputs)
        return {name: as_float32(array, most) for name, array in arrays.items()}
    return arrays


def _places(rng: np.random.Generator, structure: Structure, item: Input, profile: str) -> Array:
    """Indices, as the domain of their parameter has them."""
    below, domain = structure.below[item.name], structure.domains.get(item.name, "real")
    if item.name in structure.columns:
        sizes = structure.columns[item.name]
        return orders.rows(rng, item.shape[0], sizes, distinct=domain == "distinct")
    found = indices(rng, item.shape, item.dtype, below, profile)
    return orders.OF_INDICES[domain](rng, found, below) if domain in orders.OF_INDICES else found


_EXACT: Mapping[str, int] = {"bfloat16": 2**8, "float16": 2**11, "float32": 2**24}
"""The integers up to this one are numbers of each dtype."""


def as_float32(array: Array, most: int = _EXACT["float32"]) -> Array:
    """The numbers rounded to float32, and integers up to `most`.

    An implementation may then take them in either of two dtypes. Numbers that float32 would make
    infinite or zero stay as they are.
    """
    if array.dtype.kind == "i":
        ends = np.iinfo(array.dtype)
        return np.clip(array, max(-most, ends.min), min(most, ends.max)).astype(array.dtype)
    if array.dtype != np.float64:
        return array
    with np.errstate(over="ignore", under="ignore"):
        narrow = array.astype(np.float32).astype(np.float64)
    held = np.isfinite(narrow) & ((narrow != 0) | (array == 0))
    return np.where(held, narrow, array)


def suits(profile: str, structure: Structure) -> bool:
    """Whether numbers of a profile differ from ordinary ones for this structure."""
    if profile in DECLARED and profile not in structure.spec.profiles:
        return False
    return profile not in _SUITING or _SUITING[profile](structure)


def _has_floats(structure: Structure) -> bool:
    return any(is_floating(i.dtype) for i in structure.program.inputs)


def _open_ended(structure: Structure) -> list[Input]:
    """The inputs that hold any floating number."""
    return [
        i
        for i in structure.program.inputs
        if is_floating(i.dtype)
        and i.name not in structure.distributions
        and structure.domains.get(i.name) not in {"probability", "fraction"}
    ]


_SUITING: Mapping[str, Callable[[Structure], bool]] = {
    "large": lambda s: bool(_open_ended(s)),
    "offset": lambda s: (
        any(math.prod(i.shape) > 1 for i in _open_ended(s)) or bool(beyond_float32(s))
    ),
    "sparse": lambda s: _has_floats(s) or bool(s.below),
    "outside": lambda s: bool(s.below) and min(s.below.values()) > 0,
    "unnormalised": lambda s: any(not one.target for one in s.distributions.values()),
    "wide": lambda s: any(_is_whole(i.dtype) for i in s.program.inputs),
    **dict.fromkeys(("halves", "integers", "extremes", "subnormal", "special"), _has_floats),
}
"""Whether a profile suits a structure."""


def beyond_float32(structure: Structure) -> list[Input]:
    """The integer tensors whose numbers in the profile `offset` are beyond those of float32.

    There are none beside floats, or if the result is a float. In a sum of products only the
    first tensor has them. The others have -1, 0 and 1, and few products sum to an int32.
    """
    if "wide" in structure.spec.profiles or not all(map(_is_exact, accepted_dtypes(structure))):
        return []
    inputs = [item for item in structure.program.inputs if item.name not in structure.below]
    if any(is_floating(item.dtype) for item in inputs):
        return []
    far = [
        item
        for item in inputs
        if held_in(item.dtype).name in _FAR_INTEGERS
        and structure.domains.get(item.name, "real") == "real"
    ]
    if structure.accuracy.kind == "exact":
        return far
    # each element of the smallest tensor is in at most one product of a sum
    few = min((math.prod(item.shape) for item in inputs), default=0) <= MOST_SUMMED
    once = bool(far) and far[0] is inputs[0] and _is_passed_once(structure, inputs[0])
    return far[:1] if structure.accuracy.kind == "contraction" and few and once else []


def _is_passed_once(structure: Structure, item: Input) -> bool:
    """Whether one argument alone has the tensor: the square of a far integer exceeds int32."""
    names = [name for value in structure.arguments.values() for name in references(value)]
    return names.count(item.name) == 1


def _beyond_float32(structure: Structure, item: Input, values: Array) -> Array:
    far = beyond_float32(structure)
    if item in far:
        return np.asarray(FAR_INTEGER + 2 * np.abs(values))  # odd ones
    sums = far and structure.accuracy.kind == "contraction" and _is_whole(item.dtype)
    return np.sign(values) if sums else values


_FAR_INTEGERS = ("int32", "int64", "uint32", "uint64")
FAR_INTEGER = 2**24 + 1
"""The smallest integer that float32 rounds."""
MOST_SUMMED = 100
"""The sum of so many such integers is an int32."""


def _is_exact(dtype: str) -> bool:
    return dtype == "bool" or _is_whole(dtype)


def _is_whole(dtype: str) -> bool:
    return held_in(dtype).kind in "iu"


def indices(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, below: int, profile: str
) -> Array:
    """Indices from 0 to `below` - 1; the first and the last in the manner `sparse`.

    In the manner `outside` a third of them, and at least one, are out of range, all on one side, so
    that an answer shows how it reads them.
    """
    found = rng.integers(0, max(below, 1), shape)
    if profile == "sparse":
        return np.asarray(rng.choice((0, max(below - 1, 0)), shape))
    if profile != "outside" or not found.size:
        return np.asarray(found)
    negative = rng.random() < 0.5 and np.dtype(dtype).kind == "i"
    wrong = (
        rng.integers(-below, 0, shape) if negative else rng.integers(below, below + BEYOND, shape)
    )
    where = rng.random(shape) < 1 / 3
    where.reshape(-1)[rng.integers(found.size)] = True
    return np.where(where, wrong, found)


def leaves_domain(structure: Structure, arrays: Mapping[str, Array]) -> bool:
    """Whether a function is asked for what it is not defined for, such as the logarithm of zero."""
    domains = structure.domains
    limited = ((a, DOMAINS[domains.get(n, "real")]) for n, a in arrays.items())
    return any(
        not (domain.admits(array) | np.isnan(array)).all()
        for array, domain in limited
        if domain.undefined
    )


def shown_profile(arrays: Mapping[str, Array], first: str = "special") -> str:
    """The profile that these numbers really show, whatever profile they were drawn from.

    If they show several that no document settles, it is `first`, or else the first of them. An
    array drawn from `special` may hold nothing but ordinary numbers. Numbers that repeat or are
    0 show ties and kinks, as those of `halves` do.
    """
    found = [a.reshape(-1) for a in arrays.values() if a.dtype.kind == "f"]
    for name in sorted(SHOWING, key=lambda one: one != first):
        if any(SHOWING[name](numbers).any() for numbers in found):
            return name
    for name in _UNITS:
        if found and all(numbers_of(name)(numbers).all() for numbers in found):
            return name
    return "ordinary" if are_distinct(found) else "halves"


def are_distinct(arrays: Iterable[Array]) -> bool:
    """Whether no number is 0, and none is there twice in one array."""
    return all(np.unique(a).size == a.size and a.all() for a in arrays)


_UNITS = {"zeros": np.inf, "integers": 1.0, "halves": 0.5}
"""The unit of the numbers of the simplest profiles."""


def numbers_of(profile: str) -> Callable[[Array], Array]:
    """Which numbers belong to one of the simplest profiles: `zeros`, `integers` or `halves`."""
    unit = _UNITS[profile]
    return lambda numbers: np.asarray(numbers % unit == 0 if np.isfinite(unit) else numbers == 0)


SHOWING: Mapping[str, Callable[[Array], Array]] = {
    "special": lambda a: ~np.isfinite(a) | ((a == 0) & np.signbit(a)),
    "subnormal": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
    "extremes": lambda a: (np.abs(a) > _most(a)) | ((a != 0) & (np.abs(a) < _small(a))),
}
"""Which numbers show the profiles that no document settles."""


def _most(numbers: Array) -> float:
    """The largest magnitude that the documents cover; squares of more may leave float16."""
    return MOST_ORDINARY if numbers.dtype == np.float16 else MOST_LARGE


def _small(numbers: Array) -> float:
    """The smallest magnitude that the documents cover; squares of less may count as zero."""
    return max(float(np.finfo(numbers.dtype).eps), LEAST_ORDINARY)


def fill(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, domain: str, profile: str
) -> Array:
    """An array of a shape and dtype with elements from `domain`, in the manner of `profile`."""
    if dtype == "bool":
        truths = np.asarray(rng.random(shape) < 0.5)
        return DOMAINS[domain].fit(rng, truths) if fits_truths(domain) else truths
    if _is_whole(dtype):
        whole = _integers(rng, shape, dtype, domain)
        return _wide(rng, whole) if profile == "wide" and domain == "real" else whole
    if domain == "logit" and profile == "large":
        return rounded(_large(rng, shape, limits(dtype)), dtype)
    values = rounded(PROFILES[profile](rng, shape, limits(dtype)), dtype)
    fitted = rounded(DOMAINS[domain_in(profile, domain)].fit(rng, values), dtype)
    if domain == "vector" and profile in _WITH_ZERO_VECTORS:
        _clear_lines(fitted)
    return fitted


_WITH_ZERO_VECTORS = ("sparse", "halves")


def domain_in(profile: str, domain: str) -> str:
    """The domain that numbers of a profile keep to, where a spec names `domain`.

    Special numbers may be anywhere, unless the domain describes a whole array, such as a kernel.
    Vectors of zeros are tried in the profiles that have zeros, in smoke as well.
    """
    if profile == "special" and not DOMAINS[domain].whole:
        return "real"
    if profile in _WITH_ZERO_VECTORS and domain == "vector":
        return "real"
    if profile == "sparse" and domain == "probability":
        return "sparse probability"
    return "real" if domain == "logit" and profile == "large" else domain


def _clear_lines(values: Array) -> None:
    """Set the line through the first element along each axis to zero.

    A vector of zeros then exists whichever axis holds the vectors.
    """
    for axis in range(values.ndim):
        values[tuple(slice(None) if i == axis else slice(1) for i in range(values.ndim))] = 0


def fits_truths(domain: str) -> bool:
    """Whether truth values are moved into a domain: into one of integers, or away from zero."""
    return DOMAINS[domain].whole or domain == "nonzero"


def most_integer(domain: str) -> int:
    """The largest magnitude of an integer of a domain."""
    return plain_numbers.MOST_WHOLE if domain in plain_numbers.MANY else MOST_INTEGER


def _integers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, domain: str) -> Array:
    most = most_integer(domain)
    low = 0 if np.dtype(dtype).kind == "u" or domain in ("nonnegative", "truth") else -most
    values = rng.integers(1 if domain == "positive" else low, most + 1, shape)
    if domain in ("nonzero", "vector"):
        values = np.where(values == 0, 1, values)
    if domain == "truth":
        values = values * (rng.random(shape) < 0.5)
    if domain in _INTEGERS:
        values = _INTEGERS[domain](values)
    elif DOMAINS[domain].whole:
        values = DOMAINS[domain].fit(rng, values.astype(dtype))
    return np.asarray(values, dtype=dtype)


_INTEGERS: Mapping[str, Callable[[Array], Array]] = {
    **dict.fromkeys(("probability", "fraction"), lambda values: values % 2),
    "inside": np.zeros_like,
    "logit": lambda values: np.clip(values, -probabilities.MOST_LOGIT, probabilities.MOST_LOGIT),
}
"""The integers of the domains that have few."""


def _wide(rng: np.random.Generator, values: Array) -> Array:
    """Half of the numbers from the whole range of the dtype, those at its ends among them."""
    info = np.iinfo(values.dtype)
    low, high = int(info.min), int(info.max)
    drawn = rng.integers(low, high, values.shape, values.dtype.type, endpoint=True)
    ends = rng.choice(np.array([low, high, high // 2, high // 2 + 1], values.dtype), values.shape)
    far = np.where(rng.random(values.shape) < 0.5, drawn, ends)
    return np.where(rng.random(values.shape) < 0.5, far, values)


_LOW, _HIGH = portable.log([1e-3, MOST_ORDINARY]).tolist()


def signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """-1 or 1 for each element: what `rng.choice` gives, in half of the time."""
    return _SIGNS[rng.integers(0, 2, shape)]


_SIGNS = np.array([-1.0, 1.0])


def _ordinary(rng: np.random.Generator, shape: tuple[int, ...], _info: Any) -> Array:
    exponents, sign = np.asarray(rng.uniform(_LOW, _HIGH, shape)), signs(rng, shape)
    far = rng.random(shape) >= 0.75
    found = np.asarray(rng.uniform(-3.0, 3.0, shape))
    # of these alone, because a long double's exponential costs more than all else
    found[far] = portable.exp(exponents[far]) * sign[far]
    return found


def _large(rng: np.random.Generator, shape: tuple[int, ...], info: Any) -> Array:
    """Half of the numbers from 20 to 100, 100 itself among them."""
    far = np.where(
        rng.random(shape) < 0.3, MOST_LARGE, rng.uniform(MOST_ORDINARY, MOST_LARGE, shape)
    )
    far = far * signs(rng, shape)
    return np.asarray(np.where(rng.random(shape) < 0.5, far, _ordinary(rng, shape, info)))


_FAR = MOST_OFFSET - 0.5


def _offset(rng: np.random.Generator, shape: tuple[int, ...], _info: Any) -> Array:
    """Numbers close to each other and far from zero; squares and sums of them cancel."""
    return np.asarray(rng.choice((-_FAR, _FAR)) + rng.uniform(-0.5, 0.5, shape))


def _sparse(rng: np.random.Generator, shape: tuple[int, ...], info: Any) -> Array:
    """Ordinary numbers among zeros; a third of the rows are zero throughout."""
    rows = rng.random((*shape[:-1], 1) if shape else ()) < 2 / 3
    return np.where(rows & (rng.random(shape) < 0.7), _ordinary(rng, shape, info), 0.0)


def _extremes(rng: np.random.Generator, shape: tuple[int, ...], info: Any) -> Array:
    bottom, top = portable.log([float(info.tiny), float(info.max)])
    magnitude = portable.exp(rng.uniform(bottom, top, shape))
    ends = rng.choice(np.array([float(info.max), float(info.tiny), float(info.eps), 1.0]), shape)
    magnitude = np.where(rng.random(shape) < 0.3, ends, magnitude)
    signed: Array = magnitude * signs(rng, shape)
    return signed


def _subnormal(rng: np.random.Generator, shape: tuple[int, ...], info: Any) -> Array:
    tiny = float(info.tiny)
    small = tiny * rng.uniform(float(info.eps), 1.0, shape) * signs(rng, shape)
    return np.where(rng.random(shape) < 0.8, small, rng.uniform(-2.0, 2.0, shape))


def _special(rng: np.random.Generator, shape: tuple[int, ...], _info: Any) -> Array:
    choices = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 2.5, -2.5])
    return rng.choice(choices, shape)


PROFILES: Mapping[str, Callable[[np.random.Generator, tuple[int, ...], Any], Array]] = {
    "ordinary": _ordinary,
    "integers": lambda rng, shape, _info: rng.integers(-4, 5, shape).astype(float),
    "halves": lambda rng, shape, _info: rng.integers(-6, 7, shape) / 2.0,
    "zeros": lambda _rng, shape, _info: np.zeros(shape),
    "large": _large,
    "offset": _offset,
    "sparse": _sparse,
    "outside": _ordinary,
    "unnormalised": _ordinary,
    "wide": _ordinary,
    "extremes": _extremes,
    "subnormal": _subnormal,
    "special": _special,
}
