"""The whole engine on fakes: what is wrong is found and named, and nothing else is blamed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from conformance.adapters.session import CallLimits
from conformance.engine import Profile
from conformance.program import from_json
from conformance.results import Array, Aspect, Citation, Failure, Verdict
from conformance.results.events import CasesDone, FunctionJudged, WorkerRestarted
from conformance.scenarios import families_of
from tests.engine.support import EDITION, OFFERED, TINY, Outcome, examine, fake, run_script

REST = ("softmax", "reshape", "identity")
"""Functions that a fake computes correctly, unless its name says otherwise."""

WRONG_ONES = ("exp", "softmax", "identity", "argmax", "reshape")
"""Functions that `always_wrong` computes wrong and these tests check."""


@cache
def outcome(name: str, *functions: str, profile: str | Profile = "smoke") -> Outcome:
    return examine(fake(name), functions or OFFERED, profile)


def blamed(run: Outcome) -> dict[tuple[str, Aspect], Verdict]:
    """Every cell that does not conform."""
    return {k: v for k, v in run.verdicts().items() if v is not Verdict.CONFORMS}


def worse(run: Outcome, profile: str | Profile = "smoke") -> dict[tuple[str, Aspect], Verdict]:
    """The cells with a worse verdict than the correct fake has, which knows few static shapes."""
    functions = [f.function for f in run.results.functions]
    usual = outcome("correct", *sorted(functions), profile=profile).verdicts()
    return {k: v for k, v in run.verdicts().items() if v is not usual[k]}


def only(
    run: Outcome,
    function: str,
    aspect: Aspect,
    verdict: Verdict,
    profile: str | Profile = "smoke",
) -> list[Failure]:
    """The failures of this cell; AssertionError if another cell fails.

    Where a process ends or hangs, so little may come back that the rest of the function is unseen.
    """
    cells = worse(run, profile)
    if verdict in (Verdict.CRASHED, Verdict.TIMED_OUT):
        unseen = dict.fromkeys(((function, its) for its in OF_VALUES), Verdict.UNSUPPORTED)
        cells = dict(cells.items() - unseen.items())
    assert cells == {(function, aspect): verdict}
    return run.aspect(function, aspect).failures


# What is right

LACKS = {
    ("variable", Aspect.SIGNATURE),
    ("placeholder", Aspect.SIGNATURE),
    ("placeholder", Aspect.VALUE),  # sparse ones
    ("placeholder", Aspect.ERROR),
    ("constant", Aspect.VALUE),  # its shape
    ("sum", Aspect.VALUE),  # a list of axes
    ("sum", Aspect.DTYPE),  # of integers
    ("dot", Aspect.VALUE),  # of a shape that is known and one that is not
}


OF_VALUES = (Aspect.DTYPE, Aspect.STATIC_SHAPE, Aspect.PURITY)
"""What is seen of a call only if it has a value."""
UNSUPPORTED = (Aspect.GRADIENT, Aspect.EXAMPLE)
"""The fake has no `gradients`, and no `random_uniform_variable` for the documents' examples."""


def test_a_correct_implementation_conforms_but_for_what_it_lacks() -> None:
    run = outcome("correct")
    assert run.reached
    for (function, aspect), verdict in blamed(run).items():
        if aspect in UNSUPPORTED:
            assert verdict is Verdict.UNSUPPORTED
        elif (function, Aspect.VALUE) in LACKS and aspect in OF_VALUES:
            assert verdict in (Verdict.UNSUPPORTED, Verdict.DIVERGES)  # of too few cases
        elif (function, aspect) not in LACKS:
            assert (aspect, verdict) == (Aspect.STATIC_SHAPE, Verdict.DIVERGES), function
    assert run.results.run.restarts == 0
    assert run.results.run.complete
    # the documents settle all that the fake can do; only conventions and parameters remain
    for function, aspect, failure in run.failures(Verdict.VIOLATES):
        signature = (aspect, failure.kind) == (Aspect.SIGNATURE, "missing parameter")
        assert signature or (function, aspect) in LACKS


def test_a_missing_parameter_is_named_with_its_own_line() -> None:
    (failure,) = outcome("correct").aspect("variable", Aspect.SIGNATURE).failures
    assert failure.citation == Citation("ko-2.2", 208)
    assert "has no parameter constraint" in failure.message
    assert "ko-2.2:208" in failure.message


