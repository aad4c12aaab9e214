"""Functions that are wrong in one way, made of right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Wrong = Callable[..., Any]


def ignored(right: Wrong, keyword: str) -> Wrong:
    """The right function without a keyword argument."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return right(*args, **{k: kwarg for k, kwarg in kwargs.items() if k != keyword})

    return called


def always(right: Wrong, **fixed: Any) -> Wrong:
    """The right function with other keyword arguments, whatever is asked for."""
    return lambda *args, **kwargs: right(*args, **{**kwargs, **fixed})
