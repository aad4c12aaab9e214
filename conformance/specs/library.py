"""Rules with names: each is written once, and used as `[name, argument, ...]`.

`rules.yaml` has those that several themes use, a spec file has those of its own functions. A loaded
spec holds no names any more: the rule stands in place of each use, with the arguments in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.specs.model import NamedRule

PLACE = re.compile(r"\{(.*?)\}")
"""Where an argument stands in the sentence of a rule."""


class Library:
    """The named rules of a file, and the shared ones.

    `conformance.specs.rule_check` says what is wrong with them. The methods expect nothing to be.
    """

    def __init__(self, own: Sequence[NamedRule] = (), shared: Library | None = None) -> None:
        self.own = own
        self.shared: Mapping[str, NamedRule] = shared.rules if shared else {}
        self.rules: Mapping[str, NamedRule] = {**self.shared, **{rule.name: rule for rule in own}}
        self._bodies: dict[str, Any] = {**shared._bodies} if shared else {}
        self._weights: dict[str, tuple[int, list[int]]] = {**shared._weights} if shared else {}

    def named(self, rule: Any) -> NamedRule | None:
        """The named rule that a rule uses as a whole."""
        return self.rules.get(rule[0]) if isinstance(rule, list) else None

    def expand(self, rule: Any) -> Any:
        """The rule with each named one written out; the same object if there is none in it."""
        if not isinstance(rule, list) or rule[0] == "literal":
            return rule
        arguments = [self.expand(argument) for argument in rule[1:]]
        if named := self.named(rule):
            return _filled(self._body(named), dict(zip(named.takes, arguments, strict=True)))
        same = all(new is old for new, old in zip(arguments, rule[1:], strict=True))
        return rule if same else [rule[0], *arguments]

    def _body(self, named: NamedRule) -> Any:
        """A named rule with those that it uses written out."""
        if named.name not in self._bodies:
            self._bodies[named.name] = self.expand(named.rule)
        return self._bodies[named.name]

    def parts(self, rule: Any) -> int:
        """How many operators, names and constants a rule has when it is written out.

        They are counted without writing it out, which may take more memory than there is.
        """
        return self._parts(rule, {})

    def _parts(self, rule: Any, lengths: Mapping[str, int]) -> int:
        """How many parts a rule has if `lengths` says how many stand for a name: one for others."""
        if isinstance(rule, str):
            return lengths.get(rule, 1)
        if not isinstance(rule, list) or rule[0] == "literal":
            return 1
        inside = [self._parts(argument, lengths) for argument in rule[1:]]
        if (named := self.named(rule)) is None:
            return 1 + sum(inside)
        alone, times = self._weight(named)
        return alone + sum(t * n for t, n in zip(times, inside, strict=True))

    def _weight(self, named: NamedRule) -> tuple[int, list[int]]:
        """How many parts a named rule has besides its arguments, and how often it has each."""
        if named.name not in self._weights:
            nothing = dict.fromkeys(named.takes, 0)
            alone = self._parts(named.rule, nothing)
            times = [self._parts(named.rule, {**nothing, n: 1}) - alone for n in named.takes]
            self._weights[named.name] = alone, times
        return self._weights[named.name]

    def sentence(self, rule: Any) -> str | None:
        """The use of a named rule in words; None for any other rule."""
        if (named := self.named(rule)) is None:
            return None
        arguments = dict(zip(named.takes, rule[1:], strict=True))
        return PLACE.sub(lambda place: self._words(arguments[place[1]]), named.says)

    def _words(self, rule: Any) -> str:
        return self.sentence(rule) or text_of(rule)


def _filled(rule: Any, arguments: Mapping[str, Any]) -> Any:
    """A rule with arguments in place of names."""
    if isinstance(rule, str):
        return arguments[rule]
    if not isinstance(rule, list) or rule[0] == "literal":
        return rule
    return [rule[0], *(_filled(part, arguments) for part in rule[1:])]


def text_of(rule: Any) -> str:
    """A rule as it is written in a file."""
    if isinstance(rule, list):
        return f"[{', '.join(map(text_of, rule))}]"
    return rule if isinstance(rule, str) else json.dumps(rule)
