"""What a finding holds, in a results file."""

from __future__ import annotations

import numpy as np

from conformance.engine.judging.findings import Finding
from conformance.engine.verdicts.failures import side_record
from conformance.results import Aspect, Verdict
from conformance.results.encoding import plain_data


def test_complex_numbers_are_text_in_a_file() -> None:
    answer = np.array([1.5 - 2j, 0], np.complex64)
    finding = Finding(Aspect.EXAMPLE, Verdict.VIOLATES, "example", gives="", demands="", got=answer)
    assert plain_data(side_record(answer, finding)) == "complex64 [1.5-2.j 0. +0.j]"
