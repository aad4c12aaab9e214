"""Other tests that are run with a change: what they notice, and that they load the change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from conformance.mutation.code.records import OtherTests, encode_other_tests, read_other_tests
from conformance.mutation.code.scoring import FOLDER
from tools.keras_tests import broken, outcomes

REPORT = """<testsuites><testsuite>
<testcase name="passes"/>
<testcase name="fails"><failure/></testcase>
<testcase name="ends"><error/></testcase>
</testsuite></testsuites>"""


def test_outcomes_are_read_from_the_report_of_pytest(tmp_path: Path) -> None:
    assert outcomes(tmp_path / "none.xml") is None
    file = tmp_path / "report.xml"
    file.write_text(REPORT, "utf-8")
    assert outcomes(file) == ({"fails", "ends"}, {"passes"})


def test_only_tests_that_pass_without_a_change_can_notice_it() -> None:
    assert broken(({"fails"}, {"passes"}), ["passes"]) == []
    assert broken(({"fails", "passes"}, set()), ["passes"]) == ["passes"]
    assert broken((set(), set()), ["missing"]) == ["missing"], "it was not even collected"
    assert broken(None, ["passes"]) == ["no end"]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = OtherTests(about="Tests", passing=["one"], failing=["two"], noticed={"a": ["one"]})
    file = tmp_path / "x.json"
    assert read_other_tests(file) is None
    file.write_bytes(encode_other_tests(record))
    assert read_other_tests(file) == record


def test_pytest_loads_the_change_and_leaves_the_module_alone(tmp_path: Path) -> None:
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "__init__.py").write_text("from .backend import one\n", "utf-8")
    (package / "backend.py").write_text("def one():\n    return 1\n", "utf-8")
    (tmp_path / "test_one.py").write_text(
        "import tiny\n\ndef test_one():\n    assert tiny.one() == 1\n", "utf-8"
    )
    other = tmp_path / "changed.py"
    other.write_text("def one():\n    return 2\n", "utf-8")
    assert _pytest(tmp_path, {}) == 0
    assert _pytest(tmp_path, {"tiny.backend": str(other)}) == 1
    assert _pytest(tmp_path, {}) == 0


def _pytest(folder: Path, files: dict[str, str]) -> int:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{FOLDER}{os.pathsep}{folder}",
        "CONFORMANCE_CODE_MUTANT": json.dumps(files),
    }
    options = ["-p", "conformance_pytest_mutant", "-p", "no:cacheprovider", "-q", "test_one.py"]
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True)
    return done.returncode
