"""How much of what can be wrong the suite finds: correct backends with one error each."""

from conformance.mutation.model import Mutant, Operator
from conformance.mutation.population import population

__all__ = ["Mutant", "Operator", "population"]
