"""A worker that computes without end is ended at the limit of CPU time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.adapters.process import Launch
from conformance.adapters.session import Session
from conformance.observations import Returned, TimedOut
from tests.adapters.support import batch, call, launch, negative_at, x


def limited(name: str, *, fork: bool) -> Launch:
    return replace(launch(name), cpu_limit=1, fork=fork)


@pytest.mark.parametrize("fork", [False, True])
def test_the_draw_that_computes_without_end_is_a_time_out(fork: bool) -> None:
    with Session(limited("spins", fork=fork)) as session:
        seen = session.run_batch(negative_at(1, draws=2))
        assert session.run_batch(batch(call("exp", x(3)))).incidents == ()
    first, second = (draw.outcome for draw in seen.draws)
    assert isinstance(first, Returned)
    assert isinstance(second, TimedOut)
    assert (second.limit, second.stage) == (2, "call")
    assert [type(fault) for fault in seen.incidents] == [TimedOut, TimedOut]


def test_each_batch_has_the_whole_limit() -> None:
    program = batch(call("square", x(3)), draws=1)
    with Session(limited("spins", fork=False)) as session:
        assert all(session.run_batch(program).incidents == () for _ in range(4))
