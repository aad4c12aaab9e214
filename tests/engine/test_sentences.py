"""Messages of exceptions that a library wraps: the reason stays, and nothing is empty."""

from __future__ import annotations

import pytest

from conformance.engine.judging.findings import Finding
from conformance.engine.verdicts.sentences import sentence
from conformance.results import Aspect, FindingKind, Verdict

WRAPPER = "Exception encountered when calling ExtractPatches.call()."
REASON = "Value passed to parameter 'input' has DataType uint8"


def message(got: str | None) -> str:
    """The message of an exception of which the first line is the wrapper's."""
    gives = f"returns, and evaluating the result raises TypeError: {WRAPPER}"
    finding = Finding(
        Aspect.VALUE, Verdict.VIOLATES, FindingKind.EXCEPTION, gives=gives, demands="[1]", got=got
    )
    return sentence("f", finding, None, None)


@pytest.mark.parametrize(
    "rest",
    [
        f"\n\nin user code:\n\n    {REASON}\n\nArguments received by ExtractPatches.call():",
        f"\n\n{{{{function_node __wrapped__X}}}} {REASON} [Op:X] name: ",
    ],
)
def test_the_reason_stands_behind_the_words_of_the_wrapper(rest: str) -> None:
    shown = message(f"TypeError: {WRAPPER}{rest}")
    assert shown.startswith(f"f raises TypeError when computed: {REASON[:40]}")
    assert shown.endswith("; expected [1]")


@pytest.mark.parametrize("got", [None, f"TypeError: {WRAPPER}"])
def test_without_a_reason_the_message_has_the_type_alone(got: str | None) -> None:
    assert message(got) == "f raises TypeError when computed; expected [1]"
