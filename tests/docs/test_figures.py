"""Figures and dates that the pages take from the published results are those of the results."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from conformance.adapters.registry import shipped
from conformance.cli import main
from conformance.results import Aspect, FunctionResult, Results, Verdict
from conformance.results.model import Composed
from conformance.results.scores import CONTRACT, diverges, score, worst
from conformance.specs import load
from tests.docs.published import FUZZ, OPS, ROOT, days, need_results, number, results, rows, words
from tests.docs.walkthrough import agrees, commands
from tools import levels

KERAS_3 = "keras-3"
NUMBERS = {20: "twenty", 21: "twenty-one", 22: "twenty-two", 23: "twenty-three"}


def period(first: str, last: str) -> str:
    """`on 2026-11-27`, or the first and the last day."""
    return f"on {first}" if first == last else f"from {first} to {last}"


def test_the_first_page_says_when_and_of_what_the_results_are() -> None:
    first, last = days()
    page = words("README.md")
    assert f"The targets of `K` ran {period(first, last)}" in page
    assert {result.run.profile for result in results().values()} == {"default"}
    assert {result.run.profile for result in results(OPS).values()} == {"default"}
    assert f"The targets of `keras.ops` ran {period(*days(OPS))}" in page


def test_the_first_page_names_the_targets_without_results() -> None:
    old = {name for name, target in shipped().items() if target.edition != KERAS_3}
    (missing,) = old - set(results())
    assert f"The target `{missing}` has no results yet." in words("README.md")
    unpublished = set(shipped()) - old - set(results(OPS))
    assert set(results(OPS)) <= set(shipped()) - old
    assert all(f"`{name}`" in words("docs/keras3-checks.md") for name in unpublished)


def test_the_pages_count_the_targets_of_the_published_results() -> None:
    count = len(results())
    for place in ("README.md", "docs/README.md"):
        assert f"on {NUMBERS[count]} targets" in words(place)
    assert f"With {count} targets it has about" in words("docs/reports.md")


def test_the_pages_count_the_functions() -> None:
    known = load()
    specs = known.values()
    keras_3 = [spec.name for spec in specs if KERAS_3 in spec.editions]
    old = len(specs) - len(keras_3)
    new = [name for name in keras_3 if known.theme(name) != CONTRACT]
    page = words("README.md")
    assert f"all {old} documented functions of `keras.backend` (`K`) in three editions" in page
    assert f"{len(new)} functions of `keras.ops` and `keras.random`" in page
    assert f"`conformance list` shows all {len(specs)} functions" in page
    random = sum(name.startswith("keras.random.") for name in new)
    assert random == 10
    assert f"{len(new)} functions of `keras.ops` and `keras.random`" in words("CHANGELOG.md")
    assert f"| functions | {len(new)}: " in words("docs/keras3-checks.md")


def share(content: Results) -> str:
    """`950 of 950 aspects`."""
    total = score(content.functions)
    return f"{total.keeping} of {total.demanded} aspects"


def test_the_pages_say_what_the_suites_own_backends_keep_and_in_how_many_cases() -> None:
    reference, torch = results()["reference"], results()["torch"]
    speed = f"in {reference.run.seconds:.1f} s ({reference.run.cases / reference.run.seconds:.0f}"
    assert f"{share(reference)} follow the documents" in words("README.md")
    assert f"{reference.run.cases} cases {speed} cases/s)" in words("README.md")
    page = words("docs/torch.md")
    assert f"{share(torch)} of edition keras-2.2 conform, in {torch.run.cases:,} cases" in page


def test_the_first_page_shows_cells_of_the_published_run() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    cells = dict(re.findall(r"^  (\w+) +✓ (\d+/\d+)$", page, re.MULTILINE))
    scores = {f.function: str(score([f])) for f in results()["reference"].functions}
    assert cells
    assert cells == {name: scores[name] for name in cells}


@pytest.mark.thorough
def test_the_first_page_shows_what_show_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    block = (ROOT / "README.md").read_text("utf-8").partition("```\n$ conformance show ")[2]
    (command,) = commands("$ show " + block.partition("```")[0])
    printed = CliRunner().invoke(main, command.line.split()).output
    assert agrees(command.printed, printed), printed


def test_the_page_of_benchmarks_counts_the_cases_of_the_published_results() -> None:
    (first, last), count = days(), sum(result.run.cases for result in results().values())
    published = f"({period(first, last)}) have {count:,} cases of {len(results())} targets"
    assert published in words("docs/benchmarks.md")


def test_the_difference_that_is_shown_is_of_the_published_results() -> None:
    page = words("docs/results.md").partition("## Two targets")[2]
    first, second = (results()[f"keras-2.2.4-{name}"] for name in ("tensorflow", "cntk"))
    for content in (first, second):
        assert f"{content.target.implementation}, keras-2.2, default, {content.run.started}" in page
    (softmax,) = (f for f in first.functions if f.function == "softmax")
    (value,) = (a for a in softmax.aspects if a.aspect is Aspect.VALUE)
    assert f"conforms on {value.cases} cases" in page


def standings(content: Results) -> list[int]:
    """How many functions conform, take another reading, lack an aspect, have a fault."""
    counted = [column(function) for function in content.functions]
    return [counted.count(place) for place in range(4)]


def column(function: FunctionResult) -> int:
    gravest = worst(function.aspects)
    if gravest is Verdict.CONFORMS:
        return int(any(map(diverges, function.aspects)))
    return 2 if gravest in {Verdict.UNSUPPORTED, Verdict.NOT_RUN} else 3


BACKENDS = {
    "NumPy": "numpy",
    "torch": "torch",
    "TensorFlow": "tensorflow",
    "JAX": "jax",
    "JAX, 64 bits": "jax-x64",
    "OpenVINO": "openvino",
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_table_of_keras_3_is_that_of_the_published_results(backend: str) -> None:
    content = results(OPS)[f"keras3-ops-{BACKENDS[backend]}"]
    functions, *counts, aspects, cases, speed = rows("docs/keras3-checks.md", "| | functions |")[
        backend
    ]
    assert number(functions) == len(content.functions)
    assert [number(count) for count in counts] == standings(content)
    assert f"{aspects} aspects" == share(content)
    assert number(cases) == content.run.cases
    assert number(speed) == round(content.run.cases / content.run.seconds)


def test_the_pages_say_when_and_with_how_many_workers_the_other_results_were_made() -> None:
    page = words("docs/keras3-checks.md").partition("## Functions and backends")[2]
    assert f"one worker, {period(*days(OPS))}, on two cores" in page
    first, last = days(FUZZ)
    period_of_runs = f"({first} and {last[-2:]}, two workers;"
    assert period_of_runs in words("docs/fuzz.md")
    assert {result.run.workers for result in results(FUZZ).values()} == {2}
    assert {result.run.workers for result in results(OPS).values()} == {1}


COMPOSED = sorted(file.name.removesuffix(".json.gz") for file in FUZZ.glob("*.json.gz"))


def named(row: str, content: Results) -> bool:
    """Whether a row is about a target: its name, or how what it implements begins."""
    name = row.removesuffix(", two workers")
    return name == content.target.name or content.target.implementation.startswith(name)


@pytest.mark.parametrize("target", COMPOSED)
def test_the_table_of_composed_programs_is_that_of_the_published_results(target: str) -> None:
    content = results(FUZZ)[target]
    program_results = content.composed
    assert isinstance(program_results, Composed)
    table = rows("docs/fuzz.md", "| target | programs | a second")
    (cells,) = (cells for name, cells in table.items() if named(name, content))
    programs, speed, compared, unknown, differing = cells
    rate = program_results.programs / content.run.seconds
    assert (number(programs), number(compared)) == (
        program_results.programs,
        program_results.compared,
    )
    assert speed == (f"{rate:.1f}" if rate < 10 else f"{rate:.0f}")
    assert number(unknown) == program_results.unjudged
    composed = sum(x.count for f in content.functions for a in f.aspects for x in a.failures)
    assert differing.startswith(f"{sum(program_results.blamed.values()):,}, {composed:,}")


def test_the_page_of_migration_is_made_of_the_published_results() -> None:
    page = (ROOT / "docs" / "migration.md").read_text("utf-8")
    stated = dict(re.findall(r"^\* `(keras3-\w+)`: .*; (\d+) cases", page, re.MULTILINE))
    assert stated == {name: str(results()[name].run.cases) for name in stated}
    assert len(stated) == 4


def test_the_page_says_what_each_level_of_fail_on_catches() -> None:
    need_results()
    assert levels.PAGE.read_text("utf-8").count("\n".join(levels.table())) == 1
    numbers = [
        list(map(int, cells)) for cells in rows("docs/expectations.md", levels.HEAD).values()
    ]
    assert all(few <= some <= many for few, some, many, _ in numbers)
