"""How the conformance suite reaches `tinyback.lazy`: an adapter of six methods.

It needs nothing of the suite. `K` offers the same to the standalone scripts of failures.
"""

import functools

from tinyback import lazy
from tinyback.lazy import Later, Slot, Variable

NAMES = {"pow": "power", "permute_dimensions": "permute", "expand_dims": "add_axis"}


class LazyAdapter:
    """Functions of K made of operations that are computed later."""

    def __init__(self, module):
        self._operations = module.OPERATIONS

    def function(self, name):
        """What offers a documented function; None if nothing does."""
        operation = getattr(self._operations, NAMES.get(name, name), None)
        if operation is None:
            return OFFERED.get(name)

        @functools.wraps(operation)
        def later(*operands, **options):
            return Later(operation, operands, options)

        return later

    def bind(self, binder, values, keywords):
        """A slot, or a variable, which serves as a constant too."""
        if binder == "placeholder":
            return placeholder(**keywords)
        return variable(*values, **keywords)

    def assign(self, variable, value):
        """Another value for a variable."""
        variable.value = value

    def compile(self, inputs, outputs):
        """A callable from arrays to arrays."""
        return lambda arrays: lazy.run(outputs, dict(zip(inputs, arrays, strict=True)))

    def evaluate(self, tensor):
        """The value of what depends on no slot."""
        return lazy.run([tensor], {})[0]

    def reset(self):
        """Nothing is kept."""


def variable(value, dtype=None, name=None, constraint=None):
    """A variable with this value."""
    return Variable(value, dtype)


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    """A slot for arrays of this shape."""
    if sparse:
        raise NotImplementedError("there are no sparse slots")
    return Slot((None,) * ndim if shape is None else shape, dtype or "float32")


OFFERED = {"variable": variable, "placeholder": placeholder}


class _K:
    """What a script calls K."""

    def __init__(self):
        self._adapter = LazyAdapter(lazy)
        self.function, self.eval = self._adapter.compile, self._adapter.evaluate

    def __getattr__(self, name):
        found = self._adapter.function(name)
        if found is None:
            raise AttributeError(name)
        return found


K = _K()
