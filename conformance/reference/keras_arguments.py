"""Documented functions that take what released Keras passes to them beyond the documents.

See `keras_support.py`: these functions stand in for the strict ones only where Keras loads the
package. Each says what it takes besides. A form that no caller in Keras needs stays refused.

`bilinear` interpolates between the elements of an axis; no document describes it. Element i of the
longer axis lies at i / factor on the shorter one. Places behind the last element have its value.

Source: the calls in Keras 2.2.4, whose tests run on these functions (docs/reference.md).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.reference import (
    activations,
    convolution,
    creation,
    elementwise,
    introspection,
    linear_algebra,
    normalisation,
    padding,
    random,
    reductions,
    shape_ops,
    variables,
)
from conformance.reference.keras_support import lenient, scoped
from conformance.reference.symbolic.arguments import (
    combined,
    integer,
    integer_tensor,
    integer_vector,
    is_symbolic,
    number,
    tensor,
)
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.functions import CompiledFunction
from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import (
    Placeholder,
    SparsePlaceholder,
    Tensor,
    apply,
    apply_sparse,
    binary,
)
from conformance.reference.symbolic.rules import Operand, Result, rule
from conformance.reference.variables import gradients as gradients_of_some


def bilinear(x: Tensor, factors: Mapping[int, int]) -> Tensor:
    """x with each axis `factor` times as long.

    Shapes: any x; each axis of the result is `factor` times as long.
    """
    for axis, factor in factors.items():
        x = apply("interpolate", x, axis=axis, factor=factor)
    return x


@rule("interpolate")
def _interpolate(x: Operand, axis: int, factor: int) -> Result:
    longer = [None if d is None else d * factor for d in x.shape]
    return (*x.shape[:axis], longer[axis], *x.shape[axis + 1 :]), x.dtype


@rule("interpolate_back")
def _interpolate_back(_upstream: Operand, x: Operand, **_: Any) -> Result:
    return x.shape, x.dtype


@gradient_of("interpolate")
def _gradient(node: Tensor, upstream: Tensor) -> Gradients:
    return (apply("interpolate_back", upstream, node.inputs[0], **node.attributes),)


@gradient_of("interpolate_back")
def _gradient_back(node: Tensor, upstream: Tensor) -> Gradients:
    return apply("interpolate", upstream, **node.attributes), None


def _named(dtype: Any) -> Any:
    """The name of a dtype that is NumPy's object; anything else unchanged."""
    return getattr(dtype, "name", dtype)


def sparse_constant(matrix: Any, dtype: str | None, name: str | None) -> Tensor:
    """A sparse tensor with the value of a SciPy matrix."""
    type_name = dtype or active().settings.floatx
    value = active().library.accept_sparse(matrix, type_name)
    return SparsePlaceholder(matrix.shape, type_name, name, value)


@lenient
def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
) -> Placeholder:
    """As documented; the dtype may be NumPy's object, as `Input` passes it on."""
    return creation.placeholder(shape, ndim, _named(dtype), sparse, name)


@lenient
def cast(x: Tensor, dtype: Any) -> Tensor:
    """As documented; the dtype may be NumPy's object.

    Shapes: any x; the result has the shape of x.
    """
    return introspection.cast(x, _named(dtype))


@lenient
def variable(
    value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None
) -> Tensor:
    """As documented; the value may be a tensor too, for the initialisers of Keras return tensors.

    The tensor is evaluated once. A SciPy matrix gives a sparse tensor with that value, which is not
    a variable (as on TensorFlow). The name gets the scopes in which the variable is made.
    """
    if hasattr(value, "tocoo"):
        return sparse_constant(value, _named(dtype), scoped(name))
    if isinstance(value, Tensor):
        value = variables.eval(value)
    return creation.variable(value, _named(dtype), scoped(name), constraint)


def _as_list(shape: Any) -> Any:
    """(n,) for an integer n."""
    return (shape,) if isinstance(shape, int) else shape


@lenient
def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """As documented; the shape may be an integer: the optimiser Adam has `zeros(1)`."""
    return creation.zeros(_as_list(shape), _named(dtype), name)


@lenient
def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """As documented; the shape may be an integer."""
    return creation.ones(_as_list(shape), _named(dtype), name)


