"""What the released Keras (2.2.4) asks of a backend module and no document describes.

There are two kinds, and neither is among the documented functions (`edition.EXPORTS`):

* *additions* (`ADDITIONS`): names that no document has. They are in the module, outside `__all__`.
* *allowances* (`ALLOWANCES`): documented functions that also take what Keras passes to them and
  the documents refuse or do not mention. They stand in for the strict ones only when Keras itself
  loads the package, because `KERAS_BACKEND` or `keras.json` names it. Who imports the package
  otherwise has the strict functions alone.

Then, too, the settings are those of Keras: it keeps `floatx`, `epsilon` and `image_data_format` of
its own, and calls no function of the backend module when one of them is set.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from conformance.reference import (
    configuration,
    convolution,
    creation,
    functions,
    nn,
    padding,
    session,
)
from conformance.reference.arguments import number, tensor
from conformance.reference.graph import Tensor, Variable, apply, binary

NAME = "conformance.reference"

Provided = TypeVar("Provided", bound=Callable[..., Any])

ADDITIONS: dict[str, Callable[..., Any]] = {}
"""Undocumented functions by name."""

ALLOWANCES: dict[str, Callable[..., Any]] = {}
"""Documented functions, less strict, by name."""


def addition(function: Provided) -> Provided:
    """Register an undocumented function."""
    ADDITIONS[function.__name__] = function
    return function


def allowance(function: Provided) -> Provided:
    """Register a less strict function under the name of the documented one."""
    ALLOWANCES[function.__name__] = function
    return function


def loaded_by_keras() -> bool:
    """Whether Keras is loading, or has loaded, this package as its backend."""
    return getattr(sys.modules.get("keras.backend"), "_BACKEND", None) == NAME


def offered() -> dict[str, Callable[..., Any]]:
    """What the module has besides the documented functions."""
    if not loaded_by_keras():
        return ADDITIONS
    configuration.follow(KerasSettings(sys.modules["keras.backend"]))
    return ADDITIONS | ALLOWANCES


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


_scopes: list[str] = []


@addition
@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Undocumented. A context in which the names of new variables start with `name/`.

    Scopes nest. Keras opens one for each layer, and saves weights by these names.
    """
    _scopes.append(name)
    try:
        yield "/".join(_scopes)
    finally:
        _scopes.pop()


def _scoped(name: str | None) -> str | None:
    """The name with the scopes before it and, if it is taken already, a number behind it."""
    if name is None:
        return None
    full = "/".join([*_scopes, name])
    number = session.get_uid(f"variable {full}")
    return full if number == 1 else f"{full}_{number - 1}"


@allowance
@functools.wraps(creation.variable)
def variable(
    value: Any, dtype: str | None = None, name: str | None = None, constraint: Any = None
) -> Variable:
    """As documented, but the value may be a tensor too: the initialisers of Keras return tensors.

    The tensor is evaluated once. The name gets the scopes in which the variable is made.
    """
    if isinstance(value, Tensor):
        value = functions.eval(value)
    return creation.variable(value, dtype, _scoped(name), constraint)


@allowance
@functools.wraps(functions.function)
def function(
    inputs: Sequence[Any], outputs: Sequence[Any], updates: Any = None, **kwargs: Any
) -> functions.Function:
    """As documented, with one keyword: `name`, a text, which Keras gives to its functions."""
    kwargs.pop("name", None)
    return functions.function(inputs, outputs, updates, **kwargs)


@allowance
@functools.wraps(nn.relu)
def relu(
    x: Tensor, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Tensor:
    """As documented, with a threshold: x from there on, alpha * (x - threshold) below."""
    level = number(threshold, "relu", "threshold")
    if level == 0:
        return nn.relu(x, alpha, max_value)
    x = tensor(x, "relu")
    passed = apply("cast", binary("greater_equal", x, level), dtype=x.dtype)
    result = x * passed
    if alpha:
        result = result + (x - level) * (1 - passed) * number(alpha, "relu", "alpha")
    return result if max_value is None else binary("minimum", result, max_value)


@allowance
@functools.wraps(convolution.conv2d_transpose)
def conv2d_transpose(  # noqa: PLR0917 - as Keras calls it
    x: Tensor,
    kernel: Tensor,
    output_shape: Any,
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: tuple[int, int] = (1, 1),
) -> Tensor:
    """As documented, of a convolution with a dilation rate."""
    return convolution.transposed(
        "conv2d_transpose",
        2,
        x,
        kernel,
        output_shape,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )


@allowance
@functools.wraps(padding.resize_images)
def resize_images(
    x: Tensor,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Tensor:
    """As documented, with the interpolation `nearest`."""
    return padding.resize_images(x, height_factor, width_factor, data_format)
