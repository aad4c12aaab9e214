"""Compile a call, or differentiate it, as users of a backend write it.

No function of `keras.ops` does either: a mapping has `compiled` and `differentiated` for all
backends at once. A script needs the lines for its own backend alone.

    result = jax.jit(lambda x: keras.ops.relu(x))(x)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from conformance.program.calls import argument_text, step_lines
from conformance.program.model import COMPILED, DIFFERENTIATED, Binding, Program, Step
from conformance.scripts.prelude import Prelude

_IMPORTS = {
    "jax": "import jax",
    "mlx": "import mlx.core as mx",
    "tensorflow": "import tensorflow as tf",
    "torch": "import torch",
}
_COMPILERS = {"jax": "jax.jit", "mlx": "mx.compile", "tensorflow": "tf.function"}
_CALLED = "called"
"""The name of the function that JAX or MLX differentiates."""


class OwnMeans:
    """The lines of the steps of one program that a backend takes by its own means."""

    def __init__(self, program: Program, prelude: Prelude, *, unless: bool = False) -> None:
        environment = prelude.environment or {}
        self._backend = environment.get("KERAS_BACKEND", prelude.backend)
        tensors = (item for item in program.inputs if item.binding is Binding.CONSTANT)
        self._tensors = {item.name for item in tensors}
        """The inputs that are tensors of the backend, and neither its variables nor symbols."""
        self._whole = program
        mapped = prelude.definitions is not None and bool(self._backend) and not unless
        self._steps = [s for s in program.steps if mapped and self._has_lines(s)]

    @property
    def imports(self) -> Sequence[str]:
        """The import that the lines need."""
        return [_IMPORTS[self._backend]] if self._steps and self._backend in _IMPORTS else []

    def takes(self, step: Step) -> bool:
        """Whether this is such a step, with arguments for which there are lines."""
        return step in self._steps

    @property
    def differentiates(self) -> bool:
        """Whether a step gives gradients; all of them are there then."""
        return any(step.function == DIFFERENTIATED for step in self._steps)

    @cached_property
    def program(self) -> Program:
        """The program without the call that is differentiated afterwards, since that calls again.

        The gradients are its only output.
        """
        if not self.differentiates:
            return self._whole
        (taken,) = (s for s in self._whole.steps if s.function == DIFFERENTIATED)
        steps = tuple(s for s in self._whole.steps if not _is_repeated(s, taken))
        outputs = tuple(name for name in self._whole.outputs if name == taken.result)
        return Program(self._whole.inputs, steps, outputs)

    def lines(self, step: Step) -> Iterator[str]:
        """The statements of a step."""
        if self._backend not in _IMPORTS:
            verb = "compiles" if step.function == COMPILED else "differentiates"
            yield f"raise NotImplementedError({f'{self._backend} {verb} nothing'!r})"
        elif step.function == COMPILED:
            yield from self._compiled(step)
        else:
            yield from self._gradients(step)

    def _has_lines(self, step: Step) -> bool:
        if step.attempt or not step.args or not isinstance(step.args[0], str):
            return False
        known = {item.name for item in self._whole.inputs}
        if step.function not in (COMPILED, DIFFERENTIATED) or not step.mentions() <= known:
            return False
        sources = step.args[2:3] if step.function == DIFFERENTIATED else ()
        return Step("", "", tuple(sources)).mentions() <= self._tensors

    def _compiled(self, step: Step) -> Iterator[str]:
        name, whole, *args = step.args
        *before, call = _call(str(name), args, step)
        yield from before
        if self._backend == "torch":
            function = f"torch.compile({name}, backend='aot_eager', fullgraph={whole is True})"
            yield f"{step.result} = {function}{call.removeprefix(str(name))}"
            return
        tensors = step.mentions() & self._tensors
        inputs = [item.name for item in self._whole.inputs if item.name in tensors]
        names = ", ".join(inputs)
        options = _of_tensorflow(whole, inputs) if self._backend == "tensorflow" else ""
        called = f"lambda {names}: {call}" if names else f"lambda: {call}"
        yield f"{step.result} = {_COMPILERS[self._backend]}({called}{options})({names})"

    def _gradients(self, step: Step) -> Iterator[str]:
        name, weights, sources, *args = step.args
        assert isinstance(sources, list | tuple)
        *before, call = _call(str(name), args, step)
        first = f"keras.tree.flatten({call})[0]"
        tensors = ", ".join(argument_text(tensor) for tensor in sources)
        above = f"keras.ops.cast({argument_text(weights)}, result.dtype)"
        yield from before
        if self._backend == "jax":
            yield f"{_CALLED} = lambda {tensors}: {first}"
            yield f"result, backwards = jax.vjp({_CALLED}, {tensors})"
            yield f"{step.result} = backwards({above})"
        elif self._backend == "mlx":
            yield f"{_CALLED} = lambda {tensors}: {first}"
            yield f"result = {_CALLED}({tensors})"
            yield f"result, {step.result} = mx.vjp({_CALLED}, [{tensors}], [{above}])"
        elif self._backend == "tensorflow":
            yield "with tf.GradientTape() as tape:"
            yield f"    tape.watch([{tensors}])"
            yield f"    result = {first}"
            yield f"{step.result} = tape.gradient(result, [{tensors}], {above})"
        else:
            yield from (f"{argument_text(tensor)}.requires_grad_()" for tensor in sources)
            yield f"result = {first}"
            asked = f"result, [{tensors}], {above}, allow_unused=True"
            yield f"{step.result} = torch.autograd.grad({asked})"


def _of_tensorflow(whole: Any, inputs: Sequence[str]) -> str:
    """The options of `tf.function`; `whole` may list the inputs whose first length is unknown."""
    if not isinstance(whole, list):
        return f", autograph=False, jit_compile={whole}"
    batches = {ref.name for ref in whole}
    shapes = (f"[None, *{n}.shape[1:]]" if n in batches else f"{n}.shape" for n in inputs)
    specs = (f"tf.TensorSpec({s}, {n}.dtype)" for s, n in zip(shapes, inputs, strict=True))
    return f", [{', '.join(specs)}], autograph=False"


def _is_repeated(step: Step, taken: Step) -> bool:
    """Whether the step is the call that `taken` differentiates."""
    return step.function == taken.args[0] and [*step.args] == [*taken.args[3:]]


def _call(name: str, args: Sequence[Any], step: Step) -> list[str]:
    """The statements before a call, and the call itself as an expression."""
    *before, last = step_lines(Step("called", name, tuple(args), step.kwargs))
    return [*before, last.partition(" = ")[2]]
