"""Compiled functions: a graph put in order once, and evaluated with every call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.reference.arguments import tensor
from conformance.reference.edition import documented, says
from conformance.reference.graph import Placeholder, Tensor, Variable
from conformance.reference.operations import Array, current
from conformance.reference.plans import Plan, ordered, plan, switches
from conformance.reference.rules import Shape


class Update(Tensor):
    """The new value of a variable, which evaluating the tensor assigns to it.

    All variables of an evaluation are assigned after all outputs and all new values are known.
    """

    def __init__(self, variable: Variable, value: Tensor) -> None:
        super().__init__("identity", (value,), {}, variable.shape, variable.dtype)
        self.variable = variable


MOST_SWITCHES = 3
"""With more than these there would be too many plans."""


class Function:
    """A compiled graph. Call it with a list of input values; it returns a list of NumPy arrays.

    Updates are simultaneous: each new value is computed from the variables' old values.
    Outputs share no memory with inputs, with variables or with each other.
    """

    def __init__(
        self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], updates: Sequence[Update]
    ) -> None:
        self._operations = current()
        _refuse_sparse(outputs)
        order = ordered([*outputs, *updates], inputs)
        computed = order[len(inputs) :]
        _refuse_unfed(computed, inputs)
        self._inputs, self._outputs, self._updates = inputs, outputs, list(_updated(order))
        self._targets = [*outputs, *self._updates]
        self._variables = [node for node in computed if isinstance(node, Variable)]
        found = switches(order)
        self._switches = found if len(found) <= MOST_SWITCHES else []
        self._plans: dict[tuple[bool, ...], Plan] = {}

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Evaluate. ValueError for inputs of the wrong number, rank, shape or dtype."""
        fed = self._fed(inputs)
        made = self._plan(fed)
        values = [*fed, *made.constants[len(fed) :]]
        for variable in self._variables:
            values[made.slots[variable]] = variable.value
        with self._operations.computing():
            made.run(values)
        results = [self._operations.export(values[made.slots[node]]) for node in self._outputs]
        self._assign([values[made.slots[update]] for update in self._updates])
        return results

    def _plan(self, fed: Sequence[Array]) -> Plan:
        """The plan for the switches as they are."""
        given = dict(zip(self._inputs, fed, strict=True))
        arrays = [given.get(node, node.attributes.get("value")) for node in self._switches]
        key = tuple(any(self._operations.integers(array)) for array in arrays)
        if key not in self._plans:
            settings = dict(zip(self._switches, key, strict=True))
            self._plans[key] = plan(self._targets, self._inputs, settings)
        return self._plans[key]

    def _fed(self, inputs: Sequence[Any]) -> list[Array]:
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(self._inputs):
            names = [node.name for node in self._inputs]
            raise ValueError(
                f"function: call it with a list of {len(names)} values, for {names}, "
                f"not with {_described(inputs)}"
            )
        return [
            self._accepted(node, value) for node, value in zip(self._inputs, inputs, strict=True)
        ]

    def _accepted(self, node: Tensor, value: Any) -> Array:
        accept = self._operations.accept_sparse if node.sparse else self._operations.accept
        try:
            array = accept(value, node.dtype)
        except (TypeError, ValueError) as error:
            raise ValueError(f"function: value for {node!r}: {error}") from None
        _check_shape(self._operations.shape(array), node.shape, f"value for {node!r}")
        return array

    def _assign(self, values: Sequence[Array]) -> None:
        fresh = [
            (update.variable, self._operations.copy(value))
            for update, value in zip(self._updates, values, strict=True)
        ]
        for variable, value in fresh:
            what = f"new value of {variable!r}"
            _check_shape(self._operations.shape(value), variable.shape, what)
        for variable, value in fresh:
            variable.value = value


def _updated(nodes: Sequence[Tensor]) -> Iterator[Update]:
    """The updates among the nodes; ValueError if two are of one variable."""
    seen: set[Variable] = set()
    for update in nodes:
        if isinstance(update, Update):
            if update.variable in seen:
                raise ValueError(
                    f"function: {update.variable!r} is updated twice; give one new value"
                )
            seen.add(update.variable)
            yield update


