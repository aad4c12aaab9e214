"""The names of tests: `test_conformance[batch_dot-static_shape]`."""

from __future__ import annotations

from conformance.results import ASPECTS, Aspect

_WORDS = {aspect: aspect.replace(" ", "_") for aspect in ASPECTS}


def identifier(target: str | None, function: str, aspect: Aspect) -> str:
    """The text between the brackets; it names the target if there are several."""
    return "-".join([*([target] if target else []), function, _WORDS[aspect]])


def function_of(nodeid: str) -> str:
    """A key that all tests of one function of a target share; for any other test, its whole id."""
    front, _, last = nodeid.rpartition("-")
    return front if last.removesuffix("]") in _WORDS.values() else nodeid
