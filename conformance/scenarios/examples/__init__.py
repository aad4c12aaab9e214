"""Scenarios made of the documents' own examples."""
