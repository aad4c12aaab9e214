"""Every part of the suite that writes Python or TOML writes a backend's text as data.

`test_source_text` tries the printer of scripts. Here are the parts that hand texts to it, or that
write files of their own: checks of scenarios, composed programs, known failures and `init`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from conformance.cli.errors import UsageProblem
from conformance.cli.init.project import Backend, files
from conformance.cli.known_failures import JudgedCell
from conformance.cli.known_failures.writer import updated
from conformance.engine.judging.findings import Checked, Finding
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.running.preludes import reaching
from conformance.engine.verdicts.scripts import script
from conformance.fuzz.judging import Mismatch, Question
from conformance.fuzz.records.failures import failure
from conformance.observations import Identity, Value
from conformance.program import Binding, Input, Program, Ref, Step
from conformance.reporting.pytest_module import judges
from conformance.results import Aspect, Failure, Verdict
from conformance.scenarios import Check, Scenario, families_of
from conformance.scenarios.cited import scenarios_of
from conformance.scripts import Prelude
from conformance.specs import load
from conformance.specs.load import signature
from tests.program.strategies import REPEATABLE
from tests.reporting.records import failure as recorded
from tests.scripts.test_source_text import PIECES, PLAIN, TEXTS, statements

EDITIONS = ("keras-2.2", "keras-3")
INPUT = Input("x", (2,), "float32", Binding.VARIABLE)
PROGRAM = Program((INPUT,), (Step("y", "exp", (Ref("x"),)),), ("y",))
EXP = signature(load()["exp"], "keras-2.2")


def prelude(text: str) -> Prelude:
    """How a script reaches a backend that says this text wherever it says something."""
    identity = Identity(protocol=1, python=text, versions={text: text}, backend=text, functions={})
    return reaching(Prelude(), identity, ())


def texts(text: str) -> tuple[Value, ...]:
    return (Value(None, "str", "str", text=text),)


def of_composed_program(text: str) -> str:
    """The script of `conformance fuzz` for a program that raises an exception with this text."""
    asked = Question(PROGRAM, [{"x": np.ones(2, np.float32)}], "keras-2.2")
    raised = Mismatch("exception", "", 0, f"raises E (step): {text}", step=0, stage="step")
    return str(failure(asked, raised, prelude(text), seed=0, number=0).script)


def of_composed_dtype(text: str) -> str:
    """The same for a result whose dtype is this text."""
    asked = Question(PROGRAM, [{"x": np.ones(2, np.float32)}], "keras-2.2")
    wrong = Mismatch("dtype", "y", 0, f"has the dtype {text}", dtypes=("float32",))
    return str(failure(asked, wrong, prelude(text), seed=0, number=0).script)


def of_scenario(text: str) -> str:
    """The script of a scenario whose check has no words of its own for an answer with this text."""
    check = Check("same", Aspect.VALUE, outputs=("y",), test=lambda _: None, demands="another")
    arrays = {"x": np.ones(2, np.float32)}
    scenario = Scenario("exp", "a text", program=PROGRAM, arrays=arrays, checks=(check,))
    finding = Finding(
        Aspect.VALUE,
        Verdict.VIOLATES,
        "same",
        gives=f"gives {text!r}",
        demands="another",
        got=text,
        checked=Checked({"y": texts(text)}),
    )
    return str(script(text, finding, ScenarioTrial(scenario, "exp"), prelude(text), EXP))


def test_the_script_of_a_call_that_may_refuse_ends_well_if_it_raises() -> None:
    check = Check("same", Aspect.VALUE, outputs=("y",), test=lambda _: None, demands="another")
    arrays = {"x": np.ones(2, np.float32)}
    scenario = Scenario("exp", "", program=PROGRAM, arrays=arrays, checks=(check,), may_refuse=True)
    checked = Checked({"y": texts("no")}, "first == 'no'")
    wrong = Finding(Aspect.VALUE, Verdict.VIOLATES, "same", gives="", demands="", checked=checked)
    text = str(script("", wrong, ScenarioTrial(scenario, "exp"), prelude(""), EXP))
    assert "    y = K.exp(x)" in text
    assert "raise SystemExit(0)" in text
    assert "; status 0 if right or refused." in text
    assert judges(text)
    assert "unknown" not in text


PRODUCERS: dict[str, Callable[[str], str]] = {
    "a composed program that raises": of_composed_program,
    "a composed program with another dtype": of_composed_dtype,
    "a scenario": of_scenario,
}


@pytest.mark.parametrize("producer", PRODUCERS)
@REPEATABLE
@given(TEXTS)
def test_source_has_the_statements_of_its_harmless_twin(producer: str, text: str) -> None:
    produce = PRODUCERS[producer]
    assert statements(produce(text)) == statements(produce(PLAIN))


@REPEATABLE
@given(TEXTS)
def test_known_failures_have_the_entries_of_their_harmless_twin(text: str) -> None:
    entries = [tomllib.loads(known_failures(each)) for each in (text, PLAIN)]
    assert entries[0] == entries[1]


def known_failures(text: str) -> str:
    """A new file of known failures, for a failure with this text as its message."""
    failure: Failure = recorded(message=text, got=text)
    cell = JudgedCell(
        target="mine",
        function="exp",
        aspect=Aspect.VALUE,
        verdict=Verdict.VIOLATES,
        failures=[failure],
        cases=9,
        profile="default",
    )
    return updated("", [], [], [cell])


@REPEATABLE
@given(TEXTS)
def test_a_project_has_the_tables_of_its_harmless_twin(text: str) -> None:
    backend = Backend("mine", text, text, "keras-2.2")
    if any("\ud800" <= character <= "\udfff" for character in text):
        with pytest.raises(UsageProblem, match="is not UTF-8"):
            files(backend, Path("/nowhere"))
        return
    written = files(backend, Path("/nowhere"))
    table = tomllib.loads(written[Path("conformance.toml")])
    assert table["targets"] == {"mine": {"module": text, "edition": "keras-2.2", "path": text}}


def checks() -> Iterator[Check]:
    """One scenario's checks of each family of every function."""
    for edition in EDITIONS:
        for name, spec in load().items():
            if edition in spec.editions:
                for family in families_of(name, edition):
                    for scenario in scenarios_of(family, edition, 1):
                        yield from scenario.checks


def test_no_check_writes_an_answer_as_an_expression() -> None:
    """The words of a check for scripts have one form, whatever text the answer is."""
    tried = 0
    for check in checks():
        for place in range(len(check.outputs)):
            tried += _tried(check, place)
    assert tried > 100


def _tried(check: Check, place: int) -> int:
    """How many texts the check has words of its own for."""
    twin = words(check, place, PLAIN)
    if twin is None:
        return 0
    for text in PIECES:
        own = words(check, place, text)
        assert own in (None, twin), (check.name, text)
    return 1


def words(check: Check, place: int, text: str) -> str | None:
    """The tree of the check's expression if one output gives the text; None without one."""
    values = [texts(text if n == place else PLAIN) for n in range(len(check.outputs))]
    try:
        problem = check.test(*values)
    except Exception:  # a test may rely on a property of every answer
        return None
    expression = problem and (problem.fault or problem.wrong)
    return statements(expression) if expression else None
