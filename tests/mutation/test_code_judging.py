"""Changes of a tiny backend, judged by the gate; the records, the pages and the command."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from conformance.adapters import registry
from conformance.adapters.session import WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli import main
from conformance.cli.mutate.code import IdentityGate
from conformance.engine import PROFILES, Run
from conformance.mutation.code import scoring
from conformance.mutation.code.editing import Edit
from conformance.mutation.code.population import (
    CodeMutant,
    SourcesError,
    TargetSources,
    code_population,
    sources,
)
from conformance.mutation.code.records import JudgedCodeMutant
from conformance.mutation.code.scoring import (
    CodeScoring,
    JudgingStage,
    Sessions,
    attempt,
    changed,
    groups,
)
from conformance.mutation.score import unminimised
from conformance.results import Aspect, Failure, FunctionResult, Results, Verdict
from tests.adapters.support import FAKES
from tests.engine.support import tasks
from tests.reporting import records

COMMON = Run("1.0", unminimised(PROFILES["smoke"]), 0, "2000-01-01T00:00:00+00:00", selection="-")
FILE = FAKES / "fakes" / "correct.py"


def fake(module: str = "fakes.correct", **fields: object) -> Target:
    target = Target(name="tiny", module=module, edition="keras-2.2", **fields)  # type: ignore[arg-type]
    return registry.completed(target, [FAKES])


@pytest.fixture(scope="module")
def target_sources() -> TargetSources:
    return sources(fake())


def mutant(
    target_sources: TargetSources, unit: str, before: str, after: str, *functions: str
) -> CodeMutant:
    """The change of the first such text in a function."""
    (module,) = [m for m in target_sources.modules if unit in m.units()]
    begin, end = module.text.span(module.units()[unit])
    start = module.text.source.index(before.encode(), begin, end)
    edit = Edit(operator="by hand", start=start, end=start + len(before), after=after)
    return CodeMutant(module=module, unit=unit, edit=edit, reached_from=functions)


Judge = Callable[..., JudgedCodeMutant]


@pytest.fixture
def judge(target_sources: TargetSources) -> Judge:
    def judged(*of: str, target: Target | None = None) -> JudgedCodeMutant:
        results: list[JudgedCodeMutant] = []
        scoring = CodeScoring(
            target or fake(),
            target_sources.modules,
            [JudgingStage(COMMON, IdentityGate())],
            results.append,
        )
        scoring.run([mutant(target_sources, *of)], 1)
        (result,) = results
        return result

    return judged


class Blind(IdentityGate):
    """Notices nothing."""

    def noticed(self, _: Results) -> None:
        return None


class Unasked(IdentityGate):
    """Fails if a change reaches it."""

    def noticed(self, _: Results) -> None:
        pytest.fail("a change that was noticed before reached another stage")


@pytest.mark.parametrize("gates", [(Blind(), IdentityGate()), (IdentityGate(), Unasked())])
def test_a_change_reaches_the_next_stage_if_the_first_does_not_notice_it(
    target_sources: TargetSources, gates: tuple[IdentityGate, ...]
) -> None:
    judged: list[JudgedCodeMutant] = []
    stages = [JudgingStage(COMMON, gate) for gate in gates]
    scoring = CodeScoring(fake(), target_sources.modules, stages, judged.append)
    scoring.run([mutant(target_sources, "softmax", "exp", "sqrt", "softmax")], 1)
    assert [m.outcome for m in judged] == ["killed"]


def test_no_run_goes_on_after_the_end(
    target_sources: TargetSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come between the two runs without the change."""
    ended: list[bool] = []

    def attempted(*of: Any, **options: Any) -> scoring.Attempt:
        tried = attempt(*of, **options)
        ended.append(tried.time_over)
        judging.end()
        return tried

    monkeypatch.setattr(scoring, "attempt", attempted)
    judged: list[JudgedCodeMutant] = []
    stages = [JudgingStage(COMMON, IdentityGate())]
    judging = CodeScoring(fake(), target_sources.modules, stages, judged.append)
    judging.run([mutant(target_sources, "softmax", "exp", "sqrt", "softmax")], 1)
    assert ended == [False, True]
    assert judged == []


def test_the_functions_of_a_module_are_found_where_they_are_written(
    target_sources: TargetSources,
) -> None:
    assert [(m.name, Path(m.file)) for m in target_sources.modules] == [("fakes.correct", FILE)]
    assert target_sources.functions["softmax"] == ("fakes.correct", "softmax")
    assert "relu" not in target_sources.functions


