"""A violation cites the line of the parameter that it is about, where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.engine.judging import metadata
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.verdicts.failures import cite
from conformance.generators.forms import iterable_parameter, open_forms
from conformance.observations import Raised, TensorMetadata, Value
from conformance.program import Made
from conformance.results import Aspect, Verdict
from conformance.results.kinds import FindingKind
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from tests.engine.test_opened_readings import calls
from tests.engine.test_single_call_readings import judged

Array = npt.NDArray[Any]
RAISED = Raised("TypeError", ("TypeError",), "no such axes", "call")
SUMMARIES = {"reverse": 2375, "normalize_batch_in_training": 1902}
AXES = {"reverse": 2380, "normalize_batch_in_training": 1896}


def lines(prepared: Prepared, findings: list[Finding]) -> set[int | str]:
    """The lines that the violations cite."""
    structure = prepared.structure
    cited = (cite(structure.spec, structure.edition, f) for f in findings)
    return {citation.line for citation in cited if citation is not None}


def of_axes(prepared: Prepared) -> Iterator[Finding]:
    """What is found of the values of a call that raises."""
    yield from (f for f in judged(prepared, lambda _: RAISED) if f.aspect is Aspect.VALUE)


@pytest.mark.parametrize("function", ["reverse", "normalize_batch_in_training"])
def test_an_iterable_that_is_refused_cites_the_line_that_asks_for_iterables(function: str) -> None:
    seen = {True: set[int | str](), False: set[int | str]()}
    for prepared in calls(function):
        iterable = iterable_parameter(prepared.structure.arguments) is not None
        seen[iterable] |= lines(prepared, list(of_axes(prepared)))
    assert seen == {True: {AXES[function]}, False: {SUMMARIES[function]}}


def test_what_the_form_of_an_argument_leaves_open() -> None:
    forms = [Made(kind, (0,)) for kind in ("set", "range", "iterator", "int64")]
    assert open_forms(forms[:2]) == []
    assert open_forms(forms) == [ConventionName.NUMBER_TYPE, ConventionName.ONE_SHOT_ITERABLE]


@pytest.mark.parametrize(("function", "asked", "own"), [("ones_like", 700, 701)])
def test_a_dtype_that_was_asked_for_cites_the_line_of_dtype(
    function: str, asked: int, own: int
) -> None:
    seen = {True: set[int | str](), False: set[int | str]()}
    for prepared in calls(function):
        value = Value(np.zeros(prepared.shape, "int16"), "int16", "ndarray")
        findings = list(metadata.dtype(prepared, TensorMetadata(), value, {}))
        explicit = prepared.structure.arguments.get("dtype") is not None
        seen[explicit] |= lines(prepared, findings)
    assert seen == {True: {asked}, False: {own}}


def test_a_wrong_shape_cites_the_line_on_the_shape() -> None:
    seen = set[int | str]()
    for prepared in calls("batch_dot"):
        longer = np.zeros((*prepared.shape, 7), prepared.dtypes[0])
        findings = judged(prepared, partial(_same, longer))
        seen |= lines(prepared, [f for f in findings if f.kind == FindingKind.SHAPE])
    assert seen == {1053}


def test_a_shape_that_an_exception_withholds_cites_the_line_on_the_shape() -> None:
    seen = set[int | str]()
    for prepared in calls("batch_dot"):
        seen |= lines(prepared, judged(prepared, lambda _: RAISED))
    assert seen == {1053}


def _same(answer: Array, _draw: int) -> Array:
    return answer


def test_a_wrong_dtype_that_no_sentence_is_about_cites_the_value() -> None:
    """The reciprocal of an integer is a fraction. A symbol contradicts its example instead."""
    spec = load()["keras.ops.reciprocal"]
    assert not any(claim.aspect == "dtype" for claim in spec.claims)
    of_value = Finding(
        Aspect.DTYPE, Verdict.VIOLATES, FindingKind.DTYPE, gives="gives int8", demands="float32"
    )
    of_symbol = replace(of_value, kind=FindingKind.CONTRADICTION)
    cited = [cite(spec, "keras-3", finding) for finding in (of_value, of_symbol)]
    assert [citation and citation.line for citation in cited] == [
        "keras.ops.reciprocal: Returns",
        "keras.KerasTensor: Example",
    ]
