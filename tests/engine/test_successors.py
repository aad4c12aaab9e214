"""A successor of the documented API: what contradicts the documents is changed, not a violation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import UNSET

from conformance.adapters import mappings, registry
from conformance.adapters.registry import RegistryError
from conformance.adapters.target_records import Target
from conformance.cli.targets.subjects import subject as subject_of
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.successors import changes, verdict_on_contradiction
from conformance.engine.planning.plan import documented_names
from conformance.results import Aspect, Citation, FindingKind, Replacement, Verdict
from tests.editions import OF_K
from tests.engine.successors import CALLS, target
from tests.engine.support import Outcome, examine, fake

ROW = Replacement("calls.toml", "exp", "numpy.exp(x) + 1")
REACHED = [t for t in registry.shipped().values() if t.mapping is not None]


def wrong(verdict: Verdict) -> Finding:
    return Finding(Aspect.VALUE, verdict, FindingKind.VALUE, gives="gives 1", demands="2")


@pytest.fixture(scope="module")
def successor(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("successor")
    return examine(subject_of(target(folder)), [*CALLS])


def test_a_difference_cites_the_document_and_the_row(successor: Outcome) -> None:
    aspect = successor.aspect("exp", Aspect.VALUE)
    (failure,) = aspect.failures
    assert (aspect.verdict, failure.verdict) == (Verdict.CHANGED, Verdict.CHANGED)
    assert failure.citation == Citation("ko-2.2", 1527)
    assert failure.replacement == ROW
    assert failure.message.endswith("(ko-2.2:1527; calls.toml: exp)")
    assert failure.cited == "ko-2.2:1527; calls.toml: exp"
    assert failure.script


def test_nothing_of_a_successor_violates(successor: Outcome) -> None:
    assert successor.failures(Verdict.CHANGED)
    assert not successor.failures(Verdict.VIOLATES)


def test_a_call_as_before_conforms_and_one_that_ends_the_process_crashes(
    successor: Outcome,
) -> None:
    assert successor.aspect("sqrt", Aspect.VALUE).verdict is Verdict.CONFORMS
    crashed = successor.aspect("abs", Aspect.VALUE)
    assert crashed.verdict is Verdict.CRASHED
    assert all(f.replacement is UNSET for f in crashed.failures)


def test_the_same_table_that_promises_the_documents_violates_them(tmp_path: Path) -> None:
    promising = subject_of(target(tmp_path, successor=False))
    aspect = examine(promising, ["exp"]).aspect("exp", Aspect.VALUE)
    assert aspect.verdict is Verdict.VIOLATES
    assert aspect.failures[0].replacement is UNSET


def test_a_failure_keeps_its_id_and_its_smallest_case() -> None:
    tested = fake("always_wrong")
    failures = [
        examine(replace(tested, replacements=rows), ["exp"]).aspect("exp", Aspect.VALUE).failures
        for rows in (None, {"exp": ROW})
    ]
    (violation,), (change,) = failures
    assert (violation.verdict, change.verdict) == (Verdict.VIOLATES, Verdict.CHANGED)
    assert (violation.id, violation.program) == (change.id, change.program)


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.VIOLATES])
def test_only_a_violation_becomes_a_change(verdict: Verdict) -> None:
    finding = wrong(verdict)
    assert changes([finding], "exp", {"exp": ROW}) == [finding]


def test_a_function_without_a_row_violates_nothing_either() -> None:
    (finding,) = changes([wrong(Verdict.VIOLATES)], "log", {"exp": ROW})
    assert (finding.verdict, finding.replacement) == (Verdict.CHANGED, None)
    assert finding.contradicts


def test_another_target_keeps_its_violations() -> None:
    finding = wrong(Verdict.VIOLATES)
    assert changes([finding], "exp", None) == [finding]
    assert verdict_on_contradiction(None) is Verdict.VIOLATES
    assert verdict_on_contradiction({}) is Verdict.CHANGED


@pytest.mark.parametrize("reached", REACHED, ids=lambda t: t.name)
def test_no_shipped_target_with_a_mapping_violates_a_document_of_k(reached: Target) -> None:
    """It is a successor, and each of its findings on a documented function that would cite a
    document of K is changed; or its edition has the documents of what it calls."""
    tested = subject_of(reached)
    if reached.edition not in OF_K:
        assert tested.replacements is None
        assert not {*documented_names(reached.edition)} & {
            *mappings.load(_table(reached)).functions
        }
        return
    rows = mappings.load(_table(reached))
    assert rows.functions
    for name in (*rows.functions, *rows.absent):
        (finding,) = changes([wrong(Verdict.VIOLATES)], name, tested.replacements)
        assert finding.verdict is Verdict.CHANGED
        assert (finding.replacement is None) == (name in rows.absent)


def _table(reached: Target) -> Path:
    assert reached.mapping is not None
    return reached.mapping


def test_a_successor_has_a_mapping(tmp_path: Path) -> None:
    file = tmp_path / "conformance.toml"
    file.write_text('[targets.mine]\nmodule = "m"\nedition = "keras-2.2"\nsuccessor = true\n')
    with pytest.raises(RegistryError, match=r"mine: successor: it has no `mapping`; name the"):
        registry.load(file)
