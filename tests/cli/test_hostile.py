"""The whole command on implementations that are out to harm: what is printed and written."""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.formats import FORMATS

EXP = "exp and not (expand or sum)"
FAKES = Path(__file__).parents[1] / "adapters" / "fakes"
HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\ud800-\udfff]")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))


def examined(name: str, *arguments: str) -> Result:
    options = ("--module", f"fakes.{name}", "--path", str(FAKES), "--profile", "smoke", "-j", "1")
    return CliRunner().invoke(main, ["run", *options, *arguments], color=True)


def test_control_characters_come_to_no_report(tmp_path: Path) -> None:
    out = tmp_path / "out"
    formats = [part for name in FORMATS for part in ("--format", name)]
    done = examined("says_escapes", "-k", EXP, "-v", "-o", str(out), *formats)
    assert done.exit_code == 1, done.output
    assert "alert(1)" in done.output
    assert not HARMFUL.search(done.output)
    written = [file for file in out.rglob("*") if file.is_file()]
    assert len(written) > len(FORMATS)
    for file in written:
        content = file.read_bytes()
        plain = gzip.decompress(content) if file.suffix == ".gz" else content
        assert not HARMFUL.search(plain.decode("utf-8").replace("\r\n", "\n")), file
    # what begins a line there is a command
    annotations = (out / "annotations.txt").read_text().splitlines()
    assert annotations
    assert not [line for line in annotations if line.startswith("::error::")]
    for page in out.rglob("*.html"):
        assert "<script>alert" not in page.read_text()


def test_what_the_results_hold_is_cleaned_where_it_is_printed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    examined("says_escapes", "-k", EXP, "-o", str(out))
    (file,) = out.glob("*.json")
    shown = CliRunner().invoke(main, ["show", "exp", "--all", "--results", str(out)])
    data: dict[str, Any] = json.loads(file.read_text())
    assert any("\x1b" in str(f) or "\\x1b" in str(f) for f in data["functions"])
    assert not HARMFUL.search(shown.output)


HOSTILE_FILES = {
    "name": '[targets."a\\u001b[2Jb"]\nmodule = "m"\nedition = "keras-2.2"\n',
    "field": '[targets.a]\nmodule = "m"\nedition = "keras-2.2"\n"x\\u001b[2J" = 1\n',
    "placeholder": '[targets.a]\nmodule = "m"\nedition = "keras-2.2"\n'
    'environment = { A = "{\\u001b[2J}" }\n',
    "path": '[targets.a]\nmodule = "m"\nedition = "keras-2.2"\npath = "\\u001b[2J"\n',
    "table": '["\\u001b[2J"]\n',
}


@pytest.mark.parametrize("what", HOSTILE_FILES)
def test_what_a_file_of_targets_holds_is_harmless_in_messages(what: str, tmp_path: Path) -> None:
    file = tmp_path / "conformance.toml"
    file.write_text(HOSTILE_FILES[what])
    done = CliRunner().invoke(main, ["targets", "--config", str(file)], color=True)
    assert done.exit_code == 2
    assert "error: " in done.output
    assert not HARMFUL.search(done.output)


def test_what_a_target_says_of_itself_is_harmless_in_the_list(tmp_path: Path) -> None:
    file = tmp_path / "conformance.toml"
    lines = ["[targets.a]", 'module = "m"', 'edition = "keras-2.2"']
    file.write_text("\n".join([*lines, 'implementation = "\\u001b[2J [bold]x\\u202e"', ""]))
    done = CliRunner().invoke(main, ["targets", "--config", str(file)], color=True)
    assert done.exit_code == 0
    assert not HARMFUL.search(done.output)
    assert "[bold]x" in done.output


def test_what_is_printed_before_a_crash_is_cut(tmp_path: Path) -> None:
    """64 KiB at most of what was printed are kept."""
    done = examined("floods_output", "-k", EXP, "-o", str(tmp_path / "o"))
    assert done.exit_code in (0, 1), done.output
    (file,) = (tmp_path / "o").glob("*.json")
    assert file.stat().st_size < 2**21
    assert sys.getsizeof(done.output) < 2**17
