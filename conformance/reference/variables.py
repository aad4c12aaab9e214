"""Values of variables, and updates of them."""

from __future__ import annotations

from typing import Any

from conformance.reference.arguments import tensor
from conformance.reference.edition import documented
from conformance.reference.functions import Function, Update, new_value
from conformance.reference.graph import Tensor, Variable, binary
from conformance.reference.operations import current


def _variable(x: Any, where: str) -> Variable:
    if not isinstance(x, Variable):
        raise ValueError(f"{where}: {x!r} is not a variable; use K.eval for other tensors")
    return x


@documented("ja-1:1062 get_value(x)", "ja-2.0:1874 get_value(x)", "ko-2.2:2422 get_value(x)")
def get_value(x: Variable) -> Any:
    """The value of a variable as a NumPy array of its own; ValueError if x is no variable."""
    return current().export(_variable(x, "get_value").value)


@documented(
    "ja-1:1074 batch_get_value(xs)",
    "ja-2.0:1892 batch_get_value(ops)",
    "ko-2.2:2442 batch_get_value(ops)",
)
def batch_get_value(ops: list[Tensor]) -> list[Any]:
    """The values of several variables (or tensors that need no placeholder), computed together."""
    return Function([], [tensor(x, "batch_get_value", "ops") for x in ops], [])([])


@documented(
    "ja-1:1086 set_value(x, value)",
    "ja-2.0:1910 set_value(x, value)",
    "ko-2.2:2462 set_value(x, value)",
)
def set_value(x: Variable, value: Any) -> None:
    """Set a variable to a copy of an array of the same shape; ValueError if the shape differs."""
    _set(x, value, "set_value")


@documented(
    "ja-1:1098 batch_set_value(tuples)",
    "ja-2.0:1925 batch_set_value(tuples)",
    "ko-2.2:2479 batch_set_value(tuples)",
)
def batch_set_value(tuples: list[tuple[Variable, Any]]) -> None:
    """Set several variables, each from its (variable, array) pair; ValueError as `set_value`."""
    for x, value in tuples:
        _set(x, value, "batch_set_value")


def _set(x: Any, value: Any, where: str) -> None:
    variable, operations = _variable(x, where), current()
    try:
        array = operations.copy(operations.accept(value, variable.dtype))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: value for {variable!r}: {error}") from None
    if operations.shape(array) != variable.shape:
        raise ValueError(
            f"{where}: value has shape {operations.shape(array)}, {variable!r} another; "
            "give it the variable's shape"
        )
    variable.value = array


@documented("ja-2.0:958 update(x, new_x)", "ko-2.2:892 update(x, new_x)")
def update(x: Variable, new_x: Tensor) -> Update:
    """An update for `function` that sets a variable to a tensor of its shape and dtype."""
    return new_value(x, new_x, "update")


@documented("ja-2.0:977 update_add(x, increment)", "ko-2.2:913 update_add(x, increment)")
def update_add(x: Variable, increment: Tensor) -> Update:
    """An update for `function` that adds to a variable."""
    return new_value(x, binary("add", x, increment), "update_add")


@documented("ja-2.0:996 update_sub(x, decrement)", "ko-2.2:934 update_sub(x, decrement)")
def update_sub(x: Variable, decrement: Tensor) -> Update:
    """An update for `function` that subtracts from a variable (ko-2.2:938)."""
    return new_value(x, binary("subtract", x, decrement), "update_sub")
