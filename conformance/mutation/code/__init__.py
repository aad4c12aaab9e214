"""Mutants of code: small changes in the source of a released backend, judged by a gate.

* `editing` has the operators: from a node of the syntax tree to edits of the text.
* `units` has the functions of a module, the functions that each reaches, and all edits inside one.
* `population` reads the modules that hold a target's documented functions, and has all their
  mutants, or a random sample.
* `scoring` loads a changed module in the target's workers, runs the functions that reach the
  change, and shows the results to a gate.
* `records` is the report, with the kind of each survivor and the findings of other tests.
* `page` writes the report as JSON and as a page.
"""