def test_functions_that_another_module_lends_are_changed_there() -> None:
    lent = sources(fake("fakes.wrong_axis"))
    assert lent.functions["exp"] == ("fakes.correct", "exp")
    assert lent.functions["sum"] == ("fakes.wrong_axis", "sum")
    reached = {m.unit for m in code_population(lent, lambda name: name == "sum")}
    assert "sum" in reached


def test_what_a_module_leads_to_is_changed_in_its_place(tmp_path: Path) -> None:
    package = tmp_path / "led"
    (package / "backend").mkdir(parents=True)
    texts = {
        "front.py": "from led import backend\n\ndef exp(x): return backend.numpy.exp(x)\n"
        "def log(x): return 2 * backend.core.log(x)\n",
        "backend/__init__.py": "from led.backend import core, numpy\n",
        "backend/numpy.py": "from led.backend.core import cast\n\n"
        "def exp(x): return 1 + cast(x)\ndef unused(x): return 1 - x\n",
        "backend/core.py": "def cast(x): return x + 0\ndef log(x): return x - 1\n",
    }
    for name, text in {"__init__.py": "", **texts}.items():
        (package / name).write_text(text, "utf-8")
    target = Target(name="l", module="led.front", edition="keras-2.2", sources=("led.backend",))
    led = sources(registry.completed(target, [tmp_path]))
    assert [m.name for m in led.before] == ["led.front"]
    units = {(m.module.name, m.unit): [*m.reached_from] for m in code_population(led)}
    assert units == {
        ("led.backend.core", "cast"): ["exp"],
        ("led.backend.core", "log"): ["log"],
        ("led.backend.numpy", "exp"): ["exp"],
    }


def test_a_module_without_documented_functions_has_no_sources(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("import numpy\n", "utf-8")
    target = registry.completed(Target(name="e", module="empty", edition="keras-2.2"), [tmp_path])
    with pytest.raises(SourcesError, match="no documented function"):
        sources(target)


@pytest.mark.parametrize(
    ("last", "problem"),
    [
        ("print('not JSON')", "prints as its interpreter ends"),
        ("print('[]')", "prints as its interpreter ends"),
        ("os._exit(0)", "printed nothing"),
        ("sys.stdout.buffer.write(b'\\xff')", "prints as its interpreter ends"),
    ],
)
def test_a_module_that_prints_last_has_no_sources(last: str, problem: str, tmp_path: Path) -> None:
    """What it prints is no answer of the suite's, and no error of the suite."""
    begun = "os._exit(0)" if last.startswith("os.") else f"atexit.register(lambda: {last})"
    (tmp_path / "loud.py").write_text(f"import atexit, os, sys\n{begun}\n", "utf-8")
    target = registry.completed(Target(name="l", module="loud", edition="keras-2.2"), [tmp_path])
    with pytest.raises(SourcesError, match=problem):
        sources(target)


def test_an_error_is_noticed_by_a_failure_that_is_not_known(judge: Judge) -> None:
    judgement = judge("softmax", "np.exp(a", "np.cosh(a", "softmax")
    assert judgement.outcome == "killed"
    assert judgement.notice is not None
    assert (judgement.notice.how, judgement.notice.function, judgement.notice.aspect) == (
        "unexpected",
        "softmax",
        "value",
    )
    assert judgement.before == "e = np.exp(a - np.max(a, axis=axis, keepdims=True))"
    assert judgement.run == ["softmax"]


@pytest.mark.thorough
def test_what_is_no_error_survives(judge: Judge) -> None:
    judgement = judge("softmax", "a - np.max", "-np.max", "exp")
    assert (judgement.outcome, judgement.notice, judgement.run) == ("survived", None, ["exp"])
    same = judge("exp", "node(np.exp, x)", "node(lambda a: np.exp(a), x)", "exp")
    assert same.outcome == "survived"
    assert same.quiet == []


def test_an_error_in_what_a_function_reaches_is_noticed(judge: Judge) -> None:
    judgement = judge("node", "trial.shape if known", "(7,) if known", "exp", "softmax")
    assert judgement.notice is not None
    assert (judgement.notice.how, judgement.notice.aspect) == ("unexpected", "static shape")


@pytest.mark.thorough
def test_what_a_convention_excuses_is_told_of_a_survivor(judge: Judge) -> None:
    judgement = judge("node", "trial.dtype", "np.float64", "exp")
    assert judgement.outcome == "survived"
    assert judgement.quiet
    assert all(line.startswith("exp dtype diverges ") for line in judgement.quiet)


@pytest.mark.thorough
def test_a_known_failure_that_goes_away_is_noticed() -> None:
    target, name = fake("fakes.wrong_axis"), "softmax"
    module = sources(target).module("fakes.wrong_axis")
    put_right = b"from .correct import *  # noqa: F403\n"
    gate = IdentityGate()
    sources_of = {module.name: module.text.source}
    runs = [_results(target, sources_of, name) for _ in range(2)]
    gate.learn(*runs)
    assert gate.noticed(runs[1]) is None
    notice = gate.noticed(_results(target, {module.name: put_right}, name))
    assert notice is not None
    assert (notice.how, notice.function) == ("stale", name)


def _results(target: Target, contents: dict[str, bytes], function: str) -> Results:
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in contents}
        for name, file in files.items():
            file.write_bytes(contents[name])
        tasks_of_function = tasks([function], COMMON.profile)
        results = attempt(
            changed(target, files), tasks_of_function, COMMON, Sessions(), seconds=100
        ).results
    assert results is not None
    return results


