# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef,attr-defined"
"""The reference, but no seed has an effect."""

import inspect

from conformance import reference as right
from conformance.reference import *  # noqa: F403

SEEDED = (
    "random_normal",
    "random_uniform",
    "random_binomial",
    "truncated_normal",
    "random_normal_variable",
    "random_uniform_variable",
    "dropout",
)


def _without_seed(name):
    function = getattr(right, name)
    signature = inspect.signature(function)

    def unseeded(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs).arguments
        return function(**{**arguments, "seed": None})

    unseeded.__signature__ = signature
    return unseeded


globals().update({name: _without_seed(name) for name in SEEDED})
