from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.cli.files.documents import documented, documents
from conformance.engine.planning.plan import documented_names
from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files, write
from conformance.reporting.html.environment import breakable
from conformance.reporting.html.function_page import failure_groups
from conformance.reporting.html.signatures import parameters
from conformance.reporting.html.site import comparison_data, script_safe
from conformance.reporting.safe_text import clean
from conformance.reporting.targets import target_histories
from conformance.results import (
    ASPECTS,
    Aspect,
    AspectResult,
    Citation,
    FunctionResult,
    Results,
    Verdict,
    summarise,
)
from tests.reporting.pages import Page, dead_links, links, site_pages
from tests.reporting.records import HOSTILE as TEXTS
from tests.reporting.records import (
    JUDGED,
    NEWER,
    array,
    aspect_result,
    every_verdict,
    failure,
    function,
    hostile,
    newer,
    results,
)

HOSTILE = [
    *TEXTS,
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "'\" onmouseover=alert(1) x='",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "]]><!--",
    "..",
    "con",
    "\u2028alert(1)\u2029",
    "</pre></details></main>",
]
SCRIPTS = {
    *(
        "report.js",
        "search.js",
        "sorting.js",
        "matrix.js",
        "compare.js",
        "accuracy.js",
        "data.js",
        "query.js",
    ),
}


def site(
    folder: Path, contents: list[Results], documentation: Documented | None = None
) -> dict[str, Page]:
    write(
        folder,
        format_files("html", contents, Documented() if documentation is None else documentation),
    )
    return site_pages(folder)


def content_of(aspect: AspectResult, name: str = "softmax", target: str = "mine") -> Results:
    return results(target, [FunctionResult(name, "activations", [aspect])])


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Page]]:
    folder = tmp_path_factory.mktemp("around") / "site"
    return folder, site(folder, [hostile(text) for text in HOSTILE])


def test_the_matrix_has_a_row_for_each_function_and_a_cell_for_each_target(tmp_path: Path) -> None:
    pages = site(tmp_path, [every_verdict("a"), every_verdict("b")])
    cells = [c for c in pages["index.html"].all("td") if "data-a" in c]
    assert len(cells) == 2 * len(JUDGED)
    assert [h["data-key"] for h in pages["index.html"].all("th", scope="col")[1:]] == ["a", "b"]
    assert {f"functions/f_{v.name.lower()}.html" for v in JUDGED} < set(pages)
    assert {"targets/a.html", "targets/b.html", "compare.html"} < set(pages)


def test_a_cell_says_its_verdict_in_words_and_has_a_letter_for_each_aspect(tmp_path: Path) -> None:
    page = site(tmp_path, [every_verdict()])["index.html"]
    assert not page.all("td", **{"class": "v-diverges"}), "a divergence is no fault"
    assert "conforms, another reading " in page.text
    for verdict in set(JUDGED) - {Verdict.NOT_APPLICABLE, Verdict.DIVERGES}:
        shown = [
            c
            for c in page.all("td")
            if f"v-{verdict.replace(' ', '-')}" in c.get("class", "").split()
        ]
        assert shown, verdict
        assert f"{verdict} " in page.text
    assert all(len(c["data-a"]) == len(ASPECTS) for c in page.all("td") if "data-a" in c)


def test_every_score_states_its_denominator(tmp_path: Path) -> None:
    pages = site(tmp_path, [every_verdict("mine")])
    assert f"of {6 * len(ASPECTS)} aspects" in pages["index.html"].text
    assert f"of {6 * len(ASPECTS)} demanded aspects" in pages["targets/mine.html"].text


def test_what_nobody_ran_is_not_green(tmp_path: Path) -> None:
    whole, part = (
        every_verdict("whole"),
        results("part", [function("f_conforms", Verdict.CONFORMS)]),
    )
    page = site(tmp_path, [whole, part])["index.html"]
    assert len(page.all("td", **{"class": "v-not-run"})) == len(JUDGED) - 1


def test_a_function_of_another_edition_is_not_one_that_was_not_run(tmp_path: Path) -> None:
    old = every_verdict("old")
    old = replace(old, target=replace(old.target, edition="keras-1"))
    new = results("new", [function("conv1d", Verdict.CONFORMS)])
    page = site(tmp_path, [old, new], documented())["index.html"]
    assert len(page.all("td", **{"class": "v-not-in-this-edition"})) == 1


