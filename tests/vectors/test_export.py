"""The vectors of some functions: their schema, their contents, and that they are made again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from conformance import vectors as package
from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES
from conformance.oracle.freedom import FREEDOMS
from conformance.program import from_json
from conformance.vectors.calls import DRAWS, CallTask, call_tasks
from conformance.vectors.export import NUMBERS, OUTSIDE, function_vectors
from conformance.vectors.folder import INDEX, read_function, read_index
from conformance.vectors.records import Call, Vector
from conformance.vectors.safetensors import StoredTensor
from tests.vectors.support import EDITION, small_tasks, write

FUNCTIONS = ("softmax", "conv2d", "batch_dot", "log", "one_hot")
PAGE = Path(__file__).parents[2] / "docs" / "vectors.md"
SCHEMAS = Path(package.__file__).parent / "schema"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("vectors"), small_tasks(FUNCTIONS))


def calls(folder: Path, function: str) -> Iterator[tuple[Call, Vector, Any]]:
    record, tensors = read_function(folder, read_index(folder), EDITION, function)
    for call in record.calls:
        for vector in call.vectors:
            yield call, vector, tensors


def test_the_files_have_the_published_schemas(folder: Path) -> None:
    schemas = {
        n: json.loads((SCHEMAS / f"{n}-1.schema.json").read_bytes())
        for n in ("vectors", "vectors-index")
    }
    index = json.loads((folder / INDEX).read_bytes())
    Draft202012Validator(schemas["vectors-index"]).validate(index)
    assert set(index["editions"][EDITION]) == {*FUNCTIONS}
    for function in FUNCTIONS:
        record = json.loads((folder / EDITION / f"{function}.json").read_bytes())
        Draft202012Validator(schemas["vectors"]).validate(record)


def test_the_same_vectors_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = write(tmp_path / "again", small_tasks(FUNCTIONS))
    files = sorted(f.relative_to(folder) for f in folder.rglob("*") if f.is_file())
    assert files == sorted(f.relative_to(again) for f in again.rglob("*") if f.is_file())
    assert all((folder / f).read_bytes() == (again / f).read_bytes() for f in files)


def test_a_call_has_the_draws_of_a_run_and_more() -> None:
    (task,) = small_tasks(["softmax"])
    of_run = CallTask(
        task.spec, task.theme, task.edition, PROFILES["smoke"], task.seed, task.aspects
    )
    draws, fewer = ({call.key: call.prepared.draws for call in t.calls()} for t in (task, of_run))
    assert draws.keys() == fewer.keys()
    assert max(map(len, draws.values())) == DRAWS
    assert all(draws[key][: len(first)] == first for key, first in fewer.items())


@pytest.mark.thorough
def test_the_page_counts_the_vectors_of_all_editions() -> None:
    tasks = (task for edition in EDITIONS for task in call_tasks(edition, "smoke", 0))
    count = sum(len(call.prepared.draws) for task in tasks for call in task.calls())
    assert count >= 20_000
    assert (
        f"the folder has every function of every edition: {count:,} vectors in"
        in PAGE.read_text("utf-8")
    )


def test_a_second_folder_of_fewer_functions_replaces_the_first(tmp_path: Path) -> None:
    write(tmp_path, small_tasks(("log", "softmax")))
    write(tmp_path, small_tasks(("log",)))
    assert sorted(f.name for f in (tmp_path / EDITION).iterdir()) == ["log.json", "log.safetensors"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_tensor_has_the_shape_and_dtype_that_the_record_says(
    folder: Path, function: str
) -> None:
    for call, vector, tensors in calls(folder, function):
        program = from_json(call.program)
        for item in program.inputs:
            assert tensors[vector.inputs[item.name]].dtype == item.dtype
            assert tensors[vector.inputs[item.name]].array.shape == item.shape
        if vector.expected is not None:
            shapes = {
                tensors[getattr(vector.expected, n)].array.shape
                for n in ("value", "bound", "lower", "upper")
            }
            assert shapes == {tuple(vector.expected.shape)} == {tuple(call.shape or ())}
            assert tensors[vector.expected.lower].dtype == vector.expected.dtype
            assert call.dtypes
            assert call.dtypes[0] == vector.expected.dtype


@pytest.mark.parametrize(
    ("edition", "function", "parameters"),
    [
        ("keras-1", "expand_dims", {"x": "x", "dim": "axis"}),
        ("keras-2.2", "expand_dims", {"x": "x", "axis": "axis"}),
        ("keras-3", "keras.ops.less", {"x1": "x", "x2": "y"}),
    ],
)
def test_parameters_lead_to_arguments(
    edition: Edition, function: str, parameters: Mapping[str, str]
) -> None:
    (task,) = small_tasks([function], edition)
    record, _ = function_vectors(task, "")
    assert record.parameters == parameters
    assert [*record.parameters] == [*parameters]
    valid = [call for call in record.calls if not call.error]
    assert valid
    assert all({*call.arguments} == {*parameters.values()} for call in valid)


def test_softmax_is_within_its_limits_as_numpy_computes_it(folder: Path) -> None:
    compared = 0
    for call, vector, tensors in calls(folder, "softmax"):
        if (
            vector.expected is None
            or vector.profile != "ordinary"
            or vector.expected.dtype != "float32"
        ):
            continue
        x = tensors[vector.inputs["x"]].array.astype(np.float64)
        e = np.exp(x - x.max(axis=call.arguments["axis"], keepdims=True))
        got = (e / e.sum(axis=call.arguments["axis"], keepdims=True)).astype(np.float32)
        assert (tensors[vector.expected.lower].array <= got).all()
        assert (got <= tensors[vector.expected.upper].array).all()
        compared += got.size
    assert compared > 0


def test_invalid_calls_have_an_error_and_its_citation(folder: Path) -> None:
    errors = [(c, v) for c, v, _ in calls(folder, "batch_dot") if v.expected is None]
    assert errors
    for call, _ in errors:
        assert call.error
        assert call.error.says
        assert [*call.citations] == ["error"]


def test_other_readings_have_their_values(folder: Path) -> None:
    own: list[StoredTensor] = []
    others: list[StoredTensor] = []
    for _, vector, tensors in calls(folder, "conv2d"):
        for allowed in vector.allowed:
            if allowed.kind == "value" and allowed.readings == ["same-padding: half"]:
                assert vector.expected is not None
                assert allowed.expected
                own.append(tensors[vector.expected.value])
                others.append(tensors[allowed.expected.value])
    assert own
    assert all(
        a.array.shape != b.array.shape or (a.array != b.array).any()
        for a, b in zip(own, others, strict=True)
    )


def test_special_numbers_leave_only_their_elements_open(folder: Path) -> None:
    masks = [
        (tensors[a.elements].array, tensors[v.inputs["x"]].array)
        for _, v, tensors in calls(folder, "log")
        for a in v.allowed
        if a.kind == "elements" and a.readings == ["special-values: other numbers"]
    ]
    assert any(not mask.all() for mask, _ in masks)
    for mask, x in masks:
        assert not mask[np.isnan(x)].any()  # ISO C settles these
        assert mask[x < 0].all()


def test_every_free_reading_of_the_oracle_has_a_name() -> None:
    assert {*FREEDOMS} == {*NUMBERS, OUTSIDE}
