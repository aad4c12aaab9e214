"""Scenarios of what outlives a call: variables, updates, sessions, learning phases."""
