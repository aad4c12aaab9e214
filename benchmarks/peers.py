"""Beside others: array-api-tests on NumPy, and Keras's own backend tests, measured in one run.

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests
    python -m venv V && V/bin/pip install numpy -r array-api-tests/requirements.txt
    python -m benchmarks.peers array-api array-api-tests V/bin/python

    pip download keras==2.2.4 --no-binary :all: --no-deps && tar xzf Keras-2.2.4.tar.gz
    uv pip install --python PYTHON36 --target PYTEST pytest==7.0.1 pytest-timeout==2.1.0
    python -m benchmarks.peers keras Keras-2.2.4/tests/keras/backend PYTEST

An example of Hypothesis is one input, and so is one of our cases; a structure is a call with its
shapes, dtypes and arguments, for which we draw several inputs. Start-up, which is what collecting
the tests or planning nothing costs, is taken off. CPU time is that of all processes.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.table import Table

from benchmarks.printing import printed
from conformance.adapters.registry import shipped
from conformance.engine import PROFILES, plan
from conformance.reporting.json_results import read_results
from conformance.specs import load
from tools.keras_tests import Runner

EXAMPLES = re.compile(r"(\d+) passing, (\d+) failing, and \d+ invalid")
"""Those that were drawn in vain ("invalid") test nothing."""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
MOST = 100
"""Examples for each of its tests: Hypothesis's own default."""


@dataclass(frozen=True, slots=True)
class PeerTime:
    """CPU and wall seconds of a command and of all that it started, and what it printed."""

    cpu: float
    wall: float
    output: str = ""


def ran(command: Sequence[object], environment: Mapping[str, str], folder: Path) -> PeerTime:
    """Run a command to its end, whatever its exit status."""
    before, start = _children(), time.monotonic()
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **environment},
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    return PeerTime(_children() - before, time.monotonic() - start, done.stdout + done.stderr)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True, slots=True)
class PeerRow:
    """One suite on one library."""

    name: str
    inputs: int
    tests: str
    start: float
    spent: PeerTime

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        net = max(0.01, self.spent.cpu - self.start)
        numbers = (self.start, self.spent.cpu, self.spent.wall, self.inputs / net)
        return self.name, self.tests, f"{self.inputs:,}", *(f"{n:.1f}" for n in numbers)


def shown(rows: Sequence[PeerRow]) -> Table:
    """The table of all rows."""
    heads = ("start-up, CPU s", "all, CPU s", "wall s", "inputs per CPU s, net")
    shown = Table("", "tests", "inputs", *heads)
    for row in rows:
        shown.add_row(*row.cells())
    return shown


def ours(target: str, profile: str) -> PeerRow:
    """A run of this suite; its start is that of a run of one function of one aspect."""
    command = [sys.executable, "-m", "conformance", "run", target, "--no-database", "--quiet"]
    command += ["--fail-on", "never", "--profile", profile, "--output"]
    with tempfile.TemporaryDirectory() as folder:
        little = ran([*command, f"{folder}/less", "-k", "floatx", "--aspect", "presence"], {}, HERE)
        spent = ran([*command, folder], {}, HERE)
        cases = read_results(Path(folder, f"{target}.json")).run.cases
    tasks = plan(load(), shipped()[target].edition, PROFILES[profile], 0)
    trials = sum(len(task.trials()) for task in tasks)
    return PeerRow(f"this suite, {profile}, on {target}", cases, f"{trials:,}", little.cpu, spent)


HERE = Path(__file__).parents[1]


@click.group(help=__doc__)
def main() -> None:
    """Compare with another suite."""


@main.command("array-api")
@click.argument("checkout", type=click.Path(exists=True, path_type=Path))
@click.argument("python", type=click.Path(exists=True, path_type=Path))
@click.option("--tests", default="array_api_tests", help="Which of its files.")
def array_api(checkout: Path, python: Path, tests: str) -> None:
    """Compare array-api-tests on NumPy with this suite on the reference, which is NumPy, too."""
    environment = {"ARRAY_API_TESTS_MODULE": "numpy"}
    asked = [python.absolute(), *PYTEST, f"--max-examples={MOST}", tests]
    start = ran([*asked, "--collect-only"], environment, checkout)
    spent = ran([*asked, "--hypothesis-show-statistics"], environment, checkout)
    count = sum(int(n) for counts in EXAMPLES.findall(spent.output) for n in counts)
    passed = re.search(r"(\d+) passed", spent.output)
    its = PeerRow("array-api-tests on NumPy", count, passed[1] if passed else "0", start.cpu, spent)
    printed(shown([its, ours("reference", "default"), ours("reference", "smoke")]))


@main.command("keras")
@click.argument("tests", type=click.Path(exists=True, path_type=Path))
@click.argument("pytest", type=click.Path(exists=True, path_type=Path))
@click.argument("targets", nargs=-1)
def keras(tests: Path, pytest: Path, targets: Sequence[str]) -> None:
    """Compare Keras's own backend_test.py on a library with this suite on it."""
    rows: list[PeerRow] = []
    for name in targets or ("keras-2.2.4-tensorflow", "keras-2.2.4-cntk", "keras-2.2.4-theano"):
        others = [t for n, t in shipped().items() if n.startswith("keras-2.2.4") and n != name]
        runner = Runner(shipped()[name], tests.resolve(), pytest.resolve(), others)
        before, start = _children(), time.monotonic()
        outcome = runner.run({})
        spent = PeerTime(_children() - before, time.monotonic() - start)
        ended = "no end" if outcome is None else f"{len(outcome[1])} of {sum(map(len, outcome))}"
        rows += [PeerRow(f"Keras's tests on {name}", 0, ended, 0.0, spent), ours(name, "smoke")]
    printed(shown(rows))


if __name__ == "__main__":
    main()
