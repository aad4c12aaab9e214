"""The runner in JavaScript: TensorFlow.js, its results, planted faults, altered vectors.

Skipped without Node and npm, or where npm cannot install TensorFlow.js.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.reporting.json_results import read_results
from conformance.results import Aspect, Results, Verdict
from conformance.vectors.safetensors import StoredTensor
from tests.vectors.support import altered, first_vector, small_tasks, write

EXAMPLE = Path(__file__).parents[2] / "examples" / "tfjs"
FAULTY = (
    *("exp", "softmax", "sum", "max", "cumsum", "conv2d", "pool2d", "permute_dimensions"),
    *("tanh", "less"),
)
MOST_LINES = 200

Answer = subprocess.CompletedProcess[str]


def test_the_runner_is_short() -> None:
    lines = (EXAMPLE / "runner.mjs").read_text("utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 120


class Runner:
    """The example, installed and built, and a folder of vectors."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tfjs"
        shutil.copytree(
            EXAMPLE, self.folder, ignore=shutil.ignore_patterns("node_modules", "build")
        )
        self._npm("ci", "--no-audit", "--no-fund")
        self._npm("run", "build")
        functions = [*FAULTY, "bias_add", "eye", "batch_dot"]
        self.vectors = write(folder / "vectors", small_tasks(functions))

    def _npm(self, *arguments: str) -> None:
        npm = shutil.which("npm")
        if npm is None or shutil.which("node") is None:
            pytest.skip("there is no Node or npm on PATH: apt-get install nodejs npm")
        done = self._run(npm, *arguments)
        if done.returncode:
            pytest.skip(f"npm {arguments[0]} fails here: {done.stderr[-300:]}")

    def node(self, script: str, *arguments: str | Path) -> Answer:
        """Run a built script."""
        return self._run("node", f"build/{script}", *map(str, arguments))

    def _run(self, *command: str) -> Answer:
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=500
        )

    def results(self, vectors: Path, *functions: str) -> Results:
        """The results of TensorFlow.js on these functions, or all."""
        file = self.folder / "tfjs.json"
        done = self.node("main.cjs", vectors, file, *functions)
        assert done.returncode == 0, done.stderr
        return read_results(file)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("example"))


def verdict(results: Results, function: str, aspect: Aspect = Aspect.VALUE) -> Verdict:
    """The verdict on one aspect of a function."""
    result = next(f for f in results.functions if f.function == function)
    return next(a.verdict for a in result.aspects if a.aspect is aspect)


@pytest.mark.slow
def test_tensorflow_js_has_a_column_of_the_matrix(runner: Runner, tmp_path: Path) -> None:
    results = runner.results(runner.vectors)
    assert verdict(results, "exp") is Verdict.CONFORMS
    assert verdict(results, "batch_dot", Aspect.PRESENCE) is Verdict.UNSUPPORTED
    assert results.run.cases > 100
    (bias,) = (f for f in results.functions if f.function == "bias_add")
    (failure,) = (x for a in bias.aspects for x in a.failures if x.verdict is Verdict.VIOLATES)
    assert "raises Unexpected bias dimensions: 4; expected it to be 1 or 5" in failure.message
    assert failure.citation is not None
    report = CliRunner().invoke(main, ["report", str(runner.folder / "tfjs.json")])
    assert report.exit_code == 0
    assert "| function | `tfjs` |" in report.output
    assert "| `exp` | ✓ C 3/3 |" in report.output


@pytest.mark.slow
def test_ten_faults_in_tensorflow_js_are_flagged(runner: Runner) -> None:
    done = runner.node("faults.cjs", runner.vectors)
    assert (done.returncode, done.stdout) == (0, "10 of 10 faults are flagged\n")


def larger(data: dict[str, Any], tensors: dict[str, StoredTensor]) -> None:
    """One element is a tenth larger, with its limits."""
    expected = first_vector(data)["expected"]
    for name in ("value", "lower", "upper"):
        array = tensors[expected[name]].array.copy()
        array.flat[0] *= array.dtype.type(1.1)
        tensors[f"larger {name}"] = tensors[expected[name]]._replace(array=array)
        expected[name] = f"larger {name}"


@pytest.mark.slow
def test_altered_vectors_are_rejected(runner: Runner, tmp_path: Path) -> None:
    assert verdict(runner.results(runner.vectors, "tanh"), "tanh") is Verdict.CONFORMS
    signed = altered(runner.vectors, tmp_path / "signed", "tanh", larger)
    assert verdict(runner.results(signed, "tanh"), "tanh") is Verdict.VIOLATES
    unsigned = altered(runner.vectors, tmp_path / "other", "tanh", larger, checksums=False)
    done = runner.node("main.cjs", unsigned, tmp_path / "tfjs.json")
    assert done.returncode == 2
    assert done.stderr.endswith(
        "error: keras-2.2/tanh.json: its checksum is not that in index.json\n"
    )


@pytest.mark.slow
def test_a_folder_without_vectors_is_named(runner: Runner, tmp_path: Path) -> None:
    done = runner.node("main.cjs", tmp_path, tmp_path / "tfjs.json")
    assert done.returncode == 2
    assert "index.json" in done.stderr
    assert "at " not in done.stderr.splitlines()[-1]
