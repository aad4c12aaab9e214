"""Both ends of the protocol: requests and answers that are nearly right, and frames that are not.

A worker refuses; the host has an `AnswerError` or a `FrameError`; and whatever passes as an answer
can be judged.
"""

from __future__ import annotations

import copy
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.adapters.answered_values import AnswerError
from conformance.adapters.answers import identity, observation
from conformance.adapters.worker.conformance_worker.adapters import GraphAdapter
from conformance.adapters.worker.conformance_worker.frames import (
    FrameError,
    decode_frames,
    encode_frame,
)
from conformance.adapters.worker.conformance_worker.loop import Worker
from conformance.adapters.worker.conformance_worker.running import Manner
from conformance.engine.judging.trials import Trial
from conformance.observations import Array, Batch
from conformance.program import to_json
from tests.adapters.fakes.fakes import correct
from tests.adapters.fakes.fakes.forges_frames import FRAMES
from tests.adapters.support import batch, call, x
from tests.engine.support import TINY, tasks
from tests.hostile.mutations import mutated, values

FUNCTIONS = ("exp", "softmax", "reshape", "int_shape")
QUIET = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def worker(module: ModuleType = correct) -> Worker:
    return Worker(module, GraphAdapter(module), Manner(eager=False, draws_together=False))


def request(asked: Batch) -> tuple[dict[str, Any], list[Array]]:
    arrays = {name: i for i, name in enumerate(asked.arrays)}
    header = {"program": to_json(asked.program), "draws": asked.draws, "arrays": arrays}
    return {"command": "run", "id": 1, **header}, list(asked.arrays.values())


ASKED = batch(call("softmax", x(2, 3)), draws=3)
REQUEST, PAYLOADS = request(ASKED)
ANSWER, ANSWERED = worker().answer(REQUEST, PAYLOADS)
WHO, _ = worker().answer({"command": "start", "id": 1, "functions": ["exp", "cos"]}, [])


def test_the_answers_are_valid() -> None:
    assert len(observation(ANSWER, ANSWERED, ASKED).draws) == 3
    assert identity(WHO, ["exp", "cos"]).functions["exp"].present


@QUIET
@given(mutated(REQUEST, {"command": "start", "id": 2, "functions": ["exp"]}), st.booleans())
def test_a_worker_answers_or_refuses(asked: Any, bare: bool) -> None:
    if isinstance(asked, dict) and isinstance(draws := asked.get("draws"), int) and draws > 9:
        asked["draws"] = 9
    if not isinstance(asked, dict):
        return  # no frame
    header, arrays = worker().answer(copy.deepcopy(asked), [] if bare else PAYLOADS)
    assert header["ok"] in (True, False)
    try:
        encode_frame(header, arrays)
    except FrameError:
        assert header["ok"]  # too much for a frame, which the worker says instead


@given(mutated(ANSWER), st.sampled_from([ANSWERED, [], [np.zeros(())], [np.zeros((3, 1, 0))]]))
def test_a_host_takes_an_answer_or_refuses(header: Any, arrays: list[Array]) -> None:
    try:
        observed = observation(header, arrays, ASKED) if isinstance(header, dict) else None
    except AnswerError as error:
        assert str(error)
    else:
        assert observed is None or len(observed.draws) == ASKED.draws


@given(mutated(WHO))
def test_a_host_takes_an_identity_or_refuses(header: Any) -> None:
    try:
        if isinstance(header, dict):
            assert identity(header, ["exp"]).functions["exp"]
    except AnswerError as error:
        assert str(error)


@cache
def trials(
    functions: tuple[str, ...] = FUNCTIONS,
) -> list[tuple[Trial, dict[str, Any], list[Array]]]:
    """Trials, each with the answer that the fake gives."""
    answers = []
    answering = worker()
    for task in tasks(functions, TINY):
        for trial in list(task.trials())[::4]:
            header, arrays = answering.answer(*request(trial.batch))
            if header["ok"]:
                answers.append((trial, header, arrays))
    return answers


@pytest.fixture
def answered() -> list[tuple[Trial, dict[str, Any], list[Array]]]:
    return trials()  # made outside of a test of Hypothesis, which they are made with


@QUIET
@given(data=st.data())
def test_what_passes_as_an_answer_can_be_judged(
    data: st.DataObject, answered: list[tuple[Trial, dict[str, Any], list[Array]]]
) -> None:
    trial, header, arrays = data.draw(st.sampled_from(answered))
    header = data.draw(mutated(header))
    if data.draw(st.booleans()):
        arrays = [data.draw(st.sampled_from(STRANGE)).copy() for _ in arrays]
    try:
        observed = observation(header, arrays, trial.batch) if isinstance(header, dict) else None
    except AnswerError:
        return
    if observed is not None:
        trial.judge(observed)


STRANGE = [
    np.zeros((1,)),
    np.zeros((3, 0)),
    np.full((1, 2, 3), np.nan),
    np.full((1, 3), 1 + 2j),
    np.ones((2, 2), bool),
    np.zeros((1, *(1,) * 30), "int8"),
    np.full((1, 4), 2**63, "uint64"),
]


@pytest.mark.parametrize("frame", FRAMES)
def test_forged_frames_are_frame_errors_or_no_answers(frame: str) -> None:
    try:
        ((header, arrays),) = decode_frames(FRAMES[frame])
    except FrameError as error:
        by_its_lengths = frame.startswith(("long", "many"))
        assert ("more than" in str(error)) is by_its_lengths
    else:
        with pytest.raises(AnswerError):
            observation(header, arrays, ASKED)


@given(values, st.lists(st.binary(max_size=64), max_size=2))
def test_any_header_is_refused_or_comes_back(header: Any, junk: list[bytes]) -> None:
    try:
        frame = encode_frame(header)
    except FrameError:
        return
    try:
        assert decode_frames(frame)[0][0] == header
        decode_frames(frame + b"".join(junk))
    except FrameError as error:
        assert not isinstance(header, dict) or junk, str(error)