def test_every_link_leads_to_something_in_the_site(tmp_path: Path) -> None:
    pages = site(tmp_path, [every_verdict("a"), every_verdict("b/../c")], documented())
    assert dead_links(pages, tmp_path) == []


def test_a_failure_shows_expected_and_got_with_their_differences(tmp_path: Path) -> None:
    bad = failure(expected=array([1.0, 2.0], [2]), got=array([1.0, 5.0], [2]), max_ulp=7.0)
    aspect = AspectResult(
        aspect=Aspect.VALUE, verdict=Verdict.VIOLATES, cases=9, limit_ulp=2.0, failures=[bad]
    )
    content = _content(tmp_path, [content_of(aspect)])
    assert content.count("<mark>") == 2
    assert "<mark>2</mark>" in content
    assert "<mark>5</mark>" in content
    assert "error 7 ULP; the limit is 2" in content
    assert "ko-2.2:1053" in content
    assert "from keras import backend as K" in content


def test_an_error_within_the_widest_bound_is_not_held_against_it(tmp_path: Path) -> None:
    bad = failure(expected=array([1.0, 2.0], [2]), got=array([1.0, 5.0], [2]), max_ulp=7.0)
    aspect = AspectResult(
        aspect=Aspect.VALUE, verdict=Verdict.VIOLATES, cases=9, limit_ulp=1e30, failures=[bad]
    )
    content = _content(tmp_path, [content_of(aspect)])
    assert "<mark>5</mark>" in content
    assert "error 7 ULP; more than the bound of this case" in content


def test_other_shapes_are_marked(tmp_path: Path) -> None:
    bad = failure(expected=array([1.0], [1, 1]), got=array([1.0], [1]))
    aspect = AspectResult(aspect=Aspect.VALUE, verdict=Verdict.VIOLATES, cases=1, failures=[bad])
    content = _content(tmp_path, [content_of(aspect)])
    assert "<mark>(1, 1)</mark>" in content
    assert "<mark>(1,)</mark>" in content


def test_a_failure_that_targets_share_comes_once(tmp_path: Path) -> None:
    aspect = AspectResult(
        aspect=Aspect.VALUE, verdict=Verdict.VIOLATES, cases=9, failures=[failure()]
    )
    page = Page(
        _content(tmp_path, [content_of(aspect, target="a"), content_of(aspect, target="b")])
    )
    assert len([d for d in page.all("details") if d.get("class") == "failure"]) == 1
    current = [
        line.newest for line in target_histories([content_of(aspect, target=t) for t in "ab"])
    ]
    (group,) = failure_groups("softmax", current, {})
    assert [s.target.label for s in group.shown] == ["a", "b"]
    assert len(group.variants) == 1


def test_the_page_of_a_function_says_what_the_documents_say(tmp_path: Path) -> None:
    aspect = AspectResult(aspect=Aspect.VALUE, verdict=Verdict.CONFORMS, cases=9)
    content = _content(tmp_path, [content_of(aspect)], documented())
    text = Page(content).text
    for text_part in (
        "ko-2.2:2787",
        "keras-2.0",
        "C107",
        "axis in keras-2.2 only",
        "3 conventions",
    ):
        assert text_part in text
    assert "<mark>axis=-1</mark>" in content


def test_every_citation_leads_to_the_entry_on_the_page_of_the_document(tmp_path: Path) -> None:
    wrong = content_of(aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure()))
    pages = site(tmp_path, [wrong], documented())
    text = documents()["ko-2.2"]
    there = f"../documents/ko-2.2.html#{text.anchor(1053)}"
    assert there in links(pages["functions/softmax.html"])
    page = pages["documents/ko-2.2.html"]
    assert ("tr", {"id": text.anchor(1053)}) in page.elements
    for part in ("Korean", "Keras 2.2.2", text.sha256[:16], "C107"):
        assert part in page.text


def test_a_line_leads_to_its_claim_or_its_entry_or_the_introduction() -> None:
    text = documents()["ja-1"]
    assert [text.anchor(line) for line in (1, 22, 115, 116, 124, 125, 1549, 1550)] == [
        "introduction",
        "L22",
        "introduction",
        "L116",
        "L116",
        "L125",
        f"L{text.entries[-1].first}",
        "L1550",
    ]


