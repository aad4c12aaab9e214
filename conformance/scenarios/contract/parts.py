"""Steps that scenarios of the contract share: attributes, methods, tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.scenarios.model import KERAS_3_DOCUMENT
from conformance.scenarios.recorder import Lines, Recorder, Result


def section(name: str) -> Lines:
    """The place of a section, such as `Args`, or `keras.Variable: Args` of another docstring."""
    return {KERAS_3_DOCUMENT: name}


def attribute(K: Recorder, owner: Result, name: str) -> Result:
    """`owner.name`."""
    return K.operator.attribute(owner, name)


def method(K: Recorder, owner: Result, name: str, *args: Any, **kwargs: Any) -> Result:
    """`owner.name(...)`."""
    return attribute(K, owner, name)(*args, **kwargs)


def tensor(K: Recorder, name: str, value: Any, dtype: str = "float32") -> Result:
    """A tensor of the backend."""
    return K.constant(K.array(name, np.asarray(value, dtype)), dtype=dtype)


def ones(K: Recorder) -> Callable[..., Result]:
    """An initializer of ones."""

    def start(shape: Result, dtype: Result) -> Result:
        return K["keras.ops.ones"](shape, dtype)

    return start
