"""An error of the suite itself, planted in each stage, costs the function that it occurs in."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

from conformance.adapters import session as session_module
from conformance.adapters.answers import observation
from conformance.adapters.session import Session
from conformance.engine import PROFILES, Elsewhere, Previous, Run, Subject, perform, run
from conformance.engine.judging import calls, cases, signatures
from conformance.engine.planning import plan as planning
from conformance.engine.running import repetition
from conformance.engine.running import subject as subjects
from conformance.engine.running.consistency import Consistency
from conformance.engine.running.examination import Examination
from conformance.engine.running.probing import Probing
from conformance.engine.running.twins import Twins
from conformance.engine.verdicts import failures
from conformance.engine.verdicts.minimise import Minimiser
from conformance.observations import NotRun
from conformance.results import Failure, FunctionResult, Results, Verdict
from conformance.results.events import Event, SuiteFailed, TargetFinished
from tests.engine.support import EDITION, TINY, fake, module, tasks

FUNCTIONS = ("reshape", "exp", "identity")
COMMON = Run("1.0", TINY, 0, "2000-01-01T00:00:00+00:00")
SAYS = "a planted fault"
T = TypeVar("T")


class PlantedError(Exception):
    """No exception that any code of the suite expects."""


@dataclass(slots=True)
class Ran:
    """The events of a run."""

    events: list[Event] = field(default_factory=list)

    @property
    def results(self) -> Results:
        """Those of the only target."""
        (content,) = (e.results for e in self.events if isinstance(e, TargetFinished))
        return content

    @property
    def functions(self) -> dict[str, FunctionResult]:
        """The results by function."""
        return {f.function: f for f in self.results.functions}

    @property
    def failed(self) -> list[SuiteFailed]:
        """The errors of the suite."""
        return [e for e in self.events if isinstance(e, SuiteFailed)]


def ran(
    tested: Subject, common: Run = COMMON, functions: Sequence[str] = FUNCTIONS, **options: Any
) -> Ran:
    record = Ran()
    planned = {EDITION: tasks(functions, common.profile)}
    run([tested], planned, common, record.events.append, options.pop("jobs", 1), **options)
    return record


@cache
def undisturbed() -> Ran:
    """The same run without an error."""
    return ran(fake("always_wrong"))


def raising(real: Callable[..., Any], is_of_exp: Callable[..., bool]) -> Callable[..., Any]:
    """The function, which raises where its arguments are of `exp`."""

    def planted(*arguments: Any, **options: Any) -> Any:
        if is_of_exp(*arguments, **options):
            raise PlantedError(SAYS)
        return real(*arguments, **options)

    return planted


def of_program(program: Any) -> bool:
    return "exp" in program.functions()


@dataclass(frozen=True, slots=True)
class Plant:
    """Where an error is planted, and the stage that the run names."""

    owner: Any
    name: str
    is_of_exp: Callable[..., bool]
    stage: str

    def set(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Plant it."""
        real = getattr(self.owner, self.name)
        monkeypatch.setattr(self.owner, self.name, raising(real, self.is_of_exp))

    def __str__(self) -> str:
        return self.name


def named(name: str, *_: Any, **__: Any) -> bool:
    return name == "exp"


def first_spec(spec: Any, *_: Any, **__: Any) -> bool:
    return bool(spec.name == "exp")


def second_task(_: Any, task: Any, *__: Any, **___: Any) -> bool:
    return bool(task.spec.name == "exp")


def first_tally(tally: Any, *_: Any, **__: Any) -> bool:
    return bool(tally.spec.name == "exp")


PLANTS = (
    Plant(
        signatures,
        "signature",
        lambda _, documented, __: documented.name == "exp",
        "judging its presence and signature",
    ),
    Plant(planning, "kept_rows", first_spec, "planning its cases"),
    Plant(
        cases, "arrays_of_draws", lambda trial, _: of_program(trial.program), "planning its cases"
    ),
    Plant(session_module, "to_json", of_program, "running a case"),
    Plant(
        session_module,
        "observation",
        lambda _, __, batch: of_program(batch.program),
        "running a case",
    ),
    Plant(cases, "expect", named, "judging an answer"),
    Plant(
        calls, "judge", lambda trial, *_: of_program(trial.structure.program), "judging an answer"
    ),
    Plant(Consistency, "judged", second_task, "judging an answer"),
    Plant(Twins, "try_again", second_task, "trying again what was refused"),
    Plant(Twins, "left", second_task, "judging an answer"),
    Plant(
        Minimiser,
        "_shows",
        lambda _, trial, __: of_program(trial.batch.program),
        "making its failures smaller",
    ),
    Plant(failures, "_script", first_tally, "recording its result"),
    Plant(failures, "identifier", first_tally, "recording its result"),
)


