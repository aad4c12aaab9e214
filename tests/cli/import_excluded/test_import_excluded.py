"""`conformance import-excluded`: the five groups, statuses and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from conformance.cli import main
from conformance.cli.import_excluded.entries import MOST_BYTES, MOST_LINE
from conformance.reporting.json_results import encode
from conformance.results import Aspect, FunctionResult, Results, Verdict
from tests.reporting.records import aspect_result, function, results

C, V, U = Verdict.CONFORMS, Verdict.VIOLATES, Verdict.UNSUPPORTED


def of(name: str, *verdicts: tuple[Aspect, Verdict]) -> FunctionResult:
    """A function whose presence conforms, and these aspects."""
    every = ((Aspect.PRESENCE, C), *verdicts)
    return FunctionResult(name, "t", [aspect_result(a, verdict) for a, verdict in every])


FUNCTIONS = [
    of("keras.ops.mean", (Aspect.VALUE, V), (Aspect.DTYPE, C)),
    of("keras.ops.svd", (Aspect.VALUE, U), (Aspect.DTYPE, U)),
    of("keras.ops.rot90", (Aspect.VALUE, C), (Aspect.GRADIENT, U)),
    of("keras.ops.gelu", (Aspect.VALUE, Verdict.NOT_RUN)),
    of("keras.ops.erf", (Aspect.VALUE, C), (Aspect.PURITY, Verdict.CRASHED)),
    of("keras.ops.qr", (Aspect.VALUE, U)),
    of("keras.ops.sum", (Aspect.VALUE, Verdict.DIVERGES)),
]
LIST = """# why
NumpyDtypeTest::test_mean
NumpyOneInputOpsCorrectnessTest::test_mean  # wrong

keras/src/ops/linalg_test.py::LinalgOpsCorrectnessTest::test_svd
NumpyDtypeTest::test_rot90
NNOpsCorrectnessTest::test_gelu
NumpyDtypeTest::test_mean_of_nothing
DenseTest::test_quantize_float8
"""


def backend(folder: Path, functions: list[FunctionResult], name: str = "mine") -> Path:
    """A results file for the edition keras-3."""
    records = results(name, functions)
    content = replace(records, target=replace(records.target, edition="keras-3"))
    return written(folder, content)


def written(folder: Path, content: Results) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{content.target.name}.json"
    file.write_bytes(encode(content))
    return file


def run(folder: Path, text: str | bytes, *arguments: object) -> Result:
    file = folder / "excluded.txt"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return CliRunner().invoke(main, ["import-excluded", str(file), *map(str, arguments)])


def test_functions_are_listed_by_list_and_results(tmp_path: Path) -> None:
    result = run(tmp_path, LIST, backend(tmp_path / "results", FUNCTIONS))
    assert result.exit_code == 1
    assert (
        result.output
        == f"""excluded and failing here: 1
  keras.ops.mean violates value (lines 2-3, 8)
excluded and unsupported here: 1
  keras.ops.svd unsupported value, dtype (line 5)
excluded but passing here: perhaps stale, run these tests again: 1
  keras.ops.rot90 (line 6)
excluded, without results here: 1
  keras.ops.gelu (line 7)
failing here and not excluded: 1
  keras.ops.erf crashed purity
unsupported here and not excluded: 1
  keras.ops.qr unsupported value
lines that name no function of keras.ops: 1
  9: DenseTest::test_quantize_float8
{tmp_path}/excluded.txt: 7 lines, 4 excluded functions; on mine 1 fail, 1 are unsupported, 1 pass, \
1 have no results; 2 other functions fail or are unsupported
"""
    )


def test_a_list_that_agrees_ends_with_status_0(tmp_path: Path) -> None:
    place = backend(tmp_path / "results", [FUNCTIONS[0], FUNCTIONS[1], FUNCTIONS[-1]])
    text = "NumpyDtypeTest::test_mean\nLinalgOpsCorrectnessTest::test_svd\nTestTrainer::test_fit\n"
    assert run(tmp_path, text, place).exit_code == 0
    assert run(tmp_path, text + "NumpyDtypeTest::test_sum\n", place).exit_code == 1
    assert run(tmp_path, "NumpyDtypeTest::test_mean\n", place).exit_code == 1


def test_json_has_every_function_and_every_line(tmp_path: Path) -> None:
    lines = "".join(f"TestTrainer::test_fit_{n}\n" for n in range(30))
    place = backend(tmp_path / "results", FUNCTIONS)
    result = run(tmp_path, LIST + lines, place.parent, "--format", "json")
    assert result.exit_code == 1
    content = json.loads(result.output)
    (mean,) = (f for f in content["functions"] if f["function"] == "keras.ops.mean")
    assert mean == {
        "function": "keras.ops.mean",
        "excluded": True,
        "state": "fails",
        "aspects": {"violates": ["value"]},
        "lines": [2, 3, 8],
    }
    assert (content["target"], content["entries"]) == ("mine", 37)
    assert len(content["unmapped"]) == 31
    assert content["unmapped"][0] == {"line": 9, "text": "DenseTest::test_quantize_float8"}
    text = run(tmp_path, LIST + lines, place)
    assert "  and 21 other lines; --format json lists all\n" in text.output


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"ok::test_a\n\xff\xfe\n", ":2: the line is not UTF-8"),
        (b"ok::test_a\n\n\x1b[31mred\n", ":3: the line has a control character"),
        (b"x" * (MOST_LINE + 1), f":1: the line has more than {MOST_LINE} characters"),
        (b"# nothing\n\n", ": the list is empty"),
        (b"\n" * (MOST_BYTES + 1), ": it holds more than 1 MiB; name a list of excluded tests"),
    ],
)
def test_a_wrong_list_names_its_line(tmp_path: Path, content: bytes, problem: str) -> None:
    result = run(tmp_path, content, backend(tmp_path / "results", FUNCTIONS))
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {tmp_path}/excluded.txt{problem}\nhint: ")
    assert "\x1b" not in result.output


def test_results_of_no_target_or_several_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results"
    written(folder, results("old", [function("sum", C)]))
    assert run(tmp_path, LIST).exit_code == 2
    result = run(tmp_path, LIST, folder)
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {folder} has no results for keras.ops\n")
    for name in ("one", "two"):
        backend(folder, FUNCTIONS, name)
    result = run(tmp_path, LIST, folder)
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {folder} has results of 2 targets: one, two\n")
    assert run(tmp_path, LIST, folder / "one.json").exit_code == 1
