"""Gradients of elementwise functions and of activations.

At a kink they follow TensorFlow. The slope of relu and abs at 0 is 0. maximum(x, y) takes x where
both are equal. clip and hard_sigmoid pass the gradient at their limits.

Source: NIST Digital Library of Mathematical Functions, sections 4.7, 4.20 and 4.34, for the
derivatives of exp, log, powers, sin, cos and tanh. All others follow from these by the rules of
quotients and chains.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.gradients.accumulation import (
    Gradients,
    gradient_of,
    spread,
    summed_to,
    zeros,
)
from conformance.reference.symbolic.graph import Tensor, apply, binary


def select(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x where the condition holds, else y. The side not taken may be NaN.

    Shapes: condition, x and y broadcast; the result has their common shape.
    """
    return apply("select", condition, x, y)


@gradient_of("add")
def add(node: Tensor, upstream: Tensor) -> Gradients:
    """To each side, summed over what was broadcast."""
    return summed_to(upstream, node.inputs[0]), summed_to(upstream, node.inputs[1])


@gradient_of("subtract")
def subtract(node: Tensor, upstream: Tensor) -> Gradients:
    """As `add`, with the other sign for y."""
    return summed_to(upstream, node.inputs[0]), summed_to(-upstream, node.inputs[1])


@gradient_of("multiply")
def multiply(node: Tensor, upstream: Tensor) -> Gradients:
    """Each side times the other."""
    x, y = node.inputs
    return summed_to(upstream * y, x), summed_to(upstream * x, y)


@gradient_of("divide")
def divide(node: Tensor, upstream: Tensor) -> Gradients:
    """1 / y, and -(x / y) / y, which overflows later than x / y**2."""
    x, y = node.inputs
    return summed_to(upstream / y, x), summed_to(-upstream * (node / y), y)


@gradient_of("floor_divide")
def floor_divide(node: Tensor, upstream: Tensor) -> Gradients:
    """None: a zero slope everywhere but at jumps."""
    del node, upstream
    return None, None


