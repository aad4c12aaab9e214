# mypy: allow-untyped-defs, allow-untyped-calls
"""An eager module whose `exp` writes into the tensor that it is passed; `identity` does not."""

import numpy as np


class Tensor:
    """A mutable tensor with its own memory, in at most 32 bits."""

    def __init__(self, array):
        self.array = np.array(array, "float32" if array.dtype == "float64" else array.dtype)
        self.dtype, self.shape = self.array.dtype, self.array.shape


def constant(value, dtype=None):
    return Tensor(np.array(value, dtype))


def get_value(x):
    return x.array.copy()


def exp(x):
    return Tensor(np.exp(x.array, out=x.array))


def identity(x):
    return Tensor(x.array)