def _refuse_unfed(nodes: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    for node in nodes:
        if isinstance(node, Placeholder) and "value" not in node.attributes:
            raise ValueError(
                f"function: the outputs or updates need {node!r}, which is not among the inputs "
                f"{[item.name for item in inputs]}; add it there"
            )


def _refuse_sparse(outputs: Sequence[Tensor]) -> None:
    for node in outputs:
        if node.sparse:
            raise ValueError(f"function: the output {node!r} is sparse; make it K.to_dense")


def _described(inputs: Any) -> str:
    if isinstance(inputs, (list, tuple)):
        return f"{len(inputs)} values"
    return f"a {type(inputs).__name__}"


def _check_shape(found: tuple[int, ...], wanted: Shape, what: str) -> None:
    if found == wanted:
        return
    if len(found) != len(wanted):
        raise ValueError(
            f"function: {what} has shape {found}, rank {len(found)}; rank {len(wanted)} is wanted"
        )
    for axis, (a, b) in enumerate(zip(found, wanted, strict=True)):
        if b is not None and a != b:
            raise ValueError(
                f"function: {what} has shape {found}; axis {axis} must be {b}, not {a}"
            )


@documented(
    "ja-1:1125 function(inputs, outputs, updates=[])",
    "ja-2.0:2532 function(inputs, outputs, updates=None, **kwargs)",
    "ko-2.2:2527 function(inputs, outputs, updates=None, **kwargs)",
)
def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Function:
    """Compile a graph: a callable from a list of values to a list of NumPy arrays.

    `inputs` is a list of placeholders (keras-1: or variables, ja-1:1133), `outputs` a list of
    tensors, `updates` a list of (variable, new value) pairs or of what `update` returns. Updates
    are simultaneous and happen after the outputs are computed. ValueError: an unknown keyword
    (keras-2.2, ko-2.2:2546; keras-2.0 warns and goes on, ja-2.0:2542), an output that needs a
    placeholder not among the inputs, and at the call the wrong number, rank, shape or dtype.
    """
    _refuse_keywords(kwargs)
    fed = [_input(item, i) for i, item in enumerate(_listed(inputs, "inputs"))]
    if len(set(fed)) != len(fed):
        raise ValueError("function: inputs names one placeholder twice; give each once")
    wanted = [tensor(item, "function", "an output") for item in _listed(outputs, "outputs")]
    return Function(fed, wanted, list(_updates(updates)))


def _refuse_keywords(kwargs: dict[str, Any]) -> None:
    if not kwargs:
        return
    message = f"function: keywords {sorted(kwargs)} have no meaning here; leave them out"
    if not says("ja-2.0:2542"):
        raise ValueError(message)
    warnings.warn(message, stacklevel=3)


def _listed(value: Any, what: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"function: {what} must be a list of tensors, not {value!r}")
    return value


def _input(item: Any, position: int) -> Tensor:
    allowed = (Placeholder, Variable) if says("ja-1:1133") else (Placeholder,)
    if not isinstance(item, allowed):
        raise ValueError(f"function: inputs[{position}] is {item!r}; make it with K.placeholder")
    return item


def _updates(updates: Any) -> Iterator[Update]:
    for item in _listed(updates or [], "updates"):
        yield item if isinstance(item, Update) else _pair(item)


def _pair(item: Any) -> Update:
    if not isinstance(item, tuple) or len(item) != 2:
        raise ValueError(f"function: an update is (variable, new value), not {item!r}")
    return new_value(*item, where="function")


def new_value(x: Any, value: Any, where: str) -> Update:
    """An update; ValueError unless x is a variable and the value can be one of its values."""
    if not isinstance(x, Variable):
        raise ValueError(f"{where}: {x!r} is not a variable; make one with K.variable")
    found = tensor(value, where, "the new value")
    same_rank = found.ndim == x.ndim
    agree = all(a is None or a == b for a, b in zip(found.shape, x.shape, strict=same_rank))
    if found.dtype != x.dtype or not same_rank or not agree:
        raise ValueError(f"{where}: {found!r} cannot be a value of {x!r}; shapes and dtypes differ")
    return Update(x, found)


@documented("ja-1:309 eval(x)", "ja-2.0:615 eval(x)", "ko-2.2:523 eval(x)")
def eval(x: Tensor) -> Any:
    """The value of a tensor or variable as a NumPy array.

    ValueError if it depends on a placeholder, whose value only `function` can give.
    """
    return Function([], [tensor(x, "eval")], [])([])[0]
