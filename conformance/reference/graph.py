"""Symbolic tensors: what is to be computed, with static shape and dtype, and no arrays touched.

A node is the name of an operation, its attributes and its input tensors. Shape and dtype follow
from the rule of the operation (`rules.py`). The rank of a tensor is always known; a dimension that
is not known before evaluation is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NoReturn

from conformance.reference import operations
from conformance.reference.configuration import floatx
from conformance.reference.rules import RULES, Shape

_numbers = count(1)


class Tensor:
    """The result of an operation.

    `shape` is a tuple of int or None, `dtype` a name such as "float32". The layers of Keras give
    tensors the attributes `_keras_shape`, which placeholders and variables have from the start, and
    `_uses_learning_phase`, which is there if the value depends on the learning phase. Arithmetic
    and ordering make new tensors; `==` compares identity, because tensors are dictionary keys.
    """

    sparse = False
    """Whether the value is sparse, so that only `to_dense` computes with it."""

    _keras_shape: Shape
    _uses_learning_phase: bool

    # NumPy arrays leave arithmetic with a tensor to the tensor.
    __array_ufunc__ = None

    def __init__(
        self,
        operation: str,
        inputs: tuple[Tensor, ...],
        attributes: dict[str, Any],
        shape: Shape,
        dtype: str,
        *,
        name: str | None = None,
    ) -> None:
        self.operation = operation
        self.inputs = inputs
        self.attributes = attributes
        self.shape = shape
        self.dtype = dtype
        self.name = name or f"{operation}_{next(_numbers)}"
        if any(getattr(x, "_uses_learning_phase", False) for x in inputs):
            # Keras feeds the learning phase only where an output says so, and takes the attribute,
            # whatever its value, for a sign that it is needed.
            self._uses_learning_phase = True

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} shape={self.shape} dtype={self.dtype}>"

    def __add__(self, other: Any) -> Tensor:
        return binary("add", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return binary("add", other, self)

    def __sub__(self, other: Any) -> Tensor:
        return binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return binary("subtract", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return divide(other, self)

    def __pow__(self, other: Any) -> Tensor:
        return power(self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return power(other, self)

    def __neg__(self) -> Tensor:
        return apply("negative", self)

    def __abs__(self) -> Tensor:
        return apply("abs", self)

    def __lt__(self, other: Any) -> Tensor:
        return binary("less", self, other)

    def __le__(self, other: Any) -> Tensor:
        return binary("less_equal", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return binary("greater", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return binary("greater_equal", self, other)

    def __getitem__(self, index: Any) -> Tensor:
        if isinstance(index, Tensor):
            return self._at(index)
        entries = index if isinstance(index, tuple) else (index,)
        return apply("getitem", self, index=entries)

    def _at(self, index: Tensor) -> Tensor:
        """self[index] for an index that is known at evaluation; IndexError unless it is one."""
        if index.ndim or "int" not in index.dtype or not self.shape:
            raise IndexError(f"{self!r}: index {index!r} must be a scalar of an integer dtype")
        return apply("gather", self, index)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape or self.shape[0] is None:
            raise TypeError(f"{self!r} cannot be iterated over: the length of axis 0 is not known")
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self!r} has no truth value before it is evaluated; use K.eval")


class Placeholder(Tensor):
    """A tensor whose value comes with each call of a function.

    With a `default`, an array, it need not be among the inputs of the function.
    """

    def __init__(
        self,
        shape: Shape,
        dtype: str,
        name: str | None = None,
        default: operations.Array | None = None,
    ) -> None:
        attributes = {} if default is None else {"value": default}
        super().__init__("placeholder", (), attributes, shape, dtype, name=name)
        self._keras_shape, self._uses_learning_phase = shape, False


class Variable(Tensor):
    """A tensor that keeps its value between calls. The array is replaced, never changed."""

    initialised_when_made = True
    """False: new variables have no value before they are given one (ko-2.2:3820)."""

    def __init__(
        self, value: operations.Array, dtype: str, name: str | None = None, constraint: Any = None
    ) -> None:
        super().__init__("variable", (), {}, operations.current().shape(value), dtype, name=name)
        self._keras_shape, self._uses_learning_phase = self.shape, False
        self._value = value if self.initialised_when_made else None
        self.constraint = constraint

    @property
    def value(self) -> operations.Array:
        """The array; ValueError if the variable has not been given one yet."""
        if self._value is None:
            raise ValueError(
                f"{self!r} is not initialised: K.manual_variable_initialization was set when it "
                "was made; give it a value with K.set_value"
            )
        return self._value

    @value.setter
    def value(self, value: operations.Array) -> None:
        self._value = value


def apply(operation: str, *inputs: Tensor, name: str | None = None, **attributes: Any) -> Tensor:
    """A node of the graph; ValueError where the rule of the operation refuses its inputs.

    Every operation but `to_dense` refuses sparse tensors.
    """
    for x in inputs:
        if x.sparse and operation != "to_dense":
            raise ValueError(f"{operation}: {x!r} is sparse; make it dense with K.to_dense")
    shape, dtype = RULES[operation](*inputs, **attributes)
    return Tensor(operation, inputs, attributes, shape, dtype, name=name)


def constant_of(array: operations.Array, dtype: str, name: str | None = None) -> Tensor:
    """A node that holds an array of the set of operations in use."""
    shape = operations.current().shape(array)
    return Tensor("constant", (), {"value": array}, shape, dtype, name=name)


def literal(value: Any, dtype: str, where: str) -> Tensor:
    """A constant from a Python number (or array) in a tensor's dtype.

    ValueError if the dtype cannot hold the value: 0.5 is no int32.
    """
    try:
        return constant_of(operations.current().accept(value, dtype), dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None


def binary(operation: str, x: Any, y: Any) -> Tensor:
    """An operation on two tensors of one dtype, or on a tensor and a number.

    ValueError if neither is a tensor, or if their dtypes differ.
    """
    if not isinstance(x, Tensor):
        if not isinstance(y, Tensor):
            raise ValueError(f"{operation}: at least one of {x!r} and {y!r} must be a tensor")
        x = literal(x, y.dtype, operation)
    elif not isinstance(y, Tensor):
        y = literal(y, x.dtype, operation)
    return apply(operation, x, y)


def divide(x: Any, y: Any) -> Tensor:
    """`x / y`, in floatx if they are integers; ValueError if their dtypes differ."""
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype != y.dtype:
        return apply("divide", x, y)  # the rule refuses, naming both dtypes
    return binary("divide", floating(x), floating(y))


def power(x: Any, a: Any) -> Tensor:
    """`x ** a`; ValueError for a negative Python exponent of an integer tensor."""
    if isinstance(x, Tensor) and "int" in x.dtype and isinstance(a, (int, float)) and a < 0:
        raise ValueError(
            f"pow: a is {a} and x is {x.dtype}; integers have no negative powers, "
            "cast x to a float type with K.cast"
        )
    return binary("pow", x, a)


def floating(x: Any) -> Any:
    """An integer or bool tensor cast to floatx; anything else as it is."""
    if isinstance(x, Tensor) and not x.dtype.startswith("float"):
        return apply("cast", x, dtype=floatx())
    return x
