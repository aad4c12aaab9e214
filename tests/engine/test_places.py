"""The lines of an implementation that may be the cause of a wrong answer."""

from __future__ import annotations

import pytest

from conformance.engine import Profile
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.places import (
    MOST_LINES,
    MOST_SECONDS,
    Locator,
    Spectra,
    ranked,
)
from conformance.engine.verdicts.tally import Group
from conformance.observations import (
    Batch,
    Crashed,
    Seconds,
    StructureObservation,
    TracedFunction,
)
from conformance.results import Aspect, Failure, FindingKind, SuspectLine, Verdict
from tests.engine.support import Outcome, examine, module, tasks

FILE = "lib/nn.py"


def ran(name: str, first: int, depth: int, *lines: int, size: int = 10) -> TracedFunction:
    """A function that ran these lines of `FILE`."""
    return TracedFunction(FILE, name, first, depth, dict.fromkeys(lines, size))


def places(spectra: Spectra) -> list[str]:
    return [line.place for line in ranked(spectra)]


def test_a_line_that_only_failing_cases_run_comes_first() -> None:
    failing = [(ran("f", 1, 1, 2, 3, 5),)] * 2
    passing = [(ran("f", 1, 1, 2, 4, 5),)] * 2
    first, *others = ranked(Spectra(failing, passing))
    assert first == SuspectLine(place=f"{FILE}:3, in f", score=1.0)
    assert {line.score for line in others} == {round(2 / (2 * 4) ** 0.5, 4)}


def test_a_function_that_controls_run_comes_last() -> None:
    helper = ran("helper", 20, 3, 21)
    trace = (ran("f", 1, 1, 2), helper)
    assert places(Spectra([trace], [])) == [f"{FILE}:21, in helper", f"{FILE}:2, in f"]
    assert places(Spectra([trace], [], [(helper,)]))[0] == f"{FILE}:2, in f"


def test_a_function_that_every_failing_case_runs_comes_before_an_inner_one() -> None:
    f = ran("f", 1, 1, 2)
    spectra = Spectra([(f, ran("g", 9, 2, 10)), (f,)], [])
    assert places(spectra) == [f"{FILE}:2, in f", f"{FILE}:10, in g"]


def test_of_lines_with_one_score_the_largest_comes_first() -> None:
    trace = (TracedFunction(FILE, "f", 1, 1, {2: 8, 3: 90, 4: 8}),)
    assert places(Spectra([trace], [])) == [f"{FILE}:{line}, in f" for line in (3, 2, 4)]


def test_a_comprehension_belongs_to_the_statement_around_it() -> None:
    inner = TracedFunction(FILE, "<listcomp>", 3, 2, {3: 50})
    outer = TracedFunction(FILE, "f", 1, 1, {2: 40, 3: 10})
    assert places(Spectra([(inner, outer)], [])) == [f"{FILE}:3, in f", f"{FILE}:2, in f"]


def test_few_lines_are_listed() -> None:
    assert len(ranked(Spectra([(ran("f", 1, 1, *range(2, 99)),)], []))) == MOST_LINES


SOURCE = """\
from tests.adapters.fakes.fakes.correct import *
from tests.adapters.fakes.fakes import correct


def shifted(x, axis):
    if axis in (-1, None):
        return correct.softmax(x, axis)
    result = correct.softmax(x, axis)
    return correct.exp(result)


def softmax(x, axis=-1):
    return shifted(x, axis)
"""


BRIEF = Profile(
    "brief",
    structures=8,
    invalid=0,
    values=("ordinary",),
    shrink=2,
    shrink_other=0,
    scenarios=0,
    gradients=0,
    draws=1,
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Outcome]:
    """A run of a backend with a fault in one branch, with places and without."""
    folder = tmp_path_factory.mktemp("branching")
    (folder / "branching.py").write_text(SOURCE, encoding="utf-8")
    subject = module("branching", folder)
    placed, plain = (examine(subject, ["softmax"], BRIEF, locate=on) for on in (True, False))
    return placed, plain


def wrong(outcome: Outcome) -> list[Failure]:
    failures = outcome.failures(Verdict.VIOLATES)
    return [failure for _, aspect, failure in failures if aspect is Aspect.VALUE]


def test_a_run_names_the_branch_with_the_fault(outcomes: tuple[Outcome, Outcome]) -> None:
    (failure, *_) = wrong(outcomes[0])
    assert isinstance(failure.suspect_lines, list)
    first, second, *_ = failure.suspect_lines
    assert {first.place, second.place} == {
        "branching.py:8, in shifted",
        "branching.py:9, in shifted",
    }
    assert first.score == second.score == 1.0


def test_places_change_no_id_and_no_verdict(outcomes: tuple[Outcome, Outcome]) -> None:
    placed, plain = outcomes
    assert plain.verdicts() == placed.verdicts()
    assert [f.id for f in wrong(plain)] == [f.id for f in wrong(placed)]
    assert not any(isinstance(f.suspect_lines, list) for f in wrong(plain))


class Worker:
    """Answers each batch with one observation, and counts them."""

    def __init__(self, observed: StructureObservation) -> None:
        self.observed, self.batches = observed, 0

    def run(self, batch: Batch) -> StructureObservation:
        assert batch.trace
        self.batches += 1
        return self.observed


def groups(kind: FindingKind = FindingKind.VALUE) -> tuple[list[Trial], list[Group]]:
    """Trials of a function, and a failure of each of the first two."""
    (task,) = tasks(["softmax"], BRIEF)
    finding = Finding(Aspect.VALUE, Verdict.VIOLATES, kind, gives="gives 1", demands="2")
    return task.trials(), [Group(finding, trial) for trial in task.trials()[:2]]


def located(worker: Worker, kind: FindingKind = FindingKind.VALUE) -> list[int]:
    """How many lines each failure gets."""
    trials, failures = groups(kind)
    locator = Locator(worker.run, trials, {trial.key: frozenset() for trial in trials})
    return [len(group.lines) for group in locator.located(failures)]


def test_a_lost_worker_costs_only_places() -> None:
    worker = Worker(StructureObservation((), (), (), incidents=(Crashed(11, None, ""),)))
    assert located(worker) == [0, 0]
    assert worker.batches == 1


def test_the_time_of_a_function_is_limited() -> None:
    slow, trace = Seconds(call=MOST_SECONDS + 1), (ran("f", 1, 1, 2),)
    worker = Worker(StructureObservation((), (), (), seconds=slow, trace=trace))
    assert located(worker) == [1, 0]
    assert worker.batches == 1


def test_an_exception_needs_no_trace() -> None:
    worker = Worker(StructureObservation((), (), ()))
    assert located(worker, FindingKind.EXCEPTION) == [0, 0]
    assert worker.batches == 0
