"""What the numbers of a draw rest on, also when they were made simpler."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.judge import judge
from conformance.engine.verdicts.numbers import _rounded
from conformance.generators import Draw, Structure
from conformance.observations import (
    DrawObservation,
    Raised,
    Returned,
    StructureObservation,
    Value,
)
from conformance.results import Aspect, Verdict
from conformance.specs.convention_names import ConventionName
from tests.generators.support import collected

Array = npt.NDArray[np.generic]


def structure(function: str, dtype: str = "float32", **arguments: object) -> Structure:
    """The first call with one tensor of this dtype and elements, and these arguments."""
    return next(
        s
        for s in collected("keras-2.2", function)
        if len(s.program.inputs) == 1
        and s.program.inputs[0].dtype == dtype
        and s.program.inputs[0].shape
        and 0 not in s.program.inputs[0].shape
        and not {*s.unsettled} - {"input-dtype"}
        and all(s.arguments.get(name) == value for name, value in arguments.items())
    )


def judgement(call: Structure, profile: str, number: float, answer: float, dtype: str) -> Judgement:
    """What is found if all numbers are the one, and all answers the other."""
    (item,) = call.program.inputs
    arrays = {item.name: np.full(item.shape, number, item.dtype)}
    prepared = Prepared(call, (Draw(profile, 0),), (arrays,))
    got = np.full(prepared.shape, answer, dtype)
    returned = Returned({"result": (Value(got, dtype, "ndarray"),)})
    return judge(prepared, StructureObservation((), (), (DrawObservation(returned),)))


def findings(
    call: Structure, profile: str, number: float, answer: float, dtype: str
) -> list[Finding]:
    """The same of the value alone."""
    judged = judgement(call, profile, number, answer, dtype)
    return [finding for finding in judged.findings if finding.aspect is Aspect.VALUE]


@pytest.mark.parametrize("profile", ["ordinary", "special", "subnormal"])
@pytest.mark.parametrize(("function", "number"), [("log", 0.0), ("log", -2.5), ("sqrt", -2.5)])
def test_what_a_function_is_not_defined_for_is_settled_by_nothing(
    function: str, number: float, profile: str
) -> None:
    (finding,) = findings(structure(function), profile, number, -85.1, "float32")
    assert finding.verdict is Verdict.DIVERGES
    assert finding.conventions == ("special-values",)


def test_numbers_in_the_domain_are_settled() -> None:
    (finding,) = findings(structure("log"), "special", 2.5, -85.1, "float32")
    assert finding.verdict is Verdict.VIOLATES


@pytest.mark.parametrize("profile", ["zeros", "sparse", "integers", "halves", "special"])
def test_zero_to_a_negative_power_may_be_zero_and_nothing_else(profile: str) -> None:
    call = structure("pow", a=-2)
    (finding,) = findings(call, profile, 0.0, 0.0, "float32")
    assert finding.verdict is Verdict.DIVERGES
    assert finding.readings == ("exponent: zero",)
    if profile != "special":
        assert findings(call, profile, 0.0, 1.0, "float32")[0].verdict is Verdict.VIOLATES
    assert findings(call, profile, 2.0, 0.0, "float32")[0].verdict is Verdict.VIOLATES


def test_integers_beyond_their_range_may_be_computed_in_floats() -> None:
    call, large = structure("square", "int64"), 2**62 - 1
    (finding,) = findings(call, "wide", large, float(large) ** 2, "float32")
    assert finding.verdict is Verdict.DIVERGES
    assert finding.readings == ("integer-overflow: wider",)
    (finding,) = findings(call, "wide", large, -(float(large) ** 2), "float32")
    assert finding.verdict is Verdict.VIOLATES


def test_integers_beyond_their_range_may_be_the_nearest_that_it_holds() -> None:
    call = structure("square", "uint8")
    (finding,) = findings(call, "wide", 20, 255, "uint8")
    assert finding.verdict is Verdict.DIVERGES
    assert finding.readings == ("integer-overflow: saturated",)
    (finding,) = findings(call, "wide", 20, 254, "uint8")
    assert finding.verdict is Verdict.VIOLATES
    (finding,) = findings(call, "wide", 3, 255, "uint8")
    assert finding.verdict is Verdict.VIOLATES


def test_integers_modulo_their_range_show_that_reading() -> None:
    shown = judgement(structure("square", "uint8"), "wide", 20, 400 % 256, "uint8")
    assert not shown.findings
    assert shown.readings == {(Aspect.VALUE, "integer-overflow: modulo"): 1}


def test_simpler_numbers_have_no_new_negative_zero() -> None:
    simpler = _rounded(np.array([-0.2, -0.0, -3e38, 1.6], np.float32))
    np.testing.assert_array_equal(simpler, np.array([0.0, 0.0, -3e38, 2.0], np.float32))
    np.testing.assert_array_equal(np.signbit(simpler), [False, True, True, False])


def test_a_violation_shows_an_element_that_nothing_excuses() -> None:
    call = structure("sigmoid")
    (item,) = call.program.inputs
    numbers = np.full(item.shape, np.nan, item.dtype)
    numbers.reshape(-1)[-1] = 2.0
    prepared = Prepared(call, (Draw("special", 0),), ({item.name: numbers},))
    got = np.full(prepared.shape, 0.25, "float32")
    returned = Returned({"result": (Value(got, "float32", "ndarray"),)})
    observed = StructureObservation((), (), (DrawObservation(returned),))
    (finding,) = (f for f in judge(prepared, observed).findings if f.aspect is Aspect.VALUE)
    assert finding.verdict is Verdict.VIOLATES
    assert finding.demands.startswith("0.88079")


def test_in_float16_a_number_close_to_one_is_one() -> None:
    call = structure_of_two("binary_crossentropy", "float16")
    for profile in ("ordinary", "halves"):
        assert ConventionName.CLIPPING in call.conventions(profile)
    plain = structure_of_two("binary_crossentropy", "float32")
    assert ConventionName.CLIPPING not in plain.conventions("ordinary")


def structure_of_two(function: str, dtype: str) -> Structure:
    """The first call of which all tensors have this dtype."""
    return next(
        s
        for s in collected("keras-2.2", function)
        if {item.dtype for item in s.program.inputs} == {dtype}
    )


@pytest.mark.parametrize(
    ("function", "number", "answer", "demanded"),
    [
        ("argmax", np.nan, -7, "a number from 0 to"),
        ("sigmoid", np.nan, 3.0, "a number from 0 to 1"),
        ("softsign", np.nan, np.inf, "a number from -1 to 1"),
        ("softplus", np.nan, -np.inf, "a number at least 0"),
    ],
)
def test_special_numbers_excuse_nothing_outside_of_the_range_of_a_function(
    function: str, number: float, answer: float, demanded: str
) -> None:
    dtype = "int64" if function.startswith("arg") else "float32"
    (finding,) = findings(structure(function), "special", number, answer, dtype)
    assert finding.verdict is Verdict.VIOLATES
    assert finding.demands.startswith(demanded)
    assert finding.gives.startswith(f"gives {answer:g} at [")


@pytest.mark.parametrize(
    ("function", "number", "answer"),
    [
        ("sigmoid", np.nan, 0.25),
        ("softplus", np.inf, np.nan),
        ("sqrt", -np.inf, 0.0),
        ("sqrt", -2, -1),
    ],
)
def test_special_numbers_give_any_number_in_the_range(
    function: str, number: float, answer: float
) -> None:
    (finding,) = findings(structure(function), "special", number, answer, "float32")
    assert finding.verdict is Verdict.DIVERGES
    assert finding.conventions == ("special-values",)


@pytest.mark.parametrize(
    ("function", "number", "answer", "demanded"),
    [
        ("tanh", np.inf, np.nan, "1"),
        ("tanh", np.nan, np.inf, "nan"),
        ("abs", -np.inf, 3.0, "inf"),
        ("log", np.nan, 4.0, "nan"),
    ],
)
def test_special_numbers_give_what_the_standards_settle(
    function: str, number: float, answer: float, demanded: str
) -> None:
    call = structure(function)
    (finding,) = findings(call, "special", number, answer, "float32")
    assert finding.verdict is Verdict.VIOLATES
    assert finding.demands.split()[0] == demanded
    assert not findings(call, "special", number, float(demanded), "float32")


def test_an_index_is_any_along_the_axis_where_numbers_do_not_compare() -> None:
    (finding,) = findings(structure("argmax"), "special", np.nan, 1, "int64")
    assert finding.verdict is Verdict.DIVERGES


def test_what_every_draw_raises_is_not_for_special_numbers() -> None:
    call = structure("log")
    (item,) = call.program.inputs
    profiles = ("ordinary", "special")
    arrays = [{item.name: np.full(item.shape, n, item.dtype)} for n in (2.0, np.nan)]
    prepared = Prepared(call, [Draw(profile, 0) for profile in profiles], arrays)
    raised = DrawObservation(Raised("ValueError", ("ValueError",), "no", "call"))
    right = np.full(prepared.shape, np.log(2), "float32")
    returned = DrawObservation(Returned({"result": (Value(right, "float32", "ndarray"),)}))
    judged = judge(prepared, StructureObservation((), (), (raised,) * 2)).findings
    assert {(f.verdict, f.conventions) for f in judged} == {(Verdict.VIOLATES, ())}
    judged = judge(prepared, StructureObservation((), (), (returned, raised))).findings
    (finding,) = (f for f in judged if f.aspect is Aspect.VALUE)
    assert (finding.verdict, finding.conventions) == (Verdict.DIVERGES, ("special-values",))
