"""`when` of a known failure: a condition on the arguments of the smallest case of a failure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from conformance.editions import known_edition
from conformance.near_names import did_you_mean
from conformance.program import Function, Program, Ref, Step
from conformance.program.codec import ProgramError, from_json
from conformance.results import Failure
from conformance.specs import Spec, load
from conformance.specs.load import signature

_NODES = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub),
    *(ast.Compare, ast.cmpop, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
    *(ast.Attribute, ast.Subscript, ast.Slice, ast.Call),
)
HINT = (
    'write a condition on its arguments, such as "axis == 1 and x.ndim == 3" or '
    "\"data_format == 'channels_first'\"; an array has shape, ndim, dtype and binding"
)


class ConditionError(ValueError):
    """The text is not a condition on the function's arguments; the message says why."""


class ConditionArray(Struct, frozen=True, kw_only=True):
    """An argument that is an array, as conditions see it; None is unknown."""

    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    binding: str | None = None

    @property
    def ndim(self) -> int | None:
        """The number of dimensions."""
        return None if self.shape is None else len(self.shape)


_ATTRIBUTES = (*ConditionArray.__struct_fields__, "ndim")


def check(text: str, function: str) -> None:
    """Check a condition on the function's arguments.

    Raises:
        ConditionError: the text is not such a condition.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"{text[:80]!r} is not an expression") from error
    for node in ast.walk(tree):
        _check_node(node, function)


def _check_node(node: ast.AST, function: str) -> None:
    known = parameters(load()[function])
    if not isinstance(node, _NODES):
        raise ConditionError(f"{ast.unparse(node)!r} is not allowed in a condition")
    if isinstance(node, ast.Attribute) and node.attr not in _ATTRIBUTES:
        raise ConditionError(
            f"an array has no attribute {node.attr!r}{_near(node.attr, _ATTRIBUTES)}"
        )
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and _is_len(node)):
        raise ConditionError(f"{ast.unparse(node)!r}: only len() can be called")
    if isinstance(node, ast.Name) and node.id not in (*known, "len"):
        near = _near(node.id, known) or f"; its parameters are {', '.join(known)}"
        raise ConditionError(f"{function} has no parameter {node.id!r}{near}")


def _is_len(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1


def _near(name: str, known: tuple[str, ...]) -> str:
    asked = did_you_mean(name, known)
    return f"; {asked}" if asked else ""


def parameters(spec: Spec) -> tuple[str, ...]:
    """The names of a function's parameters, in all editions."""
    names = [p.name for edition in spec.editions for p in signature(spec, edition).parameters]
    return tuple(dict.fromkeys([*names, *spec.renamed.values()]))


def holds(text: str, function: str, edition: str, failure: Failure) -> bool:
    """Whether the failure's smallest case meets the condition; without a call it does not."""
    values = arguments(function, edition, failure)
    if values is None:
        return False
    names = {
        "__builtins__": {},
        "len": len,
        **dict.fromkeys(parameters(load()[function])),
        **values,
    }
    try:
        # `check` has let through comparisons, literals, names and len() only
        return bool(eval(text.strip(), names))  # noqa: S307
    except (TypeError, ValueError, AttributeError, LookupError):
        return False


def arguments(function: str, edition: str, failure: Failure) -> dict[str, Any] | None:
    """The arguments of the function in the failure's smallest case; None without a call."""
    spec = load()[function]
    known = known_edition(edition)
    if failure.program is None or known is None or known not in spec.editions:
        return None
    try:
        program = from_json(failure.program)
    except ProgramError:
        return None
    documented = signature(spec, known)
    passed = next(
        _call_arguments(program, documented.name, [p.name for p in documented.parameters]), None
    )
    if passed is None:
        return None
    defaults = {p.name: p.value for p in documented.parameters if not p.required}
    values = {name: _seen(value, program) for name, value in {**defaults, **passed}.items()}
    return values | {spec.renamed[name]: v for name, v in values.items() if name in spec.renamed}


def _call_arguments(program: Program, name: str, order: list[str]) -> Iterator[dict[str, Any]]:
    """The arguments of each call of the function."""
    for item in program.inputs:
        if name == "placeholder" and item.arguments is not None:
            yield dict(item.arguments)
    for step in _steps(program.steps):
        if step.function == name:
            yield {**dict(zip(order, step.args, strict=False)), **dict(step.kwargs)}


def _steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        for value in (*step.args, *(v for _, v in step.kwargs)):
            if isinstance(value, Function):
                yield from _steps(value.steps)


def _seen(value: Any, program: Program) -> Any:
    if isinstance(value, Ref):
        item = next((i for i in program.inputs if i.name == value.name), None)
        if item is None:
            return ConditionArray()
        return ConditionArray(shape=item.shape, dtype=item.dtype, binding=str(item.binding))
    if isinstance(value, list | tuple):
        return type(value)(_seen(part, program) for part in value)
    return value
