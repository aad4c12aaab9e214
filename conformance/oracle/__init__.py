"""Right answers, and how far a correct implementation may stray from them.

`expect` answers one call with a value and an error bound for every element; `agrees`,
`ulp_error` and `worst` compare a result with that. NumPy only; nothing of a target's.
"""

from conformance.oracle.compare import Error, agrees, ulp_error, ulp_limit, worst
from conformance.oracle.evaluate import ORACLES, expect
from conformance.oracle.expectation import Expectation

__all__ = [
    "ORACLES",
    "Error",
    "Expectation",
    "agrees",
    "expect",
    "ulp_error",
    "ulp_limit",
    "worst",
]
