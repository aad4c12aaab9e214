"""Environments that fall short of what the implementation asks for.

An exception that comes from there is none of the implementation's: it becomes a refusal with the
reason that the target's record gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.observations import Outcome, Raised, StructureObservation

SHORT = "EnvironmentFallsShort"
"""The class under which such an exception is judged, together with the classes it has."""


def with_shortfalls(
    observed: StructureObservation, shortfalls: Mapping[str, str]
) -> StructureObservation:
    """The observation with a refusal in place of each exception that shows one of `shortfalls`.

    These are reasons by a text that the message of such an exception has.
    """
    if not shortfalls:
        return observed
    draws = (replace(d, outcome=_refused(d.outcome, shortfalls)) for d in observed.draws)
    return replace(observed, draws=tuple(draws))


def _refused(outcome: Outcome, shortfalls: Mapping[str, str]) -> Outcome:
    if not isinstance(outcome, Raised):
        return outcome
    for text, because in shortfalls.items():
        if text in outcome.message:
            bases = (SHORT, "NotImplementedError", *outcome.bases)
            message = f"{because} ({outcome.type}: {outcome.message})"
            return replace(outcome, type=SHORT, bases=bases, message=message)
    return outcome