@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_an_error_costs_one_function(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = undisturbed()
    plant.set(monkeypatch)
    check_that_exp_is_lost(ran(fake("always_wrong")), whole, plant.stage)


def test_resuming_tries_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = undisturbed()
    with monkeypatch.context() as planting:
        ORACLE.set(planting)
        first = ran(fake("always_wrong"))
    resumed = ran(fake("always_wrong"), previous={"always_wrong": Previous(first.results)})
    assert resumed.functions == whole.functions
    assert not resumed.failed


def check_that_exp_is_lost(record: Ran, whole: Ran, stage: str, times: int = 1) -> None:
    lost = record.functions["exp"]
    assert {a.verdict for a in lost.aspects} == {Verdict.ERROR}
    assert [a.aspect for a in lost.aspects] == [a.aspect for a in whole.functions["exp"].aspects]
    assert {a.note for a in lost.aspects} == {
        f"the suite failed while {stage}: PlantedError: {SAYS}"
    }
    others = {name: f for name, f in whole.functions.items() if name != "exp"}
    assert {name: f for name, f in record.functions.items() if name != "exp"} == others
    assert not record.results.run.complete
    assert record.results.run.unfinished == ["exp"]
    assert len(record.failed) == times
    for error in record.failed:
        assert (error.target, error.function, error.stage) == ("always_wrong", "exp", stage)
        assert error.error == f"PlantedError: {SAYS}"
        assert error.traceback.startswith("Traceback")
        assert "in planted" in error.traceback


def test_a_value_that_no_file_holds_costs_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    real = failures._note

    def planted(tally: Any, *arguments: Any) -> Any:
        return object() if first_tally(tally) else real(tally, *arguments)

    monkeypatch.setattr(failures, "_note", planted)
    record = ran(fake("always_wrong"))
    (failed,) = record.failed
    assert (failed.function, failed.stage) == ("exp", "recording its result")
    assert "a record cannot hold object" in failed.error


ORACLE = next(plant for plant in PLANTS if plant.name == "expect")


@pytest.fixture
def _oracle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    undisturbed()
    with monkeypatch.context() as planting:
        ORACLE.set(planting)
        yield


@pytest.mark.usefixtures("_oracle")
def test_the_same_in_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.main_thread()])
    record = ran(fake("always_wrong"), jobs=2)
    check_that_exp_is_lost(record, undisturbed(), ORACLE.stage)


def pickled(sent: T) -> T:
    """As it comes to another process."""
    received: T = pickle.loads(pickle.dumps(sent))
    return received


@pytest.mark.usefixtures("_oracle")
def test_the_same_on_other_machines() -> None:
    tested = fake("always_wrong")
    elsewhere = replace(
        tested, perform=lambda assignment: pickled(perform(tested, pickled(assignment)))
    )
    with ThreadPoolExecutor(1) as executor:
        record = ran(elsewhere, elsewhere=Elsewhere(executor, 2))
    check_that_exp_is_lost(record, undisturbed(), ORACLE.stage)


def test_with_a_limit_of_time_the_survey_and_the_plan_lose_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = undisturbed()
    plant = next(plant for plant in PLANTS if plant.name == "judge")
    plant.set(monkeypatch)
    record = ran(fake("always_wrong"), replace(COMMON, max_time=600.0))
    check_that_exp_is_lost(record, whole, plant.stage, times=2)
    assert not record.results.run.ended_by


def remembered() -> Mapping[str, Sequence[Failure]]:
    """The failures of a run, as a database keeps them."""
    functions = undisturbed().functions.values()
    return {f.function: [x for a in f.aspects for x in a.failures] for f in functions}


