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
    member = Step("result", "operator.getitem", (Ref("results"), index))
    if by is not None:
        member = Step("result", by, (Ref("results"),))
    if not flat:
        return whole, member
    row = Step("result", "reshape", (Ref("part"), (-1,)))
    return whole, replace(member, result="part"), row
