"""`conformance history` and `bisect` on releases that are folders with a fake backend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec import UNSET

from conformance.adapters.installation import InstallationError
from conformance.adapters.releases import PackageRelease
from conformance.adapters.target_records import Target
from conformance.cli import main
from conformance.cli.history import bisect, running
from conformance.cli.history.files import past_file, read_past, write_past
from conformance.history import Promises, State, state
from conformance.results import Aspect, Verdict
from conformance.specs.docstrings import Docstring
from tests.history.cases import NAME, past

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
CORRECT = "from fakes.correct import *\n"
WRONG = (
    CORRECT + "from fakes import correct\ndef exp(x):\n    return correct.node(lambda a: a, x)\n"
)
SOURCES = {"1.0": CORRECT, "1.1": WRONG, "1.2": WRONG, "1.3": CORRECT, "1.4": "import absent\n"}
EXP = "exp and not (expand or sum)"
ALL = ",".join(SOURCES)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five releases of `mine`, of which 1.1 and 1.2 are wrong and 1.4 does not import.

    The list has the installed versions in their order.
    """
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for version, source in SOURCES.items():
        (tmp_path / version).mkdir()
        (tmp_path / version / "mine.py").write_text(source)
    (tmp_path / "conformance.toml").write_text(
        f'[targets.mine]\nmodule = "mine"\nedition = "keras-2.2"\npath = ["{FAKES}"]\n'
    )
    versions: list[str] = []

    def install(target: Target, release: PackageRelease) -> Path:
        versions.append(release.version)
        if not (tmp_path / release.version).is_dir():
            raise InstallationError(f"there is no {release}")
        return tmp_path / release.version

    monkeypatch.setattr(running, "install_release", install)
    monkeypatch.setattr(bisect, "install_release", install)
    return versions


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def history(*arguments: str) -> Result:
    selected = ("-k", EXP, "--aspect", "value", "-o", "past")
    return call("history", "mine", *selected, *arguments)


def test_each_release_has_a_file_and_a_line_with_its_changes(installed: list[str]) -> None:
    result = history("--versions", ALL)
    assert result.exit_code == 3, result.output
    lines = result.output.splitlines()
    assert len(lines) == 5
    assert "; 1 regression, 0 fixes (" in lines[1]
    assert "; 0 regressions, 0 fixes (" in lines[2]
    assert "; 0 regressions, 1 fix (" in lines[3]
    assert lines[4].startswith("mine with mine 1.4: cannot run: ")
    states = [
        state(read_past(past_file(Path("past"), "mine", v)), "exp", Aspect.VALUE) for v in SOURCES
    ]
    fails = State.FAILS_BY_EDITION
    assert states == [State.PASSES, fails, fails, State.PASSES, State.UNKNOWN]
    (failure,) = read_past(past_file(Path("past"), "mine", "1.1")).failures
    assert failure.program is not None  # `bisect` makes the case again
    assert failure.origin is not UNSET
    page = Path("past/history.md").read_text()
    assert page.index("\nRegressions:") < page.index("\nFixes:")
    assert page.count("`exp` value") == 2


def test_a_stored_release_is_not_run_again(installed: list[str]) -> None:
    history("--versions", "1.0,1.1")
    history("--versions", "1.0,1.1,1.2")
    assert installed == ["1.0", "1.1", "1.2"]
    history("--versions", "1.0", "--seed", "1")
    history("--versions", "1.0", "--seed", "1", "--again")
    assert installed[3:] == ["1.0", "1.0"]


def test_a_release_is_compared_with_those_that_are_stored(installed: list[str]) -> None:
    history("--versions", "1.0")
    assert "; 1 regression, 0 fixes (" in history("--versions", "1.1").output


@pytest.mark.parametrize("document", ["", "keras-3.15.1"])
def test_a_release_whose_docstrings_could_not_be_read_says_so(
    document: str, installed: list[str]
) -> None:
    write_past(Path("past"), past("3.4.1", Verdict.CONFORMS, document=document))
    result = call("history", "mine", "-o", "past")
    assert ("; its docstrings could not be read (1 s)" in result.output) == (not document)