def test_functions_that_are_absent_are_unsupported() -> None:
    run = examine(fake("correct"), ("exp", "cos", "elu"), TINY)
    for function in ("cos", "elu"):
        verdicts = run.verdicts(function)
        assert set(verdicts.values()) == {Verdict.UNSUPPORTED}
        assert len(verdicts) == 7  # as many aspects as for a function that exists
        (failure,) = run.aspect(function, Aspect.PRESENCE).failures
        assert "is missing" in failure.message
    assert run.aspect("exp", Aspect.VALUE).verdict is Verdict.CONFORMS


def test_the_largest_error_is_noted_beside_its_limit() -> None:
    rounded = fake("one_ulp_over", FAKE_ULP="0")
    result = examine(rounded, ("exp",), TINY).aspect("exp", Aspect.VALUE)
    assert result.max_ulp is not None
    assert result.limit_ulp == 3
    assert 0 < result.max_ulp <= 1


# What is wrong


def test_always_wrong_violates_with_a_citation() -> None:
    run = outcome("always_wrong", *WRONG_ONES)
    lines = {"exp": 1527, "softmax": 2787, "identity": 729, "argmax": 1425, "reshape": 1965}
    for function, line in lines.items():
        result = run.aspect(function, Aspect.VALUE)
        assert result.verdict is Verdict.VIOLATES
        (failure,) = (f for f in result.failures if f.kind == "value")
        assert failure.verdict is Verdict.VIOLATES
        assert failure.citation == Citation("ko-2.2", line)
        assert f"(ko-2.2:{line})" in failure.message
        assert failure.count > 3


@pytest.mark.thorough
def test_a_signature_that_takes_anything_is_unsupported_and_not_wrong() -> None:
    result = outcome("always_wrong", *WRONG_ONES).aspect("exp", Aspect.SIGNATURE)
    assert result.verdict is Verdict.UNSUPPORTED
    assert "takes any arguments" in result.failures[0].message


def test_the_expected_and_the_given_array_are_in_the_failure() -> None:
    (failure,) = outcome("always_wrong", *WRONG_ONES).aspect("exp", Aspect.VALUE).failures
    (x,) = failure.inputs.values()
    assert isinstance(failure.expected, Array)
    assert isinstance(failure.got, Array)
    right = np.exp(np.array(x.data, x.dtype))
    np.testing.assert_allclose(np.array(failure.expected.data), right, rtol=1e-6)
    np.testing.assert_allclose(np.array(failure.got.data), right + 1, rtol=1e-6)


@pytest.mark.thorough
def test_another_dtype_diverges_in_the_aspect_dtype_alone() -> None:
    failures = only(outcome("wrong_dtype", "exp", *REST), "exp", Aspect.DTYPE, Verdict.DIVERGES)
    for failure in failures:
        assert failure.kind == "dtype"
        assert failure.convention is not None
        assert "result-dtype" in failure.convention
        assert failure.got == "float64"
        assert "gives float64" in failure.message


def test_a_wrong_axis_violates_where_it_shows() -> None:
    functions = ("softmax", "exp", "reshape", "identity")
    failures = only(outcome("wrong_axis", *functions), "softmax", Aspect.VALUE, Verdict.VIOLATES)
    assert [f.kind for f in failures] == ["value"]
    assert failures[0].citation == Citation("ko-2.2", 2787)


def test_a_wrong_shape_cites_the_parameter_that_decides_it() -> None:
    many = replace(TINY, structures=16, values=("ordinary",), shrink=0, shrink_other=0)
    result = outcome("drops_dimensions", "sum", profile=many).aspect("sum", Aspect.VALUE)
    (failure,) = (f for f in result.failures if f.kind == "shape" and f.citation)
    assert "keepdims=True" in failure.message
    assert failure.citation == Citation("ko-2.2", 1220)


def test_one_ulp_more_is_within_the_limit_and_is_shown() -> None:
    run = outcome("one_ulp_over", "exp", *REST)
    assert worse(run) == {}
    result = run.aspect("exp", Aspect.VALUE)
    assert result.max_ulp is not None
    assert 1 <= result.max_ulp <= 2


@pytest.mark.thorough
def test_a_little_more_than_the_limit_diverges_by_the_convention_accuracy() -> None:
    result = examine(fake("one_ulp_over", FAKE_ULP="4"), ("exp", "identity"), "smoke").aspect(
        "exp", Aspect.VALUE
    )
    failures = [f for f in result.failures if f.convention == "accuracy"]
    assert failures
    for failure in failures:
        assert failure.verdict is Verdict.DIVERGES
        assert failure.kind == "accuracy"
        assert failure.citation is None
        assert failure.max_ulp is not None
        assert 3 < failure.max_ulp < 5
        assert "within 3 ULP" in failure.message


