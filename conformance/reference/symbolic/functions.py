"""Compiled functions: they plan a graph once, and evaluate it with every call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.reference.symbolic.arguments import tensor
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Placeholder, Tensor, Variable
from conformance.reference.symbolic.operations import Array
from conformance.reference.symbolic.plans import ExecutionPlan, ordered, plan, switches
from conformance.reference.symbolic.rules import Shape


class VariableUpdate(Tensor):
    """The new value of a variable, which evaluating the tensor assigns to it.

    All variables of an evaluation are assigned after all outputs and all new values are known.
    """

    def __init__(self, variable: Variable, value: Tensor) -> None:
        super().__init__("identity", (value,), {}, variable.shape, variable.dtype)
        self.variable = variable


MOST_SWITCHES = 3
"""A function with more switches than this gets one plan, which computes both branches of each."""


class CompiledFunction:
    """A compiled graph. Call it with a list of input values; it returns a list of NumPy arrays.

    Updates are simultaneous: each new value is computed from the variables' old values.
    Outputs share no memory with inputs, with variables or with each other.
    """

    def __init__(
        self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], updates: Sequence[VariableUpdate]
    ) -> None:
        tensors = (*inputs, *outputs, *updates)
        self._library = (tensors[0].backend if tensors else active()).library
        _refuse_sparse(outputs)
        order = ordered([*outputs, *updates], inputs)
        computed = order[len(inputs) :]
        _refuse_unfed(computed, inputs)
        self._inputs, self._outputs, self._updates = inputs, outputs, list(_updated(order))
        self._targets = [*outputs, *self._updates]
        self._variables = [node for node in computed if isinstance(node, Variable)]
        choices = switches(order)
        self._switches = choices if len(choices) <= MOST_SWITCHES else []
        self._plans: dict[tuple[bool, ...], ExecutionPlan] = {}

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Evaluate. ValueError for inputs of the wrong number, rank, shape or dtype."""
        fed = self._fed(inputs)
        chosen = self._plan(fed)
        values = [*fed, *chosen.constants[len(fed) :]]
        for variable in self._variables:
            values[chosen.slots[variable]] = variable.value
        with self._library.computing():
            chosen.run(values)
        results = [self._library.export(values[chosen.slots[node]]) for node in self._outputs]
        self._assign([values[chosen.slots[update]] for update in self._updates])
        return results

    def _plan(self, fed: Sequence[Array]) -> ExecutionPlan:
        """The plan for the values that the switches have in this call."""
        values = dict(zip(self._inputs, fed, strict=True))
        arrays = [values.get(node, node.attributes.get("value")) for node in self._switches]
        key = tuple(any(self._library.integers(array)) for array in arrays)
        if key not in self._plans:
            settings = dict(zip(self._switches, key, strict=True))
            self._plans[key] = plan(self._targets, self._inputs, self._library, settings)
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
        accept = self._library.accept_sparse if node.sparse else self._library.accept
        try:
            array = accept(value, node.dtype)
        except (TypeError, ValueError) as error:
            raise ValueError(f"function: value for {node!r}: {error}") from None
        _check_shape(self._library.shape(array), node.shape, f"value for {node!r}")
        return array

    def _assign(self, values: Sequence[Array]) -> None:
        fresh = [
            (update.variable, self._library.copy(value))
            for update, value in zip(self._updates, values, strict=True)
        ]
        for variable, value in fresh:
            what = f"new value of {variable!r}"
            _check_shape(self._library.shape(value), variable.shape, what)
        for variable, value in fresh:
            variable.value = value


def _updated(nodes: Sequence[Tensor]) -> Iterator[VariableUpdate]:
    """The updates among the nodes; ValueError if two are of one variable."""
    seen: set[Variable] = set()
    for update in nodes:
        if isinstance(update, VariableUpdate):
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


def _check_shape(shape: tuple[int, ...], expected: Shape, what: str) -> None:
    if shape == expected:
        return
    if len(shape) != len(expected):
        raise ValueError(
            f"function: {what} has shape {shape}, rank {len(shape)}; rank {len(expected)} is wanted"
        )
    for axis, (a, b) in enumerate(zip(shape, expected, strict=True)):
        if b is not None and a != b:
            raise ValueError(
                f"function: {what} has shape {shape}; axis {axis} must be {b}, not {a}"
            )


def new_value(x: Any, value: Any, where: str) -> VariableUpdate:
    """An update.

    Raises:
        ValueError: x is not a variable, or cannot have the value.
    """
    if not isinstance(x, Variable):
        raise ValueError(f"{where}: {x!r} is not a variable; make one with K.variable")
    tensor(x, where)
    array = tensor(value, where, "the new value")
    same_rank = array.ndim == x.ndim
    agree = all(a is None or a == b for a, b in zip(array.shape, x.shape, strict=same_rank))
    if array.dtype != x.dtype or not same_rank or not agree:
        raise ValueError(f"{where}: {array!r} cannot be a value of {x!r}; shapes and dtypes differ")
    return VariableUpdate(x, array)
