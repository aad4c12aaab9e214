"""The table of every claim of the documents: whole, of things that exist, and no empty words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace as with_fields

from conformance.adapters.registry import shipped
from conformance.editions import LINED_DOCUMENTS
from conformance.engine import PROFILES, Run
from conformance.engine.judging import signatures
from conformance.mutation.population import population
from conformance.mutation.records import JudgedMutant
from conformance.mutation.score import Scoring, unminimised
from conformance.observations import FunctionIdentity, OfferedParameter, Value
from conformance.results import Verdict
from conformance.scenarios.cited import cited_exceptions, evidence, scenarios_of
from conformance.scenarios.families import FAMILIES
from conformance.scenarios.model import Check, Values
from conformance.specs import load
from conformance.specs.claims.lines import CLAIMING, SILENT, LineClasses, load_lines
from conformance.specs.claims.records import CheckEvidence, DocumentClaim, Ending, WrittenClaim
from conformance.specs.claims.table import ClaimTable, claim_table, counts, table_differences
from conformance.specs.comparison import Sources, SpecDifference
from conformance.specs.conventions import load_conventions
from conformance.specs.errata import load_conflicts
from conformance.specs.examples import load_examples
from conformance.specs.extraction import load_extraction
from conformance.specs.signature import Signature, parse

RECORDS = Path(__file__).parents[2] / "reports" / "mutation"


@cache  # and no constant: pytest imports this module whatever it runs
def whole() -> ClaimTable:
    """The table of the shipped specs and scenarios."""
    sources = Sources(
        load().printed_in(LINED_DOCUMENTS), load_extraction(), load_conflicts(), cited_exceptions()
    )
    return claim_table(sources, evidence())


@cache
def violable() -> list[DocumentClaim]:
    """The claims that something can violate."""
    return [claim for claim in whole().claims if claim.violable]


def faults(table: ClaimTable) -> list[SpecDifference]:
    return list(table_differences(table))


# The table is whole.


def test_every_claim_has_a_checker_that_exists_or_a_reason() -> None:
    assert faults(whole()) == []


def test_every_line_is_in_one_class() -> None:
    lengths = {document: classes.lines for document, classes in load_lines().items()}
    assert lengths == {
        "ja-1": 1550,
        "ja-1-text": 984,
        "ja-2.0": 3392,
        "zh-TW": 1431,
        "ko-2.2": 4060,
    }
    assert not CLAIMING.keys() & SILENT.keys()


@pytest.mark.parametrize("document", load_lines())
def test_what_is_extracted_of_an_entry_is_in_its_class(document: str) -> None:
    letters = dict(load_lines()[document].letters())
    for entry in load_extraction()[document].entries:
        assert letters[entry.signature[0]] == "s"
        assert entry.heading is None or letters[entry.heading[0]] == "#"
        assert entry.returns is None or letters[entry.returns] == "r"
        assert {letters[line] for _, line in entry.raises} <= {"e"}
        assert {letters[line] for _, line in entry.parameters} <= {"p", ":"}


def test_what_is_cited_is_a_claim() -> None:
    """A citation of a blank line, a heading or a fence is a wrong number."""
    for document, line in whole().checkers.by_place:
        assert load_lines()[document].claims(line), f"{document}:{line}"


def test_a_claim_cites_a_signature_only_where_nothing_else_is_said() -> None:
    cited = {
        (spec.name, document)
        for spec in load().values()
        for claim in spec.claims
        for document, line in claim.at.items()
        if dict(load_lines()[document].letters())[line] == "s"
    }
    assert cited == {("is_tensor", "ko-2.2")}


def test_the_counts_add_up() -> None:
    table = whole()
    total = counts(table.claims)
    parts = [counts(table.of(document)) for document in table.lines]
    assert total.total == sum(part.total for part in parts)
    assert total.unchecked == sum(part.unchecked for part in parts)
    assert 0 < total.violable <= total.checked < total.total


def test_what_nothing_checks_has_its_reason() -> None:
    unseen = [claim for claim in whole().claims if not claim.checked]
    assert all(claim.reason for claim in unseen)
    place = next(c for c in unseen if (c.document, c.line) == ("ko-2.2", 2962))
    assert place.reason == "about speed, of which no document gives a limit"


# What is wrong with a table is found.


def changed(document: str, line: int, letter: str) -> dict[str, LineClasses]:
    """The classes with one line in another."""
    lines = dict(load_lines())
    letters = "".join(lines[document].classes)
    text = letters[: line - 1] + letter + letters[line:]
    rows = [text[start : start + 100] for start in range(0, len(text), 100)]
    lines[document] = with_fields(lines[document], classes=rows)
    return lines


@pytest.mark.parametrize(
    ("letter", "says"),
    [("", "4059 have a class"), ("?", "class '?'"), ("d", "nothing checks"), ("+", "continues")],
)
def test_a_line_in_no_class_or_without_a_checker_is_found(letter: str, says: str) -> None:
    """ko-2.2:4060 is the last line, which is blank or a rule."""
    table = replace(whole(), lines=changed("ko-2.2", 4060, letter))
    assert [says in fault.says for fault in faults(table)] == [True]


def test_a_claim_that_is_no_longer_written_down_is_found() -> None:
    written = tuple(claim for claim in whole().written if claim.function != "hard_sigmoid")
    (fault,) = faults(replace(whole(), written=written))
    assert fault.place == "ko-2.2:2962"
    assert "nothing checks what a function does" in fault.says


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"checked_by": ["check no such check"]}, "'check no such check' of max does not exist"),
        ({"checked_by": ["rule value"]}, "'rule value' of max does not exist"),
        ({"checked_by": ["error no-such-error"]}, "does not exist"),
        ({"checked_by": ["example E99"]}, "does not exist"),
        ({"checked_by": ["parameter y"]}, "does not exist"),
        ({"checked_by": ["claim value"], "unchecked": "it is both"}, "not both"),
        ({}, "needs `checked_by` or `unchecked`"),
        ({"unchecked": "nobody looks"}, "it is called unchecked, and claim max: value checks it"),
        ({"checked_by": ["result"], "would_check": "more"}, "`would_check` is for"),
        ({"checked_by": ["result"], "at": {"ko-2.2": 1165}}, "its class is none of a claim"),
        ({"checked_by": ["result"], "at": {"ko-2.2": 1189}}, "it is in the entry of min"),
    ],
)
def test_what_is_written_and_does_not_hold_is_found(change: dict[str, object], says: str) -> None:
    fields = {"says": "the largest", "function": "max", "at": {"ko-2.2": 1164}, **change}
    table = replace(whole(), written=(*whole().written, WrittenClaim(**fields)))  # type: ignore[arg-type]
    assert any(says in fault.says for fault in faults(table))


def test_a_parameter_that_nothing_passes_is_unchecked() -> None:
    """rnn's `unroll` is in no single call: scenarios pass it."""
    place = ("ko-2.2", 2623)
    unroll = next(c for c in whole().claims if (c.document, c.line) == place)
    assert unroll.violable
    without = replace(whole(), evidence=CheckEvidence(checks=evidence().checks))
    unroll = next(c for c in without.claims if (c.document, c.line) == place)
    assert not unroll.checked
    assert unroll.reason.startswith("nothing passes it")


