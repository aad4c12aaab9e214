# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs
"""How an error inside the reference is described, and what it is made of.

`conformance.mutation` makes what can be wrong around the functions of any backend; here is what is
wrong within: one kernel, one gradient rule, one helper.

A mutant is one function with one error. Its error reaches no other function: what it changes of
the graph is renamed, so that an operation that several functions share stays right for the others.
`changed` installs the mutants that the environment variable MUTANTS names.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest import mock

from conformance.editions import Edition
from conformance.reference import BACKEND
from conformance.reference.numpy_library.kernels import KERNELS
from conformance.reference.symbolic.gradients.accumulation import GRADIENTS
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.rules import RULES

VARIABLE = "MUTANTS"
SEPARATOR = ";"


@dataclass(frozen=True)
class Mutant:
    """A function, what is wrong with it, and where and how that must be found."""

    function: str
    what: str
    install: Callable[[dict[str, Any]], None]
    """Puts the error into the namespace of the module that is tested."""
    aspect: str = "value"
    verdict: str = "violates"
    """`diverges` where no document says what is right."""
    profile: str = "small"
    edition: Edition = "keras-2.2"
    alone: bool = False
    """Whether the error shows in the programs of other functions too."""

    @property
    def name(self) -> str:
        """Unique among all mutants."""
        return f"{self.function}: {self.what}"


MUTANTS: dict[str, Mutant] = {}


def mutant(function: str, what: str, install: Callable[..., None], **more: Any) -> None:
    """Note a mutant."""
    planted = Mutant(function, what, install, **more)
    assert planted.name not in MUTANTS, planted.name
    MUTANTS[planted.name] = planted


def replaced(function: str, what: str, make: Callable[[Any], Any], **more: Any) -> None:
    """The function is what `make` makes of the right one; the signature stays."""

    def install(namespace: dict[str, Any]) -> None:
        right = namespace[function]
        wrong = make(right)
        wrong.__signature__ = inspect.signature(right)
        namespace[function] = BACKEND.bound(wrong)

    mutant(function, what, install, **more)


def bound(right: Callable[..., Any], args: Any, kwargs: Any) -> dict[str, Any]:
    """All arguments by name, with their defaults."""
    binding = inspect.signature(right).bind(*args, **kwargs)
    binding.apply_defaults()
    values = dict(binding.arguments)
    return {**values, **values.pop("kwargs", {})}


def arguments(
    function: str, what: str, change: Callable[[dict[str, Any]], None], **more: Any
) -> None:
    """`change` is done to the dictionary of the arguments."""

    def make(right):
        def wrong(*args, **kwargs):
            values = bound(right, args, kwargs)
            change(values)
            return right(**values)

        return wrong

    replaced(function, what, make, **more)


def result(function: str, what: str, change: Callable[[Any], Any], **more: Any) -> None:
    """`change` is done to what the function returns."""
    replaced(function, what, lambda right: lambda *a, **k: change(right(*a, **k)), **more)


def patched(function: str, what: str, *places: tuple[Any, str, Any], **more: Any) -> None:
    """While the function runs, names in modules of the reference stand for something else."""

    def make(right):
        def wrong(*args, **kwargs):
            with ExitStack() as stack:
                for module, name, value in places:
                    stack.enter_context(mock.patch.object(module, name, value))
                return right(*args, **kwargs)

        return wrong

    replaced(function, what, make, **more)


def operation(
    function: str,
    what: str,
    name: str,
    kernel: Callable[[Any], Any] | None = None,
    gradient: Callable[[Any], Any] | None = None,
    **more: Any,
) -> None:
    """The nodes of an operation that a call makes are computed, or differentiated, otherwise.

    `kernel` and `gradient` make the wrong one of the right one.
    """
    if gradient is not None:
        more = {"aspect": "gradient", **more}

    def make(right):
        wrong_name = f"{name} of {function}"
        KERNELS[wrong_name] = kernel(KERNELS[name]) if kernel else KERNELS[name]
        RULES[wrong_name] = RULES[name]
        if name in GRADIENTS:
            GRADIENTS[wrong_name] = gradient(GRADIENTS[name]) if gradient else GRADIENTS[name]

        def wrong(*args, **kwargs):
            results = right(*args, **kwargs)
            for node in nodes_between((args, kwargs), results):
                if node.operation == name:
                    node.operation = wrong_name
            return results

        return wrong

    replaced(function, what, make, **more)


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors_in(item)]
    return []


def nodes_between(operands: Any, results: Any) -> list[Tensor]:
    """What was made of the tensors given."""
    nodes: dict[Tensor, None] = dict.fromkeys(tensors_in(operands))
    first, waiting = len(nodes), tensors_in(results)
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes[node] = None
            waiting += node.inputs
    return list(nodes)[first:]


_CHANGES: dict[int, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {}
_numbers = itertools.count()

RULES["slipped"] = lambda x, **_: (x.shape, x.dtype)
KERNELS["slipped"] = lambda x, change: _CHANGES[change][0](x)
GRADIENTS["slipped"] = lambda node, upstream: (_CHANGES[node.attributes["change"]][1](upstream),)


def slip(
    x: Tensor,
    kernel: Callable[[Any], Any] = lambda x: x,
    gradient: Callable[[Any], Any] = lambda upstream: upstream,
) -> Tensor:
    """x, with elements changed by `kernel`, or gradients by `gradient` (both keep the shape)."""
    number = next(_numbers)
    _CHANGES[number] = (kernel, gradient)
    return apply("slipped", x, change=number)


def everywhere(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """`change` done to the tensors in lists and tuples."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([everywhere(item, change) for item in value])
    return value


def is_float(x: Any) -> bool:
    """Whether it is a tensor of a float dtype."""
    return isinstance(x, Tensor) and x.dtype.startswith("float")


def elements(function: str, what: str, kernel: Callable[[Any], Any], **more: Any) -> None:
    """The elements of float results are changed."""
    result(function, what, lambda value: everywhere(
        value, lambda x: slip(x, kernel) if is_float(x) else x), **more)  # fmt: skip


def gradient(
    function: str,
    what: str,
    change: Callable[[Any], Any],
    argument: str | None = None,
    **more: Any,
) -> None:
    """The gradient with respect to one argument, or to all, is changed."""
    more = {"aspect": "gradient", **more}

    def watched(x: Tensor) -> Tensor:
        return slip(x, gradient=change) if is_float(x) else x

    if argument is None:
        result(function, what, lambda value: everywhere(value, watched), **more)
        return

    def watch(values: dict[str, Any]) -> None:
        values[argument] = everywhere(values[argument], watched)

    arguments(function, what, watch, **more)


def scaled(x: Any) -> Any:
    """A thousandth more."""
    return (x * 1.001).astype(x.dtype)
