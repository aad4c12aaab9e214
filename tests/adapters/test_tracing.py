"""The lines of the implementation's package that a batch runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.answered_values import AnswerError
from conformance.adapters.answers import observation
from conformance.adapters.session import Session
from conformance.adapters.worker.conformance_worker import failures, tracing
from conformance.adapters.worker.conformance_worker.failures import find_sources
from conformance.adapters.worker.conformance_worker.tracing import traced
from conformance.program import Program
from tests.adapters.support import batch, call, launch, x

INNER = """\
import json

def chosen(number):
    if number:
        return json.dumps(number)
    return ''
"""
OUTER = """\
from traced_package.inner import chosen

def call(number):
    return [chosen(n) for n in (number, number)]
"""
TRACERS = ["settrace", *(["monitoring"] if hasattr(sys, "monitoring") else [])]


@pytest.fixture(params=TRACERS)
def tracer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the two ways in which Python reports lines."""
    if request.param == "settrace":
        monkeypatch.delattr(sys, "monitoring", raising=False)


@pytest.fixture
def outer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module of a package on the path, which is forgotten afterwards."""
    package = tmp_path / "traced_package"
    package.mkdir()
    for name, source in (("__init__", ""), ("inner", INNER), ("outer", OUTER)):
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(failures, "_sources", [])
    known = {*sys.modules}
    module = importlib.import_module("traced_package.outer")
    find_sources("traced_package.outer")
    yield module
    for name in {*sys.modules} - known:
        del sys.modules[name]


def lines(answer: dict[str, Any]) -> dict[str, list[int]]:
    return {
        function[1]: [line for line, _ in function[4]]
        for function in answer["trace"]
        if function[1][0] != "<"
    }


@pytest.mark.usefixtures("tracer")
@pytest.mark.parametrize(("number", "last"), [(3, 5), (0, 6)])
def test_the_lines_that_run_are_recorded(outer: Any, number: int, last: int) -> None:
    with traced(asked=True) as answer:
        outer.call(number)
    assert lines(answer) == {"call": [4], "chosen": [4, last]}
    (chosen,) = (f for f in answer["trace"] if f[1] == "chosen")
    assert chosen[0] == "traced_package/inner.py"
    assert chosen[2] == 3
    assert chosen[3] >= 2  # a comprehension is a frame of its own before Python 3.12


@pytest.mark.usefixtures("tracer")
def test_each_trace_begins_anew(outer: Any) -> None:
    for number, last in ((3, 5), (0, 6), (3, 5)):
        with traced(asked=True) as answer:
            outer.call(number)
        assert lines(answer)["chosen"] == [4, last]


@pytest.mark.usefixtures("tracer")
def test_an_exception_ends_the_trace(outer: Any) -> None:
    with pytest.raises(TypeError), traced(asked=True):
        outer.call({1})
    with traced(asked=False) as answer:
        outer.call(3)
    assert not answer
    assert sys.gettrace() is None or "tracing" not in repr(sys.gettrace())


@pytest.mark.usefixtures("tracer")
def test_a_trace_is_bounded(outer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_TRACED_LINES", 2)
    with traced(asked=True) as answer:
        outer.call(3)
    assert sum(len(function[4]) for function in answer["trace"]) == 2


def test_a_worker_traces_a_batch_that_asks_for_it() -> None:
    asked = batch(call("softmax", x(2, 3)), draws=1)
    with Session(launch("correct")) as session:
        plain = session.run_batch(asked)
        shown = session.run_batch(replace(asked, trace=True))
    assert not plain.trace
    assert shown.trace
    assert {function.file.split("/")[0] for function in shown.trace} == {"fakes"}


def answer_with(trace: list[Any]) -> dict[str, Any]:
    """The header of an answer without inputs and outputs, with a trace."""
    draws: list[Any] = [[None, []]]
    empty: dict[str, Any] = {
        name: [] for name in ("inputs", "outputs", "errors", "values", "leaked")
    }
    return {"ok": True, **empty, "draws": draws, "seconds": [0, 0, 0], "trace": trace} | {
        "evaluated_with": None
    }


@pytest.mark.parametrize(
    ("trace", "problem"),
    [
        ([["a.py", "f", 1, 1, [[1, 2]] * 15_000]] * 2, "more than 20000 lines"),
        ([["a.py", "f", 1, 1, [[1, 2]]]] * 1001, "not an observation"),
        ([["a.py", "f", 1, 1, [[10**9, 1]]]], "not an observation"),
        ([["a.py", 7, 1, 1, [[1, 2]]]], "not an observation"),
    ],
)
def test_a_host_refuses_a_trace_without_bounds(trace: list[Any], problem: str) -> None:
    asked = replace(batch(Program((), (), ()), draws=1), trace=True)
    with pytest.raises(AnswerError, match=problem):
        observation(answer_with(trace), [], asked)


def test_a_host_cuts_the_names_of_a_trace() -> None:
    asked = replace(batch(Program((), (), ()), draws=1), trace=True)
    long = answer_with([["a" * 5000, "b" * 5000, 1, 1, [[1, 2]]]])
    (function,) = observation(long, [], asked).trace
    assert (len(function.file), len(function.name)) == (200, 200)


def test_a_statement_of_several_lines_is_one(outer: Any, tmp_path: Path) -> None:
    source = "def call(number):\n    return (\n        number\n        + len('ab')\n    )\n"
    (tmp_path / "traced_package" / "long.py").write_text(source, encoding="utf-8")
    module = importlib.import_module("traced_package.long")
    with traced(asked=True) as answer:
        module.call(3)
        outer.call(0)
    long, short = (dict(f[4]) for f in answer["trace"][:2])
    assert list(long) == [2]
    assert list(short) == [4]
    assert long[2] > 8


def test_a_wrapper_of_keras_is_not_followed(outer: Any) -> None:
    folder = Path(outer.__file__).parent
    assert failures.is_own(str(folder / "outer.py"))
    assert not failures.is_own(str(folder / "src" / "utils" / "traceback_utils.py"))