def test_a_check_that_rests_on_a_convention_cannot_end_in_a_violation() -> None:
    open_ = frozenset(replace(check, settled=False) for check in evidence().checks)
    table = replace(whole(), evidence=CheckEvidence(open_, evidence().passed))
    before = {(c.document, c.line, c.part): c for c in whole().claims}
    after = {(c.document, c.line, c.part): c for c in table.claims}
    place = ("ko-2.2", 905, "")
    assert before[place].violable
    assert after[place].checked
    assert not after[place].violable
    assert {c.ends for c in after[place].checkers} == {Ending.DIVERGENCE}


# What is said to end in a violation does.


def offered(signature: Signature) -> list[OfferedParameter]:
    """What a function with that signature offers."""
    return [
        OfferedParameter(p.name, "POSITIONAL_OR_KEYWORD", p.default is not None, p.default)
        for p in signature.parameters
    ]


def test_every_signature_is_violated_by_a_parameter_more() -> None:
    for claim in violable():
        if claim.what == CLAIMING["s"]:
            printed = load()[claim.function].signatures[claim.document]
            documented = parse(printed.corrected or printed.text)
            more = OfferedParameter("another", "POSITIONAL_OR_KEYWORD", False, None)
            identity = FunctionIdentity(True, (more, *offered(documented)), None)
            violations = list(signatures.signature(identity, documented, printed.text))
            assert Verdict.VIOLATES in {finding.verdict for finding in violations}, claim


def array(numbers: object) -> Value:
    held = np.asarray(numbers)
    return Value(held, held.dtype.name, "ndarray")


def text(words: str) -> Value:
    return Value(None, "str", "str", text=words)


def integers(*numbers: int) -> Values:
    return tuple(Value(np.asarray(n), "int64", "int") for n in numbers)


