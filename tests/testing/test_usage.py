"""Wrong usage: exit status 4, the cause and what to do, no traceback."""

from __future__ import annotations

import pytest

from conformance.testing import (
    SUITE,
    items,  # noqa: F401 - so that runs within this process find it imported
)
from tests.adapters.support import FAKES
from tests.testing.support import run_on

PATH = f"--conformance-path={FAKES}"


def refused(pytester: pytest.Pytester, *arguments: str) -> str:
    result = pytester.runpytest_inprocess("--pyargs", SUITE, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR, result.stdout.str()
    message = result.stderr.str()
    assert "conformance/testing" not in message
    return message


@pytest.mark.parametrize(
    ("arguments", "cause", "cure"),
    [
        ([], "nothing says what to test", "--conformance-target NAME"),
        (["--conformance-target=refrence"], "unknown target 'refrence'", "did you mean reference"),
        (
            ["--conformance-target=keras3-numpy"],
            "cannot be run",
            "conformance install keras3-numpy",
        ),
        (
            ["--conformance-module=a.b"],
            "No module named 'a'",
            "say where a is: --conformance-path FOLDER",
        ),
        (["--conformance-module=a.b"], "No module named 'a'", "or --conformance-python, if"),
        (
            ["--conformance-target=reference", "--conformance-edition=keras-3"],
            "reference offers keras-1, keras-2.0, keras-2.2, and not keras-3",
            "name a target that offers it",
        ),
        (["--conformance-module=reference"], "reference: the suite itself uses this name", "init"),
        (
            ["--conformance-module=fakes.does_not_import", PATH],
            "the library that this needs is not there",
            "mend it until",
        ),
        (["--conformance-target=reference", PATH], "path goes with a module", "name the module"),
        (
            ["--conformance-target=reference", "--conformance-profile=big"],
            "profile: there is no 'big'",
            "smoke, default, thorough",
        ),
        (
            ["--conformance-target=reference", "--conformance-edition=keras-9"],
            "edition: there is no 'keras-9'",
            "keras-1, keras-2.0, keras-2.2",
        ),
        (
            ["--conformance-target=reference", "--conformance-expectations=no.toml"],
            "no.toml",
            "--write-expectations",
        ),
        (["--conformance-config=no.toml", "--conformance-target=a"], "no.toml", "name a TOML file"),
        (["--conformance-seed=-1"], "'-1'", "write a whole number from 0 on"),
        (["--conformance-env=A"], "'A'", "write KEY=VALUE"),
    ],
)
def test_usage_errors_name_cause_and_cure(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    cause: str,
    cure: str,
) -> None:
    # where no environment is made
    monkeypatch.setenv("CONFORMANCE_HOME", str(pytester.path / "home"))
    message = refused(pytester, *arguments)
    assert cause in message
    assert cure in message


def test_a_target_that_must_be_alone_is_not_tested_by_two(pytester: pytest.Pytester) -> None:
    text = (
        f'[targets.mine]\nmodule="fakes.correct"\nedition="keras-2.2"\nworkers=1\npath="{FAKES}"\n'
    )
    (pytester.path / "conformance.toml").write_text(text, encoding="utf-8")
    message = refused(pytester, "--conformance-target=mine", "-n", "2", "-k", "[exp-dtype]")
    assert "mine cannot be run: it must not run twice at once" in message
    assert "run pytest without -n" in message


def test_the_target_is_not_started_to_list_tests(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "does_not_import", "--collect-only", "-q", "-k", "[exp-")
    assert result.ret == pytest.ExitCode.OK


def test_a_path_to_the_suite_is_no_way_around_it(pytester: pytest.Pytester) -> None:
    from conformance.testing import SUITE_FILE  # noqa: PLC0415

    result = pytester.runpytest_inprocess(SUITE_FILE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
