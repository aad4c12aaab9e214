"""Operations on each element for itself."""

from __future__ import annotations

from typing import Any

import torch

from conformance.torch_backend.autograd import sloped
from conformance.torch_backend.kernels import KERNELS, Tensor, dtype_of, kernel, rounded_once

KERNELS.update(
    {
        "add": torch.add,
        "subtract": torch.subtract,
        "multiply": torch.multiply,
        "divide": torch.divide,
        "negative": torch.negative,
        "square": torch.square,
        "abs": torch.abs,
        "sqrt": torch.sqrt,
        "round": torch.round,
        "exp": torch.exp,
        "log": torch.log,
        "sin": torch.sin,
        "cos": torch.cos,
        "pow": torch.pow,
        "floor_divide": lambda x, y: torch.div(x, y, rounding_mode="floor"),
        "remainder": torch.remainder,
        "maximum": torch.maximum,
        "minimum": torch.minimum,
        "equal": torch.eq,
        "not_equal": torch.ne,
        "less": torch.lt,
        "less_equal": torch.le,
        "greater": torch.gt,
        "greater_equal": torch.ge,
        "select": torch.where,
        "identity": lambda x: x,
        "cast": lambda x, dtype: x.to(dtype_of(dtype)),
        "clip": lambda x, min_value, max_value: x.clamp(min_value, max_value),
    }
)


def _sigmoid_slope(x: Tensor) -> Tensor:
    """sigmoid(x) sigmoid(-x), which keeps its digits where sigmoid(x) is nearly 1."""
    return torch.sigmoid(x) * torch.sigmoid(-x)


KERNELS["sigmoid"] = sloped(torch.sigmoid, _sigmoid_slope)
KERNELS["tanh"] = sloped(torch.tanh, lambda x: 4 * _sigmoid_slope(2 * x))


@kernel
def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1; NaN for NaN, of which PyTorch makes 0."""
    signs = torch.sign(x)
    return torch.where(x.isnan(), x.detach(), signs) if x.is_floating_point() else signs


@rounded_once
def relu(x: Tensor, alpha: Any, max_value: Any) -> Tensor:
    """Slope alpha below 0, no more than max_value; with alpha 0 even -inf gives 0."""
    result = torch.relu(x) if alpha == 0 else torch.where(x < 0, x * alpha, x)
    return result if max_value is None else result.clamp(max=max_value)


@rounded_once
def elu(x: Tensor, alpha: float) -> Tensor:
    """alpha * (exp(x) - 1) below 0."""
    return torch.nn.functional.elu(x, alpha)


@rounded_once
def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x)), which is -log(sigmoid(-x)): the second derivative of logaddexp is NaN in
    PyTorch where exp(x) leaves the dtype."""
    return 0 - torch.nn.functional.logsigmoid(-x)


_softsign = sloped(lambda x: x / (1 + x.abs()), lambda x: 1 / (1 + x.abs()) / (1 + x.abs()))


@rounded_once
def softsign(x: Tensor) -> Tensor:
    """x over 1 + |x|."""
    return _softsign(x)


@rounded_once
def hard_sigmoid(x: Tensor) -> Tensor:
    """0.2 x + 0.5 between 0 and 1."""
    return (0.2 * x + 0.5).clamp(0, 1)


@kernel
def softmax(x: Tensor, axis: int) -> Tensor:
    """exp over its sum, shifted by the maximum."""
    return torch.softmax(x, axis)


@kernel
def print_tensor(x: Tensor, message: str) -> Tensor:
    """x itself, after the message and its value have been printed."""
    print(f"{message}{x.detach().numpy()!r}")
    return x
