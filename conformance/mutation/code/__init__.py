"""Mutants of code: small changes in the source of a released backend, and which a gate notices.

sources     the modules that hold a target's documented functions
editing     operators: from a node of the syntax tree to edits of the text (tables: siblings)
units       the functions of a module, what each reaches, and all edits inside one
population  all mutants of the sources, and a random sample of them
loading     a target whose workers load a changed module, and a run of some of its functions
scoring     the functions that reach a change, run and shown to a gate
classified  what each survivor is
beside      what other tests say of the same sample
records, page, writing: the report
"""
