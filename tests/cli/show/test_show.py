from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from conformance.cli.show import show_command
from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files, write
from conformance.reporting.json_results import JsonWriter
from conformance.results import (
    ASPECTS,
    Aspect,
    AspectResult,
    FindingKind,
    FunctionResult,
    Results,
    Verdict,
)
from conformance.results.events import TargetFinished
from conformance.specs import load
from tests.editions import OF_K
from tests.reporting.records import (
    HOSTILE,
    array,
    aspect_result,
    failure,
    function,
    hostile,
    results,
)


def show(*arguments: str | Path) -> Result:
    """The answer with `--all`; test_brief.py has the short one."""
    return CliRunner().invoke(show_command, [*map(str, arguments), "--all"])


def put(folder: Path, *contents: Results) -> Path:
    for content in contents:
        JsonWriter(folder).handle(TargetFinished(content))
    return folder


def wrong_value(verdict: Verdict = Verdict.VIOLATES, identity: str = "a1b2") -> FunctionResult:
    bad = failure(
        verdict,
        id=identity,
        expected=array([1.0, 2.0, 3.0, "nan"], [2, 2]),
        got=array([1.0, 2.5, 3.0000002, "nan"], [2, 2]),
        max_ulp=2097152.0,
        script=f"print({identity!r})\n",
        message=f"differs ({identity})",
    )
    aspects = [
        AspectResult(
            aspect=a, verdict=verdict, cases=10, failures=[bad], max_ulp=2097152.0, limit_ulp=4.0
        )
        if a == "value"
        else aspect_result(a, Verdict.CONFORMS)
        for a in ASPECTS
    ]
    return FunctionResult("batch_dot", "linear algebra", aspects)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put(
        tmp_path / "results",
        results("crashing", [wrong_value(Verdict.CRASHED, "c3")]),
        results("good", [function("batch_dot", Verdict.CONFORMS)]),
        results("other", [function("dot", Verdict.CONFORMS)]),
        results("wrong", [wrong_value()]),
    )


def test_the_documents_speak_without_any_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = show("batch_dot")
    assert answer.exit_code == 0
    for entry in load()["batch_dot"].signatures.values():
        assert f":{entry.line} " in answer.output and entry.text in answer.output
    assert "C047: tested is: " in answer.output
    assert "negative-axis: " in answer.output
    assert "    where axes counts from the end\n" in answer.output
    assert "    where axes is None or omitted\n" in answer.output
    assert "[is_none, axes]" not in answer.output
    assert "No results here" in answer.output


def test_reports_is_where_results_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "reports", results("wrong", [wrong_value()]))
    assert "differs (a1b2) (ko-2.2:1053)" in show("batch_dot").output


def test_a_folder_reports_of_something_else_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "coverage.json").write_text('{"meta": {}}')
    answer = show("batch_dot")
    assert answer.exit_code == 0
    assert "No results here" in answer.output


def test_results_of_a_package_are_found_in_a_folder_of_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bad = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(message="all wrong"))
    mine = results("mine", [FunctionResult("keras.ops.dot", "t", [bad])])
    put(tmp_path / "reports", results("old", [function("relu", Verdict.CONFORMS)]))
    put(tmp_path / "reports" / "ops", mine)
    (tmp_path / "reports" / "pictures").mkdir()
    answer = show("keras.ops.dot").output
    assert "all wrong" in answer
    assert "old" not in answer, "its edition has no such function"
    assert "Not run on: old" in show("keras.ops.dot", "--target", "old").output


def test_sections_of_docstrings_are_cited_like_lines() -> None:
    answer = show("keras.ops.take_along_axis").output
    assert "keras-3.15.1 keras.ops.take_along_axis(x, indices, axis=None)  [keras-3]" in answer
    assert "[keras.ops.take_along_axis: " in answer


def test_what_no_call_passes_is_told_with_the_reason() -> None:
    output = show("relu").output
    assert "do not pass" not in output
    assert "name: a label: it changes no result" in show("zeros").output


def test_compressed_results_are_shown(tmp_path: Path) -> None:
    write(tmp_path, format_files("compressed", [results("wrong", [wrong_value()])], Documented()))
    assert "differs (a1b2) (ko-2.2:1053)" in show("batch_dot", "--results", tmp_path).output


