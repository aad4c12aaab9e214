"""`conformance run`: exit statuses, selection, outputs, and what a mistake is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from conformance import results
from conformance.cli import main
from conformance.reporting.json_results import read_results
from conformance.results import Verdict
from conformance.specs import load

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
ROOT = Path(__file__).parents[3]
SCHEMA = Path(results.__file__).parent / "schema" / "results-1.schema.json"
EXP = "exp and not (expand or sum)"
SMOKE = ("--profile", "smoke", "-j", "1")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def fake(name: str, *arguments: str) -> Result:
    return invoke("--module", f"fakes.{name}", "--path", str(FAKES), *SMOKE, *arguments)


def executed(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, into a pipe.

    A shell that starts the tests in the background may have them ignore SIGINT: not the command.
    """
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    started = f"{listening}; from conformance.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", started, "run", *arguments],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


# Exit statuses


def test_nothing_unexpected_is_0() -> None:
    result = invoke("reference", "-k", "softmax", *SMOKE)
    assert result.exit_code == 0, result.output
    assert "reference" in result.output


def test_a_violation_is_1_and_is_named_with_its_line() -> None:
    result = fake("always_wrong", "-k", EXP)
    assert result.exit_code == 1
    assert "ko-2.2:1527" in result.output


@pytest.mark.thorough
def test_a_crash_counts_as_a_violation() -> None:
    assert fake("crashes", "-k", EXP).exit_code == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "fail_on", "status"),
    [
        ("wrong_dtype", "violation", 0),
        ("wrong_dtype", "divergence", 1),
        ("wrong_dtype", "never", 0),
        ("always_wrong", "violation", 1),
        ("always_wrong", "divergence", 1),
        ("always_wrong", "never", 0),
        ("floods_output", "violation", 0),
    ],
)
def test_what_makes_it_fail_is_chosen(name: str, fail_on: str, status: int) -> None:
    # the signature of `always_wrong` is hidden, which is no violation
    result = fake(name, "-k", EXP, "--fail-on", fail_on)
    assert result.exit_code == status, result.output


def test_a_target_that_is_not_ready_is_3_with_its_cure() -> None:
    result = invoke("tf_keras", "-k", "softmax", *SMOKE)
    assert result.exit_code == 3
    assert "conformance install tf_keras" in result.output
    assert "Traceback" not in result.output


def test_without_a_name_what_is_not_ready_is_no_failure() -> None:
    result = invoke("-k", "softmax", *SMOKE)
    assert result.exit_code == 0, result.output
    assert "reference" in result.output


def test_a_module_that_does_not_import_is_3_with_the_reason() -> None:
    result = fake("does_not_import", "-k", "softmax")
    assert result.exit_code == 3
    assert "the library that this needs is not there" in result.output


def test_an_unexpected_verdict_weighs_more_than_a_target_that_cannot_run() -> None:
    options = ("--module", "fakes.always_wrong", "--path", str(FAKES))
    result = invoke("tf_keras", *options, "-k", "softmax", *SMOKE)
    assert result.exit_code == 1


