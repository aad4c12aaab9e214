"""Figures, dates and ids that the pages take from the published results are those of the results."""

from __future__ import annotations

from conformance.adapters.registry import shipped
from conformance.specs import load
from tests.docs.published import OPS, REPORTS, days, results, words

KERAS_3 = "keras-3"
NUMBERS = {20: "twenty", 21: "twenty-one", 22: "twenty-two", 23: "twenty-three"}


def test_the_first_page_says_when_and_of_what_the_results_are() -> None:
    first, last = days()
    page = words("README.md")
    assert f"made from {first} to {last}" in page
    assert {one.run.profile for one in results().values()} == {"default"}
    assert {one.run.profile for one in results(OPS).values()} == {"smoke"}
    assert "`keras.ops` are of the profile smoke" in page


def test_the_first_page_names_the_targets_without_results() -> None:
    old = {name for name, one in shipped().items() if one.edition != KERAS_3}
    (missing,) = old - set(results())
    assert f"all of these but `{missing}`" in words("README.md")
    assert set(shipped()) - old == set(results(OPS))


def test_the_pages_count_the_targets_of_the_published_results() -> None:
    count = len(results())
    for place in ("README.md", "docs/README.md"):
        assert f"on {NUMBERS[count]} targets" in words(place)
    assert f"With {count} targets it has about" in words("docs/reports.md")


def test_the_pages_count_the_functions() -> None:
    specs = load().values()
    new = [spec.name for spec in specs if KERAS_3 in spec.editions]
    old = len(specs) - len(new)
    page = words("README.md")
    assert f"all {old} documented functions in three editions" in page
    assert f"{len(new)} functions of `keras.ops` and `keras.random`" in page
    assert f"the {len(specs)} that `conformance list` lists" in page
    random = sum(name.startswith("keras.random.") for name in new)
    assert random == 10
    changes = f"{len(new) - random} functions of `keras.ops` and the ten of `keras.random`"
    assert changes in words("CHANGELOG.md")
    assert f"| functions | {len(new)}: " in words("docs/keras3.md")
