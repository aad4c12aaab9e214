"""The history of a function in the terminal: a line for each target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.history import CellHistory, PastRun, cell_histories


def history_lines(stored: Mapping[str, Sequence[PastRun]], function: str) -> Iterator[str]:
    """`keras3-ops-numpy, keras 3.1.1 to 3.15.1: value fails since 3.4.1`, for each target.

    A target whose history lacks the function has no line.
    """
    for target, runs in stored.items():
        tested = [run for run in runs if not run.problem]
        if cells := cell_histories(tested, function):
            span = f"{tested[0].package} {tested[0].version} to {tested[-1].version}"
            yield f"{target}, {span}: {'; '.join(_clauses(cells))}"


def _clauses(cells: Sequence[CellHistory]) -> list[str]:
    """The aspects that ever failed."""
    failing = [f"{c.aspect} {c}" for c in cells if any(state.fails for _, state in c.states)]
    return failing or ["never failed"]
