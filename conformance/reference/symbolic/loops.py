"""Loops: a body of tensors, run once for each slice of its sequences.

A loop is one node. Its value is a bundle: the outputs of all steps, stacked on a first axis, and
the last value of everything that the body carries from step to step; `part` takes one of them out.
The body is a graph of its own. The tensors that it uses from outside are among the inputs of the
loop. Therefore a loop is evaluated, and differentiated, like any other operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.reference.symbolic.graph import Placeholder, Tensor, apply
from conformance.reference.symbolic.operations import Array
from conformance.reference.symbolic.plans import ExecutionPlan, ordered, plan
from conformance.reference.symbolic.rules import (
    FLOATS,
    Operand,
    Result,
    Shape,
    rule,
    same_dimension,
)


@dataclass(eq=False)
class Body:
    """A graph from parameters to results that uses nothing else. Call it with arrays."""

    parameters: list[Tensor]
    results: list[Tensor]
    _plan: ExecutionPlan | None = None

    def __call__(self, *values: Array) -> list[Array]:
        """The results for values of the parameters."""
        if self._plan is None:
            self._plan = plan(
                self.results, self.parameters, self.results[0].backend.library, inner=True
            )
        known = [*values, *self._plan.constants[len(values) :]]
        self._plan.run(known)
        return [known[self._plan.slots[result]] for result in self.results]


def closed(parameters: Sequence[Tensor], results: Sequence[Tensor]) -> tuple[Body, list[Tensor]]:
    """A body with further parameters for the outside tensors that it uses, and those tensors."""
    inside: dict[Tensor, Tensor] = {p: p for p in parameters}
    outside: dict[Tensor, Tensor] = {}
    order = ordered(results, parameters)
    for node in order:
        if node not in inside and any(item in inside for item in node.inputs):
            copied = tuple(_inner(item, inside, outside) for item in node.inputs)
            inside[node] = Tensor(
                node.operation, copied, node.attributes, node.shape, node.dtype, name=node.name
            )
    inner = [_inner(result, inside, outside) for result in results]
    return Body([*parameters, *outside.values()], inner), list(outside)


def _inner(node: Tensor, inside: dict[Tensor, Tensor], outside: dict[Tensor, Tensor]) -> Tensor:
    if node in inside:
        return inside[node]
    return outside.setdefault(node, Placeholder(node.shape, node.dtype, node.name))


@dataclass(frozen=True)
class LoopLayout:
    """How the inputs of a loop and the results of its body are divided."""

    sequences: int
    carried: int
    outputs: int
    backwards: bool = False


StepFunction = Callable[[list[Tensor], list[Tensor]], tuple[list[Tensor], list[Tensor]]]


def loop(
    step: StepFunction,
    sequences: Sequence[Tensor],
    initial: Sequence[Tensor],
    where: str,
    backwards: bool = False,
) -> tuple[list[Tensor], list[Tensor]]:
    """The stacked outputs, and the last carried values.

    `step` is called once, with a slice of each sequence (their first axes agree) and with the
    carried values; it returns outputs and the new values. Outputs are in the order of the steps,
    which is from the end of the sequences if `backwards`. ValueError if a new value cannot follow
    the old.

    Shapes: sequences (steps, ...); each output is (steps, ...), each carried value has the shape of
    its initial one.
    """
    slices: list[Tensor] = [Placeholder(s.shape[1:], s.dtype) for s in sequences]
    carried: list[Tensor] = [Placeholder(c.shape, c.dtype) for c in initial]
    outputs, new = step(slices, carried)
    new = [followed(a, b, where) for a, b in zip(initial, new, strict=True)]
    body, outside = closed([*slices, *carried], [*outputs, *new])
    layout = LoopLayout(len(sequences), len(initial), len(outputs), backwards)
    bundle = apply("loop", *sequences, *initial, *outside, body=body, layout=layout)
    steps = sequences[0].shape[0]
    shapes = [*((steps, *y.shape) for y in outputs), *(c.shape for c in new)]
    dtypes = [y.dtype for y in (*outputs, *new)]
    parts = [part(bundle, i, *kind) for i, kind in enumerate(zip(shapes, dtypes, strict=True))]
    return parts[: len(outputs)], parts[len(outputs) :]


def part(bundle: Tensor, index: int, shape: Shape, dtype: str) -> Tensor:
    """One array of a bundle, whose shape and dtype are known."""
    return apply("unbundle", bundle, index=index, shape=shape, dtype=dtype)


def followed(old: Tensor, new: Tensor, where: str) -> Tensor:
    """The new value of a carried state, with the dimensions that the old or the new one knows.

    Raises:
        ValueError: rank, dtype or shape differ.
    """
    if old.dtype != new.dtype or old.ndim != new.ndim:
        raise ValueError(
            f"{where}: a state is {old!r}, and the new one is {new!r}; "
            "rank and dtype must stay the same"
        )
    what = f"{where}: a state {old!r} and the new one {new!r}"
    shape = tuple(same_dimension(a, b, what) for a, b in zip(old.shape, new.shape, strict=True))
    return new if shape == new.shape else apply("refined", new, shape=shape)


def _bundle(dtypes: Sequence[str]) -> Result:
    """A bundle carries gradients if one of its arrays does."""
    return (len(dtypes),), next((d for d in dtypes if d in FLOATS), "int64")


@rule("loop")
def _loop(*inputs: Operand, body: Body, layout: LoopLayout) -> Result:
    known = inputs[0].shape[0]
    for sequence in inputs[1 : layout.sequences]:
        known = same_dimension(known, sequence.shape[0], "the number of time steps")
    return _bundle([result.dtype for result in body.results])


@rule("loop_gradients")
def _loop_gradients(_upstream: Operand, *inputs: Operand, **_: Any) -> Result:
    return _bundle([item.dtype for item in inputs])


@rule("unbundle")
def _unbundle(_bundle: Operand, shape: Shape, dtype: str, **_: Any) -> Result:
    return shape, dtype


@rule("refined")
def _refined(x: Operand, shape: Shape) -> Result:
    return shape, x.dtype


@rule("in_bundle")
def _in_bundle(bundle: Operand, _array: Operand, **_: Any) -> Result:
    return bundle.shape, bundle.dtype


@rule("choose")
def _choose(condition: Operand, x: Operand, y: Operand) -> Result:
    what = f"choose: {x!r} and {y!r}"
    if x.dtype != y.dtype or len(x.shape) != len(y.shape):
        raise ValueError(f"{what} must have one shape and one dtype")
    merged = tuple(same_dimension(a, b, what) for a, b in zip(x.shape, y.shape, strict=True))
    for a, b in zip(condition.shape, merged, strict=True):
        if a != 1:
            same_dimension(a, b, f"choose: {condition!r} and {x!r}")
    return merged, str(x.dtype)


def selected(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x where the condition is not 0, else y. The axes of the condition are the first ones.

    Shapes: condition (...), x and y (..., and more axes); the result has the shape of x.
    """
    if condition.dtype != "bool":
        zero = apply("fill_like", condition, value=0, dtype=condition.dtype)
        condition = apply("not_equal", condition, zero)
    for axis in range(condition.ndim, x.ndim):
        condition = apply("expand_dims", condition, axis=axis)
    return apply("choose", condition, x, y)
