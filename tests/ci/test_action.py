"""The composite action and the workflows: what they run, as a runner of GitHub would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from conformance.cli.known_failures.gate import FAIL_ON
from conformance.engine import PROFILES
from conformance.reporting.json_results import read_results
from conformance.specs import EDITIONS
from tests.adapters.support import FAKES
from tests.docs.walkthrough import files

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = ACTION["runs"]["steps"]
WORKFLOWS = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("examples/ci/*-workflow.yml")]
INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


class Ran(NamedTuple):
    """What steps of the action left."""

    status: int
    printed: str
    outputs: str
    summary: str
    folder: Path


def script(name: str, folder: Path, values: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """One `run` step, with the shell and the variables that a runner gives it."""
    (step,) = (s for s in STEPS if s.get("name") == name)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "PYTHONPATH": str(ROOT),  # this tree, whichever one the suite is installed from
        "CONFORMANCE_HOME": str(folder / "home"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "outputs"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        **{variable: filled(text, values) for variable, text in step.get("env", {}).items()},
    }
    shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(
        shell, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def filled(text: str, values: Mapping[str, str]) -> str:
    defaults = {name: fields["default"] for name, fields in ACTION["inputs"].items()}
    if text == "${{ steps.run.outputs.status }}":
        return values["status"]
    return INPUT.sub(lambda match: str({**defaults, **values}[match[1]]), text)


def act(folder: Path, *, report: bool = False, **values: str) -> Ran:
    """The step that tests, and if asked for the one that reports."""
    values = {name.replace("_", "-"): value for name, value in values.items()}
    (folder / "outputs").write_text("", "utf-8")
    (folder / "summary.md").write_text("", "utf-8")
    tested = script("Test", folder, values)
    printed, outputs = tested.stdout + tested.stderr, (folder / "outputs").read_text("utf-8")
    if report:
        status = outputs.strip().removeprefix("status=")
        reported = script("Report", folder, {**values, "status": status})
        assert reported.returncode == 0, reported.stderr
        printed += reported.stdout
    return Ran(tested.returncode, printed, outputs, (folder / "summary.md").read_text(), folder)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("action")
    return act(
        folder,
        report=True,
        module="fakes.always_wrong",
        path=str(FAKES),
        functions="exp and not (expand or sum)",
        profile="smoke",
    )


def test_a_violation_fails_the_step(wrong: Ran) -> None:
    assert wrong.status == 1, wrong.printed
    assert wrong.outputs == "status=1\n"


def test_the_job_gets_a_summary_and_annotations(wrong: Ran) -> None:
    assert wrong.summary.startswith("## Keras backend API conformance")
    assert "ko-2.2:1527" in wrong.summary
    annotations = [line for line in wrong.printed.splitlines() if line.startswith("::error ")]
    assert len(annotations) == 1
    assert "exp contradicts a document on " in annotations[0]


def test_the_artifact_has_results_junit_and_the_site(wrong: Ran) -> None:
    results = wrong.folder / "conformance-results"
    assert read_results(results / "fakes.always_wrong.json").run.profile == "smoke"
    names = {"matrix.md", "junit.xml", "site/index.html"}
    assert {name for name in names if (results / name).is_file()} == names
    (upload,) = (s for s in STEPS if s.get("uses", "").startswith("actions/upload-artifact"))
    assert upload["with"]["path"] == "${{ inputs.output }}"


def test_what_is_printed_meanwhile_is_no_command_to_the_runner(wrong: Ran) -> None:
    lines = wrong.printed.splitlines()
    (stop,) = (i for i, line in enumerate(lines) if line.startswith("::stop-commands::"))
    again = lines.index(f"::{lines[stop].rpartition('::')[2]}::")
    assert any("fakes.always_wrong" in line for line in lines[stop:again])
    assert not [line for line in lines[:again] if line.startswith("::error")]


def test_a_small_backend_that_a_file_describes_is_run(tmp_path: Path) -> None:
    for name, text in files(ROOT / "docs" / "tutorial.md").items():
        (tmp_path / name).write_text(text, "utf-8")
    ran = act(tmp_path, targets="mine", functions="abs", profile="smoke")
    assert ran.status == 0, ran.printed
    assert "ready mine" in ran.printed
    assert (tmp_path / "conformance-results" / "mine.json").is_file()


def test_nothing_to_test_is_told(tmp_path: Path) -> None:
    ran = act(tmp_path)
    assert (ran.status, ran.outputs) == (2, "status=2\n")
    assert "::error title=conformance::nothing says what to test" in ran.printed


def test_a_baseline_is_passed_on(tmp_path: Path) -> None:
    ran = act(tmp_path, module="fakes.correct", path=str(FAKES), baseline="no such.json")
    assert ran.status == 2, ran.printed
    assert "no such.json" in ran.printed


def test_inputs_are_words_and_no_code(tmp_path: Path) -> None:
    evil = '"; touch pwned; echo "$(touch pwned)`touch pwned`'
    ran = act(tmp_path, report=True, module="a.b", functions=evil, path=str(FAKES), output=evil)
    assert ran.status == 2
    assert "not an expression" in ran.printed
    assert ran.summary == "There are no results: no target could be run.\n"
    assert not list(tmp_path.rglob("pwned"))


# The files


def runs(content: Any) -> Iterator[str]:
    """Every script in a workflow or action."""
    if isinstance(content, dict):
        yield from (v for k, v in content.items() if k == "run" and isinstance(v, str))
        content = list(content.values())
    if isinstance(content, list):
        for part in content:
            yield from runs(part)


@pytest.mark.parametrize("file", [ROOT / "action.yml", *WORKFLOWS], ids=lambda f: str(f.name))
def test_no_script_has_an_expression_in_it(file: Path) -> None:
    scripts = list(runs(yaml.safe_load(file.read_text("utf-8"))))
    assert scripts
    assert not [text for text in scripts if "${{" in text]


def test_every_input_is_used_and_described() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert used == set(ACTION["inputs"])
    about = {name: fields["description"] for name, fields in ACTION["inputs"].items()}
    for name, choices in (("edition", EDITIONS), ("profile", PROFILES), ("fail-on", FAIL_ON)):
        assert all(choice in about[name] for choice in choices), name


def test_the_users_workflow_gives_inputs_that_there_are() -> None:
    for file in WORKFLOWS:
        for job in yaml.safe_load(file.read_text("utf-8"))["jobs"].values():
            for step in job["steps"]:
                if "keras-backend-conformance@" in step.get("uses", "") or step.get("uses") == "./":
                    assert set(step["with"]) <= set(ACTION["inputs"])