def test_after_ctrl_c_the_finished_releases_stay(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install: Callable[[Target, PackageRelease], Path] = vars(running)["install_release"]

    def interrupted(target: Target, release: PackageRelease) -> Path:
        if release.version == "1.1":
            raise KeyboardInterrupt
        folder: Path = install(target, release)
        return folder

    monkeypatch.setattr(running, "install_release", interrupted)
    result = history("--versions", "1.0,1.1,1.2")
    assert result.exit_code == 130
    assert [file.name for file in Path("past/mine").iterdir()] == ["1.0.json.gz"]


def test_the_stored_history_is_printed(installed: list[str]) -> None:
    for version, verdict in (("3.4", Verdict.CONFORMS), ("3.5", Verdict.VIOLATES)):
        write_past(Path("past"), past(version, verdict))
    result = call("history", "mine", "-o", "past")
    assert result.exit_code == 0
    assert "mine: 2 releases" in result.output
    assert f"    breaks {NAME} value: ffffffffffff wrong" in result.output


def test_bisect_finds_the_release_that_introduced_and_the_one_that_fixed(
    installed: list[str], tmp_path: Path
) -> None:
    history("--versions", "1.1")
    stored = read_past(past_file(Path("past"), "mine", "1.1"))
    (identity,) = {failure.id for failure in stored.failures}
    Path("reports").mkdir()
    Path("past").rename("reports/history")
    result = call("bisect", identity, "--versions", "1.0,1.1,1.2,1.3,1.4")
    assert result.exit_code == 0, result.output
    assert "introduced in mine 1.1; mine 1.0 passes" in result.output
    assert "fixed in mine 1.3; mine 1.2 fails" in result.output
    assert "mine 1.4 cannot be tested" in result.output


def test_bisect_takes_a_history_as_results(installed: list[str]) -> None:
    history("--versions", "1.1")
    (identity,) = {f.id for f in read_past(past_file(Path("past"), "mine", "1.1")).failures}
    for place in ("past", "past/mine/1.1.json.gz"):
        result = call("bisect", identity, "--results", place, "--versions", "1.0,1.1")
        assert "introduced in mine 1.1; mine 1.0 passes" in result.output


def test_bisect_of_a_history_asks_what_the_case_needs(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history("--versions", "1.1")
    (identity,) = {f.id for f in read_past(past_file(Path("past"), "mine", "1.1")).failures}
    described, older = (Docstring(name="exp", signature=s) for s in ("(x)", "(value)"))
    promises = Promises(
        document="mine-2.0",
        described={"exp": described},
        release="1.1",
        installed={"exp": older},
    )
    monkeypatch.setattr(bisect, "promises_of", lambda _: promises)
    result = call("bisect", identity, "--results", "past", "--versions", "1.0,1.1")
    assert "mine 1.1 not promised: exp has no parameter x there" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("history", "mine", "--versions", "one..two"), "'one' is not a version"),
        (("history", "mine", "--versions", "1.0", "-k", "nothing_like_it"), "no function"),
        (("history", "mine"), "no history of mine in reports/history"),
        (("history", "nobody", "--versions", "1.0"), "unknown target 'nobody'"),
        (("bisect", "abc"), "no failure 'abc' in these results"),
    ],
)
def test_a_wrong_argument_is_one_line_and_status_2(
    installed: list[str], arguments: tuple[str, ...], message: str
) -> None:
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("content", [b"{", b'{"schema": "other"}', b"\x1f\x8b"])
def test_a_damaged_file_is_named_with_the_remedy(installed: list[str], content: bytes) -> None:
    file = past_file(Path("past"), "mine", "1.0")
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    result = history("--versions", "1.0")
    assert result.exit_code == 2
    assert str(file) in result.stderr
    assert "run `conformance history` again" in result.stderr
