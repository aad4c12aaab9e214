"""What the documents promise of ctc_decode: the likeliest labels and their log probabilities.

An answer that is right for neither custom of the blank, the last class and the first, is wrong by
the documents; one that is right for the first only is against the convention `ctc-blank`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import Expectation, ctc
from conformance.oracle.ctc import Label
from conformance.program import Argument
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, only, raises
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.inputs import BLANK, CtcTensors
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
Labels = tuple[tuple[Label, ...], ...]
"""The labels of each sample."""

EDITIONS: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
ONE = {"ja-2.0": 3328, "ko-2.2": 3585}
"""A list of one element where greedy is true."""
SEVERAL = {"ja-2.0": 3328, "ko-2.2": 3587}
"""The likeliest sequences where it is false."""
COUNT = {"ja-2.0": 3323, "ko-2.2": 3587}
"""As many of them as top_paths says."""
LOGARITHMS = {"ja-2.0": 3329, "ko-2.2": 3590}
"""The log probabilities of the decoded sequences."""
TUPLE = {"ja-2.0": 3327, "ko-2.2": 3584}


@dataclass(frozen=True, slots=True, eq=False)
class DecodedSamples:
    """Probabilities, lengths (samples,) and the labels, for the last class and the first as blank.

    The likeliest label of a sample comes first.
    """

    y_pred: Array
    input_length: Array
    _: KW_ONLY
    last: Labels
    first: Labels

    @property
    def rows(self) -> list[Array]:
        """The probabilities of each sample, to its end."""
        return ended(self.y_pred, self.input_length)

    @property
    def conventions(self) -> tuple[str, ...]:
        """What is not documented about the input."""
        return inputs.conventions(self.y_pred.shape, self.y_pred.dtype.name, neutral=True)


def ended(y_pred: Array, input_length: Array) -> list[Array]:
    """The probabilities of each sample, to its end."""
    return [y[:n] for y, n in zip(y_pred, input_length, strict=True)]


def _rolled(label: Label) -> Label:
    """A label, with each class raised by one: undoes a roll of the classes."""
    return tuple(k + 1 for k in label)


def both(
    decode: Callable[[Array], tuple[Label, ...]], rows: Sequence[Array]
) -> tuple[Labels, Labels]:
    """The labels of each sample for the last class as blank, and for the first."""
    last = tuple(decode(y) for y in rows)
    first = tuple(tuple(map(_rolled, decode(np.roll(y, -1, axis=1)))) for y in rows)
    return last, first


def peaked(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    """Distributions of which one class clearly leads: half of the time that of the step before."""
    weights = rng.integers(2, 17, size=shape)
    leader = rng.integers(0, shape[2], size=shape[:2])
    for t in range(1, shape[1]):
        stays = rng.random(shape[0]) < 0.5
        leader[:, t] = np.where(stays, leader[:, t - 1], leader[:, t])
    np.put_along_axis(weights, leader[..., None], 20, axis=2)
    shares: Array = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def greedy_case(seed: int, count: int, steps: int, categories: int) -> DecodedSamples:
    """Samples whose likeliest path is beyond doubt."""
    rng = np.random.default_rng(seed)
    dtype = inputs.DTYPES[rng.integers(len(inputs.DTYPES))]
    y_pred = peaked(rng, (count, steps, categories)).astype(dtype)
    lengths = inputs.lengths_up_to(rng, count, steps, 1)
    last, first = both(lambda y: (ctc.best_path(y),), ended(y_pred, lengths))
    return DecodedSamples(y_pred, lengths, last=last, first=first)


def beam_case(seed: int, count: int, steps: int, categories: int, top: int) -> DecodedSamples:
    """Samples whose `top` likeliest labels are beyond doubt.

    For each custom of the blank. There are no more than 61 labels, so that a beam of 100 loses
    none of them.
    """
    rng = np.random.default_rng(seed)
    dtype = inputs.DTYPES[rng.integers(len(inputs.DTYPES))]
    lengths = inputs.lengths_up_to(rng, count, steps, 2)
    y_pred = np.stack([_certain(rng, (steps, categories), int(n), top, dtype) for n in lengths])
    rows = [y.astype(np.float64) for y in ended(y_pred, lengths)]
    last, first = both(lambda y: _likeliest(y, top), rows)
    return DecodedSamples(y_pred, lengths, last=last, first=first)


def _likeliest(y: Array, top: int) -> tuple[Label, ...]:
    return tuple(label for label, _ in ctc.ranked(y)[:top])


def _certain(
    rng: np.random.Generator, shape: tuple[int, int], length: int, top: int, dtype: str
) -> Array:
    """One sample, drawn until the order of its likeliest labels is certain."""
    while True:
        y: Array = peaked(rng, (1, *shape))[0].astype(dtype)
        wide = y[:length].astype(np.float64)
        if all(inputs.certain(ctc.ranked(np.roll(wide, -k, axis=1)), top) for k in (0, 1)):
            return y


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


def sequences(case: DecodedSamples, *, ordered: bool) -> Callable[..., Problem | None]:
    """The outputs are the likeliest labels of each sample: as a set, or in their order."""

    def test(*outputs: Values) -> Problem | None:
        columns = [rows_of(values, len(case.y_pred)) for values in outputs]
        for column in columns:
            if isinstance(column, Problem):
                return column
        found = [list(row) for row in zip(*columns, strict=True)]
        if not _same(found, case.last, ordered):
            named = BLANK if _same(found, case.first, ordered) else ()
            return Problem(
                f"gives {_listed(found)}", "sequences", conventions=named, got=_listed(found)
            )
        return None

    return test


def _same(found: Sequence[Sequence[Sequence[int]]], labels: Labels, ordered: bool) -> bool:
    plain = [[tuple(k for k in one if k != -1) for one in row] for row in found]
    wanted = [list(row) for row in labels]
    if ordered:
        return plain == wanted
    return [sorted(row) for row in plain] == [sorted(row) for row in wanted]


def _listed(found: Any) -> str:
    return repr([[list(one) for one in row] for row in found])


def unbroken(count: int) -> Callable[..., Problem | None]:
    """There is a -1 only after the end of a sequence."""

    def test(*outputs: Values) -> Problem | None:
        for values in outputs:
            rows = rows_of(values, count)
            if not isinstance(rows, Problem) and any(-1 in row for row in rows):
                return Problem(f"gives {rows}", "padding", got=repr(rows))
        return None

    return test


def no_probability_above_one(values: Values) -> Problem | None:
    """A log of a probability is not above 0, but for rounding."""
    got = only(values)
    if isinstance(got, Problem):
        return got
    if (got > 1e-3).any():
        return Problem(f"gives {got.max():.6g}", "sign", got=got)
    return None


def of_best_path(case: DecodedSamples) -> Callable[..., Problem | None]:
    """The output has the magnitude of the log probabilities of the best paths.

    The sign is the business of `no_probability_above_one`.
    """
    agrees = agrees_with(lambda: ctc.expected_best_path_cost(case.y_pred, case.input_length))

    def test(values: Values) -> Problem | None:
        got = only(values)
        return got if isinstance(got, Problem) else agrees((replace(values[0], array=abs(got)),))

    return test


def probabilities_of(case: DecodedSamples) -> Callable[..., Problem | None]:
    """The outputs are the log probabilities of the likeliest labels, in whatever order."""

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        from_last = agrees_with(_logarithms(case, 0, case.last))
        problem = from_last(_sorted(values))
        if problem is None or problem.detail != "value":
            return problem
        unrolled = tuple(tuple(tuple(k - 1 for k in one) for one in row) for row in case.first)
        other = agrees_with(_logarithms(case, -1, unrolled))(_sorted(values))
        return (
            problem
            if other is not None
            else Problem(problem.gives, "blank", conventions=BLANK, got=got)
        )

    return test


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


def decoding(
    case: DecodedSamples, binding: str, count: int, **arguments: Argument
) -> tuple[ProgramWriter, CtcTensors]:
    """A program that decodes: `decoded` or `decodedN`, `logarithms`, and what there is no more."""
    writer = ProgramWriter()
    arrays = {"y_pred": case.y_pred, "input_length": case.input_length}
    given = CtcTensors(writer, binding, arrays)
    result = writer.call("ctc_decode", *given.tensors, **arguments)
    listed = writer.call("operator.getitem", result, 0)
    logarithms = writer.call("operator.getitem", result, 1)
    decoded = [writer.call("operator.getitem", listed, i) for i in range(count)]
    writer.attempt("beyond", "operator.getitem", listed, count)
    writer.attempt("third", "operator.getitem", result, 2)
    given.observe("decoded", [*decoded, logarithms])
    return writer, given


def form_checks(count: int) -> tuple[Check, ...]:
    """A pair, and a list of so many sequences in it."""
    return (
        Check(
            "how many sequences there are",
            Aspect.VALUE,
            outputs=("beyond",),
            test=raises("IndexError"),
            demands=f"a list of {count}",
            at=ONE if count == 1 else COUNT,
        ),
        Check(
            "the result is a pair",
            Aspect.VALUE,
            outputs=("third",),
            test=raises("IndexError"),
            demands="a list of sequences and their log probabilities",
            at=TUPLE,
        ),
    )


def padding_check(count: int, outputs: tuple[str, ...]) -> Check:
    """A check that -1 stands only at the ends of sequences."""
    return Check(
        "-1 only after the end",
        Aspect.VALUE,
        outputs=outputs,
        test=unbroken(count),
        demands="sequences without blanks, and -1 after their ends",
        conventions=(ConventionName.CTC_PADDING,),
    )


def greedy_checks(case: DecodedSamples) -> Iterator[Check]:
    """The best path's label, and log of its probability."""
    yield Check(
        "the best path's sequence",
        Aspect.VALUE,
        outputs=("decoded0",),
        test=sequences(case, ordered=True),
        demands=f"{_listed(case.last)}, with -1 after the ends",
        at=ONE,
    )
    yield padding_check(len(case.y_pred), ("decoded0",))
    yield Check(
        "a log probability is not above 0",
        Aspect.VALUE,
        outputs=("decoded1",),
        test=no_probability_above_one,
        demands="log of a probability, which is at most 1",
        at=LOGARITHMS,
    )
    yield Check(
        "log of the best path's probability",
        Aspect.VALUE,
        outputs=("decoded1",),
        test=of_best_path(case),
        demands="log of the probability of the best path, in the shape (samples, 1)",
        at=LOGARITHMS,
        conventions=(ConventionName.CTC_GREEDY_PROBABILITY,),
    )


