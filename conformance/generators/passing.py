"""How the arguments of a call are passed: by position, by name, or as one of any number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.program import Argument, Step
from conformance.specs.signature import Parameter, Signature, misprinted

Passed = Mapping[str, Argument]
"""The arguments, by the documented names of their parameters."""
RESULT = "result"


def step(
    documented: Signature, printed: str, passed: Passed, integer: Callable[[tuple[int, int]], int]
) -> Step:
    """The call with these arguments. `integer` draws how many of them are passed by name.

    `printed` is the signature as the document prints it, errors included.
    """
    if documented.starred is not None:
        return _starred(documented, documented.starred, passed)
    names_passed = [p.name for p in documented.parameters if p.name in passed]
    leading = _leading(documented, names_passed)
    positional = integer((0, leading)) if leading else 0
    positional = max(leading - positional, min(leading, _disputed(documented, printed)))
    named = tuple((name, passed[name]) for name in names_passed[positional:])
    args = tuple(passed[name] for name in names_passed[:positional])
    return Step(RESULT, documented.name, args, (*named, *_keywords(documented, passed)))


def _leading(documented: Signature, names_passed: list[str]) -> int:
    """How many arguments can be passed by position: those before the first gap."""
    names = [p.name for p in documented.parameters]
    pairs = zip(names_passed, names, strict=False)
    return next((n for n, (mine, name) in enumerate(pairs) if mine != name), len(names_passed))


def _disputed(documented: Signature, printed: str) -> int:
    """How many parameters must be passed by position: up to the last one whose name the document
    prints in two ways (C042)."""
    names = [p.name for p in documented.parameters]
    other = {*misprinted(documented, printed).values()}
    return max((names.index(name) + 1 for name in other), default=0)


def _keywords(documented: Signature, passed: Passed) -> Iterator[tuple[str, Argument]]:
    """The arguments of any names: pairs of a name and a value."""
    parameter = documented.keywords
    pairs = () if parameter is None else passed.get(parameter.name, ())
    assert isinstance(pairs, tuple)
    yield from pairs


def _starred(documented: Signature, starred: Parameter, passed: Passed) -> Step:
    """A call with any number of arguments, before which none is passed by name."""
    named = {p.name: passed[p.name] for p in documented.every if p.name in passed}
    first = [named.pop(p.name) for p in documented.parameters]
    operands = named.pop(starred.name)
    assert isinstance(operands, list)
    return Step(RESULT, documented.name, (*first, *operands), tuple(named.items()))
