"""Findings grouped into failures, and the verdicts that follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from conformance.editions import Edition
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Allowance, Finding, Judgement
from conformance.engine.planning.demands import demanded_aspects
from conformance.engine.verdicts.failures import cite, function_result, identifier
from conformance.engine.verdicts.forms import rare_forms
from conformance.engine.verdicts.sentences import sentence
from conformance.engine.verdicts.tally import MOST_LISTED, Group, Tally, verdict
from conformance.generators import Draw, generate, structures
from conformance.generators.collect import steered
from conformance.generators.exclusions import exclusions
from conformance.generators.forms import ABSENT
from conformance.program import Ref
from conformance.results import ASPECTS, Aspect, Citation, Verdict
from conformance.scenarios import families_of
from conformance.scripts import Prelude
from conformance.specs import EDITIONS, load
from tests.reporting import records

SPEC = load()["repeat_elements"]


def tally(edition: Edition = "keras-2.0") -> Tally:
    return Tally(SPEC, edition, frozenset(ASPECTS))


def finding(
    *conventions: str,
    kind: str = "value",
    detail: str = "",
    aspect: Aspect = Aspect.VALUE,
    verdict: Verdict | None = None,
    gives: str = "gives 1",
) -> Finding:
    stands = verdict or Allowance(conventions).verdict
    return Finding(
        aspect, stands, kind, gives=gives, demands="2", detail=detail, conventions=conventions
    )


def calls(count: int = 20) -> list[CallTrial]:
    """Calls from simple to complicated."""
    generated = generate(structures(SPEC, "keras-2.0", dtype="float32"), 4 * count, 0)
    usual = [s for s in generated if not s.unsettled and s.arguments["axis"] == 1][:count]
    trials = [CallTrial(Prepared(s, [Draw("ordinary", 0)])) for s in usual]
    return sorted(trials, key=lambda call: call.size)


def conventions(groups: Iterable[Group]) -> list[tuple[str, ...]]:
    return [g.finding.conventions for g in groups]


# Groups


def test_what_an_earlier_run_found_adds_only_what_this_one_does_not_show() -> None:
    (trial, *_) = calls()
    failing = records.failure()
    counted = tally()
    counted.note([finding("empty")], trial)
    before = conventions(counted.failures()), [g.count for g in counted.failures()]
    for known in (finding("empty"), finding("empty", "scalar")):
        counted.add_remembered(known, trial, failing)
    assert not counted.earlier
    counted.add_remembered(finding("scalar"), trial, failing)
    counted.add_remembered(finding("scalar", "ties"), trial, records.failure(id="other"))
    assert list(counted.earlier.values()) == [(Aspect.VALUE, failing)]
    assert (conventions(counted.failures()), [g.count for g in counted.failures()]) == before
    assert not counted.cases


def test_findings_of_one_identity_are_one_failure() -> None:
    counted = tally()
    counted.note([finding("empty"), finding("empty"), finding("scalar")])
    assert sorted((conventions([g])[0], g.count) for g in counted.failures()) == [
        (("empty",), 2),
        (("scalar",), 1),
    ]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_failure_under_fewer_conventions_stands_for_those_under_more(reverse: bool) -> None:
    noted = [finding("empty", "scalar"), finding("empty"), finding(), finding("negative-axis")]
    counted = tally()
    counted.note(reversed(noted) if reverse else noted)
    (failure,) = counted.failures()
    assert failure.finding.conventions == ()
    assert failure.finding.verdict is Verdict.VIOLATES
    assert failure.count == 4


def test_only_a_subset_of_the_conventions_stands_for_more() -> None:
    counted = tally()
    counted.note([finding("empty"), finding("scalar"), finding("empty", "ties")])
    counts = {g.finding.conventions: g.count for g in counted.failures()}
    assert counts == {("empty",): 2, ("scalar",): 1}


@pytest.mark.parametrize("reverse", [False, True])
def test_a_violation_stands_for_what_is_less_grave(reverse: bool) -> None:
    simple, *_, large = calls()
    lacking, wrong = finding(verdict=Verdict.UNSUPPORTED), finding()
    counted = tally()
    noted = [(lacking, simple), (wrong, large)]
    for each, trial in reversed(noted) if reverse else noted:
        counted.note([each], trial)
    (failure,) = counted.failures()
    assert (failure.finding, failure.trial, failure.count) == (wrong, large, 2)


def test_nothing_less_grave_stands_for_a_violation() -> None:
    counted = tally()
    wrong = finding("empty", verdict=Verdict.VIOLATES)
    counted.note([finding(verdict=Verdict.UNSUPPORTED), wrong])
    assert [g.finding.verdict for g in counted.failures()] == [
        Verdict.VIOLATES,
        Verdict.UNSUPPORTED,
    ]


@pytest.mark.parametrize(
    "other",
    [
        finding("empty", kind="shape"),
        finding("empty", detail="IndexError"),
        finding("empty", aspect=Aspect.DTYPE),
    ],
)
def test_another_kind_detail_or_aspect_is_another_failure(other: Finding) -> None:
    counted = tally()
    counted.note([finding(), other])
    assert len(counted.failures()) == 2


def raised(message: str, *conventions: str) -> Finding:
    gives = f"raises ValueError: {message}"
    return finding(*conventions, kind="exception", detail="ValueError", gives=gives)


def test_exceptions_with_other_messages_are_other_failures() -> None:
    counted = tally()
    counted.note([raised("axis 3 is too large"), raised("axis -1 is too large"), raised("no x")])
    assert sorted(g.count for g in counted.failures()) == [1, 2]
    ids = {identifier(counted, g.finding) for g in counted.failures()}
    assert ids == {identifier(counted, raised(m)) for m in ("axis 9 is too large", "no x")}


def test_a_message_of_a_settled_case_does_not_stand_for_another_of_an_unsettled_one() -> None:
    counted = tally()
    counted.note([raised("no x"), raised("no x", "empty"), raised("no y", "empty")])
    counts = {(g.finding.gives[-1], g.finding.conventions): g.count for g in counted.failures()}
    assert counts == {("x", ()): 2, ("y", ("empty",)): 1}


def test_a_few_messages_are_listed_and_the_others_are_counted() -> None:
    counted = tally()
    letters = "abcdefgh"
    counted.note([raised(f"no {letter}") for letter in letters])
    counted.note([finding("empty"), finding("scalar")])
    counted.count(Aspect.VALUE, 20)
    result = function_result(counted, counted.failures(), "", Prelude())
    (value,) = (a for a in result.aspects if a.aspect is Aspect.VALUE)
    assert len(value.failures) == MOST_LISTED + 2
    assert sum(f.count for f in value.failures) == len(letters) + 2, "no case is lost"
    assert {f.convention for f in value.failures} == {None, "empty", "scalar"}
    assert "3 more failures" in str(value.note)


def test_what_a_smaller_profile_shows_is_listed_first() -> None:
    counted, letters = tally(), "abcdefgh"
    for place, letter in enumerate(letters):
        counted.note([raised(f"no {letter}")], stage=len(letters) - place)
    counted.note([raised("no a")], stage=0)
    result = function_result(counted, counted.failures(), "", Prelude())
    (value,) = (a for a in result.aspects if a.aspect is Aspect.VALUE)
    shown = {f.message.partition(": no ")[2][0] for f in value.failures}
    assert shown == {"a", *letters[-MOST_LISTED + 1 :]}


def test_another_kind_is_always_listed() -> None:
    counted = tally()
    conventions = ("empty", "scalar", "ties", "negative-axis", "several-axes", "no-axis")
    counted.note([finding(convention) for convention in conventions])
    counted.count(Aspect.VALUE, 20)
    result = function_result(counted, counted.failures(), "", Prelude())
    (value,) = (a for a in result.aspects if a.aspect is Aspect.VALUE)
    assert len(value.failures) == len(conventions)


def called(spec: str, **arguments: object) -> CallTrial:
    """A call with these arguments and no others, tensors aside."""
    forms = {"axis": {"axis written": "positive"}, "keepdims": {"keepdims": "True"}}
    features: dict[str, str] = {}
    for name, form in forms.items():
        features |= form if name in arguments else {name: ABSENT}
    for drawn in steered(load()[spec], "keras-2.2", features, 600, 0):
        structure = drawn.value
        tensors = {n for n, v in structure.arguments.items() if isinstance(v, Ref)}
        passed = {n: structure.arguments[n] for n in structure.passed - tensors}
        if passed == arguments and structure.settled:
            return CallTrial(Prepared(structure, [Draw("ordinary", 0)]))
    raise LookupError(f"no call of {spec} with {arguments}")


@pytest.mark.thorough
def test_a_wrong_answer_is_told_apart_by_rare_arguments() -> None:
    plain = called("sum")
    keeping, along = called("sum", keepdims=True), called("sum", axis=1)
    both = called("sum", axis=1, keepdims=True)
    assert rare_forms(finding(), plain) == frozenset()
    assert rare_forms(finding(), keeping) == {"keepdims True"}
    assert rare_forms(finding(kind="exception"), keeping) == frozenset()
    counted = Tally(load()["sum"], "keras-2.2", frozenset(ASPECTS))
    for trial in (both, keeping, along, along):
        counted.note([finding()], trial)
    (failure,) = counted.failures()
    assert (failure.count, failure.cause[1]) == (4, frozenset()), "no call is right without them"
    counted.add(Judgement(cases={Aspect.VALUE: 1}), plain)
    assert {str(sorted(g.cause[1])): g.count for g in counted.failures()} == {
        "['keepdims True']": 2,
        "['axis positive']": 2,
    }
    ids = {identifier(counted, g.finding, g.cause[1]) for g in counted.failures()}
    assert len(ids) == 2
    counted.note([finding()], plain)
    (failure,) = counted.failures()
    assert (failure.count, failure.trial) == (5, plain)


def ranked(rank: int, count: int) -> list[CallTrial]:
    """Settled calls with tensors of this rank, from simple to complicated."""
    chosen = [c for c in calls(400) if len(c.prepared.structure.runtime.shapes["x"]) == rank]
    assert len(chosen) >= count
    return chosen[:count]


def test_what_is_always_wrong_with_some_tensors_is_told_from_what_is_wrong_at_times() -> None:
    counted, high, low = tally(), ranked(3, 20), ranked(2, 20)
    for trial in high:
        counted.note([finding(), finding()], trial)
    right = Judgement(cases={Aspect.VALUE: 1})
    for trial in low[5:]:
        counted.add(right, trial)
    (alone,) = counted.failures()
    assert (alone.count, alone.cause[1], identifier(counted, alone.finding, alone.cause[1])) == (
        40,
        frozenset(),
        identifier(counted, finding()),
    ), "all that is wrong is wrong for this one cause"
    for trial in low[:5]:
        counted.note([finding()], trial)
    rare, always = sorted(counted.failures(), key=lambda g: len(g.cause[1]))
    assert (rare.count, rare.cause[1], rare.trial) == (
        5,
        frozenset(),
        min(low[:5], key=lambda call: call.size),
    )
    assert (always.count, always.cause[1]) == (40, frozenset({"rank of x"}))
    assert always.trial is high[0]
    assert always.is_of_cause(high[1])
    assert not always.is_of_cause(low[0])


def test_a_few_that_are_wrong_are_of_the_same_cause() -> None:
    counted, right = tally(), Judgement(cases={Aspect.VALUE: 1})
    for trial in (*ranked(3, 5), *ranked(2, 5)):
        counted.note([finding()], trial)
    for trial in ranked(2, 10)[5:]:
        counted.add(right, trial)
    (group,) = counted.failures()
    assert group.count == 10


def test_the_gravest_failure_comes_first() -> None:
    counted = tally()
    noted = [
        finding("empty", kind="a"),
        finding(kind="b", verdict=Verdict.TIMED_OUT),
        finding(kind="c"),
        finding(kind="d", verdict=Verdict.UNSUPPORTED),
        finding(kind="e", verdict=Verdict.CRASHED),
    ]
    counted.note(noted)
    assert [g.finding.kind for g in counted.failures()] == ["c", "e", "b", "a", "d"]


def test_the_simplest_structure_is_kept() -> None:
    settled = [c for c in calls(60) if c.prepared.structure.settled]
    simple, *_, complicated = sorted(settled, key=lambda call: call.size)
    assert simple.size < complicated.size
    for order in ((simple, complicated), (complicated, simple)):
        counted = tally()
        for each in order:
            counted.note([finding()], each)
        (group,) = counted.failures()
        assert group.trial is simple
        assert group.count == 2


# Verdicts


def judged(cases: int, *findings: Finding, aspect: Aspect = Aspect.VALUE) -> Verdict:
    counted = tally()
    counted.count(aspect, cases)
    counted.note(findings)
    return verdict(counted, aspect, counted.failures())


def test_without_a_finding_the_aspect_conforms() -> None:
    assert judged(5) is Verdict.CONFORMS


def test_what_was_never_checked_is_unsupported() -> None:
    assert judged(0) is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    "wrong", [Verdict.DIVERGES, Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.VIOLATES]
)
def test_the_gravest_finding_decides(wrong: Verdict) -> None:
    assert judged(9, finding("empty"), finding(kind="b", verdict=wrong)) is wrong


def test_a_finding_on_another_aspect_does_not_count() -> None:
    assert judged(5, finding(aspect=Aspect.DTYPE)) is Verdict.CONFORMS


def test_what_is_refused_under_a_convention_does_not_spoil_the_aspect() -> None:
    refused = finding("input-dtype", kind="exception", verdict=Verdict.UNSUPPORTED)
    assert judged(5, refused) is Verdict.CONFORMS
    assert judged(1, refused) is Verdict.UNSUPPORTED


def test_what_is_refused_without_a_convention_is_unsupported() -> None:
    refused = finding(kind="exception", verdict=Verdict.UNSUPPORTED)
    assert judged(5, refused) is Verdict.UNSUPPORTED


def test_an_input_that_could_not_be_made_is_not_this_function_s_failure() -> None:
    unmade = finding(kind="unmade input", verdict=Verdict.UNSUPPORTED)
    assert judged(5, unmade) is Verdict.CONFORMS
    assert judged(1, unmade) is Verdict.UNSUPPORTED


def test_a_wrong_answer_violates_only_without_conventions() -> None:
    assert Allowance().verdict is Verdict.VIOLATES
    assert Allowance(("empty",)).verdict is Verdict.DIVERGES


# Denominator, ids, citations


MADE_OF_NUMBERS = {
    *("zeros", "ones", "eye", "arange"),
    *(f"keras.ops.{name}" for name in ("zeros", "ones", "full", "eye", "identity", "tri")),
    *(f"keras.ops.{name}" for name in ("arange", "empty")),
    *(f"keras.ops.{name}" for name in ("hamming", "hanning", "bartlett", "blackman", "kaiser")),
}
"""The functions that take no tensor, and so change none."""


def demanded(name: str, edition: Edition) -> set[str]:
    """The aspects demanded of a function: presence, signature, what calls and scenarios check."""
    spec = load()[name]
    aspects = {"presence", "signature"}
    if spec.dtype:
        aspects |= {"value", "dtype", "static shape"}
        aspects |= set() if name in MADE_OF_NUMBERS else {"purity"}
        aspects |= {"gradient"} if spec.differentiable else set()
    if any(edition in error.editions for error in spec.errors) or exclusions(spec, edition):
        aspects.add("error")
    return aspects.union(*(map(str, f.aspects) for f in families_of(name, edition)))


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_denominator_of_an_edition_is_fixed(edition: Edition) -> None:
    offered = [name for name, spec in load().items() if edition in spec.editions]
    aspects = {name: set(map(str, demanded_aspects(load()[name], edition))) for name in offered}
    assert aspects == {name: demanded(name, edition) for name in offered}
    assert all(aspects[name] >= {"presence", "signature"} for name in offered)
    assert [n for n in offered if aspects[n] == {"presence", "signature"}] == [], "never called"


def test_every_aspect_that_is_looked_at_is_in_the_result() -> None:
    counted = tally()
    result = function_result(counted, [], "shape ops", Prelude())
    assert [a.aspect for a in result.aspects] == demanded_aspects(SPEC, "keras-2.0")
    part = Tally(SPEC, "keras-2.0", frozenset({Aspect.VALUE}))
    assert [a.aspect for a in function_result(part, [], "", Prelude()).aspects] == [Aspect.VALUE]


def test_an_id_depends_on_what_fails_and_where_and_not_on_the_case() -> None:
    counted = tally()
    base = identifier(counted, finding("empty"))
    assert base == identifier(tally(), finding("empty"))
    others = [
        identifier(counted, finding()),
        identifier(counted, finding("empty", kind="shape")),
        identifier(counted, finding("empty", detail="x")),
        identifier(counted, finding("empty", aspect=Aspect.DTYPE)),
        identifier(tally("keras-2.2"), finding("empty")),
        identifier(Tally(load()["tile"], "keras-2.0", frozenset()), finding("empty")),
    ]
    assert len({base, *others}) == 7


@pytest.mark.parametrize(
    ("aspect", "kind", "edition", "line"),
    [
        (Aspect.VALUE, "value", "keras-2.0", Citation("ja-2.0", 1582)),
        (Aspect.VALUE, "value", "keras-2.2", Citation("ko-2.2", 2063)),
        (Aspect.ERROR, "unknown-length", "keras-2.0", Citation("ja-2.0", 1594)),
        (Aspect.STATIC_SHAPE, "contradiction", "keras-2.0", Citation("ja-2.0", 518)),
        (Aspect.SIGNATURE, "order", "keras-2.0", Citation("ja-2.0", 1579)),
        (Aspect.SIGNATURE, "order", "keras-1", Citation("ja-1", 935)),
    ],
)
def test_a_violation_cites_the_line_of_the_edition_s_document(
    aspect: Aspect, kind: str, edition: Edition, line: Citation
) -> None:
    assert cite(SPEC, edition, finding(aspect=aspect, kind=kind)) == line


def test_a_message_names_as_open_what_no_document_rules_out() -> None:
    line = Citation("ja-2.0", 1582)
    points = ("empty", "population-variance")
    open_finding = replace(finding(), open_points=points)
    message = sentence("mean", open_finding, None, line)
    assert "expected 2 under every reading of empty and population-variance (" in message
    ruled_out = replace(open_finding, detail="population-variance: with epsilon")
    assert "under every reading of empty (" in sentence("mean", ruled_out, None, line)


def test_a_divergence_cites_no_line() -> None:
    assert cite(SPEC, "keras-2.0", finding("empty")) is None
