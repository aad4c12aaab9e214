"""Inputs of the CTC functions, drawn so that the right answer is certain.

No document says which class is the blank. The suite's convention is the last; the only other
custom is the first. An input is *neutral* if the answer is the same for both: the first and the
last class are equally probable at every time step, and neither is in a label.

Most probabilities are at least 0.02, far above `epsilon`, which an implementation may add to them;
of many classes, or where one of them leads by far, they are down to 0.0001, and the bounds hold
what `epsilon` changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.oracle import ctc_paths
from conformance.scenarios.model import Alternative, Problem
from conformance.scenarios.recorder import Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

Array = npt.NDArray[Any]
Rng = np.random.Generator

BLANK = (ConventionName.CTC_BLANK,)
"""The convention of labels with the first class: they may be refused, as the blank."""
DTYPES = ("float32", "float32", "float64")
"""Dtypes of probabilities; the documents show none."""
MARGIN = 1e-2
"""The least difference of the log probabilities of labels whose order matters."""

seeds = st.integers(0, 2**32 - 1)
samples = st.integers(1, 3)
STEPS = (5, 2, 3, 4, 6, 7, 8, 17, 33)
CATEGORIES = (4, 5, 3, 9, 17)
"""Numbers of time steps and of classes."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSamples:
    """Labels (samples, max_string_length), probabilities and lengths, the latter as vectors."""

    y_true: Array
    y_pred: Array
    _: KW_ONLY
    input_length: Array
    label_length: Array
    neutral: bool

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that concern the input: its dtype, a class that may be the blank."""
        first = not self.y_true.all()
        return (*(BLANK if first else ()), *conventions(self.y_pred.shape, self.y_pred.dtype.name))


def conventions(shape: Sequence[int], dtype: str) -> tuple[str, ...]:
    """The conventions on which probabilities of this shape and dtype rest."""
    return unsettled_of(shape, dtype, documented=("float32",))


def first_blank(test: Callable[..., Problem | None]) -> Alternative:
    """The answer for the first class as blank."""
    return Alternative(ConventionName.CTC_BLANK, "first", test)


def probabilities(rng: Rng, shape: Sequence[int], neutral: bool) -> Array:
    """Distributions over the last axis, with no probability below 0.02 for up to 5 classes.

    A third of them are steep: the least probability is a thousandth of the largest.
    """
    weights = rng.integers(2, 21, size=shape)
    if rng.random() < 1 / 3:
        weights **= 3
    if neutral:
        weights[..., -1] = weights[..., 0]
    shares: Array = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def classes(categories: int, neutral: bool) -> Array:
    """The classes that labels may have."""
    return np.arange(1 if neutral else 0, categories - 1)


def label_of(rng: Rng, steps: int, allowed: Array, longest: int) -> list[int]:
    """A label of at least one class that some path of so many time steps stands for.

    Two equal classes in a row need a blank between them. About half of the labels have a repeat.
    """
    label: list[int] = rng.choice(allowed, size=rng.integers(1, longest + 1)).tolist()
    if len(label) > 1 and rng.random() < 0.5:
        label[1] = label[0]
    while steps < len(label) + sum(a == b for a, b in pairwise(label)):
        label.pop()
    return label


def padded(rng: Rng, labels: Sequence[Sequence[int]], allowed: Array) -> Array:
    """The labels as rows, filled up with arbitrary classes."""
    longest = max(map(len, labels)) + rng.integers(0, 3)
    rows = rng.choice(allowed, size=(len(labels), longest))
    for row, label in zip(rows, labels, strict=True):
        row[: len(label)] = label
    return rows.astype("int32")


def lengths_up_to(rng: Rng, count: int, steps: int, least: int) -> Array:
    """Lengths of samples, of which the first is the longest possible."""
    lengths = rng.integers(least, steps + 1, size=count).astype("int32")
    lengths[0] = steps
    return lengths


def labelled(seed: int, count: int, steps: int, categories: int, neutral: bool) -> LabelledSamples:
    """Samples of different lengths. Where the input is neutral, no convention is needed.

    The first label has no class that could be the blank, so its loss is settled for either.
    """
    rng = np.random.default_rng(seed)
    lengths = lengths_up_to(rng, count, steps, 1)
    allowed = classes(categories, neutral)
    settled = classes(categories, neutral=True)
    labels = [
        label_of(rng, int(n), allowed if i else settled, int(n)) for i, n in enumerate(lengths)
    ]
    y_pred = probabilities(rng, (count, steps, categories), neutral)
    return LabelledSamples(
        padded(rng, labels, allowed),
        y_pred.astype("float32" if neutral else DTYPES[rng.integers(len(DTYPES))]),
        input_length=lengths,
        label_length=np.array([len(label) for label in labels], "int32"),
        neutral=neutral,
    )


def labelled_inputs(neutral: bool) -> st.SearchStrategy[LabelledSamples]:
    """Up to 3 samples, 33 time steps and 17 classes."""
    categories = st.sampled_from(tuple(n for n in CATEGORIES if n > 3 or not neutral))
    return st.builds(labelled, seeds, samples, st.sampled_from(STEPS), categories, st.just(neutral))


def column(lengths: Array) -> Array:
    """The shape (samples, 1) in which the documents want lengths for ctc_batch_cost."""
    return lengths[:, None]


def certain(ranking: Sequence[tuple[ctc_paths.Label, float]], count: int) -> bool:
    """Whether the order of the `count` likeliest labels is beyond doubt."""
    values = [value for _, value in ranking[: count + 1]]
    return all(a - b > MARGIN for a, b in pairwise(values))


BINDINGS = ("variable", "placeholder", "placeholder_none")


class CtcTensors:
    """Tensors for arrays: variables, or placeholders that are fed when a function is called."""

    def __init__(self, K: Recorder, binding: str, arrays: dict[str, Array]) -> None:
        self._K = K
        self._binding = binding
        self._arrays = [K.array(name, value) for name, value in arrays.items()]
        pairs = zip(self._arrays, arrays.values(), strict=True)
        self.tensors = [self._tensor(array, value) for array, value in pairs]

    def _tensor(self, array: Result, value: Array) -> Result:
        dtype = value.dtype.name
        if self._binding == "variable":
            return self._K.variable(array, dtype=dtype)
        shape = value.shape if self._binding == "placeholder" else (None,) * value.ndim
        return self._K.placeholder(shape=shape, dtype=dtype)

    def observe(self, output: str, tensors: Sequence[Result]) -> list[Result]:
        """The values of tensors as outputs: `output`, or `output` and a number for each."""
        names = [output] if len(tensors) == 1 else [f"{output}{i}" for i in range(len(tensors))]
        if self._binding == "variable":
            pairs = zip(names, tensors, strict=True)
            return [self._K.eval(tensor).output(name) for name, tensor in pairs]
        values = self._K.function(self.tensors, list(tensors))(list(self._arrays))
        return [values[i].output(name) for i, name in enumerate(names)]
