"""Named rules: what a use of one means, and that no rule of the shipped files is written twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from conformance import specs
from conformance.specs import SpecError, load, source
from conformance.specs.completion import completed
from conformance.specs.expansion import written_rules
from conformance.specs.library import Library, text_of
from conformance.specs.model import NamedRule
from conformance.specs.reading import (
    SHARED_FILE,
    load_shared,
    load_text,
    read_files,
    shared_in,
)
from conformance.specs.rules import Scope, evaluate, operator_names
from conformance.specs.written import WrittenFile
from tests.specs.mistakes import GOOD
from tests.specs.test_schema import FILES

FOLDER = Path(str(resources.files(specs)))
LOADER = import_module("conformance.specs.reading")
LOOKS = ("shape", "dtype", "literal", "floatx")
"""Operators whose use with a name is as short as that of a named rule."""


def rule(name: str, takes: list[str], written: Any, says: str = "") -> NamedRule:
    return NamedRule(name=name, takes=takes, says=says, rule=written)


LIBRARY = Library(
    [
        rule("no-elements", ["t"], ["has", ["shape", "t"], 0], "{t} is empty"),
        rule("none-at-all", ["a", "b"], ["and", ["no-elements", "a"], ["no-elements", "b"]]),
        rule("is-text", ["v"], ["equal", "v", ["literal", "v"]], "{v} is v"),
        rule("the-default", [], ["floatx"], "floatx"),
        rule("has-default", ["t"], ["equal", ["dtype", "t"], ["the-default"]], "{t} is of floatx"),
    ]
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["no-elements", "x"], ["has", ["shape", "x"], 0]),
        (["not", ["no-elements", "x"]], ["not", ["has", ["shape", "x"], 0]]),
        (
            ["none-at-all", "b", "a"],  # what stands in for a is not replaced once more
            ["and", ["has", ["shape", "b"], 0], ["has", ["shape", "a"], 0]],
        ),
        (["is-text", "axis"], ["equal", "axis", ["literal", "v"]]),
        (["is-text", ["literal", "v"]], ["equal", ["literal", "v"], ["literal", "v"]]),
        (["has-default", "x"], ["equal", ["dtype", "x"], ["floatx"]]),
    ],
    ids=str,
)
def test_a_use_means_the_rule_with_the_arguments_in_it(written: Any, meant: Any) -> None:
    assert LIBRARY.expand(written) == meant


@pytest.mark.parametrize("written", [0, None, "x", ["shape", "x"], ["literal", "no-elements"]])
def test_a_rule_without_names_stays_the_same_object(written: Any) -> None:
    assert LIBRARY.expand(written) is written


@pytest.mark.parametrize("written", [0, "x", ["none-at-all", "x", "y"], ["has-default", "x"]])
def test_parts_are_counted_as_they_are_written_out(written: Any) -> None:
    def count(expanded: Any) -> int:
        if isinstance(expanded, list) and expanded[0] != "literal":
            return 1 + sum(map(count, expanded[1:]))
        return 1

    assert LIBRARY.parts(written) == count(LIBRARY.expand(written))


def test_a_sentence_names_the_arguments() -> None:
    assert LIBRARY.sentence(["no-elements", "x"]) == "x is empty"
    assert LIBRARY.sentence(["is-text", ["the-default"]]) == "floatx is v"
    assert LIBRARY.sentence(["is-text", ["dim", "s", None]]) == "[dim, s, null] is v"
    assert LIBRARY.sentence(["shape", "x"]) is None


def test_a_loaded_file_holds_the_rules_and_the_sentence() -> None:
    (case,) = load_text(GOOD, "good.yaml").functions[1].unsettled
    assert case.when == ["greater", ["length", ["shape", "y"]], ["length", "n"]]
    assert case.says == "y has more than the number of n axes"
    assert case.convention == "broadcasting"
    assert evaluate(case.when, Scope({"n": [1]}, {"y": (2, 2)})) is True


def test_a_case_may_have_another_convention_and_other_words() -> None:
    own = "{when: [is-large, y, 3], convention: empty, says: it is large}"
    text = GOOD.replace("{when: [is-large, y, [number-of, n]]}", own)
    (case,) = load_text(text, "x.yaml").functions[1].unsettled
    assert (case.convention, case.says) == ("empty", "it is large")


def test_an_error_without_words_is_the_shared_one_of_its_name() -> None:
    shared = load_shared().errors["bad-padding"]
    (error,) = (e for e in load()["conv2d"].errors if e.name == "bad-padding")
    assert (error.says, error.exception, error.convention, error.parameters) == (
        shared.says,
        shared.exception,
        shared.convention,
        shared.parameters,
    )
    assert error.editions == ["keras-1", "keras-2.0", "keras-2.2"]


def test_an_error_with_words_is_the_function_s_own() -> None:
    (error,) = (e for e in load()["conv1d"].errors if e.name == "bad-padding")
    assert error.says == "the padding is same, causal or valid"
    assert to_builtins(error.parameters["padding"])["values"] == ["full"]


DOUBLED = """\
rules:
- {name: a-0, takes: [x], says: "", rule: [add, x, x]}
""" + "".join(
    f'- {{name: a-{n}, takes: [x], says: "", rule: [add, [a-{n - 1}, x], [a-{n - 1}, x]]}}\n'
    for n in range(1, 200)
)


def test_rules_that_would_fill_the_memory_are_refused() -> None:
    with pytest.raises(SpecError, match=r"^rules\.yaml:11: more than 2,000 parts"):
        shared_in(DOUBLED)


def test_a_use_that_would_fill_the_memory_is_refused() -> None:
    doubles = GOOD.replace("[length, numbers]", "[add, numbers, numbers]")
    use = "[number-of, " * 200 + "n" + "]" * 200
    with pytest.raises(SpecError, match=r"^x\.yaml:50: more than 2,000 parts"):
        load_text(doubles.replace("[number-of, n]", use), "x.yaml")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rules: 3", r"^rules\.yaml:1: "),
        ("rules:\n- {name: a-b, says: '', rule: [floatx, 1]}", r"^rules\.yaml:2: floatx takes"),
        ("errors:\n- {name: a, says: b, exception: any, convention: c}", r"^rules\.yaml:2: conv"),
        (
            "errors:\n- {name: a, says: b, exception: any}\n- {name: a, says: b, exception: any}",
            r"^rules\.yaml:3: there is an error a already",
        ),
    ],
)
def test_a_mistake_in_the_shared_file_is_named_with_its_line(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        shared_in(text)


def test_shared_rules_and_errors_that_nothing_uses_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (FOLDER / SHARED_FILE).read_text("utf-8")
    added = '- {name: of-no-use, says: "", rule: [floatx]}\n'
    for more, says in (
        (text.replace("\nerrors:\n", f"\n{added}errors:\n"), "nothing uses the rule of-no-use"),
        (text + "- {name: x, says: y, exception: any}\n", "nothing uses the error x"),
    ):
        with monkeypatch.context() as patched:
            shared = shared_in(more)
            patched.setattr(LOADER, "load_shared", lambda s=shared: s)
            with pytest.raises(SpecError, match=rf"^rules\.yaml:\d+: {says}"):
                read_files({file.name: file.read_text("utf-8") for file in FILES})


def written_in(path: Path) -> Iterator[tuple[int, Any]]:
    """The line and the text of each rule that a file holds, as it is written."""
    node, data = source.read(path.read_text("utf-8"))
    if path.name != SHARED_FILE:
        for index, spec in enumerate(
            completed(source.typed(node, data, WrittenFile), load_shared().patterns).functions
        ):
            for place, written in written_rules(spec):
                yield source.line(node, f"$.functions[{index}].{place}"), written
    for index, named in enumerate(data.get("rules", [])):
        yield source.line(node, f"$.rules[{index}].rule"), named["rule"]


def short(written: Any) -> bool:
    """Whether a rule is a constant, a name, or a look at or a named rule of these alone."""
    if not isinstance(written, list):
        return True
    named = written[0] in LOOKS or written[0] not in operator_names()
    return named and not any(isinstance(argument, list) for argument in written[1:])


PLACES = [
    (f"{path.name}:{line}", written)
    for path in (*(f for f in FILES if f.parent == FOLDER), FOLDER / SHARED_FILE)
    for line, written in written_in(path)
]


def test_no_rule_is_written_twice() -> None:
    times = Counter(text_of(written) for _, written in PLACES if not short(written))
    assert [text for text, count in times.items() if count > 1] == []


def inside(written: Any) -> Iterator[Any]:
    """The parts of a rule, and the rule."""
    yield written
    if isinstance(written, list) and written[0] != "literal":
        for argument in written[1:]:
            yield from inside(argument)


def test_no_long_part_of_a_rule_is_written_twice() -> None:
    parts = (text_of(p) for _, written in PLACES for p in inside(written) if not short(p))
    times = Counter(part for part in parts if len(part) > 40)
    assert [text for text, count in times.items() if count > 1] == []


def test_no_rule_is_longer_than_a_line() -> None:
    for place, written in PLACES:
        name, _, number = place.partition(":")
        line = (FOLDER / name).read_text("utf-8").splitlines()[int(number) - 1]
        if isinstance(written, list):
            assert len(line) <= 100, place
            assert text_of(written) in line, f"{place} holds a part of its rule"


def test_every_case_that_no_document_settles_has_a_sentence() -> None:
    for spec in load().values():
        for case in spec.unsettled:
            assert case.says and "{" not in case.says, (spec.name, case)


@given(st.integers(0, 3), st.integers(0, 3))
def test_a_shared_rule_means_what_it_says(first: int, second: int) -> None:
    scope = Scope({}, {"x": (first, second), "y": (second, first)})
    library = load_shared().library

    def means(written: Any) -> Any:
        return evaluate(library.expand(written), scope)

    assert means(["is-empty", "x"]) is (first * second == 0)
    assert means(["shapes-differ", "x", "y"]) is (first != second)
    assert means(["without-axis", "x", -1]) == (first,)
    assert yaml.safe_load("[is-scalar, x]") == ["is-scalar", "x"] and not means(["is-scalar", "x"])
