"""Strategies that are written as functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

P = ParamSpec("P")
Value = TypeVar("Value")


def composite(
    definition: Callable[Concatenate[DrawFn, P], Value],
) -> Callable[P, SearchStrategy[Value]]:
    """`hypothesis.strategies.composite` of a function, made at the first use of its strategy.

    To make one takes a millisecond, because Hypothesis reads and parses the function's source, and
    a run asks for few of all that are defined.
    """

    @cache
    def strategy_of() -> Callable[P, SearchStrategy[Value]]:
        return st.composite(definition)

    @wraps(definition)
    def strategy(*args: P.args, **kwargs: P.kwargs) -> SearchStrategy[Value]:
        return strategy_of()(*args, **kwargs)

    return strategy