@gradient_of("remainder")
def remainder(node: Tensor, upstream: Tensor) -> Gradients:
    """1, and minus the whole quotient; the jumps do not count."""
    x, y = node.inputs
    return summed_to(upstream, x), summed_to(-upstream * (x // y), y)


@gradient_of("pow")
def power(node: Tensor, upstream: Tensor) -> Gradients:
    """a x**(a - 1), which is 0 for a = 0; x**a log(x), which is 0 for x <= 0."""
    x, a = node.inputs
    slope = select(binary("equal", a, 0), zeros(a), a * x ** (a - 1))
    unit = apply("fill_like", x, value=1, dtype=x.dtype)
    logarithm = apply("log", select(binary("greater", x, 0), x, unit))
    return summed_to(upstream * slope, x), summed_to(upstream * node * logarithm, a)


@gradient_of("maximum")
def maximum(node: Tensor, upstream: Tensor) -> Gradients:
    """To the larger side; to x where both are equal."""
    return _to_one_side("greater_equal", node, upstream)


@gradient_of("minimum")
def minimum(node: Tensor, upstream: Tensor) -> Gradients:
    """To the smaller side; to x where both are equal."""
    return _to_one_side("less_equal", node, upstream)


def _to_one_side(comparison: str, node: Tensor, upstream: Tensor) -> Gradients:
    x, y = node.inputs
    taken, none = apply(comparison, x, y), zeros(upstream)
    return (
        summed_to(select(taken, upstream, none), x),
        summed_to(select(taken, none, upstream), y),
    )


@gradient_of("negative")
def negative(node: Tensor, upstream: Tensor) -> Gradients:
    """The other sign."""
    del node
    return (-upstream,)


@gradient_of("square")
def square(node: Tensor, upstream: Tensor) -> Gradients:
    """2 x."""
    return (upstream * (2 * node.inputs[0]),)


@gradient_of("abs")
def absolute(node: Tensor, upstream: Tensor) -> Gradients:
    """The sign of x."""
    return (upstream * apply("sign", node.inputs[0]),)


@gradient_of("sqrt")
def square_root(node: Tensor, upstream: Tensor) -> Gradients:
    """1 / (2 sqrt(x))."""
    return (upstream * 0.5 / node,)


@gradient_of("exp")
def exponential(node: Tensor, upstream: Tensor) -> Gradients:
    """exp(x)."""
    return (upstream * node,)


@gradient_of("log")
def logarithm(node: Tensor, upstream: Tensor) -> Gradients:
    """1 / x."""
    return (upstream / node.inputs[0],)


@gradient_of("sin")
def sine(node: Tensor, upstream: Tensor) -> Gradients:
    """cos(x)."""
    return (upstream * apply("cos", node.inputs[0]),)


@gradient_of("cos")
def cosine(node: Tensor, upstream: Tensor) -> Gradients:
    """-sin(x)."""
    return (-upstream * apply("sin", node.inputs[0]),)


@gradient_of("round", "sign", "fill_like")
def piecewise_constant(node: Tensor, upstream: Tensor) -> Gradients:
    """None: a zero slope everywhere but at jumps."""
    del node, upstream
    return (None,)


@gradient_of("stop_gradient")
def stopped(node: Tensor, upstream: Tensor) -> Gradients:
    """None, by definition (ko-2.2:2579)."""
    del node, upstream
    return (None,)


@gradient_of("identity")
def identity(node: Tensor, upstream: Tensor) -> Gradients:
    """Unchanged."""
    del node
    return (upstream,)


@gradient_of("cast")
def cast(node: Tensor, upstream: Tensor) -> Gradients:
    """Cast back."""
    return (apply("cast", upstream, dtype=node.inputs[0].dtype),)


@gradient_of("clip")
def clip(node: Tensor, upstream: Tensor) -> Gradients:
    """Where x is within the limits, or at one of them."""
    limits: dict[str, Any] = node.attributes
    return (_within(node.inputs[0], limits["min_value"], limits["max_value"], upstream),)


def _within(x: Tensor, low: Any, high: Any, upstream: Tensor) -> Tensor:
    none = zeros(upstream)
    below_top = select(binary("less_equal", x, high), upstream, none)
    return select(binary("greater_equal", x, low), below_top, none)


@gradient_of("select")
def selection(node: Tensor, upstream: Tensor) -> Gradients:
    """To the side that was taken."""
    condition, x, y = node.inputs
    none = zeros(upstream)
    return (
        None,
        summed_to(select(condition, upstream, none), x),
        summed_to(select(condition, none, upstream), y),
    )


@gradient_of("sum_to")
def sum_to(node: Tensor, upstream: Tensor) -> Gradients:
    """Spread over what was summed."""
    return spread(upstream, node.inputs[0]), None


@gradient_of("relu")
def relu(node: Tensor, upstream: Tensor) -> Gradients:
    """1 above 0, else alpha; 0 above max_value."""
    (x,) = node.inputs
    alpha, max_value = node.attributes["alpha"], node.attributes["max_value"]
    passed = select(binary("greater", x, 0), upstream, upstream * alpha)
    if max_value is None:
        return (passed,)
    unlimited = apply("relu", x, alpha=alpha, max_value=None)
    below_top = binary("less_equal", unlimited, max_value)
    return (select(below_top, passed, zeros(upstream)),)


@gradient_of("elu")
def elu(node: Tensor, upstream: Tensor) -> Gradients:
    """1 above 0, else alpha exp(x)."""
    (x,) = node.inputs
    falling = apply("exp", binary("minimum", x, 0)) * node.attributes["alpha"]
    return (select(binary("greater", x, 0), upstream, upstream * falling),)


@gradient_of("softmax")
def softmax(node: Tensor, upstream: Tensor) -> Gradients:
    """Softmax times what the upstream exceeds its weighted mean by."""
    axis = (node.attributes["axis"],)
    mean = apply("sum", upstream * node, axis=axis, keepdims=True)
    return ((upstream - mean) * node,)


@gradient_of("softplus")
def softplus(node: Tensor, upstream: Tensor) -> Gradients:
    """sigmoid(x)."""
    return (upstream * apply("sigmoid", node.inputs[0]),)


@gradient_of("softsign")
def softsign(node: Tensor, upstream: Tensor) -> Gradients:
    """1 / (1 + |x|)**2, divided twice so that nothing overflows."""
    size = 1 + apply("abs", node.inputs[0])
    return (upstream / size / size,)


@gradient_of("sigmoid")
def sigmoid(node: Tensor, upstream: Tensor) -> Gradients:
    """sigmoid(x) sigmoid(-x), which keeps its digits where sigmoid(x) is nearly 1."""
    return (upstream * node * apply("sigmoid", -node.inputs[0]),)


@gradient_of("tanh")
def tanh(node: Tensor, upstream: Tensor) -> Gradients:
    """1 / cosh(x)**2 as 4 sigmoid(2x) sigmoid(-2x), which keeps its digits for large x."""
    double = 2 * node.inputs[0]
    return (upstream * 4 * apply("sigmoid", double) * apply("sigmoid", -double),)


@gradient_of("hard_sigmoid")
def hard_sigmoid(node: Tensor, upstream: Tensor) -> Gradients:
    """0.2 between the limits."""
    return (_within(node.inputs[0], -2.5, 2.5, upstream * 0.2),)


@gradient_of("dropout")
def dropout(node: Tensor, upstream: Tensor) -> Gradients:
    """Through the same flags."""
    return (apply("dropout", upstream, node.inputs[1], **node.attributes), None)


@gradient_of("print_tensor")
def print_tensor(node: Tensor, upstream: Tensor) -> Gradients:
    """The same, unprinted."""
    del node
    return (upstream,)
