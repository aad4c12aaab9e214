"""A handful of mutants of every sort on the reference; the list of operators and its data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from conformance.adapters.registry import shipped
from conformance.cli import main
from conformance.editions import Edition
from conformance.engine import PROFILES, Run
from conformance.mutation import records
from conformance.mutation.operators import OPERATORS
from conformance.mutation.population import (
    EquivalentsError,
    load_equivalents,
    population,
    reasons,
    sampled,
    stale,
)
from conformance.mutation.records import JudgedMutant, Kill
from conformance.mutation.score import Scoring, showing, unminimised
from conformance.mutation.worker.conformance_mutant.formulas import FORMULAS
from conformance.results import Aspect, Verdict
from conformance.specs import EDITIONS, load

EVERY = {m.name: m for m in population(load(), "keras-2.2")}
SCHEMA = Path(records.__file__).parent / "schema" / "mutation-1.schema.json"

CHOSEN = {
    "sqrt: scaled": Aspect.VALUE,
    "sqrt: dtype drift": Aspect.DTYPE,
    "sqrt: static shape wrong": Aspect.STATIC_SHAPE,
    "sqrt: gradient scaled": Aspect.GRADIENT,
    "max: axis from the other end (axis)": Aspect.VALUE,
    "argmax: formula (argmax: the last of equals)": Aspect.VALUE,
    "tile: no error": Aspect.ERROR,
    "set_epsilon: without effect": Aspect.STATE,
    "random_normal: argument ignored (seed)": Aspect.SEED,
    "random_normal: two per cent more (stddev)": Aspect.DISTRIBUTION,
}
SAME = ("maximum: arguments exchanged (x, y)",)
"""No error: nothing tells it from the right function."""


@pytest.fixture(scope="module")
def judged() -> dict[str, JudgedMutant]:
    """What comes of the mutants that are chosen, with a few trials each."""
    results: list[JudgedMutant] = []
    profile = unminimised(replace(PROFILES["smoke"], structures=12))
    common = Run("1.0", profile, 0, "2000-01-01T00:00:00+00:00")
    chosen = [EVERY[name] for name in (*CHOSEN, *SAME)]
    scoring = Scoring(shipped()["reference"], load(), common, {}, results.append, callers_too=False)
    scoring.run(chosen, 1)
    return {mutant.name: mutant for mutant in results}


@pytest.mark.parametrize("name", CHOSEN)
def test_an_error_is_found_in_its_aspect(judged: dict[str, JudgedMutant], name: str) -> None:
    mutant = judged[name]
    assert mutant.outcome == "killed"
    assert mutant.shown is not None
    assert mutant.shown.aspect is CHOSEN[name]
    assert mutant.shown.was is Verdict.CONFORMS
    assert mutant.shown.verdict in (Verdict.VIOLATES, Verdict.DIVERGES)


@pytest.mark.parametrize("name", SAME)
def test_what_is_no_error_survives(judged: dict[str, JudgedMutant], name: str) -> None:
    assert judged[name].outcome == "survived"


@pytest.mark.parametrize(
    ("name", "judged", "aspects"),
    [
        ("sqrt: scaled", (Aspect.VALUE, Aspect.GRADIENT), (Aspect.VALUE,)),
        ("sqrt: gradient scaled", (Aspect.VALUE, Aspect.GRADIENT), (Aspect.GRADIENT,)),
        ("random_normal: argument ignored (seed)", (Aspect.VALUE, Aspect.SEED), (Aspect.SEED,)),
        ("random_normal: one seed for all (seed)", (Aspect.VALUE, Aspect.SEED), (Aspect.SEED,)),
        ("gradients: last result lost", (Aspect.GRADIENT, Aspect.DTYPE), (Aspect.GRADIENT,)),
    ],
)
def test_where_an_error_would_show(
    name: str, judged: tuple[Aspect, ...], aspects: tuple[Aspect, ...]
) -> None:
    assert showing(EVERY[name], judged) == aspects


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_operator_has_mutants_of_different_names(edition: Edition) -> None:
    mutants = population(load(), edition)
    assert len({m.name for m in mutants}) == len(mutants) > 900
    assert {m.operator.name for m in mutants} <= {o.name for o in OPERATORS}
    if edition == "keras-2.2":
        assert {m.operator.name for m in mutants} == {o.name for o in OPERATORS}


def test_every_formula_is_that_of_a_function() -> None:
    used = {m.options["formula"] for m in EVERY.values() if "formula" in m.options}
    assert used == set(FORMULAS)


def test_a_sample_is_spread_over_the_functions() -> None:
    mutants = list(EVERY.values())
    few = sampled(mutants, 2)
    assert [m for m in mutants if m in few] == few
    assert all(sum(m.operator is o for m in few) <= 2 for o in OPERATORS)
    assert {m.operator.name for m in few} == {o.name for o in OPERATORS}


def test_the_list_of_equivalent_mutants_names_mutants_with_reasons() -> None:
    entries = load_equivalents()
    names = [name for entry in entries for name in entry.mutants]
    assert len(names) == len(set(names))
    assert set(names) <= set(EVERY)
    assert all(entry.reason for entry in entries)


def test_a_stale_entry_is_told() -> None:
    text = '[[equivalent]]\nmutants = ["sqrt: scaled", "sqrt: cubed"]\nreason = "none"\n'
    entries = reasons(load_equivalents(text), "reference")
    shown = Kill(
        function="sqrt",
        aspect=Aspect.VALUE,
        verdict=Verdict.VIOLATES,
        was=Verdict.CONFORMS,
        kind="value",
        gives="gives 1",
    )
    mutant = EVERY["sqrt: scaled"]
    killed = JudgedMutant(
        name=mutant.name,
        function="sqrt",
        theme=mutant.theme,
        operator="scaled",
        outcome="killed",
        shown=shown,
    )
    assert list(stale(entries, [killed], set(EVERY))) == [
        "sqrt: scaled: is killed (sqrt, value: violates)",
        "sqrt: cubed: there is no such mutant",
    ]


@pytest.mark.parametrize("text", ["equivalent = 3", "[[equivalent]]\nmutants = []", "["])
def test_a_list_that_cannot_be_read_says_what_to_write(text: str) -> None:
    with pytest.raises(EquivalentsError, match="mutants = "):
        load_equivalents(text)


def test_the_command_writes_a_report(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main,
        [
            "mutate",
            "-k",
            "sqrt",
            "--operator",
            "dtype_drift",
            "--profile",
            "smoke",
            "-o",
            str(tmp_path),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "1 of 1 mutants killed, score 100.0 %" in done.output
    report = json.loads((tmp_path / "reference.mutation.json").read_text("utf-8"))
    assert SCHEMA.read_bytes() == records.encode_schema(), "python -m tools.schemas writes it"
    jsonschema.validate(report, json.loads(SCHEMA.read_text("utf-8")))
    page = (tmp_path / "reference.mutation.md").read_text("utf-8")
    assert "holds no results files" in CliRunner().invoke(main, ["report", str(tmp_path)]).output
    assert "| dtype drift | 1 | 1 | 0 | 0 | 0 | 0 | 100.0 % |" in page


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-k", "no_such"], "no mutant is selected"),
        (["theano"], "stands for several targets"),
        (["keras3-numpy"], "is reached through a mapping"),
        (["no-such-target"], "no-such-target"),
    ],
)
def test_wrong_usage_is_told_in_one_line(arguments: list[str], problem: str) -> None:
    done = CliRunner().invoke(main, ["mutate", *arguments])
    assert done.exit_code == 2
    assert problem in done.output


def test_what_a_worker_is_told_of_a_mutant() -> None:
    assert json.loads(EVERY["sum: argument ignored (axis)"].text("sum")) == {
        "function": "sum",
        "operator": "ignored",
        "given": {"parameter": "axis"},
    }
