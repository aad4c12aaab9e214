"""The functions of `tinyback` as operations that are computed when somebody asks."""

from types import SimpleNamespace

import numpy as np

import tinyback
from tinyback import Variable


class Slot:
    """A place for an array that is given later; None in its shape stands for any length."""

    def __init__(self, shape, dtype):
        self.shape = tuple(shape)
        self.dtype = dtype


class Later:
    """An operation with its operands."""

    def __init__(self, operation, operands, options):
        self.operation = operation
        self.operands = operands
        self.options = options


NAMES = (
    "exp log sqrt square abs sign power tanh softmax sum max min maximum minimum dot transpose "
    "permute reshape add_axis concatenate"
)
OPERATIONS = SimpleNamespace(**{name: getattr(tinyback, name) for name in NAMES.split()})


def run(wanted, given):
    """The values of expressions, with an array for each slot."""
    return [np.array(_value(item, given)) for item in wanted]


def _value(item, given):
    if isinstance(item, Slot):
        return np.asarray(given[item], item.dtype)
    if isinstance(item, Later):
        options = {name: _value(part, given) for name, part in item.options.items()}
        return item.operation(*(_value(part, given) for part in item.operands), **options)
    if isinstance(item, (list, tuple)) and any(
        isinstance(p, (Slot, Later, Variable)) for p in item
    ):
        return [_value(part, given) for part in item]
    return item
