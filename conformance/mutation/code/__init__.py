"""Mutants of code: small changes in the source of a released backend, and which a gate notices.

sources     the modules of a target that hold its documented functions
editing     operators: from a node of the syntax tree to edits of the text
enumerate   all mutants of the sources, in documented functions and what these reach
drawing     a random sample of them
loading     a target whose workers load a changed module
scoring     the functions that reach a change, run and held against the known failures
"""
