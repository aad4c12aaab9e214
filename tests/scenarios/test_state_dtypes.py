"""A variable of another dtype than the one asked for is the fault of what made it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.results import Verdict
from conformance.scenarios import Scenario
from conformance.scenarios.state import variables
from tests.scenarios.in_process import findings, module
from tests.scenarios.test_state import scenarios_of


def _narrowing(name: str, *, makes: bool) -> SimpleNamespace:
    """A backend without integers in which `name` gives floats, or only `variable` makes them."""

    def variable(value: Any, dtype: str | None = None, **more: Any) -> Any:
        return K.variable(value, "float32" if makes else dtype, **more)

    def read(x: Any) -> Any:
        number = getattr(K, name)(x)
        return [np.float32(v) for v in number] if name.startswith("batch") else np.float32(number)

    return module(**({"variable": variable} if makes else {name: read}))


@pytest.mark.parametrize("name", ["get_value", "batch_get_value", "set_value", "batch_set_value"])
def test_a_variable_of_another_dtype_is_not_the_fault_of_what_reads_it(name: str) -> None:
    (family,) = (f for f in variables.FAMILIES if f.function == name)
    whole = [
        s for s in scenarios_of(family, 250) if _dtypes(s) - {"float32"} and not _dtypes(s) & WIDER
    ]
    assert whole
    verdicts = {f.verdict for s in whole for f in findings(s, _narrowing(name, makes=True))}
    assert verdicts == {Verdict.UNSUPPORTED}
    if name in ("get_value", "batch_get_value"):
        problems = [f for s in whole for f in findings(s, _narrowing(name, makes=False))]
        assert Verdict.VIOLATES in {f.verdict for f in problems}


WIDER = {"float16", "float64"}
"""Those that a backend with float32 alone does not keep either."""


def _dtypes(scenario: Scenario) -> set[str]:
    return {array.dtype.name for array in scenario.arrays.values()}
