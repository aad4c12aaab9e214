"""Lines of the documents beside what cites them, for those who have the texts."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.json_results import JsonWriter
from conformance.results import Aspect, FunctionResult, Verdict
from conformance.results.events import TargetFinished
from conformance.specs.claims.lines import load_lines
from conformance.specs.documents import texts
from tests.reporting.records import aspect_result, failure, results

SAYS = "what the line says"
MODULE = """
import numpy as np

variable = lambda value, dtype=None, name=None, constraint=None: np.array(value, dtype)
get_value = np.asarray
int_shape = np.shape

def square(x):
    return x + x
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with `texts/mine.md`, a text of 4,060 lines that stands for ko-2.2."""
    content = f"    {SAYS} \n" * 4060
    known = load_lines()
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    changed = {**known, "ko-2.2": msgspec.structs.replace(known["ko-2.2"], sha256=sha256)}
    monkeypatch.setattr(texts, "load_lines", lambda: changed)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "mine.md").write_text(content, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def conformance(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def put(folder: Path) -> None:
    wrong = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure())
    content = results("mine", [FunctionResult("softmax", "activations", [wrong])])
    JsonWriter(folder / "reports").handle(TargetFinished(content))


def test_show_quotes_claims_and_failures_and_nothing_without_the_texts(folder: Path) -> None:
    put(folder)
    shown = conformance("show", "softmax", "--all", "--documents", "texts").output
    assert f"\n    ko-2.2:2787  {SAYS}\n" in shown
    assert f"\n    demanded by ko-2.2:1053: {SAYS}\n" in shown
    assert "ja-2.0:2742  " not in shown
    plain = conformance("show", "softmax", "--all").output
    assert SAYS not in plain
    assert "\n    demanded by ko-2.2:1053\n" in plain


def test_a_project_names_the_folder_in_its_file(folder: Path) -> None:
    put(folder)
    (folder / "conformance.toml").write_text('documents = "texts"\n', "utf-8")
    assert f"demanded by ko-2.2:1053: {SAYS}" in conformance("show", "softmax", "--all").output


@pytest.mark.parametrize("more", [(), ("--verbose",)])
def test_a_run_quotes_the_line_below_its_failure(folder: Path, more: tuple[str, ...]) -> None:
    (folder / "wrong.py").write_text(MODULE, "utf-8")
    asked = ("--module", "wrong", "--path", ".", "--eager", "-k", "square", "--aspect", "value")
    options = ("--profile", "smoke", "--no-database", "--documents", "texts")
    shown = conformance("run", *asked, *options, *more)
    assert shown.exit_code == 1, shown.output
    lines = shown.output.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("✗ square  value"))
    assert lines[at + 1].endswith(f": {SAYS}")
    assert lines[at + 1].startswith("    ko-2.2:")


def test_a_folder_without_the_texts_ends_with_2_before_anything_runs(folder: Path) -> None:
    (folder / "other").mkdir()
    (folder / "conformance.toml").write_text('documents = "other"\n', "utf-8")
    for asked in (("show", "softmax"), ("run", "reference", "-k", "softmax")):
        ended = conformance(*asked)
        assert ended.exit_code == 2, ended.output
        assert "has the SHA-256 of one of the five documents" in ended.output
        assert "docs/documents/README.md" in ended.output
    assert conformance("show", "softmax", "--documents", "missing").exit_code == 2
