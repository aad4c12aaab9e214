"""Fingerprints: digests of everything that the results of a function on a target depend on.

A run takes long, and a commit rarely changes what it would find. So results store a *fingerprint*
for each function: one digest for each part in `PARTS` (spec, oracle, generators, engine, adapters,
target, environment and so on). `conformance run --reuse` computes the fingerprint again. If it
equals the stored one, a run would give the same results except for times, and the suite keeps the
old results. Otherwise it runs the function and names the first part that differs.

A fingerprint may change without need, which costs one run. It must never stay equal while a result
changes. Therefore it includes everything that is in doubt.

* `definitions` reads the top-level definitions of the suite's modules, and the names in each.
* `functions` follows these names from the engine's entry points to the definitions that a test of
  one function can reach, and digests those.
* `targets` digests the target, its environment and its implementation, and puts all parts
  together.
"""

from conformance.fingerprints.targets import PARTS, UNKNOWN, Fingerprints, fingerprints

__all__ = ["PARTS", "UNKNOWN", "Fingerprints", "fingerprints"]
