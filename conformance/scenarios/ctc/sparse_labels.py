"""What the documents promise of ctc_label_dense_to_sparse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.results import Aspect
from conformance.scenarios.checks import is_array, is_one_of, one_is_taken, only
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.inputs import CtcTensors, LabelledSamples, column
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]

EDITIONS: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
SPARSE = {"ja-2.0": 3282, "zh-TW": 1356, "ko-2.2": 3525}
"""A sparse tensor that stands for the labels."""


def sparse_labels(case: LabelledSamples) -> Scenario:
    """Labels as a sparse tensor, and back."""
    writer = ProgramWriter()
    labels, lengths = _never_square(case.y_true), case.label_length
    given = CtcTensors(writer, "variable", {"labels": labels, "label_lengths": lengths})
    sparse = writer.call("ctc_label_dense_to_sparse", *given.tensors)
    writer.observe("sparse", "is_sparse", sparse)
    writer.observe("dense", "eval", writer.call("to_dense", sparse))
    return Scenario(
        "ctc_label_dense_to_sparse",
        "labels made sparse",
        program=writer.program(),
        arrays=writer.arrays,
        checks=_label_checks(labels, lengths),
        conventions=(ConventionName.CTC_LENGTH_VECTOR,),
    )


def _never_square(labels: Array) -> Array:
    """The labels, with a column more if rows could be taken for columns."""
    square = labels.shape[0] == labels.shape[1] > 1
    return np.pad(labels, ((0, 0), (0, int(square))))


def length_forms(_: str) -> Sequence[Scenario]:
    """No document says which shape the lengths have, but one of them must do."""
    writer = ProgramWriter()
    labels = np.array([[1, 2, 3], [2, 0, 0]], "int32")
    lengths = np.array([3, 1], "int32")
    for name, form in (("vector", lengths), ("matrix", column(lengths))):
        tensors = CtcTensors(writer, "variable", {f"{name}_labels": labels, name: form}).tensors
        writer.attempt(f"{name}_taken", "ctc_label_dense_to_sparse", *tensors)
    check = Check(
        "lengths are taken",
        Aspect.VALUE,
        outputs=("vector_taken", "matrix_taken"),
        test=one_is_taken,
        demands="a sparse tensor, for lengths (samples,) or (samples, 1)",
        at=SPARSE,
    )
    return (
        Scenario(
            "ctc_label_dense_to_sparse",
            "lengths as a vector or a column",
            program=writer.program(),
            arrays=writer.arrays,
            checks=(check,),
        ),
    )


def _label_checks(labels: Array, lengths: Array) -> tuple[Check, ...]:
    inside = np.arange(labels.shape[1]) < lengths[:, None]
    return (
        Check(
            "the result is sparse",
            Aspect.VALUE,
            outputs=("sparse",),
            test=is_one_of(True),
            demands="a sparse tensor",
            at=SPARSE,
        ),
        Check(
            "the labels are kept",
            Aspect.VALUE,
            outputs=("dense",),
            test=_keeps(labels, inside),
            demands="each label's classes in their places",
            at=SPARSE,
        ),
        Check(
            "nothing is kept beyond the labels' ends",
            Aspect.VALUE,
            outputs=("dense",),
            test=is_array(np.where(inside, labels, 0)),
            demands="the shape of the labels, and 0 beyond their ends",
            at=SPARSE,
            alternatives=(_narrow(labels, inside),),
        ),
    )


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

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        width = int(inside.sum(axis=1).max())
        if got.ndim != 2 or len(got) != len(labels) or got.shape[1] < width:
            return Problem(f"gives shape {got.shape}", "shape", got=got, expected=labels)
        same = np.where(inside, labels, 0)[:, :width] == np.where(
            inside[:, :width], got[:, :width], 0
        )
        return None if same.all() else Problem("gives others", "value", got=got, expected=labels)

    return test


def label_tensors(_: str) -> st.SearchStrategy[Scenario]:
    """Labels of every length."""
    return st.builds(sparse_labels, inputs.labelled_inputs(neutral=False))


_VALUE = frozenset({Aspect.VALUE})

FAMILIES: tuple[Family, ...] = (
    Family("ctc_label_dense_to_sparse", _VALUE, make=label_tensors, editions=EDITIONS, share=0.5),
    Family("ctc_label_dense_to_sparse", _VALUE, make=length_forms, editions=EDITIONS),
)
