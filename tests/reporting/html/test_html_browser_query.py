"""Queries, records and large matrices of the site in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files, write
from conformance.reporting.html.overview import COLUMNS, LARGEST
from conformance.results import Aspect, FunctionResult, Results, Verdict
from tests.reporting.records import array, aspect_result, failure, results

pytest.importorskip("playwright.sync_api", reason="needs playwright")

pytestmark = pytest.mark.browser


def target(name: str, dtypes: dict[str, str]) -> Results:
    """Functions that violate with an input of a dtype, or follow the documents."""
    functions = []
    for function in ("dot", "relu", "softmax"):
        if dtype := dtypes.get(function):
            bad = failure(inputs={"x": array([1], [1], dtype)}, message=f"gives {dtype}")
            aspect = aspect_result(Aspect.VALUE, Verdict.VIOLATES, bad)
        else:
            aspect = aspect_result(Aspect.VALUE, Verdict.CONFORMS)
        functions.append(FunctionResult(function, "activations", [aspect]))
    return results(name, functions)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("queries")
    contents = [
        target("on-torch", {"dot": "int32", "relu": "float32"}),
        target("on-jax", {"relu": "float32"}),
    ]
    write(folder, format_files("html", contents, Documented()))
    return folder.as_uri()


def rows(page: Any) -> list[str]:
    return page.locator("#grid tbody tr:not(.theme):visible > th").all_inner_texts()  # type: ignore[no-any-return]


def test_a_query_is_kept_in_the_address_and_its_errors_are_named(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    page.fill("#q", "fails:torch passes:jax dtype:int32")
    assert rows(page) == ["dot"]
    assert page.url.endswith("#q=fails%3Atorch+passes%3Ajax+dtype%3Aint32")
    page.reload()
    assert rows(page) == ["dot"]
    assert page.locator("#problems").is_hidden()
    page.fill("#q", "fails:torhc")
    assert page.inner_text("#problems") == "Ignored: no target has “torhc” in its name."
    assert len(rows(page)) == 3


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("aspect=gradiant", "Ignored: no aspect “gradiant”; there are presence, "),
        ("verdict=foo", "Ignored: no verdict “foo”; there are different, imperfect, "),
        ("t=nobody", "Ignored: no target “nobody”; there are on-torch, on-jax."),
    ],
)
def test_a_wrong_value_in_the_address_is_named_until_the_reader_filters(
    page: Any, site: str, asked: str, words: str
) -> None:
    page.goto(f"{site}/index.html#{asked}")
    assert page.inner_text("#problems").startswith(words)
    assert len(rows(page)) == 3
    page.fill("#q", "fails:on-torch")
    assert page.locator("#problems").is_hidden()


def test_the_help_of_queries_has_an_example_that_works(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    page.click("text=Query language")
    page.click("text=functions that some targets break and others keep")
    assert rows(page) == ["dot"]


def test_compared_verdicts_lead_to_their_records(page: Any, site: str) -> None:
    page.goto(f"{site}/compare.html#a=on-torch&b=on-jax")
    page.click("#changes td.v-violates a")
    page.wait_for_url("**/functions/dot.html#at-value-on-torch")
    assert page.locator("details.failure[open] #at-value-on-torch").count() == 1
    page.go_back()
    page.click("#changes td.v-conforms a")
    page.wait_for_url("**/functions/dot.html#at-value-on-jax")
    assert page.locator("td#at-value-on-jax").count() == 1


def test_a_large_matrix_is_made_from_data(page: Any, tmp_path: Path) -> None:
    functions = [
        FunctionResult(f"f{n}", "activations", [aspect_result(Aspect.VALUE, Verdict.CONFORMS)])
        for n in range(LARGEST // (COLUMNS + 2) + 1)
    ]
    broken = target("odd-one", {"dot": "int32"}).functions
    contents = [results(f"copy{n}", functions) for n in range(COLUMNS + 1)]
    contents.append(results("odd-one", [*functions, *broken]))
    files = dict(format_files("html", contents, Documented()))
    names = ("index.html", "functions/dot.html")
    write(tmp_path, [f for f in files.items() if f[0] in names or f[0].startswith("assets/")])
    assert b"<td data-a" not in files["index.html"]
    page.goto(f"{tmp_path.as_uri()}/index.html")
    heads = page.locator("#grid thead th[data-key]:visible a")
    assert heads.count() == COLUMNS
    page.fill("#q", "fails:odd")
    assert rows(page) == ["dot"]
    assert "odd-one" in heads.all_inner_texts()
    page.click("#grid td.v-violates a")
    page.wait_for_url("**/functions/dot.html#at-value-odd-one")
