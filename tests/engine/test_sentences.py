"""Messages of exceptions that a library wraps: the reason stays, and nothing is empty."""

from __future__ import annotations

import pytest

from conformance.engine.judging.findings import Finding
from conformance.engine.verdicts.sentences import sentence
from conformance.results import Aspect, Citation, FindingKind, Verdict

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


def test_a_long_message_of_a_wrapped_exception_keeps_the_cause() -> None:
    call = "keras.ops.divide_no_nan(x, y) with x, y int32 (3, 1)"
    gives = (
        "raises RuntimeError when computed: `f` failed to convert; cause: integer division by zero"
    )
    shown = wrong(call, gives, "a result of shape (3, 1)")
    assert "RuntimeError when computed: integer division by zero; " in shown


def wrong(subject: str, gives: str, demands: str, **details: object) -> str:
    """The message of a wrong value of the function `keras.ops.f`."""
    verdict = Verdict.DIVERGES if "conventions" in details else Verdict.VIOLATES
    finding = Finding(
        Aspect.VALUE,
        verdict,
        FindingKind.VALUE,
        gives=gives,
        demands=demands,
        **details,  # type: ignore[arg-type]
    )
    cited = (
        Citation("keras-3.15.1", "keras.ops.f: Summary") if not verdict.startswith("div") else None
    )
    return sentence("keras.ops.f", finding, None, cited).replace("keras.ops.f ", f"{subject} ", 1)


def test_a_short_message_is_whole() -> None:
    assert wrong("f(x)", "gives 1", "a result of shape ()").endswith(
        "expected a result of shape () (keras.ops.f: Summary)"
    )


def test_a_long_message_loses_what_repeats_itself() -> None:
    long = "gives 0.123456789012 at [0, 0]" + " and more" * 8
    assert wrong("f(x)", long, "0.123456999999").startswith("f(x) gives 0.1234568 at")
    assert wrong("f(x)", long, "0.123456999999").endswith("expected 0.123457 (docstring: Summary)")
    shown = wrong("f(x)", long, "a result of shape (3,)", conventions=("result-dtype",))
    assert shown.endswith("; expected shape (3,) (result-dtype)")


def test_numbers_that_differ_in_the_last_digits_keep_them() -> None:
    long = "gives 0.1234567891 at [0, 0]" + " and more" * 9
    assert "0.1234567891 at" in wrong("f(x)", long, "0.1234567892")


def test_a_tensor_of_integers_is_written_as_users_of_keras_3_write_it() -> None:
    creation = (
        "raises E for keras.ops.slice(x, K.variable(np.array([0], dtype='int32'), dtype='int32'))"
    )
    assert "keras.Variable([0], 'int32')" in wrong("f(x)", creation, "1")
