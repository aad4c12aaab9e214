"""The formulas of single numbers in interval arithmetic (Arb), as a second authority.

Each is written from its definition, not from the oracle's formula. A result is an interval that
holds the exact value; `exact` makes it so narrow that no rounding to a dtype depends on its width.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from conformance.dtypes import limits

Array = npt.NDArray[Any]
Ball = Any
"""A number with its radius; python-flint has no types."""

_BITS, _MORE_BITS = 160, 3000
"""Of the significand: usually, and where digits cancel or an angle is large."""
_STEP = 400
"""The negative power of two by which numbers differ for a derivative."""
_SHARP = 110
"""How many digits of a result are right at least, where there are more than 0."""


def arb(number: Any) -> Ball:
    """The number as an interval of width 0, with all digits and all powers of a long double."""
    if not isinstance(number, np.longdouble):
        return flint.arb(float(number))
    fraction, power = np.frexp(np.longdouble(number))
    high = float(fraction)
    low = float(fraction - np.longdouble(high)) if np.isfinite(high) else 0.0
    return (flint.arb(high) + flint.arb(low)) * flint.arb(2) ** int(power)


def _elu(x: Ball, alpha: Any = 1) -> Ball:
    return x if x > 0 else arb(alpha) * x.expm1()


def _sigmoid(x: Ball) -> Ball:
    power = (-abs(x)).exp()  # that of a large number is no finite interval
    return (power if x < 0 else 1) / (1 + power)


def _softplus(x: Ball) -> Ball:
    return x.max(flint.arb(0)) + (-abs(x)).exp().log1p()


def _gelu(x: Ball, approximate: bool = True) -> Ball:
    if not approximate:
        return x * (-x / flint.arb(2).sqrt()).erfc() / 2
    inner = (2 / flint.arb.pi()).sqrt() * (x + flint.arb("0.044715") * x**3)
    return x * _sigmoid(2 * inner)


def _soft_shrink(x: Ball, threshold: Any = 0.5) -> Ball:
    edge = arb(threshold)
    return x - edge if x > edge else x + edge if x < -edge else 0 * x


def _limited(x: Ball, low: Any, high: Any) -> Ball:
    return arb(low) if x < low else arb(high) if x > high else x


def _cbrt(x: Ball) -> Ball:
    return x if x == 0 else x.root(3) if x > 0 else -((-x).root(3))


def _rounded(x: Ball, decimals: int = 0) -> Ball:
    """In fractions, because the nearest integer jumps: it is that of the number, not of a ball."""
    significand, power = x.man_exp()
    scale = Fraction(10) ** decimals
    nearest = round(Fraction(int(significand)) * Fraction(2) ** int(power) * scale) / scale
    return flint.arb(flint.fmpq(nearest.numerator, nearest.denominator))


FORMULAS: Mapping[str, Callable[..., Ball]] = {
    **{
        name: lambda x, of=of: getattr(x, of)()
        for name, of in {
            **{
                n: n for n in ("sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan")
            },
            **{n: n for n in ("sinh", "cosh", "tanh", "erf", "erfc", "erfinv")},
            **{f"arc{n}": f"a{n}" for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
            "sinc": "sinc_pi",
        }.items()
    },
    "relu": lambda x, alpha=0, max_value=None: flint.arb(0) if x < 0 else x,
    "leaky_relu": lambda x, negative_slope: x if x >= 0 else arb(negative_slope) * x,
    "elu": _elu,
    "celu": lambda x, alpha=1: x if x > 0 else arb(alpha) * (x / arb(alpha)).expm1(),
    "selu": lambda x: (
        flint.arb("1.0507009873554804934193349852946")
        * (x if x > 0 else flint.arb("1.6732632423543772848170429916717") * x.expm1())
    ),
    "sigmoid": _sigmoid,
    "hard_sigmoid": lambda x: _limited(x / 5 + 0.5, 0, 1),
    "silu": lambda x: x * _sigmoid(x),
    "hard_silu": lambda x: x * _limited(x / 6 + 0.5, 0, 1),
    "softplus": _softplus,
    "softsign": lambda x: x / (1 + abs(x)),
    "log_sigmoid": lambda x: -_softplus(-x),
    "tanh_shrink": lambda x: x - x.tanh(),
    "soft_shrink": _soft_shrink,
    "squareplus": lambda x, b=4: (x + (x * x + b).sqrt()) / 2,
    "sparse_plus": lambda x: 0 * x if x <= -1 else x if x >= 1 else (x + 1) ** 2 / 4,
    "sparse_sigmoid": lambda x: _limited((x + 1) / 2, 0, 1),
    "gelu": _gelu,
    "cast": lambda x, dtype: x,
    "converted": lambda x, **_: x,
    "saturate_cast": lambda x, dtype: _limited(x, -limits(dtype).max, limits(dtype).max),
    "square": lambda x: x * x,
    "pow": lambda x, a: x ** int(a),
    "exp2": lambda x: flint.arb(2) ** x,
    "log2": lambda x: x.log() / flint.arb(2).log(),
    "log10": lambda x: x.log() / flint.arb(10).log(),
    "cbrt": _cbrt,
    "deg2rad": lambda x: x * flint.arb.pi() / 180,
    "rad2deg": lambda x: x * 180 / flint.arb.pi(),
    "reciprocal": lambda x: 1 / x,
    "angle": lambda x: flint.arb(0) if x >= 0 else flint.arb.pi(),
    "round to decimals": _rounded,
    "i0": lambda x: x.bessel_i(0),
}
"""By the name of the oracle's function: its formula."""


def exact(name: str, number: Any, arguments: Mapping[str, Any]) -> Ball:
    """The function of a finite number."""
    formula = FORMULAS[name]
    flint.ctx.prec = _BITS
    result = formula(arb(number), **arguments)
    if result.is_finite() and not result.is_exact() and result.rel_accuracy_bits() < _SHARP:
        flint.ctx.prec = _MORE_BITS
        result = formula(arb(number), **arguments)
    return result


def slope(name: str, number: Any, arguments: Mapping[str, Any]) -> Ball:
    """The derivative at a finite number: a difference over so small a step that its error, of the
    second order, is below any dtype. At a kink it is the mean of the slopes on both sides."""
    formula = FORMULAS[name]
    flint.ctx.prec = 5 * _STEP
    step, x = flint.arb(2) ** -_STEP, arb(number)
    return (formula(x + step, **arguments) - formula(x - step, **arguments)) / (2 * step)
