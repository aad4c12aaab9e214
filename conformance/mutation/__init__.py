"""Mutation testing of the suite: how many errors, each put into a correct backend, it finds."""
