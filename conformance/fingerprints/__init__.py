"""What the verdicts of a function on a target depend on, in digests: its fingerprint.

If the fingerprint of a function in earlier results is that of now, a run would give the same
results again, times aside. What is in doubt is in the fingerprint, so that it is run again.
"""

from conformance.fingerprints.cells import PARTS, UNKNOWN, Fingerprints, fingerprints

__all__ = ["PARTS", "UNKNOWN", "Fingerprints", "fingerprints"]
