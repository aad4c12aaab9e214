"""Since when a cell fails, and the changes of each release."""

from __future__ import annotations

import pytest

from conformance.history import State, cell_histories, changes, state
from conformance.history.spans import counts
from conformance.results import Aspect, Verdict
from tests.history.cases import NAME, past

V, C = Verdict.VIOLATES, Verdict.CONFORMS


def line_of(*runs: tuple[str, Verdict, str]) -> str:
    (cell,) = cell_histories([past(v, verdict, basis) for v, verdict, basis in runs])  # type: ignore[arg-type]
    return str(cell)


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ([("3.4", C), ("3.5", V), ("3.6", V)], "fails since 3.5"),
        ([("3.10", C), ("3.9", V)], "failed in 3.9, fixed in 3.10"),
        ([("3.4", V), ("3.5", V)], "fails in every release from 3.4 on"),
        ([("3.4", C), ("3.5", C)], "never failed from 3.4 to 3.5"),
        (
            [("3.4", V), ("3.5", V), ("3.6", C), ("3.7", V)],
            "failed from 3.4 to 3.5, fixed in 3.6; fails since 3.7",
        ),
        ([("3.4", Verdict.ERROR)], "unknown in every release"),
    ],
)
def test_the_line_of_a_cell(runs: list[tuple[str, Verdict]], line: str) -> None:
    assert line_of(*((version, verdict, "release") for version, verdict in runs)) == line


def test_a_line_says_which_text_judges() -> None:
    assert line_of(("3.4", V, "edition"), ("3.5", V, "release")) == (
        "fails in every release from 3.4 on, by its own docstring since 3.5"
    )
    assert line_of(("3.4", V, "edition")).endswith(", by the edition's text alone")


def test_a_promise_that_did_not_exist_is_not_broken() -> None:
    assert line_of(("3.4", V, "none"), ("3.5", V, "release")) == "fails since 3.5"
    assert changes([past("3.4", V, "none"), past("3.5", V)]) == []


def test_an_absent_function_is_not_a_failure() -> None:
    run = past("3.4", V, absent=[NAME])
    assert state(run, NAME, Aspect.VALUE) is State.NOT_PROMISED
    assert counts(run) == {State.NOT_PROMISED: 1}


def test_changes_name_the_release_and_a_failure() -> None:
    entries = changes([past("3.4", C), past("3.5", V), past("3.10", C)])
    assert [(change.version, change.fixed) for change in entries] == [
        ("3.5", False),
        ("3.10", True),
    ]
    assert str(entries[0]) == f"breaks {NAME} value: {'f' * 12} wrong"
    assert entries[1].failure is not None


def test_a_release_that_does_not_run_breaks_and_mends_nothing() -> None:
    broken = past("3.5", C, problem="ModuleNotFoundError: tree", cells={})
    assert changes([past("3.4", V), broken, past("3.6", V)]) == []
    assert "3.5" not in str(cell_histories([past("3.4", V), broken, past("3.6", V)])[0])
