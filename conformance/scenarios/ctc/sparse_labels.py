"""The documents' promises about ctc_label_dense_to_sparse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from conformance.scenarios.checks import is_array, is_one_of, of_array, one_is_taken, only
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.inputs import CtcTensors, LabelledSamples, column
from conformance.scenarios.model import KERAS_2, Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
TO_SPARSE = "ctc_label_dense_to_sparse"
SPARSE: Lines = {"ja-2.0": 3282, "zh-TW": 1356, "ko-2.2": 3525}
"""A sparse tensor that stands for the labels."""
LABELS = inputs.labelled_inputs(neutral=False)


@BOOK.scenario(TO_SPARSE, "labels made sparse", editions=KERAS_2, share=0.5, case=LABELS)
def sparse_labels(K: Recorder, case: LabelledSamples) -> None:
    """Labels as a sparse tensor, and back."""
    labels, lengths = _never_square(case.y_true), case.label_length
    tensors = CtcTensors(K, "variable", {"labels": labels, "label_lengths": lengths}).tensors
    result = K.ctc_label_dense_to_sparse(*tensors)
    sparse = K.is_sparse(result).output("sparse")
    dense = K.eval(K.to_dense(result)).output("dense")
    inside = np.arange(labels.shape[1]) < lengths[:, None]
    K.conventions = (ConventionName.CTC_LENGTH_VECTOR,)
    K.expect("the result is sparse", sparse, is_one_of(True), "a sparse tensor", at=SPARSE)
    test, demands = _keeps(labels, inside), "each label's classes in their places"
    K.expect("the labels are kept", dense, test, demands, at=SPARSE)
    K.expect(
        "nothing is kept beyond the labels' ends",
        dense,
        is_array(np.where(inside, labels, 0)),
        "the shape of the labels, and 0 beyond their ends",
        at=SPARSE,
        alternatives=(_narrow(labels, inside),),
    )


def _never_square(labels: Array) -> Array:
    """The labels, with a column more if rows could be taken for columns."""
    square = labels.shape[0] == labels.shape[1] > 1
    return np.pad(labels, ((0, 0), (0, int(square))))


def _narrow(labels: Array, inside: Array) -> Alternative:
    """Fewer columns than the dense labels have, and 0 beyond the ends of labels."""

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        width = got.shape[1] if got.ndim == 2 else 0
        if width < inside.sum(axis=1).max():
            return Problem(f"gives shape {got.shape}", "shape", got=got)
        return is_array(np.where(inside, labels, 0)[:, :width])(values)

    return Alternative(ConventionName.CTC_SPARSE_LABELS, "narrow", test)


def _keeps(labels: Array, inside: Array) -> Callable[..., Problem | None]:
    """Each row begins with its label."""

    @of_array
    def test(got: Array) -> Problem | None:
        width = int(inside.sum(axis=1).max())
        if got.ndim != 2 or len(got) != len(labels) or got.shape[1] < width:
            return Problem(f"gives shape {got.shape}", "shape", got=got, expected=labels)
        same = np.where(inside, labels, 0)[:, :width] == np.where(
            inside[:, :width], got[:, :width], 0
        )
        return None if same.all() else Problem("gives others", "value", got=got, expected=labels)

    return test


@BOOK.scenario(TO_SPARSE, "lengths as a vector or a column", editions=KERAS_2)
def length_forms(K: Recorder) -> None:
    """No document says which shape the lengths have, but one of them must do."""
    labels, lengths = np.array([[1, 2, 3], [2, 0, 0]], "int32"), np.array([3, 1], "int32")
    for name, form in (("vector", lengths), ("matrix", column(lengths))):
        tensors = CtcTensors(K, "variable", {f"{name}_labels": labels, name: form}).tensors
        K.attempt(K.ctc_label_dense_to_sparse, *tensors).output(f"{name}_taken")
    demands, both = "a sparse tensor, for lengths (samples,) or (samples, 1)", K.outputs
    K.expect("lengths are taken", both, one_is_taken, demands, at=SPARSE)


FAMILIES = BOOK.families
