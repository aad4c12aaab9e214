"""Symbolic tensors: what is to be computed, with static shape and dtype, and no arrays touched.

A node is the name of an operation, its attributes and its input tensors. Shape and dtype follow
from the rule of the operation (`rules.py`). The rank of a tensor is always known; a dimension that
is not known before evaluation is None.

The type of a tensor says that it is sparse, not its elements (zh-TW:267). A sparse tensor is a node
like others, but only `to_dense` computes with it. Sparse placeholders and
`ctc_label_dense_to_sparse` make sparse tensors.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any, NoReturn

from conformance.reference.symbolic.backend import SymbolicBackend, active
from conformance.reference.symbolic.operations import Array
from conformance.reference.symbolic.rules import RULES, Operand, Result, Shape, rule


class Tensor:
    """The result of an operation.

    `shape` is a tuple of int or None, `dtype` a name such as "float32", `backend` the tensor's own
    one. The layers of Keras give tensors the attributes `_keras_shape`, which placeholders and
    variables have from the start, and `_uses_learning_phase`, which is there if the value depends
    on the learning phase. Arithmetic and ordering make new tensors; `==` compares identity, because
    tensors are dictionary keys.
    """

    sparse = False
    """Whether the value is sparse. Then only `to_dense` computes with it."""

    role = ""
    """A mark for plans on a node in a graph of gradients.

    "nothing" marks zeros for a branch that is not taken, "total" a sum of tensors of one shape.
    """

    _keras_shape: Shape
    _uses_learning_phase: bool

    # Makes NumPy arrays leave arithmetic with a tensor to the operators of the tensor.
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
        backend: SymbolicBackend | None = None,
    ) -> None:
        self.backend: SymbolicBackend = inputs[0].backend if inputs else backend or active()
        self.operation = operation
        self.inputs = inputs
        self.attributes = attributes
        self.shape = shape
        self.dtype = dtype
        self.name = name or f"{operation}_{next(self.backend.node_numbers)}"
        if any(getattr(x, "_uses_learning_phase", False) for x in inputs):
            # Keras feeds the learning phase only to functions whose outputs have the attribute,
            # whatever its value.
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

    def __floordiv__(self, other: Any) -> Tensor:
        return binary("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return binary("floor_divide", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return binary("remainder", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return binary("remainder", other, self)

    def __matmul__(self, other: Any) -> Tensor:
        return matrix_product(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return matrix_product(other, self)

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

    def __and__(self, other: Any) -> Tensor:
        return logical("minimum", self, other)

    def __or__(self, other: Any) -> Tensor:
        return logical("maximum", self, other)

    def __xor__(self, other: Any) -> Tensor:
        return logical("not_equal", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Tensor:
        return logical("equal", self, False)

    def __getitem__(self, index: Any) -> Tensor:
        entries = index if isinstance(index, tuple) else (index,)
        if any(map(_computed, entries)):
            return _part(self, entries)
        return apply("getitem", self, index=entries)

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} has no length before evaluation; use K.int_shape(x)[0] for the known "
            "length, or K.shape(x)[0] for a tensor"
        )

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be iterated over; use K.map_fn, or x[i] for each i of a known range"
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} has no truth value before it is evaluated; use K.switch to choose by it, "
            "K.eval for its value, or `is not None` to ask whether there is a tensor"
        )


class Placeholder(Tensor):
    """A tensor whose value is passed with each call of a function.

    With a `default`, an array, it need not be among the inputs of the function.
    """

    def __init__(
        self,
        shape: Shape,
        dtype: str,
        name: str | None = None,
        default: Array | None = None,
    ) -> None:
        attributes = {} if default is None else {"value": default}
        super().__init__("placeholder", (), attributes, shape, dtype, name=name)
        self._keras_shape, self._uses_learning_phase = shape, False


class Variable(Tensor):
    """A tensor that keeps its value between calls. The array is replaced, never changed."""

    def __init__(
        self, value: Array, dtype: str, name: str | None = None, constraint: Any = None
    ) -> None:
        backend = active()
        shape = backend.library.shape(value)
        super().__init__("variable", (), {}, shape, dtype, name=name, backend=backend)
        self._keras_shape, self._uses_learning_phase = self.shape, False
        self._value = value if backend.initialises_variables else None
        self.constraint = constraint

    @property
    def value(self) -> Array:
        """The array.

        Raises:
            ValueError: the variable has not been given one yet.
        """
        if self._value is None:
            raise ValueError(
                f"{self!r} is not initialised: K.manual_variable_initialization was set when it "
                "was made; give it a value with K.set_value"
            )
        return self._value

    @value.setter
    def value(self, value: Array) -> None:
        self._value = value


def apply(operation: str, *inputs: Tensor, name: str | None = None, **attributes: Any) -> Tensor:
    """A node of the graph.

    Every operation but `to_dense` refuses sparse tensors, and every one tensors of two backends.

    Raises:
        ValueError: the rule of the operation refuses its inputs.
    """
    for x in inputs:
        if x.backend is not inputs[0].backend:
            raise ValueError(f"{operation}: {_of_two_backends(inputs[0], x)}")
        if x.sparse and operation != "to_dense":
            raise ValueError(f"{operation}: {x!r} is sparse; make it dense with K.to_dense")
    shape, dtype = RULES[operation](*inputs, **attributes)
    return Tensor(operation, inputs, attributes, shape, dtype, name=name)


def _of_two_backends(x: Tensor, y: Tensor) -> str:
    return (
        f"{x!r} is a tensor of {x.backend.name}, and {y!r} of {y.backend.name}; "
        "take the value of one of them with eval, and make it a constant of the other"
    )


def constant_of(
    array: Array, dtype: str, name: str | None = None, backend: SymbolicBackend | None = None
) -> Tensor:
    """A node that holds an array of the backend, which is the active one if None is given.

    Shapes: any array; the node has its shape.
    """
    backend = backend or active()
    shape = backend.library.shape(array)
    return Tensor("constant", (), {"value": array}, shape, dtype, name=name, backend=backend)


def literal(value: Any, dtype: str, where: str, backend: SymbolicBackend | None = None) -> Tensor:
    """A constant from a Python number (or array) in a tensor's dtype.

    Raises:
        ValueError: the dtype cannot hold the value: int32 has no 0.5.
    """
    try:
        backend = backend or active()
        return constant_of(backend.library.accept(value, dtype), dtype, backend=backend)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None


def binary(operation: str, x: Any, y: Any) -> Tensor:
    """An operation on two tensors of one dtype, or on a tensor and a number.

    ValueError if neither is a tensor, or if their dtypes differ.
    """
    return apply(operation, *_operands(operation, x, y))


def _operands(operation: str, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Both as tensors; a number has the dtype of the other one."""
    if not isinstance(x, Tensor):
        if not isinstance(y, Tensor):
            raise ValueError(f"{operation}: at least one of {x!r} and {y!r} must be a tensor")
        x = literal(x, y.dtype, operation, y.backend)
    elif not isinstance(y, Tensor):
        y = literal(y, x.dtype, operation, x.backend)
    return x, y


