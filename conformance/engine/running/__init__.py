"""Workers at their portions: start, sweep, stop, resume."""
