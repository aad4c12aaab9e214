"""Each promise of docs/safety.md has a test that fails once its mechanism is removed.

A removal is a change of one or two lines in a copy of the package. The test that the promise names
runs on the copy and has to fail there; it has to pass on a copy without a change.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.test_promises import rows
from tools.docs.files import ROOT

PAGE = "docs/safety.md"
COPIED = ("conformance", "tests", "tools", "docs", "pyproject.toml", "README.md", "SECURITY.md")
SECONDS = 300
FAILED, PASSED, SKIPPED = "failed", "passed", "skipped"

HOSTILE = "tests/adapters/test_hostile.py::"
PLANTED = "tests/adapters/test_planted_code.py::"
BOUNDED = "tests/test_bounded_files.py::"
STRANGERS = "tests/cli/files/test_strangers.py::"
ENVIRONMENTS = "tests/adapters/test_environments.py::"
SOURCE = "tests/scripts/test_source_text.py::"
ORPHANS = "tests/adapters/test_orphans.py::test_nothing_outlives_a_run"


@dataclass(frozen=True, slots=True)
class Removal:
    """A mechanism, as a change of the package removes it."""

    mechanism: str
    test: str
    """The test that has to fail, with its parameters if one of them is enough."""
    edits: tuple[tuple[str, str, str], ...]
    """A file of the package, a text that it holds once, and the text in its place."""


def removal(mechanism: str, test: str, *edits: tuple[str, str, str]) -> Removal:
    return Removal(mechanism, test, edits)


GUARDIAN, REMOVAL = "adapters/guardian.py", "adapters/removal.py"
CUT = "    if len(content) > most:\n        raise"
REMOVALS = (
    removal(
        "namespaces and Landlock",
        "tests/adapters/test_sandbox.py::test_a_worker_reaches_nothing_outside[False]",
        ("adapters/warden.py", "_apart(orders) if orders[", "os.fork() if orders["),
        (GUARDIAN, 'if orders["writable"] is not None:\n        with', "if False:\n        with"),
        # the suite would notice, and its test would be skipped
        ("adapters/sandbox/offer.py", 'return "full" if whole else', 'return "full" if True else'),
    ),
    removal(
        "a folder per target",
        PLANTED + "test_code_that_a_worker_left_runs_in_workers_of_its_own_target_alone",
        ("adapters/layout.py", '"targets" / _own_name(target)', '"targets" / "all"'),
    ),
    removal(
        "folders outside the sandbox",
        PLANTED + "test_nothing_outside_the_sandbox_runs_what_a_worker_in_it_left",
        ("adapters/layout.py", 'return own if self.sandboxed else own / "outside"', "return own"),
    ),
    removal(
        "folders in the environment",
        PLANTED + "test_an_environment_that_is_made_again_has_no_code_of_the_earlier_one",
        (
            "adapters/layout.py",
            "base = venv_folder(target.venv) if target.venv else suite_home()",
            "base = suite_home()",
        ),
    ),
    removal(
        "comments",
        SOURCE + "test_scripts_have_the_statements_of_their_harmless_twins",
        ("source_text.py", "for line in text.splitlines() or", "for line in [text] or"),
        ("source_text.py", '_ENCODING.sub(r"\\1 \\2", _printable(line))', "line"),
        ("source_text.py", "textwrap.wrap(safe, width) or", "[safe] or"),
    ),
    removal(
        "literals",
        SOURCE + "test_scripts_have_the_statements_of_their_harmless_twins",
        (
            "source_text.py",
            'return safe.replace("\'", r"\\x27").replace(\'"\', r"\\x22")',
            "return text",
        ),
    ),
    removal(
        "exported tests",
        SOURCE + "test_an_exported_module_has_the_statements_of_its_harmless_twin",
        ("reporting/pytest_module.py", "targets=inside(targets)", "targets=targets"),
    ),
    removal(
        "names of programs",
        SOURCE + "test_a_program_of_a_stranger_has_names_alone",
        ("program/codec.py", "if not is_dotted(text):", "if not text:"),
    ),
    removal(
        "bytes of results",
        BOUNDED + "test_results_without_end_are_refused",
        ("files.py", CUT, CUT.replace("len(content) > most", "False")),
    ),
    removal(
        "values of results",
        BOUNDED + "test_a_small_file_takes_little_memory[[],]",
        ("reporting/containers.py", " > MOST_VALUES:\n", " < 0:\n"),
    ),
    removal(
        "bytes of kept cases",
        BOUNDED + "test_kept_cases_without_end_are_refused",
        ("cli/run/database.py", "if size > MOST_BYTES or count > MOST_FILES:", "if count < 0:"),
    ),
    removal(
        "values of kept cases",
        BOUNDED + "test_kept_cases_with_too_many_values_are_not_decoded",
        ("cli/run/database.py", "if values_in(value) > MOST_VALUES:", "if not value:"),
        ("cli/run/database.py", "if values > MOST_VALUES:", "if values < 0:"),
    ),
    removal(
        "bytes of TOML",
        BOUNDED + "test_toml_without_end_is_refused[conformance.toml]",
        ("files.py", CUT, CUT.replace("len(content) > most", "False")),
    ),
    removal(
        "parts of keys",
        BOUNDED + "test_a_key_that_takes_minutes_is_refused[short-calls.toml]",
        ("files.py", "if _DEEP_KEY.search(content):", "if not content:"),
    ),
    removal(
        "bytes of sources",
        BOUNDED + "test_a_source_without_end_is_refused",
        ("files.py", CUT, CUT.replace("len(content) > most", "False")),
    ),
    removal(
        "files that are not named",
        "tests/cli/targets/test_own_targets.py::test_nothing_of_a_file_is_run_unless_it_is_named",
        ("adapters/project.py", "if file is None and chosen is not None:", "if file == ():"),
    ),
    removal(
        "digests of projects",
        ENVIRONMENTS + "test_no_environment_of_a_project_takes_the_place_of_another",
        ("adapters/layout.py", "if venv.described_in is None:\n", "if venv.name:\n"),
    ),
    removal(
        "the folder of uv",
        ENVIRONMENTS + "test_an_installation_reads_nothing_of_the_folder_it_is_asked_in",
        ("adapters/installation.py", "cwd=layout.suite_home(),", ""),
    ),
    removal(
        "an isolated Python",
        ENVIRONMENTS + "test_an_installation_reads_nothing_of_the_folder_it_is_asked_in",
        ("adapters/installation.py", '"-I", "-m", "compileall"', '"-m", "compileall"'),
    ),
    removal(
        "pinned build tools",
        ENVIRONMENTS + "test_packages_are_built_with_what_is_pinned",
        ("adapters/installation.py", 'closed += ["--build-constraints", str(BUILDING)]', "pass"),
    ),
    removal(
        "escapes in JSON",
        STRANGERS + "test_json_shows_what_it_holds",
        ("results/encoding.py", "_BEYOND_ASCII.sub(_shown, text).encode()", "text.encode()"),
    ),
    removal(
        "clean scripts on a terminal",
        STRANGERS + "test_a_terminal_gets_no_escapes_of_a_script_and_a_pipe_every_byte",
        ("cli/files/outputs.py", "clean_block(whole) if is_terminal() else whole", "whole"),
    ),
    removal(
        "cells of text",
        STRANGERS + "test_every_cell_of_the_table_is_text",
        ("reporting/csv_table.py", 'return f"\'{shown}" if shown[:1]', "return shown if shown[:1]"),
    ),
    removal(
        "the umask",
        "tests/test_files.py::test_a_file_has_the_permissions_that_its_user_wants",
        (
            "files.py",
            "    file.write(content)\n",
            "    os.fchmod(file.fileno(), 0o666)\n    file.write(content)\n",
        ),
    ),
    removal(
        "locks of a cluster",
        "tests/cli/run/test_cluster.py::test_the_locks_of_a_machine_are_in_a_folder_of_the_user",
        ("cli/run/cluster.py", 'layout.suite_home() / "slots"', 'Path("/tmp/slots")'),
    ),
    removal(
        "memory",
        HOSTILE + "test_memory_is_limited[0]",
        (GUARDIAN, 'return "memory" if alone else None', "return None"),
        (
            GUARDIAN,
            'return "memory" if _held(family, self._orders["memory"]) else None',
            "return None",
        ),
    ),
    removal(
        "memory of all processes",
        HOSTILE + "test_memory_is_limited[3]",
        (
            GUARDIAN,
            'return "memory" if _held(family, self._orders["memory"]) else None',
            "return None",
        ),
    ),
    removal(
        "temporary files",
        HOSTILE + "test_files_are_limited",
        (GUARDIAN, 'if _fills(self._orders["folder"]):', "if False:"),
    ),
    removal(
        "processes",
        HOSTILE + "test_processes_are_limited",
        (GUARDIAN, "if len(family) > MOST_PROCESSES:", "if False:"),
    ),
    removal(
        "time",
        HOSTILE + "test_time_is_limited",
        ("adapters/connection.py", "        waited = 0.0\n", "        waited = -70 * limit\n"),
    ),
    removal(
        "lengths of frames",
        "tests/hostile/test_answers.py::test_forged_frames_are_frame_errors_or_no_answers",
        (
            "adapters/worker/conformance_worker/frames.py",
            "    for what, size, most in (",
            "    return\n    for what, size, most in (",
        ),
    ),
    removal(
        "answers that are compared with requests",
        HOSTILE + "test_frames_that_are_forged_are_garbage[another request]",
        ("adapters/session.py", 'if header.get("id") != number:', "if not header:"),
    ),
    removal(
        "names of files",
        "tests/reporting/test_json_results.py::test_a_file_never_leaves_its_folder",
        ("reporting/json_results.py", 'return safe + ".json"', 'return target + ".json"'),
    ),
    removal(
        "homes that are filled where no worker can write",
        "tests/adapters/test_configured.py::test_the_host_writes_nothing_where_workers_can_write",
        (
            "adapters/configured.py",
            'tempfile.mkdtemp(prefix="conformance-")',
            "tempfile.mkdtemp(dir=place)",
        ),
    ),
    removal(
        "links in folders that are removed",
        HOSTILE + "test_what_links_point_at_is_not_touched_when_a_folder_is_removed",
        (REMOVAL, "os.lstat(name, dir_fd=top).st_mode", "os.stat(name, dir_fd=top).st_mode"),
        (REMOVAL, "path_only | os.O_NOFOLLOW | os.O_DIRECTORY", "path_only | os.O_DIRECTORY"),
        (REMOVAL, "os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY", "os.O_RDONLY | os.O_DIRECTORY"),
    ),
    removal(
        "a warden that ends what a guardian leaves",
        ORPHANS + "[open-guardian KILL, host KILL]",
        ("adapters/warden.py", "            guardian.end_below()\n", "            pass\n"),
    ),
    removal(
        "a warden that ends a guardian",
        ORPHANS + "[sandbox-guardian STOP, host KILL]",
        ("adapters/warden.py", "signal.SIGKILL if late else signal.SIGCONT", "0"),
        ("adapters/warden.py", "(system.PDEATHSIG, signal.SIGCONT), ", ""),
    ),
    removal(
        "a guardian that ends what a worker leaves",
        HOSTILE + "test_children_end_with_the_worker",
        (GUARDIAN, "        end_below(self._spared, self._ended)\n", ""),
    ),
    removal(
        "folders that are removed",
        HOSTILE + "test_files_that_are_left_are_removed",
        (REMOVAL, "        os.rmdir(folder)\n", ""),
    ),
)
RUN = """
import subprocess, sys
sys.path.insert(0, {original!r})
from conformance.adapters import guardian
from conformance.adapters.sandbox import system
guardian.attempt_order(system.CHILD_SUBREAPER, 1)
command = [sys.executable, "-m", "pytest", *sys.argv[1:]]
done = subprocess.run(command, timeout={seconds}, check=False)
guardian.end_below()
"""
"""Runs pytest, then ends what is left of a test whose mechanism is removed."""


class Copy:
    """A copy of the repository, in which tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            source, place = ROOT / name, folder / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, place, ignore=ignored, copy_function=_linked)
            else:
                shutil.copy(source, place)

    def change(self, file: str, old: str, new: str) -> str:
        """Change a file of the package; its content before that."""
        place = self.folder / "conformance" / file
        before = place.read_text("utf-8")
        self.write(file, before.replace(old, new))
        return before

    def write(self, file: str, text: str) -> None:
        """Give a file of the package another content, and leave what it was linked to."""
        place = self.folder / "conformance" / file
        place.unlink()
        place.write_text(text, "utf-8")

    def outcomes(self, tests: Sequence[str]) -> dict[str, str]:
        """Run tests: the gravest outcome of each of these names."""
        script = RUN.format(original=str(ROOT), seconds=SECONDS * len(tests))
        options = ("-n", "0", "-p", "no:cacheprovider", "-rA", "-q", "--tb=no", "-m", "")
        done = subprocess.run(
            [sys.executable, "-c", script, *options, *tests],
            cwd=self.folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "300"},
            capture_output=True,
            text=True,
            check=False,
        )
        lines = re.findall(r"^(PASSED|FAILED|ERROR|SKIPPED) (.*)$", done.stdout, re.MULTILINE)
        return {test: _gravest(test, lines, done.stdout + done.stderr) for test in tests}