def test_a_citation_of_a_text_that_nobody_knows_is_no_link(tmp_path: Path) -> None:
    unknown = failure(citation=Citation("ko-9", 3), message="gives 1; expected 2 (ko-9:3)")
    aspect = aspect_result(Aspect.VALUE, Verdict.VIOLATES, unknown)
    page = Page(_content(tmp_path, [content_of(aspect)], documented()))
    assert "ko-9:3" in page.text
    assert not [link for link in links(page) if "ko-9" in link]


def test_signatures_of_targets_are_compared_with_the_document_that_binds(tmp_path: Path) -> None:
    aspect = AspectResult(aspect=Aspect.VALUE, verdict=Verdict.CONFORMS, cases=9)
    mine = FunctionResult("softmax", "activations", [aspect], "(x, axis=0)")
    content = _content(tmp_path, [results("mine", [mine])], documented())
    assert "softmax(x, <mark>axis=0</mark>)" in content


def test_parameters_are_split_outside_of_brackets_only() -> None:
    assert parameters("(x, axes=(1, 2), **kwargs)") == ["x", "axes=(1, 2)", "**kwargs"]
    assert parameters("()") == []


def test_the_page_of_a_target_groups_failures_by_cause(tmp_path: Path) -> None:
    message = "raises ValueError: no axis {}; expected (2, 1) (ko-2.2:1053)"
    functions = [
        FunctionResult(
            f"f{i}",
            "t",
            [
                AspectResult(
                    aspect=Aspect.VALUE,
                    verdict=Verdict.VIOLATES,
                    cases=3,
                    failures=[failure(message=f"f{i}(x) {message.format(i)}", kind="exception")],
                )
            ],
        )
        for i in range(3)
    ]
    page = site(tmp_path, [results("mine", functions)])["targets/mine.html"]
    assert len([d for d in page.all("details") if d.get("class") == "cause"]) == 1
    assert "raises ValueError: no axis … 3 functions: f0, f1, f2" in page.text


def test_the_page_of_a_newer_release_names_its_drift(tmp_path: Path) -> None:
    pages = site(tmp_path, [newer(), results("mine", [function("f", Verdict.CONFORMS)])])
    drift = NEWER.partition(": ")[2]
    assert drift in pages["targets/keras-nightly-numpy.html"].text
    assert "Drift" not in pages["targets/mine.html"].text


def test_charts_show_errors_limits_and_times(tmp_path: Path) -> None:
    aspects = [
        AspectResult(
            aspect=Aspect.VALUE, verdict=Verdict.CONFORMS, cases=9, max_ulp=error, limit_ulp=2.0
        )
        for error in (0.5, 3.0)
    ]
    functions = [FunctionResult(f"f{i}", "t", [a]) for i, a in enumerate(aspects)]
    page = site(tmp_path, [results("mine", functions, milliseconds={"f0": 1.5})])[
        "targets/mine.html"
    ]
    assert len(page.all("path", **{"class": "hollow"})) == 1
    assert "1 of 2 measured functions" in page.text
    assert "f0: 0.5 / 2 ULP" in page.text
    assert "f0: 1.5 ms" in page.text


def test_older_results_of_a_target_are_its_history(tmp_path: Path) -> None:
    new = replace(every_verdict(), run=replace(every_verdict().run, started="2024-06-01T00:00:00Z"))
    pages = site(tmp_path, [new, every_verdict()])
    assert len(pages["index.html"].all("th", scope="col")) == 2
    page = pages["targets/keras-2.2.4-theano.html"]
    assert "Changes since 2024-05-06T07:08:09Z" in page.text
    assert len(page.all("polyline")) == 1
    assert dead_links(pages, tmp_path) == []


def test_the_data_of_the_comparison_holds_every_letter(tmp_path: Path) -> None:
    histories = target_histories([every_verdict("a"), every_verdict("b")])
    content = comparison_data(histories, {"linear algebra": ["f_violates", "absent"]}).decode()
    data = json.loads(content.removeprefix("window.conformanceData = ").removesuffix(";\n"))
    assert [t["label"] for t in data["targets"]] == ["a", "b"]
    value = [str(a) for a in ASPECTS].index("value")
    assert data["targets"][0]["cells"][0][value] == "V"
    assert data["targets"][0]["cells"][1] == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_data_in_a_script_cannot_end_it(text: str) -> None:
    shown = script_safe([clean(text)])
    assert shown.isascii()
    assert not re.search(r"[<>&\x00-\x1f\x7f]", shown)
    assert json.loads(shown) == [clean(text)]


