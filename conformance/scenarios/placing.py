"""Arguments of a call whose tensors are named before the program has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from conformance.program import Argument, Ref, Step
from conformance.program import Function as Body


class CallWithNames(Protocol):
    """A call whose arguments name tensors."""

    @property
    def args(self) -> Sequence[Argument]:
        """The arguments by position."""

    @property
    def kwargs(self) -> Mapping[str, Argument]:
        """The arguments by name."""


def arguments(
    call: CallWithNames, tensors: Mapping[Ref, Ref]
) -> tuple[list[Argument], dict[str, Argument]]:
    """The arguments with the program's tensors in place of their names."""
    args = [placed(argument, tensors) for argument in call.args]
    return args, {name: placed(argument, tensors) for name, argument in call.kwargs.items()}


def placed(argument: Argument, tensors: Mapping[Ref, Ref]) -> Argument:
    """The argument with tensors in place of names; a callable also has names of its own."""
    match argument:
        case Ref():
            return tensors.get(argument, argument)
        case list():
            return [placed(item, tensors) for item in argument]
        case tuple():
            return tuple(placed(item, tensors) for item in argument)
        case Body():
            own = argument.parameters
            outer = {ref: tensor for ref, tensor in tensors.items() if ref.name not in own}
            steps = tuple(_step(step, outer) for step in argument.steps)
            return replace(argument, steps=steps, returns=placed(argument.returns, outer))
    return argument


def _step(step: Step, tensors: Mapping[Ref, Ref]) -> Step:
    args = tuple(placed(argument, tensors) for argument in step.args)
    kwargs = tuple((name, placed(argument, tensors)) for name, argument in step.kwargs)
    return replace(step, args=args, kwargs=kwargs)
