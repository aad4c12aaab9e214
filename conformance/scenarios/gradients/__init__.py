"""Scenarios of gradients and stop_gradient."""
