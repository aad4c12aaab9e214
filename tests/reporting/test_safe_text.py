from __future__ import annotations

import pytest

from conformance.reporting.safe_text import counted


@pytest.mark.parametrize(
    ("number", "words", "expected"),
    [
        (1, ("case",), "1 case"),
        (0, ("case",), "0 cases"),
        (2, ("case",), "2 cases"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_one_is_singular(number: int, words: tuple[str, ...], expected: str) -> None:
    assert counted(number, *words) == expected
