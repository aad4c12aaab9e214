"""`--reuse`: what has not changed is taken from earlier results, and is said; the rest is run."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

import conformance
from conformance.reporting.json_results import encode, read_results
from conformance.results import Results, timeless
from tests.cli.run.test_run import fake, invoke

CHOSEN = ("-k", "softmax or softsign or argmax", "--profile", "smoke", "-j", "1", "--no-database")
NAMES = ("softmax", "softsign", "argmax")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))


def read(folder: Path) -> Results:
    return read_results(folder / "reference.json")


def first(folder: Path, *options: str) -> Results:
    """The results of a run of the reference."""
    assert invoke("reference", *CHOSEN, "-o", str(folder), *options).exit_code == 0
    return read(folder)


def edit(folder: Path, change: Callable[[Results], Results]) -> None:
    (folder / "reference.json").write_bytes(encode(change(read(folder))))


def marked(results: Results, name: str, part: str, mark: str = "another") -> Results:
    """The results with another mark of one function."""
    assert results.run.fingerprints is not UNSET
    marks = {**results.run.fingerprints[name], part: mark}
    every = {**results.run.fingerprints, name: marks}
    return replace(results, run=replace(results.run, fingerprints=every))


def slowed(results: Results) -> Results:
    """The results with times that no function takes: two real ones may be equal."""
    assert results.run.spent is not UNSET
    every = {n: replace(cost, seconds_in_target=1e4) for n, cost in results.run.spent.items()}
    return replace(results, run=replace(results.run, spent=every))


def test_all_is_kept_where_nothing_has_changed(tmp_path: Path) -> None:
    before = first(tmp_path)
    assert before.run.fingerprints is not UNSET
    assert {*before.run.fingerprints} == {*NAMES}
    done = invoke("reference", *CHOSEN, "-o", str(tmp_path / "new"), "--reuse", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert f"reference: kept 3 of 3 functions from {tmp_path / 'reference.json'}\n" in done.output
    assert (tmp_path / "new" / "reference.json").read_bytes() == encode(before)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("oracle", "oracle changed (1)"),
        ("spec", "spec changed (1)"),
        ("row", "row of the mapping changed (1)"),
    ],
)
def test_what_has_changed_is_run_again(part: str, reason: str, tmp_path: Path) -> None:
    before = first(tmp_path)
    edit(tmp_path, lambda results: slowed(marked(results, "softsign", part)))
    new = tmp_path / "new"
    done = invoke("reference", *CHOSEN, "-o", str(new), "--reuse", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert f"kept 2 of 3 functions from {tmp_path / 'reference.json'}; 1 run: {reason}" in (
        done.output
    )
    after = read(new)
    assert timeless(after) == timeless(before)
    assert _run_again(read(tmp_path), after) == {"softsign"}


def _run_again(before: Results, after: Results) -> set[str]:
    """The functions that took other times."""
    assert before.run.spent is not UNSET
    assert after.run.spent is not UNSET
    was, has = before.run.spent, after.run.spent
    return {name for name in has if has[name].seconds_in_target != was[name].seconds_in_target}


def test_results_without_fingerprints_are_not_kept(tmp_path: Path) -> None:
    first(tmp_path)
    edit(tmp_path, lambda r: replace(r, run=replace(r.run, fingerprints=UNSET)))
    done = invoke("reference", *CHOSEN, "--reuse", str(tmp_path))
    assert "kept 0 of 3 functions; 3 run: without a fingerprint (3)" in done.output


def test_unfinished_functions_are_run_again(tmp_path: Path) -> None:
    first(tmp_path)
    edit(tmp_path, lambda r: replace(r, run=replace(r.run, unfinished=["argmax"], complete=False)))
    done = invoke("reference", *CHOSEN, "--reuse", str(tmp_path))
    assert "kept 2 of 3 functions" in done.output
    assert "1 run: unfinished (1)" in done.output


def test_other_options_are_no_mistake(tmp_path: Path) -> None:
    first(tmp_path)
    file = str(tmp_path / "reference.json")
    done = invoke("reference", *CHOSEN, "--seed", "1", "--reuse", file)
    assert done.exit_code == 0, done.output
    assert "3 run: other options (3)" in done.output
    wider = (*CHOSEN[2:], "-k", "softmax or exp and not (sum or expand)")
    done = invoke("reference", *wider, "--reuse", file)
    assert "kept 1 of 2 functions" in done.output
    assert "1 run: new (1)" in done.output


def test_several_places_are_looked_at_in_turn(tmp_path: Path) -> None:
    """As of an interrupted run, and of the published results, which are compressed."""
    published, running = tmp_path / "published", tmp_path / "running"
    before = first(published)
    shutil.copytree(published, running)
    edit(running, lambda results: marked(results, "argmax", "oracle"))
    edit(published, lambda results: marked(results, "softmax", "oracle"))
    packed = gzip.compress((published / "reference.json").read_bytes())
    (published / "reference.json").unlink()
    (published / "reference.json.gz").write_bytes(packed)
    places = ("--reuse", str(running), "--reuse", str(published))
    done = invoke("reference", *CHOSEN, "-o", str(tmp_path), *places)
    files = f"{running / 'reference.json'} and {published / 'reference.json.gz'}"
    assert f"kept 3 of 3 functions from {files}\n" in done.output
    assert timeless(read(tmp_path)) == timeless(before)


def test_a_backend_that_nothing_pins_is_run_again(tmp_path: Path) -> None:
    assert fake("correct", "-k", "argmax", "-o", str(tmp_path)).exit_code == 0
    done = fake("correct", "-k", "argmax", "--reuse", str(tmp_path))
    assert "1 run: implementation not pinned (1)" in done.output
    done = fake("correct", "-k", "argmax", "-o", str(tmp_path), "--resume")
    assert "kept 1 of 1 functions" in done.output


def test_resuming_runs_again_what_has_changed_meanwhile(tmp_path: Path) -> None:
    first(tmp_path)
    edit(tmp_path, lambda results: marked(results, "softmax", "engine"))
    done = invoke("reference", *CHOSEN, "-o", str(tmp_path), "--resume")
    assert "kept 2 of 3 functions" in done.output
    assert "1 run: engine changed (1)" in done.output


def test_resuming_writes_over_no_results_of_which_it_keeps_nothing(tmp_path: Path) -> None:
    """A run of hours would be lost, though its results are as good as on the day before."""
    first(tmp_path)
    for name in ("argmax", "softmax", "softsign"):
        edit(tmp_path, lambda results, name=name: marked(results, name, "engine"))  # type: ignore[misc]
    before = (tmp_path / "reference.json").read_bytes()
    done = invoke("reference", *CHOSEN, "-o", str(tmp_path), "--resume")
    assert done.exit_code == 2
    assert "none of its 3 functions can be kept (engine changed)" in done.output
    assert (tmp_path / "reference.json").read_bytes() == before


def test_a_place_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    done = invoke("reference", *CHOSEN, "--reuse", str(tmp_path / "none"))
    assert done.exit_code == 2
    assert "does not exist" in done.output


def test_a_file_that_holds_no_results_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "reference.json").write_text("{}")
    done = invoke("reference", *CHOSEN, "--reuse", str(tmp_path))
    assert done.exit_code == 2
    assert "missing required field `schema`" in done.output


# With the suite really changed


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "before", "after", "again"),
    [
        ("oracle/activations.py", "def softsign", "# a remark\ndef softsign", 0),
        (
            "oracle/activations.py",
            "def softsign(x: Array)",
            "def softsign(x: Array, _: Any = 0)",
            1,
        ),
        ("specs/activations.yaml", "name: softsign\n", "name: softsign  # a remark\n", 0),
        ("specs/activations.yaml", "one plus its magnitude", "1 plus its magnitude", 1),
        (
            "reference/activations.py",
            '    return _float("softsign", x)',
            '    x = x\n    return _float("softsign", x)',
            3,
        ),
    ],
)
def test_a_changed_suite_gives_what_a_full_run_gives(
    file: str, before: str, after: str, again: int, tmp_path: Path
) -> None:
    copy = tmp_path / "suite" / "conformance"
    shutil.copytree(Path(conformance.__file__).parent, copy)
    _execute(tmp_path, "-o", "old")
    source = (copy / file).read_text()
    assert before in source
    (copy / file).write_text(source.replace(before, after))
    output = _execute(tmp_path, "-o", "new", "--reuse", "old")
    _execute(tmp_path, "-o", "full")
    assert f"kept {3 - again} of 3 functions" in output
    full, new = read(tmp_path / "full"), read(tmp_path / "new")
    assert encode(timeless(new)) == encode(timeless(full))


def _execute(folder: Path, *options: str) -> str:
    code = "from conformance.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "reference", *CHOSEN, *options],
        cwd=folder,
        env={"PYTHONPATH": "suite", "HOME": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr
