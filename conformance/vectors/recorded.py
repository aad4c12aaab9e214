"""The other way: tasks whose expectations are those of a folder of vectors.

The plan makes the calls again, and each takes its numbers and expectations from the folder.
Judging asks a `RecordedCase` as it asks any other. It answers from the folder what the folder has:
the expectation in the dtype of the result, under each combination of readings. The oracle answers
the rest: expectations in the dtype of a wrong result, values before they are rounded, and the
smaller cases of the minimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import is_dtype, is_floating
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.planning.plan import Planned
from conformance.oracle import Expectation
from conformance.oracle.variants import Readings
from conformance.program import Input, to_json
from conformance.program.codec import as_text
from conformance.specs.conventions import taken
from conformance.vectors.calls import CallTask
from conformance.vectors.export import main_dtype
from conformance.vectors.folder import VectorsError, read_function
from conformance.vectors.limits import limits
from conformance.vectors.records import Call, ExpectedAnswer, Vector, VectorsIndex
from conformance.vectors.safetensors import StoredTensor

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
        self._expected = answers

    def expectation(
        self, draw: int, dtype: str | None = None, readings: Readings = ()
    ) -> Expectation:
        """The recorded expectation, or the oracle's where the folder has none."""
        recorded = self._recorded(draw, dtype or self.dtypes[0], readings)
        return super().expectation(draw, dtype, readings) if recorded is None else recorded

    def own_answer(self, draw: int) -> Callable[[], Array]:
        """A function that gives the expected value of a draw."""
        expectation = self.expectation(draw)
        return lambda: expectation.value

    def _recorded(self, draw: int, dtype: str, readings: Readings) -> Expectation | None:
        if not self._expected[draw] or dtype != main_dtype(self):
            return None
        return self._expected[draw].get(tuple(taken(*reading) for reading in readings))


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
    tensors: Mapping[str, StoredTensor]

    def trial(self, planned: CallTrial, call: Call) -> CallTrial:
        """The planned call with the numbers and expectations of its vectors."""
        if len(call.vectors) != len(planned.prepared.draws):
            raise _of_another_suite(self.file)
        inputs = {i.name: i for i in planned.prepared.structure.program.inputs}
        arrays = [self._inputs(vector, inputs) for vector in call.vectors]
        answers = [self._answers(vector) for vector in call.vectors]
        return replace(planned, prepared=RecordedCase(planned, arrays, answers))

    def _inputs(self, vector: Vector, inputs: Mapping[str, Input]) -> Mapping[str, Array]:
        tensors = {name: self._tensor(place) for name, place in vector.inputs.items()}
        kinds = {name: (tensor.dtype, tensor.array.shape) for name, tensor in tensors.items()}
        if kinds != {name: (item.dtype, item.shape) for name, item in inputs.items()}:
            raise VectorsError(self.file, f"vector {vector.id} has other inputs than its program")
        return {name: tensor.array for name, tensor in tensors.items()}

    def _answers(self, vector: Vector) -> Answers:
        if vector.expected is None:
            return {}
        others = ((a.readings, a.expected) for a in vector.allowed if a.kind == "value")
        every = [([], vector.expected), *others]
        return {
            tuple(readings): self._expectation(vector, expected)
            for readings, expected in every
            if isinstance(expected, ExpectedAnswer)
        }

    def _expectation(self, vector: Vector, expected: ExpectedAnswer) -> Expectation:
        value, bound = self._tensor(expected.value), self._tensor(expected.bound)
        expectation = Expectation(value.array, bound.array, expected.dtype, expected.terms)
        shapes = {(*expected.shape,), value.array.shape, bound.array.shape}
        plain = bound.dtype == "float64" and value.dtype in _dtypes_of_values(expected.dtype)
        if not (plain and len(shapes) == 1 and self._has_limits(expected, expectation)):
            problem = f"vector {vector.id} has limits that contradict its value"
            raise VectorsError(self.file, problem)
        return expectation

    def _has_limits(self, expected: ExpectedAnswer, expectation: Expectation) -> bool:
        """Whether the limits follow from value and bound, in the dtype of the result."""
        tensors = [self._tensor(expected.lower), self._tensor(expected.upper)]
        return all(
            tensor.dtype == expected.dtype and np.array_equal(tensor.array, limit, equal_nan=True)
            for tensor, limit in zip(tensors, limits(expectation), strict=True)
        )

    def _tensor(self, name: str) -> StoredTensor:
        try:
            return self.tensors[name]
        except KeyError:
            raise VectorsError(self.file, f"there is no tensor {name!r}") from None


def _dtypes_of_values(dtype: str) -> tuple[str, ...]:
    """The dtypes that the value of a result may have; none if `dtype` is not a dtype."""
    if not is_dtype(dtype):
        return ()
    return ("int64", "bool", "float64") if is_floating(dtype) else ("int64", "bool")
