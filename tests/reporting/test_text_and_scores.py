from __future__ import annotations

import unicodedata

import pytest

from conformance.reporting.listing import listed_failures
from conformance.reporting.marks import MARKS
from conformance.reporting.matrix import MatrixColumn, column, labels
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import ASPECTS, Aspect, FunctionResult, Verdict
from tests.reporting.records import (
    HOSTILE,
    aspect_result,
    every_verdict,
    failure,
    function,
    results,
)


def test_every_verdict_has_marks_of_its_own() -> None:
    assert set(MARKS) == set(Verdict)
    for part in (
        [m.symbol for m in MARKS.values()],
        [m.ascii for m in MARKS.values()],
        [m.letter for m in MARKS.values()],
    ):
        assert len(set(part)) == len(part)
        assert all(len(p) == 1 for p in part)
    assert all(m.ascii.isascii() for m in MARKS.values())


def test_a_cell_shows_the_worst_verdict_and_the_score() -> None:
    target_column = column(results("t", [function("dot", Verdict.CRASHED)]))
    assert target_column.verdict("dot") is Verdict.CRASHED
    assert target_column.cell("dot") == f"{len(ASPECTS) - 1}/{len(ASPECTS)}"
    assert target_column.verdict("absent") is Verdict.NOT_APPLICABLE
    assert target_column.cell("absent") == ""
    assert not target_column.diverges("dot")


def test_a_cell_keeps_the_documents_where_it_diverges_and_has_a_mark_beside() -> None:
    target_column = column(results("t", [function("dot", Verdict.DIVERGES)]))
    assert target_column.verdict("dot") is Verdict.CONFORMS
    assert target_column.cell("dot") == f"{len(ASPECTS)}/{len(ASPECTS)}"
    assert target_column.diverges("dot")


@pytest.mark.parametrize("text", HOSTILE)
def test_clean_text_is_one_printable_line(text: str) -> None:
    shown = clean(text)
    categories = {unicodedata.category(c) for c in shown}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mc1", "c1"),
        ("\x1b(Bset", "set"),
        ("unfinished \x1b[", "unfinished"),
        ("a\r\nb\tc\x0bd", "a b cd"),
        ("pass\u202eword", "pass\\u202eword"),
        ("漢字 é", "漢字 é"),
    ],
)
def test_terminal_sequences_vanish_and_words_stay(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_block_keeps_its_lines_and_indentation() -> None:
    assert clean_block("if x:\r\n\ty\x1b[K\n") == "if x:\n    y\n"


def test_labels_are_short_distinct_and_speak() -> None:
    names = ["keras-2.2.4-tensorflow-1.14", "keras-2.2.4-theano-1.0.5", "tf_keras", "reference"]
    assert labels(names) == ["tensorflow", "theano", "tf_keras", "reference"]


def test_labels_of_equal_words_are_numbered() -> None:
    names = [f"keras-2.{i}.0-tensorflow-1.{i}" for i in range(12)]
    short = labels([*names, *HOSTILE])
    assert len(set(short)) == len(short)
    assert all(len(label) <= 10 and label for label in short)
    assert short[:2] == ["tensorflow", "tensorfl#2"]


def test_findings_come_gravest_first_and_cite_once() -> None:
    failures = listed_failures(every_verdict().functions, *Verdict)
    graves = [f.verdict for f in failures if f.failure]
    assert graves[0] is Verdict.VIOLATES
    assert graves.index(Verdict.DIVERGES) == len(graves) - 1
    assert failures[0].message.count("ko-2.2:1053") == 1


def test_a_citation_that_the_message_lacks_is_added() -> None:
    aspects = [aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(message="see ko-2.2:10537"))]
    (failure_entry,) = listed_failures([FunctionResult("dot", "t", aspects)], Verdict.VIOLATES)
    assert failure_entry.message == "see ko-2.2:10537 (ko-2.2:1053)"


def test_an_aspect_without_failures_is_found_too() -> None:
    tested = FunctionResult("dot", "t", [aspect_result(Aspect.PRESENCE, Verdict.UNSUPPORTED)])
    (failure_entry,) = listed_failures([tested], Verdict.UNSUPPORTED)
    assert failure_entry.message == "unsupported"
    assert MatrixColumn("t", "e", {"dot": tested}).verdict("dot") is Verdict.UNSUPPORTED
