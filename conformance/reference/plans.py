"""Plans: in which order the nodes of a graph are computed, and where their values are kept.

Nodes that compute the same from the same are computed once, and those that only pass a value on
not at all. Arrays that no step needs any more are let go: memory that is used again soon is in the
cache, and need not come from the system anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conformance.reference.graph import Tensor
from conformance.reference.operations import Array, Step, current

SOURCES = ("placeholder", "variable", "constant")
"""Nodes whose value is there before anything is computed."""
PASSED_ON = ("identity", "stop_gradient")
"""Operations whose result is their input."""
EFFECTS = ("print_tensor",)
"""Operations that are computed once for each node."""


def ordered(targets: Sequence[Tensor], given: Sequence[Tensor]) -> list[Tensor]:
    """Every tensor that the targets need, inputs first; what is given is not looked into."""
    order: dict[Tensor, None] = dict.fromkeys(given)
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
class Plan:
    """What computes targets from what is given, which has the first slots."""

    nodes: list[Tensor]
    """The node whose value is in each slot."""
    slots: dict[Tensor, int]
    """Where the value of each node is, also of one that is the same as another."""
    steps: list[Step]

    def constants(self) -> list[Array]:
        """By slot, the values that are in the graph."""
        return [node.attributes.get("value") for node in self.nodes]

    def run(self, values: list[Array]) -> None:
        """Compute the values of all slots; what was said of an error names the node."""
        slot = -1
        try:
            for slot, kernel, sources, last in self.steps:
                values[slot] = kernel(*[values[source] for source in sources])
                for unused in last:
                    values[unused] = None
        except (ValueError, IndexError) as error:
            error.add_note(f"while computing {self.nodes[slot]!r}")
            raise


def plan(targets: Sequence[Tensor], given: Sequence[Tensor], inner: bool = False) -> Plan:
    """The plan for targets. What is given is not computed, whatever made it.

    `inner`: the targets are the results of a loop's body.
    """
    slots: dict[Tensor, int] = {node: slot for slot, node in enumerate(given)}
    nodes = list(given)
    known: dict[Any, int] = {}
    order = ordered(targets, given)
    apart = current().apart(order)
    for node in order[len(slots) :]:
        what = node if node in apart else _identity(node, slots)
        slot = what if isinstance(what, int) else known.setdefault(what, len(nodes))
        slots[node] = slot
        if slot == len(nodes):
            nodes.append(node)
    computed = [n for n in nodes[len(given) :] if n.operation not in SOURCES]
    steps = _steps(computed, slots, {slots[node] for node in targets})
    return Plan(nodes, slots, current().scheduled(nodes, steps, inner=inner))


def _identity(node: Tensor, slots: dict[Tensor, int]) -> Any:
    """The slot of a value that is passed on, or else what nodes that compute the same share."""
    sources = tuple(slots[item] for item in node.inputs)
    kept = node.operation == "cast" and node.dtype == node.inputs[0].dtype
    if kept or node.operation in PASSED_ON:
        return sources[0]
    plain = all(_plain(value) for value in node.attributes.values())
    if not plain or node.operation in SOURCES or node.operation in EFFECTS:
        return node
    return node.operation, sources, repr(node.attributes)


def _plain(value: Any) -> bool:
    """Whether two values with one text are the same."""
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or value is Ellipsis or type(value) in (bool, int, float, str, slice)


def _steps(nodes: Sequence[Tensor], slots: dict[Tensor, int], kept: set[int]) -> list[Step]:
    """What computes the nodes, in their order; what is not kept is let go after its last use."""
    found: list[Step] = []
    for node in reversed(nodes):
        sources = tuple(slots[item] for item in node.inputs)
        last = {*sources} - kept
        kept |= last
        kernel = current().kernel(node.operation, node.attributes)
        found.append((slots[node], kernel, sources, tuple(sorted(last))))
    return found[::-1]
