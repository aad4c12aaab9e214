"""A function that returns a tuple, taken apart: a case looks at one member of it."""

from __future__ import annotations

from dataclasses import replace

from conformance.program import Ref, Step


def taken_apart(call: Step, index: int, *, flat: bool) -> tuple[Step, ...]:
    """The call, the member at `index` and, if `flat`, its elements in a row as the result."""
    whole = replace(call, result="results")
    member = Step("result", "operator.getitem", (Ref("results"), index))
    if not flat:
        return whole, member
    row = Step("result", "reshape", (Ref("part"), (-1,)))
    return whole, replace(member, result="part"), row
