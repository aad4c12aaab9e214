"""The picture of the README shows the published results."""

from __future__ import annotations

import re
from pathlib import Path

REPORTS = Path(__file__).parents[2] / "reports"
NUMBER = re.compile(r"\b\d+/\d+\b")
SCORE = "**follows the documents**"


def test_the_picture_has_the_scores_of_the_matrix() -> None:
    matrix = (REPORTS / "matrix.md").read_text("utf-8")
    (row,) = (line for line in matrix.splitlines() if line.startswith(f"| {SCORE} "))
    picture = (REPORTS / "pictures/matrix.svg").read_text("utf-8").replace(",", "")
    scores = {*NUMBER.findall(row.replace(",", ""))}
    assert scores
    assert scores <= {*NUMBER.findall(picture)}
