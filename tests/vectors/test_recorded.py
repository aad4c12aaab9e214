"""A run by vectors has the results of a run by the oracle, and depends on the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from conformance.dtypes import rounded
from conformance.engine import PROFILES, Run, Subject, Task, run
from conformance.engine.judging.calls import CallTrial
from conformance.observations import DrawObservation, Returned, StructureObservation, Value
from conformance.oracle import Expectation
from conformance.results import Aspect, Results, Verdict, timeless
from conformance.results.events import Event, TargetFinished
from conformance.vectors.folder import VectorsError, read_index
from conformance.vectors.limits import limits
from conformance.vectors.recorded import recorded_tasks
from conformance.vectors.safetensors import StoredTensor
from tests.engine.support import fake
from tests.vectors.support import EDITION, altered, first_vector, small_tasks, write

FUNCTIONS = ("softmax", "exp", "sum", "argmax", "reshape")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("vectors"), small_tasks(FUNCTIONS))


def results(tested: Subject, tasks: Sequence[Task]) -> Results:
    events: list[Event] = []
    common = Run("1.0", PROFILES["smoke"], 0, "2000-01-01T00:00:00+00:00")
    run([tested], {tested.edition: [*tasks]}, common, events.append, 1)
    (finished,) = (event.results for event in events if isinstance(event, TargetFinished))
    return timeless(finished)


def by_vectors(folder: Path, functions: Sequence[str] = FUNCTIONS) -> list[Task]:
    return [*recorded_tasks(folder, read_index(folder), small_tasks(functions))]


@pytest.mark.parametrize("name", ["correct", "wrong_axis", "wrong_dtype"])
def test_vectors_give_the_verdicts_of_the_oracle(folder: Path, name: str) -> None:
    own = results(fake(name), small_tasks(FUNCTIONS))
    assert results(fake(name), by_vectors(folder)) == own
    assert own.run.cases > 50


def right_answers(call: CallTrial) -> StructureObservation:
    """The observation of an implementation that gives the expected values."""
    every = (call.prepared.expectation(draw) for draw in range(len(call.prepared.draws)))
    arrays = [rounded(e.value, e.dtype).astype(e.dtype) for e in every]
    values = (Value(array, array.dtype.name, "ndarray") for array in arrays)
    draws = (DrawObservation(Returned({"result": (value,)})) for value in values)
    return StructureObservation((), (), tuple(draws))


def test_right_answers_show_the_same_readings(tmp_path: Path) -> None:
    """Flushed divisors of divide_no_nan have quotients beyond the range of the dtype."""
    (task,) = small_tasks(["keras.ops.divide_no_nan"], "keras-3")
    (recorded,) = recorded_tasks(tmp_path, read_index(write(tmp_path, [task])), [task])
    calls = [c for c in zip(task.calls(), recorded.calls(), strict=True) if is_valid(c[0])]
    assert len(calls) >= 5
    for call, other in calls:
        observed = right_answers(call)
        assert other.judge(observed).readings == call.judge(observed).readings


def is_valid(call: CallTrial) -> bool:
    return call.prepared.structure.error is None


def double(data: dict[str, Any], tensors: dict[str, StoredTensor]) -> None:
    """Double the expected value of a vector, with limits that follow from it."""
    expected = first_vector(data)["expected"]
    value, bound = (tensors[expected[name]].array for name in ("value", "bound"))
    changed = Expectation(2 * value + 1, bound, expected["dtype"])
    lower, upper = limits(changed)
    tensors["changed"] = StoredTensor("float64", changed.value)
    tensors["lower"], tensors["upper"] = (StoredTensor(changed.dtype, a) for a in (lower, upper))
    expected.update(value="changed", lower="lower", upper="upper")


def test_another_value_in_the_files_is_another_verdict(folder: Path, tmp_path: Path) -> None:
    changed = altered(folder, tmp_path / "changed", "exp", double)
    before, after = (results(fake("correct"), by_vectors(f, ["exp"])) for f in (folder, changed))
    assert verdict(before) is Verdict.CONFORMS
    assert verdict(after) is Verdict.VIOLATES


def verdict(results: Results) -> Verdict:
    (function,) = results.functions
    return next(a.verdict for a in function.aspects if a.aspect is Aspect.VALUE)


def test_limits_that_do_not_follow_from_the_value_are_refused(folder: Path, tmp_path: Path) -> None:
    def shift(data: dict[str, Any], tensors: dict[str, StoredTensor]) -> None:
        name = first_vector(data)["expected"]["upper"]
        tensors[name] = tensors[name]._replace(array=np.nextafter(tensors[name].array, np.inf))

    changed = altered(folder, tmp_path / "changed", "exp", shift)
    with pytest.raises(
        VectorsError, match="has limits that contradict its value; make the vectors"
    ):
        by_vectors(changed, ["exp"])[0].trials()


def other_input(data: dict[str, Any], tensors: dict[str, StoredTensor]) -> None:
    vector = first_vector(data)
    name = vector["inputs"]["x"]
    tensors["other"] = StoredTensor(
        "float32", np.zeros((*tensors[name].array.shape, 2), np.float32)
    )
    vector["inputs"]["x"] = "other"


def other_dtype(data: dict[str, Any], _: dict[str, StoredTensor]) -> None:
    first_vector(data)["expected"]["dtype"] = "float31"


def no_tensor(data: dict[str, Any], _: dict[str, StoredTensor]) -> None:
    first_vector(data)["expected"]["value"] = "t999"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (other_input, "has other inputs than its program"),
        (other_dtype, "has limits that contradict its value"),
        (no_tensor, "there is no tensor 't999'"),
    ],
)
def test_contradictions_are_refused(folder: Path, tmp_path: Path, change: Any, says: str) -> None:
    changed = altered(folder, tmp_path / "changed", "exp", change)
    with pytest.raises(VectorsError, match=says):
        by_vectors(changed, ["exp"])[0].trials()


def test_a_changed_file_is_refused(folder: Path, tmp_path: Path) -> None:
    changed = altered(folder, tmp_path / "changed", "exp", double, checksums=False)
    with pytest.raises(VectorsError, match=r"exp\.json: its checksum is not that in index\.json"):
        by_vectors(changed, ["exp"])[0].trials()


def test_other_calls_than_the_plan_are_refused(folder: Path, tmp_path: Path) -> None:
    def drop(data: dict[str, Any], _: dict[str, StoredTensor]) -> None:
        del data["calls"][0]

    changed = altered(folder, tmp_path / "changed", "exp", drop)
    with pytest.raises(VectorsError, match="this version of the suite plans other calls"):
        by_vectors(changed, ["exp"])[0].trials()


def test_an_index_of_other_files_is_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(VectorsError, match="No such file"):
        read_index(tmp_path)
    (tmp_path / "index.json").write_bytes(b"{}")
    with pytest.raises(VectorsError, match="this is not a file of vectors"):
        read_index(tmp_path)
    index = msgspec.structs.replace(read_index(folder), editions={"keras-9": {}})
    (tmp_path / "index.json").write_bytes(msgspec.json.encode(index))
    with pytest.raises(VectorsError, match="this version of the suite has no edition 'keras-9'"):
        read_index(tmp_path)
    assert EDITION in read_index(folder).editions
