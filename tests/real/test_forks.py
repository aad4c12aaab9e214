"""Results with workers that are forked and with workers that are started are the same."""

from __future__ import annotations

import msgspec
import pytest

import conformance
from conformance.adapters.registry import shipped
from conformance.adapters.target_records import Target
from conformance.cli.targets.subjects import subject
from conformance.engine import PROFILES, Run, plan, run
from conformance.results import Results
from conformance.results.events import Event, TargetFinished
from conformance.results.model import timeless
from conformance.specs import load
from tests.real.conftest import DEMANDED, require

FUNCTIONS = frozenset(
    {
        "variable",
        "floatx",
        "learning_phase",
        "zeros_like",
        "square",
        "pow",
        "dot",
        "softmax",
        "in_top_k",
        "dropout",
        # not random_uniform: of integers it corrupts memory on Theano, and no two ends are alike
        "random_normal",
        "clear_session",
    }
)


@pytest.mark.parametrize("target", sorted(DEMANDED))
def test_results_do_not_tell_forks_from_full_starts(target: str) -> None:
    require(target)
    chosen = shipped()[target]
    assert chosen.fork
    both = [_results(msgspec.structs.replace(chosen, fork=fork)) for fork in (True, False)]
    assert both[0].functions == both[1].functions
    assert both[0] == both[1]


def _results(target: Target) -> Results:
    """The results of these functions at the profile smoke, times aside."""
    profile, events = PROFILES["smoke"], list[Event]()
    tasks = plan(load(), target.edition, profile, 0, select=FUNCTIONS.__contains__)
    common = Run(conformance.__version__, profile, 0, "")
    assert run([subject(target)], {target.edition: tasks}, common, events.append, 1)
    (results,) = (event.results for event in events if isinstance(event, TargetFinished))
    return timeless(results)