def test_a_module_that_cannot_be_imported_is_noticed(judge: Judge) -> None:
    judgement = judge("exp", "def exp(x):", "def exp(x=1 / 0):", "exp")
    assert judgement.notice is not None
    assert judgement.notice.how == "does not start"
    assert "ZeroDivisionError" in judgement.notice.says


@pytest.mark.thorough
def test_a_change_that_hangs_ends(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "LEAST_SECONDS", 1.5)
    monkeypatch.setattr(scoring, "PATIENCE", 0.0)
    judgement = judge("exp", "node(np.exp, x)", "node(lambda a: list(iter(int, 1)), x)", "exp")
    assert judgement.notice is not None
    assert judgement.notice.how == "time over"
    assert judgement.seconds < 60


@pytest.mark.thorough
def test_what_only_takes_too_long_is_told_apart_from_what_is_wrong() -> None:
    gate = IdentityGate()
    results = _results(fake("fakes.wrong_axis"), {}, "softmax")
    gate.learn(_results(fake(), {}, "softmax"), _results(fake(), {}, "softmax"))
    wrong = gate.noticed(results)
    assert wrong is not None
    assert (wrong.how, wrong.verdict) == ("unexpected", "violates")
    late = gate.noticed(_with_verdict(results, Verdict.TIMED_OUT))
    assert late is not None
    assert (late.how, late.verdict) == ("time over", "timed out")


def test_a_documented_call_that_is_refused_is_noticed() -> None:
    def run(*refusals: Failure) -> Results:
        value = records.aspect_result(Aspect.VALUE, Verdict.VIOLATES, records.failure(), *refusals)
        return records.results("mine", [FunctionResult("dot", "t", [value])])

    gate, refusal = IdentityGate(), records.failure(Verdict.UNSUPPORTED, id="e0e0")
    gate.learn(run(), run())
    assert gate.noticed(run()) is None
    notice = gate.noticed(run(refusal))
    assert notice is not None
    assert (notice.how, notice.failure) == ("refused", "e0e0")


def _with_verdict(results: Results, verdict: Verdict) -> Results:
    """The same results with this verdict in the place of a violation."""
    text = msgspec.json.encode(results).replace(b'"violates"', json.dumps(verdict).encode())
    return msgspec.json.decode(text, type=Results)


def test_a_target_that_does_not_start_without_a_change_is_an_error(judge: Judge) -> None:
    with pytest.raises(WorkerStartError):
        judge("exp", "np.exp", "np.sin", "exp", target=fake(startup=("1 / 0",)))


@pytest.mark.thorough
def test_nothing_installed_is_touched(judge: Judge) -> None:
    before = FILE.read_bytes()
    judge("exp", "np.exp", "np.sin", "exp")
    assert FILE.read_bytes() == before
    assert not list(FILE.parent.glob("__pycache__/correct.cpython-*.conformance*"))


def test_sessions_that_have_ended_end_those_that_come_later() -> None:
    class One:
        ended = threading.Event()

        def abort(self) -> None:
            self.ended.set()

    sessions, session = Sessions(), One()
    sessions.end()
    sessions.added(session)  # type: ignore[arg-type]
    assert session.ended.is_set()


def test_a_run_that_is_ended_before_its_worker_starts_has_no_results() -> None:
    sessions = Sessions()
    sessions.end()
    planned = tasks(["exp"], COMMON.profile)
    tried = attempt(fake(), planned, COMMON, sessions, seconds=100)
    assert tried.time_over
    assert tried.results is None


