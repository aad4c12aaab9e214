from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from conformance.reporting.json_results import (
    NO_RESULTS,
    JsonWriter,
    ResultsError,
    encode,
    encode_schema,
    file_name,
    read_results,
)
from conformance.results import Aspect, FunctionResult, Results, Verdict, model
from conformance.results.events import RunFinished, TargetFinished
from tests.reporting.records import (
    HOSTILE,
    array,
    aspect_result,
    every_verdict,
    failure,
    hostile,
    results,
)

SCHEMA_FILE = Path(model.__file__).parent / "schema" / "results-1.schema.json"


def written(folder: Path, content: Results) -> Path:
    JsonWriter(folder).handle(TargetFinished(content))
    (path,) = folder.glob("*.json")
    return path


def with_arrays() -> Results:
    bad = failure(
        expected=array([1.5, "nan", 2**62], [3]),
        got=array(["inf", "-inf", True], [3]),
        inputs={"x": array([], [0, 2])},
        max_ulp=3.25,
        program={"inputs": [], "steps": [], "outputs": ["y"]},
    )
    content = every_verdict()
    others = [a for a in content.functions[0].aspects if a.aspect is not Aspect.VALUE]
    content.functions[0].aspects[:] = [*others, aspect_result(Aspect.VALUE, Verdict.VIOLATES, bad)]
    return content


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    content = with_arrays()
    assert read_results(written(tmp_path, content)) == content


def test_readings_are_written_where_there_are_any(tmp_path: Path) -> None:
    taken = failure(Verdict.DIVERGES, readings=["kernel-layout: th"])
    aspect = aspect_result(Aspect.VALUE, Verdict.DIVERGES, taken, failure(Verdict.DIVERGES))
    content = results("mine", [FunctionResult("dot", "t", [aspect])])
    first, second = json.loads(encode(content))["functions"][0]["aspects"][0]["failures"]
    assert first["readings"] == ["kernel-layout: th"]
    assert "readings" not in second
    path = tmp_path / "mine.json"
    path.write_bytes(encode(content))
    assert read_results(path) == content


def test_the_published_schema_is_that_of_the_records() -> None:
    assert SCHEMA_FILE.read_bytes() == encode_schema(), "python -m tools.schemas writes it"


@pytest.mark.parametrize("content", [with_arrays(), *map(hostile, HOSTILE)])
def test_written_files_obey_the_published_schema(tmp_path: Path, content: Results) -> None:
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(written(tmp_path, content).read_text("utf-8"))
    jsonschema.validate(data, schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("schema"),
        lambda d: d.update(schema="conformance-results/2"),
        lambda d: d["functions"][0]["aspects"][0].update(verdict="fine"),
        lambda d: d["functions"][0]["aspects"][-1]["failures"][0]["got"].update(data=["NaN"]),
        lambda d: d["run"].update(cases="many"),
    ],
)
def test_the_schema_and_the_reader_refuse_the_same(tmp_path: Path, change: Any) -> None:
    path = written(tmp_path, with_arrays())
    data = json.loads(path.read_text("utf-8"))
    change(data)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, json.loads(SCHEMA_FILE.read_text("utf-8")))
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ResultsError):
        read_results(path)


def test_bytes_do_not_depend_on_the_order_of_insertion() -> None:
    first, other = every_verdict(), every_verdict()
    versions = dict(reversed(list(first.target.versions.items())))
    counts = dict(reversed(list(first.summary.verdicts.items())))
    other.target.versions.clear()
    other.target.versions.update(versions)
    other.summary.verdicts.clear()
    other.summary.verdicts.update(counts)
    assert encode(first) == encode(other)


def test_floats_that_json_lacks_become_strings_in_arrays_and_null_elsewhere() -> None:
    content = every_verdict()
    bad = failure(expected=array([math.nan, math.inf, -math.inf], [3]), max_ulp=math.inf)
    content.functions[0].aspects.append(aspect_result(model.Aspect.VALUE, Verdict.VIOLATES, bad))
    data = json.loads(encode(content), parse_constant=pytest.fail)
    stored = data["functions"][0]["aspects"][-1]["failures"][0]
    assert stored["expected"]["data"] == ["nan", "inf", "-inf"]
    assert stored["max_ulp"] is None


