"""Mutation testing of the suite: how many errors, each put into a correct backend, it finds."""

from conformance.mutation.model import Mutant, Operator
from conformance.mutation.population import population

__all__ = ["Mutant", "Operator", "population"]
