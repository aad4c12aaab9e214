from __future__ import annotations

import io
import re
import time
import unicodedata
from collections.abc import Iterable

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from conformance.reporting import progress
from conformance.reporting.marks import MARKS
from conformance.reporting.matrix import column, matrix
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.summary import NOT_KEPT
from conformance.reporting.terminal import TerminalWriter
from conformance.reporting.writer import EventRecorder
from conformance.results import ASPECTS, Aspect, FunctionResult, Results, Verdict
from conformance.results.events import (
    CasesDone,
    Event,
    FunctionJudged,
    FunctionStarted,
    PlanShortened,
    RunFinished,
    RunStarted,
    TargetFinished,
    TargetStarted,
    TargetUnavailable,
    WorkerRestarted,
)
from tests.reporting.records import (
    HOSTILE,
    JUDGED,
    NEWER,
    aspect_result,
    ended,
    every_verdict,
    failure,
    function,
    hostile,
    many_targets,
    newer,
    results,
)


def console(*, terminal: bool = False, width: int = 100, encoding: str = "utf-8") -> Console:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    return Console(
        file=file,
        force_terminal=terminal,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={"TERM": "xterm-256color", "COLUMNS": str(width)},
    )


LONG = "keras.ops.convert_to_tensor_of_long_name"


def output(screen: Console) -> str:
    screen.file.flush()
    file = screen.file
    assert isinstance(file, io.TextIOWrapper)
    raw = file.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode(file.encoding)


def events(contents: Iterable[Results], *, interrupted: bool = False) -> list[Event]:
    targets = list(contents)
    cases = {r.target.name: r.run.cases for r in targets}
    functions = {r.target.name: len(r.functions) for r in targets}
    heard: list[Event] = [RunStarted(cases, functions)]
    for content in targets:
        name = content.target.name
        heard.append(TargetStarted(content.target))
        for judged in content.functions:
            heard.append(CasesDone(name, judged.function, 10, 1))
            heard.append(FunctionJudged(name, judged))
        heard.append(WorkerRestarted(name, "dot", "killed by signal 11"))
        heard.append(TargetFinished(content))
    heard.append(RunFinished(12.5, interrupted))
    return heard


def shown(heard: Iterable[Event], screen: Console, **options: bool | int | str) -> str:
    writer = TerminalWriter(screen, **options)  # type: ignore[arg-type]
    for event in heard:
        writer.handle(event)
    writer.close()
    return output(screen)


def section(text: str, title: str) -> list[str]:
    lines = text.splitlines()
    start = lines.index(title) + 1
    return lines[start : lines.index("", start) if "" in lines[start:] else None]


def control_characters(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}


READINGS = "Allowed readings, with the number of functions"


def matrix_of(text: str) -> list[str]:
    """The lines from the legend to the end of the matrix."""
    before_failures = text.split("\nFailures\n", maxsplit=1)[0]
    return before_failures.splitlines()


def test_a_newer_release_is_noted_at_the_start() -> None:
    first, *_ = shown(events([newer()]), console()).splitlines()
    assert first == NEWER
    quiet = shown(events([newer()]), console(), quiet=True)
    assert "newer" not in quiet
    assert "newer" not in shown(events([every_verdict()]), console())


def test_six_targets_and_69_functions_fit_in_100_columns() -> None:
    lines = matrix_of(shown(events(many_targets()), console(), quiet=False))[19:]
    assert max(map(cell_len, lines)) <= 100
    rows = [line for line in lines if line.startswith("  a_long_function_name_")]
    assert len(rows) == 69
    cells = re.compile(r"  \S+(\s+[✓✗–!⧖·]( \d+/\d+)?( ≈)?){6}$")  # noqa: RUF001
    assert all(cells.match(row) for row in rows)
    themes = [line for line in lines if line.startswith("theme ")]
    assert themes == [f"theme {i}" for i in range(7)]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 140])