@lenient
def arange(start: Any, stop: Any = None, step: float = 1, dtype: Any = "int32") -> Tensor:
    """As documented; start and stop may be scalar integer tensors."""
    if not isinstance(start, Tensor) and not isinstance(stop, Tensor):
        return creation.arange(start, stop, step, _named(dtype))
    first, last = (0, start) if stop is None else (start, stop)
    ends = (
        end if isinstance(end, Tensor) else creation.constant(end, "int64") for end in (first, last)
    )
    bounds = [integer_tensor(end, "arange", "start or stop") for end in ends]
    length = integer(step, "arange", "step")
    return apply("arange_between", *bounds, step=length, dtype=_named(dtype))


@lenient
def function(
    inputs: Sequence[Any], outputs: Sequence[Any], updates: Any = None, **kwargs: Any
) -> CompiledFunction:
    """As documented, with one keyword: `name`, which Keras gives to its functions; unused."""
    kwargs.pop("name", None)
    return variables.function(inputs, outputs, updates, **kwargs)


@lenient
def gradients(loss: Tensor, variables: Sequence[Tensor]) -> list[Tensor]:
    """As documented; no variables have no gradients: a model may have nothing to train.

    Shapes: each gradient has the shape of its variable.
    """
    return gradients_of_some(loss, variables) if variables else []


@lenient
def clip(x: Tensor, min_value: float | None, max_value: float | None) -> Tensor:
    """As documented; None removes a limit: `mean_absolute_percentage_error` has no upper one.

    Shapes: any x; the result has the shape of x.
    """
    if max_value is None:
        return x if min_value is None else elementwise.maximum(x, min_value)  # type: ignore[arg-type]
    if min_value is None:
        return elementwise.minimum(x, max_value)  # type: ignore[arg-type]
    return elementwise.clip(x, min_value, max_value)


@lenient
def dot(x: Tensor, y: Tensor) -> Tensor:
    """As documented; x may be sparse, as the input of a `Dense` layer.

    Shapes: as documented.
    """
    return linear_algebra.dot(introspection.to_dense(x), y)


@lenient
def concatenate(tensors: Sequence[Tensor], axis: int = -1) -> Tensor:
    """As documented; of sparse tensors it is sparse.

    Shapes: as documented.
    """
    if not all(isinstance(x, Tensor) and x.sparse for x in tensors):
        return shape_ops.concatenate(tensors, axis)
    joined = shape_ops.concatenate([introspection.to_dense(x) for x in tensors], axis)
    return apply_sparse("to_sparse", joined)


@lenient
def eval(x: Tensor) -> Any:
    """As documented; of a sparse tensor the dense value."""
    return variables.eval(introspection.to_dense(x))


@lenient
def log(x: Any) -> Tensor:
    """As documented; x may be a number: the loss `logcosh` has `log(2.)`."""
    if isinstance(x, Tensor):
        return elementwise.log(x)
    return elementwise.log(creation.constant(number(x, "log", "x")))


@lenient
def sqrt(x: Tensor) -> Tensor:
    """As documented, but 0 below 0, as in all backends that are part of Keras.

    Shapes: any x; the result has the shape of x.
    """
    return elementwise.sqrt(elementwise.maximum(x, 0))  # type: ignore[arg-type]


@lenient
def pow(x: Any, a: Any) -> Tensor:
    """As documented; x may be a number if a is a tensor: the optimiser Nadam has such powers."""
    if isinstance(a, Tensor) and not isinstance(x, Tensor):
        return combined("pow", x, a)
    return elementwise.pow(x, a)


@lenient
def repeat_elements(x: Tensor, rep: int, axis: int) -> Tensor:
    """As documented; the result has `_keras_shape`, as with all backends that are part of Keras.

    Shapes: any x; the axis of the result is `rep` times as long.
    """
    result = shape_ops.repeat_elements(x, rep, axis)
    result._keras_shape = result.shape
    return result


@lenient
def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """As documented; x may be a list of scalars, as `BatchNormalization` has of dimensions."""
    if isinstance(x, (list, tuple)):
        x = apply("stack", *(tensor(item, "prod") for item in x), axis=0)
    return reductions.prod(x, axis, keepdims)


