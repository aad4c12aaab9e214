"""Plans: in which order the nodes of a graph are computed, and where their values are kept.

A plan computes equal nodes (the same operation on the same inputs) once, and skips nodes that only
pass a value on. It drops each array after the last step that needs it, so later arrays reuse
memory that is still in the cache.

Where the learning phase, or another scalar that is fed, chooses between two tensors, each of its
values gets a plan of its own, which computes one of the two. The other one has no gradient.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.reference.symbolic.graph import Tensor
from conformance.reference.symbolic.operations import Array, Operations, PlannedStep

SOURCES = ("placeholder", "variable", "constant")
"""Nodes whose value is known before anything is computed."""
PASSED_ON = ("identity", "stop_gradient")
"""Operations whose result is their input."""
EFFECTS = ("print_tensor",)
"""Operations that are computed once for each node."""
LINEAR = {
    **dict.fromkeys(("multiply", "contraction", "dot", "batch_dot"), 2),
    **dict.fromkeys(("divide", "negative", "cast", "reshape", "expand_dims", "squeeze"), 1),
    **dict.fromkeys(("permute_dimensions", "sum", "sum_to", "divide_by_count", "alike"), 1),
    **dict.fromkeys(("fold", "flatten", "batch_flatten"), 1),
}
"""Operations on gradients, each with a number of first inputs: if one of these is zeros of a branch
that is not taken, so is the result."""


def ordered(targets: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[Tensor]:
    """Every tensor that the targets need, inputs first; not what the given tensors were made of."""
    order: dict[Tensor, None] = dict.fromkeys(inputs)
    waiting: list[tuple[Tensor, bool]] = [(target, False) for target in reversed(targets)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            order[node] = None
        elif node not in order:
            waiting.append((node, True))
            waiting += [(item, False) for item in reversed(node.inputs) if item not in order]
    return list(order)


@dataclass
class ExecutionPlan:
    """The steps that compute targets from given tensors, whose values are in the first slots."""

    nodes: list[Tensor]
    """The node whose value is in each slot."""
    slots: dict[Tensor, int]
    """Where the value of each node is; equal nodes share a slot."""
    steps: list[PlannedStep]

    constants: list[Array] = field(init=False)
    """By slot, the values of constants; None for other nodes."""

    def __post_init__(self) -> None:
        self.constants = [node.attributes.get("value") for node in self.nodes]

    def run(self, values: list[Array]) -> None:
        """Compute the values of all slots; an error gets a note that names the node."""
        slot = -1
        try:
            for slot, kernel, sources, last in self.steps:
                values[slot] = kernel(*[values[source] for source in sources])
                for unused in last:
                    values[unused] = None
        except (ValueError, IndexError) as error:
            error.add_note(f"while computing {self.nodes[slot]!r}")
            raise


def switches(nodes: Sequence[Tensor]) -> list[Tensor]:
    """The scalars by which nodes choose between two tensors, if they are fed."""
    choices = (_switch(node) for node in nodes if node.operation == "choose")
    return list(dict.fromkeys(node for node in choices if node.operation == "placeholder"))


def _switch(node: Tensor) -> Tensor:
    """The scalar condition of a choice, or else one of its axes."""
    condition = node.inputs[0]
    while condition.operation == "expand_dims":
        condition = condition.inputs[0]
    return condition if not condition.ndim else node


def plan(
    targets: Sequence[Tensor],
    inputs: Sequence[Tensor],
    library: Operations,
    settings: Mapping[Tensor, bool] = {},
    inner: bool = False,
) -> ExecutionPlan:
    """The plan for targets. It takes the values of the given tensors and does not compute them.

    `settings` are values that switches have whenever the plan runs. `inner`: the targets are the
    results of a loop's body.
    """
    order = ordered(targets, inputs)
    compiling = _Compiling(inputs, settings, library.distinct_nodes(order))
    for node in order[len(inputs) :]:
        compiling.add(node)
    nodes, slots = compiling.nodes, compiling.slots
    steps = _steps(nodes[len(inputs) :], slots, {slots[node] for node in targets}, library)
    return ExecutionPlan(nodes, slots, library.scheduled(nodes, steps, inner=inner))


class _Compiling:
    """The nodes and slots of a plan while it is made."""

    def __init__(
        self,
        inputs: Sequence[Tensor],
        settings: Mapping[Tensor, bool],
        distinct: Collection[Tensor],
    ) -> None:
        self.nodes = list(inputs)
        self.slots = {node: slot for slot, node in enumerate(inputs)}
        self._settings = settings
        self._distinct = distinct
        self._known: dict[Any, int] = {}
        self._nothing: set[int] = set()

    def add(self, node: Tensor) -> None:
        """Give a node a slot: a new one, unless its value is in another already."""
        slot = None if node in self._distinct else self._passed_on(node)
        if slot is None:
            slot = self._known.setdefault(self._identity(node), len(self.nodes))
        self.slots[node] = slot
        if slot == len(self.nodes):
            self.nodes.append(node)
        if node.role == "nothing" or self._is_nothing(node):
            self._nothing.add(slot)

    def _passed_on(self, node: Tensor) -> int | None:
        """The slot of the input that is the value of a node, if one is."""
        sources = [self.slots[item] for item in node.inputs]
        same = node.operation == "cast" and node.dtype == node.inputs[0].dtype
        if same or node.operation in PASSED_ON:
            return sources[0]
        if node.operation == "choose" and node.inputs[1].shape == node.inputs[2].shape:
            setting = self._settings.get(_switch(node))
            return None if setting is None else sources[1 if setting else 2]
        if node.role == "total" and not self._nothing.isdisjoint(sources):
            return sources[0 if sources[1] in self._nothing else 1]
        return None

    def _identity(self, node: Tensor) -> Any:
        """A key that equal nodes share."""
        plain = all(_plain(value) for value in node.attributes.values())
        if not plain or node.role == "nothing" or node.operation in (*SOURCES, *EFFECTS):
            return node
        if node in self._distinct:
            return node
        return node.operation, *(self.slots[item] for item in node.inputs), repr(node.attributes)

    def _is_nothing(self, node: Tensor) -> bool:
        """Whether a gradient is zero because its only source is a branch that is not taken."""
        factors = LINEAR.get(node.operation)
        if factors is None:
            return False
        return any(self.slots[item] in self._nothing for item in node.inputs[:factors])


def _plain(value: Any) -> bool:
    """Whether equal texts of such values mean equal values."""
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or value is Ellipsis or type(value) in (bool, int, float, str, slice)


def _steps(
    nodes: Sequence[Tensor], slots: dict[Tensor, int], held: set[int], library: Operations
) -> list[PlannedStep]:
    """The steps for the slots to keep, in order; each drops what no later step uses."""
    steps: list[PlannedStep] = []
    for node in reversed(nodes):
        if slots[node] not in held or node.operation in SOURCES:
            continue
        sources = tuple(slots[item] for item in node.inputs)
        last = {*sources} - held
        held |= last
        kernel = library.kernel(node.operation, node.attributes)
        steps.append((slots[node], kernel, sources, tuple(sorted(last))))
    return steps[::-1]
