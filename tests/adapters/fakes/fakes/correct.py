# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: A001 - the API has such names
"""A tiny correct implementation on NumPy; the others are this one with something replaced.

It is written for every Python that a worker runs on, so it also shows that the worker does.
"""

import numpy as np

_floatx = "float32"


class Tensor:
    """A node: `compute(values)` gives its value, where `values` maps placeholders to arrays."""

    def __init__(self, compute, shape, dtype):
        self.compute = compute
        self.shape = shape
        self.dtype = str(np.dtype(dtype))


class Variable(Tensor):
    def __init__(self, value):
        self.value = value
        Tensor.__init__(self, lambda values: self.value, value.shape, value.dtype)


def backend():
    return "fake"


def floatx():
    return _floatx


def set_floatx(value):
    global _floatx  # noqa: PLW0603
    _floatx = value


def placeholder(shape=None, ndim=None, dtype=None):
    if shape is None:
        shape = (None,) * (ndim or 0)
    tensor = Tensor(None, tuple(shape), dtype or _floatx)
    tensor.compute = lambda values: values[tensor]
    return tensor


def variable(value, dtype=None, name=None):
    return Variable(np.array(value, dtype or _floatx))


def constant(value, dtype=None, shape=None, name=None):
    array = np.array(value, dtype or _floatx)
    return Tensor(lambda values: array, array.shape, array.dtype)


def get_value(x):
    return x.value.copy()


def set_value(x, value):
    x.value = np.array(value, x.dtype)


def dtype(x):
    return x.dtype


def int_shape(x):
    return x.shape


def eval(x):
    return x.compute({})


def function(inputs, outputs):
    def call(arrays):
        values = dict(zip(inputs, arrays))  # noqa: B905 - not before CPython 3.10
        return [output.compute(values) for output in outputs]

    return call


def node(operation, *operands):
    """A tensor whose static shape and dtype are found by a trial on ones, where all is known."""

    def compute(values):
        return operation(*[o.compute(values) for o in operands])

    known = all(None not in o.shape for o in operands)
    trial = operation(
        *[np.ones([1 if n is None else n for n in o.shape], o.dtype) for o in operands]
    )
    shape = trial.shape if known else (None,) * trial.ndim
    return Tensor(compute, shape, trial.dtype)


def sum(x, axis=None, keepdims=False):
    return node(lambda a: np.asarray(np.sum(a, axis=axis, keepdims=keepdims)), x)


def softmax(x, axis=-1):
    def operation(a):
        e = np.exp(a - np.max(a, axis=axis, keepdims=True))
        return e / np.sum(e, axis=axis, keepdims=True)

    return node(operation, x)


def exp(x):
    return node(np.exp, x)


def reshape(x, shape):
    known = tuple(None if n == -1 else n for n in shape)
    if None not in x.shape:
        known = np.empty(x.shape).reshape(shape).shape
    return Tensor(lambda values: np.reshape(x.compute(values), shape), known, x.dtype)


def argmax(x, axis=-1):
    return node(lambda a: np.asarray(np.argmax(a, axis=axis)), x)


def dot(x, y):
    return node(np.dot, x, y)


def maximum(x, y):
    return node(np.maximum, x, y)


def identity(x, name=None):
    return node(np.copy, x)