ANSWERS: tuple[Values, ...] = (
    (text("nothing of the sort"),),
    (text("returns"),),
    (text("raises OSError Exception"),),
    (text("Using another backend. printed when evaluated: [1.0, 2.0]"),),
    (array(np.full((2, 3), 7.25)),),
    (array(np.full(2, np.nan)),),
    (array(1.5),),
    (array(np.ones((2, 2), bool)),),
    (array(np.zeros(5, "int16")),),
    integers(7, 8, 9),
    integers(3),
    (),
)
"""What no check can take for right all together."""
GUARDED = {
    ("rnn", "static shape of the last output"),
    ("rnn", "static shape of the outputs"),
    ("rnn", "static shape of the new state 0"),
    ("rnn", "static shape of the new state 1"),
    ("stop_gradient", "gradient"),
}
"""Checks that look at nothing where another output shows that something else is wrong already: the
tests of their families break them."""


def refused(check: Check) -> bool:
    """Whether an answer is a violation: wrong, and not allowed by another reading."""
    for first, others in product(ANSWERS, ANSWERS):
        outputs = [first, *(others for _ in check.outputs[1:])]
        try:
            problem = check.test(*outputs)
        except IndexError:
            continue
        excused = problem is None or problem.conventions or problem.unmade
        if not excused and all(other.test(*outputs) for other in check.alternatives):
            return True
    return False


def only_refused(names: tuple[str, ...]) -> bool:
    """Whether an exception alone is another reading of the conventions."""
    return all(r.refuses for name in names for r in load_conventions()[name].readings)


@cache
def refusing() -> frozenset[tuple[str, str]]:
    """The checks of scenarios, by function and name, that refuse one of the answers."""
    return frozenset(_refusing())


def _refusing() -> Iterator[tuple[str, str]]:
    known = set(GUARDED)
    for family in FAMILIES:
        for edition in set(family.editions) & load()[family.function].editions.keys():
            for scenario in scenarios_of(family, edition):
                for check in scenario.checks:
                    key = (family.function, check.name)
                    settled = not check.conventions and only_refused(scenario.conventions)
                    if key not in known and settled and refused(check):
                        known.add(key)
                        yield key
    yield from GUARDED


@cache
def recorded() -> dict[str, list[str]]:
    """The mutants of each function that violate, of the published records."""
    mutants_by_function: dict[str, list[str]] = {}
    for name in ("reference", "tf_keras"):
        record = json.loads((RECORDS / f"{name}.mutation.json").read_text("utf-8"))
        for mutant in record["mutants"]:
            if (mutant.get("shown") or {}).get("verdict") == "violates":
                mutants_by_function.setdefault(mutant["function"], []).append(mutant["name"])
    return mutants_by_function


def shown_to_fail(claim: DocumentClaim) -> bool:
    """Whether something is known that violates a claim."""
    functions = {function for function, _ in refusing()} | recorded().keys()
    numbers = {name.partition(":")[0] for _, name in refusing()}
    for checker in claim.checkers:
        if checker.ends is Ending.VIOLATION:
            known = checker.function in functions or checker.kind == "signature"
            if checker.kind == "check":
                known = (checker.function, checker.name) in refusing()
            elif checker.kind == "example":
                known = any(n == checker.name or n.startswith(f"{checker.name}.") for n in numbers)
            elif not checker.function:
                known = claim.function in functions
            if known:
                return True
    return False


@pytest.mark.thorough
def test_something_is_known_that_violates_each_claim() -> None:
    assert [claim for claim in violable() if not shown_to_fail(claim)] == []


def sample(size: int, seed: int) -> dict[str, str]:
    """Mutants of functions whose claims single calls check: up to three of a function, by name."""
    every = {mutant.name for mutant in population(load(), "keras-2.2")}
    called = {
        checker.function
        for claim in violable()
        for checker in claim.checkers
        if checker.kind in ("parameter", "result", "claim") and checker.function in recorded()
    }
    chooser = random.Random(seed)
    chosen = chooser.sample(sorted(called), size)
    known = {function: sorted(every.intersection(recorded()[function])) for function in chosen}
    return {m: f for f, names in known.items() for m in chooser.sample(names, min(3, len(names)))}


@pytest.mark.thorough
def test_a_sample_of_functions_is_violated_again() -> None:
    results: list[JudgedMutant] = []
    mutants = sample(5, seed=17)
    run = Run("1.0", unminimised(PROFILES["default"]), 0, "2000-01-01T00:00:00+00:00")
    every = {m.name: m for m in population(load(), "keras-2.2")}
    target = shipped()["reference"]
    scoring = Scoring(target, load(), run, {}, results.append, callers_too=False)
    scoring.run([every[name] for name in mutants], 1)
    violated = {
        mutants[mutant.name]
        for mutant in results
        if mutant.shown and mutant.shown.verdict is Verdict.VIOLATES
    }
    assert violated == set(mutants.values())


def test_examples_are_all_in_the_table() -> None:
    placed = {c.name for checkers in whole().checkers.by_place.values() for c in checkers}
    assert {example.id for example in load_examples()} <= placed