@pytest.mark.thorough
def test_more_than_four_times_the_limit_violates() -> None:
    result = examine(fake("one_ulp_over", FAKE_ULP="40"), ("exp", "identity"), "smoke").aspect(
        "exp", Aspect.VALUE
    )
    assert result.verdict is Verdict.VIOLATES


@pytest.mark.thorough
def test_one_wrong_number_in_a_thousand_is_found() -> None:
    run = outcome("wrong_one_in_a_thousand", "exp", "identity", profile="default")
    result = run.aspect("exp", Aspect.VALUE)
    assert result.verdict is Verdict.VIOLATES
    assert {f.kind for f in result.failures} == {"value"}
    assert sum(f.count for f in result.failures) < result.cases / 4
    assert run.aspect("identity", Aspect.VALUE).verdict is Verdict.CONFORMS


@pytest.mark.thorough
def test_changed_inputs_diverge_by_the_convention_purity() -> None:
    failures = only(outcome("changes_inputs", "exp", *REST), "exp", Aspect.PURITY, Verdict.DIVERGES)
    assert [f.convention for f in failures] == ["purity"]
    assert "changes x" in failures[0].message


# What ends the process, or does not come back


def test_a_crash_is_blamed_on_its_function_and_the_rest_is_judged() -> None:
    run = examine(fake("crashes"), ("exp", *REST), TINY)
    failures = only(run, "exp", Aspect.VALUE, Verdict.CRASHED, TINY)
    assert [f.kind for f in failures] == ["crash"]
    assert "ends the process (signal 6) while it is computed" in failures[0].message
    assert isinstance(failures[0].got, str)
    assert "about to end" in failures[0].got
    restarts = [e for e in run.events if isinstance(e, WorkerRestarted)]
    assert {(e.function, e.reason) for e in restarts} == {("exp", "signal 6")}
    assert run.results.run.restarts >= len(restarts)
    assert sum(a.cases for f in run.results.functions for a in f.aspects) > 0
    judged = [e.result.function for e in run.events if isinstance(e, FunctionJudged)]
    assert sorted(judged) == sorted(("exp", *REST))


@pytest.mark.thorough
def test_an_exit_status_is_told() -> None:
    run = examine(fake("crashes", FAKE_END="exit"), ("exp",), TINY)
    (failure,) = run.aspect("exp", Aspect.VALUE).failures
    assert "exit status 7" in failure.message


def test_a_hang_is_timed_out_and_the_rest_is_judged() -> None:
    limits = CallLimits(structure=0.6, draw=0.0, failures=1)
    run = examine(fake("hangs", limits), ("exp", *REST), TINY)
    assert run.aspect("exp", Aspect.VALUE).verdict is Verdict.TIMED_OUT
    (failure,) = run.aspect("exp", Aspect.VALUE).failures
    assert (failure.kind, failure.citation) == ("time-out", None)
    # only the first call that hangs is tried again with twice the limit; a smaller one is shown
    assert "no answer within 0.6 s while it is computed" in failure.message
    values = {run.aspect(name, Aspect.VALUE).verdict for name in REST}
    assert values == {Verdict.CONFORMS}


@pytest.mark.thorough
def test_garbage_on_every_descriptor_is_a_crash_of_its_function() -> None:
    run = examine(fake("writes_garbage"), ("exp", *REST), TINY)
    failures = only(run, "exp", Aspect.VALUE, Verdict.CRASHED, TINY)
    assert [f.kind for f in failures] == ["garbage"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["floods_output", "closes_descriptors"])
def test_what_does_no_harm_conforms(name: str) -> None:
    run = examine(fake(name), ("exp", *REST), TINY)
    assert worse(run, TINY) == {}
    assert run.results.run.restarts == 0


@pytest.mark.thorough
def test_closing_all_descriptors_is_a_crash_of_its_function() -> None:
    run = examine(fake("closes_descriptors", FAKE_CLOSE="all"), ("exp", *REST), TINY)
    only(run, "exp", Aspect.VALUE, Verdict.CRASHED, TINY)


# Smaller cases and scripts


@pytest.mark.parametrize("function", WRONG_ONES)
def test_a_failure_shrinks_to_an_input_of_at_most_two_elements(function: str) -> None:
    run = outcome("always_wrong", *WRONG_ONES)
    (failure,) = (f for f in run.aspect(function, Aspect.VALUE).failures if f.kind == "value")
    (x,) = failure.inputs.values()
    assert np.prod(x.shape) <= 2
    assert set(x.data) <= {0, 1}


