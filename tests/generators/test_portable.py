"""The numbers of the cases are the same on every processor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from conformance.generators import portable
from tests.bounds import assert_same
from tests.processors import VARIABLE, newer_than_avx

ROOT = Path(__file__).parents[2]
DRAWS = """
import hashlib
from itertools import product
import numpy as np
from conformance.generators import PROFILES, probabilities
from conformance.generators.values import fill
found = hashlib.sha256()
for profile, dtype, domain in product(PROFILES, ("float16", "float32", "float64"), DOMAINS):
    found.update(fill(np.random.default_rng(1), (60, 70), dtype, domain, profile).tobytes())
for profile, dtype in product(PROFILES, ("float16", "float32", "float64")):
    rng = np.random.default_rng(2)
    found.update(probabilities.targets(rng, (40, 5), dtype, 1, profile).tobytes())
    found.update(probabilities.distribution(rng, (40, 5), dtype, 0, profile).tobytes())
print(found.hexdigest())
""".replace("DOMAINS", "('real', 'positive', 'truth', 'probability', 'fraction', 'logit')")


def digest(features: str) -> str:
    environment = {**os.environ, VARIABLE: features}
    command = [sys.executable, "-c", DRAWS]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_seed_gives_the_same_numbers_whatever_registers_numpy_uses() -> None:
    off = newer_than_avx()
    without_avx512 = [n for n in off if "512" in n or n == "X86_V4"]
    assert digest("") == digest(" ".join(without_avx512)) == digest(" ".join(off))


def test_powers_and_logarithms_are_rounded_once() -> None:
    x = np.random.default_rng(3).uniform(-700, 700, 2000)
    assert portable.exp(x).dtype == portable.log(np.exp(x)).dtype == np.float64
    assert_same(portable.exp(x), np.exp(x), roundings=3)
    assert_same(portable.log(portable.exp(x)), x, roundings=4, size=np.abs(x) + 1)
