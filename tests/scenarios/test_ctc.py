"""Scenarios of CTC and of sparse tensors: wrong implementations are found, custom ones are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.engine.judging.findings import Finding
from conformance.oracle import ctc as oracle
from conformance.oracle import ctc_paths
from conformance.results import Verdict
from conformance.scenarios import Scenario
from conformance.scenarios.ctc import cost, decoding, decoding_cases, dictionary, sparse_labels
from conformance.scenarios.ctc import inputs as ctc_inputs
from conformance.scenarios.introspection import sparse
from tests.scenarios.in_process import findings, module, recorded

COST, DECODE = K.ctc_batch_cost, K.ctc_decode
LOSSES, PATHS, LABELS = "ctc_batch_cost", "ctc_decode", "ctc_label_dense_to_sparse"
SEEDS = range(6)


def costs(neutral: bool) -> Iterator[Scenario]:
    for seed in SEEDS:
        case = ctc_inputs.labelled(seed, 1 + seed % 3, 5, 4, neutral)
        yield recorded(cost.cost, LOSSES, case, ctc_inputs.BINDINGS[seed % 3])


def greedy() -> Iterator[Scenario]:
    for seed in SEEDS:
        yield recorded(
            decoding.greedy,
            PATHS,
            decoding_cases.greedy_case(seed, 2, 6, 4),
            "variable",
            seed % 2 == 0,
        )


def beams() -> Iterator[Scenario]:
    for seed in SEEDS:
        case = decoding_cases.beam_case(seed, 2, 4, 3, 1 + seed % 3)
        yield recorded(decoding.beam, PATHS, case, "variable", None)
    yield recorded(decoding.repeated, PATHS)


def findings_of(scenarios: Iterator[Scenario], **changed: Any) -> list[Finding]:
    return [f for s in scenarios for f in findings(s, module(**changed))]


def verdicts(problems: list[Finding]) -> set[Verdict]:
    return {finding.verdict for finding in problems}


def names(problems: list[Finding]) -> set[str]:
    return {finding.kind for finding in problems if finding.verdict is Verdict.VIOLATES}


def rolled(y: Any) -> Any:
    """The classes with the first one moved to the end."""
    return K.concatenate([y[:, :, 1:], y[:, :, :1]], axis=-1)


def cost_with_first_blank(y_true: Any, y_pred: Any, *lengths: Any) -> Any:
    return COST(y_true - 1, rolled(y_pred), *lengths)


def decode_with_first_blank(y_pred: Any, input_length: Any, **arguments: Any) -> Any:
    labels, logarithms = DECODE(rolled(y_pred), input_length, **arguments)
    moved = [label + K.cast(K.greater_equal(label, 0), "int64") for label in labels]
    return moved, logarithms


def test_the_reference_has_no_findings() -> None:
    for scenarios in (costs(True), costs(False), greedy(), beams()):
        assert not findings_of(scenarios)


COSTS: list[Callable[..., Any]] = [
    lambda y, p, n, m: K.permute_dimensions(COST(y, p, n, m), (1, 0)),
    lambda y, p, n, m: COST(y, p, n, m) - K.log(K.cast(n, "float32")),
    lambda y, p, n, m: COST(y, p, n, m) * 1.01,
    lambda y, p, n, m: COST(y, p, n * 0 + 5, m),
    lambda y, p, n, m: COST(y, p, n, m * 0 + 1),
]


@pytest.mark.parametrize("cost", COSTS)
def test_wrong_losses_are_violations(cost: Callable[..., Any]) -> None:
    assert "the loss of each sample" in names(findings_of(costs(True), ctc_batch_cost=cost))


def readings(problems: list[Finding]) -> set[tuple[str, ...]]:
    """The readings that are named, if there is no violation."""
    assert verdicts(problems) == {Verdict.DIVERGES}
    return {finding.readings for finding in problems}


def gradients(neutral: bool) -> Iterator[Scenario]:
    for seed in SEEDS:
        yield recorded(cost.gradient, LOSSES, ctc_inputs.labelled(seed, 2, 5, 4, neutral))


FIRST = {("ctc-blank: first",)}


def test_the_place_of_the_blank_is_a_reading() -> None:
    assert not findings_of(costs(True), ctc_batch_cost=cost_with_first_blank)
    for scenarios in (costs(False), gradients(False)):
        taken = readings(findings_of(scenarios, ctc_batch_cost=cost_with_first_blank))
        # the shifted labels with the first class may raise
        assert taken >= FIRST
        assert {named[0] for named in taken} <= {"ctc-blank: first", "ctc-blank: refused"}
    for scenarios in (greedy(), beams()):
        assert readings(findings_of(scenarios, ctc_decode=decode_with_first_blank)) == FIRST


@pytest.mark.parametrize("blank", [COST, cost_with_first_blank])
def test_wrong_losses_violate_wherever_the_blank_is(blank: Callable[..., Any]) -> None:
    for change in (lambda x: x * 0, lambda x: x * 1.01, lambda x: -x):
        wrong = lambda *a, change=change: change(blank(*a))  # noqa: E731
        for scenarios, name in (
            (costs(False), "the loss of each sample"),
            (gradients(False), "the gradient of the loss"),
        ):
            assert name in names(findings_of(scenarios, ctc_batch_cost=wrong))


def test_every_batch_has_a_label_whose_loss_is_settled_for_either_blank() -> None:
    for seed in range(40):
        case = ctc_inputs.labelled(seed, 1 + seed % 3, 5, 3 + seed % 3, neutral=False)
        assert not oracle.has_first_class(case.y_true, case.label_length)[0]


def test_only_labels_with_the_first_class_may_be_refused() -> None:
    def strict(y_true: Any, *rest: Any) -> Any:
        if (K.eval(y_true) == 0).any():
            raise ValueError("a label with the blank")
        return COST(y_true, *rest)

    def never(*_: Any) -> Any:
        raise ValueError("probabilities")

    def variables(neutral: bool) -> Iterator[Scenario]:
        for seed in SEEDS:
            yield recorded(
                cost.cost, LOSSES, ctc_inputs.labelled(seed, 1, 5, 4, neutral), "variable"
            )

    assert Verdict.VIOLATES not in verdicts(findings_of(variables(True), ctc_batch_cost=strict))
    assert readings(findings_of(variables(False), ctc_batch_cost=strict)) >= {
        ("ctc-blank: refused",)
    }
    assert Verdict.VIOLATES in verdicts(findings_of(variables(False), ctc_batch_cost=never))


def edge_fake(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Losses of which the last one is changed."""

    def changed(*arguments: Any) -> Any:
        losses = COST(*arguments)
        return K.concatenate([losses[:-1], change(losses[-1:])], axis=0)

    return changed


