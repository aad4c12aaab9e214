"""Tests of what ctc_decode gave: sequences, their order and padding, their log probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from conformance.oracle import Expectation, ctc
from conformance.oracle.ctc_paths import Label
from conformance.scenarios.checks import agrees_with, of_array, only
from conformance.scenarios.ctc.decoding_cases import DecodedSamples, Labels
from conformance.scenarios.model import Alternative, Array, Problem, Values
from conformance.specs.convention_names import ConventionName


def rows_of(values: Values, count: int) -> list[list[int]] | Problem:
    """The rows of a decoded tensor without the -1 at their ends."""
    got = only(values)
    if isinstance(got, Problem):
        return got
    if got.ndim != 2 or len(got) != count:
        return Problem(f"gives shape {got.shape}", "shape", got=got)
    rows = [[int(k) for k in row] for row in got]
    for row in rows:
        while row and row[-1] == -1:
            row.pop()
    return rows


def sequences(labels: Labels) -> Callable[..., Problem | None]:
    """The outputs are the labels of each sample, in whatever order."""

    def test(*outputs: Values) -> Problem | None:
        decoded = _decoded(labels, outputs)
        if isinstance(decoded, Problem) or _same(decoded, labels, ordered=False):
            return decoded if isinstance(decoded, Problem) else None
        return Problem(f"gives {listing(decoded)}", "sequences", got=listing(decoded))

    return test


def in_order(case: DecodedSamples) -> Callable[..., Problem | None]:
    """The likeliest sequence is the first; `sequences` tests the set of sequences."""

    def test(*outputs: Values) -> Problem | None:
        decoded = _decoded(case.last, outputs)
        if isinstance(decoded, Problem):
            return None
        for labels in (case.last, case.first):
            if _same(decoded, labels, ordered=True):
                return None
        if not any(_same(decoded, labels, ordered=False) for labels in (case.last, case.first)):
            return None
        return Problem(f"gives {listing(decoded)}", "order", got=listing(decoded))

    return test


def _decoded(labels: Labels, outputs: Sequence[Values]) -> list[list[list[int]]] | Problem:
    """The sequences of each sample; a problem if an output has another form."""
    columns = []
    for values in outputs:
        rows = rows_of(values, len(labels))
        if isinstance(rows, Problem):
            return rows
        columns.append(rows)
    return [list(row) for row in zip(*columns, strict=True)]


def _same(decoded: Sequence[Sequence[Sequence[int]]], labels: Labels, *, ordered: bool) -> bool:
    classes, expected = _classes(decoded), [list(row) for row in labels]
    if ordered:
        return classes == expected
    return [sorted(row) for row in classes] == [sorted(row) for row in expected]


def _classes(decoded: Sequence[Sequence[Sequence[int]]]) -> list[list[Label]]:
    """The sequences without any -1."""
    return [[tuple(k for k in path if k != -1) for path in row] for row in decoded]


def listing(decoded: Any) -> str:
    """Sequences as text, one list for each sample."""
    return repr([[list(path) for path in row] for row in decoded])


def unbroken(count: int) -> Callable[..., Problem | None]:
    """There is a -1 only after the end of a sequence."""

    def test(*outputs: Values) -> Problem | None:
        for values in outputs:
            rows = rows_of(values, count)
            if not isinstance(rows, Problem) and any(-1 in row for row in rows):
                return Problem(f"gives {rows}", "padding", got=repr(rows))
        return None

    return test


@of_array
def no_probability_above_one(got: Array) -> Problem | None:
    """A log of a probability is not above 0, except by rounding."""
    if (got > 1e-3).any():
        fault = "(np.asarray(first) > 1e-3).any()"
        return Problem(f"gives {got.max():.6g}", "sign", got=got, fault=fault)
    return None


def of_magnitude(expect: Callable[[], Expectation]) -> Callable[..., Problem | None]:
    """The output has the magnitude of some log probabilities.

    The sign is the business of `no_probability_above_one`.
    """
    agrees = agrees_with(expect)

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        return agrees((replace(values[0], array=np.asarray(np.abs(got))),))

    return test


def best_path_probability(case: DecodedSamples) -> Callable[..., Problem | None]:
    """log of the probability of each sample's likeliest path, except for the sign."""
    return of_magnitude(lambda: ctc.expected_best_path_cost(case.y_pred, case.input_length))


def sequence_probability(case: DecodedSamples) -> Alternative:
    """log of the probability of the decoded sequence, of which the best path is one path."""
    readings = (partial(_logarithms, case, 0, case.last), partial(_of_first, case, case.first))
    tests = [of_magnitude(partial(_negative, reading)) for reading in readings]

    def test(values: Values) -> Problem | None:
        problems = [test(values) for test in tests]
        return problems[0] if all(problems) else None

    return Alternative(ConventionName.CTC_GREEDY_PROBABILITY, "of the sequence", test)


def _negative(expect: Callable[[], Expectation]) -> Expectation:
    expectation = expect()
    return Expectation(-expectation.value, expectation.bound, expectation.dtype)


def probabilities_of(case: DecodedSamples, *, first: bool) -> Callable[..., Problem | None]:
    """The last output has the log probability of each of the sequences in the others.

    If these are not the likeliest ones it has those of the likeliest, in whatever order. `first` is
    whether the first class is the blank.
    """
    labels = case.first if first else case.last

    def test(*outputs: Values) -> Problem | None:
        got = only(outputs[-1])
        if isinstance(got, Problem):
            return got
        decoded = _decoded(labels, outputs[:-1])
        known = not isinstance(decoded, Problem) and _same(decoded, labels, ordered=False)
        sequences = labels
        if known and not isinstance(decoded, Problem):
            sequences = tuple(tuple(row) for row in _classes(decoded))
        expected = _of_first(case, sequences) if first else _logarithms(case, 0, sequences)
        agrees = agrees_with(expected)
        return agrees(outputs[-1] if known else _sorted(outputs[-1]))

    return test


def _of_first(case: DecodedSamples, labels: Labels) -> Expectation:
    """As `_logarithms`, with the first class as blank."""
    lowered = tuple(tuple(tuple(k - 1 for k in label) for label in row) for row in labels)
    return _logarithms(case, -1, lowered)


def _sorted(values: Values) -> Values:
    """Every sample's numbers, the greatest first."""
    (value,) = values
    assert value.array is not None
    if value.array.ndim != 2:
        return values
    return (replace(value, array=-np.sort(-value.array, axis=1)),)


def _logarithms(case: DecodedSamples, roll: int, labels: Labels) -> Expectation:
    return ctc.expected_log_probabilities(
        np.roll(case.y_pred, roll, axis=2), case.input_length, labels
    )
