"""Scenarios: what a function promises that no single call shows.

Sessions, updates, phases, callables, randomness, configuration and the documents' own examples
are programs of several steps with checks of what must hold afterwards.
"""

from conformance.scenarios.families import families_of
from conformance.scenarios.model import Check, Family, Problem, Scenario, Setup

__all__ = ["Check", "Family", "Problem", "Scenario", "Setup", "families_of"]
