"""Scenarios of settings: those of a running process, and those of its configuration file."""
