"""What one target refuses in words and another gets wrong stands in the reports of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.reporting.contrasts import contrasts, notes_on_failures
from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files
from conformance.reporting.html.function_page import failure_groups
from conformance.reporting.markdown import render
from conformance.reporting.markdown_text import escape
from conformance.reporting.targets import target_histories
from conformance.results import Aspect, Citation, Failure, FunctionResult, Results, Verdict
from tests.reporting.records import aspect_result, failure, results

WORDS = "NotImplementedError: \"silu_cpu\" not implemented for 'Long'"
DOCUMENTED = Documented()
NUMBER = "hard_silu(x) gives 0 at [0]; expected -0.333"


def program(dtype: str = "int64", **changes: Any) -> dict[str, Any]:
    """A call of `hard_silu` with a tensor; `changes` are those of its input."""
    item = {"name": "x", "shape": [1], "dtype": dtype, "binding": "constant", **changes}
    step = {
        "result": "result",
        "function": "keras.ops.hard_silu",
        "args": [{"ref": "x"}],
        "kwargs": {},
    }
    return {"inputs": [item], "steps": [step], "outputs": ["result"]}


def refusal(**changes: Any) -> Failure:
    fields: dict[str, Any] = {"kind": "exception", "message": f"raises {WORDS}", "got": WORDS}
    fields |= {"program": program(), "convention": "input-dtype", "id": "4ef5"}
    return failure(Verdict.UNSUPPORTED, **(fields | changes))


def wrong(**changes: Any) -> Failure:
    fields: Mapping[str, Any] = {"kind": "value", "message": NUMBER, "program": program()}
    cited = Citation("keras-3.15.1", "keras.ops.hard_silu: Summary")
    return failure(**(dict(fields) | {"citation": cited} | changes))


def of(name: str, *failures: Failure) -> Results:
    aspects = [aspect_result(Aspect.VALUE, f.verdict, f) for f in failures]
    content = results(name, [FunctionResult("keras.ops.hard_silu", "nn", aspects)])
    return replace(content, target=replace(content.target, edition="keras-3"))


def pairs(refused: Failure, failing: Failure) -> int:
    return len(contrasts([("torch", of("torch", refused)), ("numpy", of("numpy", failing))]))


def test_both_reports_name_the_other_target_and_its_words() -> None:
    page = render([of("torch", refusal()), of("numpy", wrong())])
    torch, numpy = page.split("## numpy")[0].split("## torch")[1], page.split("## numpy")[1]
    assert "numpy gets such a call wrong: hard_silu(x) gives 0" in torch
    assert f"torch refuses such a call: {escape(WORDS)}" in numpy


def test_the_pages_of_targets_and_of_the_function_have_the_words() -> None:
    both = [of("torch", refusal()), of("numpy", wrong())]
    pages = {name: page.decode() for name, page in format_files("pages", both, DOCUMENTED)}
    assert "numpy gets such a call wrong" in pages["targets/torch.md"]
    assert "torch refuses such a call" in pages["targets/numpy.md"]
    assert "such a call" not in pages["matrix.md"]
    site = {name: page.decode() for name, page in format_files("html", both, DOCUMENTED)}
    (page,) = (site[name] for name in site if name.startswith("functions/"))
    assert (
        page.count("numpy gets such a call wrong") == page.count("torch refuses such a call") == 1
    )


def test_a_failure_of_the_function_page_has_the_note_of_its_own_targets() -> None:
    both = [of("torch", refusal()), of("numpy", wrong())]
    views = [history.newest for history in target_histories(both)]
    notes = notes_on_failures(contrasts((v.label, v.results) for v in views))
    groups = failure_groups("keras.ops.hard_silu", views, notes)
    assert [len(v.notes) for g in groups for v in g.variants] == [1, 1]
    assert failure_groups("keras.ops.hard_silu", views, {})[0].variants[0].notes == []


@pytest.mark.parametrize(
    "refused",
    [
        refusal(program=program("int32")),
        refusal(program=program(binding="python")),
        refusal(program=program(shape=[1, 2])),
        refusal(program=program(shape=[0])),
        refusal(program=program(layout="fortran")),
        refusal(program=None),
        refusal(program={"inputs": 3}),
        refusal(got="AttributeError: 'list' object has no attribute 'dtype'"),
        refusal(got="TypeError: '>' not supported between instances of 'list' and 'int'"),
        refusal(got="RuntimeError: bad cast"),
        refusal(convention="compiled-call, input-dtype"),
        refusal(kind="unmade input"),
        replace(refusal(), verdict=Verdict.DIVERGES, readings=["input-dtype: float32"]),
    ],
)
def test_another_call_or_an_exception_without_words_is_no_refusal_of_it(refused: Failure) -> None:
    assert pairs(refusal(), wrong()) == 1
    assert pairs(refused, wrong()) == 0


def test_a_reading_that_refuses_counts_and_the_words_may_be_wrapped() -> None:
    wrapped = f"NotImplementedError: Exception encountered when calling F.call().\n\n{WORDS[21:]}"
    read = replace(refusal(got=wrapped), verdict=Verdict.DIVERGES, readings=["empty: refused"])
    (pair,) = contrasts([("torch", of("torch", read)), ("numpy", of("numpy", wrong()))])
    assert pair.quotation == WORDS


def test_the_refusal_of_the_most_similar_call_is_quoted_once_for_a_target() -> None:
    general = refusal(program=program() | {"steps": [dict(program()["steps"][0], args=[])]})
    both = of("torch", general, refusal(got=f"{WORDS}, the nearer"))
    (pair,) = contrasts([("torch", both), ("numpy", of("numpy", wrong()))])
    assert pair.quotation.endswith("the nearer")


def test_targets_of_different_editions_are_not_compared() -> None:
    other = of("numpy", wrong())
    other = replace(other, target=replace(other.target, edition="keras-2.2"))
    assert contrasts([("torch", of("torch", refusal())), ("numpy", other)]) == []
