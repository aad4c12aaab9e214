"""What the examination of one function gives, and what it is given of earlier runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from conformance.engine.judging.findings import Finding
from conformance.engine.judging.trials import Trial
from conformance.results import Failure, FunctionResult, Spent


class RememberedFinding(NamedTuple):
    """A finding on a case of an earlier run, and the failure that a results file holds of it."""

    function: str
    finding: Finding
    trial: Trial
    failure: Failure


@dataclass(frozen=True, slots=True)
class Examined:
    """The result of one function."""

    result: FunctionResult
    spent: Spent
    finished: bool
    """Whether all its cases were run and its failures made smaller."""
    inside: float = 0.0
    """The seconds inside the implementation that its cases took."""
