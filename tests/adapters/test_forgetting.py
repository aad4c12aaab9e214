"""What a program that fails half-way leaves switched on does not affect the next one."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters.process import Launch
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.worker.conformance_worker.brief import Brief
from conformance.adapters.worker.conformance_worker.loop import FORGET_EVERY, give_back
from conformance.adapters.worker.conformance_worker.settings import Settings
from conformance.observations import Raised, Returned
from conformance.program import Program, Ref, Step
from tests.adapters.support import batch, call, launch, x

ROOT = Path(__file__).parents[2]


def test_variables_are_initialised_again() -> None:
    started = Launch(sys.executable, "conformance.reference", "graph", {"PYTHONPATH": str(ROOT)})
    value = x(2, binding="variable")
    steps = (
        Step("off", "manual_variable_initialization", (True,)),
        Step("y", "no_such_function", (Ref("x"),)),
        Step("on", "manual_variable_initialization", (False,)),
    )
    failing = replace(batch(Program((value,), steps, ("y",)), draws=1), fresh=True)
    after = batch(call("exp", value), draws=1)
    with Session(started, functions=["exp"]) as session:
        (_, first), (_, second) = session.run_batches([failing, after])
    assert isinstance(first.draws[0].outcome, Raised)
    assert isinstance(second.draws[0].outcome, Returned), second.draws[0].outcome
    result = second.draws[0].outcome.values["y"][0].array
    assert result is not None
    assert np.allclose(result, np.exp(after.arrays["x"][0]))


class _Phased:
    """A library whose learning phase is a constant, as CNTK's: to feed it is to change it."""

    def __init__(self, value: object) -> None:
        self.phase = SimpleNamespace(value=np.asarray(value))

    def function(self, name: str) -> Any:
        return (lambda: self.phase) if name == "learning_phase" else None


def test_a_phase_that_was_fed_and_stays_is_noticed() -> None:
    library = _Phased(1.0)
    settings = Settings(library, Brief())
    settings.begin()
    assert not settings.phase_leaked()
    library.phase.value = np.asarray(0.0)
    assert settings.phase_leaked()
    library.phase.value = np.asarray(1.0)
    assert not settings.phase_leaked()


def test_a_phase_that_holds_no_number_is_symbolic() -> None:
    library = _Phased("fed later")
    settings = Settings(library, Brief())
    settings.begin()
    library.phase = SimpleNamespace()
    assert not settings.phase_leaked()


def test_caches_are_emptied_after_every_two_hundredth_batch() -> None:
    """Aborting is the function without parameters whose call cannot be overlooked."""
    forgetful = replace(launch("correct"), forget=("gc.collect", "os.abort"))
    asked = batch(call("softmax", x(2, 3)), draws=1)
    with Session(forgetful, functions=["softmax"]) as session:
        seen = [session.run_batch(asked) for _ in range(FORGET_EVERY)]
        incidents = [number for number, observation in enumerate(seen, 1) if observation.incidents]
        assert incidents == [FORGET_EVERY]


def test_a_function_to_empty_caches_that_is_not_there_is_told_at_the_start() -> None:
    wrong = replace(launch("correct"), forget=("gc.no_such_function",))
    with (
        Session(wrong, functions=["softmax"]) as session,
        pytest.raises(WorkerStartError, match="no_such_function"),
    ):
        session.run_batch(batch(call("softmax", x(2, 3))))


def _resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(
    getattr(ctypes.CDLL(None), "malloc_trim", None) is None, reason="the C library is another one"
)
def test_memory_that_the_c_library_keeps_is_given_back() -> None:
    pieces = [bytes(65_536) for _ in range(2_000)]  # smaller than what it gives back by itself
    sample = pieces[::100]  # in between, so that the heap cannot become shorter
    del pieces
    held = _resident()
    give_back()
    assert held - _resident() > 60e6
    assert len(sample) == 20
