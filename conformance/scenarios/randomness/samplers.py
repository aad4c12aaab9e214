"""The random functions with their laws, their parameters and the lines that document them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from conformance.scenarios.randomness import statistics
from conformance.scenarios.randomness.statistics import Law
from conformance.scenarios.recorder import Lines
from conformance.specs.unsettled import DOCUMENTED_DTYPES

Parameters = tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sampler:
    """A function of a shape and the parameters of a law."""

    function: str
    _: KW_ONLY
    parameters: tuple[str, ...]
    """The names of the law's parameters, in their order after the shape."""
    law: Callable[..., Law] | None
    """The law of the numbers; None if they are 0 or 1."""
    examples: tuple[Parameters, ...]
    """Parameters, the first for large samples; exact in every float dtype, as are the bounds."""
    shape: Lines
    values: Lines
    """The lines that say which values there are."""
    dtype: Lines
    default: Parameters | None = None
    draws_again: bool = True
    """Whether it gives a tensor that is computed at each evaluation, not a variable."""
    dtypes: tuple[str, ...] = ("float32", "float64", "float16")
    documented: tuple[str, ...] = DOCUMENTED_DTYPES
    """The dtypes that the documents name for it."""
    default_dtype: str = "float32"
    default_settled: bool = False
    """Whether a document says what the default dtype is."""
    span: Callable[..., tuple[float, float]] | None = None
    """The interval of all values, if it differs from the law's reach."""
    half_open: bool = False
    """Whether a document excludes the upper bound."""
    whole: bool = False
    """Whether the numbers are integers."""

    def bounds(self, parameters: Parameters) -> tuple[float, float] | None:
        """The interval of all values; None if there is no bound."""
        if self.span is not None:
            return self.span(*parameters)
        if self.law is None:
            return (0.0, 1.0)
        law = self.law(*parameters)
        return None if law.reach == float("inf") else (law.mean - law.reach, law.mean + law.reach)


_UNIFORM = ((-2.0, 3.0), (0.0, 1.0), (0, 1), (0.5, 0.75), (-4.0, -1.0))
_NORMAL = ((1.0, 2.0), (0.0, 1.0), (0, 1), (-3.0, 0.5))

SAMPLERS = (
    Sampler(
        "random_uniform_variable",
        parameters=("low", "high"),
        law=statistics.uniform,
        examples=_UNIFORM,
        shape={"ja-2.0": 823, "ko-2.2": 754},
        values={"ja-2.0": 819, "ko-2.2": 750},
        dtype={"ja-2.0": 826, "ko-2.2": 757},
        draws_again=False,
    ),
    Sampler(
        "random_normal_variable",
        parameters=("mean", "scale"),
        law=statistics.normal,
        examples=_NORMAL,
        shape={"ja-2.0": 859, "ko-2.2": 791},
        values={"ja-2.0": 855, "ko-2.2": 787},
        dtype={"ja-2.0": 862, "ko-2.2": 794},
        draws_again=False,
    ),
    Sampler(
        "random_normal",
        parameters=("mean", "stddev"),
        law=statistics.normal,
        examples=_NORMAL,
        default=(0.0, 1.0),
        shape={"ja-2.0": 3188, "ko-2.2": 3420},
        values={"ja-2.0": 3184, "ko-2.2": 3416},
        dtype={"ja-2.0": 3191, "ko-2.2": 3424},
    ),
    Sampler(
        "random_uniform",
        parameters=("minval", "maxval"),
        law=statistics.uniform,
        examples=_UNIFORM,
        default=(0.0, 1.0),
        shape={"ja-2.0": 3210, "ko-2.2": 3445},
        values={"ja-2.0": 3206, "ko-2.2": 3441},
        dtype={"ja-2.0": 3213, "ko-2.2": 3448},
    ),
    Sampler(
        "random_binomial",
        parameters=("p",),
        law=None,
        examples=((0.3,), (0.5,), (0.0,), (1.0,)),
        default=(0.0,),
        shape={"ja-2.0": 3232, "ko-2.2": 3469},
        values={"ja-2.0": 3233, "ko-2.2": 3470},
        dtype={"ja-2.0": 3234, "ko-2.2": 3471},
    ),
    Sampler(
        "truncated_normal",
        parameters=("mean", "stddev"),
        law=statistics.truncated,
        examples=_NORMAL,
        default=(0.0, 1.0),
        shape={"ja-2.0": 3255, "ko-2.2": 3496},
        values={"ja-2.0": 3251, "ko-2.2": 3491},
        dtype={"ja-2.0": 3258, "ko-2.2": 3499},
    ),
)
