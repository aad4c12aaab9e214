"""Conformance suite for the Keras backend API."""

__version__ = "0.1.0"
