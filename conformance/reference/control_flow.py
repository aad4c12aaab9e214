"""switch, in_train_phase and in_test_phase: one of two tensors."""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.session import learning_phase
from conformance.reference.symbolic.arguments import tensor
from conformance.reference.symbolic.graph import Tensor
from conformance.reference.symbolic.loops import selected


@documented(
    "ja-1:1208 switch(condition, then_expression, else_expression)",
    "ja-2.0:2632 switch(condition, then_expression, else_expression)",
    "ko-2.2:2652 switch(condition, then_expression, else_expression)",
)
def switch(condition: Tensor, then_expression: Any, else_expression: Any) -> Tensor:
    """The first tensor where the condition is not 0, else the second; both have one shape.

    Callables that return tensors may stand for them (ja-2.0:2642), but not in keras-1. The
    condition is a scalar; in keras-2.2 its axes may be the first ones of the tensors (C103).
    ValueError: the condition has more axes than that, or the tensors differ in shape or dtype.
    """
    test = tensor(condition, "switch", "condition")
    then = _branch(then_expression, "switch", "then_expression")
    other = _branch(else_expression, "switch", "else_expression")
    most = then.ndim if says("ko-2.2:2673") else 0
    if test.ndim > most:
        raise ValueError(
            f"switch: condition is {test!r}; its rank must not be above {most}; "
            "reduce it with K.any or K.all"
        )
    return _one_of(test, then, other, "switch")


def _one_of(test: Tensor, x: Tensor, y: Tensor, where: str) -> Tensor:
    if x.ndim != y.ndim or x.dtype != y.dtype:
        raise ValueError(f"{where}: {x!r} and {y!r} must have one shape and one dtype")
    return selected(test, x, y)


def _branch(value: Any, where: str, what: str) -> Tensor:
    """A tensor, or the tensor that a callable returns."""
    if callable(value):
        if says("ja-1:1218"):
            raise ValueError(f"{where}: {what} is a callable; pass the tensor that it returns")
        value = value()
    return tensor(value, where, what)


@documented(
    "ja-1:1227 in_train_phase(x, alt)",
    "ja-2.0:2654 in_train_phase(x, alt, training=None)",
    "ko-2.2:2681 in_train_phase(x, alt, training=None)",
)
def in_train_phase(x: Any, alt: Any, training: Any = None) -> Tensor:
    """x in training, else alt; tensors of one shape, or (not in keras-1) callables returning them.

    `training` is a scalar tensor, True, False, 1 or 0; None stands for `learning_phase()`.
    ValueError: another `training`, or tensors that differ in shape or dtype.
    """
    return _by_phase(x, alt, training, "in_train_phase")


@documented(
    "ja-1:1240 in_test_phase(x, alt)",
    "ja-2.0:2676 in_test_phase(x, alt, training=None)",
    "ko-2.2:2710 in_test_phase(x, alt, training=None)",
)
def in_test_phase(x: Any, alt: Any, training: Any = None) -> Tensor:
    """x unless in training, else alt; see `in_train_phase`."""
    return _by_phase(alt, x, training, "in_test_phase")


def _by_phase(x: Any, alt: Any, training: Any, where: str) -> Tensor:
    """x in training, else alt."""
    flag = learning_phase() if training is None else training
    if isinstance(flag, Tensor):
        if flag.ndim:
            raise ValueError(f"{where}: training is {flag!r}; it must be a scalar")
        return _one_of(flag, _branch(x, where, "x"), _branch(alt, where, "alt"), where)
    if not isinstance(flag, int) or flag not in (0, 1):
        raise ValueError(f"{where}: training is {flag!r}; write True, False, 1, 0 or a tensor")
    return _branch(x if flag else alt, where, "x" if flag else "alt")