def test_functions_are_run_in_groups_that_grow() -> None:
    names = [str(n) for n in range(40)]
    batches = list(groups(names))
    assert [len(group) for group in batches] == [2, 6, 24, 8]
    assert [name for group in batches for name in group] == names


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    head = '[targets.tiny]\nmodule = "fakes.correct"\nedition = "keras-2.2"\n'
    text = f"{head}path = {json.dumps(str(FAKES))}\n"
    (tmp_path / "conformance.toml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mutate(*arguments: str) -> Result:
    asked = ["mutate", "tiny", "--code", "--profile", "smoke", "-k", "softmax", *arguments]
    return CliRunner().invoke(main, asked)


@pytest.mark.thorough
def test_the_command_goes_on_with_what_it_left(project: Path) -> None:
    folder = project / "out"
    first = mutate("--sample", "2", "-o", str(folder))
    assert first.exit_code in (0, 1), first.output
    file = folder / "tiny.code-mutation.json"
    report = json.loads(file.read_text("utf-8"))
    assert [report["summary"]["mutants"], report["sample"], report["interrupted"]] == [2, 2, False]
    assert report["population"] > 10
    second = mutate("--sample", "4", "-o", str(folder), "--resume")
    assert second.exit_code in (0, 1), second.output
    two = json.loads(file.read_text("utf-8"))
    assert two["mutants"][:2] == report["mutants"]
    assert two["summary"]["mutants"] == 4
    assert two["started"] == report["started"]
    page = file.with_suffix(".md").read_text("utf-8")
    assert "# Code mutants of tiny" in page
    assert f"a random sample of 4 of {report['population']} mutants, seed 0" in page
    other = mutate("--sample", "4", "-o", str(folder), "--resume", "--seed", "1")
    assert other.exit_code == 2
    assert "was made with another seed" in other.output


@pytest.mark.thorough
def test_ctrl_c_keeps_what_was_judged(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(self: CodeScoring, change: CodeMutant, number: int) -> JudgedCodeMutant | None:
        if done:
            raise KeyboardInterrupt
        done.append(change.id)
        return judged_before(self, change, number)

    done: list[str] = []
    judged_before = CodeScoring.judged
    monkeypatch.setattr(CodeScoring, "judged", look)
    ended = mutate("--sample", "3", "-o", str(project))
    assert ended.exit_code == 130
    assert "the same command with --resume goes on" in ended.output
    left = json.loads((project / "tiny.code-mutation.json").read_text("utf-8"))
    assert left["interrupted"] is True
    assert [entry["id"] for entry in left["mutants"]] == done


def test_the_exit_status_says_whether_a_change_survives(project: Path) -> None:
    done = mutate("--operator", "default")
    assert done.exit_code == 0, done.output
    assert "the gate notices 2 of 2 changes, score 100.0 %" in done.output
    done = mutate("--operator", "call_swapped", "--sample", "3")
    assert done.exit_code == 1
    assert "the gate notices 2 of 3 changes, score 66.7 %" in done.output
    assert (
        "    + *[np.zeros([1 if n is None else n for n in o.shape], o.dtype) for o in operands]"
        in done.output
    )


def test_what_survived_is_judged_again_if_that_is_asked_for(project: Path) -> None:
    def start(*more: str) -> dict[str, Any]:
        mutate("--operator", "call_swapped", "--sample", "3", "-o", str(project), *more)
        report: dict[str, Any] = json.loads(
            (project / "tiny.code-mutation.json").read_text("utf-8")
        )
        return report

    first, second = start(), start("--resume", "--again")
    survived = [entry["id"] for entry in first["mutants"] if entry["outcome"] == "survived"]
    assert first["again"] == []
    assert second["again"] == survived != []
    outcomes = [
        [(entry["id"], entry["outcome"]) for entry in two["mutants"]] for two in (first, second)
    ]
    assert outcomes[0] == outcomes[1]
    page = (project / "tiny.code-mutation.md").read_text("utf-8")
    assert "1 that survived an earlier start were judged once more later." in page


def test_a_list_names_the_changes(project: Path) -> None:
    done = mutate("--list", "--operator", "call_swapped")
    assert done.exit_code == 0
    assert "softmax: call swapped: e = np.exp(a" in done.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--code", "--alone"], "--alone does not go with --code"),
        (["--resume"], "--resume goes with --code"),
        (["--minimise"], "--minimise goes with --code"),
        (["--code", "--resume"], "--resume goes on with a file"),
        (["--again"], "--again goes with --code"),
        (["--code", "--again"], "--again goes with --resume"),
        (["--code", "-k", "no_such"], "no mutant is selected"),
    ],
)
def test_wrong_usage_of_code_is_told(project: Path, arguments: list[str], problem: str) -> None:
    done = CliRunner().invoke(main, ["mutate", "tiny", *arguments])
    assert done.exit_code == 2
    assert problem in done.output
