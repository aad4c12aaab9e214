"""Failures of composition and counts of programs, as results hold them."""
