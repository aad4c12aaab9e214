"""Scenarios of what can be asked of a tensor: kind, shape, dtype, sparseness, printed value."""