def test_formats_of_reports_are_written_beside_the_results(tmp_path: Path) -> None:
    formats = ("--format", "junit", "--format", "badges", "--output", str(tmp_path))
    assert invoke("reference", "-k", "softmax", *SMOKE, *formats).exit_code == 0
    there = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    files = {"reference.json", "matrix.md", "junit.xml"}
    assert there == files | {"badges/reference.svg", "badges/reference.json"}


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tensorflo"], ["tensorflo", "tensorflow"]),
        (["keras-2.2.4-teano"], ["keras-2.2.4-theano"]),
        (["reference", "-k", "softmax and"], ["softmax and", "and, or, not"]),
        (["reference", "-k", "sum(1)"], ["sum(1)", "not a name"]),
        (["reference", "-k", "'sum'"], ["not a name"]),
        (["reference", "-k", "1"], ["not a name"]),
        (["reference", "-k", "", "--aspect", "presence"], ["-k", "it is empty"]),
        (["reference", "-k", "sum or"], ["missing at its end (column 7)"]),
        (["reference", "-k", " sum)"], ["unmatched ')' (column 5)"]),
        (["reference", "-o", ""], ["--output", "the text is empty"]),
        (["reference", "--write-expectations", ""], ["--write-expectations", "the text is empty"]),
        (["reference", "--database", ""], ["--database", "the text is empty"]),
        (["reference", "-k", "frobnicate"], ["no function", "conformance list"]),
        (["reference", "--shard", "3"], ["--shard", "1/3"]),
        (["reference", "--shard", "0/3"], ["--shard", "1/3"]),
        (["reference", "--shard", "4/3"], ["--shard", "1/3"]),
        (["reference", "--shard", "a/b"], ["--shard", "1/3"]),
        (["reference", "--seed", "-1"], ["--seed"]),
        (["reference", "--jobs", "0"], ["--jobs"]),
        (["reference", "--profile", "quick"], ["quick", "smoke"]),
        (["reference", "--aspect", "valu"], ["valu", "static shape"]),
        (["reference", "--edition", "keras-9"], ["keras-9", "keras-2.2"]),
        (
            ["reference", "--edition", "keras-3"],
            ["reference offers keras-1, keras-2.0, keras-2.2, and not keras-3", "name a target"],
        ),
        (
            ["reference", "-k", "exp", "--aspect", "configuration"],
            ["no selected function of keras-2.2 has the aspect configuration", "signature"],
        ),
        (["--module", "reference"], ["reference: the suite itself uses this name", "init FILE.py"]),
        (["--module", "theano"], ["theano: the suite itself uses this name"]),
        (["reference", "--format", "junit"], ["--format", "--output DIR"]),
        (["reference", "--format", "pdf"], ["pdf", "junit"]),
        (["reference", "--fail-on", "all"], ["all", "divergence"]),
        (["reference", "--path", str(FAKES)], ["--path", "--module"]),
        (["reference", "--env", "A=1"], ["--env", "--module"]),
        (["reference", "--python", "3.11"], ["--python", "--module"]),
        (["reference", "--eager"], ["--eager", "--module"]),
        (["--module", "m", "--env", "A"], ["--env", "KEY=VALUE"]),
        (["--module", "m", "--env", "=1"], ["--env", "KEY=VALUE"]),
        (["--module", "m", "--path", "/nowhere/at/all"], ["/nowhere/at/all"]),
        (["reference", "--shard", "60/60", "-k", "softmax"], ["--shard"]),
    ],
    ids=lambda value: " ".join(value) if value and str(value[0])[0] in "-kr" else "",
)
def test_a_mistake_is_2_with_what_to_write_instead(
    arguments: Sequence[str], words: Sequence[str]
) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    for word in words:
        assert word in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "arguments",
    [("--shard", "0/3"), ("-k", ""), ("-k", "sum or"), ("--expectations", "{empty}")],
    ids=" ".join,
)
def test_a_mistake_is_told_once_before_a_worker_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str]
) -> None:
    def looked(_: object) -> None:
        pytest.fail("a target was looked at")

    monkeypatch.setattr("conformance.cli.run.run.subjects_of", looked)
    (empty := tmp_path / "known.toml").write_text("\n")
    result = fake("correct", *(a.format(empty=empty) for a in arguments))
    assert result.exit_code == 2
    assert result.output.count("error: ") == 1


def test_an_empty_file_of_known_failures_may_be_written_but_not_read(tmp_path: Path) -> None:
    (empty := tmp_path / "known.toml").write_text("")
    options = ("-k", EXP, *SMOKE, "--no-database")
    refused = fake("correct", *options, "--expectations", str(empty))
    assert "the file of known failures is empty" in refused.output
    assert fake("correct", *options, "--write-expectations", str(empty)).exit_code == 0
    assert fake("correct", *options, "--expectations", str(empty)).exit_code == 0