@pytest.mark.parametrize("name", [*HOSTILE, ".", "..", "/", "a/../../b", ".hidden", "x" * 400])
def test_a_file_never_leaves_its_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "out"
    path = written(folder, results(name, []))
    assert path.resolve().parent == folder.resolve()
    assert not path.name.startswith(".")
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_file_names_are_plain_for_plain_names_and_differ_for_different_names() -> None:
    assert file_name("keras-2.2.4-tensorflow-1.14") == "keras-2.2.4-tensorflow-1.14.json"
    names = [*HOSTILE, "a/b", "a%2Fb", "a_b", "x" * 400, "x" * 401, ".a", "%2Ea"]
    assert len({file_name(n) for n in names}) == len(names)


def test_nothing_is_written_before_a_target_is_done(tmp_path: Path) -> None:
    JsonWriter(tmp_path).handle(RunFinished(1.0, interrupted=True))
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_no_debris(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, every_verdict())
    before = path.read_bytes()

    def no_space(self: Path, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", no_space)
    with pytest.raises(OSError, match="no space"):
        JsonWriter(tmp_path).handle(TargetFinished(results(every_verdict().target.name, [])))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == before


FAILURE = ("functions", 0, "aspects", -1, "failures", 0)


@pytest.mark.parametrize(
    ("at", "value", "place", "hint"),
    [
        (("schema",), "conformance-results/9", "$.schema", "conformance-results/1"),
        (("target", "name"), 3, "$.target.name", "`str`"),
        (("run", "seed"), "x", "$.run.seed", "`int`"),
        (("functions", 0, "aspects", 0, "verdict"), "ok", ".verdict", "conforms"),
        (("functions", 0, "aspects", 0, "aspect"), "ok", ".aspect", "static shape"),
        (("summary", "verdicts"), {"ok": 1}, "$.summary.verdicts", "timed out"),
        ((*FAILURE, "got", "data"), [1.0], ".failures[0].got.data", "write 3 elements"),
        ((*FAILURE, "got", "data", 1), "abc", ".got.data[1]", "nan"),
        ((*FAILURE, "inputs", "x", "shape"), [-1], "inputs['x'].shape", "none negative"),
    ],
)
def test_errors_name_the_file_the_place_and_the_cure(
    tmp_path: Path, at: tuple[Any, ...], value: Any, place: str, hint: str
) -> None:
    path = written(tmp_path, with_arrays())
    data = json.loads(path.read_text("utf-8"))
    inner = data
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ResultsError) as caught:
        read_results(path)
    error = caught.value
    assert error.file == path and str(path) in str(error)
    assert place in error.place
    assert hint in str(error)


@pytest.mark.parametrize("only", [None, "f_not_applicable"])
@pytest.mark.parametrize("inside", [False, True])
def test_two_verdicts_on_one_thing_are_refused(
    tmp_path: Path, only: str | None, *, inside: bool
) -> None:
    path = written(tmp_path, with_arrays())
    data = json.loads(path.read_text("utf-8"))
    held = data["functions"][0]["aspects"] if inside else data["functions"]
    held.append(held[0])
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ResultsError, match="is there twice"):
        read_results(path, only)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"schema": "\xff"}'])
def test_what_is_not_json_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=r"broken\.json: at \$: .*; this is not a results file"):
        read_results(path)


@pytest.mark.parametrize("content", ["[]", "3", "null", "{}", '{"schema": 1}'])
def test_json_of_another_kind_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ResultsError, match=r"other\.json: at \$.*; \w+"):
        read_results(path)


def test_one_function_is_read_as_it_is_with_the_others(tmp_path: Path) -> None:
    path = written(tmp_path, with_arrays())
    whole = read_results(path)
    first, *_ = whole.functions
    assert read_results(path, first.function) == replace(whole, functions=[first])
    assert read_results(path, "no function").functions == []


@pytest.mark.parametrize("content", ["[]", "3", "null", "{}"])
def test_json_without_a_schema_gets_the_hint_of_a_file_that_is_no_results(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ResultsError) as refused:
        read_results(path)
    assert refused.value.hint == NO_RESULTS
