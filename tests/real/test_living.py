"""What is left of the backend today: tf_keras in graph mode, and Keras 3."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.cli.migration import migration_command as migration
from conformance.results import Aspect, Results, Verdict
from tests.real.conftest import Examine, run
from tests.real.scripts import answer, shows
from tests.real.test_targets import OFFERED, result

NUMPY, GRAPH, LEGACY = "keras3-numpy", "tf_keras-graph", "keras3-legacy-tensorflow"
SELECTION = {NUMPY: "softmax or conv1d", GRAPH: "softmax or stop_gradient", LEGACY: "softmax"}


def absent(results: Results) -> set[str]:
    return {
        f.function
        for f in results.functions
        if result(results, f.function, Aspect.PRESENCE).verdict is Verdict.UNSUPPORTED
    }


@pytest.mark.parametrize("target", [NUMPY])
def test_what_the_mapping_leaves_out_is_absent_with_its_reason(target: str, tmp_path: Path) -> None:
    table = mappings.load(shipped()[target].mapping or Path())
    results = run(target, tmp_path, "--aspect", "presence")
    assert {f.function for f in results.functions} == {*OFFERED}
    assert absent(results) == table.absent.keys()
    (failure,) = result(results, "rnn", Aspect.PRESENCE).failures
    assert table.absent["rnn"] in failure.message


@pytest.mark.parametrize("target", [NUMPY])
def test_what_the_mapping_says_is_borne_out(target: str, tmp_path: Path) -> None:
    # the same everywhere, different everywhere, and different on this target alone
    results = run(target, tmp_path, "-k", "softplus or switch or bias_add or conv1d")
    assert {"softplus", "switch", "bias_add", "conv1d"} <= {f.function for f in results.functions}
    checked = CliRunner().invoke(migration, [str(tmp_path), "--check"])
    assert (checked.exit_code, "confirm" in checked.output) == (
        0,
        True,
    ), checked.output


@pytest.mark.parametrize("target", [GRAPH])
def test_graph_mode_has_gradients_and_the_softmax_of_old(target: str, examine: Examine) -> None:
    outcome = examine(target, SELECTION[target])
    gradient = result(outcome, "softmax", Aspect.GRADIENT)
    # a gradient of rank 1 is refused like the value
    assert gradient.verdict in (Verdict.CONFORMS, Verdict.UNSUPPORTED)
    assert gradient.cases > 0
    assert result(outcome, "softmax", Aspect.VALUE).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize("target", [LEGACY])
def test_the_legacy_backend_has_no_graph(target: str, tmp_path: Path) -> None:
    gone = absent(run(target, tmp_path, "--aspect", "presence"))
    assert {"placeholder", "function", "learning_phase", "logsumexp"} <= gone
    assert not {"rnn", "gradients", "softmax"} & gone


@pytest.mark.parametrize(("target", "function"), [(NUMPY, "conv1d"), (GRAPH, "stop_gradient")])
def test_a_violation_is_reproduced_by_its_script_without_the_suite(
    target: str, function: str, examine: Examine, tmp_path: Path
) -> None:
    aspect = result(examine(target, SELECTION[target]), function, Aspect.VALUE)
    wrong = (Verdict.VIOLATES, Verdict.CHANGED)  # those of a successor
    (failure, *_) = (x for x in aspect.failures if x.verdict in wrong)
    assert failure.script is not None
    answered = answer(target, failure.script, tmp_path)
    assert shows(answered, failure), (failure.message, answered)


@pytest.mark.parametrize("target", [GRAPH])
def test_a_file_runs_in_graph_mode(target: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tensorflow\nprint('eager:', tensorflow.executing_eagerly())\n")
    command = [sys.executable, "-m", "conformance", "exec", target, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "eager: False\n", done.stderr
