"""Run Keras's own backend tests with each code mutant of a report, and write what they notice.

    pip download keras==2.2.4 --no-binary :all: --no-deps && tar xzf Keras-2.2.4.tar.gz
    uv pip install --python PYTHON36 --target PYTEST \\
        pytest==7.0.1 pytest-timeout==2.1.0 coverage==5.5
    python -m tools.keras_tests keras-2.2.4-tensorflow reports/mutation \\
        --tests Keras-2.2.4/tests/keras/backend --pytest PYTEST --with keras-2.2.4-theano

Writes TARGET.other-tests.json beside TARGET.code-mutation.json, and the page of that
report. Mutants in TARGET.other-tests.json do not run again. A mutant runs with the tests that reach
its function in a run without a change; other tests cannot notice it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import click
from msgspec.structs import replace

from conformance.adapters.environments import interpreter, launch_environment
from conformance.adapters.registry import shipped
from conformance.adapters.target_records import Target
from conformance.files import write_atomically
from conformance.mutation.code.page import read_report, report_file, write_report
from conformance.mutation.code.population import CodeMutant, code_population, sources
from conformance.mutation.code.records import (
    MOST_NAMED,
    OtherTests,
    encode_other_tests,
    load_classified,
    other_tests_file,
    read_other_tests,
)
from conformance.mutation.code.scoring import FOLDER
from tools.keras_reach import SETTINGS, KerasReach, read_reach

PLUGIN = Path(__file__).parents[1] / "tests" / "keras"
FILE = "backend_test.py"
SECONDS = 1200
NUMBER = 9
"""The worker whose folders for compiled code are used: no other run has so many."""


@dataclass(frozen=True, slots=True)
class Runner:
    """How Keras's tests are run on a target."""

    target: Target
    tests: Path
    pytest: Path
    also: Sequence[Target]
    """Other targets whose environment variables the tests need, because they compare libraries."""

    def run(
        self, files: Mapping[str, bytes], tests: Sequence[str] = (FILE,)
    ) -> tuple[set[str], set[str]] | None:
        """The tests that fail and those that pass with these sources; None if there is no end."""
        with tempfile.TemporaryDirectory(prefix="conformance-keras-") as folder:
            report, written = Path(folder, "report.xml"), _written(files, Path(folder))
            ended = self._python(["-m", *self._pytest(report), *tests], written)
            return outcomes(report) if ended else None

    def reach(self) -> KerasReach:
        """Which tests reach which lines.

        Raises:
            ClickException: the tests do not end.
        """
        with tempfile.TemporaryDirectory(prefix="conformance-keras-") as folder:
            settings = Path(folder, "settings")
            settings.write_text(SETTINGS.format(folder=folder), "utf-8")
            watched = ["-m", "coverage", "run", f"--rcfile={settings}"]
            asked = self._pytest(Path(folder, "report.xml"))
            ended = self._python([*watched, "-m", *asked, FILE], {})
            self._python(["-m", "coverage", "json", f"--rcfile={settings}"], {})
            report = Path(folder, "coverage.json")
            if not ended or not report.exists():
                raise click.ClickException("the tests do not end under coverage.py")
            return read_reach(report)

    def _python(self, arguments: Sequence[str], written: Mapping[str, str]) -> bool:
        """Whether the interpreter ends in time."""
        try:
            subprocess.run(
                [str(interpreter(self.target)), "-B", *arguments],
                env=self._environment(written),
                cwd=self.tests,
                check=False,
                capture_output=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return False
        return True

    def _pytest(self, report: Path) -> list[str]:
        options = ["-p", "conformance_pytest_mutant", "-p", "plugin", "-p", "no:cacheprovider"]
        # the folder may lie inside this one, whose settings are for the suite's own tests
        options += ["-o", "addopts=", "-o", "required_plugins="]
        return ["pytest", *options, "-q", "--timeout", "300", f"--junitxml={report}"]

    def _environment(self, files: Mapping[str, str]) -> dict[str, str]:
        environment: dict[str, str] = {}
        for target in (*self.also, self.target):
            environment |= launch_environment(target, NUMBER)
        paths = (FOLDER, PLUGIN, self.pytest)
        return environment | {
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "CONFORMANCE_CODE_MUTANT": json.dumps(files),
        }


def _written(files: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    places = {name: folder / f"{name}.py" for name in files}
    for name, place in places.items():
        place.write_bytes(files[name])
    return {name: str(place) for name, place in places.items()}


def outcomes(report: Path) -> tuple[set[str], set[str]] | None:
    """The names of the tests that fail and of those that pass, from a JUnit file."""
    if not report.exists():
        return None
    failing: set[str] = set()
    passing: set[str] = set()
    for case in ET.parse(report).iter("testcase"):
        bad = any(case.find(tag) is not None for tag in ("failure", "error"))
        (failing if bad else passing).add(str(case.get("name")))
    return failing, passing


def broken(
    outcome: tuple[set[str], set[str]] | None,
    steady: Iterable[str],
    asked: Sequence[str] | None = None,
) -> list[str]:
    """The failures among tests that pass without a change; with `asked` only among these tests."""
    if outcome is None:
        return ["no end"]
    among = None if asked is None else {name.rpartition("::")[2] for name in asked}
    counted = {test for test in steady if among is None or test.partition("[")[0] in among}
    return sorted(counted - outcome[1])[:MOST_NAMED]


def _without_change(runner: Runner, files: Mapping[str, bytes]) -> OtherTests:
    """The tests that pass in two runs of the unchanged source."""
    runs = [runner.run(files) for _ in range(2)]
    if runs[0] is None or runs[1] is None:
        raise click.ClickException("the tests do not end without a change")
    passing = runs[0][1] & runs[1][1]
    failing = (runs[0][0] | runs[1][0]) - passing
    about = "Keras 2.2.4's own tests/keras/backend/backend_test.py"
    return OtherTests(about=about, passing=sorted(passing), failing=sorted(failing))


def _noticing(
    runner: Runner, mutant: CodeMutant, reach: KerasReach, record: OtherTests
) -> list[str]:
    """The tests that notice a mutant, of those that reach its function."""
    asked = reach.tests(mutant)
    if asked == []:
        return []
    outcome = runner.run({mutant.module.name: mutant.source()}, asked or (FILE,))
    return broken(outcome, record.passing, asked)


@click.command(help=__doc__)
@click.argument("target")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--tests", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--pytest", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--with", "also", multiple=True)
def main(target: str, folder: Path, tests: Path, pytest: Path, also: Sequence[str]) -> None:
    """Run the tests with each mutant of the report."""
    known = shipped()
    runner = Runner(
        known[target], tests.resolve(), pytest.resolve(), [known[name] for name in also]
    )
    report, file = read_report(report_file(folder, target)), other_tests_file(folder, target)
    mutated = sources(known[target])
    record = read_other_tests(file) or _without_change(
        runner, {m.name: m.text.source for m in mutated.modules}
    )
    every = {m.id: m for m in code_population(mutated)}
    left = [every[judged.id] for judged in report.mutants if judged.id not in record.noticed]
    reach = runner.reach() if left else KerasReach({})
    with click.progressbar(left, label=target, show_pos=True) as bar:
        for mutant in bar:
            found_by = _noticing(runner, mutant, reach, record)
            record = replace(record, noticed={**record.noticed, mutant.id: found_by})
            write_atomically(file, encode_other_tests(record))
    write_report(report, folder, load_classified())


if __name__ == "__main__":
    main()
