"""Answers that are frames, have the right form, and are wrong: the host refuses or judges them.

Whatever a worker sends, the host comes to a verdict in bounded time and memory. `corpus/answers`
keeps what was found, and what nobody should find again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.adapters.answered_values import DTYPES, AnswerError
from conformance.adapters.answers import CHANGES as LEAKS
from conformance.adapters.answers import identity, observation
from conformance.adapters.time_limits import within
from conformance.adapters.worker.conformance_worker.frames import (
    FrameError,
    decode_frames,
    encode_frame,
)
from conformance.adapters.worker.conformance_worker.limits import (
    MOST_BASES,
    MOST_ITEMS,
    MOST_MESSAGE,
    MOST_NAME,
)
from conformance.observations import Array, Batch, Raised, Returned, StructureObservation
from tests.engine.support import OFFERED
from tests.hostile.test_answers import ANSWER, ANSWERED, ASKED, WHO, trials
from tests.hostile.test_loaders import frugal
from tests.hostile.wrong_answers import expanded, wrong_answers

CORPUS = Path(__file__).with_name("corpus") / "answers"
SECONDS = 20.0
"""Many times what an answer takes on a slow machine."""
QUIET = settings(
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ]
)


def received(header: Any, arrays: list[Array], batch: Batch) -> StructureObservation | None:
    """What the host makes of an answer that a worker sends; None if it refuses it in words.

    How long the worker takes to write it is its own business.
    """
    try:
        sent = encode_frame(header, arrays)
        with within(SECONDS), frugal(SECONDS):
            ((header, arrays),) = decode_frames(sent)
            return observation(header, arrays, batch)
    except (AnswerError, FrameError) as error:
        assert 0 < len(str(error)) <= MOST_MESSAGE
        return None


def check(answer: StructureObservation, batch: Batch) -> None:
    """What was accepted is what was asked for, each thing once, and no text is long."""
    assert len(answer.draws) == batch.draws
    assert [i.name for i in answer.inputs] in ([], [i.name for i in batch.program.inputs])
    assert [o.name for o in answer.outputs] in ([], list(batch.program.outputs))
    assert LEAKS.issuperset(answer.leaked)
    for draw in answer.draws:
        assert set(draw.changed) <= {i.name for i in batch.program.inputs}
        if isinstance(draw.outcome, Returned):
            _check_values(draw.outcome, answer, batch)
        if isinstance(draw.outcome, Raised):
            assert len(draw.outcome.message) <= MOST_MESSAGE
            assert len(draw.outcome.bases) <= MOST_BASES
            assert all(len(n) <= MOST_NAME for n in (draw.outcome.type, *draw.outcome.bases))


def _check_values(outcome: Returned, answer: StructureObservation, batch: Batch) -> None:
    assert list(outcome.values) == list(batch.program.outputs)
    assert sum(map(len, outcome.values.values())) <= MOST_ITEMS
    for output in answer.outputs:
        assert outcome.values[output.name] or output.container != "tensor"
    for value in (v for values in outcome.values.values() for v in values):
        assert max(len(value.dtype), len(value.python_type)) <= MOST_NAME
        assert max(len(value.problem or ""), len(value.text or "")) <= MOST_MESSAGE
        if value.array is None:
            assert value.problem is not None
        elif value.dtype in DTYPES:
            assert value.dtype == value.array.dtype.name
        else:
            assert value.array.dtype == np.float32


@pytest.fixture
def _cached_trials() -> None:
    trials(tuple(OFFERED))  # outside of a test of Hypothesis, which they are made with


@QUIET
@given(data=st.data())
@pytest.mark.usefixtures("_cached_trials")
def test_a_wrong_answer_gets_a_verdict(data: st.DataObject) -> None:
    every = trials(tuple(OFFERED))
    trial, header, arrays = every[data.draw(st.integers(0, len(every) - 1))]
    header, arrays = data.draw(wrong_answers(header, arrays))
    answer = received(header, arrays, trial.batch)
    with within(SECONDS), frugal(SECONDS):
        if answer is not None:
            check(answer, trial.batch)
            trial.judge(answer)


@QUIET
@given(answer=wrong_answers(ANSWER, ANSWERED))
def test_a_wrong_answer_to_one_call_is_refused_or_what_was_asked(answer: Any) -> None:
    header, arrays = answer
    accepted = received(header, arrays, ASKED)
    if accepted is not None:
        check(accepted, ASKED)


@QUIET
@given(
    names=st.lists(st.sampled_from(["exp", "cos", "", "sin", "exp\0"]), max_size=3),
    parameters=st.lists(
        st.tuples(
            st.sampled_from(["x", "y" * 5000]),
            st.sampled_from(["POSITIONAL_OR_KEYWORD", "VAR_KEYWORD", "another"]),
            st.sampled_from([None, "d" * 1000]),
            st.booleans(),
        ),
        max_size=2,
    ),
    count=st.sampled_from([1, 100, 3000]),
    version=st.sampled_from(["1", "v" * 100_000, "\ud800"]),
)
def test_an_identity_has_the_functions_that_were_asked_for(
    names: list[str], parameters: list[Any], count: int, version: str
) -> None:
    functions = {
        name: {"present": True, "signature": parameters * count, "reason": version}
        for name in names
    }
    header = {**WHO, "functions": functions, "versions": {version: version}, "backend": version}
    try:
        sent = encode_frame(header)
        with within(SECONDS), frugal(SECONDS):
            ((head, _),) = decode_frames(sent)
            offered = identity(head, ["exp", "cos"])
    except (AnswerError, FrameError):
        return
    assert set(names) == {"exp", "cos"} == set(offered.functions)
    assert max(map(len, (*offered.versions, *offered.versions.values()))) <= MOST_NAME
    for function in offered.functions.values():
        assert len(function.reason or "") <= MOST_MESSAGE
        for parameter in function.signature or ():
            assert max(len(parameter.name), len(parameter.default or "")) <= MOST_NAME


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.json")), ids=lambda file: file.stem)
def test_the_corpus(file: Path) -> None:
    """Each file changes keys of a right answer to `softmax`, and says in which words it is refused;
    null where it is judged."""
    record = json.loads(file.read_text("utf-8"))
    header = {**ANSWER, **expanded(record["header"])}
    arrays = (
        [
            np.full(array["shape"], array["value"], array["dtype"])
            for array in expanded(record["arrays"])
        ]
        if "arrays" in record
        else ANSWERED
    )
    try:
        sent = encode_frame(header, arrays)
        with within(SECONDS), frugal(SECONDS):
            ((head, payloads),) = decode_frames(sent)
            check(observation(head, payloads, ASKED), ASKED)
    except (AnswerError, FrameError) as error:
        assert record["refused"] is not None, error
        assert record["refused"] in str(error)
    else:
        assert record["refused"] is None
