"""What a worker was doing when it died or hung."""

from __future__ import annotations

import os
import struct
import tempfile
from dataclasses import replace

import pytest

from conformance import reference
from conformance.adapters.session import Session
from conformance.adapters.worker.conformance_worker.adapters import GraphAdapter
from conformance.adapters.worker.conformance_worker.loop import Worker
from conformance.adapters.worker.conformance_worker.running import Manner
from conformance.adapters.worker.conformance_worker.stages import (
    SIZE,
    STAGES,
    announced,
    announcer,
)
from conformance.observations import Crashed, Stage
from conformance.program import Program, Ref, Step, to_json
from tests.adapters.support import batch, call, launch, x

PROGRAM = Program(
    (x(3),), (Step("a", "identity", (Ref("x"),)), Step("b", "exp", (Ref("a"),))), ("b",)
)


@pytest.mark.parametrize(
    ("function", "stage", "step"), [("placeholder", "bind", None), ("exp", "step", 1)]
)
def test_a_crash_says_during_what(function: str, stage: Stage, step: int | None) -> None:
    """The stage of the current batch, also if others were sent ahead."""
    todo = [batch(call("softmax", x(2, 3, binding="variable")), seed=i) for i in range(2)]
    with Session(launch("ends_in", FAKE_IN=function)) as session:
        (*_, (_, observation)) = session.run_batches([*todo, batch(PROGRAM, 1)])
    crash = observation.draws[0].outcome
    assert isinstance(crash, Crashed)
    assert (crash.exit_code, crash.stage, crash.step) == (5, stage, step)


def test_all_that_an_implementation_is_asked_is_announced() -> None:
    order: list[tuple[str | None, int | None]] = []

    def announce(stage: str | None, step: int | None) -> None:
        if [(stage, step)] != order[-1:]:
            order.append((stage, step))

    asked = replace(batch(PROGRAM, 1), fresh=True)
    request = {"command": "run", "id": 1, "program": to_json(PROGRAM), "draws": 1, "fresh": True}
    request["arrays"] = {"x": 0}
    header, _ = Worker(reference, GraphAdapter(reference), Manner(False, False), announce).answer(
        request, [asked.arrays["x"]]
    )
    assert header["ok"]
    asked_of_a_tensor = [("claim", None), ("read", None)] * 2
    stages: list[tuple[str | None, int | None]] = [
        ("session", None),
        ("bind", None),
        *asked_of_a_tensor,
        ("step", 0),
        ("step", 1),
        *asked_of_a_tensor,
        ("compile", None),
        ("call", None),
        ("read", None),
        ("session", None),
        (None, None),
    ]
    assert order == stages


@pytest.mark.parametrize("stage", STAGES)
def test_what_is_announced_is_read(stage: str | None) -> None:
    with tempfile.TemporaryFile(buffering=0) as shared:
        shared.write(bytes(SIZE))
        announce = announcer(os.dup(shared.fileno()))
        assert announced(os.pread(shared.fileno(), SIZE, 0)) == (None, None)
        announce("step", 7)
        assert announced(os.pread(shared.fileno(), SIZE, 0)) == ("step", 7)
        announce(stage, None)
        assert announced(os.pread(shared.fileno(), SIZE, 0)) == (stage, None)


@pytest.mark.parametrize(
    "data", [b"", b"123", bytes(12), struct.pack("<ii", 99, 0), struct.pack("<ii", -1, 5)]
)
def test_what_nobody_announced_is_nothing(data: bytes) -> None:
    assert announced(data) == (None, None)
