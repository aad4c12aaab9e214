"""Two commands do not write into one folder at a time, and none erases the results of another."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli.errors import UsageProblem
from conformance.cli.run.output_folder import NAME, check_replaced, locked
from conformance.engine import PROFILES, Run, Shard
from conformance.engine.running.subject import Subject
from conformance.reporting.json_results import encode, file_name
from conformance.results import Aspect, Results
from tests.engine.support import EDITION, examine, fake, tasks

HOLDS = """
import sys
from pathlib import Path
from conformance.cli.run.output_folder import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""
FUNCTIONS = ("exp", "softmax")
COMMON = Run("1.0", PROFILES["smoke"], 0, "2000-01-01T00:00:00+00:00")


def held(folder: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock of a folder."""
    command = [sys.executable, "-c", HOLDS, str(folder)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "locked\n"
    return other


def test_the_second_names_the_first_and_a_lock_that_is_left_is_no_lock(tmp_path: Path) -> None:
    other = held(tmp_path)
    with other:
        with pytest.raises(UsageProblem) as refused, locked(tmp_path):
            pytest.fail("two have the lock")
        assert f"process {other.pid} on " in refused.value.message
        other.kill()
    assert (tmp_path / NAME).is_file()
    with locked(tmp_path):
        assert f"process {other.pid} " not in (tmp_path / NAME).read_text("utf-8")
    assert not [*tmp_path.iterdir()]


def test_without_a_folder_there_is_no_lock() -> None:
    with locked(None):
        pass


@pytest.fixture(scope="module")
def earlier() -> Results:
    """The results of two functions."""
    return examine(fake("correct"), FUNCTIONS, replace(PROFILES["smoke"], name="default")).results


def lost(
    folder: Path, results: Results, common: Run, names: tuple[str, ...] = FUNCTIONS
) -> str | None:
    """Why a run is refused whose folder holds these results."""
    (folder / file_name("correct")).write_bytes(encode(results))
    subject: Subject = fake("correct")
    try:
        check_replaced(folder, [subject], {EDITION: tasks(names, COMMON.profile)}, common)
    except UsageProblem as problem:
        return problem.message
    return None


def test_a_run_of_a_part_erases_nothing(tmp_path: Path, earlier: Results) -> None:
    message = lost(tmp_path, earlier, replace(COMMON, selection="exp"), ("exp",))
    assert message is not None
    assert message.endswith("holds results that this run would erase: 1 function of 2")
    limited = replace(COMMON, aspects=(Aspect.VALUE,))
    assert lost(tmp_path, earlier, replace(limited, shard=Shard(1, 2))) is not None
    assert lost(tmp_path, earlier, replace(COMMON, selection="exp or softmax")) is None


def test_a_run_of_everything_replaces_what_there_is(
    tmp_path: Path, earlier: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lost(tmp_path, earlier, COMMON, ("exp",)) is None
    assert "smoke replaces results of the profile default, which tries more" in (
        capsys.readouterr().err
    )
    (tmp_path / file_name("correct")).write_bytes(encode(earlier)[:99])
    check_replaced(tmp_path, [fake("correct")], {EDITION: tasks(("exp",), COMMON.profile)}, COMMON)


@pytest.mark.parametrize("content", [b'{"mine": "important"}', b"[]", b"text", b"\x1f\x8b?"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_file_that_the_suite_did_not_write_is_not_replaced(
    tmp_path: Path, content: bytes, ending: str
) -> None:
    file = tmp_path / (file_name("correct") + ending)
    file.write_bytes(content)
    with pytest.raises(UsageProblem) as refused:
        check_replaced(tmp_path, [fake("correct")], {}, COMMON)
    assert refused.value.message.startswith(f"{file} is not a results file")
    assert "delete the file" in str(refused.value.hint)