def greedy(case: DecodedSamples, binding: str, said: bool) -> Scenario:
    """Best path decoding; `said` whether greedy is passed, or left at its default."""
    writer, _ = decoding(case, binding, 1, **({"greedy": True} if said else {}))
    return Scenario(
        "ctc_decode",
        "best path decoding",
        program=writer.program(),
        arrays=writer.arrays,
        checks=(*greedy_checks(case), *form_checks(1)),
        conventions=case.conventions,
    )


def beam_checks(case: DecodedSamples, top: int) -> Iterator[Check]:
    """The likeliest labels, and their log probabilities."""
    outputs = tuple(f"decoded{i}" for i in range(top))
    yield Check(
        "the likeliest sequences",
        Aspect.VALUE,
        outputs=outputs,
        test=sequences(case, ordered=False),
        demands=f"{_listed(case.last)}, with -1 after the ends",
        at=SEVERAL,
    )
    if top > 1:
        yield Check(
            "the likeliest first",
            Aspect.VALUE,
            outputs=outputs,
            test=sequences(case, ordered=True),
            demands=f"{_listed(case.last)}, with -1 after the ends",
            conventions=(ConventionName.CTC_ORDER,),
        )
    yield padding_check(len(case.y_pred), outputs)
    yield Check(
        "the sequences' log probabilities",
        Aspect.VALUE,
        outputs=(f"decoded{top}",),
        test=probabilities_of(case),
        demands="log of the probability of each sequence, in the shape (samples, top_paths)",
        at=LOGARITHMS,
    )


