from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from conformance.cli import main
from conformance.engine.planning.plan import documented_names
from conformance.reporting.formats import FORMATS
from conformance.reporting.json_results import encode, file_name
from conformance.results import Results, Verdict
from conformance.specs import load
from tests.reporting.records import every_verdict, function, results


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["report", *arguments])


def stored(folder: Path, *contents: Results) -> Path:
    folder.mkdir(exist_ok=True)
    for content in contents:
        (folder / file_name(content.target.name)).write_bytes(encode(content))
    return folder


def test_a_site_is_made_of_a_folder_of_results(tmp_path: Path) -> None:
    place = stored(tmp_path / "results", every_verdict("a"), every_verdict("b"))
    done = call(str(place), "--output", str(tmp_path / "site"))
    assert done.exit_code == 0, done.output
    assert "index.html and" in done.output
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'href="targets/a.html"' in page
    assert 'href="targets/b.html"' in page


def test_without_results_the_folder_reports_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stored(tmp_path / "reports", every_verdict("mine"))
    done = call("--format", "csv")
    assert done.exit_code == 0
    assert "mine,keras-2.2" in done.output


def test_without_format_and_output_the_matrix_is_printed(tmp_path: Path) -> None:
    done = call(str(stored(tmp_path / "results", every_verdict("a"))))
    assert done.output.startswith("# Compatibility matrix")


def test_two_parts_become_one_and_two_runs_a_history(tmp_path: Path) -> None:
    functions = every_verdict("m").functions
    for folder, chosen in (("one", functions[:3]), ("two", functions[3:])):
        stored(tmp_path / folder, results("m", chosen, selection=folder))
    done = call(str(tmp_path / "one"), str(tmp_path / "two"), "-f", "json")
    (target,) = json.loads(done.stdout)["targets"]
    assert len(target["verdicts"]) == len(functions)
    stored(tmp_path / "new", results("m", functions, started="2025-01-01T00:00:00Z"))
    stored(tmp_path / "old", every_verdict("m"))
    out = str(tmp_path / "site")
    done = call(str(tmp_path / "old"), str(tmp_path / "new"), "--output", out)
    page = (tmp_path / "site" / "targets" / "m.html").read_text("utf-8")
    assert "Changes since 2024-05-06T07:08:09Z" in page


PART = {"selection": "dot", "started": "2025-01-01T00:00:00Z"}


def test_a_part_replaces_its_functions_in_the_whole_run_aloud(tmp_path: Path) -> None:
    whole = every_verdict("m")
    chosen = [f for f in whole.functions if f.function == whole.functions[0].function]
    old, new = (
        stored(tmp_path / "old", whole),
        stored(tmp_path / "new", results("m", chosen, **PART)),
    )
    done = call(str(old), str(new), "-f", "json")
    assert done.exit_code == 0, done.output
    (target,) = json.loads(done.stdout)["targets"]
    assert len(target["verdicts"]) == len(whole.functions)
    assert target["complete"]
    count = len(whole.functions)
    assert "m: 2 files merged, the newest result of each function counts: " in done.stderr
    assert f"{old / 'm.json'}: {count - 1} functions" in done.stderr
    assert f"{new / 'm.json'}: 1 function" in done.stderr


@pytest.mark.parametrize(
    ("other", "what"), [({"seed": 8}, "seed: 7 and 8"), ({"profile": "x"}, "profile: ")]
)
def test_a_part_of_another_run_does_not_hide_the_whole_one(
    other: dict[str, object], what: str, tmp_path: Path
) -> None:
    whole = every_verdict("m")
    old = stored(tmp_path / "old", whole)
    new = stored(tmp_path / "new", results("m", whole.functions[:1], **PART, **other))
    done = call(str(old), str(new), "-f", "json")
    assert done.exit_code == 2
    for word in (str(old / "m.json"), str(new / "m.json"), f"differ in {what}", "name one of them"):
        assert word in done.output
    # an older part of another run is history
    assert call(str(new), "-f", "json").exit_code == 0
    again = stored(tmp_path / "again", replace(whole, run=replace(whole.run, started="2026")))
    done = call(str(again), str(new), "-f", "json")
    assert done.exit_code == 0, done.output
    assert done.stderr == ""


def test_shards_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    functions = every_verdict("m").functions
    stored(tmp_path / "one", results("m", functions[:3], shard="1/2"))
    stored(tmp_path / "two", results("m", functions[3:], shard="2/2", seed=8))
    done = call(str(tmp_path / "one"), str(tmp_path / "two"), "-f", "json")
    assert done.exit_code == 2
    assert "differ in seed: 7 and 8" in done.output


