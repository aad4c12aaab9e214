"""Some functions of the Keras backend API on NumPy, computed at once."""

import numpy as np

FLOAT = "float32"


class Variable(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that can be exchanged."""

    def __init__(self, value, dtype=None):
        self.value = np.array(value, dtype or FLOAT)

    def __array__(self, dtype=None, copy=None):
        """The array itself, for every function of NumPy."""
        return self.value if dtype is None else self.value.astype(dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """Operators and functions of NumPy work on the array."""
        arrays = (i.value if isinstance(i, Variable) else i for i in inputs)
        return getattr(ufunc, method)(*arrays, **options)


def variable(value, dtype=None, name=None, constraint=None):
    """A variable with this value."""
    return Variable(value, dtype)


def constant(value, dtype=None, shape=None, name=None):
    """An array with this value, spread to `shape`."""
    array = np.array(value, dtype or FLOAT)
    return array if shape is None else np.full(shape, array)


def get_value(x):
    """The numbers."""
    return np.array(x)


def set_value(x, value):
    """Give a variable another value."""
    x.value = np.array(value, x.value.dtype)


def eval(x):
    """The numbers."""
    return np.array(x)


def dtype(x):
    """The name of the dtype."""
    return np.asarray(x).dtype.name


def int_shape(x):
    """The shape."""
    return np.shape(x)


def exp(x):
    """e to the power of x."""
    return np.exp(x)


def log(x):
    """The natural logarithm."""
    with np.errstate(all="ignore"):
        return np.log(x)


def sqrt(x):
    """The square root, of zero for what is below."""
    return np.sqrt(np.maximum(x, 0))


def square(x):
    """x times x."""
    return np.square(x)


def abs(x):
    """The absolute value."""
    return np.abs(x)


def sign(x):
    """-1, 0 or 1."""
    return np.sign(x)


def power(x, a):
    """x to the power of a."""
    array = np.asarray(x)
    return np.power(array, np.asarray(a, array.dtype))


def tanh(x):
    """The hyperbolic tangent."""
    return np.tanh(x)


def softmax(x, axis=-1):
    """Shares that add up to 1."""
    array = np.asarray(x)
    shares = np.exp(array - np.max(array, axis=axis, keepdims=True))
    return shares / np.sum(shares, axis=axis, keepdims=True)


def sum(x, axis=None, keepdims=False):
    """The sum over axes."""
    array = np.asarray(x)
    return np.sum(array, axis=_axes(axis), keepdims=keepdims, dtype=array.dtype)


def max(x, axis=None, keepdims=False):
    """The largest element over axes."""
    return np.max(np.asarray(x), axis=_axes(axis), keepdims=keepdims)


def min(x, axis=None, keepdims=False):
    """The smallest element over axes."""
    return np.min(np.asarray(x), axis=_axes(axis), keepdims=keepdims)


def _axes(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def maximum(x, y):
    """The larger of each pair."""
    return np.maximum(x, y)


def minimum(x, y):
    """The smaller of each pair."""
    return np.minimum(x, y)


def dot(x, y):
    """The matrix product."""
    return np.dot(np.asarray(x), np.asarray(y))


def transpose(x):
    """The axes in reverse order."""
    return np.transpose(x)


def permute(x, pattern):
    """The axes in another order."""
    return np.transpose(x, pattern)


def reshape(x, shape):
    """The same elements in another shape."""
    return np.reshape(x, shape)


def add_axis(x, axis=-1):
    """One more axis of length 1."""
    return np.expand_dims(x, axis)


def concatenate(tensors, axis=-1):
    """The tensors one behind the other."""
    return np.concatenate([np.asarray(t) for t in tensors], axis)
