"""The plan draws admissible numbers alone, and what it could not draw is not admissible."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.engine import PROFILES, plan
from conformance.engine.judging.cases import Prepared
from conformance.generators import Structure
from conformance.generators.admissible import admissible, fitted
from conformance.generators.domains import DOMAINS
from conformance.specs import EDITIONS, load
from conformance.specs.kinds import Domain
from conformance.specs.load import documented_name

SMOKE, DEFAULT = PROFILES["smoke"], PROFILES["default"]


def inadmissible(prepared: Prepared) -> list[str]:
    """The profiles of the draws that a structure could not have."""
    draws = enumerate(prepared.draws)
    structure, arrays = prepared.structure, prepared.arrays
    return [d.profile for n, d in draws if not admissible(structure, arrays[n], d.profile)]
