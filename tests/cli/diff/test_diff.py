"""`conformance diff` and `conformance report`: what they read, run, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.json_results import read_results

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
OWN = "".join(
    f'[targets.{name}]\nmodule = "fakes.{module}"\nedition = "keras-2.2"\npath = "{FAKES}"\n'
    for name, module in (("right", "correct"), ("wrong", "always_wrong"))
)
SOME = ("-k", "softmax or dot and not batch")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with both fakes, their results stored."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "conformance.toml").write_text(OWN, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONFORMANCE_HOME", str(folder / "home"))
        patch.chdir(folder)
        for shard in ("1/2", "2/2"):
            options = ("--profile", "smoke", "--shard", shard, "--output", f"part{shard[0]}")
            ran = invoke("run", "right", "wrong", *SOME, "--fail-on", "never", *options)
            assert ran.exit_code == 0, ran.output
        formats = ("--format", "results", "--format", "markdown")
        merged = invoke("report", "part1", "part2", *formats, "--output", "reports")
        assert merged.exit_code == 0, merged.output
    return folder


@pytest.fixture(autouse=True)
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(place / "home"))
    monkeypatch.chdir(place)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_shards_are_merged_into_one_matrix(place: Path) -> None:
    results = read_results(place / "reports" / "wrong.json")
    assert {f.function for f in results.functions} == {"softmax", "dot"}
    assert not isinstance(results.run.shard, str)
    matrix = (place / "reports" / "matrix.md").read_text("utf-8")
    assert "`softmax`" in matrix
    assert "`dot`" in matrix


def test_targets_without_a_common_function_are_told_before_anything_is_run() -> None:
    result = invoke("diff", "right", "keras3-ops-numpy", "-k", "softmax")
    assert result.exit_code == 2, result.output
    assert "error: nothing to compare: " in result.output
    assert "right of keras-2.2" in result.output and "keras3-ops-numpy of keras-3" in result.output
    assert "softmax judged" not in result.output


def test_stored_results_are_compared_and_a_difference_is_status_1() -> None:
    result = invoke("diff", "right", "wrong", "-k", "softmax", "--aspect", "value")
    assert result.exit_code == 1, result.output
    assert "✗ wrong: softmax(" in result.output
    assert "right conforms on" in result.output
    assert "\x1b" not in result.output


def test_files_are_compared_and_none_is_status_0() -> None:
    result = invoke("diff", "reports/right.json", "reports/right.json")
    assert result.exit_code == 0, result.output
    assert "no difference in" in result.output


def test_compressed_results_are_found_by_name_and_by_path(place: Path) -> None:
    done = invoke("report", "reports", "--format", "compressed", "--output", "packed")
    assert done.exit_code == 0, done.output
    names = invoke("diff", "right", "wrong", "--results", "packed", "--aspect", "value")
    assert names.output == invoke("diff", "right", "wrong", "--aspect", "value").output
    files = invoke("diff", "packed/right.json.gz", "reports/right.json")
    assert files.exit_code == 0, files.output
    (place / "cut.json.gz").write_bytes((place / "packed" / "right.json.gz").read_bytes()[:99])
    refused = invoke("diff", "right", "cut.json.gz")
    assert refused.exit_code == 2
    assert "cut.json.gz: this is not whole gzip data" in refused.output


def test_json_is_json() -> None:
    result = invoke("diff", "right", "wrong", "--format", "json")
    data = json.loads(result.stdout)
    values = [d for d in data["differences"] if d["aspect"] == "value"]
    assert {d["function"] for d in values} == {"dot", "softmax"}
    assert all(d["b"]["failures"][0]["script"] for d in values)


def test_what_is_not_stored_is_run(place: Path) -> None:
    result = invoke("diff", "right", "wrong", "--run", "-k", "softmax", "--format", "markdown")
    assert result.exit_code == 1, result.output
    assert result.stdout.startswith("# right and wrong\n")


def test_what_cannot_be_run_is_status_3_and_names_the_cure() -> None:
    result = invoke("diff", "right", "tf_keras")
    assert result.exit_code == 3
    assert "conformance install tf_keras" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("diff", "right", "wrnog"), "did you mean wrong"),
        (("diff", "right", "theano"), "write one of keras-1.0.8-theano"),
        (("diff", "right", "gone.json"), "no file gone.json"),
        (("diff", "right", "conformance.toml"), "conformance.toml"),
        (("diff", "right", "wrong", "-k", "conv2d"), "no aspect of -k 'conv2d'"),
        (("report", "home"), "holds no results files"),
        (("report", "conformance.toml"), "conformance.toml: this is "),
    ],
)
def test_a_mistake_is_status_2_with_what_to_write(arguments: tuple[str, ...], message: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.output


def test_without_output_the_matrix_is_printed() -> None:
    result = invoke("report", "reports/right.json")
    assert result.exit_code == 0
    assert result.stdout.startswith("# Compatibility matrix")


def test_only_functions_of_the_stored_results_are_run(place: Path) -> None:
    """Without -k the suite ran all functions of the other target, and compared two."""
    apart = place / "apart"
    apart.mkdir()
    stored = apart / "wrong.json"
    stored.write_bytes((place / "reports" / "wrong.json").read_bytes())
    result = invoke("diff", "right", "wrong", "--results", str(apart), "--format", "json")
    assert result.exit_code == 1, result.output
    words = "right: runs the 2 functions that the results of wrong test; --run runs both targets"
    assert words in result.stderr
    assert "judged, the first of 2 functions" in result.stderr


def copies(folder: Path, *names: str) -> Path:
    """A folder with stored results of these targets."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.json").write_bytes(Path("reports", f"{name}.json").read_bytes())
    return folder


def test_a_folder_stands_for_its_results_of_one_target(tmp_path: Path) -> None:
    right, wrong = copies(tmp_path / "a", "right"), copies(tmp_path / "b", "wrong")
    both = copies(tmp_path / "both", "right", "wrong")
    expected = invoke("diff", "right", "wrong").stdout
    assert invoke("diff", str(right), str(wrong)).stdout == expected
    assert invoke("diff", str(right), "wrong").stdout == expected
    for other in (str(wrong), str(wrong / "wrong.json"), "wrong"):
        assert "no difference in" in invoke("diff", str(both), other).stdout
    refused = invoke("diff", str(both), str(both))
    assert refused.exit_code == 2
    assert f"has 2 results files: {both / 'right.json'}, {both / 'wrong.json'}" in refused.stderr
    assert f"name one of them, such as {both / 'right.json'}" in refused.stderr


def test_results_in_a_folder_of_reports_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = copies(tmp_path / "reports" / "mine", "right", "wrong")
    (tmp_path / "reports" / "earlier").mkdir()
    (tmp_path / "reports" / "earlier" / "right.json").write_text("{}", "utf-8")
    Path(tmp_path, "conformance.toml").write_text(OWN, encoding="utf-8")
    expected = invoke("diff", str(inner / "right.json"), str(inner / "wrong.json"))
    monkeypatch.chdir(tmp_path)
    assert invoke("diff", "right", "wrong").output == expected.output