def _linked(source: str, place: str) -> None:
    try:
        os.link(source, place)
    except OSError:  # another file system
        shutil.copy2(source, place)


def _gravest(test: str, lines: Sequence[tuple[str, str]], output: str) -> str:
    kinds = {kind for kind, text in lines if text.startswith(test)}
    if kinds & {"FAILED", "ERROR"}:
        return FAILED
    if "PASSED" in kinds:
        return PASSED
    assert "skipped" in output, output[-2000:]
    return SKIPPED


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def unchanged(request: pytest.FixtureRequest, copy: Copy) -> dict[str, str]:
    """What the tests of the selected removals show of the package as it is."""
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    chosen = [call.params["removed"] for call in calls if call and "removed" in call.params]
    return copy.outcomes(sorted({each.test for each in chosen}))


@pytest.fixture
def removed(request: pytest.FixtureRequest, copy: Copy) -> Iterator[Removal]:
    """The copy without a mechanism."""
    chosen: Removal = request.param
    before: dict[str, str] = {}
    for file, old, new in chosen.edits:
        text = copy.change(file, old, new)
        before.setdefault(file, text)
    yield chosen
    for file, text in before.items():
        copy.write(file, text)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the mechanisms are those of Linux")
@pytest.mark.parametrize("removed", REMOVALS, ids=lambda each: each.mechanism, indirect=True)
def test_a_promise_is_broken_without_its_mechanism(
    removed: Removal, copy: Copy, unchanged: dict[str, str]
) -> None:
    if unchanged[removed.test] == SKIPPED:
        pytest.skip("this machine does not run the test")
    assert unchanged[removed.test] == PASSED
    assert copy.outcomes([removed.test]) == {removed.test: FAILED}


@pytest.mark.parametrize("each", REMOVALS, ids=lambda each: each.mechanism)
def test_a_removal_changes_what_is_there(each: Removal) -> None:
    for file, old, _ in each.edits:
        assert (ROOT / "conformance" / file).read_text("utf-8").count(old) == 1, (file, old)


@pytest.mark.parametrize("tests", [pytest.param(row[2], id=row[0][:50]) for row in rows(PAGE)])
def test_each_promise_has_a_removal(tests: str) -> None:
    assert any(each.test.partition("[")[0] in tests for each in REMOVALS)