def matrix_product(x: Any, y: Any) -> Tensor:
    """`x @ y`, NumPy's product of matrices, but batch axes must agree.

    The last axis of x with the last but one of y, or the only one.

    Raises:
        ValueError: the batch axes of y differ from those of x.
    """
    left, right = _operands("@", x, y)
    if right.ndim <= 2:
        return apply("dot", left, right)
    if left.ndim != right.ndim:
        raise ValueError(
            f"@: {left!r} and {right!r} must have one rank; add axes with K.expand_dims, "
            "or use K.batch_dot"
        )
    batch = ascii_lowercase[: right.ndim - 2]
    labels = (f"{batch}xy", f"{batch}yz", f"{batch}xz")
    return apply("contraction", left, right, labels=labels)


def logical(operation: str, x: Tensor, y: Any) -> Tensor:
    """An operation on bool alone.

    Shapes: x and y broadcast; the result is bool and has their common shape.

    Raises:
        ValueError: other tensors or values.
    """
    for each in (x, y):
        if isinstance(each, Tensor) and each.dtype != "bool":
            raise ValueError(
                f"& | ^ ~ take bool, not {each!r}; compare it, as in K.not_equal(x, 0)"
            )
    return binary(operation, x, y)


def _computed(entry: Any) -> bool:
    """Whether an entry of an index is known at evaluation only."""
    if isinstance(entry, slice):
        return any(isinstance(limit, Tensor) for limit in (entry.start, entry.stop, entry.step))
    return isinstance(entry, Tensor)