def beam(case: DecodedSamples, binding: str, width: int | None) -> Scenario:
    """Beam search that loses nothing; `width` None leaves beam_width at its default."""
    top = len(case.last[0])
    arguments: dict[str, Argument] = {"greedy": False}
    if width is not None:
        arguments["beam_width"] = width
    if top > 1:
        arguments["top_paths"] = top
    writer, _ = decoding(case, binding, top, **arguments)
    return Scenario(
        "ctc_decode",
        "beam search that loses nothing",
        program=writer.program(),
        arrays=writer.arrays,
        checks=(*beam_checks(case, top), *form_checks(top)),
        conventions=case.conventions,
    )


def repeated(_: str) -> Sequence[Scenario]:
    """A label with the same class twice, which a beam search must not merge."""
    steps = np.array([[2, 16, 1, 1], [1, 2, 1, 16], [2, 16, 1, 1]]) / 20
    y_pred = steps[None].astype("float32")
    rows = [steps.astype("float32").astype(np.float64)]
    last, first = both(lambda y: _likeliest(y, 1), rows)
    case = DecodedSamples(y_pred, np.array([3], "int32"), last=last, first=first)
    return (beam(case, "variable", None),)


def shorter(_: str) -> Sequence[Scenario]:
    """A sample that ends before another, with a class after its end that is no blank."""
    steps = np.array([[1, 16, 2, 1], [1, 2, 16, 1], [1, 16, 2, 1]]) / 20
    y_pred, lengths = np.stack([steps, steps]).astype("float32"), np.array([3, 1], "int32")
    last, first = both(lambda y: (ctc.best_path(y),), ended(y_pred, lengths))
    case = DecodedSamples(y_pred, lengths, last=last, first=first)
    return (greedy(case, "variable", True),)


def greedy_cases(_: str) -> st.SearchStrategy[Scenario]:
    """Up to 3 samples, 8 time steps and 5 classes."""
    cases = st.builds(
        greedy_case, inputs.seeds, inputs.samples, st.integers(1, 8), st.integers(2, 5)
    )
    return st.builds(greedy, cases, st.sampled_from(inputs.BINDINGS), st.booleans())


def beam_cases(_: str) -> st.SearchStrategy[Scenario]:
    """Up to 3 samples, 4 time steps and 4 classes."""
    cases = st.builds(
        beam_case,
        inputs.seeds,
        inputs.samples,
        st.integers(2, 4),
        st.integers(3, 4),
        st.integers(1, 3),
    )
    return st.builds(
        beam, cases, st.sampled_from(inputs.BINDINGS), st.sampled_from([None, 100, 128])
    )


FAMILIES: tuple[Family, ...] = (
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=greedy_cases, editions=EDITIONS),
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=beam_cases, editions=EDITIONS),
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=repeated, editions=EDITIONS),
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=shorter, editions=EDITIONS),
)
