"""Python's text as a tree, by many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.specs.parsing import literal, tree

DEEP = "[" * 60 + "1" + "]" * 60


def test_many_threads_may_parse() -> None:
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(literal, [DEEP, " {'a': (1, -2.5)}"] * 200))
    assert values[1] == {"a": (1, -2.5)}
    assert all(values[i] == values[i % 2] for i in range(400))


def test_a_tree_has_the_statements() -> None:
    assert len(tree("a = 1\nb = 2").body) == 2


@pytest.mark.parametrize(("text", "error"), [("f(", SyntaxError), ("f()", ValueError)])
def test_what_is_no_literal_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        literal(text)
