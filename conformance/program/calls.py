"""Steps as Python source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from conformance.program.marks import (
    MAYBE,
    OPERATOR,
    OPERATOR_CALL,
    PRINTED_CALL,
    PRINTED_IMPORT,
    UNKNOWN,
)
from conformance.program.model import OPERATORS, Argument, Function, Made, Ref, Step


def step_lines(step: Step, indent: str = "") -> Iterator[str]:
    """The statements of a step: definitions of the callables that it passes, then its call."""
    for function in _functions([*step.args, *(v for _, v in step.kwargs)]):
        yield from _definition(function, indent)
    call = f"{step.result} = {_call(step)}"
    if step.function.startswith(MAYBE):
        yield from (f"{indent}try:", f"{indent}    {call.replace(MAYBE, 'K.', 1)}")
        yield from (f"{indent}except Exception:", f"{indent}    {step.result} = {UNKNOWN!r}")
        return
    if not step.attempt:
        yield indent + call
        return
    yield f"{indent}try:"
    yield f"{indent}    {_call(step)}"
    yield f"{indent}    {step.result} = 'returns'"
    yield f"{indent}except Exception as error:"
    names = "' '.join(c.__name__ for c in type(error).__mro__)"
    yield f"{indent}    {step.result} = 'raises ' + {names}"


def _definition(function: Function, indent: str) -> Iterator[str]:
    yield f"{indent}def {function.name}({', '.join(function.parameters)}):"
    for step in function.steps:
        yield from step_lines(step, indent + "    ")
    yield f"{indent}    return {argument_text(function.returns)}"


def _functions(arguments: Iterable[Argument]) -> Iterator[Function]:
    for argument in arguments:
        if isinstance(argument, Function):
            yield argument
        elif isinstance(argument, list | tuple):
            yield from _functions(argument)


def uses_package(steps: Iterable[Step]) -> bool:
    """Whether a step needs more of the implementation's package than the backend."""
    return any(step.function.startswith("keras.") for step in steps)


def catches_prints(steps: Iterable[Step]) -> bool:
    """Whether a step observes what a call prints."""
    return any(step.function == PRINTED_CALL for step in steps)


def imports_again(steps: Iterable[Step]) -> bool:
    """Whether a step observes what an import of the implementation prints."""
    return any(step.function == PRINTED_IMPORT for step in steps)


def call_text(step: Step) -> str:
    """The call of a step as Python source, such as `sum(x, axis=1)`."""
    if step.function == PRINTED_CALL:
        return f"printed({', '.join(_passed(step.args, step.kwargs))})"
    if step.function == PRINTED_IMPORT:
        return "printed_import()"
    if step.function.startswith(OPERATOR):
        return _operation(step.function, list(step.args), _passed((), step.kwargs))
    return f"{step.function}({', '.join(_passed(step.args, step.kwargs))})"


def _call(step: Step) -> str:
    return call_text(step) if "." in step.function else f"K.{call_text(step)}"


def _operation(name: str, args: list[Argument], keywords: list[str]) -> str:
    if name == OPERATOR_CALL:
        return f"{argument_text(args[0])}({', '.join([*_passed(args[1:], ()), *keywords])})"
    return OPERATORS[name.removeprefix(OPERATOR)].format(*map(argument_text, args))


def _passed(args: Iterable[Argument], kwargs: Iterable[tuple[str, Any]]) -> list[str]:
    return [*map(argument_text, args), *(f"{k}={argument_text(v)}" for k, v in kwargs)]


def argument_text(value: Argument) -> str:
    """An argument as Python source; a callable is named."""
    if isinstance(value, Ref | Function):
        return value.name
    if isinstance(value, Made):
        return _made_text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(argument_text, value)) + "]"
    if isinstance(value, tuple):
        inside = ", ".join(map(argument_text, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _made_text(description: Made) -> str:
    items = list(description.items)
    match description.kind:
        case "range":
            return f"range({items[0]}, {items[-1] + 1})"
        case "set":
            return f"{{{', '.join(map(str, items))}}}"
        case "iterator":
            return f"iter({items})"
        case "int64":
            return f"np.int64({items[0]})"
    maker = description.kind if "." in description.kind else f"K.{description.kind}"
    return f"{maker}(np.array({items}, dtype='int32'), dtype='int32')"
