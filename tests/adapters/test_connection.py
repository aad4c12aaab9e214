"""Implementations that crash, hang, flood or meddle: the blame, and the batches after."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import numpy as np
import pytest

from conformance.adapters.connection import Connection, WorkerFault
from conformance.adapters.patience import CallLimits, Patience
from conformance.adapters.process import OutputTail, WorkerProcess
from conformance.adapters.session import Session
from conformance.observations import (
    Batch,
    Crashed,
    Garbled,
    NotRun,
    Returned,
    TimedOut,
)
from tests.adapters.support import (
    alive,
    arrays,
    batch,
    call,
    check_others,
    error,
    launch,
    negative_at,
    run,
    x,
)

QUICK = CallLimits(structure=1.0, draw=0.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("blamed", [0, 2, 3])
def test_abort_is_blamed_on_one_draw(blamed: int) -> None:
    asked = negative_at(blamed)
    with Session(launch("crashes")) as session:
        observation = run(session, asked)
    check_others(observation, asked, blamed)
    crash = observation.draws[blamed].outcome
    assert isinstance(crash, Crashed)
    assert (crash.signal, crash.exit_code, crash.stage) == (signal.SIGABRT, None, "call")
    assert "about to end" in crash.tail
    assert {type(incident) for incident in observation.incidents} == {Crashed}


def test_exit_code_is_kept() -> None:
    with Session(launch("crashes", FAKE_END="exit")) as session:
        crash = run(session, negative_at(1)).draws[1].outcome
    assert isinstance(crash, Crashed)
    assert (crash.signal, crash.exit_code) == (None, 7)


def test_several_draws_to_blame() -> None:
    asked = negative_at(0, draws=6)
    asked.arrays["x"][4] *= -1
    with Session(launch("crashes", FAKE_END="exit")) as session:
        outcomes = [type(d.outcome) for d in run(session, asked).draws]
    assert outcomes == [Crashed, Returned, Returned, Returned, Crashed, Returned]


def test_failures_of_a_batch_are_bounded() -> None:
    asked = negative_at(0, draws=16)
    asked.arrays["x"][1:] *= -1
    with Session(launch("crashes", FAKE_END="exit"), limits=CallLimits(failures=6)) as session:
        observation = run(session, asked)
        assert session.starts <= 8
    outcomes = [type(d.outcome) for d in observation.draws]
    assert outcomes[0] is Crashed
    assert outcomes[-1] is NotRun
    assert set(outcomes) == {Crashed, NotRun}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fake", ["hangs", "ignores_sigterm"])
def test_hang_is_blamed_and_ended(fake: str) -> None:
    asked = negative_at(1, draws=2)
    with Session(launch(fake), limits=QUICK) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, TimedOut)
    assert outcome.limit == pytest.approx(1.0)
    assert outcome.stage == "call"


def test_hang_of_a_single_draw_is_retried_once() -> None:
    with Session(launch("hangs"), limits=QUICK) as session:
        observation = session.run_batch(negative_at(0, draws=1))
        assert session.starts == 2
    assert isinstance(observation.draws[0].outcome, TimedOut)
    assert len(observation.incidents) == 2


def test_flood_does_no_harm() -> None:
    asked = negative_at(1)
    with Session(launch("floods_output")) as session:
        observation = run(session, asked)
        assert session.starts == 1
    check_others(observation, asked, blamed=-1)
    assert observation.incidents == ()


def test_low_descriptors_may_be_closed() -> None:
    asked = negative_at(1)
    with Session(launch("closes_descriptors")) as session:
        check_others(run(session, asked), asked, blamed=-1)
        assert session.starts == 1


def test_closing_the_private_descriptors_is_blamed() -> None:
    asked = negative_at(1)
    with Session(launch("closes_descriptors", FAKE_CLOSE="all")) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    crash = observation.draws[1].outcome
    assert isinstance(crash, Crashed)
    assert "closed or replaced a private descriptor" in crash.tail
    assert crash.stage is None  # it was found out between requests


def test_garbage_is_blamed() -> None:
    asked = negative_at(2)
    with Session(launch("writes_garbage")) as session:
        observation = run(session, asked)
    check_others(observation, asked, 2)
    outcome = observation.draws[2].outcome
    assert isinstance(outcome, Garbled)
    assert "begins with" in outcome.reason


def test_a_forked_child_does_not_answer() -> None:
    asked = negative_at(1)
    with Session(launch("forks")) as session:
        check_others(run(session, asked), asked, blamed=-1)
        assert session.starts == 1


def test_a_child_that_holds_the_pipes_does_not_hide_the_crash() -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("forks", FAKE_CHILD="stays")) as session:
        observation = run(session, asked)
    crash = observation.draws[1].outcome
    assert isinstance(crash, Crashed)
    assert crash.exit_code == 9


def test_closing_ends_the_whole_group() -> None:
    script = (
        "import os, sys, time, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.fork()\n"
        "print(os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    connection = Connection(WorkerProcess([sys.executable, "-c", script], {}))
    with pytest.raises(WorkerFault):
        connection.receive(1.0)
    pids = [int(line) for line in str(connection.output).split()]
    assert len(pids) == 2
    assert connection.close() == -signal.SIGKILL
    assert not any(alive(pid) for pid in pids)


@pytest.mark.parametrize(("patient", "times"), [(True, 2), (False, 1)])
def test_what_hangs_is_run_again_by_the_patient_alone(patient: bool, times: int) -> None:
    with Session(launch("hangs"), limits=QUICK) as session:
        observation = session.run_batch(negative_at(0), Patience(again=patient))
        assert session.losses == len(observation.incidents) == times
        assert isinstance(observation.draws[0].outcome, TimedOut)
        assert len(observation.draws) == negative_at(0).draws
        (after,) = [d.outcome for d in session.run_batch(batch(call("softmax", x(2, 3)), 1)).draws]
    assert isinstance(after, Returned)


def test_only_the_first_draw_of_what_is_slow_is_run() -> None:
    asked = batch(call("exp", x(2)), draws=4)
    with Session(launch("takes_time"), limits=CallLimits(structure=2.0, draw=0.0)) as session:
        observation = session.run_batch(asked)
        assert session.losses == len(observation.incidents) == 1
    first, *others = (draw.outcome for draw in observation.draws)
    assert isinstance(first, Returned)
    assert all(isinstance(outcome, NotRun) for outcome in others)


def test_large_payloads_both_ways_do_not_deadlock() -> None:
    shape = (8, 50_000)
    todo = [
        Batch(call("identity", x(50_000)), {"x": np.full(shape, float(i), "float32")}, 8)
        for i in range(8)
    ]
    with Session(launch("correct"), depth=6) as session:
        for i, (_, observation) in enumerate(session.run_batches(todo)):
            assert all((a == i).all() for a in arrays(observation))


def test_what_was_sent_to_a_worker_that_is_gone_is_run_if_it_still_is_to_be() -> None:
    deadly, *others = negative_at(0), *(batch(call("softmax", x(2, 3)), seed=i) for i in range(5))
    with Session(launch("crashes"), depth=3) as session:
        running = session.run_batches([deadly, *others], lambda tag: tag is not others[1])
        seen = [tag for tag, _ in running]
    assert [others.index(tag) for tag in seen[1:]] == [0, 2, 3, 4]


def test_leaving_a_run_early_does_not_mix_up_answers() -> None:
    todo = [batch(call("exp", x(2)), seed=i) for i in range(6)]
    with Session(launch("correct")) as session:
        running = session.run_batches(todo)
        next(running)
        running.close()  # type: ignore[attr-defined]
        observation = session.run_batch(todo[5])
    np.testing.assert_array_equal(np.stack(arrays(observation)), np.exp(todo[5].arrays["x"]))


def test_exceptions_that_end_a_program_do_not_end_the_worker() -> None:
    with Session(launch("raises_anything")) as session:
        for kind in (
            "SystemExit",
            "KeyboardInterrupt",
            "GeneratorExit",
            "MemoryError",
            "UnprintableError",
        ):
            observation = session.run_batch(batch(call("exp", x(2), args=[kind])))
            assert error(observation).type == kind
            assert len(error(observation).message) <= 2000
        assert session.starts == 1


def test_refused_requests_do_not_end_the_worker() -> None:
    start = launch("correct")
    connection = Connection(WorkerProcess(start.command(), start.environment))
    bad: list[dict[str, Any]] = [
        {"command": "dance", "id": 1},
        {"command": "run", "id": 2},
        {"command": "run", "id": 3, "program": {"inputs": [], "steps": [], "outputs": ["y"]}},
        {"command": "run", "id": 4, "program": 5, "draws": 1, "arrays": {}},
    ]
    try:
        for request in bad:
            connection.submit(request)
            header, _ = connection.receive(30)
            assert (header["id"], header["ok"]) == (request["id"], False)
            assert header["error"]
        connection.submit({"command": "start", "id": 9, "functions": []})
        assert connection.receive(30)[0]["ok"] is True
    finally:
        connection.close()


def test_output_tail_keeps_the_end() -> None:
    tail = OutputTail(10)
    for i in range(100):
        tail.feed(b"%03d" % i)
    assert str(tail) == "6097098099"
    assert tail.count == 300


def test_stdin_is_empty_and_descriptors_are_not_inherited() -> None:
    script = "import subprocess, sys\nprint(repr(sys.stdin.read()), flush=True)\n"
    command = [sys.executable, "-c", script, "--"]
    connection = Connection(WorkerProcess(command, dict(os.environ)))
    with pytest.raises(WorkerFault) as caught:
        connection.receive(30)
    assert caught.value.fault == Crashed(None, 0, "''\n")