@pytest.mark.parametrize("function", WRONG_ONES)
def test_a_minimised_failure_is_a_program_and_its_script(function: str) -> None:
    run = outcome("always_wrong", *WRONG_ONES)
    (failure,) = (f for f in run.aspect(function, Aspect.VALUE).failures if f.kind == "value")
    program = from_json(failure.program)
    assert [s.function for s in program.steps] == [function]
    assert {i.name: list(i.shape) for i in program.inputs} == {
        name: a.shape for name, a in failure.inputs.items()
    }
    assert failure.script is not None
    assert failure.message in failure.script


WRONG = [
    ("always_wrong", "smoke", WRONG_ONES),
    ("wrong_axis", "smoke", ("softmax",)),
    ("wrong_dtype", "smoke", ("exp",)),
    ("wrong_one_in_a_thousand", "default", ("exp", "identity")),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "profile", "functions"), WRONG, ids=[w[0] for w in WRONG])
def test_every_script_shows_its_failure_alone(
    name: str, profile: str, functions: tuple[str, ...]
) -> None:
    failures = outcome(name, *functions, profile=profile).failures()
    assert failures
    for _, _, failure in failures:
        done = run_script(str(failure.script))
        assert done.returncode == 1, (failure.message, done)
        last = done.stderr.strip().splitlines()[-1]
        if failure.kind == "exception":
            assert last.startswith(str(failure.got).partition(":")[0])
        elif isinstance(failure.got, str):
            assert failure.got in done.stderr


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "profile", "functions"), WRONG, ids=[w[0] for w in WRONG])
def test_no_script_finds_a_fault_in_a_correct_implementation(
    name: str, profile: str, functions: tuple[str, ...]
) -> None:
    judged = outcome(name, *functions, profile=profile).failures()
    failures = [f for _, aspect, f in judged if aspect in (Aspect.VALUE, Aspect.DTYPE)]
    assert failures
    for failure in failures:
        script = str(failure.script).replace(f"import {name} as K", "import correct as K")
        done = run_script(script)
        assert done.returncode == 0, (failure.message, done)


# What is announced


def test_the_events_add_up() -> None:
    run = outcome("always_wrong", *WRONG_ONES)
    done = [e for e in run.events if isinstance(e, CasesDone)]
    assert sum(e.cases for e in done) == run.results.run.cases
    assert all(0 <= e.failed <= e.cases for e in done)
    cases = {f.function: f.aspects for f in run.results.functions}
    for function, aspects in cases.items():
        if families_of(function, EDITION):  # which have several checks in one program
            continue
        value = next(a for a in aspects if a.aspect is Aspect.VALUE)
        examples = sum(a.cases for a in aspects if a.aspect is Aspect.EXAMPLE)
        assert value.cases + examples == sum(e.cases for e in done if e.function == function)
        assert sum(f.count for f in value.failures) <= value.cases


@pytest.mark.thorough
def test_int_shape_that_fails_for_every_result_is_not_the_functions_failure() -> None:
    verdicts = outcome("no_static_shapes", "exp", "reshape").verdicts()
    assert verdicts["exp", Aspect.STATIC_SHAPE] is Verdict.UNSUPPORTED
    assert verdicts["reshape", Aspect.STATIC_SHAPE] is not Verdict.VIOLATES


def test_int_shape_that_fails_for_one_function_is() -> None:
    verdicts = outcome("no_static_shape_of_exp", "exp", "reshape").verdicts()
    assert verdicts["exp", Aspect.STATIC_SHAPE] is Verdict.VIOLATES


NEGATIVE = ("exp", "softmax", "identity", "int_shape")


def kinds(run: Outcome, function: str) -> dict[str, Verdict]:
    """The failures of a function's static shapes, by kind."""
    return {f.kind: f.verdict for f in run.aspect(function, Aspect.STATIC_SHAPE).failures}


@pytest.mark.thorough
def test_a_number_for_what_is_unknown_is_the_failure_of_int_shape() -> None:
    run = examine(fake("unknown_is_negative"), NEGATIVE)
    assert run.aspect("int_shape", Aspect.VALUE).verdict is Verdict.VIOLATES
    assert Verdict.VIOLATES not in kinds(run, "exp").values()
    # what is wrong besides is theirs
    assert kinds(run, "softmax")["contradiction"] is Verdict.VIOLATES
    assert kinds(run, "identity")["contradiction"] is Verdict.VIOLATES


def test_a_number_for_what_is_unknown_in_one_function_is_its_own_failure() -> None:
    run = examine(fake("unknown_is_negative", FAKE_OF="exp"), NEGATIVE)
    assert run.aspect("int_shape", Aspect.VALUE).verdict is not Verdict.VIOLATES
    assert kinds(run, "exp")["contradiction"] is Verdict.VIOLATES
