"""Rules with names: each is written once, and used as `[name, argument, ...]`.

`rules.yaml` has those that several themes use, a spec file has those of its own functions. A loaded
spec holds no names any more: the rule stands in place of each use, with the arguments in it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from typing import Any

from conformance.specs import rules
from conformance.specs.conventions import load_conventions, unknown
from conformance.specs.model import NamedRule
from conformance.specs.rules import names_in

Problem = tuple[str, str]
"""The path of a node, such as `$.functions[3].shape`, and what is wrong there."""

MOST_PARTS = 2000
"""How many operators, names and constants a rule may have once it is written out. Without a bound,
a few rules, each of which uses another twice, would stand for more than any memory holds."""

_PLACE = re.compile(r"\{(.*?)\}")


class Library:
    """The named rules of a file, and the shared ones."""

    def __init__(self, own: Sequence[NamedRule] = (), shared: Library | None = None) -> None:
        self.own = own
        self._shared = shared
        listed = [*(shared._rules.values() if shared else ()), *own]
        self._rules: dict[str, NamedRule] = {named.name: named for named in listed}
        self._bodies: dict[str, Any] = {}

    def __getitem__(self, name: str) -> NamedRule:
        return self._rules[name]

    def problems(self) -> Iterator[Problem]:
        """Everything wrong with the file's own rules, of which the types are right."""
        seen = set(self._shared._rules if self._shared else ())
        for index, named in enumerate(self.own):
            at = f"$.rules[{index}]"
            if named.name in seen:
                yield f"{at}.name", f"there is a rule {named.name} already; choose another name"
            seen.add(named.name)
            yield from self._definition(at, named)
        yield from self._circle()
        for index, named in enumerate(self.own):
            for problem in self.too_large([named.name, *named.takes]):
                yield f"$.rules[{index}].rule", problem

    def _definition(self, at: str, named: NamedRule) -> Iterator[Problem]:
        takes = set(named.takes)
        if len(takes) < len(named.takes):
            yield f"{at}.takes", f"{named.name} takes an argument twice; name each once"
        for problem in self.faults(named.rule, takes, f"is not among what {named.name} takes"):
            yield f"{at}.rule", problem
        for name in _PLACE.findall(named.says):
            if name not in takes:
                yield f"{at}.says", f"{name!r} is not among what {named.name} takes"
        for name in named.takes:
            if name not in names_in(named.rule):
                yield f"{at}.takes", f"the rule of {named.name} does not use {name!r}; remove it"
        if named.convention is not None and named.convention not in load_conventions():
            yield f"{at}.convention", unknown(named.convention)

    def _circle(self) -> Iterator[Problem]:
        """A rule that uses itself, perhaps through others."""
        places = {named.name: index for index, named in enumerate(self.own)}
        uses = {named.name: used_in(named.rule) & places.keys() for named in self.own}
        try:
            TopologicalSorter(uses).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            problem = f"{' uses '.join(circle)}; no rule can use itself"
            yield f"$.rules[{places[circle[0]]}].rule", problem

    def faults(self, rule: Any, known: set[str], strange: str) -> Iterator[str]:
        """What is wrong with a rule; `strange` says it of a name that is not among the known."""
        if isinstance(rule, list):
            yield from self._call(rule, known, strange)
        elif isinstance(rule, str):
            if rule not in known:
                yield f"{rule!r} {strange}; a text is written [literal, {rule}]"
        elif rule is not None and not isinstance(rule, int):
            yield (
                f"{rule!r} is no rule; write an integer, true, false, null, the name of a "
                "parameter or [operator, argument, ...]"
            )

    def _call(self, rule: list[Any], known: set[str], strange: str) -> Iterator[str]:
        problem = self._misuse(rule)
        if problem is not None:
            yield problem
        elif rule[0] != "literal":
            for argument in rule[1:]:
                yield from self.faults(argument, known, strange)
        elif not (rule[1] is None or isinstance(rule[1], (str, int, float))):
            yield f"literal takes a text, a number, true, false or null, not {rule[1]!r}"

    def _misuse(self, rule: list[Any]) -> str | None:
        """What is wrong with the head of a list, or the number of arguments; None if nothing."""
        head = rule[0] if rule else None
        if not isinstance(head, str) or head in rules.ARITIES:
            return rules.misuse(rule)
        if head in self._rules:
            return _miscounted(self._rules[head], len(rule) - 1)
        near = get_close_matches(head, [*rules.operator_names(), *self._rules], n=2)
        if near:
            return f"there is no operator or rule {head!r}; did you mean {' or '.join(near)}?"
        return rules.misuse(rule)

    def too_large(self, rule: Any) -> Iterator[str]:
        """What is wrong with a rule that is too large when it is written out."""
        parts = sum(self._parts(rule, {}).values())
        if parts > MOST_PARTS:
            yield f"more than {MOST_PARTS:,} parts when it is written out; make it simpler"

    def _parts(self, rule: Any, seen: dict[str, Counter[str]]) -> Counter[str]:
        """How often each name stands in a rule that is written out; all else under no name."""
        if isinstance(rule, str):
            return Counter([rule])
        if not isinstance(rule, list) or rule[0] == "literal":
            return Counter([""])
        if rule[0] not in self._rules:
            return sum((self._parts(a, seen) for a in rule[1:]), Counter([""]))
        named = self._rules[rule[0]]
        if named.name not in seen:
            seen[named.name] = self._parts(named.rule, seen)
        parts = Counter({"": seen[named.name][""]})
        for name, argument in zip(named.takes, rule[1:], strict=True):
            for part, times in self._parts(argument, seen).items():
                parts[part] += times * seen[named.name][name]
        return parts

    def expand(self, rule: Any) -> Any:
        """The rule with each named one written out; the same object if there is none in it."""
        if not isinstance(rule, list) or rule[0] == "literal":
            return rule
        arguments = [self.expand(argument) for argument in rule[1:]]
        if rule[0] in self._rules:
            named = self._rules[rule[0]]
            return _filled(self._body(named), dict(zip(named.takes, arguments, strict=True)))
        same = all(new is old for new, old in zip(arguments, rule[1:], strict=True))
        return rule if same else [rule[0], *arguments]

    def _body(self, named: NamedRule) -> Any:
        """The rule of a name, with the named ones in it written out."""
        if self._shared is not None and named.name in self._shared._rules:
            return self._shared._body(named)
        if named.name not in self._bodies:
            self._bodies[named.name] = self.expand(named.rule)
        return self._bodies[named.name]

    def named(self, rule: Any) -> NamedRule | None:
        """The named rule that a rule uses as a whole."""
        return self._rules.get(rule[0]) if isinstance(rule, list) and rule else None

    def sentence(self, rule: Any) -> str | None:
        """A use of a named rule in words; None for any other rule."""
        named = self.named(rule)
        if named is None:
            return None
        arguments = dict(zip(named.takes, rule[1:], strict=True))
        return _PLACE.sub(lambda place: self._words(arguments[place[1]]), named.says)

    def _words(self, rule: Any) -> str:
        return self.sentence(rule) or text_of(rule)


