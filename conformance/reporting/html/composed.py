"""What the page of a function shows of a failure of composition: its program, and who agrees."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import UNSET

from conformance.reporting.flow import composed_program
from conformance.reporting.names import slug
from conformance.reporting.pictures.flow import flow_picture
from conformance.reporting.pictures.svg import inline
from conformance.reporting.targets import TargetView
from conformance.results import Failure
from conformance.results.composed import program_of


def picture_of(failure: Failure, target: TargetView) -> Markup | None:
    """The program as a part of the page; None of a failure of another sort."""
    program = composed_program(failure)
    if program is None:
        return None
    return inline(flow_picture(program, f"flow-{slug(failure.id)}-{target.key}"))


def agreeing(
    failure: Failure, target: TargetView, targets: Sequence[TargetView]
) -> list[TargetView]:
    """The targets that ran the program from which the failure was made smaller, and do not have
    it."""
    if composed_program(failure) is None:
        return []
    number = program_of(failure)
    return [
        other
        for other in targets
        if _ran(other, target, number) and failure.id not in _identities(other)
    ]


def _ran(other: TargetView, target: TargetView, number: int | None) -> bool:
    """Whether both made their programs in the same way, and the other one came so far."""
    mine, its = target.results, other.results
    if mine.composed is UNSET or its.composed is UNSET or number is None:
        return False
    same = (mine.run.seed, mine.run.selection, mine.run.suite_version, mine.composed.size) == (
        *(its.run.seed, its.run.selection, its.run.suite_version),
        its.composed.size,
    )
    whole = not isinstance(its.run.shard, str)
    return same and whole and other.edition == target.edition and number < its.composed.programs


def _identities(target: TargetView) -> set[str]:
    functions = target.results.functions
    return {x.id for f in functions for a in f.aspects for x in a.failures}
