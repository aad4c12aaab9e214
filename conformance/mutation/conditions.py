"""Which functions an operator is for, told from their specs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from conformance.mutation.model import Candidate, Given
from conformance.mutation.worker.conformance_mutant.arguments import other
from conformance.mutation.worker.conformance_mutant.formulas import FORMULAS
from conformance.results import Aspect
from conformance.specs import kinds

Applies = Callable[[Candidate], Iterator[Given]]

TENSORS = (
    kinds.TensorKind,
    kinds.Companion,
    kinds.Fitting,
    kinds.Features,
    kinds.Bias,
    kinds.Distribution,
    kinds.Images,
    kinds.Kernel,
    kinds.Pointwise,
    kinds.LocalKernel,
)
"""Kinds of parameters that take one tensor of numbers."""

FLOATS = (
    "ones",
    "eye",
    "constant",
    "ones_like",
    "cast_to_floatx",
    "round",
    "sign",
    "one_hot",
    "random_uniform_variable",
    "random_normal_variable",
    "random_normal",
    "random_uniform",
    "random_binomial",
    "truncated_normal",
    "to_dense",
    "stop_gradient",
    "eval",
    "get_value",
    "batch_get_value",
    "cast",
    "gradients",
    "epsilon",
)
"""Functions that give floats and are not differentiable."""
WHOLE = ("shape", "int_shape", "ndim", "count_params", "get_uid", "argmax", "argmin", "arange")
"""Functions that give integers."""
UNSEEN = frozenset({"name"})
"""Optional parameters without a documented effect."""
FED = frozenset({"variable", "placeholder"})
"""What makes inputs: nothing computed can take their place."""


def floats(candidate: Candidate) -> Iterator[Given]:
    """Once for functions that give floats."""
    if (candidate.spec.differentiable or candidate.spec.name in FLOATS) and _valued(candidate):
        yield {}


def whole(candidate: Candidate) -> Iterator[Given]:
    """Once for functions that give integers or truth values."""
    rule = candidate.spec.dtype
    truth = rule is not None and ["literal", "bool"] in rule.accept
    if truth or candidate.spec.name in WHOLE or candidate.spec.name.startswith("is_"):
        yield {}


def _valued(candidate: Candidate) -> bool:
    seen = {Aspect.VALUE, Aspect.DISTRIBUTION, Aspect.STATE, Aspect.EXAMPLE}
    return bool(candidate.aspects & seen) and candidate.spec.name not in FED


def demanded(*aspects: Aspect) -> Applies:
    """Once for functions of which the edition demands one of the aspects."""

    def applies(candidate: Candidate) -> Iterator[Given]:
        if candidate.aspects & set(aspects) and candidate.spec.name not in FED:
            yield {}

    return applies


def themes(names: Collection[str], inner: Applies) -> Applies:
    """As another condition, in these themes only."""

    def applies(candidate: Candidate) -> Iterator[Given]:
        if candidate.theme in names:
            yield from inner(candidate)

    return applies


def but(names: Collection[str], inner: Applies) -> Applies:
    """As another condition, but for these functions."""

    def applies(candidate: Candidate) -> Iterator[Given]:
        if candidate.spec.name not in names:
            yield from inner(candidate)

    return applies


def of_kind(*accepted: type, unless: Collection[str] = ()) -> Applies:
    """Once for each parameter whose rule in the spec is of one of these kinds."""

    def applies(candidate: Candidate) -> Iterator[Given]:
        for parameter in candidate.parameters:
            newest = candidate.spec.renamed.get(parameter, parameter)
            rule = candidate.spec.parameters.get(newest)
            if isinstance(rule, accepted) and f"{candidate.spec.name}.{parameter}" not in unless:
                yield {"parameter": parameter}

    return applies


def named(text: str) -> Applies:
    """Once for each parameter that is listed: `function.parameter`, parted by blanks."""
    listed = [name.split(".") for name in text.split()]

    def applies(candidate: Candidate) -> Iterator[Given]:
        for function, parameter in listed:
            if function == candidate.spec.name and parameter in candidate.parameters:
                yield {"parameter": parameter}

    return applies


def functions(text: str) -> Applies:
    """Once for each function that is listed."""
    listed = frozenset(text.split())

    def applies(candidate: Candidate) -> Iterator[Given]:
        if candidate.spec.name in listed:
            yield {}

    return applies


def either(*conditions: Applies) -> Applies:
    """What any of the conditions gives, each once."""

    def applies(candidate: Candidate) -> Iterator[Given]:
        seen: list[Given] = []
        for condition in conditions:
            for given in condition(candidate):
                if given not in seen:
                    seen.append(given)
                    yield given

    return applies


def optional(candidate: Candidate) -> Iterator[Given]:
    """Once for each optional parameter with a documented effect."""
    for parameter in candidate.documented.parameters:
        if not parameter.required and parameter.name not in UNSEEN:
            yield {"parameter": parameter.name}


def defaults(candidate: Candidate) -> Iterator[Given]:
    """Once for each default for which another value of the same sort is known."""
    for parameter in candidate.documented.parameters:
        if parameter.required or parameter.name in UNSEEN:
            continue
        if parameter.value not in (None, ...) and other(parameter.value) != parameter.value:
            yield {"parameter": parameter.name, "value": parameter.value}


def several_tensors(candidate: Candidate) -> Iterator[Given]:
    """Each tensor parameter of a function of at least two."""
    found = list(of_kind(*TENSORS)(candidate))
    yield from found if len(found) > 1 else ()


def pairs(text: str) -> Applies:
    """Pairs of parameters that may be taken for each other: `function.first/second`."""
    listed = [re.split(r"[./]", name) for name in text.split()]

    def applies(candidate: Candidate) -> Iterator[Given]:
        for function, first, second in listed:
            if function == candidate.spec.name and {first, second} <= {*candidate.parameters}:
                yield {"first": first, "second": second}

    return applies


def siblings(text: str) -> Applies:
    """Functions with another that is called in the same way: `function/other`."""
    listed = [name.split("/") for name in text.split()]

    def applies(candidate: Candidate) -> Iterator[Given]:
        for function, of in listed:
            if function == candidate.spec.name:
                yield {"of": of}

    return applies


def formulas(candidate: Candidate) -> Iterator[Given]:
    """Each wrong formula of the function: those whose name begins with its name."""
    for formula in FORMULAS:
        if re.match(r"\w+", formula)[0] == candidate.spec.name:  # type: ignore[index]
            yield {"formula": formula}