def _miscounted(named: NamedRule, given: int) -> str | None:
    """What is wrong with the number of arguments of a named rule; None if nothing."""
    wanted = len(named.takes)
    if given == wanted:
        return None
    names = f" ({', '.join(named.takes)})" if named.takes else ""
    return f"{named.name} takes {wanted} argument{'s' * (wanted != 1)}{names}, not {given}"


def _filled(rule: Any, arguments: dict[str, Any]) -> Any:
    """A rule with arguments in place of names."""
    if isinstance(rule, str):
        return arguments[rule]
    if not isinstance(rule, list) or rule[0] == "literal" or not arguments:
        return rule
    return [rule[0], *(_filled(part, arguments) for part in rule[1:])]


def used_in(rule: Any) -> set[str]:
    """The operators and named rules that a rule uses."""
    if not isinstance(rule, list) or not rule:
        return set()
    inside = set() if rule[0] == "literal" else set().union(*map(used_in, rule[1:]))
    return inside | ({rule[0]} if isinstance(rule[0], str) else set())


def text_of(rule: Any) -> str:
    """A rule as it is written in a file."""
    if isinstance(rule, list):
        return f"[{', '.join(map(text_of, rule))}]"
    return rule if isinstance(rule, str) else json.dumps(rule)


def unused_rules(own: Sequence[NamedRule], used: Iterable[str]) -> Iterator[Problem]:
    """Rules that are not among the names that are used."""
    used = set(used)
    for index, named in enumerate(own):
        if named.name not in used:
            yield f"$.rules[{index}].name", f"nothing uses the rule {named.name}; remove it"
