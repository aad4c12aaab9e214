"""Scenarios of connectionist temporal classification: costs, decoding and sparse labels."""
