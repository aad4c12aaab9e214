"""An edition is added by files, without a change of code; a wrong file is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.editions import (
    DOCUMENTS,
    EDITIONS,
    LINED_DOCUMENTS,
    differentiates,
    inputs_of,
    known_edition,
)
from conformance.editions.files import EditionError, found_editions

PAGE = (Path(__file__).parents[2] / "docs" / "editions.md").read_text("utf-8")
(SPEC,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
"""The example of a spec of an edition of one's own."""
EDITION = 'order = 9\ndocuments = ["my-doc"]\ncited_by = "section"\n'
BACKEND = """
import numpy as np
def larger(a, b): return {larger}
"""
RIGHT = "np.maximum(a, b)"
WRONG = "np.minimum(a, b)"


def folder(path: Path, *, edition: str = EDITION, spec: str = SPEC, **documents: str) -> Path:
    place = path / "my-api"
    (place / "specs").mkdir(parents=True)
    (place / "documents").mkdir()
    (place / "edition.toml").write_text(edition)
    (place / "specs" / "mine.yaml").write_text(spec)
    for name, text in documents.items():
        (place / "documents" / f"{name.replace('_', '-')}.yaml").write_text(text)
    return place


def conformance(
    *arguments: str, editions: Path, cwd: Path, seconds: float = 120
) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    variables = {"CONFORMANCE_EDITIONS": str(editions), "PYTHONPATH": places, "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "conformance", *arguments],
        env={**os.environ, **variables},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


def test_what_comes_with_the_suite() -> None:
    assert EDITIONS[:4] == ("keras-1", "keras-2.0", "keras-2.2", "keras-3")
    assert DOCUMENTS[:6] == ("ja-1", "ja-1-text", "ja-2.0", "zh-TW", "ko-2.2", "keras-3.15.1")
    assert {*DOCUMENTS} - {*LINED_DOCUMENTS} == {"keras-3.15.1"}
    assert "constant" not in inputs_of("keras-1")
    assert "constant" in inputs_of("keras-2.2")
    assert [e for e in EDITIONS if differentiates(e)] == ["keras-3"]
    assert known_edition("keras-3") == "keras-3"
    assert known_edition("keras-9") is None


def test_an_edition_of_files_is_shown(tmp_path: Path) -> None:
    done = conformance("show", "larger", "--all", editions=folder(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "larger(a, b)" in done.stdout


@pytest.mark.thorough
def test_a_wrong_rule_of_it_is_told_with_its_line(tmp_path: Path) -> None:
    wrong = SPEC.replace("shape: [broadcast-shape, x, y]", "shape: [shape, x]")
    number = 1 + wrong.splitlines().index("  shape: [shape, x]")
    edition = folder(tmp_path, spec=wrong)
    done = conformance("spec", "check", editions=edition, cwd=tmp_path, seconds=900)
    assert done.returncode == 2, done.stderr
    (message, last) = done.stdout.splitlines()
    assert message.startswith(f"my-api/specs/mine.yaml:{number}: larger: shape: gives (")
    assert last.startswith("specs and scenarios have 1 wrong part")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("value", "status"), [(RIGHT, 0), (WRONG, 1)])
def test_an_implementation_is_tested_against_it(tmp_path: Path, value: str, status: int) -> None:
    (tmp_path / "mine.py").write_text(BACKEND.format(larger=value))
    options = ["--module", "mine", "--edition", "my-api", "--path", str(tmp_path), "--no-database"]
    done = conformance(
        "run", *options, "--profile", "smoke", editions=folder(tmp_path), cwd=tmp_path
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert ("larger: Returns" in done.stdout) is (status == 1)


@pytest.mark.parametrize(
    ("edition", "message"),
    [
        ("documents = ['my-doc']", "order"),
        ("order = 9\ndocuments = ['ko-2.2']", "the edition keras-2.2 has a document 'ko-2.2'"),
        ("order = 9\ndocuments = []", "length >= 1"),
        ("order = 9\ndocuments = ['my doc']", "'my doc' is no name of an edition or document"),
        ("order = 9\ndocuments = ['my-doc']\ncited_by = 'page'", "page"),
        ("order = 9\ndocuments = ['my-doc']\ncites = 'line'", "cites"),
        ("order =", "edition.toml"),
    ],
)
def test_a_wrong_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edition: str, message: str
) -> None:
    monkeypatch.setenv("CONFORMANCE_EDITIONS", str(folder(tmp_path, edition=edition)))
    with pytest.raises(EditionError, match=re.escape(message)) as caught:
        found_editions()
    assert "edition.toml" in str(caught.value)


def test_a_folder_without_the_file_is_refused_without_a_traceback(tmp_path: Path) -> None:
    done = conformance("show", "softmax", "--all", editions=tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: CONFORMANCE_EDITIONS: ")
    assert "edition.toml" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{my-api: my-doc}", "{my-apo: my-doc}", "my-apo"),
        ("section: Returns", "at: {my-doc: 3}", "has no lines"),
        ("section: Returns", "section: Raises", "it has: Summary, Returns"),
        ('{text: "larger(a, b)"}', '{line: 3, text: "larger(a, b)"}', "no lines"),
    ],
)
def test_a_wrong_spec_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    list_of_functions = '- {name: larger, signature: "(a, b)", sections: [Summary, Returns]}\n'
    assert old in SPEC
    edition = folder(tmp_path, spec=SPEC.replace(old, new), my_doc=list_of_functions)
    done = conformance("show", "larger", "--all", editions=edition, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert "my-api/specs/mine.yaml" in done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
