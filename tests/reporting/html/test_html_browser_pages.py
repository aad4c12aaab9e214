"""Search, orders, accuracy, and what everybody can use, in a real browser.

apt-get install chromium; nox -s browser
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli.files.documents import documented
from conformance.reporting.formats import format_files, write
from conformance.results import ASPECTS, Aspect, AspectResult, FunctionResult, Results, Verdict
from tests.reporting.records import aspect_result, every_verdict, failure, function, results

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")

pytestmark = pytest.mark.browser

PLACES = (
    *("index.html", "compare.html#a=one&b=two", "accuracy.html", "about.html"),
    *("functions/softmax.html", "functions/relu.html", "targets/one.html"),
)
VIEWS = [
    (1280, "light"),
    (360, "dark"),
    pytest.param(1280, "dark", marks=pytest.mark.thorough),
    pytest.param(360, "light", marks=pytest.mark.thorough),
]
FUNCTIONS = {"dot": "linear algebra", "softmax": "activations", "relu": "activations"}


def _aspects(verdict: Verdict, share: float, message: str) -> list[AspectResult]:
    failures = [failure(verdict, message=message)] if verdict is not Verdict.CONFORMS else []
    value = AspectResult(
        aspect=Aspect.VALUE,
        verdict=verdict,
        cases=9,
        max_ulp=share * 4,
        limit_ulp=4.0,
        failures=failures,
    )
    return [value if a is Aspect.VALUE else aspect_result(a, Verdict.CONFORMS) for a in ASPECTS[:5]]


def target(name: str, *verdicts: Verdict, share: float = 0.5) -> Results:
    functions = [
        FunctionResult(f, theme, _aspects(v, share, f"{f} gives nonsense on {name}"), "(x, odd=1)")
        for (f, theme), v in zip(FUNCTIONS.items(), verdicts, strict=True)
    ]
    return results(name, functions, milliseconds={"dot": 1.0})


V, C, D = Verdict.VIOLATES, Verdict.CONFORMS, Verdict.DIVERGES


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("site")
    older = target("one", C, C, C)
    older = replace(older, run=replace(older.run, started="2023-01-01T00:00:00Z"))
    contents = [
        target("one", V, C, V, share=0.25),
        target("two", V, C, D, share=0.75),
        target("three", C, C, D),
        older,
    ]
    write(folder, format_files("html", contents, documented()))
    return folder.as_uri()


def rows(page: Any) -> list[str]:
    names = page.locator("#grid tbody tr:not(.theme):visible > th a").all_inner_texts()
    return [name.strip() for name in names]


def columns(page: Any) -> list[str]:
    return page.locator("#grid thead th[data-key]:visible a").all_inner_texts()  # type: ignore[no-any-return]


def find(page: Any, words: str) -> list[str]:
    page.fill("#search", "")
    page.focus("#search")
    page.keyboard.type(words)
    sync_api.expect(page.locator("#hits > div").first).not_to_have_text("Loading …")
    return [" ".join(text.split()) for text in page.locator("#hits > div").all_inner_texts()]


@pytest.mark.parametrize("place", ["index.html", "functions/dot.html", "targets/one.html"])
def test_functions_messages_ids_and_targets_are_found_on_every_page(
    page: Any, site: str, place: str
) -> None:
    page.goto(f"{site}/{place}")
    assert find(page, "softm")[0].startswith("softmax function")
    assert find(page, "three")[0] == "three target"
    by_message = find(page, "nonsense relu")
    assert by_message[0].startswith("✗ relu value f1a2 relu gives nonsense on one")
    assert len(by_message) == 3
    assert len(find(page, "f1a2")) == 5
    assert find(page, "no such thing") == ["No entry has all of these words."]


def test_what_was_found_is_opened_with_the_keyboard(page: Any, site: str) -> None:
    page.goto(f"{site}/about.html")
    page.keyboard.press("/")
    assert len(find(page, "nonsense dot")) == 2
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#hits [aria-selected=true]")
    assert chosen.get_attribute("id") == page.get_attribute("#search", "aria-activedescendant")
    page.keyboard.press("Enter")
    page.wait_for_url("**/functions/dot.html#f-value-*")
    assert page.locator("details.failure[open]").count() == 1


def test_a_click_opens_and_escape_closes_what_was_found(page: Any, site: str) -> None:
    page.goto(f"{site}/functions/dot.html")
    find(page, "relu")
    page.keyboard.press("Escape")
    assert page.locator("#hits").is_hidden()
    find(page, "relu")
    page.click("#hits >> text=relu function")
    page.wait_for_url("**/functions/relu.html")


def test_the_data_of_the_search_is_loaded_for_those_who_search(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    assert page.locator("script[src*=search-data]").count() == 0
    page.focus("#search")
    assert page.locator("script[src*=search-data]").count() == 1


def test_rows_are_sorted_by_name_score_and_disagreement(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    assert rows(page) == ["relu", "softmax", "dot"]
    page.select_option("#sort", "name")
    assert rows(page) == ["dot", "relu", "softmax"]
    page.select_option("#sort", "score")
    assert rows(page) == ["dot", "relu", "softmax"]
    assert page.locator("#grid tbody .measure").all_inner_texts() == [
        *("13 of 15", "14 of 15", "15 of 15")
    ]
    page.select_option("#aspect", "dtype")
    assert page.locator("#grid tbody .measure").first.inner_text() == "3 of 3"
    page.select_option("#aspect", "")
    page.select_option("#sort", "disagreement")
    assert page.url.endswith("#sort=disagreement")
    measured = page.locator("#grid tbody .measure").all_inner_texts()
    assert measured == ["1 unlike most", "1 unlike most", "0 unlike most"]
    page.fill("#q", "o")
    assert rows(page) == ["dot", "softmax"]
    page.fill("#q", "")
    page.select_option("#sort", "")
    assert rows(page) == ["relu", "softmax", "dot"]
    assert page.locator("#grid tr.theme:visible").count() == 2
    assert page.locator(".measure").count() == 0


def test_columns_are_sorted_with_their_cells_and_scores(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html#columns=score")
    assert columns(page) == ["three", "two", "one"]
    dot = page.locator("#grid tbody tr", has_text="dot").locator("td")
    assert [c.get_attribute("class") for c in dot.all()] == ["v-conforms g-4"] + [
        "v-violates g-3"
    ] * 2
    assert page.locator("#score-list b").first.inner_text() == "three"
    page.select_option("#columns", "name")
    assert columns(page) == ["one", "three", "two"]
    page.click("button[type=reset]")
    sync_api.expect(page.locator("#grid thead th[data-key] a").nth(1)).to_have_text("two")


def test_arrow_keys_follow_the_order_that_is_shown(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html#sort=name&columns=score")
    page.focus("#grid tbody a[tabindex='0']")
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    place = page.evaluate("document.activeElement.href")
    assert place.endswith("relu.html") or "relu.html#" in place


@pytest.mark.parametrize("width", [1280, 360])
def test_a_filtered_view_shows_the_matrix_and_what_is_filtered(
    browser: Any, site: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 600})
    page.goto(f"{site}/index.html")
    assert page.evaluate("scrollY") == 0
    page.goto(f"{site}/about.html")
    page.goto(f"{site}/index.html#theme=activations")
    assert abs(page.locator("#matrix").bounding_box()["y"]) < 120
    assert page.locator("#filters .set").count() == 1
    assert page.inner_text("#found") == "2 of 3 functions; scores of what is shown"
    page.goto(f"{site}/targets/one.html")
    page.click("#themes + * + ul a, section[aria-labelledby=themes] li a")
    page.wait_for_url("**/index.html#theme=*")
    assert abs(page.locator("#matrix").bounding_box()["y"]) < 120
    page.close()


def test_the_table_of_accuracy_is_sorted_by_its_heads(page: Any, site: str) -> None:
    page.goto(f"{site}/accuracy.html")
    names = page.locator("#accuracy tbody th")
    assert page.locator("#accuracy tbody td").first.inner_text() == "0.75"
    page.click("text=Function >> button")
    assert names.all_inner_texts() == ["dot", "relu", "softmax"]
    page.click("text=Function >> button")
    assert names.all_inner_texts() == ["softmax", "relu", "dot"]
    assert page.locator("[aria-sort]").count() == 1


def test_a_heading_has_a_link_to_itself(page: Any, site: str) -> None:
    page.goto(f"{site}/functions/dot.html")
    page.click("#failures .anchor")
    assert page.url.endswith("dot.html#failures")


def test_links_in_text_are_underlined(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    line = "element => getComputedStyle(element).textDecorationLine"
    for link in ("#score-list a", "#grid thead a", "#grid tbody th a", "footer a"):
        assert page.locator(link).first.evaluate(line) == "underline", link


def violations(page: Any) -> list[tuple[str, list[str]]]:
    """The rules of axe that the page breaks, each with its elements."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    problems = axe.Axe().run(page).response["violations"]
    return [
        (problem["id"], [node["html"][:200] for node in problem["nodes"]]) for problem in problems
    ]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_axe_finds_nothing(browser: Any, site: str, place: str, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{site}/{place}")
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    if place == "index.html":
        find(page, "nonsense")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    context.close()


def test_axe_finds_what_is_wrong(browser: Any, site: str) -> None:
    page = browser.new_page()
    page.goto(f"{site}/about.html")
    page.evaluate("document.querySelector('h1').innerHTML = '<a href=x></a><img src=data:,>'")
    assert {"image-alt", "link-name", "page-has-heading-one"} & {v for v, _ in violations(page)}
    page.close()


def test_twenty_four_targets_open_with_few_elements(browser: Any, tmp_path: Path) -> None:
    documentation = documented()
    functions = [
        FunctionResult(f.name, f.theme, function(f.name, Verdict.VIOLATES).aspects)
        for f in documentation.functions.values()
    ]
    many = [results(f"keras-2.2.4-target-{i}", functions) for i in range(24)]
    files = [
        f for f in format_files("html", many, documentation) if not f[0].startswith("functions/")
    ]
    write(tmp_path, files)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    # what opening takes follows from them: a machine that is busy says nothing of the page
    elements = page.evaluate("document.getElementsByTagName('*').length")
    cells = len(functions) * len(many)
    assert cells <= elements < 6 * cells, elements
    assert page.inner_text("#found") == f"{len(functions)} functions"
    page.close()


def test_every_verdict_has_its_colour_in_the_legend_of_bars(page: Any, tmp_path: Path) -> None:
    write(tmp_path, format_files("html", [every_verdict()], documented()))
    page.goto((tmp_path / "index.html").as_uri())
    colour = "(element, name) => getComputedStyle(element)[name]"
    for verdict in ("conforms", "violates", "unsupported", "crashed", "timed-out"):
        bar = page.locator(f"#score-list rect.v-{verdict}").evaluate(colour, "fill")
        swatch = page.locator(f".swatch.v-{verdict}").evaluate(colour, "backgroundColor")
        assert bar == swatch, verdict


def test_a_record_of_a_long_page_comes_when_it_is_opened(page: Any, tmp_path: Path) -> None:
    failures = [
        replace(
            failure(V, message=f"softmax is wrong {n}"), id=f"{n:012}", script="# line\n" * 9_000
        )
        for n in range(3)
    ]
    value = replace(aspect_result(Aspect.VALUE, V), failures=failures)
    run = results("one", [FunctionResult("softmax", "activations", [value], "(x)")])
    write(tmp_path, format_files("html", [run], documented()))
    page.goto((tmp_path / "functions" / "softmax.html").as_uri())
    last = page.locator("details.failure").last
    assert last.locator("pre").count() == 0
    last.locator("summary").first.click()
    last.locator(".variant").wait_for()
    assert "# line" in last.locator("pre").last.text_content()
    page.goto((tmp_path / "functions" / "softmax.html").as_uri() + f"#f-value-{1:012}-v")
    page.locator("details.failure[open] .variant").nth(1).wait_for()