def _part(x: Tensor, index: tuple[Any, ...]) -> Tensor:
    """x[index], where some indices or limits are scalar integer tensors.

    First a slice of x takes what these entries say, then an index what the others say.
    """
    known = tuple(map(_known, index))
    apply("getitem", x, index=known)  # refuses an invalid index
    used = [entry for entry in index if entry is not None and entry is not Ellipsis]
    place = next((i for i, entry in enumerate(index) if entry is Ellipsis), len(index))
    every = (slice(None),) * (x.ndim - len(used))
    full = [e for e in (*index[:place], *every, *index[place + 1 :]) if e is not None]
    ranges = [_range(x, axis, entry) for axis, entry in enumerate(full)]
    starts, sizes = (apply("stack", *numbers, axis=0) for numbers in zip(*ranges, strict=True))
    return apply("getitem", apply("slice", x, starts, sizes), index=known)


def _known(entry: Any) -> Any:
    """The remaining work for an entry of an index when the slice is taken."""
    if not _computed(entry):
        return entry
    if not isinstance(entry, slice):
        return 0
    if entry.step not in (None, 1):
        raise ValueError(f"{entry}: a slice with tensors as limits has steps of 1")
    return slice(None)


def _range(x: Tensor, axis: int, entry: Any) -> tuple[Tensor, Tensor]:
    """The start and size of the part of an axis that an entry of an index takes: scalars of
    int64."""
    length = _length(x, axis)
    if not _computed(entry):
        return _int64(0, x), length
    if not isinstance(entry, slice):
        return _from_end(entry, length), _int64(1, x)
    first, last = (_int64(0, x) if entry.start is None else _limit(entry.start, length)), length
    if entry.stop is not None:
        last = _limit(entry.stop, length)
    return first, binary("maximum", last - first, 0)


def _limit(value: Any, length: Tensor) -> Tensor:
    """A limit of a slice, between 0 and the length."""
    return binary("maximum", binary("minimum", _from_end(value, length), length), 0)


def _from_end(value: Any, length: Tensor) -> Tensor:
    """An index, counted from the end if it is negative."""
    place = _int64(value, length)
    return place + length * apply("cast", place < 0, dtype="int64")


def _length(x: Tensor, axis: int) -> Tensor:
    known = x.shape[axis]
    if known is not None:
        return _int64(known, x)
    return _int64(apply("getitem", apply("shape", x), index=(axis,)), x)


def _int64(value: Any, like: Tensor) -> Tensor:
    """A scalar, of the backend of `like`; IndexError for a tensor of another rank or dtype."""
    if not isinstance(value, Tensor):
        return literal(value, "int64", "an index", like.backend)
    if value.ndim or "int" not in value.dtype:
        raise IndexError(f"index {value!r} must be a scalar of an integer dtype")
    return value if value.dtype == "int64" else apply("cast", value, dtype="int64")


def divide(x: Any, y: Any) -> Tensor:
    """`x / y`, in floatx if they are integers.

    Raises:
        ValueError: their dtypes differ.
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype != y.dtype:
        return apply("divide", x, y)  # the rule refuses, naming both dtypes
    return binary("divide", floating(x), floating(y))


def power(x: Any, a: Any) -> Tensor:
    """`x ** a`.

    Raises:
        ValueError: a negative Python exponent of an integer tensor.
    """
    if isinstance(x, Tensor) and "int" in x.dtype and isinstance(a, (int, float)) and a < 0:
        raise ValueError(
            f"pow: a is {a} and x is {x.dtype}; integers have no negative powers, "
            "cast x to a float type with K.cast"
        )
    return binary("pow", x, a)


def floating(x: Any) -> Any:
    """An integer or bool tensor cast to floatx; anything else unchanged."""
    if isinstance(x, Tensor) and not x.dtype.startswith("float"):
        return apply("cast", x, dtype=x.backend.settings.floatx)
    return x


class SparseTensor(Tensor):
    """The result of an operation that gives coordinates and values."""

    sparse = True


class SparsePlaceholder(Placeholder):
    """A sparse tensor whose value is passed with each call of a function.

    Fed with a triple (indices of shape (n, rank), n values, shape), with a SciPy matrix (anything
    that has `tocoo`), or with an array.
    """

    sparse = True


def apply_sparse(operation: str, *inputs: Tensor, **attributes: Any) -> SparseTensor:
    """A node whose value is sparse.

    Raises:
        ValueError: the rule of the operation refuses.
    """
    shape, dtype = RULES[operation](*inputs, **attributes)
    return SparseTensor(operation, inputs, attributes, shape, dtype)


@rule("to_dense", "to_sparse")
def _same_elements(x: Operand) -> Result:
    return x.shape, x.dtype
