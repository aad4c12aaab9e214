"""The worker: what runs inside a target's interpreter, on CPython 3.6 and later, with NumPy only.

The host imports `frames` from here, so both ends share one codec.
"""
