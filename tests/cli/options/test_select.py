"""`-k EXPRESSION`: which names it means."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.errors import UsageProblem
from conformance.cli.options.selection import expression

NAMES = ("sum", "cumsum", "logsumexp", "softmax", "max", "argmax", "maximum", "exp", "batch_dot")


def chosen(text: str) -> set[str]:
    matches = expression(text)
    return {name for name in NAMES if matches(name)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("sum", "sum cumsum logsumexp"),
        ("SUM", "sum cumsum logsumexp"),
        (" max ", "softmax max argmax maximum"),
        ("sum and exp", "logsumexp"),
        ("sum or exp", "sum cumsum logsumexp exp"),
        ("not max", "sum cumsum logsumexp exp batch_dot"),
        ("sum and not (exp or cum)", "sum"),
        ("max and not soft and not arg", "max maximum"),
        ("sum or max and arg", "sum cumsum logsumexp argmax"),
        ("_", "batch_dot"),
        ("nothing", ""),
    ],
)
def test_an_expression_means_names(text: str, names: str) -> None:
    assert chosen(text) == set(names.split())


@pytest.mark.parametrize(
    "text",
    ["", " ", "sum and", "sum max", "(sum", "sum)", "'sum'", "1", "sum + max", "sum()", "-sum",
     "sum.1", "sum if max else exp", "sum == max", "lambda: sum", "*", "sum\nmax"],
)  # fmt: skip
def test_what_is_no_expression_is_a_usage_problem_with_a_hint(text: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        expression(text)
    assert "-k" in caught.value.message
    assert caught.value.hint is not None
    assert "and, or, not" in caught.value.hint


def test_an_expression_nested_too_deep_is_a_usage_problem() -> None:
    with pytest.raises(UsageProblem):
        expression("(" * 5000 + "sum" + ")" * 5000)
    with pytest.raises(UsageProblem):
        chosen("not " * 5000 + "sum")


def test_a_name_that_selects_nothing_is_reported_beside_one_that_does() -> None:
    result = CliRunner().invoke(main, ["list", "-k", "softmx or batch_dot"])
    assert result.exit_code == 0 and "batch_dot" in result.stdout
    assert (
        "warning: -k: no function's name contains 'softmx'; did you mean softmax" in result.stderr
    )


@pytest.mark.parametrize("text", ["softmax or batch_dot", "lesser and not equal", "softmx"])
def test_a_name_that_selects_something_or_an_empty_selection_has_no_warning(text: str) -> None:
    assert "warning" not in CliRunner().invoke(main, ["list", "-k", text]).stderr
