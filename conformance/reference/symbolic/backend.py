"""The state of an implementation, and which implementation a call belongs to.

Each package that offers the API has one `SymbolicBackend`: a name, the library that computes,
settings, and the state that documented functions change. Two packages in one process share none of
it.

The functions that a package offers are *bound* to its backend: while one of them runs, that backend
is active, and the functions that it calls ask for `active()`. A step function that `rnn` calls back
may use functions of any package: each makes its own backend active until it returns. Each thread
has an active backend of its own.

A tensor keeps the backend that was active when it was made, or that of its inputs. Operators and
compiled functions use the backend of their tensors, and need none to be active.
"""

from __future__ import annotations

import functools
import importlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from itertools import count
from typing import Any, ParamSpec, Protocol, TypeVar

from conformance.reference.symbolic.operations import Operations

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

_active: ContextVar[SymbolicBackend | None] = ContextVar("the active backend", default=None)


class BackendSettings(Protocol):
    """Where a backend keeps its settings."""

    floatx: str
    epsilon: float
    image_data_format: str


class SymbolicBackend:
    """The state of one implementation.

    `name` is the package whose attribute `BACKEND` it is: copies and pickles stand for that one.
    """

    def __init__(self, name: str, library: Operations, settings: BackendSettings) -> None:
        self.name = name
        self.library = library
        self.settings = settings
        self.learning_phase: Any = None
        """The integer that was set, the placeholder after its first use, or None."""
        self.uids: defaultdict[str, int] = defaultdict(int)
        self.name_scopes: list[str] = []
        self.initialises_variables = True
        """False: new variables have no value before they are given one (ko-2.2:3820)."""
        self.follows_numpy_seed = False
        """Whether numbers without a seed depend on `numpy.random.seed`, as Keras expects."""
        self.node_numbers: Iterator[int] = count(1)

    def __repr__(self) -> str:
        return f"<Backend {self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], SymbolicBackend], tuple[str]]:
        return _of_package, (self.name,)

    def call(
        self,
        function: Callable[Parameters, Returned],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Returned:
        """The function's result if it is called while this backend is active."""
        token = _active.set(self)
        try:
            return function(*args, **kwargs)
        finally:
            _active.reset(token)

    def bound(self, function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        """The function as this package offers it: this backend is active while it runs."""

        @functools.wraps(function)
        def offered(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
            if _active.get() is self:
                return function(*args, **kwargs)
            return self.call(function, *args, **kwargs)

        offered.__module__ = self.name
        return offered


def _of_package(name: str) -> SymbolicBackend:
    """The backend of a package, which is imported if it is not yet."""
    backend: SymbolicBackend = importlib.import_module(name).BACKEND
    return backend


def active() -> SymbolicBackend:
    """The backend whose function runs.

    Raises:
        RuntimeError: no function of a backend runs.
    """
    backend = _active.get()
    if backend is None:
        raise RuntimeError(
            "no backend is active: call a function that a package offers, such as "
            "conformance.reference.dot, or call yours with conformance.reference.BACKEND.call"
        )
    return backend