def test_a_folder_that_cannot_be_written_is_told_before_the_run(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    result = invoke("reference", "-k", "softmax", *SMOKE, "--output", str(taken))
    assert result.exit_code == 2
    assert str(taken) in result.output


@pytest.mark.parametrize("python", ["2.4", "/nowhere/python"])
def test_an_interpreter_that_is_not_there_is_3_with_its_name(python: str) -> None:
    result = invoke("--module", "fakes.correct", "--python", python, "-k", "exp", *SMOKE)
    assert result.exit_code == 3
    assert python in result.output
    assert "Traceback" not in result.output


# Selection


def functions(folder: Path, name: str = "reference") -> list[str]:
    return [f.function for f in read_results(folder / f"{name}.json").functions]


def test_an_expression_selects_functions(tmp_path: Path) -> None:
    expression = "(soft or sum) and not cumsum and not logsumexp"
    invoke("reference", "-k", expression, *SMOKE, "-o", str(tmp_path))
    assert sorted(functions(tmp_path)) == ["softmax", "softplus", "softsign", "sum"]


def test_an_aspect_alone(tmp_path: Path) -> None:
    options = ("--aspect", "signature", "--aspect", "presence")
    invoke("reference", "-k", "softmax", *options, *SMOKE, "-o", str(tmp_path))
    (function,) = read_results(tmp_path / "reference.json").functions
    assert [str(a.aspect) for a in function.aspects] == ["presence", "signature"]
    assert read_results(tmp_path / "reference.json").run.cases == 0


def test_shards_are_disjoint_and_together_everything(tmp_path: Path) -> None:
    only = ("--aspect", "presence")
    parts = []
    for i in (1, 2, 3):
        folder = tmp_path / str(i)
        assert invoke("reference", *only, "--shard", f"{i}/3", "-o", str(folder)).exit_code == 0
        parts.append(functions(folder))
    offered = [name for name, spec in load().items() if "keras-2.2" in spec.editions]
    assert sorted(name for part in parts for name in part) == sorted(offered)


@pytest.mark.thorough
def test_a_shard_finds_what_the_whole_finds(tmp_path: Path) -> None:
    chosen = ("-k", "softmax or tanh or sigmoid and not hard")
    whole, part = tmp_path / "whole", tmp_path / "part"
    invoke("reference", *chosen, *SMOKE, "-o", str(whole))
    invoke("reference", *chosen, *SMOKE, "--shard", "2/3", "-o", str(part))
    (mine,) = read_results(part / "reference.json").functions
    assert mine in read_results(whole / "reference.json").functions


def test_a_file_that_is_called_like_a_target_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reference.py").write_text("def exp(x):\n    return x\n")
    result = invoke("reference.py", "-k", "exp", *SMOKE)
    assert result.exit_code == 2
    assert "reference: the suite itself uses this name for a target" in result.output


def test_a_target_that_nobody_named_is_left_out_where_it_does_not_offer_the_edition() -> None:
    result = invoke("--edition", "keras-3", "-k", "keras.ops.exp", *SMOKE, "--no-database", "-q")
    assert result.exit_code != 2, result.output
    assert "The run tested no target" in result.output


def test_another_edition_is_another_denominator(tmp_path: Path) -> None:
    only = ("--aspect", "presence", "--edition", "keras-1")
    invoke("reference", *only, "-o", str(tmp_path))
    results = read_results(tmp_path / "reference.json")
    assert results.target.edition == "keras-1"
    assert len(results.functions) == sum("keras-1" in s.editions for s in load().values())
    assert results.summary.verdicts == {Verdict.CONFORMS: len(results.functions)}


# A module of one's own


def test_a_module_gets_its_variables(tmp_path: Path) -> None:
    options = ("-k", EXP, "-o", str(tmp_path))
    assert fake("one_ulp_over", *options).exit_code == 0
    assert fake("one_ulp_over", *options, "--env", "FAKE_ULP=40").exit_code == 1
    results = read_results(tmp_path / "fakes.one_ulp_over.json")
    (function,) = results.functions
    value = next(a for a in function.aspects if a.aspect == "value")
    assert value.verdict is Verdict.VIOLATES, "40 ULP are beyond four times the bound"
    script = value.failures[0].script
    assert script is not None
    assert "from fakes import one_ulp_over as K" in script
    assert "FAKE_ULP" in script, "without its variable the script shows nothing"


def test_a_variable_with_braces_is_passed_as_it_is(tmp_path: Path) -> None:
    source = "import os\nassert os.environ['X'] == '{home}'\nfrom fakes.correct import *\n"
    (tmp_path / "mine.py").write_text(source)
    paths = ("--path", str(tmp_path), "--path", str(FAKES))
    result = invoke("--module", "mine", *paths, "--env", "X={home}", "-k", "argmax", *SMOKE)
    assert result.exit_code == 0, result.output


def test_an_eager_module(tmp_path: Path) -> None:
    source = """
import numpy as np
def backend(): return "mine"
def floatx(): return "float32"
def variable(value, dtype=None, name=None, constraint=None): return np.array(value, dtype)
def constant(value, dtype=None, shape=None, name=None): return np.array(value, dtype)
def eval(x): return np.array(x)
def get_value(x): return np.array(x)
def dtype(x): return str(x.dtype)
def int_shape(x): return x.shape
def set_value(x, value): x[...] = value
def square(x): return np.asarray(np.square(x))
"""
    (tmp_path / "mine.py").write_text(source)
    mine = ("--module", "mine", "--path", str(tmp_path), "--eager")
    result = invoke(*mine, "-k", "square", *SMOKE, "--fail-on", "divergence")
    assert result.exit_code == 0, result.output


# Outputs


def test_the_files_are_valid_and_complete(tmp_path: Path) -> None:
    fake("always_wrong", "-k", "exp or softmax", "--seed", "7", "-o", str(tmp_path))
    assert {"fakes.always_wrong.json", "matrix.md"} <= {p.name for p in tmp_path.iterdir()}
    data: dict[str, Any] = json.loads((tmp_path / "fakes.always_wrong.json").read_text())
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(data)
    assert data["run"]["seed"] == 7
    assert data["run"]["profile"] == "smoke"
    assert data["run"]["selection"] == "exp or softmax"
    assert data["run"]["complete"] is True
    assert data["target"]["name"] == "fakes.always_wrong"
    assert "softmax" in (tmp_path / "matrix.md").read_text()


def test_piped_output_has_no_escape_codes_and_no_warnings() -> None:
    done = executed("reference", "-k", "softmax or exp", *SMOKE)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "\r" not in done.stdout
    assert done.stderr == ""


@pytest.mark.thorough
def test_a_default_run_warns_of_nothing() -> None:
    """Numbers at the ends of the range are the suite's own business."""
    done = executed("reference", "-k", "mean or square", "--profile", "default")
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.thorough
def test_quiet_is_shorter_and_verbose_is_longer() -> None:
    quiet, normal, verbose = (
        fake("always_wrong", "-k", "exp or softmax or reshape", *flags).output
        for flags in (("-q",), (), ("-v",))
    )
    lines = [len(output.splitlines()) for output in (quiet, normal, verbose)]
    assert lines == sorted(lines)
    assert lines[0] < 5 < lines[1]
    assert "ko-2.2:1527" in verbose
    assert "fakes.always_wrong" in quiet


def test_verbose_lists_every_failure() -> None:
    output = fake("wrong_dtype", "-k", EXP, "-v").output
    assert "gives float64" in output, "a divergence is a failure, too"


def test_ctrl_c_keeps_what_was_done_and_is_no_success(tmp_path: Path) -> None:
    """The worker sends the signal itself, so that it comes in the middle of the run."""
    source = (
        "import os, signal, time\n"
        "from fakes.correct import *\n"
        "from fakes import correct\n"
        "sent = []\n"
        "def softmax(x, axis=-1):\n"
        "    if not sent:\n"
        "        suite = os.getppid()\n"
        "        for above in ('warden', 'suite'):  # beyond the guardian\n"
        "            status = open(f'/proc/{suite}/status').read()\n"
        "            suite = int(status.split('PPid:')[1].split()[0])\n"
        "        os.kill(suite, signal.SIGINT)\n"
        "        time.sleep(1)\n"
        "    sent.append(True)\n"
        "    return correct.softmax(x, axis)\n"
    )
    (tmp_path / "mine.py").write_text(source)
    paths = ("--path", str(tmp_path), "--path", str(FAKES), "-o", str(tmp_path / "out"))
    chosen = ("-k", "softmax or exp or argmax", "-j", "1")
    done = executed("--module", "mine", "--no-sandbox", *paths, *chosen)
    assert "Traceback" not in done.stderr
    assert not read_results(tmp_path / "out" / "mine.json").run.complete
    assert done.returncode in (128 + signal.SIGINT, -signal.SIGINT), done.stdout