@lenient
def relu(
    x: Tensor, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Tensor:
    """As documented, with a threshold.

    x above it and 0 elsewhere, limited to [0, max_value] if that is given; less
    alpha * (threshold - x) below it.

    Shapes: any x; the result has the shape of x.
    """
    level = number(threshold, "relu", "threshold")
    if level == 0:
        return activations.relu(x, alpha, max_value)
    x = tensor(x, "relu")
    result = x * apply("cast", binary("greater", x, level), dtype=x.dtype)
    if max_value is not None:
        result = elementwise.clip(result, 0, max_value)
    if alpha:
        result = result - activations.relu(level - x) * number(alpha, "relu", "alpha")
    return result


@lenient
def normalize_batch_in_training(
    x: Tensor, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """As documented; gamma may be None for 1, and beta for 0.

    Shapes: any x; the results have the shape of x, and twice that of the axes that remain.
    """
    mean = reductions.mean(x, reduction_axes)
    scale, shift = _filled(mean, gamma, 1), _filled(mean, beta, 0)
    return normalisation.normalize_batch_in_training(x, scale, shift, reduction_axes, epsilon)


@lenient
def batch_normalization(  # noqa: PLR0917 - as documented
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    beta: Any,
    gamma: Any,
    axis: int = -1,
    epsilon: float = 0.001,
) -> Tensor:
    """As documented; gamma may be None for 1, and beta for 0.

    Shapes: any x; the result has the shape of x.
    """
    shift, scale = _filled(mean, beta, 0), _filled(mean, gamma, 1)
    return normalisation.batch_normalization(x, mean, var, shift, scale, axis, epsilon)


def _filled(like: Tensor, value: Any, default: int) -> Any:
    if value is not None:
        return value
    return apply("fill_like", tensor(like, "batch normalisation"), value=default, dtype=like.dtype)


@lenient
def bias_add(x: Tensor, bias: Tensor, data_format: str | None = None) -> Tensor:
    """As documented, but channels first, a bias of several axes is reshaped and not permuted.

    So do all backends that are part of Keras. The last axis becomes the first one.

    Shapes: any x; the result has the shape of x.
    """
    if data_format == "channels_first" and tensor(bias, "bias_add", "bias").ndim > 1:
        turned = (bias.shape[-1], *bias.shape[:-1])
        order = (*range(1, bias.ndim), 0)
        bias = apply("permute_dimensions", shape_ops.reshape(bias, turned), pattern=order)
    return padding.bias_add(x, bias, data_format)


@lenient
def conv2d_transpose(  # noqa: PLR0917 - as Keras calls it
    x: Tensor,
    kernel: Tensor,
    output_shape: Any,
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: tuple[int, int] = (1, 1),
) -> Tensor:
    """As documented, of a convolution with a dilation rate.

    Shapes: the result has the shape `output_shape`.
    """
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


@lenient
def resize_images(
    x: Tensor,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Tensor:
    """As documented, with an interpolation: `nearest`, which is the documented one, or `bilinear`.

    Shapes: as documented.

    Raises:
        ValueError: another interpolation.
    """
    if interpolation not in ("nearest", "bilinear"):
        raise ValueError(
            f"resize_images: interpolation is {interpolation!r}; write 'nearest' or 'bilinear'"
        )
    resized = padding.resize_images(x, height_factor, width_factor, data_format)
    if interpolation == "nearest":
        return resized
    first = 2 if data_format == "channels_first" else 1
    return bilinear(x, {first: height_factor, first + 1: width_factor})


def _of_any_shape(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The random function, whose shape may also be an integer tensor."""

    @functools.wraps(function)
    def drawn(shape: Any, *args: Any, **kwargs: Any) -> Tensor:
        """As documented; the shape may be a tensor, as `K.shape` gives it to layers of noise."""
        if not is_symbolic(shape):
            return function(shape, *args, **kwargs)
        scalar = function((), *args, **kwargs)
        attributes = {k: v for k, v in scalar.attributes.items() if k != "shape"}
        dimensions = integer_vector(shape, function.__name__, "shape")
        return apply("random_in_shape", dimensions, of=scalar.operation, **attributes)

    return lenient(drawn)


for _function in (
    random.random_normal,
    random.random_uniform,
    random.truncated_normal,
    random.random_binomial,
):
    _of_any_shape(_function)
