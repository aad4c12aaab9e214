"""Write the origin of a failure's case to the results, and make the case again from it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType

from conformance.adapters.worker.conformance_worker.frames import FrameError, decode_array
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task
from conformance.engine.verdicts.plain_calls import plainer
from conformance.engine.verdicts.tally import Group
from conformance.generators.drawing import remade
from conformance.program import to_json
from conformance.results import Failure, Origin

Array = npt.NDArray[Any]
_MOST_BYTES = 2**26
"""The most bytes of one array: a file from elsewhere may claim any size."""
_DAMAGED = (binascii.Error, zlib.error, ValueError, EOFError, IndexError, FrameError)
"""What reading an origin may raise that is damaged, or that another version wrote."""


def origin(task: Task, group: Group) -> Origin | UnsetType:
    """How the group's case can be made again; unset if it has none."""
    if group.trial is None:
        return UNSET
    filled = group.refilled is not None
    return Origin(
        profile=task.profile.name,
        seed=task.seed,
        trial=_digest(group.planned or group.trial),
        choices=base64.b64encode(group.choices).decode(),
        draw=group.finding.draw if group.refilled is None else group.refilled,
        arrays=_packed(group.trial, group.finding.draw) if filled else {},
    )


def trials(task: Task, failure: Failure) -> list[Trial]:
    """The trials that the failure's origin makes; empty if they are not the failure's case.

    `task` has the origin's profile and seed. There are several trials if one program is run in
    several, each with checks of its own.
    """
    source = failure.origin
    if source is UNSET:
        return []
    planned = [trial for trial in task.with_twins() if _digest(trial) == source.trial]
    try:
        made = [made for trial in planned for made in _made(task, trial, source)]
        return [trial for trial in made if _is_of(trial, failure)]
    except _DAMAGED:
        return []


def _is_of(trial: Trial, failure: Failure) -> bool:
    """Whether the trial has the failure's program, with numbers that fit it (ValueError if not)."""
    return to_json(trial.case(0).program) == failure.program and trial.batch.draws > 0


def _made(task: Task, planned: Trial, source: Origin) -> Iterator[Trial]:
    trial: Trial | None = planned
    if source.choices:
        strategy = task.source(planned)
        choices = base64.b64decode(source.choices)
        trial = None if strategy is None else remade(strategy.strategy, choices)
    if trial is None:
        return
    numbers = {name: unpacked(text) for name, text in source.arrays.items()}
    forms: list[Trial] = [trial, *plainer(trial)]
    for form in forms:
        filled = form.refilled(source.draw, [numbers]) if numbers else form
        if filled is not None:
            yield filled


def _digest(trial: Trial) -> str:
    return hashlib.sha256(trial.key.encode()).hexdigest()[:12]


def _packed(trial: Trial, draw: int) -> dict[str, str]:
    return {name: pack(np.asarray(array)) for name, array in trial.case(draw).arrays.items()}


def pack(array: Array) -> str:
    """An array as compressed `.npy` in base64."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return base64.b64encode(zlib.compress(file.getvalue(), 9)).decode()


def unpacked(text: str) -> Array:
    """The array that `pack` wrote; ValueError and others if it is damaged."""
    content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), _MOST_BYTES)
    array: Array = decode_array(content)
    return array
