"""A function that returns a tuple, taken apart: a case looks at one member of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.program import Ref, Step
from conformance.specs import Spec
from conformance.specs.model import Part
from conformance.specs.rules import Scope, evaluate


def members(spec: Spec, scope: Scope) -> list[Part]:
    """The members of the tuple that a call returns: those that its arguments ask for."""
    return [p for p in spec.results if p.when is None or evaluate(p.when, scope)]


def alone(spec: Spec, parts: Sequence[Part]) -> bool:
    """Whether a call returns its only result itself: an argument asks for each of the others."""
    return len(parts) == 1 and any(part.when is not None for part in spec.results)


def taken_apart(call: Step, index: int, *, flat: bool, by: str | None = None) -> tuple[Step, ...]:
    """The call, the member at `index` and, if `flat`, its elements in a row as the result.

    A function takes the member out if it is called `by` that name.
    """
    whole = replace(call, result="results")
    part = member("results", "result", index, by)
    if not flat:
        return whole, part
    row = Step("result", "reshape", (Ref("part"), (-1,)))
    return whole, replace(part, result="part"), row


def member(whole: str, result: str, index: int, by: str | None) -> Step:
    """The step that takes one member out of a tuple: by its place, or with the function `by`."""
    if by is None:
        return Step(result, "operator.getitem", (Ref(whole), index))
    return Step(result, by, (Ref(whole),))
