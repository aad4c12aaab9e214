"""Real implementations: each target is examined once, and all tests of it read the results.

Without its environment a target's tests are skipped, and with CONFORMANCE_REQUIRE_REAL=1 those of
the targets in `DEMANDED` fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from conformance.reporting.json_results import read_results
from conformance.results import Results

REQUIRED = os.environ.get("CONFORMANCE_REQUIRE_REAL", "0") not in ("", "0")
DEMANDED = frozenset(
    {"keras-2.2.4-tensorflow", "keras-2.2.4-theano", "keras-2.2.4-cntk", "tf_keras"}
)
HERE = Path(__file__).parent

Examine = Callable[[str, str], Results]


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; those of one target stay in one process (pytest-xdist)."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("real")
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            item.add_marker(pytest.mark.xdist_group(parameters.get("target", "real")))


def require(target: str) -> None:
    """Skip the test of a target that is not ready; fail it where the target is required."""
    state = environments.status(shipped()[target])
    if isinstance(state, environments.Ready):
        return
    steps = dict.fromkeys([state.hint, f"conformance install {target}"])
    reason = f"{target} is not ready: {state.reason}; {', then '.join(f'`{s}`' for s in steps)}"
    if REQUIRED and target in DEMANDED:
        pytest.fail(f"{reason} (CONFORMANCE_REQUIRE_REAL is set)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def examine(tmp_path_factory: pytest.TempPathFactory) -> Examine:
    """Examine(target, selection): the results of `conformance run` at the smoke profile.

    Run once for each pair. The selection is an expression as after -k.
    """
    known: dict[tuple[str, str], Results] = {}

    def results(target: str, selection: str) -> Results:
        if (target, selection) not in known:
            folder = tmp_path_factory.mktemp(target)
            known[target, selection] = run(target, folder, "-k", selection)
        return known[target, selection]

    return results


def run(target: str, folder: Path, *arguments: str) -> Results:
    """The results of one `conformance run` of the command line, in a process of its own."""
    require(target)
    program = Path(sys.executable).with_name("conformance")
    command = [str(program), "run", target, "--profile", "smoke"]
    done = subprocess.run(
        [*command, "--output", str(folder), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return read_results(folder / f"{target}.json")
