"""What a stranger has written into results comes out of no command as more than text."""

from __future__ import annotations

import ast
import csv
import io
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import conformance
from conformance.cli import main
from conformance.cli.files import outputs
from conformance.cli.files.outputs import STRANGERS
from conformance.reporting.json_results import JsonWriter
from conformance.results import Aspect, Citation, FunctionResult, Verdict
from conformance.results.encoding import as_json
from conformance.results.events import TargetFinished
from tests.reporting.records import aspect_result, failure, results

PACKAGE = Path(conformance.__file__).parent
TEXT = "a\x1b[2Jb\x9b31mc\u202ed\u2066e\u200bf\x7fg\u00adh\U000e0001i\ud800j"
SCRIPT = f"print({TEXT!r})  # {TEXT[:-2]}\n"
FORMULA = '=HYPERLINK("http://evil","x")'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of two targets, each text of which is harmful."""
    place = tmp_path / "results"
    for name in ("mine", "yours"):
        bad = failure(
            message=f"{TEXT} {name}",
            script=SCRIPT,
            id="abc",
            citation=Citation(FORMULA, 1),
            got=TEXT,
        )
        aspect = aspect_result(Aspect.VALUE, Verdict.VIOLATES, bad)
        content = results(name, [FunctionResult("dot", TEXT, [aspect])])
        JsonWriter(place).handle(TargetFinished(content))
    return place


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def harmful(text: str) -> set[str]:
    """What a terminal or an editor would not show as it is."""
    kinds = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return {c for c in text if unicodedata.category(c) in kinds} - {"\n"}


COMMANDS: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "diff": lambda f: ("diff", f / "mine.json", f / "yours.json", "--format", "json"),
    "scores": lambda f: ("report", f, "--format", "json", "--output", f.parent / "site"),
    "results": lambda f: ("report", f, "--format", "results", "--output", f.parent / "site"),
    "targets": lambda f: ("targets", "--json", "--config", f.parent / "mine.toml"),
    "list": lambda f: ("list", f, "--json"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_json_shows_what_it_holds(command: str, folder: Path) -> None:
    lines = ["[targets.mine]", 'module = "none"', 'edition = "keras-2.2"']
    lines.append('implementation = "a\\u202eb\\u009bc"')
    (folder.parent / "mine.toml").write_text("\n".join(lines))
    done = invoke(*COMMANDS[command](folder))
    assert done.exit_code in (0, 1), done.output
    written = [p.read_text("utf-8") for p in (folder.parent / "site").rglob("*.json")]
    for text in [*written, *([done.stdout] if done.stdout.lstrip()[:1] in "[{" else [])]:
        assert harmful(text) == set()
        json.loads(text)
    assert written or done.stdout.lstrip()[0] in "[{"


def test_json_is_read_as_it_was() -> None:
    held = {"text": TEXT[:-2] + '\u00a0\n\t"\\ é 语 😀', "number": [1, 0.5, None]}
    assert json.loads(as_json(held)) == held
    assert harmful(as_json(held).decode()) == set()
    assert "é 语 😀" in as_json(held).decode()
    assert json.loads(as_json(["\ud800"])) == ["\\ud800"]


def test_one_function_writes_all_json_for_people() -> None:
    """A class of faults: each writer of its own would need its own care."""
    own = {PACKAGE / "results" / "encoding.py", PACKAGE / "specs" / "schema.py"}
    for file in PACKAGE.rglob("*.py"):
        if file not in own:
            assert "msgspec.json.format" not in file.read_text("utf-8"), file


def test_every_cell_of_the_table_is_text(folder: Path) -> None:
    invoke("report", folder, "--format", "csv", "--output", folder.parent / "site")
    (table,) = (folder.parent / "site").rglob("*.csv")
    rows = list(csv.reader(io.StringIO(table.read_text("utf-8"))))
    cells = [cell for row in rows for cell in row]
    assert any("HYPERLINK" in cell for cell in cells)
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell != "-" for cell in cells)
    assert not set().union(*map(harmful, cells))


@pytest.mark.parametrize("command", ["show", "replay"])
def test_a_terminal_gets_no_escapes_of_a_script_and_a_pipe_every_byte(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = ("show", "dot") if command == "show" else ("replay", "abc")
    options = ("--results", folder / "mine.json", "--script")
    piped = invoke(*what, *options)
    assert piped.exit_code == 0, piped.output
    assert piped.stdout_bytes == SCRIPT.encode("utf-8", "surrogateescape")
    assert STRANGERS in piped.stderr
    monkeypatch.setattr(outputs, "is_terminal", lambda: True)
    shown = invoke(*what, *options).stdout
    assert harmful(shown) == set()
    assert ast.parse(shown)