EMPTY, IMPOSSIBLE = (recorded(cost.edge, LOSSES, what) for what in cost.EDGES)


def raising(*_: Any) -> Any:
    raise ValueError("such a label")


@pytest.mark.parametrize(("scenario", "name"), [(EMPTY, "empty-label"), (IMPOSSIBLE, "impossible")])
def test_an_odd_label_may_be_refused_but_the_other_losses_are_settled(
    scenario: Scenario, name: str
) -> None:
    assert not findings(scenario, module())
    problems = findings(scenario, module(ctc_batch_cost=raising))
    assert readings(problems) == {(f"ctc-{name}: refused",)}
    for wrong in (lambda *a: COST(*a) * 1.01, lambda *a: K.permute_dimensions(COST(*a), (1, 0))):
        problems = findings(scenario, module(ctc_batch_cost=wrong))
        assert "the losses of the other samples" in names(problems)


def test_the_loss_of_an_impossible_label_is_infinite_or_large() -> None:
    def least(number: float) -> list[Finding]:
        fake = edge_fake(lambda x: K.minimum(x, number))
        return findings(IMPOSSIBLE, module(ctc_batch_cost=fake))

    assert readings(least(1e4)) == {("ctc-impossible: large",)}
    for number in (0.0, 2.0, np.nan):
        assert names(least(number)) == {"the loss of a label longer than its input"}
    doubled = findings(EMPTY, module(ctc_batch_cost=edge_fake(lambda x: x * 2)))
    assert names(doubled) == {"the loss of a label without classes"}


def changed_labels(change: Callable[[Any], Any]) -> Callable[..., Any]:
    def decode(*args: Any, **arguments: Any) -> Any:
        labels, logarithms = DECODE(*args, **arguments)
        return [change(label) for label in labels], logarithms

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
        assert any(n.endswith(expected) for n in names(findings_of(scenarios(), ctc_decode=zeros)))
        problems = findings_of(scenarios(), ctc_decode=lambda *a, **k: (*DECODE(*a, **k), 0))
        assert "the result is a pair" in names(problems)
        doubled = findings_of(scenarios(), ctc_decode=lambda *a, **k: _doubled(*DECODE(*a, **k)))
        assert "how many sequences there are" in names(doubled)


