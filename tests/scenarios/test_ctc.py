"""Scenarios of CTC and of sparse tensors: wrong implementations are found, custom ones are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.engine.judging.findings import Finding
from conformance.oracle import ctc as oracle
from conformance.results import Verdict
from conformance.scenarios import Scenario
from conformance.scenarios.ctc import cost, decoding
from conformance.scenarios.ctc import inputs as ctc_inputs
from conformance.scenarios.introspection import sparse
from tests.scenarios.in_process import findings, module

COST, DECODE = K.ctc_batch_cost, K.ctc_decode
SEEDS = range(6)


def costs(neutral: bool) -> Iterator[Scenario]:
    for seed in SEEDS:
        case = ctc_inputs.labelled(seed, 1 + seed % 3, 5, 4, neutral)
        yield cost.cost(case, ctc_inputs.BINDINGS[seed % 3])


def greedy() -> Iterator[Scenario]:
    for seed in SEEDS:
        yield decoding.greedy(decoding.greedy_case(seed, 2, 6, 4), "variable", seed % 2 == 0)


def beams() -> Iterator[Scenario]:
    for seed in SEEDS:
        case = decoding.beam_case(seed, 2, 4, 3, 1 + seed % 3)
        yield decoding.beam(case, "variable", None)
    yield from decoding.repeated("")


def found(scenarios: Iterator[Scenario], **changed: Any) -> list[Finding]:
    return [f for s in scenarios for f in findings(s, module(**changed))]


def verdicts(listed: list[Finding]) -> set[Verdict]:
    return {finding.verdict for finding in listed}


def names(listed: list[Finding]) -> set[str]:
    return {finding.kind for finding in listed if finding.verdict is Verdict.VIOLATES}


def rolled(y: Any) -> Any:
    """The classes with the first one moved to the end."""
    return K.concatenate([y[:, :, 1:], y[:, :, :1]], axis=-1)


def cost_with_first_blank(y_true: Any, y_pred: Any, *lengths: Any) -> Any:
    return COST(y_true - 1, rolled(y_pred), *lengths)


def decode_with_first_blank(y_pred: Any, input_length: Any, **arguments: Any) -> Any:
    labels, logarithms = DECODE(rolled(y_pred), input_length, **arguments)
    moved = [one + K.cast(K.greater_equal(one, 0), "int64") for one in labels]
    return moved, logarithms


def test_the_reference_has_no_findings() -> None:
    for scenarios in (costs(True), costs(False), greedy(), beams()):
        assert not found(scenarios)


COSTS: list[Callable[..., Any]] = [
    lambda y, p, n, m: K.permute_dimensions(COST(y, p, n, m), (1, 0)),
    lambda y, p, n, m: COST(y, p, n, m) - K.log(K.cast(n, "float32")),
    lambda y, p, n, m: COST(y, p, n, m) * 1.01,
    lambda y, p, n, m: COST(y, p, n * 0 + 5, m),
    lambda y, p, n, m: COST(y, p, n, m * 0 + 1),
]


@pytest.mark.parametrize("cost", COSTS)
def test_wrong_losses_are_violations(cost: Callable[..., Any]) -> None:
    assert "the loss of each sample" in names(found(costs(True), ctc_batch_cost=cost))


def test_the_place_of_the_blank_is_a_convention() -> None:
    assert not found(costs(True), ctc_batch_cost=cost_with_first_blank)
    for scenarios in (greedy(), beams()):
        listed = found(scenarios, ctc_decode=decode_with_first_blank)
        assert verdicts(listed) <= {Verdict.DIVERGES}
        assert any("ctc-blank" in finding.conventions for finding in listed)


def changed_labels(change: Callable[[Any], Any]) -> Callable[..., Any]:
    def decode(*args: Any, **arguments: Any) -> Any:
        labels, logarithms = DECODE(*args, **arguments)
        return [change(one) for one in labels], logarithms

    return decode


def with_logarithms(change: Callable[[Any], Any]) -> Callable[..., Any]:
    def decode(*args: Any, **arguments: Any) -> Any:
        labels, logarithms = DECODE(*args, **arguments)
        return labels, change(logarithms)

    return decode


def test_wrong_decoding_is_a_violation() -> None:
    for scenarios in (greedy, beams):
        zeros = changed_labels(lambda x: K.maximum(x, 0))
        expected = "sequences" if scenarios is beams else "sequence"
        assert any(n.endswith(expected) for n in names(found(scenarios(), ctc_decode=zeros)))
        listed = found(scenarios(), ctc_decode=lambda *a, **k: (*DECODE(*a, **k), 0))
        assert "the result is a pair" in names(listed)
        doubled = found(scenarios(), ctc_decode=lambda *a, **k: _doubled(*DECODE(*a, **k)))
        assert "how many sequences there are" in names(doubled)


def _doubled(labels: list[Any], logarithms: Any) -> Any:
    return labels * 2, logarithms


def test_wrong_log_probabilities() -> None:
    listed = found(greedy(), ctc_decode=with_logarithms(lambda x: -x))
    assert names(listed) == {"a log probability is not above 0"}
    assert {finding.conventions for finding in listed} == {(), ("input-dtype",)}
    for change in (lambda x: -x, lambda x: x * 1.01):
        listed = found(beams(), ctc_decode=with_logarithms(change))
        assert names(listed) == {"the sequences' log probabilities"}


def test_a_beam_search_that_merges_repeats_is_a_violation() -> None:
    (scenario,) = decoding.repeated("")
    merged = changed_labels(lambda x: K.concatenate([x[:, :1], x[:, :2] * 0 - 1], axis=1))
    listed = findings(scenario, module(ctc_decode=merged))
    assert names(listed) == {"the likeliest sequences"}


def test_the_order_of_the_sequences_is_a_convention() -> None:
    def backwards(*args: Any, **arguments: Any) -> Any:
        labels, logarithms = DECODE(*args, **arguments)
        return labels[::-1], K.reverse(logarithms, 1)

    listed = found(beams(), ctc_decode=backwards)
    assert {c for f in listed for c in f.conventions} == {"ctc-order", "input-dtype"}
    assert all("ctc-order" in finding.conventions for finding in listed)


def test_the_narrow_padding_of_other_implementations_is_allowed() -> None:
    def narrow(x: Any) -> Any:
        longest = (K.eval(x) >= 0).sum(axis=1).max()
        return x[:, : int(longest)]

    assert not found(greedy(), ctc_decode=changed_labels(narrow))
    assert not found(beams(), ctc_decode=changed_labels(narrow))


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients(seed: int) -> None:
    for neutral in (True, False):
        scenario = cost.gradient(ctc_inputs.labelled(seed, 2, 5, 4, neutral))
        assert not findings(scenario, module())
        wrong = findings(scenario, module(ctc_batch_cost=lambda *a: COST(*a) * 1.01))
        assert {finding.kind for finding in wrong} == {"the gradient of the loss"}


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_fit_their_inputs(seed: int) -> None:
    case = ctc_inputs.labelled(seed, 3, 6, 5, neutral=True)
    arrays = {
        n: a.astype("float64") if n == "y_pred" else a for n, a in cost.tensors_of(case).items()
    }
    assert np.isfinite(oracle.ctc_batch_cost(**arrays)).all()
    assert case.y_pred.min() > 0.02


def test_beams_of_a_hundred_lose_nothing() -> None:
    y = np.full((4, 4), 0.25)
    assert len(oracle.ranked(y)) <= 100


def test_sparse_tensors() -> None:
    made = [
        sparse.kinds((2, 3), "float32"),
        sparse.from_sparse((2, 3), "float32"),
        sparse.from_dense((2, 3), "float64", 1),
        sparse.from_labels((2, 3), 1),
        *sparse.placeholders(""),
    ]
    assert not [f for s in made for f in findings(s, module())]
    never = module(is_sparse=lambda _: False)
    assert all(verdicts(findings(s, never)) == {Verdict.VIOLATES} for s in (made[0], *made[4:]))
    double = module(to_dense=lambda x: K.to_dense(x) * 2)
    assert all(verdicts(findings(s, double)) == {Verdict.VIOLATES} for s in made[2:4])
