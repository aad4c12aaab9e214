"""Scenarios of the properties of a tensor: kind, shape, dtype, sparseness, printed value."""
