"""Scenarios of what documents promise besides values: types of results, variables, arguments."""