def _doubled(labels: list[Any], logarithms: Any) -> Any:
    return labels * 2, logarithms


def test_wrong_log_probabilities() -> None:
    problems = findings_of(greedy(), ctc_decode=with_logarithms(lambda x: -x))
    assert names(problems) == {"a log probability is not above 0"}
    problems = findings_of(greedy(), ctc_decode=with_logarithms(lambda x: x * 1.01))
    assert names(problems) == {"log of the best path's probability"}
    for change in (lambda x: -x, lambda x: x * 1.01):
        problems = findings_of(beams(), ctc_decode=with_logarithms(change))
        assert names(problems) == {"the sequences' log probabilities"}


def of_sequences(y_pred: Any, input_length: Any, **arguments: Any) -> Any:
    """Best path decoding, with the probabilities of the sequences."""
    labels, _ = DECODE(y_pred, input_length, **arguments)
    label = K.eval(labels[0])
    lengths = (label >= 0).sum(axis=1)
    tensors = [K.variable(a, "int32") for a in (np.maximum(label, 0), lengths[:, None])]
    steps = K.expand_dims(input_length)
    return labels, -COST(tensors[0], y_pred, steps, tensors[1])


def test_the_probability_of_the_sequence_is_a_reading() -> None:
    problems = findings_of(greedy(), ctc_decode=of_sequences)
    assert readings(problems) == {("ctc-greedy-probability: of the sequence",)}


def test_a_beam_search_that_merges_repeats_is_a_violation() -> None:
    scenario = recorded(decoding.repeated, PATHS)
    merged = changed_labels(lambda x: K.concatenate([x[:, :1], x[:, :2] * 0 - 1], axis=1))
    problems = findings(scenario, module(ctc_decode=merged))
    assert names(problems) == {"the likeliest sequences"}


def reversed_labels(*args: Any, **arguments: Any) -> Any:
    labels, logarithms = DECODE(*args, **arguments)
    return labels[::-1], logarithms


def reversed_pairs(*args: Any, **arguments: Any) -> Any:
    labels, logarithms = reversed_labels(*args, **arguments)
    return labels, K.reverse(logarithms, 1)


def test_the_order_of_the_sequences_is_a_reading() -> None:
    assert readings(findings_of(beams(), ctc_decode=reversed_pairs)) == {
        ("ctc-order: another order",)
    }


def test_each_sequence_goes_with_its_probability() -> None:
    problems = findings_of(beams(), ctc_decode=reversed_labels)
    assert names(problems) == {"the sequences' log probabilities"}


def blanks_inside(x: Any) -> Any:
    """A -1 after the first class."""
    return K.concatenate([x[:, :1], x[:, :1] * 0 - 1, x[:, 1:]], axis=1)


def test_where_blanks_are_filled_in_is_a_reading() -> None:
    for scenarios in (greedy, beams):
        problems = findings_of(scenarios(), ctc_decode=changed_labels(blanks_inside))
        assert readings(problems) == {("ctc-padding: inside",)}
        wrong = changed_labels(lambda x: blanks_inside(x) * 0 - 1)
        assert any("sequence" in n for n in names(findings_of(scenarios(), ctc_decode=wrong)))


def dictionaries() -> Iterator[Scenario]:
    for seed in SEEDS:
        yield recorded(
            dictionary.searched, PATHS, dictionary.dictionary_case(seed, 2, 4, 5), "variable"
        )


def path_of(word: tuple[int, ...], steps: int, categories: int) -> Any:
    """Probabilities of which argmax picks a path of a word."""
    blank = categories - 1
    path = [k for letter in word for k in (letter, blank)]
    return np.eye(categories)[(path + [blank] * steps)[:steps]]


def test_a_word_of_the_dictionary_is_a_reading() -> None:
    def decoding_as(word: Callable[[list[Any]], Any]) -> Callable[..., Any]:
        def decode(y_pred: Any, _: Any, **arguments: Any) -> Any:
            samples, steps, categories = K.int_shape(y_pred)
            chosen = tuple(word(arguments["dict_values"]))
            return K.variable(np.stack([path_of(chosen, steps, categories)] * samples))

        return decode

    problems = findings_of(
        dictionaries(), ctc_decode=decoding_as(lambda words: min(words, key=len))
    )
    assert readings(problems) == {("ctc-dictionary: another word",)}
    for wrong in (lambda _: (), lambda words: [max(map(max, words)) - 1]):
        assert names(findings_of(dictionaries(), ctc_decode=decoding_as(wrong)))
    assert names(findings_of(dictionaries(), ctc_decode=raising))


