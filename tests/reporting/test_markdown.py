from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from conformance.reporting import markdown
from conformance.reporting.markdown import MarkdownWriter, render
from conformance.reporting.markdown_text import escape, fenced
from conformance.reporting.marks import MARKS
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import (
    ASPECTS,
    Aspect,
    AspectResult,
    Failure,
    FunctionResult,
    Results,
    Verdict,
)
from conformance.results.events import (
    Event,
    RunFinished,
    RunStarted,
    TargetFinished,
    TargetUnavailable,
)
from tests.reporting.records import HOSTILE as TEXTS
from tests.reporting.records import (
    JUDGED,
    NEWER,
    SCRIPT,
    aspect_result,
    every_verdict,
    failure,
    hostile,
    many_targets,
    newer,
    results,
)

D = Verdict.DIVERGES

HOSTILE = [
    *TEXTS,
    "__init__ and _under_",
    "a\\|b",
    "![x](y)",
    "| --- |",
    "- item",
    "1. item",
    "23) item",
    "+ item",
    "=",
    "---",
    "&lt;b&gt; &#124;",
]


def parsed(page: str) -> list[Token]:
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return reader.parse(page)


def inline(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or []]


def table_rows(tokens: list[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for before, token in itertools.pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if before.type in ("td_open", "th_open"):
            children = token.children or []
            rows[-1].append("".join(c.content for c in children))
    return rows


def test_the_matrix_has_a_row_for_each_function_and_a_mark_in_each_cell() -> None:
    rows = table_rows(parsed(render(many_targets())))
    matrix = [row for row in rows if row[0].startswith("a_long_function_name_")]
    cells = [cell for row in matrix if len(row) == 7 for cell in row[1:]]
    assert len(cells) == 69 * 6
    begins = {f"{m.symbol} {m.letter}" for m in (MARKS[v] for v in JUDGED[:-1] if v is not D)}
    assert {cell[:3] for cell in cells} == begins | {f"{MARKS[JUDGED[-1]].symbol} V"}
    diverging = sum(cell.endswith(" ≈") for cell in cells)
    assert diverging == sum((f + t) % 7 == JUDGED.index(D) for t in range(6) for f in range(69))
    assert [row[0] for row in rows if row[0].startswith("theme ")] == [
        f"theme {i}" for i in range(7)
    ]


def test_the_score_has_its_denominator_and_the_legend_every_mark() -> None:
    page = render([every_verdict()])
    assert 6 * len(ASPECTS) == 78, "of the seven functions, one is not applicable"
    assert "| **follows the documents** | **74/78 (94.9 %)** |" in page
    assert "| **missing** | 1/78 (1.3 %) |" in page
    for mark in (MARKS[v] for v in JUDGED if v is not D):
        assert f"* {mark.symbol} {mark.letter}: " in page
    assert "* ≈: some answers differ" in page


def test_a_violation_has_its_words_citation_id_and_script() -> None:
    page = render([every_verdict()])
    assert (
        "* `f_violates`, value: gives (2,); expected (2, 1) (ko-2.2:1053)\n"
        "  (`f1a2`, ko-2.2:1053, 3 of 10 cases)\n"
    ) in page
    scripts = [t.content for t in parsed(page) if t.type == "fence"]
    assert scripts == [SCRIPT] * 3


def test_readings_are_listed_under_the_target_and_at_the_end_by_who_takes_them() -> None:
    rows = table_rows(parsed(render([every_verdict("a"), every_verdict("b")])))
    assert [row for row in rows if row[0] == "ties"] == [
        *[["ties", "another reading", "f_diverges"]] * 2,
        ["ties", "another reading", "a 1, b 1"],
    ]
    assert rows[-1][-1] == "a 1, b 1"


def test_two_editions_of_a_target_take_their_readings_apart() -> None:
    content = every_verdict("a")
    old = replace(content, target=replace(content.target, edition="keras-1"))
    rows = table_rows(parsed(render([content, old])))
    assert rows[-1] == ["ties", "another reading", "a (keras-2.2) 1, a (keras-1) 1"]


def taking(count: int) -> Results:
    """A target that takes so many readings, each in a function of its own."""
    took = [failure(D, convention="ties", readings=[f"ties: r{i:05}"]) for i in range(count)]
    return results("mine", [FunctionResult(f.readings[0], "t", [value(D, f)]) for f in took])


def value(verdict: Verdict, *failures: Failure) -> AspectResult:
    return aspect_result(Aspect.VALUE, verdict, *failures)


def test_the_last_table_is_cut_where_the_page_becomes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = taking(50)
    whole = render([content])
    assert "more; `conformance report" not in whole
    monkeypatch.setattr(markdown, "LARGEST", len(whole) - 500)
    page = render([content])
    assert len(page) < len(whole)
    count = page.rsplit("## Readings, by target", maxsplit=1)[1].count("| `ties` |")
    assert 0 < count < 50
    assert f"{50 - count} more readings: see " in page


def test_scripts_are_shown_once_for_each_cause_and_only_as_many_as_have_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scripts = [failure(id=f"{i}", kind=f"kind {i % 3}", script="x" * 100) for i in range(6)]
    content = results("mine", [FunctionResult("dot", "t", [value(Verdict.VIOLATES, *scripts)])])
    assert render([content]).count("x" * 100) == 3, "one of each cause"
    monkeypatch.setattr(markdown, "SCRIPTS", 250)
    assert render([content]).count("x" * 100) == 2


def test_the_header_says_what_ran() -> None:
    (head, first, *_) = table_rows(parsed(render([every_verdict()])))
    facts = dict(zip(head, first, strict=True))
    assert facts["target"] == "keras-2.2.4-theano"
    assert facts["versions"] == "keras 2.2.4, numpy 1.16.6; Python 3.6.15"
    assert facts["run"] == "suite 0.1.0, profile smoke, seed 7"
    assert (facts["date"], facts["cases"]) == ("2024-05-06T07:08:09Z", "1000")


def test_a_newer_release_is_noted_below_the_header() -> None:
    paragraphs = ["".join(c.content for c in t.children or []) for t in parsed(render([newer()]))]
    assert f"{NEWER}." in paragraphs
    assert "newer" not in render([every_verdict()])


@pytest.mark.parametrize("text", HOSTILE)
def test_escaped_text_is_only_text_and_reads_the_same(text: str) -> None:
    tokens = parsed(f"* x: {escape(text)}\n\n| a | b |\n| - | - |\n| {escape(text)} | c |\n")
    kinds = {t.type for t in inline(tokens)}
    assert kinds <= {"text", "text_special"}
    read = "".join(t.content for t in inline(tokens[:6]))
    assert read.rstrip() == f"x: {clean(text)}".rstrip()
    assert table_rows(tokens)[1] == [clean(text), "c"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_target_cannot_change_the_page(text: str) -> None:
    harmless = render([hostile("harmless")], [TargetUnavailable("x", "x", "x")])
    page = render([hostile(text)], [TargetUnavailable(text, text, text)])
    tokens, expected = parsed(page), parsed(harmless)
    if text:  # an empty script has no block
        assert [t.type for t in tokens] == [t.type for t in expected]
    html = {t.content.strip() for t in tokens if t.type == "html_block"}
    assert html <= {"<details><summary>script</summary>", "</details>"}
    assert not {t.type for t in inline(tokens)} & {"html_inline", "image", "link_open", "em_open"}


@pytest.mark.parametrize("text", ["```", "a\n````\nb", "`" * 9, "~~~\n</details>", "x\r\n```\n"])
def test_a_fence_is_longer_than_any_in_the_text(text: str) -> None:
    page = "\n".join([*fenced(text), "", "after"])
    kinds = [(t.type, t.content) for t in parsed(page) if t.type in ("fence", "inline")]
    assert kinds == [("fence", clean_block(text).rstrip("\n") + "\n"), ("inline", "after")]


def test_the_same_results_give_the_same_page() -> None:
    assert render(many_targets()) == render(many_targets())


def run(folder: Path, results: list[Results], *others: Event) -> Path:
    writer = MarkdownWriter(folder)
    heard = [
        RunStarted({}),
        *others,
        *map(TargetFinished, results),
        RunFinished(1.0, interrupted=True),
    ]
    for event in heard:
        writer.handle(event)
    return writer.path


def test_the_page_is_written_at_the_end(tmp_path: Path) -> None:
    path = run(tmp_path / "new", [every_verdict(), hostile("lone \udcff")])
    assert path == tmp_path / "new" / "matrix.md"
    assert path.read_text("utf-8") == render([every_verdict(), hostile("lone \udcff")])


def test_a_target_that_could_not_be_run_is_named(tmp_path: Path) -> None:
    gone = TargetUnavailable("cntk", "no libmpi.so.12", "conformance install cntk")
    page = run(tmp_path, [], gone).read_text("utf-8")
    assert "* `cntk` could not be run: no libmpi.so.12; conformance install cntk" in page


def test_a_run_without_results_leaves_the_old_page(tmp_path: Path) -> None:
    (tmp_path / "matrix.md").write_text("old")
    assert run(tmp_path, []).read_text() == "old"


def test_a_part_of_a_run_says_so() -> None:
    content = hostile("x")
    assert "(partial run)" in render([content])
    assert "(partial run)" not in render([every_verdict()])


def test_the_machine_of_the_runs_is_told_once() -> None:
    assert render(many_targets()).count("Run on an abacus, 2 cores.\n") == 1
    other = results("other", [], machine="a loom")
    page = render([*many_targets(), other])
    assert "Run on a loom: `other`.\n" in page
