# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs
# mypy: disable-error-code="attr-defined,no-any-return"
"""How a fault that no single call shows is put into the reference.

Every documented function is wrapped. A wrapper sees what the tensors that it is given were made by,
and does something wrong only where that was another documented call: with one call alone there is
none. What it remembers it keeps in the tensors that a graph begins with, so that a fault in one
program changes no other.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from conformance.editions import Edition
from conformance.fuzz.making.growth import joins
from conformance.fuzz.programs import documented
from conformance.reference import BACKEND
from conformance.reference.symbolic.graph import Tensor

EDITION: Edition = "keras-2.2"
MAKERS = ("eye", "zeros", "ones", "arange")
"""Functions of no tensors."""
ELEMENTWISE = frozenset(
    {"abs", "square", "sqrt", "exp", "log", "round", "sign", "sin", "cos", "relu", "elu"}
    | {"sigmoid", "hard_sigmoid", "tanh", "softplus", "softsign", "clip", "pow"}
)
REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "var", "std", "logsumexp"})
MOVES = frozenset({"transpose", "permute_dimensions", "reverse"})
SHAPES = frozenset({"reshape", "flatten", "batch_flatten", "expand_dims", "squeeze", "tile"})

Wrong = Callable[..., Any]


def tensors(values: Any) -> Iterator[Tensor]:
    """The tensors among arguments."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors(value)


def leaf(x: Tensor) -> Tensor:
    """A tensor that a graph begins with."""
    while x.inputs:
        x = x.inputs[0]
    return x


def memory(x: Tensor) -> dict[Any, Any]:
    """What is remembered of a graph."""
    return leaf(x).__dict__.setdefault("_remembered", {})


def made_by(x: Any) -> str:
    """The documented function that gave a tensor; "" for an input."""
    return getattr(x, "_made_by", "")


def operands(x: Any) -> tuple[Any, ...]:
    """What it was given."""
    return getattr(x, "_operands", ())


def like(x: Any, y: Any) -> bool:
    """Whether both are tensors of one static shape and dtype."""
    both = isinstance(x, Tensor) and isinstance(y, Tensor)
    return both and (x.shape, x.dtype) == (y.shape, y.dtype)


def everywhere(change: Callable[[str, Wrong, tuple[Any, ...], dict[str, Any]], Any]):
    """A fault: `change(name, right, args, kwargs)` in the place of each documented call."""

    def install(namespace: dict[str, Any]) -> None:
        for name, spec in documented(EDITION).items():
            if name not in MAKERS and joins(spec):  # what makes inputs is no call of a program
                namespace[name] = _wrapped(name, namespace[name], change)

    return install


def _wrapped(name: str, right: Wrong, change: Callable[..., Any]) -> Wrong:
    @functools.wraps(right)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(right).bind(*args, **kwargs)
        result = change(name, right, bound.args, bound.kwargs)
        if isinstance(result, Tensor) and not made_by(result):
            result._made_by, result._operands = name, (*bound.args, *bound.kwargs.values())
        return result

    return wrong


def unchanged(name: str, right: Wrong, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is right; wrapped all the same, so that tensors know who made them."""
    del name
    return right(*args, **kwargs)


def patched(*changes: Callable[[], None]):
    """A fault inside the symbolic layer, which may ask who made a tensor."""

    def install(namespace: dict[str, Any]) -> None:
        everywhere(unchanged)(namespace)
        for change in changes:
            BACKEND.call(change)

    return install
