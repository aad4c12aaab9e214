"""Scripts outside of the suite: `conformance export --pytest` and `conformance exec`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.json_results import JsonWriter
from conformance.reporting.pytest_module import ExportedTest, module
from conformance.results import Aspect, FunctionResult, Verdict
from conformance.results.events import TargetFinished
from tests.reporting.records import aspect_result, failure, results

SAYS = "# It ends with status 1 where the fault is there, with 0 where it is not.\n"
STATUSES = {"there": 1, "gone": 0, "absent": 2}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results with a failure that is there, one that is gone, and others."""
    bad = [
        failure(id=name, script=f"{SAYS}print('said {name}')\nimport sys\nsys.exit({status})\n")
        for name, status in STATUSES.items()
    ]
    bad.append(failure(id="old", script="print('an older version')\n"))
    other = failure(Verdict.DIVERGES, id="reading", script=SAYS)
    aspects = [
        aspect_result(Aspect.VALUE, Verdict.VIOLATES, *bad),
        aspect_result(Aspect.STATIC_SHAPE, Verdict.DIVERGES, other),
    ]
    content = results("mine", [FunctionResult("dot", "linear algebra", aspects)])
    JsonWriter(tmp_path / "results").handle(TargetFinished(content))
    return tmp_path


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_each_failure_is_a_test_that_fails_while_the_fault_is_there(folder: Path) -> None:
    file = folder / "test_faults.py"
    result = invoke("export", folder / "results", "--pytest", file)
    assert result.exit_code == 0, result.output
    assert "3 tests; 1 failures have no script that judges itself" in result.output
    alone = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [sys.executable, "-m", "pytest", "-p", "no:conformance", "-v", "-rs", str(file)]
    run = subprocess.run(
        command, cwd=folder, env=alone, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1, run.stdout
    assert "test_fault_is_gone[mine-dot-value-there] FAILED" in run.stdout
    assert "test_fault_is_gone[mine-dot-value-gone] PASSED" in run.stdout
    assert "test_fault_is_gone[mine-dot-value-absent] SKIPPED" in run.stdout
    assert "said there" in run.stdout


def test_the_module_imports_nothing_of_the_suite(folder: Path) -> None:
    file = folder / "test_faults.py"
    invoke("export", folder / "results", "--pytest", file)
    assert (
        "import conformance" not in file.read_text() and "from conformance" not in file.read_text()
    )


def test_the_choice_of_failures(folder: Path) -> None:
    file, place = folder / "t.py", folder / "results"
    assert "4 tests" in invoke("export", place, "--pytest", file, "--all").output
    assert invoke("export", place, "--pytest", file, "-k", "softmax").exit_code == 2
    wrong = invoke("export", place, "--pytest", file, "--target", "mien")
    assert wrong.exit_code == 2 and "did you mean mine?" in wrong.output


@pytest.mark.parametrize("script", ['print("""\\n\\\\x""")\n', "x = 'a\\'b'\n", "é\n", "\x1b[1m\n"])
def test_scripts_stay_as_they_are(script: str) -> None:
    test = ExportedTest(target="t", function="f", aspect="a b", identity="i", script=script)
    names: dict[str, Any] = {}
    exec(module([test], "1"), names)
    assert names["SCRIPTS"] == {"t-f-a_b-i": script}


# exec


def executed(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "conformance", "exec", *arguments],
        cwd=folder,
        env={**os.environ, "CONFORMANCE_HOME": str(folder / "home")},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_file_runs_in_the_target_with_its_own_status(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import sys\nfrom conformance import reference as K\n"
        "print(K.backend(), sys.argv[1:])\nsys.exit(7)\n"
    )
    run = executed(tmp_path, "reference", "a.py", "--flag", "x")
    assert (run.returncode, run.stdout) == (7, "conformance.reference ['--flag', 'x']\n")
    run = executed(tmp_path, "reference", "--", "a.py", "--help")
    assert (run.returncode, run.stdout) == (7, "conformance.reference ['--help']\n")
    piped = executed(tmp_path, "reference", "-", stdin="import os; os.kill(os.getpid(), 9)")
    assert piped.returncode == 128 + 9


def test_exec_tells_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "script.py").write_text("")
    for arguments, word in (
        (("reference", "scirpt.py"), "did you mean script.py?"),
        (("referense", "script.py"), "did you mean reference?"),
        (("theano", "script.py"), "theano stands for"),
        (("reference", "folder"), "folder is a folder"),
        (("reference", "empty/no.py"), "there is no Python file in empty; write the path of one"),
    ):
        run = executed(tmp_path, *arguments)
        assert run.returncode == 2
        assert word in run.stderr


def test_exec_of_a_target_that_is_not_ready_is_3(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("")
    run = executed(tmp_path, "keras3-numpy", "script.py")
    assert run.returncode == 3
    assert "conformance install keras3-numpy" in run.stderr


OWN = """
[targets.mine]
module = "mine"
edition = "keras-2.2"
path = "lib"
prepare = "prepare.py"
startup = ["import mine", "mine.begun.append('startup')"]
environment = { MODE = "{edition} graph" }
"""
SCRIPT = """
import os, sys
from local import here
import mine
if __name__ == "__main__":
    print(mine.begun, here, os.environ["MODE"], sys.argv, os.path.basename(__file__))
    print([name for name in sorted(globals()) if not name.startswith("__")])
    sys.exit(7)
"""


def test_a_file_runs_after_what_a_worker_runs_before_the_import(tmp_path: Path) -> None:
    for folder in ("lib", "scripts"):
        (tmp_path / folder).mkdir()
    (tmp_path / "conformance.toml").write_text(OWN)
    (tmp_path / "prepare.py").write_text("import mine\nmine.begun.append('prepare')\n")
    (tmp_path / "lib" / "mine.py").write_text("begun = []\n")
    (tmp_path / "scripts" / "local.py").write_text("here = 'local'\n")
    # a file beside the script, or in the folder that the user is in, hides no module of the start
    for place in (tmp_path, tmp_path / "scripts"):
        (place / "runpy.py").write_text("raise SystemExit(9)\n")
    script = tmp_path / "scripts" / "a.py"
    script.write_text(SCRIPT)
    run = executed(tmp_path, "mine", "scripts/a.py", "--flag")
    assert run.returncode == 7, run.stderr
    begun, names = run.stdout.splitlines()
    expected = "['prepare', 'startup'] local keras-2.2 graph ['scripts/a.py', '--flag'] a.py"
    assert begun == expected
    assert names == "['here', 'mine', 'os', 'sys']"
    piped = executed(
        tmp_path, "mine", "-", "x", stdin="import mine, sys; print(mine.begun, sys.argv)"
    )
    assert piped.stdout == "['prepare', 'startup'] ['-', 'x']\n"


def test_a_traceback_names_the_line_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "conformance.toml").write_text(
        '[targets.mine]\nmodule = "mine"\nedition = "keras-2.2"\nstartup = ["import os"]\n'
    )
    (tmp_path / "a.py").write_text("x = 1\nx.missing\n")
    run = executed(tmp_path, "mine", "a.py")
    assert run.returncode == 1
    assert 'File "a.py", line 2' in run.stderr
