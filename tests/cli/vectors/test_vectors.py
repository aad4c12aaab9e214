"""`conformance vectors` and `conformance run --vectors`: files, messages, statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.json_results import read_results
from conformance.results import Aspect, Verdict


def conformance(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def vectors(folder: Path, *arguments: str) -> Result:
    return conformance("vectors", "-o", folder, "-j", "1", *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("vectors")
    done = vectors(place, "--edition", "keras-2.2", "-k", "exp or softmax")
    assert done.exit_code == 0, done.output
    return place


def run(folder: Path, *arguments: str | Path) -> Result:
    return conformance("run", "reference", "--no-database", "--vectors", folder, *arguments)


def test_the_number_of_vectors_is_printed(tmp_path: Path) -> None:
    done = vectors(tmp_path, "--edition", "keras-2.2", "--edition", "keras-1", "-k", "softmax")
    assert done.exit_code == 0
    index = json.loads((tmp_path / "index.json").read_bytes())
    counts = {e: f["softmax"]["vectors"] for e, f in index["editions"].items()}
    assert f"keras-1: {counts['keras-1']} vectors of 1 function\n" in done.output
    assert f"keras-2.2: {counts['keras-2.2']} vectors of 1 function\n" in done.output
    assert f"index.json: {sum(counts.values())} vectors, 0.2 MB" in done.output


def test_several_processes_write_the_same_files(folder: Path, tmp_path: Path) -> None:
    again = ("vectors", "-o", tmp_path, "--edition", "keras-2.2", "-k", "exp or softmax")
    assert conformance(*again, "-j", "2").exit_code == 0
    assert (tmp_path / "index.json").read_bytes() == (folder / "index.json").read_bytes()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    done = vectors(tmp_path, "-k", "softmax")
    assert done.exit_code == 2
    assert "has other files, such as mine.txt, and no index.json" in done.output
    assert "hint: name a new or empty folder" in done.output


def test_a_folder_with_a_damaged_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("[]", "utf-8")
    done = vectors(tmp_path, "-k", "softmax")
    assert done.exit_code == 2
    assert "this is not a file of vectors" in done.output
    assert "hint: delete index.json, or name a new folder" in done.output


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        ("softmox", "no function is selected by -k 'softmox'"),
        ("set_floatx", "set_floatx has no vectors: programs of several calls test it"),
    ],
)
def test_a_selection_without_vectors_is_refused(tmp_path: Path, selection: str, says: str) -> None:
    done = vectors(tmp_path, "-k", selection)
    assert done.exit_code == 2
    assert says in done.output


def test_a_run_by_vectors_has_their_cases_and_aspects(folder: Path, tmp_path: Path) -> None:
    done = run(folder, "-o", tmp_path)
    assert done.exit_code == 0, done.output
    results = read_results(tmp_path / "reference.json")
    index = json.loads((folder / "index.json").read_bytes())
    assert results.run.cases == index["vectors"]
    assert (results.run.profile, results.run.seed, results.run.whole) == ("smoke", 0, False)
    verdicts = {(a.aspect, a.verdict) for f in results.functions for a in f.aspects}
    assert (Aspect.VALUE, Verdict.CONFORMS) in verdicts
    assert not results.run.fingerprints, "such results are not reused for a whole run"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--resume", "-o", "out"), "--resume does not go with --vectors"),
        (("--max-time", "5m"), "--max-time does not go with --vectors"),
        (("--aspect", "gradient"), "vectors have no aspect gradient"),
        (("--edition", "keras-1"), "has no vectors of keras-1: it has keras-2.2"),
        (("-k", "relu"), "no function of keras-2.2 is selected by -k 'relu'"),
    ],
)
def test_options_that_contradict_vectors_are_refused(
    folder: Path, arguments: tuple[str, ...], says: str
) -> None:
    done = run(folder, *arguments)
    assert done.exit_code == 2
    assert says in done.output


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.exit_code == 2
    assert "index.json: No such file or directory; make the vectors again" in done.output
    assert "Traceback" not in done.output
