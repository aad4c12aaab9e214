"""Invalid input that ends the process, judged without an expectation."""

from __future__ import annotations

import pytest

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.generators import Draw, generate, structures
from conformance.observations import Crashed, DrawObservation, StructureObservation
from conformance.results import Aspect, Verdict
from conformance.specs import EDITIONS, Spec, load
from conformance.specs.model import ErrorCase

FATAL = Crashed(8, None, "", stage="step")
WITH_ERRORS = [(spec, error) for spec in load().values() for error in spec.errors]


@pytest.mark.parametrize(("spec", "error"), WITH_ERRORS, ids=lambda x: x.name)
def test_an_end_of_the_process_is_judged_whatever_the_input(spec: Spec, error: ErrorCase) -> None:
    edition = next(e for e in reversed(EDITIONS) if e in spec.editions)
    for structure in generate(structures(spec, edition, error), 4, 0):
        trial = CallTrial(Prepared(structure, [Draw("ordinary", 0)]))
        judged = trial.judge(StructureObservation((), (), (DrawObservation(FATAL),)))
        (finding,) = judged.findings
        assert (finding.aspect, finding.verdict) == (Aspect.ERROR, Verdict.CRASHED)