def test_narrow_terminals_get_groups_of_targets_and_whole_rows(width: int) -> None:
    lines = matrix_of(shown(events(many_targets()), console(width=width)))
    rows = [line for line in lines if line.startswith("  a_long_function")]
    per_group = max(1, (width - 26) // 12)
    assert len(rows) == 69 * -(-6 // per_group)
    assert all(len(r) <= max(width, 38) for r in rows)
    marks = "".join(MARKS[v].symbol for v in Verdict if v is not Verdict.DIVERGES)
    assert sum(len(re.findall(f" [{marks}](?= |$)", r)) for r in rows) == 69 * 6


def test_every_verdict_is_marked_in_its_row_and_explained() -> None:
    text = shown(events([every_verdict()]), console())
    assert re.search(r"^  f_diverges +✓ 13/13 ≈$", text, re.M)
    assert "≈ some answers differ where the documents are silent" in text
    for verdict, mark in ((v, MARKS[v]) for v in JUDGED if v is not Verdict.DIVERGES):
        assert re.search(rf"^  f_{verdict.name.lower()} +{re.escape(mark.symbol)}", text, re.M)
        assert f"{mark.symbol} {mark.verb if mark.symbol == '·' else verdict}" in text


def test_failures_come_violations_first_in_words() -> None:
    failures = section(shown(events([every_verdict()]), console()), "Failures")
    assert failures[0] == (
        "✗ f_violates  value  gives (2,); expected (2, 1) (ko-2.2:1053)  [theano]"
    )
    assert [line[0] for line in failures[:3]] == ["✗", "!", "⧖"]
    assert "conformance show FUNCTION" in failures[3]


def test_how_to_see_the_cases_names_the_function_if_it_is_one() -> None:
    content = results("mine", [function("softmax", Verdict.VIOLATES)])
    lines = section(
        shown(events([content]), console(), see="look at FUNCTION in FUNCTION"), "Failures"
    )
    assert lines[-1] == "look at softmax in FUNCTION"


def test_a_failure_that_targets_share_is_listed_once() -> None:
    contents = [every_verdict("keras-theano"), every_verdict("keras-2.2.4-cntk")]
    failures = section(shown(events(contents), console()), "Failures")
    assert failures[0].endswith("[theano, cntk]")
    assert len(failures) == 4


def test_the_list_is_limited_and_verbose_is_not() -> None:
    contents = many_targets(1)
    few = section(shown(events(contents), console(), limit=5), "Failures")
    assert len(few) == 8, "counts, one of each cause, how many more, and how to see them"
    assert few[0] == "29 failures of 3 causes"
    match = re.match(
        r"    8 more of this kind \(value: the result has another shape\): (.*)", few[2]
    )
    assert match is not None
    assert len(match[1].split(", ")) == 8, "every function has its name"
    assert few[-1].startswith("`conformance show FUNCTION`")
    everything = shown(events(contents), console(), limit=5, verbose=True)
    lines = section(everything, "Failures")
    assert len(lines) == 10 + 10 + 9 + 10 + 1, "divergences too"
    assert not any(" more; " in line for line in lines)
    assert "worker restarted in dot: killed by signal 11" in everything


def test_causes_beyond_the_limit_are_counted() -> None:
    functions = [
        FunctionResult(
            f"f{i}",
            "t",
            [aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(kind=f"kind {'x' * i}"))],
        )
        for i in range(7)
    ]
    few = section(shown(events([results("t", functions)]), console(), limit=5), "Failures")
    assert few[-2] == "and 2 more of 2 other causes: f5, f6; --verbose lists all"


def test_rare_conventions_are_counted_unless_verbose() -> None:
    functions = [
        FunctionResult(
            f"f{i}",
            "t",
            [
                aspect_result(
                    Aspect.VALUE, Verdict.DIVERGES, failure(Verdict.DIVERGES, convention=n)
                )
            ],
        )
        for i, n in enumerate("abcdefg")
    ]
    heard = events([results("t", functions)])
    few = section(shown(heard, console(), limit=5), READINGS)
    assert few[-1] == "and 2 rarer; --verbose lists all"
    many = section(shown(heard, console(), verbose=True), READINGS)
    assert len(many) == 7


def test_the_summary_gives_score_counts_rate_share_and_restarts() -> None:
    text = shown(events([results("t", every_verdict().functions, restarts=2)]), console())
    scores = section(text, "Scores")
    assert 6 * len(ASPECTS) == 78, "of the seven functions, one is not applicable"
    assert scores[0] == (
        "t: 74 of 78 aspects follow the documents (94.9 %), ✗ 1 violate, "
        "! 1 crashed, ⧖ 1 timed out, 1 missing (1.3 %): – 1 unsupported; ≈ 1 take another reading"  # noqa: RUF001
    )
    assert "1000 cases in 10.0 s (100 cases/s)" in scores[1]
    assert "75% of the time in the implementation" in scores[1]
    assert "restarted 2 times" in scores[1]


def test_a_run_of_several_targets_says_first_what_it_runs() -> None:
    """No number of cases and no time: the plan knows neither, and both were wrong by far."""
    planned, functions = {"mine": 1200, "theirs": 300}, {"mine": 6, "theirs": 4}
    begun = RunStarted(planned, functions, 754.0)
    text = shown([begun, RunFinished(1.0, interrupted=False)], console())
    assert text.splitlines()[0] == "2 targets: mine, theirs; 10 functions in all"
    composed = RunStarted(planned, {"mine": 0, "theirs": 0}, 754.0)
    text = shown([composed, RunFinished(1.0, interrupted=False)], console())
    assert text.splitlines()[0] == "2 targets: mine, theirs; 1500 programs, at most 13 minutes"
    alone: list[Event] = [
        RunStarted({"mine": 1200}, {}, 754.0),
        RunFinished(1.0, interrupted=False),
    ]
    assert "targets:" not in shown(alone, console())
    assert "targets:" not in shown([RunStarted(planned)], console(), quiet=True)


def test_a_pipe_is_told_how_far_each_target_is_while_nothing_else_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = console()
    writer = TerminalWriter(screen, heartbeat=0.01)
    content = every_verdict("mine")
    begun: list[Event] = [
        RunStarted({"mine": 90, "theirs": 5}, {"mine": 7, "theirs": 1}),
        TargetStarted(content.target),
        FunctionStarted("mine", content.functions[0].function),
        CasesDone("mine", "dot", 10, 2),
        FunctionJudged("mine", content.functions[0]),
        FunctionStarted("mine", "exp", content.functions[0].function),
        FunctionStarted("mine", "hangs", "exp"),
    ]
    monkeypatch.setattr(progress, "NAMED_AFTER", 0.0)
    for event in begun:
        writer.handle(event)
    line = (
        r"mine: 1 of 7 functions judged, 10 cases done, 2 failed; hangs running for \d+ seconds?\n"
    )
    until = time.monotonic() + 60
    while not re.search(line, output(screen)) and time.monotonic() < until:
        time.sleep(0.01)
    writer.close()
    assert re.search(line, output(screen))
    assert "theirs: " not in output(screen), "it has not begun"


@pytest.mark.parametrize("options", [{"quiet": True}, {}])
def test_a_terminal_and_a_quiet_run_have_no_heartbeat(options: dict[str, bool]) -> None:
    screen = console(terminal=not options)
    writer = TerminalWriter(screen, heartbeat=0.0, quiet="quiet" in options)
    for event in events([every_verdict("mine")])[:4]:
        writer.handle(event)
    time.sleep(0.05)
    writer.close()
    assert "functions judged" not in output(screen)


def test_readings_are_counted_by_function() -> None:
    text = shown(events([every_verdict()]), console())
    assert section(text, READINGS) == ["≈ ties: theano 1"]
    took = failure(Verdict.DIVERGES, convention="ties", readings=["ties: first"])
    aspects = [aspect_result(a, Verdict.DIVERGES, took) for a in (Aspect.VALUE, Aspect.DTYPE)]
    content = results("mine", [FunctionResult("argmax", "reductions", aspects)])
    text = shown(events([content, every_verdict("other")]), console())
    assert section(text, READINGS) == ["≈ ties: other 1", "≈ ties: first: mine 1"]


def test_the_legend_has_no_reading_where_none_is_taken() -> None:
    text = shown(events([results("t", [function("dot", Verdict.CONFORMS)])]), console())
    assert "≈" not in text


def test_a_pipe_gets_one_line_for_each_finished_target_and_no_control_characters() -> None:
    contents = many_targets(3)
    screen = console()
    writer = TerminalWriter(screen)
    for event in events(contents)[:-1]:
        writer.handle(event)
    text = output(screen)
    first, *lines = text.splitlines()
    names = [r.target.name for r in contents]
    assert first == f"3 targets: {', '.join(names)}; 207 functions in all"
    begun, restarted, finished = lines[::3], lines[1::3], lines[2::3]
    assert [line.split(":")[0] for line in begun] == names
    assert all(" judged, the first of " in line for line in begun)
    assert [line.split(":")[0] for line in finished] == names
    message = "worker restarted in dot: killed by signal 11"
    assert restarted == [f"{name}: {message}" for name in names]
    assert not control_characters(shown(events(contents), console()))


def test_losses_are_shown_as_they_happen_and_what_they_cost() -> None:
    reason = "8 cases hung or filled the memory"
    screen = console()
    writer = TerminalWriter(screen)
    for name in ("f1", "f1", *(f"f{i}" for i in range(2, 9))):
        writer.handle(WorkerRestarted("mine", name, "no answer within 14 s"))
    writer.handle(PlanShortened("mine", reason))
    writer.close()
    *restarts, last = output(screen).splitlines()
    assert [line.split(":")[1] for line in restarts] == [
        f" worker restarted in f{i}" for i in range(1, 6)
    ]
    assert last == f"mine: {reason}"
    content = every_verdict()
    run = msgspec.structs.replace(content.run, shortened=[reason])
    text = shown(events([msgspec.structs.replace(content, run=run)]), console())
    assert reason in text


def test_quiet_leaves_the_scores() -> None:
    text = shown(events([every_verdict()]), console(), quiet=True)
    assert len(text.splitlines()) == 2
    assert "aspects follow the documents" in text


def test_a_terminal_gets_colour_and_progress() -> None:
    content = every_verdict()
    screen = console(terminal=True)
    writer = TerminalWriter(screen)
    heard = events([content])
    for event in heard[:-2]:
        writer.handle(event)
    writer._live._progress.refresh()
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", output(screen))
    assert re.search(r"keras-2\.2\.4-theano .* 7/7 functions 70 cases, 7 failed", text)
    for event in heard[-2:]:
        writer.handle(event)
    assert "\x1b[1;31m✗" in output(screen)
    assert not writer._live._progress.live.is_started


def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    writer = TerminalWriter(screen)
    for event in events([every_verdict()]):
        writer.handle(event)
    file = screen.file
    assert isinstance(file, io.StringIO)
    styles = re.findall(r"\x1b\[([\d;]+)m", file.getvalue())
    colours = {code for style in styles for code in style.split(";") if int(code) >= 30}
    assert styles and not colours


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_an_encoding_without_the_symbols_gets_ascii(encoding: str) -> None:
    contents = [every_verdict(), *map(hostile, HOSTILE)]
    text = shown(events(contents), console(encoding=encoding))
    assert re.search(rf"^  f_violates +X {len(ASPECTS) - 1}/{len(ASPECTS)}", text, re.M)
    assert "The run tested no target" not in text and "Scores" in text
    assert "✗" not in text


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("terminal", [False, True])
def test_hostile_text_stays_text(text: str, terminal: bool) -> None:
    screen = console(terminal=terminal)
    heard = [
        TargetUnavailable(text, text, text),
        *events([hostile(text)]),
    ]
    printed = shown(heard, screen, verbose=True)
    if terminal:
        # what rich itself writes: styles, cursor movement, erasing
        printed = re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\r", "", printed)
    assert not control_characters(printed)
    if "[bold]" in text:
        assert "[bold]markup[/bold] [/]" in printed


def test_an_interrupted_run_says_what_was_done() -> None:
    content = every_verdict()
    whole = events([content])
    heard: list[Event] = [*whole[:6], RunFinished(3.25, interrupted=True)]
    text = shown(heard, console())
    assert "keras-2.2.4-theano: not finished; 20 cases done, 2 functions judged" in text
    assert "Interrupted after 3.2 s" in text
    assert re.search(r"^  f_not_applicable", text, re.M), "what was judged is in the matrix"


def test_a_run_without_any_target_says_so() -> None:
    heard: list[Event] = [
        RunStarted({"gone": 5}),
        TargetUnavailable("gone", "no interpreter", "conformance install gone"),
        RunFinished(0.0, interrupted=False),
    ]
    text = shown(heard, console(), quiet=True)
    assert text == (
        "gone cannot be run: no interpreter; conformance install gone\nThe run tested no target\n"
    )


def test_the_terminal_is_given_back_when_the_run_breaks_off() -> None:
    screen = console(terminal=True)
    writer = TerminalWriter(screen)
    writer.handle(RunStarted({"t": 5}))
    assert writer._live._progress.live.is_started
    writer.close()
    writer.close()
    assert not writer._live._progress.live.is_started


def test_cropped_text_shows_that_it_is_cropped() -> None:
    paint = Paint(console())
    assert paint.crop("abcdefgh", 5) == "abcd…"
    assert paint.crop("漢字漢字", 5) == "漢字…"
    assert paint.crop("abc", 5) == "abc"


def test_pipes_are_100_columns_wide_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert make_console().width == 100
    monkeypatch.setenv("COLUMNS", "57")
    assert make_console().width == 57


def test_the_recorder_keeps_events() -> None:
    recorder = EventRecorder()
    heard = events([every_verdict()])
    for event in heard:
        recorder.handle(event)
    assert recorder.events == heard
    assert recorder.results == [every_verdict()]
    assert recorder.of(WorkerRestarted)[0].reason == "killed by signal 11"


def test_a_run_that_was_ended_says_what_it_did_not_reach() -> None:
    text = shown(events([ended()]), console())
    assert re.search(r"f_brief +○ 3/13", text)
    assert re.search(r"f_unseen +○ 0/13", text)
    assert "○ not run" in text
    gap = next(" ".join(t.split()) for t in [text[text.rindex("ended by the limit") :]])
    assert "23 of 39 cells were not run, of 2 functions: f_brief, f_unseen" in gap
    assert "; the same command with --resume runs the rest" in gap
    unkept = " ".join(shown(events([ended()]), console(), resume=NOT_KEPT).split())
    assert "; add --output DIR to a run that may end early; --resume then runs the rest" in unkept


@pytest.mark.parametrize(("width", "row"), [(100, LONG), (40, f"{LONG[:24]}…")])
def test_a_long_name_is_whole_where_there_is_room(width: int, row: str) -> None:
    content = results("t", [function(LONG, Verdict.CONFORMS)])
    lines = matrix([column(content)], Paint(console(width=width)), width)
    assert any(line.plain.split()[:1] == [row] for line in lines)
