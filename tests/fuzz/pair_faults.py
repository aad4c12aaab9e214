# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs
# mypy: disable-error-code="attr-defined,no-any-return"
"""Faults that need two particular calls, drawn by chance: no part of the planner chooses them.

A fault is a pair of functions, an argument and a sort. A seed draws the functions and the argument
alike from all that documents name, and one fault in four is of the gradient. The reference with a
fault is wrong only where the one function takes the result of the other as that argument.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from conformance.fuzz.making.growth import joins
from conformance.fuzz.programs import documented
from conformance.reference import equal, zeros_like
from conformance.reference.symbolic.graph import Tensor
from conformance.specs import kinds
from tests.fuzz.kit import EDITION, made_by, tensors

SORTS = ("value", "value", "value", "gradient")
TENSORS = (
    *(kinds.TensorKind, kinds.Companion, kinds.Images, kinds.Kernel, kinds.LocalKernel),
    *(kinds.Pointwise, kinds.Bias, kinds.Fitting, kinds.Tensors, kinds.Indices, kinds.Labels),
    *(kinds.Distribution, kinds.ScoresKind, kinds.Features),
)
"""Kinds of parameters that are tensors."""


class PairFault(NamedTuple):
    """`taker` is wrong if its `parameter` is a result of `feeder`."""

    feeder: str
    taker: str
    parameter: str
    sort: str

    @property
    def name(self) -> str:
        """The text that `named` reads."""
        return "/".join(self)


def drawn(seed: int) -> Iterator[PairFault]:
    """Faults without end."""
    chance = random.Random(f"faults of pairs {seed}")
    specs = {name: s for name, s in sorted(documented(EDITION).items()) if joins(s)}
    while True:
        feeder, taker = chance.choice([*specs]), chance.choice([*specs])
        rules = specs[taker].parameters
        parameters = sorted(name for name, rule in rules.items() if isinstance(rule, TENSORS))
        if parameters:
            yield PairFault(feeder, taker, chance.choice(parameters), chance.choice(SORTS))


def named(text: str) -> PairFault:
    """The fault with this name."""
    return PairFault(*text.split("/"))


def plant(fault: PairFault, namespace: dict[str, Any]) -> None:
    """Put the fault into the reference."""
    stop = namespace["stop_gradient"]
    change = {"value": _other, "gradient": stop}[fault.sort]
    for name in {fault.feeder, fault.taker}:
        namespace[name] = _wrapped(name, namespace[name], fault, change)


def _wrapped(
    name: str, right: Callable[..., Any], fault: PairFault, change: Callable[[Any], Any]
) -> Callable[..., Any]:
    signature = inspect.signature(right)

    @functools.wraps(right)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        arguments = signature.bind(*args, **kwargs).arguments
        passed = [*tensors([arguments.get(fault.parameter)])]
        fed = any(made_by(tensor) == fault.feeder for tensor in passed)
        if name == fault.taker and fed:
            result = _each(change, result)
        for tensor in tensors([result]):
            tensor._made_by = name
        return result

    return wrong


def _each(change: Callable[[Any], Any], result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_each(change, part) for part in result)
    return change(result) if isinstance(result, Tensor) else result


def _other(result: Tensor) -> Any:
    return equal(result, zeros_like(result)) if result.dtype == "bool" else result + 1