def test_several_formats_are_written_at_once(tmp_path: Path) -> None:
    place = stored(tmp_path / "results", every_verdict("a"))
    formats = [part for name in FORMATS for part in ("--format", name)]
    done = call(str(place), *formats, "--output", str(tmp_path / "out"), "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    there = {p.name for p in (tmp_path / "out").iterdir()}
    assert {"index.html", "junit.xml", "results.csv", "scores.json", "badges", "pictures"} <= there


def test_scores_beside_results_are_passed_over(tmp_path: Path) -> None:
    place = stored(tmp_path / "results", every_verdict("a"))
    assert call(str(place), "-f", "json", "-o", str(place)).exit_code == 0
    done = call(str(place), "-f", "json")
    assert len(json.loads(done.output)["targets"]) == 1


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.single])
def test_a_format_of_one_file_is_printed(name: str, tmp_path: Path) -> None:
    place = stored(tmp_path / "results", every_verdict("a"))
    done = call(str(place), "--format", name)
    assert done.exit_code == 0
    assert done.output.strip()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "html"], "add --output DIR"),
        (["-f", "badges"], "add --output DIR"),
        (["-f", "csv", "-f", "json"], "only one format can be printed"),
        (["-f", "pdf"], "'pdf' is not one of"),
    ],
)
def test_what_cannot_be_printed_is_refused(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    place = stored(tmp_path / "results", every_verdict("a"))
    done = call(str(place), *arguments)
    assert done.exit_code == 2
    assert message in done.output


def test_a_file_that_holds_no_results_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"schema": "other/1"}')
    done = call(str(tmp_path / "bad.json"), "-f", "csv")
    assert done.exit_code == 2
    assert "bad.json" in done.output
    assert "hint:" in done.output


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    done = call(str(tmp_path), "-f", "csv")
    assert done.exit_code == 2
    assert "holds no results files" in done.output


def test_no_folder_of_reports_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = call("-f", "csv")
    assert done.exit_code == 2
    assert "there is no folder reports" in done.output


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    place = stored(tmp_path / "results", every_verdict("a"))
    (tmp_path / "file").write_text("")
    done = call(str(place), "-f", "csv", "-o", str(tmp_path / "file" / "below"))
    assert done.exit_code == 2
    assert "file/below cannot be written: Not a directory" in done.output


def test_every_documented_function_can_be_told_of() -> None:
    from conformance.cli.files.documents import documented  # noqa: PLC0415

    documentation = documented()
    assert list(documentation.functions) == list(load())
    for name, entry in documentation.functions.items():
        assert entry.summary, name
        assert entry.signatures, name
        assert {e for s in entry.signatures for e in s.editions} == set(entry.editions)


LONG = " or ".join(documented_names("keras-1"))
"""A `-k` expression of some thousand characters, as that of merged runs."""


def every_function(**run: object) -> Results:
    """Results of every function of Keras 1 in every aspect, from a run with `-k` and shards."""
    functions = [function(name, Verdict.CONFORMS) for name in documented_names("keras-1")]
    content = results("m", functions, **{"selection": LONG, "shard": "1/2, 2/2", **run})
    return replace(content, target=replace(content.target, edition="keras-1"))


def pages(place: Path, content: Results) -> dict[str, str]:
    """The files for readers, in every format."""
    folder, out = stored(place / "in", content), place / "out"
    formats = [name for name in FORMATS if name not in ("results", "compressed")]
    for name in formats:
        done = call(str(folder), "-f", name, "--output", str(out / name))
        assert done.exit_code == 0, done.output
    files = (file for file in out.rglob("*") if file.suffix not in (".js", ".css"))
    return {str(f.relative_to(out)): f.read_text("utf-8") for f in files if f.is_file()}


_PARTS = ("no score", "a part", ", part<", "(partial run)", 'name="complete" value="no"')


def test_merged_parts_with_every_function_are_a_whole_run_in_every_format(tmp_path: Path) -> None:
    for name, text in pages(tmp_path, every_function()).items():
        assert not any(part in text for part in (*_PARTS, '"complete": false', "-k ")), name


def test_no_format_shows_a_long_expression(tmp_path: Path) -> None:
    content = every_function()
    shown = pages(tmp_path, replace(content, functions=content.functions[1:]))
    for name, text in shown.items():
        assert LONG[:100] not in text, name
    assert f"-k &#39;{LONG[:70]}" in shown["html/index.html"]
    assert "(partial run)" in shown["markdown/matrix.md"]
    assert ", a part" in shown["badges/badges/m.svg"]


def test_a_function_in_one_aspect_leaves_the_results_partial(tmp_path: Path) -> None:
    content = every_function()
    first, *others = content.functions
    cut = replace(content, functions=[replace(first, aspects=first.aspects[:1]), *others])
    done = call(str(stored(tmp_path / "in", cut)), "-f", "json")
    assert [target["complete"] for target in json.loads(done.stdout)["targets"]] == [False]
