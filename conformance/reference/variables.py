"""Values of variables, updates of them, compiled functions, and a look at the values of tensors."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.symbolic.arguments import number, tensor, tensors
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.functions import CompiledFunction, VariableUpdate, new_value
from conformance.reference.symbolic.gradients.accumulation import accumulated, carries
from conformance.reference.symbolic.graph import Placeholder, Tensor, Variable, apply, binary
from conformance.reference.symbolic.rules import FLOATS


def _variable(x: Any, where: str) -> Variable:
    if not isinstance(x, Variable):
        raise ValueError(f"{where}: {x!r} is not a variable; use K.eval for other tensors")
    tensor(x, where)
    return x


@documented("ja-1:1062 get_value(x)", "ja-2.0:1874 get_value(x)", "ko-2.2:2422 get_value(x)")
def get_value(x: Variable) -> Any:
    """The value of a variable as a NumPy array of its own.

    Raises:
        ValueError: x is not a variable.
    """
    return active().library.export(_variable(x, "get_value").value)


@documented(
    "ja-1:1074 batch_get_value(xs)",
    "ja-2.0:1892 batch_get_value(ops)",
    "ko-2.2:2442 batch_get_value(ops)",
)
def batch_get_value(ops: list[Tensor]) -> list[Any]:
    """The values of several variables (or tensors that need no placeholder), computed together."""
    return CompiledFunction([], [tensor(x, "batch_get_value", "ops") for x in ops], [])([])


@documented(
    "ja-1:1086 set_value(x, value)",
    "ja-2.0:1910 set_value(x, value)",
    "ko-2.2:2462 set_value(x, value)",
)
def set_value(x: Variable, value: Any) -> None:
    """Set a variable to a copy of an array of the same shape.

    Raises:
        ValueError: the shape differs.
    """
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
    variable, library = _variable(x, where), active().library
    try:
        array = library.copy(library.accept(value, variable.dtype))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: value for {variable!r}: {error}") from None
    if library.shape(array) != variable.shape:
        raise ValueError(
            f"{where}: value has shape {library.shape(array)}, {variable!r} another; "
            "give it the variable's shape"
        )
    variable.value = array


@documented("ja-2.0:958 update(x, new_x)", "ko-2.2:892 update(x, new_x)")
def update(x: Variable, new_x: Tensor) -> VariableUpdate:
    """The updated variable: a tensor that is new_x, and sets x to it when it is evaluated.

    It can be among the updates of `function`. ValueError unless x is a variable and new_x a tensor
    of its shape and dtype.
    """
    return new_value(x, new_x, "update")


@documented("ja-2.0:977 update_add(x, increment)", "ko-2.2:913 update_add(x, increment)")
def update_add(x: Variable, increment: Tensor) -> VariableUpdate:
    """The updated variable, as with `update`, that is x + increment.

    ValueError unless the increment is a tensor of the shape and dtype of x, or a number.
    """
    return new_value(x, _changed("add", x, increment, "update_add"), "update_add")


@documented("ja-2.0:996 update_sub(x, decrement)", "ko-2.2:934 update_sub(x, decrement)")
def update_sub(x: Variable, decrement: Tensor) -> VariableUpdate:
    """The updated variable, as with `update`, that is x - decrement (ko-2.2:938).

    ValueError unless the decrement is a tensor of the shape and dtype of x, or a number.
    """
    return new_value(x, _changed("subtract", x, decrement, "update_sub"), "update_sub")


def _changed(operation: str, x: Variable, change: Any, where: str) -> Tensor:
    """x with a tensor of its own shape, or a number, added or subtracted."""
    if isinstance(change, Tensor):
        new_value(x, change, where)
    return binary(operation, x, change)


@documented(
    "ja-2.0:1015 moving_average_update(x, value, momentum)",
    "ko-2.2:955 moving_average_update(x, value, momentum)",
)
def moving_average_update(x: Variable, value: Tensor, momentum: float) -> VariableUpdate:
    """The update x * momentum + value * (1 - momentum) of a float variable.

    Raises:
        ValueError: value has not the shape and dtype of x, x is not of a float dtype, or momentum
            is not from 0 to 1.
    """
    where = "moving_average_update"
    new_value(x, value, where)
    weight = number(momentum, where, "momentum")
    if not 0 <= weight <= 1:
        raise ValueError(f"{where}: momentum is {momentum!r}; write a number from 0 to 1")
    if x.dtype not in FLOATS:
        raise ValueError(f"{where}: {x!r} holds no fractions; make the variable of a float type")
    return new_value(x, x * weight + value * (1 - weight), where)


@documented("ja-2.0:1939 get_variable_shape(x)")
def get_variable_shape(x: Variable) -> tuple[int, ...]:
    """The shape of a variable as integers.

    Raises:
        ValueError: x is not a variable.
    """
    return active().library.shape(_variable(x, "get_variable_shape").value)


@documented(
    "ja-1:1125 function(inputs, outputs, updates=[])",
    "ja-2.0:2532 function(inputs, outputs, updates=None, **kwargs)",
    "ko-2.2:2527 function(inputs, outputs, updates=None, **kwargs)",
)
def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> CompiledFunction:
    """Compile a graph: a callable from a list of values to a list of NumPy arrays.

    `inputs` is a list of placeholders (keras-1: or variables, ja-1:1133), `outputs` a list of
    tensors, `updates` a list of (variable, new value) pairs or of what `update` returns. Updates
    are simultaneous and happen after the outputs are computed.

    Raises:
        ValueError: an unknown keyword (keras-2.2, ko-2.2:2546; keras-2.0 only warns, ja-2.0:2542),
            or an output that needs a placeholder which inputs lack. The call raises it for the
            wrong number, rank, shape or dtype.
    """
    _refuse_keywords(kwargs)
    fed = [_input(item, i) for i, item in enumerate(_sequence(inputs, "inputs"))]
    if len(set(fed)) != len(fed):
        raise ValueError("function: inputs names one placeholder twice; give each once")
    results = [tensor(item, "function", "an output") for item in _sequence(outputs, "outputs")]
    return CompiledFunction(fed, results, list(_updates(updates)))


def _refuse_keywords(kwargs: dict[str, Any]) -> None:
    if not kwargs:
        return
    message = f"function: keywords {sorted(kwargs)} have no meaning here; leave them out"
    if not says("ja-2.0:2542"):
        raise ValueError(message)
    warnings.warn(message, stacklevel=_depth_of_user())


def _depth_of_user() -> int:
    """The `stacklevel` at which `_refuse_keywords` names the line that called this package.

    How many frames of the package lie between depends on which backend was active before.
    """
    package = __package__.partition(".")[0]
    depth, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        depth, frame = depth + 1, frame.f_back
    return depth


def _sequence(value: Any, what: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"function: {what} must be a list of tensors, not {value!r}")
    return value


def _input(item: Any, position: int) -> Tensor:
    allowed = (Placeholder, Variable) if says("ja-1:1133") else (Placeholder,)
    if not isinstance(item, allowed):
        raise ValueError(f"function: inputs[{position}] is {item!r}; make it with K.placeholder")
    return tensor(item, "function", f"inputs[{position}]")


def _updates(updates: Any) -> Iterator[VariableUpdate]:
    for item in _sequence(updates or [], "updates"):
        if isinstance(item, VariableUpdate):
            tensor(item, "function", "an update")
            yield item
        else:
            yield _pair(item)


def _pair(item: Any) -> VariableUpdate:
    if not isinstance(item, tuple) or len(item) != 2:
        raise ValueError(f"function: an update is (variable, new value), not {item!r}")
    return new_value(*item, where="function")


@documented("ja-1:309 eval(x)", "ja-2.0:615 eval(x)", "ko-2.2:523 eval(x)")
def eval(x: Tensor) -> Any:
    """The value of a tensor or variable as a NumPy array.

    ValueError if it depends on a placeholder, whose value only `function` can give.
    """
    return CompiledFunction([], [tensor(x, "eval")], [])([])[0]


@documented(
    "ja-1:1114 print_tensor(x, message='')",
    "ja-2.0:1957 print_tensor(x, message='')",
    "ko-2.2:2496 print_tensor(x, message='')",
)
def print_tensor(x: Tensor, message: str = "") -> Tensor:
    """A tensor equal to x that prints the message and its value whenever it is evaluated.

    x itself prints nothing (ko-2.2:2502).

    Shapes: any x; the result has the shape and dtype of x.

    Raises:
        ValueError: the message is not a text.
    """
    if not isinstance(message, str):
        raise ValueError(f"print_tensor: message is {message!r}; write a text such as 'x is: '")
    return apply("print_tensor", tensor(x, "print_tensor"), message=message)


@documented(
    "ja-1:1143 gradients(loss, variables)",
    "ja-2.0:2553 gradients(loss, variables)",
    "ko-2.2:2554 gradients(loss, variables)",
)
def gradients(loss: Tensor, variables: Sequence[Tensor]) -> list[Tensor]:
    """The gradients of a scalar (ko-2.2:2562) with respect to variables: a list, one for each.

    Each has the shape and dtype of its variable (or placeholder, or other tensor). Zeros where the
    loss does not depend on it. A loss that is not a scalar stands for its sum.

    Raises:
        ValueError: variables is not a list of tensors (ko-2.2:2563), a dtype is not float, or an
            operation has no gradient.
    """
    for x in (tensor(loss, "gradients", "loss"), *tensors(variables, "gradients", "variables")):
        if not carries(x):
            raise ValueError(f"gradients: {x!r} is not a float; use K.cast(x, K.floatx())")
    return accumulated(loss, variables)


@documented(
    "ja-1:1154 stop_gradient(variables)",
    "ja-2.0:2572 stop_gradient(variables)",
    "ko-2.2:2575 stop_gradient(variables)",
)
def stop_gradient(variables: Any) -> Any:
    """A tensor with the same value that counts as constant in `gradients`.

    A list of tensors gives a list (ja-2.0:2579, ko-2.2:2584). ValueError for anything but a tensor
    and, where that is documented, a list of them.
    """
    if isinstance(variables, (list, tuple)) and not says("ja-1:1157"):
        items = tensors(variables, "stop_gradient", "variables")
        return [apply("stop_gradient", x) for x in items]
    return apply("stop_gradient", tensor(variables, "stop_gradient", "variables"))