TO_SPARSE = K.ctc_label_dense_to_sparse


def labels() -> Iterator[Scenario]:
    for seed in SEEDS:
        yield recorded(
            sparse_labels.sparse_labels,
            LABELS,
            ctc_inputs.labelled(seed, 1 + seed % 3, 6, 5, False),
        )


def narrow(tensor: Any, lengths: Any) -> Any:
    width = int(K.eval(lengths).max())
    return TO_SPARSE(tensor[:, :width], lengths)


def only_columns(tensor: Any, lengths: Any) -> Any:
    if K.ndim(lengths) != 2:
        raise ValueError("lengths")
    return TO_SPARSE(tensor, K.flatten(lengths))


def test_sparse_labels() -> None:
    forms = [recorded(sparse_labels.length_forms, LABELS)]
    assert not findings_of(labels())
    assert not findings_of(iter(forms))
    assert readings(findings_of(labels(), ctc_label_dense_to_sparse=narrow)) == {
        ("ctc-sparse-labels: narrow",)
    }
    refused = findings_of(labels(), ctc_label_dense_to_sparse=only_columns)
    assert readings(refused) == {("ctc-length-vector: column",)}
    assert not findings_of(iter(forms), ctc_label_dense_to_sparse=only_columns)
    assert names(findings_of(iter(forms), ctc_label_dense_to_sparse=raising)) == {
        "lengths are taken"
    }
    whole = lambda x, n: TO_SPARSE(x, n * 0 + K.int_shape(x)[1])  # noqa: E731
    for wrong in (whole, lambda x, n: TO_SPARSE(x + 1, n), lambda x, n: TO_SPARSE(x, n * 0)):
        assert names(findings_of(labels(), ctc_label_dense_to_sparse=wrong))


def test_the_narrow_padding_of_other_implementations_is_allowed() -> None:
    def narrow(x: Any) -> Any:
        longest = (K.eval(x) >= 0).sum(axis=1).max()
        return x[:, : int(longest)]

    assert not findings_of(greedy(), ctc_decode=changed_labels(narrow))
    assert not findings_of(beams(), ctc_decode=changed_labels(narrow))


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients(seed: int) -> None:
    for neutral in (True, False):
        scenario = recorded(cost.gradient, LOSSES, ctc_inputs.labelled(seed, 2, 5, 4, neutral))
        assert not findings(scenario, module())
        wrong = findings(scenario, module(ctc_batch_cost=lambda *a: COST(*a) * 1.01))
        assert {finding.kind for finding in wrong} == {"the gradient of the loss"}


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_fit_their_inputs(seed: int) -> None:
    case = ctc_inputs.labelled(seed, 3, 6, 5, neutral=True)
    arrays = {
        n: a.astype("float64") if n == "y_pred" else a for n, a in cost.tensors_of(case).items()
    }
    assert np.isfinite(ctc_paths.ctc_batch_cost(**arrays)).all()
    assert case.y_pred.min() > 1e-4


def test_beams_of_a_hundred_lose_nothing() -> None:
    y = np.full((4, 4), 0.25)
    assert len(ctc_paths.ranked(y)) <= 100


def test_sparse_tensors() -> None:
    cases = [
        recorded(sparse.kinds, "is_sparse", (2, 3), "float32"),
        recorded(sparse.from_sparse, "to_dense", (2, 3), "float32"),
        recorded(sparse.from_dense, "to_dense", (2, 3), "float64", 1),
        recorded(sparse.from_labels, "to_dense", (2, 3), 1),
        recorded(sparse.placeholders, "placeholder"),
    ]
    assert not [f for s in cases for f in findings(s, module())]
    never = module(is_sparse=lambda _: False)
    assert all(verdicts(findings(s, never)) == {Verdict.VIOLATES} for s in (cases[0], *cases[4:]))
    double = module(to_dense=lambda x: K.to_dense(x) * 2)
    assert all(verdicts(findings(s, double)) == {Verdict.VIOLATES} for s in cases[2:4])
