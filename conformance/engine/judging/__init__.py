"""From an observation to findings, aspect by aspect."""
