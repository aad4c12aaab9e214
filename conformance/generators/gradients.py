"""Gradients of a call: the same program, carried on to `K.gradients` of a random linear functional.

The loss is the sum of the result times fixed weights, so that one gradient shows every column of
the Jacobian matrix.

The document of an edition may have no function that takes gradients. Then `differentiated` is that
of a mapping, which takes that of the same loss as users of each backend do.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.editions import differentiates
from conformance.generators import images, warps
from conformance.generators.structure import Structure, accepted_dtypes, expected_shape
from conformance.generators.tensors import references
from conformance.generators.twins import of_constants, with_program
from conformance.generators.values import Draw, draw_arrays, signs
from conformance.program import Argument, Binding, Input, Made, Program, Ref, Step
from conformance.program.model import DIFFERENTIATED
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
FLOATS = ("float32", "float64")
"""Dtypes in which gradients are tested."""
WEIGHTS = "weights"
"""The input with the weights of the loss; `loss_weights` where a parameter has that name."""


@dataclass(frozen=True, slots=True, eq=False)
class Differentiated:
    """A structure whose program ends with the gradient of a weighted sum of its result.

    `wanted` are the inputs with respect to which it is taken, `dtype` is theirs, and `weights` the
    input with the weights of the sum.
    """

    structure: Structure
    program: Program
    wanted: tuple[str, ...]
    dtype: str
    weights: str = WEIGHTS

    def arrays(self, draw: Draw) -> dict[str, Array]:
        """The numbers of a draw, and weights between 0.5 and 1.5 with either sign."""
        arrays = draw_arrays(self.structure, draw)
        shape = expected_shape(self.structure)
        rng = np.random.Generator(np.random.PCG64([draw.seed, len(shape), *shape]))
        chosen = signs(rng, shape)
        arrays[self.weights] = np.asarray(rng.uniform(0.5, 1.5, shape) * chosen, self.dtype)
        return arrays

    @property
    def own(self) -> bool:
        """Whether it is taken by the backend's own means, and by no function of the document."""
        return differentiates(self.structure.edition)

    @property
    def of_variables(self) -> bool:
        """Whether all that is asked is about variables, as the documents have it."""
        bindings = {i.name: i.binding for i in self.structure.program.inputs}
        return all(bindings[name] is Binding.VARIABLE for name in self.wanted)


def differentiated(structure: Structure) -> Differentiated | None:
    """The structure with its gradient; None where there is none to ask for."""
    if not _may_have_one(structure):
        return None
    structure = _bound(structure)
    inputs = structure.program.inputs
    wanted = tuple(i.name for i in inputs if i.dtype.startswith("float") and _free(structure, i))
    dtypes = {i.dtype for i in inputs if i.name in wanted} | {accepted_dtypes(structure)[0]}
    if len(dtypes) != 1 or not dtypes <= {*FLOATS} or not wanted:
        return None
    if any(d.startswith("mirrored") or d in warps.VEILED for d in structure.domains.values()):
        return None  # what a mirrored kernel hides, its gradient shows
    if not math.prod(expected_shape(structure)) or not all(math.prod(i.shape) for i in inputs):
        return None
    (dtype,) = dtypes
    with_gradient = _with_own if differentiates(structure.edition) else _with_gradient
    return with_gradient(structure, wanted, dtype)


def _may_have_one(structure: Structure) -> bool:
    """Whether a valid call has one: a part of the result need not depend on every input, and a call
    of two dtypes may be refused, or have an integer, which has no slope."""
    if not structure.spec.differentiable or structure.error or structure.claimed != "result":
        return False
    whole = structure.part is None or structure.part is structure.spec.results[0]
    return whole and ConventionName.MIXED_DTYPES not in structure.unsettled


def _free(structure: Structure, item: Input) -> bool:
    """Whether its elements may move: a distribution no longer sums to one then, or is limited.

    Only what a distribution is compared with stands in the result as it is. A mirrored kernel would
    no longer be one, and its own gradient tells how an implementation lays it.
    """
    domain, along = structure.domains.get(item.name), structure.distributions.get(item.name)
    if domain in images.DOMAINS or domain in warps.FIXED:
        return False
    return domain != "probability" or along is None or along.target


def _bound(structure: Structure) -> Structure:
    """The structure with variables only, two thirds of them, or without constants.

    What backends differentiate by their own means are tensors.
    """
    program = structure.program
    if differentiates(structure.edition):
        return with_program(structure, of_constants(program), {})
    everything = zlib.crc32(repr(program).encode()) % 3 > 0

    def bind(item: Input) -> Input:
        as_variable = everything or item.binding is Binding.CONSTANT
        return item.bound(Binding.VARIABLE) if as_variable else item

    inputs = tuple(map(bind, program.inputs))
    return replace(structure, program=replace(program, inputs=inputs))


def _with_gradient(structure: Structure, wanted: tuple[str, ...], dtype: str) -> Differentiated:
    program = structure.program
    fed = [i for i in program.inputs if i.binding.startswith("placeholder")]
    binding = Binding.PLACEHOLDER if fed else Binding.VARIABLE
    weights = Input(WEIGHTS, expected_shape(structure), dtype, binding)
    steps = (
        *program.steps,
        Step("weighted", "operator.mul", (Ref("result"), Ref(WEIGHTS))),
        Step("loss", "sum", (Ref("weighted"),)),
        Step("gradients", "gradients", (Ref("loss"), [Ref(name) for name in wanted])),
    )
    whole = Program((*program.inputs, weights), steps, ("gradients",))
    return Differentiated(structure, whole, wanted, dtype)


def _with_own(structure: Structure, wanted: tuple[str, ...], dtype: str) -> Differentiated:
    program = structure.program
    taken = any(item.name == WEIGHTS for item in program.inputs)
    weights = Input(
        f"loss_{WEIGHTS}" if taken else WEIGHTS, expected_shape(structure), dtype, Binding.CONSTANT
    )
    call = program.steps[0]
    asked = (call.function, Ref(weights.name), [Ref(name) for name in wanted], *call.args)
    step = Step("gradients", DIFFERENTIATED, asked, call.kwargs)
    whole = Program((*program.inputs, weights), (*program.steps, step), ("gradients",))
    return Differentiated(structure, whole, wanted, dtype, weights.name)


def resolved(arguments: Mapping[str, Argument], arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The arguments with arrays in the place of references."""

    def one(value: Argument) -> Any:
        if isinstance(value, Ref):
            return arrays[value.name]
        if isinstance(value, Made):
            return value.value
        if isinstance(value, list) or (isinstance(value, tuple) and references(value)):
            return [one(v) for v in value]
        return value

    return {name: one(value) for name, value in arguments.items()}
