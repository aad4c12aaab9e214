"""Functions of keras.ops in a package of its own: a right one conforms, and each fault is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.run import run_command as run
from tests.specs.keras3_right import FAULTS, HEAD, RIGHT

VIOLATES = 1
RARE = (
    "categorical_crossentropy",
    *("ctc_loss", "ctc_decode", "empty", "empty_like", "nonzero"),
    *("clip", "correlate", "moments", "saturate_cast"),
)
"""Functions of which a smoke run makes too few calls to show each fault."""
WRONG = [(name, *pair) for name, pairs in FAULTS.items() for pair in pairs]


def status(folder: Path, name: str, text: str) -> tuple[int, str]:
    """The exit status of a run of one function, and what it prints."""
    package = folder / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    (package / "ops.py").write_text(HEAD + text)
    options = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(folder)]
    profile = "default" if name in RARE else "smoke"
    chosen = ["-k", f"keras.ops.{name}", "--profile", profile, "--no-database"]
    longer = [f" and not {other}" for other in RIGHT if other != name and other.startswith(name)]
    chosen[1] += "".join(longer)
    done = CliRunner().invoke(run, [*options, *chosen])
    return done.exit_code, done.output


def test_each_function_has_three_faults() -> None:
    assert {*FAULTS} == {*RIGHT}
    assert min(map(len, FAULTS.values())) >= 3


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_violates_nothing(tmp_path: Path, name: str) -> None:
    code, output = status(tmp_path, name, RIGHT[name])
    assert code != VIOLATES, output
    assert "keras.ops." in output


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("name", "part", "other"), WRONG)
def test_a_fault_violates(tmp_path: Path, name: str, part: str, other: str) -> None:
    assert part in RIGHT[name]
    code, output = status(tmp_path, name, RIGHT[name].replace(part, other))
    assert code == VIOLATES, output