def test_hostile_text_makes_no_element_and_no_handler(
    attacked: tuple[Path, dict[str, Page]],
) -> None:
    for place, page in attacked[1].items():
        assert not page.unbalanced, place
        for tag, attributes in page.elements:
            assert tag not in ("img", "iframe", "object", "style", "base"), place
            assert not [k for k in attributes if k.startswith("on") or k == "style"], place
            if tag == "script":
                assert attributes["src"].rpartition("/")[2] in SCRIPTS


def test_hostile_names_lead_nowhere_else(attacked: tuple[Path, dict[str, Page]]) -> None:
    folder, pages = attacked
    assert dead_links(pages, folder) == []
    assert [p.name for p in folder.parent.iterdir()] == ["site"]
    for file in folder.rglob("*"):
        assert re.fullmatch(r"[a-z0-9_][a-z0-9_.-]*", file.name), file


def test_hostile_text_is_shown_and_nothing_hides_in_it(
    attacked: tuple[Path, dict[str, Page]],
) -> None:
    shown = attacked[1]["index.html"].text
    for text in HOSTILE:
        assert " ".join(clean(text).split()) in shown
    for file in attacked[0].rglob("*.html"):
        content = file.read_text("utf-8")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", content)


def test_identifiers_on_a_page_are_unique(attacked: tuple[Path, dict[str, Page]]) -> None:
    for place, page in attacked[1].items():
        assert len(page.ids) == len(set(page.ids)), place


def test_every_page_has_a_policy_that_runs_own_files_only(
    attacked: tuple[Path, dict[str, Page]],
) -> None:
    for page in attacked[1].values():
        (policy,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
        assert "default-src 'none'" in policy["content"]
        assert "script-src 'self';" in policy["content"]
        assert "unsafe" not in policy["content"]


def test_tables_and_controls_are_named_for_screen_readers(tmp_path: Path) -> None:
    for page in site(tmp_path, [every_verdict()], documented()).values():
        assert page.all("html", lang="en")
        assert len(page.all("main")) == 1
        assert len(page.all("h1")) == 1
        assert all("scope" in attributes for attributes in page.all("th"))
        for region in page.all("div", role="region"):
            assert region["aria-label"]
            assert region["tabindex"] == "0"
        for svg in page.all("svg"):
            assert svg["role"] == "img"


def test_the_same_results_give_the_same_bytes() -> None:
    first, second = (dict(format_files("html", [every_verdict()], documented())) for _ in range(2))
    assert first == second


@pytest.mark.thorough
def test_fifteen_targets_weigh_little() -> None:
    documentation, of_one_edition = documented(), set(documented_names("keras-2.2"))
    functions = [
        FunctionResult(f.name, f.theme, function(f.name, Verdict.VIOLATES).aspects)
        for f in documentation.functions.values()
        if f.name in of_one_edition
    ]
    contents = [results(f"keras-2.2.4-target-{i}", functions) for i in range(15)]
    files = dict(format_files("html", contents, documentation))
    sought = files["assets/search-data.js"]
    assets = [c for name, c in files.items() if name.startswith("assets/") and c is not sought]
    opened = [files["index.html"], *assets]
    assert len(functions) > 100
    assert sum(map(len, opened)) < 1_000_000
    assert max(map(len, files.values())) < 600_000


def test_long_names_can_be_broken() -> None:
    assert breakable("keras-2.2.4-theano") == "keras-<wbr>2.2.4-<wbr>theano"
    assert breakable("<b>-x") == "&lt;b&gt;-<wbr>x"


def _content(folder: Path, contents: list[Results], documentation: Documented | None = None) -> str:
    site(folder, contents, documentation)
    return (folder / "functions" / "softmax.html").read_text("utf-8")


def test_summaries_of_results_made_here_are_whole() -> None:
    made_here = every_verdict()
    assert made_here.summary == summarise(made_here.functions)
