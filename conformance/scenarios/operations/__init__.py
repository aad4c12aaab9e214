"""Scenarios of single calls with tensors that belong together."""
