"""What is wrong with rules: operators and names that do not exist, wrong numbers of arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Set
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from typing import Any

from conformance.specs import rules
from conformance.specs.conventions import load_conventions, unknown
from conformance.specs.library import PLACE, Library
from conformance.specs.model import NamedRule

Problem = tuple[str, str]
"""The path of a node, such as `$.functions[3].shape`, and what is wrong there."""

MOST_PARTS = 2000
"""How many operators, names and constants a rule may have once it is written out. Without a bound,
a few rules, each of which uses another twice, would stand for more than any memory holds."""


def definitions(library: Library) -> Iterator[Problem]:
    """Everything wrong with the own rules of a library, of which the types are right."""
    seen = set(library.shared)
    for index, named in enumerate(library.own):
        at = f"$.rules[{index}]"
        if named.name in seen:
            yield f"{at}.name", f"there is a rule {named.name} already; choose another name"
        seen.add(named.name)
        for field, problem in _definition(named, library):
            yield f"{at}.{field}", problem
    yield from _circle(library)
    for index, named in enumerate(library.own):
        for problem in _size([named.name, *named.takes], library):
            yield f"$.rules[{index}].rule", problem


def _definition(named: NamedRule, library: Library) -> Iterator[tuple[str, str]]:
    """Each field of a named rule that is wrong, and why."""
    strange = f"is not among what {named.name} takes"
    if len(set(named.takes)) < len(named.takes):
        yield "takes", f"{named.name} takes an argument twice; name each once"
    for problem in _faults(named.rule, set(named.takes), library, strange):
        yield "rule", problem
    for problem in _sentence(named, strange):
        yield "says", problem
    for name in named.takes:
        if name not in rules.names_in(named.rule):
            yield "takes", f"the rule does not use {name!r}; remove it"
    if named.convention is not None and named.convention not in load_conventions():
        yield "convention", unknown(named.convention)


def _sentence(named: NamedRule, strange: str) -> Iterator[str]:
    for name, times in Counter(PLACE.findall(named.says)).items():
        if name not in named.takes:
            yield f"{name!r} {strange}"
        elif times > 1:  # in each other, such sentences would fill the memory
            yield f"{name!r} is there twice; say it once"


def _circle(library: Library) -> Iterator[Problem]:
    """A rule that uses itself, perhaps through others."""
    places = {named.name: index for index, named in enumerate(library.own)}
    uses = {named.name: used_in(named.rule) & places.keys() for named in library.own}
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        problem = f"{' uses '.join(circle)}; no rule can use itself"
        yield f"$.rules[{places[circle[0]]}].rule", problem


def unused(library: Library, used: Set[str]) -> Iterator[Problem]:
    """The own rules of a library that are not among the names used."""
    for index, named in enumerate(library.own):
        if named.name not in used:
            yield f"$.rules[{index}].name", f"nothing uses the rule {named.name}; remove it"


def used_in(rule: Any) -> set[str]:
    """The operators and named rules that a rule uses."""
    if not isinstance(rule, list) or rule[0] == "literal":
        return set()
    return {rule[0]}.union(*map(used_in, rule[1:]))


def faults(rule: Any, known: Collection[str], library: Library) -> Iterator[str]:
    """What is wrong with a rule for a function whose parameters are the known names."""
    problems = list(_faults(rule, known, library, "is not a parameter"))
    yield from problems or _size(rule, library)


def _size(rule: Any, library: Library) -> Iterator[str]:
    if library.parts(rule) > MOST_PARTS:
        yield f"more than {MOST_PARTS:,} parts when it is written out; make it simpler"


def _faults(rule: Any, known: Collection[str], library: Library, strange: str) -> Iterator[str]:
    """What is wrong with a rule; `strange` says it of a name that is not known."""
    if isinstance(rule, list):
        problem = _misuse(rule, library)
        if problem is not None:
            yield problem
        elif rule[0] != "literal":
            for argument in rule[1:]:
                yield from _faults(argument, known, library, strange)
    elif isinstance(rule, str):
        if rule not in known:
            yield f"{rule!r} {strange}; a text is written [literal, {rule}]"
    elif rule is not None and not isinstance(rule, int):
        yield (
            f"{rule!r} is not a rule; write an integer, true, false, null, the name of a parameter "
            "or [operator, argument, ...]"
        )


def _misuse(rule: list[Any], library: Library) -> str | None:
    """What is wrong with the head of a list, or with its arguments for it; None if nothing."""
    head = rule[0] if rule else None
    if isinstance(head, str) and head in library.rules:
        return _miscounted(library.rules[head], len(rule) - 1)
    if isinstance(head, str) and head not in rules.ARITIES:
        near = get_close_matches(head, [*rules.operator_names(), *library.rules], n=2)
        if near:
            return f"there is no operator or rule {head!r}; did you mean {' or '.join(near)}?"
    return rules.misuse(rule) or (_unreadable(rule[1]) if head == "literal" else None)


def _miscounted(named: NamedRule, count: int) -> str | None:
    expected = len(named.takes)
    if count == expected:
        return None
    names = f" ({', '.join(named.takes)})" if named.takes else ""
    return f"{named.name} takes {expected} argument{'s' * (expected != 1)}{names}, not {count}"


def _unreadable(value: Any) -> str | None:
    if value is None or isinstance(value, (str, int, float)):
        return None
    return f"literal takes a text, a number, true, false or null, not {value!r}"
