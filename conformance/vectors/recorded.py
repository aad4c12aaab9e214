"""The other way: tasks whose expectations are those of a folder of vectors.

The plan makes the calls again, and each takes its numbers and expectations from the folder.
Judging asks a `RecordedCase` as it asks any other. It answers from the folder what the folder has:
the expectation in the dtype of the result, under each combination of readings. The oracle answers
the rest: expectations in the dtype of a wrong result, and the smaller cases of the minimiser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.planning.plan import Planned
from conformance.oracle import Expectation
from conformance.oracle.variants import Readings
from conformance.program import to_json
from conformance.program.codec import as_text
from conformance.specs.conventions import taken
from conformance.vectors.calls import CallTask
from conformance.vectors.export import main_dtype
from conformance.vectors.folder import VectorsError, read_function
from conformance.vectors.limits import limits
from conformance.vectors.records import Call, Expected, Vector, VectorsIndex
from conformance.vectors.safetensors import Tensor

Array = npt.NDArray[Any]
Answers = Mapping[tuple[str, ...], Expectation]
"""The expectations of a vector, by the names of readings; the suite's own has none."""


class RecordedCase(Prepared):
    """A prepared structure whose numbers and expectations were read from a folder."""

    def __init__(
        self,
        call: CallTrial,
        arrays: Sequence[Mapping[str, Array]],
        answers: Sequence[Answers],
    ) -> None:
        super().__init__(call.prepared.structure, call.prepared.draws, arrays)
        self._answers = answers

    def expectation(
        self, draw: int, dtype: str | None = None, readings: Readings = ()
    ) -> Expectation:
        """The recorded expectation, or the oracle's where the folder has none."""
        recorded = self._recorded(draw, dtype or self.dtypes[0], readings)
        return super().expectation(draw, dtype, readings) if recorded is None else recorded

    def value(self, draw: int, dtype: str, readings: Readings) -> Array:
        """The value of the expectation.

        Raises:
            ValueError: under these readings it has another shape than the result.
        """
        recorded = self._recorded(draw, dtype, readings)
        if recorded is None or recorded.value.shape != self._answers[draw][()].value.shape:
            return super().value(draw, dtype, readings)
        return recorded.value

    def _recorded(self, draw: int, dtype: str, readings: Readings) -> Expectation | None:
        if not self._answers[draw] or dtype != main_dtype(self):
            return None
        return self._answers[draw].get(tuple(taken(*reading) for reading in readings))


@dataclass(slots=True, eq=False, kw_only=True)
class RecordedTask(CallTask):
    """One function, with the calls of a folder."""

    folder: Path
    index: VectorsIndex

    def _planned(self) -> Iterator[Planned]:
        name = self.spec.name
        record, tensors = read_function(self.folder, self.index, self.edition, name)
        file = self.folder / self.index.editions[self.edition][name].file
        reader = _Reader(file, tensors)
        every = sorted(CallTask._planned(self), key=lambda planned: planned.stage)
        if len(every) != len(record.calls):
            raise _of_another_suite(file)
        for planned, call in zip(every, record.calls, strict=True):
            trial = planned.trial
            assert isinstance(trial, CallTrial), "single calls alone are planned"
            if as_text(to_json(trial.prepared.structure.program)) != as_text(call.program):
                raise _of_another_suite(file)
            yield planned._replace(trial=reader.trial(trial, call))

    @property
    def planned(self) -> int:
        """The number of vectors."""
        return self.index.editions[self.edition][self.spec.name].vectors


def recorded_tasks(folder: Path, index: VectorsIndex, tasks: list[CallTask]) -> list[RecordedTask]:
    """The tasks of the functions that a folder has, with its vectors."""
    return [
        RecordedTask(
            task.spec,
            task.theme,
            task.edition,
            task.profile,
            task.seed,
            task.aspects,
            folder=folder,
            index=index,
        )
        for task in tasks
        if task.spec.name in index.editions.get(task.edition, {})
    ]


def _of_another_suite(file: Path) -> VectorsError:
    return VectorsError(file, "this version of the suite plans other calls")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the vectors of one function."""

    file: Path
    tensors: Mapping[str, Tensor]

    def trial(self, planned: CallTrial, call: Call) -> CallTrial:
        """The planned call with the numbers and expectations of its vectors."""
        if len(call.vectors) != len(planned.prepared.draws):
            raise _of_another_suite(self.file)
        arrays = [{n: self._tensor(t).array for n, t in v.inputs.items()} for v in call.vectors]
        answers = [self._answers(vector) for vector in call.vectors]
        return replace(planned, prepared=RecordedCase(planned, arrays, answers))

    def _answers(self, vector: Vector) -> Answers:
        if vector.expected is None:
            return {}
        others = ((a.readings, a.expected) for a in vector.allowed if a.kind == "value")
        listed = [([], vector.expected), *others]
        return {
            tuple(readings): self._expectation(vector, expected)
            for readings, expected in listed
            if isinstance(expected, Expected)
        }

    def _expectation(self, vector: Vector, expected: Expected) -> Expectation:
        value, bound = self._tensor(expected.value).array, self._tensor(expected.bound).array
        expectation = Expectation(value, bound, expected.dtype, expected.terms)
        self._check(vector, expected, expectation)
        return expectation

    def _check(self, vector: Vector, expected: Expected, expectation: Expectation) -> None:
        """Check that the limits follow from value and bound, in the shape and dtype."""
        shapes = {(*expected.shape,), expectation.value.shape, expectation.bound.shape}
        pairs = [self._tensor(expected.lower), self._tensor(expected.upper)]
        agree = len(shapes) == 1 and all(
            tensor.dtype == expected.dtype and np.array_equal(tensor.array, limit, equal_nan=True)
            for tensor, limit in zip(pairs, limits(expectation), strict=True)
        )
        if not agree:
            raise VectorsError(
                self.file, f"vector {vector.id} has limits that contradict its value"
            )

    def _tensor(self, name: str) -> Tensor:
        try:
            return self.tensors[name]
        except KeyError:
            raise VectorsError(self.file, f"there is no tensor {name!r}") from None