@pytest.mark.parametrize(
    ("owner", "name", "is_of_exp"),
    [
        (repetition, "_case", lambda task, _: task.spec.name == "exp"),
        (repetition, "_repeated", second_task),
    ],
)
def test_an_error_in_cases_of_earlier_runs(
    owner: Any, name: str, is_of_exp: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROFILES, TINY.name, TINY)
    common = replace(COMMON, remembered={("always_wrong", EDITION): remembered()})
    plant = Plant(owner, name, is_of_exp, "trying cases of earlier runs")
    plant.set(monkeypatch)
    record = ran(fake("always_wrong"), common)
    check_that_exp_is_lost(record, undisturbed(), plant.stage)


def test_an_error_on_the_way_to_a_worker_that_does_not_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The oldest trial on its way had it; all others are run by another worker."""
    real, raised = observation, list[bool]()

    def once(header: Any, arrays: Any, batch: Any) -> Any:
        if of_program(batch.program) and not raised:
            raised.append(True)
            raise PlantedError(SAYS)
        return real(header, arrays, batch)

    whole = undisturbed()
    monkeypatch.setattr(session_module, "observation", once)
    record = ran(fake("always_wrong"))
    (failed,) = record.failed
    assert (failed.function, failed.stage) == ("exp", "running a case")
    others = [f for f in whole.results.functions if f.function != "exp"]
    assert [f for f in record.results.functions if f.function != "exp"] == others


CONFIGURING = replace(TINY, setups=8)


def test_configured_processes_lose_the_function_whose_trials_raise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "referring.py").write_text("from conformance.reference import *\n", "utf-8")
    tested = module("referring", tmp_path)

    def configured(_: Subject, trials: Sequence[Any], _patience: Any = None) -> Any:
        if any("epsilon" in trial.batch.program.functions() for trial in trials):
            raise PlantedError(SAYS)
        return [_seen(trial) for trial in trials]

    def _seen(trial: Any) -> Any:
        return subjects._same_for_all_draws(NotRun("no process can be set up for it"), trial.batch)

    functions, common = ("floatx", "epsilon", "exp"), replace(COMMON, profile=CONFIGURING)
    whole = ran(tested, common, functions)
    monkeypatch.setattr(Subject, "run_configured", configured)
    record = ran(tested, common, functions)
    assert [(f.function, f.stage) for f in record.failed] == [("epsilon", "running a case")]
    for name in ("floatx", "exp"):
        assert record.functions[name] == whole.functions[name]


@pytest.mark.parametrize("error", [OSError("no space"), BrokenPipeError(), KeyError("writer")])
def test_an_error_of_who_is_told_is_none_of_a_function(error: Exception) -> None:
    def tell(event: Event) -> None:
        if type(event).__name__ == "CasesDone":
            raise error

    with pytest.raises(type(error)):
        run([fake("always_wrong")], {EDITION: tasks(("exp",), TINY)}, COMMON, tell, 1)


def test_an_error_that_is_not_of_one_function_ends_the_run_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, record = Examination._probing, Ran()

    def planted(self: Examination) -> Probing:
        if self.subject.name == "always_wrong":
            raise PlantedError(SAYS)
        return real(self)

    monkeypatch.setattr(Examination, "_probing", planted)
    subjects = [fake("correct"), fake("always_wrong")]
    with pytest.raises(PlantedError):
        run(subjects, {EDITION: tasks(FUNCTIONS, TINY)}, COMMON, record.events.append, 1)
    done = {
        e.results.target.name: e.results for e in record.events if isinstance(e, TargetFinished)
    }
    assert done["correct"].run.complete
    assert not done["always_wrong"].run.complete
    assert not record.failed


def test_a_lack_of_memory_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def starved(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(cases, "expect", starved)
    with pytest.raises(MemoryError):
        ran(fake("always_wrong"))


def test_a_worker_is_ended_after_an_error_in_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its remaining answers would be taken for those to other requests."""
    ended, real = list[bool](), Session.renew

    def renew(self: Session) -> None:
        ended.append(True)
        return real(self)

    monkeypatch.setattr(Session, "renew", renew)
    next(plant for plant in PLANTS if plant.name == "to_json").set(monkeypatch)
    ran(fake("correct"))
    assert ended
