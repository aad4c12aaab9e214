"""The result of the examination of one function, and its input from earlier runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from conformance.engine.judging.findings import Finding
from conformance.engine.judging.trials import Trial
from conformance.results import Failure, FunctionResult, Spent
from conformance.results.events import SuiteFailed


class RememberedFinding(NamedTuple):
    """A finding on a case of an earlier run, and the failure that a results file holds of it."""

    function: str
    finding: Finding
    trial: Trial
    failure: Failure


class Remembered(NamedTuple):
    """What the cases of earlier runs show."""

    findings: Sequence[RememberedFinding] = ()
    errors: Mapping[str, SuiteFailed] = MappingProxyType({})
    """The functions in whose cases the suite itself had an error."""
    losses: int = 0
    """How many workers were lost."""


@dataclass(frozen=True, slots=True)
class Examined:
    """The result of one function."""

    result: FunctionResult
    spent: Spent
    finished: bool
    """Whether all its cases were run and its failures made smaller."""
    inside: float = 0.0
    """The seconds inside the implementation that its cases took."""
    error: SuiteFailed | None = None
    """The error of the suite that cost the function, if one did."""
