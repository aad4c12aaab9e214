from __future__ import annotations

from pathlib import Path

import pytest

from conformance.reporting import markdown
from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files, write
from conformance.results import Aspect, FunctionResult, Results, Verdict
from conformance.results.scores import TakenReading
from tests.reporting.records import SCRIPT, aspect_result, every_verdict, failure, results


def pages(folder: Path, *contents: Results) -> dict[str, str]:
    files = write(folder, format_files("pages", contents, Documented()))
    return {f.relative_to(folder).as_posix(): f.read_text("utf-8") for f in files}


def test_the_matrix_leads_to_a_page_for_each_target(tmp_path: Path) -> None:
    texts = pages(tmp_path, every_verdict("a"), every_verdict("b/../c"))
    first, second, third = texts
    assert (first, second) == ("matrix.md", "targets/a.md")
    for place in (second, third):
        assert f"]({place}): 94.9 % (74/78), 1 missing" in texts["matrix.md"]
        assert "[Matrix of all targets](../matrix.md)" in texts[place]


def test_scripts_stand_on_the_targets_pages_only(tmp_path: Path) -> None:
    texts = pages(tmp_path, every_verdict("a"), every_verdict("b"))
    line = SCRIPT.splitlines()[-1]
    assert line not in texts["matrix.md"]
    assert line in texts["targets/a.md"]
    assert line in texts["targets/b.md"]


def test_the_matrix_of_many_targets_keeps_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taker(name: str) -> Results:
        took = [TakenReading("ties", f"r{i:04}") for i in range(100)]
        failures = [failure(Verdict.DIVERGES, convention="ties", readings=[str(t)]) for t in took]
        aspects = [
            aspect_result(Aspect.VALUE, Verdict.DIVERGES, one_failure) for one_failure in failures
        ]
        return results(name, [FunctionResult(f"f{i}", "t", [a]) for i, a in enumerate(aspects)])

    contents = [taker(f"target-{i}") for i in range(3)]
    whole = pages(tmp_path, *contents)["matrix.md"]
    assert "more readings: see `conformance report" not in whole
    monkeypatch.setattr(markdown, "LARGEST_PAGE", len(whole.encode()) - 500)
    cut = pages(tmp_path, *contents)["matrix.md"]
    assert len(cut.encode()) < len(whole.encode())
    assert "more readings: see `conformance report" in cut
