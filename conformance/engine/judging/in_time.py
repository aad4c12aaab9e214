"""Judge an answer within a time limit: one that takes longer is garbage."""

from __future__ import annotations

from dataclasses import replace

from conformance.adapters.time_limits import ANSWER_SECONDS, OvertimeError, within
from conformance.engine.judging.findings import Judgement
from conformance.engine.judging.trials import Trial
from conformance.observations import DrawObservation, Garbled, StructureObservation


def judged_in_time(
    trial: Trial, observed: StructureObservation, seconds: float = ANSWER_SECONDS
) -> Judgement:
    """What the trial finds in the answer; that it is garbage, if that takes longer."""
    try:
        with within(seconds):
            return trial.judge(observed)
    except OvertimeError:
        return trial.judge(_garbled(observed, f"an answer takes more than {seconds:g} s to judge"))


def _garbled(observed: StructureObservation, reason: str) -> StructureObservation:
    draws = (DrawObservation(Garbled(reason)),) * len(observed.draws)
    return replace(observed, inputs=(), outputs=(), draws=draws)
