"""What the pages say beside the matrix: agreement, signatures, accuracy, search, footer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli.files.documents import documented
from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files, write
from conformance.reporting.html import site as site_module
from conformance.reporting.html.arrays import Share, accuracy_view, share_of
from conformance.reporting.html.environment import heading
from conformance.reporting.html.function_page import Agreement, agreements, anchor_of
from conformance.reporting.html.signatures import signature_rows, wrong_signatures
from conformance.reporting.targets import TargetView, target_histories
from conformance.results import Aspect, AspectResult, FindingKind, FunctionResult, Results, Verdict
from tests.reporting.pages import site_pages
from tests.reporting.records import aspect_result, every_verdict, failure, results

ACCURATE = AspectResult(
    aspect=Aspect.VALUE, verdict=Verdict.CONFORMS, cases=9, max_ulp=1.0, limit_ulp=4.0
)


def views(*contents: Results) -> list[TargetView]:
    return [history.newest for history in target_histories(contents)]


def softmax(target: str, *aspects: AspectResult, signature: str = "(x, axis=-1)") -> Results:
    return results(target, [FunctionResult("softmax", "activations", list(aspects), signature)])


def taking(target: str, *taken: str, counted: dict[str, int] | None = None) -> Results:
    verdict = Verdict.DIVERGES if taken else Verdict.CONFORMS
    failures = [failure(verdict, convention="ties", readings=list(taken))] if taken else []
    aspect = aspect_result(Aspect.VALUE, verdict, *failures)
    return softmax(target, aspect if counted is None else replace(aspect, readings=counted))


def camps(agreement: Agreement) -> list[tuple[str, bool, list[str]]]:
    return [(camp.reading, camp.own, [t.label for t in camp.targets]) for camp in agreement.camps]


def test_targets_that_take_one_reading_stand_together() -> None:
    targets = views(
        taking("a", "ties: last"),
        taking("b", "ties: first"),
        taking("c", "ties: last"),
        taking("d"),
        softmax("e", aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure())),
    )
    (agreement,) = agreements("softmax", targets)
    assert (agreement.aspect, agreement.convention) == ("value", "ties")
    assert camps(agreement) == [
        ("last", False, ["a", "c"]),
        ("first", False, ["b"]),
        ("", True, ["d"]),
    ]
    assert [t.label for t in agreement.others] == ["e"]


def test_the_suites_own_reading_has_its_name_where_results_count_readings() -> None:
    both = {"ties: last": 3, "ties: even": 5, "empty: one": 1}
    targets = views(
        taking("a", "ties: last", counted=both),
        taking("b", counted={"ties: even": 8}),
        taking("c", counted={"empty: one": 1}),
    )
    (agreement,) = agreements("softmax", targets)
    assert camps(agreement) == [("last", False, ["a"]), ("even", True, ["a", "b"])]
    assert [t.label for t in agreement.others] == ["c"], "it was not seen to take one"


def test_where_nobody_takes_another_reading_there_is_nothing_to_agree_on() -> None:
    assert agreements("softmax", views(taking("a"), taking("b", counted={"ties: even": 8}))) == []


def test_the_page_names_who_agrees_and_divergences_lead_there(tmp_path: Path) -> None:
    contents = [taking("a", "ties: last"), taking("b")]
    write(tmp_path, format_files("html", contents, documented()))
    page = site_pages(tmp_path)["functions/softmax.html"]
    anchor = anchor_of("value", "ties")
    assert anchor in page.ids
    assert page.all("a", href=f"#{anchor}")
    assert "last 1" in page.text
    assert "own 1" in page.text


def test_a_signature_that_many_have_comes_once() -> None:
    known = documented().functions["softmax"]
    odd = (ACCURATE, aspect_result(Aspect.SIGNATURE, Verdict.VIOLATES, failure(message="odd")))
    tested = views(
        softmax("a", ACCURATE),
        softmax("b", ACCURATE),
        softmax("c", *odd, signature="(x, odd=1)"),
        softmax("d", *odd, signature="(x, odd=1)"),
    )
    rows = signature_rows("softmax", tested, known)
    assert len({(r.name, tuple(r.parameters)) for r in rows}) == len(rows)
    assert sum(len(r.sources) for r in rows) == len(known.signatures) > len(rows) - 1
    offered = {tuple(t.label for t in r.targets): r for r in rows if r.targets}
    assert set(offered) == {("a", "b"), ("c", "d")}
    assert offered["a", "b"].sources, "the document's own"
    assert offered["c", "d"].parameters == [("x", False), ("odd=1", True)]
    ((message, who),) = wrong_signatures("softmax", tested)
    assert (message, [t.label for t in who]) == ("odd", ["c", "d"])


def test_failures_come_before_the_documents(tmp_path: Path) -> None:
    bad = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure())
    write(tmp_path, format_files("html", [softmax("a", bad)], documented()))
    page = (tmp_path / "functions" / "softmax.html").read_text("utf-8")
    assert page.index('id="failures"') < page.index('id="documents"')
    page = (tmp_path / "targets" / "a.html").read_text("utf-8")
    assert page.index('id="violations"') < page.index('id="themes"')


def test_a_share_is_the_error_by_its_bound() -> None:
    assert share_of(ACCURATE) == Share(0.25, 1.0, 4.0)
    assert share_of(replace(ACCURATE, limit_ulp=None)) is None
    assert share_of(replace(ACCURATE, max_ulp=0.0, limit_ulp=0.0)) == Share(0.0, 0.0, 0.0)
    broken = failure(kind=str(FindingKind.ACCURACY))
    share = share_of(replace(ACCURATE, verdict=Verdict.VIOLATES, failures=[broken]))
    assert share is not None
    assert share.shade == 5
    assert "beyond its bound" in share.words
    allowed = failure(Verdict.DIVERGES, kind=str(FindingKind.ACCURACY))
    assert share_of(replace(ACCURATE, failures=[allowed])) == Share(0.25, 1.0, 4.0)


@pytest.mark.parametrize(
    ("value", "shade", "figure"),
    [
        (0.0, 0, "0"),
        (0.001, 1, "<.01"),
        (0.25, 1, "0.25"),
        (0.6, 3, "0.60"),
        (0.9999, 4, "<1"),
        (1.0, 4, "1"),
        (1.5, 5, "1.50"),
    ],
)
def test_a_share_within_the_bound_is_never_rounded_to_it(
    value: float, shade: int, figure: str
) -> None:
    share = Share(value, value, 1.0)
    assert (share.shade, share.figure) == (shade, figure)


def test_functions_nearest_their_bound_come_first_and_targets_without_numbers_are_left_out() -> (
    None
):
    near = replace(ACCURATE, max_ulp=3.9)
    functions = [FunctionResult(f, "t", [a]) for f, a in (("far", ACCURATE), ("near", near))]
    bare = results("bare", [FunctionResult("far", "t", [replace(ACCURATE, max_ulp=None)])])
    shown = accuracy_view(views(bare, results("mine", functions)), {"t": ["far", "near"]})
    assert [row.function for row in shown["rows"]] == ["near", "far"]
    assert [t.label for t in shown["columns"]] == ["mine"]


def searched(folder: Path, *contents: Results) -> dict[str, Any]:
    write(folder, format_files("html", contents, documented()))
    content = (folder / "assets" / "search-data.js").read_text("ascii")
    data = content.removeprefix("window.conformanceSearch = ").removesuffix(";\n")
    index: dict[str, Any] = json.loads(data)
    return index


def test_the_data_of_the_search_leads_to_every_failure(tmp_path: Path) -> None:
    other = every_verdict("b")
    bad = failure(message="gives another")
    other.functions[0] = FunctionResult(
        other.functions[0].function, "t", [aspect_result(Aspect.VALUE, Verdict.VIOLATES, bad)]
    )
    index = searched(tmp_path, every_verdict("a"), other)
    pages = site_pages(tmp_path)
    for number, anchor, identity, letter, _aspect, _message, who in index["failures"]:
        _name, slug, _summary = index["functions"][number]
        assert anchor in pages[f"functions/{slug}.html"].ids
        assert identity == "f1a2"
        assert letter in index["verdicts"]
        assert all(index["targets"][n] for n in who)
    assert "gives another" in {message for *_, message, _who in index["failures"]}


@pytest.mark.parametrize(("theme", "shown"), [("ctc", "CTC"), ("linear algebra", "Linear algebra")])
def test_a_theme_is_a_heading(theme: str, shown: str) -> None:
    assert heading(theme) == shown


def test_every_page_can_be_searched_and_explains_itself(tmp_path: Path) -> None:
    write(tmp_path, format_files("html", [every_verdict()], Documented()))
    for place, page in site_pages(tmp_path).items():
        assert page.all("input", id="search"), place
        up = "../" * place.count("/")
        assert page.all("a", href=f"{up}about.html"), place


def test_the_bars_have_a_legend(tmp_path: Path) -> None:
    write(tmp_path, format_files("html", [every_verdict()], Documented()))
    for place in ("index.html", "targets/keras-2.2.4-theano.html", "about.html"):
        assert site_pages(tmp_path)[place].all("ul", **{"aria-label": "Colours of the bars"}), place


def test_the_footer_has_the_addresses_that_the_distribution_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named:
        def get_all(self, _: str) -> list[str]:
            return ["Repository, https://example.org/suite", "Issues, javascript:alert(1)"]

    monkeypatch.setattr(site_module, "metadata", lambda _: Named())
    assert site_module.project_links() == [("Repository", "https://example.org/suite")]
    write(tmp_path, format_files("html", [every_verdict()], Documented()))
    for page in site_pages(tmp_path).values():
        assert page.all("a", href="https://example.org/suite")


def test_headings_can_be_linked(tmp_path: Path) -> None:
    write(tmp_path, format_files("html", [every_verdict()], documented()))
    for place in ("index.html", "targets/keras-2.2.4-theano.html", "functions/f_violates.html"):
        content = (tmp_path / place).read_text("utf-8")
        for heading_id in re.findall(r'<h2 id="([^"]+)"', content):
            assert f'class="anchor" href="#{heading_id}"' in content, (place, heading_id)


def test_a_long_page_carries_its_first_record_and_a_script_has_the_others(tmp_path: Path) -> None:
    long = "</script><b>" + "# a line of a script\n" * 2_000
    failures = [
        replace(
            failure(Verdict.VIOLATES, message=f"softmax is wrong {n}"), id=f"{n:012}", script=long
        )
        for n in range(4)
    ]
    value = replace(aspect_result(Aspect.VALUE, Verdict.VIOLATES), failures=failures)
    write(tmp_path, format_files("html", [softmax("one", value)], documented()))
    page = (tmp_path / "functions" / "softmax.html").read_text("utf-8")
    data = (tmp_path / "functions" / "softmax.records.js").read_text("ascii")
    assert len(page) < 150_000
    assert page.count("a line of a script") == 2_000
    assert data.count("a line of a script") == 3 * 2_000
    assert "<" not in data
    assert page.count("conformance show 00000000000") == 3


def test_the_help_of_queries_takes_its_examples_from_the_site(tmp_path: Path) -> None:
    functions = [
        FunctionResult("dot", "matrices (linalg), others", every_verdict().functions[0].aspects)
    ]
    write(
        tmp_path,
        format_files("html", [results("a", functions), results("z", functions)], Documented()),
    )
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "<code>fails:a</code>" in page and "<code>passes:z</code>" in page
    assert 'placeholder="fails:a passes:z"' in page
    assert (
        "<code>theme:&#34;matrices (linalg), others&#34;</code> <code>edition:keras-2.2</code>"
        in page
    )
    assert "linear algebra" not in page