@pytest.mark.thorough
def test_every_function_can_be_shown_in_every_edition(folder: Path) -> None:
    for name, spec in load().items():
        for edition in OF_K:
            answer = show(name, "--results", folder, "--edition", edition)
            assert answer.exit_code == (0 if edition in spec.editions else 2), answer.output


def test_an_edition_narrows_the_documents_and_the_targets(folder: Path) -> None:
    answer = show("batch_dot", "--results", folder, "--edition", "keras-1")
    assert "ja-1:420" in answer.output
    assert "ko-2.2" not in answer.output
    assert "wrong" not in answer.output


def test_each_target_has_a_verdict_for_each_aspect(folder: Path) -> None:
    lines = show("batch_dot", "--results", folder).output.splitlines()
    start = lines.index(
        next(line for line in lines if line.split() == ["crashing", "good", "wrong"])
    )
    rows = lines[start + 1 : start + 1 + len(ASPECTS)]
    table = {line[:15].strip(): line[15:].split() for line in rows}
    assert list(table) == [str(a) for a in ASPECTS]
    assert table["value"] == ["!", "7/10", "✓", "10/10", "✗", "7/10"]
    assert "Not run on: other" in lines
    assert "wrong: value is off by 2.097e+06 ULP at most (limit 4)" in lines


def test_a_failure_is_told_in_full_and_its_elements_are_marked(folder: Path) -> None:
    output = show("batch_dot", "--results", folder, "--target", "wrong").output
    part = output[output.index("wrong (keras-2.2)") :].splitlines()
    assert part[1] == "✗ value  differs (a1b2) (ko-2.2:1053)"
    assert "    demanded by ko-2.2:1053" in part
    assert "    error 2.097e+06 ULP; the limit is 4 ULP" in part
    assert part[part.index("    got: float32 (2, 2)") + 1].split() == ["1", "*2.5*"]
    assert part[part.index("    got: float32 (2, 2)") + 2].split() == ["3.0000002", "nan"]
    assert "    1 of 4 elements differ (between stars)" in part


def test_the_gravest_script_comes_alone_on_stdout(folder: Path) -> None:
    answer = show("batch_dot", "--results", folder, "--script")
    assert answer.stdout == "print('a1b2')\n"
    assert "another: crashing, value crashed: --failure c3" in answer.stderr


def test_a_script_can_be_chosen(folder: Path) -> None:
    assert show("batch_dot", "--results", folder, "--script", "--failure", "c").stdout == (
        "print('c3')\n"
    )
    assert show("batch_dot", "--results", folder, "--script", "--target", "crashing").stdout == (
        "print('c3')\n"
    )


def test_a_script_of_a_namesake_in_the_results_is_proposed(tmp_path: Path) -> None:
    bad = aspect_result(ASPECTS[0], Verdict.VIOLATES, failure())
    put(tmp_path, results("mine", [FunctionResult("keras.ops.hard_sigmoid", "t", [bad])]))
    refused = show("hard_sigmoid", "--results", tmp_path, "--script")
    assert "`conformance show keras.ops.hard_sigmoid --script`" in refused.output
    assert show("keras.ops.hard_sigmoid", "--results", tmp_path, "--script").exit_code == 0


def test_a_script_passes_verbatim_through_a_pipe(tmp_path: Path) -> None:
    script = "print('\x1b[31m [bold] é ' + \"`|\")\n\n# end"
    format_files = function("dot", Verdict.CONFORMS)
    format_files.aspects[0] = aspect_result(ASPECTS[0], Verdict.VIOLATES, failure(script=script))
    put(tmp_path, results("t", [format_files]))
    run = subprocess.run(
        [
            *(
                sys.executable,
                "-c",
                "from conformance.cli.show import show_command; show_command()",
            ),
            *("dot", "--results", tmp_path, "--script"),
        ],
        capture_output=True,
        check=True,
    )
    assert run.stdout == script.encode() + b"\n"


@pytest.mark.parametrize("name", ["lesser", "K.less", "keras.backend.less"])
def test_older_and_qualified_names_find_the_function(name: str) -> None:
    answer = show(name)
    assert answer.output.startswith("less (comparison)")
    assert "lesser(x, y)" in answer.output


def test_an_edition_without_the_function_leads_to_those_that_have_it() -> None:
    answer = show("softmax", "--edition", "keras-3")
    assert answer.exit_code == 2
    assert "error: softmax is not in keras-3\nhint: it is in keras-1, " in answer.output


