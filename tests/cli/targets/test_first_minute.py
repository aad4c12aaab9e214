"""What a new user meets: a module where it stands, what is found out of it, and what is told."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import conformance
from conformance.adapters.looks import look
from conformance.adapters.registry import completed
from conformance.adapters.target_records import Target
from conformance.cli import main
from conformance.cli.process import VARIABLE, keep_in_cache
from conformance.cli.targets import first_look
from conformance.cli.targets.other_names import OTHER_NAMES, known_names, proposed
from conformance.reporting.terminal import ABSENT, missing_reasons
from conformance.results import (
    Aspect,
    AspectResult,
    FunctionResult,
    Verdict,
)
from conformance.specs import load
from conformance.specs.remembered import cache_folder

BACKEND = '''
"""An eager backend; with another name for the absolute value."""
import numpy as np

def floatx(): return "float32"
def variable(value, dtype=None, name=None): return np.array(value, dtype or "float32")
def constant(value, dtype=None, name=None): return np.array(value, dtype or "float32")
def exp(x): return np.exp(x)
def sqrt(x): return np.sqrt(np.maximum(x, 0))
def absolute(x): return np.abs(x)
def dtype(x): return x.dtype.name
def int_shape(x): return x.shape
def eval(x): return np.asarray(x)
'''
SMOKE = ("--profile", "smoke", "-j", "1", "--no-database")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    first_look._say.cache_clear()
    (place / "mybackend.py").write_text(BACKEND, encoding="utf-8")
    return place


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def test_a_backend_is_run_from_the_folder_it_stands_in() -> None:
    for named in (["mybackend.py"], ["--module", "mybackend"], ["--module", "mybackend.py"]):
        result = invoke("run", *named, "-k", "exp and not expand", *SMOKE)
        assert result.exit_code == 0, result.output
        assert re.search(r"^  exp +\S 6/7", result.output, re.M)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ((), "add --output reports; then run `conformance show exp`"),
        (("--output", "reports"), "`conformance show exp` shows the cases"),
        (("--output", "o ut"), "`conformance show exp --results 'o ut'` shows the cases"),
    ],
)
def test_the_report_says_how_to_see_the_cases_and_that_is_so(
    output: tuple[str, ...], message: str, folder: Path
) -> None:
    (folder / "wrong.py").write_text(BACKEND.replace("np.exp(x)", "np.exp(x) + 1"))
    ran = invoke("run", "wrong.py", "-k", "exp", "--aspect", "value", *SMOKE, *output)
    assert message in ran.output
    if output:
        (command,) = re.findall("`conformance (show .*?)`", ran.output)
        shown = invoke(*shlex.split(command))
        assert "✗ value" in shown.output


@pytest.mark.parametrize("name", ["mybackend", "mybackend.p", "my-backend"])
def test_a_name_that_is_nearly_a_file_here_leads_to_it(name: str) -> None:
    result = invoke("run", name, *SMOKE)
    assert result.exit_code == 2
    assert "for a file in this folder: mybackend.py; " in result.stderr
    assert "in this folder" not in invoke("run", "tensorflw", *SMOKE).stderr


def test_a_file_of_a_package_is_imported_as_a_part_of_it(folder: Path) -> None:
    package = folder / "src" / "mine"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "backend.py").write_text("from .parts import *\n")
    (package / "parts.py").write_text(BACKEND)
    result = invoke("run", "src/mine/backend.py", "-k", "exp and not expand", *SMOKE, "-q")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("mine.backend: ")


def test_an_eager_module_is_found_out_and_other_names_are_proposed() -> None:
    result = invoke("run", "mybackend.py", "-k", "abs", *SMOKE)
    assert "it has neither placeholder nor function" in result.stderr
    assert '`absolute` looks like `abs`: names = { abs = "absolute" }' in result.stderr
    named = invoke("run", "mybackend.py", "--name", "abs=absolute", "-k", "abs", *SMOKE)
    assert "looks like" not in named.stderr
    assert re.search(r"^  abs +\S 6/8", named.output, re.M), named.output


def test_a_module_with_a_graph_is_no_eager_one() -> None:
    target = completed(Target(name="r", module="conformance.reference", edition="keras-2.2"))
    root = Path(conformance.__file__).parents[1]
    target = completed(target, [root])
    assert look(target, ("placeholder", "nothing", "function")) == {"placeholder", "function"}


def test_every_other_name_belongs_to_a_documented_function() -> None:
    assert {*OTHER_NAMES} <= {*load()}
    assert {"absolute", "abs", "lesser"} <= {*known_names()}
    assert proposed(["abs", "sum", "exp"], ["absolute", "sum"]) == {"abs": "absolute"}


@pytest.mark.parametrize(
    ("names", "problem", "hint"),
    [
        ('{ abz = "absolute" }', "no document has a function 'abz'", "did you mean abs"),
        ('{ abs = "absolut" }', "mybackend has no 'absolut'", "did you mean absolute?"),
    ],
)
def test_wrong_entries_of_names_are_told(names: str, problem: str, hint: str, folder: Path) -> None:
    (folder / "conformance.toml").write_text(
        f'[targets.mine]\nmodule = "mybackend"\nedition = "keras-2.2"\npath = "."\nnames = {names}'
    )
    result = invoke("run", "mine", "-k", "abs", *SMOKE)
    assert result.exit_code == 2
    assert problem in result.output and hint in result.output


def test_an_error_of_import_is_its_last_line_and_what_to_do(folder: Path) -> None:
    (folder / "broken.py").write_text("import not_there\n")
    result = invoke("run", "broken.py", "-k", "exp", *SMOKE)
    assert result.exit_code == 3
    output = " ".join(result.output.split())
    assert "ModuleNotFoundError: No module named 'not_there' (" in output
    assert "broken.py:1); install what has not_there" in output
    assert "Traceback" not in result.output
    assert "Traceback" in invoke("run", "broken.py", "-k", "exp", "-v", *SMOKE).output
    elsewhere = invoke("run", "--module", "nowhere", "-k", "exp", *SMOKE)
    assert "say where nowhere is: --path FOLDER" in elsewhere.output


def test_targets_says_what_cannot_be_imported(folder: Path) -> None:
    (folder / "broken.py").write_text("import not_there\n")
    tables = '[targets.{0}]\nmodule = "{0}"\nedition = "keras-2.2"\npath = "."\n'
    (folder / "conformance.toml").write_text(tables.format("broken") + tables.format("mybackend"))
    output = invoke("targets", "--config", "conformance.toml").output
    states = {line.split()[0]: line for line in output.splitlines() if line}
    assert "missing: broken cannot be imported" in states["broken"]
    assert states["mybackend"].rstrip().endswith("ready")


WRONG = {
    ("run", "reference", "--aspect", "static-shap"): "did you mean static shape",
    ("run", "reference", "--profile", "smok"): "smoke, default, thorough",
    ("run", "reference", "--edition", "keras-9"): "keras-1, keras-2.0, keras-2.2",
    ("rnu",): "did you mean run",
    ("run", "--profil", "smoke"): "--profile",
    ("run", "keras-2.2.4"): "did you mean keras-2.2.4-",
    ("run", "nothere.py"): "there are: mybackend.py",
    ("run", "mybackend.py", "--module", "x"): "one module at a time",
    ("run", "--name", "a=b"): "--name goes with --module",
    ("run", "mybackend.py", "--name", "ab"): "write --name NAME=OWN",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_was_meant_is_proposed(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert WRONG[arguments] in result.output


def test_an_aspect_may_be_written_with_hyphens_or_underscores() -> None:
    for aspect in ("static-shape", "Static_Shape"):
        assert invoke("run", "reference", "-k", "elu", "--aspect", aspect, *SMOKE).exit_code == 0


@pytest.mark.parametrize(
    ("field", "allowed"), [("edition", "keras-1, keras-2.0, keras-2.2"), ("family", "eager, graph")]
)
def test_a_wrong_word_in_toml_lists_the_right_ones(field: str, allowed: str, folder: Path) -> None:
    fields = {"module": "mybackend", "edition": "keras-2.2", field: "zzz"}
    lines = [f'{key} = "{value}"' for key, value in fields.items()]
    (folder / "conformance.toml").write_text("\n".join(["[targets.mine]", *lines]))
    result = invoke("run", "mine")
    assert result.exit_code == 2
    assert f"there are: {allowed}" in result.output


def test_an_output_that_cannot_be_written_is_told_before_the_run() -> None:
    result = invoke("run", "reference", "--output", "/proc/x", *SMOKE)
    assert result.exit_code == 2
    assert "--output /proc/x: the suite cannot write there" in result.output
    assert "judged" not in result.output


def test_what_is_missing_has_a_reason() -> None:
    def function(name: str, *verdicts: tuple[Aspect, Verdict]) -> FunctionResult:
        return FunctionResult(
            name, "t", [AspectResult(aspect=a, verdict=v, cases=0) for a, v in verdicts]
        )

    absent = ((Aspect.PRESENCE, Verdict.UNSUPPORTED), (Aspect.VALUE, Verdict.UNSUPPORTED))
    reasons = missing_reasons(
        [
            function("gradients", *absent),
            function("abs", *absent),
            function(
                "exp", (Aspect.PRESENCE, Verdict.CONFORMS), (Aspect.GRADIENT, Verdict.UNSUPPORTED)
            ),
        ]
    )
    assert [(r.says, list(r.functions), r.aspects) for r in reasons] == [
        (ABSENT, ["gradients", "abs"], 4),
        ("gradients is absent", ["exp"], 1),
    ]
    assert (
        "the function is absent: 8 aspects of abs"
        in invoke("run", "mybackend.py", "-k", "abs", *SMOKE).output
    )


def test_hypothesis_writes_into_the_cache_alone(folder: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")}
    environment.pop(VARIABLE, None)
    command = [sys.executable, "-m", "conformance", "run", "mybackend.py", "-k", "sqrt", *SMOKE]
    subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True)
    assert {file.name for file in folder.iterdir()} <= {"mybackend.py", "__pycache__"}


def test_a_project_that_uses_hypothesis_keeps_its_own_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment: dict[str, str] = {}
    keep_in_cache(environment)
    assert Path(environment[VARIABLE]) == cache_folder() / "hypothesis"
    monkeypatch.setenv("CONFORMANCE_CACHE", str(folder / "other"))
    environment = {}
    keep_in_cache(environment)
    assert Path(environment[VARIABLE]) == cache_folder() / "hypothesis"
    (folder / ".hypothesis").mkdir()
    environment = {}
    keep_in_cache(environment)
    assert environment == {}


def test_the_first_result_comes_within_seconds(folder: Path) -> None:
    """On a machine that does nothing else it takes two; the first line that a pipe gets is it."""
    command = [sys.executable, "-m", "conformance", "run", "reference", "--profile", "smoke"]
    begun = time.monotonic()
    with subprocess.Popen(
        [*command, "-k", "relu", "--no-database"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        seconds = time.monotonic() - begun
        process.stdout.read()
    assert first.startswith("reference: relu judged")
    assert seconds < 30


OPS = """
import numpy as np
def convert_to_tensor(x, dtype=None): return np.asarray(x, dtype)
def elu(x, alpha=1.0): return np.where(x > 0, x, alpha * np.expm1(x))
def gelu(x): return x
def hard_tanh(x): return x
def relu(x): return np.maximum(x, 0)
"""


def test_a_module_that_stands_in_no_package_of_its_own_is_told_where_to_stand(folder: Path) -> None:
    """`keras.ops.relu` is `ops.relu` of the package: 0 of 347 functions would be found."""
    (folder / "hostile.py").write_text(OPS, encoding="utf-8")
    done = invoke("run", "hostile.py", "--edition", "keras-3", *SMOKE)
    assert done.exit_code == 2
    assert "hostile itself has convert_to_tensor (" in done.output
    assert "but keras.ops.convert_to_tensor belongs" in done.output
    assert "belongs in a package" in done.output
    assert "hint: put it into a package as PACKAGE/ops.py" in done.output


def test_a_run_says_first_which_other_edition_a_module_has_more_of(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "mine" / "ops.py").write_text(OPS, encoding="utf-8")
    message = "tests it against keras-2.2, of which it has 2 functions; it has 5 of keras-3"
    assert message in invoke("run", "--module", "mine.ops", "-k", "relu", *SMOKE).output
    first_look._say.cache_clear()
    for of_its_own in (("--module", "mine.ops", "--edition", "keras-3"), ("mybackend.py",)):
        run = invoke("run", *of_its_own, "-k", "keras.ops.relu or exp", *SMOKE)
        assert "the suite tests it against" not in run.output
