"""CTC of keras.ops in the oracle, against the enumeration of all paths, from the definition."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax

from conformance.oracle import expect
from conformance.oracle.accepting import EVIDENCE
from conformance.specs.model import Conditioned, Contraction

RNG = np.random.default_rng()
FACTOR = Conditioned(factor=4.0)


def probabilities(x: Any, blank: int) -> dict[tuple[int, ...], float]:
    """The probability of every label."""
    y = np.exp(log_softmax(x, axis=-1))
    total: dict[tuple[int, ...], float] = {}
    for path in product(range(x.shape[1]), repeat=len(x)):
        label = tuple(k for k, _ in groupby(path) if k != blank)
        chance = float(np.prod([y[t, k] for t, k in enumerate(path)]))
        total[label] = total.get(label, 0.0) + chance
    return total


def padded(label: Any, steps: int) -> Any:
    return [*label, *[-1] * (steps - len(label))]


@pytest.mark.parametrize("blank", [0, 1, 3])
@pytest.mark.parametrize("label", [(0,), (1, 1), (2, 3, 2), (3, 0)])
def test_losses(blank: int, label: tuple[int, ...]) -> None:
    label = tuple((k + 1) % 4 if k == blank else k for k in label)
    x = RNG.normal(size=(1, 5, 4)) * 2
    loss = -np.log(probabilities(x[0, :4], blank)[tuple(label)])
    arguments = {"target": np.array([padded(label, 5)]), "output": x, "mask_index": blank}
    lengths = {"target_length": np.array([len(label)]), "output_length": np.array([4])}
    expected = expect("ctc_loss", {**arguments, **lengths}, "float64", FACTOR)
    assert abs(expected.value[0] - loss) <= expected.bound[0] < 1e-10


@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("merges", [True, False])
def test_the_likeliest_path(blank: int, merges: bool) -> None:
    x = RNG.normal(size=(2, 6, 3))
    x[:, 1] = x[:, 0]
    arguments = {"inputs": x, "sequence_lengths": np.array([6, 4]), "mask_index": blank}
    arguments |= {"merge_repeated": merges}
    rows = []
    for row, n in zip(x, (6, 4), strict=True):
        path = row[:n].argmax(-1).tolist()
        path = [k for k, _ in groupby(path)] if merges else path
        rows.append(padded([k for k in path if k != blank], 6))
    labels = expect("ctc_decode.labels", arguments, "float64", Contraction())
    assert labels.bound.max() == 0
    assert labels.value.tolist() == [rows]
    scores = expect("ctc_decode.scores", arguments, "float64", FACTOR)
    sums = [[-x[0].max(-1).sum()], [-x[1, :4].max(-1).sum()]]
    assert (np.abs(scores.value - sums) <= scores.bound).all()


def test_the_likeliest_labels() -> None:
    settled = 0
    for _ in range(20):
        x = RNG.normal(size=(1, 3, 3)) * 2
        arguments = {"inputs": x, "sequence_lengths": np.array([3]), "strategy": "beam_search"}
        ranking = sorted(probabilities(x[0], 0).items(), key=lambda item: -item[1])[:2]
        labels = expect(
            "ctc_decode.labels", {**arguments, "top_paths": 2}, "float64", Contraction()
        )
        scores = expect("ctc_decode.scores", {**arguments, "top_paths": 2}, "float64", FACTOR)
        if np.isinf(labels.bound).any():
            assert np.isinf(scores.bound).all()
            continue
        settled += 1
        assert labels.value[:, 0].tolist() == [padded(label, 3) for label, _ in ranking]
        logs = [np.log(chance) for _, chance in ranking]
        assert (np.abs(scores.value[0] - logs) <= scores.bound[0]).all()
    assert settled > 3


def test_ties_are_open() -> None:
    x = np.zeros((1, 2, 3))
    arguments = {"inputs": x, "sequence_lengths": np.array([2])}
    assert np.isinf(expect("ctc_decode.labels", arguments, "float64", Contraction()).bound).all()
    assert np.isfinite(expect("ctc_decode.scores", arguments, "float64", FACTOR).bound).all()


def test_blanks_may_stand_anywhere() -> None:
    evidence = EVIDENCE["ctc_decode.labels"]
    rows = [np.array([[[-1, 2, -1, 1]]]), np.zeros((1, 1))]
    assert evidence(rows, {}).tolist() == [[[2, 1, -1, -1]]]
