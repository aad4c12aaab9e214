"""Adapt a program to an implementation that lacks functions that make or read tensors.

A script takes the way that the worker takes (`conformance_worker/structures.py`, `calling.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.dtypes import is_floating
from conformance.program.calls import argument_text
from conformance.program.model import (
    AS_THEY_ARE,
    TENSORS_OF_INTEGERS,
    Argument,
    Binding,
    Function,
    Input,
    Made,
    Program,
    Step,
)
from conformance.scripts.prelude import Prelude

_PLACEHOLDERS = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)


def reached(program: Program, prelude: Prelude) -> Program:
    """The program as a script runs it: inputs and steps by functions that there are."""
    program = _without_int_shape(program, prelude.absent)
    return replace(
        program,
        inputs=tuple(_as_bound(i, prelude) for i in program.inputs),
        steps=tuple(_step(s, prelude) for s in program.steps),
    )


def fed_inputs(program: Program) -> list[str]:
    """The inputs that get their values when the program is computed."""
    return [i.name for i in program.inputs if i.binding in _PLACEHOLDERS]


def bound(item: Input, prelude: Prelude) -> str:
    """The statement that makes an input."""
    binding = item.binding
    if binding is Binding.ARRAY:
        return f"{item.name} = {item.name}_value"
    if binding is Binding.PYTHON:
        return f"{item.name} = {item.name}_value.tolist()"
    if item.arguments is not None:
        passed = ", ".join(f"{k}={argument_text(v)}" for k, v in item.arguments)
        maker = prelude.short.get("placeholder", "K.placeholder(").partition("(")[0]
        return f"{item.name} = {maker}({passed})"
    words = _short_words(item, prelude)
    if words is not None:
        value, shape = f"{item.name}_value", repr(item.static_shape)
        return f"{item.name} = {words.format(value=value, shape=shape, dtype=repr(item.dtype))}"
    if binding in (Binding.VARIABLE, Binding.CONSTANT):
        maker = prelude.maker if str(binding) in prelude.absent else str(binding)
        maker = maker if "." in maker else f"K.{maker}"
        return f"{item.name} = {maker}({item.name}_value, dtype={item.dtype!r})"
    return f"{item.name} = K.placeholder(shape={item.static_shape!r}, dtype={item.dtype!r})"


def _short_words(item: Input, prelude: Prelude) -> str | None:
    """The short words that make an input. A variable of floats is trainable."""
    if item.binding is Binding.VARIABLE and not is_floating(item.dtype):
        return prelude.short.get("integer_variable", prelude.short.get("variable"))
    return prelude.short.get("placeholder" if item.binding in _PLACEHOLDERS else str(item.binding))


def _without_int_shape(program: Program, absent: frozenset[str]) -> Program:
    """The program without its calls of `int_shape`, if that is absent."""
    if "int_shape" not in absent:
        return program
    asked = {s.result for s in program.steps if s.function == "int_shape"} & {*program.outputs}
    return replace(
        program,
        steps=tuple(step for step in program.steps if step.result not in asked),
        outputs=tuple(name for name in program.outputs if name not in asked),
    )


def _as_bound(item: Input, prelude: Prelude) -> Input:
    """The input as a worker binds it. One with arguments of its own is under test, and stays."""
    if item.binding is Binding.PLACEHOLDER and item.arguments is not None:
        return item
    fed = item.binding in _PLACEHOLDERS
    binding = Binding.CONSTANT if fed and prelude.eager_inputs else item.binding
    binding = _offered(binding, prelude)
    arguments = item.arguments if binding in _PLACEHOLDERS else None
    return replace(item, binding=binding, arguments=arguments)


def _offered(binding: Binding, prelude: Prelude) -> Binding:
    """The binding that a worker uses, which may replace a missing binding."""
    if binding in AS_THEY_ARE or str(binding).partition("_")[0] not in prelude.absent:
        return binding
    if prelude.maker == "np.asarray":
        return Binding.ARRAY
    return Binding.VARIABLE if prelude.maker == "variable" else Binding.CONSTANT


_IN_SHORT = {
    "eval": "read",
    "get_value": "read",
    "constant": "constant",
    "placeholder": "placeholder",
}
"""Helpers in programs, and the short words whose function takes the same arguments."""


def _step(step: Step, prelude: Prelude) -> Step:
    """The step, with what stands in for helpers that are absent."""
    function = step.function
    if (words := prelude.short.get(_IN_SHORT.get(function, ""))) is not None:
        function = words.partition("(")[0]
    elif function == "constant" and function in prelude.absent:
        function = prelude.maker
    elif function == "eval" and function in prelude.absent:
        function = prelude.read.removeprefix("K.")
    args = tuple(_argument(a, prelude) for a in step.args)
    kwargs = tuple((name, _argument(a, prelude)) for name, a in step.kwargs)
    return replace(step, function=function, args=args, kwargs=kwargs)


def _argument(part: Argument, prelude: Prelude) -> Any:
    match part:
        case Made(kind=kind) if kind in TENSORS_OF_INTEGERS and kind in prelude.absent:
            return replace(part, kind=prelude.maker)
        case Function():
            steps = tuple(_step(s, prelude) for s in part.steps)
            return replace(part, steps=steps, returns=_argument(part.returns, prelude))
        case list():
            return [_argument(item, prelude) for item in part]
        case tuple():
            return tuple(_argument(item, prelude) for item in part)
    return part
