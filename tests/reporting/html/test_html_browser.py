"""The site in a real browser, from the file system. Chromium is looked for on PATH.

apt-get install chromium; nox -s browser
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli.files.documents import documented
from conformance.reporting.formats import format_files, write
from conformance.results import Aspect, FunctionResult, Results, Verdict
from tests.reporting.records import (
    aspect_result,
    every_verdict,
    failure,
    function,
    hostile,
    results,
)

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")

pytestmark = pytest.mark.browser

ATTACK = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>'
THEMES = {"dot": "linear algebra", "softmax": "activations", "relu": "activations"}


def target(name: str, *verdicts: Verdict) -> Results:
    made_here = [
        FunctionResult(f, theme, function(f, v).aspects)
        for (f, theme), v in zip(THEMES.items(), verdicts, strict=True)
    ]
    return results(name, made_here)


def contents() -> list[Results]:
    good = target("good", *[Verdict.CONFORMS] * 3)
    bad = target("bad", Verdict.VIOLATES, Verdict.CONFORMS, Verdict.DIVERGES)
    older = replace(
        target("bad", Verdict.CONFORMS, Verdict.VIOLATES, Verdict.DIVERGES),
        run=replace(bad.run, started="2023-01-01T00:00:00Z"),
    )
    old = target("old", *[Verdict.CONFORMS] * 3)
    old = replace(old, target=replace(old.target, edition="keras-1"))
    return [good, bad, older, old]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("site")
    write(folder, format_files("html", contents(), documented()))
    return folder.as_uri()


def rows(page: Any) -> list[str]:
    return page.locator("#grid tbody tr:not(.theme):visible > th").all_inner_texts()  # type: ignore[no-any-return]


def columns(page: Any) -> list[str]:
    return page.locator("#grid thead th[data-key]:visible a").all_inner_texts()  # type: ignore[no-any-return]


def test_filters_choose_rows_and_are_kept_in_the_address(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    assert rows(page) == ["relu", "softmax", "dot"]
    page.fill("#q", "o")
    assert rows(page) == ["softmax", "dot"]
    page.select_option("#verdict", "violates")
    assert rows(page) == ["dot"]
    assert page.inner_text("#found") == "1 of 3 functions; scores of what is shown"
    assert page.url.endswith("#q=o&verdict=violates")
    page.reload()
    assert rows(page) == ["dot"]
    page.click("button[type=reset]")
    # no `wait_for_function`: what it looks at a second time is a string, which the page refuses
    sync_api.expect(page.locator("#found")).to_have_text("3 functions")
    assert rows(page) == ["relu", "softmax", "dot"]


def test_a_linked_view_is_shown(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html#theme=activations&aspect=value&edition=keras-2.2")
    assert rows(page) == ["relu", "softmax"]
    assert columns(page) == ["good", "bad"]
    cell = page.locator("#grid tr", has_text="relu").locator("td").nth(1)
    assert cell.get_attribute("class") == "v-conforms g-4"
    assert cell.inner_text().split("\n") == ["✓", "conforms, another reading", "≈"]
    assert page.locator("thead th[data-key=bad] .points").inner_text().split() == [
        *("100.0", "%", "2/2", "0.0", "%", "missing")
    ]


def test_targets_that_differ_can_be_asked_for(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html#verdict=different&t=good,bad")
    assert columns(page) == ["good", "bad"]
    assert rows(page) == ["dot"], "another reading is no other verdict"


def reader(name: str, **taken: str) -> Results:
    """A target that takes a reading in each of these functions."""
    made_here = []
    for f, theme in THEMES.items():
        took = [f"{taken[f]}"] if f in taken else []
        verdict = Verdict.DIVERGES if took else Verdict.CONFORMS
        convention = took[0].partition(": ")[0] if took else None
        failures = [
            failure(verdict, convention=convention, readings=[r for r in took if ": " in r])
        ]
        aspect = aspect_result(Aspect.VALUE, verdict, *(failures if took else []))
        made_here.append(FunctionResult(f, theme, [aspect]))
    return results(name, made_here)


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("readers")
    listed_here = [
        reader("one", dot="layout: th", softmax="layout: odd"),
        reader("two", dot="layout: th", relu="empty"),
        reader("three"),
    ]
    write(folder, format_files("html", listed_here, documented()))
    return folder.as_uri()


def test_who_takes_a_reading_can_be_asked(page: Any, readers: str) -> None:
    page.goto(f"{readers}/index.html")
    assert page.locator("#reading").is_disabled()
    page.select_option("#convention", "layout")
    assert rows(page) == ["softmax", "dot"]
    menu = page.locator("#reading option").all_inner_texts()
    assert menu[1:] == ["odd", "th"]
    page.select_option("#reading", "th")
    assert rows(page) == ["dot"]
    assert page.inner_text("#found").endswith("taken by one (1), two (1)")
    dimmed = page.locator("#grid tr", has_text="dot").locator("td.dim")
    assert dimmed.count() == 1, "the third does not take it"
    assert page.url.endswith("#convention=layout&reading=th")
    page.reload()
    assert rows(page) == ["dot"]
    page.select_option("#aspect", "dtype")
    assert rows(page) == []
    page.select_option("#aspect", "value")
    assert rows(page) == ["dot"]


def test_a_convention_without_named_readings_can_be_asked_for(page: Any, readers: str) -> None:
    page.goto(f"{readers}/index.html#convention=empty")
    assert rows(page) == ["relu"]
    page.select_option("#reading", "not named")
    assert rows(page) == ["relu"]
    assert page.inner_text("#found").endswith("taken by two (1)")
    page.goto(f"{readers}/index.html#verdict=diverges")
    assert rows(page) == ["relu", "softmax", "dot"]


def test_a_mark_says_which_readings_it_stands_for(page: Any, readers: str) -> None:
    page.goto(f"{readers}/index.html")
    cell = page.locator("#grid tr", has_text="dot").locator("td").first
    cell.locator("a").focus()
    assert cell.get_attribute("title") == "≈ layout: th"


def test_targets_are_compared_by_reading(page: Any, readers: str) -> None:
    page.goto(f"{readers}/compare.html#a=one&b=two")
    assert page.locator("#groups [aria-pressed=true]").inner_text() == "2 other readings"
    assert page.locator("#changes tbody tr").all_inner_texts() == [
        "relu\tvalue\t✓ conforms\t✓ conforms ≈ empty",
        "softmax\tvalue\t✓ conforms ≈ layout: odd\t✓ conforms",
    ]


def test_no_row_is_said_in_words(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html#q=nothing+like+it")
    assert page.locator("#nothing").is_visible()


def test_an_address_of_nonsense_shows_all(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html#theme=none&t=%3Cb%3E&verdict=x&aspect=y")
    assert rows(page) == ["relu", "softmax", "dot"]
    assert len(columns(page)) == 3


def test_arrow_keys_move_from_cell_to_cell_and_enter_opens(page: Any, site: str) -> None:
    page.goto(f"{site}/index.html")
    assert page.locator("#grid tbody a[tabindex='0']").count() == 1
    page.focus("#grid tbody a[tabindex='0']")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    focused = page.evaluate("document.activeElement.closest('td').className")
    assert focused == "v-violates g-3"
    page.keyboard.press("Enter")
    page.wait_for_url("**/functions/dot.html#at-value-bad")
    assert page.locator("details.failure[open]").count() == 1


def test_a_cell_leads_to_its_failure_opened(page: Any, site: str) -> None:
    page.goto(f"{site}/functions/relu.html")
    anchor = page.locator("td:has(sup) a").first.get_attribute("href")
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = false; })")
    page.click("td:has(sup) a")
    assert page.locator(f"{anchor}[open]").count() == 1
    page.goto(f"{site}/functions/dot.html{anchor}")
    page.goto(f"{site}/functions/relu.html{anchor}")
    assert page.locator(f"{anchor}[open]").count() == 1


def test_two_results_are_compared(page: Any, site: str) -> None:
    page.goto(f"{site}/compare.html#a=good&b=bad")
    rows = page.locator("#changes tbody tr")
    assert rows.all_inner_texts() == [
        "dot\tvalue\t✓ conforms\t✗ violates",
    ]
    page.click("#swap")
    chosen = page.locator("#groups [aria-pressed=true]")
    assert chosen.inner_text() == "1 kept in B only"
    assert page.url.endswith("#a=bad&b=good")
    page.click("#groups button:has-text('same')")
    assert page.url.endswith("#a=bad&b=good&show=same")
    page.reload()
    assert chosen.inner_text().endswith("same")
    page.click("#groups button:has-text('other readings')")
    assert rows.all_inner_texts() == ["relu\tvalue\t✓ conforms ≈ ties\t✓ conforms"]


def test_a_target_is_compared_with_all_others_of_its_edition(page: Any, site: str) -> None:
    page.goto(f"{site}/compare.html#a=good&b=*")
    assert page.locator("#changes tbody tr").all_inner_texts() == [
        "dot\tvalue\t✓ conforms\t✗ violates: bad",
    ]
    page.click("#groups button:has-text('other readings')")
    assert page.locator("#changes tbody tr").all_inner_texts() == [
        "relu\tvalue\t✓ conforms\t✓ conforms ≈ another reading: bad",
    ]
    page.goto(f"{site}/compare.html#a=*&b=*")
    assert page.locator("#changes").is_hidden()


def test_two_runs_of_a_target_are_compared(page: Any, site: str) -> None:
    page.goto(f"{site}/targets/bad.html")
    page.click("text=Changes since 2023-01-01")
    page.wait_for_url("**/compare.html#*")
    tabs = page.locator("#groups button").all_inner_texts()
    assert tabs[0].startswith("1 fixed")
    assert tabs[1].startswith("1 broke")


def test_the_colours_follow_the_system_and_the_button(browser: Any, site: str) -> None:
    def back(page: Any) -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")  # type: ignore[no-any-return]

    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{site}/index.html")
    dark = back(page)
    page.click("#scheme")
    light = back(page)
    assert light != dark
    page.goto(f"{site}/compare.html")
    assert back(page) == light
    context.close()


def test_a_narrow_screen_scrolls_in_the_table_only(browser: Any, site: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 700})
    for place in ("index.html", "functions/dot.html", "targets/bad.html", "compare.html"):
        page.goto(f"{site}/{place}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, place
    page.close()


def test_heads_stay_in_sight(page: Any, site: str) -> None:
    page.set_viewport_size({"width": 420, "height": 300})
    page.goto(f"{site}/index.html")
    box = page.locator(".scroll").first
    box.evaluate("b => { b.scrollTop = 1000; b.scrollLeft = 1000; }")
    frame, head = box.bounding_box(), page.locator("#grid thead th").first.bounding_box()
    assert abs(head["y"] - frame["y"]) < 3
    assert abs(head["x"] - frame["x"]) < 3


def test_without_scripts_everything_can_be_read(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/index.html")
    assert rows(page) == ["relu", "softmax", "dot"]
    assert not page.locator("#filters").is_visible()
    page.click("#grid tbody td.v-violates a")
    assert "expected (2, 1)" in page.inner_text("main")
    context.close()


def test_nothing_hostile_runs(browser: Any, tmp_path: Path) -> None:
    write(tmp_path, format_files("html", [hostile(ATTACK), every_verdict("mine")], documented()))
    page = browser.new_page()
    for file in sorted(tmp_path.rglob("*.html")):
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert page.evaluate("window.hit") is None, file
        assert page.locator("img").count() == 0
    page.goto((tmp_path / "compare.html").as_uri())
    assert ATTACK in page.locator("#name-a").inner_text() + page.locator("#name-b").inner_text()
    page.close()


def test_the_policy_stops_what_is_injected(browser: Any, site: str) -> None:
    page = browser.new_page()
    page.goto(f"{site}/index.html")
    blocked = page.evaluate(
        """() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", () => done(true));
            const script = document.createElement("script");
            script.textContent = "window.hit = 1";
            document.body.append(script);
            setTimeout(() => done(false), 500);
        })"""
    )
    assert blocked
    assert page.evaluate("window.hit") is None
    page.close()
