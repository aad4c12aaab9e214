"""Demands of the released Keras (2.2.4) on a backend module that no document describes.

There are two kinds, and neither is among the documented functions (`edition.EXPORTS`):

* *additions* (`ADDITIONS`): names that no document of keras-2.2 has. They are in the module of that
  edition, outside `__all__`.
* *lenient functions* (`LENIENT`, in `keras_arguments.py`): documented functions that also take what
  Keras passes to them and the documents refuse or do not mention. They stand in for the strict ones
  only when Keras itself loads the package, because `KERAS_BACKEND` or `keras.json` names it. Any
  other program that imports the package gets the strict functions.

Then the settings are also those of Keras, which keeps `floatx`, `epsilon` and `image_data_format`
of its own and informs no backend when one of them is set. Random numbers without a seed depend on
`numpy.random.seed`, as with the backends that are part of Keras.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from conformance.reference import configuration, edition, variables
from conformance.reference.edition import EDITION
from conformance.reference.symbolic.backend import SymbolicBackend, active
from conformance.reference.symbolic.graph import Variable

Provided = TypeVar("Provided", bound=Callable[..., Any])

ADDITIONS: dict[str, Callable[..., Any]] = {}
"""Undocumented functions by name."""

LENIENT: dict[str, Callable[..., Any]] = {}
"""Documented functions, less strict, by name."""


def addition(function: Provided) -> Provided:
    """Register an undocumented function."""
    ADDITIONS[function.__name__] = function
    return function


def lenient(function: Provided) -> Provided:
    """Register a less strict function under the name of the documented one."""
    LENIENT[function.__name__] = function
    return function


def loaded_by_keras(package: str) -> bool:
    """Whether Keras is loading, or has loaded, this package as its backend."""
    return getattr(sys.modules.get("keras.backend"), "_BACKEND", None) == package


def offered(backend: SymbolicBackend) -> dict[str, Callable[..., Any]]:
    """The names of the backend's package besides the documented functions.

    If Keras loads it, the backend follows the settings of Keras from now on.
    """
    if EDITION != "keras-2.2":
        return {}
    if not loaded_by_keras(backend.name):
        return ADDITIONS
    backend.settings = KerasSettings(sys.modules["keras.backend"])
    backend.follows_numpy_seed = True
    return ADDITIONS | LENIENT


class KerasSettings:
    """The settings that Keras keeps, read and set through its own functions."""

    def __init__(self, keras: Any) -> None:
        self._keras = keras

    @property
    def floatx(self) -> str:
        """Name of the default float type."""
        return str(self._keras.floatx())

    @floatx.setter
    def floatx(self, value: str) -> None:
        self._keras.set_floatx(value)

    @property
    def epsilon(self) -> float:
        """The small number that keeps divisions safe."""
        return float(self._keras.epsilon())

    @epsilon.setter
    def epsilon(self, value: float) -> None:
        self._keras.set_epsilon(value)

    @property
    def image_data_format(self) -> str:
        """Layout of images."""
        return str(self._keras.image_data_format())

    @image_data_format.setter
    def image_data_format(self, value: str) -> None:
        self._keras.set_image_data_format(value)


@addition
def name_scope(name: str) -> AbstractContextManager[str]:
    """Undocumented. A context in which the names of new variables start with `name/`.

    Scopes nest. Keras opens one for each layer, and saves weights by these names.
    """
    return _name_scope(name, active().name_scopes)


@contextmanager
def _name_scope(name: str, scopes: list[str]) -> Iterator[str]:
    scopes.append(name)
    try:
        yield "/".join(scopes)
    finally:
        scopes.pop()


def scoped(name: str | None) -> str | None:
    """The name with the scopes before it and, if that is taken already, a number behind it."""
    if name is None:
        return None
    full = "/".join([*active().name_scopes, name])
    number = configuration.get_uid(f"variable {full}")
    return full if number == 1 else f"{full}_{number - 1}"


@addition
def get_variable_shape(x: Variable) -> tuple[int, ...]:
    """Undocumented in keras-2.2 (ja-2.0:1939 has it). The shape of a variable as integers."""
    return variables.get_variable_shape(x)


def exported(backend: SymbolicBackend) -> dict[str, Callable[..., Any]]:
    """The documented functions of the edition, and what Keras asks for besides, by name."""
    names = edition.EXPORTS | offered(backend)
    return {name: backend.bound(function) for name, function in names.items()}


def missing_function(package: str, name: str) -> AttributeError:
    """The error for a function that the package does not have in the edition, or not at all."""
    lines = edition.SIGNATURES.get(name)
    if lines is None:
        return AttributeError(f"{package} has no function {name!r}")
    return AttributeError(
        f"{name} is not in edition {edition.EDITION}, only in {', '.join(map(str, lines))}; "
        f"the environment variable {edition.VARIABLE} chooses the edition"
    )