def test_a_failure_that_is_not_there_is_told_with_near_ones(tmp_path: Path) -> None:
    put(tmp_path, results("mine", [wrong_value()]))
    answer = show("batch_dot", "--results", tmp_path, "--failure", "a1b3")
    assert (answer.exit_code, "did you mean a1b2?" in answer.output) == (2, True)


def test_a_seed_is_no_negative_number() -> None:
    assert show("softmax", "--plan", "--seed", "-3").exit_code == 2


def test_an_unknown_function_gets_suggestions() -> None:
    answer = show("batchdot")
    assert answer.exit_code == 2
    assert "'batchdot'\nhint: did you mean batch_dot or " in answer.output
    assert "Traceback" not in answer.output


@pytest.mark.parametrize("name", ["view", "ops.view", "keras.ops.view"])
def test_the_last_parts_of_a_name_are_enough(name: str) -> None:
    assert show(name).output.startswith("keras.ops.view (")


def test_a_part_that_two_names_have_is_not_enough() -> None:
    answer = show("convert_to_tensor")
    assert answer.exit_code == 2
    assert "did you mean keras." in answer.output
    assert "keras.ops.convert_to_tensor" in answer.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--results", "{folder}", "--target", "nobody"],
            "there are: crashing, good, other, wrong",
        ),
        (["--results", "{folder}", "--failure", "zz"], "batch_dot has no failure 'zz'"),
        (["--results", "{folder}", "--target", "good", "--script"], "has a script"),
        (["--results", "{empty}"], "conformance run --output"),
        (["--results", "{broken}"], "broken.json: this is not JSON"),
        (["--results", "/nowhere"], "/nowhere"),
        (["--edition", "keras-9"], "keras-2.2"),
    ],
)
def test_bad_input_is_told_with_a_cure(
    folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    places = {"folder": folder, "empty": tmp_path / "empty", "broken": tmp_path / "broken.json"}
    places["empty"].mkdir()
    places["broken"].write_text("{")
    answer = show("batch_dot", *(a.format(**places) for a in arguments))
    assert answer.exit_code == 2
    assert message in " ".join(answer.output.split())
    assert "Traceback" not in answer.output
    assert answer.stdout == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_results_stay_text(tmp_path: Path, text: str) -> None:
    format_files = hostile(text)
    named = FunctionResult("dot", text, format_files.functions[0].aspects)
    put(
        tmp_path,
        Results(
            target=format_files.target,
            run=format_files.run,
            summary=format_files.summary,
            functions=[named],
        ),
    )
    answer = show("dot", "--results", tmp_path)
    assert answer.exit_code == 0
    kinds = {unicodedata.category(c) for c in answer.output if c != "\n"}
    assert not kinds & {"Cc", "Cf", "Cs"}


def test_the_table_of_six_targets_fits_in_100_columns(tmp_path: Path) -> None:
    names = [f"keras-2.2.{i}-implementation" for i in range(6)]
    put(tmp_path, *(results(n, [function("dot", Verdict.CONFORMS)]) for n in names))
    lines = show("dot", "--results", tmp_path).output.splitlines()
    table = lines[lines.index("Targets") :]
    assert max(map(cell_len, table)) <= 100
    assert sum(line.count("✓ 10/10") for line in table) == 6 * len(ASPECTS)


def test_one_failure_has_the_row_of_its_aspect_alone(tmp_path: Path) -> None:
    """The other aspects had `·`, which stands for `not applicable`."""
    put(tmp_path, results("one", [wrong_value(identity="a1b2")]))
    shown = CliRunner().invoke(
        show_command, ["batch_dot", "--results", str(tmp_path), "--failure", "a1b2"]
    )
    rows = [line.split()[0] for line in shown.output.splitlines() if line.startswith("  ")]
    assert "value" in rows
    assert not {"dtype", "purity", "signature"} & {*rows}, shown.output


def test_a_lack_that_a_probe_shows_counts_no_cases(tmp_path: Path) -> None:
    lack = failure(Verdict.UNSUPPORTED, id="a1b2", kind=FindingKind.NO_GRADIENTS)
    aspect = AspectResult(
        aspect=Aspect.GRADIENT, verdict=Verdict.UNSUPPORTED, cases=0, failures=[lack]
    )
    put(tmp_path, results("one", [FunctionResult("batch_dot", "linear algebra", [aspect])]))
    shown = show("batch_dot", "--results", tmp_path)
    assert "no case ran" in shown.output
    assert "of 0 cases" not in shown.output
